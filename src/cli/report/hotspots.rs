//! `dotspot hotspots`.

use super::changes::steps_words;
use super::fitting::{how_to_see, write_document, write_fitting};
use super::{AnswerPage, cells, more, table, total_words};
use crate::analysis::{Hotspot, HotspotOrder};
use crate::cli::args::HotspotsArgs;
use crate::cli::messages;
use crate::cli::options::{PartArgs, Units};
use crate::cli::print::Printer;
use crate::model::{NodeId, View};
use crate::query::Column::*;
use crate::query::{self, HotspotsRequest, TableRow};
use crate::text::{fit_end, visible};
use anyhow::Result;

/// The narrowest screen that has room for names of threads.
const WITH_THREADS: usize = 110;
/// The cells that the name of a thread takes at most.
const THREAD_CELLS: usize = 24;

/// How to see what `--top` has left out.
const TOP_ALL: &str = "--top 0 lists all";
const NO_USER_CODE: &str = messages::NO_USER_CODE;

/// Prints the methods in which the time goes.
pub(crate) fn hotspots(to: &mut Printer, view: &View, args: &HotspotsArgs) -> Result<()> {
    // rows that stand for several frames have no name, but their frames have
    let view = view.uncollapsed();
    let within = query::root(view, &args.source.reading.threads.request());
    let found = query::hotspots(view, &request(args, within))?;
    let all = found.rows.len();
    write_fitting(to, args.fitting, all, |to, rows| {
        let (found, more) = (found.first(rows), how_to_see(rows, all, TOP_ALL));
        match args.json {
            true => write_document(to, args.fitting, &found.document(view)),
            false => text(to, view, (&found, more), args.units),
        }
    })
}

fn request(args: &HotspotsArgs, within: NodeId) -> HotspotsRequest<'_> {
    let PartArgs { weighing, under } = &args.part;
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
    to: &mut Printer,
    view: &View,
    (found, how_to_see_more): (&query::Hotspots, &str),
    units: Units,
) -> Result<()> {
    let (selection, metric) = (
        &found.selection,
        view.recording.metric(found.selection.metric()),
    );
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
    let mut above = vec![fit_end(&head, to.width.unwrap_or(usize::MAX))];
    above.extend(steps_words(view, selection.metric(), scale));
    let mut remarks = Vec::new();
    let outside = selection.outside_methods(view);
    if outside > 0 {
        let outside = scale.with_unit(outside);
        remarks.push(messages::outside_methods(&outside));
    }
    if found.is_user_code && found.rows.is_empty() {
        remarks.push(NO_USER_CODE.into());
    }
    if found.left_out > 0 {
        let more = more(found.left_out, "method");
        remarks.push(format!("{more}: {how_to_see_more}"));
    }
    // beside a narrow screen's numbers there is only room for names
    let has_room = to.width.is_none_or(|width| width >= WITH_THREADS);
    let rows = found
        .rows
        .iter()
        .map(|row| row_of(view, found, row, has_room));
    let rows: Vec<TableRow> = rows.collect();
    let per_call = match found.order {
        HotspotOrder::Exclusive => ExclusivePerCall,
        HotspotOrder::Inclusive => InclusivePerCall,
    };
    let shares = [Exclusive, ExclusiveShare, Inclusive, InclusiveShare];
    let columns = [&shares[..], &[Count, per_call, Thread]].concat();
    let cells = cells(metric, scale, units, selection.whole(view));
    let table = table(&cells, &columns, "method", &rows);
    AnswerPage {
        above,
        table,
        remarks,
    }
    .write(to)
}

fn row_of<'a>(
    view: &'a View,
    found: &query::Hotspots,
    row: &Hotspot,
    has_room: bool,
) -> TableRow<'a> {
    let thread = if has_room {
        found.hottest_thread(view, row)
    } else {
        None
    };
    TableRow {
        thread: fit_end(&visible(thread.unwrap_or("")), THREAD_CELLS),
        ..TableRow::of_method(view, found.selection.measure, row)
    }
}
