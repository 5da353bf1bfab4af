//! How a client finds profiles, selects part of one, and learns about changes.

use super::session::Session;
use super::{SAMPLE, snapshots, text_of};
use crate::common::json::{each, text};
use crate::common::packing::zip;
use crate::common::text::{
    assert_contains, assert_contains_all, assert_ends_with, assert_starts_with,
};
use crate::common::{shared, shared_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

const STACKS: &str = "Main;Shop.Sell 3\n";

fn write(folder: &Path, name: &str, age_s: u64) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, STACKS).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    let modified = SystemTime::now() - Duration::from_secs(age_s);
    file.set_modified(modified).unwrap();
}

/// Calls a tool; returns the answer and whether it is an error.
#[track_caller]
fn ask(session: &mut Session, tool: &str, arguments: Value) -> (String, bool) {
    text_of(&session.call(1, tool, arguments))
}

#[test]
fn profiles_are_listed_and_found_by_partial_paths() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, "old.folded", 90 * 3_600);
    write(path, "a/checkout.folded", 300);
    write(path, "b/checkout.folded", 3 * 3_600);
    write(path, "b/new one.collapsed", 130);
    write(path, ".hidden/x.folded", 5);
    write(path, "b/readme.txt", 5);
    fs::write(path.join("settings.json"), "{\"a\": 1}").unwrap();
    let mut session = Session::ready(&[path.to_str().unwrap()]);
    let (all, _) = ask(&mut session, "list_profiles", json!({}));
    let rows: Vec<&str> = all.lines().skip(1).collect();
    let expect = [
        "17 B, 2 min, collapsed, b/new one.collapsed",
        "17 B, 5 min, collapsed, a/checkout.folded",
        "17 B, 3 h, collapsed, b/checkout.folded",
        "17 B, 3 days, collapsed, old.folded",
    ];
    assert_eq!(rows, expect, "{all}");
    assert_contains(&all, "4 profiles in ");
    let (some, _) = ask(&mut session, "list_profiles", json!({"glob": "checkout.*"}));
    assert_eq!(some.lines().count(), 3, "{some}");
    let folder = path.canonicalize().unwrap().display().to_string();
    // as Windows programs write it: file:///C:/a
    let folder = folder.trim_start_matches(r"\\?\").replace('\\', "/");
    let folder = folder.trim_start_matches('/');
    let uri = format!("file:///{folder}/b/new%20one.collapsed");
    let table = r#"
        hotspots {"profile": "new one.collapsed"} => samples 3 = 100 %
        hotspots {"profile": "URI"} => samples 3 = 100 %
        hotspots {"profile": "b/checkout.folded"} => samples 3 = 100 %
        hotspots {"profile": "checkout.folded"} =! several files match: a/checkout.folded, b/checkout.folded
        hotspots {"profile": "chekout.folded"} =! the nearest are a/checkout.folded, b/checkout.folded
        hotspots {"profile": "nothing.like.it"} =! `list_profiles` lists all
        hotspots {"profile": "/etc/old.folded"} =! there is no such file in this server's folders; `list_profiles` lists all
        list_profiles {"glob": "*.etl"} => matches *.etl"#;
    session.check_calls(&table.replace("URI", &uri));
}

#[test]
fn a_changed_file_reports_once_that_old_ids_are_invalid() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "shop.folded", 60);
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    let unchanged = r#"tree {"profile": "shop.folded", "budget": 200} => - the file has changed"#;
    session.check_calls(unchanged);
    fs::write(folder.path().join("shop.folded"), "Main;Other 4\n").unwrap();
    session.check_calls(r#"tree {"profile": "shop.folded", "budget": 200} => the file has changed: node ids from earlier answers are no longer valid"#);
    session.check_calls(unchanged);
}

