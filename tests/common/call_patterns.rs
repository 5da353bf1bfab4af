//! Generates complete recordings of threads that walk through call trees with known patterns, and the same recordings
//! with stacks truncated to a number of frames.

use super::nettrace_writer::{Kind, Options, Writer};
use super::random::Random;
use std::collections::{BTreeSet, HashMap};

/// How the methods of a program call each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Each method is called in only one place.
    Unambiguous,
    /// Each method is called in only one place, through five library methods that are the same everywhere.
    Async,
    /// Parts of the tree are the same chains of methods, each below several callers.
    SharedHelpers,
    /// Twelve methods call each other at random.
    Grammar,
    /// Two methods call each other.
    Mutual,
    /// A method calls itself.
    Single,
}

/// All stacks that a thread can have: a tree of calls, callers before their callees.
struct Program {
    /// The caller, the method and the depth of each call. Call 0 is the entry of the thread.
    calls: Vec<(usize, u32, usize)>,
    next_method: u32,
}

/// The methods that all threads share.
const ENTRY: [u32; 2] = [0, 1];
const HELPERS: std::ops::Range<u32> = 10..15;
const RECURSIVE: u32 = 20;
const LEAVES: std::ops::Range<u32> = 40..44;
const FIRST_OWN: u32 = 100;

impl Program {
    fn new(pattern: Pattern, limit: usize, random: &mut Random, first_method: u32) -> Program {
        let mut program = Program {
            calls: vec![(0, ENTRY[0], 1), (0, ENTRY[1], 2)],
            next_method: first_method,
        };
        let deepest = limit * 5 / 2 + 10;
        // chains of methods that are called from several places
        let mut library = |_| {
            let length = 2 + limit / 4 + random.below(limit * 3 / 4);
            (0..length).map(|_| program.new_method()).collect()
        };
        let libraries: Vec<Vec<u32>> = (0..4).map(&mut library).collect();
        for branch in 0..40 {
            let (mut at, length) = match branch {
                0 => (1, deepest),
                _ => (
                    program.somewhere(deepest * 4 / 5, random),
                    3 + random.below(deepest / 3),
                ),
            };
            let end = (program.calls[at].2 + length).min(deepest);
            while program.calls[at].2 < end {
                match pattern {
                    Pattern::SharedHelpers if random.below(limit / 2 + 4) == 0 => {
                        for &method in &libraries[random.below(libraries.len())] {
                            at = program.call(at, method);
                        }
                    }
                    Pattern::Unambiguous | Pattern::SharedHelpers => {
                        let method = program.new_method();
                        at = program.call(at, method);
                    }
                    Pattern::Async => {
                        let method = program.new_method();
                        at = program.call(at, method);
                        for method in HELPERS {
                            at = program.call(at, method);
                        }
                    }
                    Pattern::Grammar => at = program.call(at, RECURSIVE + random.below(12) as u32),
                    Pattern::Mutual => {
                        let method = RECURSIVE + program.calls[at].2 as u32 % 2;
                        at = program.call(at, method);
                    }
                    Pattern::Single => at = program.call(at, RECURSIVE),
                }
            }
        }
        program
    }

    fn new_method(&mut self) -> u32 {
        self.next_method += 1;
        self.next_method - 1
    }

    /// Adds a call below another one, or returns the existing one if it calls the same method.
    fn call(&mut self, caller: usize, method: u32) -> usize {
        let same = (caller + 1..self.calls.len())
            .find(|&call| self.calls[call].0 == caller && self.calls[call].1 == method);
        same.unwrap_or_else(|| {
            self.calls.push((caller, method, self.calls[caller].2 + 1));
            self.calls.len() - 1
        })
    }

    fn somewhere(&self, deepest: usize, random: &mut Random) -> usize {
        loop {
            let at = 1 + random.below(self.calls.len() - 1);
            if self.calls[at].2 <= deepest {
                return at;
            }
        }
    }

    /// The calls from the entry to this one.
    fn path_to(&self, at: usize) -> Vec<usize> {
        let caller = |&at: &usize| (at > 0).then(|| self.calls[at].0);
        let mut path: Vec<usize> = std::iter::successors(Some(at), caller).collect();
        path.reverse();
        path
    }
}

/// A thread that walks from one call in the tree to another.
struct Walker {
    program: Program,
    limit: usize,
    /// The calls from the entry to the current one.
    path: Vec<usize>,
    /// The calls from the entry to the destination.
    goal: Vec<usize>,
}

