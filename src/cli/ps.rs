//! `dotspot ps`: the processes that can be recorded, and why others can't.

use super::print::{Table, write_json, write_line};
use super::record::options::Ps;
use crate::model::format::thousands;
use crate::record::processes::{Process, list};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

/// The document `dotspot.processes/1`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    processes: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    pid: u32,
    name: &'a str,
    runtime: Option<&'a str>,
    user: Option<&'a str>,
    uptime_seconds: Option<f64>,
    arguments: &'a [String],
    can_be_recorded: bool,
    reason: Option<String>,
}

/// Prints them.
pub(super) fn ps(out: &mut dyn Write, args: &Ps, width: Option<usize>) -> Result<()> {
    let processes = list(args.tmpdir.as_deref());
    if args.json {
        let processes = processes.iter().map(row).collect();
        return write_json(
            out,
            &Document {
                schema: "dotspot.processes/1",
                processes,
            },
        );
    }
    if processes.is_empty() {
        return write_line(
            out,
            "no .NET process is running, or none that this user may see",
        );
    }
    let mut table = Table::new(&[
        "pid",
        "name",
        "runtime",
        "user",
        "running for",
        "command line",
    ]);
    for process in &processes {
        table.push(cells(process));
    }
    table.write(out, width)?;
    for process in &processes {
        if let Some(reason) = &process.why_not {
            write_line(out, &reason.sentence(process.pid, &process.name))?;
        }
    }
    Ok(())
}

fn row(process: &Process) -> Row<'_> {
    let Process {
        pid,
        name,
        runtime,
        user,
        uptime,
        arguments,
        why_not,
    } = process;
    Row {
        pid: *pid,
        name,
        runtime: runtime.as_deref(),
        user: user.as_deref(),
        uptime_seconds: uptime.map(|uptime| uptime.as_secs_f64()),
        arguments,
        can_be_recorded: why_not.is_none(),
        reason: why_not.as_ref().map(|reason| reason.sentence(*pid, name)),
    }
}

fn cells(process: &Process) -> Vec<String> {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".into());
    let uptime = process
        .uptime
        .map_or_else(|| "?".into(), |uptime| running_for(uptime.as_secs()));
    let mark = if process.why_not.is_some() {
        "(not) "
    } else {
        ""
    };
    let command = format!("{mark}{}", process.arguments.join(" "));
    vec![
        process.pid.to_string(),
        process.name.clone(),
        text(&process.runtime),
        text(&process.user),
        uptime,
        command,
    ]
}

/// Seconds in the largest unit that they fill.
fn running_for(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", thousands(seconds / 86_400)),
    }
}
