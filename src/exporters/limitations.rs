//! What formats can't hold: each thing has a clause for the table of formats, and a sentence for a profile that has it.

use super::collapsed_names::written;
use super::instants;
use super::labels::labels;
use super::lanes::{lanes, number_of};
use super::part::Part;
use super::rows::{KnownBy, Rows, is_readable};
use super::tracks::{NAMELESS, Track, has_processes, title_of, tracks};
use crate::model::Severity;
use crate::model::format::counted;
use crate::model::{CountKind, FrameId, FrameKind, MetricId, NodeId, NodeIds, ProfileKind, Unit};
use std::collections::{HashMap, HashSet};

/// Something that a format can't hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limitation {
    /// When what happened; trees don't have it either, and the format has nothing else.
    Layout,
    /// All metrics other than the chosen one.
    OtherMetrics,
    /// How the metric is called.
    MetricName,
    /// What values are: the metric's name and its unit.
    Meaning,
    /// Units that are no times.
    OtherUnits,
    /// Calls and samples.
    Counts,
    /// Calls and samples, unless the samples are a metric of their own.
    CountsBeside,
    /// How the profile was taken: readers don't know.
    Kind,
    /// How it was taken: readers assume sampling.
    KindIsSampling,
    /// That threads and processes are no methods: they are the first frames of their stacks.
    Threads,
    /// Ids of threads that don't stand in their titles.
    ThreadIds,
    /// Ids of threads and processes that are not numbers, or not unique.
    ThreadNumbers,
    /// Titles of threads that are not made of id and name.
    ThreadTitles,
    /// Titles of processes of which no number is known.
    ProcessTitles,
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
    /// That the root and processes have values of their own.
    OwnOfProcesses,
    /// That frames are no methods.
    Kinds,
    /// Names with characters that the format needs for itself or that a terminal obeys.
    Names,
    /// Empty names.
    Nameless,
    /// Parameters and results.
    Signatures,
    /// Parameters and results that do not look like that.
    OddSignatures,
    /// A person's notes on methods.
    MethodNotes,
    /// Where the source of frames is.
    Locations,
    /// That callees of one node with the same frame are several.
    Twins,
    /// The same, where frames are known by their parameters, too.
    TwinOverloads,
    /// The same, where threads and processes are frames, and names are changed.
    TwinStacks,
    /// Inclusive values that are not the sum of what is below.
    GivenInclusive,
    /// The order of ends and begins at one time, in threads that are too long for readers to tell such times apart.
    Turns,
    /// How nodes are called.
    NodeIds,
    /// That this is a range of time of the recording.
    Range,
    /// What a reader should know besides the numbers.
    Warnings,
}

/// What there is to say of a part of which these metrics are written, if anything.
type Sentence = fn(&Part, &[MetricId]) -> Option<String>;

impl Limitation {
    /// What can't be held, for the table of formats.
    pub fn clause(self) -> &'static str {
        self.words().1
    }

    /// What can't be held of a part in a format that holds these metrics, a sentence without its capital letter and full stop; `None`
    /// if it has nothing of the kind. O(nodes).
    pub fn of(self, part: &Part, metrics: &[MetricId]) -> Option<String> {
        (self.words().2)(part, metrics)
    }

    /// Whether nearly every profile has it, no value changes, and nothing can be done about it.
    pub fn is_usual(self) -> bool {
        use Limitation::{
            Counts, CountsBeside, Kind, KindIsSampling, Kinds, Layout, Meaning, MetricName,
            NodeIds, Threads,
        };
        let usual = [
            Layout,
            MetricName,
            Meaning,
            Counts,
            CountsBeside,
            Kind,
            KindIsSampling,
            Threads,
            Kinds,
            NodeIds,
        ];
        usual.contains(&self)
    }

    /// Its row in the table.
    fn words(self) -> &'static (Limitation, &'static str, Sentence) {
        // the table has the order of the enumeration, which a test checks
        &WORDS[self as usize]
    }
}

