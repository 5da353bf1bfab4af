//! Compares profiles from before and after a change.

mod caller_tree;
mod conditions;
mod document;
mod equal_work;
mod markdown;
mod request;
mod tree;
mod warnings;

pub use conditions::Condition;
pub use markdown::with_prefix;
pub use request::{ComparedFile, ComparisonOrder, ComparisonRequest, Per};
pub use tree::{ComparedNode, ComparedTreeRequest, PathPresence};

use super::QueryError;
use super::selection::metric_named;
use super::steps::stepped;
use super::threads::TOO_LARGE;
use crate::analysis::HotspotOrder;
use crate::analysis::compared::{
    AFTER, BEFORE, Chance, Compared, ComparedMethod, Estimate, Matching, Presence, Side, Sides,
    compare, compared_methods,
};
use crate::diagnostics::Diagnostic;
use crate::model::{
    Compares, CountKind, Measure, Metric, MetricId, NodeId, TreeForm, Verdicts, View,
};
use crate::names::Category;
use crate::query::messages;
use crate::units::{Scale, Unit};
use std::cmp::Reverse;
use std::sync::Arc;

/// A comparison with the requested rows.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub compared: Arc<Compared>,
    /// Its view, to which the rows belong.
    pub view: Arc<View>,
    /// The sort order of the rows.
    pub order: ComparisonOrder,
    pub total: Estimate,
    /// The rest that completes the total if rows are user code only and add up.
    pub outside_user_code: Option<Sides>,
    /// How many of the wanted methods have a value on either side.
    pub methods: usize,
    /// How many of them have the same value on both sides.
    pub(super) unchanged: Arc<[ComparedMethod]>,
    /// All that have changed: first the slower ones, slowest first, then the faster ones.
    pub changed: Arc<[ComparedMethod]>,
    /// The rows: the first of the methods that have changed. Significant changes come first; within both parts, slower ones come
    /// before faster ones.
    pub rows: Vec<ComparedMethod>,
    pub left_out: usize,
    /// The sum of their differences.
    pub rest: i128,
    /// The maximum number of methods named if methods are also listed.
    pub(super) named: usize,
    /// What was made equal, and the resulting factors of each file.
    pub per: Per,
    /// The excluded waiting before and after, if waiting is excluded, in the first file of each side.
    pub left_out_waiting: Option<[u64; 2]>,
    /// By file, those before first.
    pub factors: Vec<f64>,
    /// Warnings about the differences: sentences without a leading capital or a full stop.
    pub warnings: Vec<String>,
}

/// Compares profiles. O(nodes + length of all names + samples · depth of stacks).
///
/// # Errors
/// No such metric, or different units on both sides; no basis for making both sides equal; a step can't be applied.
pub fn comparison(request: &ComparisonRequest) -> Result<Comparison, QueryError> {
    let metrics = metrics(request)?;
    let measure = |&metric: &MetricId| Measure {
        metric,
        counts_waiting: !request.leaves_out_waiting,
    };
    let measures: Vec<Measure> = metrics.iter().map(measure).collect();
    let factors = equal_work::factors(request, &measures)?;
    let files = || request.before.iter().chain(request.after);
    let sides: Vec<Side> = files()
        .zip(&measures)
        .zip(&factors)
        .map(|((file, &measure), &scale)| Side {
            view: file.view,
            measure,
            scale,
        })
        .collect();
    let (before, after) = sides.split_at(request.before.len());
    let compared = compare(before, after, request.renames, Matching::Normalized);
    let left_out = [before, after].map(|files| {
        let first = files.first().map(|side| (side.view, side.measure.metric));
        first.map_or(0, |(view, metric)| view.waiting_total(metric))
    });
    let compared = compared.map_err(|_| QueryError::too_large(TOO_LARGE))?;
    let whole = View::whole(&compared.recording, TreeForm::Original);
    let view = stepped(whole, request.steps)?;
    let mut rows = compared_methods(&compared, view.uncollapsed(), &[NodeId::ROOT]);
    let has_common = rows.iter().any(|row| row.presence == Presence::Both);
    let mut warnings = warnings::warnings(request, &metrics);
    if !rows.is_empty() && !has_common {
        warnings.insert(0, messages::NO_METHOD_IN_BOTH.into());
    }
    if request.is_user_code {
        rows.retain(|row| view.frames.get(row.frame).category == Category::User);
    }
    let methods = rows.len();
    let total = compared.total(&view);
    let outside_user_code = outside(total.sides, &rows, request);
    let (mut changed, unchanged): (Vec<_>, Vec<_>) = rows.into_iter().partition(has_changed);
    order_by_change(&mut changed, &view, request.order);
    let mut comparison = Comparison {
        compared: Arc::new(compared),
        view: Arc::new(view),
        order: request.order,
        total,
        outside_user_code,
        methods,
        unchanged: unchanged.into(),
        changed: changed.into(),
        rows: Vec::new(),
        left_out: 0,
        rest: 0,
        named: if request.most > 0 {
            request.most
        } else {
            usize::MAX
        },
        per: request.per.clone(),
        left_out_waiting: request.leaves_out_waiting.then_some(left_out),
        factors,
        warnings,
    };
    comparison.choose(request);
    Ok(comparison)
}

