use super::super::{Side, compare};
use super::*;
use crate::model::ProfileKind;
use crate::model::testing::recording_of;

/// One row per method: name, own and inclusive values before and after in ms, presence, verdicts.
#[track_caller]
fn check(kind: ProfileKind, before: &[&str], after: &[&str], expect: &[&str]) {
    let view = |stacks: &&str| {
        let mut recording = recording_of(stacks);
        recording.source.kind = kind;
        recording.into_view()
    };
    let views: [Vec<View>; 2] = [before, after].map(|texts| texts.iter().map(view).collect());
    let sides = views.each_ref().map(|views| {
        views
            .iter()
            .map(|view| Side {
                view,
                measure: MetricId(0).into(),
                scale: 1.0,
            })
            .collect::<Vec<_>>()
    });
    let compared = compare(&sides[0], &sides[1], &[]).unwrap();
    let view = View::whole(&compared.recording, crate::model::TreeForm::Original);
    let described = compared_methods(&compared, &view, &[NodeId::ROOT])
        .into_iter()
        .map(|row| {
            let value = |estimate: &Estimate| {
                let Sides { before, after } = estimate.sides;
                format!(
                    "{}→{} {}",
                    before / 1_000_000,
                    after / 1_000_000,
                    estimate.verdict.name()
                )
            };
            let (own, all) = (value(&row.exclusive), value(&row.inclusive));
            format!(
                "{} {own}, {all}, {}",
                view.frames.name(row.frame),
                row.presence.name()
            )
        });
    assert_eq!(described.collect::<Vec<_>>(), expect);
}

#[test]
fn methods_keep_their_values_from_both_sides() {
    // recursion counts once; threads don't matter
    check(
        ProfileKind::Sampling,
        &["T;m 4|T;m;x 5|T;m;m 2|U;y 1"],
        &["V;m 7|V;m;x 1|V;z 3"],
        &[
            "m 6→7 within, 11→8 within, both",
            "x 5→1 within, 5→1 within, both",
            "y 1→0 within, 1→0 within, vanished",
            "z 0→3 within, 0→3 within, new",
        ],
    );
    check(
        ProfileKind::Tracing,
        &["T;m 4"],
        &["T;m 7"],
        &["m 4→7 not tested, 4→7 not tested, both"],
    );
}

#[test]
fn many_samples_make_a_difference_significant() {
    let many = |samples: usize| vec!["T;m 1"; samples].join("|");
    check(
        ProfileKind::Sampling,
        &[&many(400)],
        &[&many(600)],
        &["m 400→600 beyond, 400→600 beyond, both"],
    );
    check(
        ProfileKind::Sampling,
        &[&many(400)],
        &[&many(420)],
        &["m 400→420 within, 400→420 within, both"],
    );
}

#[test]
fn several_files_are_ranked() {
    check(
        ProfileKind::Tracing,
        &["T;m 4", "T;m 5", "T;m 6", "T;m 5|T;x 1"],
        &["T;m 7", "T;m 9", "T;m 8", "T;m 80"],
        &[
            "m 5→8 beyond, 5→8 beyond, both",
            "x 0→0 within, 0→0 within, vanished",
        ],
    );
    check(
        ProfileKind::Sampling,
        &["T;m 4", "T;m 5"],
        &["T;m 9"],
        &["m 4→9 not tested, 4→9 not tested, both"],
    );
}