/// For all limitations, in the order of the enumeration, the clause and the sentence.
const WORDS: &[(Limitation, &str, Sentence)] = &[
    (
        Limitation::Layout,
        "when each frame was open (callees follow the order of the tree)",
        |_, _| {
            Some(
                "when each frame was open: callees follow each other in the order of the tree"
                    .into(),
            )
        },
    ),
    (
        Limitation::OtherMetrics,
        "metrics other than the chosen one",
        other_metrics,
    ),
    (Limitation::MetricName, "the metric's name", metric_name),
    (
        Limitation::Meaning,
        "what values are (times are nanoseconds)",
        meaning,
    ),
    (
        Limitation::OtherUnits,
        "units other than time (1 becomes 1 ns)",
        |part, _| {
            let unit = part.view.metric(part.metric).unit;
            (unit != Unit::Milliseconds).then(|| "the unit: 1 is written as 1 ns".into())
        },
    ),
    (Limitation::Counts, "calls and samples", counts),
    (
        Limitation::CountsBeside,
        "calls, and samples beside other metrics",
        counts_beside,
    ),
    (Limitation::Kind, "how the profile was taken", |part, _| {
        let kind = part.view.source.kind;
        (kind != ProfileKind::Unknown)
            .then(|| format!("how the profile was taken ({})", kind.title()))
    }),
    (
        Limitation::KindIsSampling,
        "how the profile was taken (readers assume sampling)",
        |part, _| {
            let kind = part.view.source.kind;
            let sentence = || {
                format!(
                    "how the profile was taken ({}): readers assume sampling",
                    kind.title()
                )
            };
            (kind != ProfileKind::Sampling).then(sentence)
        },
    ),
    (
        Limitation::Threads,
        "threads and processes (they are first frames)",
        |part, metrics| {
            let threads = tracks(part, metrics)
                .iter()
                .filter(|track| track.thread.is_some())
                .count();
            let what = match process_count(part, metrics) {
                0 => counted(threads as u64, "thread"),
                many => format!(
                    "{} and {}",
                    processes(many as u64),
                    counted(threads as u64, "thread")
                ),
            };
            some(threads + process_count(part, metrics), |_| {
                format!("{what}: these are first frames of stacks")
            })
        },
    ),
    (
        Limitation::ThreadIds,
        "ids of threads that are not in their titles",
        thread_ids,
    ),
    (
        Limitation::ThreadNumbers,
        "ids of threads that are not numbers, or not unique",
        thread_numbers,
    ),
    (
        Limitation::ThreadTitles,
        "titles of threads that are not made up of id and name",
        thread_titles,
    ),
    (
        Limitation::ProcessTitles,
        "titles of processes without a number",
        |part, metrics| {
            let tracks = tracks(part, metrics);
            let known: HashSet<NodeId> = part
                .view
                .processes
                .iter()
                .map(|process| process.node)
                .collect();
            let unknown: HashSet<NodeId> =
                tracks.iter().filter_map(|track| track.process).collect();
            let many = unknown.iter().filter(|node| !known.contains(*node)).count();
            some(many, |many| {
                format!("the titles of {}, which get numbers", processes(many))
            })
        },
    ),
    (
        Limitation::TwinThreads,
        "threads of the same id and name become one",
        twin_threads,
    ),
    (
        Limitation::Processes,
        "processes (if there are several, threads bear their names)",
        |part, metrics| {
            some(process_count(part, metrics), |many| {
                format!(
                    "{}: threads bear their names if there are several",
                    processes(many)
                )
            })
        },
    ),
    (
        Limitation::OnlyProcess,
        "a process that is the only one",
        |part, metrics| {
            let is_lost =
                !has_processes(&tracks(part, metrics)) && process_count(part, metrics) > 0;
            is_lost.then(|| "the process, which is the only one".into())
        },
    ),
    (
        Limitation::ProcessNumbers,
        "numbers of processes",
        |part, _| {
            let is_inside = |node| part.view.tree.contains(part.root, node);
            let many = part
                .view
                .processes
                .iter()
                .filter(|process| is_inside(process.node))
                .count();
            some(many, |many| {
                format!(
                    "the numbers of {}, but where they stand in titles",
                    processes(many)
                )
            })
        },
    ),
    (
        Limitation::Outside,
        "that nodes are in no thread (they get one)",
        |part, metrics| {
            let many = outside(part, metrics);
            some(many, |many| {
                format!("that {} in no thread: they get one", nodes_lie(many))
            })
        },
    ),
    (
        Limitation::OutsideBesideThreads,
        "that nodes are in no thread where others are",
        |part, metrics| {
            let has_threads = tracks(part, metrics)
                .iter()
                .any(|track| track.thread.is_some());
            let many = if has_threads || has_processes(&tracks(part, metrics)) {
                outside(part, metrics)
            } else {
                0
            };
            some(many, |many| {
                format!("that {} in no thread: they get one", nodes_lie(many))
            })
        },
    ),
    (
        Limitation::OwnOfThreads,
        "values of threads themselves (they become frames)",
        |part, metrics| {
            let many = tracks(part, metrics)
                .iter()
                .map(|track| track.owns.len())
                .sum();
            some(many, |many| {
                format!(
                    "which values are of threads or roots themselves: {}",
                    frames_stand(many)
                )
            })
        },
    ),
    (
        Limitation::OwnOfRoot,
        "values of the root itself (they become a frame)",
        |part, metrics| {
            let tracks = tracks(part, metrics);
            let is_own = tracks
                .iter()
                .flat_map(|track| &track.owns)
                .any(|&own| part.kind(own) == FrameKind::Root);
            is_own.then(|| format!("which values are of the root itself: {}", frames_stand(1)))
        },
    ),
    (
        Limitation::OwnOfProcesses,
        "values of processes and the root themselves (they become frames)",
        |part, metrics| {
            let tracks = tracks(part, metrics);
            let many = tracks
                .iter()
                .filter(|track| track.thread.is_none())
                .map(|track| track.owns.len())
                .sum();
            some(many, |many| {
                format!(
                    "which values are of processes or the root themselves: {}",
                    frames_stand(many)
                )
            })
        },
    ),
    (Limitation::Kinds, "which frames are not methods", kinds),
    (
        Limitation::Names,
        "names with `;`, control or invisible characters (`:` and `\\u{…}`)",
        |part, metrics| {
            let frames = frames(part, metrics).map(|id| part.view.frames.name(id).to_string());
            let titles = tracks(part, metrics)
                .into_iter()
                .map(|track| track.title.into_owned());
            let many = frames
                .chain(titles)
                .filter(|name| written(name) != *name)
                .count();
            some(many, |many| {
                format!(
                    "{} with characters that end frames or lines, or can't be seen",
                    counted(many, "name")
                )
            })
        },
    ),
    (Limitation::Nameless, "empty names", |part, metrics| {
        let titles = tracks(part, metrics)
            .iter()
            .filter(|track| track.title.is_empty())
            .count();
        let empty = frames(part, metrics)
            .filter(|&id| part.view.frames.name(id).is_empty())
            .count();
        some(titles + empty, |many| {
            format!("{}: they become {NAMELESS}", counted(many, "empty name"))
        })
    }),
    (
        Limitation::Signatures,
        "parameters that are not in names (overloads become one)",
        |part, metrics| {
            let many = frames(part, metrics)
                .filter(|&id| !part.view.frames.signature(id).is_empty())
                .count();
            some(many, |many| {
                format!(
                    "the parameters of {}: overloads become one",
                    counted(many, "method")
                )
            })
        },
    ),
    (
        Limitation::OddSignatures,
        "parameters that do not start with `(` (overloads become one)",
        |part, metrics| {
            let signature = |id| part.view.frames.signature(id);
            let is_odd = |id: &FrameId| !signature(*id).is_empty() && !is_readable(signature(*id));
            let many = frames(part, metrics).filter(is_odd).count();
            some(many, |many| {
                format!(
                    "the parameters of {}, which do not start with `(`: overloads become one",
                    counted(many, "method")
                )
            })
        },
    ),
    (Limitation::MethodNotes, "notes on methods", |part, _| {
        some(part.notes_on_its_methods().count(), |many| {
            counted(many, "note") + " on methods"
        })
    }),
    (
        Limitation::Locations,
        "source locations",
        |part, metrics| {
            let many = frames(part, metrics)
                .filter(|&id| !part.view.frames.location(id).is_empty())
                .count();
            some(many, |many| {
                format!("the source locations of {}", counted(many, "method"))
            })
        },
    ),
    (
        Limitation::Twins,
        "callees of the same name become one",
        |part, metrics| twins(part, metrics, KnownBy::Name),
    ),
    (
        Limitation::TwinOverloads,
        "callees of the same name and parameters become one",
        |part, metrics| twins(part, metrics, KnownBy::NameAndSignature),
    ),
    (
        Limitation::TwinStacks,
        "callees and threads of the same name become one",
        twin_stacks,
    ),
    (
        Limitation::GivenInclusive,
        "inclusive values that are not sums",
        given_inclusive,
    ),
    (
        Limitation::Turns,
        "how spans of the same instant nest in threads longer than 62 hours",
        |part, metrics| {
            let is_long = |track: &&Track| track.total(part, part.metric) > instants::longest();
            let many = tracks(part, metrics).iter().filter(is_long).count();
            some(many, |many| {
                let threads = counted(many, "thread");
                format!(
                    "which span is in which at one time in {threads} longer than 62 hours: other readers may be wrong"
                )
            })
        },
    ),
    (Limitation::NodeIds, "ids of nodes", |part, _| {
        let view = part.view;
        let is_lost =
            !view.has_merged_threads() && (view.node_ids != NodeIds::Preorder || !view.is_whole());
        is_lost.then(|| {
            format!(
                "the ids of nodes, such as {}",
                part.view.node_label(last(part))
            )
        })
    }),
    (
        Limitation::Range,
        "that it is only a range of time of the recording",
        |part, _| {
            part.view
                .range()
                .map(|range| format!("that this is only {range}"))
        },
    ),
    (Limitation::Warnings, "warnings and notes", |part, _| {
        let count = |severity| part.view.diagnostics_of(severity).count();
        let warnings = some(count(Severity::Warning), |many| counted(many, "warning"));
        let notes = some(count(Severity::Note), |many| counted(many, "note"));
        match (warnings, notes) {
            (Some(warnings), Some(notes)) => Some(format!("{warnings} and {notes}")),
            (warnings, notes) => warnings.or(notes),
        }
    }),
];

