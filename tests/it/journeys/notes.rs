//! Notes on methods.

use crate::common::stage::Stage;
use crate::common::text::assert_contains;
use dotspot::testing::model::profile_of;

const SHOP: &str = "T;Main;Price;Tax 30|T;Main;Log 10";

#[test]
fn notes_are_saved_next_to_the_profile_after_one_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.nettrace.dotspot.json");
    let mut stage = Stage::new(profile_of(SHOP), 100, 24).with_notes_in(file.clone());
    stage.play("2 a 'rates are looked up twice'  shows: asks before anything is written");
    stage.play("enter");
    let question = "Save notes next to the profile? y / n (shop.nettrace.dotspot.json)";
    assert!(stage.screen().contains(question), "{}", stage.screen());
    // a repeated key does not confirm, and esc returns to the note
    stage.press("enter");
    assert!(stage.screen().contains(question), "{}", stage.screen());
    stage.press("esc enter");
    assert!(
        stage.screen().contains(question) && !file.exists(),
        "{}",
        stage.screen()
    );
    stage.play("
        y      says: the note is in shop.nettrace.dotspot.json  shows: Tax ✎  shows: ✎ rates are looked up twice
        // shown in the tree, on the page of a method, in the list, and by w
        enter  on: Tax  shows:   Tax ✎
        b      shows: Tax ✎
        esc L  shows: Tax ✎
        esc w  shows: • Tax: rates are looked up twice
        // no second question
        esc 1 H a 'calls Tax too often' enter");
    let saved: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        saved,
        serde_json::json!({"schema": "dotspot.notes/1", "notes": [
            {"method": "Price", "note": "calls Tax too often"},
            {"method": "Tax", "note": "rates are looked up twice"},
        ]})
    );
    // an empty note deletes it
    stage.play("a ctrl-u enter  lacks: Price ✎");
    assert!(!std::fs::read_to_string(&file).unwrap().contains("Price"));
}

#[test]
fn a_note_that_must_not_be_saved_is_still_exported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.nettrace.dotspot.json");
    let mut stage = Stage::new(profile_of(SHOP), 100, 24).with_notes_in(file.clone());
    stage.play("2 a 'look' enter n  says: nothing was saved; the note is kept until you quit, and exports include it  shows: Tax ✎");
    assert!(!file.exists());
    let export = folder.path().join("all.json");
    stage
        .press("1 g x ctrl-u")
        .type_text(export.to_str().unwrap());
    stage.press("enter");
    let text = std::fs::read_to_string(&export).unwrap();
    assert_contains(&text, r#""method_notes":[{"method":"Tax","note":"look"}]"#);
}

#[test]
fn existing_notes_are_shown_and_only_methods_can_have_notes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.nettrace.dotspot.json");
    std::fs::write(
        &file,
        r#"{"schema":"dotspot.notes/1","notes":[{"method":"Log","note":"theirs"}]}"#,
    )
    .unwrap();
    let mut stage = Stage::new(profile_of(SHOP), 100, 24).with_notes_in(file.clone());
    stage.play("a  says: not a method: only methods can have notes");
    stage.play("2 a 'mine' enter  shows: Tax ✎  shows: Log ✎");
    // a file that is not a notes file is not overwritten
    std::fs::write(&file, "important").unwrap();
    stage.play("a ', too' enter  notes: was not written: it is not a notes file");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "important");
}
