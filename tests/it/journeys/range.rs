//! The explorer with a time range.

use super::rows;
use crate::common::stage::Stage;
use crate::common::{sample, truncated};

/// Times are from `../shared/data/expected/views/orderedconsume.json`.
#[test]
fn the_range_is_preserved_by_all_actions() {
    let mut stage = Stage::of_range(sample(), 2_000_000_000, 4_500_000_000, 130, 30);
    // the busiest thread has 446.661 ms
    stage.play(
        "
                     range: 2000 4500  shows: 2.000 s to 4.500 s of 8.127 s  shows: 10 threads
                     shows: of 1,420.3 ms in this range
        m            range: 2000 4500  shows: 2.000 s to 4.500 s of 8.127 s  shows: wall 0.789 s without waiting
                     shows: in this range, without 21.711 s waiting
        m m j f      range: 2000 4500  shows: of 446.7 ms in this range
        esc t i enter  range: 2000 4500  shows: 1 of 10 threads  shows: in this range  rows 0: 1 of 10 threads
        g esc        range: 2000 4500  shows: 10 threads  shows: of 1,420.3 ms in this range
        t m m enter  range: 2000 4500  shows: 10 threads, merged  shows: of 1,420.3 ms in this range
        g esc esc    range: 2000 4500  shows: · 10 threads ·  shows: of 1,420.3 ms in this range
                     says: nothing to go back to; q quits
        60x15        shows: 2.000 s to 4.500 s  shows: of 1,420.3 ms
        80x24        shows: 2.000 s to 4.500 s  shows: of 1,420.3 ms
        200x60       shows: 2.000 s to 4.500 s  shows: of 1,420.3 ms",
    );
}

/// Thread 7 has 30 complete samples and the first 35 repairable ones in this range, 1 ms each. The first is at 5.999 ms.
#[test]
fn both_forms_of_truncated_stacks_respect_the_range() {
    let mut stage = Stage::of_range(truncated::profile(), 0, 70_999_000, 130, 30);
    let [repaired, recorded] = [">>Shop.Main", ">>[truncated at 100 frames]|>>Shop.Main"];
    for (keys, rows) in [("j l", repaired), ("R", recorded), ("R", repaired)] {
        stage.press(keys);
        stage.lists(&format!("All threads|>Thread (7)|{rows}|>Thread (8)"));
        stage.play("shows: 0.000 s to 0.070999 s of 0.105 s  shows: of 65.0 ms in this range");
    }
}

#[test]
fn an_empty_range_is_reported() {
    let mut stage = Stage::of_range(sample(), 1_000_000, 2_000_000, 80, 24);
    stage.play("says: nothing was recorded in this time range; q quits");
    stage.play("w  shows: Nothing was recorded in this time range.");
    // none of these keys has anything to act on
    stage.play("esc j enter E f m s 2 enter n 3 x esc / a enter esc p n R t i enter esc");
}

/// A folded row may have other frames in another range, but is still the same row.
#[test]
fn zooming_keeps_the_selection_on_folded_rows() {
    for folded in [true, false] {
        let mut stage = Stage::first(sample(), 80, 24);
        stage.press("enter");
        if !folded {
            stage.press("A");
        }
        let all = rows(&stage);
        for _ in 0..40 {
            if stage.selected() == "Retry.WithBackoffAsync (async)" {
                break;
            }
            stage.press("j");
        }
        let place = (stage.selected().to_string(), rows(&stage));
        assert_eq!(place.0, "Retry.WithBackoffAsync (async)", "of {all:?}");
        stage.press("+");
        assert!(stage.explorer().scope().range.is_some());
        assert_eq!(stage.selected(), place.0);
        // open rows stay open
        let opened = if folded {
            "PriceRules.Discount"
        } else {
            "Retry.WithBackoffAsync (async)"
        };
        let rows_now = rows(&stage);
        assert!(
            rows_now.iter().any(|row| row.ends_with(opened)),
            "{rows_now:?}"
        );
        stage.press("esc");
        assert_eq!((stage.selected().to_string(), rows(&stage)), place);
    }
}

#[test]
fn a_range_chosen_on_a_page_is_left_before_the_page() {
    for page in ["I", "i", "2 b"] {
        let mut stage = Stage::first(sample(), 120, 30);
        stage.press(page);
        stage.play("+  shows: 2.032 s to 6.095 s  page: open");
        stage.play("esc  range: none  page: open");
        stage.play("esc  page: closed");
    }
}
