//! Trees that contradict themselves, and sums of dotTrace that contradict the tree.

use super::small::{check_sections, check_tells, check_warning, of, small};
use super::{failure, read};
use crate::common::dtp_writer::{Section, one_file};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::diagnostics::{Anomaly, SnapshotDiagnostic};
use dotspot::testing::input::Stage;

/// The header and the nodes of thread 1, see [`small`].
const HEADER: usize = 15;
const NODE: usize = 14;
const B: usize = HEADER;
const C: usize = HEADER + NODE;
const A: usize = HEADER + 2 * NODE;
const D: usize = HEADER + 3 * NODE;
const ROOT: usize = HEADER + 4 * NODE;
/// Where the fields of a node are.
const FUNCTION: usize = 0;
const PARENT: usize = 4;
const FIRST: usize = 5;
const OWN: usize = 6;
const TOTAL: usize = 7;
const COUNT: usize = 8;
const PREVIOUS: usize = 13;
const NONE: u8 = 0xFF;

#[track_caller]
fn check_tree(change: impl Fn(&mut Vec<u8>), words: &[&str]) {
    check_sections(
        |sections| change(&mut of(sections, 0x1100).bytes),
        Stage::Layout,
        &["section 0x1100"],
    );
    check_sections(
        |sections| change(&mut of(sections, 0x1100).bytes),
        Stage::Layout,
        words,
    );
}

#[test]
fn the_header_of_a_thread() {
    check_tree(
        |bytes| bytes.truncate(3),
        &["the thread number should have 4 bytes", "3 bytes left"],
    );
    check_tree(
        |bytes| bytes[9] = 0xFF,
        &["the thread name should start with a compressed integer"],
    );
    check_tree(
        |bytes| bytes[9] = 0x7F,
        &["the thread name should have 127 bytes"],
    );
    check_tree(
        |bytes| bytes[11] = 0,
        &["the width of offsets should be 1 to 8 bytes and is 0"],
    );
    check_tree(
        |bytes| bytes[13] = 9,
        &["the width of times should be 1 to 8 bytes and is 9"],
    );
    check_tree(
        |bytes| bytes.truncate(HEADER),
        &["nodes of 14 bytes were expected", "0 bytes are left"],
    );
    check_tree(
        |bytes| bytes.push(0),
        &["nodes of 14 bytes were expected", "71 bytes are left"],
    );
    check_tree(
        |bytes| bytes[14] = D as u8,
        &[
            "should be the last node, at offset 0x47",
            "is said to be at 0x39",
        ],
    );
}

#[test]
fn the_root_of_a_thread() {
    check_tree(
        |bytes| bytes[ROOT + FUNCTION] = 5,
        &["node t1:0x47", "function 0xffff", "0xff05 was found"],
    );
    check_tree(
        |bytes| bytes[ROOT + PARENT] = A as u8,
        &["node t1:0x47", "parent 0xff", "0x2b was found"],
    );
    check_tree(
        |bytes| bytes[ROOT + PREVIOUS] = A as u8,
        &["previous sibling 0xff", "0x2b was found"],
    );
    check_tree(
        |bytes| bytes[ROOT + COUNT] = 1,
        &["count 0x0", "0x1 was found"],
    );
    check_tree(
        |bytes| bytes[ROOT + FIRST] = C as u8,
        &["first node of its subtree 0xf", "0x1d was found"],
    );
}

