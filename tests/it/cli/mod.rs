//! Commands that don't open the explorer: exit codes, standard output, standard error.

mod changing;
mod compare;
mod config;
mod errors;
mod methods;
mod notes;
mod options;
mod range;
mod report;
mod waiting;

use crate::common::json::{each, json, near, number, row, sum, text};
use crate::common::packing::{gzip, zip};
use crate::common::run::{Run, SAMPLE, command, dotspot, fails, fine, finish, refused, words};
use crate::common::text::{
    assert_contains, assert_contains_all, assert_ends_with, assert_lacks, assert_starts_with,
};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// A file with this text in a new folder.
fn written(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap().to_string();
    (folder, file)
}

/// Runs commands on a file with these stacks. `$ ` starts a command, in which FILE is the file. Its output follows; after
/// `~ `, spaces don't count. `#` starts a comment.
#[track_caller]
fn session(stacks: &str, script: &str) {
    let (_folder, file) = written("stacks.txt", stacks);
    let lines = script.lines().filter(|line| !line.trim().is_empty());
    let lines = lines.map(|line| line.strip_prefix("        ").expect("lines are indented"));
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with('#')).collect();
    for shown in lines.chunk_by(|_, next| !next.starts_with(['$', '~'])) {
        let words = shown[0].split(' ').skip(1);
        let args: Vec<&str> = words
            .map(|word| if word == "FILE" { &file } else { word })
            .collect();
        let out = fine(&args);
        let cells = |line: &str| match shown[0].starts_with('~') {
            true => line.split_whitespace().collect::<Vec<_>>().join(" "),
            false => line.to_string(),
        };
        let found: Vec<String> = out.lines().map(cells).collect();
        assert_eq!(found, shown[1..], "{}", shown[0]);
    }
}

/// The output of a successful run. Standard error must contain one caution or warning for each of `cautions`, in order.
#[track_caller]
fn cautioned(args: &[&str], cautions: &[&str]) -> String {
    let run = dotspot(args);
    assert_eq!(
        (run.code, run.err.lines().count()),
        (0, cautions.len()),
        "{args:?}: {}",
        run.err
    );
    for (line, words) in run.err.lines().zip(cautions) {
        let starts = ["dotspot: caution: ", "dotspot: warning: "];
        assert!(
            starts.iter().any(|start| line.starts_with(start)) && line.contains(words),
            "{args:?}: {line}"
        );
    }
    run.out
}

/// The share of polls for the garbage collector in the sample's CPU time, see [`info_describes_a_recording`].
const POLLS: &str = "10.8 % of the CPU time (561.5 ms) is in Thread.PollGC";
/// The share of waiting methods: according to TraceEvent, 2,429.085 ms are in methods of System.Threading with Wait, Spin,
/// Sleep or Join in their names.
const SPINS: &str = "46.6 % of the CPU time (2,429.1 ms) is in waits and spins, above all in calls of LowLevelLifoSemaphore.Wait. ";
/// The cautions about the sample's CPU time.
const CAUTIONS: &[&str] = &[POLLS, SPINS];
/// The caution about the CPU time of some threads.
const IN_THREADS: &[&str] = &["of the CPU time (", "is in waits and spins"];
/// The caution about threads that only wait.
const WAITS: &str =
    "6 of 10 threads hardly do anything but wait, for 66.8 % of the wall time (47.988 s)";

// The sample is ../shared/data/net10/orderedconsume.nettrace. The numbers below were computed by Microsoft's TraceEvent
// 4.0: ../shared/data/expected/te/orderedconsume.json.

#[test]
fn info_describes_a_recording() {
    let info = json("info SAMPLE");
    let about = ["schema", "format", "kind"].map(|member| text(&info[member]));
    assert_eq!(about, ["dotspot.info/1", "nettrace", "sampling"]);
    assert_ends_with(text(&info["file"]), "js-ordered-consume.nettrace");
    // leaf times in the file converted by dotnet-trace, summed with Python: 561.489 of 5208.639 ms; 47,988.5 of 71,877 ms
    let warnings: Vec<&Value> = each(&info["warnings"]).collect();
    assert_eq!(warnings.len(), 3);
    for (warning, words) in warnings.iter().zip([POLLS, SPINS, WAITS]) {
        assert_starts_with(text(warning), words);
    }
    let metrics = [
        ("CPU", "ms", 5208.643),
        ("wall", "ms", 71877.142),
        ("samples", "count", 58835.0),
    ];
    assert_eq!(each(&info["metrics"]).count(), 3);
    for (metric, (name, unit, total)) in each(&info["metrics"]).zip(metrics) {
        assert_eq!((text(&metric["name"]), text(&metric["unit"])), (name, unit));
        near(&metric["total"], total);
    }
    let thread = row(&info["threads"], "id", "11049");
    assert_eq!(
        (each(&info["threads"]).count(), &thread["samples"]),
        (10, &6552.into())
    );
    near(&thread["metrics"]["CPU"], 366.549);
    near(&thread["metrics"]["wall"], 8006.798);
    assert!(number(&info["nodes"]) > 1000.0 && number(&info["methods"]) > 100.0);
    assert_eq!(row(&info["threads"], "name", "main")["id"], "11036");
    let text = fine(&["info", SAMPLE]);
    assert_contains_all(
        &text,
        &[
            "CPU 5.209 s, 2.429 s of it in waits and spins (default)",
            "Thread (11049)",
        ],
    );
}

