//! The diagnosis as text for people.

use super::machine::{Assemblies, CacheState, MachineInfo};
use super::snapshot::{Snapshot, failure_of, hex_id, ms, problem_of};
use super::{CrossCheck, Diagnosis};
use crate::analysis::compared::{Agreement, Difference, DifferenceKind};
use crate::cli::messages;
use crate::cli::print::{Printer, TextTable};
use crate::importers::{ExaminedSection, NATIVE_READS, Need};
use crate::input::Failure;
use crate::query::with_prefix;
use crate::units::{counted, size, thousands};
use anyhow::Result;
use indexmap::{IndexMap, IndexSet};

const LABEL: usize = 12;
/// A damaged file with thousands of threads must not fill the screen.
const MAX_PROBLEMS: usize = 20;
const MAX_DIFFERENCES: usize = 10;

struct Page<'a, 'b> {
    to: &'a mut Printer<'b>,
    is_verbose: bool,
}

impl Page<'_, '_> {
    fn add(&mut self, label: &str, text: &str) -> Result<()> {
        self.to.labeled(label, LABEL, text)
    }

    fn add_all(&mut self, label: &str, texts: impl IntoIterator<Item = String>) -> Result<()> {
        let mut label = label;
        let mut texts = texts.into_iter();
        texts.try_for_each(|text| self.add(std::mem::take(&mut label), &text))
    }

    fn detail(&mut self, failure: Option<&Failure>) -> Result<()> {
        let failure = failure.filter(|_| self.is_verbose);
        let lines = failure.iter().flat_map(|failure| &failure.detail);
        self.add_all("", lines.map(|line| format!("| {line}")))
    }

    fn add_first(
        &mut self,
        limit: usize,
        rows: impl ExactSizeIterator<Item = (String, String)>,
    ) -> Result<()> {
        let left_out = rows.len().saturating_sub(limit);
        for (label, text) in rows.take(limit) {
            self.add(&label, &text)?;
        }
        match left_out {
            0 => Ok(()),
            more => self.add("", &messages::more_in_json(&thousands(more as u64))),
        }
    }

    fn blank(&mut self) -> Result<()> {
        self.to.line("")
    }

    fn table(&mut self, table: &TextTable) -> Result<()> {
        self.to.table(table)?;
        self.blank()
    }
}

pub(super) fn write(to: &mut Printer, diagnosis: &Diagnosis, is_verbose: bool) -> Result<()> {
    let mut page = Page { to, is_verbose };
    if let Some(snapshot) = &diagnosis.snapshot {
        write_snapshot(&mut page, snapshot)?;
    }
    write_machine(&mut page, &diagnosis.machine, diagnosis.snapshot.as_ref())?;
    if let Some(cross_check) = &diagnosis.cross_check {
        page.blank()?;
        write_cross_check(&mut page, cross_check)?;
    }
    page.blank()?;
    let mark = if diagnosis.next.len() > 1 { "• " } else { "" };
    let next = diagnosis.next.iter().map(|step| format!("{mark}{step}"));
    page.add_all("next", next)
}

fn write_snapshot(page: &mut Page, snapshot: &Snapshot) -> Result<()> {
    page.add("snapshot", &snapshot.file)?;
    let index = snapshot.found.index.display().to_string();
    if index != snapshot.file {
        page.add("index", &index)?;
    }
    page.add("family", snapshot.found.family.name())?;
    page.blank()?;
    if !snapshot.found.files.is_empty() {
        let mut table = TextTable::new(["bytes", "expected", "file"]);
        for file in &snapshot.found.files {
            let number = |bytes: Option<u64>, none: &str| bytes.map_or(none.to_string(), thousands);
            let mark = match file.is_complete() {
                true => "",
                false => " (incomplete)",
            };
            let (found, expected) = (file.found_bytes, file.expected_bytes);
            let what = format!("{}: {}{mark}", file.name, file.what);
            table.push(vec![number(found, "missing"), number(expected, ""), what]);
        }
        page.table(&table)?;
    }
    write_sections(page, &snapshot.found.sections)?;
    write_problems(page, snapshot)?;
    for (decoder, result) in &snapshot.results {
        let text = match result {
            Ok(view) => {
                let kind = view.recording.source.kind.name();
                let nodes = counted(view.node_count() as u64, "node");
                let threads = counted(view.threads.len() as u64, "thread");
                format!("opens it: {kind}, {nodes}, {threads}")
            }
            Err(error) => messages::cant_open(&problem_of(error)),
        };
        page.add(decoder.name(), &text)?;
        page.detail(failure_of(result))?;
    }
    page.add_all("warnings", snapshot.warnings())?;
    page.blank()
}

