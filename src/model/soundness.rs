//! Whether a recording that was read back from where it was kept is one: its numbers are used as indexes all over, so that none of
//! them is believed.

use super::ensure::ensure;
use super::frames::Entered;
use super::tree::Shape;
use super::{
    FrameId, Frames, MadeUp, MetricId, NodeId, NodeIds, Occurrences, RecordedTree, Recording,
    StoredMethod,
};
use crate::model::messages;
use borsh::{BorshDeserialize, BorshSerialize};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::sync::Arc;

impl Recording {
    /// Writes a recording for [`Recording::read_checked`]: first its frames and the shapes of its trees. What can be
    /// found again is not written: where subtrees end, and where frames occur.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write) -> Result<()> {
        let repaired = self.repaired.as_ref().map(|kept| &kept.tree.shape);
        (&*self.frames, &self.original.tree.shape, repaired).serialize(out)?;
        self.serialize(out)
    }

    /// Reads a recording that was written, and checks it. O(nodes + samples + frames).
    ///
    /// # Errors
    /// Those of `from`; there is no memory for it; it is no recording.
    pub fn read_checked(from: &mut impl Read) -> Result<Recording> {
        let wrong = |problem| Error::new(ErrorKind::InvalidData, problem);
        let frames = Frames::deserialize_reader(from)?;
        let (original, repaired): (Shape, Option<Shape>) =
            BorshDeserialize::deserialize_reader(from)?;
        check_frames(&frames).map_err(wrong)?;
        let shapes = std::iter::once(original).chain(repaired);
        let shapes = shapes
            .map(|shape| checked(shape, frames.len()))
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(wrong)?;
        let mut recording = Recording::deserialize_reader(from)?;
        ensure(
            recording.trees().count() == shapes.len(),
            messages::TREE_NO_SHAPE,
        )
        .map_err(wrong)?;
        for (kept, shape) in recording.trees_mut().zip(shapes) {
            Arc::make_mut(&mut kept.tree).shape = shape;
            kept.occurrences = Arc::new(Occurrences::new(&kept.tree, frames.len()));
        }
        recording.frames = Arc::new(frames);
        recording.check_the_rest().map_err(wrong)?;
        Ok(recording)
    }

    fn trees(&self) -> impl Iterator<Item = &RecordedTree> {
        std::iter::once(&self.original).chain(&self.repaired)
    }

    fn trees_mut(&mut self) -> impl Iterator<Item = &mut RecordedTree> {
        std::iter::once(&mut self.original).chain(&mut self.repaired)
    }

    /// What is wrong with it besides its frames and the shapes of its trees.
    fn check_the_rest(&self) -> std::result::Result<(), String> {
        let is_metric = |metric: MetricId| metric.index() < self.metrics.len();
        ensure(
            is_metric(self.default_metric),
            messages::METRIC_SHOWN_FIRST_NOT_THERE,
        )?;
        for kept in self.trees() {
            kept.tree.check_columns()?;
            ensure(
                kept.tree.metric_count() == self.metrics.len(),
                messages::THERE_NOT_MANY_COLUMNS_METRICS,
            )?;
            let is_there = |node: &NodeId| node.index() < kept.tree.len();
            let counts = [kept.threads().len(), kept.processes.len()];
            ensure(
                counts == [self.threads.len(), self.processes.len()],
                messages::THREAD_PROCESS_NO_NODE,
            )?;
            let are_there = kept.threads().iter().chain(&kept.processes).all(is_there)
                && kept.has_threads_in_order();
            ensure(are_there, messages::THREAD_PROCESS_NODE_NOT_THERE)?;
        }
        let is_process = |row: usize| row < self.processes.len();
        let have_processes = self
            .threads
            .iter()
            .all(|thread| thread.process.is_none_or(is_process));
        ensure(have_processes, messages::THREADS_PROCESS_NOT_THERE)?;
        let fits = self.truncation.as_ref().is_none_or(|truncation| {
            is_metric(truncation.metric) && truncation.threads.len() == self.threads.len()
        });
        ensure(fits, messages::TRUNCATED_STACKS_THOSE_OTHER_THREADS)?;
        self.check_what_names_nodes()?;
        let Ok(samples) = &self.samples else {
            return Ok(());
        };
        let repaired = self.repaired.as_ref().map(|repaired| &*repaired.tree);
        samples.check(
            &self.original.tree,
            repaired,
            self.metrics.len(),
            self.threads.len(),
        )
    }

    fn check_what_names_nodes(&self) -> std::result::Result<(), String> {
        let nodes = self.original.tree.len();
        let has_ids = match &self.node_ids {
            NodeIds::Preorder => true,
            NodeIds::ThreadOffsets(offsets) | NodeIds::Offsets(offsets) => offsets.len() == nodes,
        };
        ensure(has_ids, messages::THERE_NOT_MANY_IDS_NODES)?;
        let is_there = |frame: FrameId| frame.index() < self.frames.len();
        let is_method = |method: &StoredMethod| match method {
            StoredMethod::Frame(frame) => is_there(*frame),
            StoredMethod::Named { .. } => true,
        };
        let are_there = self
            .stored_hotspots
            .iter()
            .all(|sum| sum.scope.index() < nodes && is_method(&sum.method))
            && self
                .sums_beside
                .iter()
                .all(|sum| sum.frame.is_none_or(is_there));
        ensure(are_there, messages::STORED_SUM_NOT_THERE)
    }
}

