//! Every JSON document that dotspot writes conforms to its schema in `assets/schema`: all commands, on real files of each format.

use crate::common::profiles;
use crate::common::report_writer::report_of;
use crate::common::schema;
use crate::common::shared;
use dotspot::testing::importers::FORMATS;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Files of every format. All are read without options, the first of each format also with options.
const SHARED: &[&str] = &[
    "nettrace/v6-onecollect.nettrace",
    "etl/gcevents.etl.zip",
    "collapsed/simple-with-invalids.txt",
    "perf-data/packed.perf.data",
    "perf-data/packed.perf-script.txt.gz",
    "perf-script/dotnet31.perf-script.txt.gz",
    "perfview-xml/perf.strace.perfview.xml",
    "speedscope/0.6.0/two-sampled.speedscope.json",
    "speedscope/invalid/incomplete-trace.json",
    "trace-event/multi-thread-with-samples.json",
    "firefox/processed-3.json",
];

/// A V8 profile as saved by its tools.
const CPUPROFILE: &str = r#"{"nodes":[
    {"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"children":[2]},
    {"id":2,"callFrame":{"functionName":"main","scriptId":"7","url":"file:///shop/price.js","lineNumber":4,"columnNumber":2},"children":[3]},
    {"id":3,"callFrame":{"functionName":"tax","scriptId":"7","url":"file:///shop/price.js","lineNumber":9,"columnNumber":2}}],
    "startTime":0,"endTime":3000,"samples":[2,2,3],"timeDeltas":[1000,1000,1000]}"#;

/// A call tree whose counts have no stated meaning.
const UNKNOWN_COUNTS: &str = r#"{"call_tree":{"name":"all","kind":"root","inclusive_time":3,"exclusive_time":0,"call_count":7,"children":[
    {"name":"Thread 1","kind":"thread","inclusive_time":3,"exclusive_time":0,"call_count":7,"children":[
    {"name":"tax","inclusive_time":3,"exclusive_time":3,"call_count":7,"signature":"(int)","children":[]}]}]}}"#;

/// Spans of two processes.
const PROCESSES: &str = r#"{"traceEvents":[{"ph":"X","pid":1,"tid":7,"name":"Main","ts":0,"dur":4000},
    {"ph":"X","pid":2,"tid":7,"name":"Main","ts":1000,"dur":1000}]}"#;

/// The member names found in documents at any depth, by schema.
#[derive(Default)]
struct Members(BTreeMap<String, BTreeSet<String>>);

impl Members {
    /// Checks a document against its schema and adds its member names.
    fn check(&mut self, text: &str, what: &str) -> Value {
        let (name, document) = schema::check(text, what);
        collect_members(&document, self.0.entry(name).or_default());
        document
    }

    /// Runs the commands in these lines, replacing the words listed in `names`.
    fn run_all(&mut self, lines: &str, names: &[(&str, &str)], home: &Path) {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let named = |word| {
                names
                    .iter()
                    .find(|(name, _)| *name == word)
                    .map_or(word, |(_, text)| *text)
            };
            let args: Vec<&str> = line.split_whitespace().map(named).collect();
            self.run(&args, home);
        }
    }

    /// Runs a command and checks the document it prints, which may be that of an error.
    fn run(&mut self, args: &[&str], home: &Path) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
        command.env("DOTSPOT_CONFIG", "");
        command
            .args(args)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::null())
            .env("DOTSPOT_CACHE", "always");
        for folder in ["HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"] {
            command.env(folder, home);
        }
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        // failing to write a file prints no document, because JSON was not requested
        if !output.status.success() && !args.contains(&"--json") {
            assert_eq!(output.stdout.len(), 0, "{args:?}");
            return Value::Null;
        }
        self.check(
            &String::from_utf8(output.stdout).unwrap(),
            &format!("{args:?}, with stderr {errors:?},"),
        )
    }
}

fn collect_members(document: &Value, names: &mut BTreeSet<String>) {
    let mut open = vec![document];
    while let Some(next) = open.pop() {
        match next {
            Value::Object(object) => {
                names.extend(object.keys().cloned());
                open.extend(object.values());
            }
            Value::Array(rows) => open.extend(rows),
            _ => {}
        }
    }
}