fn some(many: usize, sentence: impl FnOnce(u64) -> String) -> Option<String> {
    (many > 0).then(|| sentence(many as u64))
}

fn processes(many: u64) -> String {
    if many == 1 {
        "1 process".into()
    } else {
        format!("{many} processes")
    }
}

fn nodes_lie(many: u64) -> String {
    format!(
        "{} {}",
        counted(many, "node"),
        if many == 1 { "lies" } else { "lie" }
    )
}

fn frames_stand(many: u64) -> String {
    match many {
        1 => "a frame called like it stands for these".into(),
        _ => format!(
            "{} called like them stand for these",
            counted(many, "frame")
        ),
    }
}

/// The last node of a part: not the root, if there is another.
fn last(part: &Part) -> NodeId {
    NodeId(part.view.tree.end(part.root).0 - 1)
}

/// The frames of the part's tracks, those of threads, processes and the root left out.
fn frames(part: &Part, metrics: &[MetricId]) -> impl Iterator<Item = FrameId> + use<> {
    let tree = &part.view.tree;
    let mut is_used = vec![false; part.view.frames.len()];
    for top in tracks(part, metrics).iter().flat_map(|track| &track.tops) {
        tree.range(*top)
            .for_each(|row| is_used[tree.frame(NodeId::at(row)).index()] = true);
    }
    (0..is_used.len())
        .filter(move |&row| is_used[row])
        .map(FrameId::at)
}

