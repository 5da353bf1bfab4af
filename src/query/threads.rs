//! Selects threads and processes by the names that people use for them.

use super::QueryError;
use crate::analysis::make::scoped;
use crate::analysis::threads::processes_of_threads;
use crate::model::{Merging, NodeId, Process, Scope, Thread, ThreadChoice, TimeRange, View};
use crate::names::thread_names::{ALL_PROCESSES, NamedRow, rows_matching};
use crate::query::messages;
use crate::text::{file_name, visible};
use crate::units::counted;

const MAX_LISTED: usize = 12;
const MAX_NAMED: usize = 5;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadRequest {
    /// Processes, by id, name or part of a name; all if empty or `all`.
    pub processes: Vec<String>,
    /// Threads, by id, name or part of a name; all if empty.
    pub threads: Vec<String>,
    pub merging: Merging,
    /// Whether to prefer the main process of a whole machine if nothing is requested.
    pub prefers_main: bool,
}

/// An empty list of names matches everything. A remark lists the threads that a partial name matches if there are
/// several.
pub fn thread_choice(
    view: &View,
    request: &ThreadRequest,
) -> Result<(ThreadChoice, Vec<String>), QueryError> {
    let threads = &request.threads;
    let has_main = request.prefers_main && request.processes.is_empty() && threads.is_empty();
    let main = view.recording.main_process.filter(|_| has_main);
    let processes = match &request.processes[..] {
        [all] if all == ALL_PROCESSES => &[],
        processes => processes,
    };
    let mut choice = ThreadChoice {
        merging: request.merging,
        ..ThreadChoice::all(&view.recording)
    };
    if let Some(main) = main {
        choice.chosen = ThreadChoice::of_process(&view.recording, main).chosen;
        let note = messages::main_process(&choice.words(&view.recording));
        return Ok((choice, vec![note]));
    }
    let find = |name: &str| processes_named(view, name);
    let has_process = are_named(view.processes.len(), processes, find)?;
    let has_all = processes.is_empty() || view.processes.is_empty();
    for (is_chosen, process) in choice.chosen.iter_mut().zip(processes_of_threads(view)) {
        *is_chosen = has_all || process.is_some_and(|process| has_process[process]);
    }
    let (offered, mut remarks) = (choice.chosen.clone(), Vec::new());
    let find = |name: &str| threads_named(view, name, &offered, &mut remarks);
    let is_named = are_named(view.threads.len(), threads, find)?;
    let rows = choice.chosen.iter_mut().zip(is_named);
    rows.for_each(|(is_chosen, is_named)| *is_chosen &= is_named);
    Ok((choice, remarks))
}

fn are_named(
    rows: usize,
    names: &[String],
    mut find: impl FnMut(&str) -> Result<Vec<usize>, QueryError>,
) -> Result<Vec<bool>, QueryError> {
    let mut is_named = vec![names.is_empty(); rows];
    for name in names {
        find(name)?.into_iter().for_each(|row| is_named[row] = true);
    }
    Ok(is_named)
}

/// Remarks are sentences without a leading capital or a full stop.
pub fn select_scope(
    whole: View,
    range: Option<TimeRange>,
    request: &ThreadRequest,
) -> Result<(View, Vec<String>), QueryError> {
    let (threads, remarks) = thread_choice(&whole, request)?;
    let step = Scope {
        range,
        threads,
        ..whole.steps.scope.clone()
    };
    let view = match step.is_whole() {
        true => whole,
        false => scoped(&whole.recording, &step)?,
    };
    Ok((view, remarks))
}

pub fn root(view: &View, request: &ThreadRequest) -> NodeId {
    match &*view.threads {
        [only] if !request.threads.is_empty() => only.node,
        [only] if request.merging != Merging::None && has_nothing_else(view, only.node) => {
            only.node
        }
        _ => NodeId::ROOT,
    }
}

fn has_nothing_else(view: &View, thread: NodeId) -> bool {
    let tree = &view.tree;
    let has_value = |node| {
        let mut metrics = view.recording.metric_ids();
        metrics.any(|metric| tree.exclusive(metric, node) > 0)
    };
    tree.end(thread) == tree.end(NodeId::ROOT)
        && tree.ancestors(thread).count() == thread.index()
        && !tree.ancestors(thread).any(has_value)
}

/// Checks that a single-process profile, which has no process node, belongs to the process with this name.
fn check_only_process(view: &View, requested: &str) -> Result<Vec<usize>, QueryError> {
    let source = &view.recording.source;
    let Some(text) = source.fact("process") else {
        return Err(QueryError::usage(messages::no_processes(&requested)));
    };
    let process = only_process(text, source.fact("command line").unwrap_or_default());
    named("process", "processes", requested, &[process])?;
    Ok(Vec::new())
}

fn processes_named(view: &View, requested: &str) -> Result<Vec<usize>, QueryError> {
    if view.processes.is_empty() {
        return check_only_process(view, requested);
    }
    let named_row = |process: &Process| NamedRow {
        id: process.id.to_string(),
        name: process.name.clone(),
        title: view.name(process.node).to_string(),
    };
    let rows: Vec<NamedRow> = view.processes.iter().map(named_row).collect();
    named("process", "processes", requested, &rows)
}

