//! Two profiles of one recording, node by node: do two decoders read the same?
//!
//! Nodes are matched from the roots down, a node's callees by their names. Decoders spell one method differently, so two
//! spellings count as the same method
//!
//! 1. if they are equal without module and arguments, as `Acme!Acme.Book.Match` and `Acme.Book.Match(int32)` are;
//! 2. else, if the names for people are equal ([`crate::names::display_name`]);
//! 3. for threads and for what is no method (`[Native code]`), each tool has names of its own: those left over are matched by
//!    their times, largest first.
//!
//! Callees of one node with the same name, such as overloads, are compared as one. If only one of the profiles has threads,
//! those of the other are compared as one.

use crate::model::{FrameId, MetricId, Names, NodeId, View};
use crate::names::{FrameKind, split_module};
use crate::units::Unit;
use std::collections::HashMap;

/// How many differences are kept.
const MAX_KEPT: usize = 50;
/// How many frames of a path are named.
const PATH_FRAMES: usize = 6;

/// The coarsest step of times that is looked for, in stored steps: a millisecond.
const COARSEST: u64 = 1_000_000;

/// How far two values may be apart and count as equal, by the precision of the sources.
///
/// A source that rounds rounds each value by itself, so a value is off by no more than a step, an inclusive one too. Only one
/// that was made by adding up values of a subtree may be off by a step for each of these. Whether one was can be seen: it is the
/// sum of its parts to the last digit. That is asked of the coarser source only, beside whose steps those of the other are nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// For values of the first profile and of the second, in stored steps.
    pub steps: (u64, u64),
}

impl Tolerance {
    /// The tolerance for two profiles. None if all values of both have the same number of decimals; else the coarser step,
    /// since the values of one may have been rounded or cut to it. Nanoseconds have to agree to one, for the ticks of
    /// some clocks are no whole nanoseconds.
    pub fn between(a: &View, b: &View) -> Tolerance {
        let steps = (step(a), step(b));
        let is_exact = steps.0 == steps.1 && steps.0 > 1;
        Tolerance {
            steps: if is_exact { (0, 0) } else { steps },
        }
    }

    /// The coarser step: how far the values of one node may be apart.
    pub fn coarser(self) -> u64 {
        self.steps.0.max(self.steps.1)
    }

    /// Whether two inclusive values may be equal. Each is given with the number of nodes that it is of, and of values that it
    /// is the sum of.
    fn allows(self, a: Total, b: Total) -> bool {
        let most = |step: u64, total: Total| {
            step.saturating_mul(if step == self.coarser() {
                total.parts
            } else {
                total.nodes
            } as u64)
        };
        a.value.abs_diff(b.value) <= most(self.steps.0, a).saturating_add(most(self.steps.1, b))
    }
}

/// The inclusive value of nodes that are compared as one.
#[derive(Clone, Copy)]
struct Total {
    value: u64,
    nodes: usize,
    /// How many rounded values it is made of: all below if it is their sum, else one for each node.
    parts: usize,
}

/// The largest power of ten, up to a millisecond, of which all exclusive values are multiples.
fn step(view: &View) -> u64 {
    if view.metric(view.default_metric).unit != Unit::Milliseconds {
        return 1;
    }
    let mut step = COARSEST;
    for &value in &view.tree.columns(view.default_metric).exclusive {
        while !value.is_multiple_of(step) {
            step /= 10;
        }
    }
    step
}

/// What is different about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Only the first profile has the node; its subtree is left out.
    OnlyInFirst,
    /// Only the second profile has the node; its subtree is left out.
    OnlyInSecond,
    /// The value with callees, in stored steps.
    Inclusive(u64, u64),
    /// The value without callees, in stored steps.
    Exclusive(u64, u64),
    /// The calls or samples.
    Count(u64, u64),
}

/// A difference between two profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The node: in the second profile for [`What::OnlyInSecond`], else in the first.
    pub node: NodeId,
    /// The names for people on the way from the root, the last ones only where they are many.
    pub path: Vec<String>,
    pub what: What,
}

