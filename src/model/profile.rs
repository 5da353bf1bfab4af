//! A profile: one tree with all that is known about it.

use super::truncation;
use super::{
    CountKind, FrameId, FrameKind, Frames, Metric, MetricId, NodeId, Places, RangeOf, SampleTable, Tree, Truncation,
    Unit, WithoutSamples,
};
use std::borrow::Cow;
use std::sync::Arc;

/// How the profile was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKind {
    /// Stacks at intervals: times and numbers of samples, no calls.
    Sampling,
    /// Every call measured: exact calls, times inflated in proportion to them.
    Tracing,
    /// Statement by statement.
    LineByLine,
    /// Events over time, of which the tree is one view.
    Timeline,
    /// The source does not say.
    Unknown,
}

/// A row of the table of kinds.
struct KindRow {
    kind: ProfileKind,
    name: &'static str,
    title: &'static str,
    counts: CountKind,
    inflation: &'static str,
    about: &'static str,
}

/// All kinds in the order of the enumeration: what is said of them anywhere is said here.
const KINDS: [KindRow; 5] = [
    KindRow {
        kind: ProfileKind::Sampling,
        name: "sampling",
        title: "sampling",
        counts: CountKind::Samples,
        inflation: "",
        about: "stacks were taken at intervals: there are times and numbers of samples, and no calls",
    },
    KindRow {
        kind: ProfileKind::Tracing,
        name: "tracing",
        title: "tracing",
        counts: CountKind::Calls,
        inflation: "inflated by tracing",
        about: "every call was measured: calls are exact, and times are inflated in proportion to calls, so a small method \
                that is called often looks slower than it is",
    },
    KindRow {
        kind: ProfileKind::LineByLine,
        name: "line-by-line",
        title: "line-by-line",
        counts: CountKind::Calls,
        inflation: "inflated by line-by-line",
        about: "every statement was measured: the tree, hotspots and calls of methods work, times of single statements are \
                not shown, and all times are inflated in proportion to statements",
    },
    KindRow {
        kind: ProfileKind::Timeline,
        name: "timeline",
        title: "timeline",
        counts: CountKind::Unknown,
        inflation: "",
        about: "events were recorded over time: the call tree that was taken from them works, with its hotspots; when \
                something happened is not shown",
    },
    KindRow {
        kind: ProfileKind::Unknown,
        name: "unknown",
        title: "unknown kind",
        counts: CountKind::Unknown,
        inflation: "",
        about: "the source does not say how it was taken: the tree and hotspots work, and whether times are inflated is not \
                known",
    },
];

impl ProfileKind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = ProfileKind> {
        KINDS.iter().map(|row| row.kind)
    }

    fn row(self) -> &'static KindRow {
        // the table has the order of the enumeration, which a test checks
        &KINDS[self as usize]
    }

    /// The kind's name in output and call-tree JSON: `sampling`, `tracing`, `line-by-line`, `timeline` or `unknown`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The kind that [`ProfileKind::name`] calls `name`; unknown names are unknown kinds.
    pub fn from_name(name: &str) -> ProfileKind {
        Self::all().find(|kind| kind.name() == name).unwrap_or(ProfileKind::Unknown)
    }

    /// The kind in a line of other facts, where `unknown` alone would say nothing.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// What the counts of such a profile are, unless its source says otherwise.
    pub fn counts(self) -> CountKind {
        self.row().counts
    }

    /// What has made the times longer than they would have been, in words to stand behind a time; empty if nothing has, or
    /// nobody knows.
    pub fn inflation(self) -> &'static str {
        self.row().inflation
    }

    /// What it is and what of it works: a sentence without its capital letter and full stop.
    pub fn about(self) -> &'static str {
        self.row().about
    }
}

/// Where a profile comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file as the user named it, or the source that the file names.
    pub name: String,
    /// The name of the format in the table of formats.
    pub format: &'static str,
    /// How it was taken.
    pub kind: ProfileKind,
    /// The program that read it or, for call-tree JSON, that wrote it.
    pub decoder: String,
    /// That program's version.
    pub decoder_version: String,
    /// More about it for people, in order: what it is, and its text. May hold private data, which is never exported.
    pub facts: Vec<(&'static str, String)>,
}

