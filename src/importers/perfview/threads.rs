//! The profile of stacks, below threads and processes if their outermost frames name these.

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
    CountKind, Metric, MetricId, RawNode, Recording, Source, TooLarge, TreeBuilder,
};
use crate::units::Unit;

const VALUE: MetricId = MetricId(0);

pub(super) fn profile(
    recorded: CollectedTracks,
    file: String,
    format: &Format,
    facts: Vec<(&'static str, String)>,
    diagnostics: Vec<Diagnostic>,
) -> Result<Recording, ImportError> {
    let roles = FrameRoles::new(&recorded);
    if is_thread_time_alone(&recorded, &roles) {
        return tracks::profile(recorded, file, format, facts, diagnostics);
    }
    let source = Source::read_here(file.clone(), format.name, recorded.kind, facts);
    let measure = recorded.measures.first().copied();
    let measure = measure.unwrap_or(TrackMeasure::Weight);
    let metric = match (measure, recorded.counts) {
        (_, None) => Metric::new("samples", Unit::Count, None),
        (TrackMeasure::Time, counts) => Metric::time("time", counts),
        (_, counts) => Metric::new("weight", Unit::Count, counts),
    };
    let root = match roles.has_threads() {
        true => "All threads",
        false => "All stacks",
    };
    let mut grown = ProfileAssembly::new(source, root, vec![metric]);
    grown.diagnostics = diagnostics;
    let mut tree = ThreadTree::new(roles, grown);
    let is_grown = grow(&recorded, measure, &mut tree);
    is_grown.map_err(|TooLarge| too_large(&file, format.title))?;
    let mut grown = tree.grown;
    grown.name_threads();
    if let [process] = &tree.roles.processes[..] {
        let title = process_title(process.id, &process.name);
        grown.source.facts.push(("process".into(), title));
    }
    if recorded.counts == Some(CountKind::Samples) {
        grown.builder.sum_counts();
    }
    Ok(grown.profile(VALUE))
}

/// Whether this is thread time without methods above or next to threads, which [`tracks::profile`] would drop.
fn is_thread_time_alone(recorded: &CollectedTracks, roles: &FrameRoles) -> bool {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum NodePosition {
        Above,
        BelowThread,
        Beside,
    }
    let mut ways = vec![NodePosition::Above; recorded.builder.len()];
    let (mut has_thread_time, mut is_alone) = (false, recorded.measures == [TrackMeasure::Time]);
    for (node, caller, row) in recorded.stacks() {
        // callers precede their callees
        let way = match (ways[caller.0 as usize], roles.of(row)) {
            (NodePosition::BelowThread, _) | (_, FrameRole::Thread) => NodePosition::BelowThread,
            (way, FrameRole::Process(_) | FrameRole::Heading) => way,
            _ => NodePosition::Beside,
        };
        ways[node.0 as usize] = way;
        has_thread_time |=
            way == NodePosition::BelowThread && is_thread_time(recorded.frames.name(row));
        is_alone &= way != NodePosition::Beside
            || recorded.builder.values(TrackMeasure::Time.metric(), node) == (0, 0);
    }
    has_thread_time && is_alone
}

/// A node, or else the process above threads.
type ThreadPlace = Result<RawNode, Option<usize>>;

fn grow(
    recorded: &CollectedTracks,
    measure: TrackMeasure,
    tree: &mut ThreadTree,
) -> Result<(), TooLarge> {
    let frames = &recorded.frames;
    let mut places: Vec<ThreadPlace> = vec![Err(None); recorded.builder.len()];
    for (node, caller, row) in recorded.builder.nodes() {
        if caller != TreeBuilder::ROOT {
            places[node.0 as usize] = match (places[caller.0 as usize], tree.roles.of(row)) {
                (Err(_), FrameRole::Process(process)) => Err(Some(process)),
                (Err(process), FrameRole::Heading) => Err(process),
                (Err(process), FrameRole::Thread) => {
                    let thread = tree.thread(process, row, frames)?;
                    Ok(tree.grown.threads[thread].node)
                }
                (above, _) => {
                    let caller = above.or_else(|process| tree.top(process))?;
                    Ok(tree.method(caller, row, frames)?)
                }
            };
        }
        let (value, count) = recorded.builder.values(measure.metric(), node);
        if value > 0 || count > 0 {
            let place = places[node.0 as usize].or_else(|process| tree.top(process))?;
            tree.grown.builder.add_exclusive(VALUE, place, value);
            tree.grown.builder.add_count(VALUE, place, count);
        }
    }
    Ok(())
}
