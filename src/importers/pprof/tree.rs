use super::tables::{Location, Tables, ValueType, field};
use super::wire::{Fields, WireValue, numbers};
use crate::importers::assembly::ProfileAssembly;
use crate::importers::dotnet::{short_module, thread_title};
use crate::importers::node_limit::max_nodes;
use crate::input::Progress;
use crate::input::error::TreeBuildError;
use crate::model::{CountKind, FrameId, Metric, MetricId, RawNode, Source, TooLarge, TreeBuilder};
use crate::names::{FrameKind, module_name, split_module};
use crate::units::Unit;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

pub(super) const MAX_METRICS: usize = 16;
/// Labels with a thread's id or name. Sources: users of runtime/pprof, Datadog's and Pyroscope's .NET profilers,
/// py-spy.
const THREAD_ID_KEYS: [&[u8]; 4] = [b"thread_id", b"thread id", b"tid", b"thread native id"];
const THREAD_NAME_KEYS: [&[u8]; 3] = [b"thread", b"thread_name", b"thread name"];
/// In all samples, which can repeat a location with many inlined functions.
const MIN_FRAMES: u64 = 1 << 22;
const FRAMES_PER_BYTE: u64 = 64;
type Steps = (u64, u64);

pub(super) fn build<'a>(
    profile: &[u8],
    tables: &'a Tables<'a>,
    source: Source,
    progress: &Progress,
) -> Result<StackTreeBuilder<'a>, TreeBuildError> {
    let (mut metrics, steps) = columns(tables);
    let default_metric = default_metric(profile, tables, &metrics);
    let is_samples = |metric: &Metric| metric.name == "samples" && metric.unit == Unit::Count;
    let counted = metrics.iter().position(is_samples);
    let times = metrics.iter().filter(|it| it.unit == Unit::Milliseconds);
    // with several times, it is unknown which of them the samples belong to
    let is_clear = times.count() <= 1;
    let counted = counted.filter(|&at| is_clear && at != default_metric.index());
    if counted.is_some() {
        metrics[default_metric.index()].counts = Some(CountKind::Samples);
    }
    let keys = ThreadKeys {
        ids: tables.strings_like(|text| THREAD_ID_KEYS.contains(&text)),
        names: tables.strings_like(|text| THREAD_NAME_KEYS.contains(&text)),
    };
    let file_bytes = profile.len() as u64;
    let max_nodes = max_nodes(&metrics, file_bytes);
    let root = match keys.is_empty() {
        true => "All samples",
        false => "All threads",
    };
    let mut assembly = ProfileAssembly::new(source, root, metrics);
    assembly.builder.sum_counts();
    let mut tree_builder = StackTreeBuilder {
        tables,
        by_location: HashMap::default(),
        stack: Vec::new(),
        path: Path::default(),
        by_thread: HashMap::new(),
        last_thread: None,
        remaining_frames: MIN_FRAMES.saturating_add(FRAMES_PER_BYTE * file_bytes),
        max_nodes,
        assembly,
        default_metric,
        negative: 0,
        without_location: 0,
    };
    let mut current = Sample::default();
    for (count, sample) in samples(profile).enumerate() {
        if count.is_multiple_of(1024) {
            progress.at(tree_builder.assembly.builder.len())?;
        }
        current.read(sample, steps.len(), &keys, tables);
        let base = match keys.is_empty() {
            true => TreeBuilder::ROOT,
            false => tree_builder.thread(&current)?,
        };
        let leaf = tree_builder.insert_stack(base, &current.locations)?;
        tree_builder.add_values(leaf, &current.values, &steps, counted);
    }
    Ok(tree_builder)
}

fn samples(profile: &[u8]) -> impl Iterator<Item = &[u8]> {
    Fields::new(profile).filter_map(|field| match field {
        (field::SAMPLE, WireValue::Bytes(sample)) => Some(sample),
        _ => None,
    })
}

