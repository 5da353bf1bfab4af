use super::QueryError;
use super::selection::PartRequest;
use super::values::{PartTotal, Value, diagnostic_records, method_names};
use crate::analysis::{self, Wait, sum};
use crate::model::{Measure, MetricId, NodeId, View};
use crate::names::{FrameKind, NO_USER_CALLER, WaitKind, split_module, wait_kind};
use crate::object::{All, IfAny, object};
use crate::query::messages;
use crate::text::visible;
use crate::units::{Scale, counted, percent};
use serde::Serialize;
use std::cmp::Reverse;

const MAX_NAMED_THREADS: usize = 2;
/// A wait is listed as spinning if it is on a processor for at least this percentage of its time.
const SPINS_PERCENT: f64 = 5.0;

#[derive(Clone, Debug)]
pub struct Waits {
    pub part: PartTotal,
    /// The metric in which waits and spins count as running, if there is one.
    pub cpu: Option<MetricId>,
    pub on_cpu: u64,
    pub rows: Vec<Wait>,
    pub left_out: usize,
}

/// Whether all samples of a recording are of running threads, so that nothing is known about waits.
pub(super) fn has_only_running_samples(view: &View) -> bool {
    let default = view.recording.default_metric;
    let metric = view.recording.metric(default);
    // a perf sample is always of a running thread, whatever its event
    let format = &*view.recording.source.format;
    let runs = metric.is_running_time() || ["perfscript", "perfdata"].contains(&format);
    let has_samples = view.tree.inclusive(default, NodeId::ROOT) > 0;
    let mut metrics = view.recording.metric_ids();
    let may_wait = |id| view.recording.metric(id).may_wait();
    runs && has_samples && !metrics.any(may_wait) && view.waiting_total(default) == 0
}

/// In the requested metric, or else in the one with the most waiting.
pub fn waits(view: &View, request: &PartRequest) -> Result<Waits, QueryError> {
    let metric = match request.metric {
        Some(_) => request.measure(view)?.metric,
        None => {
            let may_wait = |&id: &MetricId| view.recording.metric(id).may_wait();
            let all = view.recording.metric_ids().filter(may_wait);
            let largest = all.max_by_key(|&id| view.waiting_total(id));
            largest.unwrap_or(view.recording.default_metric)
        }
    };
    if view.recording.is_comparison() {
        return Err(QueryError::usage(messages::NO_WAITS_OF_COMPARISON));
    }
    let unit = |id| view.recording.metric(id).unit;
    let mut names = ["CPU", "time"].into_iter();
    let cpu = names.find_map(|name| view.recording.metric_named(name));
    let cpu = cpu.filter(|&cpu| unit(cpu) == unit(metric));
    let rows = analysis::waits(view, request.within, metric, cpu);
    let waiting = view.waiting(metric).within(&view.tree, request.within);
    if rows.is_empty() || waiting == 0 && request.metric.is_some() {
        let why = match has_only_running_samples(view) {
            true => messages::ONLY_RUNNING_THREADS,
            false => messages::NOTHING_WAITS,
        };
        return Err(QueryError::usage(why));
    }
    let measure = Measure {
        counts_waiting: true,
        ..view.measure(metric)
    };
    Ok(Waits {
        part: PartTotal::of(view, measure, request.within),
        cpu,
        on_cpu: sum(rows.iter().map(|row| row.on_cpu)),
        rows,
        left_out: 0,
    })
}

pub struct WaitCells {
    pub waiting: String,
    pub share: String,
    /// Empty if no metric counts waits as running.
    pub on_cpu: String,
    pub user: String,
    pub wait: String,
    /// The method in which the wait ends, unless the name of the wait implies it.
    pub leaf: Option<String>,
    pub kind: Option<String>,
    pub threads: String,
}

impl WaitCells {
    /// `Task.Wait → Monitor.Wait`.
    pub fn whole_wait(&self) -> String {
        match &self.leaf {
            Some(leaf) => messages::waits_in(&self.wait, leaf),
            None => self.wait.clone(),
        }
    }
}

impl Waits {
    #[must_use]
    pub fn first(&self, rows: usize) -> Waits {
        Waits {
            rows: self.rows.iter().take(rows).cloned().collect(),
            left_out: self.left_out + self.rows.len().saturating_sub(rows),
            ..*self
        }
    }

    /// `Waits: 66.534 s of wall 71.877 s; waits and spins take 2.429 s of CPU time`.
    pub fn title(&self, view: &View) -> String {
        let scale = self.scale(view);
        let metric = view.recording.metric(self.part.metric());
        let range = view.range().map(|range| format!(", {range}"));
        let on_cpu = match self.on_cpu {
            0 => String::new(),
            on_cpu => messages::waits_on_cpu(&scale.with_unit(on_cpu)),
        };
        let [waiting, total] =
            [self.part.waiting, self.part.total].map(|value| scale.with_unit(value));
        let title = messages::what_waits(&waiting, &visible(&metric.name), &total);
        format!("{title}{}{on_cpu}", range.unwrap_or_default())
    }

    pub fn is_on_cpu(&self, view: &View) -> bool {
        view.recording.metric(self.part.metric()).is_running_time()
    }

