//! The diagnosis as text for people.

use super::cross::{CrossCheck, CrossChecked, DifferenceRow};
use super::diagnosis::Diagnosis;
use super::machine::{CacheState, MachineInfo};
use super::snapshot::{Attempt, SectionRow, Snapshot, WindowSums};
use crate::cli::messages;
use crate::cli::print::{Printer, TextTable};
use crate::importers::NATIVE_READS;
use crate::text::{visible, wrap};
use crate::units::{counted, size, thousands};
use anyhow::Result;
use std::collections::HashSet;

/// The cells of the labels.
const LABEL: usize = 12;
/// How much of what is wrong is printed: a damaged file with thousands of threads must not fill the screen.
const MAX_PROBLEMS: usize = 20;
/// How many differences are printed.
const MAX_DIFFERENCES: usize = 10;

/// Writes lines of text under labels.
struct Sheet<'a, 'b> {
    to: &'a mut Printer<'b>,
    /// Whether the details of what is wrong are wanted.
    is_verbose: bool,
}

impl Sheet<'_, '_> {
    /// A text under a label, broken to fit. Nothing is cut, for this is where the whole text can be read.
    fn say(&mut self, label: &str, text: &str) -> Result<()> {
        let room = self
            .to
            .width
            .map_or(usize::MAX, |width| width.saturating_sub(LABEL).max(20));
        for (row, part) in wrap(&visible(text), room).into_iter().enumerate() {
            let label = if row == 0 { label } else { "" };
            self.to.line(&format!("{label:<LABEL$}{part}"))?;
        }
        Ok(())
    }

    /// Lines about what was said just before, for those who want them.
    fn detail(&mut self, lines: &[String]) -> Result<()> {
        let lines = if self.is_verbose { lines } else { &[] };
        lines
            .iter()
            .try_for_each(|line| self.say("", &format!("| {line}")))
    }

    fn blank(&mut self) -> Result<()> {
        self.to.line("")
    }

    fn table(&mut self, table: &TextTable) -> Result<()> {
        self.to.table(table)?;
        self.blank()
    }
}

/// Writes a diagnosis.
pub(super) fn write(to: &mut Printer, diagnosis: &Diagnosis, is_verbose: bool) -> Result<()> {
    let mut sheet = Sheet { to, is_verbose };
    if let Some(snapshot) = &diagnosis.snapshot {
        write_snapshot(&mut sheet, snapshot)?;
    }
    write_machine(&mut sheet, &diagnosis.machine, diagnosis.snapshot.as_ref())?;
    if let Some(cross_check) = &diagnosis.cross_check {
        sheet.blank()?;
        write_cross_check(&mut sheet, cross_check)?;
    }
    sheet.blank()?;
    let mark = if diagnosis.next.len() > 1 { "• " } else { "" };
    for (row, step) in diagnosis.next.iter().enumerate() {
        sheet.say(if row == 0 { "next" } else { "" }, &format!("{mark}{step}"))?;
    }
    Ok(())
}

fn write_snapshot(sheet: &mut Sheet, snapshot: &Snapshot) -> Result<()> {
    sheet.say("snapshot", &snapshot.file)?;
    if snapshot.index != snapshot.file {
        sheet.say("index", &snapshot.index)?;
    }
    sheet.say("family", snapshot.family)?;
    sheet.blank()?;
    if !snapshot.files.is_empty() {
        let mut table = TextTable::new(["bytes", "expected", "file"]);
        for file in &snapshot.files {
            let number = |bytes: Option<u64>, none: &str| bytes.map_or(none.to_string(), thousands);
            let mark = if file.whole { "" } else { " (not whole)" };
            let name = format!("{}: {}{mark}", file.name, file.what);
            table.push(vec![
                number(file.found_bytes, "missing"),
                number(file.expected_bytes, ""),
                name,
            ]);
        }
        sheet.table(&table)?;
    }
    write_sections(sheet, &snapshot.sections)?;
    write_troubles(sheet, snapshot)?;
    for attempt in &snapshot.attempts {
        write_attempt(sheet, attempt)?;
    }
    if snapshot.stored_sums > 0 {
        let sums = counted(snapshot.stored_sums as u64, "sum");
        let verdict = if snapshot.stored_sums_agree {
            messages::ALL_EQUAL
        } else {
            messages::NOT_ALL_EQUAL
        };
        sheet.say("own sums", &messages::stored_sums(&sums, &verdict))?;
    }
    if let Some(beside) = &snapshot.beside {
        write_beside(sheet, beside)?;
    }
    for (row, warning) in snapshot.warnings.iter().enumerate() {
        sheet.say(if row == 0 { "warnings" } else { "" }, warning)?;
    }
    sheet.blank()
}

