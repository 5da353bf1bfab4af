//! `dotspot hotspots`.

use super::changes::steps_words;
use super::fitting::{how_to_see, write_document, write_fitting};
use super::{estimate, more, share, total_words, value_head};
use crate::analysis::HotspotOrder;
use crate::cli::args::Hotspots;
use crate::cli::options::{Part, Units};
use crate::cli::print::{Table, write_line};
use crate::model::format::thousands;
use crate::model::text::visible;
use crate::model::{CountKind, NodeId, View};
use crate::query::{self, HotspotsRequest};
use crate::text::fit_end;
use anyhow::Result;
use std::io::Write;

/// The narrowest screen that has room for names of threads.
const WITH_THREADS: usize = 110;
/// The cells that the name of a thread takes at most.
const THREAD_CELLS: usize = 24;

/// How to see what `--top` has left out.
const TOP_ALL: &str = "--top 0 lists all";

/// Prints the methods in which the time goes.
pub(crate) fn hotspots(
    out: &mut dyn Write,
    view: &View,
    args: &Hotspots,
    width: Option<usize>,
) -> Result<()> {
    // rows that stand for several frames have no name, but their frames have
    let view = view.unfolded();
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
    let &query::Hotspots {
        ref selection,
        is_user_code,
        order,
        ref rows,
        left_out,
    } = found;
    let metric = view.metric(selection.metric());
    let whole = selection.whole(view);
    let scale = units.scale(metric.unit, selection.total(view));
    let words = total_words(
        view,
        selection.measure,
        scale,
        (selection.total(view), selection.waiting(view)),
    );
    let only = if is_user_code { ", user code only" } else { "" };
    let head = format!(
        "{}: {words}, by {} value{only}",
        selection.words,
        order.name()
    );
    write_line(out, &fit_end(&head, width.unwrap_or(usize::MAX)))?;
    steps_words(view, selection.metric(), scale)
        .iter()
        .try_for_each(|words| write_line(out, words))?;
    let (exclusive, inclusive) = (value_head("excl", scale), value_head("incl", scale));
    let mut heads = vec![exclusive.as_str(), "%", inclusive.as_str(), "%"];
    heads.extend(metric.counts.map(CountKind::name));
    // what tracing is read by; a sample is no call, and has no average
    let averages =
        (metric.counts == Some(CountKind::Calls)).then(|| units.scale_of_averages(metric.unit));
    let per_call = averages.map(|scale| match order {
        HotspotOrder::Exclusive => value_head("excl", scale) + "/call",
        HotspotOrder::Inclusive => value_head("incl", scale) + "/call",
    });
    heads.extend(per_call.as_deref());
    let threads: Vec<Option<&str>> = rows
        .iter()
        .map(|row| found.hottest_thread(view, row))
        .collect();
    // beside a narrow screen's numbers there is only room for names
    let has_threads =
        width.is_none_or(|width| width >= WITH_THREADS) && threads.iter().any(Option::is_some);
    heads.extend(has_threads.then_some("top thread"));
    heads.push("method");
    let mut table = Table::new(&heads);
    for (row, thread) in rows.iter().zip(threads) {
        let value = |order| {
            let value = row.value(order);
            [
                estimate(scale, value, metric.is_rough(value, row.samples(order))),
                share(row.weight(order), value, whole),
            ]
        };
        let mut cells = [
            value(HotspotOrder::Exclusive),
            value(HotspotOrder::Inclusive),
        ]
        .concat();
        cells.extend(metric.counts.map(|_| thousands(row.count.unwrap_or(0))));
        cells.extend(averages.map(|scale| {
            row.per_call(order)
                .map_or(String::new(), |value| scale.number(value))
        }));
        cells.extend(has_threads.then(|| fit_end(&visible(thread.unwrap_or("")), THREAD_CELLS)));
        cells.push(view.frames.list_name(row.frame).into_owned());
        table.push(cells);
    }
    table.write(out, width)?;
    let outside = selection.outside_methods(view);
    if outside > 0 {
        write_line(
            out,
            &format!(
                "({} in no method: the threads' own)",
                scale.with_unit(outside)
            ),
        )?;
    }
    if is_user_code && rows.is_empty() {
        write_line(
            out,
            "(no user code here: --user-code PREFIX says which modules and namespaces are)",
        )?;
    }
    if left_out > 0 {
        write_line(
            out,
            &format!("({}: {how_to_see_more})", more(left_out, "method")),
        )?;
    }
    Ok(())
}