/// The total without these rows of user code, if they add up.
fn outside(total: Sides, rows: &[ComparedMethod], request: &ComparisonRequest) -> Option<Sides> {
    let adds_up = matches!(
        request.order,
        ComparisonOrder::Exclusive | ComparisonOrder::OwnAndSystem
    );
    let less = |rest: Sides, row: &ComparedMethod| {
        let listed = request.order.estimate(row).sides;
        Sides {
            before: rest.before.saturating_sub(listed.before),
            after: rest.after.saturating_sub(listed.after),
        }
    };
    (request.is_user_code && adds_up).then(|| rows.iter().fold(total, less))
}

/// The metric of each file, those before first.
fn metrics(request: &ComparisonRequest) -> Result<Vec<MetricId>, QueryError> {
    let Some(first) = request.before.first() else {
        return Err(QueryError::usage(messages::PROFILE_BEFORE_EXPECTED));
    };
    let mut files = request.before.iter().chain(request.after);
    let preferred = request
        .preferred_metric
        .filter(|name| files.all(|file| file.view.recording.metric_named(name).is_some()));
    let named = request.metric.or(preferred);
    let metric = metric_named(first.view, named)?;
    let first_metric = first.view.recording.metric(metric);
    let of = |file: &ComparedFile| -> Result<MetricId, QueryError> {
        let recording = &file.view.recording;
        let usual = recording.default_metric;
        let is_alike = |&id: &MetricId| recording.metric(id).unit == first_metric.unit;
        let alike = || {
            let others = (0..recording.metrics.len()).map(MetricId::at);
            [usual].into_iter().chain(others).find(is_alike)
        };
        let metric = match named {
            Some(name) => metric_named(file.view, Some(name))?,
            None => {
                let same = recording.metric_named(&first_metric.name);
                same.or_else(alike).unwrap_or(usual)
            }
        };
        let Metric { name, unit, .. } = file.view.recording.metric(metric);
        if *unit != first_metric.unit {
            let sentence = messages::units_differ(
                &first_metric.name,
                &first.file,
                &first_metric.unit.name(),
                &name,
                &file.file,
                &unit.name(),
            );
            return Err(QueryError::usage(sentence).advice(messages::CHOOSE_COMMON_METRIC));
        }
        Ok(metric)
    };
    request.before.iter().chain(request.after).map(of).collect()
}

/// Turns words into a sentence.
fn sentence(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.clone()).chain(['.']).collect()
}

/// Whether a method differs in any value.
fn has_changed(row: &ComparedMethod) -> bool {
    let estimates = [Some(row.exclusive), Some(row.inclusive), row.counts];
    estimates
        .into_iter()
        .flatten()
        .any(|estimate| estimate.sides.delta() != 0)
}

