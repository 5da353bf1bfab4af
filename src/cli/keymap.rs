//! Maps terminal keys to actions by the keymap.

use crate::app::{Action, Context, Keymap};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Reads keys. It remembers the first key of a command that has two, such as `z z`.
#[derive(Debug, Default)]
pub struct KeyReader {
    pending: Option<String>,
}

impl KeyReader {
    /// The action that a key gives, if it gives one.
    pub fn action(&mut self, keymap: &Keymap, context: Context, event: KeyEvent) -> Option<Action> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let key = name_of(event)?;
        let keys = self.pending.take().map(|first| format!("{first} {key}"));
        let bound = |keys: &str| keymap.bound(context, keys);
        if let Some(command) = keys.as_deref().and_then(bound).or_else(|| bound(&key)) {
            return Some(command.action.clone());
        }
        if let KeyCode::Char(c) = event.code
            && context.takes_text()
            && !event
                .modifiers
                .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            return Some(Action::Type(c));
        }
        if keymap.is_start(context, &key) {
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
mod tests;
