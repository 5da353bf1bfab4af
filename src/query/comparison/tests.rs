use crate::analysis::compared::{Compared, Side, compare};
use crate::model::testing::profile_of;
use crate::model::{MetricId, TreeForm, View};

/// Two profiles of stacks, compared by full names, and their merged tree.
pub(super) fn merged(before: &str, after: &str) -> (Compared, View) {
    let views = [profile_of(before), profile_of(after)];
    let [before, after] = views.each_ref().map(|view| Side {
        view,
        measure: MetricId(0).into(),
        scale: 1.0,
    });
    let compared = compare(&[before], &[after], &[]).unwrap();
    let view = View::whole(&compared.recording, TreeForm::Original);
    (compared, view)
}
