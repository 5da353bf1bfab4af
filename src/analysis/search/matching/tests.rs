use super::*;

#[test]
fn case_folding_preserves_lengths() {
    assert_eq!(
        "Größe ÄÖ ΣΩ İẞ\u{212a}"
            .chars()
            .map(fold)
            .collect::<String>(),
        "größe äö σω İẞ\u{212a}"
    );
}

#[test]
fn subsequences() {
    for (hay, needle, expect) in [
        ("pricerules.evaluate", "prev", true),
        ("pricerules.evaluate", "verp", false),
        ("abc", "abc", true),
        ("abc", "abcc", false),
        ("größe", "gß", true),
        ("größe", "ßö", false),
        ("", "a", false),
        // the second bytes of `ã` and of `£` are the same
        ("ã", "£", false),
    ] {
        assert_eq!(is_subsequence(hay, needle), expect, "{needle} in {hay}");
    }
}

#[test]
fn words() {
    let starts = |name: &str| -> String {
        name.char_indices()
            .filter(|(at, _)| is_word_start(name, *at))
            .map(|(_, c)| c)
            .collect()
    };
    assert_eq!(starts("PriceRules.get_Item"), "PRgI");
    assert_eq!(starts("HTTPClient2.X (async)"), "HX(a");
    assert_eq!(starts("größeÄndern"), "gÄ");
}

#[test]
fn occurrences_prefer_the_start_of_a_word() {
    let find = |name: &str, needle: &str| occurrence(name, &name.to_lowercase(), needle);
    assert_eq!(find("Reread.Read", "read"), Some(7));
    assert_eq!(find("Reread.Spread", "read"), Some(2));
    assert_eq!(find("Reread", "readx"), None);
    assert_eq!(find("Reread", "rereadx"), None);
    assert_eq!(occurrence("Größe.Öl", "größe.öl", "öl"), Some(8));
}

#[test]
fn own_names() {
    for (name, own) in [
        ("PriceRules.Evaluate", "Evaluate"),
        ("Evaluate", "Evaluate"),
        ("OrderBook..ctor", "ctor"),
        ("Box<Program.Main>.MoveNext", "MoveNext"),
        ("Book.Find<A.B>", "Find<A.B>"),
        ("Program.Main.lambda 2 (async)", "lambda 2 (async)"),
    ] {
        assert_eq!(&name[own_name_start(name)..], own);
    }
}
