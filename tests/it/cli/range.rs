//! Time ranges on the command line. Expected numbers come from an independent program:
//! ../shared/data/expected/views/orderedconsume.json; a range ends where the next one starts.

use super::{SAMPLE, dotspot, fails, fine, refused, words};
use crate::common::json::{each, json, near, number, row};
use crate::common::shared;
use crate::common::text::{assert_contains, assert_lacks, assert_starts_with};
use std::fs;

/// Total CPU time before 2 s, from there to 4.5 s, and after that.
const TOTALS_MS: [f64; 3] = [1397.422, 1420.268, 2390.953];

/// The output of a successful run, ignoring cautions.
#[track_caller]
fn text(args: &[&str]) -> String {
    let run = dotspot(args);
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    run.out
}

#[test]
fn ranges_agree_with_an_independent_program() {
    let part = json("hotspots SAMPLE --top 0 --from 2s --until 4500ms");
    near(&part["total"], TOTALS_MS[1]);
    let wait = row(&part["rows"], "display", "LowLevelLifoSemaphore.Wait");
    near(&wait["inclusive"], 388.521);
    near(&wait["exclusive"], 171.791);
    let info = json("info SAMPLE --from 2s --until 4.5s");
    let thread = row(&info["threads"], "id", "11049");
    assert_eq!(thread["samples"], 2043);
    near(&thread["metrics"]["CPU"], 84.249);
    near(&thread["metrics"]["wall"], 2500.0);
    near(&json("tree SAMPLE --until 2s")["total"], TOTALS_MS[0]);
}

/// Times in files converted by dotnet-trace also count from the start of the session, in whole microseconds.
#[test]
fn converted_recordings_have_the_same_ranges() {
    for file in [
        "orderedconsume.speedscope.json.gz",
        "orderedconsume.chromium.json.gz",
    ] {
        let Some(path) = shared(&format!("net10/{file}")) else {
            continue;
        };
        let range = format!("{} --from 2s --until 4.5s", path.display());
        let total = number(&json(&format!("hotspots {range}"))["total"]);
        assert!((total - TOTALS_MS[1]).abs() < 0.1, "{file}: {total}");
        assert_starts_with(
            text(&words(&format!("tree {range}"))),
            "All threads, 2.000 s to 4.500 s of 8.127 s: CPU 1,420.3 ms",
        );
    }
}

#[test]
fn output_states_its_range() {
    let args = |command| [command, SAMPLE, "--from", "2s", "--until", "4.5s"];
    let head = |text: &str| text.lines().next().unwrap().to_string();
    let range = "2.000 s to 4.500 s of 8.127 s";
    // 1,420.268 of 5,208.643
    let total = "CPU 1,420.3 ms (27.3 % of 5,208.6 ms in total)";
    assert_eq!(
        head(&text(&args("tree"))),
        format!("All threads, {range}: {total}")
    );
    assert_eq!(
        head(&text(&args("hotspots"))),
        format!("All threads, {range}: {total}, by exclusive value")
    );
    let info = fine(&args("info"));
    assert_contains(&info, format!("range             {range}\n"));
    assert_contains(&info, "(1 of 10 threads inactive in this range)");
    assert_lacks(&info, "11045");
    // a quarter of 8127.311 ms
    let quarter = text(&["tree", SAMPLE, "--until", "25%"]);
    assert_starts_with(&quarter, "All threads, 0.000 s to 2.032 s of 8.127 s: CPU ");
    let narrow = text(&["tree", SAMPLE, "--from", "2.0005s", "--until", "2.0105s"]);
    assert_starts_with(
        &narrow,
        "All threads, 2.0005 s to 2.0105 s of 8.127 s: CPU ",
    );
    let rest = text(&["tree", SAMPLE, "--from", "4.5s"]);
    assert_starts_with(
        &rest,
        "All threads, 4.500 s to 8.127 s of 8.127 s: CPU 2,391.0 ms",
    );
}

