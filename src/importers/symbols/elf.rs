//! Symbols of ELF files and of the running kernel.

use super::demangle::{PLT, demangled};
use crate::importers::perf_script::map::PerfMap;
use object::read::elf::{Note, NoteIterator};
use object::read::{
    Object, ObjectSection as _, ObjectSegment as _, ObjectSymbol, ObjectSymbolTable as _,
    ReadCache, ReadCacheOps,
};
use object::{Architecture, NativeEndian, SymbolFlags, SymbolIndex, elf};
use std::cmp::Reverse;
use std::fs::File;

/// Aligns the end of code without a size if nothing follows it.
const PAGE_BYTES: u64 = 4096;
/// In addition to a file's size, because headers are read repeatedly.
const FREE_BYTES: usize = 1 << 16;
const MAX_SECTIONS: usize = 10_000;

pub(super) struct ElfFile {
    pub build_id: Vec<u8>,
    /// Offset, size and address of what is loaded.
    pub segments: Vec<(u64, u64, u64)>,
    pub symbols: Vec<Symbol>,
    /// Stubs that call functions of other files.
    pub calls: Vec<Symbol>,
    pub has_symbol_table: bool,
}

pub(super) struct Symbol {
    start: u64,
    end: u64,
    rank: (bool, bool, bool),
    name: Box<str>,
}

/// At most its size is read into memory, even if its parts overlap.
struct BoundedFile {
    file: File,
    remaining_bytes: usize,
}

impl ReadCacheOps for BoundedFile {
    fn len(&mut self) -> Result<u64, ()> {
        ReadCacheOps::len(&mut self.file)
    }

    fn seek(&mut self, place: u64) -> Result<u64, ()> {
        ReadCacheOps::seek(&mut self.file, place)
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ()> {
        ReadCacheOps::read(&mut self.file, buffer)
    }

    fn read_exact(&mut self, buffer: &mut [u8]) -> Result<(), ()> {
        self.remaining_bytes = self.remaining_bytes.checked_sub(buffer.len()).ok_or(())?;
        ReadCacheOps::read_exact(&mut self.file, buffer)
    }
}

/// `None` if the file is not ELF, is damaged, or has another build id. Subtracts the symbols' size from `budget`.
pub(super) fn read(
    file: File,
    budget: &mut usize,
    is_wanted: impl Fn(&[u8]) -> bool,
) -> Option<ElfFile> {
    let size = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let cache = ReadCache::new(BoundedFile {
        file,
        remaining_bytes: size.saturating_add(FREE_BYTES),
    });
    let file = object::File::parse(&cache).ok()?;
    let build_id = file.build_id().ok()?.unwrap_or_default().to_vec();
    if !is_wanted(&build_id) || file.sections().count() > MAX_SECTIONS {
        return None;
    }
    let segments = file.segments().map(|segment| {
        let (offset, size) = segment.file_range();
        (offset, size, segment.address())
    });
    let has_symbol_table = file.symbol_table().is_some();
    let mut symbols = Vec::new();
    // names may overlap, but the file's size bounds their total length
    let mut remaining_bytes = size.min(*budget);
    let mut add = |symbol: Option<Symbol>| {
        let Some(symbol) = symbol else { return true };
        let is_enough = remaining_bytes >= symbol.name.len();
        remaining_bytes = remaining_bytes.saturating_sub(symbol.name.len());
        symbols.push(symbol);
        is_enough
    };
    let _ = match has_symbol_table {
        true => file.symbols().all(|symbol| add(perf_symbol(&file, symbol))),
        false => file
            .dynamic_symbols()
            .all(|symbol| add(perf_symbol(&file, symbol))),
    };
    let calls = plt_stubs(&file, remaining_bytes).unwrap_or_default();
    let memory = |symbol: &Symbol| symbol.name.len() + size_of::<Symbol>();
    let used = symbols.iter().chain(&calls).map(memory).sum();
    *budget = budget.saturating_sub(used);
    Some(ElfFile {
        build_id,
        segments: segments.collect(),
        symbols,
        calls,
        has_symbol_table,
    })
}

/// perf names the stubs that call functions of other files `memcpy@plt`: one per relocation, in order.
fn plt_stubs<'a>(file: &impl Object<'a>, mut remaining_bytes: usize) -> Option<Vec<Symbol>> {
    const ENTRY_BYTES: u64 = 16;
    const RELOCATION_BYTES: usize = 24;
    let head_bytes = match file.architecture() {
        Architecture::X86_64 => 16,
        Architecture::Aarch64 => 32,
        _ => return None,
    };
    // if branches have to target marked addresses, a second table is used
    let start = match file.section_by_name(".plt.sec") {
        Some(table) => table.address(),
        None => file
            .section_by_name(".plt")?
            .address()
            .checked_add(head_bytes)?,
    };
    let names = file.dynamic_symbol_table()?;
    let relocations = file.section_by_name(".rela.plt")?.data().ok()?;
    let starts = (0..).map_while(|number| start.checked_add(number * ENTRY_BYTES));
    let calls = relocations.chunks_exact(RELOCATION_BYTES).zip(starts);
    let call = |(relocation, start): (&[u8], u64)| {
        // the upper half of the second integer
        let number = relocation[12..16].try_into().map(u32::from_le_bytes).ok()?;
        let symbol = names.symbol_by_index(SymbolIndex(number as usize));
        let name = symbol.and_then(|symbol| symbol.name()).unwrap_or("");
        let end = start.checked_add(ENTRY_BYTES)?;
        remaining_bytes = remaining_bytes.checked_sub(name.len())?;
        Some(Symbol::new(start, end, true, true, &format!("{name}{PLT}")))
    };
    Some(calls.map_while(call).collect())
}

