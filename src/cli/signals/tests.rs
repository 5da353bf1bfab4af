use super::*;

#[test]
fn stop_requests_in_quick_succession_count_once() {
    let stops = StopRequests::start().unwrap();
    let request_stop = stops.stop_requester();
    assert_eq!(stops.count(), 0);
    for _ in 0..3 {
        request_stop();
        assert_eq!(stops.count(), 1);
    }
    std::thread::sleep(SAME_REQUEST + Duration::from_millis(10));
    assert_eq!(stops.count(), 1);
    request_stop();
    assert_eq!(stops.count(), 2);
}