#[test]
fn arguments_that_a_tool_does_not_use_are_refused() {
    let mut session = Session::ready(&[&snapshots()]);
    let table = r#"
        waits {"waiting": true, SAMPLE} =! waiting: this tool has no such argument
        compare {"before": "a", "from": "1s", SAMPLE} =! from: this tool has no such argument
        search {"text": "a", "steps": ["drop:X"], SAMPLE} =! steps: this tool has no such argument
        callers {"method": "PriceRules.Discount", "steps": ["group:type"], SAMPLE} =! only changes how a tree is shown
        tree {"node": "n12", "under": "PriceRules.Discount", SAMPLE} =! not both
        hotspots {"from": "2", SAMPLE} =! from: 
        hotspots {"process": "shop", SAMPLE} =! process shop: 
        hotspots {"metric": "joules", SAMPLE} =! metric joules: "#;
    // the message mentions no command-line options
    for row in table.trim().lines() {
        let row = row.replace("SAMPLE", &format!(r#""profile": "{SAMPLE}""#));
        let text = session.check_calls(&row);
        assert!(!text.contains("--") && !text.contains("dotspot "), "{text}");
    }
}

/// Expected ranges were computed by another program, `expected/views/cpubound.json`: two threads with 2,500.0 ms each in [2 s, 4.5 s).
/// `Main` joins its threads for 6.0 s (the program's own clock; `Thread.Join` is 6.015 s by TraceEvent).
#[test]
fn parts_can_be_selected_by_time_waiting_and_user_code() {
    if shared_folder().is_none() {
        return;
    }
    let cpubound = shared("net10/cpubound.nettrace").unwrap();
    let folder = cpubound.parent().unwrap().to_str().unwrap().to_string();
    let mut session = Session::ready(&[&folder]);
    // as system code, 0.0 ms of System.Text.Json; as user code, it is listed
    let table = r#"
        hotspots {FILE, "from": "2s", "until": "4.5s", "budget": 300} => CPU 5,000.0 ms = 100 %
        hotspots {FILE, "metric": "wall", "waiting": true, "budget": 400} => 6.015 | Thread.Join
        hotspots {FILE, "metric": "wall", "budget": 400} => - Thread.Join
        hotspots {FILE, "user_code": true} => - JsonSerializer
        hotspots {FILE, "user_code": true, "by": "inclusive", "own_code": "System.Text.Json"} => JsonSerializer"#;
    session.check_calls(&table.replace("FILE", r#""profile": "cpubound.nettrace""#));
}

/// `expected/etl/net.4.5.2.x64.json`: process 3676 has 5,129 samples.
#[test]
fn a_process_can_be_selected_and_its_threads_are_listed() {
    let etl = present!(shared("etl/net.4.5.2.x64.etl.zip"));
    let folder = etl.parent().unwrap().to_str().unwrap().to_string();
    let mut session = Session::ready(&[&folder]);
    let info = session.check_calls(
        r#"
        hotspots {"profile": "net.4.5.2.x64.etl.zip", "process": "Test.x64", "budget": 300} => 5,129
        info {"profile": "net.4.5.2.x64.etl.zip", "budget": 3000} => under 1 % each:"#,
    );
    let first = info
        .lines()
        .find(|line| line.starts_with("thread n"))
        .unwrap();
    assert_contains(first, "of process ");
}

#[test]
fn a_member_of_an_archive_can_be_selected() {
    let folder = tempfile::tempdir().unwrap();
    let both = zip(&[
        ("one.folded", b"Main;A 3\n".as_slice()),
        ("two.folded", b"Main;B 4\n"),
    ]);
    fs::write(folder.path().join("both.zip"), both).unwrap();
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    session.check_calls(
        r#"
        hotspots {"profile": "both.zip/two.folded"} => both.zip/two.folded, sampling: | samples 4 = 100 %
        hotspots {"profile": "both.zip/one.folded"} => samples 3 = 100 %
        hotspots {"profile": "both.zip"} =! choose one with `profile` as ARCHIVE.zip/NAME: "#,
    );
}

#[test]
fn names_of_machines_and_users_are_shown_on_demand() {
    let file = present!(shared("dtp/Issue254.dtp"));
    let mut session = Session::ready(&[file.parent().unwrap().to_str().unwrap()]);
    let usual = session.check_calls(
        r#"
        info {"profile": "Issue254.dtp", "private": true, "budget": 4000} => machine: | user:
        info {"profile": "Issue254.dtp", "private": false, "budget": 4000} => - machine: | - user:"#,
    );
    // facts precede threads
    assert!(
        usual.find("\nthread ").unwrap() > usual.find("\nexecutable: ").unwrap(),
        "{usual}"
    );
}

#[test]
fn the_built_in_questions_are_prompts() {
    let mut session = Session::ready(&[&snapshots()]);
    let list = session.ask(1, "prompts/list", json!({}));
    let names = each(&list["result"]["prompts"]).map(|prompt| text(&prompt["name"]));
    let expect = ["find-bottleneck", "explain", "compare-with"];
    assert_eq!(names.collect::<Vec<_>>(), expect);
    let params = json!({"name": "compare-with", "arguments": {"before": "a.nettrace", "profile": "b.nettrace"}});
    let got = session.ask(2, "prompts/get", params);
    let prompt = text(&got["result"]["messages"][0]["content"]["text"]);
    assert_contains(
        prompt,
        "`compare` with before a.nettrace and profile b.nettrace",
    );
    let none = session.ask(3, "prompts/get", json!({"name": "no"}));
    assert_contains(text(&none["error"]["message"]), "there is no such prompt");
}

/// Which rows are marked is tested elsewhere; here, that no marked row is dropped in favor of one that may be noise.
#[test]
fn significant_changes_precede_possible_noise() {
    let folder = present!(shared_folder());
    let mut session = Session::ready(&[&snapshots(), folder.to_str().unwrap()]);
    let mut compare = |profile: &str, before: &str, budget: usize| {
        let arguments = json!({"profile": profile, "before": before, "budget": budget});
        ask(&mut session, "compare", arguments).0
    };
    let (before, after) = (
        "net10/orderedconsume.nettrace",
        "net10/orderedconsume-regressed.nettrace",
    );
    let [few, many] = [900, 20_000].map(|budget| compare(after, before, budget));
    let rows = |text: &str, mark: &str| text.lines().filter(|row| row.starts_with(mark)).count();
    let marked = rows(&many, "| ● |");
    assert!(
        rows(&few, "| ~ |") == 0 || rows(&few, "| ● |") == marked,
        "{few}"
    );
    assert_contains_all(&few, &[" more methods, ", " in total"]);
    assert_contains(
        &few,
        "Thread.PollGC has 10.8 % of CPU before and 4.6 % after: ",
    );
    let nothing = compare("two-threads.pb", before, 900);
    assert_contains(nothing, "no method is in both");
    // each side is the median of both files: (5,208.6 + 11,405.6) / 2 = 8,307.1
    let both = compare("net10/orderedconsume*.nettrace", before, 900);
    assert_contains(both, "→ 8,307.1 ms");
}

/// App's own code has 30 of 100, the library that it calls 60, and 10 are called by neither.
const APP_AND_LIBRARY: &str = "App!App.Main 30
App!App.Main;Newtonsoft.Json!Newtonsoft.Json.Read 60
System.Private.CoreLib!System.GC.Run() 10
";

#[test]
fn a_list_of_user_code_accounts_for_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("app.folded"), APP_AND_LIBRARY).unwrap();
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    // callees have no such sum
    session.check_calls(
        r#"
        hotspots {"profile": "app.folded", "user_code": true} => outside user code: [libraries] 60.0 %, [no user caller] 10.0 % | 30.0 30
        hotspots {"profile": "app.folded", "user_code": true, "by": "inclusive"} => - outside user code
        hotspots {"profile": "app.folded", "user_code": true, "own_code": "Acme, Newtonsoft"} => warning: own_code: no module or namespace begins with Acme | - begins with Newtonsoft"#,
    );
}

#[test]
fn perf_script_output_is_listed_under_any_file_name() {
    let folder = tempfile::tempdir().unwrap();
    let text = "app 7/7 1.000000: 1000000 cpu-clock:\n\t55d0 main+0x10 (/usr/bin/app)\n\n";
    for name in ["perf.txt", "run.script"] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    write(folder.path(), "readme.txt", 5);
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    session.check_calls(
        "list_profiles {} => 2 profiles in | perfscript, perf.txt | perfscript, run.script",
    );
}

/// A calls itself in 20 of its 50: callers of the inner calls are listed at the outer call.
#[test]
fn callers_of_a_recursive_method_have_no_empty_rows() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("r.folded"), "Main;A 30\nMain;A;B;A 20\n").unwrap();
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    let callers = session.check_calls(
        r#"callers {"profile": "r.folded", "method": "A"} => recursive: 1 within others, which count them"#,
    );
    let rows: Vec<&str> = callers
        .lines()
        .skip_while(|line| !line.starts_with("0 "))
        .collect();
    assert_eq!(rows.len(), 2, "{callers}");
    assert_starts_with(rows[1], "1 ");
    assert_ends_with(rows[1], " Main");
    assert_contains(rows[1], " 100.0 50 ");
}