/// What is wrong with frames.
fn check_frames(frames: &Frames) -> std::result::Result<(), String> {
    let is_there = |frame: FrameId| frame.index() < frames.len();
    let is_sound = |made_up: Option<MadeUp>| match made_up {
        Some(MadeUp::Group {
            first,
            entered: Entered::By(frame),
            ..
        }) => is_there(first) && is_there(frame),
        Some(MadeUp::Group { first, .. }) => is_there(first),
        _ => true,
    };
    ensure(
        frames.iter().all(|(_, frame)| is_sound(frame.made_up)),
        messages::GROUPS_FRAME_NOT_THERE,
    )
}

/// The shape of a tree over `frame_count` frames with where subtrees end, or what is wrong with it.
fn checked(mut shape: Shape, frame_count: usize) -> std::result::Result<Shape, String> {
    let are_there = shape.frames.iter().all(|frame| frame.index() < frame_count);
    ensure(are_there, messages::NODE_FRAME_NOT_THERE)?;
    shape.find_ends()?;
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{bytes_of, recording_of};

    /// Whatever one byte is turned into: an error, or a recording all of whose numbers can be used.
    #[test]
    fn no_damage_leads_out_of_a_recording() {
        let recording = recording_of("main;Load;Parse 3|main;Run 5|Pool;Work;Work;Parse 2");
        let bytes = bytes_of(&recording);
        assert!(Recording::read_checked(&mut &bytes[..]).is_ok());
        let mut taken = 0;
        for at in 0..bytes.len() {
            for change in [1, 2, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= change;
                let Ok(recording) = Recording::read_checked(&mut &damaged[..]) else {
                    continue;
                };
                taken += 1;
                let view = recording.into_view();
                for node in view.tree.nodes() {
                    let _ = (
                        view.name(node),
                        view.tree.children(node).count(),
                        view.tree.ancestors(node).count(),
                    );
                    let _ = (
                        view.thread_of(node),
                        view.measure(view.default_metric).inclusive(&view, node),
                    );
                }
                let frames: usize = view
                    .frames
                    .iter()
                    .map(|(frame, _)| view.occurrences.of(frame).len())
                    .sum();
                assert_eq!(frames, view.tree.len());
            }
        }
        assert!(taken > 100, "what says no harm is taken: {taken}");
    }

    #[test]
    fn what_is_no_tree_is_said() {
        let recording = recording_of("main;Load;Parse 3|main;Run 5");
        let shape = &recording.original.tree.shape;
        let changed = |change: fn(&mut Shape)| {
            let mut shape = Shape {
                ends: Vec::new(),
                ..shape.clone()
            };
            change(&mut shape);
            checked(shape, recording.frames.len())
        };
        // nodes: all, main, Run, Load, Parse
        assert_eq!(changed(|_| ()).as_ref(), Ok(shape));
        let check = |change: fn(&mut Shape), expect: &str| {
            assert_eq!(changed(change), Err(expect.to_string()))
        };
        check(
            |shape| shape.parents[1] = NodeId(1),
            "node 1 comes before its parent 1",
        );
        check(
            |shape| shape.parents[2] = NodeId(4),
            "node 2 comes before its parent 4",
        );
        check(
            |shape| shape.parents[4] = NodeId(2),
            "a node is not within its parent",
        );
        check(
            |shape| shape.parents.truncate(4),
            "the tree's shape does not have a row per node",
        );
        check(
            |shape| *shape = Shape::default(),
            "the tree's shape does not have a row per node",
        );
        check(
            |shape| shape.frames[2] = FrameId(99),
            "a node has a frame that is not there",
        );
    }
}
