//! Small profiles for tests, given as text.

use super::*;
use crate::diagnostics::Anomaly;
use crate::diagnostics::partly::Partly;
use crate::diagnostics::{Diagnostic, Severity};
use crate::names::FrameKind;

/// A profile from `thread;outermost;…;leaf weight_ms|…`, with one metric `time` and a sample per stack. Node 0 is the
/// root.
///
/// # Panics
///
/// If the text doesn't have this form.
pub fn profile_of(stacks: &str) -> View {
    recording_of(stacks).into_view()
}

/// # Panics
///
/// Like [`profile_of`].
pub fn recording_of(stacks: &str) -> Recording {
    recording_over(Frames::default(), stacks)
}

/// One view per text. Equal frames have equal ids.
///
/// # Panics
///
/// Like [`profile_of`].
#[cfg(test)]
pub fn profiles_of<const N: usize>(texts: [&str; N]) -> [View; N] {
    let mut frames = Frames::default();
    for text in texts {
        frames = Frames::clone(&recording_over(frames, text).frames);
    }
    texts.map(|text| recording_over(frames.clone(), text).into_view())
}

/// Without a repaired tree, the node with a label such as `n5`.
#[cfg(test)]
pub fn node_ref(label: &str) -> NodeRef {
    NodeRef {
        form: TreeForm::Original,
        node: RecordedNode(label[1..].parse().expect("a label")),
    }
}

#[cfg(test)]
pub fn view_with(profile: View, tree: CallTree<RecordedNode>) -> View {
    let recording = profile.into_recording();
    let frames = Frames::clone(&recording.frames);
    Recording::new(
        recording.source,
        frames,
        tree,
        recording.metrics,
        MetricId(0),
    )
    .into_view()
}

fn recording_over(mut frames: Frames, stacks: &str) -> Recording {
    let metrics = vec![Metric::time("time", Some(CountKind::Samples))];
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let mut builder = TreeBuilder::new(root, &metrics);
    let mut thread_nodes: Vec<(String, RawNode)> = Vec::new();
    for line in stacks.split('|') {
        let (stack, weight) = line.rsplit_once(' ').expect("a stack and a weight");
        let (thread, methods) = stack.split_once(';').unwrap_or((stack, ""));
        let thread_frame = frames.intern(FrameKind::Thread, thread, "");
        let base = builder
            .merge(TreeBuilder::ROOT, thread_frame)
            .expect("a small tree");
        if !thread_nodes.iter().any(|(_, node)| *node == base) {
            thread_nodes.push((thread.to_string(), base));
        }
        let methods: Vec<FrameId> = methods
            .split(';')
            .filter(|name| !name.is_empty())
            .map(|name| frames.intern(FrameKind::Method, name, ""))
            .collect();
        let leaf = builder.push_stack(base, methods).expect("a small tree");
        let weight: u64 = weight.parse().expect("a whole weight");
        builder.add_exclusive(MetricId(0), leaf, weight * 1_000_000);
        builder.add_count(MetricId(0), leaf, 1);
    }
    builder.sum_counts();
    let built = builder.finish(&frames, MetricId(0));
    let thread = |(name, raw): (String, RawNode)| Thread {
        node: built.node(raw),
        id: name.clone(),
        name,
    };
    let mut threads: Vec<Thread<RecordedNode>> = thread_nodes.into_iter().map(thread).collect();
    threads.sort_by_key(|thread| thread.node);
    let source = Source {
        name: "test".into(),
        format: "test".into(),
        kind: ProfileKind::Sampling,
        decoder: "test".into(),
        decoder_version: String::new(),
        facts: Vec::new(),
    };
    Recording::new(source, frames, built.tree, metrics, MetricId(0)).with_threads(threads)
}

impl View {
    pub fn codes(&self) -> Vec<&'static str> {
        self.diagnostics.iter().map(Diagnostic::code).collect()
    }

    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.diagnostics_of(Severity::Warning).cloned().collect()
    }
}

impl Anomaly {
    /// `count` must be at least one.
    pub fn with_count(self, count: u64) -> Diagnostic {
        Diagnostic::Counted {
            anomaly: self,
            count,
        }
    }
}

impl Partly {
    /// `count` must be at least one.
    pub fn with_count(self, count: u64) -> Diagnostic {
        self.times(count).expect("there is one")
    }
}

impl Diagnostic {
    /// Without the sentence.
    ///
    /// # Panics
    ///
    /// Never, as the data consist of numbers and texts.
    pub fn code_and_data(&self) -> String {
        format!(
            "{} {}",
            self.code(),
            serde_json::to_string(self).expect("numbers and texts")
        )
    }
}

/// Equal for equal recordings, down to the order of nodes and frames.
#[cfg(test)]
pub fn bytes_of(recording: &Recording) -> Vec<u8> {
    let mut bytes = Vec::new();
    recording.write(&mut bytes).unwrap();
    bytes
}