fn columns(tables: &Tables) -> (Vec<Metric>, Vec<Steps>) {
    let (mut metrics, mut steps): (Vec<Metric>, Vec<Steps>) = Default::default();
    for &[what, unit] in tables.sample_types.iter().take(MAX_METRICS) {
        let (unit, steps_per_unit) = unit_named(&tables.text(unit));
        let mut name = tables.text(what);
        if name.is_empty() {
            name = "value".into();
        }
        let names = metrics.iter().map(|metric| &metric.name);
        let same = names.filter(|known| known.split(" #").next() == Some(&name));
        let same = same.count();
        if same > 0 {
            name = format!("{name} #{}", same + 1).into();
        }
        metrics.push(Metric::new(name, unit, None));
        steps.push(steps_per_unit);
    }
    if metrics.is_empty() {
        // without types, the values are meaningless, but the tree is still useful
        metrics.push(Metric::new("samples", Unit::Count, None));
        steps.push((1, 1));
    }
    (metrics, steps)
}

/// As in google/pprof's `measurement.go`.
pub(super) fn unit_named(name: &str) -> (Unit, Steps) {
    const SECOND: u64 = 1_000_000_000;
    const UNITS: &[(&[&str], Unit, Steps)] = &[
        (&["nanosecond", "ns"], Unit::Milliseconds, (1, 1)),
        (&["microsecond", "us", "µs"], Unit::Milliseconds, (1_000, 1)),
        (&["millisecond", "ms"], Unit::Milliseconds, (1_000_000, 1)),
        (&["second", "sec", "s"], Unit::Milliseconds, (SECOND, 1)),
        (&["minute", "min"], Unit::Milliseconds, (60 * SECOND, 1)),
        (&["byte", "b"], Unit::Bytes, (1, 1)),
        (&["kilobyte", "kb"], Unit::Bytes, (1 << 10, 1)),
        (&["megabyte", "mb"], Unit::Bytes, (1 << 20, 1)),
        (&["gigabyte", "gb"], Unit::Bytes, (1 << 30, 1)),
    ];
    let name = name.to_lowercase();
    let single = name.strip_suffix('s').filter(|rest| rest.len() > 1);
    let find_unit = |name| UNITS.iter().find(|(names, ..)| names.contains(&name));
    let known = find_unit(&*name).or_else(|| find_unit(single?));
    known.map_or((Unit::Count, (1, 1)), |&(_, unit, steps)| (unit, steps))
}

/// What the file prefers, else the last one, as in google/pprof; only metrics with values qualify.
fn default_metric(profile: &[u8], tables: &Tables, metrics: &[Metric]) -> MetricId {
    let default = tables.text(tables.default_type);
    let types = &tables.sample_types[..tables.sample_types.len().min(metrics.len())];
    let is_preferred = |&[what, _]: &ValueType| !default.is_empty() && tables.text(what) == default;
    let preferred = types.iter().position(is_preferred);
    let preferred = preferred.unwrap_or(metrics.len() - 1);
    let mut has_values = [false; MAX_METRICS];
    for sample in samples(profile) {
        let values = Fields::new(sample).filter(|(field, _)| *field == 2);
        let values = values.flat_map(|(_, value)| numbers(value));
        for (value, has) in values.zip(&mut has_values) {
            *has |= stored(value) > 0;
        }
        // the first sample usually has one
        if has_values[preferred] {
            break;
        }
    }
    Metric::shown_first(metrics, MetricId::at(preferred), |metric| {
        has_values[metric.index()]
    })
}

/// Values are signed. Negative ones, as in a diff of two profiles, count as zero.
fn stored(value: u64) -> u64 {
    if value > i64::MAX as u64 { 0 } else { value }
}

struct ThreadKeys {
    ids: Vec<u64>,
    names: Vec<u64>,
}

impl ThreadKeys {
    fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.names.is_empty()
    }
}

#[derive(Default)]
struct Sample<'a> {
    locations: Vec<u64>,
    values: Vec<u64>,
    /// From its labels; may be empty.
    thread_id: Cow<'a, str>,
    thread_name: Cow<'a, str>,
}

impl<'a> Sample<'a> {
    fn read(&mut self, sample: &[u8], metrics: usize, keys: &ThreadKeys, tables: &Tables<'a>) {
        self.locations.clear();
        self.values.clear();
        (self.thread_id, self.thread_name) = Default::default();
        for (field, value) in Fields::new(sample) {
            match (field, value) {
                (1, value) => self.locations.extend(numbers(value)),
                (2, value) => self
                    .values
                    .extend(numbers(value).take(metrics - self.values.len())),
                (3, WireValue::Bytes(label)) if !keys.is_empty() => {
                    self.read_label(label, keys, tables)
                }
                _ => {}
            }
        }
    }