#[test]
fn cautions_apply_to_the_printed_metric() {
    for command in ["hotspots", "tree"] {
        cautioned(&[command, SAMPLE], CAUTIONS);
        cautioned(&[command, SAMPLE, "--metric", "CPU"], CAUTIONS);
        cautioned(&[command, SAMPLE, "--metric", "wall"], &[WAITS]);
        fine(&[command, SAMPLE, "--metric", "samples"]);
        fine(&[command, SAMPLE, "--json"]);
    }
    fine(&["convert", SAMPLE]);
}

/// Compares with the number of nodes that an independent reader found in a dotTrace snapshot.
#[test]
fn nodes_are_counted_as_other_readers_do() {
    let path = present!(crate::common::shared("dtp/profile_multi.dtp"));
    let info = json(&format!("info {}", path.display()));
    let main = row(&info["threads"], "id", "1");
    assert_eq!((&info["nodes"], &main["nodes"]), (&357.into(), &177.into()));
    assert_eq!(each(&info["threads"]).count(), 14);
}

#[test]
fn hotspots_agree_with_trace_event() {
    let document = json("hotspots SAMPLE --top 0");
    assert_eq!(document["schema"], "dotspot.hotspots/1");
    assert_eq!(document["metric"]["name"], "CPU");
    near(&document["total"], 5208.643);
    let wait = row(&document["rows"], "display", "LowLevelLifoSemaphore.Wait");
    assert_eq!(
        wait["name"],
        "System.Private.CoreLib!System.Threading.LowLevelLifoSemaphore.Wait(int32,bool)"
    );
    near(&wait["inclusive"], 1243.011);
    near(&wait["exclusive"], 513.642);
    assert_eq!(wait["module"], "System.Private.CoreLib");
    assert!(wait["calls"].is_null() && number(&wait["samples"]) > 100.0);
    assert!(number(&wait["node_count"]) > 1.0);
    assert_starts_with(text(&wait["heaviest_node"]), "n");
    let exclusive = each(&document["rows"]).map(|row| number(&row["exclusive"]));
    assert!(exclusive.is_sorted_by(|a, b| a >= b), "hottest first");

    let wall = json("hotspots SAMPLE --metric WALL --by inclusive --top 3 --waiting");
    assert_eq!(
        displays(&wall),
        [
            "Thread.StartCallback",
            "PortableThreadPool.WorkerThread.WorkerThreadStart",
            "LowLevelLifoSemaphore.WaitForSignal"
        ]
    );
    near(&wall["rows"][2]["inclusive"], 20110.926);
    near(&wall["rows"][2]["exclusive"], 14107.571);
}

/// The display names of the rows of a list.
fn displays(document: &Value) -> Vec<&str> {
    each(&document["rows"])
        .map(|row| text(&row["display"]))
        .collect()
}

#[test]
fn hotspots_of_a_scope() {
    let thread = json("hotspots SAMPLE --thread 11049 --top 1");
    near(&thread["total"], 366.549);
    near(&thread["rows"][0]["exclusive"], 244.148);
    let name = ".MaybeAddWorkingWorker(class System.Threading.PortableThreadPool)";
    assert_ends_with(text(&thread["rows"][0]["name"]), name);
    let under = json("hotspots SAMPLE --under PriceRules.Evaluate");
    let all = json("hotspots SAMPLE --top 0");
    let evaluate = row(&all["rows"], "display", "PriceRules.Evaluate");
    // the sum over all occurrences
    near(&under["total"], number(&evaluate["inclusive"]));
    assert_eq!(under["rows"][0]["display"], "PriceRules.Discount");
    // a short name in different case
    near(
        &json("hotspots SAMPLE --under evaluate")["total"],
        number(&under["total"]),
    );
    let words = words("hotspots SAMPLE --under PriceRules.* --top 1");
    assert_starts_with(
        cautioned(&words, CAUTIONS),
        "All threads, under PriceRules.* (",
    );
}

