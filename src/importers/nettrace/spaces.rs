//! Processes and their address spaces. Up to version 4 a recording has one process; since version 6 it may have all.
//!
//! Besides the methods that its runtime reports, a process has mapped files with symbols.
//!
//! Source of these events: `UniversalProviders.md` in microsoft/perfview, and what one-collect writes, which ends a symbol's
//! addresses with the last one and a mapping's with the one behind.

use crate::importers::native::frame_name;
use crate::importers::runtime::{Code, Life, MethodId, Timeline};
use crate::input::cursor::Cursor;
use crate::names::FrameKind;
use indexmap::{IndexMap, IndexSet};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// A process, by its place in [`Spaces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SpaceId(u32);

impl SpaceId {
    /// The process of a recording of one.
    pub(super) const ONLY: SpaceId = SpaceId(0);

    /// Its row in tables.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A process.
#[derive(Default)]
pub(super) struct Space {
    /// The operating system's id.
    pub id: u64,
    /// Empty if it is not known.
    pub name: String,
    /// What its runtime tells.
    pub code: Code,
    /// The files that are mapped into it, as code of which only the module is known.
    mappings: Code,
}

/// All processes, and what their mappings are.
#[derive(Default)]
pub(super) struct Spaces {
    rows: IndexMap<u64, Space, foldhash::fast::RandomState>,
    files: IndexSet<String, foldhash::fast::RandomState>,
    /// The file of each mapping, and the symbols in it: in the order of the file, then of their addresses.
    mappings: HashMap<u64, Mapping, foldhash::fast::RandomState>,
    /// The names of all symbols.
    text: String,
}

#[derive(Default)]
struct Mapping {
    /// Its row in [`Spaces::files`].
    file: Option<usize>,
    symbols: Vec<Symbol>,
}

/// The addresses `start..end`.
struct Symbol {
    start: u64,
    end: u64,
    name: Range<usize>,
}

impl Spaces {
    /// The process with an id.
    pub(super) fn of(&mut self, id: u64) -> SpaceId {
        let entry = self.rows.entry(id);
        let row = entry.index();
        entry.or_insert_with(|| Space {
            id,
            ..Space::default()
        });
        // memory ends long before 32 bits do
        SpaceId(u32::try_from(row).unwrap_or(u32::MAX))
    }

    /// A process. An id that is not from here is taken for the first one's.
    pub(super) fn get(&self, space: SpaceId) -> &Space {
        &self.rows[if space.index() < self.rows.len() {
            space.index()
        } else {
            0
        }]
    }

    /// Its methods, to be added to.
    pub(super) fn code_mut(&mut self, space: SpaceId) -> Option<&mut Code> {
        self.rows
            .get_index_mut(space.index())
            .map(|(_, space)| &mut space.code)
    }

    /// The processes.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Space> {
        self.rows.values()
    }

    /// Whether there are symbols of files, so that native code can have names.
    pub(super) fn has_mappings(&self) -> bool {
        !self.mappings.is_empty()
    }

    /// Reads the name of a process; `None` if the payload ends too early.
    pub(super) fn read_name(&mut self, space: SpaceId, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let _id_in_its_container = cursor.varuint()?;
        let name = cursor.utf8_u16()?;
        let (_, row) = self.rows.get_index_mut(space.index())?;
        if !name.is_empty() {
            row.name = name.into_owned();
        }
        Some(())
    }