#[test]
fn the_links_of_a_node() {
    check_tree(
        |bytes| bytes[D + FUNCTION..D + PARENT].copy_from_slice(&[0xFF, 0xFF, 0, 0]),
        &[
            "node t1:0x39",
            "the function of a root",
            "not the last node",
        ],
    );
    // the parent: none, itself, a callee, another node, between two nodes
    check_tree(
        |bytes| bytes[D + PARENT] = NONE,
        &["node t1:0x39 has as parent none", "0x47 was expected"],
    );
    check_tree(
        |bytes| bytes[D + PARENT] = D as u8,
        &["has as parent 0x39", "0x47 was expected"],
    );
    check_tree(
        |bytes| bytes[A + PARENT] = B as u8,
        &["node t1:0x2b has as parent 0xf", "0x47 was expected"],
    );
    check_tree(
        |bytes| bytes[B + PARENT] = ROOT as u8,
        &["node t1:0xf has as parent 0x47", "0x2b was expected"],
    );
    check_tree(
        |bytes| bytes[B + PARENT] = 44,
        &["has as parent 0x2c (where no node starts)"],
    );
    // the first node of a subtree: a leaf that claims others, a caller that claims none, or others than its own
    check_tree(
        |bytes| bytes[C + FIRST] = B as u8,
        &[
            "node t1:0x1d has as previous sibling 0xf",
            "none was expected",
        ],
    );
    check_tree(
        |bytes| bytes[A + FIRST] = A as u8,
        &[
            "node t1:0x2b has as previous sibling none",
            "0x1d was expected",
        ],
    );
    check_tree(
        |bytes| bytes[A + FIRST] = C as u8,
        &[
            "node t1:0x2b has as previous sibling none",
            "0xf was expected",
        ],
    );
    check_tree(
        |bytes| bytes[A + FIRST] = 3,
        &["node t1:0x2b has its first node at 0x3 (where no node starts)"],
    );
    check_tree(
        |bytes| bytes[A + FIRST] = 40,
        &["node t1:0x2b has its first node at 0x28 (where no node starts)"],
    );
    check_tree(
        |bytes| bytes[D + FIRST] = ROOT as u8,
        &["node t1:0x39 has its first node at 0x47"],
    );
    // both links of one node changed so that they fit each other
    check_tree(
        |bytes| {
            bytes[A + FIRST] = C as u8;
            bytes[A + PREVIOUS] = B as u8;
        },
        &[
            "node t1:0x1d has as previous sibling 0xf",
            "none was expected",
        ],
    );
    // the sibling before: none, another, between two nodes
    check_tree(
        |bytes| bytes[D + PREVIOUS] = NONE,
        &[
            "node t1:0x39 has as previous sibling none",
            "0x2b was expected",
        ],
    );
    check_tree(
        |bytes| bytes[D + PREVIOUS] = C as u8,
        &["has as previous sibling 0x1d", "0x2b was expected"],
    );
    check_tree(
        |bytes| bytes[D + PREVIOUS] = 44,
        &["has as previous sibling 0x2c (where no node starts)"],
    );
    check_tree(
        |bytes| bytes[B + PREVIOUS] = D as u8,
        &[
            "node t1:0xf has as previous sibling 0x39",
            "none was expected",
        ],
    );
}

#[test]
fn times_that_do_not_add_up() {
    check_tree(
        |bytes| bytes[A + TOTAL] = 21,
        &["node t1:0x2b has 21 ticks in all", "callees make 20"],
    );
    check_tree(
        |bytes| bytes[A + OWN] = 1,
        &[
            "node t1:0x2b has 20 ticks in all",
            "callees make 21 or more",
        ],
    );
    check_tree(
        |bytes| bytes[B + OWN] = 11,
        &["node t1:0xf has 10 ticks in all", "make 11 or more"],
    );
    check_tree(
        |bytes| bytes[ROOT + TOTAL] = 31,
        &["node t1:0x47 has 31 ticks in all", "callees make 30"],
    );
}

#[test]
fn an_offset_in_a_sentence_is_one_of_the_file() {
    let mut sections = small();
    of(&mut sections, 0x1100).bytes[A + TOTAL] = 21;
    let start = 18 + sections[0].bytes.len() + sections[1].bytes.len();
    let failure = failure(read(one_file(&sections)));
    assert_eq!(failure.offset, Some((start + A) as u64));
}

#[test]
fn numbers_of_samples_that_do_not_fit() {
    check_warning(
        |sections| {
            let bytes = &mut of(sections, 0x1100).bytes;
            bytes[A + COUNT] = 1;
        },
        Anomaly::SamplesContradict.met(1),
    );
}

