//! The sums of all methods without the tree.
//!
//! Where a report has no call stacks, they are what each `Function` says of itself: there is nothing else, and the tree would have
//! the same numbers.
//!
//! Where it has call stacks, what a `Function` says is not what is wanted: whether its TotalTime counts recursion once is not
//! documented, and a list of hotspots must not hang on how it was made. So the instances are added up here, each for itself: it is a node of
//! its function, and it lies below another one of the same function exactly if its call stack has that name further out. What
//! functions say is held against that. That instances make a whole tree (each caller is there, once, and the times fit) is seen
//! from the hashes of call stacks.
//!
//! A report that is irregular in any way is left to the reader of trees, which knows what to say about it.

use super::elements::{Sink, read_elements};
use super::functions::{Flat, Functions, whole};
use super::growing::{ROOT_NAME, TIME, strangeness};
use super::names::{Names, is_thread};
use super::path::{Cut, cut, decode};
use super::row::{Row, is_rounding};
use super::tree::source;
use crate::importers::{MethodSum, Sums};
use crate::input::xml::utf16;
use crate::input::{Failure, ImportError, Input};
use crate::model::Diagnostic;
use crate::model::diagnostics::Remark;
use crate::model::{
    CountKind, FrameId, FrameKind, Metric, Recording, TreeBuilder, is_idle, is_wait,
};
use memchr::memmem::Finder;
use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::hash::BuildHasher;

type State = foldhash::fast::RandomState;

/// The sums of a report; `None` if that takes the tree.
///
/// # Errors
/// Only the wish to stop: what else is wrong, the reader of trees says.
pub(super) fn read(input: Input) -> Result<Option<Sums>, ImportError> {
    if utf16(input.head().bytes).is_some() {
        return Ok(None);
    }
    let file = input.name.clone();
    let mut adding = Adding::default();
    let ending = match read_elements(input, &mut adding) {
        Ok(ending) => ending,
        Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
        Err(ImportError::Failed(_)) => return Ok(None),
    };
    let numbers = &ending.numbers;
    let is_regular = ending.broken.is_none()
        && ending.damaged_rows == 0
        && numbers.oddities().is_empty()
        && adding.functions.contradiction(numbers.step_ns()).is_none()
        && !adding.methods.is_empty()
        && adding
            .nodes
            .values()
            .all(|node| node.is_regular(numbers.step_ns()));
    Ok(if is_regular {
        adding.finish(file, numbers.counts)
    } else {
        None
    })
}

/// What is known of the node with a certain call stack.
#[derive(Clone, Copy, Default)]
struct Node {
    total: u64,
    own: u64,
    callees_total: u64,
    callees: u64,
    /// Whether its own instance was met, or only callees.
    is_there: bool,
}

impl Node {
    fn is_regular(&self, step_ns: u64) -> bool {
        let sum = self.own.saturating_add(self.callees_total);
        self.is_there && is_rounding(self.total.abs_diff(sum), self.callees + 1, step_ns)
    }
}

/// A function and the sums over its instances.
struct Method {
    raw: Box<[u8]>,
    inclusive: u64,
    exclusive: u64,
    count: u64,
    count_of_outermost: u64,
    nodes: u32,
}

/// The function whose instances are being read.
struct Current {
    method: Method,
    /// Whether its name is found in a call stack as it is written.
    is_plain: bool,
    is_thread: bool,
    /// Whether its own time is waiting.
    is_wait: bool,
    /// The name between slashes: where that is found in a call stack, the function is further out.
    between: Finder<'static>,
}

#[derive(Default)]
struct Adding {
    functions: Functions,
    current: Option<Current>,
    methods: Vec<Method>,
    /// The methods by their names as they are written: overloads are functions with one name.
    method_of: HashMap<Box<[u8]>, usize, State>,
    /// By hash. Call stacks are only compared with each other, and hashes are seeded at random.
    nodes: HashMap<u64, Node, State>,
    hasher: State,
    total: u64,
    /// What the outermost frames of call stacks have below them, and how much of it is waiting.
    threads: HashMap<Box<[u8]>, (u64, u64), State>,
}

