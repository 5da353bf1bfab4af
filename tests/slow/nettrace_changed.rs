//! Mutated `.nettrace` recordings, read in little memory.

use crate::common::memory::{peak_memory_kb, ran_alone};
use crate::common::nettrace_writer::{Options, small_file, small_file_of, small_universal_file};
use crate::common::profiles::{check_tree, read_bytes};
use crate::common::random::Random;
use crate::common::skipped;
use dotspot::testing::input::ImportError;
use dotspot::testing::model::View;

fn read(bytes: &[u8]) -> Result<View, ImportError> {
    read_bytes("a.nettrace", bytes.to_vec())
}

/// Most mutations hit names and numbers: reading gives a tree or an error, quickly and in little memory.
#[test]
fn any_mutation_gives_a_tree_or_an_error() {
    if ran_alone(module_path!(), "any_mutation_gives_a_tree_or_an_error") {
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
    // baseline use, without a limit
    files.iter().for_each(|bytes| drop(read(bytes)));
    let before = peak_memory_kb();
    let (mut trees, mut errors) = (0, 0);
    for round in 0..2_000 {
        let mut bytes = files[round % files.len()].clone();
        random.change_bytes(&mut bytes);
        match read(&bytes) {
            Ok(profile) => {
                check_tree(&profile);
                trees += 1;
            }
            Err(error) => {
                assert!(error.to_string().starts_with("a.nettrace: "), "{error}");
                errors += 1;
            }
        }
    }
    assert!(trees > 400 && errors > 40, "{trees} trees, {errors} errors");
    match (before, peak_memory_kb()) {
        // the files have a few kB; a tenth of a MB was the most needed beyond the baseline
        (Some(before), Some(after)) => assert!(
            after - before < 4_000,
            "{} kB more than before",
            after - before
        ),
        _ => skipped("the system does not say how much memory was used"),
    }
}
