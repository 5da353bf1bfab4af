//! Views for which slow lazy results have already been computed.

use crate::model::{NodeId, Occurrences, View};
use std::ops::Deref;
use std::sync::Arc;

/// Trees that are larger take longer than a thread takes to start.
const MANY_NODES: usize = 1 << 18;

/// A view that is ready to be explored: no key and no draw has to wait until it is known what all of them ask for.
#[derive(Clone)]
pub struct ReadyView(Arc<View>);

impl ReadyView {
    /// Finds out what every draw asks for. O(nodes + frames).
    pub fn of(view: View) -> ReadyView {
        // each is remembered by the view
        view.largest(view.recording.default_metric);
        view.step_words();
        // which methods are overloads is found out with the first name in a list
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

/// Finds out where frames occur, before a key asks for it: in a large tree while it is drawn. That of either form of the
/// recording too, for they are shown at once.
fn find_occurrences(view: &View) {
    let recorded = std::iter::once(&view.recording.original)
        .chain(&view.recording.repaired)
        .map(|kept| &kept.occurrences);
    let all: Vec<Arc<Occurrences>> = std::iter::once(&view.occurrences)
        .chain(recorded)
        .cloned()
        .collect();
    let find = move || all.iter().for_each(|occurrences| occurrences.prepare());
    if view.tree.len() < MANY_NODES {
        return find();
    }
    // without a thread, the first question finds it out
    let _ = std::thread::Builder::new().spawn(find);
}
