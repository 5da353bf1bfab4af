use super::matching::{fold, mask};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TermKind {
    /// All characters in this order, maybe with others in between.
    Fuzzy,
    /// `'text`
    Inside,
    /// `^text`
    Start,
    /// `text$`
    End,
    /// `^text$`
    Whole,
}

#[derive(Clone, Debug)]
pub(super) struct Term {
    pub kind: TermKind,
    /// As typed, without the marks for `kind`; never empty.
    pub text: String,
    pub folded: String,
    pub is_case_sensitive: bool,
    pub mask: u64,
}

impl Term {
    fn new(word: &str) -> Option<Term> {
        let (marked_start, rest) = match (word.strip_prefix('\''), word.strip_prefix('^')) {
            (Some(rest), _) => (TermKind::Inside, rest),
            (_, Some(rest)) => (TermKind::Start, rest),
            _ => (TermKind::Fuzzy, word),
        };
        let (kind, text) = match (marked_start, rest.strip_suffix('$')) {
            (TermKind::Start, Some(text)) => (TermKind::Whole, text),
            (_, Some(text)) => (TermKind::End, text),
            (kind, None) => (kind, rest),
        };
        let folded: String = text.chars().map(fold).collect();
        (!text.is_empty()).then(|| Term {
            kind,
            text: text.into(),
            is_case_sensitive: text.chars().any(char::is_uppercase),
            mask: mask(&folded),
            folded,
        })
    }
}

/// A word of only marks is incomplete and ignored.
pub(super) fn terms(query: &str) -> Vec<Term> {
    query.split_whitespace().filter_map(Term::new).collect()
}

#[cfg(test)]
mod tests;
