//! A report as data: the document `dotspot.report/1`. Its Markdown is made from the same data.

use super::contents::{Contents, FACTS, MethodRows, Note, PLUMBING};
use super::plan::Plan;
use super::questions;
use super::rows::{self, RowChoice, RowKind};
use crate::analysis::{GroupId, Hotspot, HotspotOrder, Wait};
use crate::model::{CountKind, FrameId, NodeId};
use crate::names::{Category, FrameKind};
use crate::query::values::{MetricName, RangeRow, Value};
use crate::query::waits::threads_text;
use crate::text::visible;
use crate::units::Unit;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, HashMap};

/// The document `dotspot.report/1`.
#[derive(Debug, Serialize)]
pub(super) struct ReportDocument<'a> {
    schema: &'static str,
    /// The file as the user named it.
    pub file: &'a str,
    pub format: String,
    pub kind: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    pub threads: usize,
    /// The chosen threads or processes, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RangeRow>,
    /// The transformations of the tree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<PartRow>,
    metric: MetricName<'a>,
    /// The total, which is 100 %.
    pub total: ReportAmount,
    /// The whole that the total is a part of, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<ReportAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// The waiting excluded from all values.
    #[serde(skip_serializing_if = "ReportAmount::is_none")]
    pub waiting_left_out: ReportAmount,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub caveats: &'a [String],
    #[serde(skip_serializing_if = "is_zero")]
    pub caveats_left_out: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteRow>,
    #[serde(skip_serializing_if = "is_zero")]
    pub notes_left_out: usize,
    /// The conditions that affect how much the numbers are worth.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub conditions: &'a [String],
    /// User code that waits, longest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<WaitRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_left_out: Option<LeftOut>,
    /// Methods, to which other rows refer by index.
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

/// A value of the report's metric, in stored units.
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

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Serialize for ReportAmount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value::new(self.unit, self.stored).serialize(serializer)
    }
}

/// The part that the report is about, if it is not everything.
#[derive(Debug, Serialize)]
pub(super) struct PartRow {
    pub name: String,
    /// For a method: the number of merged occurrences.
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
    /// The user code.
    pub method: usize,
    /// The calls in which it waits.
    pub waits_in: usize,
    pub waiting: ReportAmount,
    /// The CPU time in waits and spins there.
    #[serde(skip_serializing_if = "ReportAmount::is_none")]
    pub on_cpu: ReportAmount,
    /// The threads, in words.
    pub threads: String,
}

#[derive(Debug, Serialize)]
pub(super) struct MethodRow {
    pub name: String,
    pub is_user_code: bool,
    /// For user code: its module and namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub home: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ReportMethods {
    pub rows: Vec<HotspotRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// The value that belongs to no method of the list.
    #[serde(skip_serializing_if = "ReportAmount::is_none")]
    pub of_no_method: ReportAmount,
    /// The methods with the most of it.
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
    /// For user code: the own value plus that of the system code it calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_plus_system: Option<ReportAmount>,
    pub exclusive: ReportAmount,
    pub inclusive: ReportAmount,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// The samples in which the method itself was running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_samples: Option<u64>,
    /// The waiting share, in percent, of the inclusive value, or in the list of all code of the exclusive value; `None`
    /// if waiting does not count or is not most of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_percent: Option<f64>,
}

/// What is not shown.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct LeftOut {
    pub count: usize,
    pub sum: ReportAmount,
    pub largest: ReportAmount,
}

#[derive(Debug, Serialize)]
pub(super) struct CallersRow {
    pub method: usize,
    /// The methods through which nearly all calls come, the immediate caller first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<usize>,
    pub rows: Vec<ReportCallerRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

#[derive(Debug, Serialize)]
pub(super) struct ReportCallerRow {
    /// `null` for threads that start with the method.
    pub method: Option<usize>,
    /// The nearest user code above `method`, if that is system code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_code: Option<usize>,
    /// Whether there are other calls between these two.
    #[serde(rename = "skips_calls", skip_serializing_if = "std::ops::Not::not")]
    pub skips: bool,
    pub inclusive: ReportAmount,
}

/// A row of the tree, in preorder.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ReportTreeRow {
    /// A chain of calls, each called by the previous one.
    Calls {
        depth: usize,
        calls: Vec<Call>,
        /// The value of the first call.
        inclusive: ReportAmount,
        /// The inclusive value of the last call, if it differs.
        #[serde(skip_serializing_if = "Option::is_none")]
        last_inclusive: Option<ReportAmount>,
        /// The exclusive value of the last call.
        exclusive: ReportAmount,
        /// The id of the last call's node, the heaviest one if there are several.
        node: String,
        /// The number of nodes merged in the last call.
        #[serde(skip_serializing_if = "is_one")]
        nodes: u32,
        /// How often the last call was made.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_count: Option<u64>,
        /// The methods among the calls that are recursive, directly or through others.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        recursive: Vec<usize>,
    },
    /// The other callees of the row above.
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
    /// A number of unnamed calls.
    Unnamed {
        unnamed: usize,
    },
}

