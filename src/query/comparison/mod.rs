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
pub use request::{ComparedFile, ComparisonOrder, ComparisonRequest, MostRows, Per};
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
    Compares, CountKind, FrameId, MOSTLY_PERCENT, Measure, Metric, MetricId, NodeId, TreeForm,
    Verdicts, View,
};
use crate::names::Category;
use crate::query::messages;
use crate::text::visible;
use crate::units::{Scale, Unit, percent};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// The usual number of rows that may be chance.
const MAYBE_CHANCE: usize = 5;
/// The usual number of rows if nothing is tested.
const UNTESTED: usize = 20;

#[derive(Clone, Debug)]
pub struct Comparison {
    pub compared: Arc<Compared>,
    pub view: Arc<View>,
    pub order: ComparisonOrder,
    pub is_user_code: bool,
    /// Whether only user code is listed by default, rather than on request.
    pub(super) is_user_code_usual: bool,
    /// The value that conditions on any method refer to.
    pub(super) judged_by: ComparisonOrder,
    pub total: Estimate,
    /// What completes the total, if rows are user code only and add up.
    pub outside_user_code: Option<Sides>,
    /// All methods with a value on either side, listed or not.
    pub(super) all: Arc<[ComparedMethod]>,
    /// Wanted methods with a value on either side, of which `unchanged` have not changed.
    pub methods: usize,
    pub unchanged: usize,
    /// The new or vanished methods that are not called by others of them and whose inclusive value is significant.
    topmost: HashSet<FrameId>,
    /// All wanted methods that have changed: first slower ones, the slowest first, then faster ones.
    pub changed: Arc<[ComparedMethod]>,
    /// The first of these, significant ones first.
    pub rows: Vec<ComparedMethod>,
    /// By row: the row to which most of its difference belongs.
    explained: OnceLock<HashMap<FrameId, FrameId>>,
    pub left_out: usize,
    pub rest: i128,
    /// The maximum number of methods to name besides the rows.
    pub(super) named: usize,
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
    let is_user = |row: &ComparedMethod| view.frames.get(row.frame).category == Category::User;
    if request.is_user_code {
        rows.retain(is_user);
    }
    let all: Arc<[ComparedMethod]> = rows.as_slice().into();
    // if everything is user code, own + system equals the exclusive value
    let is_told_apart = all.iter().any(is_user) && !all.iter().all(is_user);
    let (order, is_user_code) = order_of(request, is_told_apart);
    rows.retain(|row| !is_user_code || is_user(row));
    let listed = Listed {
        total: compared.total(&view),
        order,
        is_user_code,
        judged_by: request.order.unwrap_or(match request.is_user_code {
            true => ComparisonOrder::OwnAndSystem,
            false => ComparisonOrder::Exclusive,
        }),
        topmost: topmost_beyond(&view, &rows),
        left_out_waiting: request.leaves_out_waiting.then_some(left_out),
        all,
        rows,
        factors,
        warnings,
    };
    let mut comparison = listed.comparison(request, compared, view);
    comparison.add_bounds(request, &metrics);
    Ok(comparison)
}

/// `is_told_apart`: there is both user code and other code.
fn order_of(request: &ComparisonRequest, is_told_apart: bool) -> (ComparisonOrder, bool) {
    match request.order {
        Some(order) => (order, request.is_user_code),
        None if request.is_user_code || is_told_apart => (ComparisonOrder::OwnAndSystem, true),
        None => (ComparisonOrder::Exclusive, false),
    }
}

struct Listed {
    total: Estimate,
    order: ComparisonOrder,
    is_user_code: bool,
    judged_by: ComparisonOrder,
    topmost: HashSet<FrameId>,
    left_out_waiting: Option<[u64; 2]>,
    all: Arc<[ComparedMethod]>,
    rows: Vec<ComparedMethod>,
    factors: Vec<f64>,
    warnings: Vec<String>,
}

