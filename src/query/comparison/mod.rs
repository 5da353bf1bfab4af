//! Compares profiles from before and after a change.

mod caller_tree;
mod conditions;
mod distortions;
mod document;
mod equal_work;
mod explained;
mod markdown;
mod one_sided;
mod request;
mod tree;
mod warnings;

pub use conditions::Condition;
pub use markdown::{ComparedCells, with_prefix};
pub use request::{ComparedFile, ComparisonOrder, ComparisonRequest, Per};
pub use tree::ComparedNode;

use super::QueryError;
use super::selection::metric_named;
use super::steps::apply_steps;
use crate::analysis::compared::{
    AFTER, BEFORE, Compared, ComparedMethod, Estimate, Presence, Side, Sides, Verdict, compare,
    compared_methods, compared_metric,
};
use crate::diagnostics::Diagnostic;
use crate::model::{
    CountKind, FrameId, MOSTLY_PERCENT, Measure, Metric, MetricId, NodeId, TreeForm, Verdicts, View,
};
use crate::names::Category;
use crate::query::messages;
use crate::text::visible;
use crate::units::{Scale, Unit, percent};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The default number of rows whose difference may be chance.
const MAX_UNCERTAIN_ROWS: usize = 5;
/// The default number of rows if nothing is tested.
const MAX_UNTESTED_ROWS: usize = 20;

#[derive(Clone, Debug)]
pub struct Comparison {
    pub compared: Arc<Compared>,
    pub view: Arc<View>,
    pub order: ComparisonOrder,
    pub only_user_code: bool,
    pub(super) only_user_code_by_default: bool,
    /// The value that conditions on any method refer to.
    pub(super) judged_by: ComparisonOrder,
    pub total: Estimate,
    pub outside_user_code: Option<Sides>,
    /// All methods with a value on either side, listed or not.
    pub(super) all: Arc<[ComparedMethod]>,
    /// Wanted methods with a value on either side, changed or not.
    pub methods: usize,
    /// The new or vanished methods that have a significant inclusive value and are not called by another such method.
    topmost: HashSet<FrameId>,
    /// All wanted methods that have changed: first slower ones, the slowest first, then faster ones.
    pub changed: Arc<[ComparedMethod]>,
    /// The most important of them.
    pub rows: Vec<ComparedMethod>,
    /// The maximum number of methods to name besides the rows.
    pub(super) max_named: usize,
    pub per: Per,
    /// In the first file of each side; `None` if waiting counts.
    pub left_out_waiting: Option<[u64; 2]>,
    /// By file, those before the change first.
    pub factors: Vec<f64>,
    /// Sentences without a leading capital or a full stop.
    pub warnings: Vec<String>,
}