    pub fn scale(&self, view: &View) -> Scale {
        let metric = view.recording.metric(self.part.metric());
        Scale::for_values(metric.unit, self.part.waiting)
    }

    pub fn cells(&self, view: &View) -> Vec<WaitCells> {
        let scale = self.scale(view);
        let cells = |row: &Wait| WaitCells {
            waiting: scale.number(row.waiting),
            share: format!("{:.1}", percent(row.waiting, self.part.waiting)),
            on_cpu: match (self.cpu, row.on_cpu) {
                (Some(_), on_cpu @ 1..) => scale.number(on_cpu),
                _ => String::new(),
            },
            user: match row.user {
                Some(user) => view.frames.list_name(user).into_owned(),
                None => NO_USER_CALLER.into(),
            },
            wait: wait_name(view, row),
            leaf: leaf_name(view, row),
            kind: self.kind(view, row),
            threads: threads_text(view, &row.threads),
        };
        self.rows.iter().map(cells).collect()
    }

    /// The index of the row that uses the most CPU time in waits and spins; `None` if none uses any.
    pub fn most_on_cpu(&self) -> Option<usize> {
        let rows = self.rows.iter().enumerate();
        let rows = rows.filter(|(_, row)| row.on_cpu > 0);
        let largest = rows.max_by_key(|&(at, row)| (row.on_cpu, Reverse(at)));
        largest.map(|(at, _)| at)
    }

    /// How it waits: whether it spins, or else what the names of the wait or its leaf suggest.
    fn kind(&self, view: &View, row: &Wait) -> Option<String> {
        if !self.is_on_cpu(view) && percent(row.on_cpu, row.waiting) >= SPINS_PERCENT {
            return Some(messages::spins(&self.scale(view).with_unit(row.on_cpu)));
        }
        let kind = |frame| wait_kind(split_module(view.frames.name(frame)).1);
        let words = match kind(row.wait).or_else(|| kind(row.leaf))? {
            WaitKind::Sleeps => messages::SLEEPS,
            WaitKind::AwaitsTasks => messages::AWAITS_TASKS,
            WaitKind::JoinsThreads => messages::JOINS_THREADS,
            WaitKind::EntersLock => messages::ENTERS_LOCK,
            WaitKind::AwaitsMessages => messages::AWAITS_MESSAGES,
        };
        Some(words.into())
    }

    pub fn document(&self, view: &View) -> impl Serialize {
        let metric = view.recording.metric(self.part.metric());
        let value = |stored| Value::new(metric.unit, stored);
        let thread = |&(thread, waiting): &(NodeId, u64)| {
            object! {
                node: view.node_label(thread),
                name: view.name(thread),
                waiting: value(waiting),
            }
        };
        let row = |row: &Wait| {
            object! {
                user: IfAny(row.user.map(|user| object! { names: All(method_names(view, user)) })),
                waits_in: object! { names: All(method_names(view, row.wait)) },
                leaf: object! { names: All(method_names(view, row.leaf)) },
                kind: IfAny(self.kind(view, row)),
                waiting: value(row.waiting),
                percent: percent(row.waiting, self.part.waiting),
                on_cpu: IfAny(self.cpu.map(|_| value(row.on_cpu))),
                node: view.node_label(row.node),
                threads: row.threads.iter().map(thread).collect::<Vec<_>>(),
            }
        };
        object! {
            head: All(self.part.head("dotspot.waits/1", view)),
            on_cpu_total: IfAny(self.cpu.map(|_| value(self.on_cpu))),
            rows: self.rows.iter().map(row).collect::<Vec<_>>(),
            left_out: self.left_out,
            diagnostics: diagnostic_records(view),
        }
    }
}

fn leaf_name(view: &View, row: &Wait) -> Option<String> {
    let [wait, leaf] = [row.wait, row.leaf].map(|frame| view.frames.list_name(frame));
    let bare = wait.split('(').next().unwrap_or(&wait);
    let is_method = view.frames.get(row.leaf).kind.is_code();
    (is_method && !leaf.starts_with(bare)).then(|| leaf.into_owned())
}

/// Threads in dotTrace profiles also wait outside managed code.
fn wait_name(view: &View, row: &Wait) -> String {
    match view.frames.get(row.wait).kind {
        FrameKind::Method | FrameKind::Special => view.frames.list_name(row.wait).into_owned(),
        _ => messages::NO_MANAGED_CODE.into(),
    }
}

/// `main`, or `5 threads: …`; the number comes first to survive truncation.
pub(super) fn threads_text(view: &View, threads: &[(NodeId, u64)]) -> String {
    let named = threads.iter().take(MAX_NAMED_THREADS);
    let mut names: Vec<_> = named
        .map(|&(thread, _)| visible(view.name(thread)))
        .collect();
    names.extend((threads.len() > MAX_NAMED_THREADS).then_some("…".into()));
    let names = names.join(", ");
    match threads.len() {
        0 | 1 => names,
        several => messages::several_threads(&counted(several as u64, "thread"), &names),
    }
}

#[cfg(test)]
mod tests;
