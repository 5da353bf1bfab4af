//! What a user types into the search line, read.

use super::matching::{fold, mask};

/// How a term must occur in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// All characters in this order, others may be between them.
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

/// One of the words of a query; all of them must occur.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub how: How,
    /// As typed, without the marks for `how`; not empty.
    pub text: String,
    /// The text with case folded.
    pub folded: String,
    /// Whether case matters: the term has an uppercase letter.
    pub sensitive: bool,
    /// The characters of `folded`, see [`mask`].
    pub mask: u64,
}

impl Term {
    fn new(word: &str) -> Option<Term> {
        let (marked_start, rest) = match (word.strip_prefix('\''), word.strip_prefix('^')) {
            (Some(rest), _) => (How::Inside, rest),
            (_, Some(rest)) => (How::Start, rest),
            _ => (How::Fuzzy, word),
        };
        let (how, text) = match (marked_start, rest.strip_suffix('$')) {
            (How::Start, Some(text)) => (How::Whole, text),
            (_, Some(text)) => (How::End, text),
            (how, None) => (how, rest),
        };
        let folded: String = text.chars().map(fold).collect();
        (!text.is_empty()).then(|| Term {
            how,
            text: text.into(),
            sensitive: text.chars().any(char::is_uppercase),
            mask: mask(&folded),
            folded,
        })
    }
}

/// A query: words that must all occur.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub terms: Vec<Term>,
}

impl Query {
    /// Words are separated by blanks; a word of nothing but marks is not there yet, so it is left out.
    pub(super) fn parse(text: &str) -> Query {
        Query {
            terms: text.split_whitespace().filter_map(Term::new).collect(),
        }
    }

    pub(super) fn is_sensitive(&self) -> bool {
        self.terms.iter().any(|term| term.sensitive)
    }
}

#[cfg(test)]
mod tests;
