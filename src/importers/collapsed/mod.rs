//! Collapsed (folded) stacks: one line per stack, `outermost;…;innermost 12`, as written by Brendan Gregg's
//! `stackcollapse-*.pl` and many other tools.
//!
//! The number after the last space is the weight, usually of samples. With decimals, all values are in thousandths or
//! millionths ([`DecimalParts`]); the metric's name and a warning say so. The marks `_[k]`, `_[j]`, `_[i]` and `_[w]`
//! stay in the raw name. Threads can't be told from methods, so there are none.

use super::decimals::{self, DecimalParts};
use super::tracks::NO_NAME;
use super::{Format, ReadOptions};
use crate::diagnostics::{Diagnostic, LineFault};
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::json::JsonNumber;
use crate::input::lines::{Lines, head_text};
use crate::input::{Confidence, Head, ImportError, Input};
use crate::model::{
    Frames, Metric, MetricId, ProfileKind, RawNode, Recording, Source, TooLarge, TreeBuilder,
};
use crate::names::FrameKind;
use crate::units::{Unit, thousands};

pub(super) const FORMAT: Format = Format {
    name: "collapsed",
    title: "collapsed stacks",
    extensions: EXTENSIONS,
    metrics: messages::SAMPLES_OR_WEIGHTS,
    limitations: messages::NOTHING_BUT_STACKS,
    sniff,
    read,
};

const EXTENSIONS: &[&str] = &[".collapsed", ".folded"];
const VALUE: MetricId = MetricId(0);
fn sniff(head: &Head) -> Option<Confidence> {
    let text = head_text(head.bytes);
    let name = head.name.to_ascii_lowercase();
    if is_json(&text) {
        return None;
    }
    let has_extension = EXTENSIONS.iter().any(|extension| name.ends_with(extension));
    let complete = match text.rfind('\n') {
        Some(end) => &text[..end],
        None if head.bytes.len() < crate::input::source::HEAD_BYTES => &text[..],
        None => return sniff_long_line(&text).then_some(Confidence::Name),
    };
    let (mut good, mut bad, mut has_callers) = (0, 0, false);
    let lines = complete.lines().map(str::trim_end);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match split(line.as_bytes()) {
            Some((stack, weight)) if Weight::parse(weight).is_some() && !is_table(stack) => {
                good += 1;
                has_callers |= stack.contains(&b';');
            }
            _ => bad += 1,
        }
    }
    if good == 0 || good < 2 * bad {
        None
    } else if has_callers {
        Some(Confidence::Likely)
    } else {
        has_extension.then_some(Confidence::Name)
    }
}

/// A JSON object rather than `{closure};main 3`.
fn is_json(text: &str) -> bool {
    let members = text.trim_start().strip_prefix('{').map(str::trim_start);
    members.is_some_and(|rest| rest.is_empty() || rest.starts_with('"'))
}

/// Whether a line without a visible end can be a stack.
fn sniff_long_line(text: &str) -> bool {
    !is_json(text)
        && !text.starts_with('<')
        && text.split(';').count() > 3
        && text.split(';').all(|name| name.len() < 1000)
}

fn is_table(stack: &[u8]) -> bool {
    let is_numeric = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b',' | b' ' | b';');
    !stack.is_empty() && stack.iter().all(is_numeric)
}

fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_end();
    let blank = line.iter().rposition(|b| matches!(b, b' ' | b'\t'))?;
    Some((line[..blank].trim_ascii_end(), &line[blank + 1..]))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Whole(u64),
    Millionths(u128),
    /// Positive, but less than half a millionth.
    Vanishing,
    Negative,
}

impl Weight {
    fn parse(text: &[u8]) -> Option<Weight> {
        let text = std::str::from_utf8(text).ok()?;
        if let Ok(whole) = text.parse::<u64>() {
            return Some(Weight::Whole(whole));
        }
        let is_number = text.ends_with(|c: char| c.is_ascii_digit() || c == '.');
        let number: f64 = text.parse().ok()?;
        if !is_number || !number.is_finite() {
            return None;
        }
        if number < 0.0 {
            return Some(Weight::Negative);
        }
        let millionths = match JsonNumber::parse(text.as_bytes()) {
            Some(number) if number.to_f64() > 0.0 => decimals::millionths(&number),
            _ => decimals::millionths_of_float(number),
        };
        Some(match millionths {
            0 if number > 0.0 => Weight::Vanishing,
            millionths => Weight::Millionths(millionths),
        })
    }
}

fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let name = input.name.clone();
    let mut lines = Lines::new(input, FORMAT.title);
    let mut stacks = Stacks::new();
    while let Some(line) = lines.next(stacks.builder.len())? {
        let line = line.trim_ascii_end();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let parts = split(line).and_then(|(stack, weight)| Some((stack, Weight::parse(weight)?)));
        match parts {
            Some((_, Weight::Negative)) => {
                let failure = lines.failure(messages::negative_weight(&lines.number));
                return Err(failure.advice(messages::OPEN_PROFILES_APART).into());
            }
            Some((stack, weight)) => {
                if stacks.add(stack, weight).is_err() {
                    return Err(too_large(&lines.name, FORMAT.title).into());
                }
            }
            None => {
                let start = start_of_line(line);
                count_line(&mut stacks.left_out, lines.number, start);
            }
        }
    }
    if stacks.count == 0 {
        let problem = messages::NO_STACK_LINE;
        return Err(lines.failure(problem).advice(messages::SEE_FORMATS).into());
    }
    Ok(stacks.profile(name))
}

pub(super) fn start_of_line(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned()
}

pub(super) fn count_line(left_out: &mut Option<(u64, u64, String)>, number: u64, start: String) {
    left_out.get_or_insert((0, number, start)).0 += 1;
}

pub(super) fn lines_left_out(
    left_out: Option<(u64, u64, String)>,
    fault: LineFault,
) -> Option<Diagnostic> {
    let (lines, first_line, text) = left_out?;
    Some(Diagnostic::LinesLeftOut {
        lines,
        fault,
        first_line,
        text,
    })
}

#[derive(Default)]
struct Stacks {
    frames: Frames,
    builder: TreeBuilder,
    parts: DecimalParts,
    count: u64,
    /// The lines that are not stacks: how many, and the number and text of the first.
    left_out: Option<(u64, u64, String)>,
    last: Vec<u8>,
    /// Where each frame ends, and its node.
    places: Vec<(usize, RawNode)>,
}

impl Stacks {
    fn new() -> Stacks {
        let mut frames = Frames::default();
        let root = frames.intern(FrameKind::Root, "All stacks", "");
        let metric = Metric::new("", Unit::Count, None);
        Stacks {
            builder: TreeBuilder::new(root, &[metric]),
            frames,
            ..Stacks::default()
        }
    }

    fn add(&mut self, stack: &[u8], weight: Weight) -> Result<(), TooLarge> {
        let node = self.node(stack)?;
        let stored = match weight {
            Weight::Whole(whole) => whole.saturating_mul(self.parts.per_one),
            Weight::Millionths(millionths) => {
                if let Some(factor) = self.parts.refine_for(millionths) {
                    let finer = |value: u64| value.saturating_mul(factor);
                    self.builder.map_values(VALUE, finer);
                }
                self.parts.stored(millionths)
            }
            Weight::Vanishing | Weight::Negative => {
                self.parts.vanished += 1;
                0
            }
        };
        self.builder.add_exclusive(VALUE, node, stored);
        self.count += 1;
        Ok(())
    }

    fn node(&mut self, stack: &[u8]) -> Result<RawNode, TooLarge> {
        let pairs = self.last.iter().zip(stack);
        let equal = pairs.take_while(|(a, b)| a == b).count();
        // a frame is shared if it ends in both stacks before they differ
        let ends_in_both =
            |end: usize| end < equal || (end == equal && stack.get(end).is_none_or(|&b| b == b';'));
        let shared = self.places.partition_point(|&(end, _)| ends_in_both(end));
        self.places.truncate(shared);
        let (mut start, mut node) = match self.places.last() {
            Some(&(end, node)) => (end + 1, node),
            None => (0, TreeBuilder::ROOT),
        };
        while start <= stack.len() {
            let end = stack[start..]
                .iter()
                .position(|&b| b == b';')
                .map_or(stack.len(), |at| start + at);
            let frame = match String::from_utf8_lossy(&stack[start..end]).trim() {
                "" => self.frames.intern(FrameKind::Special, NO_NAME, ""),
                name => self.frames.intern(FrameKind::Method, name, ""),
            };
            node = self.builder.merge(node, frame)?;
            self.places.push((end, node));
            start = end + 1;
        }
        self.last.clear();
        self.last.extend_from_slice(stack);
        Ok(node)
    }

    fn profile(mut self, name: String) -> Recording {
        // free memory that finishing the tree needs
        (self.last, self.places) = Default::default();
        let left_out = lines_left_out(self.left_out, LineFault::NoStackAndWeight);
        let mut diagnostics: Vec<Diagnostic> = left_out.into_iter().collect();
        diagnostics.extend(self.parts.diagnostics());
        let facts = vec![("stacks", thousands(self.count))];
        let source = Source::read_here(name, FORMAT.name, ProfileKind::Sampling, facts);
        let metric = Metric::new(self.parts.metric_name("samples"), Unit::Count, None);
        let tree = self.builder.finish(&self.frames, VALUE).tree;
        Recording {
            diagnostics,
            ..Recording::new(source, self.frames, tree, vec![metric], VALUE)
        }
    }
}

#[cfg(test)]
mod tests;
