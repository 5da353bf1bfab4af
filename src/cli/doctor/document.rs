//! The diagnosis as JSON: the document `dotspot.doctor/1`.

use super::machine::{Assemblies, MachineInfo};
use super::snapshot::{Snapshot, failure_of, hex_id, ms, problem_of};
use super::{CrossCheck, Diagnosis};
use crate::analysis::compared::{Agreement, Difference, DifferenceKind};
use crate::diagnostics::Diagnostic;
use crate::input::Failure;
use crate::model::View;
use crate::object::{All, Members, object};

use serde::Serialize;

impl Diagnosis {
    pub(super) fn document(&self) -> impl Serialize {
        object! {
            schema: "dotspot.doctor/1",
            version: env!("CARGO_PKG_VERSION"),
            snapshot: self.snapshot.as_ref().map(snapshot),
            machine: machine(&self.machine),
            cross_check: self.cross_check.as_ref().map(cross_check),
            next: &self.next,
            exit_code: self.exit_code,
        }
    }
}

fn snapshot(snapshot: &Snapshot) -> impl Serialize {
    let view = snapshot.opened_by().map(|(_, view)| view);
    let diagnostics = view.into_iter().flat_map(View::all_diagnostics);
    let files = snapshot.found.files.iter().map(|file| {
        object! {
            name: &file.name,
            what: file.what,
            need: file.need.name(),
            expected_bytes: file.expected_bytes,
            found_bytes: file.found_bytes,
            whole: file.is_complete(),
        }
    });
    let sections = snapshot.found.sections.iter().map(|section| {
        object! {
            id: hex_id(section.id),
            version: section.version,
            what: section.what,
            need: section.need.name(),
            file: &section.file,
            start: section.start,
            size_bytes: section.size_bytes,
            state: section.state,
            detail: &section.detail,
        }
    });
    let missing = snapshot.found.missing.iter().map(|missing| {
        let (id, need) = (hex_id(missing.id), missing.need.name());
        object! { id, what: missing.what, need }
    });
    let attempts = snapshot.results.iter().map(|(decoder, result)| {
        let (view, failure) = (result.as_ref().ok(), failure_of(result));
        object! {
            decoder: decoder.name(),
            opened: view.is_some(),
            kind: view.map(|view| view.recording.source.kind.name()),
            nodes: view.map(View::node_count),
            threads: view.map(|view| view.threads.len()),
            stage: failure.and_then(|failure| Some(failure.stage?.name())),
            problem: result.as_ref().err().map(problem_of),
            // the reader is already running doctor
            advice: failure.map(|failure| &failure.advice),
            detail: failure.map_or(&[][..], |failure| &failure.detail),
        }
    });
    object! {
        file: &snapshot.file,
        index: snapshot.found.index.display().to_string(),
        family: snapshot.found.family.name(),
        other_format: snapshot.other_format,
        files: files.collect::<Vec<_>>(),
        table_problem: snapshot.found.table_problem.as_ref().map(Failure::reason),
        sections: sections.collect::<Vec<_>>(),
        missing: missing.collect::<Vec<_>>(),
        attempts: attempts.collect::<Vec<_>>(),
        kept_tree: &snapshot.kept_tree,
        warnings: snapshot.warnings(),
        diagnostics: diagnostics.map(Diagnostic::record).collect::<Vec<_>>(),
    }
}

fn machine(machine: &MachineInfo) -> impl Serialize {
    let places = machine.reporter.places.iter().map(|place| {
        object! {
            path: place.path.display().to_string(),
            what: place.what,
            found: place.exists,
        }
    });
    let chosen = machine.reporter.chosen.as_ref();
    let version = chosen.map(|chosen| chosen.version.as_str());
    object! {
        system: machine.system.name(),
        assemblies: assemblies(&machine.assemblies),
        reporter: object! {
            at_hand: chosen.is_some(),
            path: chosen.map(|chosen| chosen.path.display().to_string()),
            version: version.filter(|version| !version.is_empty()),
            places: places.collect::<Vec<_>>(),
            failure: All(why(machine.no_reporter.as_ref())),
        },
        cache: &machine.cache,
    }
}

fn assemblies(found: &Assemblies) -> impl Serialize {
    let toolchains = found.toolchains.iter().map(|(kind, toolchain)| {
        let (there, problem) = (toolchain.as_ref().ok(), toolchain.as_ref().err());
        object! {
            name: kind.title(),
            version: there.map(|toolchain| &toolchain.version),
            compiler: there.map(|toolchain| toolchain.compiler.display().to_string()),
            problem,
        }
    });
    let helper = found.helper.as_ref();
    let helper = helper.map(|(program, built_now)| object! { program, built_now });
    object! {
        at_hand: found.failure.is_none(),
        toolchains: toolchains.collect::<Vec<_>>(),
        helper,
        installs: &found.probe.installs,
        looked_at: &found.probe.looked_at,
        unbound: found.unbound(),
        warnings: &found.probe.warnings,
        failure: All(why(found.failure.as_ref())),
    }
}

fn why(failure: Option<&Failure>) -> impl Members {
    object! {
        problem: failure.map(|failure| &failure.problem),
        advice: failure.map(|failure| &failure.advice),
        detail: failure.map_or(&[][..], |failure| &failure.detail),
    }
}

fn cross_check(found: &CrossCheck) -> impl Serialize {
    let compared = found.compared.iter().map(|(decoder, nodes, agreement)| {
        let Agreement { differences, .. } = agreement;
        object! {
            decoder: decoder.name(),
            agrees: agreement.is_equal(),
            nodes_of_first: found.nodes_of_first,
            nodes,
            equal: agreement.equal,
            changed: agreement.changed,
            only_in_first: agreement.only_in_first,
            only_in_other: agreement.only_in_second,
            largest_difference: ms(agreement.largest_difference),
            tolerance_per_node: ms(agreement.tolerance),
            counts_compared: agreement.counts_are_compared,
            differences: differences.iter().map(difference).collect::<Vec<_>>(),
        }
    });
    let unavailable = found.unavailable.iter();
    let not_at_hand = unavailable.map(|(decoder, why)| object! { decoder: decoder.name(), why });
    object! {
        first: found.first.name(),
        compared: compared.collect::<Vec<_>>(),
        failed: found.failed.iter().map(|decoder| decoder.name()).collect::<Vec<_>>(),
        not_at_hand: not_at_hand.collect::<Vec<_>>(),
    }
}

fn difference(difference: &Difference) -> impl Serialize + use<'_> {
    let (what, first, other) = match difference.what {
        DifferenceKind::OnlyInFirst(a) => ("only in first", Some(ms(a)), None),
        DifferenceKind::OnlyInSecond(b) => ("only in other", None, Some(ms(b))),
        DifferenceKind::Inclusive(a, b) => ("inclusive", Some(ms(a)), Some(ms(b))),
        DifferenceKind::Exclusive(a, b) => ("exclusive", Some(ms(a)), Some(ms(b))),
        DifferenceKind::Count(a, b) => ("count", Some(a as f64), Some(b as f64)),
    };
    object! { what, path: &difference.path, first, other }
}
