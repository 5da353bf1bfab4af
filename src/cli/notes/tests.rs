use super::*;

fn key(name: &str) -> MethodKey {
    MethodKey {
        name: name.into(),
        signature: "(int)".into(),
    }
}

#[test]
fn notes_are_stored_next_to_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("shop.nettrace");
    assert_eq!(file_of(&profile), None, "there is no such profile");
    std::fs::write(&profile, "").unwrap();
    let file = file_of(&profile).unwrap();
    assert_eq!(file, folder.path().join("shop.nettrace.dotspot.json"));
    assert_eq!(read(&file), Ok(MethodNotes::default()));
    write(&file, &[key("Shop.Price")], "slow", &MethodNotes::default()).unwrap();
    // another dotspot
    write(
        &file,
        &[key("Shop.Log")],
        "why so often?",
        &MethodNotes::default(),
    )
    .unwrap();
    let notes = write(&file, &[key("Shop.Price")], "", &MethodNotes::default()).unwrap();
    assert_eq!(
        notes.iter().collect::<Vec<_>>(),
        [(&key("Shop.Log"), "why so often?")]
    );
    assert_eq!(read(&file), Ok(notes));
}

#[test]
fn notes_written_at_the_same_time_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("shop.nettrace");
    std::fs::write(&profile, "").unwrap();
    let file = file_of(&profile).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let file = &file;
            scope.spawn(move || {
                for n in 0..10 {
                    let method = [key(&format!("Shop.Price{writer}{n}"))];
                    write(file, &method, "slow", &MethodNotes::default()).unwrap();
                }
            });
        }
    });
    assert_eq!(read(&file).unwrap().iter().count(), 4 * 10);
}

#[test]
fn a_read_only_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.dotspot.json");
    let own = MethodNotes::default();
    let before = write(&file, &[key("Shop.Price")], "slow", &own).unwrap();
    let mut permissions = file.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    let refused = write(&file, &[key("Shop.Price")], "fixed", &own).unwrap_err();
    assert!(refused.ends_with("it is read-only"), "{refused}");
    assert_eq!(read(&file), Ok(before));
}

#[test]
fn a_note_in_the_profile_itself_is_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.dotspot.json");
    let mut own = MethodNotes::default();
    own.set(key("Shop.Price"), "from the profile");
    write(&file, &[key("Shop.Price")], "", &own).unwrap();
    let mut all = own.clone();
    all.extend(&read(&file).unwrap());
    assert_eq!(all.get(&key("Shop.Price")), None);
}

#[test]
fn notes_too_large_to_read_again_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.dotspot.json");
    let long = "x".repeat(MethodNotes::MAX_BYTES);
    let methods: Vec<MethodKey> = (0..100).map(|n| key(&format!("Shop.Price{n}"))).collect();
    let before = write(&file, &methods[..90], &long, &MethodNotes::default()).unwrap();
    let many: Vec<MethodKey> = (0..200).map(|n| key(&format!("Shop.Log{n}"))).collect();
    let refused = write(&file, &many, &long, &MethodNotes::default()).unwrap_err();
    assert!(
        refused.ends_with("it would be larger than 1 MB; remove notes first"),
        "{refused}"
    );
    assert_eq!(read(&file), Ok(before));
}

#[test]
fn a_file_that_is_not_a_notes_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.dotspot.json");
    for (text, reason) in [
        (
            "{",
            "it is not a notes file: EOF while parsing an object at line 1 column 1",
        ),
        (
            r#"{"schema":"dotspot.notes/2","notes":[]}"#,
            "expected the schema dotspot.notes/1, found \"dotspot.notes/2\"; a newer dotspot may read it",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        assert_eq!(read(&file), Err(reason.to_string()));
        let refused = write(&file, &[key("a")], "b", &MethodNotes::default()).unwrap_err();
        assert_eq!(
            refused,
            format!("{} was not written: {reason}", file.display())
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert_eq!(read(&file), Err("it is not a regular file".to_string()));
}
