//! The metadata of a .NET module: ECMA-335 partition II, sections 22 to 24. Rows are read on demand.

use super::bytes::{compressed, number};
use crate::importers::messages;
use std::borrow::Cow;
use std::ffi::CStr;

/// Longer names are cut: a damaged heap may lack terminators.
const STRING_BYTES: usize = 1024;

/// Per type or method; real code has fewer.
const TYPE_PARAMETERS: usize = 64;

#[derive(Clone, Copy)]
enum Table {
    TypeRef = 0x01,
    TypeDef = 0x02,
    MethodPtr = 0x05,
    MethodDef = 0x06,
    TypeSpec = 0x1B,
    Assembly = 0x20,
    NestedClass = 0x29,
    GenericParam = 0x2A,
}

#[derive(Clone, Copy)]
enum MetadataColumn {
    Fixed(u8),
    String,
    Guid,
    Blob,
    Row(u8),
    /// Of one of several tables, which the low bits identify (II.24.2.6).
    Coded {
        tag_bits: u8,
        tables: &'static [u8],
    },
}

use MetadataColumn::{Blob, Coded, Fixed, Guid, Row, String as Str};

const fn coded(tag_bits: u8, tables: &'static [u8]) -> MetadataColumn {
    Coded { tag_bits, tables }
}

const TYPE_DEF_OR_REF: MetadataColumn = coded(2, &[0x02, 0x01, 0x1B]);
const HAS_CONSTANT: MetadataColumn = coded(2, &[0x04, 0x08, 0x17]);
const HAS_CUSTOM_ATTRIBUTE: MetadataColumn = coded(
    5,
    &[
        0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00, 0x0E, 0x17, 0x14, 0x11, 0x1A, 0x1B, 0x20,
        0x23, 0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B,
    ],
);
const HAS_FIELD_MARSHAL: MetadataColumn = coded(1, &[0x04, 0x08]);
const HAS_DECL_SECURITY: MetadataColumn = coded(2, &[0x02, 0x06, 0x20]);
const MEMBER_REF_PARENT: MetadataColumn = coded(3, &[0x02, 0x01, 0x1A, 0x06, 0x1B]);
const HAS_SEMANTICS: MetadataColumn = coded(1, &[0x14, 0x17]);
const METHOD_DEF_OR_REF: MetadataColumn = coded(1, &[0x06, 0x0A]);
const MEMBER_FORWARDED: MetadataColumn = coded(1, &[0x04, 0x06]);
const IMPLEMENTATION: MetadataColumn = coded(2, &[0x26, 0x23, 0x27]);
const CUSTOM_ATTRIBUTE_TYPE: MetadataColumn = coded(3, &[0x06, 0x0A]);
const TYPE_OR_METHOD_DEF: MetadataColumn = coded(1, &[0x02, 0x06]);
const RESOLUTION_SCOPE: MetadataColumn = coded(2, &[0x00, 0x1A, 0x23, 0x01]);

/// Up to and including GenericParam, the last one needed.
const TABLES: usize = Table::GenericParam as usize + 1;
const COLUMNS: usize = 9;

