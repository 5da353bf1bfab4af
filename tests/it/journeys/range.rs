//! The explorer of a time range.

use super::rows;
use crate::common::stage::Stage;
use crate::common::text::has;
use crate::common::truncated;
use dotspot::testing::cli::{OpenOptions, Target, open};
use dotspot::testing::importers::ReadOptions;
use dotspot::testing::model::{TimeRange, View};

const RANGE: TimeRange = TimeRange {
    from_ns: 2_000_000_000,
    to_ns: 4_500_000_000,
};

fn sample() -> View {
    let reading = ReadOptions::default();
    open(
        &Target::Sample,
        &OpenOptions {
            reading,
            ..OpenOptions::default()
        },
        Default::default(),
    )
    .unwrap()
}

#[track_caller]
fn check(stage: &Stage, words: &[&str]) {
    let screen = stage.screen();
    for word in words {
        assert!(screen.contains(word), "{word:?} is not on\n{screen}");
    }
    assert_eq!(stage.explorer().scope().range, Some(RANGE));
}

/// Times are those of `../shared/data/expected/views/orderedconsume.json`.
#[test]
fn whatever_is_done_the_range_stays() {
    let mut stage = Stage::of_range(sample(), RANGE.from_ns, RANGE.to_ns, 130, 30);
    let range = "2.000 s to 4.500 s of 8.127 s";
    check(
        &stage,
        &[range, "10 threads", "of 1,420.3 ms in this range"],
    );
    stage.press("m");
    check(
        &stage,
        &[
            range,
            "wall 0.789 s without waiting",
            "in this range, without 21.711 s waiting",
        ],
    );
    stage.press("m m");
    // the busiest of them, for 446.661 ms
    stage.press("j f");
    check(&stage, &[range, "of 446.7 ms in this range"]);
    stage.press("esc t i enter");
    check(&stage, &[range, "1 of 10 threads", "in this range"]);
    assert_eq!(rows(&stage)[0], "1 of 10 threads");
    stage.press("g esc");
    check(
        &stage,
        &[range, "10 threads", "of 1,420.3 ms in this range"],
    );
    stage.press("t m m enter");
    check(
        &stage,
        &[range, "10 threads, merged", "of 1,420.3 ms in this range"],
    );
    stage.press("g esc esc");
    check(
        &stage,
        &[range, "· 10 threads ·", "of 1,420.3 ms in this range"],
    );
    stage.says("nothing to go back to; q quits");
    for (width, height) in [(60, 15), (80, 24), (110, 24), (200, 60)] {
        stage.resize(width, height);
        check(&stage, &["2.000 s to 4.500 s", "of 1,420.3 ms"]);
    }
}

/// Of thread 7 the 30 whole samples and the first 35 of those that can be repaired, 1 ms each: the first is at 5.999 ms.
#[test]
fn both_forms_of_truncated_stacks_are_of_the_range() {
    let mut stage = Stage::of_range(truncated::profile(), 0, 70_999_000, 130, 30);
    let words = [
        "0.000 s to 0.070999 s of 0.105 s",
        "of 65.0 ms in this range",
    ];
    let check = |stage: &Stage| {
        words
            .iter()
            .for_each(|word| assert!(stage.screen().contains(word), "{}", stage.screen()))
    };
    check(&stage);
    stage.press("j l");
    stage.lists("All threads|>Thread (7)|>>Shop.Main|>Thread (8)");
    stage.press("R");
    check(&stage);
    stage.lists("All threads|>Thread (7)|>>[truncated at 100 frames]|>>Shop.Main|>Thread (8)");
    stage.press("R");
    check(&stage);
    stage.lists("All threads|>Thread (7)|>>Shop.Main|>Thread (8)");
}

#[test]
fn a_range_without_anything_says_so() {
    let mut stage = Stage::of_range(sample(), 1_000_000, 2_000_000, 80, 24);
    stage.says("nothing was recorded in this time range; q quits");
    stage.press("w");
    has(stage.screen(), "Nothing was recorded in this time range.");
    // nothing of this has anything to be about
    stage.press("esc j enter E f m s 2 enter n 3 x esc / a enter esc p n R t i enter esc");
}

/// A row of several frames has other frames in another range: it is the same row.
#[test]
fn zooming_stays_in_place_where_frames_are_folded() {
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
        // what was open still is
        let opened = if folded {
            "PriceRules.Discount"
        } else {
            "Retry.WithBackoffAsync (async)"
        };
        assert!(
            rows(&stage).iter().any(|row| row.ends_with(opened)),
            "{:?}",
            rows(&stage)
        );
        stage.press("esc");
        assert_eq!((stage.selected().to_string(), rows(&stage)), place);
    }
}
