//! The stack of a thread while its spans open and close.

use super::events::{At, Does, Odd, Role, Rows, SpanEvent};
use crate::model::{RawNode, TooLarge, TreeBuilder};

/// Activities nest a few levels; where more frames stand above a thread, it is none.
const MAX_HEADER: usize = 17;

/// Where stacks get their nodes: the first time they are made, the second time they are there.
pub(super) trait Nodes {
    /// The node of the thread below these frames, its own included.
    fn thread(&mut self, track: u32, header: &[u32]) -> Result<RawNode, TooLarge>;
    /// The node of a frame below another one.
    fn callee(&mut self, caller: RawNode, row: u32) -> Result<RawNode, TooLarge>;
}

#[derive(Clone, Copy)]
struct Level {
    row: u32,
    /// [`TreeBuilder::ROOT`] above the thread; for what is no frame of the program, the node of its caller.
    node: RawNode,
    /// How many methods there are from the thread to here.
    depth: u32,
}

/// What lasts for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Where the stack ends in the tree.
    pub node: RawNode,
    /// How many methods it has.
    pub depth: u32,
    /// Whether its innermost frame tells what kind of time this is.
    pub is_ended: bool,
}

/// A thread.
pub(super) struct Replay {
    track: u32,
    levels: Vec<Level>,
    /// How many frames stand above the methods, the thread's included; 0 if it is not open.
    header: usize,
    at: Option<At>,
    /// How few frames were open since the last state.
    least: usize,
    last: Does,
}

impl Replay {
    pub(super) fn new(track: u32) -> Replay {
        Replay {
            track,
            levels: Vec::new(),
            header: 0,
            at: None,
            least: 0,
            last: Does::Close,
        }
    }

    pub(super) fn track(&self) -> u32 {
        self.track
    }

    /// The time of the last event.
    pub(super) fn at(&self) -> Option<At> {
        self.at
    }

    /// Whether the stack up to here was one for itself, when this event comes next: time went by, or a span has no length.
    pub(super) fn is_state_before(&self, event: &SpanEvent) -> bool {
        self.at.is_some_and(|at| {
            at.exact != event.at.exact || (event.does, self.last) == (Does::Close, Does::Open)
        })
    }

    /// Whether an event comes too late.
    pub(super) fn is_late(&self, event: &SpanEvent) -> bool {
        self.at.is_some_and(|at| event.at.exact < at.exact)
    }

    /// The stack of now, if a thread is open.
    pub(super) fn state(&self, rows: &Rows) -> Option<State> {
        let last = self.levels.last().filter(|_| self.header > 0)?;
        Some(State {
            node: last.node,
            depth: last.depth,
            is_ended: rows.role(last.row) == Role::ThreadTime,
        })
    }

    pub(super) fn header(&self) -> usize {
        self.header
    }

    pub(super) fn len(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn row(&self, level: usize) -> Option<u32> {
        self.levels.get(level).map(|level| level.row)
    }

    /// How few frames were open since the last call.
    pub(super) fn take_least(&mut self) -> usize {
        std::mem::replace(&mut self.least, self.levels.len())
    }

    /// Plays an event, or says why that can't be.
    ///
    /// # Errors
    /// The tree is full.
    pub(super) fn play(
        &mut self,
        event: &SpanEvent,
        rows: &Rows,
        nodes: &mut impl Nodes,
    ) -> Result<Option<Odd>, TooLarge> {
        match event.does {
            Does::Open => self.open(event.row, rows, nodes)?,
            Does::Close if self.levels.last().is_some_and(|last| last.row == event.row) => {
                self.levels.pop();
                if self.levels.len() < self.header {
                    self.header = 0;
                }
                self.least = self.least.min(self.levels.len());
            }
            Does::Close => return Ok(Some(Odd::Crossed)),
        }
        (self.at, self.last) = (Some(event.at), event.does);
        Ok(None)
    }

    fn open(&mut self, row: u32, rows: &Rows, nodes: &mut impl Nodes) -> Result<(), TooLarge> {
        let role = rows.role(row);
        let above = self.levels.last().copied().unwrap_or(Level {
            row,
            node: TreeBuilder::ROOT,
            depth: 0,
        });
        let level = match role {
            Role::Thread if self.header == 0 && self.levels.len() < MAX_HEADER => {
                let header: Vec<u32> = self
                    .levels
                    .iter()
                    .map(|level| level.row)
                    .chain([row])
                    .collect();
                self.header = header.len();
                Level {
                    row,
                    node: nodes.thread(self.track, &header)?,
                    depth: 0,
                }
            }
            _ if self.header == 0 || role == Role::ThreadTime => Level { row, ..above },
            _ => Level {
                row,
                node: nodes.callee(above.node, row)?,
                depth: above.depth + 1,
            },
        };
        self.levels.push(level);
        Ok(())
    }
}