impl Source {
    /// What the decoder is called that is part of dotspot, in profiles that it read.
    pub const NATIVE: &str = "native";

    /// The source of a profile that a reader of ours has read.
    pub fn read_here(
        name: String,
        format: &'static str,
        kind: ProfileKind,
        facts: Vec<(&'static str, String)>,
    ) -> Source {
        let (decoder, decoder_version) = (env!("CARGO_PKG_NAME").into(), env!("CARGO_PKG_VERSION").into());
        Source { name, format, kind, decoder, decoder_version, facts }
    }

    /// All that people are told of how the profile was taken and read: the facts, and the decoder if it was another program
    /// than dotspot.
    pub fn told(&self) -> impl Iterator<Item = (&'static str, Cow<'_, str>)> {
        let is_ours = [Self::NATIVE, env!("CARGO_PKG_NAME"), ""].contains(&self.decoder.as_str());
        let decoder = format!("{} {}", self.decoder, self.decoder_version);
        let decoder = (!is_ours).then(|| ("decoder", Cow::Owned(decoder.trim_end().to_string())));
        self.facts.iter().map(|(what, text)| (*what, Cow::Borrowed(text.as_str()))).chain(decoder)
    }
}

/// A thread of the profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The thread's root in the tree.
    pub node: NodeId,
    /// The number that the source gives it, as text: an operating system's id or a profiler's number. May be empty.
    pub id: String,
    /// Its name; empty if it has none.
    pub name: String,
}

/// A process of a profile of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The root of the process, whose callees are its threads.
    pub node: NodeId,
    /// Its number.
    pub id: u64,
    /// Its name; empty if it has none.
    pub name: String,
}

/// The threads of a profile, in the order of the source. Their subtrees are disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    rows: Vec<Thread>,
    by_node: Vec<u32>,
}

impl Threads {
    /// These threads.
    pub fn new(rows: Vec<Thread>) -> Threads {
        let mut by_node: Vec<u32> = (0..rows.len() as u32).collect();
        by_node.sort_by_key(|&row| rows[row as usize].node);
        Threads { rows, by_node }
    }

    /// The threads in the order of their nodes, which is by value, largest first.
    pub fn by_value(&self) -> impl Iterator<Item = &Thread> {
        self.by_node.iter().map(|&row| &self.rows[row as usize])
    }

    /// The last thread in the order of nodes that does not come after `node`. O(log threads).
    fn last_until(&self, node: NodeId) -> Option<&Thread> {
        let behind = self.by_node.partition_point(|&row| self.rows[row as usize].node <= node);
        self.by_node[..behind].last().map(|&row| &self.rows[row as usize])
    }
}

impl std::ops::Deref for Threads {
    type Target = [Thread];

    fn deref(&self) -> &[Thread] {
        &self.rows
    }
}

/// How the nodes of this profile are called in output and on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeIds {
    /// `n` and the number in preorder: `n0` is the root.
    Preorder,
    /// `n` and a number for each node, all different, for profiles that are a part of another one and call their nodes as that
    /// does. A row per node.
    Numbers(Vec<u32>),
    /// `t<thread>:0x<offset>` by the offset of each node in its thread's section, as dotTrace snapshots have them.
    /// A row per node; `root` is the root.
    ThreadOffsets(Vec<u64>),
    /// `0x<offset>` by the offset of each node in its source, for call-tree JSON whose writer knew them. A row per node, all
    /// different; a root with [`NodeIds::NO_OFFSET`] is `root`.
    Offsets(Vec<u64>),
}

impl NodeIds {
    /// No offset.
    pub const NO_OFFSET: u64 = u64::MAX;

    /// The ids of a tree whose nodes were taken `from` these.
    pub fn taken_from(&self, from: &[NodeId]) -> NodeIds {
        let offsets = |offsets: &[u64]| from.iter().map(|node| offsets[node.index()]).collect();
        match self {
            NodeIds::Preorder => NodeIds::Numbers(from.iter().map(|node| node.0).collect()),
            NodeIds::Numbers(numbers) => NodeIds::Numbers(from.iter().map(|node| numbers[node.index()]).collect()),
            NodeIds::ThreadOffsets(old) => NodeIds::ThreadOffsets(offsets(old)),
            NodeIds::Offsets(old) => NodeIds::Offsets(offsets(old)),
        }
    }
}

