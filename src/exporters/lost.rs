//! What formats can't hold: each thing has a clause for the table of formats, and a sentence for a profile that has it.

use super::rows::{NAMELESS, Rows};
use super::tracks::{Track, has_processes, tracks};
use super::{Part, collapsed, pprof, trace_event};
use crate::model::format::counted;
use crate::model::{CountKind, FrameId, FrameKind, MetricId, NodeId, NodeIds, ProfileKind, Unit};
use std::collections::HashSet;

/// Something that a format can't hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// When what happened; trees don't have it either, and the format has nothing else.
    Layout,
    /// All metrics but the chosen one.
    OtherMetrics,
    /// How the metric is called.
    MetricName,
    /// The unit of values.
    Unit,
    /// Units that are no times.
    OtherUnits,
    /// Calls and samples.
    Counts,
    /// Calls and samples, unless the samples are a metric of their own.
    CountsBeside,
    /// How the profile was taken: readers don't know.
    Kind,
    /// How it was taken: readers take it for sampling.
    KindIsSampling,
    /// That threads and processes are no methods: they are the first frames of their stacks.
    Threads,
    /// Ids of threads that don't stand in their titles.
    ThreadIds,
    /// Ids of threads and processes that are no numbers, or not the only ones.
    ThreadNumbers,
    /// Titles of threads and processes that are not made of number and name.
    ThreadTitles,
    /// That threads of the same id and name are several.
    TwinThreads,
    /// Processes: their titles stand before those of their threads if there are several.
    Processes,
    /// A process that is the only one.
    OnlyProcess,
    /// Numbers of processes.
    ProcessNumbers,
    /// That nodes lie in no thread: they get one.
    Outside,
    /// The same, where there are threads, too.
    OutsideBesideThreads,
    /// That threads, processes and the root have values of their own: these become frames called like them.
    OwnOfThreads,
    /// That the root has values of its own.
    OwnOfRoot,
    /// That frames are no methods.
    Kinds,
    /// Names with characters that the format needs for itself or that a terminal obeys.
    Names,
    /// Empty names.
    Nameless,
    /// Parameters and results.
    Signatures,
    /// Where the source of frames is.
    Locations,
    /// That callees of one node with the same frame are several.
    Twins,
    /// Inclusive values that are not the sum of what is below.
    GivenInclusive,
    /// How nodes are called.
    NodeIds,
    /// What a reader should know before believing the numbers.
    Warnings,
}

/// What the words say of a part, if there is anything to say.
type Sentence = fn(&Part) -> Option<String>;

