use super::*;
use crate::model::MetricId;
use crate::model::testing::profile_of;

#[test]
fn uncertainty_about_being_cpu_bound_is_stated() {
    let mut view = profile_of("a 1");
    let bound = |view: &View, is_upper_bound| {
        let used = ProcessorUse {
            view,
            work: MetricId(0).into(),
            is_upper_bound,
            duration_ns: 1,
            tenths: None,
        };
        used.bound(CPU_BOUND_PERCENT)
    };
    assert_eq!(bound(&view, false), "CPU-bound");
    assert_eq!(
        bound(&view, true),
        "CPU-bound, unless its native code waits"
    );
    view.diagnostics.push(CPU_INCOMPLETE);
    assert_eq!(
        bound(&view, false),
        "probably CPU-bound, but its CPU time is incomplete"
    );
}
