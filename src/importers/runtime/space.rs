//! What addresses mean in a process, whose methods and files come and go.

use super::code::{Code, MethodId, Timeline};
use crate::importers::dotnet::UNKNOWN_FRAME;
use crate::model::{FrameId, Frames};
use crate::names::FrameKind;
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct AddressSpace {
    /// As the process's runtime reports them.
    pub methods: Code,
    /// Mapped; each address range has the file's id as its module.
    pub files: Code,
}

/// In mapped files, by their ids.
pub(crate) trait NativeCode {
    /// The kind and name of an address's frame, and whether more than the module is known.
    fn frame(&self, file: u64, address: u64) -> (FrameKind, Cow<'_, str>, bool);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedFrame {
    pub frame: FrameId,
    /// Whether more than the module is known.
    pub is_named: bool,
}

impl ResolvedFrame {
    /// For addresses about which nothing is known.
    pub(crate) fn unknown(frames: &mut Frames) -> ResolvedFrame {
        ResolvedFrame {
            frame: frames.intern(FrameKind::Special, UNKNOWN_FRAME, ""),
            is_named: false,
        }
    }
}

/// Time only moves forward.
pub(crate) struct AddressResolver<'a> {
    methods: Timeline<'a>,
    files: Timeline<'a>,
    /// Changes with the meaning of addresses: what one resolves to is valid only in its generation.
    generation: u32,
    by_address: HashMap<u64, (u32, Option<ResolvedFrame>), RandomState>,
    by_method: HashMap<MethodId, ResolvedFrame, RandomState>,
}

impl<'a> AddressResolver<'a> {
    pub(crate) fn new(space: &'a AddressSpace) -> AddressResolver<'a> {
        AddressResolver {
            methods: space.methods.timeline(),
            files: space.files.timeline(),
            generation: 1,
            by_address: HashMap::default(),
            by_method: HashMap::default(),
        }
    }

    pub(crate) fn advance(&mut self, time: u64) -> u32 {
        let has_changed = self.methods.advance(time);
        if self.files.advance(time) || has_changed {
            self.generation = self.generation.wrapping_add(1);
        }
        self.generation
    }

    pub(crate) fn frame(
        &mut self,
        address: u64,
        native: &impl NativeCode,
        frames: &mut Frames,
    ) -> Option<ResolvedFrame> {
        if let Some((generation, known)) = self.by_address.get(&address)
            && *generation == self.generation
        {
            return *known;
        }
        let code = self.methods.code;
        let found = match self.methods.find(address) {
            Some(method) => Some(*self.by_method.entry(method).or_insert_with(|| {
                let frame = frames.intern(FrameKind::Method, &code.frame_name(method), "");
                let is_named = code.is_named(method);
                ResolvedFrame { frame, is_named }
            })),
            None => self.files.find(address).map(|found| {
                let (kind, name, is_named) = native.frame(self.files.code.module(found), address);
                let frame = frames.intern(kind, &name, "");
                ResolvedFrame { frame, is_named }
            }),
        };
        self.by_address.insert(address, (self.generation, found));
        found
    }
}
