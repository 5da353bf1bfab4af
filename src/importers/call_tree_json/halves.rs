//! Reads a call tree with two threads, one per half of the file. How many callers are open at the middle is known only
//! after the first half has been read, so the second thread records where each caller ends ([`EndedCaller`]) as if
//! there were always another one. The result equals that of a single thread, down to the order of nodes and frames.

use super::header::DocumentHeader;
use super::nodes::{EndedCaller, Nodes, too_many_nodes};
use crate::input::json::{JsonError, JsonReader};
use crate::input::parallel_tail::ParallelTail;
use crate::input::{Input, Progress};
use crate::model::{FrameId, RawNode, TooLarge};

struct TailResult {
    nodes: Nodes,
    ended_callers: Vec<EndedCaller>,
    half: ParallelTail,
}

/// The likely start of a node: an object in an array whose first member has a name made of letters.
pub(super) fn next_node(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'{', text).find(|&at| {
        let before = text[..at].trim_ascii_end();
        let after = text[at + 1..].trim_ascii_start();
        matches!(before.last(), Some(b',' | b'[')) && matches!(after, [b'"', b'a'..=b'z', ..])
    })
}

/// Reads `call_tree` while another thread reads the second half; if that can't be read by itself, it is read after the
/// first.
pub(super) fn read(
    nodes: &mut Nodes,
    reader: &mut JsonReader<Input>,
    header: &DocumentHeader,
    progress: &Progress,
    half: ParallelTail,
) -> Result<(), JsonError> {
    let (offset, second_progress) = (half.offset, progress.second());
    let second = |half| {
        let mut reader = JsonReader::in_the_middle(half, offset).watched_by(second_progress);
        let mut nodes = Nodes::new(header);
        let ended_callers = nodes.read_rest(&mut reader, header);
        TailResult {
            nodes,
            ended_callers,
            half: reader.into_source(),
        }
    };
    half.run_alongside(second, |until, second| {
        if !nodes.read(reader, header, until, None)? {
            return Ok(());
        }
        let rest = second().and_then(|rest| nodes.end_of(&rest).map(|end| (rest, end)));
        progress.end_second();
        match rest {
            Some((rest, end)) if rest.half.go_to(end) => {
                let appended = nodes.append(rest);
                let half = appended.map_err(|TooLarge| too_many_nodes(reader.offset()))?;
                reader.continue_at(end, |input| input.continue_with(Box::new(half.file)));
                Ok(())
            }
            _ => nodes.read(reader, header, None, None).map(drop),
        }
    })
}

impl Nodes {
    fn end_of(&self, rest: &TailResult) -> Option<u64> {
        let root = rest.ended_callers.get(self.depth().checked_sub(1)?)?;
        // a metric that first appears in the rest would change how the first half is read
        let is_whole = rest.nodes.builder.len() == root.nodes
            && rest.nodes.columns.len() == self.columns.len();
        is_whole.then_some(root.offset)
    }

    fn append(&mut self, rest: TailResult) -> Result<ParallelTail, TooLarge> {
        let TailResult {
            nodes,
            ended_callers,
            half,
        } = rest;
        let ended_callers = &ended_callers[..self.depth()];
        let callers: Vec<RawNode> = self.open_nodes().collect();
        let before = self.builder.len() as u32 - 1;
        let mut threads = nodes.threads.into_iter().map(|mut thread| {
            thread.node.0 += before;
            thread
        });
        let (mut frames, mut threads_before) = (Vec::with_capacity(nodes.frames.len()), 0);
        for ended in ended_callers {
            for id in frames.len()..ended.frames {
                let (id, from) = (FrameId::at(id), &nodes.frames);
                let (kind, name) = (from.get(id).kind, from.name(id));
                frames.push(self.frames.intern(kind, name, from.signature(id)));
            }
            self.threads
                .extend(threads.by_ref().take(ended.threads - threads_before));
            threads_before = ended.threads;
            self.close_with(ended.callees);
        }
        // the callers of a node are those that had not ended when it began
        let mut ended = 0;
        let caller = |node: RawNode| {
            while ended_callers[ended].nodes <= node.0 as usize {
                ended += 1;
            }
            callers[callers.len() - 1 - ended]
        };
        self.builder.append(nodes.builder, &frames, caller)?;
        self.ids.append(nodes.ids, before);
        for (column, more) in self.columns.iter_mut().zip(nodes.columns) {
            column.has_counts |= more.has_counts;
        }
        self.stated_counts = nodes.stated_counts.or(self.stated_counts);
        self.clamped_values += nodes.clamped_values;
        self.nameless_nodes += nodes.nameless_nodes;
        if let Some((name, count)) = nodes.unknown_kinds {
            self.unknown_kinds.get_or_insert((name, 0)).1 += count;
        }
        Ok(half)
    }
}

#[cfg(test)]
mod tests;
