//! The document `dotspot.report/1`, from which the Markdown is made, too.

use super::callers::ReportCallers;
use super::contents::{Contents, FACTS, MethodRows, Note, PLUMBING};
use super::plan::{Plan, Section};
use super::question_text;
use super::rows::{Chain, LeftOutCalls, RowChoice, TreeLine};
use crate::analysis::{GroupId, Hotspot, HotspotOrder, Wait, sum};
use crate::model::{CountKind, FrameId, NodeId};
use crate::names::{Category, FrameKind};
use crate::query::values::{MetricName, RangeRow, Value};
use crate::query::waits::threads_text;
use crate::text::visible;
use crate::units::Unit;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, HashMap};

#[derive(Debug, Serialize)]
pub(super) struct ReportDocument<'a> {
    schema: &'static str,
    pub file: &'a str,
    pub format: String,
    pub kind: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    pub threads: usize,
    /// The selected threads, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RangeRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<PartRow>,
    metric: MetricName<'a>,
    pub total: ReportAmount,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<ReportAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    #[serde(skip_serializing_if = "ReportAmount::is_none")]
    pub waiting_left_out: ReportAmount,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub caveats: &'a [String],
    #[serde(skip_serializing_if = "is_empty")]
    pub caveats_left_out: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteRow>,
    #[serde(skip_serializing_if = "is_empty")]
    pub notes_left_out: usize,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub conditions: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<WaitRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_left_out: Option<LeftOut>,
    pub methods: Vec<MethodRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_code: Option<ReportMethods>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_code: Option<ReportMethods>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<CallersRow>,
    pub tree: Vec<ReportTreeRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReportAmount {
    pub stored: u64,
    unit: Unit,
}

impl ReportAmount {
    fn is_none(&self) -> bool {
        self.stored == 0
    }
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

fn is_empty<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Serialize for ReportAmount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value::new(self.unit, self.stored).serialize(serializer)
    }
}

#[derive(Debug, Serialize)]
pub(super) struct PartRow {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<usize>,
    /// For a node: its id, and the calls that lead to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub called_by: Vec<Call>,
}