impl Listed {
    fn comparison(self, request: &ComparisonRequest, compared: Compared, view: View) -> Comparison {
        let (methods, total) = (self.rows.len(), self.total);
        let outside_user_code = self.outside();
        let (mut changed, unchanged): (Vec<_>, Vec<_>) =
            self.rows.into_iter().partition(has_changed);
        order_by_change(&mut changed, &view, self.order);
        let mut comparison = Comparison {
            compared: Arc::new(compared),
            view: Arc::new(view),
            order: self.order,
            is_user_code: self.is_user_code,
            is_user_code_usual: self.is_user_code && !request.is_user_code,
            judged_by: self.judged_by,
            total,
            outside_user_code,
            all: self.all,
            methods,
            unchanged: unchanged.len(),
            topmost: self.topmost,
            changed: changed.into(),
            rows: Vec::new(),
            explained: OnceLock::new(),
            left_out: 0,
            rest: 0,
            named: match request.most {
                MostRows::Rows(rows) => rows,
                MostRows::All | MostRows::Usual => usize::MAX,
            },
            per: request.per.clone(),
            left_out_waiting: self.left_out_waiting,
            factors: self.factors,
            warnings: self.warnings,
        };
        comparison.choose(request.most);
        comparison
    }

    /// The total without the rows, if these are user code only and add up.
    fn outside(&self) -> Option<Sides> {
        let adds_up = matches!(
            self.order,
            ComparisonOrder::Exclusive | ComparisonOrder::OwnAndSystem
        );
        let less = |rest: Sides, row: &ComparedMethod| {
            let listed = self.order.estimate(row).sides;
            Sides {
                before: rest.before.saturating_sub(listed.before),
                after: rest.after.saturating_sub(listed.after),
            }
        };
        let rest = || self.rows.iter().fold(self.total.sides, less);
        (self.is_user_code && adds_up).then(rest)
    }
}

/// Of the methods on one side only: those that others of them don't call and whose inclusive value is significant.
fn topmost_beyond(view: &View, rows: &[ComparedMethod]) -> HashSet<FrameId> {
    let is_one = |row: &&ComparedMethod| row.inclusive.chance == Chance::Beyond;
    let of = |presence| {
        let rows = rows.iter().filter(|row| row.presence == presence);
        let frames: Vec<FrameId> = rows.filter(is_one).map(|row| row.frame).collect();
        one_sided::topmost(view.uncollapsed(), presence, &frames)
    };
    let [new, vanished] = [Presence::New, Presence::Vanished].map(of);
    new.into_iter().chain(vanished).collect()
}

/// Those before the change first.
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

fn sentence(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.clone()).chain(['.']).collect()
}

fn has_changed(row: &ComparedMethod) -> bool {
    // work that moves between user code and system code that it calls changes nothing else
    let estimates = [
        Some(row.exclusive),
        Some(row.inclusive),
        row.own_and_system,
        row.counts,
    ];
    estimates
        .into_iter()
        .flatten()
        .any(|estimate| estimate.sides.delta() != 0)
}

impl Comparison {
    pub fn conditions(&self, scale: Scale) -> Vec<String> {
        let words = [self.equal_work()].into_iter();
        words.chain(self.without_waiting(scale)).collect()
    }

    fn equal_work(&self) -> String {
        match (self.per.words(), self.counts()) {
            (words, _) if !words.is_empty() => words,
            (_, Some(CountKind::Calls)) => messages::SAME_WORK_ASSUMED_OF_CALLS.into(),
            _ => messages::SAME_WORK_ASSUMED.into(),
        }
    }

    fn without_waiting(&self, scale: Scale) -> Option<String> {
        let sides = self.left_out_waiting?;
        let [before, after] = sides.map(|waiting| scale.with_unit(waiting));
        Some(messages::without_waiting(&before, &after))
    }

