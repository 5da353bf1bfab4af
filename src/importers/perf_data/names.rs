//! Names of code: in `perf-PID.map`, in what a compiler at run time dumped, in files of this machine, in the kernel's list.

use super::elf;
use super::processes::{KERNEL_CODE, Module, Processes};
use super::records::{FileId, Mode};
use crate::importers::native::{file_name, is_no_module, map_pid};
use crate::importers::perf_script::map::PerfMap;
use crate::importers::perf_script::maps::{LeftMaps, Maps};
use crate::input::cursor::Cursor;
use crate::input::named_files::NamedFiles;
use crate::input::source::SiblingFiles;
use crate::input::{ImportError, Input};
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

/// What tells of this machine and its kernel.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";
const KERNEL_RELEASE: &str = "/proc/sys/kernel/osrelease";
const UPTIME: &str = "/proc/uptime";
/// How much clocks may differ besides a thousandth.
const CLOCK_DRIFT: Duration = Duration::from_secs(1);
const KERNEL_NOTES: &str = "/sys/kernel/notes";
const KERNEL_SYMBOLS: &str = "/proc/kallsyms";
/// How much of such a list is read.
const MAX_LIST_BYTES: u64 = 256_000_000;
/// How much symbols of all files take: those of a large browser are a quarter of it.
const MAX_SYMBOL_BYTES: usize = 2_000_000_000;
/// Major and minor number of a device, and an inode.
type FileKey = (u32, u32, u64);
/// The symbols of a file, if it is the one that is looked for.
type SharedSymbols = Option<Rc<Symbols>>;

/// Where code is, and its name if there is one.
pub(super) struct Code<'a> {
    /// The number of the module, if it is known.
    pub module: Option<usize>,
    /// The path of the file, or what stands for it; empty if it is not known.
    pub file: &'a str,
    pub name: Option<&'a str>,
}

/// A file whose symbols were read.
struct Symbols {
    segments: Vec<(u64, u64, u64)>,
    map: PerfMap,
}

/// The kernel's symbols, and what is added to an address of the recording to have theirs.
struct KernelSymbols {
    map: PerfMap,
    shift: u64,
}

/// Looks names up, and reads files when the first frame asks for them.
pub(super) struct Names {
    input: SiblingsAndFiles,
    maps: Maps,
    symbols: HashMap<usize, SharedSymbols, foldhash::fast::RandomState>,
    kernel: Option<Option<KernelSymbols>>,
    build_ids: HashMap<String, Box<[u8]>>,
    /// Dumps of code compiled at run time, by process, that were not read yet.
    dumps: HashMap<u32, String>,
    /// When this machine started, if the recording is of that time.
    booted: Option<SystemTime>,
}

/// Where files are looked for.
struct SiblingsAndFiles {
    siblings: SiblingFiles,
    /// Those elsewhere on this machine, if they may be opened.
    files: Option<NamedFiles>,
    /// When the recording was last written, if it is a file.
    written: Option<SystemTime>,
    /// What was read, by the file and the build id that it should have.
    known: HashMap<(FileKey, Box<[u8]>), SharedSymbols>,
    /// How many bytes more symbols may take.
    left: usize,
    /// Whether this machine runs the kernel with which it was recorded.
    runs_kernel: bool,
}

impl Names {
    /// For a recording of the machine of this name with this release of Linux, and with these build ids by path. From files beside
    /// it only if `siblings_only` says so.
    pub(super) fn new(
        input: &Input,
        (host_name, release): (&str, &str),
        build_ids: HashMap<String, Box<[u8]>>,
        siblings_only: bool,
    ) -> Names {
        let is = |list: &str, text: &str| {
            let known = read_list(File::open(list).ok()).unwrap_or_default();
            !text.is_empty() && known.trim_ascii_end() == text.as_bytes()
        };
        let is_this_machine = !siblings_only && is(HOST_NAME, host_name);
        let mut maps = Maps::next_to(input);
        maps.elsewhere = is_this_machine.then(|| LeftMaps {
            files: NamedFiles::of(input),
            progress: input.progress.apart(),
            not_before: HashMap::new(),
        });
        let written = input.written();
        Names {
            input: SiblingsAndFiles {
                siblings: input.siblings.clone(),
                files: (!siblings_only).then(|| NamedFiles::of(input)),
                written,
                known: HashMap::new(),
                left: MAX_SYMBOL_BYTES,
                runs_kernel: is_this_machine && is(KERNEL_RELEASE, release),
            },
            maps,
            symbols: HashMap::default(),
            kernel: None,
            build_ids,
            dumps: HashMap::new(),
            booted: booted().filter(|booted| is_this_machine && written > Some(*booted)),
        }
    }

