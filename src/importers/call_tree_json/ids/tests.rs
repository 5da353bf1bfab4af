use super::*;

#[test]
fn ids_are_parsed() {
    for (id, expect) in [
        ("0x1f4a", Some((None, 0x1f4a))),
        ("0x1F4A", Some((None, 0x1f4a))),
        ("0x0", Some((None, 0))),
        ("0x00000010", Some((None, 16))),
        ("0xfffffffffffffffe", Some((None, u64::MAX - 1))),
        ("0xffffffffffffffff", None),
        ("0x10000000000000000", None),
        ("0x", None),
        ("0x+5", None),
        ("0x1g", None),
        ("t1:0x42", Some((Some(1), 0x42))),
        ("t1:0x042", None),
        ("t01:0x42", None),
        ("n12", None),
        ("12", None),
        ("", None),
    ] {
        let known = |(thread, offset)| ((thread != NO_THREAD).then_some(thread), offset);
        assert_eq!(parse(id).map(known), expect, "{id}");
    }
}

/// The ids in preorder; `-` is a missing one.
#[track_caller]
fn check(ids: &str, expect: Option<&[u64]>) {
    let mut all = Ids::default();
    let rows: Vec<&str> = ids.split(' ').collect();
    for (row, id) in rows.iter().enumerate().filter(|(_, id)| **id != "-") {
        all.push(RawNode(row as u32), id);
    }
    assert_eq!(all.into_offsets(rows.len()).as_deref(), expect, "{ids}");
}

#[test]
fn ids_are_offsets_only_if_all_are() {
    const NONE: u64 = NodeIds::NO_OFFSET;
    check("0x0 0x10 0x9", Some(&[0, 16, 9]));
    check("root 0x10 0x9", Some(&[NONE, 16, 9]));
    check("- 0x10", Some(&[NONE, 16]));
    check("0x5", Some(&[5]));
    check("root", None);
    check("0x0 0x10 -", None);
    check("0x0 - 0x10", None);
    check("0x0 0x10 n2", None);
    check("0x0 n1 0x10", None);
    check("0x0 t1:0x10", None);
    check("0x0 t1:0x10 0x11", None);
}

#[test]
fn duplicates_are_found_in_any_order() {
    for (offsets, expect) in [
        (&[1, 2, 3][..], 0),
        (&[3, 1, 2], 0),
        (&[1, 1, 2], 1),
        (&[2, 1, 2, 1, 2], 2),
        (&[], 0),
    ] {
        assert_eq!(repeated(offsets), expect, "{offsets:?}");
    }
}
