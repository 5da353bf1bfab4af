use super::*;

#[test]
fn values_match_ignoring_case_and_inside_words() {
    let all = [
        "Shop.Read",
        "Book.Reads",
        "Pool.Unread",
        "shop.Read",
        "Shop.Read",
    ];
    let check = |typed: &str, is_bash, expect: &[&str]| {
        let found = fitting(candidates(all.map(String::from).to_vec()), typed, is_bash);
        let found: Vec<&str> = found.iter().map(|(value, _)| value.as_str()).collect();
        assert_eq!(found, expect, "{typed}");
    };
    check(
        "",
        false,
        &["Shop.Read", "Book.Reads", "Pool.Unread", "shop.Read"],
    );
    check("Rea", false, &["Read", "Reads", "Pool.Unread"]);
    check("Rea", true, &["Read", "Reads"]);
    check("rea", true, &["Read", "Reads"]);
    check("shop", true, &["shop.Read"]);
    check("nrea", true, &["Pool.Unread"]);
    check(
        "ea",
        true,
        &["Shop.Read", "Book.Reads", "Pool.Unread", "shop.Read"],
    );
    check("x", false, &[]);
    // all that they share is less than what is typed
    let lost = fitting(
        candidates(vec!["PoolRead".into(), "PrimeRead".into()]),
        "rea",
        true,
    );
    assert!(lost.is_empty());
}

/// A full name is offered only to users who type one.
#[test]
fn full_names_match_too() {
    let methods = || {
        let method = |name: &str, full: &str| (name.to_string(), Some(full.to_string()));
        vec![
            method("Rules.Discount", "Acme.Orders.Rules.Discount"),
            method("Main", "Main"),
        ]
    };
    let check = |typed: &str, value: &str, help: Option<&str>| {
        for is_bash in [false, true] {
            let found = fitting(methods(), typed, is_bash);
            assert_eq!(found, [(value.to_string(), help.map(String::from))]);
        }
    };
    check("Acme.Or", "Acme.Orders.Rules.Discount", None);
    check(
        "Rules.",
        "Rules.Discount",
        Some("Acme.Orders.Rules.Discount"),
    );
    check("Mai", "Main", None);
}

#[test]
fn the_completed_word_may_be_in_the_middle() {
    let check = |index, expect: &str| {
        let words = ["dotspot", "--", "dotspot", "hotspots", "", "a.nettrace"];
        let words = words.into_iter().map(OsString::from);
        assert_eq!(requested_word(words, index), expect);
    };
    check(Some("2"), "");
    check(Some("1"), "hotspots");
    check(Some("9"), "");
    check(None, "a.nettrace");
    check(Some("x"), "a.nettrace");
}