impl Walker {
    fn new(program: Program, limit: usize) -> Walker {
        Walker {
            program,
            limit,
            path: vec![0, 1],
            goal: vec![0, 1],
        }
    }

    /// Moves on to the next sample: usually by a few returns or calls, sometimes by a third of the limit, rarely by any
    /// number.
    fn walk(&mut self, random: &mut Random) {
        let mut steps = match random.below(100) {
            0..30 => 0,
            30..80 => 1 + random.below(4),
            80..97 => random.below(self.limit / 3 + 1),
            _ => random.below(self.limit * 4),
        };
        while steps > 0 {
            let pairs = self.path.iter().zip(&self.goal);
            let common = pairs.take_while(|(a, b)| a == b).count();
            if self.path.len() > common {
                self.path.pop();
            } else if self.goal.len() > common {
                self.path.push(self.goal[common]);
            } else {
                let goal = 1 + random.below(self.program.calls.len() - 1);
                self.goal = self.program.path_to(goal);
            }
            steps -= 1;
        }
    }

    fn stack(&self, random: &mut Random) -> Vec<u32> {
        let methods = self.path.iter().map(|&call| self.program.calls[call].1);
        let mut stack: Vec<u32> = methods.collect();
        if random.below(3) == 0 {
            stack.push(LEAVES.start + random.below(LEAVES.len()) as u32);
        }
        stack
    }
}

/// A recording of threads: the thread and the complete stack of each sample, outermost method first.
pub struct Recording {
    pub samples: Vec<(u64, Vec<u32>)>,
}

impl Recording {
    /// Records three threads with `per_thread` samples each. Stacks are up to two and a half times as deep as `limit`.
    pub fn new(pattern: Pattern, limit: usize, per_thread: usize, seed: u64) -> Recording {
        let mut random = Random(seed);
        let mut threads: Vec<Walker> = (0..3)
            .map(|thread| {
                let first = FIRST_OWN + thread * 100_000;
                Walker::new(Program::new(pattern, limit, &mut random, first), limit)
            })
            .collect();
        let mut samples = Vec::new();
        for _ in 0..per_thread {
            for (thread, walker) in threads.iter_mut().enumerate() {
                walker.walk(&mut random);
                samples.push((7 + thread as u64, walker.stack(&mut random)));
            }
        }
        Recording { samples }
    }

    /// The number of samples with more than `limit` frames.
    pub fn deeper_than(&self, limit: usize) -> u64 {
        let deep = self.samples.iter().filter(|(_, stack)| stack.len() > limit);
        deep.count() as u64
    }

    /// The file of a recorder that walks at most `limit` frames from the leaf.
    pub fn file(&self, limit: usize) -> Vec<u8> {
        let mut writer = Writer::new(Options::default());
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        for (row, (thread, stack)) in self.samples.iter().enumerate() {
            let recorded = &stack[stack.len().saturating_sub(limit)..];
            let number = *numbers.entry(recorded).or_insert_with(|| {
                let addresses: Vec<u64> = recorded.iter().map(|&method| address(method)).collect();
                writer.stack(&addresses)
            });
            writer.sample(*thread, 5000 + row as u64 * 1000, Kind::Managed, number);
            if row % 5000 == 4999 {
                writer.sequence_point();
                numbers.clear();
            }
        }
        let methods = self.samples.iter().flat_map(|(_, stack)| stack);
        for &method in methods.collect::<BTreeSet<_>>() {
            writer.rundown_method(address(method), 16, ["T", &format!("m{method}")]);
        }
        writer.rundown_module(77, "/app/M.dll");
        writer.finish()
    }

    /// The same recording as printed by `perf script`.
    pub fn perf_script(&self, limit: usize) -> String {
        use std::fmt::Write as _;
        let mut text = String::new();
        for (row, (thread, stack)) in self.samples.iter().enumerate() {
            let (seconds, micros) = (row / 1000, row % 1000 * 1000);
            writeln!(
                text,
                "app  100/{thread}  {seconds}.{micros:06}:    1000000 cpu-clock: "
            )
            .unwrap();
            for method in stack.iter().rev().take(limit) {
                writeln!(text, "\t{:16x} m{method} (/app/M)", address(*method)).unwrap();
            }
            text.push('\n');
        }
        text
    }
}

fn address(method: u32) -> u64 {
    0x10_0000 + u64::from(method) * 16
}
