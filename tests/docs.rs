//! What the README says about keys, formats, kinds, exit codes and the screen is made from the program's own tables. `UPDATE_DOCS=1 cargo test
//! --test docs` writes it anew.

mod common;
#[path = "common/generated.rs"]
mod generated;

use dotspot::app::commands::{COMMANDS, Context, key_label};
use dotspot::exporters::{EXPORTERS, Limitation};
use dotspot::importers::FORMATS;
use dotspot::model::ProfileKind;
use generated::{check, path};
use std::fmt::Write as _;

/// One test for all parts: they are written to one file.
#[test]
fn the_readme_says_what_the_program_does() {
    let golden = std::fs::read_to_string(path("tests/snapshots/wide-opened.snap")).unwrap();
    let screen = golden.splitn(3, "---\n").nth(2).expect("a golden screen has a head");
    check("README.md", "screen", &format!("```text\n{}\n```\n", screen.trim_end()));

    let mut keys = String::from("| keys | what they do |\n|---|---|\n");
    for command in COMMANDS.iter().filter(|command| command.context == Context::Explorer) {
        let labels: Vec<String> = command.keys.iter().map(|key| format!("`{}`", key_label(key))).collect();
        writeln!(keys, "| {} | {} |", labels.join(" "), command.doc).unwrap();
    }
    check("README.md", "keys", &keys);

    let mut formats = String::from("| name | format | files | metrics | left out |\n|---|---|---|---|---|\n");
    for format in FORMATS {
        let extensions: Vec<String> = format.extensions.iter().map(|extension| format!("`{extension}`")).collect();
        let (name, title, extensions) = (format.name, format.title, extensions.join(" "));
        writeln!(formats, "| {name} | {title} | {extensions} | {} | {} |", format.metrics, format.limitations).unwrap();
    }
    check("README.md", "formats", &formats);

    let mut written = String::from("| what it can't hold |");
    EXPORTERS.iter().for_each(|exporter| write!(written, " {} |", exporter.name).unwrap());
    written.push_str("\n|---|");
    EXPORTERS.iter().for_each(|_| written.push_str("---|"));
    let mut limitations: Vec<Limitation> =
        EXPORTERS.iter().flat_map(|exporter| exporter.limitations).copied().collect();
    limitations.sort_by_key(|limitation| *limitation as usize);
    limitations.dedup();
    for limitation in limitations {
        write!(written, "\n| {} |", limitation.clause()).unwrap();
        for exporter in EXPORTERS {
            written.push_str(if exporter.limitations.contains(&limitation) { " × |" } else { " |" });
        }
    }
    written.push_str("\n| **files** |");
    for exporter in EXPORTERS {
        let extensions: Vec<String> = exporter.extensions.iter().map(|extension| format!("`{extension}`")).collect();
        write!(written, " {} |", extensions.join(" ")).unwrap();
    }
    written.push('\n');
    check("README.md", "written", &written);

    let mut kinds = String::from("| kind | what it is, and what works |\n|---|---|\n");
    for kind in ProfileKind::all() {
        writeln!(kinds, "| {} | {} |", kind.name(), kind.about()).unwrap();
    }
    check("README.md", "kinds", &kinds);

    let mut codes = String::from("| exit code | meaning |\n|---|---|\n");
    for (code, meaning) in dotspot::cli::exit_codes() {
        writeln!(codes, "| {code} | {meaning} |").unwrap();
    }
    check("README.md", "exit codes", &codes);
}
