use super::*;

#[test]
fn entries_have_their_lines() {
    let text = "\u{feff}theme = \"light\"\n\n[keys]\nsearch = ['/', 'f5']\nhelp = 4\n";
    let (found, wrong) = entries("c.toml", text);
    let found: Vec<_> = found
        .iter()
        .map(|entry| (entry.key.as_str(), entry.at.as_str(), entry.value.clone()))
        .collect();
    let text = |text: &str| text.to_string();
    assert_eq!(
        found,
        [
            ("theme", "c.toml:1", Value::Text(text("light"))),
            (
                "keys.search",
                "c.toml:4",
                Value::List(["/", "f5"].map(|key| Value::Text(text(key))).to_vec())
            ),
            ("keys.help", "c.toml:5", Value::Number(4)),
        ]
    );
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_broken_line_affects_no_other() {
    let (found, wrong) = entries("c.toml", "unit = 'ms'\ntheme = \nfold = 'none'\n");
    let keys: Vec<&str> = found.iter().map(|entry| entry.key.as_str()).collect();
    assert!(keys.contains(&"unit") && keys.contains(&"fold"), "{keys:?}");
    assert!(!keys.contains(&"theme"), "{keys:?}");
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].starts_with("c.toml:2: not TOML: "), "{wrong:?}");
}

#[test]
fn the_nearest_name_is_suggested() {
    let known = ["theme", "metric", "order"];
    for (name, expect) in [
        ("themee", "themee is unknown; did you mean theme?"),
        (
            "foo",
            "foo is unknown; one of these is expected: theme, metric, order",
        ),
        ("Metric", "Metric is unknown; did you mean metric?"),
        (
            "x",
            "x is unknown; one of these is expected: theme, metric, order",
        ),
    ] {
        assert_eq!(unknown(name, &known), expect);
    }
    // a word of several names is the shortest of these
    let commands = ["find", "flame-beside", "show-flame", "list-methods"];
    for (name, expect) in [
        ("flame", "flame is unknown; did you mean show-flame?"),
        ("methods", "methods is unknown; did you mean list-methods?"),
        ("fin", "fin is unknown; did you mean find?"),
    ] {
        assert_eq!(unknown(name, &commands), expect);
    }
}

/// Nested a hundred thousand deep, with control characters, with ten thousand wrong entries: a bounded number of sentences.
#[test]
fn hostile_files_get_a_screenful() {
    let nested = format!("a = {}", "[".repeat(60_000));
    let tables = format!("[{}]\nx = 1", "a.".repeat(30_000) + "a");
    let many: String = (0..5_000).map(|at| format!("k{at} = 1\n")).collect();
    let odd = "\"\u{1b}[31m\" = \"\u{7}\"\n\0\n";
    for text in [nested.as_str(), &tables, &many, odd, "'", "\"\"\"", "= = ="] {
        let problems = read_entries("c.toml", text, |entry| Err(unknown(&entry.key, &["theme"])));
        assert!(!problems.is_empty() && problems.len() <= 2 * MAX_PROBLEMS + 1);
        let chars: usize = problems.iter().map(|line| line.chars().count()).sum();
        assert!(chars < 10_000, "{chars}");
    }
}

#[test]
fn only_small_regular_files_of_text_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.toml");
    assert!(
        read(folder.path())
            .unwrap_err()
            .ends_with("not a regular file")
    );
    assert!(read(&path).is_err());
    std::fs::write(&path, vec![b'#'; MAX_BYTES as usize]).unwrap();
    assert!(read(&path).is_ok());
    std::fs::write(&path, vec![b'#'; MAX_BYTES as usize + 1]).unwrap();
    assert!(read(&path).unwrap_err().ends_with("larger than 64 kB"));
    std::fs::write(&path, b"\xff").unwrap();
    assert!(read(&path).unwrap_err().ends_with("not UTF-8"));
    std::fs::write(&path, b"\xff\xfea\0\xfc\0\r\0\n\0").unwrap();
    assert_eq!(read(&path).unwrap(), "a\u{fc}\r\n");
    std::fs::write(&path, b"\xff\xfe\0\xd8").unwrap();
    assert!(read(&path).unwrap_err().ends_with("not UTF-8"));
}
