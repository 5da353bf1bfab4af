//! Writes the metadata of .NET modules (ECMA-335 partition II, sections 22 to 24), as far as snapshots need it.

use std::collections::HashMap;

/// A type in a signature.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    Bool,
    Char,
    Int32,
    Int64,
    Float64,
    String,
    Object,
    /// A class or value type, `Namespace.Type+Nested`, defined in the module or else referenced.
    Class(std::string::String),
    Value(std::string::String),
    Array(Box<Type>),
    /// An array with this many dimensions.
    Shaped(Box<Type>, u32),
    ByRef(Box<Type>),
    Pointer(Box<Type>),
    /// A type parameter of the type; below, of the method.
    Var(u32),
    MVar(u32),
    Generic(Box<Type>, Vec<Type>),
    /// A required or optional modifier, and the modified type.
    Required(Box<Type>, Box<Type>),
    Optional(Box<Type>, Box<Type>),
    /// A function pointer: the parameters, then the return type.
    Function(Vec<Type>, Box<Type>),
    /// The same type through a TypeSpec row.
    Specified(Box<Type>),
}

/// Differences between compilers that a reader must handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Heaps large enough for four-byte indexes.
    pub wide_heaps: bool,
    /// The stream `#-`: methods are reached through MethodPtr, and NestedClass is not sorted.
    pub unoptimized: bool,
    /// An additional number after the row counts (heap flag 0x40).
    pub extra_number: bool,
    /// No Assembly table, so the file name names the assembly.
    pub no_assembly: bool,
}

#[derive(Debug)]
struct MethodRow {
    name: String,
    type_parameters: u32,
    parameters: Vec<Type>,
    returns: Type,
    raw_signature: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
struct TypeRow {
    namespace: String,
    name: String,
    enclosing: Option<usize>,
    methods: Vec<usize>,
}

/// An owner of type parameters: a type or a method, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Type(usize),
    Method(usize),
}

/// A module: the name of its assembly, its types and their methods.
#[derive(Debug)]
pub struct Module {
    pub id: u32,
    pub name: String,
    pub path: String,
    pub style: Style,
    types: Vec<TypeRow>,
    type_rows: HashMap<String, usize>,
    methods: Vec<MethodRow>,
    /// Owner, position and name.
    type_parameters: Vec<(Owner, u16, String)>,
    known: HashMap<(String, Vec<Type>, Type, u32), usize>,
}

impl Module {
    /// A module without types except `<Module>`, which all modules have.
    pub fn new(id: u32, name: &str) -> Module {
        let mut module = Module {
            id,
            name: name.into(),
            path: format!("/app/{name}.dll"),
            style: Style::default(),
            types: Vec::new(),
            type_rows: HashMap::new(),
            methods: Vec::new(),
            type_parameters: Vec::new(),
            known: HashMap::new(),
        };
        module.type_row("<Module>");
        module
    }

    /// The index of a type `Namespace.Outer+Nested`, added if it is new. Enclosing types come before nested ones.
    fn type_row(&mut self, full: &str) -> usize {
        let mut enclosing = None;
        for (end, namespace, name) in parts(full) {
            let types = &mut self.types;
            let row = self.type_rows.entry(full[..end].to_string());
            enclosing = Some(*row.or_insert_with(|| {
                types.push(TypeRow {
                    namespace: namespace.to_string(),
                    name: name.to_string(),
                    enclosing,
                    methods: Vec::new(),
                });
                types.len() - 1
            }));
        }
        enclosing.expect("a name has a part")
    }

    /// The index of a method `Namespace.Type+Nested.Method`, added if it is new.
    pub fn method(
        &mut self,
        full: &str,
        type_parameters: u32,
        parameters: &[Type],
        returns: &Type,
    ) -> usize {
        let types = (parameters.to_vec(), returns.clone());
        let key = (full.to_string(), types.0, types.1, type_parameters);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let (owner, name) = split_last_dot(full);
        let owner = self.type_row(if owner.is_empty() { "<Module>" } else { owner });
        self.methods.push(MethodRow {
            name: name.to_string(),
            type_parameters,
            parameters: parameters.to_vec(),
            returns: returns.clone(),
            raw_signature: None,
        });
        let method = self.methods.len() - 1;
        self.types[owner].methods.push(method);
        self.known.insert(key, method);
        method
    }