/// The symbols that perf uses: functions, data, and labels in such sections.
fn perf_symbol<'a>(file: &impl Object<'a>, symbol: impl ObjectSymbol<'a>) -> Option<Symbol> {
    let SymbolFlags::Elf { st_info, st_other } = symbol.flags() else {
        return None;
    };
    let section = symbol.section_index()?;
    let is_named = || {
        let section = file.section_by_index(section).ok();
        section.is_some_and(|section| {
            let name = section.name().unwrap_or("");
            name.contains("text") || name.contains("data")
        })
    };
    let is_visible = !matches!(st_other & 3, elf::STV_HIDDEN | elf::STV_INTERNAL);
    match st_info & 0xf {
        elf::STT_FUNC | elf::STT_GNU_IFUNC | elf::STT_OBJECT => {}
        elf::STT_NOTYPE if is_visible && is_named() => {}
        _ => return None,
    }
    let name = symbol.name().ok().filter(|name| !name.is_empty())?;
    let (start, size) = (symbol.address(), symbol.size());
    let end = start.saturating_add(size);
    Some(Symbol::new(
        start,
        end,
        !symbol.is_weak(),
        symbol.is_global(),
        name,
    ))
}

impl Symbol {
    fn new(start: u64, end: u64, is_strong: bool, is_global: bool, name: &str) -> Symbol {
        let rank = (end > start, is_strong, is_global);
        let name = name.into();
        Symbol {
            start,
            end,
            rank,
            name,
        }
    }

    fn is_preferred_to(&self, other: &Symbol) -> bool {
        let underscores = |name: &str| name.bytes().take_while(|&b| b == b'_').count();
        let key = |symbol: &Symbol| {
            let name = demangled(&symbol.name);
            (symbol.rank, Reverse(underscores(&name)), name.len())
        };
        key(self) > key(other)
    }
}

pub(super) fn table(file: String, mut symbols: Vec<Symbol>) -> PerfMap {
    symbols.sort_by_key(|symbol| symbol.start);
    let mut next = symbols.last().map_or(0, |last| {
        (last.start | (PAGE_BYTES - 1)).saturating_add(PAGE_BYTES + 1)
    });
    for symbol in symbols.iter_mut().rev() {
        if symbol.end == symbol.start {
            symbol.end = next;
        }
        symbol.rank.0 = symbol.end > symbol.start;
        next = symbol.start;
    }
    let mut best: Vec<Symbol> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        match best.last_mut().filter(|last| last.start == symbol.start) {
            Some(last) if symbol.is_preferred_to(last) => *last = symbol,
            Some(_) => {}
            None => best.push(symbol),
        }
    }
    let rows = best
        .into_iter()
        .map(|symbol| (symbol.start, symbol.end, symbol.name));
    PerfMap::of(file, rows.collect())
}

/// From `/proc/kallsyms`: address, kind and name, with the module in brackets.
pub(super) fn kernel_symbols(text: &[u8]) -> Vec<Symbol> {
    let symbol = |line: &[u8]| {
        let line = std::str::from_utf8(line).ok()?;
        let mut words = line.split_ascii_whitespace();
        let start = u64::from_str_radix(words.next()?, 16).ok()?;
        let kind = words.next()?.bytes().next()?;
        let is_code = matches!(kind.to_ascii_uppercase(), b'T' | b'W' | b'D' | b'B');
        // users without permission to see addresses get 0
        let name = words.next().filter(|_| is_code && start > 0)?;
        let is_global = kind.is_ascii_uppercase();
        Some(Symbol::new(start, start, kind != b'W', is_global, name))
    };
    text.split(|&b| b == b'\n').filter_map(symbol).collect()
}

pub(super) fn kernel_start(symbols: &[Symbol]) -> Option<u64> {
    let start = symbols.iter().find(|symbol| &*symbol.name == "_text");
    start.map(|symbol| symbol.start)
}

pub(super) fn build_id_of_notes(notes: &[u8]) -> Option<&[u8]> {
    type OfThisMachine = elf::FileHeader64<NativeEndian>;
    let notes = NoteIterator::<OfThisMachine>::new(NativeEndian, 4, notes).ok()?;
    let is_build_id = |note: &Note<OfThisMachine>| {
        note.name() == elf::ELF_NOTE_GNU && note.n_type(NativeEndian) == elf::NT_GNU_BUILD_ID
    };
    let note = notes.map_while(Result::ok).find(is_build_id)?;
    Some(note.desc())
}
