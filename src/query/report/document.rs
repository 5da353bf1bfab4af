//! The document `dotspot.report/1`.

use super::contents::LeftOut;
use super::plan::Section;
use super::rows::{Chain, LeftOutCalls, TreeLine};
use super::selected::{Call, Selected};
use crate::analysis::{Hotspot, HotspotOrder, Wait};
use crate::model::{FrameId, NodeId};
use crate::object::{IfAny, if_any, if_rows, object};
use crate::query::values::{Value, metric_name, range_row};
use crate::query::waits::threads_text;
use crate::units::Unit;
use indexmap::IndexSet;
use serde::Serialize;
use std::collections::BTreeMap;

struct DocumentBuilder<'a> {
    selected: &'a Selected<'a>,
    unit: Unit,
    /// Rows name a method by its place here.
    methods: IndexSet<FrameId>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum TreeRow<A, B> {
    Calls(A),
    LeftOut(B),
}

pub(super) fn document<'a>(selected: &'a Selected) -> impl Serialize + use<'a> {
    let (contents, view) = (selected.contents, selected.contents.view);
    let metric = view.recording.metric(contents.measure.metric);
    let mut builder = DocumentBuilder {
        selected,
        unit: metric.unit,
        methods: IndexSet::new(),
    };
    let (caveats, caveats_left_out) = selected.caveats();
    let part = contents.is_part().then(|| builder.part());
    let (notes, notes_left_out) = builder.notes();
    let (waits, waits_left_out) = builder.waits();
    let [user_code, all_code] = [Section::User, Section::All].map(|list| builder.methods(list));
    let callers = builder.callers();
    let tree = builder.tree();
    let methods = builder.methods.iter().map(|&frame| method(selected, frame));
    object! {
        schema: "dotspot.report/1",
        file: contents.request.file,
        format: view.recording.source.format.to_string(),
        kind: view.recording.source.kind.name(),
        facts: if_any(selected.facts().collect::<BTreeMap<_, _>>()),
        threads: view.threads.len(),
        chosen: IfAny(selected.threads()),
        range: IfAny(range_row(view)),
        steps: if_any(view.steps.transform_words(&view.recording)),
        part: IfAny(part),
        metric: metric_name(metric),
        total: builder.value(contents.total),
        whole: IfAny(contents.whole().map(|whole| builder.value(whole))),
        samples: IfAny(contents.samples),
        waiting_left_out: builder.if_any(contents.waiting),
        caveats: if_any(caveats),
        caveats_left_out: if_any(caveats_left_out),
        notes: if_rows(notes.into_iter()),
        notes_left_out: if_any(notes_left_out),
        conditions: if_any(selected.conditions()),
        waits: if_rows(waits.into_iter()),
        waits_left_out,
        methods: methods.collect::<Vec<_>>(),
        user_code: IfAny(user_code),
        all_code: IfAny(all_code),
        callers: if_rows(callers.into_iter()),
        tree,
        question: IfAny(selected.question()),
    }
}

fn method(selected: &Selected, frame: FrameId) -> impl Serialize + use<> {
    let contents = selected.contents;
    object! {
        name: contents.name(frame),
        is_user_code: contents.is_user_code(frame),
        home: if_any(contents.home(frame)),
    }
}

fn left_out(unit: Unit, left_out: LeftOut) -> impl Serialize + use<> {
    object! {
        count: left_out.count,
        sum: Value::new(unit, left_out.sum),
        largest: Value::new(unit, left_out.largest),
    }
}