impl Comparison {
    /// What is made equal or excluded on both sides, in words; may be empty.
    pub fn conditions(&self, scale: Scale) -> Vec<String> {
        let words = [self.per.words()].into_iter();
        let words = words.chain(self.without_waiting(scale));
        words.filter(|words| !words.is_empty()).collect()
    }

    /// The excluded waiting on both sides, in words.
    fn without_waiting(&self, scale: Scale) -> Option<String> {
        let sides = self.left_out_waiting?;
        let [before, after] = sides.map(|waiting| scale.with_unit(waiting));
        Some(messages::without_waiting(&before, &after))
    }

    /// Everything as a view that knows which differences of methods may be chance, and the warnings about them.
    pub fn judged(&self) -> View {
        let rows = self.changed.iter().map(|row| {
            let estimates = [Some(row.exclusive), Some(row.inclusive), row.own_and_system];
            (row.frame, estimates.map(|estimate| Some(estimate?.chance)))
        });
        let mut recording = (*self.compared.recording).clone();
        let compares = recording.compares.as_deref().cloned();
        recording.compares = compares.map(|compares| {
            Arc::new(Compares {
                verdicts: Some(Verdicts::new(rows)),
                ..compares
            })
        });
        let warnings = self.warnings.iter().map(|warning| sentence(warning));
        recording.diagnostics.extend(warnings.map(Diagnostic::kept));
        View::whole(&Arc::new(recording), TreeForm::Original)
    }

    fn choose(&mut self, request: &ComparisonRequest) {
        let most = if request.most > 0 {
            request.most
        } else {
            self.changed.len()
        };
        self.left_out = self.changed.len().saturating_sub(most);
        (self.rows, self.rest) = self.most_important(&self.changed, most);
    }

    /// How many of these differ in the sort value; the others have changed in another value, and have no row.
    fn differing(&self, rows: &[ComparedMethod]) -> usize {
        rows.iter().filter(|row| self.differs(row)).count()
    }

    fn differs(&self, row: &ComparedMethod) -> bool {
        self.order.estimate(row).sides.delta() != 0
    }

    /// The number of rows that a table leaves out.
    pub fn rows_left_out(&self) -> usize {
        self.differing(&self.changed) - self.differing(&self.rows)
    }

    /// Keeps at most this many rows.
    #[must_use]
    pub fn first(&self, rows: usize) -> Comparison {
        let (kept, rest) = self.most_important(&self.rows, rows);
        let rest = self.rest + rest;
        let (left_out, named) = (
            self.left_out + self.rows.len() - kept.len(),
            self.named.min(rows),
        );
        Comparison {
            left_out,
            rest,
            named,
            rows: kept,
            ..self.clone()
        }
    }

    /// The significant rows, then those with the largest differences, at most this many; in both parts slower ones first. Also
    /// the sum of all other differences. In inclusive order, async infrastructure between callers and callees comes last.
    fn most_important(&self, rows: &[ComparedMethod], most: usize) -> (Vec<ComparedMethod>, i128) {
        let delta = |at: usize| self.order.estimate(&rows[at]).sides.delta();
        let has_callees = self.order == ComparisonOrder::Inclusive;
        let part = |at: usize| {
            let may_be_chance = self.chance(&rows[at]) != Chance::Beyond;
            let is_plumbing = self.view.frames.get(rows[at].frame).is_plumbing;
            (has_callees && is_plumbing, may_be_chance)
        };
        let mut places: Vec<usize> = (0..rows.len()).collect();
        places.sort_by_key(|&at| (part(at), Reverse(delta(at).abs()), at));
        let others = places.split_off(most.min(rows.len()));
        places.sort_by_key(|&at| (part(at), delta(at) < 0, Reverse(delta(at).abs()), at));
        let kept = places.into_iter().map(|at| rows[at]).collect();
        (kept, others.into_iter().map(delta).sum())
    }

    pub fn metrics(&self) -> [&Metric; 2] {
        [BEFORE, AFTER].map(|metric| self.view.recording.metric(metric))
    }

