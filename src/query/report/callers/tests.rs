use super::*;
use crate::model::testing::{profile_of, recording_of};
use crate::model::{Frames, Metric, MetricId, Recording, TreeBuilder};

/// Checks the callers of the method `leaf`, each with the nearest user code above it. `$` is a system method,
/// `%` a library method.
#[track_caller]
fn check(stacks: &str, expect: &[(&str, Option<&str>, u64)]) {
    let stacks = stacks
        .replace('$', "System.Linq!System.Linq.Enumerable.Any()")
        .replace('%', "Dapper!Dapper.Run()");
    let view = profile_of(&stacks);
    let leaf = view.frames.find("leaf")[0];
    let name = |frame: FrameId| view.frames.display_name(frame);
    let found = callers(
        &view,
        &[NodeId::ROOT],
        view.measure(view.recording.default_metric),
        leaf,
    );
    assert_eq!(found.through, []);
    let user_code = |caller: &ReportCaller| {
        let skipped = if caller.skips { "… " } else { "" };
        caller
            .user_code
            .map(|frame| format!("{skipped}{}", name(frame)))
    };
    let found: Vec<_> = found
        .rows
        .iter()
        .map(|caller| {
            (
                caller.frame.map_or("", name),
                user_code(caller),
                caller.inclusive / 1_000_000,
            )
        })
        .collect();
    let expect = expect.iter();
    let expect =
        expect.map(|&(caller, user_code, value)| (caller, user_code.map(String::from), value));
    assert_eq!(found, expect.collect::<Vec<_>>());
}

#[test]
fn system_callers_come_with_the_nearest_user_code() {
    check(
        "T;a;leaf 3|T;b;$;leaf 5|T;leaf 1|T;$;leaf 2",
        &[
            ("Enumerable.Any", Some("b"), 5),
            ("a", None, 3),
            ("Enumerable.Any", None, 2),
            ("", None, 1),
        ],
    );
    // as in lists of user code, a library is not user code
    check(
        "T;a;%;leaf 3|T;a;%;$;leaf 2",
        &[
            ("Dapper.Run", Some("a"), 3),
            // called by Dapper.Run
            ("Enumerable.Any", Some("… a"), 2),
        ],
    );
}

#[test]
fn callers_of_nearly_all_calls_are_skipped() {
    let view = profile_of("T;a;c;d;leaf 30|T;b;c;d;leaf 60|T;b;d;leaf 1");
    let leaf = view.frames.find("leaf")[0];
    let measure = view.measure(view.recording.default_metric);
    let found = callers(&view, &[NodeId::ROOT], measure, leaf);
    let name = |frame: &FrameId| view.frames.display_name(*frame);
    let through: Vec<_> = found.through.iter().map(name).collect();
    // 91 of 91 through d, and 90 of these through c, which a and b call
    assert_eq!(through, ["d", "c"]);
    let rows = found.rows.iter();
    let rows: Vec<_> = rows
        .map(|row| (row.frame.as_ref().map(name), row.inclusive / 1_000_000))
        .collect();
    assert_eq!(rows, [(Some("b"), 60), (Some("a"), 30)]);
}

#[test]
fn long_stacks_without_user_code_are_walked_once() {
    const TIME: MetricId = MetricId(0);
    let Recording { source, frames, .. } = recording_of("T;System.Go;leaf 1");
    let metrics = [Metric::time("time", None)];
    let [root, thread, system, leaf] = [0, 1, 2, 3].map(FrameId::at);
    let mut builder = TreeBuilder::new(root, &metrics);
    let mut caller = builder.add(TreeBuilder::ROOT, thread).unwrap();
    for _ in 0..100_000 {
        caller = builder.add(caller, system).unwrap();
        let leaf = builder.add(caller, leaf).unwrap();
        builder.add_exclusive(TIME, leaf, 1);
    }
    let tree = builder.finish(&frames, TIME).tree;
    let view =
        Recording::new(source, Frames::clone(&frames), tree, metrics.to_vec(), TIME).into_view();
    let found = callers(&view, &[NodeId::ROOT], view.measure(TIME), leaf);
    assert_eq!(
        found.rows,
        [ReportCaller {
            frame: Some(system),
            user_code: None,
            skips: false,
            inclusive: 100_000
        }]
    );
}
