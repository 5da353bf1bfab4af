use super::*;

/// The result of opening a pipe that fails with these errors in turn, and the number of pauses.
fn opened(mut errors: Vec<i32>) -> (Result<(), Option<i32>>, usize) {
    errors.reverse();
    let mut pauses = 0;
    let open = || match errors.pop() {
        Some(code) => Err(io::Error::from_raw_os_error(code)),
        None => Ok(()),
    };
    let result = open_with_retries(MISSING_ATTEMPTS, open, || pauses += 1);
    (result.map_err(|error| error.raw_os_error()), pauses)
}

#[test]
fn a_briefly_busy_or_missing_pipe_is_opened() {
    assert_eq!(opened(vec![]), (Ok(()), 0));
    assert_eq!(opened(vec![231, 231, 2, 231]), (Ok(()), 4));
    assert_eq!(opened(vec![231; 499]), (Ok(()), 499));
    assert_eq!(opened(vec![2; 19]), (Ok(()), 19));
}

#[test]
fn a_pipe_that_stays_busy_or_missing_is_given_up() {
    // 10 ms each: 5 s, and 0.2 s
    assert_eq!(opened(vec![231; 1000]), (Err(None), 499));
    assert_eq!(opened(vec![2; 1000]), (Err(Some(2)), 19));
    assert_eq!(opened(vec![231, 5]), (Err(Some(5)), 1));
    let missing = || Err::<(), _>(io::Error::from_raw_os_error(2));
    assert!(open_with_retries(1, missing, || panic!("it is tried once")).is_err());
}

#[test]
fn runtimes_disconnect_after_answering() {
    assert!(is_end(&io::Error::from_raw_os_error(233)));
    assert!(is_end(&io::ErrorKind::BrokenPipe.into()));
    assert!(!is_end(&io::Error::from_raw_os_error(5)));
}