fn other_metrics(part: &Part, _: &[MetricId]) -> Option<String> {
    let name = |id: MetricId| part.view.metric(id).name.as_str();
    let others = (0..part.view.metrics.len())
        .map(MetricId::at)
        .filter(|&id| id != part.metric);
    let others: Vec<&str> = others.map(name).collect();
    let chosen = name(part.metric);
    some(others.len(), |_| {
        format!(
            "the metrics {}: only {chosen} is written (--metric chooses)",
            others.join(", ")
        )
    })
}

fn metric_name(part: &Part, _: &[MetricId]) -> Option<String> {
    let metric = part.view.metric(part.metric);
    let is_usual = match metric.unit {
        Unit::Milliseconds => metric.name == "time",
        Unit::Bytes => metric.name == "bytes",
        Unit::Count => metric.name == "weight",
    };
    (!is_usual).then(|| format!("the metric's name, {}", metric.name))
}

fn meaning(part: &Part, _: &[MetricId]) -> Option<String> {
    let metric = part.view.metric(part.metric);
    let unit = match metric.unit {
        Unit::Milliseconds => " in nanoseconds",
        Unit::Bytes => " in bytes",
        Unit::Count => "",
    };
    // what readers take values for
    let is_usual = metric.unit == Unit::Count && metric.name == "samples";
    (!is_usual).then(|| format!("what the values are: {}{unit}", metric.name))
}

