//! What holds in all known snapshots, and nothing here depends on: a snapshot in which it does not hold is read, with a
//! warning that something about it is not understood, or damaged.

use super::tree::Node;
use super::warnings::Warnings;
use crate::diagnostics::partly;
use crate::model::{CallTree, FrameId, NodeId};

/// The flags of a node: the method is a P/Invoke or collects garbage; it is the outermost node of a function that is
/// recursive somewhere in the thread; its function occurs again below it.
const NATIVE: u8 = 2;
const OUTERMOST: u8 = 64;
const AGAIN_BELOW: u8 = 128;
/// Native frames between managed ones: without time of their own, and never leaves.
const NATIVE_BETWEEN: u32 = 0;
/// A thread without managed frames: always a leaf.
const NATIVE_ONLY: u32 = 5;
/// No node is open.
const NONE: u32 = u32::MAX;

/// How often something does not hold.
#[derive(Default)]
pub(super) struct Facts {
    /// The path from the thread's root to the last node.
    open: Vec<Open>,
    /// What is known of each frame's nodes in this thread, by the frame's number.
    uses: Vec<Use>,
    /// The frames of this thread's outermost nodes.
    seen: Vec<u32>,
    wide_threads: u64,
    unknown_flags: u64,
    wrong_flags: u64,
    wrong_specials: u64,
}

struct Open {
    frame: u32,
    /// The offset of the first node of its subtree.
    first: u64,
    /// Where on the path the same function is open outside it.
    outer: u32,
    flags: u8,
    is_again_below: bool,
}

/// A function's nodes in one thread.
#[derive(Clone, Copy)]
struct Use {
    /// Where on the path its innermost node is.
    innermost: u32,
    is_recursive: bool,
    /// Its outermost nodes with the flag that says so of recursive functions, and those without.
    flagged: u32,
    unflagged: u32,
}

const UNUSED: Use = Use {
    innermost: NONE,
    is_recursive: false,
    flagged: 0,
    unflagged: 0,
};

impl Facts {
    /// Looks at the next node, callers before callees.
    pub(super) fn enter(&mut self, frame: FrameId, at: u64, node: &Node) {
        while self.open.last().is_some_and(|above| at < above.first) {
            self.leave();
        }
        let is_leaf = node.first == at;
        let is_wrong = match node.function {
            NATIVE_BETWEEN => is_leaf || node.own > 0,
            NATIVE_ONLY => !is_leaf,
            _ => false,
        };
        self.wrong_specials += u64::from(is_wrong);
        self.unknown_flags += u64::from(node.flags & !(NATIVE | OUTERMOST | AGAIN_BELOW) != 0);
        let number = frame.0 as usize;
        if number >= self.uses.len() {
            self.uses.resize(number + 1, UNUSED);
        }
        let function = &mut self.uses[number];
        // the path has fewer nodes than the tree, whose nodes have numbers of 32 bits
        let outer = std::mem::replace(&mut function.innermost, self.open.len() as u32);
        if let Some(outer) = self.open.get_mut(outer as usize) {
            outer.is_again_below = true;
            function.is_recursive = true;
        } else {
            self.seen.push(frame.0);
        }
        self.open.push(Open {
            frame: frame.0,
            first: node.first,
            outer,
            flags: node.flags,
            is_again_below: false,
        });
    }

    fn leave(&mut self) {
        let Some(node) = self.open.pop() else { return };
        let function = &mut self.uses[node.frame as usize];
        function.innermost = node.outer;
        let says_again_below = node.flags & AGAIN_BELOW != 0;
        let says_outermost = node.flags & OUTERMOST != 0;
        let is_outermost = node.outer == NONE;
        if says_again_below != node.is_again_below || (says_outermost && !is_outermost) {
            self.wrong_flags += 1;
        } else if is_outermost {
            // whether the function is recursive is known at the end of the thread
            function.flagged += u32::from(says_outermost);
            function.unflagged += u32::from(!says_outermost);
        }
    }

    pub(super) fn end_thread(&mut self, has_narrow_fields: bool) {
        while !self.open.is_empty() {
            self.leave();
        }
        self.wide_threads += u64::from(!has_narrow_fields);
        for frame in self.seen.drain(..) {
            let function = std::mem::replace(&mut self.uses[frame as usize], UNUSED);
            let wrong = if function.is_recursive {
                function.unflagged
            } else {
                function.flagged
            };
            self.wrong_flags += u64::from(wrong);
        }
    }

    pub(super) fn warn(&self, tree: &CallTree, frame_count: usize, warnings: &mut Warnings) {
        let all = [
            partly::WIDE_THREADS.times(self.wide_threads),
            partly::UNKNOWN_FLAGS.times(self.unknown_flags),
            partly::WRONG_FLAGS.times(self.wrong_flags),
            partly::WRONG_NATIVE_NODES.times(self.wrong_specials),
            partly::SAME_SIBLINGS.times(same_siblings(tree, frame_count)),
        ];
        warnings.extend(all.into_iter().flatten());
    }
}

/// How many nodes below a thread's root have a sibling before them with the same frame. O(n).
fn same_siblings(tree: &CallTree, frame_count: usize) -> u64 {
    let mut last_caller = vec![NodeId::ROOT; frame_count];
    let mut same = 0;
    // threads can have equal names
    for caller in tree.nodes().skip(1) {
        for node in tree.children(caller) {
            let frame = tree.frame(node).0 as usize;
            same += u64::from(std::mem::replace(&mut last_caller[frame], caller) == caller);
        }
    }
    same
}
