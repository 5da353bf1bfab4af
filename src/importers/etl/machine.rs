//! Processes and threads. Ids are reused, so an id refers to its owner at a given time.

use super::kernel::{is_kernel_address, read_image, read_process, read_thread};
use super::window::Record;
use crate::importers::dotnet::{UNKNOWN_FRAME, short_module, unknown_method_of};
use crate::importers::runtime::{AddressSpace, Code, CodeEvent, Lifecycle, NativeCode};
use crate::importers::stream::narrow;
use crate::names::{FrameKind, module_name};
use indexmap::IndexSet;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

type ById<Row> = HashMap<u32, Row, foldhash::fast::RandomState>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ProcessId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ThreadId(pub u32);

/// A method's id, its module's id, and the start of its code, 64 bits each.
const METHOD_KEY_BYTES: usize = 24;

#[derive(Default)]
pub(super) struct MachineProcess {
    pub id: u32,
    pub name: String,
    /// `None` for the many processes that a trace only mentions.
    pub space: Option<Box<AddressSpace>>,
    is_reported: bool,
}

#[derive(Default)]
pub(super) struct MachineThread {
    pub id: u32,
    /// `None` if no event names it.
    pub process: Option<ProcessId>,
    pub name: String,
}

#[derive(Default)]
pub(super) struct Machine {
    pub is_32_bit: bool,
    pub(super) processes: Vec<MachineProcess>,
    pub(super) threads: Vec<MachineThread>,
    current_processes: ById<ProcessId>,
    current_threads: ById<ThreadId>,
    /// Mapped in all processes.
    pub kernel: AddressSpace,
    /// By image id.
    files: IndexSet<String, foldhash::fast::RandomState>,
    /// From rundowns, which merged traces repeat.
    known_methods: HashSet<(ProcessId, [u8; METHOD_KEY_BYTES]), foldhash::fast::RandomState>,
}

const IDLE: u32 = 0;

impl Machine {
    /// With only the idle process, whose only thread has the id 0 on all processors.
    pub(super) fn new(is_32_bit: bool) -> Machine {
        let mut machine = Machine {
            is_32_bit,
            ..Machine::default()
        };
        let idle = machine.process(IDLE);
        machine.processes[idle.0 as usize].name = "Idle".into();
        let thread = machine.thread(IDLE);
        machine.threads[thread.0 as usize].process = Some(idle);
        machine
    }

    pub(super) fn process(&mut self, id: u32) -> ProcessId {
        let known = self.current_processes.get(&id).copied();
        known.unwrap_or_else(|| self.add_process(id))
    }

    fn add_process(&mut self, id: u32) -> ProcessId {
        let row = ProcessId(narrow(self.processes.len()));
        self.processes.push(MachineProcess {
            id,
            ..MachineProcess::default()
        });
        self.current_processes.insert(id, row);
        row
    }

    pub(super) fn thread(&mut self, id: u32) -> ThreadId {
        let known = self.current_threads.get(&id).copied();
        known.unwrap_or_else(|| self.add_thread(id))
    }

    fn add_thread(&mut self, id: u32) -> ThreadId {
        let row = ThreadId(narrow(self.threads.len()));
        self.threads.push(MachineThread {
            id,
            ..MachineThread::default()
        });
        self.current_threads.insert(id, row);
        row
    }

    pub(super) fn assign(&mut self, thread: ThreadId, process: u32) {
        if self.threads[thread.0 as usize].process.is_none() {
            let process = self.process(process);
            self.threads[thread.0 as usize].process = Some(process);
        }
    }

    /// If the process is just starting, its id may have belonged to another one.
    pub(super) fn read_process(
        &mut self,
        payload: &[u8],
        record: &Record,
        life: Lifecycle,
    ) -> Option<()> {
        let (id, name) = read_process(payload, record.layout)?;
        let mut row = self.process(id);
        if life == Lifecycle::Begins && self.processes[row.0 as usize].is_reported {
            row = self.add_process(id);
        }
        let row = &mut self.processes[row.0 as usize];
        row.is_reported = true;
        if !name.is_empty() {
            row.name = name;
        }
        Some(())
    }

    pub(super) fn read_thread(
        &mut self,
        payload: &[u8],
        record: &Record,
        life: Lifecycle,
    ) -> Option<()> {
        let (process, id, name) = read_thread(payload, record.layout)?;
        let (mut row, process) = (self.thread(id), self.process(process));
        let is_other = self.threads[row.0 as usize].process.is_some_and(|known| {
            // the idle thread runs on all processors
            life == Lifecycle::Begins && id != IDLE || known != process && life == Lifecycle::Known
        });
        if is_other {
            row = self.add_thread(id);
        }
        let row = &mut self.threads[row.0 as usize];
        row.process.get_or_insert(process);
        if !name.is_empty() {
            row.name = name;
        }
        Some(())
    }

    pub(super) fn read_image(
        &mut self,
        payload: &[u8],
        record: &Record,
        life: Lifecycle,
    ) -> Option<()> {
        let (addresses, process, path) = read_image(payload, record.layout)?;
        let is_kernel_address = is_kernel_address(addresses.start, self.is_32_bit);
        let process = (!is_kernel_address).then(|| self.process(process));
        let (file, _) = self.files.insert_full(path);
        let space = match process {
            Some(process) => self.processes[process.0 as usize]
                .space
                .get_or_insert_default(),
            None => &mut self.kernel,
        };
        let (files, file) = (&mut space.files, file as u64);
        files.add(Code::NAMELESS, addresses, file, life, record.time)
    }

    pub(super) fn read_code(
        &mut self,
        event: CodeEvent,
        payload: &[u8],
        record: &Record,
    ) -> Option<ProcessId> {
        let process = self.process(record.process);
        if event == CodeEvent::Method(Lifecycle::Known)
            && let Some(fields) = payload.first_chunk()
            && !self.known_methods.insert((process, *fields))
        {
            return Some(process);
        }
        let space = &mut self.processes[process.0 as usize].space;
        let methods = &mut space.get_or_insert_default().methods;
        methods.read(event, payload, record.time)?;
        Some(process)
    }

    pub(super) fn finish(&mut self) {
        let processes = self.processes.iter_mut();
        let spaces = processes.filter_map(|process| process.space.as_mut());
        spaces.for_each(|space| space.methods.finish());
    }
}

/// Traces have no symbols; images only name modules.
impl NativeCode for Machine {
    fn frame(&self, file: u64, _: u64) -> (FrameKind, Cow<'_, str>, bool) {
        let path = self.files.get_index(file as usize);
        let path = path.map_or("", |path| path);
        match short_module(module_name(without_extension(path))) {
            "" => (FrameKind::Special, UNKNOWN_FRAME.into(), false),
            module => (FrameKind::Method, unknown_method_of(module).into(), false),
        }
    }
}

fn without_extension(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((start, extension)) if !extension.contains(['\\', '/']) => start,
        _ => path,
    }
}
