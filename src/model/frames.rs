use super::{Collapsible, FrameId, GroupBy, MethodKey, NameId, Names};
use crate::names::display_name::{
    Spelling, category_as_spelled, display_name_as_spelled, raw_arguments,
};
use crate::names::plumbing::is_plumbing;
use crate::names::runtimes::Runtimes;
use crate::names::thread_names::pool_threads;
use crate::names::truncated_at;
use crate::names::waits::{is_wait, waits_on_cpu};
use crate::names::{
    CONSTRUCTED, Category, FrameKind, TypeParameters, UserCode, display_name, display_parameters,
    namespace_and_type,
};
use crate::text::visible;
use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{ErrorKind, Read, Result, Write};
use std::sync::{Arc, OnceLock};

/// A frame made up by dotspot. A recorded thread may have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Synthetic {
    SomeThreads {
        chosen: u32,
        all: u32,
    },
    SomeProcesses {
        chosen: u32,
        all: u32,
    },
    MergedThreads {
        count: u32,
        /// Whether they are the .NET thread pool, so that other threads may remain.
        are_pool: bool,
    },
    Truncated {
        limit: u32,
    },
    Collapsed {
        frames: Collapsible,
        count: u32,
    },
    Group {
        by: GroupBy,
        /// The first recorded frame, or any frame if none was recorded.
        first: FrameId,
        entered: GroupEntry,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum GroupEntry {
    By(FrameId),
    ByAnyOf(u32),
}

impl Synthetic {
    pub fn name(self) -> String {
        match self {
            Synthetic::SomeThreads { chosen, all } => {
                format!("{chosen} of {}", counted(all.into(), "thread"))
            }
            Synthetic::SomeProcesses { chosen, all } => format!("{chosen} of {all} processes"),
            Synthetic::MergedThreads { count, are_pool } => match are_pool {
                true => pool_threads(count),
                false => format!("{count} threads merged"),
            },
            Synthetic::Truncated { limit } => truncated_at(limit),
            Synthetic::Collapsed { frames, count } => {
                let noun = match frames {
                    Collapsible::Plumbing => "async frame",
                    Collapsible::System => "system frame",
                };
                format!("… {}", counted(count.into(), noun))
            }
            Synthetic::Group { by, .. } => by.name().into(),
        }
    }

    /// For files written by dotspot, which have only names.
    pub fn truncated_named(name: &str) -> Option<Synthetic> {
        let limit = name
            .strip_prefix("[truncated at ")?
            .strip_suffix(" frames]")?;
        let limit = limit.parse().ok()?;
        Some(Synthetic::Truncated { limit })
    }

    fn kind(self) -> FrameKind {
        match self {
            Synthetic::SomeThreads { .. } | Synthetic::SomeProcesses { .. } => FrameKind::Root,
            Synthetic::MergedThreads { .. } => FrameKind::Thread,
            Synthetic::Truncated { .. } | Synthetic::Collapsed { .. } | Synthetic::Group { .. } => {
                FrameKind::Special
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Frame {
    /// As in the source: `Module!Namespace.Type.Method`, with arguments if the format has them.
    pub name: NameId,
    pub shown: NameId,
    /// The assembly without extension; empty if unknown.
    pub module: NameId,
    /// Parameter and result types, if `name` lacks them: distinguishes overloads.
    pub signature: NameId,
    /// Of the declaring types and the method: `TKey,TValue/TResult`; empty if unknown.
    pub type_parameters: NameId,
    /// The source location, `file:line` or `file`; empty if unknown.
    pub location: NameId,
    pub kind: FrameKind,
    pub category: Category,
    pub is_wait: bool,
    /// Whether its exclusive CPU time is waiting: sleeping, or spinning before that.
    pub waits_on_cpu: bool,
    /// See [`Collapsible::Plumbing`].
    pub is_plumbing: bool,
    pub synthetic: Option<Synthetic>,
}

impl Frame {
    /// Whether its exclusive value is waiting, given whether threads may wait in the metric.
    pub fn waits(&self, may_wait: bool) -> bool {
        may_wait && self.is_wait || self.waits_on_cpu
    }
}

/// What lists add to a display name shared by several methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Distinction {
    /// The number of namespace parts, from the end.
    namespaces: u8,
    has_parameters: bool,
    has_module: bool,
}

fn last_parts(namespace: &str, count: usize) -> &str {
    let Some(inner_dots) = count.checked_sub(1) else {
        return "";
    };
    let dot = namespace.rmatch_indices('.').nth(inner_dots);
    dot.map_or(namespace, |(at, _)| &namespace[at + 1..])
}

/// The frames of a recording, or a view's synthetic frames on top of them; recorded frames keep their ids.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// The recording's frames, if this is a view's table.
    recorded: Option<Arc<Frames>>,
    names: Names,
    rows: Vec<Frame>,
    by_identity: HashMap<(NameId, NameId, FrameKind), FrameId, foldhash::fast::RandomState>,
    distinctions: OnceLock<Box<[Distinction]>>,
}

impl Frames {
    pub fn over(recorded: Arc<Frames>) -> Frames {
        Frames {
            recorded: Some(recorded),
            ..Frames::default()
        }
    }

    /// Finds or adds a frame. The signature is empty if the name suffices.
    pub fn intern(&mut self, kind: FrameKind, name: &str, signature: &str) -> FrameId {
        self.intern_with(kind, name, signature, TypeParameters::UNKNOWN)
    }

    /// `type_parameters` are for the display name of a new frame.
    pub fn intern_with(
        &mut self,
        kind: FrameKind,
        name: &str,
        signature: &str,
        type_parameters: TypeParameters,
    ) -> FrameId {
        if let Some(known) = self.lookup(kind, name, signature) {
            return known;
        }
        let key = (self.names.intern(name), self.names.intern(signature), kind);
        let id = self.push(key, None, type_parameters);
        self.by_identity.insert(key, id);
        id
    }

    /// Finds or adds a frame of another table under this name.
    pub fn adopt(&mut self, other: &Frames, id: FrameId, name: &str) -> FrameId {
        let frame = other.get(id);
        let len_before = self.len();
        let type_parameters = other.type_parameters(id);
        let adopted = self.intern_with(frame.kind, name, other.signature(id), type_parameters);
        if adopted.index() == len_before {
            let location = self.names.intern(other.location(id));
            if let Some(row) = self.rows.last_mut() {
                row.location = location;
                row.category = frame.category;
                row.synthetic = frame.synthetic;
            }
        }
        adopted
    }

    fn type_parameters(&self, id: FrameId) -> TypeParameters<'_> {
        let text = self.text(id, |frame| frame.type_parameters);
        let (of_types, of_method) = text.split_once('/').unwrap_or_default();
        TypeParameters {
            of_types,
            of_method,
        }
    }

    /// Reuses the source's own marker of truncated stacks, if any.
    pub fn add_synthetic(&mut self, synthetic: Synthetic) -> FrameId {
        if let Synthetic::Truncated { .. } = synthetic {
            let id = self.intern(FrameKind::Special, &synthetic.name(), "");
            self.mark(id, synthetic);
            return id;
        }
        let is_same = |(_, known): &(FrameId, Synthetic)| *known == synthetic;
        if let Some((known, _)) = self.synthetic_by_view().find(is_same) {
            return known;
        }
        self.push_synthetic(synthetic, &synthetic.name())
    }

    /// Adds a frame for a row of several. Equal frames are not detected.
    pub fn add_synthetic_row(
        &mut self,
        synthetic: Synthetic,
        name: &str,
        shown: &str,
        category: Category,
    ) -> FrameId {
        let id = self.push_synthetic(synthetic, name);
        let shown = self.names.intern(&visible(shown));
        if let Some(row) = self.rows.last_mut() {
            (row.shown, row.category) = (shown, category);
        }
        id
    }

    /// For files that dotspot wrote: marks a frame of this table as synthetic.
    pub fn mark(&mut self, id: FrameId, synthetic: Synthetic) {
        let row = id.index().checked_sub(self.recorded_len());
        if let Some(frame) = row.and_then(|row| self.rows.get_mut(row)) {
            frame.synthetic = Some(synthetic);
        }
    }

    fn push_synthetic(&mut self, synthetic: Synthetic, name: &str) -> FrameId {
        let (name, signature) = (self.names.intern(name), self.names.intern(""));
        let key = (name, signature, synthetic.kind());
        self.push(key, Some(synthetic), TypeParameters::UNKNOWN)
    }

    fn push(
        &mut self,
        (name, signature, kind): (NameId, NameId, FrameKind),
        synthetic: Option<Synthetic>,
        type_parameters: TypeParameters,
    ) -> FrameId {
        let text = self.names.get(name);
        let spelling = Spelling::of(text);
        let module = match kind {
            FrameKind::Method => spelling.module.to_string(),
            _ => String::new(),
        };
        let category = category_as_spelled(kind, text, &spelling);
        let shown = display_name_as_spelled(kind, text, &spelling, type_parameters);
        let parameters = match (type_parameters.of_types, type_parameters.of_method) {
            ("", "") => String::new(),
            (of_types, of_method) => format!("{of_types}/{of_method}"),
        };
        let is_wait = is_wait(kind, text, &spelling);
        let is_plumbing = is_plumbing(kind, &spelling);
        let waits_on_cpu = waits_on_cpu(kind, &spelling);
        let frame = Frame {
            name,
            shown: self.names.intern(&shown),
            module: self.names.intern(&module),
            signature,
            type_parameters: self.names.intern(&parameters),
            location: self.names.intern(""),
            kind,
            category,
            is_wait,
            waits_on_cpu,
            is_plumbing,
            synthetic,
        };
        let id = FrameId::at(self.len());
        self.rows.push(frame);
        self.distinctions = OnceLock::new();
        id
    }

    /// Corrects whose code the frames of processes without .NET are, and returns which processes have .NET. A frame in
    /// several processes is user code if it is in each; if one has .NET, the rules of .NET apply.
    pub fn correct_without_dotnet(&mut self, processes: &[Vec<FrameId>]) -> Vec<bool> {
        let text = |row: &Frame| (self.names.get(row.name), self.names.get(row.location));
        let mut corrected: Vec<Option<Category>> = vec![None; self.rows.len()];
        let mut have_dotnet = Vec::with_capacity(processes.len());
        for frames in processes {
            let mut runtimes = Runtimes::default();
            for row in frames.iter().map(|frame| &self.rows[frame.index()]) {
                let (name, location) = text(row);
                runtimes.note(row.kind, name, location, row.category);
            }
            have_dotnet.push(runtimes.has_dotnet);
            for frame in frames.iter().filter(|_| !runtimes.has_dotnet) {
                let row = &self.rows[frame.index()];
                let (name, location) = text(row);
                let category = &mut corrected[frame.index()];
                if category.is_none_or(|category| category == Category::User) {
                    *category = Some(runtimes.category(row.kind, name, location, row.category));
                }
            }
        }
        let with_dotnet = processes.iter().zip(&have_dotnet).filter(|(_, has)| **has);
        for frame in with_dotnet.flat_map(|(frames, _)| frames) {
            corrected[frame.index()] = None;
        }
        for (row, category) in self.rows.iter_mut().zip(corrected) {
            row.category = category.unwrap_or(row.category);
        }
        have_dotnet
    }

    pub fn unmatched_user_code(&self, rules: &UserCode) -> Vec<String> {
        let methods = self
            .iter()
            .filter(|(_, frame)| frame.kind == FrameKind::Method);
        rules.unmatched(methods.map(|(id, _)| self.name(id)))
    }

    pub fn correct_user_code(&mut self, rules: &UserCode) {
        for row in &mut self.rows {
            row.category = rules.corrected(row.kind, self.names.get(row.name), row.category);
        }
    }

    pub fn lookup(&self, kind: FrameKind, name: &str, signature: &str) -> Option<FrameId> {
        let mut recorded = self.recorded.iter();
        if let Some(known) = recorded.find_map(|frames| frames.lookup(kind, name, signature)) {
            return Some(known);
        }
        let key = (self.names.find(name)?, self.names.find(signature)?, kind);
        self.by_identity.get(&key).copied()
    }

    pub fn key(&self, id: FrameId) -> MethodKey {
        MethodKey {
            name: self.name(id).into(),
            signature: self.signature(id).into(),
        }
    }

    pub fn with_key(&self, key: &MethodKey) -> Option<FrameId> {
        let kinds = [FrameKind::Method, FrameKind::Special];
        let mut kinds = kinds.into_iter();
        kinds.find_map(|kind| self.lookup(kind, &key.name, &key.signature))
    }

    fn recorded_len(&self) -> usize {
        self.recorded.as_ref().map_or(0, |frames| frames.rows.len())
    }

    fn table_of(&self, id: FrameId) -> (&Frames, usize) {
        let Some(recorded) = &self.recorded else {
            return (self, id.index());
        };
        match id.index().checked_sub(recorded.rows.len()) {
            None => (recorded, id.index()),
            Some(row) => (self, row),
        }
    }

    fn text(&self, id: FrameId, name: impl Fn(&Frame) -> NameId) -> &str {
        let (table, row) = self.table_of(id);
        table.names.get(name(&table.rows[row]))
    }

    pub fn get(&self, id: FrameId) -> &Frame {
        let (table, row) = self.table_of(id);
        &table.rows[row]
    }

    pub fn synthetic(&self, id: FrameId) -> Option<Synthetic> {
        self.get(id).synthetic
    }

    pub fn synthetic_by_view(&self) -> impl Iterator<Item = (FrameId, Synthetic)> {
        let first = self.recorded_len();
        let rows = (first..)
            .zip(&self.rows)
            .filter(|_| self.recorded.is_some());
        rows.filter_map(|(row, frame)| Some((FrameId::at(row), frame.synthetic?)))
    }

    pub fn is_truncated(&self, id: FrameId) -> bool {
        matches!(self.synthetic(id), Some(Synthetic::Truncated { .. }))
    }

    pub fn truncated(&self) -> impl Iterator<Item = FrameId> {
        let ids = self.iter().map(|(id, _)| id);
        ids.filter(move |&id| self.is_truncated(id))
    }

    pub fn name(&self, id: FrameId) -> &str {
        self.text(id, |frame| frame.name)
    }

    pub fn display_name(&self, id: FrameId) -> &str {
        self.text(id, |frame| frame.shown)
    }

    pub fn module(&self, id: FrameId) -> &str {
        self.text(id, |frame| frame.module)
    }

    pub fn signature(&self, id: FrameId) -> &str {
        self.text(id, |frame| frame.signature)
    }

    pub fn plain_display_name(&self, id: FrameId) -> Cow<'_, str> {
        match self.text(id, |frame| frame.type_parameters) {
            "" => self.display_name(id).into(),
            _ => display_name(self.get(id).kind, self.name(id)).into(),
        }
    }

    pub fn is_nameless(&self, id: FrameId) -> bool {
        self.display_name(id).ends_with('?')
    }

    /// The display name, with as much of namespace, argument types and module as makes it unique.
    pub fn list_name(&self, id: FrameId) -> Cow<'_, str> {
        let shown = self.display_name(id);
        let (table, row) = self.table_of(id);
        let needs = table.distinctions.get_or_init(|| table.distinctions())[row];
        if needs == Distinction::default() {
            return shown.into();
        }
        let method = shown.strip_prefix(CONSTRUCTED).unwrap_or(shown);
        let new = &shown[..shown.len() - method.len()];
        let mut name = String::new();
        let module = self.module(id);
        if needs.has_module && !module.is_empty() {
            name.extend([module, "!"]);
        }
        name.push_str(new);
        if needs.namespaces > 0
            && let Some((namespace, _)) = namespace_and_type(self.name(id))
            && !namespace.is_empty()
        {
            name.extend([last_parts(&namespace, needs.namespaces.into()), "."]);
        }
        name.push_str(method);
        let parameters = needs.has_parameters.then(|| self.parameters(id)).flatten();
        name.push_str(&parameters.unwrap_or_default());
        name.into()
    }

    pub fn has_name(&self, id: FrameId, matches: impl Fn(&str) -> bool) -> bool {
        matches(self.display_name(id))
            || matches(self.name(id))
            || matches(self.module(id))
            || matches(&self.list_name(id))
    }

    /// The argument types as displayed, `(String[], Int32)`; `None` if unknown.
    pub fn parameters(&self, id: FrameId) -> Option<String> {
        let name = format!("{}{}", self.name(id), self.signature(id));
        display_parameters(&name, self.type_parameters(id))
    }

    fn distinctions(&self) -> Box<[Distinction]> {
        let mut distinctions = vec![Distinction::default(); self.rows.len()];
        let mut first: HashMap<NameId, usize, foldhash::fast::RandomState> = HashMap::default();
        let mut homonyms: BTreeMap<NameId, Vec<usize>> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            if row.kind != FrameKind::Method {
                continue;
            }
            match first.entry(row.shown) {
                Entry::Vacant(entry) => _ = entry.insert(at),
                Entry::Occupied(entry) => {
                    let first = || vec![*entry.get()];
                    homonyms.entry(row.shown).or_insert_with(first).push(at);
                }
            }
        }
        for rows in homonyms.values() {
            self.distinguish(rows, &mut distinctions);
        }
        distinctions.into()
    }

    fn distinguish(&self, rows: &[usize], distinctions: &mut [Distinction]) {
        let namespace = |&row: &usize| {
            let parts = namespace_and_type(self.names.get(self.rows[row].name));
            parts.unwrap_or_default().0
        };
        let namespaces: Vec<String> = rows.iter().map(namespace).collect();
        let distinct: BTreeSet<&str> = namespaces.iter().map(String::as_str).collect();
        let are_distinct = |&count: &usize| {
            let ends = distinct.iter().map(|name| last_parts(name, count));
            ends.collect::<BTreeSet<&str>>().len() == distinct.len()
        };
        let parts = (0..usize::from(u8::MAX)).find(are_distinct).unwrap_or(0);
        let arguments = |row: usize| {
            let arguments = |text: NameId| raw_arguments(self.names.get(text));
            arguments(self.rows[row].name).or_else(|| arguments(self.rows[row].signature))
        };
        let mut overloads: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
        let mut modules: BTreeMap<(&str, Option<&str>), BTreeSet<NameId>> = BTreeMap::new();
        for (&row, namespace) in rows.iter().zip(&namespaces) {
            let arguments = arguments(row);
            overloads.entry(namespace).or_default().insert(arguments);
            let modules = modules.entry((namespace, arguments)).or_default();
            modules.insert(self.rows[row].module);
        }
        for (&row, namespace) in rows.iter().zip(&namespaces) {
            distinctions[row] = Distinction {
                namespaces: parts as u8,
                has_parameters: overloads[namespace.as_str()].len() > 1,
                has_module: modules[&(namespace.as_str(), arguments(row))].len() > 1,
            };
        }
    }

    /// Sets the source location unless there is one. `line` is 0 if unknown.
    pub fn set_location(&mut self, id: FrameId, file: &str, line: u64) {
        if self.location(id).is_empty() && !file.is_empty() {
            self.rows[id.index()].location = match line {
                0 => self.names.intern(file),
                line => self.names.intern(&format!("{file}:{line}")),
            };
        }
    }

    pub fn location(&self, id: FrameId) -> &str {
        self.text(id, |frame| frame.location)
    }

    pub fn len(&self) -> usize {
        self.recorded_len() + self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn iter(&self) -> impl Iterator<Item = (FrameId, &Frame)> {
        let recorded = self.recorded.iter().flat_map(|recorded| &recorded.rows);
        let rows = recorded.chain(&self.rows).enumerate();
        rows.map(|(index, frame)| (FrameId::at(index), frame))
    }

    /// The frames with this raw name (with or without module, namespace, arguments or signature), else with this
    /// display or list name.
    pub fn find(&self, text: &str) -> Vec<FrameId> {
        let frames_with = |is_named: &dyn Fn(FrameId) -> bool| -> Vec<FrameId> {
            let frames = self
                .iter()
                .filter(|(_, frame)| frame.kind != FrameKind::Root);
            frames
                .map(|(id, _)| id)
                .filter(|&id| is_named(id))
                .collect()
        };
        let with_signature = |id| format!("{}{}", self.name(id), self.signature(id));
        let has_raw_name =
            |id| self.name(id) == text || (text.contains('(') && with_signature(id) == text);
        match frames_with(&has_raw_name) {
            none if none.is_empty() => frames_with(&|id| self.has_short_name(id, text)),
            found => found,
        }
    }

    fn has_short_name(&self, id: FrameId, text: &str) -> bool {
        let full = Spelling::of(self.name(id)).full;
        let (bare, arguments) = full.split_at(full.find('(').unwrap_or(full.len()));
        let shown = self.display_name(id);
        // such as `List<T>.Add(!0)`: the display name with raw arguments
        let has_arguments = || text.contains('(') && format!("{shown}{arguments}") == text;
        let short = [shown, full, bare];
        short.contains(&text) || has_arguments() || self.list_name(id) == text
    }
}

/// Stores names and rows; reading rebuilds the lookup tables. Fails for a view's frames.
impl BorshSerialize for Frames {
    fn serialize<W: Write>(&self, writer: &mut W) -> Result<()> {
        if self.recorded.is_some() {
            return Err(ErrorKind::InvalidInput.into());
        }
        self.names.serialize(writer)?;
        self.rows.serialize(writer)
    }
}

impl BorshDeserialize for Frames {
    fn deserialize_reader<R: Read>(reader: &mut R) -> Result<Frames> {
        let names = Names::deserialize_reader(reader)?;
        let mut frames = Frames {
            names,
            rows: Vec::deserialize_reader(reader)?,
            ..Frames::default()
        };
        frames.by_identity.reserve(frames.rows.len());
        for (index, row) in frames.rows.iter().enumerate() {
            // other synthetic frames are found by what they represent
            if matches!(row.synthetic, None | Some(Synthetic::Truncated { .. })) {
                let key = (row.name, row.signature, row.kind);
                frames.by_identity.entry(key).or_insert(FrameId::at(index));
            }
        }
        Ok(frames)
    }
}

#[cfg(test)]
mod tests;
