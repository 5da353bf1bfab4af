//! `dotspot ps`: the processes that can be recorded, and why others can't.

use super::print::{Printer, TextTable};
use super::record::options::Ps;
use crate::cli::messages;
use crate::object::object;
use crate::record::processes::{RunningProcess, list};
use crate::text::{fit_end, visible};
use crate::units::rounded_duration;
use anyhow::Result;
use serde::Serialize;

pub(super) fn ps(to: &mut Printer, args: &Ps) -> Result<()> {
    let processes = list(args.tmpdir.as_deref());
    if args.json {
        return to.json(&document(&processes));
    }
    if processes.is_empty() {
        return to.line(messages::NO_DOTNET_PROCESS);
    }
    write_table(to, &processes)
}

/// The document `dotspot.processes/1`.
fn document(processes: &[RunningProcess]) -> impl Serialize {
    let row = |process: &RunningProcess| {
        let (facts, reason) = (&process.facts, process.obstacle.as_ref());
        object! {
            pid: process.pid,
            name: process.name.clone(),
            runtime: facts.runtime.clone(),
            user: facts.user.clone(),
            uptime_seconds: facts.uptime.map(|uptime| uptime.as_secs_f64()),
            arguments: facts.arguments.clone(),
            can_be_recorded: reason.is_none(),
            reason: reason.map(|reason| reason.sentence(process.pid, &process.name)),
        }
    };
    object! {
        schema: "dotspot.processes/1",
        processes: processes.iter().map(row).collect::<Vec<_>>(),
    }
}

fn write_table(to: &mut Printer, processes: &[RunningProcess]) -> Result<()> {
    let mut heads = vec!["pid", "name", "runtime", "user"];
    heads.extend(["running for", "command line"]);
    let mut table = TextTable::new(heads);
    let max_cells = match to.width {
        Some(width) => ((width / 4).max(MAX_CELLS), MAX_CELLS),
        None => (usize::MAX, usize::MAX),
    };
    for process in processes {
        table.push(cells(process, max_cells));
    }
    to.table(&table)?;
    for process in processes {
        if let Some(reason) = &process.obstacle {
            to.wrapped(&reason.sentence(process.pid, &process.name))?;
        }
    }
    Ok(())
}

/// The maximum width of runtime versions and user names in a terminal, so that every column fits in 80 cells, and the
/// minimum of process names.
const MAX_CELLS: usize = 12;

fn cells(process: &RunningProcess, (max_name, max_other): (usize, usize)) -> Vec<String> {
    let text = |text: &Option<String>| fit_end(&visible(text.as_deref().unwrap_or("?")), max_other);
    let facts = &process.facts;
    let uptime = facts.uptime.map(|uptime| uptime.as_secs());
    let uptime = uptime.map(rounded_duration);
    let mark = process.obstacle.as_ref().map_or("", |_| "(not) ");
    vec![
        process.pid.to_string(),
        fit_end(&visible(&process.name), max_name),
        text(&facts.runtime),
        text(&facts.user),
        uptime.unwrap_or_else(|| "?".into()),
        format!("{mark}{}", facts.arguments.join(" ")),
    ]
}

#[cfg(test)]
mod tests;