fn threads_named(
    view: &View,
    requested: &str,
    offered: &[bool],
    remarks: &mut Vec<String>,
) -> Result<Vec<usize>, QueryError> {
    let named_row = |thread: &Thread| NamedRow {
        id: thread.id.clone(),
        name: thread.name.clone(),
        title: view.name(thread.node).to_string(),
    };
    let rows = 0..view.threads.len();
    let mut offered: Vec<usize> = rows.filter(|&row| offered[row]).collect();
    // errors list the busiest ones first
    offered.sort_by_key(|&row| view.threads[row].node);
    let rows = offered.iter().map(|&row| named_row(&view.threads[row]));
    let rows: Vec<NamedRow> = rows.collect();
    if rows.is_empty() {
        let sentence = messages::no_threads(&requested);
        return Err(QueryError::usage(sentence));
    }
    let is_node = |row: &usize| view.node_label(view.threads[*row].node) == requested;
    if !rows.iter().any(|row| row.matches(requested))
        && let Some(row) = offered.iter().copied().find(is_node)
    {
        return Ok(vec![row]);
    }
    let found = named("thread", "threads", requested, &rows)?;
    if found.len() > 1 && !rows[found[0]].matches(requested) {
        let titles = listed(found.iter().map(|&row| &rows[row]), MAX_NAMED, "");
        let count = counted(found.len() as u64, "thread");
        remarks.push(format!("{count} match {requested}: {titles}"));
    }
    Ok(found.into_iter().map(|row| offered[row]).collect())
}

/// The only process, as described by the source: `11036`, `11036 dotnet` or `Process (11036) dotnet`. Without a name,
/// it gets its program's.
fn only_process(text: &str, command_line: &str) -> NamedRow {
    let bare = text.strip_prefix("Process (").unwrap_or(text);
    let end = bare.find(|c: char| !c.is_ascii_digit());
    let (id, name) = bare.split_at(end.unwrap_or(bare.len()));
    let (name, title) = match name.trim_start_matches(')').trim() {
        "" if !command_line.is_empty() => {
            let name = program_in(command_line);
            (name, format!("{text} {name}"))
        }
        name => (name, text.into()),
    };
    NamedRow {
        id: id.into(),
        name: name.into(),
        title,
    }
}

/// A program's name without folder and extension: the first assembly on a command line, or its first word. Folders may
/// contain unquoted spaces.
pub fn program_in(command_line: &str) -> &str {
    const ASSEMBLY: &str = ".dll";
    let mut assemblies = command_line.match_indices(ASSEMBLY);
    let is_end = |&(at, _): &(usize, &str)| {
        let rest = &command_line[at + ASSEMBLY.len()..];
        rest.is_empty() || rest.starts_with([' ', '"'])
    };
    let path = match assemblies.find(is_end) {
        Some((end, _)) => &command_line[..end],
        None => {
            let first = command_line.split(' ').next().unwrap_or_default();
            first.trim_end_matches(".exe")
        }
    };
    let file = file_name(path);
    // a bare name follows the program that runs it
    file.rsplit(' ').next().unwrap_or(file)
}

/// The rows found by id, else by whole name, else by part of the title on the screen.
fn named(
    singular: &str,
    plural: &str,
    requested: &str,
    rows: &[NamedRow],
) -> Result<Vec<usize>, QueryError> {
    let option = format!("--{singular}");
    if requested.is_empty() {
        return Err(QueryError::usage(messages::thread_name_expected(&option)));
    }
    let found = rows_matching(rows, requested);
    if !found.is_empty() {
        return Ok(found);
    }
    let titles = listed(rows.iter(), MAX_LISTED, messages::INFO_LISTS_THEM);
    let advice = match rows.len() {
        1 => format!("the {singular} is {titles}"),
        _ => format!("the {plural} are {titles}"),
    };
    let error = QueryError::usage(messages::no_name(&option, &requested, &singular));
    Err(error.advice(advice))
}

fn listed<'a>(
    rows: impl ExactSizeIterator<Item = &'a NamedRow>,
    limit: usize,
    more: &str,
) -> String {
    let remaining = rows.len().saturating_sub(limit);
    let titles = rows.take(limit).map(|row| visible(&row.title));
    let titles = titles.collect::<Vec<_>>().join(", ");
    match remaining {
        0 => titles,
        remaining => format!("{titles} and {remaining} more{more}"),
    }
}

/// Says how much a thread waits if it does little else, and in which metric if there are several: `waits 95 % of wall`.
pub fn describe_idle(view: &View, thread: NodeId) -> Option<String> {
    let (metric, share) = view.idle_percent(thread)?;
    let share = short_of_all(share);
    Some(match &view.recording.metrics[..] {
        [_] => messages::thread_waits(&share),
        metrics => messages::thread_waits_of(&share, &visible(&metrics[metric.index()].name)),
    })
}

/// A share in whole percent, but never rounded up to 100: `95`, `99.9`, `100`.
fn short_of_all(share: f64) -> String {
    match share {
        99.5..100.0 => format!("{:.1}", (share * 10.0).floor() / 10.0),
        share => format!("{share:.0}"),
    }
}

#[cfg(test)]
mod tests;
