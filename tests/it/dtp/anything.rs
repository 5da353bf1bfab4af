//! Any damage to a snapshot gives a tree or an error.

use super::small::small;
use super::{assert_contains_all, failure, read, read_file};
use crate::common::dtp_writer::{Container, one_file, save};
use crate::common::profiles::check_tree;
use crate::common::random::Random;
use dotspot::testing::input::{ImportError, Stage};

const FILES: [&str; 5] = [
    "t.dtp",
    "t.dtp.0000",
    "t.dtp.0001",
    "t.dtp.0002",
    "t.dtp.0003",
];

#[test]
fn every_truncation_of_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let sections = small();
    let full = one_file(&sections);
    let path = folder.path().join("w.dtp");
    for length in 0..full.len() {
        std::fs::write(&path, &full[..length]).unwrap();
        let failure = failure(read_file(&path));
        assert_eq!(failure.stage, Some(Stage::Input), "{failure}");
    }
    let index = save(&sections, folder.path(), "t.dtp", Container::ManyFiles);
    for (number, name) in FILES.iter().enumerate() {
        let path = folder.path().join(name);
        let full = std::fs::read(&path).unwrap();
        for length in 0..full.len() {
            std::fs::write(&path, &full[..length]).unwrap();
            let result = read_file(&index);
            if number < 2 {
                let failure = failure(result);
                assert_eq!(failure.stage, Some(Stage::Input), "{failure}");
                assert_contains_all(failure.to_string(), &[name]);
            } else {
                // dotTrace's own sums, which are not read
                assert_eq!(result.unwrap().codes(), [""; 0]);
            }
        }
        std::fs::write(&path, &full).unwrap();
    }
    assert_eq!(read_file(&index).unwrap().codes(), [""; 0]);
}

#[test]
fn every_truncation_of_every_section() {
    for (place, section) in small().iter().enumerate() {
        for length in 0..section.bytes.len() {
            let mut sections = small();
            sections[place].bytes.truncate(length);
            match read(one_file(&sections)) {
                Ok(profile) => {
                    let is_read = !(0x1101..=0x1103).contains(&section.id);
                    assert_eq!(
                        !profile.warnings().is_empty(),
                        is_read,
                        "{:#06x} {length}",
                        section.id
                    );
                    check_tree(&profile);
                }
                Err(ImportError::Failed(failure)) => {
                    assert_eq!(failure.stage, Some(Stage::Layout), "{failure}");
                    assert_contains_all(failure.to_string(), &[&format!("{:#06x}", section.id)]);
                }
                Err(ImportError::Cancelled) => panic!("unexpected cancellation"),
            }
        }
    }
}

#[test]
fn thousands_of_mutations() {
    let mut numbers = Random(0x2545_F491_4F6C_DD1D);
    let (mut read_well, mut refused) = (0, 0);
    let folder = tempfile::tempdir().unwrap();
    for round in 0..1200 {
        let mut sections = small();
        let result = if round % 6 == 0 {
            let name = FILES[numbers.below(5)];
            let index = save(&sections, folder.path(), "t.dtp", Container::ManyFiles);
            let path = folder.path().join(name);
            let mut bytes = std::fs::read(&path).unwrap();
            numbers.change_bytes(&mut bytes);
            std::fs::write(&path, bytes).unwrap();
            // a file that no longer looks like an index is opened, too
            read_file(&index)
        } else if round % 6 == 3 {
            let mut bytes = one_file(&sections);
            numbers.change_bytes(&mut bytes);
            read(bytes)
        } else {
            // the container is intact, so the change affects a section
            let place = numbers.below(sections.len());
            numbers.change_bytes(&mut sections[place].bytes);
            read(one_file(&sections))
        };
        match result {
            Ok(profile) => {
                check_tree(&profile);
                read_well += 1;
            }
            Err(error) => {
                assert!(error.to_string().len() < 2000, "{error}");
                refused += 1;
            }
        }
    }
    let is_fair = read_well > 100 && refused > 400;
    assert!(is_fair, "{read_well} read, {refused} refused");
}

/// The same mutations in a process with 96 MB of address space, where a list that is allocated from a length in the file
/// does not fit.
#[cfg(target_os = "linux")]
#[test]
fn mutations_need_little_memory() {
    let limited = "ulimit -v 98304 && exec \"$0\" --exact dtp::anything::thousands_of_mutations --test-threads=1";
    let output = std::process::Command::new("sh")
        .args(["-c", limited])
        .arg(std::env::current_exe().unwrap())
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