#[test]
fn lists_report_why_their_numbers_are_uncertain() {
    let data = shared_folder();
    let data = data.as_deref().and_then(|data| data.to_str());
    let snapshots = snapshots();
    let folders: Vec<&str> = std::iter::once(snapshots.as_str()).chain(data).collect();
    let mut session = Session::ready(&folders);
    // 25 of 4,088 samples, and of 1,260; in CPU time, waits are spins: 2,429.085 ms by TraceEvent
    let table = r#"
        hotspots {"profile": "SAMPLE"} => Shares below 0.6 % are based on fewer than 25 samples.
        callers {"profile": "SAMPLE", "method": "PriceRules.Discount"} => Shares below 2.0 % are based on fewer than 25 samples."#;
    session.check_calls(&table.replace("SAMPLE", SAMPLE));
    let waits = json!({"profile": SAMPLE, "metric": "CPU"});
    assert_contains(
        ask(&mut session, "waits", waits).0,
        "\n% CPU-in-waits-and-spins user method: waits in, how (threads)\n43.7 1,062.7 LoopbackBroker.AckLoop: ",
    );
    if data.is_none() {
        return;
    }
    // Issue254.exe is in bin\\Debug
    session.check_calls(
        r#"
        hotspots {"profile": "dtp/Issue254.dtp"} => debug-build
        callers {"profile": "dtp/Issue254.dtp", "method": "List<T>.Contains"} => debug-build"#,
    );
}

#[test]
fn a_glob_selects_only_profiles() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a1.folded", "A;B 3\n"),
        ("a2.json", "{}"),
        ("b.folded", "A;B 5\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    session.check_calls(
        r#"
        compare {"profile": "b.folded", "before": "a*"} => 3 → 5
        hotspots {"profile": "a2.jsn"} =! there is no such file"#,
    );
}
