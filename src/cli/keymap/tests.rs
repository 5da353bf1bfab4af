use super::*;

#[track_caller]
fn check(context: Context, keys: &[(KeyCode, KeyModifiers)], expect: &[Option<Action>]) {
    let (mut reader, keymap) = (KeyReader::default(), Keymap::default());
    let actions: Vec<Option<Action>> = keys
        .iter()
        .map(|&(code, modifiers)| reader.action(&keymap, context, KeyEvent::new(code, modifiers)))
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
            Some(Action::Time(-1)),
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
fn a_command_can_take_two_keys() {
    let z = (KeyCode::Char('z'), NONE);
    check(
        Context::Explorer,
        &[z, z, z, (KeyCode::Char('j'), NONE)],
        &[None, Some(Action::Center), None, Some(Action::Rows(1))],
    );
}

#[test]
fn unbound_keys_do_not_affect_the_next_key() {
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
    // all possible results of name_of, by their parts
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
    let keymap = Keymap::default();
    for key in keymap.all().flat_map(|command| &command.keys) {
        let bare = key.trim_start_matches("ctrl-").trim_start_matches("shift-");
        let is_known = |key: &str| named.contains(&key) || key.chars().count() == 1;
        assert!(bare.split(' ').all(is_known), "no key is called {key}");
    }
}
