//! A file's ids, kept if all of them are offsets in the source.

use crate::model::{NodeIds, RawNode, TreeBuilder};

/// No thread; no section has that many.
const NO_THREAD: u32 = u32::MAX;

/// One row per raw node, while all ids can be parsed. The root's may be any: no source has an offset above all
/// threads.
#[derive(Default)]
pub(super) struct Ids {
    is_other: bool,
    threads: Vec<u32>,
    offsets: Vec<u64>,
}

impl Ids {
    #[inline]
    pub(super) fn push(&mut self, node: RawNode, id: &str) {
        if self.is_other {
            return;
        }
        let (thread, offset) = match parse(id) {
            Some(known) => known,
            None if node == TreeBuilder::ROOT => (NO_THREAD, NodeIds::NO_OFFSET),
            None => return self.give_up(),
        };
        set_row(&mut self.offsets, node, offset, NodeIds::NO_OFFSET);
        if thread != NO_THREAD {
            set_row(&mut self.threads, node, thread, NO_THREAD);
        }
    }

    /// Adds the ids of a second half, which are now `before` rows further down.
    pub(super) fn append(&mut self, rest: Ids, before: u32) {
        if rest.is_other {
            return self.give_up();
        }
        if self.is_other {
            return;
        }
        let rows = before as usize + 1;
        self.offsets.resize(rows, NodeIds::NO_OFFSET);
        self.offsets.extend(rest.offsets.iter().skip(1));
        if !rest.threads.is_empty() {
            self.threads.resize(rows, NO_THREAD);
            self.threads.extend(rest.threads.iter().skip(1));
        }
    }

    fn give_up(&mut self) {
        *self = Ids {
            is_other: true,
            ..Ids::default()
        };
    }

    pub(super) fn in_thread(&self, node: RawNode) -> Option<(u32, u64)> {
        let row = node.0 as usize;
        let thread = *self.threads.get(row)?;
        (thread != NO_THREAD).then(|| (thread, self.offsets[row]))
    }

    /// If no id but the root's has a thread and only the root lacks an offset: it may have [`NodeIds::NO_OFFSET`].
    pub(super) fn into_offsets(mut self, nodes: usize) -> Option<Vec<u64>> {
        let root = self.offsets.first_mut()?;
        if !self.threads.is_empty() {
            *root = NodeIds::NO_OFFSET;
        }
        let has_any = nodes > 1 || *root != NodeIds::NO_OFFSET;
        let is_whole = self.threads.len() <= 1
            && self.offsets.len() == nodes
            && !self.offsets[1..].contains(&NodeIds::NO_OFFSET);
        (has_any && is_whole).then_some(self.offsets)
    }
}

#[inline]
fn set_row<T: Copy>(rows: &mut Vec<T>, node: RawNode, value: T, nothing: T) {
    let row = node.0 as usize;
    rows.resize(rows.len().max(row + 1), nothing);
    rows[row] = value;
}

/// How many offsets occur more than once. O(n) if they ascend, as is usual in files, else O(n log n).
pub(super) fn repeated(offsets: &[u64]) -> usize {
    if offsets.is_sorted_by(|a, b| a < b) {
        return 0;
    }
    let mut sorted = offsets.to_vec();
    sorted.sort_unstable();
    let groups = sorted.chunk_by(|a, b| a == b);
    groups.filter(|equal| equal.len() > 1).count()
}

/// The thread, or [`NO_THREAD`], and the offset in `t<thread>:0x<offset>` or `0x<offset>`, spelled exactly as dotspot
/// does.
fn parse(id: &str) -> Option<(u32, u64)> {
    let (thread, offset) = match id.strip_prefix('t') {
        Some(rest) => {
            let (thread, offset) = rest.split_once(':')?;
            let offset = offset.strip_prefix("0x")?;
            let is_plain = |digits: &str| digits == "0" || !digits.starts_with('0');
            let is_canonical = is_plain(thread)
                && is_plain(offset)
                && !offset.bytes().any(|byte| byte.is_ascii_uppercase());
            let thread = u32::try_from(digits(thread, 10)?).ok();
            (
                thread.filter(|&thread| is_canonical && thread != NO_THREAD)?,
                offset,
            )
        }
        None => (NO_THREAD, id.strip_prefix("0x")?),
    };
    let offset = digits(offset, 16).filter(|&offset| offset != NodeIds::NO_OFFSET)?;
    Some((thread, offset))
}

fn digits(text: &str, radix: u32) -> Option<u64> {
    let value = u64::from_str_radix(text, radix).ok();
    value.filter(|_| !text.starts_with('+'))
}

#[cfg(test)]
mod tests;