/// The tables 0x00 to 0x2A (II.22).
const SCHEMA: [&[MetadataColumn]; TABLES] = [
    /* 00 Module */ &[Fixed(2), Str, Guid, Guid, Guid],
    /* 01 TypeRef */ &[RESOLUTION_SCOPE, Str, Str],
    /* 02 TypeDef */ &[Fixed(4), Str, Str, TYPE_DEF_OR_REF, Row(0x04), Row(0x06)],
    /* 03 FieldPtr */ &[Row(0x04)],
    /* 04 Field */ &[Fixed(2), Str, Blob],
    /* 05 MethodPtr */ &[Row(0x06)],
    /* 06 MethodDef */ &[Fixed(4), Fixed(2), Fixed(2), Str, Blob, Row(0x08)],
    /* 07 ParamPtr */ &[Row(0x08)],
    /* 08 Param */ &[Fixed(2), Fixed(2), Str],
    /* 09 InterfaceImpl */ &[Row(0x02), TYPE_DEF_OR_REF],
    /* 0A MemberRef */ &[MEMBER_REF_PARENT, Str, Blob],
    /* 0B Constant */ &[Fixed(2), HAS_CONSTANT, Blob],
    /* 0C CustomAttribute */ &[HAS_CUSTOM_ATTRIBUTE, CUSTOM_ATTRIBUTE_TYPE, Blob],
    /* 0D FieldMarshal */ &[HAS_FIELD_MARSHAL, Blob],
    /* 0E DeclSecurity */ &[Fixed(2), HAS_DECL_SECURITY, Blob],
    /* 0F ClassLayout */ &[Fixed(2), Fixed(4), Row(0x02)],
    /* 10 FieldLayout */ &[Fixed(4), Row(0x04)],
    /* 11 StandAloneSig */ &[Blob],
    /* 12 EventMap */ &[Row(0x02), Row(0x14)],
    /* 13 EventPtr */ &[Row(0x14)],
    /* 14 Event */ &[Fixed(2), Str, TYPE_DEF_OR_REF],
    /* 15 PropertyMap */ &[Row(0x02), Row(0x17)],
    /* 16 PropertyPtr */ &[Row(0x17)],
    /* 17 Property */ &[Fixed(2), Str, Blob],
    /* 18 MethodSemantics */ &[Fixed(2), Row(0x06), HAS_SEMANTICS],
    /* 19 MethodImpl */ &[Row(0x02), METHOD_DEF_OR_REF, METHOD_DEF_OR_REF],
    /* 1A ModuleRef */ &[Str],
    /* 1B TypeSpec */ &[Blob],
    /* 1C ImplMap */ &[Fixed(2), MEMBER_FORWARDED, Str, Row(0x1A)],
    /* 1D FieldRVA */ &[Fixed(4), Row(0x04)],
    /* 1E EncLog */ &[Fixed(4), Fixed(4)],
    /* 1F EncMap */ &[Fixed(4)],
    /* 20 Assembly */ &[Fixed(4), Fixed(8), Fixed(4), Blob, Str, Str],
    /* 21 AssemblyProcessor */ &[Fixed(4)],
    /* 22 AssemblyOS */ &[Fixed(4), Fixed(4), Fixed(4)],
    /* 23 AssemblyRef */ &[Fixed(8), Fixed(4), Blob, Str, Str, Blob],
    /* 24 AssemblyRefProcessor */ &[Fixed(4), Row(0x23)],
    /* 25 AssemblyRefOS */ &[Fixed(4), Fixed(4), Fixed(4), Row(0x23)],
    /* 26 File */ &[Fixed(4), Str, Blob],
    /* 27 ExportedType */ &[Fixed(4), Fixed(4), Str, Str, IMPLEMENTATION],
    /* 28 ManifestResource */ &[Fixed(4), Fixed(4), Str, IMPLEMENTATION],
    /* 29 NestedClass */ &[Row(0x02), Row(0x02)],
    /* 2A GenericParam */ &[Fixed(2), Fixed(2), TYPE_OR_METHOD_DEF, Str],
];

#[derive(Clone, Copy, Default)]
struct MetadataLayout {
    rows: u32,
    start: usize,
    row_bytes: usize,
    /// By column, followed by the length of the row.
    columns: [u8; COLUMNS + 1],
}

pub(super) struct MethodDef<'a> {
    pub name: Cow<'a, str>,
    /// The offset (II.23.2.1) in the blob heap; equal signatures share it.
    pub signature: u32,
    pub owner: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeRow {
    Def(u32),
    Ref(u32),
}

pub(super) struct Metadata<'a> {
    tables: &'a [u8],
    strings: &'a [u8],
    blobs: &'a [u8],
    layouts: [MetadataLayout; TABLES],
    /// Nested and enclosing type, sorted here because not all modules sort their tables.
    nesting: Vec<(u32, u32)>,
    type_parameters: Vec<(u32, u32)>,
    /// MethodDef row and the MethodPtr row that points to it, sorted.
    method_places: Vec<(u32, u32)>,
}

impl<'a> Metadata<'a> {
    /// Reads the header of a metadata root, `BSJB`…
    pub(super) fn parse(root: &'a [u8]) -> Result<Metadata<'a>, &'static str> {
        let [tables, strings, blobs] = streams(root)?;
        let mut metadata = Metadata {
            tables,
            strings,
            blobs,
            layouts: layouts(tables).ok_or(messages::TABLE_STREAM_TRUNCATED)?,
            nesting: Vec::new(),
            type_parameters: Vec::new(),
            method_places: Vec::new(),
        };
        metadata.nesting = metadata.sorted_pairs(Table::NestedClass, 0, Some(1));
        metadata.type_parameters = metadata.sorted_pairs(Table::GenericParam, 2, None);
        metadata.method_places = metadata.sorted_pairs(Table::MethodPtr, 0, None);
        Ok(metadata)
    }