/// From this budget on, there is room for modules and namespaces.
const MODULES_BUDGET: usize = 500;

/// Lists each method once.
struct ReportMethodRows<'a> {
    contents: &'a Contents<'a>,
    rows: Vec<MethodRow>,
    places: HashMap<FrameId, usize>,
}

impl<'a> ReportMethodRows<'a> {
    fn place(&mut self, frame: FrameId) -> usize {
        *self.places.entry(frame).or_insert_with(|| {
            let category = self.contents.view.frames.get(frame).category;
            let is_user_code = category == Category::User;
            self.rows.push(MethodRow {
                name: self.contents.name(frame),
                home: match is_user_code && self.contents.request.budget >= MODULES_BUDGET {
                    true => self.contents.home(frame),
                    false => String::new(),
                },
                is_user_code,
            });
            self.rows.len() - 1
        })
    }

    fn call(&mut self, id: GroupId) -> Call {
        let group = self.contents.gathered.group(id);
        let kind = self.contents.view.frames.get(group.frame).kind;
        match kind {
            FrameKind::Method | FrameKind::Special if !group.is_plumbing => {
                Call::Method(self.place(group.frame))
            }
            _ => Call::Word(self.contents.group_name(id)),
        }
    }
}

impl<'a> ReportDocument<'a> {
    /// The report that a plan describes. O(groups + rows).
    pub(super) fn new(
        contents: &'a Contents<'a>,
        choice: &RowChoice,
        plan: &Plan,
    ) -> ReportDocument<'a> {
        let (view, request) = (contents.view, contents.request);
        let mut methods = ReportMethodRows {
            contents,
            rows: Vec::new(),
            places: HashMap::new(),
        };
        let Contents { caveats, notes, .. } = contents;
        let chosen = &view.steps.scope.threads;
        let facts = view
            .recording
            .source
            .facts()
            .filter(|(what, _)| FACTS[..plan.facts].contains(what));
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
            part: part(contents, choice, &mut methods),
            metric: MetricName::new(view.recording.metric(contents.measure.metric)),
            total: contents.amount(contents.total),
            whole: contents.whole().map(|whole| contents.amount(whole)),
            samples: contents.samples,
            waiting_left_out: contents.amount(contents.waiting),
            caveats_left_out: caveats.len().saturating_sub(plan.caveats),
            caveats: &caveats[..plan.caveats.min(caveats.len())],
            notes_left_out: notes.len().saturating_sub(plan.notes),
            notes: notes
                .iter()
                .take(plan.notes)
                .map(|&note| note_row(note, &mut methods))
                .collect(),
            conditions: &contents.conditions[..plan.conditions.min(contents.conditions.len())],
            waits: waits(contents, plan, &mut methods),
            waits_left_out: waits_left_out(contents, plan),
            user_code: user_code(contents, plan, &mut methods),
            all_code: table(
                contents,
                &contents.all,
                plan.all,
                &mut methods,
                false,
                |row| row.weight(HotspotOrder::Exclusive),
            ),
            callers: callers(contents, plan, &mut methods),
            tree: tree(contents, choice, plan, &mut methods),
            methods: methods.rows,
            question: request
                .question
                .map(|question| visible(questions::text_of(question)).into_owned()),
        }
    }
}

impl Contents<'_> {
    fn amount(&self, stored: u64) -> ReportAmount {
        ReportAmount {
            stored,
            unit: self.view.recording.metric(self.measure.metric).unit,
        }
    }

    /// Sums up what a list leaves out, given the values, largest first.
    fn left_out(&self, values: impl ExactSizeIterator<Item = u64>) -> LeftOut {
        let mut values = values.peekable();
        let (count, largest) = (values.len(), values.peek().copied());
        LeftOut {
            count,
            sum: self.amount(values.fold(0, u64::saturating_add)),
            largest: self.amount(largest.unwrap_or(0)),
        }
    }
}

fn part(
    contents: &Contents,
    choice: &RowChoice,
    methods: &mut ReportMethodRows,
) -> Option<PartRow> {
    let subject = &contents.subject;
    let is_everything = subject.roots[..] == [NodeId::ROOT] && subject.node.is_none();
    (!is_everything).then(|| PartRow {
        name: contents.subject_name(),
        occurrences: subject.occurrences,
        node: subject.node.map(|node| contents.view.node_label(node)),
        called_by: subject.node.map_or(Vec::new(), |node| {
            calls_above(contents, node, choice.longest_chain(), methods)
        }),
    })
}