#[test]
fn bytes_whose_meaning_is_unknown() {
    for (section, at, what, found, expected) in [
        (0x1100, 5, "the number after the thread kind", 33, 1),
        (0x1100, 10, "the byte after the thread name", 32, 0),
        (0x1100, 12, "the byte after the width of offsets", 32, 0),
        (0x0110, 0, "its first byte", 33, 1),
        (0x0110, 6, "the first byte after a module id", 33, 1),
        (0x0110, 7, "the second byte after a module id", 32, 0),
        (0x0000, 17, "the number after the system", 41, 9),
    ] {
        let unknown = SnapshotDiagnostic::UnknownNumber {
            section,
            what: what.into(),
            found,
            expected,
        };
        check_warning(
            |sections| of(sections, section).bytes[at] += 32,
            Diagnostic::Snapshot(unknown),
        );
    }
}

#[test]
fn two_threads_of_one_number() {
    check_warning(
        |sections| {
            let first = sections
                .iter()
                .position(|section| section.id == 0x1100)
                .unwrap();
            sections[first].bytes[0] = 2;
        },
        Diagnostic::Snapshot(SnapshotDiagnostic::ThreadNumberTwice { thread: 2 }),
    );
}

// ---- dotTrace's own sums ----

/// A change of the derived sections of thread 2 costs its stored sums only.
#[track_caller]
fn check_sums(id: u16, change: impl Fn(&mut Vec<u8>), words: &[&str]) {
    let change = |sections: &mut Vec<Section>| {
        let last = sections
            .iter_mut()
            .rev()
            .find(|section| section.id == id)
            .unwrap();
        change(&mut last.bytes);
    };
    let profile = check_tells(change, "sums-misfit", &[&["\"thread\":2,"], words].concat());
    assert!(
        profile
            .stored_hotspots
            .iter()
            .all(|stored| stored.scope == profile.threads[0].node)
    );
    assert_eq!(profile.stored_hotspots.len(), 4);
}

#[test]
fn damaged_sums() {
    // 0x1102: widths of place, offset and time (1, 1, 3), u32 2, and rows of 4 + 1 + 3 + 8 + 8 + 1 + 1 + 1 bytes
    check_sums(
        0x1102,
        |bytes| bytes.truncate(20),
        &["section 0x1102", "should have"],
    );
    check_sums(
        0x1102,
        |bytes| bytes.push(0),
        &["section 0x1102", "has 1 byte left"],
    );
    check_sums(
        0x1102,
        |bytes| bytes[0] = 0,
        &["the width of places should be 1 to 8 bytes"],
    );
    check_sums(
        0x1102,
        |bytes| bytes[3] = 1,
        &["section 0x1102", "should end here"],
    );
    // without the mark of recursion the flags are taken for the next node
    check_sums(0x1102, |bytes| bytes[33] ^= 1, &["section 0x1101"]);
    // 0x1101: width of offsets, then for A: u32 2 and two rows of offset, parent and flags
    check_sums(
        0x1101,
        |bytes| bytes.truncate(9),
        &["section 0x1101", "should have"],
    );
    check_sums(
        0x1101,
        |bytes| bytes.push(0),
        &["section 0x1101", "has 1 byte left"],
    );
    // 0x1103: width of offsets, u32 2, and rows of function and offset
    check_sums(
        0x1103,
        |bytes| bytes.truncate(12),
        &["section 0x1103", "should have"],
    );
    check_sums(
        0x1103,
        |bytes| bytes[5] ^= 2,
        &["section 0x1103", "should belong to"],
    );
    check_sums(0x1103, |bytes| bytes[9] += 1, &["none starts there"]);
    check_sums(
        0x1103,
        |bytes| {
            let (first, second) = bytes[5..15].split_at_mut(5);
            first.swap_with_slice(second);
        },
        &["offsets should ascend"],
    );
    check_sums(
        0x1103,
        |bytes| {
            bytes[1] = 1;
            bytes.truncate(10);
        },
        &["should have 6 nodes in all, as the tree has, and have 5"],
    );
}
