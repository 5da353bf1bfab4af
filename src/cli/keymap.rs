//! Maps terminal keys to actions by the keymap.

use crate::app::{Action, Context, Keymap};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Remembers the first key of a two-key sequence, such as `z z`.
#[derive(Debug, Default)]
pub struct KeyReader {
    pending: Option<String>,
}

impl KeyReader {
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
        let holds = KeyModifiers::CONTROL | KeyModifiers::ALT;
        let is_held = event.modifiers.intersects(holds);
        if let KeyCode::Char(c) = event.code
            && context.takes_text()
            && !is_held
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

/// A key as spelled in the command table: `j`, `G`, `ctrl-d`, `shift-left`, `pagedown`.
fn name_of(event: KeyEvent) -> Option<String> {
    use KeyCode::{
        BackTab, Backspace, Char, Down, End, Enter, Esc, F, Home, Left, PageDown, PageUp, Right,
        Tab, Up,
    };
    let mut name = String::new();
    let is_char = matches!(event.code, Char(_));
    for (modifier, prefix) in [
        (KeyModifiers::CONTROL, "ctrl-"),
        (KeyModifiers::ALT, "alt-"),
        (KeyModifiers::SHIFT, "shift-"),
    ] {
        let is_printed = modifier == KeyModifiers::SHIFT && is_char;
        if event.modifiers.contains(modifier) && !is_printed {
            name.push_str(prefix);
        }
    }
    match event.code {
        BackTab => return Some("shift-tab".into()),
        Char(' ') => name.push_str("space"),
        Char(c) if name.starts_with("ctrl-") => name.extend(c.to_lowercase()),
        Char(c) => name.push(c),
        F(number) => name.push_str(&format!("f{number}")),
        code @ (Up | Down | Left | Right | Enter | Esc | Tab | Backspace | Home | End | PageUp
        | PageDown) => name.push_str(&format!("{code:?}").to_lowercase()),
        _ => return None,
    }
    Some(name)
}

#[cfg(test)]
mod tests;
