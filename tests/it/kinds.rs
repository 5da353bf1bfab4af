//! Kinds of profiles: commands and screens describe each kind in its own terms and never in those of another.

use crate::common::call_tree;
use crate::common::kinds::of_kind;
use crate::common::run::dotspot;
use crate::common::stage::Stage;
use crate::common::text::{assert_contains_all, assert_lacks, assert_starts_with};
use dotspot::testing::model::View;

/// The output of a command for a document.
#[track_caller]
fn output_of(args: &[&str], document: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.json");
    std::fs::write(&file, document).unwrap();
    let run = dotspot(&[args, &[file.to_str().unwrap()]].concat());
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    run.out
}

fn has_word(text: &str, word: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|other| other == word)
}

/// The text of all panes at four sizes, without the pages, since these explain other kinds.
fn screens(load: impl Fn() -> View) -> String {
    let mut all = String::new();
    for (width, height) in [(60, 15), (80, 24), (130, 30), (200, 60)] {
        let mut stage = Stage::new(load(), width, height);
        for keys in [
            "", "j enter", "k", "2", "j", "3", "j", "1 s", "s", "s", "S", "f", "esc", "p", "r", "n",
        ] {
            all.push_str(&stage.press(keys).screen());
            all.push('\n');
        }
    }
    all
}

#[test]
fn no_kind_uses_the_terms_of_another() {
    for (kind, own, others) in [
        ("sampling", "samples", ["calls", "counts"]),
        ("tracing", "calls", ["samples", "counts"]),
        ("line-by-line", "calls", ["samples", "counts"]),
        ("timeline", "counts", ["calls", "samples"]),
        ("unknown", "counts", ["calls", "samples"]),
    ] {
        let document = of_kind(kind);
        let screens = screens(|| call_tree::load(&document));
        let texts = [
            screens.clone(),
            output_of(&["hotspots"], &document),
            output_of(&["hotspots", "--by", "inclusive"], &document),
            output_of(&["tree"], &document),
        ];
        for text in texts {
            assert!(has_word(&text, own), "{kind}: no {own} in\n{text}");
            for other in others {
                assert!(!has_word(&text, other), "{kind}: {other} in\n{text}");
            }
        }
        // only calls have averages
        assert_eq!(screens.contains(" × "), own == "calls", "{kind}");
    }
}

#[test]
fn info_describes_the_kind_and_its_limitations() {
    for (kind, words) in [
        (
            "sampling",
            "kind     sampling: stacks were sampled at intervals",
        ),
        ("tracing", "times are inflated in proportion to calls"),
        (
            "line-by-line",
            "times of individual statements are not shown",
        ),
        ("timeline", "when something happened is not shown"),
        ("unknown", "the source does not say how it was taken"),
    ] {
        let text = output_of(&["info"], &of_kind(kind));
        assert!(text.contains(words), "{text}");
        let is_unclear =
            text.contains("note: the source does not say whether its counts are calls or samples");
        assert_eq!(is_unclear, matches!(kind, "timeline" | "unknown"), "{text}");
    }
}

#[test]
fn traced_methods_show_the_time_per_call() {
    // Price: 50 ms exclusive in 7,000 calls are 7,142.857 ns; 50 ms inclusive in 5,000 calls from outside are 10 µs
    let text = output_of(&["hotspots"], &of_kind("tracing"));
    let lines: Vec<&str> = text.lines().take(4).collect();
    let expect = [
        "All threads: time 60.0 ms, inflated by tracing, by exclusive value",
        "excl ms     %  incl ms      %  calls  excl µs/call  method",
        "   50.0  83.3     50.0   83.3  7,000         7.143  Orders.Price",
        "    8.0  13.3     48.0   80.0      3     2,666.667  Orders.Run",
    ];
    assert_eq!(lines, expect);
    let text = output_of(&["hotspots", "--by", "inclusive"], &of_kind("tracing"));
    let expect = [
        "excl ms     %  incl ms      %  calls  incl µs/call  method",
        "   50.0  83.3     50.0   83.3  7,000        10.000  Orders.Price",
    ];
    assert_contains_all(text, &expect);
    let text = output_of(&["tree"], &of_kind("tracing"));
    assert_starts_with(&text, "All threads: time 60.0 ms, inflated by tracing\n");
    let text = output_of(&["hotspots"], &of_kind("sampling"));
    assert_starts_with(&text, "All threads: time 60.0 ms, by exclusive value\n");
    assert_lacks(&text, "/call");
}

#[test]
fn json_includes_the_kind_and_all_counts() {
    for kind in ["sampling", "tracing", "line-by-line", "timeline", "unknown"] {
        let document = of_kind(kind);
        for command in ["hotspots", "tree", "info"] {
            let text = output_of(&[command, "--json"], &document);
            assert!(text.contains(&format!("\"kind\": \"{kind}\"")), "{text}");
        }
        let row = output_of(&["hotspots", "--json", "--top", "1"], &document);
        let (name, others) = match kind {
            "sampling" => ("samples", ["calls", "counts"]),
            "tracing" | "line-by-line" => ("calls", ["samples", "counts"]),
            _ => ("counts", ["calls", "samples"]),
        };
        // sample counts include recursion once
        let count = if name == "samples" { 5000 } else { 7000 };
        assert!(row.contains(&format!("\"{name}\": {count}")), "{row}");
        for other in others {
            assert!(!row.contains(&format!("\"{other}\": 7")), "{row}");
        }
    }
}

#[test]
fn nodes_are_selected_by_the_ids_of_their_source() {
    let document = of_kind("tracing");
    let rows = output_of(&["tree", "--json"], &document);
    let ids = [
        "root", "0x1e7b", "0x1ec0", "0x1f05", "0x1f4a", "0x1f9b", "0x1fe0",
    ];
    assert_contains_all(rows, &ids.map(|id| format!("\"node\": \"{id}\"")));
    let part = output_of(&["export", "--node", "0x1f9b"], &document);
    assert_contains_all(
        &part,
        &[r#""call_tree":{"id":"0x1f9b","#, r#"[{"id":"0x1fe0","#],
    );
    let full = output_of(&["convert"], &document);
    assert_contains_all(&full, &[r#""call_tree":{"id":"root","#, r#""id":"0x1f4a""#]);
    assert!(screens(|| call_tree::load(&document)).contains("· 0x1f4a ·"));
}
