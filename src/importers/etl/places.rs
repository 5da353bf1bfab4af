//! Resolves the addresses of the kernel and of all processes.

use super::kernel::is_kernel_address;
use super::machine::{Machine, ProcessId};
use crate::importers::dotnet::UNKNOWN_FRAME;
use crate::importers::runtime::{AddressResolver, ResolvedFrame};
use crate::model::Frames;
use crate::names::FrameKind;
use std::collections::HashMap;

/// A state of the address spaces; what was looked up in one is valid only in that.
pub(super) type Generation = (u32, u32);

pub(super) struct AddressPlaces<'a> {
    machine: &'a Machine,
    kernel: AddressResolver<'a>,
    /// Without those that no event has described.
    processes: HashMap<ProcessId, AddressResolver<'a>, foldhash::fast::RandomState>,
    unknown: ResolvedFrame,
}

impl<'a> AddressPlaces<'a> {
    pub(super) fn new(machine: &'a Machine, frames: &mut Frames) -> AddressPlaces<'a> {
        let unknown = ResolvedFrame {
            frame: frames.intern(FrameKind::Special, UNKNOWN_FRAME, ""),
            is_named: false,
        };
        AddressPlaces {
            machine,
            kernel: AddressResolver::new(&machine.kernel),
            processes: HashMap::default(),
            unknown,
        }
    }

    pub(super) fn advance(&mut self, process: Option<ProcessId>, time: u64) -> Generation {
        let processes = &self.machine.processes;
        let space = process.and_then(|process| processes[process.index()].space.as_deref());
        let generation = process.zip(space).map_or(0, |(process, space)| {
            let resolver = self.processes.entry(process);
            let resolver = resolver.or_insert_with(|| AddressResolver::new(space));
            resolver.advance(time)
        });
        (self.kernel.advance(time), generation)
    }

    /// The current meaning of an address in the kernel or in a process; `None` means that the process is unknown.
    pub(super) fn frame(
        &mut self,
        process: Option<ProcessId>,
        address: u64,
        frames: &mut Frames,
    ) -> ResolvedFrame {
        let resolver = match process {
            _ if is_kernel_address(address, self.machine.is_32_bit) => Some(&mut self.kernel),
            Some(process) => self.processes.get_mut(&process),
            None => None,
        };
        let frame = resolver.and_then(|resolver| resolver.frame(address, self.machine, frames));
        frame.unwrap_or(self.unknown)
    }
}
