//! Where on the screen the user is, and what matters most there: the page of help begins with it.

use super::commands::{Action, COMMANDS, Command, Context};

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
    (
        Action::Enter,
        "open the hot path below, down to where it splits",
    ),
    (Action::NextOwn, ""),
    (Action::Method, ""),
    (Action::Focus, ""),
    (Action::NextCollapse, ""),
    (Action::DropMethod, ""),
    (Action::Search, ""),
];

const HOTSPOTS: &[Here] = &[
    (
        Action::Enter,
        "go to the method's heaviest occurrence in the tree",
    ),
    (Action::NextOwn, "next method of user code"),
    (Action::Method, ""),
    (Action::NextSort, ""),
    (Action::TogglePin, ""),
    (Action::DropMethod, ""),
    (
        Action::Export,
        "export all occurrences of the method as one tree",
    ),
];

const CALLERS: &[Here] = &[
    (Action::Open, "show who calls the row"),
    (Action::Method, "go on with the method of the row"),
    (Action::NextPane(1), "on to callees and threads"),
    (Action::NextMetric, ""),
    (Action::Back, "back to the tree"),
];

const CALLEES: &[Here] = &[
    (Action::Open, ""),
    (
        Action::Enter,
        "open the hot path below, down to where it splits",
    ),
    (Action::Method, "go on with the method of the row"),
    (Action::NextPane(1), "on to threads and callers"),
    (Action::Back, "back to the tree"),
];

const METHOD_THREADS: &[Here] = &[
    (Action::NextPane(1), "on to callers and callees"),
    (Action::NextMetric, ""),
    (Action::Back, "back to the tree"),
];

const INVERTED: &[Here] = &[
    (Action::Open, "show who calls the row"),
    (Action::Method, "show the method of the row as one thing"),
    (Action::NextMetric, ""),
    (Action::Back, "back to the tree"),
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
            Place::Tree => ("In the call tree", TREE),
            Place::Hotspots => ("In the hotspots", HOTSPOTS),
            Place::Callers => ("In the callers", CALLERS),
            Place::Callees => ("In the callees", CALLEES),
            Place::MethodThreads => ("In the threads of a method", METHOD_THREADS),
            Place::Inverted => ("In the inverted tree", INVERTED),
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
