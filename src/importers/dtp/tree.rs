//! The call tree of one thread, section 0x1100: a header, then fixed-size nodes in postorder, the thread's root last,
//! identified by their offset. Read backwards, they come in preorder with siblings reversed.

use super::bytes::{SectionBytes, SectionReader, SectionResult, all_ones};
use crate::importers::messages;
use crate::input::{Failure, ImportError};
use std::borrow::Cow;
use std::fmt;

const ROOT_FUNCTION: u32 = 0xFFFF;

/// The longest node has 49 bytes: each of its fields can be read as eight bytes.
const PADDED_NODE_BYTES: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub function: u32,
    /// All ones for the root.
    pub parent: u64,
    /// Of its subtree; itself for a leaf.
    pub first: u64,
    pub own: u64,
    pub total: u64,
    /// Sampling: samples at and below this node. Tracing: calls.
    pub count: u32,
    /// Its sibling; all ones if there is none.
    pub previous: u64,
}

pub(super) struct ThreadTree<'a> {
    section: SectionBytes<'a>,
    pub number: u32,
    /// dotTrace's kind of thread: 2 or 3 is the main thread, 4 the finalizer.
    kind: u8,
    name: Cow<'a, str>,
    offset_width: usize,
    time_width: usize,
    node_bytes: u64,
    first_node: u64,
    root: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WalkStats {
    /// The sum over the root's callees.
    pub top_level_count: u64,
    /// Nodes whose count can't be one of samples: that includes the callees', and is more only if the node has time of
    /// its own.
    pub not_samples: u64,
}

/// A node on the path from the root; its callees are checked against it.
struct OpenNode<H> {
    handle: H,
    at: u64,
    node: Node,
    /// Of the node's total time, without its own and its callees' time so far.
    remaining: u64,
    callees_count: u64,
}

