//! Writes dotTrace snapshots for tests and samples. This is our own code, written from dtp-format.md, which was worked out
//! from the bytes of real snapshots. GUIDs and builds are made up.
#![allow(dead_code, reason = "each user needs a part of it")]

#[path = "dtp_metadata.rs"]
mod metadata;

#[allow(unused_imports, reason = "each user needs a part of it")]
pub use metadata::{Module, Style, Type, compressed};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// How the profile was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Counts are samples at and below a node.
    Sampling,
    /// Counts are calls.
    Tracing,
    LineByLine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// An index, with numbered files next to it.
    ManyFiles,
    OneFile,
}

/// What a node represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// A raw function id.
    Id(u32),
    /// A method of a module, by its indices in [`Snapshot::modules`] and in the module.
    Method(usize, usize),
}

/// A node: the index of its caller, which is smaller than its own, and its values.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub caller: usize,
    pub function: Function,
    pub own: u64,
    pub count: u32,
}

/// A thread. Its first node is its root.
#[derive(Clone, Debug)]
pub struct Thread {
    pub number: u32,
    /// 0 other, 2 main on Linux, 3 main on Windows, 4 finalizer
    pub kind: u8,
    pub name: String,
    pub nodes: Vec<Node>,
    /// Minimum widths, to write wider numbers than necessary.
    pub least_offset_width: usize,
    pub least_time_width: usize,
}

impl Thread {
    /// The index of the root.
    pub const ROOT: usize = 0;

    pub fn new(number: u32, kind: u8, name: &str) -> Thread {
        let mut thread = Thread {
            number,
            kind,
            name: name.into(),
            nodes: Vec::new(),
            least_offset_width: 1,
            least_time_width: 1,
        };
        thread.add(0, Function::Id(0xFFFF), 0, 0);
        thread
    }

    /// Adds a node below `caller` and returns its index. Siblings should have different functions.
    pub fn add(&mut self, caller: usize, function: Function, own: u64, count: u32) -> usize {
        self.nodes.push(Node {
            caller,
            function,
            own,
            count,
        });
        self.nodes.len() - 1
    }
}

/// A section in a container.
#[derive(Clone, Debug)]
pub struct Section {
    pub id: u16,
    pub version: u16,
    pub file: u16,
    pub bytes: Vec<u8>,
}

/// The content of the description.
#[derive(Clone, Debug)]
pub struct Description {
    pub os: String,
    pub machine: String,
    pub executable: String,
    pub command_line: String,
    pub user: String,
    pub runtime: String,
}

/// 2025-06-01T12:00:00Z as a Windows FILETIME.
const STARTED: u64 = (11_644_473_600 + 1_748_779_200) * 10_000_000;

/// A snapshot to be written.
#[derive(Debug)]
pub struct Snapshot {
    pub kind: Kind,
    pub ticks_per_second: u64,
    pub threads: Vec<Thread>,
    pub modules: Vec<Module>,
    pub description: Description,
}

impl Snapshot {
    pub fn new(kind: Kind) -> Snapshot {
        Snapshot {
            kind,
            ticks_per_second: 1_000_000_000,
            threads: Vec::new(),
            modules: Vec::new(),
            description: Description {
                os: "Linux".into(),
                machine: "build-agent".into(),
                executable: "/usr/bin/dotnet".into(),
                command_line: "dotnet acme.dll".into(),
                user: "agent".into(),
                runtime: "9.0.0.0".into(),
            },
        }
    }

    /// The index of a module, added if it is new. Ids count from 1.
    pub fn module(&mut self, name: &str) -> usize {
        let known = self.modules.iter().position(|module| module.name == name);
        known.unwrap_or_else(|| {
            let id = self.modules.len() as u32 + 1;
            self.modules.push(Module::new(id, name));
            self.modules.len() - 1
        })
    }

    /// The method `Module!Namespace.Type+Nested.Method`, without parameters. Equal names are the same method.
    pub fn method(&mut self, name: &str) -> Function {
        self.method_with(name, 0, &[], &Type::Void)
    }

