use super::*;

#[track_caller]
fn check(text: &str, expect: Result<(Subject, &[Increase]), &str>) {
    let read = Condition::parse(text).map(|condition| (condition.subject, condition.increases));
    let expect = expect
        .map(|(subject, more)| (subject, more.to_vec()))
        .map_err(String::from);
    assert_eq!(read.map_err(|error| error.sentence), expect);
}

#[test]
fn conditions_are_read() {
    check(
        "own(Rules.Discount) > +10%",
        Ok((
            Subject::Method("exclusive", "Rules.Discount".into()),
            &[Increase::Percent(10.0)],
        )),
    );
    check(
        "own( Rules.Tax(Int32) )>2",
        Ok((
            Subject::Method("exclusive", "Rules.Tax(Int32)".into()),
            &[Increase::Number(2.0)],
        )),
    );
    check(
        " any user method > +5% and > 20ms ",
        Ok((
            Subject::Any {
                only_user_code: true,
            },
            &[Increase::Percent(5.0), Increase::Nanoseconds(20e6)],
        )),
    );
    check(
        "any method > 1.5s",
        Ok((
            Subject::Any {
                only_user_code: false,
            },
            &[Increase::Nanoseconds(1.5e9)],
        )),
    );
    check(
        "total > 3 µs",
        Ok((Subject::Total, &[Increase::Nanoseconds(3e3)])),
    );
    check(
        "calls(a.b) > 100",
        Ok((
            Subject::Method("calls", "a.b".into()),
            &[Increase::Number(100.0)],
        )),
    );
    check(
        "inclusive(a.b) > 1us",
        Ok((
            Subject::Method("inclusive", "a.b".into()),
            &[Increase::Nanoseconds(1e3)],
        )),
    );
}

#[test]
fn errors_state_their_position() {
    for (text, at, found) in [
        ("", 1, "its end"),
        ("self(a) > 1%", 1, "`self(a)`"),
        ("own a > 1%", 5, "`a`"),
        ("own() > 1%", 5, "`)`"),
        ("own(a > 1%", 11, "its end"),
        ("own(a) < 1%", 8, "`<`"),
        ("own(a) > ten", 10, "`ten`"),
        ("own(a) > 1% or > 2%", 13, "`or`"),
        ("any > 1%", 5, "`>`"),
    ] {
        let error = Condition::parse(text).unwrap_err();
        let sentence = error.sentence;
        assert!(
            sentence.contains(&format!("at character {at},"))
                && sentence.ends_with(&format!("found {found}")),
            "{sentence}"
        );
    }
}
