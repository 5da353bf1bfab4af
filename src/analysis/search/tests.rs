use super::*;
use crate::names::{FrameKind, display_name};
use proptest::prelude::*;

/// The methods of an order service with their inclusive times, as raw names.
const METHODS: &[(&str, u64)] = &[
    (
        "Acme!Acme.Orders.PriceRules.Discount(class Acme.Orders.OrderEvent)",
        1619,
    ),
    (
        "Acme!Acme.Orders.PriceRules.Evaluate(class Acme.Orders.OrderEvent)",
        1620,
    ),
    ("Acme!Acme.Orders.PriceRules.get_Rounds()", 3),
    (
        "Acme!Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext()",
        2031,
    ),
    (
        "Acme!Acme.Orders.OrderPipeline+<>c__DisplayClass12_0.<HandleAsync>b__3()",
        442,
    ),
    ("Acme!Acme.Orders.OrderBook..ctor()", 1),
    ("Acme!Acme.Retry.DiscardAfter(int32)", 9),
    ("Acme!Acme.Telemetry.Discover()", 2),
    (
        "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)",
        250,
    ),
    (
        "System.Private.CoreLib!System.Threading.Thread.SpinWait(int32)",
        251,
    ),
];

struct Fixture {
    frames: Frames,
    weights: Vec<u64>,
    index: SearchIndex,
}

impl Fixture {
    fn of(methods: &[(&str, u64)]) -> Fixture {
        let mut frames = Frames::default();
        let mut weights = Vec::new();
        for (name, weight) in methods {
            let frame = frames.intern(FrameKind::Method, name, "");
            assert_eq!(frame.index(), weights.len(), "{name} is there twice");
            weights.push(*weight);
        }
        let index = SearchIndex::of(&frames, |_| true);
        Fixture {
            frames,
            weights,
            index,
        }
    }

    fn search(&self, text: &str) -> SearchResult {
        self.index
            .search(text, |frame| self.weights[frame.index()], SCORED)
    }

    /// The shown names found, with `[…]` around highlights, and ` ~` after is_approximate ones.
    fn lines(&self, result: &SearchResult) -> Vec<String> {
        let line = |row: &Match| {
            let mut line = String::new();
            let is_lit = |at: usize| row.positions.contains(&at);
            for (at, c) in self.frames.display_name(row.frame).chars().enumerate() {
                if is_lit(at) && (at == 0 || !is_lit(at - 1)) {
                    line.push('[');
                }
                line.push(c);
                if is_lit(at) && !is_lit(at + 1) {
                    line.push(']');
                }
            }
            line + if result.is_approximate { " ~" } else { "" }
        };
        result.rows.iter().map(line).collect()
    }
}

#[track_caller]
fn check(query: &str, expect: &[&str]) {
    let fixture = Fixture::of(METHODS);
    let result = fixture.search(query);
    assert_eq!(fixture.lines(&result), expect, "{query}");
    assert_eq!(result.total_matches, expect.len());
    assert_eq!(
        result.is_approximate,
        !expect.is_empty() && expect.iter().all(|line| line.ends_with('~'))
    );
}

#[test]
fn words_are_fuzzy_and_ties_are_sorted_by_weight() {
    check(
        "disc",
        &[
            "PriceRules.[Disc]ount",
            "Retry.[Disc]ardAfter",
            "Telemetry.[Disc]over",
            "Or[d]erPipel[i]ne.HandleA[s]yn[c] (async)",
            "Or[d]erPipel[i]ne.HandleA[s]yn[c].lambda 3",
        ],
    );
    check("prev", &["[Pr]iceRules.[Ev]aluate"]);
    check("thsl", &["[Th]read.[Sl]eep"]);
    check("ohlam", &["[O]rderPipeline.[H]andleAsync.[lam]bda 3"]);
}

#[test]
fn the_better_match_comes_before_the_heavier_one() {
    check(
        "order",
        &[
            "[Order]Pipeline.HandleAsync (async)",
            "[Order]Pipeline.HandleAsync.lambda 3",
            "new [Order]Book",
        ],
    );
    let fixture = Fixture::of(&[
        ("S.H.aXpXrXiXlX", 100),
        ("S.H.Largeapril", 2),
        ("S.H.April", 1),
    ]);
    let lines = fixture.lines(&fixture.search("april"));
    assert_eq!(
        lines,
        ["H.[April]", "H.Large[april]", "H.[a]X[p]X[r]X[i]X[l]X"]
    );
}