/// All member names in a schema.
fn members_of_schema(schema: &Value) -> BTreeSet<String> {
    let (mut names, mut open) = (BTreeSet::new(), vec![schema]);
    while let Some(next) = open.pop() {
        match next {
            Value::Object(object) => {
                let properties = object.get("properties").and_then(Value::as_object);
                names.extend(
                    properties
                        .into_iter()
                        .flat_map(|properties| properties.keys().cloned()),
                );
                open.extend(object.values());
            }
            Value::Array(rows) => open.extend(rows),
            _ => {}
        }
    }
    names
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// The shared files, the bundled ones, and small ones of formats that have no others.
fn files(folder: &Path) -> Vec<PathBuf> {
    let small = profiles::read_bytes(
        "a.folded",
        b"main;Shop.Price;Shop.Tax 30\nmain;Shop.Log 10\n".to_vec(),
    )
    .unwrap();
    let report = report_of(&small, 0, |view, frame| view.frames.name(frame).to_string());
    let bundled = [
        "js-ordered-consume.nettrace",
        "js-ordered-consume.dtp",
        "two-threads.pb",
    ];
    let mut files: Vec<PathBuf> = SHARED.iter().filter_map(|path| shared(path)).collect();
    files.extend(bundled.map(|name| PathBuf::from("snapshots").join(name)));
    files.push(write(folder, "a.cpuprofile", CPUPROFILE.as_bytes()));
    files.push(write(folder, "a.report.xml", report.as_bytes()));
    files.push(write(folder, "counted.json", UNKNOWN_COUNTS.as_bytes()));
    files.push(write(folder, "processes.json", PROCESSES.as_bytes()));
    files
}

/// Runs the commands that apply to every file.
fn run_basics(file: &str, folder: &Path, seen: &mut Members) -> (Value, String) {
    let info = seen.run(&["info", file, "--json"], folder);
    let hotspots = seen.run(&["hotspots", file, "--json", "--top", "60"], folder);
    let method = hotspots["rows"]
        .as_array()
        .and_then(|rows| rows.get(rows.len() / 3));
    let method = method
        .map_or("none", |row| row["name"].as_str().unwrap())
        .to_string();
    seen.run_all(
        "
        info FILE --json --truncation
        methods FILE --json --limit 40
        tree FILE --json
        callers FILE METHOD --json
        callers FILE METHOD --json --user
        waits FILE --json
        timeline FILE --json --phases --buckets 7
        callees FILE METHOD --json --depth 1
        report FILE --json
        convert FILE",
        &[("FILE", file), ("METHOD", &method)],
        folder,
    );
    (info, method)
}

/// Runs commands that change the shape of documents. If one does not apply, it prints the document of an error.
fn run_more(file: &str, info: &Value, method: &str, folder: &Path, seen: &mut Members) {
    let thread = info["threads"][0]["name"].as_str().unwrap_or("1");
    let tree = seen.run(
        &["tree", file, "--json", "--depth", "4", "--min-percent", "0"],
        folder,
    );
    let node = tree["rows"]
        .as_array()
        .and_then(|rows| rows.last())
        .map_or("n0", |row| row["node"].as_str().unwrap());
    let metric = info["metrics"].as_array().unwrap().last().unwrap()["name"]
        .as_str()
        .unwrap();
    let sets: &[&[&str]] = &[
        &["--from", "10%", "--until", "60%"],
        &["--thread", thread],
        &["--merge-threads"],
        &["--no-repair"],
        &["--metric", metric],
        &["--waiting"],
        &["--no-waiting"],
        &["--drop", method],
        &["--fold", "plumbing"],
        &["--fold", "system", "--fold-recursion", "all"],
        &["--group", "type"],
        &["--step", "inverted"],
    ];
    let commands: [&[&str]; 4] = [
        &["hotspots", file],
        &["methods", file],
        &["tree", file],
        &["callers", file, method],
    ];
    // all of these start the same way, so each of these arguments is tested with one of the commands per format
    for (set, command) in sets.iter().zip(commands.iter().cycle().skip(seen.0.len())) {
        seen.run(&[command, *set, &["--json"]].concat(), folder);
    }
    seen.run_all(
        "
        info FILE --json --from 10%
        hotspots FILE --json --under METHOD --only-user-code
        hotspots FILE --json --group namespace
        methods FILE --json --group module --limit 2
        tree FILE --json --under METHOD --depth 2
        tree FILE --json --inverted --min-percent 0
        tree FILE --json --inverted --depth 5 --under METHOD
        callees FILE METHOD --json --metric METRIC
        notes FILE --json
        report FILE --json --method METHOD --question explain --raw-names --budget 20000
        report FILE --json --from 10% --fold-recursion direct --budget 400
        report FILE --json --node NODE
        report FILE --json --thread THREAD
        export FILE --method METHOD
        export FILE --method METHOD --heaviest-occurrence --metric METRIC
        export FILE --inverted
        export FILE --drop METHOD --fold system
        convert FILE --thread THREAD --from 10%
        convert FILE --merge-threads --no-repair",
        &[
            ("FILE", file),
            ("METHOD", method),
            ("THREAD", thread),
            ("METRIC", metric),
            ("NODE", node),
        ],
        folder,
    );
}

/// Runs commands on no profile, or on more than one.
fn run_others(folder: &Path, seen: &mut Members) {
    let shop = write(folder, "shop.json", UNKNOWN_COUNTS.as_bytes());
    let shop = shop.to_str().unwrap();
    let threads = (1..99)
        .map(|id| format!(r#"{{"ph":"X","pid":{id},"tid":7,"name":"Main","ts":0,"dur":4000}}"#));
    let many_processes = format!(
        r#"{{"traceEvents":[{}]}}"#,
        threads.collect::<Vec<_>>().join(",")
    );
    let many_processes = write(folder, "many.trace.json", many_processes.as_bytes());
    // compiler-generated names, numbered differently after the change
    let compiled = [
        ("before.folded", "Acme!Acme.A+<>c.<B>b__1_0() 3\n"),
        (
            "after.folded",
            "Acme!Acme.A+<>c.<B>b__2_0() 2\nAcme!Acme.A+<>c.<B>b__2_1() 1\n",
        ),
    ];
    let compiled = compiled.map(|(name, text)| {
        write(folder, name, text.as_bytes())
            .to_str()
            .unwrap()
            .to_string()
    });
    let note = "why so often? ".repeat(60);
    let status = Command::new(env!("CARGO_BIN_EXE_dotspot"))
        .args(["notes", shop, "tax", &note])
        .status()
        .unwrap();
    assert!(status.success());
    seen.check(
        &fs::read_to_string(format!("{shop}.dotspot.json")).unwrap(),
        "the notes next to the profile",
    );
    // a note stored in the profile
    let annotated = folder.join("noted.json");
    let annotated = annotated.to_str().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_dotspot"))
        .args(["export", shop, "-o", annotated])
        .status()
        .unwrap();
    assert!(status.success());
    seen.run_all(
        "
        notes SHOP --json
        notes NOTED --json
        methods NOTED --json --limit 0
        report SHOP --json
        report NOTED --json
        report SHOP --json --budget 300
        convert SHOP
        info snapshots/js-ordered-consume.nettrace --json --budget 900
        info MANY --json --budget 900
        callers snapshots/js-ordered-consume.nettrace PriceRules.Discount --json --budget 900
        callees snapshots/js-ordered-consume.nettrace PriceRules.Discount --json --budget 900
        compare snapshots/js-ordered-consume.nettrace snapshots/two-threads.pb --json
        compare snapshots/js-ordered-consume.nettrace SHOP --json --metric none
        compare snapshots/js-ordered-consume.dtp SHOP --json --top 0
        compare snapshots/js-ordered-consume.dtp SHOP --json --only-user-code
        compare snapshots/js-ordered-consume.dtp SHOP --json --tree
        compare snapshots/js-ordered-consume.dtp snapshots/js-ordered-consume.nettrace --json --drop Discount
        compare BEFORE AFTER --json --per total --by inclusive
        doctor --json
        doctor snapshots/js-ordered-consume.dtp --json --cross-check
        doctor snapshots/two-threads.pb --json
        ps --json
        cache --json
        cache --json --clear",
        &[("SHOP", shop), ("NOTED", annotated), ("MANY", many_processes.to_str().unwrap()), ("BEFORE", &compiled[0]), ("AFTER", &compiled[1])],
        folder,
    );
    for name in ["dtp/Issue254.dtp", "dtp/profile_multi.dtp"] {
        if let Some(file) = shared(name) {
            seen.run(&["doctor", file.to_str().unwrap(), "--json"], folder);
        }
    }
    // it has garbage collections
    if let Some(file) = shared("nettrace/short31.nettrace") {
        seen.run(&["timeline", file.to_str().unwrap(), "--json"], folder);
    }
}

#[test]
fn all_documents_conform_to_their_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let (mut seen, mut formats) = (Members::default(), BTreeSet::new());
    for file in files(folder.path()) {
        let file = file.to_str().unwrap();
        let (info, method) = run_basics(file, folder.path(), &mut seen);
        let format = info["format"]
            .as_str()
            .unwrap_or_else(|| panic!("{file} opens"))
            .to_string();
        if formats.insert(format) {
            run_more(file, &info, &method, folder.path(), &mut seen);
        }
    }
    run_others(folder.path(), &mut seen);
    let all: BTreeSet<&str> = FORMATS.iter().map(|format| format.name).collect();
    let is_complete = crate::common::shared_folder().is_some();
    assert!(
        !is_complete || formats.iter().map(String::as_str).eq(all),
        "only these formats were tested: {formats:?}"
    );
    for (name, schema) in schema::texts() {
        let parts = ["common-1", "diagnostics-1"];
        let Some(found) = seen.0.get(&name) else {
            assert!(
                parts.contains(&name.as_str()),
                "no command writes what assets/schema/{name}.json describes"
            );
            continue;
        };
        // the tests of doctor check its results with other decoders against the schema, those of recording check
        // processes
        if ["doctor-1", "processes-1"].contains(&name.as_str()) {
            continue;
        }
        let mut missing = members_of_schema(&schema);
        missing.retain(|member| !found.contains(member));
        assert!(
            missing.is_empty() || !is_complete,
            "{name}: no document has {missing:?}"
        );
    }
}

/// Objects that allowed unknown members would let new ones pass unnoticed.
#[test]
fn schemas_are_closed_and_identify_themselves() {
    for (name, schema) in schema::texts() {
        assert_eq!(
            schema["$id"],
            format!("urn:dotspot:schema:{name}"),
            "{name}"
        );
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2020-12/schema",
            "{name}"
        );
        let document = schema["properties"]["schema"]["const"].as_str();
        assert!(
            document.is_none_or(|document| schema["title"] == document),
            "{name}"
        );
        assert!(
            document.is_none_or(|document| document.replace('/', "-") == format!("dotspot.{name}")),
            "{name}"
        );
        if let Some(closed) = schema
            .get("additionalProperties")
            .or(schema.get("unevaluatedProperties"))
        {
            assert_eq!(*closed, false, "{name}");
        }
        assert!(
            schema.get("description").is_some() || name == "common-1",
            "{name}"
        );
    }
}

#[test]
fn members_missing_from_the_schema_are_refused() {
    #[track_caller]
    fn check(text: &str) {
        let panic = std::panic::catch_unwind(|| schema::check(text, "it"))
            .expect_err("invalid JSON is refused");
        assert!(
            panic.downcast_ref::<String>().unwrap().contains("surplus"),
            "{text}"
        );
    }
    check(r#"{"schema":"dotspot.notes/1","notes":[],"surplus":1}"#);
    check(r#"{"schema":"dotspot.notes/1","notes":[{"method":"a","note":"b","surplus":1}]}"#);
    let head = r#""kind":"sampling","metric":{"name":"CPU","unit":"ms"},"total":1,"waiting_total":0,"counts_waiting":true"#;
    check(&format!(
        r#"{{"schema":"dotspot.method-notes/1",{head},"rows":[],"surplus":1}}"#
    ));
    let row = r#"{"node":"n0","depth":0,"name":"a","display":"a","kind":"method","inclusive":1,"exclusive":1,"waiting":0,"calls":null,"samples":1,"standard_error":null,"surplus":1}"#;
    check(&format!(
        r#"{{"schema":"dotspot.tree/1",{head},"rows":[{row}],"left_out":0,"diagnostics":[]}}"#
    ));
}
