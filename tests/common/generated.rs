//! Parts of documents that are generated from the program's own tables. `UPDATE_DOCS=1` updates them.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The path of a file in the repository.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Compares the part of a file between `<!-- name -->` and `<!-- end -->` with the expected text.
#[track_caller]
pub fn check(file: &str, name: &str, expect: &str) {
    // tests run in parallel, and several write parts of the same file
    static WRITING: Mutex<()> = Mutex::new(());
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let text = std::fs::read_to_string(path(file)).unwrap();
    let start = format!("<!-- {name} -->\n");
    let (before, rest) = text
        .split_once(&start)
        .unwrap_or_else(|| panic!("{file} has no part {name}"));
    let (found, after) = rest.split_once("<!-- end -->").expect("the part ends");
    if found == expect {
        return;
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(
            path(file),
            format!("{before}{start}{expect}<!-- end -->{after}"),
        )
        .unwrap();
    } else {
        panic!("{file}, part {name}, is out of date; UPDATE_DOCS=1 regenerates it:\n{expect}");
    }
}

/// Compares a table of advice. The program defines the first cells of its rows; people wrote the last cells. A row
/// without advice gets a question mark, which fails the test.
#[track_caller]
pub fn check_advice(file: &str, head: &str, rows: &[String]) {
    let text = std::fs::read_to_string(path(file)).unwrap();
    let first_cell = |row: &str| row.split(" | ").next().map(str::to_owned);
    let row_of = |row: &str| {
        let written = text
            .lines()
            .find(|line| first_cell(line) == first_cell(row));
        let advice = written.and_then(|line| line.trim_end_matches(" |").rsplit(" | ").next());
        format!("{row} {} |\n", advice.unwrap_or("?"))
    };
    let rows: String = rows.iter().map(|row| row_of(row)).collect();
    assert!(!rows.contains("| ? |"), "{file} lacks advice:\n{rows}");
    check(file, "advice", &format!("{head}{rows}"));
}

/// Compares a complete file with the expected text.
#[track_caller]
pub fn check_file(file: &str, expect: &str) {
    if std::fs::read_to_string(path(file)).is_ok_and(|found| found == expect) {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_DOCS").is_some(),
        "{file} is out of date; UPDATE_DOCS=1 regenerates it"
    );
    std::fs::create_dir_all(path(file).parent().expect("files are in folders")).unwrap();
    std::fs::write(path(file), expect).unwrap();
}
