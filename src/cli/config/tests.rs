use super::*;
use crate::cli::args::ConfigArgs;
use crate::query::MethodOrder;
use crate::units::Scale;
use std::fs;

/// The effect of a user's configuration and a folder's.
fn read_both(own: &str, of_folder: &str) -> (Config, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    let paths = [("c.toml", own), ("f.toml", of_folder)].map(|(name, text)| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    });
    config.read(&paths[0], false);
    config.read(&paths[1], true);
    let names = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    let problems = config
        .preferences
        .problems
        .iter()
        .map(|line| line.replace(&names, ""));
    let problems = problems.collect();
    (config, problems)
}

#[test]
fn the_default_configuration_is_valid_commented_and_uncommented() {
    let mut out = Vec::new();
    let config = Config::default();
    let asked = ConfigArgs {
        path: false,
        default: true,
        check: false,
        explain: false,
    };
    assert_eq!(command::config(&mut out, &config, &asked).unwrap(), 0);
    let text = String::from_utf8(out).unwrap();
    let (config, problems) = read_both(&text, "");
    assert!(
        problems.is_empty() && config.entries.is_empty(),
        "{problems:?}"
    );
    // entries lose their mark, comments keep it
    let set: Vec<String> = text
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(entry) if !entry.starts_with(' ') => entry.to_string(),
            _ => line.to_string(),
        })
        .collect();
    let (config, problems) = read_both(&set.join("\n"), "");
    assert_eq!(problems, [""; 0]);
    let commands = config.entries.len() - ENTRIES.len();
    assert!(commands > 100, "{commands}");
}

#[test]
fn invalid_entries_are_reported_and_the_others_apply() {
    let (config, problems) = read_both(
        "themee = 'light'\nunit = 'm'\nbudget = 5\ncolumns = ['bars']\nmetric = 4\norder = 'inclusive'\n[keys]\nserch = 'f5'\nhelp = 'F99'\n",
        "",
    );
    assert_eq!(
        problems,
        [
            "c.toml:1: themee is unknown; did you mean theme?",
            "c.toml:2: unit: m is unknown; did you mean ms?",
            "c.toml:3: budget: expected a number from 500 to 16000",
            "c.toml:4: columns: bars is unknown; did you mean bar?",
            "c.toml:5: metric: expected a quoted string",
            "c.toml:8: keys.serch is unknown; did you mean search?",
            "c.toml:9: keys.help: F99 is not a key; use a character or a name such as enter, tab, esc, space, up or f1, with ctrl-, alt- or shift- in front, or two keys separated by a space",
        ]
    );
    assert_eq!(config.preferences.order, Some(MethodOrder::Inclusive));
}

#[test]
fn a_folder_may_set_little() {
    let (config, problems) = read_both(
        "unit = 's'\nuser-code = ['Acme']\n",
        "unit = 'ms'\nuser-code = 'Shop'\ntheme = 'light'\nbudget = 4000\n[keys]\nquit = 'Q'\n",
    );
    let only =
        "a folder's .dotspot.toml can't set this, only unit, fold, user-code and not-user-code";
    let of = |line: &str| format!("f.toml:{line}: {only}");
    assert_eq!(
        problems,
        [of("3: theme"), of("4: budget"), of("6: keys.quit")]
    );
    // the folder knows its own code better
    assert_eq!(config.preferences.unit, Some(Scale::MILLISECONDS));
    assert_eq!(config.user_code.own, ["Acme", "Shop"]);
    assert!(config.palette.is_none() && config.preferences.budget.is_none());
}

