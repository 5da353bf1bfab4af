use super::QueryError;
use super::inverted::MAX_FOLLOWED;
use super::methods::{frames_named, is_type_pattern};
use super::outline::QueryOutline;
use super::selection::PartRequest;
use super::values::{PartTotal, Value, counts, diagnostic_records};
use crate::analysis::{CallerRow, CallerTree, CallerTreeSums, merged, outermost_occurrences};
use crate::model::{FrameId, Frames, Measure, NodeId, NodeRef, View};
use crate::object::{All, Members, if_any, object};
use crate::units::percent;
use crate::words::words;
use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Reverse;

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Relation {
        Callers = "callers",
        /// The nearest user code that calls it, skipping everything else, and the user code above that.
        UserCallers = "user-code callers",
        Callees = "callees",
    }
}

impl Relation {
    pub fn noun(self) -> &'static str {
        self.name().trim_end_matches('s')
    }
}

#[derive(Clone, Copy, Debug)]
pub struct MethodRequest<'a> {
    pub part: PartRequest<'a>,
    pub method: &'a str,
    pub depth: usize,
    /// In percent of the method's inclusive value; direct callers and callees are always listed.
    pub min_percent: f64,
}

pub struct MethodRelations {
    /// `Type.*` if all methods of a type were requested.
    pub type_pattern: Option<String>,
    pub relation: Relation,
    pub measure: Measure,
    pub frames: Vec<FrameId>,
    pub occurrences: usize,
    pub inner_occurrences: usize,
    pub threads: Vec<(NodeId, CallerTreeSums)>,
    pub threads_left_out: usize,
    /// The method, then its callers or callees in preorder.
    pub rows: Vec<Related>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Related {
    /// The caller or callee; `None` for the sum of small rows, and for stacks without user code above the method.
    pub who: Option<RelatedMethod>,
    pub depth: usize,
    pub rows: usize,
    /// For a caller, the method's values when called through it; for a callee, its values when called through the rows
    /// above.
    pub sums: CallerTreeSums,
    pub has_more: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelatedMethod {
    /// For an outermost caller, the thread.
    pub frame: FrameId,
    pub origin: NodeRef,
    pub is_recursive: bool,
}

impl Related {
    fn sum_of(depth: usize, rows: &[CallerTreeSums]) -> Related {
        let mut sum = CallerTreeSums::default();
        rows.iter().for_each(|&sums| sum.add(sums));
        Related {
            who: None,
            depth,
            rows: rows.len(),
            sums: sum,
            has_more: false,
        }
    }
}

impl MethodRelations {
    pub fn has_no_user_caller(row: &Related) -> bool {
        row.who.is_none() && row.rows == 0
    }

    pub fn sums(&self) -> CallerTreeSums {
        self.rows.first().map(|row| row.sums).unwrap_or_default()
    }

    pub fn weight(&self, sums: CallerTreeSums) -> u64 {
        sums.weight(self.measure.counts_waiting)
    }

    pub fn summed_rows(&self) -> usize {
        let sums = self.rows.iter().filter(|row| row.who.is_none());
        sums.map(|row| row.rows).sum()
    }

    /// Keeps the `rows` heaviest rows and those above them, with sums of the others at each level, and at most `rows`
    /// threads.
    #[must_use]
    pub fn heaviest(&self, rows: usize) -> MethodRelations {
        let shown = self.outline().shown(rows).is_shown;
        let mut kept: Vec<Related> = Vec::new();
        let mut open_sums: Vec<Related> = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            while let Some(sum) = open_sums.pop_if(|sum| sum.depth > row.depth) {
                kept.extend((sum.rows > 0).then_some(sum));
            }
            let is_sum = row.who.is_none() && row.rows > 0;
            if shown[at] && !is_sum {
                kept.push(*row);
                open_sums.push(Related::sum_of(row.depth + 1, &[]));
            } else if let Some(sum) = open_sums.last_mut().filter(|sum| sum.depth == row.depth) {
                sum.rows += row.rows;
                sum.sums.add(row.sums);
            }
        }
        kept.extend(open_sums.into_iter().rev().filter(|sum| sum.rows > 0));
        let threads = self.threads[..rows.min(self.threads.len())].to_vec();
        let threads_left_out = self.threads_left_out + self.threads.len() - threads.len();
        MethodRelations {
            rows: kept,
            type_pattern: self.type_pattern.clone(),
            frames: self.frames.clone(),
            threads,
            threads_left_out,
            ..*self
        }
    }

    /// Drops rows that add nothing because outer calls already count everything they lead to.
    #[must_use]
    pub fn without_inner(mut self) -> MethodRelations {
        let adds = |row: &Related| (row.sums.inclusive, row.sums.count) != (0, 0);
        self.rows.retain(|row| row.depth == 0 || adds(row));
        self
    }

    pub fn has_more(&self) -> bool {
        self.rows.iter().any(|row| row.has_more)
    }

    pub fn part(&self, view: &View) -> PartTotal {
        let sums = self.sums();
        PartTotal::new(view, self.measure, sums.inclusive, sums.waiting.value)
    }

    pub fn outline(&self) -> QueryOutline {
        let weight = |row: &Related| (row.depth, self.weight(row.sums));
        QueryOutline::new(self.rows.iter().map(weight).collect())
    }

    /// `dotspot.callers/1` or `dotspot.callees/1`; `view` is the queried one.
    pub fn document(&self, view: &View) -> impl Serialize {
        let frames = &view.frames;
        let thread = |&(thread, sums): &(NodeId, CallerTreeSums)| {
            object! {
                node: view.node_label(thread),
                name: view.name(thread),
                sums: All(self.sums_row(view, sums)),
            }
        };
        let row = |row: &Related| {
            let who = row.who;
            let pattern = self.type_pattern.clone().filter(|_| row.depth == 0);
            let pattern = pattern.map(Cow::from);
            let name = who.map(|who| frames.name(who.frame).into());
            object! {
                depth: row.depth,
                node: who.map(|who| view.recording.node_label(who.origin)),
                name: pattern.clone().or(name),
                display: pattern.or(who.map(|who| frames.list_name(who.frame))),
                kind: match who {
                    Some(who) => frames.get(who.frame).kind.name(),
                    None if MethodRelations::has_no_user_caller(row) => "no-user-caller",
                    None => "rest",
                },
                rows: row.rows,
                recursive: who.is_some_and(|who| who.is_recursive),
                goes_on: row.has_more,
                sums: All(self.sums_row(view, row.sums)),
            }
        };
        let schema = match self.relation {
            Relation::Callers | Relation::UserCallers => "dotspot.callers/1",
            Relation::Callees => "dotspot.callees/1",
        };
        let methods = self.frames.iter().map(|&frame| frames.name(frame));
        object! {
            head: All(self.part(view).head(schema, view)),
            methods: methods.collect::<Vec<_>>(),
            occurrences: self.occurrences,
            inner_occurrences: self.inner_occurrences,
            threads: self.threads.iter().map(thread).collect::<Vec<_>>(),
            threads_left_out: if_any(self.threads_left_out),
            rows: self.rows.iter().map(row).collect::<Vec<_>>(),
            diagnostics: diagnostic_records(view),
        }
    }

    fn sums_row(&self, view: &View, sums: CallerTreeSums) -> impl Members + use<> {
        let metric = view.recording.metric(self.measure.metric);
        object! {
            inclusive: Value::new(metric.unit, sums.inclusive),
            exclusive: Value::new(metric.unit, sums.exclusive),
            waiting: Value::new(metric.unit, sums.waiting.value),
            percent: percent(self.weight(sums), self.weight(self.sums())),
            counts: All(counts(metric, Some(sums.count))),
        }
    }
}

pub fn method_relations(
    view: &View,
    relation: Relation,
    request: &MethodRequest,
) -> Result<MethodRelations, QueryError> {
    let frames = frames_named(view, "METHOD", request.method)?;
    frame_relations(view, relation, frames, request)
}

pub fn frame_relations(
    view: &View,
    relation: Relation,
    frames: Vec<FrameId>,
    request: &MethodRequest,
) -> Result<MethodRelations, QueryError> {
    let (measure, within) = (request.part.measure(view)?, request.part.within);
    let only_user_code = relation == Relation::UserCallers;
    let caller_tree = CallerTree::callers(view, within, &frames, only_user_code);
    let missing = || QueryError::not_in_part("METHOD", request.method);
    let caller_tree = caller_tree.ok_or_else(missing)?;
    let mut threads = caller_tree.threads(measure.metric);
    let weight = |sums: CallerTreeSums| sums.weight(measure.counts_waiting);
    threads.sort_by_key(|&(thread, sums)| {
        let values = (weight(sums), sums.inclusive, sums.exclusive);
        (Reverse(values), thread)
    });
    let occurrences = caller_tree.occurrence_count(CallerTree::TOP);
    let inner_occurrences = caller_tree.inner_occurrence_count();
    let whole = weight(caller_tree.sums(CallerTree::TOP, measure.metric));
    let walk = Walk {
        methods: &frames,
        measure,
        max_depth: request.depth,
        min_weight: whole as f64 * request.min_percent / 100.0,
    };
    let rows = match relation {
        Relation::Callers | Relation::UserCallers => walk.callers(&view.frames, caller_tree),
        Relation::Callees => {
            let outermost = outermost_occurrences(view, within, &frames);
            walk.callees(&merged(view, &outermost)?)
        }
    };
    let type_pattern = is_type_pattern(request.method);
    Ok(MethodRelations {
        type_pattern: type_pattern.then(|| request.method.into()),
        relation,
        measure,
        frames,
        occurrences,
        inner_occurrences,
        threads,
        threads_left_out: 0,
        rows,
    })
}

struct Walk<'a> {
    methods: &'a [FrameId],
    measure: Measure,
    max_depth: usize,
    min_weight: f64,
}

