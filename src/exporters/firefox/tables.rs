use super::super::json_text::JsonText;
use super::super::part::Part;
use super::super::rows::Rows;
use super::super::timeline::TimedSample;
use super::super::tracks::ExportTrack;
use crate::model::NodeId;
use crate::names::{Category, split_module};
use foldhash::fast::RandomState;
use indexmap::IndexSet;
use std::collections::HashMap;
use std::io::{self, Write};

pub(super) const CATEGORIES: [(Option<Category>, &str, &str); 6] = [
    (Some(Category::Pseudo), "Other", "grey"),
    (Some(Category::User), "User code", "orange"),
    (Some(Category::Library), "Libraries", "lightblue"),
    (Some(Category::System), "System code", "darkgray"),
    (Some(Category::Native), "Native code", "green"),
    (None, "Idle", "transparent"),
];

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Func {
    name: u32,
    library: Option<u32>,
    file: Option<u32>,
    line: Option<u32>,
}

pub(super) struct ThreadTables<'a, 'r> {
    part: &'r Part<'a>,
    rows: &'r Rows<'a>,
    libs: &'r mut IndexSet<&'a str>,
    outside: Option<NodeId>,
    /// The node of the thread, whose own time has no stack.
    thread: Option<NodeId>,
    strings: IndexSet<&'a str, RandomState>,
    resources: IndexSet<&'a str, RandomState>,
    funcs: IndexSet<Func, RandomState>,
    frames: IndexSet<(u32, u32), RandomState>,
    stacks: Vec<(Option<u32>, u32)>,
    by_node: HashMap<(NodeId, bool), u32, RandomState>,
}

impl<'a, 'r> ThreadTables<'a, 'r> {
    pub(super) fn new(
        part: &'r Part<'a>,
        rows: &'r Rows<'a>,
        libs: &'r mut IndexSet<&'a str>,
        track: &ExportTrack,
    ) -> ThreadTables<'a, 'r> {
        let tree = &part.view.tree;
        let thread = track.thread.map(|(node, _)| node);
        ThreadTables {
            part,
            rows,
            libs,
            outside: track.top_nodes.first().and_then(|&top| tree.parent(top)),
            thread: thread.filter(|node| !track.top_nodes.contains(node)),
            strings: IndexSet::default(),
            resources: IndexSet::default(),
            funcs: IndexSet::default(),
            frames: IndexSet::default(),
            stacks: Vec::new(),
            by_node: HashMap::default(),
        }
    }

    pub(super) fn stack(&mut self, sample: &TimedSample, has_cpu: bool) -> Option<u32> {
        let waits = match has_cpu {
            true => sample.cpu == 0 && sample.value > 0,
            false => {
                let frame = self.part.view.frame(sample.node);
                frame.is_wait && !self.part.chosen_metric().is_running_time()
            }
        };
        self.stack_of(sample.node, waits)
    }

    pub(super) fn stack_of(&mut self, node: NodeId, waits: bool) -> Option<u32> {
        if self.thread == Some(node) {
            return None;
        }
        let tree = &self.part.view.tree;
        let (mut above, mut at, mut caller) = (Vec::new(), Some((node, waits)), None);
        while let Some((node, waits)) = at {
            if let Some(&known) = self.by_node.get(&(node, waits)) {
                caller = Some(known);
                break;
            }
            above.push((node, waits));
            let parent = tree.parent(node).filter(|_| Some(node) != self.outside);
            let parent = parent.filter(|parent| Some(*parent) != self.outside);
            at = parent.map(|parent| (parent, false));
        }
        for (node, waits) in above.into_iter().rev() {
            let frame = self.frame(node, waits);
            let stack = self.stacks.len() as u32;
            self.stacks.push((caller, frame));
            self.by_node.insert((node, waits), stack);
            caller = Some(stack);
        }
        caller
    }