fn counts(part: &Part, metrics: &[MetricId]) -> Option<String> {
    let counted = metrics
        .iter()
        .map(|&id| part.view.metric(id))
        .filter(|metric| metric.counts.is_some());
    let (mut counts, names): (Vec<&str>, Vec<&str>) = counted
        .map(|metric| {
            (
                metric.counts.map_or("", CountKind::name),
                metric.name.as_str(),
            )
        })
        .unzip();
    counts.dedup();
    some(names.len(), |_| {
        format!(
            "the {} that nodes have beside {}",
            counts.join(" and "),
            names.join(" and ")
        )
    })
}

fn counts_beside(part: &Part, metrics: &[MetricId]) -> Option<String> {
    let (view, tree) = (part.view, &part.view.tree);
    // our reader takes the metric of this name for the counts of the default one
    let is_samples =
        |id: &MetricId| view.metric(*id).name == "samples" && view.metric(*id).unit == Unit::Count;
    let samples = metrics
        .iter()
        .copied()
        .find(is_samples)
        .filter(|&id| id != part.metric);
    let is_equal =
        |samples, node| tree.count(part.metric, node) == Some(tree.inclusive(samples, node));
    let is_written = view.metric(part.metric).counts == Some(CountKind::Samples)
        && samples.is_some_and(|samples| part.nodes().all(|node| is_equal(samples, node)));
    counts(
        part,
        &metrics
            .iter()
            .copied()
            .filter(|&id| id != part.metric || !is_written)
            .collect::<Vec<_>>(),
    )
}

/// The id and the name in a thread's title, if it is made of them.
pub(super) fn id_in(title: &str) -> Option<(&str, &str)> {
    let (id, name) = title.strip_prefix("Thread (")?.split_once(')')?;
    let name = if name.is_empty() {
        name
    } else {
        name.strip_prefix(' ').filter(|name| !name.is_empty())?
    };
    (!id.is_empty()).then_some((id, name))
}

fn title(id: &str, name: &str) -> String {
    if name.is_empty() {
        format!("Thread ({id})")
    } else {
        format!("Thread ({id}) {name}")
    }
}

fn thread_ids(part: &Part, metrics: &[MetricId]) -> Option<String> {
    let tracks = tracks(part, metrics);
    let has_processes = has_processes(&tracks);
    let is_lost = |track: &&Track| {
        let title = title_of(part, track, has_processes);
        track
            .thread
            .is_some_and(|(_, thread)| id_in(&title) != Some((&thread.id, &thread.name)))
    };
    let many = tracks.iter().filter(is_lost).count();
    some(many, |many| {
        format!(
            "the ids and names of {}, but for their titles",
            counted(many, "thread")
        )
    })
}

fn thread_numbers(part: &Part, metrics: &[MetricId]) -> Option<String> {
    let tracks = tracks(part, metrics);
    let lanes = lanes(part, &tracks);
    let is_new = |id: &str, number| number_of(id) != Some(number);
    let with_lanes = tracks.iter().zip(&lanes);
    let many = with_lanes.filter(|(track, lane)| {
        track
            .thread
            .is_some_and(|(_, thread)| is_new(&thread.id, lane.thread))
    });
    some(many.count(), |many| {
        format!("the ids of {}: they get numbers", counted(many, "thread"))
    })
}

fn thread_titles(part: &Part, metrics: &[MetricId]) -> Option<String> {
    let tracks = tracks(part, metrics);
    let threads = tracks
        .iter()
        .filter_map(|track| track.thread.map(|(_, thread)| (track, thread)));
    // our reader calls a thread without an id like this
    let short = |name: &str| format!("Thread {}", if name.is_empty() { "unknown" } else { name });
    let is_lost = |(track, thread): &(&Track, &crate::model::Thread)| {
        let is_short = thread.id.is_empty() && track.title == short(&thread.name);
        !is_short && track.title != title(&thread.id, &thread.name)
    };
    let many = threads.filter(is_lost).count();
    some(many, |many| {
        format!(
            "the titles of {}: they are made again from ids and names",
            counted(many, "thread")
        )
    })
}

fn twin_threads(part: &Part, metrics: &[MetricId]) -> Option<String> {
    let tracks = tracks(part, metrics);
    let has_processes = has_processes(&tracks);
    let mut seen = HashSet::new();
    let labels = tracks
        .iter()
        .map(|track| labels(part, track, has_processes));
    let many = labels.filter(|labels| !seen.insert(labels.clone())).count();
    some(many, |many| {
        format!(
            "that {} of the same id and name as another: they are one",
            counted(many, "thread")
        )
    })
}

