use super::MIN_REPORTED_PERCENT;
use crate::analysis::{Hotspot, HotspotOrder};
use crate::diagnostics::Diagnostic;
use crate::model::{MOSTLY_PERCENT, MarkerKind, Measure, MetricId, NodeId, ProfileKind, View};
use crate::query::markers::{self, counted_markers, marker_lines_of};
use crate::query::messages;
use crate::query::timeline::{Tenths, processors};
use crate::query::waits::has_only_running_samples;
use crate::text::{fit_end, visible};
use crate::units::{Scale, Unit, percent, seconds_rounded};
use std::cmp::Reverse;
use std::collections::HashMap;

/// With at least this many threads busy at once, one thread works nearly all the time and may be the bottleneck.
const ONE_THREAD: f64 = 0.9;
/// With at most this many threads busy at once, hardly anything runs in parallel.
const SERIAL: f64 = 1.2;
const CPU_BOUND_PERCENT: f64 = 70.0;

const CPU_INCOMPLETE: Diagnostic = Diagnostic::CpuIncomplete {};
/// Formats that record only .NET, and may lack garbage collector events.
const DOTNET_FORMATS: [&str; 3] = ["nettrace", "dtp", "etl"];

const MAX_BUSIEST: usize = 6;
const MAX_NAME_CELLS: usize = 40;

const MAX_MODULES: usize = 5;
const MIN_PERCENT: f64 = 1.0;

pub(super) fn conditions(
    view: &View,
    measure: Measure,
    methods: &[Hotspot],
    total: u64,
) -> Vec<String> {
    let tenths = Tenths::of(view, measure.metric);
    let lines = [
        processor_use(view, measure.metric, tenths.as_ref()),
        busiest(view, measure),
        has_only_running_samples(view).then(|| messages::WAITS_NOT_RECORDED.into()),
        collections(view),
        tenths.and_then(|tenths| over_time(view, measure, &tenths)),
        by_module(view, methods, total),
    ];
    lines.into_iter().flatten().collect()
}

/// The length of the recording, according to the source, or else its samples or threads.
fn duration_ns(view: &View, metric: MetricId) -> Option<u64> {
    let threads = view.threads.iter().map(|thread| thread.node);
    let longest = threads.map(|thread| view.tree.inclusive(metric, thread));
    let samples = view.recording.samples.as_ref().ok();
    // without samples, a thread that lived throughout
    let found = samples.map_or_else(|| longest.max(), |samples| Some(samples.span_ns));
    markers::duration_ns(view)
        .or(found)
        .filter(|&found| found > 0)
}

/// `CPU use: 5.2 s on 2 processors in 8.1 s: 32 %; 2.8 s without waits and spins: 17 %, not CPU-bound`, or why it is
/// unknown.
fn processor_use(view: &View, metric: MetricId, tenths: Option<&Tenths>) -> Option<String> {
    let (recording, cpu) = (&view.recording, view.recording.default_metric);
    let cpu_metric = recording.metric(cpu);
    let is_sampled = recording.source.kind == ProfileKind::Sampling;
    let is_time = cpu_metric.unit == Unit::Milliseconds && is_sampled;
    let is_cpu = is_time && (cpu_metric.is_running_time() || has_only_running_samples(view));
    // a dotTrace sample is running, waiting in a known method, or waiting in native code
    let is_upper_bound = !is_cpu && is_time && recording.source.format == "dtp";
    if view.range().is_some() {
        return None;
    }
    let duration_ns = duration_ns(view, cpu).filter(|_| is_cpu || is_upper_bound);
    let Some(duration_ns) = duration_ns else {
        let why = match recording.source.kind {
            ProfileKind::Tracing => messages::TRACING_IS_ELAPSED.to_string(),
            _ if recording.metric_named("CPU").is_some() => messages::CPU_UNRELIABLE.to_string(),
            _ => messages::not_on_processors(&visible(&cpu_metric.name)),
        };
        return Some(messages::processor_use_unknown(&why));
    };
    if (view.base().tree).inclusive(cpu, NodeId::ROOT) == 0 {
        return Some(messages::processor_use_unknown(&messages::NOTHING_SAMPLED));
    }
    let tenths = match tenths.filter(|_| metric == cpu && view.steps.transforms.is_empty()) {
        Some(tenths) => Some(tenths.busiest_threads()),
        None => Tenths::of(view.base(), cpu).map(|tenths| tenths.busiest_threads()),
    };
    let work = Measure {
        metric: cpu,
        counts_waiting: false,
    };
    let used = ProcessorUse {
        view,
        work,
        is_upper_bound,
        duration_ns,
        tenths,
    };
    Some(used.words())
}

