use super::*;

#[test]
fn no_key_means_two_things_in_one_context() {
    for (index, command) in COMMANDS.iter().enumerate() {
        for key in command.keys {
            let clash = COMMANDS[index + 1..]
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
fn keys_that_mean_nothing_are_told_the_nearest_that_do() {
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
            "I does nothing here; i: choose this thread or process alone",
        ),
    ] {
        let said = about_unbound(context, key);
        assert!(said.starts_with(expect), "{said}");
    }
}

#[test]
fn no_key_is_the_start_of_another() {
    for command in COMMANDS.iter() {
        let others = COMMANDS
            .iter()
            .filter(|other| other.context == command.context);
        for sequence in others
            .flat_map(|other| other.keys)
            .filter(|key| key.contains(' '))
        {
            let first = sequence.split(' ').next().unwrap_or("");
            assert!(
                !command.keys.contains(&first),
                "{first} is taken before {sequence} is whole"
            );
        }
    }
}
