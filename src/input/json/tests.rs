use super::tokens::{MAX_NUMBER_BYTES, MAX_STRING_BYTES};
use super::*;
use proptest::prelude::*;
use serde::Deserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use std::fmt::Write;
use std::io;

/// Returns pieces of these sizes, cyclically.
struct Pieces<'a> {
    rest: &'a [u8],
    sizes: Vec<usize>,
    next: usize,
}

impl<'a> Pieces<'a> {
    fn new(rest: &'a [u8], sizes: &[usize]) -> Self {
        Pieces {
            rest,
            sizes: sizes.to_vec(),
            next: 0,
        }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.next % self.sizes.len()]
            .max(1)
            .min(buffer.len())
            .min(self.rest.len());
        self.next += 1;
        let (now, later) = self.rest.split_at(size);
        buffer[..size].copy_from_slice(now);
        self.rest = later;
        Ok(size)
    }
}

/// All values with their kinds, on one line, to compare two readers.
fn transcript<R: Read>(reader: &mut JsonReader<R>) -> Result<String, JsonError> {
    let mut out = String::new();
    let mut open: Vec<bool> = Vec::new();
    loop {
        match reader.peek()? {
            JsonKind::Object => {
                reader.enter_object()?;
                out.push('{');
                open.push(true);
            }
            JsonKind::Array => {
                reader.enter_array()?;
                out.push('[');
                open.push(false);
            }
            JsonKind::String => write!(out, "{:?} ", reader.string()?).unwrap(),
            JsonKind::Number => out.push_str(&number_text(&reader.number()?)),
            JsonKind::Bool => write!(out, "{} ", reader.bool()?).unwrap(),
            JsonKind::Null => {
                assert!(reader.take_null()?);
                out.push_str("null ");
            }
        }
        loop {
            match open.last() {
                None => return reader.end().map(|()| out),
                Some(true) => {
                    if let Some(key) = reader.next_key()? {
                        write!(out, "{key:?}: ").unwrap();
                        break;
                    }
                    out.push('}');
                }
                Some(false) => {
                    if reader.next_element()? {
                        break;
                    }
                    out.push(']');
                }
            }
            open.pop();
        }
    }
}

fn number_text(number: &JsonNumber<'_>) -> String {
    match number.to_u64() {
        Some(whole) => format!("{whole} "),
        None => format!("{:?} ", number.to_f64()),
    }
}

struct Serde<'a>(&'a mut String);

impl<'de> de::DeserializeSeed<'de> for Serde<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Serde<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "any value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        write!(self.0, "{value} ").unwrap();
        Ok(())
    }
    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        write!(self.0, "{value} ").unwrap();
        Ok(())
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }
    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        write!(self.0, "{value:?} ").unwrap();
        Ok(())
    }
    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        write!(self.0, "{value:?} ").unwrap();
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push_str("null ");
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.push('[');
        while seq.next_element_seed(Serde(self.0))?.is_some() {}
        self.0.push(']');
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.push('{');
        while let Some(key) = map.next_key::<String>()? {
            write!(self.0, "{key:?}: ").unwrap();
            map.next_value_seed(Serde(self.0))?;
        }
        self.0.push('}');
        Ok(())
    }
}

fn by_serde(text: &[u8]) -> Result<String, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let mut out = String::new();
    deserializer.deserialize_any(Serde(&mut out))?;
    deserializer.end()?;
    Ok(out)
}

fn read(text: &[u8]) -> Result<String, JsonError> {
    transcript(&mut JsonReader::new(text))
}

fn skip(text: &[u8]) -> Result<(), JsonError> {
    let mut reader = JsonReader::with_buffer(text, 16);
    reader.skip()?;
    reader.end()
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(read(text.as_bytes()).unwrap(), expect);
    assert_eq!(skip(text.as_bytes()), Ok(()), "when it is skipped");
}

