use super::*;
use crate::diagnostics::Diagnostic;
use crate::model::CountKind;

fn amount(samples: u64) -> Amount {
    Amount {
        samples,
        value: samples * 1_000_000,
    }
}

#[track_caller]
fn check(has_samples: bool, parts: [u64; 3], is_repaired: bool, expect: &str) {
    let [truncated, repaired, uncertain] = parts.map(amount);
    let whole = ThreadTruncation {
        all: amount(1000),
        ..ThreadTruncation::default()
    };
    let row = ThreadTruncation {
        truncated,
        repaired,
        depth_uncertain: uncertain,
        ..whole
    };
    let truncation = Truncation {
        limit: 100,
        metric: MetricId(0),
        has_samples,
        threads: vec![row, whole],
    };
    let metrics = [Metric::time("wall", Some(CountKind::Samples))];
    let stacks = truncation.diagnostic(&metrics, is_repaired).unwrap();
    let diagnostic = Diagnostic::StacksTruncated { stacks };
    assert_eq!(diagnostic.to_string(), expect);
    // a file has neither the other tree nor keys
    let written = diagnostic.written();
    assert!(
        expect.starts_with(written.trim_end_matches('.')) && !written.contains("--"),
        "{written}"
    );
}

#[test]
fn truncation_is_one_sentence() {
    let more =
        "; `dotspot info FILE --truncation` says more, --no-repair (key R) shows them as recorded.";
    check(
        true,
        [500, 400, 0],
        true,
        &format!(
            "500 of 2,000 samples (25.0 %) truncated at 100 frames: 400 repaired, 100 left below [truncated at 100 \
                 frames]{more}"
        ),
    );
    check(
        true,
        [500, 500, 7],
        true,
        &format!(
            "500 of 2,000 samples (25.0 %) truncated at 100 frames: all of them are repaired (7 within recursion, at \
                 an uncertain depth){more}"
        ),
    );
    check(
        true,
        [500, 500, 7],
        false,
        "500 of 2,000 samples (25.0 %) truncated at 100 frames: their outermost callers are missing, so they appear under \
             [truncated at 100 frames] in their thread.",
    );
    check(
        false,
        [500, 400, 0],
        true,
        &format!(
            "Stacks with 500.0 ms of 2,000.0 ms wall (25.0 %) truncated at 100 frames: 400.0 ms repaired, 100.0 ms left \
                 below [truncated at 100 frames]{more}"
        ),
    );
}