    /// By row, the cell in one column with that in another or, without another, the row.
    fn sorted_pairs(&self, table: Table, key: usize, value: Option<usize>) -> Vec<(u32, u32)> {
        let value = |row| value.map_or(Some(row), |column| self.cell(table, row, column));
        let pair = |row| Some((self.cell(table, row, key)?, value(row)?));
        let mut pairs: Vec<(u32, u32)> = (1..=self.rows(table)).map_while(pair).collect();
        pairs.sort_unstable();
        pairs
    }

    fn rows(&self, table: Table) -> u32 {
        self.layouts[table as usize].rows
    }

    /// Rows are 1-based. `None` for row 0 and beyond the table.
    fn cell(&self, table: Table, row: u32, column: usize) -> Option<u32> {
        let layout = &self.layouts[table as usize];
        if row == 0 || row > layout.rows {
            return None;
        }
        let (from, to) = (
            usize::from(layout.columns[column]),
            usize::from(layout.columns[column + 1]),
        );
        let at = (row as usize - 1)
            .checked_mul(layout.row_bytes)?
            .checked_add(layout.start)?
            .checked_add(from)?;
        number(self.tables, at, to - from).map(|value| value as u32)
    }

    fn string(&self, table: Table, row: u32, column: usize) -> Option<Cow<'a, str>> {
        let from = self
            .strings
            .get(self.cell(table, row, column)? as usize..)?;
        let from = &from[..from.len().min(STRING_BYTES)];
        let bytes = CStr::from_bytes_until_nul(from).map_or(from, CStr::to_bytes);
        // names are nearly always valid, and checking is faster than searching for what to replace
        Some(str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed))
    }

    pub(super) fn blob(&self, at: u32) -> Option<&'a [u8]> {
        let at = at as usize;
        let (length, head) = compressed(self.blobs, at)?;
        self.blobs.get(at + head..)?.get(..length as usize)
    }

    pub(super) fn assembly_name(&self) -> Option<Cow<'a, str>> {
        self.string(Table::Assembly, 1, 4)
            .filter(|name| !name.is_empty())
    }

    pub(super) fn method(&self, row: u32) -> Option<MethodDef<'a>> {
        Some(MethodDef {
            name: self.string(Table::MethodDef, row, 3)?,
            signature: self.cell(Table::MethodDef, row, 4)?,
            owner: self.owner(row),
        })
    }

    /// The last type whose method list starts at or before the method.
    fn owner(&self, method: u32) -> Option<u32> {
        let place = match self.method_places.is_empty() {
            true => method,
            false => starting_at(&self.method_places, method).first()?.1,
        };
        // rows are 1-based: the number of types that start before is the row of the last of them
        let (mut low, mut high) = (0, self.rows(Table::TypeDef));
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.cell(Table::TypeDef, middle, 5)? <= place {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (low > 0).then_some(low)
    }

    pub(super) fn type_name(&self, row: TypeRow) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        let (table, row) = match row {
            TypeRow::Def(row) => (Table::TypeDef, row),
            TypeRow::Ref(row) => (Table::TypeRef, row),
        };
        // both tables have name and namespace in columns 1 and 2
        Some((self.string(table, row, 2)?, self.string(table, row, 1)?))
    }

    pub(super) fn enclosing(&self, row: TypeRow) -> Option<TypeRow> {
        match row {
            TypeRow::Def(nested) => {
                let &(found, enclosing) = starting_at(&self.nesting, nested).first()?;
                (found == nested).then_some(TypeRow::Def(enclosing))
            }
            TypeRow::Ref(row) => {
                let scope = self.cell(Table::TypeRef, row, 0)?;
                // tag 3 of a resolution scope means TypeRef
                (scope & 3 == 3).then_some(TypeRow::Ref(scope >> 2))
            }
        }
    }

    /// In order, those of enclosing types first, at most [`TYPE_PARAMETERS`]. `owner`: twice the row of a type, or
    /// twice that of a method plus 1.
    pub(super) fn type_parameters(&self, owner: u32) -> Vec<Cow<'a, str>> {
        let mut rows: Vec<u32> = starting_at(&self.type_parameters, owner)
            .iter()
            .take_while(|pair| pair.0 == owner)
            .take(TYPE_PARAMETERS)
            .map(|pair| pair.1)
            .collect();
        rows.sort_by_key(|&row| self.cell(Table::GenericParam, row, 0));
        rows.into_iter()
            .filter_map(|row| self.string(Table::GenericParam, row, 3))
            .collect()
    }

    pub(super) fn type_spec(&self, row: u32) -> Option<&'a [u8]> {
        self.blob(self.cell(Table::TypeSpec, row, 0)?)
    }
}