/// O(nodes + length of all names + samples · depth of stacks).
pub fn comparison(request: &ComparisonRequest) -> Result<Comparison, QueryError> {
    let sides = sides(request, &metrics(request)?)?;
    let (before, after) = sides.split_at(request.before.len());
    let compared = compare(before, after, request.renames)?;
    let whole = View::whole(&compared.recording, TreeForm::Original);
    let view = apply_steps(whole, request.steps)?;
    let mut rows = compared_methods(&compared, view.uncollapsed(), &[NodeId::ROOT]);
    let firsts = before.first().zip(after.first());
    let firsts = firsts.map(|(&before, &after)| [before, after]);
    let mut warnings = firsts.map_or(Vec::new(), |sides| warnings::warnings(request, sides));
    if !rows.is_empty() && rows.iter().all(|row| row.presence != Presence::Both) {
        warnings.insert(0, messages::NO_METHOD_IN_BOTH.into());
    }
    let is_user = |row: &ComparedMethod| view.frames.get(row.frame).category == Category::User;
    if request.only_user_code {
        rows.retain(is_user);
    }
    let all = rows.as_slice().into();
    // if everything is user code, own + system equals the exclusive value
    let has_both = rows.iter().any(is_user) && !rows.iter().all(is_user);
    let only_user_code = request.only_user_code || request.order.is_none() && has_both;
    let default_order = |only_user_code| match only_user_code {
        true => ComparisonOrder::OwnAndSystem,
        false => ComparisonOrder::Exclusive,
    };
    let order = request.order.unwrap_or(default_order(only_user_code));
    let judged_by = default_order(request.only_user_code);
    let max_named = request.max_rows.filter(|&rows| rows > 0);
    rows.retain(|row| !only_user_code || is_user(row));
    let waiting = |side: &Side| side.view.waiting_total(side.measure.metric);
    let left_out = || firsts.map_or([0; 2], |sides| sides.each_ref().map(waiting));
    let total = compared.total(&view);
    let mut comparison = Comparison {
        order,
        only_user_code,
        only_user_code_by_default: only_user_code && !request.only_user_code,
        judged_by: request.order.unwrap_or(judged_by),
        outside_user_code: outside(total.sides, &rows, order).filter(|_| only_user_code),
        total,
        all,
        methods: rows.len(),
        topmost: significant_topmost(&view, &rows),
        changed: by_change(rows, &view, order).into(),
        rows: Vec::new(),
        max_named: max_named.unwrap_or(usize::MAX),
        per: request.per.clone(),
        left_out_waiting: request.leaves_out_waiting.then(left_out),
        factors: sides.iter().map(|side| side.scale).collect(),
        warnings,
        compared: Arc::new(compared),
        view: Arc::new(view),
    };
    comparison.refuse_missing_counts()?;
    comparison.choose_rows(request.max_rows);
    comparison.add_bounds(firsts);
    Ok(comparison)
}

fn sides<'a>(
    request: &ComparisonRequest<'a>,
    metrics: &[MetricId],
) -> Result<Vec<Side<'a>>, QueryError> {
    let measure = |&metric: &MetricId| Measure {
        metric,
        counts_waiting: !request.leaves_out_waiting,
    };
    let measures: Vec<Measure> = metrics.iter().map(measure).collect();
    let factors = equal_work::factors(request, &measures)?;
    let files = request.before.iter().chain(request.after).zip(measures);
    let side = |((file, measure), scale): ((&'a ComparedFile, _), _)| Side {
        view: &file.view,
        measure,
        scale,
    };
    Ok(files.zip(factors).map(side).collect())
}

fn outside(total: Sides, rows: &[ComparedMethod], order: ComparisonOrder) -> Option<Sides> {
    let subtract = |rest: Sides, row: &ComparedMethod| {
        let listed = order.estimate(row).sides;
        Sides {
            before: rest.before.saturating_sub(listed.before),
            after: rest.after.saturating_sub(listed.after),
        }
    };
    let adds_up = matches!(
        order,
        ComparisonOrder::Exclusive | ComparisonOrder::OwnAndSystem
    );
    adds_up.then(|| rows.iter().fold(total, subtract))
}

fn significant_topmost(view: &View, rows: &[ComparedMethod]) -> HashSet<FrameId> {
    let is_significant = |row: &&ComparedMethod| row.inclusive.verdict == Verdict::Significant;
    let topmost = |presence| {
        let rows = rows.iter().filter(|row| row.presence == presence);
        let frames: Vec<FrameId> = rows.filter(is_significant).map(|row| row.frame).collect();
        one_sided::topmost(view.uncollapsed(), presence, &frames)
    };
    let [new, vanished] = [Presence::New, Presence::Vanished].map(topmost);
    new.into_iter().chain(vanished).collect()
}