/// The calls that lead to a node, outermost first. Runs of async infrastructure are merged, and calls in the middle are
/// left out if there are too many.
fn calls_above(
    contents: &Contents,
    node: NodeId,
    longest: usize,
    methods: &mut ReportMethodRows,
) -> Vec<Call> {
    let view = contents.view;
    let plumbing = |frame: FrameId| view.frames.get(frame).is_plumbing;
    let is_call = |frame: &FrameId| view.frames.get(*frame).kind.is_hotspot();
    let mut frames: Vec<FrameId> = view
        .tree
        .ancestors(node)
        .map(|above| view.tree.frame(above))
        .filter(is_call)
        .collect();
    frames.dedup_by(|a, b| a == b || plumbing(*a) && plumbing(*b));
    frames.reverse();
    shortened(&frames, longest, |&frame| match plumbing(frame) {
        true => Call::Word(PLUMBING.into()),
        false => Call::Method(methods.place(frame)),
    })
}

/// A chain of calls, without those in the middle if it is too long.
fn shortened<T>(chain: &[T], longest: usize, mut call: impl FnMut(&T) -> Call) -> Vec<Call> {
    if chain.len() <= longest {
        return chain.iter().map(call).collect();
    }
    let half = longest / 2;
    let unnamed = chain.len() - 2 * half;
    let mut calls: Vec<Call> = chain[..half].iter().map(&mut call).collect();
    calls.push(Call::Unnamed { unnamed });
    calls.extend(chain[half + unnamed..].iter().map(call));
    calls
}

fn note_row(note: Note, methods: &mut ReportMethodRows) -> NoteRow {
    let text = note.text.split_whitespace().collect::<Vec<_>>().join(" ");
    NoteRow {
        method: methods.place(note.frame),
        note: visible(&text).into_owned(),
        is_in_file: note.is_in_file,
    }
}

fn waits(contents: &Contents, plan: &Plan, methods: &mut ReportMethodRows) -> Vec<WaitRow> {
    let Some(waits) = &contents.waits else {
        return Vec::new();
    };
    let unit = contents.view.recording.metric(waits.part.metric()).unit;
    let amount = |stored| ReportAmount { stored, unit };
    let spins = |row: &Wait| if contents.spins(row) { row.on_cpu } else { 0 };
    let row = |row: &Wait| {
        Some(WaitRow {
            method: methods.place(row.user?),
            waits_in: methods.place(row.wait),
            waiting: amount(row.waiting),
            on_cpu: amount(spins(row)),
            threads: threads_text(contents.view, &row.threads),
        })
    };
    let rows = waits.rows.iter().take(plan.waits);
    rows.filter_map(row).collect()
}

/// The waits of user code that are not shown.
fn waits_left_out(contents: &Contents, plan: &Plan) -> Option<LeftOut> {
    let waits = contents.waits.as_ref()?;
    let unit = contents.view.recording.metric(waits.part.metric()).unit;
    let values = waits.rows.iter().skip(plan.waits).map(|row| row.waiting);
    let left_out = contents.left_out(values);
    let [sum, largest] = [left_out.sum, left_out.largest]
        .map(|ReportAmount { stored, .. }| ReportAmount { stored, unit });
    (left_out.count > 0 && plan.waits > 0).then_some(LeftOut {
        sum,
        largest,
        ..left_out
    })
}

fn user_code(
    contents: &Contents,
    plan: &Plan,
    methods: &mut ReportMethodRows,
) -> Option<ReportMethods> {
    let own_and_system = |row: &Hotspot| contents.own_and_system(row.frame).unwrap_or(0);
    let table = table(
        contents,
        &contents.user,
        plan.user,
        methods,
        true,
        own_and_system,
    )?;
    let most = if plan.explanations > 0 {
        contents.most_without_user_code()
    } else {
        Vec::new()
    };
    let row = |(frame, own)| OwnRow {
        method: methods.place(frame),
        exclusive: contents.amount(own),
    };
    Some(ReportMethods {
        most_of_no_method: most.into_iter().map(row).collect(),
        ..table
    })
}

