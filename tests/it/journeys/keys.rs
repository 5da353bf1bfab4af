//! Other keys for commands: whatever mentions a key says which it is.

use crate::common::stage::Stage;
use crate::common::text::has;
use dotspot::testing::app::keymap::Keymap;
use dotspot::testing::model::testing::profile_of;

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
    Stage::with_keys(profile, 100, 40, Keymap::with(&BOUND))
}

#[test]
fn other_keys_give_the_commands() {
    let mut stage = stage();
    stage.press("j l j b");
    stage.says("b does nothing here; B: cycle: group frames by module, namespace, type, off");
    stage.press("f5");
    assert!(stage.explorer().upper_page().is_some());
    stage.press("esc g M");
    assert!(
        stage.notice().starts_with("hot path: "),
        "{}",
        stage.notice()
    );
}

#[test]
fn hints_help_and_sentences_follow_the_keys() {
    let mut stage = stage();
    for hint in [" f5 callers ", " M hot path ", " f2 help "] {
        has(stage.screen(), hint);
    }
    stage.press("2");
    has(stage.screen(), " M go to heaviest ");
    stage.press("1 j f5");
    stage.says("not a method: f5 shows the callers and callees of a method");
    stage.press(".");
    stage.says(". does nothing here; f2 lists the keys");
    stage.press("v");
    has(stage.screen(), "f5  Method: callers, callees");
    // the card of help, its list, and its legend
    stage.press("esc f2");
    has(stage.screen(), "  M   open the hot path below");
    for _ in 0..20 {
        stage.press("pagedown");
    }
    has(stage.screen(), "which percentages exclude (f8)");
    stage.type_text("xyzzy");
    has(stage.screen(), "no command matches; ctrl-x lists all");
    stage.press("ctrl-x ctrl-x &");
    has(stage.screen(), "ctrl-t changes the action");
}

#[test]
fn a_command_without_keys_is_called_by_its_name() {
    let profile = profile_of("Main;run 50");
    let mut stage = Stage::with_keys(profile, 100, 40, Keymap::with(&[("show-callers", &[])]));
    assert!(!stage.screen().contains("callers"), "{}", stage.screen());
    stage.press("j D .");
    stage.press("b");
    stage.says("b does nothing here; B: cycle: group frames by module, namespace, type, off");
}
