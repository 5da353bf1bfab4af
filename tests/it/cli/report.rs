//! `dotspot report`: files and errors. `tests/it/reports.rs` tests the content of reports.

use super::{CAUTIONS, SAMPLE, cautioned, dotspot, fails, fine, refused, words};
use crate::common::shared;
use crate::common::text::{
    assert_contains, assert_contains_all, assert_ends_with, assert_lacks, assert_starts_with,
};
use std::fs;

#[test]
fn a_report_names_its_subject_and_follow_up_commands() {
    let text = fine(&["report", SAMPLE]);
    assert_starts_with(&text, format!("# Where the time goes in FILE = {SAMPLE}\n"));
    assert_ends_with(
        &text,
        "\nMore: `dotspot report FILE --method NAME`, `--node ID`, `--drop METHOD` (what is saved) or `--budget N`\n",
    );
    let changed = fine(&words(
        "report SAMPLE --drop PriceRules.Discount --metric wall",
    ));
    // as in mcp::trials
    assert_contains(
        &changed,
        "\nChanged: without PriceRules.Discount: 1,424.5 of 3,048.4 ms left, 1,623.9 ms (53.3 %) saved\n",
    );
    assert_contains(&changed, "`dotspot report FILE --drop ");
    assert_contains(&changed, " --metric wall --method NAME`");
}

/// Handles in a report are node ids.
#[test]
fn node_handles_work_in_other_commands() {
    let text = fine(&["report", SAMPLE, "--budget", "2000"]);
    let row = text
        .lines()
        .find(|row| row.contains("PriceRules.Evaluate → PriceRules.Discount n"))
        .unwrap();
    let node = row.rsplit(' ').next().unwrap().split('+').next().unwrap();
    let tree = cautioned(&["tree", SAMPLE, "--node", node], CAUTIONS);
    assert!(tree.contains("PriceRules.Discount"), "{tree}");
    let part = fine(&["report", SAMPLE, "--node", node]);
    assert_contains(
        &part,
        format!("Part: `PriceRules.Discount`, node {node}, called by `"),
    );
    let part = fine(&words(
        "report SAMPLE --method PriceRules.Discount --question explain",
    ));
    assert_contains(&part, "Part: `PriceRules.Discount`, 37 occurrences as one");
    assert_contains(&part, "\n## Question\nExplain what this program");
}

#[test]
fn the_extension_selects_json_and_files_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let [json, text] =
        ["r.json", "r.md"].map(|name| folder.path().join(name).to_str().unwrap().to_string());
    let err = dotspot(&["report", SAMPLE, "-o", &json]).err;
    assert_contains_all(&err, &[&format!("wrote {json}: at most "), " tokens, "]);
    assert_starts_with(
        fs::read_to_string(&json).unwrap(),
        "{\"schema\":\"dotspot.report/1\"",
    );
    assert_eq!(dotspot(&["report", SAMPLE, "-o", &text]).code, 0);
    assert!(fs::read_to_string(&text).unwrap().starts_with("# Where"));
    refused(&format!(
        "report SAMPLE -o {text} | 1 | already exists; choose another file"
    ));
    assert_eq!(
        dotspot(&["report", SAMPLE, "-o", &text, "--force", "--to", "json"]).code,
        0
    );
    assert!(fs::read_to_string(&text).unwrap().starts_with('{'));
}

#[test]
fn invalid_requests_are_explained() {
    fails(
        &["report", SAMPLE, "--budget", "50"],
        2,
        &["--budget 50 is too small: this report needs at least "],
    );
    refused(
        "
        report SAMPLE --method NoSuch | 2 | --method NoSuch
        report SAMPLE --node n99999999 | 2 | --node n99999999: this profile has no such node
        report SAMPLE --metric heat | 2 | --metric heat
        report SAMPLE --method A --node n1 | 2 | --method | --node",
    );
}

/// One sample of 1,000 ms and 100 of 10 ms: half of 2,000 ms rests on one sample, although 25 of 101 are 24.8%.
#[test]
fn few_samples_that_stand_for_much_time_are_pointed_out() {
    let samples = format!("[0]{}", ",[1]".repeat(100));
    let weights = format!("1000{}", ",10".repeat(100));
    let frames = r#"[{"name":"App!App.Block"},{"name":"App!App.Work"}]"#;
    let text = format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":{frames}}},"profiles":[{{"type":"sampled","name":"t","unit":"milliseconds","startValue":0,"endValue":2000,"samples":[{samples}],"weights":[{weights}]}}]}}"#
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.speedscope.json");
    fs::write(&path, text).unwrap();
    let report = fine(&["report", path.to_str().unwrap()]);
    let thin = "\n- Shares up to 50.0 % may be based on fewer than 25 samples.\n";
    assert_contains(&report, thin);
    assert_lacks(&report, "Shares below");
}

#[test]
fn a_recording_without_samples_does_not_say_how_busy_processors_were() {
    let path = present!(shared("etl/gcevents.etl.zip"));
    let report = dotspot(&["report", path.to_str().unwrap()]).out;
    assert_contains(
        &report,
        "\nCPU use: unknown, the recording has no samples.\n",
    );
}