/// In trial-explorer, `dis` put `ThreadPoolWorkQueue.Dispatch` first.
#[test]
fn user_code_comes_before_system_code_and_scattered_letters() {
    let found = Fixture::of(&[
        (
            "System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.Dispatch()",
            5_000,
        ),
        ("Acme!Acme.Text.Digest.Of(int32)", 900),
        ("Acme!Acme.Orders.PriceRules.Discount(int32)", 1_619),
    ]);
    let rows = found.search("dis").rows;
    let first = rows.first().map(|row| found.frames.display_name(row.frame));
    assert_eq!(first, Some("PriceRules.Discount"));
    // scattered letters come last, in user code, too
    let last = rows.last().map(|row| found.frames.display_name(row.frame));
    assert_eq!(last, Some("Digest.Of"));
}

#[test]
fn an_empty_query_lists_everything_by_weight() {
    let fixture = Fixture::of(METHODS);
    for text in ["", "  ", "'", "^$"] {
        let result = fixture.search(text);
        assert_eq!(result.total_matches, METHODS.len());
        assert_eq!(
            fixture.lines(&result)[..3],
            [
                "OrderPipeline.HandleAsync (async)",
                "PriceRules.Evaluate",
                "PriceRules.Discount"
            ]
        );
        assert!(!result.is_approximate);
    }
}

#[test]
fn all_words_must_occur() {
    check("price ev", &["[Price]Rules.[Ev]aluate"]);
    check("ev price", &["[Price]Rules.[Ev]aluate"]);
    check("price 'discount", &["[Price]Rules.[Discount]"]);
    check("sleep 'xyz", &[]);
}

#[test]
fn an_uppercase_letter_makes_a_word_case_sensitive() {
    check(
        "Disc",
        &[
            "PriceRules.[Disc]ount",
            "Retry.[Disc]ardAfter",
            "Telemetry.[Disc]over",
        ],
    );
    check("PR disc", &["[P]rice[R]ules.[Disc]ount"]);
    check(
        "'disC",
        &[
            "PriceRules.[Disc]ount ~",
            "Retry.[Disc]ardAfter ~",
            "Telemetry.[Disc]over ~",
        ],
    );
}

#[test]
fn a_quote_searches_literally() {
    check("'rules.d", &["Price[Rules.D]iscount"]);
    check("'prev", &[]);
    check(
        "'dle",
        &[
            "OrderPipeline.Han[dle]Async (async)",
            "OrderPipeline.Han[dle]Async.lambda 3",
        ],
    );
    // the occurrence at the start of a word is highlighted, not the first one
    check(
        "'li 'h",
        &[
            "OrderPipe[li]ne.[H]andleAsync (async)",
            "OrderPipe[li]ne.[H]andleAsync.lambda 3",
        ],
    );
}

#[test]
fn marks_anchor_a_word() {
    check(
        "^disc",
        &[
            "PriceRules.[Disc]ount",
            "Retry.[Disc]ardAfter",
            "Telemetry.[Disc]over",
        ],
    );
    check(
        "^price",
        &[
            "[Price]Rules.Evaluate",
            "[Price]Rules.Discount",
            "[Price]Rules.get_Rounds",
        ],
    );
    check("^rules", &[]);
    check("ter$", &["Retry.DiscardAf[ter]"]);
    check("async$", &["OrderPipeline.Handle[Async] (async)"]);
    check("async)$", &["OrderPipeline.HandleAsync ([async)]"]);
    check("^sleep$", &["Thread.[Sleep]"]);
    check("^thread.sleep$", &["[Thread.Sleep]"]);
    check("^handleasync$", &["OrderPipeline.[HandleAsync] (async)"]);
    check("^slee$", &[]);
}

#[test]
fn constructors_are_found_by_raw_and_by_display_name() {
    for text in [
        "..ctor", ".ctor", "'.ctor", "^ctor$", "^.ctor", ".ctor$", "ctor",
    ] {
        check(text, &["[new] OrderBook"]);
    }
    for text in ["OrderBook..ctor", "'orderbook..ctor", "^OrderBook..ctor$"] {
        check(text, &["[new] [OrderBook]"]);
    }
    check("new ord", &["[new] [Ord]erBook"]);
    for text in ["^OrderBook", "^OrderBook$", "OrderBook$"] {
        check(text, &["new [OrderBook]"]);
    }
}

#[test]
fn letters_in_another_order_find_nothing() {
    check("discuont", &[]);
    check("'discuont", &[]);
    check("xyz", &[]);
}

