use super::ReportRequest;
use super::callers::{ReportCallers, callers};
use super::conditions;
use crate::analysis::{
    ChargedValue, GroupId, Hotspot, HotspotOrder, OwnAndSystem, SummaryTree, Wait, hotspots, join,
    own_and_system, sum, waiting_of,
};
use crate::diagnostics::{Diagnostic, Severity};
use crate::model::sampling_error::{THIN_SAMPLES, is_thin};
use crate::model::{CountKind, FrameId, MOSTLY_PERCENT, Measure, MetricId, NodeId, View};
use crate::names::{Category, FrameKind, namespace_and_type};
use crate::query::values::alert_words;
use crate::query::waits::threads_text;
use crate::query::{self, PartRequest, Waits, measure_flags, messages, thin_shares, with_prefix};
use crate::text::{fit_name, quoted, visible};
use crate::units::{Scale, percent};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The facts about a source that distinguish runs but identify no person, machine or folder.
pub const FACTS: [&str; 4] = ["runtime", "operating system", "architecture", "duration"];
pub(super) const PLUMBING: &str = "[plumbing]";
const MAX_NAME_WIDTH: usize = 90;
/// With at least this budget, there is room for modules and namespaces.
const MODULES_BUDGET: usize = 500;
const MAX_NAMED_THREADS: usize = 3;
const SMALL_NS: u64 = 100_000_000;
pub(super) const METHODS_WITH_CALLERS: usize = 3;
pub(super) const MIN_NAMED_PERCENT: f64 = 1.0;
const MIN_CALLED_PERCENT: f64 = 5.0;
const MIN_LISTED_PERCENT: f64 = 0.1;
/// Shares of rows with few samples are mentioned if they exceed the usual one by this factor.
const MIN_SHARE_RISE: f64 = 1.5;

#[derive(Clone, Copy, Default)]
pub(super) struct LeftOut {
    pub count: usize,
    pub sum: u64,
    pub largest: u64,
}

impl LeftOut {
    /// The largest value comes first.
    pub(super) fn of(values: impl ExactSizeIterator<Item = u64>) -> LeftOut {
        let mut values = values.peekable();
        LeftOut {
            count: values.len(),
            largest: values.peek().copied().unwrap_or(0),
            sum: sum(values),
        }
    }
}

pub(super) struct Subject {
    /// The roots of its subtrees, disjoint and ascending.
    pub roots: Vec<NodeId>,
    pub occurrences: Option<usize>,
    pub node: Option<NodeId>,
}

pub(super) struct Contents<'a> {
    pub view: &'a View,
    pub measure: Measure,
    pub subject: Subject,
    pub request: &'a ReportRequest<'a>,
    /// The part's value, without excluded waiting.
    pub total: u64,
    pub waiting: u64,
    pub scale: Scale,
    pub samples: Option<u64>,
    pub user: MethodRows,
    pub all: MethodRows,
    pub most_inclusive_user_code: Vec<(FrameId, u64)>,
    /// The most expensive other code that user code calls, without the user code that it calls back and without waits.
    pub called: Vec<(FrameId, u64)>,
    charged: OwnAndSystem,
    /// Cautions about what the report shows, one sentence each, most important first.
    pub caveats: Vec<String>,
    pub conditions: Vec<String>,
    /// User code that waits: heavy spinners first, then by duration. `None` unless the report is about one subtree.
    pub waits: Option<Waits>,
    waiting_threads: Vec<(NodeId, u64)>,
    pub notes: Vec<Note<'a>>,
    /// The callers of the first user methods, or of the first methods if there is no user code.
    pub callers: Vec<(FrameId, ReportCallers)>,
    pub summary: SummaryTree,
}

