//! Reports from the explorer: to a file, and to the clipboard.

use super::stage;
use crate::common::text::{has, lacks};
use dotspot::testing::app::{Effect, Event, Message, ReportOrder, ReportUse};
use dotspot::testing::query::Report;
use std::fs;

/// The line of the screen that has these words.
#[track_caller]
fn line_with(stage: &mut super::Stage, words: &str) -> String {
    let screen = stage.screen();
    screen
        .lines()
        .find(|line| line.contains(words))
        .unwrap_or_else(|| panic!("{words} on\n{screen}"))
        .to_string()
}

#[test]
fn a_report_is_chosen_previewed_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = stage();
    stage.press("2 x");
    assert!(line_with(&mut stage, "writes").contains("call tree; ↓ report in Markdown"));
    stage.press("down");
    assert!(
        line_with(&mut stage, "file").contains("price.report.md"),
        "{}",
        stage.screen()
    );
    assert!(line_with(&mut stage, "budget").contains("2,000 tokens"));
    // all of Orders.Price is its own time
    assert!(line_with(&mut stage, "at most").contains("its tree explains 100 % of the"));
    stage.press("pagedown pagedown pagedown pagedown");
    assert!(
        line_with(&mut stage, "budget").contains("16,000 tokens"),
        "no more than that"
    );
    stage.press("pageup pageup pageup pageup pageup pageup");
    assert!(
        line_with(&mut stage, "budget").contains("500 tokens"),
        "no less than that"
    );
    let markdown = folder.path().join("price.md");
    stage
        .press("ctrl-u")
        .type_text(markdown.to_str().unwrap())
        .press("enter");
    assert!(
        stage.notice().contains("price.md: a report of at most "),
        "{}",
        stage.notice()
    );
    let text = fs::read_to_string(&markdown).unwrap();
    // 5100, 12, 900 and 300 ms
    has(
        &text,
        "Part: `Orders.Price`, 4 occurrences as one\n100 % = 6,312.0 ms",
    );
    // the choice is kept; a name of one's own is not changed
    stage.press("x ctrl-u").type_text("mine.txt").press("down");
    assert!(line_with(&mut stage, "file").contains("mine.txt"));
    assert!(
        line_with(&mut stage, "writes").contains("report in JSON; ↓ flame graph for a browser")
    );
    let json = folder.path().join("price.json");
    stage
        .press("ctrl-u")
        .type_text(json.to_str().unwrap())
        .press("enter");
    let document: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!(
        (&document["schema"], &document["total"]),
        (&"dotspot.report/1".into(), &6312.0.into())
    );
    // a file that is there is not overwritten without a question
    stage
        .press("x ctrl-u")
        .type_text(json.to_str().unwrap())
        .press("enter");
    stage.play("shows: Overwrite it? y / n");
    stage.play("y");
    assert!(
        stage.notice().contains("price.json: a report of at most "),
        "{}",
        stage.notice()
    );
}

#[test]
fn a_report_is_about_one_node_or_all_occurrences() {
    let mut stage = stage();
    stage.press("j enter X");
    let one = stage.copied.pop().unwrap();
    assert!(one.contains("Part: `Orders.Price`, node n"), "{one}");
    has(
        &one,
        "called by `Program.Main → Orders.Run`\n100 % = 5,100.0 ms",
    );
    stage.press("2 X");
    assert!(
        stage
            .copied
            .pop()
            .unwrap()
            .contains("Part: `Orders.Price`, 4 occurrences as one")
    );
    stage.press("1 g X");
    let all = stage.copied.pop().unwrap();
    // without the 3000 ms of Thread.Sleep
    has(&all, "100 % = 9,352.0 ms");
    lacks(&all, "Part: ");
    assert!(
        stage.notice().starts_with("copied a report of at most "),
        "{}",
        stage.notice()
    );
    assert!(
        stage
            .notice()
            .ends_with(", if your terminal allows copying (OSC 52)"),
        "{}",
        stage.notice()
    );
}

#[test]
fn reports_are_about_what_is_shown() {
    let mut stage = stage();
    // without Orders.Handle and what it calls
    stage.press("/").type_text("Handle").press("enter d g X");
    let text = stage.copied.pop().unwrap();
    assert!(text.contains("Changed: without Orders.Handle"), "{text}");
    has(
        &text,
        "dotspot report FILE --drop Orders.Handle --method NAME",
    );
}

#[test]
fn what_is_more_than_terminals_take_goes_to_a_file() {
    let mut stage = stage();
    let asked = stage.press_without_work("X");
    let [Effect::Report(order, ReportUse::Clipboard)] = &asked[..] else {
        panic!("{asked:?}")
    };
    let report = Report {
        text: "x".repeat(75_000),
        tokens: 20_000,
        explained_percent: 99.0,
    };
    stage.send(Event::Message(Message::Reported(
        order.clone(),
        ReportUse::Clipboard,
        Ok(report),
    )));
    assert!(stage.copied.is_empty());
    assert_eq!(
        stage.notice(),
        "75.0 kB is too large to copy; write it to a file"
    );
    assert!(line_with(&mut stage, "writes").contains("report in Markdown"));
}

#[test]
fn a_budget_that_is_too_small_is_told() {
    let mut stage = stage();
    stage.press("x down");
    let order = ReportOrder {
        budget: 500,
        ..order_of(&mut stage)
    };
    stage.press("pageup pageup");
    let refused = Err("--budget 500 is too small: this report needs at least 510 tokens".into());
    stage.send(Event::Message(Message::Reported(
        order.clone(),
        ReportUse::Preview,
        refused.clone(),
    )));
    stage.play("shows: this report needs at least 510 tokens");
    // an answer about what is no longer asked for is not shown
    stage.play("pagedown");
    stage.send(Event::Message(Message::Reported(
        order,
        ReportUse::Preview,
        refused,
    )));
    assert!(!stage.screen().contains("510 tokens"), "{}", stage.screen());
}

/// The report that the dialog asks for, with another budget.
fn order_of(stage: &mut super::Stage) -> ReportOrder {
    let asked = stage.press_without_work("pagedown");
    let [Effect::Report(order, ReportUse::Preview)] = &asked[..] else {
        panic!("{asked:?}")
    };
    let order = order.clone();
    stage.press("pageup");
    order
}

#[test]
fn a_page_and_a_picture_are_offered() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = stage();
    stage.press("2 x up");
    assert!(line_with(&mut stage, "writes").contains("page for a browser; ↓ call tree"));
    assert!(line_with(&mut stage, "file").contains("price.html"));
    let page = folder.path().join("price.html");
    stage
        .press("ctrl-u")
        .type_text(page.to_str().unwrap())
        .press("enter");
    assert!(
        stage.notice().contains("price.html: "),
        "{}",
        stage.notice()
    );
    let text = fs::read_to_string(&page).unwrap();
    // the four occurrences as one: 5100, 12, 900 and 300 ms
    assert!(text.contains("6,312.0 ms") && text.contains("Orders.Price"));
    stage.press("x up");
    assert!(line_with(&mut stage, "file").contains("price.svg"));
}
