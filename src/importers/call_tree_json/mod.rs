//! Call-tree JSON, `dotspot.call-tree/1`: written by the helper, exported by dotspot, and read by agents.
//!
//! The contract is one object with the members `schema`, `snapshot`, `thread_roots`, `call_tree` and `hotspots`; times
//! are decimal milliseconds. Hotspots follow from the tree and are not read. Members of every object may come in any
//! order, and unknown ones are skipped. A file of this shape needs no `schema`.
//!
//! dotspot adds members, which `docs/format-details.md` lists.
//!
//! Values of metrics other than times are integers in their unit. The root of an exported subtree may be any kind of
//! node; if it is part of a thread, it has `thread_name`, and a row of `thread_roots` has its id.
//!
//! Ids are preserved if all but the root's are `0x<offset>` or all are `t<thread>:0x<offset>`; otherwise they are `n`
//! and the preorder index.
//!
//! Nodes have `call_count`, `sample_count`, or `count` if the source does not say which it counts
//! (`"counts":"counts"`). Older files store samples as `call_count`; the metric's `counts` or the kind of the profile
//! tells them apart.

mod halves;
mod header;
mod ids;
mod names;
mod nodes;

use super::{Format, ReadOptions};
use crate::diagnostics::{Anomaly, Diagnostic};
use crate::importers::messages;
use crate::input::json::{JsonError, JsonReader, in_member};
use crate::input::parallel_tail::ParallelTail;
use crate::input::{Confidence, Failure, Head, ImportError, Input, Progress};
use crate::model::{
    Built, Metric, MetricId, NodeIds, RawNode, RecordedNode, Recording, Source, Thread,
};
use header::{DocumentHeader, ThreadRoot, read_value};
use ids::Ids;
use nodes::{Nodes, RawThread};
use std::collections::{HashMap, HashSet};

pub(super) const FORMAT: Format = Format {
    name: "calltree",
    title: "call-tree JSON",
    extensions: &[".json"],
    metrics: messages::METRICS_OF_CALL_TREE,
    limitations: messages::UNDOCUMENTED_MEMBERS,
    sniff,
    read,
};

const SCHEMA: &str = "dotspot.call-tree/1";
const SCHEMA_FAMILY: &str = "dotspot.call-tree";

const MAIN: MetricId = MetricId(0);

fn sniff(head: &Head) -> Option<Confidence> {
    head.sniff_json(&[], |member, text, found| {
        match member {
            "schema" => {
                let is_own = text.starts_with(SCHEMA_FAMILY);
                *found = is_own.then_some(Confidence::Certain);
            }
            "call_tree"
            | "thread_roots"
            | "snapshot.payload_type"
            | "snapshot.time_unit"
            | "snapshot.decoder"
            | "snapshot.thread_count"
            | "snapshot.source" => *found = Some(Confidence::Likely),
            _ => {}
        }
        member != "schema"
    })
}

fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let half = ParallelTail::of(&input, 50, halves::next_node);
    read_as_far(input, half, true)
}

/// Reads a file that must be complete, such as a program's output.
pub fn read_whole(input: Input) -> Result<Recording, ImportError> {
    read_as_far(input, None, false)
}

fn read_as_far(
    input: Input,
    half: Option<ParallelTail>,
    may_break_off: bool,
) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress.clone());
    let mut file = File {
        header: DocumentHeader::default(),
        nodes: None,
        schema: None,
        half,
    };
    let result = file.read_members(&mut reader, &progress);
    if let Some(schema) = file.schema.as_deref().filter(|schema| *schema != SCHEMA) {
        let problem = messages::other_schema(&SCHEMA, &format_args!("{schema:?}"));
        let failure = Failure::new(name, FORMAT.title, problem);
        let advice = match schema.starts_with(SCHEMA_FAMILY) {
            true => messages::TRY_NEWER_DOTSPOT,
            false => messages::SEE_FORMATS,
        };
        return Err(failure.advice(advice).into());
    }
    let is_useful = may_break_off && file.nodes.as_ref().is_some_and(Nodes::has_any_name);
    let unexpected_end = JsonError::unexpected_end(result, is_useful, &name, FORMAT.title)?;
    let Some(nodes) = file.nodes else {
        let failure = Failure::new(name, FORMAT.title, messages::NO_CALL_TREE);
        return Err(failure.advice(messages::WRITE_WITH_TREE).into());
    };
    Ok(profile(&name, file.header, nodes, unexpected_end))
}

struct File {
    header: DocumentHeader,
    nodes: Option<Nodes>,
    schema: Option<String>,
    half: Option<ParallelTail>,
}