    /// Names the type parameters of a type.
    pub fn name_type_parameters(&mut self, full: &str, names: &[&str]) {
        let owner = Owner::Type(self.type_row(full));
        self.push_type_parameters(owner, names);
    }

    /// Names the type parameters of a method.
    pub fn name_type_parameters_of_method(&mut self, method: usize, names: &[&str]) {
        self.push_type_parameters(Owner::Method(method), names);
    }

    fn push_type_parameters(&mut self, owner: Owner, names: &[&str]) {
        let rows = (0..)
            .zip(names)
            .map(|(number, name)| (owner, number, name.to_string()));
        self.type_parameters.extend(rows);
    }

    /// Replaces a method's signature with these bytes.
    pub fn set_raw_signature(&mut self, method: usize, blob: &[u8]) {
        self.methods[method].raw_signature = Some(blob.to_vec());
    }

    /// The 1-based MethodDef row of each method. Rows are grouped by type, unless the module is unoptimized.
    pub fn rows(&self) -> Vec<u32> {
        let mut rows = vec![0; self.methods.len()];
        let count = self.methods.len();
        for (place, method) in self.types.iter().flat_map(|row| &row.methods).enumerate() {
            let row = if self.style.unoptimized {
                count - place
            } else {
                place + 1
            };
            rows[*method] = row as u32;
        }
        rows
    }

    /// The metadata root.
    pub fn write(&self) -> Vec<u8> {
        Writer::new(self).write()
    }
}

/// The positions of a character outside brackets.
fn places(full: &str, wanted: char) -> Vec<usize> {
    let mut depth = 0i32;
    let mut places = Vec::new();
    for (at, c) in full.char_indices() {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' => depth -= 1,
            _ if depth == 0 && c == wanted => places.push(at),
            _ => {}
        }
    }
    places
}

/// The parts of `Namespace.Outer+Nested`, outermost first: the end of each, its namespace and its name.
fn parts(full: &str) -> Vec<(usize, &str, &str)> {
    let mut ends = places(full, '+');
    ends.push(full.len());
    let mut start = 0;
    let part = |end: usize| {
        let text = &full[start..end];
        let (namespace, name) = match start {
            0 => split_last_dot(text),
            _ => ("", text),
        };
        start = end + 1;
        (end, namespace, name)
    };
    ends.into_iter().map(part).collect()
}

/// Splits at the last dot outside brackets. `..ctor` keeps its second dot.
pub fn split_last_dot(full: &str) -> (&str, &str) {
    match places(full, '.').last().copied() {
        Some(at) if full[..at].ends_with('.') => (&full[..at - 1], &full[at..]),
        Some(at) => (&full[..at], &full[at + 1..]),
        None => ("", full),
    }
}

/// An unsigned number in the compressed encoding of ECMA-335 II.23.2.
pub fn compressed(value: u32) -> Vec<u8> {
    match value {
        0..0x80 => vec![value as u8],
        0x80..0x4000 => (0x8000 | value as u16).to_be_bytes().to_vec(),
        0x4000..0x2000_0000 => (0xC000_0000 | value).to_be_bytes().to_vec(),
        _ => panic!("{value} can't be compressed"),
    }
}

/// A heap that stores each entry once.
struct Heap {
    bytes: Vec<u8>,
    places: HashMap<Vec<u8>, u32>,
}

impl Heap {
    /// Index 0 is the empty entry. A padded heap is too long for two-byte indexes.
    fn new(is_padded: bool) -> Heap {
        let bytes = vec![0; if is_padded { 0x1_0001 } else { 1 }];
        Heap {
            bytes,
            places: HashMap::from([(Vec::new(), 0)]),
        }
    }

    fn entry(&mut self, content: &[u8], stored: impl FnOnce(&[u8]) -> Vec<u8>) -> u32 {
        if let Some(&known) = self.places.get(content) {
            return known;
        }
        let place = self.bytes.len() as u32;
        self.bytes.extend(stored(content));
        self.places.insert(content.to_vec(), place);
        place
    }

    fn string(&mut self, text: &str) -> u32 {
        self.entry(text.as_bytes(), |bytes| [bytes, &[0]].concat())
    }

    fn blob(&mut self, blob: &[u8]) -> u32 {
        self.entry(blob, |bytes| {
            [compressed(bytes.len() as u32), bytes.to_vec()].concat()
        })
    }

