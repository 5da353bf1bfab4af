//! The diagnosis as text for people.

use super::machine::{Assemblies, CacheState, MachineInfo};
use super::snapshot::{Snapshot, failure_of, hex_id, problem_of, state_of};
use super::{CrossCheck, Diagnosis};
use crate::analysis::compared::Agreement;
use crate::cli::messages;
use crate::cli::print::Printer;
use crate::importers::NATIVE_READS;
use crate::input::Failure;
use crate::query::with_prefix;
use crate::units::{counted, thousands};
use anyhow::Result;
use indexmap::IndexSet;

const LABEL: usize = 12;
/// A damaged file with thousands of threads must not fill the screen.
const MAX_PROBLEMS: usize = 20;

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

    fn blank(&mut self) -> Result<()> {
        self.to.line("")
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
    if snapshot.index != snapshot.file {
        page.add("index", &snapshot.index)?;
    }
    page.add("family", snapshot.family.name())?;
    page.blank()?;
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

/// What is missing, unknown or wrong in its files.
fn write_problems(page: &mut Page, snapshot: &Snapshot) -> Result<()> {
    let mut problems = IndexSet::new();
    for file in snapshot.files.iter().filter(|file| !file.is_complete()) {
        let found = file.found_bytes.map_or("missing".into(), thousands);
        let expected = file.expected_bytes.map_or(String::new(), thousands);
        let size = messages::file_incomplete(&file.name, &file.what, &found, &expected);
        problems.insert(("file".to_string(), size));
    }
    if let Some(table) = &snapshot.table_failure {
        problems.insert(("table".into(), table.reason()));
    }
    for missing in &snapshot.missing {
        let text = messages::section_not_in_table(&missing.what, &missing.need.name());
        problems.insert((hex_id(missing.id), text));
    }
    for section in &snapshot.sections {
        let (state, detail) = state_of(section);
        if !matches!(state, "fine" | "not checked") {
            let what = section.what.unwrap_or("section");
            let text = format!("{what}: {state}{}", with_prefix(": ", &detail));
            problems.insert((hex_id(section.id), text));
        }
    }
    if !snapshot.sections.is_empty() {
        let all = counted(snapshot.sections.len() as u64, "section");
        let fine = snapshot.sections.iter().map(state_of);
        let fine = thousands(fine.filter(|(state, _)| *state == "fine").count() as u64);
        page.add("sections", &messages::sections_fine(&fine, &all))?;
    }
    for (label, text) in problems.iter().take(MAX_PROBLEMS) {
        page.add(label, text)?;
    }
    if let Some(more @ 1..) = problems.len().checked_sub(MAX_PROBLEMS) {
        page.add("", &messages::more_in_json(&thousands(more as u64)))?;
    }
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
    let problem = with_prefix(": ", cache.problem.as_deref().unwrap_or_default());
    page.add("cache", &format!("{folder}{problem}{this_snapshot}"))
}

fn write_cross_check(page: &mut Page, cross_check: &CrossCheck) -> Result<()> {
    let first = cross_check.first.name();
    if cross_check.compared.is_empty() {
        page.add("cross-check", &messages::only_one_decoder_opens_it(&first))?;
    }
    for (other, _, found) in &cross_check.compared {
        let text = match found.is_equal() {
            true => messages::decoders_agree(&first, &other.name()),
            false => difference_of(found, first, other.name()),
        };
        page.add("cross-check", &text)?;
    }
    for decoder in &cross_check.failed {
        page.add("", &messages::decoder_cant_open(&decoder.name()))?;
    }
    for (decoder, why) in &cross_check.unavailable {
        page.add("", &messages::decoder_not_available(&decoder.name(), why))?;
    }
    Ok(())
}

fn difference_of(found: &Agreement, first: &str, other: &str) -> String {
    let counts = [
        found.equal,
        found.changed,
        found.only_in_first,
        found.only_in_second,
    ];
    let [equal, changed, only_first, only_other] = counts.map(|count| thousands(count as u64));
    format!(
        "{first} and {other} DIFFER: {equal} nodes equal, {changed} changed, {only_first} only in {first}, {only_other} only in {other}; --json lists them"
    )
}
