use super::*;
use crate::model::StoredSum;
use crate::model::testing::recording_of;

#[test]
fn sums_over_all_nodes() {
    // a 9 ▸ b 5 ▸ a 3: counting recursion each time, a has 9 + 3 inclusive and 4 + 3 exclusive
    let mut recording = recording_of("T;a 4|T;a;b 2|T;a;b;a 3|T;c 1");
    let stored = |name: &str, inclusive_each, exclusive| StoredSum {
        name: name.into(),
        frame: recording.frames.find(name).first().copied(),
        inclusive_each,
        exclusive,
    };
    let ms = 1_000_000;
    let sums = vec![
        stored("a", 12 * ms, 7 * ms),
        stored("a", 12 * ms + 2, 7 * ms - 1),
        stored("a", 12 * ms + 3, 7 * ms),
        stored("b", 5 * ms, 3 * ms),
        stored("none", 0, 0),
        stored("c", ms, ms),
    ];
    recording.viewer_sums = sums;
    let view = recording.into_view();
    let differing = vec![
        SumDifference {
            row: 2,
            ours: Some((12 * ms, 7 * ms)),
        },
        SumDifference {
            row: 3,
            ours: Some((5 * ms, 2 * ms)),
        },
        SumDifference { row: 4, ours: None },
    ];
    assert_eq!(
        compare_viewer_sums(&view),
        SumsComparison {
            equal: 2,
            rounded: 1,
            differing
        }
    );
}
