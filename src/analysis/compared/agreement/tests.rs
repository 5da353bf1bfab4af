use super::*;
use crate::model::testing::profile_of;
use crate::model::{Frames, Metric, Recording, TreeBuilder};

fn equal(a: &str, b: &str) -> Agreement {
    agreement(&profile_of(a), &profile_of(b)).unwrap()
}

/// `equal changed first-only second-only` and the differences as `path what`.
#[track_caller]
fn check(a: &str, b: &str, counts: [usize; 4], expect: &[&str]) {
    let found = equal(a, b);
    let numbers = [
        found.equal,
        found.changed,
        found.only_in_first,
        found.only_in_second,
    ];
    let differences = found
        .differences
        .iter()
        .map(|d| format!("{} {:?}", d.path.join(">"), d.what));
    let differences: Vec<String> = differences.collect();
    assert_eq!(
        (numbers, found.is_equal()),
        (counts, expect.is_empty()),
        "{differences:?}"
    );
    assert_eq!(differences, expect);
}

#[test]
fn equal_trees() {
    check(
        "T;a;b 3|T;a 4|U;c 1",
        "U;c 1|T;a 4|T;a;b 3",
        [5, 0, 0, 0],
        &[],
    );
    check("T;M!N.A.b(int) 3", "T;N.A.b 3", [2, 0, 0, 0], &[]);
    check("T;M!N.A`1.b 3", "T;N.A<T>.b 3", [2, 0, 0, 0], &[]);
    // overloads are compared as one
    check(
        "T;N.A.b(int) 3|T;N.A.b(long) 1",
        "T;N.A.b 4",
        [1, 1, 0, 0],
        &["A.b Count(2, 1)"],
    );
}

#[test]
fn different_trees() {
    // milliseconds on both sides: no tolerance
    check(
        "T;a;b 3|T;a 4",
        "T;a;c 3|T;a 4",
        [2, 0, 1, 1],
        &["a>c OnlyInSecond(3000000)", "a>b OnlyInFirst(3000000)"],
    );
    check(
        "T;a;b 3|T;a 4",
        "T;a;b 2|T;a 4",
        [0, 3, 0, 0],
        &[
            "T Inclusive(7000000, 6000000)",
            "a Inclusive(7000000, 6000000)",
            "a>b Exclusive(3000000, 2000000)",
        ],
    );
    check("T;a 2", "T;a 1|T;a 1", [1, 1, 0, 0], &["a Count(1, 2)"]);
    check(
        "T;a 2|U;x;y 1",
        "T;a 2",
        [2, 0, 3, 0],
        &[
            "U OnlyInFirst(1000000)",
            "x OnlyInFirst(1000000)",
            "x>y OnlyInFirst(1000000)",
        ],
    );
    assert_eq!(equal("T;a 5", "T;a 3").largest_difference, 2_000_000);
}

#[test]
fn threads_and_pseudo_methods_are_matched_by_time() {
    check("T 1;a 3|T 2;b 2", "main;a 3|worker;b 2", [4, 0, 0, 0], &[]);
    check(
        "T;[Native code] 3",
        "T;[Native or optimized code] 3",
        [2, 0, 0, 0],
        &[],
    );
    check(
        "T;[Native code] 3",
        "T;native 3",
        [1, 0, 1, 1],
        &[
            "native OnlyInSecond(3000000)",
            "[Native code] OnlyInFirst(3000000)",
        ],
    );
}

/// `a ▸ b` with these exclusive values in nanoseconds, and the total of a according to the source.
fn chain(a: u64, b: u64, total: Option<u64>) -> View {
    let mut frames = Frames::default();
    let metrics = vec![Metric::time("time", None)];
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let mut builder = TreeBuilder::new(root, &metrics);
    let mut node = |above, name, own, total: Option<u64>| {
        let frame = frames.intern(FrameKind::Method, name, "");
        let node = builder.add(above, frame).unwrap();
        match total {
            Some(total) => builder.add_values(MetricId(0), node, total, own, 0),
            None => builder.add_exclusive(MetricId(0), node, own),
        }
        node
    };
    let above = node(TreeBuilder::ROOT, "a", a, total);
    node(above, "b", b, total.map(|_| b));
    let tree = builder.finish(&frames, MetricId(0)).tree;
    let source = profile_of("T;a 1").recording.source.clone();
    Recording::new(source, frames, tree, metrics, MetricId(0)).into_view()
}

#[test]
fn the_coarser_source_sets_the_tolerance() {
    #[track_caller]
    fn check(
        a: (u64, u64, Option<u64>),
        b: (u64, u64, Option<u64>),
        tolerance: u64,
        changed: usize,
    ) {
        let (first, second) = (chain(a.0, a.1, a.2), chain(b.0, b.1, b.2));
        for (first, second) in [(&first, &second), (&second, &first)] {
            let found = agreement(first, second).unwrap();
            assert_eq!(
                (found.tolerance, found.changed),
                (tolerance, changed),
                "{found:?}"
            );
        }
    }
    let ms = 1_000_000;
    check((3 * ms, 4 * ms, None), (3 * ms, 4 * ms, None), 0, 0);
    // b's exclusive value and a's total
    check((3 * ms, 4 * ms, None), (3 * ms, 5 * ms, None), 0, 2);
    // whole milliseconds against ticks of 100 ns: a tolerance of 1 ms per node
    check((3_000_300, 3_999_900, None), (3 * ms, 4 * ms, None), ms, 0);
    check((3_000_300, 3_999_900, None), (3 * ms, 5 * ms, None), ms, 1);
    // a total that is not a sum of rounded values is as precise as the others
    check(
        (3_000_300, 3_999_900, None),
        (3 * ms, 4 * ms, Some(8 * ms)),
        ms,
        0,
    );
    check(
        (3_000_300, 3_999_900, None),
        (3 * ms, 4 * ms, Some(9 * ms)),
        ms,
        1,
    );
    // nanoseconds: a tolerance of 1 ns per node
    check((3_000_301, 4 * ms, None), (3_000_302, 4 * ms, None), 1, 0);
    check((3_000_301, 4 * ms, None), (3_000_303, 4 * ms, None), 1, 1);
}