    pub fn unit(&self) -> Unit {
        self.view.recording.metric(AFTER).unit
    }

    /// Whether differences of methods add up: inclusive ones count the same time repeatedly.
    pub fn adds_up(&self) -> bool {
        self.order != ComparisonOrder::Inclusive
    }

    /// Whether rows are ordered by counts.
    pub(super) fn is_count(&self) -> bool {
        self.order == ComparisonOrder::Counts && self.counts().is_some()
    }

    /// What the counts of a method are, if both sides count the same.
    pub fn counts(&self) -> Option<CountKind> {
        let [before, after] = self.metrics();
        after.counts.filter(|_| before.counts == after.counts)
    }

    /// Whether the difference in the sort value is significant.
    pub fn chance(&self, row: &ComparedMethod) -> Chance {
        self.order.estimate(row).chance
    }

    /// How many of the changed methods differ significantly in the sort value.
    pub fn beyond_chance(&self) -> usize {
        self.changed
            .iter()
            .filter(|row| self.chance(row) == Chance::Beyond)
            .count()
    }

    /// Methods that exist on one side only, largest inclusive value first: those that are new, or those that
    /// are gone.
    pub fn only(&self, presence: Presence) -> Vec<&ComparedMethod> {
        let mut rows: Vec<&ComparedMethod> = self
            .changed
            .iter()
            .filter(|row| row.presence == presence)
            .collect();
        rows.sort_by_key(|row| {
            let Sides { before, after } = row.inclusive.sides;
            Reverse(before.max(after))
        });
        rows
    }
}

impl Comparison {
    /// The number of samples behind a row's sort value, before and after.
    pub fn samples(&self, row: &ComparedMethod) -> Option<[u64; 2]> {
        if self.counts() != Some(CountKind::Samples) {
            return None;
        }
        let [before, after] = match self.order {
            ComparisonOrder::Exclusive => row.own_samples,
            ComparisonOrder::OwnAndSystem if row.own_and_system.is_some() => {
                row.own_and_system_samples
            }
            ComparisonOrder::OwnAndSystem => row.own_samples,
            _ => {
                let counts = row.counts?.sides;
                [Some(counts.before), Some(counts.after)]
            }
        };
        Some([before.unwrap_or(0), after.unwrap_or(0)])
    }

    /// The ids of a row's heaviest nodes in the first file before and the first one after.
    pub fn handles(row: &ComparedMethod, request: &ComparisonRequest) -> [Option<String>; 2] {
        let files = [request.before.first(), request.after.first()];
        let label = |(file, node): (Option<&ComparedFile>, Option<NodeId>)| {
            Some(file?.view.node_label(node?))
        };
        let [before, after] = row.heaviest;
        [(files[0], before), (files[1], after)].map(label)
    }
}

/// Sorts slower methods before faster ones; in both parts the largest difference comes first.
fn order_by_change(rows: &mut [ComparedMethod], view: &View, order: ComparisonOrder) {
    let frames = &view.frames;
    rows.sort_by_cached_key(|row| {
        let delta = order.estimate(row).sides.delta();
        let name = (
            frames.name(row.frame).to_string(),
            frames.signature(row.frame).to_string(),
        );
        (
            delta < 0,
            Reverse(delta.abs()),
            Reverse(row.inclusive.sides.delta().abs()),
            name,
        )
    });
}

impl ComparisonOrder {
    /// The estimate for a row; if counts differ in kind, the inclusive one.
    pub fn estimate(self, row: &ComparedMethod) -> Estimate {
        match self {
            ComparisonOrder::Exclusive => *row.estimate(HotspotOrder::Exclusive),
            ComparisonOrder::Inclusive => *row.estimate(HotspotOrder::Inclusive),
            ComparisonOrder::OwnAndSystem => row.own_and_system.unwrap_or(row.exclusive),
            ComparisonOrder::Counts => row.counts.unwrap_or(row.inclusive),
        }
    }
}
