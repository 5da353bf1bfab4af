//! The wording of all diagnostics and messages, in a snapshot, and the pages that list diagnostics.

use crate::common::generated;
use crate::common::schema;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::diagnostics::Severity;
use dotspot::testing::diagnostics::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

mod samples;
use samples::samples;

/// Every sentence of the program. Other tests check codes and data instead.
#[test]
fn all_sentences_match_the_snapshot() {
    let mut sentences = String::new();
    for diagnostic in samples() {
        let (code, severity) = (diagnostic.code(), diagnostic.severity().name());
        let sentence = diagnostic.to_string().replace('\n', "\\n");
        sentences += &format!("{code}\t{severity}\t{sentence}\n");
    }
    for room in rooms() {
        let name = room.file_name().unwrap().to_string_lossy();
        for (key, sentence) in sentences_of(&room) {
            sentences += &format!("{name}\t{key}\t{sentence}\n");
        }
    }
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("messages", sentences);
    });
}

/// The source folders that contain sentences.
fn rooms() -> Vec<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = std::fs::read_dir(source).unwrap();
    let folders = folders.map(|folder| folder.unwrap().path());
    let mut rooms: Vec<PathBuf> = folders
        .filter(|folder| folder.join("messages.rs").exists())
        .collect();
    rooms.sort();
    rooms
}

/// The sentences of a room by name, with `{placeholders}` for values. They are read from its `messages.rs`, which must
/// have one line for each.
fn sentences_of(room: &Path) -> Vec<(String, String)> {
    let source = std::fs::read_to_string(room.join("messages.rs")).unwrap();
    let (_, table) = source.split_once("messages! {\n").unwrap();
    let (table, _) = table.split_once("\n}").unwrap();
    let lines = table.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines
        .map(|line| {
            let row = || {
                let (head, sentence) = line.strip_suffix("\";")?.split_once(" = \"")?;
                let head = head
                    .strip_prefix("const ")
                    .or_else(|| head.strip_prefix("fn "))?;
                let name = head.split('(').next()?.to_string();
                let sentence = sentence.replace("\\\"", "\"");
                Some((name, sentence.replace("\\\\", "\\")))
            };
            row().unwrap_or_else(|| panic!("{}: no sentence: {line}", room.display()))
        })
        .collect()
}

const DIAGNOSTICS: &str = include_str!("../../src/diagnostics/diagnostic.rs");

/// The enumerations with their sources, by the start of their variants' `Debug` output.
#[rustfmt::skip]
const ENUMERATIONS: [(&str, &str, &str); 3] = [
    ("", "Diagnostic", DIAGNOSTICS),
    ("anomaly: ", "Anomaly", include_str!("../../src/diagnostics/anomaly.rs")),
    ("cause: ", "NamelessCause", include_str!("../../src/diagnostics/causes.rs")),
];

/// The variants of an enumeration with the last line of their documentation. In the source, they are the only lines
/// indented by four more spaces than the enumeration.
fn variants<'a>(source: &'a str, name: &str) -> Vec<(&'a str, &'a str)> {
    let start = match name {
        "Diagnostic" => "diagnostics! {".into(),
        _ => format!("pub enum {name}"),
    };
    let (before, body) = source.split_once(&start).expect("the enumeration is there");
    let indent = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let end = format!("\n{indent}}}");
    let body = body.split(&*end).next().expect("a split has a first part");
    let inside = format!("{indent}    ");
    let (mut doc, mut found) = ("", Vec::new());
    for line in body.lines().filter_map(|line| line.strip_prefix(&*inside)) {
        if let Some(text) = line.strip_prefix("/// ") {
            doc = text.trim_end_matches('.');
        } else if line.starts_with(|first: char| first.is_ascii_uppercase()) {
            found.push((
                line.split([' ', ',', '(']).next().unwrap(),
                std::mem::take(&mut doc),
            ));
        }
    }
    found
}

#[test]
fn each_diagnostic_has_an_example() {
    let shown: Vec<String> = samples().map(|one| format!("{one:?} ")).collect();
    for (before, name, source) in ENUMERATIONS {
        for (variant, _) in variants(source, name) {
            let start = format!("{before}{variant}");
            let is_there = |text: &String| {
                let found = text.split_once(&start);
                found.is_some_and(|(_, rest)| !rest.starts_with(char::is_alphanumeric))
            };
            assert!(
                shown.iter().any(is_there),
                "{name}::{variant} has no example"
            );
        }
    }
}

