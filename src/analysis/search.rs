//! Searches methods by display name, fuzzy or exact, fast enough to run on every keystroke.
//!
//! All words of a query must match. A plain word is fuzzy: its characters occur in this order. `'word` must occur
//! literally, `^word` at the start of the name or of the method's own name (after the last dot), `word$` at the end (a
//! mark like ` (async)` may be omitted); `^word$` must be the whole name. Words with an uppercase letter are
//! case-sensitive. If a query finds nothing, case is ignored, and all rows are approximate.
//!
//! A 64-bit character set per name rules out most names, a scan for the characters in order decides about the rest, and
//! a cheap rank picks the [`SCORED`] best (in one piece from the start of a word, in one piece, scattered; ties by
//! weight). Only these are scored with fuzzy-matcher's `SkimMatcherV2`, whose O(name × query) table takes a few µs per
//! name, compared to 0.1 µs for the scan. Further matches are counted but never shown.

mod matching;
mod query;

use crate::model::{FrameId, Frames};
use crate::names::{CONSTRUCTED, Category};
use fuzzy_matcher::{FuzzyMatcher, skim::SkimMatcherV2};
use matching::{fold, is_subsequence, is_word_start, mask, occurrence, own_name_start};
use query::{Term, TermKind, terms};
use std::borrow::Cow;
use std::cmp::Reverse;

/// Constructors have this name in stack traces. It is appended to their indexed names.
const CONSTRUCTOR: &str = "..ctor";

/// How many candidates are scored, which limits the rows of a result.
pub const SCORED: usize = 1_000;

/// As in fuzzy-matcher, so that the scores of all kinds of words are comparable.
const CHARACTER_POINTS: i64 = 16;
const WORD_START_BONUS: i64 = 8;

/// About three bytes per byte of names.
#[derive(Clone, Debug, Default)]
pub struct SearchIndex {
    frames: Vec<FrameId>,
    masks: Vec<u64>,
    /// All names concatenated, constructors followed by [`CONSTRUCTOR`].
    names: String,
    /// `names` with case folded, at the same offsets.
    folded: String,
    ends: Vec<usize>,
    is_user: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub frame: FrameId,
    pub score: i64,
    /// The characters of the display name to highlight, ascending.
    pub positions: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct SearchResult {
    pub total_matches: usize,
    /// Best first; ties by weight, then by name.
    pub rows: Vec<Match>,
    /// Whether nothing matches the query as typed.
    pub is_approximate: bool,
}

/// How a term or a whole query occurs in a name; the best is last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchShape {
    Scattered,
    Inside,
    AtWordStart,
}

#[derive(Clone, Copy)]
struct SearchCandidate {
    name: u32,
    shape: MatchShape,
    weight: u64,
}

impl SearchIndex {
    pub fn of(frames: &Frames, occurs: impl Fn(FrameId) -> bool) -> SearchIndex {
        let mut index = SearchIndex::default();
        for (id, frame) in frames.iter() {
            if !frame.kind.is_code() || !occurs(id) {
                continue;
            }
            let start = index.names.len();
            index.names.push_str(frames.display_name(id));
            if index.names[start..].starts_with(CONSTRUCTED) {
                index.names.push_str(CONSTRUCTOR);
            }
            let folded: String = index.names[start..].chars().map(fold).collect();
            index.folded.push_str(&folded);
            index.masks.push(mask(&index.folded[start..]));
            index.frames.push(id);
            index.is_user.push(frame.category == Category::User);
            index.ends.push(index.names.len());
        }
        index
    }

