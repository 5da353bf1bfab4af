//! Places on the screen and their most important commands, which the help page lists first.

use super::commands::{Action, COMMANDS, Command, Context};
use crate::app::messages;

/// A place that keys go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Tree,
    Hotspots,
    /// The callers of a method.
    Callers,
    Callees,
    MethodThreads,
    Inverted,
    /// A dialog over the panes.
    Dialog(Context),
}

/// An action with what it does at a place, where that is more than its own line says.
type Here = (Action, &'static str);

const TREE: &[Here] = &[
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

const METHOD_THREADS: &[Here] = &[
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

impl Place {
    /// In which context keys are there.
    pub fn context(self) -> Context {
        if let Place::Dialog(context) = self {
            context
        } else {
            Context::Explorer
        }
    }

    fn table(self) -> (&'static str, &'static [Here]) {
        match self {
            Place::Tree => (messages::IN_CALL_TREE, TREE),
            Place::Hotspots => ("In the hotspots", HOTSPOTS),
            Place::Callers => ("In the callers", CALLERS),
            Place::Callees => ("In the callees", CALLEES),
            Place::MethodThreads => (messages::IN_THREADS_OF_METHOD, METHOD_THREADS),
            Place::Inverted => (messages::IN_INVERTED_TREE, INVERTED),
            Place::Dialog(_) => ("", &[]),
        }
    }

    /// A heading for what matters most there; empty for dialogs, whose own commands are few.
    pub fn title(self) -> &'static str {
        self.table().0
    }

    /// The commands that matter most there, with what they do.
    pub fn commands(self) -> impl Iterator<Item = (&'static Command, &'static str)> {
        let command = |action: &Action| {
            COMMANDS
                .iter()
                .find(|command| command.context == Context::Explorer && command.action == *action)
        };
        let here = self.table().1.iter();
        here.filter_map(move |(action, doc)| {
            command(action).map(|command| (command, if doc.is_empty() { command.doc } else { doc }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_of_a_place_has_a_key() {
        for place in [
            Place::Tree,
            Place::Hotspots,
            Place::Callers,
            Place::Callees,
            Place::MethodThreads,
            Place::Inverted,
        ] {
            assert_eq!(place.commands().count(), place.table().1.len(), "{place:?}");
        }
    }
}
