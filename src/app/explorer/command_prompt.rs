//! The command prompt: running a command by its name.

use crate::app::pages::context_title;
use crate::app::{
    Action, Command, CommandPrompt, Context, Explorer, Field, ListCursor, ListRow, Overlay,
    messages,
};
use crate::query::parse_range;
use std::sync::Arc;

impl Explorer {
    pub(super) fn open_command_prompt(&mut self) {
        let behind = std::mem::take(&mut self.overlay);
        self.overlay = Overlay::Command(Box::new(CommandPrompt {
            behind,
            ..CommandPrompt::default()
        }));
    }

    pub fn command_rows(&self, prompt: &CommandPrompt) -> Vec<ListRow> {
        let (keymap, here) = (&self.keymap, prompt.behind.context());
        let row = |command: &Command| {
            let keys = command.keys.iter().take(2);
            let keys: Vec<String> = keys.map(|key| keymap.label(key)).collect();
            let doc = keymap.doc(command);
            ListRow {
                name: format!("{:<22}{}", command.name, keys.join(" ")),
                about: match command.context {
                    context if context == here => doc,
                    context => format!("{}: {doc}", context_title(context)),
                },
            }
        };
        let found = keymap.matching(here, prompt.field.text());
        found.into_iter().map(row).collect()
    }

    pub(super) fn act_in_command_prompt(&mut self, action: Action) {
        let (keymap, rows) = (Arc::clone(&self.keymap), self.layout.body.inner());
        let Overlay::Command(prompt) = &mut self.overlay else {
            return;
        };
        let typed = prompt.field.text().to_string();
        let found = keymap.matching(prompt.behind.context(), &typed);
        let Some(action) = prompt.cursor.act(&action, found.len(), rows) else {
            return;
        };
        let selected = found.get(prompt.cursor.selected).copied();
        match action {
            Action::Back => self.close_overlay(),
            Action::Backspace if typed.is_empty() => self.close_overlay(),
            Action::Accept => match (selected, parse_range(&typed)) {
                (Some(command), _) => self.run_command(command),
                (None, Some(range)) => {
                    self.close_overlay();
                    self.choose_typed_range(range);
                }
                (None, None) => self.show_message(messages::no_such_command(&typed)),
            },
            Action::NextPane(_) => {
                if let Some(command) = selected {
                    prompt.field = Field::new(command.name);
                    prompt.cursor = ListCursor::default();
                }
            }
            action => {
                prompt.field.edit(action);
                if prompt.field.text() != typed {
                    prompt.cursor = ListCursor::default();
                }
            }
        }
    }

    fn run_command(&mut self, command: &Command) {
        let Overlay::Command(prompt) = &self.overlay else {
            return;
        };
        let is_here = command.context == prompt.behind.context();
        if !is_here && command.context != Context::Explorer {
            let (name, place) = (command.name, context_title(command.context));
            return self.show_message(messages::command_of_other_context(&name, &place));
        }
        self.close_overlay();
        if !is_here {
            self.close_methods();
        }
        self.act(command.action.clone());
    }
}