impl<'a> Contents<'a> {
    pub(super) fn new(
        view: &'a View,
        measure: Measure,
        subject: Subject,
        request: &'a ReportRequest<'a>,
    ) -> Contents<'a> {
        let roots = &subject.roots;
        let of_roots = |value: fn(&View, Measure, NodeId) -> u64| {
            sum(roots.iter().map(|&root| value(view, measure, root)))
        };
        let metric = view.recording.metric(measure.metric);
        let total = of_roots(|view, measure, node| measure.inclusive(view, node));
        let with_waiting =
            of_roots(|view, measure, node| view.tree.inclusive(measure.metric, node));
        let samples = (metric.counts == Some(CountKind::Samples))
            .then(|| of_roots(|view, measure, node| measure.count(view, node).unwrap_or(0)));
        let (charged, ()) = join(
            || own_and_system(view, roots, measure),
            || view.occurrences.prepare(),
        );
        let rows = hotspots(view, roots, measure);
        // a value below one token's share of the budget is never shown
        let min_value = total / (request.budget.clamp(500, 10_000) as u64);
        let summary = SummaryTree::new(view, roots, measure, min_value);
        let (waits, waiting_threads) = waits_below(view, roots).unzip();
        let user = user_rows(view, &rows, &charged, total);
        let notes = notes(view, &rows);
        let most_inclusive_user_code = most_inclusive_user_code(view, &rows, total);
        let conditions = match roots[..] {
            [NodeId::ROOT] => conditions::conditions(view, measure, &rows, total),
            _ => Vec::new(),
        };
        let all = MethodRows::new(rows, total, |row| row.weight(HotspotOrder::Exclusive));
        let listed = if user.listed > 0 { &user } else { &all };
        let with_callers = listed.shown().take(METHODS_WITH_CALLERS);
        let with_callers =
            with_callers.map(|row| (row.frame, callers(view, roots, measure, row.frame)));
        let mut contents = Contents {
            scale: match Scale::for_values(metric.unit, total) {
                // seconds would round away the values of small methods
                Scale::SECONDS => Scale::MILLISECONDS,
                scale => scale,
            },
            waiting: with_waiting.saturating_sub(total),
            view,
            measure,
            request,
            total,
            samples,
            callers: with_callers.collect(),
            user,
            all,
            most_inclusive_user_code,
            called: called_by_user_code(view, measure, &summary, total),
            charged,
            caveats: Vec::new(),
            conditions,
            waits,
            waiting_threads: waiting_threads.unwrap_or_default(),
            notes,
            summary,
            subject,
        };
        contents.caveats = contents.caveats();
        contents
    }

    pub(super) fn is_part(&self) -> bool {
        self.subject.roots[..] != [NodeId::ROOT] || self.subject.node.is_some()
    }

    pub(super) fn flags(&self) -> String {
        let (steps, part) = (
            self.view.steps.flags(&self.view.recording),
            &self.request.part,
        );
        let steps = steps.flags.iter().map(|flag| quoted(flag));
        let flags = steps.chain(measure_flags(part.metric, part.waiting));
        flags.map(|flag| format!(" {flag}")).collect()
    }

    pub(super) fn is_user_code(&self, frame: FrameId) -> bool {
        self.view.frames.get(frame).category == Category::User
    }

    /// The module and namespace of user code: `OrderedConsume, Acme.Orders`; empty if unknown or without room.
    pub(super) fn home(&self, frame: FrameId) -> String {
        if !self.is_user_code(frame) || self.request.budget < MODULES_BUDGET {
            return String::new();
        }
        let frames = &self.view.frames;
        let namespace = namespace_and_type(frames.name(frame)).map(|(namespace, _)| namespace);
        let (module, namespace) = (frames.module(frame), namespace.unwrap_or_default());
        let comma = if module.is_empty() { "" } else { ", " };
        let home = match module == namespace {
            true => namespace,
            false => format!("{module}{}", with_prefix(comma, &namespace)),
        };
        fit_name(&visible(&home), MAX_NAME_WIDTH)
    }

    /// A method's own and system value, without excluded waiting; `None` if it is not user code.
    pub(super) fn own_and_system(&self, frame: FrameId) -> Option<u64> {
        self.charged.of(self.view, frame).map(ChargedValue::weight)
    }

    /// The waiting share of a method's inclusive value, or for all code, of its exclusive value. `None` if waiting does
    /// not count or is not most of it.
    pub(super) fn waits_percent(&self, row: &Hotspot, is_user_code: bool) -> Option<f64> {
        if !self.measure.counts_waiting {
            return None;
        }
        let order = match is_user_code {
            true => HotspotOrder::Inclusive,
            false => HotspotOrder::Exclusive,
        };
        let waiting = waiting_of(self.view, &self.subject.roots, self.measure, row, order);
        let share = percent(waiting, row.value(order));
        (share >= MOSTLY_PERCENT).then(|| (share * 10.0).round() / 10.0)
    }

    fn is_library(&self, row: &Hotspot) -> bool {
        self.view.frames.get(row.frame).category == Category::Library
    }

    pub(super) fn has_libraries(&self) -> bool {
        self.all.rows.iter().any(|row| self.is_library(row))
    }

    pub(super) fn whole(&self) -> Option<u64> {
        let recorded = query::recording_total(self.view, self.measure);
        if recorded.is_some() || self.subject.roots[..] == [NodeId::ROOT] {
            return recorded;
        }
        let whole = Measure {
            counts_waiting: self.measure.counts_waiting,
            ..self.view.measure(self.measure.metric)
        };
        let whole = whole.inclusive(self.view, NodeId::ROOT);
        (whole >= self.total && whole > 0).then_some(whole)
    }

    pub(super) fn waits_and_spins(&self) -> u64 {
        self.waiting_included(false)
    }

    /// The waiting that the total includes; 0 if the metric does not match `may_wait`, whether threads may wait in it.
    fn waiting_included(&self, may_wait: bool) -> u64 {
        let metric = self.measure.metric;
        let matches_kind = self.view.recording.metric(metric).may_wait() == may_wait;
        if !self.measure.counts_waiting || !matches_kind {
            return 0;
        }
        let waiting = self.view.waiting(metric);
        let roots = self.subject.roots.iter();
        sum(roots.map(|&root| waiting.within(&self.view.tree, root)))
    }

    pub(super) fn spins(&self, row: &Wait) -> bool {
        let cpu = self.waits.as_ref().and_then(|waits| waits.cpu);
        spins(self.view, cpu, row)
    }

    pub(super) fn other_waits(&self) -> Option<(u64, String)> {
        let waits = self.waits.as_ref()?;
        let by_user_code = sum(waits.rows.iter().map(|row| row.waiting));
        let rest = waits.part.waiting.saturating_sub(by_user_code);
        let (threads, scale) = (&self.waiting_threads, waits.scale(self.view));
        let thread_text = |&(thread, waiting): &(NodeId, u64)| {
            let name = visible(self.view.name(thread));
            format!("{name} {}", scale.with_unit(waiting))
        };
        let named = threads.iter().map(thread_text);
        let threads = match threads.len() <= MAX_NAMED_THREADS {
            true => named.collect::<Vec<_>>().join(", "),
            false => threads_text(self.view, threads),
        };
        (rest > 0).then_some((rest, threads))
    }

    /// The time, in a metric in which threads may wait, that is neither waiting nor on a processor.
    pub(super) fn neither_running_nor_waiting(&self) -> Option<(u64, u64, String)> {
        let waits = self.waits.as_ref()?;
        let (wall, cpu) = (waits.part.metric(), waits.cpu?);
        if cpu == wall || cpu != self.measure.metric {
            return None;
        }
        let view = self.view;
        let rest = |node: NodeId| {
            let value = |metric| view.tree.inclusive(metric, node);
            let waiting = |metric| view.waiting(metric).within(&view.tree, node);
            let working = value(cpu).saturating_sub(waiting(cpu));
            (value(wall).saturating_sub(waiting(wall))).saturating_sub(working)
        };
        let all = sum(self.subject.roots.iter().map(|&root| rest(root)));
        let threads = view.threads.iter().map(|thread| thread.node);
        let thread = threads.max_by_key(|&thread| (rest(thread), Reverse(thread)))?;
        let name = visible(view.name(thread)).into_owned();
        Some((all, rest(thread).min(all), name))
    }

    /// The part of the total that is waiting, in a metric in which threads may wait.
    pub(super) fn waiting_counted(&self) -> u64 {
        self.waiting_included(true)
    }

    pub(super) fn percent(&self, value: u64) -> f64 {
        percent(value, self.total)
    }

    pub(super) fn number(&self, stored: u64) -> String {
        match stored {
            1..SMALL_NS => self.scale.finer().number(stored),
            _ => self.scale.number(stored),
        }
    }

    pub(super) fn name(&self, frame: FrameId) -> String {
        let frames = &self.view.frames;
        if self.request.has_raw_names {
            return visible(frames.name(frame)).into_owned();
        }
        let name: Cow<str> = match frames.get(frame).kind {
            FrameKind::Method => frames.list_name(frame),
            _ => frames.plain_display_name(frame),
        };
        fit_name(&visible(&name), MAX_NAME_WIDTH)
    }

    fn counts_calls(&self) -> bool {
        let metric = self.view.recording.metric(self.measure.metric);
        metric.counts == Some(CountKind::Calls)
    }

    pub(super) fn calls(&self, id: GroupId) -> Option<u64> {
        let group = self.summary.group(id);
        let has_calls = self.counts_calls() && !group.is_plumbing;
        (has_calls && group.count > 0).then_some(group.count)
    }

    pub(super) fn method_calls(&self, row: &Hotspot) -> Option<u64> {
        row.count.filter(|_| self.counts_calls())
    }

    /// The largest methods outside user code that no user code called.
    pub(super) fn most_without_user_code(&self) -> Vec<(FrameId, u64)> {
        const MAX_METHODS: usize = 3;
        let methods = self.charged.without_user_caller().into_iter();
        let methods = methods.filter(|&(frame, _)| self.view.frames.get(frame).kind.is_code());
        let libraries = self.all.rows.iter().filter(|row| self.is_library(row));
        let libraries =
            libraries.filter_map(|row| Some((row.frame, self.charged.of(self.view, row.frame)?)));
        let methods = methods.chain(libraries);
        let methods = methods.map(|(frame, charged)| (frame, charged.weight()));
        largest(methods.collect(), self.total, MAX_METHODS)
    }

    pub(super) fn group_name(&self, id: GroupId) -> String {
        let group = self.summary.group(id);
        match id {
            _ if group.is_plumbing => PLUMBING.into(),
            GroupId::ROOT => self.subject_name(),
            _ => self.name(group.frame),
        }
    }

    pub(super) fn subject_name(&self) -> String {
        let root = self.subject.roots.first().unwrap_or(&NodeId::ROOT);
        let frame = self.view.tree.frame(*root);
        match self.view.frames.get(frame).kind {
            FrameKind::Root => "[all threads]".into(),
            FrameKind::Thread => format!("[{}]", self.name(frame)),
            _ => self.name(frame),
        }
    }

    fn caveats(&self) -> Vec<String> {
        // the heading states how much waiting is excluded
        let is_new = |alert: &&Diagnostic| {
            use Diagnostic::{ThreadsWait, WaitsOnCpu};
            self.waiting == 0 || !matches!(alert, ThreadsWait { .. } | WaitsOnCpu { .. })
        };
        let alerts = self.measure.alerts(self.view).filter(is_new);
        let mut alerts: Vec<&Diagnostic> = alerts.collect();
        // errors come first, then pitfalls, then remarks that apply to every recording of the kind
        alerts.sort_by_key(|alert| alert.severity() != Severity::Warning);
        let alerts = alerts.into_iter();
        let is_part = self.subject.roots[..] != [NodeId::ROOT];
        let alerts = alerts.map(|alert| {
            let text = alert_words(self.view, self.measure, alert);
            match (is_part, self.waiting > 0 && alert.code() == "gc-polls") {
                (true, _) => messages::about_whole_recording(&text),
                (false, true) => messages::waiting_included(&text),
                (false, false) => text,
            }
        });
        let kind = self.view.recording.source.kind;
        let kind_line = format!("{}: {}", kind.title(), kind.about());
        let thin = self.samples.and_then(|samples| self.thin(samples));
        alerts.chain(thin).chain([kind_line]).collect()
    }

    /// The share below which rows rest on too few samples. It is higher if samples of some threads stand for more time.
    fn thin(&self, samples: u64) -> Option<String> {
        let thin = self.all.rows.iter();
        let thin = thin.filter(|row| row.own_samples.is_some_and(is_thin));
        let largest = thin.map(|row| row.weight(HotspotOrder::Exclusive)).max();
        let largest = self.percent(largest.unwrap_or(0));
        match largest > percent(THIN_SAMPLES, samples) * MIN_SHARE_RISE {
            true => Some(messages::thin_rows(&largest, &THIN_SAMPLES)),
            false => thin_shares(samples),
        }
    }
}

