//! Tables of keys, formats, kinds and exit codes in the README and in `docs/` are generated from the program's own
//! tables, and the picture from a golden screen. `UPDATE_DOCS=1 cargo test --test it docs` regenerates them.

use crate::common::generated::{check, check_advice, check_file, path};
use crate::common::picture;
use dotspot::testing::app::Action::{self, *};
use dotspot::testing::app::{Command, Context};
use dotspot::testing::app::{Keymap, key_label};
use dotspot::testing::cli::CONFIG_ENTRIES;
use dotspot::testing::exporters::EXPORTERS;
use dotspot::testing::importers::FORMATS;
use dotspot::testing::model::ProfileKind;
use dotspot::testing::ui::{Background, Role, THEMES, Theme};
use std::fmt::Write as _;

/// The commands that a beginner needs, in the order of the README.
const BASIC_KEYS: [Action; 15] = [
    Open,
    Close,
    Enter,
    Methods,
    Method,
    Invert,
    Focus,
    Search,
    DropMethod,
    NextCollapse,
    NextMetric,
    Threads,
    Export,
    Back,
    Help,
];

/// Limits in bytes that keep pages short enough to read.
const MAX_README: usize = 8_000;
const MAX_PAGE: usize = 10_000;

fn keys<'a>(keymap: &Keymap, commands: impl Iterator<Item = &'a Command>) -> String {
    let mut table = String::from("| keys | what they do |\n|---|---|\n");
    for command in commands {
        let labels: Vec<String> = command
            .keys
            .iter()
            .map(|key| format!("`{}`", key_label(key)))
            .collect();
        let (labels, doc) = (labels.join(" "), keymap.doc(command));
        writeln!(table, "| {labels} | {doc} |").unwrap();
    }
    table
}

#[test]
fn entries_themes_and_roles_match_the_program() {
    let mut entries =
        String::from("| entry | example | what it does | in a folder |\n|---|---|---|---|\n");
    for kind in CONFIG_ENTRIES {
        let (name, example, doc) = (kind.name, kind.example, kind.doc);
        let also = if kind.is_for_folders { "yes" } else { "" };
        writeln!(entries, "| `{name}` | `{example}` | {doc} | {also} |").unwrap();
    }
    check("docs/config.md", "entries", &entries);
    let mut themes = String::from("| theme | what it is for |\n|---|---|\n");
    for (name, text) in THEMES {
        let about = text.lines().next().and_then(|line| line.strip_prefix("# "));
        writeln!(themes, "| `{name}` | {} |", about.unwrap()).unwrap();
    }
    check("docs/config.md", "themes", &themes);
    let mut roles = String::from("| role | used for |\n|---|---|\n");
    for role in Role::ALL {
        writeln!(roles, "| `{}` | {} |", role.name(), role.doc()).unwrap();
    }
    check("docs/config.md", "roles", &roles);
}

#[test]
fn keys_match_the_program() {
    let keymap = &Keymap::default();
    let find = |action: &Action| keymap.command(action).expect("each has a key");
    check(
        "README.md",
        "keys",
        &keys(keymap, BASIC_KEYS.iter().map(find)),
    );
    check(
        "docs/keys.md",
        "keys",
        &keys(keymap, keymap.of(Context::Explorer)),
    );
    let mut others = String::new();
    for (context, title) in [
        (Context::Search, "Search"),
        (Context::Methods, "Method list"),
        (Context::Threads, "Thread list"),
        (Context::List, "View and step lists"),
        (Context::Page, "Pages of text"),
        (Context::Prompt, "File name field"),
        (Context::Failed, "When a file could not be opened"),
    ] {
        let table = keys(keymap, keymap.of(context));
        writeln!(others, "### {title}\n\n{table}").unwrap();
    }
    check("docs/keys.md", "other keys", &others);
}