/// The method of a [`StoredHotspot`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredMethod {
    /// A frame of the profile, for sources that number their methods.
    Frame(FrameId),
    /// A method by its name.
    Named {
        /// The raw name.
        name: String,
        /// The signature as in [`crate::model::Frame::signature`]; `None` if the source does not tell overloads apart.
        signature: Option<String>,
    },
}

/// A sum that the source itself has stored for a method, to be compared with ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredHotspot {
    /// The subtree over which it is a sum: the root or a thread.
    pub scope: NodeId,
    /// The method.
    pub method: StoredMethod,
    /// Inclusive value of the default metric in stored steps, recursion counted once.
    pub inclusive: u64,
    /// Exclusive value of the default metric in stored steps.
    pub exclusive: u64,
    /// Calls or samples over all nodes, if the source has them.
    pub count: Option<u64>,
    /// The number of nodes, if the source has it.
    pub node_count: Option<u64>,
}

/// A sum over all nodes of a method that another program has stored beside the source, to be compared with ours by whoever
/// asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSum {
    /// How the method is called there, which can be the method of a base type or interface that it implements.
    pub name: Arc<str>,
    /// The method; `None` if it is not in the tree.
    pub frame: Option<FrameId>,
    /// Inclusive value of the default metric in stored steps, recursion counted each time.
    pub inclusive_each: u64,
    /// Exclusive value of the default metric in stored steps.
    pub exclusive: u64,
}

/// A profile: what an importer makes, and what everything else works on.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Where it comes from.
    pub source: Source,
    /// Its frames.
    pub frames: Frames,
    /// Its tree.
    pub tree: Tree,
    /// Where each frame occurs in the tree.
    pub places: Places,
    /// Its metrics, at least one.
    pub metrics: Vec<Metric>,
    /// The metric that is shown first and by which siblings are ordered.
    pub default_metric: MetricId,
    /// Its processes in the order of the source; none where the source is of one process, which then has no node.
    pub processes: Vec<Process>,
    /// Its threads, in the order of the source.
    pub threads: Threads,
    /// How its nodes are called.
    pub node_ids: NodeIds,
    /// What a reader should know before believing the numbers, a sentence each.
    pub warnings: Vec<String>,
    /// How its numbers are easily misread though nothing is wrong with them, a sentence each. They are made from the tree, and
    /// are no part of what is written: whoever reads that makes its own.
    pub cautions: Vec<String>,
    /// What else there is to know, a sentence each: nothing is wrong with it. May hold private data, which is never exported.
    pub notes: Vec<String>,
    /// Sums that the source has stored.
    pub stored_hotspots: Vec<StoredHotspot>,
    /// Sums that are stored beside the source.
    pub sums_beside: Vec<StoredSum>,
    /// What is known of its truncated stacks, if it has any.
    pub truncation: Option<Truncation>,
    /// The profile as it was recorded, if truncated stacks were mended in this one: the same frames, metrics, threads and
    /// exclusive values in another tree.
    pub unrepaired: Option<Arc<Profile>>,
    /// The range of time that it is of, if it is not the whole recording.
    pub range: Option<RangeOf>,
    /// Its samples with their times, whose stacks end in this tree and in that of [`Profile::unrepaired`]; the same table in both.
    pub samples: Result<Arc<SampleTable>, WithoutSamples>,
}

impl Profile {
    /// A profile of a tree and its frames, with nothing yet about threads, node ids, warnings and stored sums.
    /// O(nodes + frames), for the index of places.
    pub fn new(source: Source, frames: Frames, tree: Tree, metrics: Vec<Metric>, default_metric: MetricId) -> Profile {
        debug_assert_eq!(metrics.len(), tree.metric_count(), "a pair of columns for each metric");
        Profile {
            source,
            places: Places::new(&tree, frames.len()),
            frames,
            tree,
            metrics,
            default_metric,
            processes: Vec::new(),
            threads: Threads::default(),
            node_ids: NodeIds::Preorder,
            warnings: Vec::new(),
            cautions: Vec::new(),
            notes: Vec::new(),
            stored_hotspots: Vec::new(),
            sums_beside: Vec::new(),
            truncation: None,
            unrepaired: None,
            range: None,
            samples: Err(WithoutSamples::NoTimes),
        }
    }

