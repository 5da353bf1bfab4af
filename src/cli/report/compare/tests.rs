use super::*;

#[test]
fn bars_start_at_the_middle_line() {
    #[track_caller]
    fn check(delta: i128, largest: u128, expect: &str) {
        assert_eq!(bar(delta, largest), expect);
    }
    check(80, 80, "        │████████");
    check(-80, 80, "████████│        ");
    check(25, 80, "        │██▌     ");
    check(-1, 80, "       ▐│        ");
    check(0, 80, "        │        ");
    check(0, 0, "        │        ");
}
