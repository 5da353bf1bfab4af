use super::{NodeRef, Recording};
use crate::words::words;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// Turns a view into another. Display steps ([`Step::is_display`]) act last, so that a folded method can be dropped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Drop all stacks through any of these methods, which were named together.
    Drop(Vec<MethodKey>),
    /// A row of a collapsed tree can stand for several.
    DropNodes(Vec<NodeRef>),
    Filter {
        action: FilterAction,
        pattern: String,
    },
    CollapseRecursion(Recursion),
    /// Methods by exclusive value, with callers below, built when a row is opened. Acts after all but display steps.
    Inverted,
    Collapse {
        frames: Collapsible,
        /// The expanded runs, by their topmost nodes.
        opened: Vec<NodeRef>,
    },
    Group {
        by: GroupBy,
        opened: Vec<NodeRef>,
    },
}

/// Identifies a method in steps and notes, independently of frame ids.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    BorshSerialize,
    BorshDeserialize,
)]
pub struct MethodKey {
    pub name: String,
    /// Distinguishes overloads; empty if the name does.
    pub signature: String,
}

words! {
    /// What to do with matches of a pattern, with pprof's names and meanings, in the order in which flags act. A
    /// pattern is a regular expression that may match anywhere in a display or full name, but never threads or
    /// processes; it is case-sensitive if it contains a capital letter.
    #[derive(Default, Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum FilterAction {
        /// Keep only stacks with a matching frame.
        #[default]
        Focus = "focus",
        /// Drop stacks with a matching frame.
        Ignore = "ignore",
        /// Remove matching frames and give their values to their callers. An entirely hidden stack goes to the thread;
        /// pprof drops it.
        Hide = "hide",
        /// Drop frames above the outermost match, and stacks without a match.
        ShowFrom = "show-from",
    }
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
    pub enum Collapsible {
        /// What `await`, tasks and the thread pool put between callers and callees.
        Plumbing = "plumbing",
        System = "system",
    }
}

impl Collapsible {
    pub fn title(self) -> &'static str {
        match self {
            Collapsible::Plumbing => "async infrastructure",
            Collapsible::System => self.name(),
        }
    }
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Recursion {
        /// Direct calls of a method by itself.
        Direct = "direct",
        /// Frames between a method and its innermost call on a stack are dropped.
        All = "all",
    }
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
    pub enum GroupBy {
        Module = "module",
        Namespace = "namespace",
        /// Compiler-generated types belong to the type around them.
        Type = "type",
    }
}

impl Step {
    /// Whether it only shows runs of frames as rows: no method's value changes.
    pub fn is_display(&self) -> bool {
        matches!(self, Step::Collapse { .. } | Step::Group { .. })
    }

    pub fn keeps_totals(&self) -> bool {
        self.is_display() || matches!(self, Step::CollapseRecursion(_))
    }

    /// Empty for an inverted tree, whose option has no value.
    pub(super) fn flags(&self, recording: &Recording) -> Vec<[String; 2]> {
        let [flag, value] = match self {
            Step::Inverted => return Vec::new(),
            Step::Drop(methods) => {
                let flag = |MethodKey { name, signature }: &MethodKey| {
                    ["--drop".into(), format!("{name}{signature}")]
                };
                return methods.iter().map(flag).collect();
            }
            Step::DropNodes(nodes) => {
                let flag = |&node: &NodeRef| ["--drop-node".into(), recording.node_label(node)];
                return nodes.iter().map(flag).collect();
            }
            Step::Filter { action, pattern } => [action.name(), pattern],
            Step::CollapseRecursion(recursion) => ["fold-recursion", recursion.name()],
            Step::Collapse { frames, .. } => ["fold", frames.name()],
            Step::Group { by, .. } => ["group", by.name()],
        };
        vec![[format!("--{flag}"), value.to_string()]]
    }

    /// Whether both collapse the same; the rows opened in them may differ.
    pub fn matches(&self, other: &Step) -> bool {
        match (self, other) {
            (Step::Collapse { frames, .. }, Step::Collapse { frames: others, .. }) => {
                frames == others
            }
            (Step::Group { by, .. }, Step::Group { by: other, .. }) => by == other,
            _ => false,
        }
    }

    pub fn opened(&self) -> &[NodeRef] {
        match self {
            Step::Collapse { opened, .. } | Step::Group { opened, .. } => opened,
            _ => &[],
        }
    }

    pub fn opened_mut(&mut self) -> Option<&mut Vec<NodeRef>> {
        match self {
            Step::Collapse { opened, .. } | Step::Group { opened, .. } => Some(opened),
            _ => None,
        }
    }
}
