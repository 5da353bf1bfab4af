//! Errors with `--json`: one document on standard output, with the same sentence and exit code as without.

use super::{dotspot, words};
use crate::common::schema;
use serde_json::Value;
use std::fs;

/// The document of a failing run with `--json`. Its sentence and advice must be those on standard error.
#[track_caller]
fn failed(args: &[&str], code: i32) -> Value {
    let run = dotspot(args);
    assert_eq!(run.code, code, "{args:?}: {}", run.err);
    let (name, document) = schema::check(&run.out, &format!("{args:?}"));
    assert_eq!(
        (name.as_str(), document["code"].as_i64()),
        ("error-1", Some(i64::from(code))),
        "{args:?}"
    );
    assert!(
        !run.err.is_empty(),
        "{args:?}: the error must be on standard error, too"
    );
    document
}

#[track_caller]
fn check(args: &[&str], code: i32, sentence: &str, advice: Option<&str>) {
    let document = failed(args, code);
    let found = ["stage", "sentence", "advice"].map(|member| document[member].as_str());
    assert_eq!(found, [None, Some(sentence), advice], "{args:?}");
    let plain_args: Vec<&str> = args
        .iter()
        .copied()
        .filter(|arg| *arg != "--json")
        .collect();
    let (plain, json) = (dotspot(&plain_args), dotspot(args));
    let last = |err: &str| err.lines().last().map(String::from);
    assert_eq!(
        (plain.code, plain.out.as_str(), last(&plain.err)),
        (code, "", last(&json.err)),
        "{plain_args:?}"
    );
}

/// Checks runs that fail with code 1 or 2, one per row: arguments, code, sentence and advice, separated by ` | `.
#[track_caller]
fn check_all(table: &str) {
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let (args, code) = (words(cells[0]), cells[1].parse().unwrap());
        check(&args, code, cells[2], cells.get(3).copied());
    }
}

#[test]
fn names_that_are_not_in_the_profile() {
    check_all("
        hotspots SAMPLE --json --metric heat | 2 | --metric heat: this profile has no such metric | it has CPU, wall, samples
        callers SAMPLE PriceRules.Discont --json | 2 | METHOD PriceRules.Discont: this profile has no such method | the nearest is PriceRules.Discount
        tree --json SAMPLE --node n99999999 | 2 | --node n99999999: this profile has no such node | `dotspot tree --json` lists them
        info SAMPLE --json --from 1m | 2 | --from 60.000 s: that is past the end | the recording spans 8.127310672 s");
}

#[test]
fn files_that_cannot_be_read() {
    check_all(
        "info no-such-file --json | 1 | no-such-file: can't be opened: no such file or directory | check the path",
    );
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let broken = write(
        "a.speedscope.json",
        r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":7}"#,
    );
    let document = failed(&["hotspots", &broken, "--json"], 1);
    assert_eq!(document["stage"], "speedscope");
    assert!(
        document["sentence"]
            .as_str()
            .unwrap()
            .starts_with(&format!("{broken}: speedscope JSON, member `shared`")),
        "{document}"
    );
    let text = write("notes.txt", "nothing of the kind\n");
    let document = failed(&["methods", &text, "--json"], 1);
    assert_eq!(
        document["advice"],
        "`dotspot formats` lists what can be opened"
    );
    // dotTrace stages have their own exit code
    let snapshot = write("a.dtp", "");
    let document = failed(&["tree", &snapshot, "--json"], 10);
    assert_eq!(document["stage"], "input");
}

#[test]
fn usage_errors() {
    check_all("
        info --json SAMPLE --widht 80 | 2 | unexpected argument '--widht' found | to pass '--widht' as a value, use '-- --widht'
        hotspots --json a b | 2 | unexpected argument b: only one profile can be opened | run the command for each
        hotspots --json SAMPLE --top -1 | 2 | no option takes a negative number | 0 or more is expected
        info --json SAMPLE --to 4s | 2 | --to: this command does not take it | --until ends a time range; --to sets the output format of `compare`, `report`, `export`, `convert`
        callees --json SAMPLE | 2 | the following required arguments were not provided: <METHOD>");
    let advice = &failed(&["info", "a", "--format", "json", "--json"], 2)["advice"];
    assert!(
        advice.to_string().contains("--json prints JSON"),
        "{advice}"
    );
    // without a command, there is no document
    let document = failed(&["hotpsots", "--json"], 2);
    assert_eq!(document["sentence"], "unexpected argument '--json' found");
}

/// Control characters in names are escaped in error documents.
#[test]
fn names_in_documents_are_escaped() {
    let run = dotspot(&["info", "no\u{1b}[31m-such", "--json"]);
    assert!(
        run.out.contains(r"no\u001b[31m-such") && !run.out.contains('\u{1b}'),
        "{}",
        run.out
    );
}
