//! `dotspot timeline`.

use super::fitting::{say_left_out, write_document, write_fitting};
use super::value_head;
use crate::cli::args::TimelineArgs;
use crate::cli::messages;
use crate::cli::print::{Printer, TextTable};
use crate::cli::read::{changed, read, say_warnings};
use crate::model::View;
use crate::query::{self, TimelineAnswer, node_named};
use crate::text::fit_end;
use crate::units::{counted, seconds_rounded};
use anyhow::Result;

/// The maximum cells of lane names.
const NAME_CELLS: usize = 26;
/// The cells of the other columns, and the default cells of a lane.
const OTHER_CELLS: usize = NAME_CELLS + 22;
const CELLS: std::ops::RangeInclusive<usize> = 12..=120;
/// The number of buckets in documents.
const JSON_BUCKETS: usize = 100;

/// Prints values over time.
pub(crate) fn timeline(to: &mut Printer, args: &TimelineArgs) -> Result<()> {
    let view = changed(read(&args.source)?, &args.tree_options.requests()?)?;
    say_warnings(&view);
    let view = view.uncollapsed();
    let mut request = args.metric_options.part(view, &args.source);
    if let Some(label) = &args.node {
        request.within = node_named(view, "--node", label)?;
    }
    let room = to
        .width
        .map_or(*CELLS.end(), |width| width.saturating_sub(OTHER_CELLS));
    let usual = match args.output.json {
        true => JSON_BUCKETS,
        false => room.clamp(*CELLS.start(), *CELLS.end()),
    };
    let buckets = args.buckets.unwrap_or(usual);
    let fitting = args.output.fitting;
    let most = fitting.most(args.top, 20);
    let found = query::timeline(view, &request, args.by, buckets, args.phases, most)?;
    write_fitting(to, fitting.budget, found.lanes.len(), |to, lanes| {
        let shown = found.first(lanes);
        if args.output.json {
            return write_document(to, fitting.budget, &shown.document(view));
        }
        text(to, view, &shown)?;
        say_left_out(to, (shown.left_out, "lane"), lanes < found.lanes.len())
    })
}

fn text(to: &mut Printer, view: &View, found: &TimelineAnswer) -> Result<()> {
    to.wrapped(&found.title(view))?;
    let scale = found.scale(view);
    let unit = scale.unit();
    let buckets = found.timeline.buckets();
    let [from, until] = [0, buckets].map(|at| seconds_rounded(found.timeline.border_ns(at)));
    let gap = buckets.saturating_sub(from.len() + until.len()).max(1);
    let has_waits = found.all.waiting > 0;
    let counts = found.part.counts_waiting;
    let value = match found.part.leaves_out_waiting() {
        true => value_head("busy", scale),
        false => unit.to_string(),
    };
    let row = |value: String, waits: String, name: String, cells: String| {
        let waits = has_waits.then_some(waits);
        [value]
            .into_iter()
            .chain(waits)
            .chain([name, cells])
            .collect::<Vec<_>>()
    };
    let mut table = TextTable::new(row(
        value,
        format!("waits {unit}"),
        found.by.name().into(),
        format!("{from}{}{until}", " ".repeat(gap)),
    ));
    for lane in std::iter::once(&found.all).chain(&found.lanes) {
        let waits = (lane.waiting > 0).then(|| scale.number(lane.waiting));
        let name = fit_end(&lane.name, NAME_CELLS);
        let blocks = found.blocks(view, lane);
        table.push(row(
            scale.number(lane.value(counts)),
            waits.unwrap_or_default(),
            name,
            blocks,
        ));
    }
    for lane in found.markers.iter().filter(|lane| lane.kind.is_notable()) {
        let buckets = 0..lane.counts.len();
        let cells = buckets.map(|bucket| lane.cell(&found.timeline, bucket..bucket + 1));
        table.push(row(
            String::new(),
            String::new(),
            lane.words(),
            cells.collect(),
        ));
    }
    to.table(&table)?;
    let phases = found.phase_lines(view);
    if !phases.is_empty() {
        to.line("")?;
        to.wrapped(&messages::phases(&counted(phases.len() as u64, "phase")))?;
        phases.iter().try_for_each(|line| to.wrapped(line))?;
    }
    Ok(())
}