    /// The profile in which truncated stacks are mended, from what was made of the mended and of the unmended tree. Both get
    /// the sentence about it as a warning.
    pub fn mended(mut mended: Profile, mut unmended: Profile, truncation: Truncation) -> Profile {
        debug_assert_eq!(mended.difference(&unmended), Ok(()));
        unmended.truncation = Some(truncation.clone());
        unmended.warnings.extend(unmended.said_of_truncation());
        mended.truncation = Some(truncation);
        mended.unrepaired = Some(Arc::new(unmended));
        mended.warnings.extend(mended.said_of_truncation());
        mended
    }

    /// What differs between a mended profile and the unmended one though it must not, for tests. O(nodes).
    pub fn difference(&self, unmended: &Profile) -> Result<(), String> {
        let threads = |profile: &Profile| profile.threads.iter().map(|thread| thread.node).collect::<Vec<_>>();
        let (ours, theirs) = (threads(self), threads(unmended));
        truncation::difference((&self.tree, &ours), (&unmended.tree, &theirs), &self.frames)
    }

    /// The profile with its truncated stacks as they were recorded; itself if none was mended. What it was told since is kept.
    pub fn without_repair(mut self) -> Profile {
        self.tell_unrepaired();
        match self.unrepaired {
            Some(unrepaired) => Arc::unwrap_or_clone(unrepaired),
            None => self,
        }
    }

    /// The sentence about its truncated stacks, which stands among the warnings; `None` if nothing is truncated.
    pub fn said_of_truncation(&self) -> Option<String> {
        let truncation = self.truncation.as_ref().filter(|truncation| truncation.is_any())?;
        Some(truncation.sentence(&self.metrics, self.unrepaired.is_some()))
    }

    /// The warnings with another sentence about truncated stacks, if they have one, or without it.
    pub fn warnings_saying(&self, other: Option<&str>) -> Vec<String> {
        let said = self.said_of_truncation();
        let own = |warning: &String| match said.as_ref() == Some(warning) {
            true => other.map(String::from),
            false => Some(warning.clone()),
        };
        self.warnings.iter().filter_map(own).collect()
    }

    /// Tells the profile as it was recorded, if there is one, what this one was told since it was mended: source, notes,
    /// warnings, cautions. The sentence about truncated stacks stays its own.
    pub fn tell_unrepaired(&mut self) {
        let Some(unrepaired) = &self.unrepaired else { return };
        let warnings = self.warnings_saying(unrepaired.said_of_truncation().as_deref());
        let Some(unrepaired) = &mut self.unrepaired else { return };
        // nobody else has it yet, so that nothing is copied
        let profile = Arc::make_mut(unrepaired);
        profile.warnings = warnings;
        profile.cautions = self.cautions.clone();
        (profile.source, profile.notes) = (self.source.clone(), self.notes.clone());
    }

