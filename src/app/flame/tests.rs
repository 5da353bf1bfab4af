use super::*;
use crate::model::testing::profile_of;
use proptest::prelude::*;

fn layout(view: &View, width: u16) -> FlameLayout<'_> {
    let measure = view.measure(view.recording.default_metric);
    FlameLayout::new(view, measure, NodeId::ROOT, width)
}

/// The rows, each frame with the eighths of a cell where it begins and ends; merged ones with their number.
fn rows_of(layout: &FlameLayout, view: &View) -> Vec<String> {
    let text = |bar: &FlameBar| {
        let name = match bar.is_gathered {
            true => format!("…+{}", layout.narrow_callees(bar.node)),
            false => view.display_name(bar.node).to_string(),
        };
        format!(
            "{name} {}-{}",
            layout.eighth(bar.start),
            layout.eighth(bar.end)
        )
    };
    let rows = FlameRows::default().rows(layout, 0, 100);
    let row = |row: &Vec<FlameBar>| row.iter().map(text).collect::<Vec<_>>().join(", ");
    rows.iter().map(row).collect()
}

#[track_caller]
fn check(stacks: &str, width: u16, expect: &[&str]) {
    let view = profile_of(stacks);
    assert_eq!(rows_of(&layout(&view, width), &view), expect);
}

#[test]
fn widths_are_shares_of_the_root_to_the_eighth_of_a_cell() {
    // 100 ms in 10 cells of 8 eighths: 0.8 eighths per ms
    let stacks = "T;a;b 50|T;a;c 25|T;a 5|T;d 20";
    let [top, thread] = ["All threads 0-80", "T 0-80"];
    check(
        stacks,
        10,
        &[top, thread, "a 0-64, d 64-80", "b 0-40, c 40-60"],
    );
    // in 3 cells: 24 eighths, and 33 ms are slightly less than one
    let [top, thread] = ["All threads 0-24", "T 0-24"];
    check("T;a 33|T;b 67", 3, &[top, thread, "b 0-16, …+1 16-24"]);
    check("T;a 34|T;b 66", 3, &[top, thread, "b 0-15, a 15-24"]);
}

#[test]
fn narrow_frames_are_merged_without_rows_below() {
    // a cell is 10 ms
    let stacks = "T;a;x 60|T;a;y 9|T;a;z;deep 8|T;a 3|T;b 10|T;c 6|T;d 4";
    let expect = [
        "All threads 0-80",
        "T 0-80",
        "a 0-64, b 64-72, …+2 72-80",
        "x 0-48, …+2 48-61",
    ];
    check(stacks, 10, &expect);
}

#[test]
fn waiting_that_does_not_count_has_no_width() {
    // 100 ms for each thread; one only sleeps, so waiting is excluded: 25 ms of work are 10 cells
    let sleep = "System.Threading.Thread.Sleep";
    let stacks = format!("T;run;{sleep} 75|T;run;work 5|T;idle 20|U;{sleep} 100");
    let expect = [
        "All threads 0-80",
        "T 0-80",
        "idle 0-64, run 64-80",
        "work 64-80",
    ];
    check(&stacks, 10, &expect);
}

#[test]
fn a_source_without_values_only_has_a_root() {
    check("T;a 0", 10, &["All threads 0-0"]);
}

#[test]
fn a_deep_chain_scrolls() {
    let view = profile_of(&format!("T{} 5", ";a".repeat(200_000)));
    let (layout, mut made) = (layout(&view, 80), FlameRows::default());
    assert_eq!(
        made.rows(&layout, 199_990, 40).len(),
        12,
        "the root and a thread are above it"
    );
    for top in (80_000..100_000)
        .step_by(100)
        .chain((60_000..80_000).step_by(100).rev())
    {
        let rows = made.rows(&layout, top, 40);
        assert_eq!((rows.len(), rows[0][0].node.index()), (40, top));
    }
}

proptest! {
    /// Callees are side by side in order within their caller, and take all of it except its own value.
    #[test]
    fn rows_add_up(
        stacks in prop::collection::vec((prop::collection::vec(0..4u8, 1..6), 0..500u32), 1..30),
        width in 1..200u16,
    ) {
        let names = ["a", "b", "System.Threading.Thread.Sleep", "d"];
        let line = |(stack, weight): &(Vec<u8>, u32)| {
            let stack: Vec<&str> = stack.iter().map(|&name| names[usize::from(name)]).collect();
            format!("{};{} {weight}", ["T", "U"][stack.len() % 2], stack.join(";"))
        };
        let lines: Vec<String> = stacks.iter().map(line).collect();
        let view = profile_of(&lines.join("|"));
        let layout = layout(&view, width);
        let (measure, tree) = (layout.measure, &view.tree);
        let rows = FlameRows::default().rows(&layout, 0, 100);
        for pair in rows.windows(2) {
            let [row, below] = pair else { unreachable!("windows of two") };
            for caller in row.iter().filter(|bar| !bar.is_gathered) {
                let own = |bar: &&FlameBar| match bar.is_gathered {
                    true => bar.node == caller.node,
                    false => tree.parent(bar.node) == Some(caller.node),
                };
                let callees: Vec<&FlameBar> = below.iter().filter(own).collect();
                let mut at = caller.start;
                for callee in &callees {
                    prop_assert_eq!(callee.start, at);
                    at = callee.end;
                    let value = measure.inclusive(&view, callee.node);
                    prop_assert!(callee.is_gathered || callee.end - callee.start == value);
                    let eighths = layout.eighth(callee.end) - layout.eighth(callee.start);
                    prop_assert!(callee.is_gathered || eighths >= 8);
                }
                let widths: Vec<u64> = callees.iter().filter(|bar| !bar.is_gathered).map(|bar| bar.end - bar.start).collect();
                prop_assert!(widths.is_sorted_by(|a, b| a >= b));
                prop_assert_eq!(at - caller.start, caller.end - caller.start - measure.exclusive(&view, caller.node));
            }
        }
        // rows built from cached ones are the same
        let (mut made, all) = (FlameRows::default(), rows.len());
        for top in (0..all).rev() {
            prop_assert_eq!(&made.rows(&layout, top, 2)[..], &rows[top..(top + 2).min(all)]);
        }
    }
}
