//! Whose code frames are, by process, and which process to show first.

use super::{FrameId, RecordedNode, Recording, Source};
use crate::names::{Category, FrameKind};
use std::cmp::Reverse;
use std::sync::Arc;

/// The id of the idle process, which occurs only in recordings of a whole machine.
const IDLE: u64 = 0;

impl Recording {
    /// Corrects whose code the frames of processes without .NET are, and finds the main process.
    pub fn classify_code(&mut self) {
        let processes = self.frames_of_processes();
        let have_dotnet = Arc::make_mut(&mut self.frames).correct_without_dotnet(&processes);
        if self.is_whole_machine() {
            self.main_process = self.process_with_most_managed_time(&have_dotnet);
        }
    }

    fn frames_of_processes(&self) -> Vec<Vec<FrameId>> {
        if self.processes.is_empty() {
            return vec![(0..self.frames.len()).map(FrameId::at).collect()];
        }
        let tree = &self.original.tree;
        // by frame, the last process that has it, plus 1
        let mut last_seen = vec![0; self.frames.len()];
        let processes = (1..).zip(&self.original.processes);
        let frames_of = |(process, &node): (usize, &RecordedNode)| {
            let mut is_new = |frame: &FrameId| {
                std::mem::replace(&mut last_seen[frame.index()], process) != process
            };
            let frames = tree.frames()[tree.range(node)].iter().copied();
            frames.filter(&mut is_new).collect()
        };
        processes.map(frames_of).collect()
    }

    fn is_whole_machine(&self) -> bool {
        let has_idle = self.processes.iter().any(|process| process.id == IDLE);
        self.processes.len() > 1 && (has_idle || self.source.format == Source::ETL)
    }

    fn process_with_most_managed_time(&self, have_dotnet: &[bool]) -> Option<usize> {
        let tree = &self.original.tree;
        let is_managed = |node| {
            let frame = self.frames.get(tree.frame(node));
            frame.kind == FrameKind::Method && frame.category != Category::Native
        };
        let managed_time = |process: RecordedNode| {
            let (mut node, mut sum) = (process, 0u64);
            while node < tree.end(process) {
                if is_managed(node) {
                    sum = sum.saturating_add(tree.inclusive(self.default_metric, node));
                    node = tree.end(node);
                } else {
                    node = RecordedNode(node.0 + 1);
                }
            }
            sum
        };
        let rows = self.original.processes.iter().enumerate();
        let rows = rows.filter(|(row, _)| have_dotnet[*row]);
        let times = rows.map(|(row, &process)| (managed_time(process), Reverse(row)));
        let (time, Reverse(row)) = times.max()?;
        (time > 0).then_some(row)
    }
}
