use super::*;

#[test]
fn only_the_end_of_what_a_program_writes_is_kept() {
    let (written, mut pipe) = Written::start().unwrap();
    for part in [b'a', b'b', b'c'] {
        pipe.write_all(&vec![part; MAX_WRITTEN]).unwrap();
    }
    pipe.write_all(b"end").unwrap();
    drop(pipe);
    while Arc::strong_count(&written.kept) > 1 {
        thread::sleep(POLL_INTERVAL);
    }
    let (kept, gone) = &mut *written.kept.lock();
    assert_eq!(
        (kept.len(), *gone),
        (MAX_WRITTEN, 2 * MAX_WRITTEN as u64 + 3)
    );
    assert!(kept.make_contiguous().ends_with(b"cend"));
}
