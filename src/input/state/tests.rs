use super::*;
use std::time::Duration;

#[test]
fn changed_new_and_deleted_files_are_not_current() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
    fs::write(&a, "1").unwrap();
    let modified = a.metadata().unwrap().modified().unwrap();
    let states = || FileStates::of([a.clone(), b.clone()]);
    let first = states();
    assert!(first.are_current());
    fs::write(&b, "").unwrap();
    assert!(!first.are_current(), "b has come");
    let second = states();
    fs::remove_file(&b).unwrap();
    assert!(!second.are_current(), "b is gone");
    // another file with the same size and time
    std::thread::sleep(Duration::from_millis(20));
    fs::write(&b, "2").unwrap();
    let file = fs::File::options().write(true).open(&b).unwrap();
    file.set_modified(modified).unwrap();
    fs::rename(&b, &a).unwrap();
    assert_eq!(first.are_current(), cfg!(not(unix)), "it was replaced");
}