    /// Reads a mapping into a process; `None` if the payload ends too early.
    pub(super) fn read_mapping(
        &mut self,
        space: SpaceId,
        payload: &[u8],
        has_process: bool,
        time: u64,
    ) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let id = cursor.varuint()?;
        if has_process {
            cursor.varuint()?;
        }
        let (start, end, _offset) = (cursor.varuint()?, cursor.varuint()?, cursor.varuint()?);
        let (file, _) = self.files.insert_full(cursor.utf8_u16()?.into_owned());
        self.mappings.entry(id).or_default().file = Some(file);
        let (_, row) = self.rows.get_index_mut(space.index())?;
        row.mappings
            .add_nameless(start..end, id, Life::Begins, time)
    }

    /// Reads a symbol in a mapping; `None` if the payload ends too early.
    pub(super) fn read_symbol(&mut self, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let _id = cursor.varuint()?;
        let mapping = cursor.varuint()?;
        let (start, last) = (cursor.varuint()?, cursor.varuint()?);
        let name = cursor.utf8_u16()?;
        let from = self.text.len();
        self.text.push_str(&name);
        let symbol = Symbol {
            start,
            end: last.saturating_add(1),
            name: from..self.text.len(),
        };
        if symbol.start < symbol.end {
            self.mappings
                .entry(mapping)
                .or_default()
                .symbols
                .push(symbol);
        }
        Some(())
    }

    /// Gives methods all names that there are, and puts symbols in order of their addresses, which is done when everything was
    /// read. Of several symbols for the same addresses, the first in the file stays.
    pub(super) fn finish(&mut self) {
        self.rows.values_mut().for_each(|space| space.code.finish());
        for Mapping { symbols, .. } in self.mappings.values_mut() {
            symbols.sort_by_key(|symbol| symbol.start);
            let mut end = 0;
            symbols.retain(|symbol| {
                let is_free = symbol.start >= end;
                end = if is_free { symbol.end } else { end };
                is_free
            });
        }
    }

    fn native(&self, mapping: u64, address: u64) -> NativeId {
        let symbols = self
            .mappings
            .get(&mapping)
            .map_or(&[][..], |mapping| &mapping.symbols);
        let row = symbols
            .partition_point(|symbol| symbol.start <= address)
            .checked_sub(1);
        NativeId {
            mapping,
            symbol: row.filter(|&row| address < symbols[row].end && !symbols[row].name.is_empty()),
        }
    }

    /// The kind and the name of a frame of native code.
    pub(super) fn native_name(&self, native: NativeId) -> (FrameKind, Cow<'_, str>) {
        let mapping = self.mappings.get(&native.mapping);
        let symbol = mapping
            .zip(native.symbol)
            .and_then(|(mapping, row)| mapping.symbols.get(row));
        let symbol = symbol
            .and_then(|symbol| self.text.get(symbol.name.clone()))
            .unwrap_or("");
        let file = mapping.and_then(|mapping| self.files.get_index(mapping.file?));
        frame_name(symbol, file.map_or("", |file| file))
    }

    /// Where code lay in a process, from the start of the recording on.
    pub(super) fn view(&self, space: SpaceId) -> SpaceView<'_> {
        let Space { code, mappings, .. } = self.get(space);
        SpaceView {
            spaces: self,
            methods: code.timeline(),
            mappings: mappings.timeline(),
        }
    }
}

/// What an address in a process means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Method(MethodId),
    Native(NativeId),
}

/// Native code: a symbol of a mapping, or what of the mapping has none. Its name may be long and is the same for all its
/// addresses, see [`Spaces::native_name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NativeId {
    mapping: u64,
    /// The symbol's row.
    symbol: Option<usize>,
}

impl NativeId {
    /// Whether there is a symbol.
    pub(super) fn is_named(self) -> bool {
        self.symbol.is_some()
    }
}

/// What addresses in a process mean while the recording goes on. Time only moves forward.
pub(super) struct SpaceView<'a> {
    spaces: &'a Spaces,
    methods: Timeline<'a>,
    mappings: Timeline<'a>,
}

impl<'a> SpaceView<'a> {
    /// Moves on to `time`. True if addresses may mean something else than before.
    pub(super) fn advance(&mut self, time: u64) -> bool {
        let methods = self.methods.advance(time);
        self.mappings.advance(time) || methods
    }

    /// What an address means at this time.
    pub(super) fn find(&self, address: u64) -> Option<Owner> {
        if let Some(method) = self.methods.find(address) {
            return Some(Owner::Method(method));
        }
        let mapping = self.mappings.code().module(self.mappings.find(address)?);
        Some(Owner::Native(self.spaces.native(mapping, address)))
    }

    /// The methods and modules that the runtime tells of.
    pub(super) fn code(&self) -> &'a Code {
        self.methods.code()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varuints(numbers: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &number in numbers {
            let mut rest = number;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        bytes
    }

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
    }

    fn map(
        spaces: &mut Spaces,
        process: u64,
        time: u64,
        id: u64,
        addresses: Range<u64>,
        file: &str,
    ) {
        let space = spaces.of(process);
        let payload = [
            varuints(&[id, addresses.start, addresses.end, 0]),
            text(file),
            varuints(&[0]),
        ]
        .concat();
        spaces.read_mapping(space, &payload, false, time).unwrap();
    }

    fn symbol(spaces: &mut Spaces, mapping: u64, start: u64, last: u64, name: &str) {
        spaces
            .read_symbol(&[varuints(&[0, mapping, start, last]), text(name)].concat())
            .unwrap();
    }

