//! `dotspot waits`.

use super::{how_to_see, is_wide, print_left_out, write_fitting};
use crate::cli::args::WaitsArgs;
use crate::cli::messages;
use crate::cli::print::{Printer, TextTable};
use crate::cli::read::{changed, print_warnings, read};
use crate::model::View;
use crate::query::{self, PartRequest, Waits};
use crate::text::fit_end;
use anyhow::Result;

const THREADS_CELLS: usize = 24;
const WIDE_THREADS_CELLS: usize = 64;

pub(crate) fn waits(to: &mut Printer, args: &WaitsArgs) -> Result<()> {
    let (source, output) = (&args.answer.source, args.answer.output);
    let view = changed(read(source, true)?, &args.tree_options.requests()?)?;
    print_warnings(&view);
    let view = view.uncollapsed();
    let request = PartRequest {
        within: query::root(view, &source.reading.threads.request()),
        metric: args.metric.as_deref(),
        waiting: Some(true),
    };
    let fitting = output.fitting;
    let found = query::waits(view, &request)?;
    let found = match fitting.max_rows(args.top, 20) {
        0 => found,
        max_rows => found.first(max_rows),
    };
    let all = found.rows.len();
    write_fitting(to, fitting.budget, all, |to, rows| {
        let shown = found.first(rows);
        if output.json {
            return to.json(&shown.document(view));
        }
        text(to, view, &shown)?;
        let how = how_to_see(rows < all, messages::TOP_0_LISTS_ALL);
        print_left_out(to, (shown.left_out, "row"), how)
    })
}

fn text(to: &mut Printer, view: &View, found: &Waits) -> Result<()> {
    to.line(&found.title(view))?;
    let (unit, is_cpu, is_wide) = (found.scale(view).unit, found.is_on_cpu(view), is_wide(to));
    let has_cpu = found.most_on_cpu().is_some() && !is_cpu;
    let (on_cpu, threads_cells) = match is_wide {
        true => (messages::CPU_IN_WAITS, WIDE_THREADS_CELLS),
        false => (messages::ON_CPU, THREADS_CELLS),
    };
    let on_cpu = format!("{on_cpu} {unit}");
    let first = match is_cpu {
        true => on_cpu.clone(),
        false => format!("waits {unit}"),
    };
    let mut heads = vec![first, "%".into()];
    heads.extend(has_cpu.then_some(on_cpu));
    heads.extend(["threads".into(), "user method: waits in".into()]);
    let mut table = TextTable::new(heads);
    for cells in found.cells(view) {
        let wait = match (is_wide, &cells.kind) {
            (true, Some(kind)) => format!("{}, {kind}", cells.whole_wait()),
            (true, None) => cells.whole_wait(),
            (false, _) => cells.wait,
        };
        let mut row = vec![cells.waiting, cells.share];
        row.extend(has_cpu.then_some(cells.on_cpu));
        let threads = fit_end(&cells.threads, threads_cells);
        row.extend([threads, format!("{}: {wait}", cells.user)]);
        table.push(row);
    }
    to.table(&table)
}
