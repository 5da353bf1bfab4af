//! Damaged ETL files: what is readable is read, the rest is reported, and memory stays within bounds.
//!
//! `DOTSPOT_DAMAGE_ROUNDS=10000` with a release build runs more rounds.

use crate::common::etl_writer::{Header, Life, Trace};
use crate::common::memory::{ran_alone, within_kb};
use crate::common::profiles::{check_tree, read_bytes};
use crate::common::random::Random;
use crate::common::shared;
use std::io::Read;

/// The number of rounds for slow tests.
fn rounds() -> usize {
    std::env::var("DOTSPOT_DAMAGE_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(25)
}

/// Reads damaged bytes; returns whether they open. The resulting tree must be consistent, an error must name the file.
fn read(bytes: &[u8]) -> bool {
    match read_bytes("a.etl", bytes.to_vec()) {
        Ok(view) => {
            check_tree(&view);
            true
        }
        Err(error) => {
            assert!(error.to_string().starts_with("a.etl: "), "{error}");
            false
        }
    }
}

/// A trace of a few kB with all supported kinds of events.
fn written_trace() -> Vec<u8> {
    let mut trace = Trace::new(Header {
        processors: 2,
        ..Header::default()
    });
    let first = [
        trace.process(0, Life::Known, 7, "shop.exe"),
        trace.thread(0, Life::Known, 7, 9, "main"),
        trace.image(
            0,
            Life::Known,
            7,
            (1000, 100),
            r"\Device\HarddiskVolume2\app\a.dll",
        ),
        trace.image(
            0,
            Life::Known,
            0,
            (1 << 63, 100),
            r"\SystemRoot\system32\ntoskrnl.exe",
        ),
        trace.module(1, 7, r"C:\app\Shop.dll"),
        trace.method(1, Life::Begins, 7, (5000, 50), "Sell"),
        trace.interval(5, 10_000),
        trace.sample(10, 9),
        trace.numbered(11, 10, (7, 9), 5),
        trace.stack(11, 10, (7, 9), &[1 << 63]),
        trace.sample(20, 9),
        trace.numbered(21, 20, (7, 9), 5),
    ];
    let second = [
        trace.process(12, Life::Begins, 8, "bank.exe"),
        trace.thread(12, Life::Begins, 8, 10, ""),
        trace.sample(15, 10),
        trace.stack(16, 15, (8, 10), &[5000, 1000]),
        trace.explained(30, 5, &[5001, 1000]),
        trace.method(31, Life::Ends, 7, (5000, 50), "Sell"),
        trace.thread(32, Life::Ends, 7, 9, ""),
        trace.process(33, Life::Ends, 7, "shop.exe"),
    ];
    trace.buffer(0, &first).buffer(1, &second);
    trace.bytes
}

/// A trace from the test data, decompressed.
fn decompressed(name: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(shared(&format!("etl/{name}"))?).unwrap();
    if !name.ends_with(".zip") {
        return Some(bytes);
    }
    // the first zip member is the trace: read its sizes and those of its name and extra field
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let short = |at: usize| usize::from(u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()));
    let start = 30 + short(26) + short(28);
    let mut trace = Vec::new();
    flate2::read::DeflateDecoder::new(&bytes[start..])
        .read_to_end(&mut trace)
        .unwrap();
    assert!(
        number(22) == 0 || trace.len() == number(22) as usize,
        "{name}"
    );
    Some(trace)
}

#[test]
fn every_truncation_gives_a_partial_tree_or_an_error() {
    if ran_alone(
        module_path!(),
        "every_truncation_gives_a_partial_tree_or_an_error",
    ) {
        return;
    }
    let written_trace = written_trace();
    let real = [
        "SelfDescribingSingleEvent.etl",
        "primitive-types.etl.zip",
        "gcrundownevents.etl.zip",
        "gcevents.etl.zip",
    ];
    let step = if rounds() > 1000 { 1 } else { 997 };
    let real = real
        .iter()
        .filter_map(|name| decompressed(name))
        .map(|bytes| (bytes, step));
    for (bytes, step) in [(written_trace, 1)].into_iter().chain(real) {
        assert!(read(&bytes));
        within_kb(8_000, || {
            (0..bytes.len())
                .step_by(step)
                .for_each(|length| _ = read(&bytes[..length]))
        });
    }
}

#[test]
fn thousands_of_mutations_are_survived_in_little_memory() {
    if ran_alone(
        module_path!(),
        "thousands_of_mutations_are_survived_in_little_memory",
    ) {
        return;
    }
    let mut random = Random(20_261_122);
    let written_trace = written_trace();
    let mut trees = 0;
    within_kb(24_000, || {
        for _ in 0..2_000 {
            let mut bytes = written_trace.clone();
            random.change_bytes(&mut bytes);
            trees += usize::from(read(&bytes));
        }
    });
    assert!(trees > 1000, "{trees} trees");
}

/// A large trace of compressed buffers, truncated and mutated. The limit is 64 MB plus 20 times its size.
#[test]
fn a_large_trace_is_survived() {
    if ran_alone(module_path!(), "a_large_trace_is_survived") {
        return;
    }
    let complete = present!(decompressed("net.4.5.2.x64.etl.zip"));
    let mut random = Random(7);
    // an excerpt of the buffers: mutations are as dense as with ten times as many rounds
    let excerpt = excerpt(&complete);
    let max_kb = |bytes: &[u8]| 64_000 + 20 * bytes.len() as u64 / 1000;
    within_kb(max_kb(&excerpt), || {
        for _ in 0..2 * rounds() {
            let mut bytes = excerpt.clone();
            random.change_bytes(&mut bytes);
            read(&bytes);
        }
    });
    within_kb(max_kb(&complete), || {
        for round in 0..rounds().div_ceil(50) {
            let length = random.below(complete.len());
            read(&complete[..length]);
            let mut bytes = complete.clone();
            (0..=round % 20).for_each(|_| random.change_bytes(&mut bytes));
            read(&bytes);
        }
    });
}

/// The header of a trace and every 24th buffer.
fn excerpt(complete: &[u8]) -> Vec<u8> {
    let (mut at, mut buffers) = (0, Vec::new());
    while let Some(size) = complete.get(at..at + 4) {
        let size = u32::from_le_bytes(size.try_into().unwrap()) as usize;
        buffers.push(&complete[at..at + size]);
        at += size;
    }
    buffers
        .iter()
        .step_by(24)
        .copied()
        .collect::<Vec<_>>()
        .concat()
}
