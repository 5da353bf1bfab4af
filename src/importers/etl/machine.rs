//! The processes and threads of the machine. Their ids are reused once they have ended, so an id means the one that
//! has it at a given time.

use super::kernel::{self, Image, is_of_kernel};
use super::window::Record;
use crate::importers::runtime::{Code, CodeEvent, Life};
use indexmap::IndexSet;
use std::collections::{HashMap, HashSet};

type ById<Row> = HashMap<u32, Row, foldhash::fast::RandomState>;

/// A process, by its place in [`Machine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ProcessId(pub u32);

impl ProcessId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A thread, by its place in [`Machine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ThreadId(u32);

impl ThreadId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What lies in the address space of a process, or of the kernel.
#[derive(Default)]
pub(super) struct AddressSpace {
    pub methods: Code,
    /// Files, as code for which only the module is known.
    pub images: Code,
    /// Methods reported by a rundown, by their first fields. Merged traces repeat rundowns.
    known: HashSet<[u8; KNOWN_BYTES], foldhash::fast::RandomState>,
}

/// The fields that identify a method: its id, its module's id, and the start of its code, 64 bits each.
const KNOWN_BYTES: usize = 24;

#[derive(Default)]
pub(super) struct MachineProcess {
    /// The number that Windows gave it.
    pub id: u32,
    /// Empty if it is not known.
    pub name: String,
    /// `None` for the many processes that a trace only mentions.
    pub space: Option<Box<AddressSpace>>,
    /// Whether an event reported its start or its end.
    is_told: bool,
}

#[derive(Default)]
pub(super) struct MachineThread {
    pub id: u32,
    /// `None` where no event names it.
    pub process: Option<ProcessId>,
    /// Empty if it has none.
    pub name: String,
}

#[derive(Default)]
pub(super) struct Machine {
    pub has_32_bits: bool,
    /// The processes, whose places are their ids here.
    pub(super) processes: Vec<MachineProcess>,
    pub(super) threads: Vec<MachineThread>,
    process_now: ById<ProcessId>,
    thread_now: ById<ThreadId>,
    /// What is mapped for all processes.
    pub kernel: AddressSpace,
    /// The files of images, whose place here is their number as modules.
    files: IndexSet<String, foldhash::fast::RandomState>,
}

/// The process that has the processors when nothing else needs them.
const IDLE: u32 = 0;

impl Machine {
    /// Nothing but the process of idle processors, whose only thread has the number 0 on all of them.
    pub(super) fn new(has_32_bits: bool) -> Machine {
        let mut machine = Machine {
            has_32_bits,
            ..Machine::default()
        };
        let idle = machine.process(IDLE);
        machine.processes[idle.index()].name = "Idle".into();
        let thread = machine.thread(IDLE);
        machine.threads[thread.index()].process = Some(idle);
        machine
    }

    /// The process that has a number now.
    pub(super) fn process(&mut self, id: u32) -> ProcessId {
        match self.process_now.get(&id) {
            Some(&known) => known,
            None => self.add_process(id),
        }
    }

    fn add_process(&mut self, id: u32) -> ProcessId {
        let row = ProcessId(narrow(self.processes.len()));
        self.processes.push(MachineProcess {
            id,
            ..MachineProcess::default()
        });
        self.process_now.insert(id, row);
        row
    }

    /// The thread that has a number now.
    pub(super) fn thread(&mut self, id: u32) -> ThreadId {
        match self.thread_now.get(&id) {
            Some(&known) => known,
            None => self.add_thread(id),
        }
    }

    fn add_thread(&mut self, id: u32) -> ThreadId {
        let row = ThreadId(narrow(self.threads.len()));
        self.threads.push(MachineThread {
            id,
            ..MachineThread::default()
        });
        self.thread_now.insert(id, row);
        row
    }

    /// Notes which process a thread belongs to, where nothing else told it.
    pub(super) fn belongs(&mut self, thread: ThreadId, process: u32) {
        if self.threads[thread.index()].process.is_none() {
            let process = self.process(process);
            self.threads[thread.index()].process = Some(process);
        }
    }

    /// Notes that a process is there. One that starts has a number that another may have had.
    pub(super) fn add_or_name_process(&mut self, process: kernel::ProcessEvent, life: Life) {
        let mut row = self.process(process.id);
        if life == Life::Begins && self.processes[row.index()].is_told {
            row = self.add_process(process.id);
        }
        let row = &mut self.processes[row.index()];
        row.is_told = true;
        if !process.name.is_empty() {
            row.name = process.name;
        }
    }

    pub(super) fn add_or_name_thread(&mut self, thread: kernel::ThreadEvent, life: Life) {
        let mut row = self.thread(thread.id);
        let process = self.process(thread.process);
        let is_other = match self.threads[row.index()].process {
            // that of the idle processors is on all of them
            Some(known) => {
                life == Life::Begins && thread.id != IDLE || known != process && life == Life::Known
            }
            None => false,
        };
        if is_other {
            row = self.add_thread(thread.id);
        }
        let row = &mut self.threads[row.index()];
        row.process.get_or_insert(process);
        if !thread.name.is_empty() {
            row.name = thread.name;
        }
    }

    /// Notes where a file lies; `None` if there are too many of them.
    pub(super) fn add_image(&mut self, image: Image, record: &Record, life: Life) -> Option<()> {
        let is_of_kernel = is_of_kernel(image.start, self.has_32_bits);
        let process = (!is_of_kernel).then(|| self.process(image.process));
        let (file, _) = self.files.insert_full(image.path);
        let space = match process {
            Some(process) => self.processes[process.index()]
                .space
                .get_or_insert_default(),
            None => &mut self.kernel,
        };
        let (path, file) = (self.files.get_index(file)?, file as u64);
        space.images.name_module(file, without_extension(path), 0);
        space
            .images
            .add_nameless(image.start..image.end, file, life, record.time)
    }

    /// Processes an event from a runtime, and returns its process; `None` if it is truncated.
    pub(super) fn read_code(
        &mut self,
        event: CodeEvent,
        payload: &[u8],
        record: &Record,
    ) -> Option<ProcessId> {
        let process = self.process(record.process);
        let space = self.processes[process.index()]
            .space
            .get_or_insert_default();
        if event == CodeEvent::Method(Life::Known)
            && let Some(fields) = payload.first_chunk()
            && !space.known.insert(*fields)
        {
            return Some(process);
        }
        space.methods.read(event, payload, record.time)?;
        Some(process)
    }

    /// Gives methods all names that there are, which is done when everything was read.
    pub(super) fn finish(&mut self) {
        let processes = self.processes.iter_mut();
        let spaces = processes.filter_map(|process| process.space.as_mut());
        spaces.for_each(|space| space.methods.finish());
    }
}

/// The path of a file without its extension, whatever that is: drivers are `.sys`, `.drv` and more.
fn without_extension(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((start, extension)) if !extension.contains(['\\', '/']) => start,
        _ => path,
    }
}

/// The row of a table as it is stored. Memory ends long before 32 bits do.
pub(super) fn narrow(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}
