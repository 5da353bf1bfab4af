//! Runs every command shown in the README and the docs pages, as in a fresh checkout, and compares the output with the page.
//!
//! In a fenced block marked `console`, lines starting with `$ ` are commands, followed by their output on both streams; a line
//! `...` matches any number of lines. Blocks that can't run on every machine are marked visibly: `console not run by tests: WHY`.
//! Inline commands are checked against the program's arguments. No other kind of block may contain commands.

#![cfg(unix)]

use crate::common::generated::path;
use std::path::Path;
use std::process::Command;

/// A command on a page and its expected output.
#[derive(Debug, PartialEq)]
struct Shown {
    line: usize,
    command: String,
    prints: Vec<String>,
}

/// The commands on a page.
#[derive(Debug, Default, PartialEq)]
struct Page {
    run: Vec<Shown>,
    not_run: Vec<String>,
    inline: Vec<String>,
}

/// Parses the commands on a page.
///
/// # Panics
/// If a command is in a block not marked `console`, or if the reason for not running a block is missing.
fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut block: Option<&str> = None;
    for (at, line) in text.lines().enumerate() {
        match (block, line.strip_prefix("```")) {
            (None, Some(info)) => block = Some(info),
            (Some(_), Some(_)) => block = None,
            (None, None) => {
                let spans = line.split('`').skip(1).step_by(2);
                page.inline.extend(
                    spans
                        .filter(|span| span.starts_with("dotspot "))
                        .map(String::from),
                );
            }
            (Some("console"), None) => match line.strip_prefix("$ ") {
                Some(command) => {
                    page.run.push(Shown {
                        line: at + 1,
                        command: command.into(),
                        prints: Vec::new(),
                    });
                }
                None => page
                    .run
                    .last_mut()
                    .expect("a block begins with a command")
                    .prints
                    .push(line.into()),
            },
            (Some(info), None) => {
                let reason = info
                    .strip_prefix("console not run by tests: ")
                    .filter(|reason| !reason.is_empty());
                let is_command = line.starts_with("$ ") || line.starts_with("dotspot ");
                assert!(
                    reason.is_some() || !is_command,
                    "line {}: a command outside a console block",
                    at + 1
                );
                page.not_run
                    .extend(line.strip_prefix("$ ").map(String::from));
            }
        }
    }
    page
}

/// Whether output matches the expected lines, where `...` matches any number of lines.
fn matches(shown: &[String], lines: &[&str]) -> bool {
    let mut parts = shown.split(|line| line == "...");
    let first = parts.next().expect("a split has a first part");
    let parts: Vec<&[String]> = parts.collect();
    let starts = |lines: &[&str], part: &[String]| {
        lines.len() >= part.len() && lines.iter().zip(part).all(|(a, b)| a == b)
    };
    if !starts(lines, first) {
        return false;
    }
    let mut rest = &lines[first.len()..];
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some(at) = (0..=rest.len()).find(|&at| starts(&rest[at..], part)) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.len() >= last.len() && starts(&rest[rest.len() - last.len()..], last)
}

/// A folder that looks like a checkout, in which commands may write files.
fn checkout() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(path("snapshots"), folder.path().join("snapshots")).unwrap();
    std::fs::create_dir(folder.path().join("tests")).unwrap();
    std::os::unix::fs::symlink(path("tests/data"), folder.path().join("tests/data")).unwrap();
    folder
}

/// Runs a command; returns its output with trailing blanks removed, and whether it succeeded.
fn run(command: &str, folder: &Path) -> (String, bool) {
    let program = Path::new(env!("CARGO_BIN_EXE_dotspot"))
        .parent()
        .expect("a program is in a folder");
    let programs = std::env::join_paths(std::iter::once(program.to_path_buf()).chain(
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()),
    ));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", programs.unwrap())
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    (
        String::from_utf8(output.stdout).unwrap(),
        output.status.success(),
    )
}

/// Whether the other programs that a command needs are installed.
fn can_run(command: &str) -> bool {
    let is_jq_installed = || Command::new("jq").arg("--version").output().is_ok();
    let can_run = !command.contains("| jq ") || is_jq_installed();
    if !can_run {
        crate::common::missing("jq is not installed, in which some commands end");
    }
    can_run
}

/// Returns a description of everything wrong with the commands of a page.
fn faults(file: &str) -> String {
    let page = read(&std::fs::read_to_string(path(file)).unwrap());
    let folder = checkout();
    let mut wrong = String::new();
    for Shown {
        line,
        command,
        prints,
    } in page.run.iter().filter(|shown| can_run(&shown.command))
    {
        let (printed, is_fine) = run(command, folder.path());
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        if !is_fine || !matches(prints, &lines) {
            wrong +=
                &format!("{file}, line {line}, prints something else:\n$ {command}\n{printed}\n");
        }
    }
    for command in &page.inline {
        // invalid options are reported before `--help` takes effect
        let (printed, is_fine) = run(&format!("{command} --help"), folder.path());
        if !is_fine {
            wrong += &format!("{file}: `{command}` is no command:\n{printed}\n");
        }
    }
    wrong
}

#[test]
fn readme_commands_print_the_output_shown() {
    let wrong = faults("README.md");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn docs_page_commands_print_the_output_shown() {
    let mut pages: Vec<_> = std::fs::read_dir(path("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    pages.sort();
    let wrong: String = pages
        .iter()
        .map(|page| faults(&format!("docs/{}", page.to_str().unwrap())))
        .collect();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn commands_are_parsed() {
    let text = "Run `dotspot keys`.\n```console\n$ dotspot a\nx\n...\n$ dotspot b\n```\n```console not run by tests: why\n$ c\n```\n";
    let page = read(text);
    let shown = |line, command: &str, prints: &[&str]| Shown {
        line,
        command: command.into(),
        prints: prints.iter().map(|line| line.to_string()).collect(),
    };
    assert_eq!(
        page.run,
        [
            shown(3, "dotspot a", &["x", "..."]),
            shown(6, "dotspot b", &[])
        ]
    );
    assert_eq!(
        (page.not_run, page.inline),
        (vec!["c".to_owned()], vec!["dotspot keys".to_owned()])
    );
}

#[test]
fn dots_match_any_number_of_lines() {
    #[track_caller]
    fn check(shown: &str, lines: &str, expect: bool) {
        let shown: Vec<String> = shown.split_whitespace().map(String::from).collect();
        let lines: Vec<&str> = lines.split_whitespace().collect();
        assert_eq!(matches(&shown, &lines), expect, "{shown:?} {lines:?}");
    }
    check("", "", true);
    check("", "a", false);
    check("a b", "a b", true);
    check("a b", "a", false);
    check("...", "", true);
    check("...", "a b", true);
    check("a ...", "a b c", true);
    check("... c", "a b c", true);
    check("a ... c", "a b c", true);
    check("a ... a", "a", false);
    check("... b ... d", "a b c d", true);
    check("... b ... b", "a b c d", false);
}