/// The waits of user code, and the threads of the others, largest first.
fn waits_below(view: &View, roots: &[NodeId]) -> Option<(Waits, Vec<(NodeId, u64)>)> {
    let &[within] = roots else {
        return None;
    };
    let request = PartRequest {
        within,
        metric: None,
        waiting: Some(true),
    };
    let mut waits = query::waits(view, &request).ok()?;
    let (mut rows, others): (Vec<Wait>, Vec<Wait>) =
        waits.rows.into_iter().partition(|row| row.user.is_some());
    let mut threads: HashMap<NodeId, u64> = HashMap::new();
    for (thread, waiting) in others.into_iter().flat_map(|row| row.threads) {
        let sum = threads.entry(thread).or_default();
        *sum = sum.saturating_add(waiting);
    }
    let mut threads: Vec<_> = threads.into_iter().collect();
    threads.sort_by_key(|&(thread, waiting)| (Reverse(waiting), thread));
    rows.retain(|row| row.waiting > 0);
    rows.sort_by_key(|row| Reverse(spins(view, waits.cpu, row).then_some(row.on_cpu)));
    waits.rows = rows;
    (waits.part.waiting > 0).then_some((waits, threads))
}

pub(super) struct MethodRows {
    pub rows: Vec<Hotspot>,
    pub listed: usize,
}

