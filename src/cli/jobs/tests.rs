use super::*;
use crate::model::testing::{node_ref, profile_of};
use crate::model::{Step, ViewSpec};

#[test]
fn cancelled_jobs_have_no_answer() {
    let view = Arc::new(profile_of("T;run;price 10|U;price 5"));
    let mut jobs = Jobs::new(Arc::clone(&view));
    let drop = Step::DropNodes(vec![node_ref("n2")]);
    let steps = ViewSpec {
        transforms: vec![drop],
        ..view.steps.clone()
    };
    let frame = view.frames.find("price")[0];
    let method = Effect::CallerTree(ButterflySubject {
        method: Some(frame),
        within: NodeId::ROOT,
        only_user_code: false,
    });
    for effect in [Effect::Show(steps), method] {
        let progress = Progress::default();
        progress.cancel();
        assert!(jobs.run_watched(&view, effect.clone(), &progress).is_none());
        assert!(jobs.run(&view, effect).is_some());
    }
}