#[test]
fn a_range_can_be_written_in_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let only = "This is only the time from 2.000 s to 4.500 s of a recording of 8.127 s.";
    for (command, name, to) in [
        ("convert", "a.speedscope.json", &["--until", "4.5s"][..]),
        (
            "convert",
            "b.txt",
            &["--until", "4.5s", "--to", "speedscope"],
        ),
        ("export", "c.txt", &["--to", "folded", "--until", "4.5s"]),
        ("export", "d.pb.gz", &["--until", "4.5s"]),
        ("convert", "e.json", &["--until", "4.5s"]),
        (
            "export",
            "f.json",
            &["--to", "calltree", "--until", "4500ms"],
        ),
    ] {
        let file = path(name);
        let run = dotspot(&[&[command, SAMPLE, "-o", &file, "--from", "2s"], to].concat());
        assert_eq!(run.code, 0, "{name}: {}", run.err);
        let read = json(&format!("info {file}"));
        let metric = &read["metrics"][0];
        let per_ms = if metric["unit"] == "ms" { 1.0 } else { 1e3 };
        near(&(number(&metric["total"]) / per_ms).into(), TOTALS_MS[1]);
        let is_collapsed = read["format"] == "collapsed";
        // the range is stated in the file if its format has text, otherwise on standard error
        let note = "that it is only a time range of the recording";
        assert_eq!(run.err.contains(note), is_collapsed, "{name}: {}", run.err);
        let is_written = each(&read["warnings"]).any(|warning| warning == only);
        assert_eq!(is_written, !is_collapsed, "{name}");
    }
}

#[test]
fn mistakes_in_ranges_are_explained_in_one_sentence() {
    for command in ["export", "convert"] {
        for to in ["4s", "25%", "4.5"] {
            fails(&[command, SAMPLE, "--to", to], 2, &["--to <FORMAT>"]);
        }
    }
    refused(
        "
        convert SAMPLE --until 4.5 | 2 | --until | 2s, 1500ms
        convert SAMPLE --until 101% | 2 | --until | 0% to 100%
        info SAMPLE --to 4s | 2 | --to: | --until | `convert`
        info SAMPLE --from 9s | 2 | --from 9.000 s | past the end | 8.127",
    );
    for bound in ["50%", "100%"] {
        refused(&format!(
            "info SAMPLE --from {bound} --until {bound} | 2 | --until | later than --from | 8.127"
        ));
    }
    refused(
        "
        tree SAMPLE --from 3s --until 2s | 2 | --until 2.000 s | later than --from (3.000 s)
        hotspots SAMPLE --from soon | 2 | --from | 2s, 1500ms
        info SAMPLE --truncation --from 1s | 2 | --truncation | --from",
    );
}

#[test]
fn ranges_of_files_without_times_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folded = folder.path().join("a.folded");
    fs::write(&folded, "a;b 5\na 1\n").unwrap();
    for (file, format) in [
        ("snapshots/two-threads.pb", "pprof"),
        ("snapshots/js-ordered-consume.dtp", "dtp"),
        ("snapshots/js-ordered-consume.calltree.json", "calltree"),
        (folded.to_str().unwrap(), "collapsed"),
    ] {
        let words = [
            "can't select a time range",
            &format!("this {format} file"),
            "only sums",
            "omit the range",
        ];
        fails(
            &["hotspots", file, "--from", "1s"],
            2,
            &[&["--from"], &words[..]].concat(),
        );
        fails(
            &["convert", file, "--until", "1s"],
            2,
            &[&["--until"], &words[..]].concat(),
        );
    }
}

/// The first sample of the recording is at 14.134 ms.
#[test]
fn a_range_without_samples_is_reported_as_empty() {
    let range = ["--from", "1ms", "--until", "2ms"];
    for command in ["tree", "hotspots", "export"] {
        let run = dotspot(&[&[command, SAMPLE], &range[..]].concat());
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        assert_contains(
            &run.err,
            "warning: Nothing was recorded in this time range.",
        );
    }
    let text = fine(&[&["info", SAMPLE], &range[..]].concat());
    assert_contains(&text, "(10 of 10 threads inactive in this range)");
    assert_contains(&text, "warning: Nothing was recorded in this time range.");
    // documents include all of them
    let info = json("info SAMPLE --from 1ms --until 2ms");
    assert_eq!(each(&info["threads"]).count(), 10);
    assert_eq!(info["metrics"][0]["total"], 0.0);
}