fn section_kind(section: &ExaminedSection) -> &'static str {
    section.what.unwrap_or("unknown")
}

/// All sections of a kind share a row: there are four per thread.
fn write_sections(page: &mut Page, sections: &[ExaminedSection]) -> Result<()> {
    if sections.is_empty() {
        return Ok(());
    }
    let kind = |row: &ExaminedSection| (row.id, row.version, row.state);
    let mut groups = IndexMap::new();
    for section in sections {
        let (_, count, bytes) = groups.entry(kind(section)).or_insert((section, 0u64, 0u64));
        (*count, *bytes) = (*count + 1, bytes.saturating_add(section.size_bytes));
    }
    let mut table = TextTable::new(["section", "version", "count", "size", "what"]);
    for (first, count, bytes) in groups.into_values() {
        let what = section_kind(first);
        let state = match first.state {
            "fine" => format!("{what}: read"),
            "unknown" => "unknown".to_string(),
            "not checked" if first.need == Need::Derived => format!("{what}: not read"),
            state => format!("{what}: {}", state.to_uppercase()),
        };
        let (section, version) = (hex_id(first.id), first.version.to_string());
        table.push(vec![section, version, thousands(count), size(bytes), state]);
    }
    page.table(&table)
}

fn write_problems(page: &mut Page, snapshot: &Snapshot) -> Result<()> {
    let mut problems = IndexSet::new();
    if let Some(table) = &snapshot.found.table_problem {
        problems.insert(("table".into(), table.reason()));
    }
    for missing in &snapshot.found.missing {
        let text = messages::section_not_in_table(&missing.what, &missing.need.name());
        problems.insert((hex_id(missing.id), text));
    }
    for section in &snapshot.found.sections {
        if matches!(section.state, "unknown version" | "wrong") {
            let text = format!("{}: {}", section_kind(section), section.detail);
            problems.insert((hex_id(section.id), text));
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    page.add_first(MAX_PROBLEMS, problems.into_iter())?;
    page.blank()
}

fn write_machine(
    page: &mut Page,
    machine: &MachineInfo,
    snapshot: Option<&Snapshot>,
) -> Result<()> {
    if snapshot.is_none() {
        page.add("system", machine.system.name())?;
        page.add("native", &messages::always_available(&NATIVE_READS))?;
    }
    write_assemblies(page, &machine.assemblies)?;
    let reporter = match (&machine.reporter.chosen, &machine.no_reporter) {
        (Some(chosen), _) => {
            let version = with_prefix(" ", &chosen.version);
            format!("available: Reporter{version}, {}", chosen.path.display())
        }
        (None, failure) => not_available(failure.as_ref()),
    };
    page.add("reporter", &reporter)?;
    page.detail(machine.no_reporter.as_ref())?;
    write_cache(page, &machine.cache, snapshot)
}

fn not_available(failure: Option<&Failure>) -> String {
    messages::not_available(&failure.map_or("", |failure| &failure.problem))
}

fn write_assemblies(page: &mut Page, assemblies: &Assemblies) -> Result<()> {
    let failure = assemblies.failure.as_ref();
    let state = match failure {
        None => messages::DOTTRACE_LIBRARIES_FOUND.to_string(),
        failure => not_available(failure),
    };
    page.add("assemblies", &state)?;
    page.detail(failure)?;
    for (kind, found) in &assemblies.toolchains {
        let title = kind.title();
        let text = match found {
            Ok(found) => format!("{title} {}: {}", found.version, found.compiler.display()),
            Err(problem) => format!("{title}: {problem}"),
        };
        page.add("", &text)?;
    }
    if let Some((program, is_new)) = &assemblies.helper {
        let built = match is_new {
            true => "just built",
            false => "built earlier",
        };
        page.add("", &format!("helper, {built}: {program}"))?;
    }
    for install in &assemblies.probe.installs {
        let (root, version) = (&install.root, &install.version);
        let mark = if install.used { "" } else { " (not used)" };
        page.add("", &format!("dotTrace's libraries {version}: {root}{mark}"))?;
    }
    page.add_all("", assemblies.unbound())?;
    page.add_all("", assemblies.probe.warnings.iter().cloned())
}

fn write_cache(page: &mut Page, cache: &CacheState, snapshot: Option<&Snapshot>) -> Result<()> {
    let this_snapshot = match snapshot.map(|snapshot| snapshot.kept_tree.is_some()) {
        None => "",
        Some(true) => messages::SNAPSHOT_IS_CACHED,
        Some(false) => messages::SNAPSHOT_NOT_CACHED,
    };
    let folder = cache.folder.as_deref().unwrap_or("none");
    if let Some(problem) = &cache.problem {
        return page.add("cache", &format!("{folder}: {problem}"));
    }
    let trees = counted(cache.trees as u64, "profile");
    let helpers = counted(cache.helpers as u64, "helper");
    let size = size(cache.size_bytes);
    let text = format!("{folder}: {trees}, {helpers}, {size}{this_snapshot}");
    page.add("cache", &text)
}

fn write_cross_check(page: &mut Page, cross_check: &CrossCheck) -> Result<()> {
    let first = cross_check.first.name();
    if cross_check.compared.is_empty() {
        page.add("cross-check", &messages::only_one_decoder_opens_it(&first))?;
    }
    for decoder in &cross_check.failed {
        page.add("", &messages::decoder_cant_open(&decoder.name()))?;
    }
    for (decoder, why) in &cross_check.unavailable {
        page.add("", &messages::decoder_not_available(&decoder.name(), why))?;
    }
    if cross_check.compared.is_empty() {
        return Ok(());
    }
    page.add("cross-check", &messages::compared_with(&first))?;
    page.blank()?;
    page.table(&cross_check_table(cross_check))?;
    for (other, _, agreement) in &cross_check.compared {
        page.add(other.name(), &criteria(agreement))?;
        let text = |difference| difference_text(difference, first, other.name());
        let differences = agreement
            .differences
            .iter()
            .map(|difference| (String::new(), text(difference)));
        page.add_first(MAX_DIFFERENCES, differences)?;
    }
    Ok(())
}

fn cross_check_table(cross_check: &CrossCheck) -> TextTable {
    let only_first = format!("only {}", cross_check.first.name());
    let mut headers = vec!["nodes", "equal", "changed", &only_first];
    headers.extend(["only other", "largest ms", "decoder"]);
    let mut table = TextTable::new(headers);
    for (decoder, nodes, found) in &cross_check.compared {
        let is_equal = found.is_equal();
        let verdict = if is_equal { "agrees" } else { "DIFFERS" };
        let only = (found.only_in_first, found.only_in_second);
        let counts = [*nodes, found.equal, found.changed, only.0, only.1];
        let mut row: Vec<String> = counts.map(|count| thousands(count as u64)).into();
        row.push(ms(found.largest_difference).to_string());
        row.push(format!("{} {verdict}", decoder.name()));
        table.push(row);
    }
    table
}

fn criteria(found: &Agreement) -> String {
    let times = match found.tolerance {
        0 => messages::TIMES_EQUAL.to_string(),
        tolerance => messages::times_may_differ(&ms(tolerance)),
    };
    match found.counts_are_compared {
        true => messages::how_matched(&times),
        false => messages::how_matched(&times) + messages::COUNTS_NOT_COMPARED,
    }
}

fn difference_text(difference: &Difference, first: &str, other: &str) -> String {
    let what = match difference.what {
        DifferenceKind::OnlyInFirst(a) => messages::only_one_has(&first, &ms(a)),
        DifferenceKind::OnlyInSecond(b) => messages::only_one_has(&other, &ms(b)),
        DifferenceKind::Inclusive(a, b) => messages::both_totals(&ms(a), &first, &ms(b), &other),
        DifferenceKind::Exclusive(a, b) => messages::both_own(&ms(a), &first, &ms(b), &other),
        DifferenceKind::Count(a, b) => messages::both_counts(&a, &first, &b, &other),
    };
    format!("{}: {what}", difference.path.join(" ▸ "))
}