struct ProcessorUse<'a> {
    view: &'a View,
    work: Measure,
    is_upper_bound: bool,
    duration_ns: u64,
    tenths: Option<f64>,
}

impl ProcessorUse<'_> {
    fn words(&self) -> String {
        let view = self.view;
        // dropped stacks count, too: the program did run them
        let worked = self.work.inclusive(view.base(), NodeId::ROOT);
        let used = match self.is_upper_bound {
            true => worked,
            false => (view.base().tree).inclusive(self.work.metric, NodeId::ROOT),
        };
        let scope = match &view.steps.scope.threads {
            threads if threads.has_all() => String::new(),
            threads => format!(" of {}", threads.words(&view.recording)),
        };
        let at_most = if self.is_upper_bound {
            messages::AT_MOST
        } else {
            ""
        };
        let duration = seconds_rounded(self.duration_ns);
        let [text, text_at_work] = [used, worked].map(|value| Scale::SECONDS.with_unit(value));
        let Some(processors) = processors(view) else {
            let average = worked as f64 / self.duration_ns as f64;
            let whole = messages::processor_use_average(&scope, &text, &duration, &average);
            let bound = match average * 100.0 < CPU_BOUND_PERCENT {
                true => messages::NOT_CPU_BOUND,
                false => messages::PROCESSORS_UNKNOWN,
            };
            return format!("{whole}, {bound}");
        };
        let whole = self.duration_ns.saturating_mul(processors);
        let [share, share_at_work] = [used, worked].map(|value| percent(value, whole));
        let at_work = match percent(used - worked, used) < MIN_PERCENT {
            true => String::new(),
            false => messages::use_at_work(&text_at_work, &share_at_work),
        };
        let whole =
            messages::processor_use(&scope, &at_most, &text, &processors, &duration, &share);
        let why = match share > 100.0 {
            true => messages::MORE_THAN_PROCESSORS,
            false => "",
        };
        format!("{whole}{why}{at_work}, {}", self.bound(share_at_work))
    }

    fn bound(&self, share_at_work: f64) -> String {
        let threads = self.view.threads.iter();
        let threads = threads.map(|thread| self.work.inclusive(self.view, thread.node));
        let longest = threads.max().unwrap_or(0);
        let is_single_thread =
            percent(longest, self.work.inclusive(self.view, NodeId::ROOT)) >= MOSTLY_PERCENT;
        let longest = longest as f64 / self.duration_ns as f64;
        let is_incomplete = self.view.diagnostics.contains(&CPU_INCOMPLETE);
        match self.tenths {
            _ if share_at_work >= CPU_BOUND_PERCENT && is_incomplete => {
                messages::PROBABLY_CPU_BOUND.into()
            }
            _ if share_at_work >= CPU_BOUND_PERCENT && self.is_upper_bound => {
                messages::MAYBE_CPU_BOUND.into()
            }
            _ if share_at_work >= CPU_BOUND_PERCENT => messages::CPU_BOUND.into(),
            Some(threads) if is_single_thread && (ONE_THREAD..=SERIAL).contains(&threads) => {
                messages::serial_work(&threads)
            }
            None if longest >= ONE_THREAD => messages::BUSY_THROUGHOUT.into(),
            Some(threads) if threads >= ONE_THREAD => messages::up_to_threads_busy(&threads),
            _ => messages::NOT_CPU_BOUND.into(),
        }
    }
}

