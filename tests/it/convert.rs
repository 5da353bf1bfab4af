//! `dotspot convert` and `dotspot export` to every format: exit codes, both output streams, files.

use crate::common::json::{each, json, number, row, text};
use crate::common::profiles::open_file;
use crate::common::run::{SAMPLE, command, fails, refused, words};
use crate::common::text::{assert_contains_all, assert_lacks};
use dotspot::testing::exporters::EXPORTERS;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::sync::LazyLock;

/// Standard output and the lines of standard error of a successful run.
#[track_caller]
fn fine(args: &[&str]) -> (Vec<u8>, Vec<String>) {
    let output = command(args).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {err}");
    (output.stdout, err.lines().map(String::from).collect())
}

fn hotspots(path: &str, flags: &str) -> Value {
    json(&format!("hotspots {path} --top 0 {flags}"))
}

#[track_caller]
fn assert_near(copy: &Value, source: &Value, scale: f64, what: &str) {
    let (copy, source) = (number(copy), number(source) * scale);
    // methods of the sample have a few hundred subtrees, each less than a microsecond off in collapsed stacks
    let max = if scale > 1.0 { 300.0 } else { 1e-6 };
    assert!((copy - source).abs() < max, "{what}: {source} and {copy}");
}

/// Converts the sample to a file of this name. Standard error must describe it, and it must be recognized as this format.
#[track_caller]
fn check_name(file: &str, more: &[&str], format: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file);
    let path = path.to_str().unwrap();
    let (out, err) = fine(&[&["convert", SAMPLE, "-o", path], more].concat());
    assert_eq!(out, b"", "{file}");
    assert_contains_all(err.last().unwrap(), &["wrote ", "2,419 nodes"]);
    assert_eq!(json(&format!("info {path}"))["format"], format, "{file}");
    let is_packed = fs::read(path).unwrap().starts_with(b"\x1f\x8b");
    let should_be = file.ends_with(".gz") || format == "pprof";
    assert_eq!(is_packed, should_be, "{file}");
    // collapsed stacks contain microseconds without a unit, and threads as frames
    static SOURCE: LazyLock<Value> = LazyLock::new(|| hotspots(SAMPLE, ""));
    let (source, copy) = (&*SOURCE, hotspots(path, ""));
    let scale = if format == "collapsed" { 1e3 } else { 1.0 };
    assert_near(&copy["total"], &source["total"], scale, file);
    // not all formats preserve what is waiting, which is listed last
    for one in each(&source["rows"]).take(5) {
        let name = text(&one["name"]);
        let twin = row(&copy["rows"], "name", name);
        for member in ["exclusive", "inclusive"] {
            assert_near(&twin[member], &one[member], scale, name);
        }
    }
}

#[test]
fn the_extension_selects_the_format_unless_to_does() {
    for (file, format) in [
        ("a.json", "calltree"),
        ("a.speedscope.json.gz", "speedscope"),
        ("a.chromium.json", "trace-event"),
        ("a.folded", "collapsed"),
        ("a.pb.gz", "pprof"),
    ] {
        check_name(file, &[], format);
    }
    check_name("a.json", &["--to", "chromium"], "trace-event");
}

#[test]
fn losses_are_listed_in_one_line() {
    let (out, err) = fine(&["convert", SAMPLE, "--to", "speedscope"]);
    assert!(out.starts_with(b"{\"$schema\":") && out.ends_with(b"]}\n"));
    assert_eq!(
        err,
        ["dotspot: speedscope can't hold: metrics other \
             than the chosen one (--metric chooses); the metric's name; that the metric is CPU time (methods that wait are taken to wait, not to spin, which \
             changes shares); calls and samples; how the profile was recorded; which frames are not methods",]
    );
    let (out, err) = fine(&["convert", SAMPLE, "--to", "pprof"]);
    assert!(out.starts_with(b"\x1f\x8b"));
    assert_eq!(
        err,
        [
            "dotspot: pprof can't hold: calls, and how many samples each metric has; which frames are not methods"
        ]
    );
    // CPU and wall have other numbers of samples, and one column can't hold both
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pb.gz");
    std::fs::write(&path, &out).unwrap();
    let copy = open_file(&path).unwrap();
    let metrics = &copy.recording.metrics;
    assert!(metrics.len() == 3 && metrics.iter().all(|metric| metric.counts.is_none()));
    let mut unpacked = Vec::new();
    GzDecoder::new(&out[..]).read_to_end(&mut unpacked).unwrap();
    // nothing follows the compressed bytes
    assert!(unpacked.len() > out.len());
    let (_, err) = fine(&["convert", SAMPLE]);
    assert!(err.is_empty(), "{err:?}");
    let (out, err) = fine(&words("convert SAMPLE --to collapsed --metric samples"));
    let out = String::from_utf8(out).unwrap();
    let count = |line: &str| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    // all samples of the recording, as in ../shared/data/expected/te/orderedconsume.json
    assert_eq!(out.lines().map(count).sum::<u64>(), 58_835);
    // readers expect samples
    assert_lacks(err.join("\n"), "values are");
}

