//! Maps call stacks to nodes. The part that a stack shares with the previous one is compared as bytes; only the rest is
//! split and looked up.

use super::names::ReportNames;
use super::path::{FirstFrame, split_first};
use crate::model::{FrameId, RawNode, TooLarge, TreeBuilder};
use memchr::memchr;

/// Of a name that is looked up before its end is known.
const MAX_LOOKUP_BYTES: usize = 4096;

struct StackStep {
    end: usize,
    node: RawNode,
}

#[derive(Default)]
pub(super) struct Stacks {
    /// As written, and its frames.
    last: Vec<u8>,
    steps: Vec<StackStep>,
    /// By node, the callee used last. Nodes made together are adjacent in memory.
    last_callees: Vec<Option<LastCallee>>,
}

#[derive(Clone, Copy)]
struct LastCallee {
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
        let known = self.keep_shared_frames(stack);
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
            let next = match self.repeated_callee(node, rest, names) {
                Some((next, callee)) => {
                    node = callee;
                    next
                }
                None => {
                    let Some((next, frame)) = first_frame(rest, is_outermost, names) else {
                        self.steps.clear();
                        return self.add_unclosed(rest, node, is_outermost, names, builder);
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
    fn repeated_callee(
        &self,
        caller: RawNode,
        rest: &[u8],
        names: &ReportNames,
    ) -> Option<(FirstFrame, RawNode)> {
        let last = self.last_callees.get(caller.0 as usize)?.as_ref()?;
        let name = names.written(last.frame);
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
            last.node,
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
        self.last_callees.resize(builder.len(), None);
        // callers have lower indices than their callees
        self.last_callees[caller.0 as usize] = Some(LastCallee { frame, node });
        Ok(node)
    }

    /// Each `/` ends a frame if a bracket never closes. [`first_frame`] must not find its names.
    #[cold]
    fn add_unclosed(
        &mut self,
        rest: &[u8],
        mut node: RawNode,
        mut is_outermost: bool,
        names: &mut ReportNames,
        builder: &mut TreeBuilder,
    ) -> Result<RawNode, TooLarge> {
        for name in rest.split(|&byte| byte == b'/') {
            node = builder.merge(node, names.frame(name, is_outermost))?;
            is_outermost = false;
        }
        Ok(node)
    }

    /// Drops the frames that `stack` does not share with the last one. Returns where the shared ones end.
    fn keep_shared_frames(&mut self, stack: &[u8]) -> usize {
        let shared = shared_prefix(&self.last, stack);
        let ends_here =
            |end: usize| end <= shared && stack.get(end).is_none_or(|&byte| byte == b'/');
        while self.steps.last().is_some_and(|step| !ends_here(step.end)) {
            self.steps.pop();
        }
        self.last.truncate(shared);
        self.last.extend_from_slice(&stack[shared..]);
        self.steps.last().map_or(0, |step| step.end)
    }
}

/// `None` if a bracket never closes. Known text up to the next `/` was split there before.
#[inline]
fn first_frame(
    rest: &[u8],
    is_outermost: bool,
    names: &mut ReportNames,
) -> Option<(FirstFrame, FrameId)> {
    // or escaped slashes would make each frame scan the whole rest
    let start = &rest[..rest.len().min(MAX_LOOKUP_BYTES)];
    let slash = memchr(b'/', start);
    let len = slash.unwrap_or(start.len());
    if (slash.is_some() || start.len() == rest.len())
        && let Some(frame) = names.get(&start[..len], is_outermost)
    {
        let slash = usize::from(slash.is_some());
        return Some((FirstFrame { len, slash }, frame));
    }
    let next = split_first(rest)?;
    let raw = &rest[..next.len];
    let known = names.get(raw, is_outermost);
    let frame = known.unwrap_or_else(|| names.add(raw, is_outermost));
    Some((next, frame))
}

fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
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
