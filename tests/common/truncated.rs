//! A small handmade recording with truncated stacks.

use super::nettrace_writer::{Kind, Options, Writer};
use dotspot::testing::cli::{OpenOptions, Target, open};
use dotspot::testing::model::View;
use std::sync::Arc;

const MAIN: u64 = 1;
const SERVE: u64 = 2;
const WORK: u64 = 3;
/// `Levels.L1` calls `Levels.L2` and so on.
const LEVELS: u64 = 1000;
/// The same for `Orphans`, whose callers are unknown.
const ORPHANS: u64 = 2000;

/// 100 samples, one per millisecond of each thread. The methods of `Levels` and of `Orphans` each call the next one. In
/// thread 7:
///
/// | samples | stack | frames |
/// |---|---|---|
/// | 30 | `Shop.Main`, `Shop.Serve`, L1 to L90, `Shop.Work` | 93, complete |
/// | 40 | `Shop.Main`, `Shop.Serve`, L1 to L110, `Shop.Work` | 113, of which L12 and its callees are recorded |
/// | 10 | unknown, then O1 to O99, `Shop.Work` | 100 |
///
/// The other 20 samples are of thread 8 in `Shop.Main`, `Shop.Work`. So 40 can be repaired and 10 can't.
pub fn file() -> Vec<u8> {
    let stack = |callers: &[u64], first: u64, levels: u64| -> Vec<u64> {
        let methods = callers.iter().copied().chain(first + 1..=first + levels);
        methods.chain([WORK]).map(|method| method * 16).collect()
    };
    let full = stack(&[MAIN, SERVE], LEVELS, 90);
    let deep = stack(&[MAIN, SERVE], LEVELS, 110);
    let orphan = stack(&[], ORPHANS, 99);
    let other = stack(&[MAIN], LEVELS, 0);
    let mut writer = Writer::new(Options::default());
    let mut time = 5_000_000;
    for (thread, stack, samples) in [
        (7, full, 30),
        (7, deep, 40),
        (7, orphan, 10),
        (8, other, 20),
    ] {
        // only the frames seen by a recorder that walks 100 frames from the leaf
        let stack = writer.stack(&stack[stack.len().saturating_sub(100)..]);
        for _ in 0..samples {
            time += 1_000_000;
            writer.sample(thread, time, Kind::Managed, stack);
        }
    }
    let mut name = |method: u64, owner: &str, name: &str| {
        writer.rundown_method(method * 16, 16, [owner, name])
    };
    for (method, title) in [(MAIN, "Main"), (SERVE, "Serve"), (WORK, "Work")] {
        name(method, "Shop", title);
    }
    (1..=110).for_each(|level| name(LEVELS + level, "Levels", &format!("L{level}")));
    (1..=99).for_each(|level| name(ORPHANS + level, "Orphans", &format!("O{level}")));
    writer.rundown_module(77, "/app/M.dll");
    writer.finish()
}

/// The recording as the explorer opens it.
pub fn profile() -> View {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("levels.nettrace");
    std::fs::write(&path, file()).unwrap();
    let options = OpenOptions::default();
    let mut profile = open(&Target::File(path), &options, Default::default()).unwrap();
    Arc::make_mut(&mut profile.recording).source.name = "levels.nettrace".into();
    profile
}