/// The sections, those of one kind in one row: there are four for each thread.
fn write_sections(sheet: &mut Sheet, sections: &[SectionRow]) -> Result<()> {
    if sections.is_empty() {
        return Ok(());
    }
    let mut groups: Vec<(&SectionRow, u64, u64)> = Vec::new();
    for section in sections {
        let is_alike = |row: &SectionRow| {
            (&row.id, row.version, row.state) == (&section.id, section.version, section.state)
        };
        match groups.iter_mut().find(|(first, ..)| is_alike(first)) {
            Some((_, count, bytes)) => {
                (*count, *bytes) = (*count + 1, bytes.saturating_add(section.size_bytes))
            }
            None => groups.push((section, 1, section.size_bytes)),
        }
    }
    let mut table = TextTable::new(["section", "version", "count", "size", "what"]);
    for (first, count, bytes) in groups {
        let what = first.what.unwrap_or("not known");
        let state = match (first.state, count) {
            ("fine", 1) if !first.detail.is_empty() => format!("{what}: {}", first.detail),
            ("fine", _) => format!("{what}: read"),
            ("unknown", _) => "not known".to_string(),
            (state, _) => format!("{what}: {}", state.to_uppercase()),
        };
        table.push(vec![
            first.id.clone(),
            first.version.to_string(),
            thousands(count),
            size(bytes),
            state,
        ]);
    }
    sheet.table(&table)
}

/// What is wrong with the table and its sections, in full.
fn write_troubles(sheet: &mut Sheet, snapshot: &Snapshot) -> Result<()> {
    let mut troubles: Vec<(&str, String)> = Vec::new();
    troubles.extend(
        snapshot
            .table_problem
            .iter()
            .map(|problem| ("table", problem.clone())),
    );
    for missing in &snapshot.missing {
        troubles.push((
            &missing.id,
            messages::section_not_in_table(&missing.what, &missing.need),
        ));
    }
    for section in &snapshot.sections {
        let what = section.what.unwrap_or("not known");
        if section.is_trouble() {
            troubles.push((&section.id, format!("{what}: {}", section.detail)));
        }
        troubles.extend(
            section
                .remarks
                .iter()
                .map(|remark| (section.id.as_str(), remark.clone())),
        );
    }
    // what holds for the sections of every thread is said once
    let mut seen = HashSet::new();
    troubles.retain(|port_error| seen.insert(port_error.clone()));
    let more = troubles.len().saturating_sub(MAX_PROBLEMS);
    for (label, text) in troubles.iter().take(MAX_PROBLEMS) {
        sheet.say(label, text)?;
    }
    if more > 0 {
        sheet.say("", &messages::more_in_json(&thousands(more as u64)))?;
    }
    if troubles.is_empty() {
        Ok(())
    } else {
        sheet.blank()
    }
}

fn write_attempt(sheet: &mut Sheet, attempt: &Attempt) -> Result<()> {
    let text = match (attempt.nodes, attempt.threads) {
        (Some(nodes), Some(threads)) => {
            let (nodes, threads) = (
                counted(nodes as u64, "node"),
                counted(threads as u64, "thread"),
            );
            format!(
                "opens it: {}, {nodes}, {threads}",
                attempt.kind.unwrap_or("unknown")
            )
        }
        _ => messages::cant_open(&attempt.problem.as_deref().unwrap_or_default()),
    };
    sheet.say(attempt.decoder, &text)?;
    sheet.detail(&attempt.detail)
}

