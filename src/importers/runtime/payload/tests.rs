use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(|digit| !digit.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

#[track_caller]
fn check(spelling: FieldFormat, metadata: &str, payload: &str, expect: &[&str]) {
    let (metadata, payload) = (bytes(metadata), bytes(payload));
    let fields = spelling.fields(&mut Cursor::new(&metadata)).unwrap();
    let text = |payload: &[u8]| -> Option<Vec<String>> {
        let values = decode(&fields, payload)?;
        let text = |(name, value): (&str, String)| format!("{name}: {value}");
        Some(values.into_iter().map(text).collect())
    };
    assert_eq!(text(&payload).unwrap(), expect);
    // a truncated payload yields nothing, wherever it ends
    for end in 0..metadata.len() {
        let read = spelling.fields(&mut Cursor::new(&metadata[..end]));
        assert_eq!(read, None, "{end} bytes of metadata");
    }
    for end in 0..payload.len().saturating_sub(4) {
        assert_eq!(text(&payload[..end]), None, "{end} bytes of payload");
    }
}

/// From `eventpipe-dotnetcore2.1-linux-x64-tracelogging.netperf` in microsoft/perfview.
#[test]
fn fields_of_self_describing_events_are_read() {
    check(
        FieldFormat::TypeFirst,
        "02000000 09000000 69000000 12000000 73000000",
        "01000000 480065006c006c006f00200057006f0072006c0064002100 0000",
        &["i: 1", "s: Hello World!"],
    );
    check(
        FieldFormat::TypeFirst,
        "01000000 01000000 02000000 \
         01000000 01000000 12000000 6600690065006c006400310037000000 730074007200750063007400560061006c000000 \
         09000000 69000000 0000",
        "680065006c006c006f00200077006f0072006c00640021000000 2a000000",
        &[": {structVal: {field17: hello world!}, i: 42}"],
    );
}

/// From `eventpipe-dotnetcore5.0-win-x64-arraytypes.nettrace` there, with the values in TraceEvent's baseline.
#[test]
fn arrays_are_read() {
    check(
        FieldFormat::Sized,
        "03000000 16000000 610072006700300000001300 0000 0a000000 \
         16000000 61007200670031000000 13000000 07000000 12000000 61007200670032000000 0b000000",
        "0600 7be42a79f983db5f80b69e57c30ae40bbc4ad74993cc7451 0500 7e67db42c3e3a2491b6d 3f7c337900000000",
        &[
            "arg0: [2032854139, 1608221689, 1470019200, 199494339, 1238846140, 1366609043]",
            "arg1: [26494, 17115, -7229, 18850, 27931]",
            "arg2: 2033417279",
        ],
    );
    check(
        FieldFormat::Sized,
        "01000000 16000000 61007200670030000000 13000000 04000000",
        "0500 a3e7af338d96ef1ce48b",
        &["arg0: [\u{e7a3}, \u{33af}, \u{968d}, \u{1cef}, \u{8be4}]"],
    );
}

/// Written by hand from the description of version 6.
#[test]
fn fields_of_version_6_are_read() {
    check(
        FieldFormat::Short,
        "0600 0300 01 61 14 0300 01 62 15 0300 01 63 17 0300 01 64 1a 0300 01 65 0d 0600 01 66 16 0200 06",
        "03 ac02 0300 6c6f63 01 0000c03f 0708",
        &[
            "a: -2",
            "b: 300",
            "c: loc",
            "d: true",
            "e: 1.5",
            "f: [7, 8]",
        ],
    );
}

#[test]
fn descriptions_never_read_past_their_bytes() {
    // four nested objects without an end
    let nested = [1u32, 1].map(u32::to_le_bytes).concat().repeat(100);
    let read = |spelling: FieldFormat, bytes: &[u8]| spelling.fields(&mut Cursor::new(bytes));
    assert_eq!(read(FieldFormat::TypeFirst, &nested), None);
    assert_eq!(read(FieldFormat::TypeFirst, &[0xff; 64]), None);
    // a list of 65,535 lists of 65,535 objects without fields
    let none = FieldType::Object(Vec::new());
    let list = |of: FieldType| FieldType::List(Some(u16::MAX), Box::new(of));
    let fields = [("x".to_string(), list(list(none)))];
    assert_eq!(decode(&fields, &[0; 8]), None);
}