/// What came of comparing two profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// How far times may be apart.
    pub tolerance: Tolerance,
    /// How many nodes each has; the synthetic root is not counted.
    pub nodes: (usize, usize),
    /// How many nodes of the first are equal to those of the second.
    pub equal: usize,
    /// How many nodes of the first are there in the second with other values.
    pub changed: usize,
    /// How many nodes only the first has, those below nodes that only it has among them.
    pub only_in_first: usize,
    /// The same of the second.
    pub only_in_second: usize,
    /// The largest difference of two times in stored steps, within the tolerance or not.
    pub largest_difference: u64,
    /// Whether threads were compared as one, since only one of the profiles has threads.
    pub threads_are_one: bool,
    /// How many threads and pseudo methods have different names and were matched by their times.
    pub matched_by_time: usize,
    /// How many nodes were compared together with a sibling of the same name.
    pub overloads: usize,
    /// Whether counts were compared: both profiles have them, and of one kind.
    pub counts_are_compared: bool,
    /// The first differences, callers before callees.
    pub first: Vec<Difference>,
}

impl Agreement {
    /// Whether the profiles have the same nodes with the same values.
    pub fn is_equal(&self) -> bool {
        self.changed + self.only_in_first + self.only_in_second == 0
    }
}

/// Compares two profiles by their default metrics. O(nodes of both).
pub fn agreement(first: &View, second: &View) -> Agreement {
    let mut names = Names::default();
    let sides = (Side::new(first, &mut names), Side::new(second, &mut names));
    Comparer::new(sides).run()
}

/// A profile with what its frames are matched by.
struct Side<'a> {
    view: &'a View,
    metric: MetricId,
    /// By frame: the name without module and arguments, and the name for people.
    keys: Vec<[u32; 2]>,
}

impl<'a> Side<'a> {
    fn new(view: &'a View, names: &mut Names) -> Side<'a> {
        let key = |(id, _): (FrameId, _)| {
            let full = split_module(view.frames.name(id)).1;
            // a name can begin with a bracket, `(Non-Activities)`, and then it is none of arguments
            let bare = match full.find('(') {
                None | Some(0) => full,
                Some(arguments) => &full[..arguments],
            };
            [
                names.intern(bare).0,
                names.intern(&view.frames.plain_display_name(id)).0,
            ]
        };
        Side {
            view,
            metric: view.default_metric,
            keys: view.frames.iter().map(key).collect(),
        }
    }

    fn key(&self, node: NodeId, way: usize) -> u32 {
        self.keys[self.view.tree.frame(node).index()][way]
    }

    fn sum(&self, nodes: &[NodeId], value: impl Fn(NodeId) -> u64) -> u64 {
        nodes
            .iter()
            .fold(0, |sum, &node| sum.saturating_add(value(node)))
    }

    fn inclusive(&self, nodes: &[NodeId]) -> u64 {
        self.sum(nodes, |node| self.view.tree.inclusive(self.metric, node))
    }

    fn exclusive(&self, nodes: &[NodeId]) -> u64 {
        self.sum(nodes, |node| self.view.tree.exclusive(self.metric, node))
    }

    fn count(&self, nodes: &[NodeId]) -> u64 {
        self.sum(nodes, |node| {
            self.view.tree.count(self.metric, node).unwrap_or(0)
        })
    }

    fn size(&self, nodes: &[NodeId]) -> usize {
        nodes.iter().map(|&node| self.view.tree.size(node)).sum()
    }

    fn total(&self, nodes: &[NodeId]) -> Total {
        let (tree, value) = (&self.view.tree, self.inclusive(nodes));
        let below = nodes
            .iter()
            .flat_map(|&node| tree.children(node))
            .map(|node| tree.inclusive(self.metric, node));
        let is_sum = below.fold(self.exclusive(nodes), u64::saturating_add) == value;
        Total {
            value,
            nodes: nodes.len(),
            parts: if is_sum {
                self.size(nodes)
            } else {
                nodes.len()
            },
        }
    }

    fn children(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        nodes
            .iter()
            .flat_map(|&node| self.view.tree.children(node))
            .collect()
    }

    fn kind(&self, node: NodeId) -> FrameKind {
        self.view.frames.get(self.view.tree.frame(node)).kind
    }

    /// Whether each tool has a name of its own for the frame: it is a thread, or no method.
    fn is_named_freely(&self, node: NodeId) -> bool {
        self.kind(node) != FrameKind::Method || self.view.display_name(node).starts_with('[')
    }

    fn is_thread(&self, node: NodeId) -> bool {
        self.kind(node) == FrameKind::Thread
    }

    fn path(&self, node: NodeId) -> Vec<String> {
        let above = self
            .view
            .tree
            .ancestors(node)
            .take_while(|&above| above != NodeId::ROOT);
        let mut path: Vec<String> = [node]
            .into_iter()
            .chain(above.take(PATH_FRAMES))
            .map(|at| self.view.display_name(at).to_string())
            .collect();
        if path.len() > PATH_FRAMES {
            path[PATH_FRAMES] = "…".into();
        }
        path.reverse();
        path
    }
}

/// Nodes of both profiles that stand for the same.
type Pair = (Vec<NodeId>, Vec<NodeId>);

struct Comparer<'a> {
    sides: (Side<'a>, Side<'a>),
    result: Agreement,
}