fn write_beside(sheet: &mut Sheet, beside: &WindowSums) -> Result<()> {
    if beside.sums > 0 {
        let (equal, all) = (
            thousands(beside.equal as u64),
            thousands(beside.sums as u64),
        );
        let rounded = match beside.rounded {
            0 => String::new(),
            more => messages::equal_but_for_rounding(&more),
        };
        sheet.say(
            "DotSettings",
            &messages::equal_functions(&equal, &all, &rounded),
        )?;
        for row in beside.differing.iter().take(MAX_DIFFERENCES) {
            let ours = match (row.inclusive, row.exclusive) {
                (Some(inclusive), Some(exclusive)) => {
                    messages::total_and_own(&inclusive, &exclusive)
                }
                _ => "no such function".into(),
            };
            let (total, own) = (row.stored_inclusive, row.stored_exclusive);
            sheet.say("", &messages::sums_differ(&row.name, &total, &own, &ours))?;
        }
        if beside.differing.len() > MAX_DIFFERENCES {
            let more = thousands((beside.differing.len() - MAX_DIFFERENCES) as u64);
            sheet.say("", &messages::more_sums_differ(&more))?;
        }
    }
    Ok(())
}

/// The machine; more of it where no snapshot was named.
fn write_machine(
    sheet: &mut Sheet,
    machine: &MachineInfo,
    snapshot: Option<&Snapshot>,
) -> Result<()> {
    if snapshot.is_none() {
        sheet.say("system", machine.system)?;
        sheet.say("native", &messages::always_available(&NATIVE_READS))?;
    }
    let assemblies = &machine.assemblies;
    let state = match (&assemblies.problem, assemblies.at_hand) {
        (_, true) => messages::DOTTRACE_LIBRARIES_FOUND.to_string(),
        (problem, false) => messages::not_available(&problem.as_deref().unwrap_or_default()),
    };
    sheet.say("assemblies", &state)?;
    sheet.detail(&assemblies.detail)?;
    for row in &assemblies.toolchains {
        let text = match (&row.version, &row.compiler, &row.problem) {
            (Some(version), Some(compiler), _) => format!("{} {version}: {compiler}", row.name),
            (_, _, problem) => format!("{}: {}", row.name, problem.as_deref().unwrap_or_default()),
        };
        sheet.say("", &text)?;
    }
    if let Some(helper) = &assemblies.helper {
        let when = if helper.built_now {
            "built now"
        } else {
            "built before"
        };
        sheet.say("", &format!("helper, {when}: {}", helper.program))?;
    }
    for install in &assemblies.installs {
        let mark = if install.used { "" } else { " (not used)" };
        sheet.say(
            "",
            &format!(
                "dotTrace's libraries {}: {}{mark}",
                install.version, install.root
            ),
        )?;
    }
    for port_error in assemblies.unbound.iter().chain(&assemblies.warnings) {
        sheet.say("", port_error)?;
    }
    write_reporter(sheet, machine)?;
    write_cache(sheet, &machine.cache, snapshot)
}

fn write_cache(sheet: &mut Sheet, cache: &CacheState, snapshot: Option<&Snapshot>) -> Result<()> {
    let of_this = match snapshot.map(|snapshot| snapshot.kept_tree.is_some()) {
        None => "",
        Some(true) => messages::SNAPSHOT_IS_CACHED,
        Some(false) => messages::SNAPSHOT_NOT_CACHED,
    };
    let text = match (&cache.folder, &cache.problem) {
        (Some(folder), None) => {
            let (trees, helpers) = (
                counted(cache.trees as u64, "tree"),
                counted(cache.helpers as u64, "helper"),
            );
            format!(
                "{folder}: {trees}, {helpers}, {}{of_this}",
                size(cache.size_bytes)
            )
        }
        (folder, problem) => {
            format!(
                "{}: {}",
                folder.as_deref().unwrap_or("none"),
                problem.as_deref().unwrap_or_default()
            )
        }
    };
    sheet.say("cache", &text)
}