#[test]
fn an_unknown_extension_is_a_usage_error_that_lists_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.txt", "a.jsn", "a.speedscope", "a.txt.gz"] {
        let path = folder.path().join(name);
        let words = [
            name,
            "not the extension of a format",
            ".json (calltree)",
            ".pb.gz .pprof .pb (pprof)",
            "--to",
        ];
        for command in ["convert", "export"] {
            fails(&[command, SAMPLE, "-o", path.to_str().unwrap()], 2, &words);
        }
        assert!(!path.exists());
    }
}

#[test]
fn mistakes_are_explained() {
    let names: Vec<&str> = EXPORTERS.iter().map(|exporter| exporter.name).collect();
    fails(
        &["convert", SAMPLE, "--to", "perfscript"],
        2,
        &[&["--to", "perfscript"], &names[..]].concat(),
    );
    fails(&["export", SAMPLE, "--to", ""], 2, &["--to"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.speedscope.json");
    fs::write(&path, "mine").unwrap();
    let path = path.to_str().unwrap();
    refused(&format!(
        "convert SAMPLE -o {path} | 1 | already exists; choose another file"
    ));
    assert_eq!(fs::read(path).unwrap(), b"mine");
    let (_, err) = fine(&["convert", SAMPLE, "-o", path, "--force"]);
    assert!(err.last().unwrap().contains("(speedscope)"), "{err:?}");
    refused(
        "
        convert SAMPLE --to pprof -o no/such/folder.pb.gz | 1 | can't be written
        convert SAMPLE --to pprof --metric watts | 2 | watts",
    );
}

/// With 60,000 nested stacks nothing is written, and the error suggests another format.
#[test]
fn profiles_too_large_for_a_format_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out, json] =
        ["deep.speedscope.json", "deep.folded", "deep.json"].map(|name| folder.path().join(name));
    let opens = (0..60_000).map(|at| format!(r#"{{"type":"O","frame":0,"at":{at}}}"#));
    let closes = (0..60_000).map(|_| r#"{"type":"C","frame":0,"at":60000}"#.to_string());
    let events: Vec<String> = opens.chain(closes).collect();
    let (name, events) = ("x".repeat(100), events.join(","));
    let text = format!(
        r#"{{"shared":{{"frames":[{{"name":"{name}"}}]}},"profiles":[{{"type":"evented","name":"t","unit":"none","startValue":0,"endValue":60000,"events":[{events}]}}]}}"#
    );
    fs::write(&file, text).unwrap();
    let (file, path) = (file.to_str().unwrap(), out.to_str().unwrap());
    // 101 bytes times 60,000 * 60,001 / 2
    refused(&format!(
        "convert {file} -o {path} | 1 | --to collapsed | 60,000 stacks | 181.8 GB | 16.0 GB | speedscope"
    ));
    assert!(!out.exists());
    fine(&["convert", file, "-o", json.to_str().unwrap()]);
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_success_in_every_format() {
    for exporter in EXPORTERS {
        let script = format!(
            "\"$0\" convert {SAMPLE} --to {} | head -c 10 >/dev/null; exit ${{PIPESTATUS[0]}}",
            exporter.name
        );
        let mut command = std::process::Command::new("bash");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_dotspot")]);
        let run = command.output().unwrap();
        assert_eq!(run.status.code(), Some(0), "{}", exporter.name);
    }
}

#[test]
fn help_and_formats_match_the_table() {
    let (help, _) = fine(&["convert", "--help"]);
    let (formats, _) = fine(&["formats"]);
    let [help, formats] = [help, formats].map(|text| String::from_utf8(text).unwrap());
    let (_, written) = formats.split_once("Written by").unwrap();
    for exporter in EXPORTERS {
        assert_contains_all(&help, &[exporter.name]);
        assert_contains_all(written, &[format!("\n{}", exporter.name)]);
    }
    assert_eq!(written.matches("can't hold: ").count(), EXPORTERS.len());
    for names in ["trace-event (chromium, chrome)", "collapsed (folded)"] {
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        // `--format` and `--to`
        assert_eq!(help.matches(names).count(), 2, "{names}: {help}");
    }
}

#[test]
fn convert_applies_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let path = path.to_str().unwrap();
    fine(&words(&format!(
        "convert SAMPLE --drop PriceRules.Discount -o {path}"
    )));
    let written = hotspots(path, "");
    let shown = hotspots(SAMPLE, "--drop PriceRules.Discount");
    assert_eq!(written["total"], shown["total"]);
    assert_lacks(written["rows"].to_string(), "Discount");
    refused(
        "
        convert SAMPLE --step inverted | 2 | dotspot export --inverted
        convert SAMPLE --repair --focus x | 2 | --repair",
    );
}
