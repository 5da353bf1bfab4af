use super::super::args::CommandLine;
use super::*;
use crate::input::Failure;
use clap::Parser as _;

#[track_caller]
fn check(
    failed: Failed,
    code: u8,
    stage: Option<&'static str>,
    sentence: &str,
    advice: Option<&str>,
) {
    let advice = advice.map(String::from);
    assert_eq!(
        failed,
        Failed {
            schema: "dotspot.error/1",
            code,
            stage,
            sentence: sentence.into(),
            advice
        }
    );
}

#[test]
fn errors_are_split_into_parts() {
    let of = |error: anyhow::Error| Failed::of(&error);
    let failure = || Failure::new("a.dtp", "dotTrace snapshot, section 0x1100", "is odd").at(16);
    let odd = "a.dtp: dotTrace snapshot, section 0x1100 at byte 16 (0x10): is odd";
    check(
        of(ImportError::from(failure()).into()),
        1,
        Some("dtp"),
        odd,
        None,
    );
    let staged = failure()
        .stage(Stage::Layout)
        .advice("copy it")
        .suggest_doctor();
    check(
        of(ImportError::from(staged).into()),
        11,
        Some("layout"),
        "a.dtp: stage layout: dotTrace snapshot, section 0x1100 at byte 16 (0x10): is odd",
        Some("copy it, and `dotspot doctor FILE` says what else can read it"),
    );
    check(
        of(ImportError::Cancelled.into()),
        1,
        None,
        "cancelled",
        None,
    );
    check(
        of(QueryError::usage("--to: no").advice("yes").into()),
        2,
        None,
        "--to: no",
        Some("yes"),
    );
    check(of(anyhow::anyhow!("b").context("a")), 1, None, "a: b", None);
}

#[test]
fn clap_errors_are_split_into_parts() {
    let of =
        |line: &[&str]| Failed::from_arguments(&CommandLine::try_parse_from(line).unwrap_err());
    check(
        of(&["dotspot", "hotspots", "a", "--topp", "3"]),
        2,
        None,
        "unexpected argument '--topp' found",
        Some("a similar argument exists: '--top'"),
    );
    check(
        of(&["dotspot", "hotspots", "a", "--by", "42"]),
        2,
        None,
        "invalid value '42' for '--by <BY>' [possible values: exclusive, inclusive, own-system]",
        None,
    );
    check(
        of(&["dotspot", "callers", "a"]),
        2,
        None,
        "the following required arguments were not provided: <METHOD>",
        None,
    );
}

#[test]
fn json_is_requested_before_the_first_non_option() {
    let asks = |line: &[&str]| has_json_flag(line.iter().map(OsString::from));
    assert!(asks(&["dotspot", "info", "--json", "--top"]));
    assert!(!asks(&["dotspot", "info", "--", "--json"]));
    assert!(!asks(&["--json", "info"]));
}
