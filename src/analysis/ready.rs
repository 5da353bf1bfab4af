use crate::model::{NodeId, Occurrences, View};
use std::ops::Deref;
use std::sync::Arc;

/// Larger trees take longer than starting a thread.
const MANY_NODES: usize = 1 << 18;

/// A view without lazy results that a key press or draw would have to wait for.
#[derive(Clone)]
pub struct ReadyView(Arc<View>);

impl ReadyView {
    pub fn of(view: View) -> ReadyView {
        // the view caches each of these
        view.largest(view.recording.default_metric);
        view.step_words();
        // the first list name computes all distinctions
        view.frames.list_name(view.tree.frame(NodeId::ROOT));
        find_occurrences(&view);
        ReadyView(Arc::new(view))
    }
}

impl Deref for ReadyView {
    type Target = Arc<View>;

    fn deref(&self) -> &Arc<View> {
        &self.0
    }
}

/// Includes both forms of the recording, which may be shown at any time.
fn find_occurrences(view: &View) {
    let recorded = std::iter::once(&view.recording.original).chain(&view.recording.repaired);
    let mut all: Vec<Arc<Occurrences>> = vec![Arc::clone(&view.occurrences)];
    all.extend(recorded.map(|tree| Arc::clone(&tree.occurrences)));
    let find = move || all.iter().for_each(|occurrences| occurrences.prepare());
    if view.tree.len() < MANY_NODES {
        return find();
    }
    // without a thread, they are computed on first use
    let _ = std::thread::Builder::new().spawn(find);
}
