//! `dotspot waits`.

use super::fitting::{say_left_out, write_document, write_fitting};
use super::is_wide;
use crate::cli::args::WaitsArgs;
use crate::cli::messages;
use crate::cli::print::{Printer, TextTable};
use crate::cli::read::{changed, read_program, say_warnings};
use crate::model::View;
use crate::query::{self, PartRequest, WaitCells, Waits};
use crate::text::fit_end;
use anyhow::Result;

/// The maximum cells of thread names.
const THREADS_CELLS: usize = 24;
/// The same where there is room.
const WIDE_THREADS_CELLS: usize = 64;

/// Prints the waits.
pub(crate) fn waits(to: &mut Printer, args: &WaitsArgs) -> Result<()> {
    let view = changed(read_program(&args.source)?, &args.tree_options.requests()?)?;
    say_warnings(&view);
    let view = view.uncollapsed();
    let request = PartRequest {
        within: query::root(view, &args.source.reading.threads.request()),
        metric: args.metric.as_deref(),
        waiting: Some(true),
    };
    let fitting = args.output.fitting;
    let found = query::waits(view, &request)?;
    let found = match fitting.most(args.top, 20) {
        0 => found,
        most => found.first(most),
    };
    write_fitting(to, fitting.budget, found.rows.len(), |to, rows| {
        let shown = found.first(rows);
        if args.output.json {
            return write_document(to, fitting.budget, &shown.document(view));
        }
        text(to, view, &shown)?;
        say_left_out(to, (shown.left_out, "row"), rows < found.rows.len())
    })
}

fn text(to: &mut Printer, view: &View, found: &Waits) -> Result<()> {
    to.line(&found.title(view))?;
    let unit = found.scale(view).unit();
    let is_cpu = found.is_on_cpu(view);
    let is_wide = is_wide(to);
    let on_cpu = match is_wide {
        true => messages::CPU_IN_WAITS,
        false => messages::ON_CPU,
    };
    let on_cpu = format!("{on_cpu} {unit}");
    let mut heads = match is_cpu {
        true => vec![on_cpu, "%".into()],
        false => vec![format!("waits {unit}"), "%".into(), on_cpu],
    };
    heads.extend(["threads".into(), "user method: waits in".into()]);
    let mut table = TextTable::new(heads);
    for cells in found.cells(view) {
        // on narrow screens there is room for what matters most
        let wait = match is_wide {
            true => cells.whole_wait(),
            false => cells.wait.clone(),
        };
        let WaitCells {
            waiting,
            share,
            on_cpu,
            user,
            kind,
            threads,
            ..
        } = cells;
        let cells = if is_wide {
            WIDE_THREADS_CELLS
        } else {
            THREADS_CELLS
        };
        let threads = fit_end(&threads, cells);
        let mut row = vec![waiting, share];
        row.extend((!is_cpu).then_some(on_cpu));
        let kind = kind.filter(|_| is_wide);
        let kind = kind.map_or(String::new(), |kind| format!(", {kind}"));
        row.extend([threads, format!("{user}: {wait}{kind}")]);
        table.push(row);
    }
    to.table(&table)
}