fn process_count(part: &Part, metrics: &[MetricId]) -> usize {
    tracks(part, metrics)
        .iter()
        .filter_map(|track| track.process)
        .collect::<HashSet<_>>()
        .len()
}

fn outside(part: &Part, metrics: &[MetricId]) -> usize {
    let tracks = tracks(part, metrics);
    let tops = tracks
        .iter()
        .filter(|track| track.thread.is_none())
        .flat_map(|track| &track.tops);
    tops.map(|&top| part.view.tree.size(top)).sum()
}

fn kinds(part: &Part, metrics: &[MetricId]) -> Option<String> {
    let frames_ = &part.view.frames;
    let special: Vec<FrameId> = frames(part, metrics)
        .filter(|&id| frames_.get(id).kind != FrameKind::Method)
        .collect();
    let first = frames_.name(*special.first()?);
    some(special.len(), |many| match many {
        1 => format!("that {first} is no method"),
        _ => format!(
            "that {} are no methods, such as {first}",
            counted(many, "frame")
        ),
    })
}

fn twins(part: &Part, metrics: &[MetricId], known_by: KnownBy) -> Option<String> {
    let (tree, tracks) = (&part.view.tree, tracks(part, metrics));
    let rows = Rows::new(part, &tracks, known_by, true);
    let row = |node| rows.of(tree.frame(node));
    // numbers that no caller in a track has
    let tops = tracks.iter().zip(0u32..).flat_map(|(track, number)| {
        track
            .owns
            .iter()
            .chain(&track.tops)
            .map(move |&top| (u32::MAX - 1 - number, top))
    });
    let callers = tracks
        .iter()
        .flat_map(|track| &track.tops)
        .flat_map(|&top| tree.range(top).map(NodeId::at));
    let below =
        callers.flat_map(|caller| tree.children(caller).map(move |callee| (caller.0, callee)));
    count_twins(
        tops.chain(below)
            .map(|(caller, callee)| (caller, row(callee))),
        rows.rows.len(),
    )
}

fn twin_stacks(part: &Part, _: &[MetricId]) -> Option<String> {
    let (tree, frames) = (&part.view.tree, &part.view.frames);
    let mut by_name = HashMap::new();
    let rows: Vec<u32> = frames
        .iter()
        .map(|(id, _)| {
            let next = by_name.len() as u32;
            *by_name.entry(written(frames.name(id))).or_insert(next)
        })
        .collect();
    let row = |node| rows[tree.frame(node).index()];
    let nodes = part
        .nodes()
        .flat_map(|caller| tree.children(caller).map(move |callee| (caller.0, callee)));
    count_twins(
        nodes.map(|(caller, callee)| (caller, row(callee))),
        by_name.len(),
    )
}

/// Says how many callees have the row of another callee of the same caller. All of one caller come one after the other.
fn count_twins(callees: impl Iterator<Item = (u32, u32)>, row_count: usize) -> Option<String> {
    // by row, the caller for which it was met last; one more than its number, and 0 is none
    let mut met = vec![0u32; row_count];
    let is_twin = |(caller, row): &(u32, u32)| {
        std::mem::replace(&mut met[*row as usize], caller + 1) == caller + 1
    };
    let mut is_twin = is_twin;
    let many = callees.filter(|callee| is_twin(callee)).count();
    some(many, |many| {
        let stand = if many == 1 { "stands" } else { "stand" };
        format!(
            "that {} {stand} beside another of the same name: they are one",
            counted(many, "node")
        )
    })
}

fn given_inclusive(part: &Part, metrics: &[MetricId]) -> Option<String> {
    let tree = &part.view.tree;
    let differs = |metric: MetricId, node: NodeId| {
        let callees = tree
            .children(node)
            .map(|callee| tree.inclusive(metric, callee));
        callees.fold(tree.exclusive(metric, node), u64::saturating_add)
            != tree.inclusive(metric, node)
    };
    let many = part
        .nodes()
        .filter(|&node| metrics.iter().any(|&metric| differs(metric, node)))
        .count();
    some(many, |many| {
        format!(
            "the inclusive values of {}, which are no sums: sums are written",
            counted(many, "node")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_stands_in_the_table_in_its_order() {
        for (row, (limitation, clause, _)) in WORDS.iter().enumerate() {
            assert_eq!((*limitation as usize, limitation.clause()), (row, *clause));
        }
        assert_eq!(
            WORDS.last().map(|(limitation, ..)| *limitation),
            Some(Limitation::Warnings),
            "the last of the enumeration"
        );
    }
}