    /// A process starts. Times count from the start of the machine unless a user wants another clock.
    pub(super) fn add_start(&mut self, pid: u32, time_ns: u64) {
        // clocks of processors and of the system drift apart
        let at = Duration::from_nanos(time_ns - time_ns / 1_000).saturating_sub(CLOCK_DRIFT);
        let started = self.booted.and_then(|booted| booted.checked_add(at));
        if let Some(maps) = &mut self.maps.elsewhere
            && let Some(started) = started.filter(|&started| Some(started) < self.input.written)
        {
            maps.not_before.insert(pid, started);
        }
    }

    /// A compiler dumps its code for a process into the file of this path, `jit-PID.dump`.
    pub(super) fn add_dump(&mut self, pid: u32, path: &str) {
        if file_name(path) == format!("jit-{pid}.dump") {
            self.dumps.insert(pid, path.into());
        }
    }

    /// What is at an address of a process.
    ///
    /// # Errors
    /// Cancelled; a map can't be read.
    pub(super) fn code<'a>(
        &'a mut self,
        processes: &'a Processes,
        (pid, mode, address): (u32, Mode, u64),
    ) -> Result<Code<'a>, ImportError> {
        let Some((number, place)) = processes.module(pid, mode, address) else {
            let name = match mode {
                Mode::User => self.compiled(pid, address)?,
                _ => None,
            };
            return Ok(Code {
                module: None,
                file: "",
                name,
            });
        };
        let module = &processes.modules[number];
        let file = module.path.as_str();
        let name = match mode {
            Mode::Kernel => self.of_kernel(processes, file, address),
            _ if is_no_module(file) => {
                let pid = map_pid(file).unwrap_or(pid);
                self.compiled(pid, address)?
            }
            _ => self.of_file(number, module, place),
        };
        Ok(Code {
            module: Some(number),
            file,
            name,
        })
    }

    /// The name of code that was compiled at run time.
    fn compiled(&mut self, pid: u32, address: u64) -> Result<Option<&str>, ImportError> {
        if let Some(path) = self.dumps.remove(&pid)
            && let Some(code) = self.input.dump(&path)
        {
            self.maps.add(pid, PerfMap::of(path, code));
        }
        self.maps.name(Some(pid), address)
    }

    fn of_file(&mut self, number: usize, module: &Module, place: u64) -> Option<&str> {
        let (input, build_ids) = (&mut self.input, &self.build_ids);
        let symbols = self.symbols.entry(number).or_insert_with(|| {
            let FileId { build_id, inode } = &module.id;
            let known = build_ids.get(&module.path);
            let known = known.filter(|_| build_id.is_empty());
            input.symbols(&module.path, known.unwrap_or(build_id), *inode)
        });
        let symbols = symbols.as_ref()?;
        let (offset, _, address) = symbols.segments.iter().find(|(offset, size, _)| {
            let distance = place.checked_sub(*offset);
            distance.is_some_and(|distance| distance < *size)
        })?;
        symbols.map.name((place - offset).wrapping_add(*address))
    }

    fn of_kernel(&mut self, processes: &Processes, file: &str, address: u64) -> Option<&str> {
        let (input, build_ids) = (&mut self.input, &self.build_ids);
        let kernel = self.kernel.get_or_insert_with(|| {
            let build_id = build_ids.get(KERNEL_CODE).map(|id| &**id);
            let symbols = input.kernel(build_id)?;
            let start = elf::kernel_start(&symbols)?;
            let shift = start.wrapping_sub(processes.kernel_start.unwrap_or(start));
            let map = elf::table(KERNEL_CODE.into(), symbols);
            Some(KernelSymbols { map, shift })
        });
        let kernel = kernel.as_ref()?;
        // modules are elsewhere after the kernel was started again
        let is_there = file == KERNEL_CODE || kernel.shift == 0;
        let address = address.wrapping_add(kernel.shift);
        kernel.map.name(address).filter(|_| is_there)
    }

    /// Which maps gave names, for people.
    pub(super) fn maps_used(&self) -> Option<String> {
        self.maps.used()
    }

    /// Whether a map of code compiled at run time was looked for and not found.
    pub(super) fn lacks_map(&self) -> bool {
        self.maps.is_missing
    }
}

