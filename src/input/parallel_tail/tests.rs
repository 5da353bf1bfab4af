// Windows does not replace open files
#![cfg(unix)]

use super::*;
use std::io::Write;

#[test]
fn the_second_half_starts_at_the_first_possible_place() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let line = [&[b'x'; 99][..], b"\n"].concat();
    file.write_all(&line.repeat(50_000)).unwrap();
    let input = Input::open(file.path(), Progress::default()).unwrap();
    let behind_line = |window: &[u8]| memchr::memchr(b'\n', window).map(|at| at + 1);
    if !has_two_processors() {
        assert!(ParallelTail::of(&input, 50, behind_line).is_none());
        return;
    }
    let mut half = ParallelTail::of(&input, 50, behind_line).unwrap();
    assert_eq!(half.offset, 2_500_100);
    let mut rest = Vec::new();
    half.read_to_end(&mut rest).unwrap();
    assert_eq!(rest.len(), 2_499_900);
    assert_eq!(input.progress.now().0, 2_499_900);
    drop(TailStop(Arc::clone(&half.is_stopped)));
    assert!(half.read(&mut [0; 9]).is_err(), "it was stopped");
    assert!(ParallelTail::of(&input, 50, |_| None).is_none());
    file.as_file_mut().write_all(b"more").unwrap();
    assert!(
        ParallelTail::of(&input, 50, behind_line).is_none(),
        "it has changed"
    );
    let input = Input::open(file.path(), Progress::default()).unwrap();
    assert!(ParallelTail::of(&input, 50, behind_line).is_some());
    let other = tempfile::NamedTempFile::new_in(file.path().parent().unwrap()).unwrap();
    std::fs::copy(file.path(), other.path()).unwrap();
    other.persist(file.path()).unwrap();
    assert!(
        ParallelTail::of(&input, 50, behind_line).is_none(),
        "another file has taken its place"
    );
    let input = Input::open(file.path(), Progress::default()).unwrap();
    File::options()
        .write(true)
        .open(file.path())
        .unwrap()
        .set_len(MIN_FILE_BYTES - 1)
        .unwrap();
    let input = Input::open(file.path(), input.progress).unwrap();
    assert!(
        ParallelTail::of(&input, 50, behind_line).is_none(),
        "it is small"
    );
    let stream = Input::stream("x", Box::new(io::repeat(b'x')), Progress::default()).unwrap();
    assert!(ParallelTail::of(&stream, 50, behind_line).is_none());
}
