//! Stacks below threads and processes if their outermost frames name these.

use crate::diagnostics::Diagnostic;
use crate::importers::Format;
use crate::importers::assembly::ProfileAssembly;
use crate::importers::dotnet::{is_thread_time, process_title};
use crate::importers::tracks::{
    self, CollectedTracks, FrameRole, FrameRoles, ThreadTree, TrackMeasure,
};
use crate::input::ImportError;
use crate::input::error::too_large;
use crate::model::{
    CountKind, Metric, MetricId, RawNode, Recording, Source, TooLarge, TreeBuilder, UntimedReason,
};
use crate::units::Unit;

const VALUE: MetricId = MetricId(0);

pub(super) fn profile(
    collected: CollectedTracks,
    file: String,
    format: &Format,
    facts: Vec<(&'static str, String)>,
    diagnostics: Vec<Diagnostic>,
) -> Result<Recording, ImportError> {
    let roles = FrameRoles::new(&collected);
    if is_thread_time_alone(&collected, &roles) {
        return tracks::profile(collected, file, format, facts, diagnostics);
    }
    let source = Source::read_here(file.clone(), format.name, collected.kind, facts);
    let measure = collected.measures.first().copied();
    let measure = measure.unwrap_or(TrackMeasure::Weight);
    let metric = match collected.counts {
        None => Metric::new("samples", Unit::Count, None),
        counts => measure.to_metric(counts),
    };
    let root = match roles.has_threads() {
        true => "All threads",
        false => "All stacks",
    };
    let mut assembly = ProfileAssembly::new(source, root, vec![metric]);
    assembly.diagnostics = diagnostics;
    let mut tree = ThreadTree::new(roles, assembly);
    let is_built = build(&collected, measure, &mut tree);
    is_built.map_err(|TooLarge| too_large(&file, format.title))?;
    let mut assembly = tree.assembly;
    assembly.name_threads();
    if let [process] = &tree.roles.processes[..] {
        let title = process_title(process.id, &process.name);
        assembly.source.facts.push(("process".into(), title));
    }
    if collected.counts == Some(CountKind::Samples) {
        assembly.builder.sum_counts();
    }
    Ok(assembly.profile(VALUE, Err(UntimedReason::NoTimes)))
}

/// Thread time without methods above or next to threads, which [`tracks::profile`] would drop.
fn is_thread_time_alone(collected: &CollectedTracks, roles: &FrameRoles) -> bool {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum NodePosition {
        Above,
        BelowThread,
        Outside,
    }
    let mut positions = vec![NodePosition::Above; collected.builder.len()];
    let (mut has_thread_time, mut is_alone) = (false, collected.measures == [TrackMeasure::Time]);
    for (node, caller, row) in collected.stacks() {
        // callers precede their callees
        let position = match (positions[caller.0 as usize], roles.role(row)) {
            (NodePosition::BelowThread, _) | (_, FrameRole::Thread) => NodePosition::BelowThread,
            (position, FrameRole::Process(_) | FrameRole::Heading) => position,
            _ => NodePosition::Outside,
        };
        positions[node.0 as usize] = position;
        has_thread_time |=
            position == NodePosition::BelowThread && is_thread_time(collected.frames.name(row));
        is_alone &= position != NodePosition::Outside
            || collected.builder.values(TrackMeasure::Time.metric(), node) == (0, 0);
    }
    has_thread_time && is_alone
}

/// A node, or else the process above threads.
type ThreadPlace = Result<RawNode, Option<usize>>;

fn build(
    collected: &CollectedTracks,
    measure: TrackMeasure,
    tree: &mut ThreadTree,
) -> Result<(), TooLarge> {
    let frames = &collected.frames;
    let mut places: Vec<ThreadPlace> = vec![Err(None); collected.builder.len()];
    for (node, caller, row) in collected.builder.nodes() {
        if caller != TreeBuilder::ROOT {
            places[node.0 as usize] = match (places[caller.0 as usize], tree.roles.role(row)) {
                (Err(_), FrameRole::Process(process)) => Err(Some(process)),
                (Err(process), FrameRole::Heading) => Err(process),
                (Err(process), FrameRole::Thread) => {
                    let thread = tree.thread(process, row, frames)?;
                    Ok(tree.assembly.threads[thread].node)
                }
                (above, _) => {
                    let caller = above.or_else(|process| tree.top(process))?;
                    Ok(tree.method(caller, row, frames)?)
                }
            };
        }
        let (value, count) = collected.builder.values(measure.metric(), node);
        if value > 0 || count > 0 {
            let place = places[node.0 as usize].or_else(|process| tree.top(process))?;
            tree.assembly.builder.add_exclusive(VALUE, place, value);
            tree.assembly.builder.add_count(VALUE, place, count);
        }
    }
    Ok(())
}