fn write_reporter(sheet: &mut Sheet, machine: &MachineInfo) -> Result<()> {
    let reporter = &machine.reporter;
    let Some(path) = &reporter.path else {
        let problem = reporter.problem.as_deref().unwrap_or_default();
        sheet.say("reporter", &messages::not_available(&problem))?;
        return sheet.detail(&reporter.detail);
    };
    let version = reporter
        .version
        .as_ref()
        .map_or(String::new(), |version| format!(" {version}"));
    sheet.say("reporter", &format!("at hand: Reporter{version}, {path}"))
}

fn table_of(cross_check: &CrossCheck) -> TextTable {
    let only_first = format!("only {}", cross_check.first);
    let heads = [
        "nodes",
        "equal",
        "changed",
        &only_first,
        "only other",
        "largest ms",
        "decoder",
    ];
    let mut table = TextTable::new(heads);
    for other in &cross_check.compared {
        let verdict = if other.agrees { "agrees" } else { "DIFFERS" };
        let (first, second) = (other.only_in_first, other.only_in_other);
        let counts = [other.nodes, other.equal, other.changed, first, second];
        let mut row: Vec<String> = counts.map(|count| thousands(count as u64)).into();
        row.push(other.largest_difference.to_string());
        row.push(format!("{} {verdict}", other.decoder));
        table.push(row);
    }
    table
}

fn write_cross_check(sheet: &mut Sheet, cross_check: &CrossCheck) -> Result<()> {
    let first = cross_check.first;
    if cross_check.compared.is_empty() {
        sheet.say("cross-check", &messages::only_one_decoder_opens_it(&first))?;
    }
    for decoder in &cross_check.failed {
        sheet.say("", &messages::decoder_cant_open(&decoder))?;
    }
    for other in &cross_check.not_at_hand {
        sheet.say(
            "",
            &messages::decoder_not_available(&other.decoder, &other.why),
        )?;
    }
    if cross_check.compared.is_empty() {
        return Ok(());
    }
    sheet.say("cross-check", &messages::compared_with(&first))?;
    sheet.blank()?;
    sheet.table(&table_of(cross_check))?;
    for other in &cross_check.compared {
        write_terms(sheet, other)?;
        for difference in other.differences.iter().take(MAX_DIFFERENCES) {
            sheet.say("", &in_words(difference, first, other.decoder))?;
        }
        if other.differences.len() > MAX_DIFFERENCES {
            sheet.say("", messages::MORE_DIFFER_SEE_JSON)?;
        }
    }
    Ok(())
}

/// By which rules a decoder was compared.
fn write_terms(sheet: &mut Sheet, other: &CrossChecked) -> Result<()> {
    let times = match other.tolerance_per_node {
        0.0 => messages::TIMES_EQUAL.to_string(),
        tolerance => messages::tolerance_of_times(&tolerance),
    };
    let mut terms = messages::how_matched(&times);
    if !other.counts_compared {
        terms.push_str(messages::COUNTS_NOT_COMPARED);
    }
    sheet.say(other.decoder, &terms)
}

fn in_words(difference: &DifferenceRow, first: &str, other: &str) -> String {
    let path = difference.path.join(" ▸ ");
    let value = |value: Option<f64>| value.unwrap_or_default();
    let (a, b) = (value(difference.first), value(difference.other));
    let what = match difference.what {
        "only in first" => messages::only_one_has(&first, &a),
        "only in other" => messages::only_one_has(&other, &b),
        "inclusive" => messages::totals_of_both(&a, &first, &b, &other),
        "exclusive" => messages::own_of_both(&a, &first, &b, &other),
        _ => messages::counts_of_both(&a, &first, &b, &other),
    };
    format!("{path}: {what}")
}
