use super::*;
use crate::analysis::compared::{AFTER, Side, compare};
use crate::model::testing::recording_of;
use crate::model::{NodeId, TreeForm, View};

/// Own values on both sides, even if one side has none.
#[test]
fn comparison_lines_have_both_sides() {
    let [before, after] = ["A;main;run 30|A;main;old 10", "A;main;run 50|A;main;new 4"]
        .map(|stacks| recording_of(stacks).into_view());
    let side = |view| {
        [Side {
            view,
            measure: crate::model::MetricId(0).into(),
            scale: 1.0,
        }]
    };
    let compared = compare(&side(&before), &side(&after), &[]).unwrap();
    let view = View::whole(&compared.recording, TreeForm::Original);
    let part = Part::new(&view, NodeId::ROOT, AFTER);
    let mut colors = PaletteMap::default();
    let mut found = lines(&part, &mut colors);
    found.sort();
    let ends: Vec<&str> = found
        .iter()
        .map(|line| line.split(';').next_back().unwrap())
        .collect();
    // gone frames are not drawn: their time is their caller's
    assert_eq!(
        ends,
        ["main 10000000 0", "new 0 4000000", "run 30000000 50000000"]
    );
}

#[test]
fn frame_values_use_the_unit_of_the_whole() {
    let picture = "<title>a(1 µs, 2%) (5,770 µs, 0.11%)</title><title>b (5 µs, 1%; +2%)</title>";
    assert_eq!(
        in_unit_of_whole(picture, 5_208_643_000),
        "<title>a(1 µs, 2%) (5.8 ms, 0.11%)</title><title>b (0.0 ms, 1%; +2%)</title>"
    );
}

#[test]
fn numbers_in_names_are_not_values() {
    let name = |name: &str| without_last_number(name.into());
    assert_eq!(name("Read.lambda 0"), "Read.lambda\u{a0}0");
    assert_eq!(name("new Item(…)"), "new Item(…)");
    assert_eq!(name("7"), "7");
}
