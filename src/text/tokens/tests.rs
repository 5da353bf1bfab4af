use super::*;

/// The expected numbers were counted with the tokenizers of o200k and cl100k; each is the larger of the two.
#[test]
fn estimates_are_near_what_tokenizers_make() {
    for (text, real) in [
        ("", 0),
        ("a", 1),
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("31.1 31.0 31.1 1,617.2 1,259 PriceRules.Discount", 25),
        ("{\"schema\":\"dotspot.report/1\",\"total\":5208.64}", 16),
    ] {
        let estimate = tokens(text);
        assert!(
            (real..=real + 4 + real / 5).contains(&estimate),
            "{text}: {estimate} and {real}"
        );
    }
}

#[test]
fn any_text_has_an_estimate() {
    for text in [
        "\u{1f469}\u{200d}\u{1f680}",
        "日本語",
        "   ",
        "\n\n",
        "→…",
        "ABCDEFGHIJKL",
        "x".repeat(100).as_str(),
    ] {
        assert!(tokens(text) >= 1, "{text:?}");
    }
}

#[test]
fn as_many_rows_are_taken_as_fit_rows() {
    let text = |rows: usize| {
        format!(
            "head\n{}left out: {}",
            "a row of text\n".repeat(rows),
            50 - rows
        )
    };
    for budget in [100, 120, 150, 200] {
        let fitted = fit_rows(budget, 50, text);
        let rows = fitted.matches("row").count();
        assert!(
            tokens(&fitted) <= budget && (rows == 50 || tokens(&text(rows + 1)) > budget),
            "{budget}: {rows}"
        );
    }
    assert_eq!(fit_rows(1_000, 50, text), text(50), "all of it");
    assert_eq!(
        fit_rows(1, 50, text),
        text(0),
        "nothing but what must be there"
    );
    assert_eq!(fit_rows(100, 0, text), text(0));
}
