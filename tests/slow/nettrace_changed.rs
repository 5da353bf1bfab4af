//! Changed `.nettrace` recordings in little memory.

use crate::common::memory::{peak_memory_kb, ran_alone};
use crate::common::nettrace_writer::{Options, small_file, small_file_of, small_universal_file};
use crate::common::skipped;
use dotspot::testing::importers::import;
use dotspot::testing::input::{ImportError, Input, Progress};
use dotspot::testing::model::{Recording, View};
use std::io::Cursor;

fn read(bytes: &[u8]) -> Result<View, ImportError> {
    let stream = Box::new(Cursor::new(bytes.to_vec()));
    import(Input::stream("a.nettrace", stream, Progress::default()).unwrap())
        .map(Recording::into_view)
}

struct Random(u64);

impl Random {
    /// xorshift64*
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end
    }
}

/// Most mutations hit names and numbers: they give a tree or an error, in little memory and time.
#[test]
fn whatever_is_changed_gives_a_tree_or_an_error() {
    if ran_alone(
        module_path!(),
        "whatever_is_changed_gives_a_tree_or_an_error",
    ) {
        return;
    }
    let old = small_file_of(Options {
        version: 3,
        ..Options::default()
    });
    let files = [
        small_file(true),
        small_file(false),
        old,
        small_universal_file(true),
        small_universal_file(false),
    ];
    let mut random = Random(20_261_106);
    // what reading takes at all, without a limit to hold
    files.iter().for_each(|bytes| drop(read(bytes)));
    let before = peak_memory_kb();
    let (mut trees, mut errors) = (0, 0);
    for round in 0..10_000 {
        let mut bytes = files[round % files.len()].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
                2 => {
                    let end = (at + 1 + random.below(8)).min(bytes.len());
                    bytes[at..end].fill(0xff);
                }
                _ => drop(bytes.drain(at..(at + 1 + random.below(8)).min(bytes.len()))),
            }
        }
        match read(&bytes) {
            Ok(profile) => {
                profile.tree.check().unwrap();
                trees += 1;
            }
            Err(error) => {
                assert!(error.to_string().starts_with("a.nettrace: "), "{error}");
                errors += 1;
            }
        }
    }
    assert!(
        trees > 2000 && errors > 200,
        "{trees} trees, {errors} errors"
    );
    match (before, peak_memory_kb()) {
        // the files have a few kB, and a tenth of a MB more was needed
        (Some(before), Some(after)) => assert!(
            after - before < 4_000,
            "{} kB more than before",
            after - before
        ),
        _ => skipped("the system does not say how much memory was used"),
    }
}
