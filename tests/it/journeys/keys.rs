//! Custom keys for commands: every mention of a key shows the configured one.

use crate::common::sample;
use crate::common::stage::Stage;
use dotspot::testing::app::Keymap;
use dotspot::testing::app::{HiddenColumns, Preferences};
use dotspot::testing::model::profile_of;
use dotspot::testing::units::Scale;

const BOUND: [(&str, &[&str]); 6] = [
    ("show-callers", &["f5"]),
    ("open-hot-path", &["M"]),
    ("help", &["f2"]),
    ("next-kind", &["ctrl-t"]),
    ("list-all", &["ctrl-x"]),
    ("toggle-waiting", &["f8"]),
];

fn stage() -> Stage {
    let profile = profile_of("Main;run;price 50|Main;run;log 10|Main;sleep 30");
    Stage::with_keys(profile, 100, 40, keymap_with(&BOUND))
}

#[test]
fn custom_keys_run_their_commands() {
    let mut stage = stage();
    stage.play("j l j b  says: b does nothing here; B: cycle: group frames by module, namespace, type, off");
    stage.play("f5  page: open");
    stage.play("esc g M  notes: hot path:");
}

#[test]
fn hints_help_and_messages_show_custom_keys() {
    let mut stage = stage();
    stage.play("shows: f5 callers  shows: M hot path  shows: f2 help");
    stage.play("2  shows: M go to heaviest");
    stage.play("1 j f5  says: not a method: f5 shows the callers and callees of a method");
    stage.play(".  says: . does nothing here; f2 lists the keys");
    stage.play("v  shows: f5  Method: callers, callees");
    // the help card and its legend
    stage.play("esc f2  shows:   M   open the hot path below");
    stage.play("shows: f8 excludes that from values");
    stage.play("'xyzzy'  shows: no command matches; ctrl-x lists all");
    stage.play("ctrl-x ctrl-x &  shows: ctrl-t changes the action");
}

#[test]
fn a_command_without_keys_is_mentioned_by_name() {
    let profile = profile_of("Main;run 50");
    let mut stage = Stage::with_keys(profile, 100, 40, keymap_with(&[("show-callers", &[])]));
    stage.play("lacks: callers");
    stage.play("j D . b  says: b does nothing here; B: cycle: group frames by module, namespace, type, off");
}

/// A keymap as read from a configuration.
fn keymap_with(keys: &[(&str, &[&str])]) -> Keymap {
    let owned = |(name, keys): &(&str, &[&str])| {
        let keys = keys.iter().map(ToString::to_string);
        (name.to_string(), keys.collect())
    };
    let (keymap, problems) = Keymap::with_keys(&keys.iter().map(owned).collect::<Vec<_>>());
    assert!(problems.is_empty(), "{problems:?}");
    keymap
}

#[test]
fn commands_run_by_their_names() {
    let profile = || profile_of("Main;run;price 50|Main;run;log 10|Main;sleep 30");
    let mut stage = Stage::with_keys(profile(), 100, 40, keymap_with(&[("list-methods", &["M"])]));
    stage.play("
        :
        // its key is the configured one
        'list-m'                 shows: list-methods          M
        tab enter                shows: Methods
        esc :
        // tab completes the common prefix, then the selected name
        'toggle' tab             shows: :toggle-
        down down tab enter esc : 'choose-alone' enter  says: choose-alone does not work here; it works in: Thread and process list
        ctrl-u 'xyzzy'           shows: no command has this in its name
        enter                    says: xyzzy: no command name contains this
        ctrl-u backspace         lacks: commands
        // in the list of methods, its commands are first, but others work, too
        M : 'filter'             shows: filter methods by part of the name
        esc                      shows: Methods
        : 'show-timeline' enter  says: no timeline: the profile has only sums, and does not say when anything happened
        esc
        // fuzzy match: letters in this order
        : 'shfla' enter          page: flame
        esc : 'flame'            shows: ▶show-flame
        esc : 'quit' enter       quit: yes");
}

#[test]
fn a_session_with_custom_keys_works() {
    let keys: [(&str, &[&str]); 4] = [
        ("help", &["f2"]),
        ("search", &["ctrl-k"]),
        ("center", &["z c"]),
        ("back", &["esc", "ctrl-o"]),
    ];
    let mut stage = Stage::with_keys(sample(), 80, 24, keymap_with(&keys));
    stage.play("shows: ctrl-k search");
    stage.play("ctrl-k 'discount' enter  on: PriceRules.Discount");
    stage.play("f f2 'z c' esc esc z c ctrl-o ?  says: ? does nothing here; f2 lists the keys");
}

/// Case doesn't matter, and dashes may be blanks or underscores.
#[test]
fn command_names_are_matched_leniently() {
    for typed in ["List-Methods", "list methods", " LIST_METH", "list-m"] {
        let mut stage = Stage::with_keys(sample(), 100, 40, keymap_with(&[]));
        stage.press(":").type_text(typed);
        stage.play("shows: list-methods\nenter  over: Methods");
    }
    let mut stage = Stage::with_keys(sample(), 100, 40, keymap_with(&[]));
    stage.play(": 'LIST M' tab  shows: :list-methods");
}

/// 5,208.6 ms of CPU time. The unit applies to the list of threads and to the details of the selected one, and the column
/// that determines the order is shown even if it is not configured.
#[test]
fn the_configuration_applies_to_every_screen() {
    let preferences = Preferences {
        unit: Some(Scale::MICROSECONDS),
        hidden: HiddenColumns::all_but(&["bar".into()]),
        ..Preferences::default()
    };
    let mut stage = Stage::with_preferences(sample(), preferences);
    // the hotspots always have that column
    let columns =
        |screen: String| screen.matches("▾excl µs").count() + screen.matches(" excl µs").count();
    assert_eq!(columns(stage.screen()), 1);
    stage.press("s");
    assert_eq!(columns(stage.screen()), 2, "{}", stage.screen());
    stage.play("t  shows: wall µs  samples  thread  shows: CPU 1,464,516.9 µs (28.1 %) · wall 8,012,017.9 µs");
}

/// All screens of a session are ASCII, with keys spelled out and no symbols lost in drawings.
#[test]
fn screens_can_be_restricted_to_ascii() {
    let mut stage = Stage::with_keys(sample(), 100, 30, keymap_with(&[]).in_ascii(true));
    for keys in "j enter|L|esc F|esc T|esc ?|esc esc t|esc x|esc :".split('|') {
        stage.press(keys);
        let screen = stage.screen();
        assert!(screen.is_ascii(), "{keys}: {screen}");
    }
    stage.play("shows:  enter run  tab complete  down next  shows: + : ---");
}