#[test]
fn values_of_every_kind() {
    check("null", "null ");
    check(" true\n", "true ");
    check("[false]", "[false ]");
    check(r#""""#, r#""" "#);
    check(r#"{}"#, "{}");
    check("[]", "[]");
    check("\u{feff}[1]", "[1 ]");
    check("[ [ ] , { } , \t\r\n 12 ]", "[[]{}12 ]");
    check(
        r#"{"a" : 1 , "b":[2,3], "" :{"c":null}}"#,
        r#"{"a": 1 "b": [2 3 ]"": {"c": null }}"#,
    );
}

#[test]
fn strings() {
    check(
        r#""a\"b\\c\/d\b\f\n\r\t""#,
        "\"a\\\"b\\\\c/d\\u{8}\\u{c}\\n\\r\\t\" ",
    );
    check(r#""\u0041\u00e4\u20AC\ud83d\ude00""#, "\"Aä€😀\" ");
    check(
        "\"Größe 値 😀 \u{7f}\u{80}\"",
        "\"Größe 値 😀 \\u{7f}\\u{80}\" ",
    );
    check(r#"{"k\u0065y": 1}"#, r#"{"key": 1 }"#);
    // unpaired surrogates
    check(r#""\ud83d""#, "\"\u{fffd}\" ");
    check(r#""\ude00\ud83d""#, "\"\u{fffd}\u{fffd}\" ");
    check(r#""\ud83dx\ude00\u0041""#, "\"\u{fffd}x\u{fffd}A\" ");
    check(r#""\ud83d\ud83d\ude00""#, "\"\u{fffd}😀\" ");
    check(r#""\\ud83d\n\udead\u0041""#, "\"\\\\ud83d\\n\u{fffd}A\" ");
}

#[test]
fn numbers() {
    check("0", "0 ");
    check("-0", "0 ");
    check("-1", "-1.0 ");
    check("18446744073709551615", "18446744073709551615 ");
    check("18446744073709551616", "1.8446744073709552e19 ");
    check("1.5", "1.5 ");
    check("1E3", "1000.0 ");
    check("1e-7", "1e-7 ");
    check("-2.5e+3", "-2500.0 ");
    check("0.1", "0.1 ");
    check("123456789.123456789", "123456789.12345679 ");
    check("5e-324", "5e-324 ");
    check("2.2250738585072011e-308", "2.225073858507201e-308 ");
    check("1e999", "inf ");
}

/// `expect` is the distance from 2^63.
#[track_caller]
fn check_instant(value: &str, scale: u64, expect: i128, is_clamped: bool) {
    let mut reader = JsonReader::new(value.as_bytes());
    let found = reader.number().unwrap().instant(scale);
    assert_eq!(
        (i128::from(found.value) - (1 << 63), found.is_clamped),
        (expect, is_clamped),
        "{value}"
    );
}

#[test]
fn instants_are_signed() {
    check_instant("0", 1, 0, false);
    check_instant("-0.0", 1_000_000, 0, false);
    check_instant("1.5", 1_000_000, 1_500_000, false);
    check_instant("-1.5", 1_000_000, -1_500_000, false);
    check_instant("6091.79986456842", 1_000_000, 6_091_799_865, false);
    check_instant(
        "1763719399877123.001",
        1_000,
        1_763_719_399_877_123_001,
        false,
    );
    check_instant("-1e3", 1_000, -1_000_000, false);
    check_instant("9223372036854775807", 1, i128::from(i64::MAX), false);
    check_instant("9223372036854775808", 1, i128::from(i64::MAX), true);
    check_instant("-9223372036854775808", 1, i128::from(i64::MIN), false);
    check_instant("-1e300", 1, i128::from(i64::MIN), true);
    check_instant("1e300", 1_000, i128::from(i64::MAX), true);
    assert_eq!(JsonNumber::instant_of_float(f64::NAN, 1), None);
    let clamped = Scaled {
        value: 0,
        is_clamped: true,
    };
    assert_eq!(
        JsonNumber::instant_of_float(f64::NEG_INFINITY, 1),
        Some(clamped)
    );
    assert_eq!(JsonNumber::scaled_float(-1.0, 1), clamped);
}

#[track_caller]
fn check_scaled(value: &str, scale: u64, expect: &str) {
    let mut reader = JsonReader::new(value.as_bytes());
    let Scaled { value, is_clamped } = reader.number().unwrap().scaled(scale);
    assert_eq!(
        format!("{value}{}", if is_clamped { " clamped" } else { "" }),
        expect
    );
}

#[test]
fn numbers_in_stored_steps() {
    check_scaled("0.000001", 1_000_000, "1");
    check_scaled("0.0000004", 1_000_000, "0");
    check_scaled("0.0000005", 1_000_000, "1");
    check_scaled("1.2345675", 1_000_000, "1234568");
    check_scaled("33.300000000000004", 1_000_000, "33300000");
    check_scaled("9007199254.740993", 1_000_000, "9007199254740993");
    check_scaled("18446744073709.551615", 1_000_000, "18446744073709551615");
    check_scaled(
        "18446744073709.551616",
        1_000_000,
        "18446744073709551615 clamped",
    );
    check_scaled("0.00000100000000000000000000000000001", 1_000_000, "1");
    check_scaled(
        "0.000001000000000000000000000000000000000000000001",
        1_000_000,
        "1",
    );
    check_scaled("18446744073709551615", 1, "18446744073709551615");
    check_scaled(
        "18446744073709551615",
        1_000_000,
        "18446744073709551615 clamped",
    );
    check_scaled("1e3", 1_000_000, "1000000000");
    check_scaled("1.5e-3", 1_000_000, "1500");
    check_scaled("1e300", 1, "18446744073709551615 clamped");
    check_scaled("1e999", 1, "18446744073709551615 clamped");
    check_scaled("-1", 1, "0 clamped");
    check_scaled("-1e9", 1, "0 clamped");
    check_scaled("-0.0", 1, "0");
    check_scaled("3.0", 1, "3");
}

#[track_caller]
fn check_wrong(text: &[u8], offset: u64, expect: &str) {
    let error = read(text).unwrap_err();
    assert_eq!(
        (error.offset(), error.problem().to_string().as_str()),
        (offset, expect)
    );
    let skipped = skip(text).unwrap_err();
    assert_eq!(
        (skipped.offset(), skipped.is_truncated()),
        (offset, error.is_truncated()),
        "when it is skipped"
    );
}

#[test]
fn errors_state_place_and_cause() {
    check_wrong(b"", 0, "the file ends unexpectedly here");
    check_wrong(b"  ", 2, "the file ends unexpectedly here");
    check_wrong(b"[1 2]", 3, "expected `,` or `]`, found `2`");
    check_wrong(b"[1,]", 3, "expected a value, found `]`");
    check_wrong(b"[,1]", 1, "expected a value, found `,`");
    check_wrong(b"{,}", 1, "expected a member's name in quotes, found `,`");
    check_wrong(
        b"{\"a\":1,}",
        7,
        "expected a member's name in quotes, found `}`",
    );
    check_wrong(b"{\"a\" 1}", 5, "expected `:`, found `1`");
    check_wrong(b"{\"a\":1]", 6, "expected `,` or `}`, found `]`");
    check_wrong(b"{a:1}", 1, "expected a member's name in quotes, found `a`");
    check_wrong(b"[1] x", 4, "expected the end of the file, found `x`");
    check_wrong(b"tru", 3, "the file ends unexpectedly here");
    check_wrong(b"trux", 3, "expected true, false or null, found `x`");
    check_wrong(b"NaN", 0, "expected a value, found `N`");
    check_wrong(b"01", 1, "expected a number's next part, found `1`");
    check_wrong(b"[-]", 2, "expected a number's next part, found `]`");
    check_wrong(b"[1.]", 3, "expected a number's next part, found `]`");
    check_wrong(b"[1.e3]", 3, "expected a number's next part, found `e`");
    check_wrong(b"[1e+]", 4, "expected a number's next part, found `]`");
    check_wrong(b"[.5]", 1, "expected a value, found `.`");
    check_wrong(b"[+1]", 1, "expected a value, found `+`");
    check_wrong(
        b"\"a\nb\"",
        2,
        "expected text without control characters, found the byte 0x0a",
    );
    check_wrong(
        b"\"a\x00\"",
        2,
        "expected text without control characters, found the byte 0x00",
    );
    check_wrong(
        b"\"\\x\"",
        2,
        "expected an escape such as `\\n` or `\\u00e4`, found `x`",
    );
    check_wrong(
        b"\"\\u12g4\"",
        5,
        "expected an escape such as `\\n` or `\\u00e4`, found `g`",
    );
    check_wrong(
        b"\"ab\xff\"",
        3,
        "expected text in UTF-8, found other bytes",
    );
    check_wrong(b"\"\xc3\"", 1, "expected text in UTF-8, found other bytes");
    check_wrong(
        b"\"\xed\xa0\x80\"",
        1,
        "expected text in UTF-8, found other bytes",
    );
    check_wrong(
        b"{\"\xc0\x80\":1}",
        2,
        "expected text in UTF-8, found other bytes",
    );
    check_wrong(b"\xff\xfe[\x00", 0, "expected a value, found the byte 0xff");
    check_wrong(b"\x1b[2J", 0, "expected a value, found the byte 0x1b");
}

#[test]
fn values_of_the_wrong_kind_are_named() {
    let error = |call: fn(&mut JsonReader<&[u8]>) -> Option<JsonError>, text: &str| {
        call(&mut JsonReader::new(text.as_bytes()))
            .unwrap()
            .to_string()
    };
    assert_eq!(
        error(|r| r.string().err(), " {}"),
        "at byte 1: expected a string, found an object"
    );
    assert_eq!(
        error(|r| r.number().err(), "\"1\""),
        "at byte 0: expected a number, found a string"
    );
    assert_eq!(
        error(|r| r.enter_object().err(), "[1]"),
        "at byte 0: expected an object, found an array"
    );
    assert_eq!(
        error(|r| r.enter_array().err(), "null"),
        "at byte 0: expected an array, found null"
    );
    assert_eq!(
        error(|r| r.bool().err(), "3"),
        "at byte 0: expected true or false, found a number"
    );
    assert_eq!(
        error(|r| r.raw_string().err(), "true"),
        "at byte 0: expected a string, found a truth value"
    );
}

const RICH: &str = "\u{feff}{\"schema\": \"x\", \"größe\": [1, -2.50, 3e+2, {\"a\\u00e4\\ud83d\\ude00\": null}, [[]], {}],\r\n\t\"t\": true , \"f\":false,\"値😀\":\"値\\n😀\" } ";

#[test]
fn every_truncation_is_recognized() {
    let whole = RICH.trim_end();
    for end in 0..whole.len() {
        let error = read(&whole.as_bytes()[..end]).unwrap_err();
        assert!(error.is_truncated(), "{end}: {error}");
        assert_eq!(error.offset(), end as u64);
        assert!(
            skip(&whole.as_bytes()[..end]).unwrap_err().is_truncated(),
            "{end}, skipped"
        );
    }
    assert!(read(whole.as_bytes()).is_ok());
}

#[test]
fn piece_sizes_make_no_difference() {
    let expect = read(RICH.as_bytes()).unwrap();
    for size in 1..40 {
        for buffer in [1, 2, 3, 7, 16, 64] {
            let mut reader =
                JsonReader::with_buffer(Pieces::new(RICH.as_bytes(), &[size, 1, size + 3]), buffer);
            assert_eq!(
                transcript(&mut reader).unwrap(),
                expect,
                "pieces of {size} bytes, a buffer of {buffer}"
            );
            let mut reader = JsonReader::with_buffer(Pieces::new(RICH.as_bytes(), &[size]), buffer);
            reader.skip().unwrap();
            reader.end().unwrap();
        }
    }
}

/// The numbers of an array and where it ends.
fn numbers_of(text: &str, buffer: usize, is_fast: bool) -> Result<(Vec<u64>, u64), JsonError> {
    let mut reader = JsonReader::with_buffer(text.as_bytes(), buffer);
    let mut found = Vec::new();
    reader.enter_array()?;
    loop {
        match is_fast.then(|| reader.next_short_number()).flatten() {
            Some(number) => found.push(number.into()),
            None if reader.next_element()? => {
                found.push(reader.number()?.to_u64().unwrap_or(u64::MAX))
            }
            None => return Ok((found, reader.offset())),
        }
    }
}

#[test]
fn the_fast_path_reads_short_numbers_correctly() {
    let mut rows: Vec<String> = [
        "[]",
        "[ ]",
        "[1 , 2]",
        "[ 1 ,2 ]",
        "[1,\n2]",
        "[1,  2]",
        "[1.5,2e3,3E1,-4,-0,0.0]",
        "[1,]",
        "[,1]",
        "[1,,2]",
        "[01]",
        "[1,00]",
        "[1 2]",
        "[1;2]",
        "[1}",
        "[1,2",
        "[1,2,",
        "[1,x]",
        "[1,\"2\"]",
        "[1,2\u{ba}]",
        "[1,/2]",
        "[1,:]",
    ]
    .map(str::to_string)
    .into();
    let numbers = [
        "0",
        "7",
        "42",
        "999",
        "1234",
        "56789",
        "102030",
        "9876543",
        "12345678",
        "123456789",
        "18446744073709551615",
    ];
    for separator in [",", ", "] {
        rows.push(format!("[{}]", numbers.join(separator)));
        rows.push(format!(
            "[{}]  ",
            numbers
                .map(|number| [number; 3].join(separator))
                .join(separator)
        ));
    }
    for row in rows {
        for buffer in 1..40 {
            let [fast, general] = [true, false].map(|is_fast| {
                let end = numbers_of(&row, buffer, is_fast);
                end.map_err(|error| (error.offset(), error.to_string()))
            });
            assert_eq!(fast, general, "{row}, a buffer of {buffer}");
        }
    }
}

#[test]
fn raw_strings_keep_their_escapes() {
    let mut reader = JsonReader::new(&br#"["a\u0062", "plain"]"#[..]);
    reader.enter_array().unwrap();
    assert!(reader.next_element().unwrap());
    let raw = reader.raw_string().unwrap();
    assert_eq!(raw.bytes(), br"a\u0062");
    assert_eq!(raw.decode().unwrap(), "ab");
    assert!(reader.next_element().unwrap());
    let raw = reader.raw_string().unwrap();
    assert!(matches!(raw.decode().unwrap(), Cow::Borrowed("plain")));
}

#[test]
fn a_million_levels_are_skipped_without_recursion_or_much_memory() {
    let deep = "[{\"a\":".repeat(500_000) + "1" + &"}]".repeat(500_000);
    let mut reader = JsonReader::new(deep.as_bytes());
    reader.skip().unwrap();
    reader.end().unwrap();
    assert_eq!(reader.buffer.len(), BUFFER_BYTES);
    assert!(
        skip(&deep.as_bytes()[..deep.len() - 1])
            .unwrap_err()
            .is_truncated()
    );
}

#[test]
fn long_skipped_strings_do_not_fill_the_buffer() {
    let text = format!("[\"{}\", 7]", "aä€😀\\n".repeat(50_000));
    let mut reader = JsonReader::with_buffer(text.as_bytes(), 64);
    reader.enter_array().unwrap();
    assert!(reader.next_element().unwrap());
    reader.skip().unwrap();
    assert_eq!(reader.buffer.len(), 64);
    assert!(reader.next_element().unwrap());
    assert_eq!(reader.number().unwrap().to_u64(), Some(7));
}

#[test]
fn absurdly_long_tokens_are_refused() {
    let endless = io::repeat(b'7');
    let error = JsonReader::new(endless).number().unwrap_err();
    assert_eq!(
        error.problem(),
        &JsonProblem::TooLong {
            limit_bytes: MAX_NUMBER_BYTES
        }
    );
    let endless = (&b"\""[..]).chain(io::repeat(b'x'));
    let mut reader = JsonReader::new(endless);
    assert_eq!(
        reader.string().unwrap_err().problem(),
        &JsonProblem::TooLong {
            limit_bytes: MAX_STRING_BYTES
        }
    );
}

#[test]
fn system_errors_and_cancellation_are_reported() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::ConnectionReset))
        }
    }
    let source = (&b"[1,"[..]).chain(Failing);
    let error = transcript(&mut JsonReader::new(source)).unwrap_err();
    assert!(
        matches!(error.problem(), JsonProblem::Unreadable(_)),
        "{error}"
    );
    assert_eq!(error.offset(), 3);

    let progress = Progress::default();
    progress.cancel();
    let mut reader = JsonReader::new(&b"[1]"[..]).watched_by(progress);
    assert_eq!(
        reader.skip().unwrap_err().into_import_error("f", "t"),
        crate::input::ImportError::Cancelled
    );
}

#[test]
fn an_error_becomes_a_sentence() {
    let mut reader = JsonReader::new(&b"[7"[..]);
    let error = reader
        .string()
        .map_err(in_member("name"))
        .map_err(in_member("outer"));
    assert_eq!(
        error
            .unwrap_err()
            .into_import_error("a.json", "call-tree JSON")
            .to_string(),
        "a.json: call-tree JSON, member `name` at byte 0 (0x0): expected a string, found an array; \
         the file is damaged or not in this format"
    );
}

/// Values with typical white space and escapes.
fn documents() -> impl Strategy<Value = String> {
    let space = prop::sample::select(vec!["", "", "", " ", "\n  ", "\t\r"]);
    let string = prop::collection::vec(
        prop_oneof![
            8 => "[a-zA-Z .<>`]{1,9}".prop_map(|s| s),
            2 => prop::sample::select(vec!["\\n", "\\\"", "\\\\", "\\/", "\\u00e4", "\\uD83D\\uDE00", "ä", "値", "😀", "\u{7f}"])
                .prop_map(String::from),
        ],
        0..4,
    )
    .prop_map(|parts| format!("\"{}\"", parts.concat()));
    let number = prop_oneof![
        any::<u64>().prop_map(|n| n.to_string()),
        any::<i32>().prop_map(|n| n.to_string()),
        // serde_json reads subnormal floats inexactly
        any::<f64>()
            .prop_filter("no such in JSON", |f| f.is_normal() || *f == 0.0)
            .prop_map(|f| format!("{f:?}")),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?".prop_map(|s| s),
    ];
    let leaf = prop_oneof![
        prop::sample::select(vec!["null", "true", "false"]).prop_map(String::from),
        number,
        string.clone(),
    ];
    let padded =
        (space.clone(), leaf, space.clone()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
    padded.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6)
                .prop_map(|items| format!("[{}]", items.join(","))),
            (
                prop::collection::vec((string.clone(), inner), 0..6),
                space.clone()
            )
                .prop_map(|(members, pad)| {
                    let members: Vec<String> = members
                        .into_iter()
                        .map(|(k, v)| format!("{pad}{k}{pad}:{v}"))
                        .collect();
                    format!("{{{}}}", members.join(","))
                }),
        ]
    })
}

/// serde_json and this reader agree. Without `float_roundtrip`, serde_json's floats can be off in the last digit;
/// other tests compare with the standard library.
fn agree(text: &[u8]) -> Result<(), TestCaseError> {
    let (ours, theirs, skipped) = (read(text), by_serde(text), skip(text));
    prop_assert_eq!(
        ours.is_ok(),
        skipped.is_ok(),
        "reading {:?}, skipping {:?}",
        ours,
        skipped
    );
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => prop_assert!(same(ours, theirs), "{} and {}", ours, theirs),
        (Err(_), Err(_)) => {}
        // known differences: this reader accepts unpaired surrogates and numbers of any size
        (Ok(_), Err(error)) => {
            let reason = error.to_string();
            let known = [
                "surrogate",
                "unexpected end of hex escape",
                "number out of range",
            ];
            prop_assert!(
                known.iter().any(|known| reason.contains(known)),
                "{}",
                reason
            );
        }
        (Err(ours), Ok(_)) => prop_assert!(false, "{ours}"),
    }
    Ok(())
}

fn same(ours: &str, theirs: &str) -> bool {
    let (mut a, mut b) = (ours.split(' '), theirs.split(' '));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => {
                let strip = |s: &str| s.trim_start_matches(['[', '{', ']', '}']).parse::<f64>();
                let (Ok(a), Ok(b)) = (strip(a), strip(b)) else {
                    return false;
                };
                if (a - b).abs() > a.abs() * 1e-15 {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_are_read_as_by_serde_json(text in documents()) {
        prop_assert!(by_serde(text.as_bytes()).is_ok() || text.contains('e') || text.contains('E'), "{}", text);
        agree(text.as_bytes())?;
    }

    #[test]
    fn damaged_documents_are_rejected_as_by_serde_json(
        text in documents(),
        at in any::<prop::sample::Index>(),
        byte in prop_oneof![prop::sample::select(b"{}[]\",:\\u0e.-tnx \n\x00\x1f\xc3\xff".to_vec()), any::<u8>()],
        change in 0..3,
    ) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        match change {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            _ => { bytes.remove(at); }
        }
        agree(&bytes)?;
    }

    #[test]
    fn pieces_and_buffers_make_no_difference(
        text in documents(),
        sizes in prop::collection::vec(1usize..9, 1..6),
        buffer in 1usize..20,
    ) {
        let mut reader = JsonReader::with_buffer(Pieces::new(text.as_bytes(), &sizes), buffer);
        prop_assert_eq!(transcript(&mut reader), read(text.as_bytes()));
    }

    #[test]
    fn floats_are_exact(value in any::<f64>(), text in "-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,20})?") {
        if value.is_finite() {
            let printed = format!("{value:?}");
            prop_assert_eq!(JsonReader::new(printed.as_bytes()).number().unwrap().to_f64().to_bits(), value.to_bits());
        }
        let expect: f64 = text.parse().unwrap();
        prop_assert_eq!(JsonReader::new(text.as_bytes()).number().unwrap().to_f64().to_bits(), expect.to_bits());
    }

    #[test]
    fn any_bytes_are_handled(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = read(&bytes);
        agree(&bytes)?;
    }

    #[test]
    fn special_bytes_are_found(bytes in prop::collection::vec(prop_oneof![3 => b' '..=0x7f, 1 => any::<u8>()], 0..40)) {
        let expect = bytes.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(bytes.len());
        prop_assert_eq!(scan::special(&bytes), expect);
    }
}
