//! Resolves addresses as modules and methods come and go during the trace.

use super::kernel::is_kernel_address;
use super::machine::{AddressSpace, Machine, ProcessId};
use crate::importers::dotnet::UNKNOWN_FRAME;
use crate::importers::runtime::{Code, MethodId, Timeline};
use crate::model::{FrameId, Frames};
use crate::names::FrameKind;
use std::collections::HashMap;

type PlaceCache<Key, Value> = HashMap<Key, Value, foldhash::fast::RandomState>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlacedFrame {
    pub frame: FrameId,
    pub is_named: bool,
}

struct CurrentSpace<'a> {
    methods: Timeline<'a>,
    images: Timeline<'a>,
    /// Incremented when addresses change their meaning.
    generation: u32,
    by_address: PlaceCache<u64, (u32, Option<PlacedFrame>)>,
    by_method: PlaceCache<MethodId, PlacedFrame>,
    by_image: PlaceCache<u64, PlacedFrame>,
}

impl<'a> CurrentSpace<'a> {
    fn new(space: &'a AddressSpace) -> CurrentSpace<'a> {
        CurrentSpace {
            methods: space.methods.timeline(),
            images: space.images.timeline(),
            generation: 1,
            by_address: PlaceCache::default(),
            by_method: PlaceCache::default(),
            by_image: PlaceCache::default(),
        }
    }

    fn advance(&mut self, time: u64) {
        let methods = self.methods.advance(time);
        if self.images.advance(time) || methods {
            self.generation = self.generation.wrapping_add(1);
        }
    }

    fn named(&mut self, address: u64, frames: &mut Frames) -> Option<PlacedFrame> {
        if let Some((generation, named)) = self.by_address.get(&address)
            && *generation == self.generation
        {
            return *named;
        }
        let named = self.find(address, frames);
        self.by_address.insert(address, (self.generation, named));
        named
    }

    fn find(&mut self, address: u64, frames: &mut Frames) -> Option<PlacedFrame> {
        let mut frame = |code: &Code, method, is_named| PlacedFrame {
            frame: frames.intern(FrameKind::Method, &code.frame_name(method), ""),
            is_named,
        };
        if let Some(method) = self.methods.find(address) {
            let (code, known) = (self.methods.code(), self.by_method.entry(method));
            let name = || frame(code, method, code.is_named(method));
            return Some(*known.or_insert_with(name));
        }
        let (code, image) = (self.images.code(), self.images.find(address)?);
        let known = self.by_image.entry(code.module(image));
        Some(*known.or_insert_with(|| frame(code, image, false)))
    }
}

/// A state of the address spaces; what was looked up in one is valid only in that.
pub(super) type Generation = (u32, u32);

pub(super) struct AddressPlaces<'a> {
    machine: &'a Machine,
    kernel: CurrentSpace<'a>,
    processes: PlaceCache<ProcessId, CurrentSpace<'a>>,
    /// The contents of a process that no event has described.
    nothing: &'a AddressSpace,
    unknown: PlacedFrame,
}

impl<'a> AddressPlaces<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        nothing: &'a AddressSpace,
        frames: &mut Frames,
    ) -> AddressPlaces<'a> {
        let unknown = PlacedFrame {
            frame: frames.intern(FrameKind::Special, UNKNOWN_FRAME, ""),
            is_named: false,
        };
        AddressPlaces {
            machine,
            kernel: CurrentSpace::new(&machine.kernel),
            processes: PlaceCache::default(),
            nothing,
            unknown,
        }
    }

    pub(super) fn advance(&mut self, process: Option<ProcessId>, time: u64) -> Generation {
        self.kernel.advance(time);
        let process = process.map_or(0, |process| {
            let space = self.machine.processes[process.index()].space.as_deref();
            let now = self.processes.entry(process);
            let now = now.or_insert_with(|| CurrentSpace::new(space.unwrap_or(self.nothing)));
            now.advance(time);
            now.generation
        });
        (self.kernel.generation, process)
    }

    /// The current meaning of an address in the kernel or in a process; `None` means that the process is unknown.
    pub(super) fn named(
        &mut self,
        process: Option<ProcessId>,
        address: u64,
        frames: &mut Frames,
    ) -> PlacedFrame {
        let now = match process {
            _ if is_kernel_address(address, self.machine.is_32_bit) => Some(&mut self.kernel),
            Some(process) => self.processes.get_mut(&process),
            None => None,
        };
        now.and_then(|now| now.named(address, frames))
            .unwrap_or(self.unknown)
    }
}
