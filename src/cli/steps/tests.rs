use super::*;

#[test]
fn long_steps_are_printed_once() {
    let mut steps = LastStep::default();
    for (seconds, step, expect) in [
        (0.0, "", None),
        (2.0, "", None),
        (2.1, "building the helper", None),
        (3.0, "building the helper", None),
        (3.1, "building the helper", Some("building the helper")),
        (9.0, "building the helper", None),
        (9.1, "starting it", None),
        (9.5, "reading", None),
        (10.4, "reading", None),
        (10.6, "reading", Some("reading")),
    ] {
        let now = Duration::from_secs_f64(seconds);
        let step = (!step.is_empty()).then(|| step.to_string());
        assert_eq!(steps.due_step(step, now), expect, "after {seconds} s");
    }
}
