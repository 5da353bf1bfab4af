//! Files with names of code: next to a recording, at their original place, and in perf's cache.

use super::{CodeFile, KERNEL_CODE, elf};
use crate::importers::native::file_name;
use crate::importers::perf_script::map::PerfMap;
use crate::input::Input;
use crate::input::cursor::{Cursor, utf8z};
use crate::input::named_files::NamedFiles;
use crate::input::source::SiblingFiles;
use crate::units::hexadecimal;
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

const UPTIME: &str = "/proc/uptime";
const KERNEL_NOTES: &str = "/sys/kernel/notes";
const KERNEL_SYMBOLS: &str = "/proc/kallsyms";
const MAX_LIST_BYTES: u64 = 256_000_000;
const MAX_SYMBOL_BYTES: usize = 2_000_000_000;
/// The major and minor number of a device, and an inode.
pub(crate) type FileKey = (u32, u32, u64);
pub(super) type SharedSymbols = Option<Rc<Symbols>>;
type CodeRows = Vec<(u64, u64, Box<str>)>;

pub(super) struct Symbols {
    pub segments: Vec<(u64, u64, u64)>,
    pub map: PerfMap,
}

pub(super) struct SymbolFiles {
    siblings: SiblingFiles,
    named_files: Option<NamedFiles>,
    pub written: Option<SystemTime>,
    known: HashMap<(FileKey, Box<[u8]>), SharedSymbols>,
    remaining_bytes: usize,
    runs_kernel: bool,
}

impl SymbolFiles {
    pub(super) fn of(input: &Input, siblings_only: bool, runs_kernel: bool) -> SymbolFiles {
        SymbolFiles {
            siblings: input.siblings.clone(),
            named_files: (!siblings_only).then(|| NamedFiles::of(input)),
            written: input.modified(),
            known: HashMap::new(),
            remaining_bytes: MAX_SYMBOL_BYTES,
            runs_kernel,
        }
    }

    fn open(&mut self, path: &str) -> Option<File> {
        self.named_files.as_mut()?.open(Path::new(path))
    }

    fn cached(&mut self, path: &str, digits: &str, name: &str) -> Option<File> {
        let files = self.named_files.as_mut()?;
        files.open_in_perf_cache(path, digits, name)
    }

    fn next_to(&self, path: &str) -> Option<File> {
        let input = self.siblings.find(file_name(path)).ok()??;
        input.reopen().map(|(file, _)| file)
    }

    pub(super) fn symbols(&mut self, file: &CodeFile, build_id: &[u8]) -> SharedSymbols {
        let path = &*file.path;
        if build_id.is_empty() {
            let is_older = |file: &File| file.metadata().is_ok_and(|found| self.is_older(&found));
            let sibling = self.next_to(path).filter(is_older);
            if let Some(file) = sibling {
                return self.symbols_of(path, file, build_id);
            }
            let found = self.open(path)?;
            let state = found.metadata().ok()?;
            let is_same = self.is_older(&state) && inode(&state) == Some(file.inode);
            return is_same.then(|| self.symbols_of(path, found, build_id))?;
        }
        let digits = hexadecimal(build_id);
        (0..4).find_map(|place| {
            let file = match place {
                0 => self.next_to(path),
                1 => self.open(path),
                2 => self.cached(path, &digits, "elf"),
                _ => self.cached(path, &digits, "vdso"),
            };
            self.symbols_of(path, file?, build_id)
        })
    }

    /// If the file has this build id, or any if that is empty. Each file is read once.
    fn symbols_of(&mut self, path: &str, file: File, build_id: &[u8]) -> SharedSymbols {
        let found = file.metadata().ok().and_then(|found| inode(&found));
        let key = found.map(|inode| (inode, build_id.into()));
        if let Some(known) = key.as_ref().and_then(|key| self.known.get(key)) {
            return known.clone();
        }
        let symbols = self.read_symbols(path, file, build_id).map(Rc::new);
        self.known.extend(key.map(|key| (key, symbols.clone())));
        symbols
    }

    fn read_symbols(&mut self, path: &str, file: File, build_id: &[u8]) -> Option<Symbols> {
        let is_wanted = |id: &[u8]| build_id.is_empty() || id == build_id;
        let found = elf::read(file, &mut self.remaining_bytes, is_wanted)?;
        let mut symbols = found.symbols;
        if !found.has_symbol_table && found.build_id.len() > 1 {
            let (start, end) = found.build_id.split_at(1);
            let [start, end] = [start, end].map(hexadecimal);
            let debug = format!("/usr/lib/debug/.build-id/{start}/{end}.debug");
            let all = (0..2).find_map(|place| {
                let file = match place {
                    0 => self.open(&debug),
                    _ => self.cached(path, &hexadecimal(build_id), "debug"),
                };
                elf::read(file?, &mut self.remaining_bytes, |id| id == found.build_id)
            });
            symbols = all
                .filter(|all| all.has_symbol_table)
                .map_or(symbols, |all| all.symbols);
        }
        symbols.extend(found.calls);
        Some(Symbols {
            segments: found.segments,
            map: elf::table(path.into(), symbols),
        })
    }

    fn is_older(&self, found: &Metadata) -> bool {
        found.modified().is_ok_and(|at| Some(at) <= self.written)
    }

    /// With this build id, or the running one if it made the recording.
    pub(super) fn kernel(&mut self, build_id: Option<&[u8]>) -> Option<Vec<elf::Symbol>> {
        self.named_files.as_ref()?;
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
        let cached = self.cached(KERNEL_CODE, &hexadecimal(build_id?), "kallsyms");
        read_list(cached).map(|list| elf::kernel_symbols(&list))
    }

    /// Of a JIT dump. Source: `jitdump-specification.txt` of Linux.
    pub(super) fn dump(&mut self, path: &str) -> Option<CodeRows> {
        const LITTLE_ENDIAN: u32 = 0x4A69_5444;
        const HEAD_BYTES: usize = 16;
        const CODE: u32 = 0;
        let sibling = self.next_to(path);
        let own = || self.named_files.as_mut()?.open_trusted(Path::new(path));
        let bytes = read_list(sibling.or_else(own))?;
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
                Some(after) => rest = after,
                None => return Some(rows),
            }
        }
    }
}

#[cfg(unix)]
fn inode(found: &Metadata) -> Option<FileKey> {
    use std::os::unix::fs::MetadataExt as _;
    let device = found.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    Some((major, minor, found.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<FileKey> {
    None
}

pub(super) fn boot_time() -> Option<SystemTime> {
    let text = read_list(File::open(UPTIME).ok())?;
    let seconds = std::str::from_utf8(&text).ok()?.split(' ').next()?;
    let uptime = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
    SystemTime::now().checked_sub(uptime)
}

pub(super) fn is_in_file(path: &str, line: &str) -> bool {
    let known = read_list(File::open(path).ok()).unwrap_or_default();
    !line.is_empty() && known.trim_ascii_end() == line.as_bytes()
}

/// Ids of process and thread, two addresses, size, index, name, code.
fn dumped_code(body: &[u8]) -> Option<(u64, u64, Box<str>)> {
    let mut fields = Cursor::new(body);
    fields.skip(8 + 8)?;
    let (start, size) = (fields.u64()?, fields.u64()?);
    fields.skip(8)?;
    let name = utf8z(fields.rest());
    Some((start, start.saturating_add(size), name.into()))
}

fn read_list(file: Option<File>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file?.take(MAX_LIST_BYTES).read_to_end(&mut bytes);
    read.is_ok().then_some(bytes)
}