impl Lost {
    /// What is lost, for the table of formats.
    pub fn clause(self) -> &'static str {
        self.words().0
    }

    /// What of a part is lost, a sentence without its capital letter and full stop; `None` if it has nothing of the kind.
    /// O(nodes).
    pub fn of(self, part: &Part) -> Option<String> {
        (self.words().1)(part)
    }

    /// The clause and the sentence.
    fn words(self) -> (&'static str, Sentence) {
        match self {
            Lost::Layout => ("when each frame was open (callees stand in the order of the tree)", |_| {
                Some("when each frame was open: callees stand one after the other in the order of the tree".into())
            }),
            Lost::OtherMetrics => ("metrics but the chosen one", other_metrics),
            Lost::MetricName => ("the metric's name", metric_name),
            Lost::Unit => ("units (times are nanoseconds)", unit),
            Lost::OtherUnits => ("units but time (1 becomes 1 ns)", |part| {
                let unit = part.profile.metric(part.metric).unit;
                (unit != Unit::Milliseconds).then(|| "the unit: 1 is written as 1 ns".into())
            }),
            Lost::Counts => ("calls and samples", |part| counts(part, &[part.metric])),
            Lost::CountsBeside => ("calls, and samples beside other metrics", counts_beside),
            Lost::Kind => ("how the profile was taken", |part| {
                let kind = part.profile.source.kind;
                (kind != ProfileKind::Unknown).then(|| format!("how the profile was taken ({})", kind.title()))
            }),
            Lost::KindIsSampling => ("how the profile was taken (it is taken for sampling)", |part| {
                let kind = part.profile.source.kind;
                let sentence = || format!("how the profile was taken ({}): readers take it for sampling", kind.title());
                (kind != ProfileKind::Sampling).then(sentence)
            }),
            Lost::Threads => ("threads and processes (they are first frames)", |part| {
                let threads = tracks_of(part).iter().filter(|track| track.thread.is_some()).count();
                some(threads, |many| format!("{}: they are the first frames of stacks", counted(many, "thread")))
            }),
            Lost::ThreadIds => ("ids of threads that are not in their titles", thread_ids),
            Lost::ThreadNumbers => ("ids of threads that are no numbers, or not the only ones", thread_numbers),
            Lost::ThreadTitles => ("titles of threads that are not made of id and name", thread_titles),
            Lost::TwinThreads => ("threads of the same id and name are one", twin_threads),
            Lost::Processes => ("processes (if there are several, threads bear their names)", |part| {
                some(process_count(part), |many| {
                    format!("{}: threads bear their names if there are several", processes(many))
                })
            }),
            Lost::OnlyProcess => ("a process that is the only one", |part| {
                let is_lost = !has_processes(&tracks_of(part)) && process_count(part) > 0;
                is_lost.then(|| "the process, which is the only one".into())
            }),
            Lost::ProcessNumbers => ("numbers of processes", |part| {
                let is_inside = |node| part.profile.tree.contains(part.root, node);
                let many = part.profile.processes.iter().filter(|process| is_inside(process.node)).count();
                some(many, |many| format!("the numbers of {}, but where they stand in titles", processes(many)))
            }),
            Lost::Outside => ("that nodes are in no thread (they get one)", |part| {
                let many = outside(part);
                some(many, |many| format!("that {} in no thread: they get one", nodes_lie(many)))
            }),
            Lost::OutsideBesideThreads => ("that nodes are in no thread where others are", |part| {
                let has_threads = tracks_of(part).iter().any(|track| track.thread.is_some());
                let many = if has_threads || has_processes(&tracks_of(part)) { outside(part) } else { 0 };
                some(many, |many| format!("that {} in no thread: they get one", nodes_lie(many)))
            }),
            Lost::OwnOfThreads => ("values of threads themselves (they become frames)", |part| {
                let many = tracks_of(part).iter().map(|track| track.owns.len()).sum();
                some(many, |many| {
                    format!(
                        "which values are of threads or roots themselves: {} called like them stand for these",
                        counted(many, "frame")
                    )
                })
            }),
            Lost::OwnOfRoot => ("values of the root itself (they become a frame)", |part| {
                let is_own = tracks_of(part).iter().any(|track| track.thread.is_none() && !track.owns.is_empty());
                is_own.then(|| "values of the root itself: they become a frame that is called like it".into())
            }),
            Lost::Kinds => ("which frames are no methods", kinds),
            Lost::Names => ("names with `;`, control or invisible characters (`:` and `\\u{…}`)", |part| {
                let frames = frames(part).map(|id| part.profile.frames.name(id).to_string());
                let titles = tracks_of(part).into_iter().map(|track| track.title.into_owned());
                let many = frames.chain(titles).filter(|name| collapsed::written(name) != *name).count();
                some(many, |many| {
                    format!("{} with characters that end frames or lines, or can't be seen", counted(many, "name"))
                })
            }),
            Lost::Nameless => ("empty names", |part| {
                let titles = tracks_of(part).iter().filter(|track| track.title.is_empty()).count();
                let empty = frames(part).filter(|&id| part.profile.frames.name(id).is_empty()).count();
                some(titles + empty, |many| format!("{}: they become {NAMELESS}", counted(many, "empty name")))
            }),
            Lost::Signatures => ("parameters that are not in names (overloads are one)", |part| {
                let many = frames(part).filter(|&id| !part.profile.frames.signature(id).is_empty()).count();
                some(many, |many| format!("the parameters of {}: overloads are one", counted(many, "method")))
            }),
            Lost::Locations => ("where sources are", |part| {
                let many = frames(part).filter(|&id| !part.profile.frames.location(id).is_empty()).count();
                some(many, |many| format!("where the source of {} is", counted(many, "method")))
            }),
            Lost::Twins => ("callees of one name are one", twins),
            Lost::GivenInclusive => ("inclusive values that are no sums", given_inclusive),
            Lost::NodeIds => ("ids of nodes", |part| {
                let is_lost = part.profile.node_ids != NodeIds::Preorder;
                is_lost.then(|| format!("the ids of nodes, such as {}", part.profile.node_label(last(part))))
            }),
            Lost::Warnings => ("warnings", |part| some(part.profile.warnings.len(), |many| counted(many, "warning"))),
        }
    }
}