#[test]
fn case_is_ignored_in_every_script() {
    let fixture = Fixture::of(&[
        ("Acme.Größe.ÄndernΣ", 3),
        ("Acme.Book.Löschen", 2),
        ("Acme.値.計算", 1),
    ]);
    let check = |query: &str, expect: &[&str]| {
        assert_eq!(fixture.lines(&fixture.search(query)), expect, "{query}")
    };
    check("größe", &["[Größe].ÄndernΣ"]);
    check("ändσ", &["Größe.[Änd]ern[Σ]"]);
    check("ÄndΣ", &["Größe.[Änd]ern[Σ]"]);
    check("'lösch", &["Book.[Lösch]en"]);
    check("^ändern", &["Größe.[Ändern]Σ"]);
    check("計", &["値.[計]算"]);
}

#[test]
fn special_frames_are_searched_but_roots_and_threads_are_not() {
    let mut frames = Frames::default();
    frames.intern(FrameKind::Root, "All threads", "");
    frames.intern(FrameKind::Thread, "Thread pool", "");
    let special = frames.intern(FrameKind::Special, "[Garbage collection]", "");
    let index = SearchIndex::of(&frames, |_| true);
    assert_eq!(index.len(), 1);
    let rows = index.search("", |_| 0, 9).rows;
    assert_eq!(
        rows.iter().map(|row| row.frame).collect::<Vec<_>>(),
        [special]
    );
    assert!(SearchIndex::of(&Frames::default(), |_| true).is_empty());
}

#[test]
fn the_limit_applies_to_rows_but_not_to_the_count() {
    let fixture = Fixture::of(METHODS);
    let result = fixture
        .index
        .search("disc", |frame| fixture.weights[frame.index()], 2);
    assert_eq!(
        fixture.lines(&result),
        ["PriceRules.[Disc]ount", "Retry.[Disc]ardAfter"]
    );
    assert_eq!(result.total_matches, 5);
}

#[test]
fn only_the_heaviest_of_many_matches_are_scored() {
    let names: Vec<String> = (0..3 * SCORED)
        .map(|number| format!("Acme.Bulk.Item{number}"))
        .collect();
    let methods: Vec<(&str, u64)> = names
        .iter()
        .zip(0..)
        .map(|(name, weight)| (name.as_str(), weight))
        .collect();
    let fixture = Fixture::of(&methods);
    let result = fixture.search("item");
    assert_eq!(
        (result.total_matches, result.rows.len()),
        (3 * SCORED, SCORED)
    );
    let heaviest: Vec<usize> = result.rows.iter().map(|row| row.frame.index()).collect();
    assert_eq!(heaviest, (2 * SCORED..3 * SCORED).rev().collect::<Vec<_>>());
}

/// Names with few distinct letters, so that queries with the same letters find some.
fn some_names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set("[abAé]{1,4}\\.[abcABé_]{1,12}", 1..40)
        .prop_map(|names| names.into_iter().collect())
}

/// The simplest implementation of a fuzzy word.
fn is_found(name: &str, word: &str) -> bool {
    let fold = |text: &str| {
        if word.contains(char::is_uppercase) {
            text.to_string()
        } else {
            text.to_lowercase()
        }
    };
    let mut rest = fold(name)
        .chars()
        .collect::<std::collections::VecDeque<_>>();
    fold(word)
        .chars()
        .all(|wanted| std::iter::from_fn(|| rest.pop_front()).any(|c| c == wanted))
}

proptest! {
    #[test]
    fn fuzzy_search_agrees_with_a_naive_one(names in some_names(), word in "[abcAé]{1,5}") {
        let methods: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let fixture = Fixture::of(&methods);
        let result = fixture.search(&word);
        let mut found: Vec<&str> = result.rows.iter().filter(|_| !result.is_approximate).map(|row| fixture.frames.name(row.frame)).collect();
        found.sort_unstable();
        let expect: Vec<&str> = names.iter().map(String::as_str).filter(|name| is_found(name, &word)).collect();
        prop_assert_eq!(found, expect);
        for row in result.rows.iter().filter(|_| !result.is_approximate) {
            let name: Vec<char> = fixture.frames.display_name(row.frame).chars().collect();
            let lit: String = row.positions.iter().map(|&at| name[at]).collect();
            prop_assert!(lit == word || lit.to_lowercase() == word, "{} lights up {}", word, lit);
        }
    }

    #[test]
    fn any_text_can_be_searched_for(names in prop::collection::btree_set(any::<String>(), 1..20), text in any::<String>()) {
        let names: Vec<String> = names.into_iter().collect();
        let methods: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let fixture = Fixture::of(&methods);
        let result = fixture.search(&text);
        prop_assert!(result.rows.len() <= result.total_matches);
        for row in &result.rows {
            let length = display_name(FrameKind::Method, fixture.frames.name(row.frame)).chars().count();
            prop_assert!(row.positions.iter().all(|&at| at < length));
        }
    }
}
