use super::*;
use crate::model::testing::recording_of;

#[track_caller]
fn check(fact: Option<&str>, wanted: &str, expect: Result<(), &str>) {
    let mut recording = recording_of("T;m 1|U;m 2");
    recording.source.facts = fact
        .map(|text| ("process".into(), text.to_string()))
        .into_iter()
        .collect();
    let view = recording.into_view();
    let wanted = ThreadRequest {
        processes: vec![wanted.into()],
        ..ThreadRequest::default()
    };
    let found =
        select_scope(view, None, &wanted).map(|(view, _)| assert_eq!(view.threads.len(), 2));
    assert_eq!(
        found.map_err(|error| error.to_string()),
        expect.map_err(String::from),
        "{fact:?}"
    );
}

#[test]
fn only_a_full_share_counts_as_all() {
    let shares = [95.2, 99.4, 99.5, 99.98, 100.0].map(short_of_all);
    assert_eq!(shares, ["95", "99", "99.5", "99.9", "100"]);
}

#[test]
fn a_single_process_is_found_by_id_and_name() {
    for (fact, wanted) in [
        ("11036", "11036"),
        ("9636 dotnet", "9636"),
        ("9636 dotnet", "dotnet"),
        ("9636 dotnet", "DOT"),
        ("Process (7) web shop", "7"),
        ("Process (7) web shop", "web shop"),
    ] {
        check(Some(fact), wanted, Ok(()));
    }
    for (command_line, name) in [
        ("/usr/bin/dotnet /srv/my shop/Shop.dll --port 80", "Shop"),
        ("dotnet exec Shop.dll", "shop"),
        ("/usr/bin/dotnet /srv/a.dllx /srv/Shop.dll", "Shop"),
        (r"C:\Shop\Shop.exe orders.txt", "Shop"),
        ("/srv/Shop", "Shop"),
        ("", "11036"),
    ] {
        assert!(
            only_process("11036", command_line).matches(name),
            "{command_line}"
        );
    }
    check(
        Some("9636 dotnet"),
        "7",
        Err("--process 7: no process has this name; the process is 9636 dotnet"),
    );
    check(
        Some("9636 dotnet"),
        "",
        Err("--process: expected an id, a name or part of a name"),
    );
    check(
        None,
        "7",
        Err("--process 7: this profile has no process information"),
    );
}
