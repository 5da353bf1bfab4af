//! Random keys: the explorer survives any sequence on any page.

use crate::common::random::Random;
use crate::common::stage::Stage;
use dotspot::testing::app::Keymap;
use dotspot::testing::model::View;
use dotspot::testing::model::profile_of;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn a_page_closes_if_its_row_is_not_in_the_next_view() {
    // folding recursion reduces eight nodes to four, so the last row disappears
    for page in ["i", "b"] {
        let mut stage = Stage::new(profile_of("T;a;a;a;a;a;b 1"), 120, 30);
        stage.press("E G").press(page).press("@");
        assert_eq!(
            stage.explorer().view().tree.len(),
            4,
            "{page}: {}",
            stage.screen()
        );
    }
}

/// The keys of all commands except those that write files.
fn keys() -> Vec<String> {
    let is_harmless =
        |key: &&String| !matches!(key.as_str(), "q" | "ctrl-c" | "ctrl-z" | "x" | "X" | "a");
    let keymap = Keymap::default();
    let all = keymap.all().flat_map(|command| &command.keys);
    let all = all.filter(is_harmless).cloned();
    // moving, opening and leaving are as frequent as in practice
    let often = ["j", "k", "l", "h", "enter", "E", "G", "esc", "2", "1"].repeat(3);
    let often = often.into_iter();
    let often = often.chain(["@", "i", "b", "u", "B", "L", "d", "f", "="]);
    all.chain(often.map(String::from)).collect()
}

/// Presses `count` random keys in each of `walks` runs.
#[track_caller]
fn walk(make: impl Fn() -> View, walks: u64, count: usize) {
    let keys = keys();
    for walk in 1..=walks {
        let mut numbers = Random(walk.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (width, height) = [(120, 30), (60, 15), (200, 60)][numbers.below(3)];
        let mut stage = Stage::new(make(), width, height);
        let mut pressed: Vec<&str> = Vec::new();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            for _ in 0..count {
                let key = keys[numbers.below(keys.len())].as_str();
                pressed.push(key);
                stage.press(key);
                let _ = stage.screen();
            }
        }));
        assert!(
            outcome.is_ok(),
            "walk {walk} on {width}x{height} after {}",
            pressed.join(" ")
        );
    }
}

#[test]
fn no_sequence_of_keys_crashes_the_explorer() {
    let shop = || {
        profile_of(
            "Main;Program.Main;Orders.Run;Orders.Price 51|Main;Program.Main;Orders.Price 12|\
             Main;Program.Main;Orders.Run;Orders.Run;Orders.Price 7|Main;System.Threading.Thread.Sleep 30|\
             Pool;Thread.Start;Orders.Handle;Orders.Price 9|Pool;Thread.Start;Orders.Handle;Orders.Handle;Log 2|\
             Pool;Thread.Start;Orders.Retry;Orders.Price 3|Pool;Thread.Start 4|Idle;System.Threading.Monitor.Wait 90",
        )
    };
    walk(shop, 16, 60);
    walk(|| profile_of("T 1"), 4, 40);
    walk(|| profile_of("T;a;b;a;b;a;c 3|U;a;b;c 2|V;a;b;c 1"), 6, 60);
}
