use super::*;

#[test]
fn only_the_end_of_what_a_program_writes_is_kept() {
    let (output, mut pipe) = ProgramOutput::start().unwrap();
    for part in [b'a', b'b', b'c'] {
        pipe.write_all(&vec![part; MAX_OUTPUT_BYTES]).unwrap();
    }
    pipe.write_all(b"end").unwrap();
    drop(pipe);
    while Arc::strong_count(&output.tail) > 1 {
        thread::sleep(POLL_INTERVAL);
    }
    let (tail, gone) = &mut *output.tail.lock();
    assert_eq!(
        (tail.len(), *gone),
        (MAX_OUTPUT_BYTES, 2 * MAX_OUTPUT_BYTES as u64 + 3)
    );
    assert!(tail.make_contiguous().ends_with(b"cend"));
}
