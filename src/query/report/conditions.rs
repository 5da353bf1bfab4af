//! The conditions of a recording that decide what its numbers are worth: how busy the processors were, how the program was built, what
//! the garbage collector took.

use crate::analysis::{Hotspot, HotspotOrder};
use crate::model::{MOSTLY_PERCENT, MarkerKind, Measure, MetricId, NodeId, View};
use crate::query::markers::marker_lines_of;
use crate::query::messages;
use crate::query::timeline::Tenths;
use crate::query::waits::only_runs;
use crate::text::{fit_end, visible};
use crate::units::{Scale, Unit, percent, seconds_rounded};
use std::cmp::Reverse;
use std::collections::HashMap;

/// This many threads busy at once means that one works all the time, apart from pauses: what it does may be the
/// bottleneck.
const ONE_THREAD: f64 = 0.9;
/// Below this share of the processors, a program is not bound by them.
const BUSY_PERCENT: f64 = 70.0;

/// The most threads that are named.
const MAX_BUSIEST: usize = 6;
const MAX_NAME_CELLS: usize = 40;

/// The most modules that are named, and the least share of each.
const MODULES: usize = 5;
const LEAST_PERCENT: f64 = 1.0;

/// A line for each condition that is known; for a part of a recording, only those that hold for it, too.
pub(super) fn conditions(view: &View, measure: Measure, is_everything: bool) -> Vec<String> {
    let of_all = |condition: fn(&View) -> Option<String>| is_everything.then(|| condition(view));
    let tenths = is_everything.then(|| Tenths::of(view, measure.metric));
    let tenths = tenths.flatten();
    let lines = [
        processor_use(view, measure.metric, tenths.as_ref()).filter(|_| is_everything),
        busiest(view, measure).filter(|_| is_everything),
        of_all(no_waits).flatten(),
        of_all(collections).flatten(),
        tenths.and_then(|tenths| over_time(view, measure, &tenths)),
    ];
    lines.into_iter().flatten().collect()
}

fn fact<'a>(view: &'a View, name: &str) -> Option<&'a str> {
    let facts = &view.recording.source.facts;
    let fact = facts.iter().find(|(key, _)| key == name)?;
    Some(&fact.1)
}

/// How many processors there were, where the source says so.
pub fn processors(view: &View) -> Option<u64> {
    let processors = fact(view, "processors")?.parse().ok();
    processors.filter(|&processors| processors > 0)
}

/// `CPU use: 5.2 s on 2 processors in 8.1 s: 32 %; 2.8 s without waits and spins: 17 %, not CPU-bound`. What waits or spins does not bind a
/// program.
fn processor_use(view: &View, metric: MetricId, tenths: Option<&Tenths>) -> Option<String> {
    let cpu = view.recording.metric_named("CPU")?;
    // where another metric is the default one, CPU time says little
    let is_time = view.recording.metric(cpu).unit == Unit::Milliseconds
        && view.recording.default_metric == cpu;
    let processors = processors(view)?;
    let duration = fact(view, "duration")?.strip_suffix(" s")?;
    let duration_ns = (duration.replace(',', "").parse::<f64>().ok()? * 1e9) as u64;
    if !is_time || processors == 0 || duration_ns == 0 || view.range().is_some() {
        return None;
    }
    // of the chosen threads, whatever was dropped of them
    let used = view.base().tree.inclusive(cpu, NodeId::ROOT);
    let work = Measure {
        metric: cpu,
        counts_waiting: false,
    };
    let worked = work.inclusive(view.base(), NodeId::ROOT);
    let [share, share_at_work] =
        [used, worked].map(|value| percent(value, duration_ns.saturating_mul(processors)));
    let most = match tenths.filter(|_| metric == cpu) {
        Some(tenths) => tenths.most_at_work(),
        None => Tenths::of(view, cpu).map_or(0.0, |tenths| tenths.most_at_work()),
    };
    let bound = match most {
        _ if share_at_work >= BUSY_PERCENT => messages::CPU_BOUND.to_string(),
        threads if threads >= ONE_THREAD => messages::up_to_threads_busy(&threads),
        _ => messages::NOT_CPU_BOUND.to_string(),
    };
    let duration = seconds_rounded(duration_ns);
    let [text, text_at_work] = [used, worked].map(|value| Scale::SECONDS.with_unit(value));
    let at_work = match used - worked {
        0 => String::new(),
        _ => messages::use_at_work(&text_at_work, &share_at_work),
    };
    let whole = messages::processor_use(&text, &processors, &duration, &share);
    let why = if share > 100.0 {
        messages::MORE_THAN_PROCESSORS
    } else {
        ""
    };
    Some(format!("{whole}{why}{at_work}, {bound}"))
}