/// What stops the reading; it is never shown.
fn irregular() -> ImportError {
    Failure::new("", "", "").into()
}

impl Sink for Adding {
    fn function(&mut self, row: &Row) -> Result<(), ImportError> {
        let whole = Cut {
            len: row.name.len(),
            slash: 0,
        };
        let (name, unknown) = decode(row.name);
        let is_plain =
            cut(row.name) == Some(whole) && unknown == 0 && !name.is_empty() && !name.contains('/');
        if strangeness(row).is_some() || self.functions.is_mixed() {
            return Err(irregular());
        }
        let between = [b"/", row.name, b"/"].concat();
        self.current = Some(Current {
            method: Method {
                raw: row.name.into(),
                inclusive: 0,
                exclusive: 0,
                count: 0,
                count_of_outermost: 0,
                nodes: 0,
            },
            is_plain,
            is_thread: is_thread(&name),
            is_wait: [FrameKind::Method, FrameKind::Special]
                .into_iter()
                .any(|kind| is_wait(kind, &name)),
            between: Finder::new(&between).into_owned(),
        });
        self.functions.begin(row);
        Ok(())
    }

    fn instance(&mut self, row: &Row) -> Result<(), ImportError> {
        let (Some(current), Some(total), Some(own)) = (&mut self.current, row.total, row.own)
        else {
            return Err(irregular());
        };
        if !current.is_plain {
            return Err(irregular());
        }
        self.functions.instance(row);
        let callers = row
            .name
            .strip_suffix(&*current.method.raw)
            .ok_or_else(irregular)?;
        let node = self
            .nodes
            .entry(self.hasher.hash_one(row.name))
            .or_default();
        if node.is_there || total < own {
            return Err(irregular());
        }
        (node.is_there, node.total, node.own) = (true, total, own);
        let count = row.count.unwrap_or(0);
        // dotTrace charges time to threads only while they wait
        if (current.is_wait || callers.is_empty() && current.is_thread) && own > 0 {
            let thread = row
                .name
                .split(|&byte| byte == b'/')
                .next()
                .unwrap_or(row.name);
            let (_, waiting) = self.threads.entry(thread.into()).or_default();
            *waiting = waiting.saturating_add(own);
        }
        if callers.is_empty() {
            self.total = self.total.saturating_add(total);
            let (whole, _) = self.threads.entry(row.name.into()).or_default();
            *whole = whole.saturating_add(total);
            if !current.is_thread {
                current.method.add(total, own, count, true);
            }
            return Ok(());
        }
        let caller = callers.strip_suffix(b"/").ok_or_else(irregular)?;
        let above = self.nodes.entry(self.hasher.hash_one(caller)).or_default();
        above.callees_total = above.callees_total.saturating_add(total);
        above.callees += 1;
        current
            .method
            .add(total, own, count, !current.is_among(callers));
        Ok(())
    }

    fn end_function(&mut self) {
        self.functions.end();
        let Some(Current { method, .. }) = self.current.take() else {
            return;
        };
        match self.method_of.entry(method.raw.clone()) {
            Entry::Occupied(known) => {
                // both were added in the order of the functions
                self.methods[*known.get()].add_all(&method);
            }
            Entry::Vacant(new) => {
                new.insert(self.methods.len());
                self.methods.push(method);
            }
        }
    }
}

impl Current {
    /// Whether the function is among the callers in the first part of a call stack, which ends in a slash.
    fn is_among(&self, callers: &[u8]) -> bool {
        // what is called like a thread is none below others
        let is_first = callers
            .strip_prefix(&*self.method.raw)
            .is_some_and(|rest| rest.starts_with(b"/"));
        (is_first && !self.is_thread) || self.between.find(callers).is_some()
    }
}

impl Method {
    /// Adds the sums of another function with the same name.
    fn add_all(&mut self, other: &Method) {
        self.inclusive = self.inclusive.saturating_add(other.inclusive);
        self.exclusive = self.exclusive.saturating_add(other.exclusive);
        self.count = self.count.saturating_add(other.count);
        self.count_of_outermost = self
            .count_of_outermost
            .saturating_add(other.count_of_outermost);
        self.nodes = self.nodes.saturating_add(other.nodes);
    }