impl SiblingsAndFiles {
    fn open(&mut self, path: &str) -> Option<File> {
        self.files.as_mut()?.open(Path::new(path))
    }

    fn cached(&mut self, path: &str, digits: &str, name: &str) -> Option<File> {
        let files = self.files.as_mut()?;
        files.open_in_perf_cache(path, digits, name)
    }

    /// The symbols of the file that was recorded: next to the recording, where it was, or in perf's cache.
    fn symbols(&mut self, path: &str, wanted: &[u8], inode: FileKey) -> SharedSymbols {
        if wanted.is_empty() {
            let is_older = |file: &File| file.metadata().is_ok_and(|found| self.is_older(&found));
            let sibling = beside(&self.siblings, file_name(path)).filter(is_older);
            if let Some(file) = sibling {
                return self.symbols_of(path, file, wanted);
            }
            let file = self.open(path)?;
            let found = file.metadata().ok()?;
            let is_same = self.is_older(&found) && self::inode(&found) == Some(inode);
            return is_same.then(|| self.symbols_of(path, file, wanted))?;
        }
        let digits = hexadecimal(wanted);
        (0..4).find_map(|place| {
            let file = match place {
                0 => beside(&self.siblings, file_name(path)),
                1 => self.open(path),
                2 => self.cached(path, &digits, "elf"),
                _ => self.cached(path, &digits, "vdso"),
            };
            self.symbols_of(path, file?, wanted)
        })
    }

    /// The symbols of a file if it has this build id, or whichever it has if that is empty. Each file is read once, however many
    /// paths lead to it.
    fn symbols_of(&mut self, path: &str, file: File, wanted: &[u8]) -> Option<Rc<Symbols>> {
        let found = file.metadata().ok().and_then(|found| inode(&found));
        let key = found.map(|inode| (inode, wanted.into()));
        if let Some(known) = key.as_ref().and_then(|key| self.known.get(key)) {
            return known.clone();
        }
        let symbols = self.read_symbols(path, file, wanted).map(Rc::new);
        self.known.extend(key.map(|key| (key, symbols.clone())));
        symbols
    }

    fn read_symbols(&mut self, path: &str, file: File, wanted: &[u8]) -> Option<Symbols> {
        let is_wanted = |id: &[u8]| wanted.is_empty() || id == wanted;
        let found = elf::read(file, &mut self.left, is_wanted)?;
        let mut symbols = found.symbols;
        if !found.has_all && found.build_id.len() > 1 {
            let (start, end) = found.build_id.split_at(1);
            let [start, end] = [start, end].map(hexadecimal);
            let debug = format!("/usr/lib/debug/.build-id/{start}/{end}.debug");
            let all = (0..2).find_map(|place| {
                let file = match place {
                    0 => self.open(&debug),
                    _ => self.cached(path, &hexadecimal(wanted), "debug"),
                };
                elf::read(file?, &mut self.left, |id| id == found.build_id)
            });
            symbols = all
                .filter(|all| all.has_all)
                .map_or(symbols, |all| all.symbols);
        }
        symbols.extend(found.calls);
        Some(Symbols {
            segments: found.segments,
            map: elf::table(path.into(), symbols),
        })
    }