/// `Busiest threads, % of CPU: Thread (11054) .NET pool 28.1, …`, or processes where the view has several.
fn busiest(view: &View, measure: Measure) -> Option<String> {
    let processes = view.processes.iter().map(|process| process.node);
    let mut rows: Vec<NodeId> = processes.collect();
    let mut noun = "processes";
    if rows.len() < 2 {
        (rows, noun) = (
            view.threads.iter().map(|thread| thread.node).collect(),
            "threads",
        );
    }
    if rows.len() < 2 {
        return None;
    }
    // who only waits is not busy, whether that counts or not
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
    let named = named.filter(|&&row| share(row) >= LEAST_PERCENT);
    let text = |&row: &NodeId| {
        let name = fit_end(&visible(view.name(row)), MAX_NAME_CELLS);
        let value = view.tree.inclusive(measure.metric, row);
        let waits = percent(view.waiting(measure.metric).within(&view.tree, row), value);
        match measure.counts_waiting && waits >= MOSTLY_PERCENT {
            true => messages::share_of_thread_that_waits(&name, &share(row), &waits),
            false => format!("{name} {:.1}", share(row)),
        }
    };
    let texts: Vec<String> = named.map(text).collect();
    let name = visible(&view.recording.metric(measure.metric).name);
    let name = match is_counted {
        true => messages::without_all_waiting(&name),
        false => name.into_owned(),
    };
    (!texts.is_empty()).then(|| messages::busiest(&noun, &name, &texts.join(", ")))
}

/// That waits are not recorded, where all samples are of threads that run.
fn no_waits(view: &View) -> Option<String> {
    only_runs(view).then(|| messages::WAITS_NOT_RECORDED.into())
}

/// What the garbage collector did, and for how long it stopped the program; that nothing is known of it where the runtime could have
/// reported it.
fn collections(view: &View) -> Option<String> {
    let is_of_collector = |kind| matches!(kind, MarkerKind::Collection | MarkerKind::Pause);
    let lines = marker_lines_of(view, is_of_collector);
    // `3 GC pauses, together …` of `GC pauses` and `3, together …`
    let line = |(what, text): (&str, String)| {
        let end = text.find([':', ' ']).unwrap_or(text.len());
        let (count, rest) = text.split_at(end);
        let (count, comma) = count
            .strip_suffix(',')
            .map_or((count, ""), |count| (count, ","));
        let what = what
            .strip_suffix('s')
            .filter(|_| count == "1")
            .unwrap_or(what);
        format!("{count} {what}{comma}{rest}")
    };
    let lines: Vec<String> = lines.into_iter().map(line).collect();
    match lines.is_empty() {
        true if view.recording.source.format == "nettrace" => {
            Some(messages::COLLECTIONS_NOT_RECORDED.into())
        }
        true => None,
        false => Some(messages::collections(&lines.join("; "))),
    }
}

/// `CPU time over the recording, % in each tenth: 9 12 11 …`.
fn over_time(view: &View, measure: Measure, tenths: &Tenths) -> Option<String> {
    let name = visible(&view.recording.metric(measure.metric).name);
    let shares = tenths.shares(measure.counts_waiting)?;
    Some(messages::over_time(&name, &shares))
}

/// `By module, exclusive %: System.Private.CoreLib 62.1, OrderedConsume 33.6`, where there are several, of the methods of all.
pub(super) fn by_module(view: &View, methods: &[Hotspot], total: u64) -> Option<String> {
    let mut sums: HashMap<&str, u64> = HashMap::new();
    for method in methods {
        let sum = sums.entry(view.frames.module(method.frame)).or_default();
        *sum = sum.saturating_add(method.weight(HotspotOrder::Exclusive));
    }
    let mut modules: Vec<(&str, u64)> = sums.into_iter().collect();
    modules.sort_by_key(|&(name, sum)| (Reverse(sum), name));
    let shares = modules
        .into_iter()
        .map(|(name, sum)| (name, percent(sum, total)));
    let text = |(name, share): (&str, f64)| match name {
        "" => format!("[no module] {share:.1}"),
        name => format!("{} {share:.1}", visible(name)),
    };
    let first = shares
        .take(MODULES)
        .filter(|&(_, share)| share >= LEAST_PERCENT);
    let texts: Vec<String> = first.map(text).collect();
    (texts.len() > 1).then(|| messages::by_module(&texts.join(", ")))
}