#[test]
fn only_user_code_is_listed_on_request() {
    let names = |flags: &str| {
        let document = json(&format!("hotspots SAMPLE --only-user-code --top 0 {flags}"));
        assert!(each(&document["rows"]).all(|row| row["category"] == "user code"));
        displays(&document)
            .into_iter()
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let all = names("");
    assert_eq!(all[0], "PriceRules.Discount");
    assert!(
        all.len() > 10 && all.iter().all(|name| !name.starts_with("Thread.")),
        "{all:?}"
    );
    // exact names, and the reverse
    let rules = names("--not-user-code Acme.Orders.PriceRules");
    assert!(
        rules.len() < all.len() && rules.iter().all(|name| !name.starts_with("PriceRules.")),
        "{rules:?}"
    );
    let more = names("--user-code System.Threading");
    assert!(more.iter().any(|name| name == "Thread.StartCallback") && more.len() > all.len());
    let text = cautioned(&words("hotspots --only-user-code SAMPLE --top 1"), CAUTIONS);
    assert_starts_with(
        &text,
        "All threads: CPU 5,208.6 ms, by own + system, user code only\n",
    );
    let none = words("hotspots SAMPLE --only-user-code --not-user-code Acme");
    assert_contains(
        cautioned(&none, CAUTIONS),
        "(no user code here: --user-code PREFIX says",
    );
    for command in ["info", "hotspots", "methods", "tree", "export"] {
        let line = format!("{command} --user-code Acme --not-user-code=Acme.Vendored SAMPLE");
        let run = dotspot(&words(&line));
        assert_eq!(run.code, 0, "{}", run.err);
    }
}

#[test]
fn text_is_aligned_and_fits_the_width() {
    let wide = cautioned(&["hotspots", SAMPLE, "--top", "5"], CAUTIONS);
    let lines: Vec<&str> = wide.lines().collect();
    assert_eq!(lines.len(), 8, "{wide}");
    assert_eq!(
        lines[7], "(456 more methods: --top 0 lists all)",
        "info says 461"
    );
    assert_eq!(lines[0], "All threads: CPU 5,208.6 ms, by exclusive value");
    assert_starts_with(lines[2], "1,617.2  31.0");
    assert_ends_with(lines[2], "  PriceRules.Discount");
    let column = lines[2].find("PriceRules").unwrap();
    let is_aligned =
        |line: &&str| line.is_char_boundary(column) && &line[column - 2..column] == "  ";
    assert!(lines[2..7].iter().all(is_aligned), "{wide}");
    for command_name in ["hotspots", "info"] {
        let run = command(&[command_name, SAMPLE])
            .env("COLUMNS", "60")
            .output();
        let narrow = finish(run.unwrap()).out;
        let widths = narrow.lines().map(dotspot::testing::text::width);
        assert!(widths.max() <= Some(60), "{narrow}");
        assert_eq!(
            narrow.contains("\ncaution: "),
            command_name == "info",
            "{narrow}"
        );
    }
}

#[test]
fn tree_prints_the_significant_nodes() {
    let out = cautioned(&words("tree SAMPLE --depth 2 --min-percent 5"), CAUTIONS);
    assert_contains(&out, "    Thread.StartCallback\n");
    assert_ends_with(out.trim_end(), "more nodes: see --min-percent and --depth)");
    let tree = json("tree SAMPLE --depth 1 --min-percent 0");
    let rows: Vec<&Value> = each(&tree["rows"]).collect();
    assert_eq!((text(&tree["schema"]), rows.len()), ("dotspot.tree/1", 11));
    assert!(rows[0]["node"] == "n0" && number(&tree["left_out"]) > 1000.0);
    for row in &rows[1..] {
        assert_eq!(row["depth"], 1);
        assert_starts_with(text(&row["display"]), "Thread (");
    }
    near(&tree["total"], 5208.643);
    near(&tree["total"], sum(rows[1..].iter().copied(), "inclusive"));
    let run = dotspot(&["tree", SAMPLE, "--under", "PriceRules.Evaluate"]);
    assert_eq!(run.code, 0);
    assert_contains(&run.err, "in all; this is the heaviest, n");
    refused("tree SAMPLE --min-percent 101 | 2 | --min-percent | 0 to 100");
    // the same node by its id
    let label = run.err.split("the heaviest, ").nth(1).unwrap().trim_end();
    let by_node = cautioned(&["tree", SAMPLE, "--node", label], CAUTIONS);
    assert_eq!(by_node, run.out);
    refused(&format!(
        "tree SAMPLE --node {label} --under PriceRules.Evaluate | 2 | --node | --under"
    ));
}

#[test]
fn exports_can_be_reopened_and_never_overwrite_by_default() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("discount.json");
    let path = file.to_str().unwrap();
    let run = dotspot(&words(&format!(
        "export SAMPLE --method PriceRules.Discount -o {path}"
    )));
    assert_eq!((run.code, run.out.as_str()), (0, ""));
    assert_contains_all(&run.err, &["wrote", "discount.json (calltree): "]);
    let all = "all 37 occurrences of PriceRules.Discount as one tree; --heaviest-occurrence writes only the heaviest";
    assert!(run.err.contains(all), "{}", run.err);
    let before = fs::read(&file).unwrap();
    let exported = json(&format!("hotspots {path}"));
    assert_eq!(exported["rows"][0]["display"], "PriceRules.Discount");
    refused(&format!(
        "export SAMPLE -o {path} | 1 | discount.json already exists; choose another file"
    ));
    assert_eq!(fs::read(&file).unwrap(), before, "nothing was touched");
    // `info` does not count the root, which no source contains
    for command in ["export", "convert"] {
        let run = dotspot(&[command, SAMPLE, "-o", path, "--force"]);
        assert_eq!(run.code, 0);
        let nodes = number(&json("info SAMPLE")["nodes"]) as u64;
        let nodes = dotspot::testing::units::thousands(nodes);
        assert_contains(
            &run.err,
            format!("discount.json (calltree): {nodes} nodes, "),
        );
    }
    assert!(fs::metadata(&file).unwrap().len() > before.len() as u64);
    // a node by its id, as other commands show it
    let heaviest = json("hotspots SAMPLE --top 1")["rows"][0]["heaviest_node"].take();
    let run = dotspot(&["export", SAMPLE, "--node", text(&heaviest)]);
    assert!(run.out.starts_with("{") && run.out.contains("\"schema\":\"dotspot.call-tree/1\""));
    let one = "dotspot: this is one of 37 occurrences of PriceRules.Discount; --all-occurrences writes all as one tree\n";
    assert_eq!((run.code, run.err.as_str()), (0, one));
    refused("export SAMPLE --node n99999999 | 2 | --node n99999999 | no such node");
}