    pub fn len(&self) -> usize {
        self.frames.len()
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// At most `limit` and at most [`SCORED`] matches. `weight`, a frame's inclusive value, breaks ties. Without words,
    /// all match.
    pub fn search(
        &self,
        text: &str,
        weight: impl Fn(FrameId) -> u64,
        limit: usize,
    ) -> SearchResult {
        let terms = terms(text);
        let collect = |ignores_case| -> Vec<SearchCandidate> {
            let candidate = |name: u32| {
                let shape = self.shape(&terms, name, ignores_case)?;
                let weight = weight(self.frames[name as usize]);
                Some(SearchCandidate {
                    name,
                    shape,
                    weight,
                })
            };
            (0..self.len() as u32).filter_map(candidate).collect()
        };
        let mut found = collect(false);
        let is_approximate = found.is_empty() && terms.iter().any(|term| term.is_case_sensitive);
        if is_approximate {
            found = collect(true);
        }
        let total_matches = found.len();
        let mut rows = self.scored(&terms, best(found, SCORED), is_approximate);
        rows.truncate(limit);
        SearchResult {
            total_matches,
            is_approximate: is_approximate && !rows.is_empty(),
            rows,
        }
    }

    /// As shown, and with case folded.
    fn texts(&self, name: u32) -> (&str, &str) {
        let name = name as usize;
        let start = if name == 0 { 0 } else { self.ends[name - 1] };
        let range = start..self.ends[name];
        (&self.names[range.clone()], &self.folded[range])
    }

    fn shape(&self, terms: &[Term], name: u32, ignores_case: bool) -> Option<MatchShape> {
        let mask = self.masks[name as usize];
        let mut shape = MatchShape::AtWordStart;
        for term in terms {
            if term.mask & !mask != 0 {
                return None;
            }
            let (text, folded) = self.texts(name);
            shape = shape.min(find(term, text, folded, term.is_case_sensitive && !ignores_case)?.0);
        }
        Some(shape)
    }

    fn scored(
        &self,
        terms: &[Term],
        candidates: Vec<SearchCandidate>,
        ignores_case: bool,
    ) -> Vec<Match> {
        let scorer = Scorer {
            respecting: SkimMatcherV2::default().respect_case(),
            ignoring: SkimMatcherV2::default().ignore_case(),
        };
        let scored = |candidate: SearchCandidate| {
            let at = candidate.name as usize;
            let (text, folded) = self.texts(candidate.name);
            let (mut score, mut positions) = (0, Vec::new());
            for term in terms {
                let (points, mut matched) = scorer.score(term, text, folded, ignores_case);
                score += points;
                positions.append(&mut matched);
            }
            highlight_constructor(text, &mut positions);
            positions.sort_unstable();
            positions.dedup();
            let row = Match {
                frame: self.frames[at],
                score,
                positions,
            };
            // user code that contains the text in one piece comes first
            let is_first = self.is_user[at] && candidate.shape >= MatchShape::Inside;
            let quality = Reverse((is_first, score, candidate.weight));
            (quality, text, row)
        };
        let mut rows: Vec<_> = candidates.into_iter().map(scored).collect();
        rows.sort_unstable_by(|(a_quality, a_text, a), (b_quality, b_text, b)| {
            (a_quality, a_text, a.frame).cmp(&(b_quality, b_text, b.frame))
        });
        rows.into_iter().map(|(.., row)| row).collect()
    }
}

fn best(mut candidates: Vec<SearchCandidate>, count: usize) -> Vec<SearchCandidate> {
    if candidates.len() > count {
        let key = |row: &SearchCandidate| (Reverse((row.shape, row.weight)), row.name);
        candidates.select_nth_unstable_by_key(count, key);
        candidates.truncate(count);
    }
    candidates
}

/// How a term occurs in a name, and the offset if it occurs in one piece.
fn find(
    term: &Term,
    name: &str,
    folded: &str,
    is_sensitive: bool,
) -> Option<(MatchShape, Option<usize>)> {
    let (hay, needle) = match is_sensitive {
        true => (name, &*term.text),
        false => (folded, &*term.folded),
    };
    let found = |at| match is_word_start(name, at) {
        true => (MatchShape::AtWordStart, Some(at)),
        false => (MatchShape::Inside, Some(at)),
    };
    let ends_at = |at: usize| {
        ends(hay)
            .into_iter()
            .any(|end| hay.get(at..end) == Some(needle))
    };
    match term.kind {
        TermKind::Inside => occurrence(name, hay, needle).map(found),
        TermKind::Fuzzy if !is_subsequence(hay, needle) => None,
        TermKind::Fuzzy => {
            let in_one_piece = occurrence(name, hay, needle).map(found);
            in_one_piece.or(Some((MatchShape::Scattered, None)))
        }
        TermKind::Start => {
            let mut starts = starts(hay).into_iter();
            starts.find(|&at| hay[at..].starts_with(needle)).map(found)
        }
        TermKind::End => ends(hay).into_iter().find_map(|end| {
            let at = end.checked_sub(needle.len())?;
            (hay.get(at..end) == Some(needle)).then(|| found(at))
        }),
        TermKind::Whole => {
            let mut starts = starts(hay).into_iter();
            starts.find(|&at| ends_at(at)).map(found)
        }
    }
}

/// Highlights a constructor's word `new` in place of `..ctor`, which is not shown.
fn highlight_constructor(text: &str, positions: &mut Vec<usize>) {
    let Some(shown) = constructed(text) else {
        return;
    };
    let (shown_length, count) = (shown.chars().count(), positions.len());
    positions.retain(|&position| position < shown_length);
    if positions.len() < count {
        positions.extend(0..CONSTRUCTED.trim_end().len());
    }
}

fn constructed(name: &str) -> Option<&str> {
    name.strip_suffix(CONSTRUCTOR)
        .filter(|shown| shown.starts_with(CONSTRUCTED))
}

/// The offsets that count as starts: of the name, the method's own name, `.ctor`, and a constructor's type with and
/// without enclosing types.
fn starts(name: &str) -> [usize; 5] {
    let own_name = own_name_start(name);
    let dot = own_name - usize::from(name[..own_name].ends_with(".."));
    let [outer, inner] = constructed(name).map_or([0; 2], |shown| {
        let start = CONSTRUCTED.len();
        [start, own_name_start(shown).max(start)]
    });
    [0, own_name, dot, outer, inner]
}

/// The offsets that count as ends: of the name, and before a mark like ` (async)` or a constructor's `..ctor`.
fn ends(name: &str) -> [usize; 2] {
    let mark = name.strip_suffix(')').and_then(|name| name.rfind(" ("));
    let end = mark.or(constructed(name).map(str::len));
    [name.len(), end.unwrap_or(name.len())]
}

struct Scorer {
    respecting: SkimMatcherV2,
    ignoring: SkimMatcherV2,
}

impl Scorer {
    fn score(&self, term: &Term, name: &str, folded: &str, approximate: bool) -> (i64, Vec<usize>) {
        let is_sensitive = term.is_case_sensitive && !approximate;
        if term.kind != TermKind::Fuzzy {
            let Some((shape, Some(at))) = find(term, name, folded, is_sensitive) else {
                return (0, Vec::new());
            };
            let (start, length) = (name[..at].chars().count(), term.text.chars().count());
            let bonus = match shape {
                MatchShape::AtWordStart => WORD_START_BONUS,
                _ => 0,
            };
            let points = CHARACTER_POINTS * length as i64 + bonus;
            return (points, (start..start + length).collect());
        }
        let found = match is_sensitive {
            true => self.respecting.fuzzy_indices(name, &term.text),
            false => self
                .ignoring
                .fuzzy_indices(&fold_non_ascii_case(name), &term.folded),
        };
        found.unwrap_or_default()
    }
}

/// Folds non-ASCII letters, which the matcher can't. ASCII stays, because the matcher finds words by its case.
fn fold_non_ascii_case(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return name.into();
    }
    name.chars()
        .map(|c| if c.is_ascii() { c } else { fold(c) })
        .collect()
}

#[cfg(test)]
mod tests;