    /// The method with this name and signature. Drops arguments after the name, which event traces have.
    pub fn method_with(
        &mut self,
        name: &str,
        type_parameters: u32,
        parameters: &[Type],
        returns: &Type,
    ) -> Function {
        let (module, full) = name.split_once('!').expect("a name is Module!Type.Method");
        let full = full.split('(').next().unwrap_or(full);
        let module = self.module(module);
        let method = self.modules[module].method(full, type_parameters, parameters, returns);
        Function::Method(module, method)
    }

    /// All sections, in the order in which dotTrace writes them.
    pub fn sections(&self) -> Vec<Section> {
        let mut ids = Ids::new(self);
        let mut sections = vec![
            section(0x0000, 9, 0, self.write_description()),
            section(0x1000, 0, 0, self.ticks_per_second.to_le_bytes().to_vec()),
        ];
        for thread in &self.threads {
            let laid_out = LaidOut::new(thread, &mut ids);
            let (places, sums) = laid_out.places_and_sums();
            sections.push(section(0x1100, 3, 0, laid_out.nodes(self.kind)));
            sections.push(section(0x1101, 3, 1, places));
            sections.push(section(0x1102, 1, 2, sums));
            sections.push(section(0x1103, 1, 3, laid_out.singles()));
        }
        sections.push(section(0x0110, 0, 0, self.write_paths()));
        sections.push(section(0x0120, 0, 0, ids.write()));
        sections.push(section(0x0100, 2, 0, self.write_metadata()));
        let saved = STARTED + 7 * 10_000_000;
        sections.push(section(0x0001, 0, 0, saved.to_le_bytes().to_vec()));
        sections
    }

    /// Writes the snapshot into a folder, and returns the path of its index.
    pub fn save(&self, folder: &Path, name: &str, container: Container) -> PathBuf {
        save(&self.sections(), folder, name, container)
    }

    fn write_description(&self) -> Vec<u8> {
        let d = &self.description;
        // branch, build and its date; operating system, a number, processors
        let mut out = [252, 1234].map(u32::to_le_bytes).concat();
        out.extend((STARTED - 86_400 * 10_000_000).to_le_bytes());
        out.extend([4, 9, 0, 4, 0, 0, 0]);
        push_text(&d.os, &mut out);
        push_text(&d.machine, &mut out);
        // the process
        out.extend(4711u32.to_le_bytes());
        push_text(&d.executable, &mut out);
        push_text(&d.command_line, &mut out);
        push_text("/app", &mut out);
        out.extend(9u16.to_le_bytes());
        out.extend([0xA1; 16]);
        push_text(&d.user, &mut out);
        out.extend([0xA2; 16]);
        out.push(2);
        push_text(&d.runtime, &mut out);
        let measure = match self.kind {
            Kind::Sampling => "<MeasureType>Sampling</MeasureType>",
            Kind::Tracing => "",
            Kind::LineByLine => "<MeasureType>LineByLine</MeasureType>",
        };
        let xml = format!(
            "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Configuration>\n\t<Info type=\"PerformanceInfo\">\
             {measure}</Info>\n</Configuration>"
        );
        push_text(&xml, &mut out);
        out.extend([0xA3; 16]);
        out.extend(0u32.to_le_bytes());
        out.extend([0xA4; 16]);
        out.extend(STARTED.to_le_bytes());
        out
    }

    fn write_paths(&self) -> Vec<u8> {
        let mut out = vec![1];
        out.extend((self.modules.len() as u32).to_le_bytes());
        for module in &self.modules {
            out.extend(compressed(module.id));
            out.extend([1, 0]);
            push_text(&module.path, &mut out);
        }
        out
    }

    fn write_metadata(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend((self.modules.len() as u32).to_le_bytes());
        for (place, module) in self.modules.iter().enumerate() {
            let root = module.write();
            out.extend(module.id.to_le_bytes());
            out.extend((root.len() as u32).to_le_bytes());
            out.extend(root);
            // no entries, the path of the symbols, or also the mark of a reproducible build
            let entries = place % 3;
            out.extend((entries as u32).to_le_bytes());
            if entries > 0 {
                let mut data = b"RSDS".to_vec();
                data.extend([0xA5; 16]);
                data.extend(1u32.to_le_bytes());
                data.extend(format!("/app/{}.pdb\0", module.name).bytes());
                push_debug_entry(2, &data, &mut out);
            }
            if entries > 1 {
                push_debug_entry(16, &[], &mut out);
            }
        }
        out
    }
}