    fn read_label(&mut self, label: &[u8], keys: &ThreadKeys, tables: &Tables<'a>) {
        let [key, text, number] = super::tables::numbers_of(label, [1, 2, 3]);
        let value = || match text {
            0 => number.cast_signed().to_string().into(),
            text => tables.text(text),
        };
        if keys.ids.contains(&key) && self.thread_id.is_empty() {
            self.thread_id = value();
        } else if keys.names.contains(&key) {
            self.thread_name = value();
        }
    }
}

#[derive(Clone)]
struct LocationPlace {
    /// In [`StackTreeBuilder::stack`], outermost first.
    frames: Range<usize>,
    is_missing: bool,
}

/// The previous sample's stack. Consecutive samples share most of their stacks.
#[derive(Default)]
struct Path {
    base: Option<RawNode>,
    steps: Vec<PathStep>,
}

struct PathStep {
    location: u64,
    node: RawNode,
    /// Up to and including this location. Each is a node, so the number fits.
    frames: u32,
    /// The file lacks this location or one above it.
    is_missing: bool,
}

impl Path {
    fn share(&mut self, base: RawNode, locations: impl Iterator<Item = u64>) {
        if self.base.replace(base) != Some(base) {
            self.steps.clear();
        }
        let pairs = self.steps.iter().zip(locations);
        let shared = pairs.take_while(|(step, location)| step.location == *location);
        self.steps.truncate(shared.count());
    }
}

pub(super) struct StackTreeBuilder<'a> {
    tables: &'a Tables<'a>,
    by_location: HashMap<u64, LocationPlace, foldhash::fast::RandomState>,
    stack: Vec<FrameId>,
    path: Path,
    by_thread: HashMap<(String, String), RawNode>,
    /// The previous sample's, usually the next one's as well.
    last_thread: Option<(Cow<'a, str>, Cow<'a, str>, RawNode)>,
    remaining_frames: u64,
    max_nodes: u64,
    pub assembly: ProfileAssembly,
    pub default_metric: MetricId,
    pub negative: u64,
    /// Samples that refer to a location missing from the file.
    pub without_location: u64,
}

impl<'a> StackTreeBuilder<'a> {
    /// The value in column `counted` is also the count for the default metric.
    #[inline]
    fn add_values(
        &mut self,
        leaf: RawNode,
        values: &[u64],
        columns: &[Steps],
        counted: Option<usize>,
    ) {
        let builder = &mut self.assembly.builder;
        let mut samples = 0;
        for (at, (&value, &(times, by))) in values.iter().zip(columns).enumerate() {
            self.negative += u64::from(value > i64::MAX as u64);
            let value = stored(value);
            let steps = value.saturating_mul(times) / by;
            builder.add_exclusive(MetricId::at(at), leaf, steps);
            if counted == Some(at) {
                samples = value;
            }
        }
        builder.add_count(self.default_metric, leaf, samples);
    }

    fn insert_stack(
        &mut self,
        base: RawNode,
        locations: &[u64],
    ) -> Result<RawNode, TreeBuildError> {
        let outermost_first = locations.iter().rev().copied();
        self.path.share(base, outermost_first.clone());
        let shared = self.path.steps.len();
        let last = self.path.steps.last();
        let (mut node, mut frames, mut is_missing) = last.map_or((base, 0, false), |step| {
            (step.node, step.frames, step.is_missing)
        });
        self.spend_frames(frames as usize)?;
        for location in outermost_first.skip(shared) {
            let place = self.location_place(location);
            let count = place.frames.len();
            self.spend_frames(count)?;
            let builder = &mut self.assembly.builder;
            node = builder.push_stack(node, self.stack[place.frames].iter().copied())?;
            if builder.len() as u64 > self.max_nodes {
                return Err(TreeBuildError::TooLarge);
            }
            frames += count as u32;
            is_missing |= place.is_missing;
            self.path.steps.push(PathStep {
                location,
                node,
                frames,
                is_missing,
            });
        }
        self.without_location += u64::from(is_missing);
        Ok(node)
    }

    fn spend_frames(&mut self, frames: usize) -> Result<(), TreeBuildError> {
        let left = self.remaining_frames.checked_sub(frames as u64);
        self.remaining_frames = left.ok_or(TreeBuildError::TooLarge)?;
        Ok(())
    }