impl File {
    fn read_members(
        &mut self,
        reader: &mut JsonReader<Input>,
        progress: &Progress,
    ) -> Result<(), JsonError> {
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "schema" => {
                    let schema = self.schema.insert(reader.string()?.to_string());
                    if schema != SCHEMA {
                        return Ok(());
                    }
                }
                "snapshot" => {
                    read_value(reader, &mut self.header.snapshot).map_err(in_member("snapshot"))?
                }
                "thread_roots" => read_value(reader, &mut self.header.thread_roots)
                    .map_err(in_member("thread_roots"))?,
                "call_tree" if self.nodes.is_none() => {
                    if reader.take_null()? {
                        continue;
                    }
                    let nodes = self.nodes.insert(Nodes::new(&self.header));
                    // if much precedes the tree, it may begin after the middle
                    let half = self
                        .half
                        .take()
                        .filter(|half| half.offset > reader.offset());
                    let read = match half {
                        Some(half) => halves::read(nodes, reader, &self.header, progress, half),
                        None => nodes.read(reader, &self.header, None, None).map(drop),
                    };
                    read.map_err(in_member("call_tree"))?;
                }
                _ => reader.skip()?,
            }
        }
        reader.end()
    }
}

/// `unexpected_end` is where the file ended early.
fn profile(
    file: &str,
    header: DocumentHeader,
    mut nodes: Nodes,
    unexpected_end: Option<u64>,
) -> Recording {
    nodes.close_all();
    let metrics = final_metrics(&header, &mut nodes);
    let mut diagnostics: Vec<Diagnostic> = header.diagnostics().collect();
    diagnostics.extend(anomalies(&nodes));
    diagnostics.extend(unexpected_end.map(Diagnostic::file_ends_at));
    let Nodes {
        builder,
        frames,
        threads,
        ids,
        ..
    } = nodes;
    // the file decides which metric comes first; siblings keep its order even in a subtree without that metric
    let built = builder.finish(&frames, MAIN);
    let raw_threads = outermost(threads, &built);
    let (offsets, numbers) = offsets_in_threads(&ids, &raw_threads, &built).unzip();
    let threads = name_threads(raw_threads, &header, numbers.as_deref());
    let node_ids = match offsets {
        Some(offsets) => NodeIds::ThreadOffsets(offsets),
        None => plain_offsets(ids, &built, &mut diagnostics),
    };
    let source = Source {
        name: match header.snapshot.source.as_str() {
            "" => file.to_string(),
            source => source.to_string(),
        },
        format: FORMAT.name.into(),
        kind: header.kind(),
        facts: header.facts(),
        decoder: header.snapshot.decoder.clone(),
        decoder_version: header.snapshot.decoder_version.clone(),
    };
    let method_notes = header.method_notes();
    Recording {
        node_ids,
        diagnostics,
        method_notes: method_notes.clone(),
        own_notes: method_notes,
        ..Recording::new(source, frames, built.tree, metrics, MAIN).with_threads(threads)
    }
}

/// As the whole file declares them. Values read before their unit was known are converted.
fn final_metrics(header: &DocumentHeader, nodes: &mut Nodes) -> Vec<Metric> {
    let (_, main_scale) = header.unit_and_scale();
    let mut metrics = vec![header.main_metric(nodes.columns[0].has_counts, nodes.stated_counts)];
    let mut scales = vec![main_scale];
    for (index, column) in nodes.columns.iter().enumerate().skip(1) {
        let open = metrics[0].counts.filter(|_| column.has_counts);
        let metric = match header.snapshot.other_metrics.get(index - 1) {
            Some(row) => {
                scales.push(row.unit().stored_per_unit());
                Metric::new(row.name.clone(), row.unit(), row.counts_or(open))
            }
            None => {
                scales.push(column.scale);
                Metric::time("", open)
            }
        };
        metrics.push(metric);
    }
    for (index, column) in nodes.columns.iter().enumerate() {
        let id = MetricId::at(index);
        if column.scale != scales[index] {
            nodes
                .builder
                .map_values(id, |value| rescaled(value, column.scale, scales[index]));
        }
        if metrics[index].counts.is_none() {
            nodes.builder.drop_counts(id);
        }
    }
    make_distinct(&mut metrics);
    metrics
}

fn rescaled(value: u64, from: u64, to: u64) -> u64 {
    let product = u128::from(value) * u128::from(to);
    u64::try_from((product + u128::from(from / 2)) / u128::from(from)).unwrap_or(u64::MAX)
}

fn make_distinct(metrics: &mut [Metric]) {
    let mut taken = HashSet::new();
    for (index, metric) in metrics.iter_mut().enumerate() {
        let mut name = metric.name.clone();
        let mut number = index + 1;
        while name.is_empty() || !taken.insert(name.to_lowercase()) {
            let stem = match metric.name.is_empty() {
                true => "metric",
                false => &metric.name,
            };
            name = format!("{stem} {number}");
            number += 1;
        }
        metric.name = name;
    }
}