impl DocumentBuilder<'_> {
    fn value(&self, stored: u64) -> Value {
        Value::new(self.unit, stored)
    }

    fn if_any(&self, stored: u64) -> IfAny<Value> {
        IfAny((stored > 0).then(|| self.value(stored)))
    }

    fn method(&mut self, frame: FrameId) -> usize {
        self.methods.insert_full(frame).0
    }

    fn call(&mut self, call: Call<FrameId>) -> Call<usize> {
        match call {
            Call::Method(frame) => Call::Method(self.method(frame)),
            Call::Word(word) => Call::Word(word),
            Call::Unnamed { unnamed } => Call::Unnamed { unnamed },
        }
    }

    fn calls(&mut self, calls: Vec<Call<FrameId>>) -> Vec<Call<usize>> {
        calls.into_iter().map(|call| self.call(call)).collect()
    }

    fn part(&mut self) -> impl Serialize + use<> {
        let contents = self.selected.contents;
        let node = contents.subject.node;
        let above = node.map_or(Vec::new(), |node| self.selected.calls_above(node));
        object! {
            name: contents.subject_name(),
            occurrences: IfAny(contents.subject.occurrences),
            node: IfAny(node.map(|node: NodeId| contents.view.node_label(node))),
            called_by: if_any(self.calls(above)),
        }
    }

    fn notes(&mut self) -> (Vec<impl Serialize + use<>>, usize) {
        let (notes, left_out) = self.selected.notes();
        let notes = notes.iter().map(|note| {
            object! {
                method: self.method(note.frame),
                note: note.visible_text(),
                in_file: if_any(note.is_in_file),
            }
        });
        (notes.collect(), left_out)
    }

    fn waits(&mut self) -> (Vec<impl Serialize + use<>>, IfAny<impl Serialize + use<>>) {
        let contents = self.selected.contents;
        let metric = contents.waits.as_ref().map(|waits| waits.part.metric());
        let metric = metric.unwrap_or(contents.measure.metric);
        let unit = contents.view.recording.metric(metric).unit;
        let (rows, rest) = self.selected.waits();
        let row = |row: &Wait| {
            let on_cpu = contents.spins(row).then(|| Value::new(unit, row.on_cpu));
            Some(object! {
                method: self.method(row.user?),
                waits_in: self.method(row.wait),
                waiting: Value::new(unit, row.waiting),
                on_cpu: IfAny(on_cpu),
                threads: threads_text(contents.view, &row.threads),
            })
        };
        let rows = rows.iter().filter_map(row).collect();
        let left_out = (rest.count > 0).then(|| left_out(unit, rest));
        (rows, IfAny(left_out))
    }

    fn methods(&mut self, section: Section) -> Option<impl Serialize + use<>> {
        let (contents, unit) = (self.selected.contents, self.unit);
        let list = self.selected.methods(section)?;
        let value = |stored| Value::new(unit, stored);
        let row = |row: &Hotspot| {
            object! {
                method: self.method(row.frame),
                own_plus_system: IfAny(contents.own_and_system(row.frame).map(value)),
                exclusive: value(row.weight(HotspotOrder::Exclusive)),
                inclusive: value(row.weight(HotspotOrder::Inclusive)),
                calls: IfAny(contents.method_calls(row)),
                own_samples: IfAny(row.own_samples),
                waits_percent: IfAny(contents.waits_percent(row, list.is_user_code)),
            }
        };
        let rows = list.rows.iter().map(row).collect::<Vec<_>>();
        let without_caller = list.most_of_no_method.into_iter().map(|(frame, own)| {
            object! { method: self.method(frame), exclusive: value(own) }
        });
        let most_of_no_method = if_rows(without_caller);
        let rest = list.left_out;
        Some(object! {
            rows,
            left_out: IfAny((rest.count > 0).then(|| left_out(unit, rest))),
            of_no_method: self.if_any(list.of_no_method),
            most_of_no_method,
        })
    }

    fn callers(&mut self) -> Vec<impl Serialize + use<>> {
        let unit = self.unit;
        let rows = self.selected.callers().into_iter().map(|callers| {
            let method = self.method(callers.method);
            let rows = callers.rows.iter().map(|caller| {
                object! {
                    method: caller.frame.map(|frame| self.method(frame)),
                    user_code: IfAny(caller.user_code.map(|frame| self.method(frame))),
                    skips_calls: if_any(caller.skips),
                    inclusive: Value::new(unit, caller.inclusive),
                }
            });
            let rows = rows.collect::<Vec<_>>();
            let through = callers.through.iter().map(|&frame| self.method(frame));
            let rest = callers.left_out;
            object! {
                method,
                through: if_rows(through),
                rows,
                left_out: IfAny((rest.sum > 0).then(|| left_out(unit, rest))),
            }
        });
        rows.collect()
    }

    fn tree(&mut self) -> Vec<impl Serialize + use<>> {
        let rows = self.selected.tree().into_iter();
        let rows = rows.map(|(depth, line)| match line {
            TreeLine::Calls(chain) => TreeRow::Calls(self.calls_row(depth, chain)),
            TreeLine::LeftOut(rest) => TreeRow::LeftOut(self.left_out_row(depth, rest)),
        });
        rows.collect()
    }

    fn left_out_row(&mut self, depth: usize, rest: LeftOutCalls) -> impl Serialize + use<> {
        let (contents, largest) = (self.selected.contents, rest.largest_call);
        let node = |id| contents.summary.group(id).heaviest_node;
        object! {
            depth,
            left_out: left_out(self.unit, rest.left_out),
            largest_call: IfAny(largest.map(|id| self.call(self.selected.call(id)))),
            largest_node: IfAny(largest.map(|id| contents.view.node_label(node(id)))),
        }
    }

    fn calls_row(&mut self, depth: usize, chain: &Chain) -> impl Serialize + use<> {
        let contents = self.selected.contents;
        let [first, last] = [chain.first(), chain.last()].map(|id| contents.summary.group(id));
        let (calls, recursive) = self.selected.calls(chain);
        let last_inclusive = (last.inclusive != first.inclusive).then_some(last.inclusive);
        object! {
            depth,
            calls: self.calls(calls),
            inclusive: self.value(first.inclusive),
            last_inclusive: IfAny(last_inclusive.map(|stored| self.value(stored))),
            exclusive: self.value(last.exclusive),
            node: contents.view.node_label(last.heaviest_node),
            nodes: IfAny(Some(last.node_count).filter(|&nodes| nodes != 1)),
            call_count: IfAny(contents.calls(chain.last())),
            recursive: if_rows(recursive.into_iter().map(|frame| self.method(frame))),
        }
    }
}
