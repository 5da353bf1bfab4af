//! How a client finds profiles, chooses a part of one, and is told what changed.

use super::session::Session;
use super::{SAMPLE, snapshots, text_of};
use crate::common::packing::zip;
use crate::common::text::{has, lacks, starts};
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
    let then = SystemTime::now() - Duration::from_secs(age_s);
    file.set_modified(then).unwrap();
}

/// What a server below a folder answers.
#[track_caller]
fn ask(session: &mut Session, tool: &str, arguments: Value) -> (String, bool) {
    text_of(&session.call(1, tool, arguments))
}

#[test]
fn profiles_are_listed_and_found_by_what_is_known_of_their_paths() {
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
    has(&all, "4 profiles below ");
    let (some, _) = ask(&mut session, "list_profiles", json!({"glob": "checkout.*"}));
    assert_eq!(some.lines().count(), 3, "{some}");
    let (none, _) = ask(&mut session, "list_profiles", json!({"glob": "*.etl"}));
    has(&none, "matches *.etl");

    let total = |session: &mut Session, profile: &str| {
        ask(session, "hotspots", json!({"profile": profile}))
    };
    let folder = path.canonicalize().unwrap().display().to_string();
    // as Windows' programs write it: file:///C:/a
    let folder = folder.trim_start_matches(r"\\?\").replace('\\', "/");
    let folder = folder.trim_start_matches('/');
    let uri = format!("file:///{folder}/b/new%20one.collapsed");
    for found in ["new one.collapsed", &uri, "b/checkout.folded"] {
        let (text, is_error) = total(&mut session, found);
        assert!(!is_error, "{text}");
        has(&text, "samples 3 = 100 %");
    }
    for (asked, says) in [
        (
            "checkout.folded",
            "several files match: a/checkout.folded, b/checkout.folded",
        ),
        (
            "chekout.folded",
            "the nearest are a/checkout.folded, b/checkout.folded",
        ),
        ("nothing.like.it", "`list_profiles` lists all"),
        (
            "/etc/old.folded",
            "there is no such file below the folders of this server; `list_profiles` lists all",
        ),
    ] {
        let (text, is_error) = total(&mut session, asked);
        assert!(is_error, "{text}");
        has(&text, says);
    }
}

#[test]
fn a_changed_file_says_once_that_old_ids_mean_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "shop.folded", 60);
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    let mut tree = || {
        ask(
            &mut session,
            "tree",
            json!({"profile": "shop.folded", "budget": 200}),
        )
        .0
    };
    lacks(tree(), "the file has changed");
    fs::write(folder.path().join("shop.folded"), "Main;Other 4\n").unwrap();
    has(
        tree(),
        "the file has changed: node ids from earlier answers are no longer valid\n",
    );
    lacks(tree(), "the file has changed");
}

#[test]
fn arguments_that_a_tool_does_not_use_are_refused() {
    let mut session = Session::ready(&[&snapshots()]);
    for (tool, mut arguments, says) in [
        (
            "waits",
            json!({"waiting": true}),
            "waiting: this tool has no such argument",
        ),
        (
            "compare",
            json!({"before": SAMPLE, "from": "1s"}),
            "from: this tool has no such argument",
        ),
        (
            "search",
            json!({"text": "a", "steps": ["drop:X"]}),
            "steps: this tool has no such argument",
        ),
        (
            "callers",
            json!({"method": "PriceRules.Discount", "steps": ["group:type"]}),
            "only changes how a tree is shown",
        ),
        (
            "tree",
            json!({"node": "n12", "under": "PriceRules.Discount"}),
            "not both",
        ),
        ("hotspots", json!({"from": "2"}), "from: "),
        ("hotspots", json!({"process": "shop"}), "process shop: "),
        ("hotspots", json!({"metric": "joules"}), "metric joules: "),
    ] {
        arguments["profile"] = SAMPLE.into();
        let (text, is_error) = ask(&mut session, tool, arguments);
        assert!(is_error, "{tool}: {text}");
        has(&text, says);
        assert!(!text.contains("--") && !text.contains("dotspot "), "{text}");
    }
}

