//! Where on the screen the user is, and what matters most there: the page of help begins with it.

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
    (Action::Enter, messages::OPEN_HOT_PATH_BELOW_DOWN),
    (Action::NextOwn, ""),
    (Action::Method, ""),
    (Action::Focus, ""),
    (Action::NextCollapse, ""),
    (Action::DropMethod, ""),
    (Action::Search, ""),
];

const HOTSPOTS: &[Here] = &[
    (Action::Enter, messages::GO_METHODS_HEAVIEST_OCCURRENCE_TREE),
    (Action::NextOwn, messages::NEXT_METHOD_USER_CODE),
    (Action::Method, ""),
    (Action::NextSort, ""),
    (Action::TogglePin, ""),
    (Action::DropMethod, ""),
    (Action::Export, messages::EXPORT_ALL_OCCURRENCES_METHOD_ONE),
];

const CALLERS: &[Here] = &[
    (Action::Open, messages::SHOW_WHO_CALLS_ROW),
    (Action::Method, messages::GO_METHOD_ROW),
    (Action::NextPane(1), messages::CALLEES_THREADS),
    (Action::NextMetric, ""),
    (Action::Back, messages::BACK_TREE),
];

const CALLEES: &[Here] = &[
    (Action::Open, ""),
    (Action::Enter, messages::OPEN_HOT_PATH_BELOW_DOWN),
    (Action::Method, messages::GO_METHOD_ROW),
    (Action::NextPane(1), messages::THREADS_CALLERS),
    (Action::Back, messages::BACK_TREE),
];

const METHOD_THREADS: &[Here] = &[
    (Action::NextPane(1), messages::CALLERS_CALLEES),
    (Action::NextMetric, ""),
    (Action::Back, messages::BACK_TREE),
];

const INVERTED: &[Here] = &[
    (Action::Open, messages::SHOW_WHO_CALLS_ROW),
    (Action::Method, messages::SHOW_METHOD_OF_ROW),
    (Action::NextMetric, ""),
    (Action::Back, messages::BACK_TREE),
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
            Place::Tree => (messages::CALL_TREE, TREE),
            Place::Hotspots => ("In the hotspots", HOTSPOTS),
            Place::Callers => ("In the callers", CALLERS),
            Place::Callees => ("In the callees", CALLEES),
            Place::MethodThreads => (messages::THREADS_METHOD, METHOD_THREADS),
            Place::Inverted => (messages::INVERTED_TREE, INVERTED),
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
