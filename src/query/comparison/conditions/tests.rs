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
            Subject::Method("exclusive".into(), "Rules.Discount".into()),
            &[Increase::Percent(10.0)],
        )),
    );
    check(
        "own( Rules.Tax(Int32) )>2",
        Ok((
            Subject::Method("exclusive".into(), "Rules.Tax(Int32)".into()),
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
            Subject::Method("calls".into(), "a.b".into()),
            &[Increase::Number(100.0)],
        )),
    );
    check(
        "inclusive(a.b) > 1us",
        Ok((
            Subject::Method("inclusive".into(), "a.b".into()),
            &[Increase::Nanoseconds(1e3)],
        )),
    );
}

#[test]
fn other_texts_are_refused() {
    for text in [
        "",
        "self(a) > 1%",
        "own a > 1%",
        "own( ) > 1%",
        "own(a > 1%",
        "own(a) < 1%",
        "own(a) > ten",
        "own(a) > 1.2.3",
        "own(a) > 1% or > 2%",
        "any > 1%",
    ] {
        assert!(Condition::parse(text).is_err(), "{text}");
    }
}
