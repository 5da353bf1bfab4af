//! `dotspot hotspots`.

use super::changes::steps_words;
use super::fitting::{how_to_see, write_document, write_fitting};
use super::{Page, estimate, more, share, total_words, value_head};
use crate::analysis::HotspotOrder;
use crate::cli::args::Hotspots;
use crate::cli::messages;
use crate::cli::options::{Part, Units};
use crate::cli::print::Table;
use crate::model::{CountKind, NodeId, View};
use crate::query::{self, HotspotsRequest};
use crate::text::fit_end;
use crate::text::visible;
use crate::units::{Scale, thousands};
use anyhow::Result;
use std::io::Write;

/// The narrowest screen that has room for names of threads.
const WITH_THREADS: usize = 110;
/// The cells that the name of a thread takes at most.
const THREAD_CELLS: usize = 24;

/// How to see what `--top` has left out.
const TOP_ALL: &str = "--top 0 lists all";
const NO_USER_CODE: &str = messages::NO_USER_CODE_HERE_USER;

/// Prints the methods in which the time goes.
pub(crate) fn hotspots(
    out: &mut dyn Write,
    view: &View,
    args: &Hotspots,
    width: Option<usize>,
) -> Result<()> {
    // rows that stand for several frames have no name, but their frames have
    let view = view.uncollapsed();
    let within = query::root(view, &args.source.reading.threads.request());
    let found = query::hotspots(view, &request(args, within))?;
    let all = found.rows.len();
    write_fitting(out, args.fitting, all, |out, rows| {
        let (found, more) = (found.first(rows), how_to_see(rows, all, TOP_ALL));
        match args.json {
            true => write_document(out, args.fitting, &found.document(view)),
            false => text(out, view, (&found, more), args.units, width),
        }
    })
}

fn request(args: &Hotspots, within: NodeId) -> HotspotsRequest<'_> {
    let Part { weighing, under } = &args.part;
    let (metric, under, waiting) = (
        weighing.metric.as_deref(),
        under.as_deref(),
        weighing.counts_waiting(),
    );
    let is_user_code = args.only_user_code;
    let order = HotspotOrder::from(args.by);
    HotspotsRequest {
        within,
        metric,
        waiting,
        under,
        is_user_code,
        order,
        most: args.fitting.most(args.top, 20),
    }
}

fn text(
    out: &mut dyn Write,
    view: &View,
    (found, how_to_see_more): (&query::Hotspots, &str),
    units: Units,
    width: Option<usize>,
) -> Result<()> {
    let (selection, metric) = (&found.selection, view.metric(found.selection.metric()));
    let total = selection.total(view);
    let scale = units.scale(metric.unit, total);
    let waiting = selection.waiting(view);
    let head = format!(
        "{}: {}, by {} value{}",
        selection.words,
        total_words(view, selection.measure, scale, (total, waiting)),
        found.order.name(),
        if found.is_user_code {
            ", user code only"
        } else {
            ""
        }
    );
    let mut above = vec![fit_end(&head, width.unwrap_or(usize::MAX))];
    above.extend(steps_words(view, selection.metric(), scale));
    let mut remarks = Vec::new();
    let outside = selection.outside_methods(view);
    if outside > 0 {
        let outside = scale.with_unit(outside);
        remarks.push(messages::no_method_threads_own(&outside));
    }
    if found.is_user_code && found.rows.is_empty() {
        remarks.push(NO_USER_CODE.into());
    }
    if found.left_out > 0 {
        let more = more(found.left_out, "method");
        remarks.push(format!("{more}: {how_to_see_more}"));
    }
    // what tracing is read by; a sample is no call, and has no average
    let averages =
        (metric.counts == Some(CountKind::Calls)).then(|| units.scale_of_averages(metric.unit));
    // beside a narrow screen's numbers there is only room for names
    let has_room = width.is_none_or(|width| width >= WITH_THREADS);
    let page = Page {
        above,
        table: table(view, found, (scale, averages), has_room),
        remarks,
    };
    page.write(out, width)
}

/// The rows, with the thread in which each has most if there `has_room`.
fn table(
    view: &View,
    found: &query::Hotspots,
    (scale, averages): (Scale, Option<Scale>),
    has_room: bool,
) -> Table {
    let metric = view.metric(found.selection.metric());
    let counts = metric.counts;
    let (order, whole) = (found.order, found.selection.whole(view));
    let (exclusive, inclusive) = (value_head("excl", scale), value_head("incl", scale));
    let mut heads = vec![exclusive.as_str(), "%", inclusive.as_str(), "%"];
    heads.extend(counts.map(CountKind::name));
    let per_call = averages.map(|scale| match order {
        HotspotOrder::Exclusive => value_head("excl", scale) + "/call",
        HotspotOrder::Inclusive => value_head("incl", scale) + "/call",
    });
    heads.extend(per_call.as_deref());
    let threads = found.rows.iter().map(|row| found.hottest_thread(view, row));
    let threads: Vec<Option<&str>> = threads.collect();
    let has_threads = has_room && threads.iter().any(Option::is_some);
    heads.extend(has_threads.then_some("top thread"));
    heads.push("method");
    let mut table = Table::new(&heads);
    for (row, thread) in found.rows.iter().zip(threads) {
        let mut cells = Vec::new();
        for order in [HotspotOrder::Exclusive, HotspotOrder::Inclusive] {
            let value = row.value(order);
            let is_rough = metric.is_rough(value, row.samples(order));
            cells.push(estimate(scale, value, is_rough));
            cells.push(share(row.weight(order), value, whole));
        }
        cells.extend(counts.map(|_| thousands(row.count.unwrap_or(0))));
        let per_call = |scale: Scale| row.per_call(order).map(|value| scale.number(value));
        cells.extend(averages.map(|scale| per_call(scale).unwrap_or_default()));
        cells.extend(has_threads.then(|| fit_end(&visible(thread.unwrap_or("")), THREAD_CELLS)));
        cells.push(view.frames.list_name(row.frame).into_owned());
        table.push(cells);
    }
    table
}
