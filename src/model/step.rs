//! The steps from one view to another, as data.

use super::{NodeRef, Recording};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// What makes another view of a view.
///
/// Steps act in order, but those that only show runs of frames as one row ([`Step::is_display`]) act last: so a method can be
/// dropped whether or not it is folded just now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A subtree as if it were the tree, by the recorded node of its root.
    Focus(NodeRef),
    /// All stacks through any of these methods go: one method, or several that were named as one, such as overloads or those of a
    /// type.
    Drop(Vec<MethodKey>),
    /// The subtree of a node goes.
    DropNode(NodeRef),
    /// Stacks or frames are chosen by a pattern.
    Filter {
        /// What is done with them.
        action: FilterAction,
        /// A regular expression, see [`FilterAction`].
        pattern: String,
    },
    /// Consecutive calls of a method by itself are one, or all of its recursive calls.
    CollapseRecursion(Recursion),
    /// The tree is turned over: methods by exclusive value, with their callers below, which are made when a row is opened.
    /// It acts on the tree as all other steps leave it, except for those that show runs of frames as one row: all rows are there.
    Inverted,
    /// Collapse runs of frames to one row each.
    Collapse {
        frames: Collapsible,
        /// The runs that are shown as their frames, by their topmost nodes.
        opened: Vec<NodeRef>,
    },
    /// Show adjacent frames of one group as one row.
    Group {
        by: GroupBy,
        /// The groups that are shown as their frames, by their topmost nodes.
        opened: Vec<NodeRef>,
    },
}

/// How a step or a note says which method it is about: a frame, whatever its id.
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
    /// What tells overloads of this name apart; empty if the name does.
    pub signature: String,
}

/// What is done with stacks or frames that match a pattern, with pprof's words and meaning. A pattern is a regular expression
/// that may match anywhere in a frame's display name or full name; a capital letter makes case matter. Threads and processes have no name here.
#[derive(Default, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterAction {
    /// Only stacks with a matching frame stay.
    #[default]
    Focus,
    /// Stacks with a matching frame go.
    Ignore,
    /// Matching frames are taken out of their stacks, and their callers get what is theirs. A stack that is hidden whole leaves
    /// its time with the thread, where pprof drops it.
    Hide,
    /// Frames above the outermost match go, and stacks without a match.
    ShowFrom,
}

/// Which frames [`Step::Collapse`] folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Collapsible {
    /// What awaits, tasks and the thread pool put between callers and callees.
    Plumbing,
    /// All that is neither user nor library code.
    System,
}

/// Which calls [`Step::CollapseRecursion`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recursion {
    /// Those by the method itself.
    Direct,
    /// All: what is between a method and its innermost call on a stack goes.
    All,
}

/// What the frames of a [`Step::Group`] have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum GroupBy {
    Module,
    Namespace,
    /// The type; what compilers make belongs to the type around it.
    Type,
}

impl FilterAction {
    /// All, in the order in which flags act.
    pub const ALL: [FilterAction; 4] = [
        FilterAction::Focus,
        FilterAction::Ignore,
        FilterAction::Hide,
        FilterAction::ShowFrom,
    ];

    /// pprof's word: `focus`, `ignore`, `hide`, `show-from`.
    pub fn word(self) -> &'static str {
        match self {
            FilterAction::Focus => "focus",
            FilterAction::Ignore => "ignore",
            FilterAction::Hide => "hide",
            FilterAction::ShowFrom => "show-from",
        }
    }
}

impl Collapsible {
    /// Both.
    pub const ALL: [Collapsible; 2] = [Collapsible::Plumbing, Collapsible::System];

    /// `plumbing` or `system`.
    pub fn word(self) -> &'static str {
        match self {
            Collapsible::Plumbing => "plumbing",
            Collapsible::System => "system",
        }
    }

    /// What they are called on the screen.
    pub fn title(self) -> &'static str {
        match self {
            Collapsible::Plumbing => "async infrastructure",
            Collapsible::System => "system",
        }
    }
}

impl Recursion {
    /// Both.
    pub const ALL: [Recursion; 2] = [Recursion::Direct, Recursion::All];

    /// `direct` or `all`.
    pub fn word(self) -> &'static str {
        match self {
            Recursion::Direct => "direct",
            Recursion::All => "all",
        }
    }
}

impl GroupBy {
    pub const ALL: [GroupBy; 3] = [GroupBy::Module, GroupBy::Namespace, GroupBy::Type];

    /// `module`, `namespace` or `type`.
    pub fn word(self) -> &'static str {
        match self {
            GroupBy::Module => "module",
            GroupBy::Namespace => "namespace",
            GroupBy::Type => "type",
        }
    }
}

impl Step {
    /// Whether it only shows runs of frames as one row, and changes no value of a method.
    pub fn is_display(&self) -> bool {
        matches!(self, Step::Collapse { .. } | Step::Group { .. })
    }

    /// Whether it shows the same stacks otherwise, and changes no total.
    pub fn keeps_totals(&self) -> bool {
        self.is_display() || matches!(self, Step::CollapseRecursion(_))
    }

    /// The options of commands that make it again, with their values; `None` for a focus, which has none, and for an inverted tree,
    /// whose option has no value. Methods are called as their frames are, by the raw name and the signature, and each has an option
    /// of its own.
    pub(super) fn flags(&self, recording: &Recording) -> Option<Vec<[String; 2]>> {
        let label;
        let [flag, value] = match self {
            Step::Focus(_) | Step::Inverted => return None,
            Step::Drop(methods) => {
                let flag = |MethodKey { name, signature }: &MethodKey| {
                    ["--drop".into(), format!("{name}{signature}")]
                };
                return Some(methods.iter().map(flag).collect());
            }
            Step::DropNode(node) => {
                label = recording.node_label(*node);
                ["drop-node", &label]
            }
            Step::Filter { action, pattern } => [action.word(), pattern],
            Step::CollapseRecursion(recursion) => ["fold-recursion", recursion.word()],
            Step::Collapse { frames, .. } => ["fold", frames.word()],
            Step::Group { by, .. } => ["group", by.word()],
        };
        Some(vec![[format!("--{flag}"), value.to_string()]])
    }

    /// The runs that it shows as their frames, by their topmost nodes.
    pub fn opened(&self) -> &[NodeRef] {
        match self {
            Step::Collapse { opened, .. } | Step::Group { opened, .. } => opened,
            _ => &[],
        }
    }

    /// The opened runs, to be changed; `None` for steps that fold no runs.
    pub fn opened_mut(&mut self) -> Option<&mut Vec<NodeRef>> {
        match self {
            Step::Collapse { opened, .. } | Step::Group { opened, .. } => Some(opened),
            _ => None,
        }
    }
}
