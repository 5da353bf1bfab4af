//! Search for methods by their shown names, fast enough for every keystroke: fuzzy or exact.
//!
//! What a query means: words separated by blanks, which must all occur. A plain word is fuzzy: its characters in this order.
//! `'word` occurs as it is, `^word` at the start of the name or of the method's own name (after the last dot), `word$` at its
//! end (a mark like ` (async)` need not be typed), `^word$` is all of it. A word with an uppercase letter is
//! case-sensitive, others are not.
//!
//! If a query finds nothing it is tried without regard to case, and all rows are marked as approximate.
//!
//! Why it is fast: a set of 64 characters per name sorts out most names, a scan for the characters in order decides, and a cheap
//! rank picks the [`SCORED`] best candidates (as one piece from the start of a word, as one piece, from the starts of
//! words, scattered; ties by weight). Only these are scored by fuzzy-matcher's `SkimMatcherV2`, whose O(name × query) table takes
//! a few µs a name where the scan takes 0.1 µs. So a row beyond the [`SCORED`] best by that rank is counted but never shown.

mod matching;
mod query;

use crate::model::{FrameId, Frames};
use crate::names::{CONSTRUCTED, Category};
use fuzzy_matcher::{FuzzyMatcher, skim::SkimMatcherV2};
use matching::{
    fold, is_by_words, is_subsequence, is_word_start, mask, occurrence, own_name_start,
};
use query::{How, Query, Term};
use std::borrow::Cow;

/// The name of constructors in stack traces. It is appended to their indexed names, so that searching for it works.
const CONSTRUCTOR: &str = "..ctor";

/// How many candidates are scored, and so the most rows of a result.
pub const SCORED: usize = 1_000;

/// The score of a matching character, as in fuzzy-matcher, so that scores of all kinds of words add up.
const CHARACTER_POINTS: i64 = 16;
const WORD_START_BONUS: i64 = 8;
/// The names to search in, prepared once per profile: about three bytes per byte of the names.
#[derive(Clone, Debug)]
pub struct SearchIndex {
    frames: Vec<FrameId>,
    masks: Vec<u64>,
    /// all names, one after another, and [`CONSTRUCTOR`] after those of constructors
    names: String,
    /// the same with case folded; offsets are the same
    folded: String,
    ends: Vec<usize>,
    is_user: Vec<bool>,
}

/// A frame that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub frame: FrameId,
    /// How good the match is, more is better; comparable within one result only.
    pub score: i64,
    /// The characters of the display name to light up: their numbers, ascending, from 0.
    pub positions: Vec<usize>,
    /// Whether it matches only without regard to case.
    pub approximate: bool,
}

/// What a query found.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// How many frames match, approximate ones included.
    pub total_matches: usize,
    /// The best of them, best first; ties by weight, then by name.
    pub rows: Vec<Match>,
    /// Whether there are more than `rows`.
    pub truncated: bool,
    /// Whether nothing matches the query as it was typed, so that all rows are approximate.
    pub approximate: bool,
}

/// How a term or a whole query occurs in a name, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchShape {
    Scattered,
    /// from the starts of words
    ByWords,
    Inside,
    AtWordStart,
}

#[derive(Clone, Copy)]
struct SearchCandidate {
    name: u32,
    shape: MatchShape,
    approximate: bool,
    weight: u64,
}

impl SearchIndex {
    /// Prepares the shown names of all methods and special frames; roots and threads are left out. O(length of all names).
    pub fn new(frames: &Frames) -> SearchIndex {
        SearchIndex::of(frames, |_| true)
    }