/// `Busiest threads, % of CPU: Thread (11054) .NET pool 28.1, …`, or processes if the view has several.
fn busiest(view: &View, measure: Measure) -> Option<String> {
    let processes = view.processes.iter().map(|process| process.node);
    let (mut rows, mut noun) = (processes.collect::<Vec<_>>(), "processes");
    if rows.len() < 2 {
        let threads = view.threads.iter().map(|thread| thread.node);
        (rows, noun) = (threads.collect(), "threads");
    }
    if rows.len() < 2 {
        return None;
    }
    // threads that only wait are not busy, whether waiting counts or not
    let may_wait = view.recording.metric(measure.metric).may_wait();
    let is_counted = may_wait && measure.counts_waiting && view.waiting_total(measure.metric) > 0;
    let measure = Measure {
        counts_waiting: measure.counts_waiting && !may_wait,
        ..measure
    };
    let whole = measure.inclusive(view, NodeId::ROOT);
    let share = |row: NodeId| percent(measure.inclusive(view, row), whole);
    rows.sort_by_key(|&row| (Reverse(measure.inclusive(view, row)), row));
    let named = rows.iter().take(MAX_BUSIEST);
    let named = named.filter(|&&row| share(row) >= MIN_PERCENT);
    let text = |&row: &NodeId| {
        let name = fit_end(&visible(view.name(row)), MAX_NAME_CELLS);
        let value = view.tree.inclusive(measure.metric, row);
        let waits = percent(view.waiting(measure.metric).within(&view.tree, row), value);
        match measure.counts_waiting && waits >= MOSTLY_PERCENT {
            true => messages::share_of_thread_that_waits(&name, &share(row), &waits),
            false => format!("{name} {:.1}", share(row)),
        }
    };
    let mut texts: Vec<String> = named.clone().map(text).collect();
    let rest = rows[texts.len()..].iter().map(|&row| share(row));
    texts.extend(more(rest));
    let name = visible(&view.recording.metric(measure.metric).name);
    let name = match is_counted {
        true => messages::without_all_waiting(&name),
        false => name.into_owned(),
    };
    (!texts.is_empty()).then(|| messages::busiest(&noun, &name, &texts.join(", ")))
}

fn more(shares: impl Iterator<Item = f64>) -> Option<String> {
    let (mut count, mut sum) = (0, 0.0);
    for share in shares.filter(|&share| share > 0.0) {
        (count, sum) = (count + 1, sum + share);
    }
    (sum >= MIN_REPORTED_PERCENT).then(|| messages::more_in_line(&count, &sum))
}

fn collections(view: &View) -> Option<String> {
    let is_collector = |kind| matches!(kind, MarkerKind::Collection | MarkerKind::Pause);
    let lines = marker_lines_of(view, is_collector, counted_markers).into_iter();
    let lines: Vec<String> = lines.map(|(_, text)| text).collect();
    let is_dotnet = DOTNET_FORMATS.contains(&&*view.recording.source.format);
    match lines.is_empty() {
        true => is_dotnet.then(|| messages::COLLECTIONS_NOT_RECORDED.into()),
        false => Some(messages::collections(&lines.join("; "))),
    }
}

/// `CPU time over the recording, % in each tenth: 9 12 11 …`.
fn over_time(view: &View, measure: Measure, tenths: &Tenths) -> Option<String> {
    let name = visible(&view.recording.metric(measure.metric).name);
    let shares = tenths.shares(measure.counts_waiting)?;
    Some(messages::over_time(&name, &shares))
}

/// `By module, exclusive %: System.Private.CoreLib 62.1, OrderedConsume 33.6`.
fn by_module(view: &View, methods: &[Hotspot], total: u64) -> Option<String> {
    let mut sums: HashMap<&str, u64> = HashMap::new();
    for method in methods {
        let sum = sums.entry(view.frames.module(method.frame)).or_default();
        *sum = sum.saturating_add(method.weight(HotspotOrder::Exclusive));
    }
    let mut modules: Vec<(&str, u64)> = sums.into_iter().collect();
    modules.sort_by_key(|&(name, sum)| (Reverse(sum), name));
    let text = |&(name, sum): &(&str, u64)| match name {
        "" => format!("{} {:.1}", messages::NO_MODULE, percent(sum, total)),
        name => format!("{} {:.1}", visible(name), percent(sum, total)),
    };
    let named = modules.iter().take(MAX_MODULES);
    let named = named.take_while(|(_, sum)| percent(*sum, total) >= MIN_PERCENT);
    let mut texts: Vec<String> = named.map(text).collect();
    let rest = modules[texts.len()..].iter();
    texts.extend(more(rest.map(|&(_, sum)| percent(sum, total))));
    (texts.len() > 1).then(|| messages::by_module(&texts.join(", ")))
}

#[cfg(test)]
mod tests;
