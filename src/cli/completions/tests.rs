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
        let found = fitting(named(all), typed, is_bash);
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
    // their common prefix is shorter than the typed text
    let lost = fitting(named(["PoolRead", "PrimeRead"]), "rea", true);
    assert!(lost.is_empty());
}

#[test]
fn names_run_no_commands() {
    let quoted = |word: &str, shell: &str| {
        let candidate = for_shell(CompletionCandidate::new(word), OsStr::new(shell))?;
        Some(candidate.get_value().to_str().unwrap().to_string())
    };
    for (word, bash, powershell) in [
        ("List.Add", "List.Add", "List.Add"),
        ("a $(b)", r"a\ \$\(b\)", "'a $(b)'"),
        ("it's", r"it\'s", "'it''s'"),
        // as its tokenizer reads them: each of four quotes ends a string, and two are one
        (
            "a\u{2019}; b",
            "a\\\u{2019}\\;\\ b",
            "'a\u{2019}\u{2019}; b'",
        ),
        // PowerShell takes it for a list
        ("Add(a,b)", r"Add\(a,b\)", "'Add(a,b)'"),
        (r"C:\My Files\", r"C:\\My\ Files\\", r"'C:\My Files\'"),
        (r"C:\a.etl", r"C:\\a.etl", r"C:\a.etl"),
        ("~/a b", r"~/a\ b", "'~/a b'"),
    ] {
        assert_eq!(quoted(word, "bash").as_deref(), Some(bash));
        assert_eq!(quoted(word, "powershell").as_deref(), Some(powershell));
        assert_eq!(quoted(word, "fish").as_deref(), Some(word));
        assert_eq!(unquoted(bash, OsStr::new("bash")), word);
        assert_eq!(unquoted(word, OsStr::new("powershell")), word);
    }
    assert_eq!(quoted("a\u{1b}[31m", "fish"), None);
}