/// Another program computed the ranges, `expected/views/cpubound.json`: two threads with 2,500.0 ms each in [2 s, 4.5 s). `Main` joins its threads
/// for 6.0 s (the program's own clock; `Thread.Join` is 6.015 s by TraceEvent).
#[test]
fn a_part_is_chosen_by_time_waiting_and_whose_code_it_is() {
    if shared_folder().is_none() {
        return;
    }
    let cpubound = shared("net10/cpubound.nettrace").unwrap();
    let folder = cpubound.parent().unwrap().to_str().unwrap().to_string();
    let mut session = Session::ready(&[&folder]);
    let mut hotspots = |arguments: Value| {
        let mut arguments = arguments;
        arguments["profile"] = "cpubound.nettrace".into();
        ask(&mut session, "hotspots", arguments).0
    };
    has(
        hotspots(json!({"from": "2s", "until": "4.5s", "budget": 300})),
        "CPU 5,000.0 ms = 100 %",
    );
    let waits = hotspots(json!({"metric": "wall", "waiting": true, "budget": 400}));
    has(&waits, "6.015 ");
    has(&waits, "Thread.Join");
    lacks(
        hotspots(json!({"metric": "wall", "budget": 400})),
        "Thread.Join",
    );
    // of no user code, 0.0 ms of System.Text.Json; as user code, it is listed
    lacks(hotspots(json!({"user_code": true})), "JsonSerializer");
    has(
        hotspots(json!({"user_code": true, "by": "inclusive", "own_code": "System.Text.Json"})),
        "JsonSerializer",
    );
}

/// `expected/etl/net.4.5.2.x64.json`: process 3676 has 5,129 samples.
#[test]
fn a_process_is_chosen_and_threads_are_listed_with_theirs() {
    let Some(etl) = shared("etl/net.4.5.2.x64.etl.zip") else {
        return;
    };
    let folder = etl.parent().unwrap().to_str().unwrap().to_string();
    let mut session = Session::ready(&[&folder]);
    let profile = "net.4.5.2.x64.etl.zip";
    let (text, _) = ask(
        &mut session,
        "hotspots",
        json!({"profile": profile, "process": "Test.x64", "budget": 300}),
    );
    has(&text, " 5,129");
    let (info, _) = ask(
        &mut session,
        "info",
        json!({"profile": profile, "budget": 3_000}),
    );
    has(&info, " under 1 % each: ");
    let first = info
        .lines()
        .find(|line| line.starts_with("thread n"))
        .unwrap();
    has(first, "of process ");
}

#[test]
fn a_member_of_an_archive_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let both = zip(&[
        ("one.folded", b"Main;A 3\n".as_slice()),
        ("two.folded", b"Main;B 4\n"),
    ]);
    fs::write(folder.path().join("both.zip"), both).unwrap();
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    let mut read = |profile: &str| ask(&mut session, "hotspots", json!({"profile": profile}));
    has(
        &read("both.zip/two.folded").0,
        "both.zip/two.folded, sampling: ",
    );
    has(&read("both.zip/two.folded").0, "samples 4 = 100 %");
    has(&read("both.zip/one.folded").0, "samples 3 = 100 %");
    let (text, is_error) = read("both.zip");
    assert!(is_error, "{text}");
    has(&text, "choose one with `profile` as ARCHIVE.zip/NAME: ");
}

#[test]
fn names_of_machines_and_users_are_told_on_demand() {
    let Some(file) = shared("dtp/Issue254.dtp") else {
        return;
    };
    let mut session = Session::ready(&[file.parent().unwrap().to_str().unwrap()]);
    let mut info = |private: bool| {
        let arguments = json!({"profile": "Issue254.dtp", "private": private, "budget": 4_000});
        ask(&mut session, "info", arguments).0
    };
    let (usual, all) = (info(false), info(true));
    for private in ["machine: ", "user: "] {
        lacks(&usual, private);
        has(&all, private);
    }
    // facts come before threads
    assert!(
        usual.find("\nthread ").unwrap() > usual.find("\nexecutable: ").unwrap(),
        "{usual}"
    );
}