impl MethodRows {
    pub(super) fn shown(&self) -> impl Iterator<Item = &Hotspot> {
        self.rows[..self.listed].iter()
    }

    fn new(mut rows: Vec<Hotspot>, total: u64, weight: impl Fn(&Hotspot) -> u64) -> MethodRows {
        rows.retain(|row| weight(row) > 0);
        let inclusive = |row: &Hotspot| row.weight(HotspotOrder::Inclusive);
        rows.sort_by_key(|row| (Reverse((weight(row), inclusive(row))), row.frame));
        let listed = rows.partition_point(|row| percent(weight(row), total) >= MIN_LISTED_PERCENT);
        MethodRows { rows, listed }
    }
}

fn user_rows(view: &View, rows: &[Hotspot], charged: &OwnAndSystem, total: u64) -> MethodRows {
    let is_user = |row: &&Hotspot| view.frames.get(row.frame).category == Category::User;
    let rows = rows.iter().filter(is_user).cloned().collect();
    MethodRows::new(rows, total, |row| {
        let charged = charged.of(view, row.frame);
        charged.map_or(0, ChargedValue::weight)
    })
}

fn spins(view: &View, cpu: Option<MetricId>, row: &Wait) -> bool {
    let inclusive = |cpu| view.tree.inclusive(cpu, NodeId::ROOT);
    cpu.is_some_and(|cpu| percent(row.on_cpu, inclusive(cpu)) >= MIN_NAMED_PERCENT)
}