    /// Addresses of a process at times, with the name expected there.
    #[track_caller]
    fn check(spaces: &mut Spaces, process: u64, expect: &[(u64, u64, &str)]) {
        spaces.finish();
        let space = spaces.of(process);
        let mut view = spaces.view(space);
        for &(time, address, name) in expect {
            view.advance(time);
            let found = match view.find(address) {
                Some(Owner::Native(native)) => view.spaces.native_name(native).1.into_owned(),
                _ => String::new(),
            };
            assert_eq!(found, name, "{address} at {time}");
        }
    }

    #[test]
    fn the_last_address_belongs_to_a_symbol_and_not_to_a_mapping() {
        let mut spaces = Spaces::default();
        map(&mut spaces, 7, 0, 1, 100..200, "/lib/libc.so.6");
        symbol(&mut spaces, 1, 110, 119, "mmap");
        symbol(&mut spaces, 1, 110, 119, "mmap64");
        symbol(&mut spaces, 1, 115, 130, "inner");
        let expect = [
            (99, ""),
            (100, "libc.so.6!?"),
            (110, "libc.so.6!mmap"),
            (119, "libc.so.6!mmap"),
            (120, "libc.so.6!?"),
            (200, ""),
        ];
        check(
            &mut spaces,
            7,
            &expect.map(|(address, name)| (1, address, name)),
        );
        check(&mut spaces, 8, &[(1, 110, "")]);
    }

    #[test]
    fn addresses_of_one_symbol_are_one_owner() {
        let mut spaces = Spaces::default();
        map(&mut spaces, 7, 0, 1, 100..200, "/a");
        symbol(&mut spaces, 1, 110, 119, "f");
        spaces.finish();
        let space = spaces.of(7);
        let mut view = spaces.view(space);
        view.advance(0);
        let found = |address| view.find(address).unwrap();
        assert_eq!((found(110), found(100)), (found(119), found(199)));
        assert_ne!(found(110), found(120));
    }

    #[test]
    fn processes_that_share_a_mapping_share_its_symbols() {
        let mut spaces = Spaces::default();
        map(&mut spaces, 7, 0, 1, 100..200, "/a");
        map(&mut spaces, 8, 0, 1, 100..200, "/a");
        symbol(&mut spaces, 1, 110, 119, "f");
        check(&mut spaces, 7, &[(1, 111, "a!f")]);
        check(&mut spaces, 8, &[(1, 111, "a!f")]);
    }

    #[test]
    fn a_later_mapping_drives_an_earlier_one_out() {
        let mut spaces = Spaces::default();
        map(&mut spaces, 7, 10, 1, 100..200, "/a");
        map(&mut spaces, 7, 20, 2, 150..160, "/b");
        check(
            &mut spaces,
            7,
            &[(10, 155, "a!?"), (20, 155, "b!?"), (20, 110, "a!?")],
        );
    }

    #[test]
    fn code_that_was_compiled_at_run_time_has_its_module_in_its_name() {
        let mut spaces = Spaces::default();
        map(
            &mut spaces,
            7,
            0,
            1,
            100..200,
            "/memfd:doublemapper (deleted)",
        );
        symbol(
            &mut spaces,
            1,
            110,
            119,
            "void [Acme] Acme.Shop::Sell(int32)[OptimizedTier1]",
        );
        check(
            &mut spaces,
            7,
            &[
                (0, 110, "void [Acme] Acme.Shop::Sell(int32)"),
                (0, 120, "?!?"),
            ],
        );
    }

    #[test]
    fn absurd_addresses_do_no_harm() {
        let mut spaces = Spaces::default();
        map(
            &mut spaces,
            7,
            0,
            1,
            Range {
                start: 200,
                end: 100,
            },
            "/a",
        );
        map(&mut spaces, 7, 0, 2, 0..u64::MAX, "/b");
        symbol(&mut spaces, 2, 9, 3, "f");
        symbol(&mut spaces, 2, u64::MAX - 1, u64::MAX, "g");
        symbol(&mut spaces, 99, 0, 5, "nowhere");
        check(
            &mut spaces,
            7,
            &[(0, 150, "b!?"), (0, u64::MAX - 1, "b!g"), (0, u64::MAX, "")],
        );
        let space = spaces.of(7);
        assert_eq!(spaces.read_mapping(space, &[1, 2], false, 0), None);
        assert_eq!(spaces.read_symbol(&[1, 2, 3, 4, 9, 0]), None);
    }
}
