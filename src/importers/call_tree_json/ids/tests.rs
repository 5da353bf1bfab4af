use super::*;

#[test]
fn ids_are_read_as_what_they_say() {
    for (id, expect) in [
        ("0x1f4a", NodeKey::Offset(0x1f4a)),
        ("0x1F4A", NodeKey::Offset(0x1f4a)),
        ("0x0", NodeKey::Offset(0)),
        ("0x00000010", NodeKey::Offset(16)),
        ("0xfffffffffffffffe", NodeKey::Offset(u64::MAX - 1)),
        ("0xffffffffffffffff", NodeKey::Other),
        ("0x10000000000000000", NodeKey::Other),
        ("0x", NodeKey::Other),
        ("0x+5", NodeKey::Other),
        ("0x1g", NodeKey::Other),
        ("t1:0x42", NodeKey::InThread(1, 0x42)),
        ("t1:0x042", NodeKey::Other),
        ("t01:0x42", NodeKey::Other),
        ("n12", NodeKey::Other),
        ("12", NodeKey::Other),
        ("", NodeKey::Other),
    ] {
        assert_eq!(parse(id.as_bytes()), expect, "{id}");
    }
}

/// The offsets of a file whose nodes, the root first, have these ids; `-` is none.
#[track_caller]
fn check(ids: &str, expect: Option<&[u64]>) {
    let mut kept = Ids::default();
    let rows: Vec<&str> = ids.split(' ').collect();
    for (row, id) in rows.iter().enumerate().filter(|(_, id)| **id != "-") {
        kept.push(RawNode(row as u32), id.as_bytes());
    }
    assert_eq!(kept.into_offsets(rows.len()).as_deref(), expect, "{ids}");
}

#[test]
fn offsets_are_kept_if_all_ids_are_some() {
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
fn repeats_are_found_in_any_order() {
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
