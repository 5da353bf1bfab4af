//! Interns frames by the raw bytes of their names, so that a repeated name costs one lookup and no decoding.

use crate::input::json::{JsonError, RawString};
use crate::model::{FrameId, Frames};
use crate::names::FrameKind;
use indexmap::IndexMap;
use std::borrow::Cow;
use std::collections::HashMap;

/// A string of the file, as a row of [`NameTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot(usize);

#[derive(Default)]
struct NameRow {
    /// the string, where it is not what the key is
    decoded: Option<Box<str>>,
    /// the method with this name and no signature
    method: Option<FrameId>,
}

/// The strings of a file by their bytes between the quotes, escapes as they are written.
#[derive(Default)]
pub(super) struct NameTable {
    rows: IndexMap<Box<[u8]>, NameRow, foldhash::fast::RandomState>,
    /// the frames that are no such methods
    others: HashMap<(Slot, Option<Slot>, FrameKind), FrameId, foldhash::fast::RandomState>,
}

impl NameTable {
    /// The row of a string.
    ///
    /// # Errors
    /// If it is no UTF-8.
    #[inline]
    pub(super) fn slot(&mut self, raw: &RawString<'_>) -> Result<Slot, JsonError> {
        match self.rows.get_index_of(raw.bytes()) {
            Some(known) => Ok(Slot(known)),
            None => self.add(raw),
        }
    }

    #[inline(never)]
    fn add(&mut self, raw: &RawString<'_>) -> Result<Slot, JsonError> {
        let decoded = match raw.decode()? {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text.into_boxed_str()),
        };
        let row = NameRow {
            decoded,
            method: None,
        };
        Ok(Slot(self.rows.insert_full(raw.bytes().into(), row).0))
    }

    pub(super) fn text(&self, slot: Slot) -> &str {
        match self.rows.get_index(slot.0) {
            Some((
                _,
                NameRow {
                    decoded: Some(text),
                    ..
                },
            )) => text,
            // what is in the table was decoded once, so it is UTF-8
            Some((bytes, _)) => std::str::from_utf8(bytes).unwrap_or_default(),
            None => "",
        }
    }

    /// The frame of a kind with this name and signature.
    #[inline]
    pub(super) fn frame(
        &mut self,
        frames: &mut Frames,
        kind: FrameKind,
        name: Slot,
        signature: Option<Slot>,
    ) -> FrameId {
        let known = match (signature, kind) {
            (None, FrameKind::Method) => {
                self.rows.get_index(name.0).and_then(|(_, row)| row.method)
            }
            _ => self.others.get(&(name, signature, kind)).copied(),
        };
        known.unwrap_or_else(|| self.add_frame(frames, kind, name, signature))
    }

    #[inline(never)]
    fn add_frame(
        &mut self,
        frames: &mut Frames,
        kind: FrameKind,
        name: Slot,
        signature: Option<Slot>,
    ) -> FrameId {
        let frame = frames.intern(
            kind,
            self.text(name),
            signature.map_or("", |slot| self.text(slot)),
        );
        match (signature, kind) {
            (None, FrameKind::Method) => {
                if let Some((_, row)) = self.rows.get_index_mut(name.0) {
                    row.method = Some(frame);
                }
            }
            _ => {
                self.others.insert((name, signature, kind), frame);
            }
        }
        frame
    }
}
