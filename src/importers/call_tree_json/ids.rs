//! The ids of a call-tree JSON file, kept if all of them are offsets in the source.

use crate::model::{NodeIds, RawNode, TreeBuilder};

/// `t<thread>:0x<offset>`, as dotspot writes for snapshots it decoded itself, or `0x<offset>`, which the contract
/// allows.
type NodeKey = Option<(Option<u32>, u64)>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    #[default]
    Unseen,
    InThread,
    Offset,
    Other,
}

/// One row per raw node, while all ids have the same form. The root's may have any: no source has an offset above all
/// threads.
#[derive(Default)]
pub(super) struct Ids {
    form: Form,
    root: NodeKey,
    threads: Vec<u32>,
    offsets: Vec<u64>,
}

/// No thread; no section has that many.
const NO_THREAD: u32 = u32::MAX;

impl Ids {
    #[inline]
    pub(super) fn push(&mut self, node: RawNode, id: &[u8]) {
        if self.form != Form::Other {
            self.note(node, parse(id));
        }
    }

    /// Adds the ids of nodes that were read separately and are now `before` rows further down.
    pub(super) fn append(&mut self, rest: Ids, before: u32) {
        let is_new = self.form == Form::Unseen;
        match rest.form {
            Form::Unseen => {}
            form if form != Form::Other && (self.form == form || is_new) => {
                self.form = form;
                let first = before as usize + 1;
                append(&mut self.offsets, first, &rest.offsets, NodeIds::NO_OFFSET);
                append(&mut self.threads, first, &rest.threads, NO_THREAD);
            }
            _ => self.give_up(),
        }
    }

    /// Adds the id of a node that is a number, and so has none of the forms.
    pub(super) fn push_number(&mut self, node: RawNode) {
        self.push(node, b"");
    }

    fn note(&mut self, node: RawNode, id: NodeKey) {
        if node == TreeBuilder::ROOT {
            self.root = id;
            return;
        }
        let Some((thread, offset)) = id else {
            return self.give_up();
        };
        let form = thread.map_or(Form::Offset, |_| Form::InThread);
        if self.form != form && self.form != Form::Unseen {
            return self.give_up();
        }
        self.form = form;
        put(&mut self.offsets, node, offset, NodeIds::NO_OFFSET);
        if let Some(thread) = thread {
            put(&mut self.threads, node, thread, NO_THREAD);
        }
    }

    fn give_up(&mut self) {
        *self = Ids {
            form: Form::Other,
            ..Ids::default()
        };
    }

    /// The thread id and offset in a node's id, if ids have threads.
    pub(super) fn in_thread(&self, node: RawNode) -> Option<(u32, u64)> {
        if node == TreeBuilder::ROOT {
            let (thread, offset) = self.root?;
            return Some((thread?, offset));
        }
        let row = node.0 as usize;
        self.threads
            .get(row)
            .filter(|&&thread| thread != NO_THREAD)
            .map(|&thread| (thread, self.offsets[row]))
    }

    /// If ids are offsets and only the root lacks one: it may have [`NodeIds::NO_OFFSET`].
    pub(super) fn into_offsets(mut self, nodes: usize) -> Option<Vec<u64>> {
        let root = match self.root {
            Some((None, offset)) => offset,
            _ => NodeIds::NO_OFFSET,
        };
        let is_offset =
            self.form == Form::Offset || (self.form == Form::Unseen && root != NodeIds::NO_OFFSET);
        put(
            &mut self.offsets,
            TreeBuilder::ROOT,
            root,
            NodeIds::NO_OFFSET,
        );
        let is_whole =
            self.offsets.len() == nodes && !self.offsets[1..].contains(&NodeIds::NO_OFFSET);
        (is_offset && is_whole).then_some(self.offsets)
    }
}

/// Sets a row, filling gaps before it with `nothing`.
#[inline]
fn put<T: Copy>(rows: &mut Vec<T>, node: RawNode, value: T, nothing: T) {
    let row = node.0 as usize;
    if rows.len() <= row {
        rows.resize(row + 1, nothing);
    }
    rows[row] = value;
}

/// Appends all rows but the root's from a row on, filling gaps before it with `nothing`.
fn append<T: Copy>(rows: &mut Vec<T>, first: usize, more: &[T], nothing: T) {
    if let Some(more) = more.get(1..).filter(|more| !more.is_empty()) {
        rows.resize(first, nothing);
        rows.extend_from_slice(more);
    }
}

/// The number of offsets that occur more than once. O(n) if they ascend, as is usual in files, else O(n log n).
pub(super) fn repeated(offsets: &[u64]) -> usize {
    if offsets.is_sorted_by(|a, b| a < b) {
        return 0;
    }
    let mut sorted = offsets.to_vec();
    sorted.sort_unstable();
    sorted
        .chunk_by(|a, b| a == b)
        .filter(|equal| equal.len() > 1)
        .count()
}

fn parse(id: &[u8]) -> NodeKey {
    match id.strip_prefix(b"0x") {
        Some(digits) => {
            let offset = hex(digits).filter(|&offset| offset != NodeIds::NO_OFFSET)?;
            Some((None, offset))
        }
        None => in_thread(id).map(|(thread, offset)| (Some(thread), offset)),
    }
}

/// Hexadecimal digits, in either case.
fn hex(digits: &[u8]) -> Option<u64> {
    let all = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    u64::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| all)?, 16).ok()
}

/// `t<thread>:0x<offset>`, exactly as spelled by dotspot: no leading zeros, lower case.
fn in_thread(id: &[u8]) -> Option<(u32, u64)> {
    let colon = id.iter().position(|&byte| byte == b':')?;
    let thread = id[..colon].strip_prefix(b"t")?;
    let offset = id[colon..].strip_prefix(b":0x")?;
    Some((
        u32::try_from(plain_digits(thread, 10)?).ok()?,
        plain_digits(offset, 16)?,
    ))
}

fn plain_digits(digits: &[u8], base: u64) -> Option<u64> {
    if digits.is_empty() || (digits[0] == b'0' && digits.len() > 1) {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &byte| {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' if base == 16 => byte - b'a' + 10,
            _ => return None,
        };
        value.checked_mul(base)?.checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests;
