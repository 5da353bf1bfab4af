use super::*;

#[test]
fn rows_contain_the_known_fields() {
    #[track_caller]
    fn check(row: &[u8], expect: Option<(u64, u64, u64, &str)>) {
        let found = IndexedThread::read(row);
        let found = found
            .as_ref()
            .map(|(index, thread)| (*index, thread.process, thread.id, thread.name.as_str()));
        assert_eq!(found, expect, "{row:?}");
    }
    check(b"\x05", Some((5, 0, 0, "")));
    check(
        b"\x80\x01\x02\x07\x03\x08\x01\x02ab",
        Some((128, 7, 8, "ab")),
    );
    check(b"\x05\x04\x01k\x01v\x03\x09", Some((5, 0, 9, "")));
    check(b"\x05\x03\x09\x63zzz", Some((5, 0, 9, "")));
    check(b"\x05\x01\x09ab", None);
    check(b"", None);
}

#[test]
fn indices_can_be_reassigned_to_other_threads() {
    let (mut threads, mut spaces) = (TracedThreads::default(), Spaces::default());
    let named = |process, id, name: &str| IndexedThread {
        process,
        id,
        name: name.into(),
    };
    threads.by_index_mut().insert(1, named(7, 70, "a"));
    threads.by_index_mut().insert(2, named(8, 70, ""));
    assert_eq!(
        [1, 2, 1].map(|index| threads.row(index, &mut spaces)),
        [0, 1, 0]
    );
    threads.by_index_mut().clear();
    threads.by_index_mut().insert(1, named(8, 70, "b"));
    assert_eq!(threads.row(1, &mut spaces), 1);
    threads.by_index_mut().remove(&1);
    assert_eq!(threads.row(1, &mut spaces), 2, "a thread of nobody");
    let rows: Vec<_> = threads
        .iter()
        .map(|(key, name)| (spaces.get(key.space).id, key.id, name))
        .collect();
    assert_eq!(rows, [(7, 70, "a"), (8, 70, "b"), (0, 1, "")]);
}