    /// As a view that knows which differences may be chance, with the warnings.
    pub fn judged(&self) -> View {
        let changed = self.all.iter().filter(|row| has_changed(row));
        let rows = changed.map(|row| {
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

    /// Of several files a side, the first is looked at.
    fn add_bounds(&mut self, request: &ComparisonRequest, metrics: &[MetricId]) {
        let sides = warnings::sides(request, metrics).filter(|_| self.per == Per::Nothing);
        let mut rows = self.rows.iter();
        let is_slower = |row: &&ComparedMethod| {
            self.is_beyond(row)
                && self.order.estimate(row).sides.delta() > 0
                && row.presence == Presence::Both
        };
        let Some((sides, row)) = sides.zip(rows.find(is_slower)) else {
            return;
        };
        let name = self.view.frames.list_name(row.frame);
        let value = self.order.estimate(row).sides;
        self.warnings
            .extend(distortions::bounds_by_polls(sides, &visible(&name), value));
    }

    fn choose(&mut self, most: MostRows) {
        let most = match (most, self.test()) {
            (MostRows::All, _) => self.changed.len(),
            (MostRows::Rows(rows), _) => rows,
            (MostRows::Usual, "none") => UNTESTED,
            (MostRows::Usual, _) => self.told().count() + MAYBE_CHANCE,
        };
        self.left_out = self.changed.len().saturating_sub(most);
        (self.rows, self.rest) = self.most_important(&self.changed, most);
    }

    fn told(&self) -> impl Iterator<Item = &ComparedMethod> {
        let is_one = |row: &&ComparedMethod| self.is_beyond(row) && !self.is_plumbing_of_list(row);
        self.changed.iter().filter(is_one)
    }

    /// Plumbing, which awaits and tasks put between callers and callees.
    fn is_plumbing_of_list(&self, row: &ComparedMethod) -> bool {
        self.order == ComparisonOrder::Inclusive && self.view.frames.get(row.frame).is_plumbing
    }

    pub fn beyond_left_out(&self) -> usize {
        self.beyond_chance() - self.rows.iter().filter(|row| self.is_beyond(row)).count()
    }

    /// Rows that changed in another value are not in a table.
    fn differing(&self, rows: &[ComparedMethod]) -> usize {
        rows.iter().filter(|row| self.differs(row)).count()
    }

    fn differs(&self, row: &ComparedMethod) -> bool {
        let is_new = row.presence == Presence::New && self.topmost.contains(&row.frame);
        self.order.estimate(row).sides.delta() != 0 || is_new
    }

    pub fn rows_left_out(&self) -> usize {
        self.differing(&self.changed) - self.differing(&self.rows)
    }

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
            explained: OnceLock::new(),
            ..self.clone()
        }
    }

    /// At most `most` rows, significant ones first, then the largest differences, and the sum of the others. In both
    /// groups, slower ones come first and what mostly waits last; plumbing comes last overall.
    fn most_important(&self, rows: &[ComparedMethod], most: usize) -> (Vec<ComparedMethod>, i128) {
        let delta = |at: usize| self.order.estimate(&rows[at]).sides.delta();
        let part = |at: usize| {
            let may_be_chance = !self.is_beyond(&rows[at]);
            let is_plumbing = self.is_plumbing_of_list(&rows[at]);
            let is_shown = self.differs(&rows[at]);
            let waits = self.waits_mostly(&rows[at]).is_some();
            (is_plumbing, may_be_chance, !is_shown, waits)
        };
        let mut places: Vec<usize> = (0..rows.len()).collect();
        // rows that may be chance are chosen by difference alone
        let chosen = |at: usize| {
            let (is_plumbing, may_be_chance, is_hidden, waits) = part(at);
            let is_sure_wait = waits && !may_be_chance;
            (is_plumbing, may_be_chance, is_hidden, is_sure_wait)
        };
        places.sort_by_cached_key(|&at| (chosen(at), Reverse(delta(at).abs()), at));
        let others = places.split_off(most.min(rows.len()));
        places.sort_by_cached_key(|&at| (part(at), delta(at) < 0, Reverse(delta(at).abs()), at));
        let kept = places.into_iter().map(|at| rows[at]).collect();
        (kept, others.into_iter().map(delta).sum())
    }

    fn explained_by(&self, frame: FrameId) -> Option<FrameId> {
        if self.order != ComparisonOrder::Inclusive {
            return None;
        }
        let is_sure = |row: &ComparedMethod| row.inclusive.chance == Chance::Beyond;
        let explained = || explained::explained_by(self.view.uncollapsed(), &self.rows, is_sure);
        self.explained.get_or_init(explained).get(&frame).copied()
    }

    pub fn metrics(&self) -> [&Metric; 2] {
        [BEFORE, AFTER].map(|metric| self.view.recording.metric(metric))
    }

    pub fn unit(&self) -> Unit {
        self.view.recording.metric(AFTER).unit
    }

    /// Inclusive differences don't: they count the same time repeatedly.
    pub fn adds_up(&self) -> bool {
        self.order != ComparisonOrder::Inclusive
    }

    pub(super) fn is_count(&self) -> bool {
        self.order == ComparisonOrder::Counts && self.counts().is_some()
    }

    /// If both sides have the same.
    pub fn counts(&self) -> Option<CountKind> {
        let [before, after] = self.metrics();
        after.counts.filter(|_| before.counts == after.counts)
    }

    /// Of the sort value, or the inclusive value of a topmost method.
    pub fn chance(&self, row: &ComparedMethod) -> Chance {
        match self.topmost.contains(&row.frame) && self.differs(row) {
            true => Chance::Beyond,
            false => self.order.estimate(row).chance,
        }
    }

    /// Files may rank differently though their medians are the same.
    fn is_beyond(&self, row: &ComparedMethod) -> bool {
        self.differs(row) && self.chance(row) == Chance::Beyond
    }

    /// After the change, or before it if it is gone.
    fn waits_mostly(&self, row: &ComparedMethod) -> Option<f64> {
        let (all, waiting) = (row.inclusive.sides, row.waiting);
        let share = match row.presence {
            Presence::Vanished => percent(waiting.before, all.before),
            _ => percent(waiting.after, all.after),
        };
        (share >= MOSTLY_PERCENT && self.left_out_waiting.is_none()).then_some(share)
    }

    pub fn beyond_chance(&self) -> usize {
        self.changed
            .iter()
            .filter(|row| self.is_beyond(row))
            .count()
    }

    /// Significant, and not called by others of them.
    pub fn topmost(&self, presence: Presence) -> Vec<&ComparedMethod> {
        let mut rows = self.only(presence);
        rows.retain(|row| self.topmost.contains(&row.frame));
        rows
    }

    /// Largest inclusive value first.
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

    /// In the first file of each side.
    pub fn handles(row: &ComparedMethod, request: &ComparisonRequest) -> [Option<String>; 2] {
        let files = [request.before.first(), request.after.first()];
        let label = |(file, node): (Option<&ComparedFile>, Option<NodeId>)| {
            Some(file?.view.node_label(node?))
        };
        let [before, after] = row.heaviest;
        [(files[0], before), (files[1], after)].map(label)
    }
}

/// Slower methods first, each by difference.
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
    /// If kinds of counts differ, the inclusive one.
    pub fn estimate(self, row: &ComparedMethod) -> Estimate {
        match self {
            ComparisonOrder::Exclusive => *row.estimate(HotspotOrder::Exclusive),
            ComparisonOrder::Inclusive => *row.estimate(HotspotOrder::Inclusive),
            ComparisonOrder::OwnAndSystem => row.own_and_system.unwrap_or(row.exclusive),
            ComparisonOrder::Counts => row.counts.unwrap_or(row.inclusive),
        }
    }
}

#[cfg(test)]
mod tests;
