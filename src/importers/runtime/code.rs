//! Methods and modules as reported by events, and where each method's code is over time.

use super::events::{CodeEvent, Lifecycle};
use crate::importers::dotnet::{short_module, unknown_method_of};
use crate::input::cursor::{Cursor, push_utf16};
use crate::names::module_name;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// TraceEvent's name for one whose file it doesn't know.
const UNKNOWN_MODULE: &str = "ManagedModule";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MethodId(u32);

/// At the addresses `start..end`.
struct CompiledMethod {
    /// The runtime's. All versions of a method's code share it; `start` tells them apart.
    id: u64,
    start: u64,
    end: u64,
    module: u64,
    /// When to resolve the module id: at the event, or at the end if the event is from the rundown.
    module_time: u64,
    /// Type, method and arguments in [`Code::text`]; empty if unknown.
    name: Range<usize>,
}

struct CodeStep {
    time: u64,
    method: MethodId,
    begins: bool,
}

/// From some time on; a module's names are in time order.
struct ModuleName {
    from: u64,
    name: String,
}

/// What events report about methods and modules. Few of a hundred thousand methods occur in samples, so names are
/// assembled only for frames.
#[derive(Default)]
pub(crate) struct Code {
    methods: Vec<CompiledMethod>,
    text: String,
    known: Vec<MethodId>,
    steps: Vec<CodeStep>,
    modules: HashMap<u64, Vec<ModuleName>, foldhash::fast::RandomState>,
    /// Names of precompiled methods by id and start; their length is unknown.
    entry_points: HashMap<(u64, u64), Range<usize>, foldhash::fast::RandomState>,
}

impl Code {
    pub(crate) const NAMELESS: (u64, Range<usize>) = (0, 0..0);

    pub(crate) fn read(&mut self, event: CodeEvent, payload: &[u8], time: u64) -> Option<()> {
        match event {
            CodeEvent::Method(life) => self.read_method(payload, life, false, time),
            CodeEvent::NamelessMethod(life) => self.read_method(payload, life, true, time),
            CodeEvent::EntryPoint => self.read_entry_point(payload),
            CodeEvent::Module => self.read_module(payload, false, time),
            CodeEvent::DomainModule => self.read_module(payload, true, time),
        }
    }