fn some(many: usize, sentence: impl FnOnce(u64) -> String) -> Option<String> {
    (many > 0).then(|| sentence(many as u64))
}

fn processes(many: u64) -> String {
    if many == 1 { "1 process".into() } else { format!("{many} processes") }
}

fn nodes_lie(many: u64) -> String {
    format!("{} {}", counted(many, "node"), if many == 1 { "lies" } else { "lie" })
}

/// The last node of a part: not the root, if there is another.
fn last(part: &Part) -> NodeId {
    NodeId(part.profile.tree.end(part.root).0 - 1)
}

fn tracks_of<'a>(part: &Part<'a>) -> Vec<Track<'a>> {
    tracks(part, &[part.metric])
}

/// The frames of the part's tracks, those of threads, processes and the root left out.
fn frames(part: &Part) -> impl Iterator<Item = FrameId> + use<> {
    let tree = &part.profile.tree;
    let mut is_used = vec![false; part.profile.frames.len()];
    for top in tracks_of(part).iter().flat_map(|track| &track.tops) {
        tree.range(*top).for_each(|row| is_used[tree.frame(NodeId::at(row)).index()] = true);
    }
    (0..is_used.len()).filter(move |&row| is_used[row]).map(FrameId::at)
}

fn other_metrics(part: &Part) -> Option<String> {
    let name = |id: MetricId| part.profile.metric(id).name.as_str();
    let others = (0..part.profile.metrics.len()).map(MetricId::at).filter(|&id| id != part.metric);
    let others: Vec<&str> = others.map(name).collect();
    let chosen = name(part.metric);
    some(others.len(), |_| format!("the metrics {}: only {chosen} is written (--metric chooses)", others.join(", ")))
}

fn metric_name(part: &Part) -> Option<String> {
    let metric = part.profile.metric(part.metric);
    let is_usual = match metric.unit {
        Unit::Milliseconds => metric.name == "time",
        Unit::Bytes => metric.name == "bytes",
        Unit::Count => ["weight", "samples"].contains(&metric.name.as_str()),
    };
    (!is_usual).then(|| format!("the metric's name, {}", metric.name))
}

fn unit(part: &Part) -> Option<String> {
    match part.profile.metric(part.metric).unit {
        Unit::Milliseconds => Some("the unit: values are nanoseconds".into()),
        Unit::Bytes => Some("the unit: values are bytes".into()),
        Unit::Count => None,
    }
}

fn counts(part: &Part, metrics: &[MetricId]) -> Option<String> {
    let kinds = metrics.iter().filter_map(|&metric| part.profile.metric(metric).counts);
    let mut names: Vec<&str> = kinds.map(CountKind::name).collect();
    names.dedup();
    some(names.len(), |_| format!("the {} of nodes", names.join(" and ")))
}

fn counts_beside(part: &Part) -> Option<String> {
    let is_samples = |metric: &crate::model::Metric| metric.name == "samples" && metric.unit == Unit::Count;
    let samples_are_written = part.profile.metrics.iter().any(is_samples);
    let metrics = (0..part.profile.metrics.len()).map(MetricId::at);
    let is_lost = |id: &MetricId| part.profile.metric(*id).counts != Some(CountKind::Samples) || !samples_are_written;
    counts(part, &metrics.filter(is_lost).collect::<Vec<_>>())
}

/// The id and the name in a thread's title, if it is made of them.
pub(super) fn id_in(title: &str) -> Option<(&str, &str)> {
    let (id, name) = title.strip_prefix("Thread (")?.split_once(')')?;
    let name = if name.is_empty() { name } else { name.strip_prefix(' ').filter(|name| !name.is_empty())? };
    (!id.is_empty()).then_some((id, name))
}

fn title(id: &str, name: &str) -> String {
    if name.is_empty() { format!("Thread ({id})") } else { format!("Thread ({id}) {name}") }
}

fn thread_ids(part: &Part) -> Option<String> {
    let tracks = tracks_of(part);
    let is_lost = |track: &&Track| {
        let (_, thread) = track.thread?;
        (!thread.id.is_empty() && id_in(&track.title) != Some((&thread.id, &thread.name))).then_some(())
    };
    let many = tracks.iter().filter(|track| is_lost(track).is_some()).count();
    some(many, |many| format!("the ids of {}", counted(many, "thread")))
}