/// Other code by value, less the user code and waits below it. O(groups).
fn called_by_user_code(
    view: &View,
    measure: Measure,
    summary: &SummaryTree,
    total: u64,
) -> Vec<(FrameId, u64)> {
    const MAX_METHODS: usize = 4;
    let may_wait = view.recording.metric(measure.metric).may_wait();
    let is_user = |id: GroupId| {
        let group = summary.group(id);
        !group.is_plumbing && view.frames.get(group.frame).category == Category::User
    };
    let mut other: Vec<u64> = summary.ids().map(|_| 0).collect();
    let mut sums: HashMap<FrameId, u64> = HashMap::new();
    for id in summary.ids().rev() {
        let group = summary.group(id);
        let waits = match view.frames.get(group.frame).waits(may_wait) && !group.is_plumbing {
            true if group.is_open => group.exclusive,
            true => group.inclusive,
            false => 0,
        };
        let without = (group.inclusive).saturating_sub(other[id.index()].saturating_add(waits));
        let caller = group.caller;
        let is_method = view.frames.get(group.frame).kind.is_code() && !group.is_plumbing;
        if is_method && !is_user(id) && is_user(caller) {
            let sum = sums.entry(group.frame).or_default();
            *sum = sum.saturating_add(without);
        }
        if id != GroupId::ROOT {
            let counted = if is_user(id) { 0 } else { without };
            let other = &mut other[caller.index()];
            *other = other.saturating_add(group.inclusive - counted);
        }
    }
    let called = largest(sums.into_iter().collect(), total, MAX_METHODS);
    let is_worth_a_line =
        |&(_, value): &(FrameId, u64)| percent(value, total) >= MIN_CALLED_PERCENT;
    match called.first().is_some_and(is_worth_a_line) {
        true => called,
        false => Vec::new(),
    }
}

