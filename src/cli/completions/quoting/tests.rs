use super::*;

#[test]
fn names_never_run_commands() {
    let quoted = |word: &str, shell: &str, quote| {
        let candidate = for_shell(CompletionCandidate::new(word), shell, quote)?;
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
        // a list, to it
        ("Add(a,b)", r"Add\(a,b\)", "'Add(a,b)'"),
        (r"C:\My Files\", r"C:\\My\ Files\\", r"'C:\My Files\'"),
        (r"C:\a.etl", r"C:\\a.etl", r"C:\a.etl"),
        ("~/a b", r"~/a\ b", "'~/a b'"),
    ] {
        assert_eq!(quoted(word, "bash", None).as_deref(), Some(bash));
        assert_eq!(
            quoted(word, "powershell", None).as_deref(),
            Some(powershell)
        );
        assert_eq!(quoted(word, "fish", None).as_deref(), Some(word));
        assert_eq!(TypedWord::new(bash, "bash").word, word);
        assert_eq!(TypedWord::new(word, "powershell").word, word);
    }
    assert_eq!(quoted("a\u{1b}[31m", "fish", None), None);
    for (word, quote, expect) in [
        ("a!", '"', r#"a"\!""#),
        ("a\"", '"', r#"a\""#),
        ("a'", '\'', r"a'\''"),
    ] {
        // bash adds the closing quote unless there already is one
        let ended = format!("{expect}{quote}");
        assert_eq!(quoted(word, "bash", Some(quote)), Some(ended.clone()));
        let typed = TypedWord::new(&format!("{quote}{ended}"), "bash");
        assert_eq!((typed.word.as_str(), typed.quote), (word, None));
    }
    for (word, double, single) in [
        ("List<T>.Add", "List<T>.Add", "List<T>.Add"),
        ("it's", "it's", r"it'\''s"),
        (r#"$(a) "`\"#, r#"\$(a) \"\`\\"#, r#"$(a) "`\"#),
        ("a!b", r#"a"\!"b"#, "a!b"),
    ] {
        assert_eq!(quoted(word, "bash", Some('"')).as_deref(), Some(double));
        assert_eq!(quoted(word, "bash", Some('\'')).as_deref(), Some(single));
        for (quote, quoted) in [('"', double), ('\'', single)] {
            let typed = TypedWord::new(&format!("{quote}{quoted}"), "bash");
            assert_eq!((typed.word.as_str(), typed.quote), (word, Some(quote)));
            let typed = TypedWord::new(&format!("{quote}{quoted}{quote}"), "bash");
            assert_eq!((typed.word.as_str(), typed.quote), (word, None));
        }
    }
}

#[test]
fn words_are_read_as_their_shell_does() {
    let check = |shell: &str, typed: &str, word: &str| {
        assert_eq!(TypedWord::new(typed, shell).word, word, "{shell}: {typed}");
    };
    check("bash", r#"a"b c"\ d'e\'"#, r"ab c de\");
    check("fish", r"'it\'s", "it's");
    check("zsh", r#""a\b\$c"#, r"a\b$c");
}
