//! The kinds of panels: their titles and tabs, and the commands that matter most there, which the help page lists first.

use crate::analysis::HotspotOrder;
use crate::app::commands::Action;
use crate::app::messages;

/// What a panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelKind {
    CallTree,
    /// The callers of a method.
    Callers,
    /// The callees of a method.
    Callees,
    /// The whole tree inverted: methods, and below each its callers.
    Inverted,
    Hotspots(HotspotOrder),
    /// The threads that a method is in.
    Threads,
}

/// An action with what it does in a panel, where that is more than its own line says.
type Here = (Action, &'static str);

const CALL_TREE: &[Here] = &[
    (Action::Open, ""),
    (Action::Enter, messages::HERE_OPEN_HOT_PATH),
    (Action::NextOwn, ""),
    (Action::Method, ""),
    (Action::Focus, ""),
    (Action::NextCollapse, ""),
    (Action::DropMethod, ""),
    (Action::Search, ""),
];

const HOTSPOTS: &[Here] = &[
    (Action::Enter, messages::HERE_GO_TO_HEAVIEST),
    (Action::NextOwn, messages::HERE_NEXT_USER_METHOD),
    (Action::Method, ""),
    (Action::NextSort, ""),
    (Action::TogglePin, ""),
    (Action::DropMethod, ""),
    (Action::Export, messages::HERE_EXPORT_OCCURRENCES),
];

const CALLERS: &[Here] = &[
    (Action::Open, messages::HERE_SHOW_CALLERS),
    (Action::Method, messages::HERE_FOLLOW_METHOD),
    (Action::NextPane(1), messages::TAB_FROM_CALLERS),
    (Action::NextMetric, ""),
    (Action::Back, messages::HERE_BACK_TO_TREE),
];

const CALLEES: &[Here] = &[
    (Action::Open, ""),
    (Action::Enter, messages::HERE_OPEN_HOT_PATH),
    (Action::Method, messages::HERE_FOLLOW_METHOD),
    (Action::NextPane(1), messages::TAB_FROM_CALLEES),
    (Action::Back, messages::HERE_BACK_TO_TREE),
];

const THREADS: &[Here] = &[
    (Action::NextPane(1), messages::TAB_FROM_THREADS),
    (Action::NextMetric, ""),
    (Action::Back, messages::HERE_BACK_TO_TREE),
];

const INVERTED: &[Here] = &[
    (Action::Open, messages::HERE_SHOW_CALLERS),
    (Action::Method, messages::HERE_SHOW_METHOD),
    (Action::NextMetric, ""),
    (Action::Back, messages::HERE_BACK_TO_TREE),
];

impl PanelKind {
    /// The word on its tab, where only one panel has room.
    pub fn tab(self) -> &'static str {
        match self {
            PanelKind::CallTree => "Tree",
            PanelKind::Callers => "Callers",
            PanelKind::Callees => "Callees",
            PanelKind::Inverted => "Inverted",
            PanelKind::Hotspots(HotspotOrder::Exclusive) => "Exclusive",
            PanelKind::Hotspots(HotspotOrder::Inclusive) => "Inclusive",
            PanelKind::Threads => "Threads",
        }
    }

    /// Its title, in a comparison or not.
    pub fn title(self, is_comparison: bool) -> String {
        match self {
            PanelKind::CallTree => "Call tree".into(),
            PanelKind::Inverted => messages::INVERTED_TITLE.into(),
            PanelKind::Hotspots(order) if is_comparison => {
                format!("Changed most by {}", order.name())
            }
            PanelKind::Hotspots(order) => format!("Hottest by {}", order.name()),
            PanelKind::Callers | PanelKind::Callees | PanelKind::Threads => self.tab().into(),
        }
    }

    /// Whether it is a tree from methods to their callers: what a row has of its own is what ends with it.
    pub fn is_upward(self) -> bool {
        matches!(self, PanelKind::Callers | PanelKind::Inverted)
    }

    /// The commands that matter most there, with what they do if that is more than their own lines say, below a heading.
    pub(in crate::app) fn help(self) -> (&'static str, &'static [Here]) {
        match self {
            PanelKind::CallTree => (messages::IN_CALL_TREE, CALL_TREE),
            PanelKind::Callers => ("In the callers", CALLERS),
            PanelKind::Callees => ("In the callees", CALLEES),
            PanelKind::Inverted => (messages::IN_INVERTED_TREE, INVERTED),
            PanelKind::Hotspots(_) => ("In the hotspots", HOTSPOTS),
            PanelKind::Threads => (messages::IN_THREADS_OF_METHOD, THREADS),
        }
    }
}