#[test]
fn conflicts_name_both_commands() {
    let keys = |lines: &str| read_both(&format!("[keys]\n{lines}"), "");
    // both have moved, and the list closes with the key that opens it
    for lines in [
        "list-methods = 'm'\nnext-metric = 'L'\n",
        "next-metric = 'L'\nlist-methods = 'm'\n",
    ] {
        let (config, problems) = keys(lines);
        assert!(problems.is_empty(), "{problems:?}");
        let keymap = config.keymap();
        let of_list = |key| {
            let command = keymap.command_for(crate::app::Context::Methods, key);
            command.map(|command| command.name)
        };
        let found = ["m", "L", "q"].map(of_list);
        assert_eq!(
            found,
            [
                Some("close-methods"),
                Some("next-metric"),
                Some("close-methods")
            ]
        );
    }
    let (_, problems) = keys("list-methods = 'm'\n");
    assert_eq!(
        problems,
        ["c.toml:2: keys.list-methods: m is taken by next-metric; ignored"]
    );
    let (config, problems) = keys("search = 'j'\nquit = 'Q'\n");
    assert_eq!(
        problems,
        ["c.toml:2: keys.search: j is taken by next-row; ignored"]
    );
    let keymap = config.keymap();
    let named = |key| {
        keymap
            .command_for(crate::app::Context::Explorer, key)
            .map(|command| command.name)
    };
    assert_eq!(
        [named("Q"), named("q"), named("/")],
        [Some("quit"), None, Some("search")]
    );
    // both move
    let (config, problems) = keys("search = 'j'\nnext-row = ['down', 'ctrl-j']\n");
    assert_eq!(problems, [""; 0]);
    assert_eq!(config.entries.len(), 2);
    // the start of two keys, and a letter where letters are typed
    let (_, problems) = keys("search = 'z'\ncomplete = 'x'\ncenter = 'j c'\n");
    assert_eq!(
        problems,
        [
            "c.toml:2: keys.search: z conflicts with z z, a key of center; ignored",
            "c.toml:3: keys.complete: x types text where this command works; add ctrl- or alt-",
            "c.toml:4: keys.center: j c conflicts with j, a key of next-row; ignored",
        ]
    );
}

/// Also sees to it that each entry of the table is applied: what is not looked at is not refused.
#[test]
fn every_entry_refuses_a_wrong_type() {
    for entry in ENTRIES {
        let (_, problems) = read_both(&format!("{} = 7\n", entry.name), "");
        let start = format!("c.toml:1: {}: ", entry.name);
        assert!(
            matches!(&problems[..], [one] if one.starts_with(&start)),
            "{problems:?}"
        );
    }
}

#[test]
fn wrong_types_are_named_in_errors() {
    let many: Vec<String> = (0..1_234).map(|at| format!("'A{at}'")).collect();
    let keys: Vec<String> = (0..21).map(|at| format!("'alt-{at}'")).collect();
    let (config, problems) =
        read_both("keys = 4\n", &format!("user-code = [{}]\n", many.join(",")));
    assert_eq!(
        problems,
        [
            "c.toml:1: keys: expected a table: the line [keys], then a line for each command, such as quit = \"Q\"",
            "f.toml:1: user-code: 1,234 prefixes; at most 200 are allowed: use a namespace or module that they share",
        ]
    );
    assert!(config.user_code.own.is_empty());
    let (_, problems) = read_both(&format!("[keys]\nquit = [{}]\n", keys.join(",")), "");
    assert_eq!(
        problems,
        ["c.toml:2: keys.quit: 21 keys; at most 20 are allowed"]
    );
}

/// 150 commands that all want the same key: all but the first are reported.
#[test]
fn all_conflicts_are_found() {
    let keymap = Keymap::default();
    let names: std::collections::BTreeSet<&str> = keymap
        .of(crate::app::Context::Explorer)
        .map(|command| command.name)
        .collect();
    let bound: Vec<(String, Vec<String>)> = names
        .iter()
        .map(|name| (name.to_string(), vec!["f12".into()]))
        .collect();
    let (keymap, problems) = Keymap::with_keys(&bound);
    assert_eq!(problems.len(), names.len() - 1);
    let last = names.last().unwrap();
    let bound = keymap
        .command_for(crate::app::Context::Explorer, "f12")
        .unwrap();
    assert_eq!(bound.name, *last);
}

#[test]
fn locales_indicate_whether_unicode_is_available() {
    for (locale, expect) in [
        ([None, None, None], false),
        ([None, None, Some("de_DE.UTF-8")], false),
        ([None, None, Some("C.utf8")], false),
        ([None, None, Some("C")], true),
        ([Some("de_DE.ISO-8859-1"), None, Some("de_DE.UTF-8")], true),
        ([Some(""), Some("en_US.UTF-8"), Some("C")], false),
    ] {
        let variables = locale.map(|value| value.map(String::from));
        assert_eq!(has_other_encoding(variables), expect, "{locale:?}");
    }
}

#[test]
fn a_misnamed_table_gets_a_suggestion() {
    let (_, problems) = read_both("[key]\nquit = 'Q'\n[colors]\na = 1\n", "");
    assert_eq!(
        problems,
        [
            "c.toml:2: key.quit: [key] is unknown; did you mean [keys]?",
            "c.toml:4: colors.a: [colors] is unknown; one of these is expected: [keys]",
        ]
    );
}
