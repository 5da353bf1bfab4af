use super::*;
use std::io::Cursor;

#[track_caller]
fn check(bytes: &[u8], expect: &[&str]) {
    let input = Input::stream(
        "test",
        Box::new(Cursor::new(bytes.to_vec())),
        Progress::default(),
    )
    .unwrap();
    let mut lines = Lines::new(input, "text");
    let mut found = Vec::new();
    while let Some(line) = lines.next(0).unwrap() {
        found.push(String::from_utf8_lossy(line).into_owned());
    }
    assert_eq!(found, expect);
    assert_eq!(lines.number, expect.len() as u64);
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn lines_are_read_in_every_encoding() {
    check(b"", &[]);
    check(b"\n\r\n", &["", ""]);
    check(b"a 1\r\nb\rc 2", &["a 1", "b\rc 2"]);
    check(b"\xEF\xBB\xBFa\n", &["a"]);
    check(b"\xEF\xBB\xBF", &[]);
    check(b"caf\xe9 \xff\n", &["caf\u{fffd} \u{fffd}"]);
    let text = "Größe 値 🙂 1\r\n🙂";
    for unit in [u16::to_le_bytes, u16::to_be_bytes] {
        check(
            &utf16(&format!("\u{feff}{text}"), unit),
            &["Größe 値 🙂 1", "🙂"],
        );
        check(&utf16(text, unit), &["Größe 値 🙂 1", "🙂"]);
    }
    // unpaired surrogates: high, at the end, low, and before a pair; then half a unit
    check(&[0x61, 0, 0x3d, 0xd8, 0x62, 0], &["a\u{fffd}b"]);
    check(&[0x61, 0, 0x3d, 0xd8], &["a\u{fffd}"]);
    check(&[0x61, 0, 0x42, 0xde, 0x62, 0], &["a\u{fffd}b"]);
    check(
        &[0x61, 0, 0x3d, 0xd8, 0x3d, 0xd8, 0x42, 0xde],
        &["a\u{fffd}🙂"],
    );
    check(&[0x61, 0, 0x62], &["a"]);
}

#[test]
fn line_length_is_limited() {
    let bytes = io::repeat(b'a').take(MAX_LINE_BYTES as u64 + 100);
    let input = Input::stream("test", Box::new(bytes), Progress::default()).unwrap();
    let error = Lines::new(input, "text").next(0).unwrap_err().to_string();
    assert!(error.contains("line 1 is longer than"), "{error}");
}
