use super::*;

#[test]
fn a_detached_progress_counts_separately_but_is_cancelled_together() {
    let progress = Progress::default();
    let detached = progress.detached();
    detached.add_bytes(7);
    detached.begin("something else");
    assert_eq!((progress.now(), progress.phase()), ((0, 0, 0), None));
    assert!(detached.check_cancelled().is_ok());
    progress.cancel();
    assert_eq!(detached.check_cancelled(), Err(Cancelled));
}

#[test]
fn nodes_of_a_second_thread_count_until_the_reader_takes_them() {
    let progress = Progress::default();
    let second = progress.second();
    progress.add_bytes(500);
    assert!(progress.at(30).is_ok() && second.at(40).is_ok());
    assert_eq!(progress.now(), (500, 0, 70));
    second.add_bytes(9);
    progress.end_second();
    assert_eq!((progress.now(), second.now().0), ((500, 0, 30), 9));
    progress.cancel();
    assert_eq!(second.check_cancelled(), Err(Cancelled));
}

#[test]
fn a_phase_starts_at_zero() {
    let progress = Progress::default();
    progress.add_total_bytes(400);
    progress.add_bytes(400);
    assert_eq!((progress.now(), progress.phase()), ((400, 400, 0), None));
    progress.begin("Reporter reads the snapshot");
    assert_eq!(
        (progress.now(), progress.phase()),
        ((0, 0, 0), Some("Reporter reads the snapshot".into()))
    );
    progress.begin("reading the report");
    progress.add_total_bytes(10);
    assert!(progress.at(3).is_ok());
    assert_eq!(progress.now(), (0, 10, 3));
}

#[test]
fn steps_report_progress_and_stop_on_cancellation() {
    let progress = Progress::default();
    let watched = progress.clone();
    progress.set_steps(2);
    assert_eq!((progress.update(1, 4), watched.percent()), (Ok(()), 12));
    progress.end_step();
    assert_eq!((progress.update(1, 2), watched.percent()), (Ok(()), 75));
    progress.end_step();
    assert_eq!(watched.percent(), 100);
    watched.cancel();
    assert_eq!(progress.update(0, 0), Err(Cancelled));
    let mut counter = progress.counter(10);
    assert_eq!(
        (counter.at(0), counter.at(1)),
        (Err(Cancelled), Ok(())),
        "asked now and then"
    );
}
