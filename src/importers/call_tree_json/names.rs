//! Interns frames by the raw bytes of their names: repeated ones cost one lookup and no decoding.

use crate::input::json::{JsonError, RawString, RawTexts};
use crate::model::{FrameId, Frames};
use crate::names::FrameKind;
use std::collections::HashMap;

pub(super) type Slot = u32;

#[derive(Default)]
pub(super) struct NameTable {
    texts: RawTexts,
    methods: Vec<Option<FrameId>>,
    others: HashMap<(Slot, Option<Slot>, FrameKind), FrameId, foldhash::fast::RandomState>,
}

impl NameTable {
    #[inline]
    pub(super) fn slot(&mut self, raw: &RawString<'_>) -> Result<Slot, JsonError> {
        self.texts.number(raw)
    }

    pub(super) fn text(&self, slot: Slot) -> &str {
        self.texts.text(slot)
    }

    #[inline]
    pub(super) fn frame(
        &mut self,
        frames: &mut Frames,
        kind: FrameKind,
        name: Slot,
        signature: Option<Slot>,
    ) -> FrameId {
        let known = match (signature, kind) {
            (None, FrameKind::Method) => self.methods.get(name as usize).copied().flatten(),
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
        let signature_text = signature.map_or("", |slot| self.text(slot));
        let frame = frames.intern(kind, self.text(name), signature_text);
        if (signature, kind) == (None, FrameKind::Method) {
            let rows = self.methods.len().max(name as usize + 1);
            self.methods.resize(rows, None);
            self.methods[name as usize] = Some(frame);
        } else {
            self.others.insert((name, signature, kind), frame);
        }
        frame
    }
}