impl<'a> ThreadTree<'a> {
    pub(super) fn read(section: SectionBytes<'a>) -> SectionResult<ThreadTree<'a>> {
        let mut reader = SectionReader::new(section);
        let number = reader.u32()?;
        let kind = reader.u8()?;
        // 1 in all known snapshots
        reader.u32()?;
        let name = reader.text()?;
        // 0 in all known snapshots, as below
        reader.u8()?;
        let offset_width = reader.width()?;
        reader.u8()?;
        let time_width = reader.width()?;
        let root_field = reader.at();
        let root = reader.number(offset_width)?;
        let node_bytes = 4 + 3 * offset_width + 2 * time_width + 5;
        let nodes = reader.remaining();
        if nodes == 0 || !nodes.is_multiple_of(node_bytes) {
            return Err(reader.damaged(messages::partial_node(&node_bytes, &nodes)));
        }
        let last = section.bytes.len() - node_bytes;
        if root != last as u64 || root == all_ones(offset_width) {
            let problem =
                messages::root_not_last(&format_args!("{last:#x}"), &format_args!("{root:#x}"));
            return Err(section.damaged(root_field, problem));
        }
        let first_node = reader.at() as u64;
        let node_bytes = node_bytes as u64;
        Ok(ThreadTree {
            section,
            number,
            kind,
            name,
            offset_width,
            time_width,
            node_bytes,
            first_node,
            root,
        })
    }

    /// Its kind if it has no name; may be empty.
    pub(super) fn name(&self) -> &str {
        match (&*self.name, self.kind) {
            ("", 2 | 3) => "main",
            ("", 4) => "finalizer",
            (name, _) => name,
        }
    }

    pub(super) fn len(&self) -> u64 {
        (self.root - self.first_node) / self.node_bytes + 1
    }

    #[inline]
    fn decode(&self, offset: u64) -> Node {
        let (w, t) = (self.offset_width, self.time_width);
        let rest = self
            .section
            .bytes
            .get(offset as usize..)
            .unwrap_or_default();
        let mut padded = [0; PADDED_NODE_BYTES];
        // nodes are read in place, except for the last ones
        let row = rest.first_chunk::<PADDED_NODE_BYTES>().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        let (offset_mask, time_mask) = (all_ones(w), all_ones(t));
        let field = |at: usize| {
            let word = row.get(at..).and_then(|field| field.first_chunk());
            word.map_or(0, |&word| u64::from_le_bytes(word))
        };
        Node {
            function: field(0) as u32,
            parent: field(4) & offset_mask,
            first: field(4 + w) & offset_mask,
            own: field(4 + 2 * w) & time_mask,
            total: field(4 + 2 * w + t) & time_mask,
            count: field(4 + 2 * w + 2 * t) as u32,
            previous: field(9 + 2 * w + 2 * t) & offset_mask,
        }
    }

    /// Visits all nodes, callers first, and checks that they form a tree whose times add up. `enter` gets its result
    /// for the caller, the node's offset and the node.
    pub(super) fn walk<H: Copy>(
        &self,
        mut enter: impl FnMut(Option<H>, u64, &Node) -> Result<H, ImportError>,
    ) -> Result<WalkStats, ImportError> {
        let mut path: Vec<OpenNode<H>> = Vec::new();
        let mut stats = WalkStats::default();
        for index in (0..self.len()).rev() {
            let at = self.first_node + index * self.node_bytes;
            while path.last().is_some_and(|above| at < above.node.first) {
                self.leave(&mut path, &mut stats)?;
            }
            let node = self.decode(at);
            match path.last() {
                Some(above) => self.check_place(at, &node, above)?,
                None => self.check_root(at, &node)?,
            }
            let caller = path.last().map(|above| above.handle);
            let (own, total) = (node.own, node.total);
            let remaining = total
                .checked_sub(own)
                .ok_or_else(|| self.bad_total(at, total, format_args!("{own} or more")))?;
            let handle = enter(caller, at, &node)?;
            path.push(OpenNode {
                handle,
                at,
                node,
                remaining,
                callees_count: 0,
            });
        }
        while !path.is_empty() {
            self.leave(&mut path, &mut stats)?;
        }
        Ok(stats)
    }

    fn leave<H>(&self, path: &mut Vec<OpenNode<H>>, stats: &mut WalkStats) -> SectionResult<()> {
        let Some(left) = path.pop() else {
            return Ok(());
        };
        let (count, own, total) = (u64::from(left.node.count), left.node.own, left.node.total);
        if left.remaining > 0 {
            return Err(self.bad_total(left.at, total, total - left.remaining));
        }
        let Some(above) = path.last_mut() else {
            stats.top_level_count = left.callees_count;
            return Ok(());
        };
        above.remaining = above.remaining.checked_sub(total).ok_or_else(|| {
            let sum = u128::from(above.node.total - above.remaining) + u128::from(total);
            self.bad_total(above.at, above.node.total, format_args!("{sum} or more"))
        })?;
        above.callees_count = above.callees_count.saturating_add(count);
        let can_be_samples =
            count >= left.callees_count && (count > left.callees_count) == (own > 0);
        stats.not_samples += u64::from(!can_be_samples);
        Ok(())
    }

    fn bad_total(&self, at: u64, total: u64, sum: impl fmt::Display) -> Box<Failure> {
        self.wrong(at, messages::node_contradicts(&"total ticks", &sum, &total))
    }

    fn check_root(&self, at: u64, node: &Node) -> SectionResult<()> {
        let none = all_ones(self.offset_width);
        let fields = [
            ("function", node.function.into(), ROOT_FUNCTION.into()),
            ("parent", node.parent, none),
            ("previous sibling", node.previous, none),
            ("count", node.count.into(), 0),
            ("first node", node.first, self.first_node),
        ];
        self.check_fields(at, fields)
    }

    /// `above` is the innermost node whose range contains the node. These checks allow only one tree.
    fn check_place<H>(&self, at: u64, node: &Node, above: &OpenNode<H>) -> SectionResult<()> {
        // A leaf is its own first node; else the node just before it is its last callee. A subtree that starts after
        // its caller's leaves room for a sibling.
        let start = above.node.first;
        let is_leaf = node.first == at;
        let starts_inside = node.first >= start && node.first.saturating_add(self.node_bytes) <= at;
        let is_first_callee = node.first == start;
        let has_room_before = node.first >= start.saturating_add(self.node_bytes);
        let first = match (is_leaf || starts_inside) && (is_first_callee || has_room_before) {
            true => node.first,
            false => start,
        };
        let previous = match is_first_callee {
            true => all_ones(self.offset_width),
            false => node.first.saturating_sub(self.node_bytes),
        };
        let fields = [
            ("parent", node.parent, above.at),
            ("first node", node.first, first),
            ("previous sibling", node.previous, previous),
        ];
        self.check_fields(at, fields)
    }

    fn check_fields(
        &self,
        at: u64,
        fields: impl IntoIterator<Item = (&'static str, u64, u64)>,
    ) -> SectionResult<()> {
        let mut fields = fields.into_iter();
        let Some((field, found, expected)) = fields.find(|(_, found, expected)| found != expected)
        else {
            return Ok(());
        };
        let [expected, found] = [expected, found].map(|number| format!("{number:#x}"));
        Err(self.wrong(at, messages::node_contradicts(&field, &expected, &found)))
    }

    pub(super) fn wrong(&self, at: u64, problem: impl fmt::Display) -> Box<Failure> {
        let problem = format!("node t{}:{at:#x} {problem}", self.number);
        self.section.damaged(at as usize, problem)
    }
}
