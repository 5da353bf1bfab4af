use super::*;

#[test]
fn lost_events_are_reported() {
    assert_eq!(lost(0, 76_000), "");
    assert_eq!(
        lost(894_000, 76_000),
        "; 894,000 of 970,000 events lost: a larger --buffer loses fewer"
    );
}