fn largest(mut values: Vec<(FrameId, u64)>, total: u64, max_methods: usize) -> Vec<(FrameId, u64)> {
    values.retain(|&(_, value)| percent(value, total) >= MIN_NAMED_PERCENT);
    values.sort_by_key(|&(frame, value)| (Reverse(value), frame));
    values.truncate(max_methods);
    values
}

fn most_inclusive_user_code(view: &View, rows: &[Hotspot], total: u64) -> Vec<(FrameId, u64)> {
    const MAX_METHODS: usize = 3;
    let is_user = |row: &&Hotspot| view.frames.get(row.frame).category == Category::User;
    let methods = rows.iter().filter(is_user);
    let methods = methods.map(|row| (row.frame, row.weight(HotspotOrder::Inclusive)));
    largest(methods.collect(), total, MAX_METHODS)
}

#[derive(Clone, Copy)]
pub(super) struct Note<'a> {
    pub frame: FrameId,
    pub text: &'a str,
    /// From the profile's author: the user may never have seen it.
    pub is_in_file: bool,
}

impl Note<'_> {
    pub(super) fn visible_text(&self) -> String {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        visible(&words.join(" ")).into_owned()
    }
}

fn notes<'a>(view: &'a View, rows: &[Hotspot]) -> Vec<Note<'a>> {
    let notes = &view.recording.method_notes;
    let noted = rows.iter();
    let noted = noted.filter_map(|row| Some((row, notes.of(&view.frames, row.frame)?)));
    let mut noted: Vec<(&Hotspot, &str)> = noted.collect();
    noted.sort_by_key(|(row, _)| (Reverse(row.inclusive), row.frame));
    let note = |(row, text): (&Hotspot, &'a str)| Note {
        frame: row.frame,
        text,
        is_in_file: view.recording.own_notes.of(&view.frames, row.frame) == Some(text),
    };
    noted.into_iter().map(note).collect()
}