fn starting_at(pairs: &[(u32, u32)], key: u32) -> &[(u32, u32)] {
    &pairs[pairs.partition_point(|pair| pair.0 < key)..]
}

/// Tables, strings and blobs (II.24.2.1).
fn streams(root: &[u8]) -> Result<[&[u8]; 3], &'static str> {
    if !root.starts_with(b"BSJB") {
        return Err(messages::DOES_NOT_START_BSJB);
    }
    let heads =
        number(root, 12, 4).and_then(|version| usize::try_from(version).ok()?.checked_add(16));
    let heads = heads.ok_or(messages::HEADER_TRUNCATED)?;
    let count = number(root, heads.saturating_add(2), 2).ok_or(messages::HEADER_TRUNCATED)?;
    let mut at = heads + 4;
    let (mut tables, mut strings, mut blobs) = (None, &[][..], &[][..]);
    for _ in 0..count {
        let (from, size, name) = stream_head(root, at).ok_or(messages::STREAM_LIST_TRUNCATED)?;
        let bytes = root.get(from..).and_then(|rest| rest.get(..size));
        let bytes = bytes.ok_or(messages::STREAM_TRUNCATED)?;
        match name {
            b"#~" | b"#-" => tables = Some(bytes),
            b"#Strings" => strings = bytes,
            b"#Blob" => blobs = bytes,
            _ => {}
        }
        // the name is zero-terminated and padded to four bytes
        at += 8 + (name.len() + 1).next_multiple_of(4);
    }
    Ok([tables.ok_or(messages::NO_STREAM)?, strings, blobs])
}

fn stream_head(root: &[u8], at: usize) -> Option<(usize, usize, &[u8])> {
    let name = root.get(at.checked_add(8)?..)?;
    let name = &name[..name.iter().take(32).position(|&byte| byte == 0)?];
    Some((
        number(root, at, 4)? as usize,
        number(root, at + 4, 4)? as usize,
        name,
    ))
}

/// The tables of a `#~` stream (II.24.2.6).
fn layouts(stream: &[u8]) -> Option<[MetadataLayout; TABLES]> {
    let heaps = number(stream, 6, 1)?;
    let present = number(stream, 8, 8)?;
    let mut at = 24;
    let mut row_counts = [0u32; 64];
    for (table, count) in row_counts.iter_mut().enumerate() {
        if present >> table & 1 == 1 {
            *count = number(stream, at, 4)? as u32;
            at += 4;
        }
    }
    if heaps & 0x40 != 0 {
        at += 4;
    }
    let mut layouts = [MetadataLayout::default(); TABLES];
    for (table, layout) in layouts.iter_mut().enumerate() {
        layout.rows = row_counts[table];
        layout.start = at;
        for (column, kind) in SCHEMA[table].iter().enumerate() {
            layout.row_bytes += column_bytes(*kind, heaps, &row_counts);
            layout.columns[column + 1] = layout.row_bytes as u8;
        }
        at = at.checked_add((layout.rows as usize).checked_mul(layout.row_bytes)?)?;
    }
    Some(layouts)
}

fn column_bytes(kind: MetadataColumn, heaps: u64, row_counts: &[u32; 64]) -> usize {
    let rows = |table: u8| row_counts[usize::from(table)];
    let is_large = match kind {
        Fixed(bytes) => return usize::from(bytes),
        Str => heaps & 1 != 0,
        Guid => heaps & 2 != 0,
        Blob => heaps & 4 != 0,
        Row(table) => rows(table) > 0xFFFF,
        Coded { tag_bits, tables } => tables.iter().any(|&table| rows(table) > 0xFFFF >> tag_bits),
    };
    if is_large { 4 } else { 2 }
}