/// The first methods of a list sorted by `weight`. Its sums cover the whole part, except for what belongs to no method.
fn table(
    contents: &Contents,
    list: &MethodRows,
    most: usize,
    methods: &mut ReportMethodRows,
    is_of_user_code: bool,
    weight: impl Fn(&Hotspot) -> u64,
) -> Option<ReportMethods> {
    let (shown, rest) = list.rows.split_at(most.min(list.rows.len()));
    if shown.is_empty() {
        return None;
    }
    let sum = |rows: &[Hotspot]| rows.iter().map(&weight).fold(0u64, u64::saturating_add);
    let left_out = contents.left_out(rest.iter().map(&weight));
    let counts = contents
        .view
        .recording
        .metric(contents.measure.metric)
        .counts;
    let rows = shown.iter().map(|row| HotspotRow {
        method: methods.place(row.frame),
        own_plus_system: contents
            .own_and_system(row.frame)
            .map(|stored| contents.amount(stored)),
        exclusive: contents.amount(row.weight(HotspotOrder::Exclusive)),
        inclusive: contents.amount(row.weight(HotspotOrder::Inclusive)),
        calls: row.count.filter(|_| counts == Some(CountKind::Calls)),
        own_samples: row.own_samples,
        waits_percent: contents.waits_percent(row, is_of_user_code),
    });
    Some(ReportMethods {
        rows: rows.collect(),
        left_out: (left_out.count > 0).then_some(left_out),
        of_no_method: contents.amount(contents.total.saturating_sub(sum(&list.rows))),
        most_of_no_method: Vec::new(),
    })
}

fn callers(contents: &Contents, plan: &Plan, methods: &mut ReportMethodRows) -> Vec<CallersRow> {
    let mut all = Vec::new();
    for ((frame, callers), &most) in contents
        .callers
        .iter()
        .zip(&plan.callers)
        .filter(|(_, most)| **most > 0)
    {
        let (shown, rest) = callers.rows.split_at(most.min(callers.rows.len()));
        let left_out = contents.left_out(rest.iter().map(|caller| caller.inclusive));
        let method = methods.place(*frame);
        let rows = shown.iter().map(|caller| ReportCallerRow {
            method: caller.frame.map(|frame| methods.place(frame)),
            user_code: caller.user_code.map(|frame| methods.place(frame)),
            skips: caller.skips,
            inclusive: contents.amount(caller.inclusive),
        });
        let rows = rows.collect();
        let through = callers.through.iter();
        let through = through.map(|&frame| methods.place(frame)).collect();
        all.push(CallersRow {
            method,
            through,
            rows,
            left_out: (left_out.sum.stored > 0).then_some(left_out),
        });
    }
    all
}

fn tree(
    contents: &Contents,
    choice: &RowChoice,
    plan: &Plan,
    methods: &mut ReportMethodRows,
) -> Vec<ReportTreeRow> {
    let rows = choice.rows(contents, plan.tree).into_iter();
    rows.map(|row| tree_row(contents, row, methods)).collect()
}

fn tree_row(
    contents: &Contents,
    row: rows::ReportLine,
    methods: &mut ReportMethodRows,
) -> ReportTreeRow {
    let depth = row.depth;
    let (chain, named) = match row.what {
        RowKind::LeftOut(left_out) => {
            let largest = left_out.largest_call;
            let node = |id| {
                contents
                    .view
                    .node_label(contents.gathered.group(id).heaviest_node)
            };
            return ReportTreeRow::LeftOut {
                depth,
                left_out: LeftOut {
                    count: left_out.count,
                    sum: contents.amount(left_out.sum),
                    largest: contents.amount(left_out.largest),
                },
                largest_call: largest.map(|id| methods.call(id)),
                largest_node: largest.map(node),
            };
        }
        RowKind::Calls { calls, named } => (calls, named),
    };
    let group = |id: &GroupId| contents.gathered.group(*id);
    // a chain is never empty
    let (first, last) = (group(&chain[0]), group(&chain[chain.len() - 1]));
    let calls = shortened(&chain, named, |&id| methods.call(id));
    let is_recursive = |id: &&GroupId| group(id).is_recursive;
    let recursive = chain
        .iter()
        .filter(is_recursive)
        .map(|&id| methods.call(id))
        .filter(|call| calls.contains(call));
    let method = |call| match call {
        Call::Method(method) => Some(method),
        _ => None,
    };
    let recursive = recursive.filter_map(method).collect();
    ReportTreeRow::Calls {
        depth,
        calls,
        inclusive: contents.amount(first.inclusive),
        last_inclusive: (last.inclusive != first.inclusive)
            .then(|| contents.amount(last.inclusive)),
        exclusive: contents.amount(last.exclusive),
        node: contents.view.node_label(last.heaviest_node),
        nodes: last.node_count,
        call_count: chain.last().and_then(|&id| contents.calls(id)),
        recursive,
    }
}
