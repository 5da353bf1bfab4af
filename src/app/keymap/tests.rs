use super::*;

#[test]
fn no_key_means_two_things_in_one_context() {
    let all: Vec<Command> = commands().collect();
    for (index, command) in all.iter().enumerate() {
        for key in &command.keys {
            let clash = all[index + 1..]
                .iter()
                .find(|other| other.context == command.context && other.keys.contains(key));
            assert!(
                clash.is_none(),
                "{key} is both {:?} and {:?}",
                command.action,
                clash.map(|c| &c.action)
            );
        }
    }
}

#[test]
fn unbound_keys_suggest_the_nearest_bound_one() {
    for (context, key, expect) in [
        (
            Context::Explorer,
            "A",
            "A does nothing here; a: write a note on the method",
        ),
        (
            Context::Explorer,
            ".",
            ". does nothing here; ? lists the keys",
        ),
        (
            Context::Explorer,
            "z",
            "z does nothing here; Z: freeze live updates",
        ),
        (Context::Explorer, "Q", "Q does nothing here; q: quit"),
        (
            Context::Explorer,
            "ctrl-x",
            "ctrl-x does nothing here; X: copy a report",
        ),
        (
            Context::Explorer,
            "f7",
            "f7 does nothing here; ? lists the keys",
        ),
        (
            Context::Explorer,
            "-",
            "- does nothing here; ? lists the keys",
        ),
        (
            Context::Threads,
            "I",
            "I does nothing here; i: select only this thread or process",
        ),
        (
            Context::Methods,
            "x",
            "x does nothing here; esc, then x: write the subtree to a file",
        ),
        (
            Context::Methods,
            "i",
            "i does nothing here; esc, then i: invert the tree",
        ),
        (
            Context::Page,
            "L",
            "L does nothing here; esc, then L: list all methods",
        ),
    ] {
        let message = Keymap::default().unbound_message(context, key);
        assert!(message.starts_with(expect), "{message}");
    }
}

#[test]
fn no_key_is_the_start_of_another() {
    let keymap = Keymap::default();
    for command in commands() {
        let taken = |key: &&String| keymap.is_start(command.context, key);
        assert_eq!(command.keys.iter().find(taken), None, "{}", command.name);
    }
}

#[test]
fn commands_with_one_name_share_action_and_keys() {
    for command in commands() {
        for other in commands().filter(|other| other.name == command.name) {
            assert_eq!(
                (&command.keys, &command.action),
                (&other.keys, &other.action),
                "{}",
                command.name
            );
        }
    }
}

/// Every command named in a sentence exists.
#[test]
fn sentences_name_commands() {
    let keymap = Keymap::default();
    let own = include_str!("../messages.rs").lines();
    let docs: Vec<Command> = commands().collect();
    let docs = docs.iter().map(|command| command.doc);
    for sentence in own.chain(docs) {
        for name in sentence.split('⟦').skip(1) {
            let (name, _) = name.split_once('⟧').expect("the name ends");
            assert!(keymap.named(name).is_some(), "{name} in {sentence:?}");
        }
    }
}

#[test]
fn sentences_follow_the_keys() {
    let keys = vec!["f9".to_string(), "u".to_string()];
    let keymap = Keymap::with(&[("collapse".into(), keys), ("back".into(), Vec::new())]);
    assert_eq!(
        keymap.fill("⟦collapse⟧ collapses, ⟦back⟧ goes back, ⟦help⟧ helps"),
        "f9 collapses, back goes back, ? helps"
    );
    assert_eq!(keymap.fill("List<String>"), "List<String>");
}

#[test]
fn keys_are_accepted_as_people_write_them() {
    for (key, expect) in [
        ("ctrl+q", "ctrl-q"),
        ("C-q", "ctrl-q"),
        ("Ctrl-Q", "ctrl-q"),
        ("Alt+Ctrl+x", "ctrl-alt-x"),
        ("escape", "esc"),
        ("Return", "enter"),
        ("F5", "f5"),
        ("shift-f", "F"),
        ("Q", "Q"),
        ("shift-tab", "shift-tab"),
        ("zz", "z z"),
        ("z z", "z z"),
        ("+", "+"),
        ("-", "-"),
        ("ctrl--", "ctrl--"),
        ("alt-+", "alt-+"),
    ] {
        let all: Vec<Command> = commands().collect();
        let keys = checked(&all, "write-note", &[key.into()]);
        assert_eq!(keys, Ok(vec![expect.to_string()]), "{key}");
    }
    for (key, expect) in [
        (
            "ctrl-i",
            "ctrl-i: terminals send tab for this key; use tab or another key",
        ),
        (
            "ctrl+m",
            "ctrl-m: terminals send enter for this key; use enter or another key",
        ),
        (
            "ctrl-[",
            "ctrl-[: terminals send esc for this key; use esc or another key",
        ),
        ("hyper-q", "hyper-q is not a key; "),
        ("shift-1", "shift-1 is not a key; "),
    ] {
        let all: Vec<Command> = commands().collect();
        let message = checked(&all, "write-note", &[key.into()]).unwrap_err();
        assert!(message.starts_with(expect), "{message}");
    }
}

#[test]
fn one_key_that_quits_always_remains() {
    let none = |name: &str| (name.to_string(), Vec::new());
    let (keymap, problems) = Keymap::with_keys(&[none("quit"), none("interrupt")]);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].0, "quit");
    assert!(keymap.command_for(Context::Explorer, "q").is_some());
    assert!(Keymap::with_keys(&[none("quit")]).1.is_empty());
}