    fn add(&mut self, total: u64, own: u64, count: u64, is_outermost: bool) {
        self.exclusive = self.exclusive.saturating_add(own);
        self.count = self.count.saturating_add(count);
        self.nodes = self.nodes.saturating_add(1);
        if is_outermost {
            self.inclusive = self.inclusive.saturating_add(total);
            self.count_of_outermost = self.count_of_outermost.saturating_add(count);
        }
    }
}

impl Adding {
    /// The sums, unless the names are odd.
    fn finish(self, file: String, counts: Option<CountKind>) -> Option<Sums> {
        // where a thread only waits, what percentages are of hangs on the tree
        if self.functions.is_mixed()
            || self
                .threads
                .values()
                .any(|&(whole, waiting)| is_idle(waiting, whole))
        {
            return None;
        }
        let mut names = Names::default();
        let root = names.frames.intern(FrameKind::Root, ROOT_NAME, "");
        let (methods, total, diagnostics) = match self.functions.level(&mut names) {
            Some(level) => (
                sums_of_level(&level, counts),
                whole(&level),
                vec![Diagnostic::plain(Remark::NoCallStacks)],
            ),
            None => (
                sums_of_instances(self.methods, &mut names, counts)?,
                self.total,
                Vec::new(),
            ),
        };
        if names.unknown_entities > 0 {
            return None;
        }
        let metrics = vec![Metric::time("time", counts)];
        let mut builder = TreeBuilder::new(root, &metrics);
        builder.set_values(TIME, TreeBuilder::ROOT, total, 0, 0);
        let built = builder.finish(&names.frames, TIME);
        let recording = Recording::new(
            source(file, counts),
            names.frames,
            built.tree,
            metrics,
            TIME,
        );
        let view = Recording {
            diagnostics,
            ..recording
        }
        .into_view();
        Some(Sums { view, methods })
    }
}

/// The sums of methods over their instances; `None` if there are two spellings of one name.
fn sums_of_instances(
    methods: Vec<Method>,
    names: &mut Names,
    counts: Option<CountKind>,
) -> Option<Vec<MethodSum>> {
    let mut seen = HashSet::new();
    let mut sum = |method: &Method| {
        let frame = names.frame(&method.raw, false);
        seen.insert(frame).then_some(MethodSum {
            frame,
            inclusive: method.inclusive,
            exclusive: method.exclusive,
            count: counts.map(|kind| match kind {
                CountKind::Samples => method.count_of_outermost,
                CountKind::Calls | CountKind::Unknown => method.count,
            }),
            count_of_nodes: method.count,
            count_of_outermost: method.count_of_outermost,
            node_count: method.nodes,
        })
    };
    methods
        .iter()
        .filter(|method| method.nodes > 0)
        .map(&mut sum)
        .collect()
}

/// The sums of methods over the functions that are called alike. Each function is one node, below no other.
fn sums_of_level(level: &[Flat], counts: Option<CountKind>) -> Vec<MethodSum> {
    let mut sums: HashMap<FrameId, MethodSum, State> = HashMap::default();
    for row in level {
        let sum = sums.entry(row.frame).or_insert(MethodSum {
            frame: row.frame,
            inclusive: 0,
            exclusive: 0,
            count: counts.map(|_| 0),
            count_of_nodes: 0,
            count_of_outermost: 0,
            node_count: 0,
        });
        sum.inclusive = sum.inclusive.saturating_add(row.total);
        sum.exclusive = sum.exclusive.saturating_add(row.own);
        sum.count_of_nodes = sum.count_of_nodes.saturating_add(row.count);
        sum.count_of_outermost = sum.count_of_nodes;
        sum.count = counts.map(|_| sum.count_of_nodes);
        sum.node_count = sum.node_count.saturating_add(1);
    }
    sums.into_values().collect()
}
