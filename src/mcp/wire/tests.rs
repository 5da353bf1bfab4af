use super::*;

/// The result of lines: `+` for a message, otherwise the code and the id of an error.
#[track_caller]
fn check(lines: &str, expect: &[&str]) {
    let (mut input, mut line, mut found) = (lines.as_bytes(), Vec::new(), Vec::new());
    while let Some(read) = next_line(&mut input, &mut line).unwrap() {
        match read.and_then(|()| message(&line)) {
            Ok(None) => {}
            Ok(Some(_)) => found.push("+".to_string()),
            Err(refused) => found.push(format!("{} {}", refused.code, refused.id)),
        }
    }
    assert_eq!(found, expect, "{}", &lines[..lines.len().min(200)]);
}

#[test]
fn lines_are_messages_or_refused() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    check(
        &format!("{ping}\n\n  \r\n{ping}\r\n{ping}"),
        &["+", "+", "+"],
    );
    check("{\n", &["-32700 null"]);
    check(&format!("[{ping}]\n7\n"), &["-32600 null", "-32600 null"]);
    check(
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n{}\n",
        &["-32600 null", "-32600 null"],
    );
    check(
        r#"{"jsonrpc":"2.0","id":"a","method":7}"#,
        &["-32600 \"a\""],
    );
    check("\u{0}\u{7f}\n", &["-32700 null"]);
    check(&format!("{}\n", "[".repeat(100_000)), &["-32700 null"]);
}

#[test]
fn an_overlong_line_is_skipped() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let longest = format!("{ping}{}", " ".repeat(MAX_LINE_BYTES - ping.len()));
    check(&format!("{longest}\n{ping}\n"), &["+", "+"]);
    check(&format!("{longest} \n{ping}\n"), &["-32600 null", "+"]);
    check(&format!("{longest} "), &["-32600 null"]);
}
