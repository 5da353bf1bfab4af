//! The line in which a command is typed by its name.

use super::super::commands::{Action, Context};
use super::super::dialogs::Overlay;
use super::super::list::{ListAct, ListCursor};
use super::super::pages::place_of;
use super::{Explorer, ListRow};
use crate::app::messages;
use std::sync::Arc;

impl Explorer {
    /// The commands that fit what is typed: their names, and their keys with what they do.
    pub fn command_rows(&self, typed: &str) -> Vec<ListRow> {
        let keymap = &self.keymap;
        let row = |command: &super::super::commands::Command| {
            let keys: Vec<String> = command.keys.iter().map(|key| keymap.label(key)).collect();
            let about = match command.context {
                Context::Explorer => keymap.doc(command),
                context => format!("{}: {}", place_of(context), keymap.doc(command)),
            };
            ListRow {
                name: format!("{:<22}{}", command.name, keys.join(" ")),
                about,
            }
        };
        keymap.matching(typed).into_iter().map(row).collect()
    }

    pub(super) fn act_in_command_prompt(&mut self, action: Action) {
        let (keymap, rows) = (Arc::clone(&self.keymap), self.layout.body.inner());
        let Overlay::Command(prompt) = &mut self.overlay else {
            return;
        };
        let found = keymap.matching(prompt.field.text());
        match prompt.cursor.act(&action, found.len(), rows) {
            ListAct::Moved => return,
            ListAct::Chosen => return self.act_in_command_prompt(Action::Accept),
            ListAct::Ignored => {}
        }
        let selected = found.get(prompt.cursor.selected);
        match action {
            Action::Back => self.overlay = Overlay::None,
            Action::Backspace if prompt.field.text().is_empty() => self.overlay = Overlay::None,
            Action::Accept => match selected {
                None => {
                    let typed = prompt.field.text().to_string();
                    self.say(messages::no_such_command(&typed));
                }
                Some(command) if command.context != Context::Explorer => {
                    let (name, place) = (command.name, place_of(command.context));
                    self.say(messages::command_of_another_place(&name, &place));
                }
                Some(command) => {
                    self.overlay = Overlay::None;
                    self.act(command.action.clone());
                }
            },
            Action::NextPane(_) => {
                if let Some(command) = selected {
                    let typed = prompt.field.text();
                    let shared = keymap.shared_start(typed);
                    let is_longer = shared.len() > typed.len();
                    prompt.complete(if is_longer { &shared } else { command.name });
                }
            }
            typed => {
                let before = prompt.field.text().to_string();
                prompt.field.edit(typed);
                if prompt.field.text() != before {
                    prompt.cursor = ListCursor::default();
                }
            }
        }
    }
}
