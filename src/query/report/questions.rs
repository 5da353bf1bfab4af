//! Questions that end a report. They state no facts; their texts are files in `assets/prompts`.

pub const QUESTIONS: [(&str, &str); 3] = [
    (
        "find-bottleneck",
        include_str!("../../../assets/prompts/find-bottleneck.md"),
    ),
    (
        "explain",
        include_str!("../../../assets/prompts/explain.md"),
    ),
    (
        "compare-with",
        include_str!("../../../assets/prompts/compare-with.md"),
    ),
];

/// The text of a question: a built-in one by name, or else the given text.
pub(super) fn text_of(question: &str) -> &str {
    let known = QUESTIONS.iter().find(|(name, _)| *name == question);
    known.map_or(question, |(_, text)| text).trim()
}
