use super::*;

#[test]
fn filetimes_are_dates() {
    // seconds since 1601 = 11644473600 + what `date -u -d DATE +%s` prints
    #[track_caller]
    fn check(seconds: u64, expect: &str) {
        assert_eq!(iso(seconds * 10_000_000 + 5).as_deref(), Some(expect));
    }
    check(11_644_473_600, "1970-01-01T00:00:00Z");
    check(11_644_473_600 + 951_782_399, "2000-02-28T23:59:59Z");
    check(11_644_473_600 + 951_868_799, "2000-02-29T23:59:59Z");
    check(11_644_473_600 + 951_868_800, "2000-03-01T00:00:00Z");
    check(11_644_473_600 + 1_735_689_599, "2024-12-31T23:59:59Z");
    check(0, "1601-01-01T00:00:00Z");
    check(11_644_473_600 + 4_107_542_400, "2100-03-01T00:00:00Z");
    assert_eq!(iso(0), None);
    iso(u64::MAX).expect("the last of all times is a time too");
}