impl Walk<'_> {
    fn callers(&self, frames: &Frames, mut tree: CallerTree) -> Vec<Related> {
        let metric = self.measure.metric;
        let row = |tree: &CallerTree, id: CallerRow, depth| {
            let (frame, is_top) = (tree.frame(id), id == CallerTree::TOP);
            let who = RelatedMethod {
                frame: self.named_frame(frame, is_top),
                origin: tree.view.node_ref(tree.first(id)),
                is_recursive: !is_top && self.methods.contains(&frame),
            };
            Related {
                who: Some(who),
                depth,
                rows: 1,
                sums: tree.sums(id, metric),
                has_more: tree.has_more(id),
            }
        };
        let top = (CallerTree::TOP, row(&tree, CallerTree::TOP, 0));
        let mut followed = 0usize;
        self.rows(frames, top, |id, depth| {
            followed = followed.saturating_add(tree.occurrence_count(id));
            if followed > MAX_FOLLOWED {
                return None;
            }
            tree.open(id).ok()?;
            let callers = tree
                .callers_of(id)
                .map(|id| (Some(id), row(&tree, id, depth)));
            let rest = tree.without_user_caller(id, metric).filter(|_| depth == 1);
            let rest = rest.map(|sums| Related {
                sums,
                ..Related::sum_of(1, &[])
            });
            Some(callers.chain(rest.map(|row| (None, row))).collect())
        })
    }

    fn callees(&self, merged: &View) -> Vec<Related> {
        let (tree, metric) = (&merged.tree, self.measure.metric);
        let waiting = merged.waiting(metric);
        let row = |id: NodeId, depth| {
            let frame = tree.frame(id);
            let is_method = |frame: FrameId| self.methods.contains(&frame);
            let is_recursive = tree.parent(id).is_some_and(|caller| {
                // overloads are below a root that is not one of them
                let is_first = caller == NodeId::ROOT && !is_method(tree.frame(caller));
                !is_first && is_method(frame)
            });
            let count = tree.count(metric, id).unwrap_or(0);
            Related {
                who: Some(RelatedMethod {
                    frame: self.named_frame(frame, id == NodeId::ROOT),
                    origin: merged.node_ref(id),
                    is_recursive,
                }),
                depth,
                rows: 1,
                sums: CallerTreeSums {
                    inclusive: tree.inclusive(metric, id),
                    exclusive: tree.exclusive(metric, id),
                    waiting: waiting.amount_within(tree, id),
                    own_waiting: waiting.own(id),
                    count,
                    total_count: count,
                    ended: 0,
                },
                has_more: !tree.is_leaf(id),
            }
        };
        self.rows(
            &merged.frames,
            (NodeId::ROOT, row(NodeId::ROOT, 0)),
            |id, depth| {
                let callees = tree.children(id);
                Some(callees.map(|id| (Some(id), row(id, depth))).collect())
            },
        )
    }

    /// If several methods are merged, the top row has the name of the first.
    fn named_frame(&self, frame: FrameId, is_top: bool) -> FrameId {
        match self.methods.first() {
            Some(&first) if is_top && !self.methods.contains(&frame) => first,
            _ => frame,
        }
    }

    /// The rows in preorder, largest first, each group followed by the sum of its small rows. `open` returns the rows
    /// directly above or below one, which have this depth; `None` if finding them would take too long.
    fn rows<Id: Copy>(
        &self,
        frames: &Frames,
        (top, row): (Id, Related),
        mut open: impl FnMut(Id, usize) -> Option<Vec<(Option<Id>, Related)>>,
    ) -> Vec<Related> {
        let values = |row: &Related| {
            let sums = row.sums;
            let weight = sums.weight(self.measure.counts_waiting);
            [weight, sums.inclusive, sums.exclusive, sums.total_count]
        };
        let mut rows = Vec::new();
        // the next one last
        let mut pending = vec![(Some(top), row)];
        while let Some((id, mut row)) = pending.pop() {
            let depth = row.depth;
            let to_open = id.filter(|_| depth < self.max_depth);
            let opened = to_open.and_then(|id| open(id, depth + 1));
            row.has_more &= opened.is_none();
            rows.push(row);
            let relatives = opened.unwrap_or_default().into_iter();
            // a recursive call may have no value
            let relatives = relatives.filter(|(_, row)| values(row) != [0; 4]);
            let (mut large, mut small): (Vec<_>, Vec<_>) = relatives.partition(|(_, row)| {
                let [weight, _, exclusive, _] = values(row);
                depth == 0 || weight.max(exclusive) as f64 >= self.min_weight
            });
            if small.len() == 1 {
                // the sum of a single row takes as much room as the row itself
                large.append(&mut small);
            }
            if !small.is_empty() {
                let sums: Vec<CallerTreeSums> = small.iter().map(|(_, row)| row.sums).collect();
                pending.push((None, Related::sum_of(depth + 1, &sums)));
            }
            large.sort_by_cached_key(|(_, row)| {
                let name = row.who.map(|who| frames.name(who.frame).to_string());
                (Reverse(values(row)), name)
            });
            pending.extend(large.into_iter().rev());
        }
        rows
    }
}
