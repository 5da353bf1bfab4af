use super::*;
use serde::Deserialize;
use std::io::Cursor;

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct Inner {
    rows: Vec<u32>,
    times: Vec<u64>,
    weights: Vec<i128>,
    name: String,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct Outer {
    inner: Vec<Inner>,
    one: Option<u64>,
}

fn read(text: &str) -> Result<(Outer, bool), JsonError> {
    let mut reader = JsonReader::with_buffer(Cursor::new(text.as_bytes()), 7);
    let mut values = JsonValues::new(&mut reader);
    let outer = Outer::deserialize(&mut values)?;
    Ok((outer, values.unexpected_end.is_some()))
}

const TEXT: &str = r#"{"x":[{}],"inner":[{"rows":[1,null,-1,4294967296,2.5],"rows":[7],"times":[0.5,-1,null],
        "weights":[1.5,-0.000001,"",9223372036854775807],"name":12.50},null,[3]],"one":null,"one":2}"#;

#[test]
fn values_are_exact_and_anomalies_are_counted() {
    let (outer, is_cut) = read(TEXT).unwrap();
    let zero = super::super::ZERO_INSTANT;
    let inner = Inner {
        rows: vec![1, u32::MAX, u32::MAX, u32::MAX, u32::MAX],
        times: vec![zero + 500_000, zero - 1_000_000, u64::MAX],
        weights: vec![1_500_000, -1, i128::MIN, 9_223_372_036_854_775_807_000_000],
        name: "12.50".into(),
    };
    assert_eq!(outer.inner, [inner, Inner::default(), Inner::default()]);
    assert_eq!((outer.one, is_cut), (Some(zero + 2_000_000), false));
    let error = read(r#"{"inner":[{"rows":7}]}"#).unwrap_err();
    assert_eq!(error.offset(), 18);
    let sentence = error.into_import_error("a.json", "A").to_string();
    assert!(sentence.contains("member `rows`") && sentence.contains("expected an array"));
}

#[test]
fn texts_may_be_truncated_anywhere() {
    let (whole, _) = read(TEXT).unwrap();
    // a truncated number is a number, too
    let is_in_number = |end: &usize| b"-.0123456789".contains(&TEXT.as_bytes()[end - 1]);
    for end in (1..TEXT.len()).filter(|end| !is_in_number(end)) {
        let (part, is_cut) = read(&TEXT[..end]).unwrap();
        assert!(is_cut, "{end}");
        let starts = |of: fn(&Inner) -> Vec<i128>| {
            part.inner
                .iter()
                .zip(&whole.inner)
                .all(|(part, whole)| of(whole).starts_with(&of(part)))
        };
        assert!(
            starts(|of| of.rows.iter().map(|&row| row.into()).collect()),
            "{end}"
        );
        assert!(
            starts(|of| of.times.iter().map(|&time| time.into()).collect()),
            "{end}"
        );
        assert!(starts(|of| of.weights.clone()), "{end}");
    }
}