    fn thread(&mut self, sample: &Sample<'a>) -> Result<RawNode, TooLarge> {
        if let Some((id, name, node)) = &self.last_thread
            && (id, name) == (&sample.thread_id, &sample.thread_name)
        {
            return Ok(*node);
        }
        let (id, name) = (sample.thread_id.clone(), sample.thread_name.clone());
        let node = self.thread_named((id.to_string(), name.to_string()))?;
        self.last_thread = Some((id, name, node));
        Ok(node)
    }

    fn thread_named(&mut self, thread: (String, String)) -> Result<RawNode, TooLarge> {
        if let Some(&known) = self.by_thread.get(&thread) {
            return Ok(known);
        }
        let thread = (self.tables.shorten(thread.0), self.tables.shorten(thread.1));
        let entry = match self.by_thread.entry(thread) {
            Entry::Occupied(known) => return Ok(*known.get()),
            Entry::Vacant(entry) => entry,
        };
        let (id, name) = entry.key().clone();
        let label = match (id.as_str(), name.as_str()) {
            ("", "") => "Thread unknown".to_string(),
            ("", name) => format!("Thread {name}"),
            (id, name) => thread_title(id, name),
        };
        let node = (self.assembly).add_thread(TreeBuilder::ROOT, &label, id, name)?;
        Ok(*entry.insert(node))
    }

    fn location_place(&mut self, id: u64) -> LocationPlace {
        if let Some(known) = self.by_location.get(&id) {
            return known.clone();
        }
        let (start, location) = (self.stack.len(), self.tables.locations.get(&id));
        for &function in location.iter().flat_map(|of| of.functions.iter().rev()) {
            let frame = self.function(function, location);
            self.stack.push(frame);
        }
        if self.stack.len() == start {
            let frame = self.unnamed(location);
            self.stack.push(frame);
        }
        let place = LocationPlace {
            frames: start..self.stack.len(),
            is_missing: location.is_none(),
        };
        self.by_location.insert(id, place.clone());
        place
    }

    fn function(&mut self, id: u64, location: Option<&Location>) -> FrameId {
        let tables = self.tables;
        let function = tables.functions.get(&id).copied().unwrap_or_default();
        let names = [function.name, function.system_name].map(|name| tables.text(name));
        let start = start_of_signature(&names[0], &names[1]);
        let signature = names[0][start..].to_string();
        let Some(name) = names.into_iter().find(|name| !name.is_empty()) else {
            return self.unnamed(location);
        };
        let name = name.strip_suffix(&*signature).unwrap_or(&name);
        let name = match &*self.module(location) {
            module if !module.is_empty() && split_module(name).0.is_empty() => {
                format!("{module}!{name}")
            }
            _ => name.to_string(),
        };
        let (name, signature) = (tables.shorten(name), tables.shorten(signature));
        let frames = &mut self.assembly.frames;
        let frame = frames.intern(FrameKind::Method, &name, &signature);
        let file = tables.shorten(tables.text(function.file).into_owned());
        frames.set_location(frame, &file, function.start_line);
        frame
    }

    fn module(&self, location: Option<&Location>) -> String {
        let file = location.and_then(|location| self.tables.mappings.get(&location.mapping));
        let file = file.map(|&file| self.tables.text(file)).unwrap_or_default();
        short_module(module_name(&file)).to_string()
    }

    fn unnamed(&mut self, location: Option<&Location>) -> FrameId {
        // relative to the process's address space, not to the module
        let address = location.map(|location| location.address);
        let name = match (&*self.module(location), address) {
            (_, None) => "[Location missing]".into(),
            ("", Some(address)) => format!("[{address:#x}]"),
            (module, Some(address)) => format!("[{module} {address:#x}]"),
        };
        let frames = &mut self.assembly.frames;
        frames.intern(FrameKind::Special, &name, "")
    }
}

/// Where the parameters start in a name of system name and parameters, as dotspot writes overloads; else the end of the
/// name.
fn start_of_signature(name: &str, system_name: &str) -> usize {
    let rest = name.strip_prefix(system_name).unwrap_or("");
    let is_signature = !system_name.is_empty() && rest.starts_with('(');
    name.len() - if is_signature { rest.len() } else { 0 }
}

#[cfg(test)]
mod tests;
