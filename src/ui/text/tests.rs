use super::*;

#[test]
fn bars_grow_in_eighths() {
    for (share, expect) in [
        (0.0, "    "),
        (0.25, "█   "),
        (0.5, "██  "),
        (0.28, "█▏  "),
        (1.0, "████"),
        (7.0, "████"),
    ] {
        assert_eq!(bar(share, 4), expect, "{share}");
    }
}

#[test]
fn matched_letters_stay_highlighted_next_to_a_cut() {
    let (plain, highlight) = (
        Style::new(),
        Style::new().add_modifier(ratatui::style::Modifier::BOLD),
    );
    let text = |spans: Vec<Span>| -> String {
        spans
            .iter()
            .map(|s| {
                if s.style == highlight {
                    format!("[{}]", s.content)
                } else {
                    s.content.to_string()
                }
            })
            .collect()
    };
    assert_eq!(
        text(fit_matched("abcdef", &[0, 4, 5], 6, plain, highlight)),
        "[a]bcd[ef]"
    );
    assert_eq!(
        text(fit_matched("abcdefgh", &[0, 3, 7], 4, plain, highlight)),
        "[a]…g[h]"
    );
}