#[test]
fn the_built_in_questions_are_prompts() {
    let mut session = Session::ready(&[&snapshots()]);
    let list = session.ask(1, "prompts/list", json!({}));
    let names: Vec<&str> = list["result"]["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["find-bottleneck", "explain", "compare-with"]);
    let asked = json!({"name": "compare-with", "arguments": {"before": "a.nettrace", "profile": "b.nettrace"}});
    let got = session.ask(2, "prompts/get", asked);
    let text = got["result"]["messages"][0]["content"]["text"]
        .as_str()
        .unwrap();
    has(
        text,
        "`compare` with before a.nettrace and profile b.nettrace",
    );
    let none = session.ask(3, "prompts/get", json!({"name": "no"}));
    has(
        none["error"]["message"].as_str().unwrap(),
        "there is no such prompt",
    );
}

/// Which rows have marks is tested elsewhere; here, that none with a mark gives way to one that may be chance.
#[test]
fn what_is_more_than_chance_comes_before_what_may_be_chance() {
    let Some(folder) = shared_folder() else {
        return;
    };
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
    has(&few, " more methods, ");
    has(&few, " in total");
    has(
        &few,
        "Thread.PollGC has 10.8 % of CPU before and 4.6 % after: ",
    );
    has(
        compare("two-threads.pb", before, 900),
        "no method is in both",
    );
    // both files of a side, whose median is between them: (5,208.6 + 11,405.6) / 2 = 8,307.1
    has(
        compare("net10/orderedconsume*.nettrace", before, 900),
        "→ 8,307.1 ms",
    );
}

/// Own code of App is 30 of 100, that of the library that it calls 60, and 10 are called by neither.
const OF_APP: &str = "App!App.Main 30
App!App.Main;Newtonsoft.Json!Newtonsoft.Json.Read 60
System.Private.CoreLib!System.GC.Run() 10
";

#[test]
fn a_list_of_user_code_tells_what_completes_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("app.folded"), OF_APP).unwrap();
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    let mut hotspots = |arguments| ask(&mut session, "hotspots", arguments).0;
    let users = hotspots(json!({"profile": "app.folded", "user_code": true}));
    has(
        &users,
        "outside user code: [libraries] 60.0 %, [no user caller] 10.0 %",
    );
    has(&users, "\n30.0 30 ");
    // with callees there is no such sum
    let inclusive =
        hotspots(json!({"profile": "app.folded", "user_code": true, "by": "inclusive"}));
    lacks(&inclusive, "besides");
    let own = hotspots(
        json!({"profile": "app.folded", "user_code": true, "own_code": "Acme, Newtonsoft"}),
    );
    starts(&own, "warning: own_code: no module or namespace begins with Acme\n");
    lacks(&own, "begins with Newtonsoft");
}

#[test]
fn what_perf_script_prints_is_listed_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let text = "app 7/7 1.000000: 1000000 cpu-clock:\n\t55d0 main+0x10 (/usr/bin/app)\n\n";
    for name in ["perf.txt", "run.script"] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    write(folder.path(), "readme.txt", 5);
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    let (all, _) = ask(&mut session, "list_profiles", json!({}));
    has(&all, "2 profiles below");
    has(&all, "perfscript, perf.txt\n");
    has(&all, "perfscript, run.script\n");
}

/// A is called by itself in 20 of its 50: who called it then is told where it was called first.
#[test]
fn callers_of_a_recursive_method_have_no_rows_of_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("r.folded"), "Main;A 30\nMain;A;B;A 20\n").unwrap();
    let mut session = Session::ready(&[folder.path().to_str().unwrap()]);
    let (callers, _) = ask(
        &mut session,
        "callers",
        json!({"profile": "r.folded", "method": "A"}),
    );
    has(&callers, "recursive: 1 within others, which count them");
    let rows: Vec<&str> = callers
        .lines()
        .skip_while(|line| !line.starts_with("0 "))
        .collect();
    assert_eq!(rows.len(), 2, "{callers}");
    assert!(
        rows[1].starts_with("1 ") && rows[1].ends_with(" Main"),
        "{callers}"
    );
    has(rows[1], " 100.0 50 ");
}

#[test]
fn lists_say_what_makes_their_numbers_uncertain() {
    let data = shared_folder();
    let data = data.as_deref().and_then(|data| data.to_str());
    let snapshots = snapshots();
    let folders: Vec<&str> = std::iter::once(snapshots.as_str()).chain(data).collect();
    let mut session = Session::ready(&folders);
    // 25 of 4,088 samples, and of 1,260
    let (hotspots, _) = ask(&mut session, "hotspots", json!({"profile": SAMPLE}));
    has(
        &hotspots,
        "Shares below 0.6 % rest on fewer than 25 samples.\n",
    );
    let discount = json!({"profile": SAMPLE, "method": "PriceRules.Discount"});
    let (callers, _) = ask(&mut session, "callers", discount);
    has(
        &callers,
        "Shares below 2.0 % rest on fewer than 25 samples.\n",
    );
    // what waits in CPU time is on the processor: 2,429.085 ms as TraceEvent has it
    let (waits, _) = ask(
        &mut session,
        "waits",
        json!({"profile": SAMPLE, "metric": "CPU"}),
    );
    has(
        &waits,
        "\n% CPU-in-waits-and-spins user method: waits in, how (threads)\n43.7 1,062.7 LoopbackBroker.AckLoop: ",
    );
    if data.is_none() {
        return;
    }
    // Issue254.exe is in bin\\Debug
    for (tool, method) in [("hotspots", None), ("callers", Some("List<T>.Contains"))] {
        let asked = json!({"profile": "dtp/Issue254.dtp", "method": method});
        let asked = match method {
            Some(_) => asked,
            None => json!({"profile": "dtp/Issue254.dtp"}),
        };
        let (text, _) = ask(&mut session, tool, asked);
        has(&text, "debug-build");
    }
}
