//! Inconsistent trees.

use super::small::{check_sections, check_warning, section, small};
use super::{failure, read};
use crate::common::dtp_writer::{Section, one_file};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic};
use dotspot::testing::input::Stage;

/// The header and the nodes of thread 1, see [`small`].
const HEADER: usize = 15;
const NODE: usize = 14;
const A: usize = HEADER + 2 * NODE;
/// The nodes in order; below, the offsets of a node's fields.
const NODES: [&str; 5] = ["B", "C", "A", "D", "ROOT"];
#[rustfmt::skip]
const FIELDS: [(&str, usize); 8] = [
    ("function", 0), ("parent", 4), ("first", 5), ("own", 6), ("total", 7), ("count", 8), ("flags", 12), ("previous", 13),
];
const TOTAL: usize = 7;
const COUNT: usize = 8;

/// The offset of a node (`A`), of one of its fields (`A.own`), or a plain number.
fn place(text: &str) -> usize {
    let (node, field) = text.split_once('.').unwrap_or((text, "function"));
    let row = NODES.iter().position(|name| *name == node);
    let at = FIELDS.iter().find(|(name, _)| *name == field);
    row.map_or_else(
        || text.parse().unwrap(),
        |row| HEADER + row * NODE + at.unwrap().1,
    )
}

/// Applies changes like `A.own = 1`, `9 = 0xff`, `5 + 1`, `7 ^ 64`, `cut 3` and `push`, separated by `, `.
fn change(bytes: &mut Vec<u8>, changes: &str) {
    for edit in changes.split(", ") {
        let words: Vec<&str> = edit.split(' ').collect();
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u8::from_str_radix(digits, 16).unwrap(),
            None => place(text) as u8,
        };
        match words[..] {
            ["push"] => bytes.push(0),
            ["cut", length] => bytes.truncate(length.parse().unwrap()),
            // swaps two rows of this width
            ["swap", at, width] => {
                let (at, width) = (place(at), place(width));
                let (first, second) = bytes[at..at + 2 * width].split_at_mut(width);
                first.swap_with_slice(second);
            }
            [at, "=", value] => bytes[place(at)] = number(value),
            [at, "+", value] => bytes[place(at)] += number(value),
            [at, "^", value] => bytes[place(at)] ^= number(value),
            _ => panic!("{edit}"),
        }
    }
}

/// Checks rows with a change of thread 1 and words of the resulting error, separated by ` | `.
#[track_caller]
fn check_trees(table: &str) {
    for row in table.lines().filter(|row| !row.is_empty()) {
        let mut cells = row.trim().split(" | ");
        let changes = cells.next().expect("a row has cells");
        let words: Vec<&str> = cells.chain(["section 0x1100"]).collect();
        let damage =
            |sections: &mut Vec<Section>| change(&mut section(sections, 0x1100).bytes, changes);
        check_sections(damage, Stage::Layout, &words);
    }
}

#[test]
fn the_header_of_a_thread() {
    check_trees(
        "
        cut 3 | expected 4 bytes | 3 bytes left
        9 = 0xff | expected a compressed integer
        9 = 0x7f | expected 127 bytes
        11 = 0 | expected a width of 1 to 8 bytes, found 0
        13 = 9 | expected a width of 1 to 8 bytes, found 9
        cut 15 | nodes of 14 bytes, but | 0 bytes are left
        push | nodes of 14 bytes, but | 71 bytes are left
        14 = D | should be the last node, at offset 0x47 | is listed at 0x39",
    );
}

#[test]
fn the_root_of_a_thread() {
    check_trees(
        "
        ROOT.function = 5 | node t1:0x47 | function 0xffff | 0xff05 was found
        ROOT.parent = A | node t1:0x47 | parent 0xff | 0x2b was found
        ROOT.previous = A | previous sibling 0xff | 0x2b was found
        ROOT.count = 1 | count 0x0 | 0x1 was found
        ROOT.first = C | first node 0xf | 0x1d was found",
    );
}

/// The parent: none, itself, a callee, another node, between two nodes. The first node of a subtree: a leaf that claims
/// others, a caller that claims none or wrong ones, also if both links agree. The same for the previous sibling.
#[test]
fn the_links_of_a_node() {
    check_trees(
        "
        D.parent = 0xff | node t1:0x39 | imply parent 0x47 | 0xff was found
        D.parent = D | imply parent 0x47 | 0x39 was found
        A.parent = B | node t1:0x2b | imply parent 0x47 | 0xf was found
        B.parent = ROOT | node t1:0xf | imply parent 0x2b | 0x47 was found
        B.parent = 44 | imply parent 0x2b | 0x2c was found
        C.first = B | node t1:0x1d | imply previous sibling 0xff | 0xf was found
        A.first = A | node t1:0x2b | imply previous sibling 0x1d | 0xff was found
        A.first = C | node t1:0x2b | imply previous sibling 0xf | 0xff was found
        A.first = 3 | node t1:0x2b | imply first node 0xf | 0x3 was found
        A.first = 40 | node t1:0x2b | imply first node 0xf | 0x28 was found
        D.first = ROOT | node t1:0x39 | imply first node 0xf | 0x47 was found
        A.first = C, A.previous = B | node t1:0x1d | imply previous sibling 0xff | 0xf was found
        D.previous = 0xff | node t1:0x39 | imply previous sibling 0x2b | 0xff was found
        D.previous = C | imply previous sibling 0x2b | 0x1d was found
        D.previous = 44 | imply previous sibling 0x2b | 0x2c was found
        B.previous = D | node t1:0xf | imply previous sibling 0xff | 0x39 was found",
    );
}

#[test]
fn times_that_do_not_add_up() {
    check_trees(
        "
        A.total = 21 | node t1:0x2b | imply total ticks 20, but 21 was found
        A.own = 1 | node t1:0x2b | imply total ticks 21 or more, but 20 was found
        B.own = 11 | node t1:0xf | imply total ticks 11 or more, but 10 was found
        ROOT.total = 31 | node t1:0x47 | imply total ticks 30, but 31 was found",
    );
}

#[test]
fn offsets_in_errors_are_offsets_in_the_file() {
    let mut sections = small();
    section(&mut sections, 0x1100).bytes[A + TOTAL] = 21;
    let start = 18 + sections[0].bytes.len() + sections[1].bytes.len();
    let failure = failure(read(one_file(&sections)));
    assert_eq!(failure.offset, Some((start + A) as u64));
}

#[test]
fn inconsistent_sample_counts() {
    check_warning(
        |sections| section(sections, 0x1100).bytes[A + COUNT] = 1,
        Anomaly::SamplesContradict.with_count(1),
    );
}

#[test]
fn two_threads_with_the_same_number() {
    let twice = Diagnostic::ThreadNumberTwice { thread: 2 };
    check_warning(|sections| section(sections, 0x1100).bytes[0] = 2, twice);
}