impl<'a> Comparer<'a> {
    fn new(sides: (Side<'a>, Side<'a>)) -> Comparer<'a> {
        let (a, b) = (sides.0.view, sides.1.view);
        let counts = |side: &Side| side.view.metric(side.metric).counts;
        let result = Agreement {
            tolerance: Tolerance::between(a, b),
            nodes: (a.node_count(), b.node_count()),
            equal: 0,
            changed: 0,
            only_in_first: 0,
            only_in_second: 0,
            largest_difference: 0,
            threads_are_one: a.threads.is_empty() != b.threads.is_empty(),
            matched_by_time: 0,
            overloads: 0,
            counts_are_compared: counts(&sides.0).is_some() && counts(&sides.0) == counts(&sides.1),
            first: Vec::new(),
        };
        Comparer { sides, result }
    }

    fn run(mut self) -> Agreement {
        let roots = |side: &Side| match self.result.threads_are_one && !side.view.threads.is_empty()
        {
            true => side
                .view
                .threads
                .by_value()
                .map(|thread| thread.node)
                .collect(),
            false => vec![NodeId::ROOT],
        };
        // what is left to be compared, the next one last
        let mut open: Vec<Pair> = self.matched(&(roots(&self.sides.0), roots(&self.sides.1)));
        open.reverse();
        while let Some(pair) = open.pop() {
            match (pair.0.as_slice(), pair.1.as_slice()) {
                (only, []) => {
                    self.result.only_in_first += self.sides.0.size(only);
                    self.differs(What::OnlyInFirst, only);
                }
                ([], only) => {
                    self.result.only_in_second += self.sides.1.size(only);
                    self.differs(What::OnlyInSecond, only);
                }
                _ => {
                    self.compare_values(&pair);
                    let callees = self.matched(&pair);
                    open.extend(callees.into_iter().rev());
                }
            }
        }
        self.result
    }

    /// The callees of nodes that were matched, matched.
    fn matched(&mut self, (first, second): &Pair) -> Vec<Pair> {
        let mut left: Pair = (self.sides.0.children(first), self.sides.1.children(second));
        let mut matched = Vec::new();
        for way in 0..2 {
            let mut row_of: HashMap<u32, usize, foldhash::fast::RandomState> = HashMap::default();
            let mut groups: Vec<Pair> = Vec::new();
            for (side, nodes) in [
                (0, std::mem::take(&mut left.0)),
                (1, std::mem::take(&mut left.1)),
            ] {
                for node in nodes {
                    let key = if side == 0 {
                        self.sides.0.key(node, way)
                    } else {
                        self.sides.1.key(node, way)
                    };
                    let row = *row_of.entry(key).or_insert_with(|| {
                        groups.push(Pair::default());
                        groups.len() - 1
                    });
                    if side == 0 {
                        groups[row].0.push(node)
                    } else {
                        groups[row].1.push(node)
                    }
                }
            }
            for group in groups {
                if group.0.is_empty() || group.1.is_empty() {
                    left.0.extend(group.0);
                    left.1.extend(group.1);
                } else {
                    matched.push(group);
                }
            }
        }
        self.match_by_time(&mut left, &mut matched);
        let only = left.0.into_iter().map(|node| (vec![node], Vec::new()));
        matched.extend(only.chain(left.1.into_iter().map(|node| (Vec::new(), vec![node]))));
        matched
    }

    /// Matches threads, then what is no method, by their places among those that are left: siblings are stored by time.
    fn match_by_time(&mut self, left: &mut Pair, matched: &mut Vec<Pair>) {
        for of_threads in [true, false] {
            let take = |side: &Side, nodes: &mut Vec<NodeId>| {
                let fits = |&node: &NodeId| {
                    side.is_named_freely(node) && side.is_thread(node) == of_threads
                };
                let (fitting, others): (Vec<NodeId>, Vec<NodeId>) =
                    nodes.iter().copied().partition(fits);
                *nodes = others;
                fitting
            };
            let mut first = take(&self.sides.0, &mut left.0);
            let mut second = take(&self.sides.1, &mut left.1);
            let both = first.len().min(second.len());
            left.0.extend(first.drain(both..));
            left.1.extend(second.drain(both..));
            self.result.matched_by_time += both;
            matched.extend(
                first
                    .into_iter()
                    .zip(second)
                    .map(|(a, b)| (vec![a], vec![b])),
            );
        }
    }

    fn compare_values(&mut self, (first, second): &Pair) {
        let (a, b) = &self.sides;
        let nodes = first.len().max(second.len()) as u64;
        let exclusive = (a.exclusive(first), b.exclusive(second));
        let inclusive = (a.inclusive(first), b.inclusive(second));
        // the count of a thread is what each tool makes of it
        let is_counted =
            self.result.counts_are_compared && !first.iter().any(|&node| a.is_thread(node));
        let count = if is_counted {
            (a.count(first), b.count(second))
        } else {
            (0, 0)
        };
        let tolerance = self.result.tolerance;
        let largest = exclusive
            .0
            .abs_diff(exclusive.1)
            .max(inclusive.0.abs_diff(inclusive.1));
        self.result.largest_difference = self.result.largest_difference.max(largest);
        if first.len() > 1 || second.len() > 1 {
            self.result.overloads += first.len();
        }
        let what = if exclusive.0.abs_diff(exclusive.1) > tolerance.coarser().saturating_mul(nodes)
        {
            What::Exclusive(exclusive.0, exclusive.1)
        } else if !tolerance.allows(a.total(first), b.total(second)) {
            What::Inclusive(inclusive.0, inclusive.1)
        } else if count.0 != count.1 {
            What::Count(count.0, count.1)
        } else {
            self.result.equal += first.len();
            return;
        };
        self.result.changed += first.len();
        self.differs(what, first);
    }

    fn differs(&mut self, what: What, nodes: &[NodeId]) {
        if let (true, Some(&node)) = (self.result.first.len() < MAX_KEPT, nodes.first()) {
            let side = if what == What::OnlyInSecond {
                &self.sides.1
            } else {
                &self.sides.0
            };
            self.result.first.push(Difference {
                node,
                path: side.path(node),
                what,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Recording;
    use crate::model::testing::profile_of;

    fn equal(a: &str, b: &str) -> Agreement {
        agreement(&profile_of(a), &profile_of(b))
    }

    /// `equal changed first-only second-only` and the differences as `path what`.
    #[track_caller]
    fn check(a: &str, b: &str, counts: [usize; 4], expect: &[&str]) {
        let result = equal(a, b);
        let found = [
            result.equal,
            result.changed,
            result.only_in_first,
            result.only_in_second,
        ];
        assert_eq!(
            (found, result.is_equal()),
            (counts, expect.is_empty()),
            "{result:?}"
        );
        let first: Vec<String> = result
            .first
            .iter()
            .map(|d| format!("{} {:?}", d.path.join(">"), d.what))
            .collect();
        assert_eq!(first, expect);
    }

    #[test]
    fn equal_trees() {
        check(
            "T;a;b 3|T;a 4|U;c 1",
            "U;c 1|T;a 4|T;a;b 3",
            [5, 0, 0, 0],
            &[],
        );
        check("T;M!N.A.b(int) 3", "T;N.A.b 3", [2, 0, 0, 0], &[]);
        check("T;M!N.A`1.b 3", "T;X!N.A<T>.b 3", [2, 0, 0, 0], &[]);
        // overloads are compared as one
        check(
            "T;N.A.b(int) 3|T;N.A.b(long) 1",
            "T;N.A.b 3|T;N.A.b 1",
            [3, 0, 0, 0],
            &[],
        );
        // the thread is equal, and the two are not: its samples don't count
        check(
            "T;N.A.b(int) 3|T;N.A.b(long) 1",
            "T;N.A.b 4",
            [1, 2, 0, 0],
            &["T>A.b Count(2, 1)"],
        );
    }

    #[test]
    fn different_trees() {
        // milliseconds on both sides: no tolerance
        check(
            "T;a;b 3|T;a 4",
            "T;a;c 3|T;a 4",
            [2, 0, 1, 1],
            &["T>a>b OnlyInFirst", "T>a>c OnlyInSecond"],
        );
        check(
            "T;a;b 3|T;a 4",
            "T;a;b 2|T;a 4",
            [0, 3, 0, 0],
            &[
                "T Inclusive(7000000, 6000000)",
                "T>a Inclusive(7000000, 6000000)",
                "T>a>b Exclusive(3000000, 2000000)",
            ],
        );
        check("T;a 2", "T;a 1|T;a 1", [1, 1, 0, 0], &["T>a Count(1, 2)"]);
        check("T;a 2|U;x;y 1", "T;a 2", [2, 0, 3, 0], &["U OnlyInFirst"]);
        assert_eq!(equal("T;a 5", "T;a 3").largest_difference, 2_000_000);
    }

    #[test]
    fn threads_and_pseudo_methods_have_free_names() {
        let result = equal("T 1;a 3|T 2;b 2", "main;a 3|worker;b 2");
        assert!(
            result.is_equal() && result.matched_by_time == 2,
            "{result:?}"
        );
        check(
            "T;[Native code] 3",
            "T;[Native or optimized code] 3",
            [2, 0, 0, 0],
            &[],
        );
        check(
            "T;[Native code] 3",
            "T;native 3",
            [1, 0, 1, 1],
            &["T>[Native code] OnlyInFirst", "T>native OnlyInSecond"],
        );
    }

    #[test]
    fn threads_of_one_side_only_are_compared_as_one() {
        let mut flat = profile_of("a;b 3|a 1|c 2|b 1");
        flat.threads = crate::model::Threads::default();
        let threads = profile_of("T;a;b 3|U;a 1|T;c 2|V;b 1");
        let result = agreement(&threads, &flat);
        assert!(result.is_equal() && result.threads_are_one, "{result:?}");
        // a of T and a of U are one, and the frames of the other are threads here
        assert_eq!((result.equal, result.overloads), (5, 2));
        assert!(agreement(&flat, &threads).is_equal());
    }

    /// `T ▸ a ▸ b` with these exclusive values in nanoseconds.
    fn chain(a: u64, b: u64) -> View {
        let mut frames = crate::model::Frames::default();
        let metrics = vec![crate::model::Metric::time("time", None)];
        let root = frames.intern(FrameKind::Root, "All threads", "");
        let mut builder = crate::model::TreeBuilder::new(root, &metrics);
        let mut above = crate::model::TreeBuilder::ROOT;
        for (kind, name, value) in [
            (FrameKind::Thread, "T", 0),
            (FrameKind::Method, "a", a),
            (FrameKind::Method, "b", b),
        ] {
            let frame = frames.intern(kind, name, "");
            above = builder.add(above, frame).unwrap();
            builder.add_exclusive(MetricId(0), above, value);
        }
        let tree = builder.finish(&frames, MetricId(0)).tree;
        Recording::new(
            profile_of("T;a 1").source.clone(),
            frames,
            tree,
            metrics,
            MetricId(0),
        )
        .into_view()
    }

    #[test]
    fn the_tolerance_is_that_of_the_coarser_text() {
        #[track_caller]
        fn check(a: (u64, u64), b: (u64, u64), tolerance: u64, differences: usize) {
            let result = agreement(&chain(a.0, a.1), &chain(b.0, b.1));
            assert_eq!(
                (result.tolerance.coarser(), result.changed),
                (tolerance, differences)
            );
        }
        let ms = 1_000_000;
        check((3 * ms, 4 * ms), (3 * ms, 4 * ms), 0, 0);
        // the own value of b, and the totals of the three
        check((3 * ms, 4 * ms), (3 * ms, 5 * ms), 0, 3);
        // whole milliseconds beside ticks of 100 ns: a millisecond for each node
        check((3_000_300, 3_999_900), (3 * ms, 4 * ms), ms, 0);
        check((3_000_300, 3_999_900), (3 * ms, 5 * ms), ms, 1);
        check((3_000_300, 3_999_900), (3_000_300, 3_999_800), 0, 3);
        // nanoseconds: one for each node
        check((3_000_301, 4 * ms), (3_000_302, 4 * ms), 1, 0);
        check((3_000_301, 4 * ms), (3_000_303, 4 * ms), 1, 1);
    }

    /// A method with a thousand callees, all with 0.4 ms of their own, which is 400.4 ms in all; the second profile has whole
    /// milliseconds, and says so of the total.
    #[test]
    fn totals_that_a_source_says_itself_are_as_precise_as_others() {
        let many = |own: u64, total: Option<u64>| {
            let mut frames = crate::model::Frames::default();
            let metrics = vec![crate::model::Metric::time("time", None)];
            let root = frames.intern(FrameKind::Root, "All threads", "");
            let mut builder = crate::model::TreeBuilder::new(root, &metrics);
            let mut add = |above, name: &str, total| {
                let frame = frames.intern(FrameKind::Method, name, "");
                let node = builder.add(above, frame).unwrap();
                match total {
                    Some(total) => builder.set_values(MetricId(0), node, total, own, 0),
                    None => builder.add_exclusive(MetricId(0), node, own),
                }
                node
            };
            let top = add(crate::model::TreeBuilder::ROOT, "top", total);
            for callee in 0..1000 {
                add(top, &format!("c{callee}"), total.map(|_| own));
            }
            let tree = builder.finish(&frames, MetricId(0)).tree;
            Recording::new(
                profile_of("T;a 1").source.clone(),
                frames,
                tree,
                metrics,
                MetricId(0),
            )
            .into_view()
        };
        let ms = 1_000_000;
        let exact = many(400_000, None);
        #[track_caller]
        fn check(exact: &View, other: &View, expect: &[What]) {
            for (a, b) in [(exact, other), (other, exact)] {
                let found = agreement(a, b).first;
                assert_eq!(found.len(), expect.len(), "{found:?}");
            }
            let found: Vec<What> = agreement(exact, other)
                .first
                .iter()
                .map(|difference| difference.what)
                .collect();
            assert_eq!(found, expect);
        }
        check(&exact, &many(0, Some(400 * ms)), &[]);
        check(&exact, &many(0, Some(401 * ms)), &[]);
        // a millisecond, and a tenth for the finer one: 401.5 ms is the most
        check(
            &exact,
            &many(0, Some(402 * ms)),
            &[What::Inclusive(400_400_000, 402 * ms)],
        );
        check(
            &exact,
            &many(0, Some(399 * ms)),
            &[What::Inclusive(400_400_000, 399 * ms)],
        );
        // nobody says a total, and each of the summands was cut: 0.4 ms are lost with each
        check(&exact, &many(0, None), &[]);
        check(&exact, &many(ms, None), &[]);
    }

    #[test]
    fn a_deep_chain_is_compared_on_the_default_stack() {
        let names: Vec<String> = (0..200_000)
            .map(|depth| format!("f{}", depth % 7))
            .collect();
        let stack = format!("T;{} 1", names.join(";"));
        assert_eq!(equal(&stack, &stack).equal, 200_001);
    }
}
