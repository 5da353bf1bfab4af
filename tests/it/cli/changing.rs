//! Steps on the command line, for `tree`, `hotspots` and `export`. Expected numbers were computed by hand.

use super::{dotspot, refused, session, words, written};
use crate::common::json::json;
use serde_json::json;

/// 100 samples: 50 end in Check, 60 pass through Load, 40 through Sell.
const STACKS: &str = "Main;Shop.Sell;Shop.Check 30\nMain;Shop.Sell 10\nMain;Shop.Load;Shop.Check 20\nWorker;Shop.Load 40\n";

#[test]
fn text_shows_the_share_of_the_total() {
    session(
        STACKS,
        "
        $ tree FILE --drop Check --min-percent 0
        All stacks: samples 50
        without Shop.Check: 50 of 100 left, 50 (50.0 %) saved
        incl      %  excl  method
          50  100.0     0  All stacks
          40   80.0     0    Worker
          40   80.0    40      Shop.Load
          10   20.0     0    Main
          10   20.0    10      Shop.Sell
           0    0.0     0      Shop.Load
        # named options have a fixed order: --focus still finds hidden frames
        $ tree FILE --hide Load --focus Load
        All stacks: samples 60
        focus /Load/, hide /Load/: 60 of 100 (60.0 %)
        incl      %  excl  method
          60  100.0     0  All stacks
          40   66.7    40    Worker
          20   33.3     0    Main
          20   33.3    20      Shop.Check
        # --step options apply in the given order
        $ tree FILE --step hide:Load --step ignore:Load --min-percent 50
        All stacks: samples 100
        hide /Load/, ignore /Load/
        incl      %  excl  method
         100  100.0     0  All stacks
          60   60.0     0    Main
        (4 more nodes: see --min-percent and --depth)
        $ hotspots FILE --ignore Sell
        All stacks: samples 60, by exclusive value
        ignore /Sell/: 60 of 100 left, 40 (40.0 %) saved
        excl     %  incl      %  method
          40  66.7    60  100.0  Shop.Load
          20  33.3    20   33.3  Shop.Check
           0   0.0    40   66.7  Worker
           0   0.0    20   33.3  Main
        $ hotspots FILE --ignore Cell --hide Sell --top 1
        All stacks: samples 100, by exclusive value
        ignore /Cell/ (no method matches), hide /Sell/
        excl     %  incl     %  method
          50  50.0    50  50.0  Shop.Check
        (3 more methods: --top 0 lists all)
        # the tree is inverted last: 40 of Load below Worker and 20 of Check below Load remain
        $ tree FILE --step inverted --step drop:Sell
        All stacks, inverted: samples 60
        without Shop.Sell: 60 of 100 left, 40 (40.0 %) saved
        excl      %  method
          60  100.0  All stacks
          40   66.7    Shop.Load
          40   66.7      Worker
          20   33.3    Shop.Check
          20   33.3      Shop.Load …
        (… has more callers: see --depth)",
    );
}

#[test]
fn steps_apply_to_exports_and_json() {
    let (_folder, file) = written("stacks.txt", STACKS);
    for (line, expect) in [
        (
            "--drop Sell",
            "Worker;Shop.Load 40\nMain;Shop.Load;Shop.Check 20\n",
        ),
        (
            "--step inverted --drop Sell",
            "Shop.Load;Worker 40\nShop.Check;Shop.Load;Main 20\n",
        ),
    ] {
        let run = dotspot(&words(&format!("export {file} --to collapsed {line}")));
        assert_eq!((run.code, run.out.as_str()), (0, expect));
    }
    for command in ["tree", "hotspots"] {
        let part = json(&format!("{command} {file} --step drop:Sell"));
        let members = ["steps", "of_total", "total"].map(|member| &part[member]);
        assert_eq!(
            members,
            [&json!(["without Shop.Sell"]), &json!(100), &json!(60)]
        );
        assert_eq!(json(&format!("{command} {file}")).get("steps"), None);
    }
}

#[test]
fn invalid_steps_are_usage_errors() {
    let (_folder, file) = written("stacks.txt", STACKS);
    let table = "
        tree FILE --focus ( | 2 | --focus (: unclosed group
        tree FILE --step inverted:2 | 2 | --step inverted:2: inverted takes no value
        tree FILE --drop Shop.Cell | 2 | --drop Shop.Cell: this profile has no such method; the nearest are Shop.Sell
        tree FILE --fold all | 2 | --fold all: expected one of plumbing, system, none
        tree FILE --step hide | 2 | --step hide: expected WORD:VALUE
        tree FILE --drop-node n99 | 2 | --drop-node n99: this profile has no such node
        tree FILE --step drop:Cell | 2 | --step drop Cell: this profile has no such method
        tree FILE --focus SELL | 2 | dotspot: --focus SELL: no method matches";
    refused(&table.replace("FILE", &file));
}

#[test]
fn lowercase_patterns_ignore_case() {
    session(
        STACKS,
        "
        $ tree FILE --focus sell --depth 0
        All stacks: samples 40
        focus /sell/: 40 of 100 (40.0 %)
        incl      %  excl  method
          40  100.0     0  All stacks
        (3 more nodes: see --min-percent and --depth)",
    );
}
