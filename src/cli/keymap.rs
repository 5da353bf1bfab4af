//! Maps terminal keys to actions by the table of commands.

use crate::app::commands::COMMANDS;
use crate::app::{Action, Context};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Turns keys into actions. It remembers the first key of a command that has two, such as `z z`.
#[derive(Debug, Default)]
pub struct Keymap {
    pending: Option<String>,
}

impl Keymap {
    /// The action that a key gives, if it gives one.
    pub fn action(&mut self, context: Context, event: KeyEvent) -> Option<Action> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let key = name_of(event)?;
        let keys = self.pending.take().map(|first| format!("{first} {key}"));
        let bound = |wanted: &str| {
            COMMANDS
                .iter()
                .find(|command| command.context == context && command.keys.contains(&wanted))
                .map(|command| command.action.clone())
        };
        if let Some(action) = keys.as_deref().and_then(bound).or_else(|| bound(&key)) {
            return Some(action);
        }
        if let KeyCode::Char(c) = event.code
            && context.takes_text()
            && !event
                .modifiers
                .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            return Some(Action::Type(c));
        }
        let here = COMMANDS.iter().filter(|command| command.context == context);
        let starts_one = |wanted: &&str| {
            wanted
                .split_once(' ')
                .is_some_and(|(first, _)| first == key)
        };
        if here.flat_map(|command| command.keys).any(starts_one) {
            self.pending = Some(key);
            return None;
        }
        Some(Action::Unbound(key))
    }
}

/// A key as the table of commands writes it: `j`, `G`, `ctrl-d`, `shift-left`, `pagedown`.
fn name_of(event: KeyEvent) -> Option<String> {
    let has = |modifier| event.modifiers.contains(modifier);
    let base = match event.code {
        KeyCode::Char(' ') => "space".to_string(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::BackTab => return Some("shift-tab".into()),
        KeyCode::F(number) => format!("f{number}"),
        KeyCode::Up => "up".into(),
        KeyCode::Down => "down".into(),
        KeyCode::Left => "left".into(),
        KeyCode::Right => "right".into(),
        KeyCode::Enter => "enter".into(),
        KeyCode::Esc => "esc".into(),
        KeyCode::Tab => "tab".into(),
        KeyCode::Backspace => "backspace".into(),
        KeyCode::Home => "home".into(),
        KeyCode::End => "end".into(),
        KeyCode::PageUp => "pageup".into(),
        KeyCode::PageDown => "pagedown".into(),
        _ => return None,
    };
    let is_char = matches!(event.code, KeyCode::Char(_));
    // a capital letter says shift already
    let shift = if has(KeyModifiers::SHIFT) && !is_char {
        "shift-"
    } else {
        ""
    };
    let ctrl = if has(KeyModifiers::CONTROL) {
        "ctrl-"
    } else {
        ""
    };
    let alt = if has(KeyModifiers::ALT) { "alt-" } else { "" };
    let base = if ctrl.is_empty() {
        base
    } else {
        base.to_lowercase()
    };
    Some(format!("{ctrl}{alt}{shift}{base}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(context: Context, keys: &[(KeyCode, KeyModifiers)], expect: &[Option<Action>]) {
        let mut keymap = Keymap::default();
        let actions: Vec<Option<Action>> = keys
            .iter()
            .map(|&(code, modifiers)| keymap.action(context, KeyEvent::new(code, modifiers)))
            .collect();
        assert_eq!(actions, expect);
    }

    const NONE: KeyModifiers = KeyModifiers::NONE;

    #[test]
    fn keys_give_actions_by_context() {
        check(
            Context::Explorer,
            &[
                (KeyCode::Char('j'), NONE),
                (KeyCode::Char('G'), KeyModifiers::SHIFT),
                (KeyCode::Char('d'), KeyModifiers::CONTROL),
                (KeyCode::Left, KeyModifiers::SHIFT),
                (KeyCode::Char('ß'), NONE),
            ],
            &[
                Some(Action::Rows(1)),
                Some(Action::Last),
                Some(Action::HalfScreens(1)),
                Some(Action::Parent),
                Some(Action::Unbound("ß".into())),
            ],
        );
        check(
            Context::Search,
            &[
                (KeyCode::Char('j'), NONE),
                (KeyCode::Char('n'), KeyModifiers::CONTROL),
                (KeyCode::Char(' '), NONE),
            ],
            &[
                Some(Action::Type('j')),
                Some(Action::Rows(1)),
                Some(Action::Type(' ')),
            ],
        );
    }

    #[test]
    fn two_keys_can_be_one_command() {
        let z = (KeyCode::Char('z'), NONE);
        check(
            Context::Explorer,
            &[z, z, z, (KeyCode::Char('j'), NONE)],
            &[None, Some(Action::Center), None, Some(Action::Rows(1))],
        );
    }

    #[test]
    fn keys_that_mean_nothing_do_not_spoil_the_next() {
        check(
            Context::Explorer,
            &[(KeyCode::Char('ß'), NONE), (KeyCode::Char('p'), NONE)],
            &[Some(Action::Unbound("ß".into())), Some(Action::TogglePin)],
        );
        check(
            Context::Explorer,
            &[(KeyCode::Char('z'), NONE), (KeyCode::Char('p'), NONE)],
            &[None, Some(Action::TogglePin)],
        );
    }

    #[test]
    fn every_key_of_the_table_can_be_typed() {
        // what name_of can give, by its parts
        let named = [
            "space",
            "shift-tab",
            "up",
            "down",
            "left",
            "right",
            "enter",
            "esc",
            "tab",
            "backspace",
            "home",
            "end",
            "pageup",
            "pagedown",
            "f1",
        ];
        for key in COMMANDS.iter().flat_map(|command| command.keys) {
            let bare = key.trim_start_matches("ctrl-").trim_start_matches("shift-");
            let is_known = |key: &str| named.contains(&key) || key.chars().count() == 1;
            assert!(bare.split(' ').all(is_known), "no key is called {key}");
        }
    }
}