fn in_code(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn formats_match_the_importers() {
    let mut short = String::from("| name | what | files | metrics |\n|---|---|---|---|\n");
    let mut long =
        String::from("| name | format | files | metrics | left out |\n|---|---|---|---|---|\n");
    for format in FORMATS {
        let (name, title, extensions) = (format.name, format.title, in_code(format.extensions));
        writeln!(
            short,
            "| {name} | {title} | {extensions} | {} |",
            format.metrics
        )
        .unwrap();
        writeln!(
            long,
            "| {name} | {title} | {extensions} | {} | {} |",
            format.metrics, format.limitations
        )
        .unwrap();
    }
    check("README.md", "formats", &short);
    check("docs/formats.md", "formats", &long);

    let mut kinds = String::from("| kind | what it is, and what works |\n|---|---|\n");
    for kind in ProfileKind::ALL {
        writeln!(kinds, "| {} | {} |", kind.name(), kind.about()).unwrap();
    }
    check("docs/formats.md", "kinds", &kinds);
}

#[test]
fn limitations_match_the_exporters() {
    let mut written = String::from("| what it can't hold |");
    EXPORTERS
        .iter()
        .for_each(|exporter| write!(written, " {} |", exporter.name).unwrap());
    written.push_str("\n|---|");
    EXPORTERS.iter().for_each(|_| written.push_str("---|"));
    let mut clauses: Vec<&str> = Vec::new();
    for clause in EXPORTERS
        .iter()
        .flat_map(|exporter| exporter.limitations(None))
    {
        if !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }
    for clause in clauses {
        write!(written, "\n| {clause} |").unwrap();
        for exporter in EXPORTERS {
            let can_not = exporter.limitations(None).contains(&clause);
            written.push_str(if can_not { " × |" } else { " |" });
        }
    }
    written.push_str("\n| **files** |");
    for exporter in EXPORTERS {
        write!(written, " {} |", in_code(exporter.extensions)).unwrap();
    }
    written.push('\n');
    check("docs/converting.md", "written", &written);
}

#[cfg(feature = "mcp")]
#[test]
fn tools_match_the_program() {
    let mut table = String::from(
        "| tool | arguments (required ones in bold) | what it answers |\n|---|---|---|\n",
    );
    for tool in dotspot::testing::mcp::tools() {
        let needed = tool.input_schema["required"].as_array().unwrap();
        let named = |name: &String| {
            let is_needed = needed.iter().any(|needed| needed == name);
            if is_needed {
                format!("**`{name}`**")
            } else {
                format!("`{name}`")
            }
        };
        let arguments: Vec<String> = tool.input_schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(named)
            .collect();
        let doc = tool.description.as_deref().unwrap_or_default();
        writeln!(
            table,
            "| `{}` | {} | {doc} |",
            tool.name,
            arguments.join(" ")
        )
        .unwrap();
    }
    check("docs/agents.md", "tools", &table);
}

/// Each exit code has advice.
#[test]
fn exit_codes_have_advice() {
    let rows: Vec<String> = dotspot::testing::cli::exit_codes()
        .into_iter()
        .map(|(code, meaning)| format!("| {code} | {meaning} |"))
        .collect();
    let head = "| exit code | meaning | what to do |\n|---|---|---|\n";
    check_advice("docs/troubleshooting.md", head, &rows);
}

/// The README's picture is the golden screen `wide-picture`, with its colors.
#[test]
fn the_picture_is_the_golden_screen() {
    let mut stage = crate::common::stage::Stage::first(crate::common::sample(), 120, 30);
    stage.press(picture::KEYS);
    let theme = Theme::of_terminal("", "truecolor").on(Background::Dark);
    check_file(
        "assets/explorer.svg",
        &picture::svg(&stage.buffer_in(theme)),
    );
}

fn pages() -> Vec<String> {
    let pages = std::fs::read_dir(path("docs")).unwrap();
    let mut pages: Vec<String> = pages
        .map(|page| format!("docs/{}", page.unwrap().file_name().into_string().unwrap()))
        .collect();
    pages.sort();
    pages
}

#[test]
fn pages_are_short_enough_to_read() {
    let size_bytes = |file: &str| std::fs::metadata(path(file)).unwrap().len() as usize;
    let readme = size_bytes("README.md");
    assert!(readme < MAX_README, "README.md is {readme} bytes long");
    for page in pages() {
        let size = size_bytes(&page);
        assert!(size < MAX_PAGE, "{page} is {size} bytes long");
    }
}

#[test]
fn links_work_and_all_pages_are_reachable_from_the_readme() {
    let mut linked = Vec::new();
    for file in pages().into_iter().chain([
        "README.md".into(),
        "ARCHITECTURE.md".into(),
        "snapshots/README.md".into(),
    ]) {
        let text = std::fs::read_to_string(path(&file)).unwrap();
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', '#']).next())
        {
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let found = path(&file).with_file_name(target);
            assert!(
                found.exists(),
                "{file} links to {target}, which does not exist"
            );
            linked.push((file.clone(), found.canonicalize().unwrap()));
        }
    }
    let links = |from: &str, to: &str| {
        let to = path(to).canonicalize().unwrap();
        linked.contains(&(from.to_owned(), to))
    };
    let near: Vec<String> = pages()
        .into_iter()
        .filter(|page| links("README.md", page))
        .collect();
    for page in pages() {
        let leads = near.contains(&page) || near.iter().any(|from| links(from, &page));
        assert!(
            leads,
            "neither README.md nor a page it links to has a link to {page}"
        );
    }
}
