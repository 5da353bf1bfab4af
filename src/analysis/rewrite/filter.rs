use super::drop::without;
use super::shape::{Fate, ReshapedTree};
use crate::analysis::messages;
use crate::model::{BuildError, FilterAction, Frame, FrameId, NodeId, Progress, View};
use regex::{Regex, RegexBuilder};

/// Of a compiled pattern. Rejects patterns with counts in the thousands.
const MAX_PATTERN_BYTES: usize = 4 << 20;

pub struct Pattern(Regex);

impl Pattern {
    /// Ignores case unless the text contains a capital letter, like ripgrep's smart case.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let built = RegexBuilder::new(text)
            .case_insensitive(!has_capitals(text))
            .size_limit(MAX_PATTERN_BYTES)
            .dfa_size_limit(MAX_PATTERN_BYTES)
            .build();
        built.map(Pattern).map_err(|error| match error {
            // the last line of the message says what is wrong, those before show where
            regex::Error::Syntax(text) => {
                let last = text.lines().last().unwrap_or_default();
                last.trim_start_matches("error: ").into()
            }
            _ => messages::PATTERN_TOO_LARGE.into(),
        })
    }

    pub fn count(&self, view: &View) -> usize {
        self.occurring_matches(view).count()
    }

    pub fn occurs(&self, view: &View) -> bool {
        self.occurring_matches(view).next().is_some()
    }

    fn occurring_matches(&self, view: &View) -> impl Iterator<Item = FrameId> {
        let matching = self.matching(view).zip((0..).map(FrameId));
        let found = matching.filter(|&(matches, frame)| matches && view.occurs(frame));
        found.map(|(_, frame)| frame)
    }

    /// By frame. Threads, processes and synthetic frames never match.
    fn matching(&self, view: &View) -> impl Iterator<Item = bool> {
        view.frames.iter().map(|(id, frame): (FrameId, &Frame)| {
            frame.kind.is_code()
                && frame.synthetic.is_none()
                && view.frames.has_name(id, |name| self.0.is_match(name))
        })
    }
}

/// Whether there is a literal capital letter, as opposed to a class such as `\\W`.
fn has_capitals(pattern: &str) -> bool {
    let mut is_escaped = false;
    pattern.chars().any(|c| {
        let is_literal_capital = c.is_uppercase() && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_literal_capital
    })
}

/// The own time of threads, which belongs to no frame, is dropped by focus and show-from and stays with ignore and
/// hide.
pub(crate) fn filter(
    view: &View,
    action: FilterAction,
    pattern: &Pattern,
    progress: &Progress,
) -> Result<View, BuildError> {
    let tree = &view.tree;
    let matches: Vec<bool> = pattern.matching(view).collect();
    let is_match = |node: NodeId| matches[tree.frame(node).index()];
    let shape = match action {
        FilterAction::Ignore => return without(view, progress, is_match),
        FilterAction::Hide => ReshapedTree::grow(view, progress, |node| {
            match tree.parent(node).filter(|_| is_match(node)) {
                Some(caller) => Fate::Joins(caller),
                None => Fate::Stays,
            }
        }),
        FilterAction::Focus => {
            let fate = keep_matches(view, &is_match, Fate::StaysEmpty);
            ReshapedTree::grow(view, progress, fate)
        }
        FilterAction::ShowFrom => {
            let fate = keep_matches(view, &is_match, Fate::Vanishes);
            ReshapedTree::grow(view, progress, fate)
        }
    };
    Ok(shape?.finish(view.frames.clone(), None, false))
}

/// Keeps the subtrees of matching nodes. Their callers get the fate `of_callers`.
fn keep_matches(
    view: &View,
    is_match: &impl Fn(NodeId) -> bool,
    of_callers: Fate,
) -> impl FnMut(NodeId) -> Fate {
    let tree = &view.tree;
    let mut contains_match = vec![false; tree.len()];
    for node in (0..tree.len()).rev().map(NodeId::at) {
        contains_match[node.index()] |= is_match(node);
        if let Some(caller) = tree.parent(node) {
            contains_match[caller.index()] |= contains_match[node.index()];
        }
    }
    let mut end = NodeId::ROOT;
    move |node| match node < end {
        true => Fate::Stays,
        false if is_match(node) => {
            end = tree.end(node);
            Fate::Stays
        }
        // threads stay, without their own values
        false if !view.frame(node).kind.is_code() => Fate::StaysEmpty,
        false if contains_match[node.index()] => of_callers,
        false => Fate::Goes,
    }
}