fn anomalies(nodes: &Nodes) -> Vec<Diagnostic> {
    let count = nodes.nameless_nodes;
    let unknown = nodes.unknown_kinds.clone();
    let all = [
        Anomaly::ValuesClamped.times(nodes.clamped_values),
        (count > 0).then_some(Diagnostic::NodesNameless { count }),
        unknown.map(|(first, count)| Diagnostic::NodeKindsUnknown { count, first }),
    ];
    all.into_iter().flatten().collect()
}

type PlacedThread = (RecordedNode, RawThread);

fn outermost(threads: Vec<RawThread>, built: &Built<RecordedNode>) -> Vec<PlacedThread> {
    let placed = threads.into_iter().map(|raw| (built.node(raw.node), raw));
    let mut placed: Vec<PlacedThread> = placed.collect();
    placed.sort_by_key(|(node, _)| *node);
    let mut end = RecordedNode::ROOT;
    placed.retain(|(node, _)| {
        let is_outermost = *node >= end;
        if is_outermost {
            end = built.tree.end(*node);
        }
        is_outermost
    });
    placed
}

/// The offset of each node and the id of each thread, if all ids but the root's name their thread, and no two threads
/// share an id.
fn offsets_in_threads(
    ids: &Ids,
    threads: &[PlacedThread],
    built: &Built<RecordedNode>,
) -> Option<(Vec<u64>, Vec<u32>)> {
    let mut by_node = vec![0; built.tree.len()];
    let mut thread_of = vec![u32::MAX; built.tree.len()];
    for (raw, node) in (0..).map(RawNode).zip(built.nodes()) {
        if let Some((thread, offset)) = ids.in_thread(raw) {
            by_node[node.index()] = offset;
            thread_of[node.index()] = thread;
        } else if node != RecordedNode::ROOT {
            return None;
        }
    }
    let mut covered = 0;
    let mut numbers = Vec::with_capacity(threads.len());
    for (node, _) in threads {
        let range = built.tree.range(*node);
        let number = thread_of[range.start];
        covered += range.len();
        if number == u32::MAX || thread_of[range].iter().any(|&other| other != number) {
            return None;
        }
        numbers.push(number);
    }
    let is_distinct = numbers.iter().collect::<HashSet<_>>().len() == numbers.len();
    // only the root is in no thread
    let has_root = threads.iter().all(|(node, _)| *node != RecordedNode::ROOT);
    let is_covered = covered + usize::from(has_root) == built.tree.len();
    (is_distinct && is_covered && !threads.is_empty()).then_some((by_node, numbers))
}

fn plain_offsets(
    ids: Ids,
    built: &Built<RecordedNode>,
    diagnostics: &mut Vec<Diagnostic>,
) -> NodeIds {
    let Some(offsets) = ids.into_offsets(built.tree.len()) else {
        return NodeIds::Preorder;
    };
    let repeated = ids::repeated(&offsets);
    if repeated > 0 {
        let ids = repeated as u64;
        diagnostics.push(Diagnostic::NodeIdsRepeated { ids });
        return NodeIds::Preorder;
    }
    NodeIds::Offsets(built.by_node(offsets, 0))
}

fn name_threads(
    placed: Vec<PlacedThread>,
    header: &DocumentHeader,
    numbers: Option<&[u32]>,
) -> Vec<Thread<RecordedNode>> {
    // the first of several rows with the same id wins
    let rows = header.thread_roots.iter().rev();
    let rows: HashMap<u64, &ThreadRoot> = rows
        .filter_map(|row| Some((header.id_key(row.id.as_ref()?.as_bytes()), row)))
        .collect();
    let name_thread = |(index, (node, raw)): (usize, PlacedThread)| {
        let listed = rows.get(&raw.id_key).copied();
        let name = raw
            .thread_name
            .or_else(|| listed.and_then(|row| row.thread_name.clone()))
            .unwrap_or(raw.name);
        let id = match (numbers, listed) {
            (Some(numbers), _) => numbers[index].to_string(),
            (None, Some(row)) if !row.thread_id.is_empty() => row.thread_id.clone(),
            _ => number_in(&name).unwrap_or_default().to_string(),
        };
        Thread { node, id, name }
    };
    placed.into_iter().enumerate().map(name_thread).collect()
}

fn number_in(name: &str) -> Option<&str> {
    let is_thread = name
        .get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("thread"));
    let mut numbers = name
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty());
    let number = numbers.next().filter(|_| is_thread)?;
    numbers.next().is_none().then_some(number)
}

#[cfg(test)]
mod tests;
