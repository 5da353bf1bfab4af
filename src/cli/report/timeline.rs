//! `dotspot timeline`.

use super::{how_to_see, print_left_out, value_head, write_fitting};
use crate::cli::args::TimelineArgs;
use crate::cli::messages;
use crate::cli::print::{Printer, TextTable};
use crate::cli::read::{changed, print_warnings, read};
use crate::model::View;
use crate::query::{self, TimelineAnswer, node_named};
use crate::text::fit_end;
use crate::units::{counted, seconds_rounded};
use anyhow::Result;

const NAME_CELLS: usize = 32;
const OTHER_CELLS: usize = NAME_CELLS + 22;
const MIN_CELLS: usize = 12;
const MAX_CELLS: usize = 120;
const JSON_BUCKETS: usize = 100;

pub(crate) fn timeline(to: &mut Printer, args: &TimelineArgs) -> Result<()> {
    let (source, output) = (&args.answer.source, args.answer.output);
    let view = changed(read(source, false)?, &args.tree_options.requests()?)?;
    print_warnings(&view);
    let view = view.uncollapsed();
    let mut request = args.metric_options.part(view, source);
    if let Some(label) = &args.node {
        request.within = node_named(view, "--node", label)?;
    }
    let default_buckets = match (output.json, to.width) {
        (true, _) => JSON_BUCKETS,
        (false, Some(width)) => width
            .saturating_sub(OTHER_CELLS)
            .clamp(MIN_CELLS, MAX_CELLS),
        (false, None) => MAX_CELLS,
    };
    let buckets = args.buckets.unwrap_or(default_buckets);
    let max_lanes = output.fitting.max_rows(args.top, 20);
    let found = query::timeline(view, &request, args.by, buckets, args.phases, max_lanes)?;
    let all = found.lanes.len();
    write_fitting(to, output.fitting.budget, all, |to, lanes| {
        let shown = found.first(lanes);
        if output.json {
            return to.json(&shown.document(view));
        }
        text(to, view, &shown)?;
        let how = how_to_see(lanes < all, messages::TOP_0_LISTS_ALL);
        print_left_out(to, (shown.left_out, "lane"), how)
    })
}

fn text(to: &mut Printer, view: &View, found: &TimelineAnswer) -> Result<()> {
    to.wrapped(&found.title(view))?;
    let scale = found.scale(view);
    let unit = scale.unit;
    let buckets = found.timeline.buckets.count;
    let [from, until] =
        [0, buckets].map(|at| seconds_rounded(found.timeline.buckets.boundary_ns(at)));
    let gap = " ".repeat(buckets.saturating_sub(from.len() + until.len()).max(1));
    let has_waits = found.all.waiting() > 0;
    let value = match found.part.leaves_out_waiting() {
        true => value_head("busy", scale),
        false => unit.to_string(),
    };
    let row = |value, waits, name, cells| match has_waits {
        true => vec![value, waits, name, cells],
        false => vec![value, name, cells],
    };
    let (waits, times) = (format!("waits {unit}"), format!("{from}{gap}{until}"));
    let mut table = TextTable::new(row(value, waits, found.by.name().into(), times));
    // a part that is a thread has itself as its only lane
    let lanes = found.lanes.iter();
    let lanes = lanes.filter(|lane| lane.node != found.all.node);
    for lane in std::iter::once(&found.all).chain(lanes) {
        let waits = match lane.waiting() {
            0 => String::new(),
            waiting => scale.number(waiting),
        };
        let value = scale.number(lane.values.total(found.part.counts_waiting));
        let name = fit_end(&lane.name, NAME_CELLS);
        table.push(row(value, waits, name, found.blocks(view, lane)));
    }
    for lane in found.markers.iter().filter(|lane| lane.kind.is_notable()) {
        let buckets = 0..lane.counts.len();
        let cells = buckets.map(|bucket| lane.cell(&found.timeline, bucket..bucket + 1));
        let (value, waits) = (String::new(), String::new());
        table.push(row(value, waits, lane.words(), cells.collect()));
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