fn section(id: u16, version: u16, file: u16, bytes: Vec<u8>) -> Section {
    Section {
        id,
        version,
        file,
        bytes,
    }
}

fn push_text(text: &str, out: &mut Vec<u8>) {
    out.extend(compressed(text.len() as u32));
    out.extend(text.bytes());
}

fn push_debug_entry(kind: u32, data: &[u8], out: &mut Vec<u8>) {
    out.extend(0u32.to_le_bytes());
    out.extend(0x6650_0000u32.to_le_bytes());
    out.extend([0, 1, 0, 0]);
    out.extend(kind.to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
}

fn push_number(value: u64, width: usize, out: &mut Vec<u8>) {
    out.extend(&value.to_le_bytes()[..width]);
}

/// The number of bytes that a number needs, at least one.
fn width_of(value: u64) -> usize {
    (8 - value.leading_zeros() as usize / 8).max(1)
}

/// The function ids: direct if module and row fit, otherwise rows of section 0x0120.
struct Ids<'s> {
    snapshot: &'s Snapshot,
    rows: Vec<Vec<u32>>,
    indirect: Vec<(u32, u32)>,
    known: HashMap<(u32, u32), u32>,
}

impl<'s> Ids<'s> {
    fn new(snapshot: &'s Snapshot) -> Ids<'s> {
        Ids {
            snapshot,
            rows: snapshot.modules.iter().map(Module::rows).collect(),
            indirect: Vec::new(),
            known: HashMap::new(),
        }
    }

    fn id(&mut self, function: Function) -> u32 {
        let (module, method) = match function {
            Function::Id(id) => return id,
            Function::Method(module, method) => (module, method),
        };
        let (id, row) = (self.snapshot.modules[module].id, self.rows[module][method]);
        if id <= 2047 && row <= 0xF_FFFF {
            return id << 20 | row;
        }
        let indirect = &mut self.indirect;
        *self.known.entry((id, row)).or_insert_with(|| {
            indirect.push((id, 0x0600_0000 | row));
            0x8000_0000 | (indirect.len() as u32 - 1)
        })
    }

    fn write(&self) -> Vec<u8> {
        let mut out = (self.indirect.len() as u32).to_le_bytes().to_vec();
        for (module, token) in &self.indirect {
            out.extend(module.to_le_bytes());
            out.extend(token.to_le_bytes());
        }
        out
    }
}

/// A node in its final position: nodes are in postorder, siblings in the order they were added.
struct Placed {
    function: u32,
    parent: Option<usize>,
    previous: Option<usize>,
    /// The index of the first node of its subtree.
    first: usize,
    own: u64,
    total: u64,
    count: u32,
}

/// A thread with the positions, sums and widths of its nodes.
struct LaidOut<'t> {
    thread: &'t Thread,
    nodes: Vec<Placed>,
    offset_width: usize,
    time_width: usize,
    header_bytes: usize,
    /// The indices of each function's nodes, ascending, without the root.
    by_function: BTreeMap<u32, Vec<usize>>,
}

impl<'t> LaidOut<'t> {
    fn new(thread: &'t Thread, ids: &mut Ids) -> LaidOut<'t> {
        let nodes = placed(thread, ids);
        let root = nodes.len() - 1;
        let time_width = width_of(nodes[root].total).max(thread.least_time_width);
        // number, kind, constants, name and widths, then the offset of the root
        let head = 4 + 1 + 4 + compressed(thread.name.len() as u32).len() + thread.name.len() + 4;
        let fits = |w: &usize| {
            let root_offset = (head + w + root * (4 + 3 * w + 2 * time_width + 5)) as u64;
            root_offset < u64::MAX >> (64 - 8 * w)
        };
        let offset_width = (thread.least_offset_width..=8)
            .find(fits)
            .expect("eight bytes hold any offset");
        let mut by_function: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, node) in nodes[..root].iter().enumerate() {
            by_function.entry(node.function).or_default().push(place);
        }
        LaidOut {
            thread,
            nodes,
            offset_width,
            time_width,
            header_bytes: head + offset_width,
            by_function,
        }
    }

    fn offset(&self, place: usize) -> u64 {
        (self.header_bytes + place * (4 + 3 * self.offset_width + 2 * self.time_width + 5)) as u64
    }

