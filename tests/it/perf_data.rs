//! `perf.data` files: recordings compared with their `perf script` output, and synthetic files summed by hand. `perf script` of
//! perf 6.1 reads the synthetic ones, too.

use super::perf_script::rows;
use crate::common::perf_data_writer::{CPU_MODE_USER, FIELDS, KERNEL, USER, Writer};
use crate::common::profiles::{
    assert_harmless, by_name, fact, metric_names, names_behind, open_file, process_names,
    read_bytes, read_file, thread_names,
};
use crate::common::random::{Random, survive};
use crate::common::shared;
use crate::common::text::{assert_contains_all, assert_ends_with, assert_starts_with};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, NamelessCause};
use dotspot::testing::model::{MetricId, NodeId, View};
use std::fs::File;
#[cfg(unix)]
use std::path::Path;
use std::time::{Duration, SystemTime};

const FIRST: MetricId = MetricId(0);

/// The recordings, described in `tests/data/README.md`.
const RECORDINGS: [&str; 3] = ["plain", "packed", "piped"];

#[test]
fn recordings_equal_their_perf_script_output() {
    // one has no build ids: then the program must be older, whatever order a checkout wrote them in
    set_modified(&shared("perf-data/shares").unwrap(), SystemTime::UNIX_EPOCH);
    for name in RECORDINGS {
        let file = |extension: &str| shared(&format!("perf-data/{name}.{extension}")).unwrap();
        let profile = read_file(&file("perf.data"));
        let printed = read_file(&file("perf-script.txt.gz"));
        assert_eq!(profile.recording.source.format, "perfdata");
        if name == "piped" {
            // it has no build ids and was not recorded on this machine
            let sums = |profile: &View| profile.tree.inclusive(FIRST, NodeId::ROOT);
            assert_eq!(sums(&profile), sums(&printed));
        } else {
            assert_eq!(rows(&profile), rows(&printed), "{name}");
            assert_eq!(profile.codes(), printed.codes(), "{name}");
        }
        assert_eq!(metric_names(&profile), metric_names(&printed));
        assert_eq!(thread_names(&profile), thread_names(&printed));
        assert_eq!(process_names(&profile), process_names(&printed));
        let samples = |profile: &View| {
            let samples = profile.recording.samples.as_ref().unwrap();
            (samples.len(), samples.span_ns)
        };
        let ((count, span), (printed, printed_span)) = (samples(&profile), samples(&printed));
        assert_eq!(count, printed);
        // perf prints microseconds
        assert!(span.abs_diff(printed_span) < 2_000);
    }
}