#[test]
fn read_only_formats_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for (name, extension) in [
        ("x.nettrace", ".nettrace"),
        ("x.NETTRACE.gz", ".nettrace"),
        ("x.xml", ".xml"),
        ("a.perfView.xml", ".perfView.xml"),
        ("a.perfview.json", ".perfView.json"),
        ("a.dtp", ".dtp"),
        ("a.cpuprofile", ".cpuprofile"),
    ] {
        let words = &[
            name,
            &format!(": {extension} is not the extension of a format that dotspot writes"),
            ".json (calltree)",
            ".speedscope.json",
        ];
        fails(&["convert", SAMPLE, "-o", &path(name)], 2, words);
        fails(&["export", SAMPLE, "-o", &path(name)], 2, words);
        assert!(!Path::new(&path(name)).exists());
    }
}

#[test]
fn several_threads_that_match_a_partial_name_are_listed() {
    let run = dotspot(&["hotspots", SAMPLE, "--thread", "1105"]);
    assert_starts_with(
        &run.err,
        "dotspot: 7 threads match 1105: Thread (11054) .NET pool, ",
    );
    let lines: Vec<&str> = run.err.lines().collect();
    assert!(
        lines.len() == 1 + IN_THREADS.len() && lines[0].ends_with(" and 2 more"),
        "{}",
        run.err
    );
    assert!(run.out.starts_with("7 of 10 threads: "), "{}", run.out);
    // no note for a single thread or an exact name
    cautioned(&["hotspots", SAMPLE, "--thread", "11054"], IN_THREADS);
    cautioned(&["hotspots", SAMPLE, "--thread", ".NET pool"], IN_THREADS);
}

/// A trace of one thread: 14 µs of `alpha`, 12 of them in `beta`.
const MICROSECONDS: &str = r#"[{"ph":"X","pid":1,"tid":1,"name":"alpha","ts":0,"dur":14},
    {"ph":"X","pid":1,"tid":1,"name":"beta","ts":1,"dur":12}]"#;