#[derive(Debug, Serialize)]
pub(super) struct NoteRow {
    pub method: usize,
    pub note: String,
    #[serde(rename = "in_file", skip_serializing_if = "std::ops::Not::not")]
    pub is_in_file: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct WaitRow {
    pub method: usize,
    pub waits_in: usize,
    pub waiting: ReportAmount,
    #[serde(skip_serializing_if = "ReportAmount::is_none")]
    pub on_cpu: ReportAmount,
    pub threads: String,
}

#[derive(Debug, Serialize)]
pub(super) struct MethodRow {
    pub name: String,
    pub is_user_code: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub home: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ReportMethods {
    pub rows: Vec<HotspotRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    #[serde(skip_serializing_if = "ReportAmount::is_none")]
    pub of_no_method: ReportAmount,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub most_of_no_method: Vec<OwnRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct OwnRow {
    pub method: usize,
    pub exclusive: ReportAmount,
}

#[derive(Debug, Serialize)]
pub(super) struct HotspotRow {
    pub method: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_plus_system: Option<ReportAmount>,
    pub exclusive: ReportAmount,
    pub inclusive: ReportAmount,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_samples: Option<u64>,
    /// The waiting share, in percent, of the inclusive value, or in the list of all code of the exclusive value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_percent: Option<f64>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct LeftOut {
    pub count: usize,
    pub sum: ReportAmount,
    pub largest: ReportAmount,
}

#[derive(Debug, Serialize)]
pub(super) struct CallersRow {
    pub method: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<usize>,
    pub rows: Vec<ReportCallerRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

#[derive(Debug, Serialize)]
pub(super) struct ReportCallerRow {
    pub method: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_code: Option<usize>,
    #[serde(rename = "skips_calls", skip_serializing_if = "std::ops::Not::not")]
    pub skips: bool,
    pub inclusive: ReportAmount,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ReportTreeRow {
    Calls {
        depth: usize,
        calls: Vec<Call>,
        inclusive: ReportAmount,
        #[serde(skip_serializing_if = "Option::is_none")]
        last_inclusive: Option<ReportAmount>,
        exclusive: ReportAmount,
        /// The id of the last call's node, the heaviest one if there are several.
        node: String,
        #[serde(skip_serializing_if = "is_one")]
        nodes: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        call_count: Option<u64>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        recursive: Vec<usize>,
    },
    LeftOut {
        depth: usize,
        left_out: LeftOut,
        /// The largest of them, and below, the id of its heaviest node.
        #[serde(skip_serializing_if = "Option::is_none")]
        largest_call: Option<Call>,
        #[serde(skip_serializing_if = "Option::is_none")]
        largest_node: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Call {
    Method(usize),
    /// Everything, a thread, or a run of plumbing.
    Word(String),
    Unnamed {
        unnamed: usize,
    },
}

/// With at least this budget, there is room for modules and namespaces.
const MODULES_BUDGET: usize = 500;

struct DocumentBuilder<'a> {
    contents: &'a Contents<'a>,
    choice: &'a RowChoice,
    plan: &'a Plan,
    methods: Vec<MethodRow>,
    indices: HashMap<FrameId, usize>,
}

impl<'a> ReportDocument<'a> {
    pub(super) fn new(
        contents: &'a Contents<'a>,
        choice: &RowChoice,
        plan: &Plan,
    ) -> ReportDocument<'a> {
        let (view, request) = (contents.view, contents.request);
        let mut builder = DocumentBuilder {
            contents,
            choice,
            plan,
            methods: Vec::new(),
            indices: HashMap::new(),
        };
        let chosen = &view.steps.scope.threads;
        let has_fact = |what: &str| FACTS[..plan.of(Section::Facts)].contains(&what);
        let facts = view.recording.source.facts();
        let facts = facts.filter(|(what, _)| has_fact(what));
        let first = |texts: &'a [String], section| &texts[..plan.of(section).min(texts.len())];
        let caveats = first(&contents.caveats, Section::Caveats);
        let part = builder.part();
        let notes = builder.notes();
        let (waits, waits_left_out) = builder.waits();
        ReportDocument {
            schema: "dotspot.report/1",
            file: request.file,
            format: view.recording.source.format.to_string(),
            kind: view.recording.source.kind.name(),
            facts: facts
                .map(|(what, text)| (what.to_string(), visible(&text).into_owned()))
                .collect(),
            threads: view.threads.len(),
            chosen: (!chosen.has_all()).then(|| chosen.words(&view.recording)),
            range: RangeRow::of(view),
            steps: view.steps.transform_words(&view.recording),
            part,
            metric: MetricName::new(view.recording.metric(contents.measure.metric)),
            total: contents.amount(contents.total),
            whole: contents.whole().map(|whole| contents.amount(whole)),
            samples: contents.samples,
            waiting_left_out: contents.amount(contents.waiting),
            caveats,
            caveats_left_out: contents.caveats.len() - caveats.len(),
            notes_left_out: contents.notes.len() - notes.len(),
            notes,
            conditions: first(&contents.conditions, Section::Conditions),
            waits,
            waits_left_out,
            user_code: builder.table(&contents.user, Section::User),
            all_code: builder.table(&contents.all, Section::All),
            callers: builder.callers(),
            tree: builder.tree(),
            methods: builder.methods,
            question: request
                .question
                .map(|question| visible(question_text(question)).into_owned()),
        }
    }
}

impl Contents<'_> {
    fn amount(&self, stored: u64) -> ReportAmount {
        let unit = self.view.recording.metric(self.measure.metric).unit;
        ReportAmount { stored, unit }
    }

    fn left_out(&self, values: impl ExactSizeIterator<Item = u64>) -> LeftOut {
        let unit = self.view.recording.metric(self.measure.metric).unit;
        left_out(unit, values)
    }
}

fn left_out(unit: Unit, values: impl ExactSizeIterator<Item = u64>) -> LeftOut {
    let amount = |stored| ReportAmount { stored, unit };
    let mut values = values.peekable();
    let (count, largest) = (values.len(), values.peek().copied());
    LeftOut {
        count,
        sum: amount(sum(values)),
        largest: amount(largest.unwrap_or(0)),
    }
}

/// A chain of at most `max_calls` calls, without those in the middle.
fn shortened<T>(chain: &[T], max_calls: usize, mut call: impl FnMut(&T) -> Call) -> Vec<Call> {
    if chain.len() <= max_calls {
        return chain.iter().map(call).collect();
    }
    let half = max_calls / 2;
    let unnamed = chain.len() - 2 * half;
    let mut calls: Vec<Call> = chain[..half].iter().map(&mut call).collect();
    calls.push(Call::Unnamed { unnamed });
    calls.extend(chain[half + unnamed..].iter().map(call));
    calls
}

impl DocumentBuilder<'_> {
    fn method(&mut self, frame: FrameId) -> usize {
        *self.indices.entry(frame).or_insert_with(|| {
            let contents = self.contents;
            let is_user_code = contents.view.frames.get(frame).category == Category::User;
            let home = match is_user_code && contents.request.budget >= MODULES_BUDGET {
                true => contents.home(frame),
                false => Default::default(),
            };
            self.methods.push(MethodRow {
                name: contents.name(frame),
                is_user_code,
                home,
            });
            self.methods.len() - 1
        })
    }

    fn call(&mut self, id: GroupId) -> Call {
        let group = self.contents.summary.group(id);
        match self.contents.view.frames.get(group.frame).kind {
            FrameKind::Method | FrameKind::Special if !group.is_plumbing => {
                Call::Method(self.method(group.frame))
            }
            _ => Call::Word(self.contents.group_name(id)),
        }
    }

    fn part(&mut self) -> Option<PartRow> {
        let (contents, subject) = (self.contents, &self.contents.subject);
        let is_everything = subject.roots[..] == [NodeId::ROOT] && subject.node.is_none();
        (!is_everything).then(|| PartRow {
            name: contents.subject_name(),
            occurrences: subject.occurrences,
            node: subject.node.map(|node| contents.view.node_label(node)),
            called_by: subject
                .node
                .map_or(Vec::new(), |node| self.calls_above(node)),
        })
    }

    /// The calls that lead to a node, outermost first. Runs of async infrastructure are merged.
    fn calls_above(&mut self, node: NodeId) -> Vec<Call> {
        let view = self.contents.view;
        let plumbing = |frame: FrameId| view.frames.get(frame).is_plumbing;
        let above = view.tree.ancestors(node);
        let frames = above.map(|above| view.tree.frame(above));
        let calls = frames.filter(|&frame| view.frames.get(frame).kind.is_hotspot());
        let mut frames: Vec<FrameId> = calls.collect();
        frames.dedup_by(|a, b| a == b || plumbing(*a) && plumbing(*b));
        frames.reverse();
        shortened(&frames, self.choice.max_chain, |&frame| {
            match plumbing(frame) {
                true => Call::Word(PLUMBING.into()),
                false => Call::Method(self.method(frame)),
            }
        })
    }

    fn notes(&mut self) -> Vec<NoteRow> {
        let (notes, max_notes) = (&self.contents.notes, self.plan.of(Section::Notes));
        let row = |note: &Note| {
            let text = note.text.split_whitespace().collect::<Vec<_>>().join(" ");
            NoteRow {
                method: self.method(note.frame),
                note: visible(&text).into_owned(),
                is_in_file: note.is_in_file,
            }
        };
        notes.iter().take(max_notes).map(row).collect()
    }

    fn waits(&mut self) -> (Vec<WaitRow>, Option<LeftOut>) {
        let (contents, max_waits) = (self.contents, self.plan.of(Section::Waits));
        let Some(waits) = contents.waits.as_ref().filter(|_| max_waits > 0) else {
            return (Vec::new(), None);
        };
        let unit = contents.view.recording.metric(waits.part.metric()).unit;
        let amount = |stored| ReportAmount { stored, unit };
        let (shown, rest) = waits.rows.split_at(max_waits.min(waits.rows.len()));
        let row = |row: &Wait| {
            Some(WaitRow {
                method: self.method(row.user?),
                waits_in: self.method(row.wait),
                waiting: amount(row.waiting),
                on_cpu: amount(if contents.spins(row) { row.on_cpu } else { 0 }),
                threads: threads_text(contents.view, &row.threads),
            })
        };
        let rows = shown.iter().filter_map(row).collect();
        let left_out = left_out(unit, rest.iter().map(|row| row.waiting));
        (rows, (left_out.count > 0).then_some(left_out))
    }

    /// The first methods of a list. Its sums cover the whole part, except for what belongs to no method.
    fn table(&mut self, list: &MethodRows, section: Section) -> Option<ReportMethods> {
        let contents = self.contents;
        let is_user_code = section == Section::User;
        let weight = |row: &Hotspot| match is_user_code {
            true => contents.own_and_system(row.frame).unwrap_or(0),
            false => row.weight(HotspotOrder::Exclusive),
        };
        let max_rows = self.plan.of(section).min(list.rows.len());
        let (shown, rest) = list.rows.split_at(max_rows);
        if shown.is_empty() {
            return None;
        }
        let listed = sum(list.rows.iter().map(weight));
        let left_out = contents.left_out(rest.iter().map(weight));
        let (recording, metric) = (&contents.view.recording, contents.measure.metric);
        let counts = recording.metric(metric).counts;
        let rows = shown.iter().map(|row| HotspotRow {
            method: self.method(row.frame),
            own_plus_system: contents
                .own_and_system(row.frame)
                .map(|stored| contents.amount(stored)),
            exclusive: contents.amount(row.weight(HotspotOrder::Exclusive)),
            inclusive: contents.amount(row.weight(HotspotOrder::Inclusive)),
            calls: row.count.filter(|_| counts == Some(CountKind::Calls)),
            own_samples: row.own_samples,
            waits_percent: contents.waits_percent(row, is_user_code),
        });
        let rows = rows.collect();
        let uncalled = match is_user_code && self.plan.of(Section::Explanations) > 0 {
            true => contents.most_without_user_code(),
            false => Vec::new(),
        };
        let uncalled = uncalled.into_iter().map(|(frame, own)| OwnRow {
            method: self.method(frame),
            exclusive: contents.amount(own),
        });
        Some(ReportMethods {
            rows,
            left_out: (left_out.count > 0).then_some(left_out),
            of_no_method: contents.amount(contents.total.saturating_sub(listed)),
            most_of_no_method: uncalled.collect(),
        })
    }

    fn callers(&mut self) -> Vec<CallersRow> {
        let (contents, plan) = (self.contents, self.plan);
        let all = contents.callers.iter().zip(plan.callers());
        let shown = all.filter(|(_, max_callers)| **max_callers > 0);
        let row = |((frame, callers), &max_callers): (&(FrameId, ReportCallers), &usize)| {
            let (shown, rest) = callers.rows.split_at(max_callers.min(callers.rows.len()));
            let left_out = contents.left_out(rest.iter().map(|caller| caller.inclusive));
            let method = self.method(*frame);
            let rows = shown.iter().map(|caller| ReportCallerRow {
                method: caller.frame.map(|frame| self.method(frame)),
                user_code: caller.user_code.map(|frame| self.method(frame)),
                skips: caller.skips,
                inclusive: contents.amount(caller.inclusive),
            });
            let through = callers.through.iter();
            CallersRow {
                method,
                rows: rows.collect(),
                through: through.map(|&frame| self.method(frame)).collect(),
                left_out: (left_out.sum.stored > 0).then_some(left_out),
            }
        };
        shown.map(row).collect()
    }

    fn tree(&mut self) -> Vec<ReportTreeRow> {
        let rows = self.choice.rows(self.contents, self.plan.of(Section::Tree));
        let row = |(depth, line): (usize, TreeLine)| match line {
            TreeLine::LeftOut(left_out) => self.left_out_row(depth, left_out),
            TreeLine::Calls(chain) => self.calls_row(depth, chain),
        };
        rows.into_iter().map(row).collect()
    }

    fn left_out_row(&mut self, depth: usize, left_out: LeftOutCalls) -> ReportTreeRow {
        let contents = self.contents;
        let largest = left_out.largest_call;
        let node = |id| contents.summary.group(id).heaviest_node;
        ReportTreeRow::LeftOut {
            depth,
            left_out: LeftOut {
                count: left_out.count,
                sum: contents.amount(left_out.sum),
                largest: contents.amount(left_out.largest),
            },
            largest_call: largest.map(|id| self.call(id)),
            largest_node: largest.map(|id| contents.view.node_label(node(id))),
        }
    }

    fn calls_row(&mut self, depth: usize, chain: &Chain) -> ReportTreeRow {
        let contents = self.contents;
        let group = |id: GroupId| contents.summary.group(id);
        let (first, last) = (group(chain.first()), group(chain.last()));
        let calls = shortened(&chain.calls, chain.named, |&id| self.call(id));
        let recursive = chain.calls.iter().filter(|&&id| group(id).is_recursive);
        let recursive = recursive.filter_map(|&id| match self.call(id) {
            Call::Method(method) if calls.contains(&Call::Method(method)) => Some(method),
            _ => None,
        });
        let recursive = recursive.collect();
        let last_inclusive = (last.inclusive != first.inclusive).then_some(last.inclusive);
        ReportTreeRow::Calls {
            depth,
            calls,
            inclusive: contents.amount(first.inclusive),
            last_inclusive: last_inclusive.map(|value| contents.amount(value)),
            exclusive: contents.amount(last.exclusive),
            node: contents.view.node_label(last.heaviest_node),
            nodes: last.node_count,
            call_count: contents.calls(chain.last()),
            recursive,
        }
    }
}