fn metrics(request: &ComparisonRequest) -> Result<Vec<MetricId>, QueryError> {
    let Some(first) = request.before.first() else {
        return Err(QueryError::usage(messages::PROFILE_BEFORE_EXPECTED));
    };
    let files = || request.before.iter().chain(request.after);
    let has = |name: &&str| files().all(|file| file.view.recording.metric_named(name).is_some());
    let named = request.metric.or(request.preferred_metric.filter(has));
    let metric = metric_named(&first.view, named)?;
    let first_metric = first.view.recording.metric(metric);
    let metric_of = |file: &ComparedFile| -> Result<MetricId, QueryError> {
        let recording = &file.view.recording;
        let default = recording.default_metric;
        let metric = match named {
            Some(name) => metric_named(&file.view, Some(name))?,
            None => {
                let has_same_unit = |&id: &MetricId| recording.metric(id).unit == first_metric.unit;
                let mut all = [default].into_iter().chain(recording.metric_ids());
                let same = recording.metric_named(&first_metric.name);
                same.or_else(|| all.find(has_same_unit)).unwrap_or(default)
            }
        };
        let Metric { name, unit, .. } = recording.metric(metric);
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
    files().map(metric_of).collect()
}

fn sentence(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.clone()).chain(['.']).collect()
}

fn has_changed(row: &ComparedMethod) -> bool {
    // work that moves between user code and the system code it calls changes no other value
    let others = [row.own_and_system, row.counts].into_iter().flatten();
    let mut estimates = [row.exclusive, row.inclusive].into_iter().chain(others);
    estimates.any(|estimate| estimate.sides.delta() != 0)
}

impl Comparison {
    pub fn conditions(&self, scale: Scale) -> Vec<String> {
        let equal_work = match (self.per.description(), self.counts()) {
            (words, _) if !words.is_empty() => words,
            (_, Some(CountKind::Calls)) => messages::SAME_WORK_ASSUMED_OF_CALLS.into(),
            _ => messages::SAME_WORK_ASSUMED.into(),
        };
        let without_waiting = self.left_out_waiting.map(|sides| {
            let [before, after] = sides.map(|waiting| scale.with_unit(waiting));
            messages::without_waiting(&before, &after)
        });
        [equal_work].into_iter().chain(without_waiting).collect()
    }

    /// The view with a verdict on each difference (whether it may be chance), and with the warnings.
    pub fn with_verdicts(&self) -> View {
        let changed = self.all.iter().filter(|row| has_changed(row));
        let rows = changed.map(|row| {
            let estimates = [Some(row.exclusive), Some(row.inclusive), row.own_and_system];
            (row.frame, estimates.map(|estimate| Some(estimate?.verdict)))
        });
        let mut recording = (*self.compared.recording).clone();
        if let Some(comparison) = &mut recording.comparison {
            Arc::make_mut(comparison).verdicts = Some(Verdicts::new(rows));
        }
        let warnings = self.warnings.iter().map(|warning| sentence(warning));
        recording.diagnostics.extend(warnings.map(Diagnostic::kept));
        View::whole(&Arc::new(recording), TreeForm::Original)
    }

    fn add_bounds(&mut self, firsts: Option<[Side; 2]>) {
        let sides = firsts.filter(|_| self.per == Per::Nothing);
        let mut rows = self.rows.iter();
        let value = |row: &ComparedMethod| self.order.estimate(row).sides;
        let is_slower = |row: &&ComparedMethod| {
            self.is_significant(row) && value(row).delta() > 0 && row.presence == Presence::Both
        };
        let Some((sides, row)) = sides.zip(rows.find(is_slower)) else {
            return;
        };
        let name = self.view.frames.list_name(row.frame);
        let bounds = distortions::bounds_by_polls(sides, &visible(&name), value(row));
        self.warnings.extend(bounds);
    }

    fn choose_rows(&mut self, max_rows: Option<usize>) {
        let is_sure =
            |row: &&ComparedMethod| self.is_significant(row) && !self.is_inclusive_plumbing(row);
        let limit = match (max_rows, self.test()) {
            (Some(0), _) => self.changed.len(),
            (Some(rows), _) => rows,
            (None, "none") => MAX_UNTESTED_ROWS,
            (None, _) => self.changed.iter().filter(is_sure).count() + MAX_UNCERTAIN_ROWS,
        };
        self.rows = self.most_important(&self.changed, limit);
    }