    /// All that people are warned of: what is wrong, then what is easily misread.
    pub fn all_warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().chain(&self.cautions).map(String::as_str)
    }

    /// All there is to know besides what is wrong, a sentence each: what its counts are if that is not clear, and the notes.
    /// How it was taken is said by [`ProfileKind::about`].
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        let is_unclear = self.metrics.iter().any(|metric| metric.counts == Some(CountKind::Unknown));
        is_unclear.then_some(CountKind::UNKNOWN).into_iter().chain(self.notes.iter().map(String::as_str))
    }

    /// What has made the values of a metric larger than they would have been, see [`ProfileKind::inflation`].
    pub fn inflation(&self, metric: MetricId) -> &'static str {
        if self.metric(metric).unit == Unit::Milliseconds { self.source.kind.inflation() } else { "" }
    }

    /// The metric behind a handle.
    pub fn metric(&self, id: MetricId) -> &Metric {
        &self.metrics[id.index()]
    }

    /// The metric of this name; case does not matter.
    pub fn metric_named(&self, name: &str) -> Option<MetricId> {
        self.metrics.iter().position(|metric| metric.name.eq_ignore_ascii_case(name)).map(MetricId::at)
    }

    /// How many nodes there are, thread roots among them; the synthetic root above all threads, which no source has, is not
    /// counted.
    pub fn node_count(&self) -> usize {
        let is_synthetic = self.frames.get(self.tree.frame(NodeId::ROOT)).kind == FrameKind::Root;
        self.tree.len() - usize::from(is_synthetic)
    }

    /// How many nodes a subtree has, counted as [`Profile::node_count`] does.
    pub fn subtree_node_count(&self, top: NodeId) -> usize {
        if top == NodeId::ROOT { self.node_count() } else { self.tree.size(top) }
    }

    /// Whether a frame occurs in the tree.
    pub fn occurs(&self, frame: FrameId) -> bool {
        !self.places.of(frame).is_empty()
    }

    /// How many methods and special frames occur in the tree. O(frames).
    pub fn method_count(&self) -> usize {
        self.frames.iter().filter(|(id, frame)| frame.kind.is_hotspot() && self.occurs(*id)).count()
    }

    /// The raw name of the frame at a node.
    pub fn name(&self, node: NodeId) -> &str {
        self.frames.name(self.tree.frame(node))
    }

    /// The name for people of the frame at a node.
    pub fn shown(&self, node: NodeId) -> &str {
        self.frames.shown(self.tree.frame(node))
    }

    /// The thread in whose subtree a node lies. O(log threads).
    pub fn thread_of(&self, node: NodeId) -> Option<&Thread> {
        self.threads.last_until(node).filter(|thread| self.tree.contains(thread.node, node))
    }

    /// How a node is called in output and on the command line.
    pub fn node_label(&self, node: NodeId) -> String {
        match &self.node_ids {
            NodeIds::Preorder => format!("n{}", node.0),
            NodeIds::Numbers(numbers) => format!("n{}", numbers[node.index()]),
            NodeIds::ThreadOffsets(offsets) => match self.thread_of(node) {
                Some(thread) => format!("t{}:{:#x}", thread.id, offsets[node.index()]),
                None => "root".into(),
            },
            NodeIds::Offsets(offsets) => match offsets[node.index()] {
                NodeIds::NO_OFFSET => "root".into(),
                offset => format!("{offset:#x}"),
            },
        }
    }

    /// The node that [`Profile::node_label`] calls `label`. O(nodes) at worst.
    pub fn node_labelled(&self, label: &str) -> Option<NodeId> {
        match &self.node_ids {
            NodeIds::Preorder => {
                let number: usize = label.strip_prefix('n')?.parse().ok()?;
                (number < self.tree.len()).then(|| NodeId::at(number))
            }
            NodeIds::Numbers(numbers) => {
                let number: u32 = label.strip_prefix('n')?.parse().ok()?;
                numbers.iter().position(|&other| other == number).map(NodeId::at)
            }
            NodeIds::ThreadOffsets(_) if label == "root" => Some(NodeId::ROOT),
            NodeIds::Offsets(offsets) => {
                let offset = match label {
                    "root" => NodeIds::NO_OFFSET,
                    label => u64::from_str_radix(label.strip_prefix("0x")?, 16).ok()?,
                };
                offsets.iter().position(|&other| other == offset).map(NodeId::at)
            }
            NodeIds::ThreadOffsets(offsets) => {
                let (thread, offset) = label.strip_prefix('t')?.split_once(":0x")?;
                let offset = u64::from_str_radix(offset, 16).ok()?;
                let thread = self.threads.iter().find(|candidate| candidate.id == thread)?;
                self.tree.range(thread.node).find(|&row| offsets[row] == offset).map(NodeId::at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_stand_in_the_table_in_their_order() {
        for row in &KINDS {
            assert_eq!(row.kind.row().name, row.name);
            assert_eq!(ProfileKind::from_name(row.name), row.kind);
        }
        assert_eq!(ProfileKind::from_name("smapling"), ProfileKind::Unknown);
    }

    #[test]
    fn only_kinds_with_calls_speak_of_them_as_theirs() {
        for kind in ProfileKind::all() {
            let has_samples = kind.counts() == CountKind::Samples;
            assert_eq!(kind.about().contains("samples"), has_samples, "{}", kind.about());
            assert_eq!(kind.about().contains("inflated in proportion"), kind.counts() == CountKind::Calls);
            assert_eq!(!kind.inflation().is_empty(), kind.counts() == CountKind::Calls);
        }
    }
}
