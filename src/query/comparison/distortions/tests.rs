use super::*;

#[test]
fn the_side_without_a_caution_has_less_than_its_limit() {
    let polls = Diagnostic::GcPolls {
        share: Share {
            metric: "CPU".into(),
            unit: Unit::Milliseconds,
            part: 108,
            whole: 1000,
        },
    };
    let starts = |alerts, start: &str| {
        let [sentence] = &distortion(alerts)[..] else {
            panic!("one sentence");
        };
        assert!(sentence.starts_with(start), "{sentence}");
    };
    starts(
        [Some(&polls), None],
        "Thread.PollGC has 10.8 % of CPU before and less than 2 % after: ",
    );
    starts(
        [None, Some(&polls)],
        "Thread.PollGC has less than 2 % of CPU before and 10.8 % after: ",
    );
}
