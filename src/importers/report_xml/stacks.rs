//! Maps call stacks to nodes. Stacks repeat most names of the previous one: that part is compared as bytes, and only
//! the rest is split and looked up.

use super::names::ReportNames;
use super::path::{FirstFrame, cut, cut_open};
use crate::model::{FrameId, RawNode, TooLarge, TreeBuilder};
use memchr::memchr;

/// The maximum length in bytes of a name that is looked up before its end is known.
const LONGEST_LOOKED_UP: usize = 4096;

struct StackStep {
    end: usize,
    node: RawNode,
}

#[derive(Default)]
pub(super) struct Stacks {
    /// The last call stack as written, and its frames.
    last: Vec<u8>,
    steps: Vec<StackStep>,
    /// By node, the callee used last. Nodes made together are adjacent in memory.
    taken: Vec<Option<TakenStack>>,
}

#[derive(Clone, Copy)]
struct TakenStack {
    frame: FrameId,
    node: RawNode,
}

impl Stacks {
    /// Linear in the length of the part that differs from the last call stack.
    pub(super) fn node(
        &mut self,
        stack: &[u8],
        names: &mut ReportNames,
        builder: &mut TreeBuilder,
    ) -> Result<RawNode, TooLarge> {
        let known = self.go_back(stack);
        let mut node = self
            .steps
            .last()
            .map_or(TreeBuilder::ROOT, |step| step.node);
        if known == stack.len() && !self.steps.is_empty() {
            return Ok(node);
        }
        let mut at = if self.steps.is_empty() { 0 } else { known + 1 };
        loop {
            let rest = &stack[at..];
            let is_outermost = self.steps.is_empty();
            let next = match self.taken_again(node, rest, names) {
                Some((next, callee)) => {
                    node = callee;
                    next
                }
                None => {
                    let Some((next, frame)) = first_frame(rest, is_outermost, names) else {
                        self.steps.clear();
                        return self.add_open(rest, node, is_outermost, names, builder);
                    };
                    node = self.callee(node, frame, builder)?;
                    next
                }
            };
            self.steps.push(StackStep {
                end: at + next.len,
                node,
            });
            if next.slash == 0 {
                return Ok(node);
            }
            at += next.len + next.slash;
        }
    }

    #[inline]
    fn taken_again(
        &self,
        caller: RawNode,
        rest: &[u8],
        names: &ReportNames,
    ) -> Option<(FirstFrame, RawNode)> {
        let taken = self.taken.get(caller.0 as usize)?.as_ref()?;
        let name = names.written(taken.frame);
        let slash = match rest.strip_prefix(name)?.first() {
            None => 0,
            Some(b'/') => 1,
            Some(_) => return None,
        };
        (!name.is_empty()).then_some((
            FirstFrame {
                len: name.len(),
                slash,
            },
            taken.node,
        ))
    }

    #[inline]
    fn callee(
        &mut self,
        caller: RawNode,
        frame: FrameId,
        builder: &mut TreeBuilder,
    ) -> Result<RawNode, TooLarge> {
        let node = builder.merge(caller, frame)?;
        self.taken.resize(builder.len(), None);
        // callers have lower indices than their callees
        self.taken[caller.0 as usize] = Some(TakenStack { frame, node });
        Ok(node)
    }

    pub(super) fn forget(&mut self) {
        *self = Stacks::default();
    }

    /// The node of the rest of a call stack in which a bracket never closes. [`first_frame`] must not find its names.
    #[cold]
    fn add_open(
        &mut self,
        rest: &[u8],
        mut node: RawNode,
        mut is_outermost: bool,
        names: &mut ReportNames,
        builder: &mut TreeBuilder,
    ) -> Result<RawNode, TooLarge> {
        let mut at = 0;
        for next in cut_open(rest) {
            let frame = names.frame(&rest[at..at + next.len], is_outermost);
            node = builder.merge(node, frame)?;
            is_outermost = false;
            at += next.len + next.slash;
        }
        Ok(node)
    }

    /// Drops the frames that `stack` does not share with the last one, and returns the end of the shared ones.
    fn go_back(&mut self, stack: &[u8]) -> usize {
        let same = same_bytes(&self.last, stack);
        let ends_here = |end: usize| end <= same && stack.get(end).is_none_or(|&byte| byte == b'/');
        while self.steps.last().is_some_and(|step| !ends_here(step.end)) {
            self.steps.pop();
        }
        self.last.truncate(same);
        self.last.extend_from_slice(&stack[same..]);
        self.steps.last().map_or(0, |step| step.end)
    }
}

/// `None` if a bracket never closes. Text up to the next `/` that is known was split there before.
#[inline]
fn first_frame(
    rest: &[u8],
    is_outermost: bool,
    names: &mut ReportNames,
) -> Option<(FirstFrame, FrameId)> {
    // or escaped slashes would make each frame scan the whole rest
    let near = &rest[..rest.len().min(LONGEST_LOOKED_UP)];
    let slash = memchr(b'/', near);
    let len = slash.unwrap_or(near.len());
    if (slash.is_some() || near.len() == rest.len())
        && let Some(frame) = names.get(&near[..len], is_outermost)
    {
        let slash = usize::from(slash.is_some());
        return Some((FirstFrame { len, slash }, frame));
    }
    let next = cut(rest)?;
    let raw = &rest[..next.len];
    let known = names.get(raw, is_outermost);
    let frame = known.unwrap_or_else(|| names.add(raw, is_outermost));
    Some((next, frame))
}

fn same_bytes(a: &[u8], b: &[u8]) -> usize {
    // blocks of constant size are compared inline, without a call for each
    const BLOCK: usize = 32;
    let blocks = a
        .as_chunks::<BLOCK>()
        .0
        .iter()
        .zip(b.as_chunks::<BLOCK>().0);
    let start = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let rest = a[start..].iter().zip(&b[start..]);
    start + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests;