    /// An index of the frames for which `is_there` holds.
    pub fn of(frames: &Frames, is_there: impl Fn(FrameId) -> bool) -> SearchIndex {
        let mut index = SearchIndex {
            frames: Vec::with_capacity(frames.len()),
            masks: Vec::with_capacity(frames.len()),
            names: String::new(),
            folded: String::new(),
            ends: Vec::with_capacity(frames.len()),
            is_user: Vec::with_capacity(frames.len()),
        };
        for (id, frame) in frames
            .iter()
            .filter(|(id, frame)| frame.kind.is_hotspot() && is_there(*id))
        {
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

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The frames whose shown names match `text`, at most `limit` and at most [`SCORED`] of them. `weight` breaks ties, the
    /// heavier first: the inclusive value of each frame. A text without words finds everything.
    pub fn search(
        &self,
        text: &str,
        weight: impl Fn(FrameId) -> u64,
        limit: usize,
    ) -> SearchResult {
        let query = Query::parse(text);
        let collect = |in_any_case| -> Vec<SearchCandidate> {
            let weigh = |candidate: SearchCandidate| SearchCandidate {
                weight: weight(self.frames[candidate.name as usize]),
                ..candidate
            };
            (0..self.len() as u32)
                .filter_map(|name| self.candidate(&query, name, in_any_case))
                .map(weigh)
                .collect()
        };
        let mut found = collect(false);
        let approximate = found.is_empty() && query.is_sensitive();
        if approximate {
            found = collect(true);
        }
        let total_matches = found.len();
        let mut rows = self.scored(&query, best(found, SCORED));
        rows.truncate(limit);
        SearchResult {
            total_matches,
            truncated: rows.len() < total_matches,
            approximate: approximate && !rows.is_empty(),
            rows,
        }
    }

    fn range(&self, name: u32) -> std::ops::Range<usize> {
        let name = name as usize;
        let start = if name == 0 { 0 } else { self.ends[name - 1] };
        start..self.ends[name]
    }

    /// Whether and how a query occurs in a name; the weight is left open.
    fn candidate(&self, query: &Query, name: u32, in_any_case: bool) -> Option<SearchCandidate> {
        let mask = self.masks[name as usize];
        let mut shape = MatchShape::AtWordStart;
        for term in &query.terms {
            if term.mask & !mask != 0 {
                return None;
            }
            let range = self.range(name);
            let (text, folded) = (&self.names[range.clone()], &self.folded[range]);
            shape = shape.min(find(term, text, folded, term.sensitive && !in_any_case)?.shape);
        }
        Some(SearchCandidate {
            name,
            shape,
            approximate: in_any_case,
            weight: 0,
        })
    }

    /// Scores candidates and puts the best first.
    fn scored(&self, query: &Query, candidates: Vec<SearchCandidate>) -> Vec<Match> {
        let scorer = Scorer {
            respecting: SkimMatcherV2::default().respect_case(),
            ignoring: SkimMatcherV2::default().ignore_case(),
        };
        // user code with the text in one piece comes before all else
        let is_first =
            |name: u32, shape| self.is_user[name as usize] && shape >= MatchShape::Inside;
        let mut rows: Vec<(Match, (bool, u64), &str)> = candidates
            .into_iter()
            .map(
                |SearchCandidate {
                     name,
                     approximate,
                     weight,
                     shape,
                 }| {
                    let (text, folded) = (
                        &self.names[self.range(name)],
                        &self.folded[self.range(name)],
                    );
                    let (mut score, mut positions) = (0, Vec::new());
                    for term in &query.terms {
                        let (points, mut lit) = scorer.score(term, text, folded, approximate);
                        score += points;
                        positions.append(&mut lit);
                    }
                    light_constructor(text, &mut positions);
                    positions.sort_unstable();
                    positions.dedup();
                    (
                        Match {
                            frame: self.frames[name as usize],
                            score,
                            positions,
                            approximate,
                        },
                        (is_first(name, shape), weight),
                        text,
                    )
                },
            )
            .collect();
        rows.sort_unstable_by(|(a, a_weight, a_name), (b, b_weight, b_name)| {
            let by_quality = b_weight.0.cmp(&a_weight.0).then(b.score.cmp(&a.score));
            let by_quality = by_quality.then(b_weight.1.cmp(&a_weight.1));
            by_quality
                .then_with(|| a_name.cmp(b_name))
                .then(a.frame.cmp(&b.frame))
        });
        rows.into_iter().map(|(row, ..)| row).collect()
    }
}

/// The best candidates, in no order.
fn best(mut candidates: Vec<SearchCandidate>, count: usize) -> Vec<SearchCandidate> {
    if candidates.len() > count {
        candidates.select_nth_unstable_by(count, |a, b| {
            b.shape
                .cmp(&a.shape)
                .then(b.weight.cmp(&a.weight))
                .then(a.name.cmp(&b.name))
        });
        candidates.truncate(count);
    }
    candidates
}

/// Where a term is, and how.
struct NameMatch {
    shape: MatchShape,
    /// the offset of a term in one piece
    at: Option<usize>,
}

/// Looks for a term in a name.
fn find(term: &Term, name: &str, folded: &str, is_sensitive: bool) -> Option<NameMatch> {
    let (hay, needle) = if is_sensitive {
        (name, &*term.text)
    } else {
        (folded, &*term.folded)
    };
    let found = |at| {
        let shape = if is_word_start(name, at) {
            MatchShape::AtWordStart
        } else {
            MatchShape::Inside
        };
        NameMatch {
            shape,
            at: Some(at),
        }
    };
    match term.how {
        How::Inside => occurrence(name, hay, needle).map(found),
        How::Fuzzy if !is_subsequence(hay, needle) => None,
        How::Fuzzy => occurrence(name, hay, needle).map(found).or_else(|| {
            let shape = if is_by_words(name, folded, &term.folded) {
                MatchShape::ByWords
            } else {
                MatchShape::Scattered
            };
            Some(NameMatch { shape, at: None })
        }),
        How::Start => starts(hay)
            .into_iter()
            .find(|&at| hay[at..].starts_with(needle))
            .map(found),
        How::End => ends(hay).into_iter().find_map(|end| {
            let at = end.checked_sub(needle.len())?;
            (hay.get(at..end) == Some(needle)).then(|| found(at))
        }),
        How::Whole => {
            let is_whole = |at: usize| {
                ends(hay)
                    .into_iter()
                    .any(|end| hay.get(at..end) == Some(needle))
            };
            starts(hay).into_iter().find(|&at| is_whole(at)).map(found)
        }
    }
}

/// Highlights the word `new` of a constructor in place of `..ctor`, which is not shown.
fn light_constructor(text: &str, positions: &mut Vec<usize>) {
    let Some(shown) = constructed(text) else {
        return;
    };
    let (len, lit) = (shown.chars().count(), positions.len());
    positions.retain(|&position| position < len);
    if positions.len() < lit {
        positions.extend(0..CONSTRUCTED.trim_end().len());
    }
}

/// The display name of a constructor as indexed; `None` for other methods.
fn constructed(name: &str) -> Option<&str> {
    name.strip_suffix(CONSTRUCTOR)
        .filter(|shown| shown.starts_with(CONSTRUCTED))
}

/// Where a name can be said to start: at its start, at the method's own name, at the dot of `.ctor`, and at the type of a
/// constructor, with those around it and without.
fn starts(name: &str) -> [usize; 5] {
    let own = own_name_start(name);
    let dot = if name[..own].ends_with("..") {
        own - 1
    } else {
        own
    };
    match constructed(name) {
        Some(shown) => [
            0,
            own,
            dot,
            CONSTRUCTED.len(),
            own_name_start(shown).max(CONSTRUCTED.len()),
        ],
        None => [0, own, dot, 0, 0],
    }
}

/// Where a name can be said to end: at its end, before a mark like ` (async)`, and before the `..ctor` of a constructor.
fn ends(name: &str) -> [usize; 2] {
    let mark = name.strip_suffix(')').and_then(|name| name.rfind(" ("));
    [
        name.len(),
        mark.or(constructed(name).map(str::len))
            .unwrap_or(name.len()),
    ]
}

struct Scorer {
    respecting: SkimMatcherV2,
    ignoring: SkimMatcherV2,
}

impl Scorer {
    /// The points of a term in a name, and the characters to light up.
    fn score(&self, term: &Term, name: &str, folded: &str, approximate: bool) -> (i64, Vec<usize>) {
        let is_sensitive = term.sensitive && !approximate;
        if term.how != How::Fuzzy {
            let found = find(term, name, folded, is_sensitive);
            let Some(NameMatch {
                shape,
                at: Some(at),
            }) = found
            else {
                return (0, Vec::new());
            };
            let (start, length) = (name[..at].chars().count(), term.text.chars().count());
            let bonus = if shape == MatchShape::AtWordStart {
                WORD_START_BONUS
            } else {
                0
            };
            return (
                CHARACTER_POINTS * length as i64 + bonus,
                (start..start + length).collect(),
            );
        }
        if is_sensitive {
            return self
                .respecting
                .fuzzy_indices(name, &term.text)
                .unwrap_or_default();
        }
        self.ignoring
            .fuzzy_indices(&without_foreign_case(name), &term.folded)
            .unwrap_or_default()
    }
}

/// The matcher knows the case of ASCII only, so that of other letters is folded beforehand; ASCII keeps it, because the matcher
/// finds words by it.
fn without_foreign_case(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return name.into();
    }
    name.chars()
        .map(|c| if c.is_ascii() { c } else { fold(c) })
        .collect()
}

#[cfg(test)]
mod tests;