    /// Whether a file was written before the recording.
    fn is_older(&self, found: &Metadata) -> bool {
        found.modified().is_ok_and(|at| Some(at) <= self.written)
    }

    /// The symbols of the kernel that has this build id, or of the running one if this machine recorded with it.
    fn kernel(&mut self, build_id: Option<&[u8]>) -> Option<Vec<elf::Symbol>> {
        self.files.as_ref()?;
        let notes = read_list(File::open(KERNEL_NOTES).ok());
        let running = notes.as_deref().and_then(elf::build_id_of_notes);
        let is_running = match build_id {
            Some(id) => running == Some(id),
            None => self.runs_kernel,
        };
        let list = is_running.then(|| read_list(File::open(KERNEL_SYMBOLS).ok()));
        let symbols = elf::kernel_symbols(&list.flatten().unwrap_or_default());
        if !symbols.is_empty() {
            return Some(symbols);
        }
        let digits = hexadecimal(build_id?);
        let cached = self.cached(KERNEL_CODE, &digits, "kallsyms");
        read_list(cached).map(|list| elf::kernel_symbols(&list))
    }

    /// The code in a dump: start, end and name of each. Source: `jitdump-specification.txt` of Linux.
    fn dump(&mut self, path: &str) -> Option<Vec<(u64, u64, Box<str>)>> {
        const LITTLE_ENDIAN: u32 = 0x4A69_5444;
        const HEAD_BYTES: usize = 16;
        const CODE: u32 = 0;
        let beside = beside(&self.siblings, file_name(path));
        let own = || self.files.as_mut()?.open_own(Path::new(path));
        let bytes = read_list(beside.or_else(own))?;
        let mut head = Cursor::new(&bytes);
        let (magic, _, size) = (head.u32()?, head.u32()?, head.u32()? as usize);
        let mut rest = bytes.get(size..).filter(|_| magic == LITTLE_ENDIAN)?;
        let mut rows = Vec::new();
        loop {
            let mut record = Cursor::new(rest);
            let (Some(kind), Some(size)) = (record.u32(), record.u32()) else {
                return Some(rows);
            };
            let body = rest.get(HEAD_BYTES..size as usize);
            rows.extend(body.filter(|_| kind == CODE).and_then(dumped_code));
            match rest.get(size as usize..).filter(|_| size > 0) {
                Some(behind) => rest = behind,
                None => return Some(rows),
            }
        }
    }
}

/// The device and the inode of a file.
#[cfg(unix)]
fn inode(found: &Metadata) -> Option<FileKey> {
    use std::os::unix::fs::MetadataExt as _;
    let device = found.dev();
    Some((
        rustix::fs::major(device),
        rustix::fs::minor(device),
        found.ino(),
    ))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<FileKey> {
    None
}

/// When this machine started.
fn booted() -> Option<SystemTime> {
    let text = read_list(File::open(UPTIME).ok())?;
    let seconds = std::str::from_utf8(&text).ok()?.split(' ').next()?;
    let uptime = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
    SystemTime::now().checked_sub(uptime)
}

/// A file next to the recording.
fn beside(siblings: &SiblingFiles, name: &str) -> Option<File> {
    let input = siblings.find(name).ok()??;
    input.opened_again().map(|(file, _)| file)
}

/// A record of a dump: ids of process and thread, two addresses, size, number, name, code.
fn dumped_code(body: &[u8]) -> Option<(u64, u64, Box<str>)> {
    let mut fields = Cursor::new(body);
    fields.skip(8 + 8)?;
    let (start, size) = (fields.u64()?, fields.u64()?);
    fields.skip(8)?;
    let name = super::fields::text(&body[fields.position()..]);
    Some((start, start.saturating_add(size), name.into()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What is in a file, unless it is too much.
fn read_list(file: Option<File>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file?.take(MAX_LIST_BYTES).read_to_end(&mut bytes);
    read.is_ok().then_some(bytes)
}