    /// Whether this is plumbing, which awaits and tasks put between callers and callees, in an inclusive list.
    fn is_inclusive_plumbing(&self, row: &ComparedMethod) -> bool {
        self.order == ComparisonOrder::Inclusive && self.view.frames.get(row.frame).is_plumbing
    }

    /// Rows that changed only in another value are not in the table.
    fn differing_count(&self, rows: &[ComparedMethod]) -> usize {
        rows.iter().filter(|row| self.differs(row)).count()
    }

    fn significant_count(&self, rows: &[ComparedMethod]) -> usize {
        rows.iter().filter(|row| self.is_significant(row)).count()
    }

    fn differs(&self, row: &ComparedMethod) -> bool {
        let is_new = row.presence == Presence::New && self.topmost.contains(&row.frame);
        self.order.estimate(row).sides.delta() != 0 || is_new
    }

    #[must_use]
    pub fn first(&self, rows: usize) -> Comparison {
        Comparison {
            rows: self.most_important(&self.rows, rows),
            max_named: self.max_named.min(rows),
            ..self.clone()
        }
    }

    /// At most `limit` rows, significant ones first, then the largest differences. In both groups, slower ones come
    /// first and waiting ones last; plumbing is last overall.
    fn most_important(&self, rows: &[ComparedMethod], limit: usize) -> Vec<ComparedMethod> {
        let delta = |at: usize| self.order.estimate(&rows[at]).sides.delta();
        let group = |at: usize| {
            let row = &rows[at];
            let waits = self.mostly_waits(row).is_some();
            let (is_plumbing, may_be_chance) =
                (self.is_inclusive_plumbing(row), !self.is_significant(row));
            (is_plumbing, may_be_chance, !self.differs(row), waits)
        };
        let mut places: Vec<usize> = (0..rows.len()).collect();
        // rows that may be chance are chosen by difference alone
        places.sort_by_cached_key(|&at| {
            let (is_plumbing, may_be_chance, is_hidden, waits) = group(at);
            let comes_last = waits && !may_be_chance;
            let group = (is_plumbing, may_be_chance, is_hidden, comes_last);
            (group, Reverse(delta(at).abs()), at)
        });
        places.truncate(limit);
        places.sort_by_cached_key(|&at| (group(at), delta(at) < 0, Reverse(delta(at).abs()), at));
        places.into_iter().map(|at| rows[at]).collect()
    }

    /// For rows of a list by inclusive value, the rows that explain them.
    fn explained(&self) -> HashMap<FrameId, FrameId> {
        let is_sure = |row: &ComparedMethod| {
            self.order == ComparisonOrder::Inclusive
                && row.inclusive.verdict == Verdict::Significant
        };
        explained::explained_by(self.view.uncollapsed(), &self.rows, is_sure)
    }

    pub fn metrics(&self) -> [&Metric; 2] {
        [BEFORE, AFTER].map(|metric| self.view.recording.metric(metric))
    }

    pub fn unit(&self) -> Unit {
        self.view.recording.metric(AFTER).unit
    }

    /// Inclusive differences count the same time, or samples, repeatedly.
    pub fn adds_up(&self) -> bool {
        ![ComparisonOrder::Inclusive, ComparisonOrder::Samples].contains(&self.order)
    }

    pub(super) fn is_count(&self) -> bool {
        self.order.needs().is_some()
    }

    fn refuse_missing_counts(&self) -> Result<(), QueryError> {
        let has_counts = |needed| self.has_counts(needed);
        if self.order.needs().is_none_or(has_counts) {
            return Ok(());
        }
        let metric = compared_metric(&self.view.recording);
        let sentence = messages::cant_compare_by(&self.order.name(), &metric);
        Err(QueryError::usage(sentence))
    }

    /// Whether both sides have such counts, or some that may be.
    pub(super) fn has_counts(&self, kind: CountKind) -> bool {
        [Some(kind), Some(CountKind::Unknown)].contains(&self.counts())
    }