    fn is_wide(&self) -> bool {
        self.bytes.len() > 0xFFFF
    }
}

/// A cell of a table being written.
#[derive(Clone, Copy)]
enum Cell {
    U16(u16),
    U32(u32),
    String(u32),
    Guid(u32),
    Blob(u32),
    /// A row index, plain or coded. It is wide if one of these tables has more rows than the bits next to the tag can
    /// index.
    Row(u32, &'static [u8], u32),
}

use Cell::{Blob, Guid, Row, U16, U32};

struct Writer<'m> {
    module: &'m Module,
    strings: Heap,
    blobs: Heap,
    type_refs: Vec<Vec<Cell>>,
    type_ref_rows: HashMap<String, u32>,
    type_specs: Vec<u32>,
}

impl<'m> Writer<'m> {
    fn new(module: &'m Module) -> Writer<'m> {
        let wide = module.style.wide_heaps;
        Writer {
            module,
            strings: Heap::new(wide),
            blobs: Heap::new(wide),
            type_refs: Vec::new(),
            type_ref_rows: HashMap::new(),
            type_specs: Vec::new(),
        }
    }

    /// The coded token of a type: a TypeDef if the module defines it, otherwise a TypeRef. Nested types are below their
    /// outer type.
    fn type_token(&mut self, full: &str) -> u32 {
        if let Some(&row) = self.module.type_rows.get(full) {
            return (row as u32 + 1) << 2;
        }
        // the scope is the only AssemblyRef, or the outer type's TypeRef
        let mut scope = 1 << 2 | 2;
        let mut row = 0;
        for (end, namespace, name) in parts(full) {
            let (strings, rows) = (&mut self.strings, &mut self.type_refs);
            let known = self.type_ref_rows.entry(full[..end].to_string());
            row = *known.or_insert_with(|| {
                let scope = Row(scope, &[0x00, 0x1A, 0x23, 0x01], 2);
                let (name, namespace) = (strings.string(name), strings.string(namespace));
                rows.push(vec![scope, Cell::String(name), Cell::String(namespace)]);
                rows.len() as u32
            });
            scope = row << 2 | 3;
        }
        row << 2 | 1
    }

    fn push_types(&mut self, types: &[Type], out: &mut Vec<u8>) {
        types.iter().for_each(|each| self.push_type(each, out));
    }

    fn push_type(&mut self, ty: &Type, out: &mut Vec<u8>) {
        match ty {
            Type::Void => out.push(0x01),
            Type::Bool => out.push(0x02),
            Type::Char => out.push(0x03),
            Type::Int32 => out.push(0x08),
            Type::Int64 => out.push(0x0A),
            Type::Float64 => out.push(0x0D),
            Type::String => out.push(0x0E),
            Type::Object => out.push(0x1C),
            Type::Class(name) => self.push_class(0x12, name, out),
            Type::Value(name) => self.push_class(0x11, name, out),
            Type::Array(inner) => self.push_prefixed(0x1D, inner, out),
            Type::ByRef(inner) => self.push_prefixed(0x10, inner, out),
            Type::Pointer(inner) => self.push_prefixed(0x0F, inner, out),
            Type::Var(index) => out.extend([&[0x13][..], &compressed(*index)].concat()),
            Type::MVar(index) => out.extend([&[0x1E][..], &compressed(*index)].concat()),
            Type::Shaped(inner, rank) => {
                self.push_prefixed(0x14, inner, out);
                // no sizes, and lower bounds of 0
                out.extend([*rank as u8, 0, *rank as u8]);
                out.extend(vec![0; *rank as usize]);
            }
            Type::Generic(inner, arguments) => {
                self.push_prefixed(0x15, inner, out);
                out.extend(compressed(arguments.len() as u32));
                self.push_types(arguments, out);
            }
            Type::Required(modifier, inner) | Type::Optional(modifier, inner) => {
                let Type::Class(name) = &**modifier else {
                    panic!("a modifier is a class")
                };
                let is_required = matches!(ty, Type::Required(..));
                self.push_class(if is_required { 0x1F } else { 0x20 }, name, out);
                self.push_type(inner, out);
            }
            Type::Function(parameters, returns) => {
                out.extend([0x1B, 0x00, parameters.len() as u8]);
                self.push_type(returns, out);
                self.push_types(parameters, out);
            }
            Type::Specified(inner) => {
                let mut blob = Vec::new();
                self.push_type(inner, &mut blob);
                self.type_specs.push(self.blobs.blob(&blob));
                out.push(0x12);
                out.extend(compressed((self.type_specs.len() as u32) << 2 | 2));
            }
        }
    }

    fn push_class(&mut self, element: u8, name: &str, out: &mut Vec<u8>) {
        out.push(element);
        out.extend(compressed(self.type_token(name)));
    }

    fn push_prefixed(&mut self, element: u8, inner: &Type, out: &mut Vec<u8>) {
        out.push(element);
        self.push_type(inner, out);
    }

    fn signature(&mut self, method: &MethodRow) -> u32 {
        if let Some(raw) = &method.raw_signature {
            return self.blobs.blob(raw);
        }
        let mut blob = Vec::new();
        let is_generic = method.type_parameters > 0;
        blob.push(if is_generic { 0x30 } else { 0x20 });
        if is_generic {
            blob.extend(compressed(method.type_parameters));
        }
        blob.extend(compressed(method.parameters.len() as u32));
        self.push_type(&method.returns, &mut blob);
        self.push_types(&method.parameters, &mut blob);
        self.blobs.blob(&blob)
    }

    fn write(mut self) -> Vec<u8> {
        let tables = self.tables();
        let guids = [0x11; 16];
        let is_unoptimized = usize::from(self.module.style.unoptimized);
        let name: &[u8] = [b"#~\0\0", b"#-\0\0"][is_unoptimized];
        let tables = self.table_stream(&tables);
        let streams: [(&[u8], &[u8]); 5] = [
            (name, &tables),
            (b"#Strings\0\0\0\0", &self.strings.bytes),
            (b"#US\0", &[0]),
            (b"#GUID\0\0\0", &guids),
            (b"#Blob\0\0\0", &self.blobs.bytes),
        ];
        let mut root = b"BSJB\x01\0\x01\0\0\0\0\0\x0c\0\0\0v4.0.30319\0\0".to_vec();
        root.extend([0, 0, streams.len() as u8, 0]);
        let heads: usize = streams.iter().map(|(name, _)| 8 + name.len()).sum();
        let mut at = root.len() + heads;
        for (name, bytes) in &streams {
            root.extend((at as u32).to_le_bytes());
            root.extend((bytes.len() as u32).to_le_bytes());
            root.extend(*name);
            at += bytes.len().next_multiple_of(4);
        }
        for (_, bytes) in &streams {
            root.extend(*bytes);
            root.resize(root.len().next_multiple_of(4), 0);
        }
        root
    }

    /// The rows of all non-empty tables, by table id.
    fn tables(&mut self) -> Vec<(u8, Vec<Vec<Cell>>)> {
        let module = self.module;
        let unoptimized = module.style.unoptimized;
        let (mut methods, mut parameters) = (Vec::new(), Vec::new());
        let in_order = module.types.iter().flat_map(|row| &row.methods);
        let in_order = in_order.map(|&method| &module.methods[method]);
        let mut in_order: Vec<&MethodRow> = in_order.collect();
        if unoptimized {
            in_order.reverse();
        }
        for method in in_order {
            let (name, signature) = (self.strings.string(&method.name), self.signature(method));
            let list = Row(parameters.len() as u32 + 1, &[0x08], 0);
            let name = Cell::String(name);
            methods.push(vec![U32(0), U16(0), U16(0), name, Blob(signature), list]);
            for place in 1..=method.parameters.len() as u16 {
                let name = self.strings.string(&format!("p{place}"));
                parameters.push(vec![U16(0), U16(place), Cell::String(name)]);
            }
        }
        let (mut types, mut nested, mut first) = (Vec::new(), Vec::new(), 1);
        for (place, row) in module.types.iter().enumerate() {
            let [name, namespace] =
                [&row.name, &row.namespace].map(|text| Cell::String(self.strings.string(text)));
            let extends = Row(0, &[0x02, 0x01, 0x1B], 2);
            // with MethodPtr, the list refers to its rows; it has as many as MethodDef
            let (fields, list) = (Row(1, &[0x04], 0), Row(first, &[0x06], 0));
            types.push(vec![U32(0), name, namespace, extends, fields, list]);
            first += row.methods.len() as u32;
            if let Some(enclosing) = row.enclosing {
                let rows = [place, enclosing].map(|row| Row(row as u32 + 1, &[0x02], 0));
                nested.push(rows.to_vec());
            }
        }
        let count = methods.len() as u32;
        let pointers = (1..=count)
            .rev()
            .map(|row| vec![Row(row, &[0x06], 0)])
            .collect();
        if unoptimized {
            nested.reverse();
        }
        let [name, core] =
            [&*module.name, "System.Runtime"].map(|text| Cell::String(self.strings.string(text)));
        let file = Cell::String(self.strings.string(&format!("{}.dll", module.name)));
        // version, flags and key; then the name and no culture
        let identity = [U32(0x0001_0000), U32(0), U32(0), Blob(0)];
        let assembly = [&[U32(0x8004)], &identity[..], &[name, Cell::String(0)]].concat();
        let reference = [&identity[..], &[core, Cell::String(0), Blob(0)]].concat();
        let specs = self.type_specs.iter().map(|&blob| vec![Blob(blob)]);
        let specs = specs.collect();
        vec![
            (0x00, vec![vec![U16(0), file, Guid(1), Guid(0), Guid(0)]]),
            (0x01, std::mem::take(&mut self.type_refs)),
            (0x02, types),
            (0x05, if unoptimized { pointers } else { Vec::new() }),
            (0x06, methods),
            (0x08, parameters),
            (0x1B, specs),
            (
                0x20,
                Vec::from_iter((!module.style.no_assembly).then_some(assembly)),
            ),
            (0x23, vec![reference]),
            (0x29, nested),
            (0x2A, self.type_parameters()),
        ]
    }

    /// The rows of GenericParam sorted by coded owner, or unsorted.
    fn type_parameters(&mut self) -> Vec<Vec<Cell>> {
        let methods = self.module.rows();
        let coded = |owner: Owner| match owner {
            Owner::Type(place) => (place as u32 + 1) << 1,
            Owner::Method(place) => methods[place] << 1 | 1,
        };
        let rows = self.module.type_parameters.iter();
        let rows = rows.map(|(owner, number, name)| (coded(*owner), *number, name));
        let mut rows: Vec<(u32, u16, &String)> = rows.collect();
        rows.sort();
        if self.module.style.unoptimized {
            rows.reverse();
        }
        let cells = |(owner, number, name): (u32, u16, &String)| {
            let name = Cell::String(self.strings.string(name));
            vec![U16(number), U16(0), Row(owner, &[0x02, 0x06], 1), name]
        };
        rows.into_iter().map(cells).collect()
    }

    fn table_stream(&self, tables: &[(u8, Vec<Vec<Cell>>)]) -> Vec<u8> {
        let style = self.module.style;
        let present = tables.iter().filter(|(_, rows)| !rows.is_empty());
        let valid = present.clone().fold(0u64, |bits, row| bits | 1 << row.0);
        let sorted = if style.unoptimized {
            0
        } else {
            1u64 << 0x29 | 1 << 0x2A
        };
        let heaps = u8::from(self.strings.is_wide())
            | u8::from(self.blobs.is_wide()) << 2
            | if style.extra_number { 0x40 } else { 0 };
        let mut out = vec![0, 0, 0, 0, 2, 0, heaps, 1];
        out.extend(valid.to_le_bytes());
        out.extend(sorted.to_le_bytes());
        for (_, rows) in present.clone() {
            out.extend((rows.len() as u32).to_le_bytes());
        }
        if style.extra_number {
            out.extend([0xEE; 4]);
        }
        let row_count = |table: u8| {
            let known = tables.iter().find(|(known, _)| *known == table);
            known.map_or(0, |(_, rows)| rows.len())
        };
        for cell in present.flat_map(|(_, rows)| rows.iter().flatten()) {
            let (value, is_wide) = match *cell {
                U16(value) => (u32::from(value), false),
                U32(value) => (value, true),
                Cell::String(place) => (place, self.strings.is_wide()),
                Guid(place) => (place, false),
                Blob(place) => (place, self.blobs.is_wide()),
                Row(row, targets, tag_bits) => {
                    let is_wide = |&table: &u8| row_count(table) > 0xFFFF >> tag_bits;
                    (row, targets.iter().any(is_wide))
                }
            };
            out.extend(&value.to_le_bytes()[..if is_wide { 4 } else { 2 }]);
        }
        out
    }
}