/// The documentation of a diagnostic's variant, which is one line.
fn meaning(diagnostic: &Diagnostic) -> &'static str {
    let debug = format!("{diagnostic:?}");
    let doc = |before: &str, text: &str| {
        let row = ENUMERATIONS.iter().find(|row| row.0 == before)?;
        let word = text.split(|c: char| !c.is_alphanumeric()).next()?;
        let found = variants(row.2, row.1);
        found
            .iter()
            .find(|(name, _)| *name == word)
            .map(|row| row.1)
    };
    let (_, anomaly) = debug.split_once("anomaly: ").unwrap_or_default();
    let meaning = match diagnostic {
        Diagnostic::Counted { .. } => doc("anomaly: ", anomaly),
        _ => doc("", &debug),
    };
    let meaning = meaning.unwrap_or_default();
    assert!(!meaning.is_empty(), "{debug} has no documentation");
    meaning
}

/// Whether a diagnostic is about dotTrace files, which have their own page. The enumeration lists these together.
fn is_about_dottrace(diagnostic: &Diagnostic) -> bool {
    let place = |variant: &str| DIAGNOSTICS.find(&format!("\n    {variant} {{"));
    match diagnostic {
        Diagnostic::Counted { anomaly, .. } => {
            *anomaly as usize >= Anomaly::InstancesMerged as usize
        }
        _ => {
            let debug = format!("{diagnostic:?}");
            let variant = debug.split(' ').next().unwrap();
            let between = place("FunctionsWithoutInstances")..=place("ReporterFailed");
            between.contains(&place(variant))
        }
    }
}

/// A table of diagnostics by code.
fn table(diagnostics: impl Iterator<Item = Diagnostic>) -> String {
    let mut codes: BTreeMap<&str, (Severity, &str, BTreeSet<String>)> = BTreeMap::new();
    for diagnostic in diagnostics {
        let (severity, meaning) = (diagnostic.severity(), meaning(&diagnostic));
        let (.., members) =
            codes
                .entry(diagnostic.code())
                .or_insert((severity, meaning, BTreeSet::new()));
        if let serde_json::Value::Object(data) = serde_json::to_value(&diagnostic).unwrap() {
            members.extend(data.into_iter().map(|(name, _)| format!("`{name}`")));
        }
    }
    let mut table =
        String::from("| code | severity | what it means | data members |\n|---|---|---|---|\n");
    for (code, (severity, meaning, members)) in codes {
        let members = members.into_iter().collect::<Vec<_>>().join(", ");
        table.push_str(&format!(
            "| {code} | {} | {meaning} | {members} |\n",
            severity.name()
        ));
    }
    table
}

#[test]
fn the_pages_list_all_codes() {
    let (of_dottrace, others): (Vec<Diagnostic>, Vec<Diagnostic>) =
        samples().partition(is_about_dottrace);
    let pages = [
        ("docs/diagnostics.md", others),
        ("docs/diagnostics-dottrace.md", of_dottrace),
    ];
    for (page, diagnostics) in pages {
        generated::check(page, "codes", &table(diagnostics.into_iter()));
    }
}

/// The start of a sentence, for a cell of a table.
fn beginning(sentence: &str) -> String {
    const MAX: usize = 80;
    let line = sentence.replace('|', "\\|");
    if line.chars().count() <= MAX {
        return line;
    }
    let cut: String = line.chars().take(MAX).collect();
    let words = cut.rsplit_once(' ').map_or(&*cut, |(words, _)| words);
    format!("{} …", words.trim_end_matches([',', ':', ';']))
}

/// Each warning has a sentence and advice.
#[test]
fn warnings_have_advice() {
    let (of_dottrace, others): (Vec<Diagnostic>, Vec<Diagnostic>) =
        samples().partition(is_about_dottrace);
    for (page, diagnostics) in [
        ("docs/warnings.md", others),
        ("docs/warnings-dottrace.md", of_dottrace),
    ] {
        let mut sentences = BTreeMap::new();
        for diagnostic in diagnostics {
            let sentence = beginning(&diagnostic.to_string());
            sentences.entry(diagnostic.code()).or_insert(sentence);
        }
        let row = |(code, sentence)| format!("| {code} | {sentence} |");
        let rows: Vec<String> = sentences.into_iter().map(row).collect();
        let head = "| code | what dotspot says | what to do |\n|---|---|---|\n";
        generated::check_advice(page, head, &rows);
    }
}

#[test]
fn records_match_their_schema() {
    for diagnostic in samples() {
        let records = serde_json::json!([diagnostic.record()]);
        schema::hold(&records, "diagnostics-1", diagnostic.code());
    }
}
