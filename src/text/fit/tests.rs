use super::*;
use proptest::prelude::*;

#[test]
fn the_method_survives_a_cut() {
    let long = "Acme.Orders.Consumer+<>c__DisplayClass12_0.<HandleAsync>b__1";
    for (name, cells, expect) in [
        (long, 60, long),
        (long, 40, "Acme.Orders.Consumer+<…<HandleAsync>b__1"),
        ("PriceRules.Discount", 15, "PriceR…Discount"),
        ("PriceRules.Discount", 6, "P…ount"),
        ("Cache<A.B,C.D>.Get", 10, "Cache<…Get"),
        (
            "Acme!Acme.Book.Match(class System.String,int32)",
            24,
            "Acme!Acme.Book.Match(…)",
        ),
        (
            "Acme!Acme.Book.Match(class System.String,int32)",
            14,
            "Acme!Acm…Match",
        ),
        ("Program.Main (async)", 16, "Pro…Main (async)"),
        (
            "Orders (entered by Program.Main (async))",
            35,
            "Orders (by Program.Main (async))",
        ),
        (
            "Orders (entered by Program.Main (async))",
            26,
            "Orders (by P…Main (async))",
        ),
        (
            "Orders (entered by Program.Main (async))",
            19,
            "Orders (entered b…)",
        ),
        ("Orders (entered by Program.Main (async))", 12, "Orders"),
        ("Orders (entered by Program.Main (async))", 5, "O…ers"),
        (long, 2, "…1"),
        (long, 1, "…"),
        (long, 0, ""),
        ("値値値値", 5, "…値値"),
    ] {
        let fitted = fit_name(name, cells);
        assert!(width(&fitted) <= cells, "{fitted:?} in {cells}");
        assert_eq!(fitted, expect);
    }
    assert_eq!(fit_end("値値値値", 5), "値値…");
    assert_eq!(fit_start("値値値値", 4), "…値");
}

/// Names come from profiles, where they may be megabytes long.
#[test]
fn only_the_ends_of_long_names_are_measured() {
    let begin = std::time::Instant::now();
    for part in [" (a b)", " (entered by ", "(", ")", "a.", "\u{301}", "值"] {
        let long = format!("Run{}", part.repeat((1 << 20) / part.len()));
        for cells in [0, 1, 40, 200] {
            let fitted = fit_name(&long, cells);
            assert!(width(&fitted) <= cells, "{part:?} in {cells}");
        }
    }
    let long = format!("Run{}", " (a b)".repeat(100));
    assert_eq!(fit_name(&long, 20), "Run (a b) (a b)");
    let arguments = format!("Book.Match({})", "int32,".repeat(1 << 18));
    assert_eq!(fit_name(&arguments, 20), "Book.Match(…)");
    assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
}

proptest! {
    #[test]
    fn nothing_is_wider_than_its_space(text in "\\PC{0,40}", cells in 0usize..50) {
        prop_assert!(width(&fit_name(&text, cells)) <= cells);
        prop_assert!(width(&fit_end(&text, cells)) <= cells);
        prop_assert!(width(&fit_start(&text, cells)) <= cells);
    }
}
