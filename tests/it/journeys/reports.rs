//! Reports from the explorer: to a file, and to the clipboard.

use super::stage;
use crate::common::text::{assert_contains, assert_lacks, assert_starts_with};
use dotspot::testing::app::{Effect, Event, Message, ReportJob, ReportUse};
use dotspot::testing::query::Report;
use std::fs;

#[test]
fn a_report_is_selected_previewed_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = stage();
    stage.play(
        "
        2 x   line writes: call tree; ↓ report in Markdown
        down  line file: price.report.md  line budget: 2,000 tokens
        // all time of Orders.Price is exclusive
              line at most: its tree covers 100 % of the
        pagedown pagedown pagedown pagedown  line budget: 16,000 tokens
        pageup pageup pageup pageup pageup pageup  line budget: 500 tokens",
    );
    let markdown = folder.path().join("price.md");
    stage.press("esc").export(&markdown);
    stage.play("notes: price.md: a report of at most");
    let text = fs::read_to_string(&markdown).unwrap();
    // 5100, 12, 900 and 300 ms
    assert_contains(
        &text,
        "Part: `Orders.Price`, 4 occurrences as one\n100 % = 6,312.0 ms",
    );
    // the format is remembered, and a user's file name is not changed
    stage.play("x ctrl-u 'mine.txt' down  line file: mine.txt  line writes: report in JSON; ↓ flame graph for a browser");
    let json = folder.path().join("price.json");
    stage.press("esc").export(&json);
    let document: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!(
        (&document["schema"], &document["total"]),
        (&"dotspot.report/1".into(), &6312.0.into())
    );
    // existing files are not overwritten without confirmation
    stage.export(&json);
    stage.play("shows: Overwrite it? y / n");
    stage.play("y  notes: price.json: a report of at most");
}

#[test]
fn a_report_is_about_one_node_or_all_occurrences() {
    let mut stage = stage();
    stage.press("j enter X");
    let one = stage.copied.pop().unwrap();
    assert_contains(&one, "Part: `Orders.Price`, node n");
    assert_contains(
        &one,
        "called by `Program.Main → Orders.Run`\n100 % = 5,100.0 ms",
    );
    stage.press("2 X");
    let all = stage.copied.pop().unwrap();
    assert_contains(all, "Part: `Orders.Price`, 4 occurrences as one");
    stage.press("1 g X");
    let all = stage.copied.pop().unwrap();
    // without the 3000 ms of Thread.Sleep
    assert_contains(&all, "100 % = 9,352.0 ms");
    assert_lacks(&all, "Part: ");
    assert_starts_with(stage.notice(), "copied a report of at most ");
    stage.play("notes: , if your terminal allows copying (OSC 52)");
}

#[test]
fn reports_describe_the_current_view() {
    let mut stage = stage();
    // without Orders.Handle and its callees
    stage.press("/").type_text("Handle").press("enter d g X");
    let text = stage.copied.pop().unwrap();
    assert_contains(&text, "Changed: without Orders.Handle");
    assert_contains(
        &text,
        "dotspot report FILE --drop Orders.Handle --method NAME",
    );
}

#[test]
fn reports_too_large_for_the_clipboard_are_not_copied() {
    let mut stage = stage();
    let effects = stage.press_without_work("X");
    let [Effect::Report(job, ReportUse::Clipboard)] = &effects[..] else {
        panic!("{effects:?}")
    };
    let report = Report {
        text: "x".repeat(75_000),
        tokens: 20_000,
        explained_percent: 99.0,
    };
    let answer = Message::Reported(job.clone(), ReportUse::Clipboard, Ok(report));
    stage.send(Event::Message(answer));
    assert!(stage.copied.is_empty());
    stage.play("says: 75.0 kB is too large to copy; x writes it to a file");
}

#[test]
fn a_budget_that_is_too_small_is_reported() {
    let mut stage = stage();
    stage.press("x down");
    let job = ReportJob {
        budget: 500,
        ..job_of(&mut stage)
    };
    stage.press("pageup pageup");
    let refused = Err("--budget 500 is too small: this report needs at least 510 tokens".into());
    let answer = || Message::Reported(job.clone(), ReportUse::Preview, refused.clone());
    stage.send(Event::Message(answer()));
    // an answer to an outdated request is not shown
    stage.play("shows: this report needs at least 510 tokens\npagedown");
    stage.send(Event::Message(answer()));
    stage.play("lacks: 510 tokens");
}

/// The report that the dialog requests after a change of the budget.
fn job_of(stage: &mut super::Stage) -> ReportJob {
    let effects = stage.press_without_work("pagedown");
    let [Effect::Report(job, ReportUse::Preview)] = &effects[..] else {
        panic!("{effects:?}")
    };
    let job = job.clone();
    stage.press("pageup");
    job
}

#[test]
fn a_page_and_a_picture_are_offered() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = stage();
    stage.play("2 x up  line writes: page for a browser; ↓ call tree  line file: price.html");
    let page = folder.path().join("price.html");
    stage.press("esc").export(&page);
    stage.play("notes: price.html: ");
    let text = fs::read_to_string(&page).unwrap();
    // four occurrences as one: 5100, 12, 900 and 300 ms
    assert!(text.contains("6,312.0 ms") && text.contains("Orders.Price"));
    stage.play("x up  line file: price.svg");
}