#[test]
fn a_short_trace_is_printed_in_microseconds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("short.json");
    fs::write(&path, MICROSECONDS).unwrap();
    let file = path.to_str().unwrap();
    let text = fine(&["hotspots", file]);
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(text.starts_with("All threads: time 14.0 µs,"), "{text}");
    assert_eq!(lines[1][..5], ["excl", "µs", "%", "incl", "µs"]);
    assert_eq!(lines[2][..3], ["12.0", "85.7", "12.0"]);
    assert!(
        fine(&["tree", file])
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("incl µs")
    );
    assert!(fine(&["info", file]).contains("time 14.0 µs"));
    let document = json(&format!("hotspots {file}"));
    assert_eq!(document["metric"]["unit"], "ms", "documents have one unit");
    assert_eq!(
        (&document["total"], &document["rows"][0]["exclusive"]),
        (&0.014.into(), &0.012.into())
    );
}

/// Times by thread according to `dotnet-trace convert`: the `CPU_TIME` of 11052, 11054 and 11056, summed with Python.
#[test]
fn threads_can_be_selected_and_merged() {
    let pool = |more: &str| {
        let args = [
            "hotspots",
            SAMPLE,
            "--json",
            "--top",
            "0",
            "--thread",
            ".net POOL",
        ];
        let out = dotspot(&[&args[..], &words(more)].concat()).out;
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let sums = [1251.729, 1464.517, 956.634];
    let chosen = pool("");
    // all three have this name, and each is rounded to microseconds
    let total = number(&chosen["total"]);
    assert!((total - sums.iter().sum::<f64>()).abs() < 0.002, "{total}");
    let merged = pool("--merge-threads");
    for (row, alone) in each(&merged["rows"]).zip(each(&chosen["rows"])) {
        for member in ["name", "inclusive", "exclusive", "samples"] {
            assert_eq!(row[member], alone[member]);
        }
    }
    let tree = |flags: &str| json(&format!("tree SAMPLE --depth 1 {flags}"));
    let (all, two) = (tree(""), tree("--thread 11054 --thread 11052"));
    assert_eq!(displays(&two)[0], "2 of 10 threads");
    assert_eq!(each(&two["rows"]).count(), 3);
    for (row, sum) in [(1, sums[1]), (2, sums[0])] {
        near(&two["rows"][row]["inclusive"], sum);
        // nodes keep their ids
        assert_eq!(two["rows"][row]["node"], all["rows"][row]["node"]);
    }
    let one = tree("--merge-threads");
    assert_eq!(
        (displays(&one)[0], &one["rows"][0]["depth"]),
        ("10 threads merged", &0.into())
    );
    near(&one["total"], 5208.643);
    // the number of the only process
    near(&tree("--process 11036")["total"], 5208.643);
    let info = json("info SAMPLE --thread 11049");
    assert_eq!(each(&info["threads"]).count(), 1);
    assert_eq!(info["threads"][0]["samples"], 6552);
    // no other threads are selected
    assert_lacks(info["warnings"].to_string(), "but wait");
    let line = words("hotspots SAMPLE --top 1 --thread 11054 --thread 11052");
    assert_starts_with(
        cautioned(&line, IN_THREADS),
        // 2,716.2 / 5,208.6
        "2 of 10 threads: CPU 2,716.2 ms (52.1 % of 5,208.6 ms in total), by exclusive value\n",
    );
}

#[test]
fn processes_can_be_selected_and_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fleet.json");
    let event = |pid: u64, tid: u64, ms: u64| {
        format!(r#"{{"ph":"X","pid":{pid},"tid":{tid},"name":"Run","ts":0,"dur":{ms}000}}"#)
    };
    let name = |pid: u64, name: &str| {
        format!(r#"{{"ph":"M","pid":{pid},"name":"process_name","args":{{"name":"{name}"}}}}"#)
    };
    let rows = [
        name(1, "web"),
        event(1, 11, 70),
        event(1, 12, 20),
        name(2, "web job"),
        event(2, 21, 40),
        event(3, 31, 5),
    ];
    fs::write(&file, format!("[{}]", rows.join(","))).unwrap();
    let file = file.to_str().unwrap();
    for (flags, total) in [
        ("--process 1", 90.0),
        ("--process web", 90.0),
        ("--process we", 130.0),
        ("--process JOB --process 3", 45.0),
        ("--process we --thread 12 --thread 21 --merge-threads", 60.0),
    ] {
        near(&json(&format!("hotspots {file} {flags}"))["total"], total);
    }
    refused(&format!("
        hotspots {file} --process db | 2 | --process db: no process has this name; the processes are Process (1) web, 
        hotspots {file} --process 1 --thread 21 | 2 | --thread 21: no thread has this name | (11) | (12)"));
    let info = json(&format!("info {file}"));
    for (process, (id, name, time)) in
        each(&info["processes"]).zip([(1, "web", 90.0), (2, "web job", 40.0), (3, "", 5.0)])
    {
        assert_eq!((&process["id"], text(&process["name"])), (&id.into(), name));
        near(&process["metrics"]["time"], time);
    }
    let owners: Vec<&Value> = each(&info["threads"])
        .map(|thread| &thread["process"])
        .collect();
    assert_eq!(owners, [1, 1, 2, 3]);
    let text = fine(&["info", file]);
    let table: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains("process, thread"))
        .collect();
    let names: Vec<&str> = table
        .iter()
        .filter_map(|line| Some(&line[line.find("0.0  ")? + 5..]))
        .collect();
    assert_eq!(
        names[..3],
        ["Process (1) web", "  Thread (11)", "  Thread (12)"],
        "{text}"
    );
}

#[test]
fn mistakes_are_explained_in_one_sentence() {
    refused(
        "
        hotspots no-such-file.json | 1 | no-such-file.json | no such file
        info no-such-file.dtp | 10 | no-such-file.dtp | stage input | no such file
        info src | 1 | src | folder
        info Cargo.toml | 1 | Cargo.toml | a text file | not a profile dotspot can read
        hotspots SAMPLE --metric joules | 2 | --metric joules | CPU, wall, samples",
    );
    let threads = &[
        "--thread 77: no thread has this name; the threads are Thread (11054) .NET pool, ",
        "Thread (11045)",
    ];
    fails(&["hotspots", SAMPLE, "--thread", "77"], 2, threads);
    refused("info SAMPLE --thread main --thread 77 | 2 | --thread 77");
    fails(
        &["hotspots", SAMPLE, "--thread", ""],
        2,
        &["--thread", "expected"],
    );
    refused("
        tree SAMPLE --process web | 2 | --process web: no process has this name; the process is 11036
        -v info SAMPLE | 2 | options come after the command: dotspot info
        methods SAMPLE --filter nosuchthing | 2 | --filter nosuchthing: no method matches
        hotspot SAMPLE | 2 | there is no command hotspot; did you mean `dotspot hotspots 
        export SAMPLE -o src --force | 1 | src is a folder
        hotspots SAMPLE --under PriceRules.Discuont | 2 | --under | nearest | PriceRules.Discount
        tree SAMPLE --node n99999999 | 2 | --node n99999999 | no such node
        export SAMPLE --method MoveNext | 2 | --method MoveNext is ambiguous: | give more of the name
        man - | 2 | -: a folder is needed
        hotspots SAMPLE --top many | 2 | --top");
    for command in [
        &["hotspots", SAMPLE, "b.dtp"][..],
        &["info", SAMPLE, "b.dtp"],
        &["tree", SAMPLE, "b.dtp", "c.dtp"],
    ] {
        fails(
            command,
            2,
            &[
                "unexpected argument b.dtp: only one profile can be opened; run the command for each",
            ],
        );
    }
    refused(
        "
        SAMPLE b.dtp | 2 | only one profile can be opened | b.dtp
        hotspots | 2 | FILE
        info SAMPLE --format excel | 2 | excel | nettrace | calltree
        info SAMPLE --format calltree | 1 | call-tree JSON | byte 0
         | 2 | needs a terminal | dotspot hotspots FILE
        export SAMPLE -o no/such/folder/x.json | 1 | no/such/folder/x.json can't be written",
    );
}

#[test]
fn packed_profiles_open_from_files_and_from_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let sample = fs::read(SAMPLE).unwrap();
    let packed = zip(&[
        ("a/one.nettrace", &sample),
        ("two.folded", b"a;b 3\n"),
        ("three.folded", b"a;b 4\n"),
    ]);
    let path = folder.path().join("several.zip");
    fs::write(&path, &packed).unwrap();
    let file = path.to_str().unwrap();
    // the recording is more certain than the texts
    let info = fine(&["info", file]);
    assert_contains_all(&info, &["nettrace", "zip archive (member a/one.nettrace)"]);
    assert!(
        fine(&["hotspots", file, "--member", "three.folded", "--json"]).contains("\"total\": 4,")
    );
    refused(&format!(
        "
        info {file} --format collapsed | 1 | equally likely | --member | two.folded, three.folded
        info {file} --member four | 1 | several.zip | no member four | a/one.nettrace
        info SAMPLE --member four | 1 | not a zip archive | --member four"
    ));
    for bytes in [packed, gzip(&sample)] {
        let mut child = command(&["info", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let run = finish(child.wait_with_output().unwrap());
        assert!(run.code == 0 && run.out.contains("inside"), "{}", run.out);
    }
}

#[test]
fn help_lists_exit_codes_and_formats() {
    let help = fine(&["--help"]);
    for word in [
        "hotspots",
        "Exit codes",
        "10  dotTrace, stage input",
        "piped input",
    ] {
        assert!(help.contains(word), "{word}: {help}");
    }
    assert!(fine(&["--version"]).starts_with("dotspot 0."));
    let formats = fine(&["formats"]);
    for format in ["dtp", "nettrace", "calltree", "perfscript", "collapsed"] {
        assert!(
            formats.lines().any(|line| line.starts_with(format)),
            "{format}: {formats}"
        );
    }
    assert_eq!(
        formats.matches("left out:").count(),
        dotspot::testing::importers::FORMATS.len()
    );
    assert!(formats.contains("gzip") && formats.contains("zip archives"));
    assert!(
        formats.lines().all(|line| line.chars().count() <= 100),
        "{formats}"
    );
    let first = "dtp          dotTrace snapshot: .dtp; also called dottrace\n             metrics: time with calls";
    assert_starts_with(&formats, first);
    assert_contains(
        &formats,
        "\n\nnettrace     dotnet-trace recording: .nettrace .netperf\n",
    );
    assert!(
        fine(&["keys"])
            .lines()
            .any(|line| line.starts_with("/ ") && line.contains("search"))
    );
}

#[test]
#[cfg(unix)]
fn an_unwritable_standard_error_is_not_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.json");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let args = [
        "export",
        SAMPLE,
        "--method",
        "PriceRules.Discount",
        "-o",
        file.to_str().unwrap(),
    ];
    assert_eq!(
        command(&args).stderr(full).status().unwrap().code(),
        Some(0)
    );
    assert!(file.exists());
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_reported_and_leaves_no_file() {
    if !Path::new("/dev/full").exists() {
        crate::common::skipped("this system has no /dev/full");
        return;
    }
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let commands = [
        &["convert", SAMPLE][..],
        &["hotspots", SAMPLE],
        &["--help"],
        &["tree", "--help"],
    ];
    for args in commands {
        let output = command(args).stdout(full()).output().unwrap();
        let run = finish(output);
        assert_eq!(run.code, 1, "{args:?}");
        let sentence = "standard output can't be written: no space left";
        assert_contains(run.err.to_lowercase(), sentence);
    }
}

#[test]
fn a_misspelled_command_alone_is_named() {
    let run = dotspot(&["hotspot"]);
    assert_eq!(run.code, 2);
    assert_contains(&run.err, "there is no file and no command hotspot");
}

#[test]
fn long_thread_names_are_truncated_in_text_but_not_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let (file, name) = (folder.path().join("a.trace.json"), "worker ".repeat(15_000));
    let text = format!(
        r#"{{"traceEvents":[{{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{{"name":"{name}"}}}},
        {{"ph":"X","name":"Run","pid":1,"tid":1,"ts":0,"dur":5}}]}}"#
    );
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let run = finish(command(&["info", file]).output().unwrap());
    let longest = run
        .out
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap();
    assert!(
        run.code == 0 && (200..400).contains(&longest),
        "{longest}: {}",
        &run.out[..500]
    );
    let run = finish(command(&["info", "--json", file]).output().unwrap());
    assert!(run.out.contains(name.trim_end()), "truncated in JSON");
}

/// Names in a file can contain terminal control sequences.
#[test]
fn hostile_names_are_escaped_in_text_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("evil\u{1b}[31m.json");
    let evil = "Acme.\\u001b]52;c;ZXZpbA==\\u0007\\u009b2J\\u202eRun";
    let text = format!(
        r#"{{"schema":"dotspot.call-tree/1","snapshot":{{"payload_type":"tracing","warnings":["{evil}"]}},"call_tree":
        {{"id":"0","name":"{evil}","kind":"root","inclusive_time":2,"exclusive_time":0,"call_count":0,"children":[
        {{"id":"1","name":"{evil}","thread_name":"{evil}","kind":"thread","inclusive_time":2,"exclusive_time":0,"call_count":1,"children":[
        {{"id":"2","name":"{evil}","kind":"method","inclusive_time":2,"exclusive_time":2,"call_count":1,"children":[]}}]}}]}}}}"#
    );
    fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    let out = folder.path().join("out\u{1b}[31m.json");
    let all: &[&[&str]] = &[
        &["info", path],
        &["info", path, "--json"],
        &["hotspots", path],
        &["hotspots", path, "--json"],
        &["hotspots", path, "--under", "nope\u{1b}[2J"],
        &["tree", path],
        &["tree", path, "--json"],
        &["convert", path],
        &["export", path, "-o", "no/such\u{1b}folder"],
        &["export", path, "-o", out.to_str().unwrap()],
    ];
    for args in all {
        let run = dotspot(args);
        for (stream, text) in [("out", &run.out), ("err", &run.err)] {
            let hostile: Vec<char> = text
                .chars()
                .filter(|&c| c != '\n' && dotspot::testing::text::is_hostile(c))
                .collect();
            assert!(
                hostile.is_empty(),
                "{args:?}, standard {stream}: {hostile:?} in {text:?}"
            );
        }
        assert!(
            run.out.contains("Acme.") || run.code != 0 || run.err.contains("wrote"),
            "{args:?}: {}",
            run.out
        );
    }
}

/// The numbers are from `net10/README.md`: 4191 stacks of 100 frames, of which 12 are complete. 1801 of 6028 ms in the
/// thread mixed are below the true root.
#[test]
fn truncated_stacks_are_repaired_unless_disabled() {
    let path = present!(crate::common::shared("net10/deepstacks-mutual.nettrace"));
    let file = path.to_str().unwrap();
    let info = fine(&["info", "--truncation", file]);
    assert_starts_with(
        &info,
        "4,179 of 15,189 samples (27.5 %) truncated at 100 frames: all of them are repaired",
    );
    assert_contains(&info, "Inclusive wall that the repair changed most");
    let document = json(&format!("info --truncation {file}"));
    assert_eq!(document["schema"], "dotspot.truncation/1");
    assert_eq!(document["limit"], 100);
    let thread = row(&document["threads"], "id", "10904");
    let all = &document["total"];
    assert!(
        [thread, all]
            .iter()
            .any(|row| row["truncated"]["samples"] == 4179)
    );
    let start = |flags: &str| {
        let line = format!("hotspots --metric wall --thread 10904 --top 0 {file} {flags}");
        let document = json(&line);
        let is_start =
            |row: &&Value| text(&row["name"]).ends_with("!System.Threading.Thread.StartCallback()");
        number(&each(&document["rows"]).find(is_start).unwrap()["inclusive"]).round()
    };
    assert_eq!((start(""), start("--no-repair")), (6028.0, 1801.0));
    assert_contains(
        dotspot(&["tree", "--no-repair", file]).out,
        "[truncated at 100 frames]",
    );
    assert_contains(
        fine(&["info", "--truncation", SAMPLE]),
        "No truncated stacks were found that can be repaired.",
    );
    refused(&format!(
        "info --truncation --no-repair {file} | 2 | --no-repair"
    ));
}

/// The numbers of the thread irregular are those of `truth.json` and of the same file's reader in `net10/README.md`.
#[test]
fn truncation_is_reported_for_the_selected_threads() {
    let path = present!(crate::common::shared("net10/deepstacks-cycle.nettrace"));
    let file = path.to_str().unwrap();
    let info = |threads: &[&str]| fine(&[&["info", "--truncation", file], threads].concat());
    let irregular = info(&["--thread", "10978"]);
    assert_starts_with(
        &irregular,
        "2,774 of 3,946 samples (70.3 %) truncated at 100 frames: ",
    );
    assert_lacks(&irregular, "(10977)");
    assert_lacks(&irregular, "all threads");
    assert!(irregular.contains("Walker.Run"), "{irregular}");
    assert_eq!(
        info(&["--thread", "main"]),
        "No stack of these threads is truncated; the limit is 100 frames.\n"
    );
    assert!(info(&["--merge-threads"]).starts_with("5,599 of 11,951 samples (46.8 %) truncated"));
    // so does the warning
    let warned = |threads: &[&str]| fine(&[&["info", file], threads].concat());
    assert!(warned(&[]).contains("5,599 of 11,951 samples"));
    assert!(warned(&["--thread", "10978"]).contains("2,774 of 3,946 samples"));
    assert!(!warned(&["--thread", "main"]).contains("truncated at"));
    // unrepaired exports are recognized as truncated in any format
    for format in ["calltree", "collapsed"] {
        let written = dotspot(&["convert", "--no-repair", "--to", format, file]).out;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("written.json");
        std::fs::write(&path, written).unwrap();
        let text = fine(&["info", "--truncation", path.to_str().unwrap()]);
        assert_contains(
            &text,
            "(70.9 %) are below stacks that the file marks as truncated",
        );
    }
}

/// Stacks without names can't be repaired, but their truncation is reported.
#[test]
fn truncated_stacks_without_names_are_reported() {
    let path = present!(crate::common::shared("nettrace/norundown31.nettrace"));
    let text = fine(&["info", "--truncation", path.to_str().unwrap()]);
    assert_contains_all(&text, &["that can be repaired", "none of which has a name"]);
}