    /// Integers have 64 bits even in 32-bit processes.
    fn read_method(
        &mut self,
        payload: &[u8],
        life: Lifecycle,
        is_nameless: bool,
        time: u64,
    ) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let id = cursor.u64()?;
        let module = cursor.u64()?;
        let start = cursor.u64()?;
        let size = cursor.u32()?;
        let _token_and_flags = cursor.u64()?;
        let name = match is_nameless {
            true => 0..0,
            false => self.read_name(&mut cursor)?,
        };
        let end = start.saturating_add(u64::from(size));
        self.add((id, name), start..end, module, life, time)
    }

    fn read_entry_point(&mut self, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let id = cursor.u64()?;
        let name = self.read_name(&mut cursor)?;
        let start = cursor.u64()?;
        self.entry_points.entry((id, start)).or_insert(name);
        Some(())
    }

    fn read_name(&mut self, cursor: &mut Cursor) -> Option<Range<usize>> {
        let start = self.text.len();
        let type_name = cursor.utf16z()?;
        let method_name = cursor.utf16z()?;
        let signature = cursor.utf16z()?;
        push_utf16(&mut self.text, type_name);
        self.text.push('.');
        push_utf16(&mut self.text, method_name);
        push_utf16(&mut self.text, arguments(signature));
        Some(start..self.text.len())
    }

    /// Names methods by other events with the same id and start: ends have no names, and the rundown comes last.
    pub(crate) fn finish(&mut self) {
        if self.methods.iter().all(|method| !method.name.is_empty()) {
            return;
        }
        let mut names = std::mem::take(&mut self.entry_points);
        for method in self.methods.iter().filter(|method| !method.name.is_empty()) {
            names.insert((method.id, method.start), method.name.clone());
        }
        let methods = self.methods.iter_mut();
        for method in methods.filter(|method| method.name.is_empty()) {
            if let Some(name) = names.get(&(method.id, method.start)) {
                method.name = name.clone();
            }
        }
    }

    pub(crate) fn add(
        &mut self,
        (id, name): (u64, Range<usize>),
        code: Range<u64>,
        module: u64,
        life: Lifecycle,
        time: u64,
    ) -> Option<()> {
        if code.is_empty() {
            return Some(());
        }
        let method = MethodId(u32::try_from(self.methods.len()).ok()?);
        let module_time = match life {
            Lifecycle::Known => u64::MAX,
            Lifecycle::Begins | Lifecycle::Ends => time,
        };
        self.methods.push(CompiledMethod {
            id,
            start: code.start,
            end: code.end,
            module,
            module_time,
            name,
        });
        match life {
            Lifecycle::Known => self.known.push(method),
            Lifecycle::Begins | Lifecycle::Ends => self.steps.push(CodeStep {
                time,
                method,
                begins: life == Lifecycle::Begins,
            }),
        }
        Some(())
    }

    fn read_module(&mut self, payload: &[u8], has_domain_id: bool, time: u64) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let id = cursor.u64()?;
        let _assembly = cursor.u64()?;
        if has_domain_id {
            let _domain = cursor.u64()?;
        }
        let _flags_and_reserved = cursor.u64()?;
        self.name_module(id, &cursor.text()?, time);
        Some(())
    }

    fn name_module(&mut self, id: u64, path: &str, time: u64) {
        let name = short_module(module_name(path));
        let names = self.modules.entry(id).or_default();
        // Modules are reported several times; a new name means a reused id.
        let from = names.last().map_or(0, |last| time.max(last.from));
        if !name.is_empty() && names.last().is_none_or(|last| last.name != name) {
            names.push(ModuleName {
                from,
                name: name.into(),
            });
        }
    }

    pub(crate) fn has_rundown(&self) -> bool {
        !self.known.is_empty()
    }

    pub(crate) fn is_named(&self, method: MethodId) -> bool {
        !self.methods[method.0 as usize].name.is_empty()
    }

    pub(crate) fn module(&self, method: MethodId) -> u64 {
        self.methods[method.0 as usize].module
    }

    /// `Module!Namespace.Type.Method(arguments)` as TraceEvent spells it.
    pub(crate) fn frame_name(&self, method: MethodId) -> String {
        let method = &self.methods[method.0 as usize];
        let names = self.modules.get(&method.module);
        let names = names.map_or(&[][..], |names| names);
        let after = names.partition_point(|named| named.from <= method.module_time);
        let module = names[..after].last();
        let module = module.map_or(UNKNOWN_MODULE, |named| &named.name);
        match &self.text[method.name.clone()] {
            "" => unknown_method_of(module),
            name => format!("{module}!{name}"),
        }
    }

    fn is_same(&self, a: MethodId, b: MethodId) -> bool {
        let (a, b) = (&self.methods[a.0 as usize], &self.methods[b.0 as usize]);
        (a.start, a.end, a.module) == (b.start, b.end, b.module)
            && self.text[a.name.clone()] == self.text[b.name.clone()]
    }

    pub(crate) fn timeline(&self) -> Timeline<'_> {
        let mut steps: Vec<&CodeStep> = self.steps.iter().collect();
        // stable: events with the same time stay in file order
        steps.sort_by_key(|step| step.time);
        let fallback = self.fallback(&steps);
        let mut timeline = Timeline {
            code: self,
            fallback,
            current: CodeMap::default(),
            steps,
            next: 0,
        };
        timeline.start();
        timeline
    }

    /// The likeliest owners of addresses: methods that existed at the start or end, else the first ones there.
    fn fallback(&self, steps: &[&CodeStep]) -> CodeMap {
        let mut known = self.known.clone();
        // named methods first, so that nameless ones don't hide them
        known.sort_by_key(|id| (!self.is_named(*id), self.methods[id.0 as usize].start));
        let mut map = CodeMap::default();
        let begun = steps.iter().filter(|step| step.begins);
        for method in known.into_iter().chain(begun.map(|step| step.method)) {
            map.insert_if_free(self, method);
        }
        map
    }
}