    pub fn counts(&self) -> Option<CountKind> {
        let [before, after] = self.metrics();
        after.counts.filter(|_| before.counts == after.counts)
    }

    pub fn verdict(&self, row: &ComparedMethod) -> Verdict {
        match self.topmost.contains(&row.frame) && self.differs(row) {
            true => Verdict::Significant,
            false => self.order.estimate(row).verdict,
        }
    }

    /// Files may rank differently even if their medians are equal.
    fn is_significant(&self, row: &ComparedMethod) -> bool {
        self.differs(row) && self.verdict(row) == Verdict::Significant
    }

    /// The share of waiting after the change, or before it if the method is gone; `None` if it is not most of it.
    fn mostly_waits(&self, row: &ComparedMethod) -> Option<f64> {
        let (all, waiting) = (row.inclusive.sides, row.waiting);
        let share = match row.presence {
            Presence::Vanished => percent(waiting.before, all.before),
            _ => percent(waiting.after, all.after),
        };
        (share >= MOSTLY_PERCENT && self.left_out_waiting.is_none()).then_some(share)
    }

    pub fn beyond_chance(&self) -> usize {
        self.significant_count(&self.changed)
    }

    pub fn topmost(&self, presence: Presence) -> Vec<&ComparedMethod> {
        let mut rows = self.only(presence);
        rows.retain(|row| self.topmost.contains(&row.frame));
        rows
    }

    /// Largest inclusive value first.
    pub fn only(&self, presence: Presence) -> Vec<&ComparedMethod> {
        let rows = self.changed.iter();
        let mut rows: Vec<_> = rows.filter(|row| row.presence == presence).collect();
        rows.sort_by_key(|row| Reverse(row.inclusive.sides.larger()));
        rows
    }

    pub fn samples(&self, row: &ComparedMethod) -> Option<[u64; 2]> {
        if self.counts() != Some(CountKind::Samples) {
            return None;
        }
        let [before, after] = match self.order {
            ComparisonOrder::Exclusive => row.own_samples,
            ComparisonOrder::OwnAndSystem if row.own_and_system.is_none() => row.own_samples,
            ComparisonOrder::OwnAndSystem => row.own_and_system_samples,
            ComparisonOrder::Inclusive | ComparisonOrder::Calls | ComparisonOrder::Samples => {
                let counts = row.counts?.sides;
                return Some([counts.before, counts.after]);
            }
        };
        Some([before.unwrap_or(0), after.unwrap_or(0)])
    }

    /// The heaviest node of a row in the first file of each side.
    pub fn node_labels(row: &ComparedMethod, request: &ComparisonRequest) -> [Option<String>; 2] {
        let label = |files: &[ComparedFile], node: Option<NodeId>| {
            Some(files.first()?.view.node_label(node?))
        };
        let [before, after] = row.heaviest;
        [label(request.before, before), label(request.after, after)]
    }
}

fn by_change(
    mut rows: Vec<ComparedMethod>,
    view: &View,
    order: ComparisonOrder,
) -> Vec<ComparedMethod> {
    rows.retain(has_changed);
    rows.sort_by_cached_key(|row| {
        let delta = order.estimate(row).sides.delta();
        let inclusive = row.inclusive.sides.delta().abs();
        let key = view.frames.key(row.frame);
        (delta < 0, Reverse((delta.abs(), inclusive)), key)
    });
    rows
}

impl ComparisonOrder {
    fn needs(self) -> Option<CountKind> {
        CountKind::named(self.name())
    }

    pub fn estimate(self, row: &ComparedMethod) -> Estimate {
        match self {
            ComparisonOrder::Exclusive => row.exclusive,
            ComparisonOrder::Inclusive => row.inclusive,
            ComparisonOrder::OwnAndSystem => row.own_and_system.unwrap_or(row.exclusive),
            _ => row.counts.unwrap_or(row.inclusive),
        }
    }
}

#[cfg(test)]
mod tests;
