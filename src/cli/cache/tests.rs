use super::*;

#[test]
fn ages_have_a_suitable_unit() {
    let table = [
        (0, "just now"),
        (59, "just now"),
        (60, "60 s ago"),
        (7199, "119 min ago"),
        (86_400, "24 h ago"),
        (400 * 86_400, "400 days ago"),
    ];
    for (seconds, expect) in table {
        assert_eq!(ago(Duration::from_secs(seconds)), expect);
    }
}