fn arguments(signature: &[u8]) -> &[u8] {
    let units = signature.chunks_exact(2).position(|unit| unit == [b'(', 0]);
    units.map_or(&[], |units| &signature[units * 2..])
}

#[derive(Default)]
struct CodeMap(BTreeMap<u64, MethodId>);

impl CodeMap {
    fn find(&self, code: &Code, address: u64) -> Option<MethodId> {
        let (_, &method) = self.0.range(..=address).next_back()?;
        (address < code.methods[method.0 as usize].end).then_some(method)
    }

    /// The methods that share addresses with `method`, the last one first.
    fn overlapping<'a>(
        &'a self,
        code: &'a Code,
        method: MethodId,
    ) -> impl Iterator<Item = MethodId> + 'a {
        let CompiledMethod { start, end, .. } = code.methods[method.0 as usize];
        // methods don't overlap, so the search can stop at the first one that ends before `start`
        let below = self.0.range(..end).rev().map(|(_, &other)| other);
        below.take_while(move |other| code.methods[other.0 as usize].end > start)
    }

    fn insert_if_free(&mut self, code: &Code, method: MethodId) {
        if self.overlapping(code, method).next().is_none() {
            self.insert(code, method);
        }
    }

    fn remove(&mut self, code: &Code, method: MethodId) -> Option<MethodId> {
        self.0.remove(&code.methods[method.0 as usize].start)
    }

    fn insert(&mut self, code: &Code, method: MethodId) {
        self.0.insert(code.methods[method.0 as usize].start, method);
    }
}

/// Where methods are as the recording proceeds. Time only moves forward.
pub(crate) struct Timeline<'a> {
    pub code: &'a Code,
    fallback: CodeMap,
    current: CodeMap,
    steps: Vec<&'a CodeStep>,
    next: usize,
}

impl<'a> Timeline<'a> {
    /// Adds methods from before the recording, of which only the end was reported.
    fn start(&mut self) {
        let mut begun = HashSet::new();
        let mut before = Vec::new();
        for step in &self.steps {
            let start = self.code.methods[step.method.0 as usize].start;
            if step.begins {
                begun.insert(start);
            } else if !begun.remove(&start) {
                before.push(step.method);
            }
        }
        for method in before {
            self.current.insert_if_free(self.code, method);
        }
    }

    pub(crate) fn advance(&mut self, time: u64) -> bool {
        let mut changed = false;
        while let Some(step) = self.steps.get(self.next).filter(|step| step.time <= time) {
            let (method, begins) = (step.method, step.begins);
            self.next += 1;
            changed |= match begins {
                true => self.begin(method),
                false => self.end(method),
            };
        }
        changed
    }

    fn begin(&mut self, method: MethodId) -> bool {
        let replaced: Vec<MethodId> = self.current.overlapping(self.code, method).collect();
        for other in &replaced {
            self.current.remove(self.code, *other);
        }
        self.current.insert(self.code, method);
        !replaced.is_empty() || !self.is_fallback(method)
    }

    fn end(&mut self, method: MethodId) -> bool {
        let ended = self.current.remove(self.code, method);
        ended.is_some_and(|ended| !self.is_fallback(ended))
    }

    fn is_fallback(&self, method: MethodId) -> bool {
        let start = self.code.methods[method.0 as usize].start;
        self.fallback
            .0
            .get(&start)
            .is_some_and(|&fallback| self.code.is_same(fallback, method))
    }

    pub(crate) fn find(&self, address: u64) -> Option<MethodId> {
        self.current
            .find(self.code, address)
            .or_else(|| self.fallback.find(self.code, address))
    }
}

#[cfg(test)]
mod tests;