fn set_modified(path: &std::path::Path, time: SystemTime) {
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

/// The shares listed by `perf report`, in samples of 2,004,008 ns: of 78, `spin` has 29 in the main thread and 15 in the other,
/// `made second(int)` 24 and `made first` 10. The program calls the first once and the second twice, and loops 3 times in `heavy`
/// for each time in `light`.
#[test]
fn a_recording_has_the_shares_expected_from_its_program() {
    let profile = read_file(&shared("perf-data/plain.perf.data").unwrap());
    let sums = by_name(&profile, FIRST, NodeId::ROOT);
    let samples = |name: &str| (sums[name].0 / 2_004_008, sums[name].1 / 2_004_008);
    assert_eq!(samples("shares!spin").0, 29 + 15);
    assert_eq!(samples("made second(int)"), (24, 24));
    assert_eq!(samples("made first"), (10, 10));
    assert_eq!(samples("shares!deep"), (0, 15));
    let (heavy, light) = (samples("shares!heavy").1, samples("shares!light").1);
    assert_eq!(heavy + light, 29);
    assert!((2..=4).contains(&(heavy / light)), "{heavy} and {light}");
}

const BUILD_ID: [u8; 20] = *b"build-id-of-20-bytes";

/// Threads of two processes: the second is forked from the first, so it has the same mappings, and is renamed later.
fn two_processes() -> Writer {
    let mut file = Writer::new();
    file.comm(0, 7, 7, "main");
    file.mmap(
        0,
        u32::MAX,
        [0xffff_0000, 0x1000, 0xffff_0000],
        "[kernel.kallsyms]_text",
    );
    file.mmap(0, 7, [0x1000, 0x1000, 0], "/opt/acme/shop");
    file.fork(10, [7, 7, 8, 7]);
    file.sample(20, (7, 7), (100, 5), &[USER, 0x1010, 0x1020]);
    // records of several processors are out of order
    file.sample(60, (9, 9), (101, 2), &[KERNEL, 0xffff_0010, USER, 0x1010]);
    file.fork(30, [9, 7, 9, 7]);
    file.mmap(35, 9, [0x1800, 0x400, 0], "/opt/acme/other");
    file.sample(40, (7, 8), (101, 3), &[USER, 0x1810]);
    file.sample(45, (9, 9), (200, 11), &[USER, 0x1810, 0x1c10, 0x9990]);
    file.comm(50, 9, 9, "child");
    file.named(4, "6.1.0");
    file.named(6, "x86_64");
    file
}

/// Modules are not on this machine, so frames are named after their files.
#[test]
fn samples_use_the_mappings_and_names_of_their_time() {
    let profile = read_bytes("perf.data", two_processes().file()).unwrap();
    assert_eq!(metric_names(&profile), ["cpu-clock", "page-faults"]);
    assert_eq!(process_names(&profile), [(7, "main"), (9, "child")]);
    let threads = [("7", "main"), ("8", "main"), ("9", "child")];
    assert_eq!(thread_names(&profile), threads);
    let lines: Vec<String> = rows(&profile).into_iter().collect();
    // values and sample counts of both events
    let expect = [
        "Process (7) main > Thread (7) main > shop!? > shop!?: 5/1 0/0",
        "Process (7) main > Thread (7) main > shop!?: 0/1 0/0",
        "Process (7) main > Thread (7) main: 0/1 0/0",
        "Process (7) main > Thread (8) main > shop!?: 3/1 0/0",
        "Process (7) main > Thread (8) main: 0/1 0/0",
        "Process (7) main: 0/2 0/0",
        "Process (9) child > Thread (9) child > ?!? > shop!? > other!?: 0/0 11/1",
        "Process (9) child > Thread (9) child > ?!? > shop!?: 0/0 0/1",
        "Process (9) child > Thread (9) child > ?!?: 0/0 0/1",
        "Process (9) child > Thread (9) child > shop!? > [kernel.kallsyms]!?: 2/1 0/0",
        "Process (9) child > Thread (9) child > shop!?: 0/1 0/0",
        "Process (9) child > Thread (9) child: 0/1 0/1",
        "Process (9) child: 0/1 0/1",
    ];
    assert_eq!(lines, expect);
    let system = ["operating system", "architecture"].map(|what| fact(&profile, what));
    assert_eq!(system, ["6.1.0", "x86_64"]);
    assert_eq!(profile.recording.samples.as_ref().unwrap().len(), 4);
    let nameless = profile.warnings().into_iter().find_map(|it| match it {
        Diagnostic::NamelessModules { modules, .. } => Some(modules),
        _ => None,
    });
    let modules = ["shop", "other", "[kernel.kallsyms]"];
    assert_eq!(nameless.unwrap(), modules);
}

#[test]
fn big_endian_files_are_refused() {
    let error = read_bytes("perf.data", b"2ELIFREP\0\0\0\0\0\0\0\x68".to_vec());
    let sentence = error.err().unwrap().to_string();
    assert_contains_all(sentence, &["big-endian", "`perf script`"]);
}

fn diagnostics(file: &Writer) -> Vec<Diagnostic> {
    read_bytes("perf.data", file.file()).unwrap().warnings()
}

#[test]
fn missing_parts_are_reported() {
    let mut file = two_processes();
    let id_and_count = [file.words(&[100, 5]), file.words(&[7])];
    file.other(2, 0, 70, id_and_count[0].clone());
    file.other(13, 0, 80, id_and_count[1].clone());
    assert!(diagnostics(&file).contains(&Anomaly::PerfEventsLost.with_count(12)));
    // one sample is cut short, another one is missing
    file.record(9, CPU_MODE_USER, &[1, 2, 3]);
    file.record(9, CPU_MODE_USER, &[]);
    let is_short = |it: &Diagnostic| matches!(it, Diagnostic::PartlyRead { count: 2, .. });
    assert!(diagnostics(&file).iter().any(is_short));
    // a file left open by perf has no size, and nothing after the records
    let mut cut = file.file();
    cut[48..56].fill(0);
    let length = cut.len() as u64;
    let profile = read_bytes("perf.data", cut).unwrap();
    let broken_off = Diagnostic::file_ends_at(length);
    assert_eq!(profile.tree.count(FIRST, NodeId::ROOT), Some(3));
    assert_eq!(profile.warnings()[0], broken_off);
    let empty = read_bytes("perf.data", Writer::new().file());
    let error = empty.err().unwrap().to_string();
    assert_starts_with(
        error,
        "perf.data: perf.data: expected a sample, found none; ",
    );
}

/// RLE blocks of Zstandard, each 128 kB when decompressed: 10 kB become 300 MB.
#[test]
fn decompression_bombs_are_refused() {
    let head = [0x28, 0xB5, 0x2F, 0xFD, 0, 7 << 3];
    // 0x20000 << 3 | 1 << 1: an RLE block of this length, followed by the byte
    let blocks = [0x02, 0x00, 0x10, 0].repeat(300_000_000 / 0x20000);
    let mut file = two_processes();
    file.record(81, 0, &[&head[..], &blocks].concat());
    let error = read_bytes("perf.data", file.file()).err().unwrap();
    assert_contains_all(error.to_string(), &["100 times"]);
}

/// Samples with a copy of the stack only have `ip`, followed by registers and memory.
#[test]
fn stacks_that_only_perf_can_unwind_are_reported() {
    let mut file = Writer::new();
    file.fields = FIELDS & !(1 << 5) | 1 << 12 | 1 << 13;
    let (head, thread) = (file.words(&[100, 0x1010]), file.halves(&[7, 7]));
    let rest = file.words(&[20, 5, 0, 16, 1, 2, 16]);
    file.record(9, CPU_MODE_USER, &[head, thread, rest].concat());
    let profile = read_bytes("perf.data", file.file()).unwrap();
    let remark = Diagnostic::StacksNotWalked {};
    assert!(profile.warnings().contains(&remark));
    assert_eq!(rows(&profile).len(), 2);
}

/// The sorted names of three samples of a process with just-in-time compiled code, given files next to the recording.
fn jit_names(siblings: &[(&str, &[u8])]) -> (Vec<String>, Vec<Diagnostic>) {
    let mut file = Writer::new();
    file.mmap(0, 7, [0x7000, 0x1000, 0], "//anon");
    file.mmap(0, 7, [0x9000, 0x1000, 0], "/home/a/jit-7.dump");
    for address in [0x7010, 0x7024, 0x7030] {
        file.sample(20, (7, 7), (100, 5), &[USER, address]);
    }
    let folder = tempfile::tempdir().unwrap();
    let recording = file.file();
    for (name, bytes) in siblings.iter().chain(&[("perf.data", &recording[..])]) {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let profile = open_file(&folder.path().join("perf.data")).unwrap();
    let mut names = names_behind(&profile, 2);
    names.sort();
    let names = names.into_iter().map(String::from);
    (names.collect(), profile.warnings())
}

#[test]
fn jit_compiled_code_is_named_by_maps_and_dumps() {
    let map: &[u8] = b"7010 10 first\n7020 10 second(int)\n";
    let (names, _) = jit_names(&[("perf-7.map", map), ("perf-8.map", b"7000 99 no")]);
    assert_eq!(names, ["?!?", "first", "second(int)"]);
    let languages = b"7010 10 _ZN4shop5price17h0123456789abcdefE\n7020 10 _ZN4Shop4sellEi\n";
    let (names, _) = jit_names(&[("perf-7.map", languages)]);
    assert_eq!(names, ["?!?", "Shop::sell", "shop::price"]);
    // as specified in `jitdump-specification.txt`: the header, and code with its process, thread, addresses, size, number and name
    let file = Writer::new();
    let code = |start: u64, name: &str| {
        let text = [name.as_bytes(), &[0], &[0x90; 16]].concat();
        let addresses = file.words(&[start, start, 16, 1]);
        let body = [file.halves(&[7, 7]), addresses, text].concat();
        let head = [file.halves(&[0, body.len() as u32 + 16]), file.words(&[1])];
        [head.concat(), body].concat()
    };
    let head = file.halves(&[0x4A69_5444, 1, 40, 62, 0, 7]);
    let other = [file.halves(&[1, 24]), file.words(&[1, 0])].concat();
    let (first, second) = (code(0x7010, "dumped"), code(0x7020, "dumped two"));
    let dump = [head, file.words(&[0, 0]), second, other, first].concat();
    let (names, _) = jit_names(&[("jit-7.dump", &dump), ("perf-7.map", map)]);
    assert_eq!(names, ["?!?", "dumped", "dumped two"]);
    for end in 0..dump.len() {
        jit_names(&[("jit-7.dump", &dump[..end])]);
    }
    let (_, warnings) = jit_names(&[]);
    let no_map = |it: &Diagnostic| {
        let Diagnostic::NamelessFrames { cause, .. } = it else {
            return false;
        };
        *cause == NamelessCause::NoPerfMap
    };
    assert!(warnings.iter().any(no_map), "{warnings:?}");
}

/// The program in the recordings, optionally with another build id.
#[cfg(unix)]
fn program(id: Option<&[u8; 20]>) -> (Vec<u8>, [u8; 20]) {
    let mut bytes = std::fs::read(shared("perf-data/shares").unwrap()).unwrap();
    let note = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0";
    let mut windows = bytes.windows(note.len());
    let at = windows.position(|window| window == note).unwrap() + note.len();
    if let Some(id) = id {
        bytes[at..at + 20].copy_from_slice(id);
    }
    let id = bytes[at..at + 20].try_into().unwrap();
    (bytes, id)
}

/// The name of code in a file at this path with this build id.
#[cfg(unix)]
fn name_in(path: &Path, id: &[u8; 20]) -> String {
    let mut file = Writer::new();
    let path = path.to_str().unwrap();
    file.mmap(0, 7, [0x40_0000, 0x1000, 0], path);
    file.build_id(path, id);
    file.sample(20, (7, 7), (100, 5), &[USER, 0x40_01d3]);
    let profile = read_bytes("perf.data", file.file()).unwrap();
    names_behind(&profile, 2)[0].to_string()
}

/// `perf script` names this address `spin+0x19`.
#[test]
#[cfg(unix)]
fn files_are_only_read_if_they_are_those_recorded() {
    let folder = tempfile::tempdir().unwrap();
    // its parent folders may be links on this machine
    let folder = folder.path().canonicalize().unwrap();
    let (bytes, id) = program(None);
    let file = folder.join("shares");
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(name_in(&file, &id), "shares!spin");
    assert_eq!(name_in(&file, &BUILD_ID), "shares!?");
    std::fs::write(&file, program(Some(&BUILD_ID)).0).unwrap();
    assert_eq!(name_in(&file, &BUILD_ID), "shares!spin");
    assert_eq!(name_in(&file, &id), "shares!?");
    // links, detours and special files are not read
    std::fs::create_dir(folder.join("d")).unwrap();
    std::os::unix::fs::symlink(&file, folder.join("link")).unwrap();
    std::os::unix::fs::symlink(&folder, folder.join("d/link")).unwrap();
    for path in ["link", "d/link/shares", "d/../shares", "d", "none"] {
        assert_ends_with(name_in(&folder.join(path), &BUILD_ID), "!?");
    }
    let fifo = folder.join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let others = ["/dev/zero", "/proc/self/exe", "shares"].map(Path::new);
    for path in others.into_iter().chain([&*fifo]) {
        assert_ends_with(name_in(path, &BUILD_ID), "!?");
    }
    for end in (0..bytes.len()).step_by(7) {
        std::fs::write(&file, &bytes[..end]).unwrap();
        name_in(&file, &id);
    }
    let mut random = Random(42);
    for _ in 0..500 {
        let mut changed = bytes.clone();
        random.change_bytes(&mut changed);
        std::fs::write(&file, &changed).unwrap();
        name_in(&file, &id);
    }
}

/// Programs built by Go or linked by lld have no build id: they are identified by inode and modification time.
#[test]
#[cfg(target_os = "linux")]
fn files_without_a_build_id_are_identified_by_inode() {
    use std::os::unix::fs::MetadataExt as _;
    const SECOND: Duration = Duration::from_secs(1);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (mut bytes, id) = program(None);
    let at = bytes.windows(20).position(|window| window == id).unwrap();
    // the note's type
    bytes[at - 8] = 9;
    let path = folder.join("bin/shares");
    std::fs::create_dir(folder.join("bin")).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let written = path.metadata().unwrap().modified().unwrap();
    let name = |inode: u64, recorded: SystemTime| {
        let mut file = Writer::new();
        let device = path.metadata().unwrap().dev();
        let major = (device >> 8 & 0xfff | device >> 32 & !0xfff) as u32;
        let minor = (device & 0xff | device >> 12 & !0xff) as u32;
        let text = format!("{}\0", path.to_str().unwrap());
        let body = [
            file.halves(&[7, 7]),
            file.words(&[0x40_0000, 0x1000, 0]),
            file.halves(&[major, minor]),
            file.words(&[inode, 0]),
            file.halves(&[5, 0]),
            text.into_bytes(),
        ];
        file.other(10, CPU_MODE_USER, 0, body.concat());
        file.sample(20, (7, 7), (100, 5), &[USER, 0x40_01d3]);
        let recording = folder.join("perf.data");
        std::fs::write(&recording, file.file()).unwrap();
        set_modified(&recording, recorded);
        names_behind(&open_file(&recording).unwrap(), 2)[0].to_string()
    };
    let (inode, later) = (path.metadata().unwrap().ino(), written + SECOND);
    assert_eq!(name(inode, later), "shares!spin");
    assert_eq!(name(inode, written - SECOND), "shares!?");
    assert_eq!(name(inode + 1, later), "shares!?");
    // a copy next to the recording only needs the right modification time
    let copy = folder.join("shares");
    std::fs::write(&copy, &bytes).unwrap();
    set_modified(&copy, SystemTime::now() + 3600 * SECOND);
    assert_eq!(name(inode + 1, later), "shares!?");
    set_modified(&copy, SystemTime::UNIX_EPOCH);
    assert_eq!(name(inode + 1, later), "shares!spin");
}

#[test]
fn every_prefix_and_mutation_gives_a_profile_or_an_error() {
    let mut file = two_processes();
    file.named(3, "a machine");
    file.build_id("/opt/acme/shop", &BUILD_ID);
    let written = [two_processes().file(), file.file()];
    for bytes in &written {
        for end in 0..bytes.len() {
            survive("perf.data", bytes[..end].to_vec());
        }
    }
    let recorded = RECORDINGS.map(|name| {
        let path = shared(&format!("perf-data/{name}.perf.data"));
        std::fs::read(path.unwrap()).unwrap()
    });
    for bytes in &recorded {
        for end in (0..bytes.len()).step_by(307) {
            survive("perf.data", bytes[..end].to_vec());
        }
    }
    let mut random = Random(7);
    for bytes in written.iter().chain(&recorded) {
        for _ in 0..200 {
            let mut changed = bytes.clone();
            random.change_bytes(&mut changed);
            survive("perf.data", changed);
        }
    }
}

/// Numbers in a file are not trusted: those of sections, events, chains, names and texts.
#[test]
fn numbers_are_not_trusted() {
    let bytes = two_processes().file();
    for at in (8..bytes.len() - 8).step_by(4) {
        for value in [u64::MAX, 1 << 63, 1 << 32, 0xffff_ffff, 0] {
            let mut changed = bytes.clone();
            changed[at..at + 8].copy_from_slice(&value.to_le_bytes());
            survive("perf.data", changed);
        }
    }
}

#[test]
fn names_are_harmless() {
    let mut file = Writer::new();
    let name = format!("a\u{1b}[2J\u{9b}\n{}", "x".repeat(60_000));
    file.comm(0, 7, 7, &name);
    file.mmap(0, 7, [0x1000, 0x1000, 0], "/opt/\u{1b}[31m");
    file.sample(20, (7, 7), (100, 5), &[USER, 0x1010]);
    let profile = read_bytes("perf.data", file.file()).unwrap();
    assert_harmless(&profile);
    assert!(thread_names(&profile)[0].1.len() < 100);
}
