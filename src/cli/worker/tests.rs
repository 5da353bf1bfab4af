use super::*;
use crate::model::testing::{node_ref, profile_of};
use crate::model::{Step, ViewSpec};

#[test]
fn the_last_requested_view_is_built() {
    let view = Arc::new(profile_of("T;run;price 10|U;price 5"));
    let (send, receive) = std::sync::mpsc::channel();
    let worker = Worker::start(Jobs::new(Arc::clone(&view)), move |message| {
        send.send(message).unwrap()
    })
    .unwrap();
    let without = |node: &str| ViewSpec {
        transforms: vec![Step::DropNodes(vec![node_ref(node)])],
        ..view.steps.clone()
    };
    for node in ["n1", "n2", "n3", "n4"] {
        worker.ask(&view, Effect::Show(without(node)));
    }
    // earlier ones may have been built before they became unwanted
    let last = receive
        .iter()
        .find(|message| matches!(message, Message::Shown(steps, _) if *steps == without("n4")));
    assert!(matches!(last, Some(Message::Shown(_, made)) if made.tree.len() == 5));
    drop(worker);
    assert!(receive.recv().is_err(), "nothing comes after it");
}

#[test]
fn quitting_does_not_wait_for_the_running_job_and_loses_no_note() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("a.folded");
    std::fs::write(&profile, "main 1\n").unwrap();
    let file = notes::file_of(&profile).unwrap();
    let view = Arc::new(profile_of("T;run;price 10"));
    let (send, receive) = std::sync::mpsc::channel();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let jobs = Jobs::new(Arc::clone(&view)).with_notes_in(Some(file.clone()));
    let worker = Worker::start(jobs, move |_| {
        send.send(()).unwrap();
        // a job that takes forever
        let _ = held.recv();
    })
    .unwrap();
    let search = Effect::Search {
        query: "price".into(),
        metric: view.recording.default_metric,
    };
    worker.ask(&view, search);
    receive.recv().unwrap();
    let method = view.frames.key(view.frames.find("price")[0]);
    worker.ask(
        &view,
        Effect::Note {
            method: method.clone(),
            note: "why?".into(),
            writes: true,
        },
    );
    drop(worker);
    assert_eq!(notes::read(&file).unwrap().get(&method), Some("why?"));
    drop(release);
}
