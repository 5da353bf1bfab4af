use super::*;

#[test]
fn zero_has_no_direction() {
    let columns = SideColumns {
        scale: Scale::SECONDS,
        before: 8,
        after: 8,
        delta: 8,
        ratio: 0,
        bar: 0,
    };
    let theme = Theme::PLAIN;
    for (after, text, delta) in [(1_000_000_400, "0.000", 0), (1_001_000_000, "+0.001", 1)] {
        let sides = Sides {
            before: 1_000_000_000,
            after,
        };
        let cells = cells(columns, sides, 1, theme);
        assert_eq!(cells[2].content.trim(), text);
        assert_eq!(cells[2].style, theme.change(delta));
    }
}