    fn frame(&mut self, node: NodeId, waits: bool) -> u32 {
        let id = self.part.view.tree.frame(node);
        let row = self.rows.rows[self.rows.row_of_frame(id) as usize];
        let (library, name) = match library_and_name(row.name) {
            Some((module, rest)) => {
                self.libs.insert(module);
                (Some(number(&mut self.resources, module)), rest)
            }
            None => (None, row.name),
        };
        let func = Func {
            name: number(&mut self.strings, name),
            library,
            file: (!row.file.is_empty()).then(|| number(&mut self.strings, row.file)),
            line: Some(row.line).filter(|&line| line > 0),
        };
        let func = self.funcs.insert_full(func).0 as u32;
        let category = (!waits).then_some(self.part.view.frames.get(id).category);
        let category = CATEGORIES.iter().position(|row| row.0 == category);
        let category = category.map_or(0, |row| row as u32);
        self.frames.insert_full((func, category)).0 as u32
    }

    pub(super) fn string(&mut self, text: &'a str) -> u32 {
        number(&mut self.strings, text)
    }

    pub(super) fn write<W: Write>(mut self, text: &mut JsonText<W>) -> io::Result<()> {
        let resources = self.resources.clone();
        let names: Vec<u32> = resources.iter().map(|name| self.string(name)).collect();
        table(text, "stackTable", self.stacks.len());
        text.numbers("prefix", self.stacks.iter().map(|(prefix, _)| *prefix))?;
        text.numbers("frame", self.stacks.iter().map(|(_, frame)| Some(*frame)))?;
        table(text, "frameTable", self.frames.len());
        text.column("address", &self.frames, |text, _| text.json(b"-1"))?;
        text.numbers("func", self.frames.iter().map(|(func, _)| Some(*func)))?;
        text.numbers("category", self.frames.iter().map(|(_, row)| Some(*row)))?;
        for zeros in ["inlineDepth", "subcategory", "innerWindowID"] {
            text.column(zeros, &self.frames, |text, _| text.json(b"0"))?;
        }
        for nulls in ["nativeSymbol", "line", "column"] {
            text.numbers(nulls, self.frames.iter().map(|_| None))?;
        }
        table(text, "funcTable", self.funcs.len());
        text.numbers("name", self.funcs.iter().map(|func| Some(func.name)))?;
        text.column("resource", &self.funcs, |text, func| match func.library {
            Some(library) => text.number(u64::from(library)),
            None => text.json(b"-1"),
        })?;
        for no in ["isJS", "relevantForJS"] {
            text.column(no, &self.funcs, |text, _| text.json(b"false"))?;
        }
        text.numbers("fileName", self.funcs.iter().map(|func| func.file))?;
        text.numbers("lineNumber", self.funcs.iter().map(|func| func.line))?;
        text.numbers("columnNumber", self.funcs.iter().map(|_| None))?;
        table(text, "resourceTable", self.resources.len());
        let rows = resources.iter().map(|name| self.libs.get_index_of(*name));
        text.numbers("lib", rows.map(|row| row.map(|row| row as u32)))?;
        text.numbers("name", names.iter().map(|name| Some(*name)))?;
        text.numbers("host", names.iter().map(|_| None))?;
        text.column("type", &names, |text, _| text.json(b"1"))?;
        text.json(br#"},"nativeSymbols":{"length":0,"address":[],"functionSize":[],"libIndex":[],"name":[]"#);
        text.json(b"}");
        text.column("stringArray", &self.strings, |text, string| {
            text.string(string)
        })
    }
}

fn table<W: Write>(text: &mut JsonText<W>, name: &str, length: usize) {
    text.json(b"},");
    text.string(name);
    text.json(br#":{"length":"#);
    text.number(length as u64);
}

fn number<'a>(strings: &mut IndexSet<&'a str, RandomState>, text: &'a str) -> u32 {
    // memory runs out long before 32 bits do
    strings.insert_full(text).0 as u32
}

/// Splits a module named like a file or an assembly from a name; readers combine them again.
fn library_and_name(name: &str) -> Option<(&str, &str)> {
    let (module, rest) = name.split_once('!')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_+".contains(c);
    let is_library =
        module.contains('.') && module.chars().all(is_plain) && !module.starts_with("perf-");
    let is_name = !rest.is_empty() && split_module(rest).0.is_empty() && !rest.starts_with("0x");
    (is_library && is_name).then_some((module, rest))
}