fn thread_numbers(part: &Part) -> Option<String> {
    let tracks = tracks_of(part);
    let lanes = trace_event::lanes(part, &tracks);
    let is_new = |id: &str, number| trace_event::number_of(id) != Some(number);
    let with_lanes = tracks.iter().zip(&lanes);
    let many =
        with_lanes.filter(|(track, lane)| track.thread.is_some_and(|(_, thread)| is_new(&thread.id, lane.thread)));
    some(many.count(), |many| format!("the ids of {}: they get numbers", counted(many, "thread")))
}

fn thread_titles(part: &Part) -> Option<String> {
    let tracks = tracks_of(part);
    let threads = tracks.iter().filter_map(|track| track.thread.map(|(_, thread)| (track, thread)));
    // our reader calls a thread without an id like this
    let short = |name: &str| format!("Thread {}", if name.is_empty() { "unknown" } else { name });
    let is_lost = |(track, thread): &(&Track, &crate::model::Thread)| {
        let is_short = thread.id.is_empty() && track.title == short(&thread.name);
        !is_short && track.title != title(&thread.id, &thread.name)
    };
    let many = threads.filter(is_lost).count();
    some(many, |many| format!("the titles of {}: they are made anew of ids and names", counted(many, "thread")))
}

fn twin_threads(part: &Part) -> Option<String> {
    let tracks = tracks_of(part);
    let has_processes = has_processes(&tracks);
    let mut seen = HashSet::new();
    let labels = tracks.iter().map(|track| pprof::labels(part, track, has_processes));
    let many = labels.filter(|labels| !seen.insert(labels.clone())).count();
    some(many, |many| format!("that {} of the same id and name as another: they are one", counted(many, "thread")))
}

fn process_count(part: &Part) -> usize {
    tracks_of(part).iter().filter_map(|track| track.process).collect::<HashSet<_>>().len()
}

fn outside(part: &Part) -> usize {
    let tracks = tracks_of(part);
    let tops = tracks.iter().filter(|track| track.thread.is_none()).flat_map(|track| &track.tops);
    tops.map(|&top| part.profile.tree.size(top)).sum()
}

fn kinds(part: &Part) -> Option<String> {
    let frames_ = &part.profile.frames;
    let special: Vec<FrameId> = frames(part).filter(|&id| frames_.get(id).kind != FrameKind::Method).collect();
    let first = frames_.name(*special.first()?);
    some(special.len(), |many| format!("that {} no methods, such as {first}", frames_are(many)))
}

fn frames_are(many: u64) -> String {
    format!("{} {}", counted(many, "frame"), if many == 1 { "is" } else { "are" })
}

fn twins(part: &Part) -> Option<String> {
    let (tree, tracks) = (&part.profile.tree, tracks_of(part));
    let rows = Rows::new(part, &tracks);
    // by row, the caller for which it was met last; one more than its number, and 0 is none
    let mut met = vec![0u32; rows.rows.len()];
    let mut many = 0;
    let mut meet = |caller: u32, node: NodeId| {
        let row = rows.of(tree.frame(node)) as usize;
        many += usize::from(std::mem::replace(&mut met[row], caller + 1) == caller + 1);
    };
    for (track, number) in tracks.iter().zip(0u32..) {
        // below the callers of the part no node has such a number
        track.tops.iter().for_each(|&top| meet(u32::MAX - 1 - number, top));
        for caller in track.tops.iter().flat_map(|&top| tree.range(top).map(NodeId::at)) {
            tree.children(caller).for_each(|callee| meet(caller.0, callee));
        }
    }
    some(many, |many| {
        let stand = if many == 1 { "stands" } else { "stand" };
        format!("that {} {stand} beside another of the same name: they are one", counted(many, "node"))
    })
}

fn given_inclusive(part: &Part) -> Option<String> {
    let tree = &part.profile.tree;
    let differs = |node: &NodeId| {
        let callees = tree.children(*node).map(|callee| tree.inclusive(part.metric, callee));
        let sum = callees.fold(tree.exclusive(part.metric, *node), u64::saturating_add);
        sum != tree.inclusive(part.metric, *node)
    };
    let many = part.nodes().filter(differs).count();
    some(many, |many| {
        format!("the inclusive values of {}, which are no sums: the sums are written", counted(many, "node"))
    })
}