    fn push_offset(&self, place: Option<usize>, out: &mut Vec<u8>) {
        let offset = place.map_or(u64::MAX, |place| self.offset(place));
        push_number(offset, self.offset_width, out);
    }

    /// The recursion flags of each node: 64 on the outermost nodes of a function that is recursive anywhere, 128 on
    /// nodes with the same function below them.
    fn recursion(&self) -> Vec<u8> {
        let mut flags = vec![0; self.nodes.len()];
        for places in self.by_function.values() {
            let is_recursive = self.outermost(places).len() < places.len();
            for outer in self.outermost(places).into_iter().filter(|_| is_recursive) {
                flags[outer] |= 64;
            }
            let pairs = places.windows(2);
            for pair in pairs.filter(|pair| pair[0] >= self.nodes[pair[1]].first) {
                flags[pair[1]] |= 128;
            }
        }
        flags
    }

    /// The nodes of a function that are not below another one of them.
    fn outermost(&self, places: &[usize]) -> Vec<usize> {
        let mut start = usize::MAX;
        let mut outermost = Vec::new();
        for &place in places.iter().rev() {
            if place < start {
                start = self.nodes[place].first;
                outermost.push(place);
            }
        }
        outermost
    }

    /// Section 0x1100.
    fn nodes(&self, kind: Kind) -> Vec<u8> {
        let root = self.nodes.len() - 1;
        let mut out = Vec::new();
        out.extend(self.thread.number.to_le_bytes());
        out.push(self.thread.kind);
        out.extend(1u32.to_le_bytes());
        push_text(&self.thread.name, &mut out);
        out.extend([0, self.offset_width as u8, 0, self.time_width as u8]);
        self.push_offset(Some(root), &mut out);
        let flags = self.recursion();
        for (place, node) in self.nodes.iter().enumerate() {
            out.extend(node.function.to_le_bytes());
            self.push_offset(node.parent, &mut out);
            self.push_offset(Some(node.first), &mut out);
            push_number(node.own, self.time_width, &mut out);
            push_number(node.total, self.time_width, &mut out);
            out.extend(node.count.to_le_bytes());
            let is_collection = kind == Kind::Tracing && node.function == 2;
            out.push(flags[place] | if is_collection { 2 } else { 0 });
            self.push_offset(node.previous, &mut out);
        }
        out
    }

    /// Sections 0x1101 and 0x1102: the functions with several nodes.
    fn places_and_sums(&self) -> (Vec<u8>, Vec<u8>) {
        let flags = self.recursion();
        let all = self.by_function.iter();
        let several: Vec<_> = all.filter(|(_, places)| places.len() > 1).collect();
        let is_recursive = |places: &[usize]| self.outermost(places).len() < places.len();
        let mut lists = vec![self.offset_width as u8];
        let mut starts = Vec::new();
        for (_, places) in &several {
            starts.push(lists.len() as u64);
            lists.extend((places.len() as u32).to_le_bytes());
            let with_flags = is_recursive(places);
            for &place in places.iter().rev() {
                self.push_offset(Some(place), &mut lists);
                self.push_offset(self.nodes[place].parent, &mut lists);
                if with_flags {
                    lists.push(flags[place]);
                }
            }
        }
        let place_width = width_of(lists.len() as u64);
        let widths = [place_width, self.offset_width, self.time_width];
        let mut sums = widths.map(|width| width as u8).to_vec();
        sums.extend((several.len() as u32).to_le_bytes());
        for ((id, places), start) in several.iter().zip(starts) {
            let sum = |value: fn(&Placed) -> u64, places: &[usize]| -> u64 {
                places.iter().map(|&place| value(&self.nodes[place])).sum()
            };
            sums.extend(id.to_le_bytes());
            push_number(start, place_width, &mut sums);
            push_number(sum(|node| node.own, places), self.time_width, &mut sums);
            sums.extend(sum(|node| node.total, &self.outermost(places)).to_le_bytes());
            sums.extend(sum(|node| u64::from(node.count), places).to_le_bytes());
            self.push_offset(places.first().copied(), &mut sums);
            self.push_offset(places.last().copied(), &mut sums);
            let all_leaves = places.iter().all(|&place| self.nodes[place].first == place);
            sums.push(u8::from(!is_recursive(places)) | u8::from(all_leaves) << 1);
        }
        (lists, sums)
    }

    /// Section 0x1103: the functions with one node, sorted by its position.
    fn singles(&self) -> Vec<u8> {
        let singles = self
            .by_function
            .iter()
            .filter(|(_, places)| places.len() == 1);
        let mut singles: Vec<_> = singles.map(|(id, places)| (places[0], *id)).collect();
        singles.sort_unstable();
        let mut out = vec![self.offset_width as u8];
        out.extend((singles.len() as u32).to_le_bytes());
        for (place, id) in singles {
            out.extend(id.to_le_bytes());
            self.push_offset(Some(place), &mut out);
        }
        out
    }
}

/// The nodes of a thread in postorder.
fn placed(thread: &Thread, ids: &mut Ids) -> Vec<Placed> {
    let nodes = &thread.nodes;
    let (mut totals, mut sizes): (Vec<u64>, Vec<usize>) =
        nodes.iter().map(|node| (node.own, 1)).unzip();
    let (mut last_child, mut previous) = (vec![None; nodes.len()], vec![None; nodes.len()]);
    for (number, node) in nodes.iter().enumerate().skip(1) {
        previous[number] = last_child[node.caller].replace(number);
    }
    for (number, node) in nodes.iter().enumerate().skip(1).rev() {
        totals[node.caller] += totals[number];
        sizes[node.caller] += sizes[number];
    }
    // a subtree ends with its node: the last child comes just before it, and a sibling just before the next one's
    // subtree
    let mut places = vec![nodes.len() - 1; nodes.len()];
    let mut pending: Vec<usize> = last_child[0].into_iter().collect();
    let mut next = nodes.len() - 1;
    while let Some(number) = pending.pop() {
        next -= 1;
        places[number] = next;
        pending.extend(previous[number]);
        pending.extend(last_child[number]);
    }
    let mut numbers: Vec<usize> = (0..nodes.len()).collect();
    numbers.sort_unstable_by_key(|&number| places[number]);
    let placed = numbers.into_iter().map(|number| Placed {
        function: ids.id(nodes[number].function),
        parent: (number > 0).then(|| places[nodes[number].caller]),
        previous: previous[number].map(|sibling: usize| places[sibling]),
        first: places[number] + 1 - sizes[number],
        own: nodes[number].own,
        total: totals[number],
        count: nodes[number].count,
    });
    placed.collect()
}

/// The single file that dotTrace's user interface saves.
pub fn one_file(sections: &[Section]) -> Vec<u8> {
    let bytes: Vec<u8> = sections
        .iter()
        .flat_map(|section| section.bytes.clone())
        .collect();
    let mut out = b"\xEEGDTPF".to_vec();
    out.extend((sections.len() as u32).to_le_bytes());
    out.extend((18 + bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
    for section in sections {
        out.extend(section.id.to_le_bytes());
        out.extend(section.version.to_le_bytes());
        out.extend((section.bytes.len() as u64).to_le_bytes());
    }
    out.extend([0xFF, 0xFF]);
    out
}

/// The index and the numbered files next to it.
pub fn many_files(sections: &[Section]) -> (Vec<u8>, BTreeMap<u16, Vec<u8>>) {
    let mut index = b"MFDTPF".to_vec();
    let mut files: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
    index.extend((sections.len() as u32).to_le_bytes());
    for section in sections {
        index.extend(section.id.to_le_bytes());
        index.extend(section.version.to_le_bytes());
        index.extend((section.bytes.len() as u64).to_le_bytes());
        index.extend(section.file.to_le_bytes());
        let file = files.entry(section.file).or_default();
        file.extend(&section.bytes);
    }
    index.extend([0xFF, 0xFF]);
    (index, files)
}

/// Writes sections into a folder, and returns the path of the index.
pub fn save(sections: &[Section], folder: &Path, name: &str, container: Container) -> PathBuf {
    let path = folder.join(name);
    match container {
        Container::OneFile => std::fs::write(&path, one_file(sections)).unwrap(),
        Container::ManyFiles => {
            let (index, files) = many_files(sections);
            std::fs::write(&path, index).unwrap();
            for (number, bytes) in files {
                std::fs::write(folder.join(format!("{name}.{number:04}")), bytes).unwrap();
            }
        }
    }
    path
}
