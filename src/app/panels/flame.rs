//! The flame graph: callers above callees, each as wide as its value.

use super::frames::{FrameBar, FrameRows, Highlights, MovesInFrames};
use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::compared::AFTER;
use crate::analysis::sum;
use crate::app::flame::FlameRows;
use crate::app::{Action, Area, FlameBar, FlameLayout, Lens, messages};
use crate::model::{FrameId, Measure, NodeId, View};
use crate::names::FrameKind;
use std::cmp::Reverse;
use std::sync::Arc;

/// The outermost subtrees of these frames, each as a begin and an end. O(nodes).
pub(super) fn outermost(view: &View, root: NodeId, frames: &[bool]) -> Vec<(NodeId, NodeId)> {
    let (mut found, mut at, end) = (Vec::new(), root, view.tree.end(root));
    while at < end {
        let is_one = frames[view.tree.frame(at).index()];
        let next = match is_one {
            true => view.tree.end(at),
            false => NodeId(at.0 + 1),
        };
        found.extend(is_one.then_some((at, next)));
        at = next;
    }
    found
}

type RowsKey = (*const View, Measure, NodeId, u16);

pub struct FlamePanel {
    pub lens: Lens,
    pub root: NodeId,
    pub selected: NodeId,
    /// The selected node, or else its nearest caller that is not narrower than a cell.
    marked: NodeId,
    pub frames: FrameRows,
    /// The methods of a comparison that only existed before, with their exclusive values.
    pub methods_gone: Vec<(FrameId, u64)>,
    cached_rows: FlameRows,
    rows_key: Option<RowsKey>,
    /// Root and selection of the call tree when they were last copied.
    pub(in crate::app) seen: (NodeId, NodeId),
}

impl FlamePanel {
    pub(in crate::app) fn new(lens: Lens, root: NodeId, selected: NodeId) -> FlamePanel {
        let mut panel = FlamePanel {
            methods_gone: Vec::new(),
            lens,
            root,
            selected,
            marked: root,
            frames: FrameRows::default(),
            cached_rows: FlameRows::default(),
            rows_key: None,
            seen: (root, selected),
        };
        panel.list_methods_gone();
        panel
    }

    pub(in crate::app) fn is_move(action: &Action) -> bool {
        matches!(
            action,
            Action::Rows(_)
                | Action::HalfScreens(_)
                | Action::First
                | Action::Last
                | Action::Sibling(_)
                | Action::Parent
                | Action::Open
                | Action::Close
                | Action::Center
                | Action::Click(..)
                | Action::Wheel(..)
        )
    }

    pub(in crate::app) fn show(&mut self, root: NodeId, selected: NodeId) {
        if root != self.root {
            self.root = root;
            self.list_methods_gone();
        }
        self.selected = selected;
        self.seen = (root, selected);
        self.rows_key = None;
    }

    fn list_methods_gone(&mut self) {
        self.methods_gone = methods_gone(&self.lens.view, self.root);
        // the legend is the last line
        self.frames.footer_lines = 1 + u16::from(!self.methods_gone.is_empty());
    }

    /// Values after the change in a comparison.
    pub fn measure(&self) -> Measure {
        match self.lens.is_comparison() {
            true => AFTER.into(),
            false => self.lens.measure_below(self.root),
        }
    }

    pub fn layout(&self) -> FlameLayout<'_> {
        let (_, width) = self.frames.cells;
        FlameLayout::new(&self.lens.view, self.measure(), self.root, width)
    }

    pub fn is_marked(&self, bar: &FrameBar) -> bool {
        bar.node == self.marked && !bar.is_gathered
    }

    /// O(depth).
    fn find_mark(&mut self) {
        let layout = self.layout();
        let callers = self.lens.view.tree.ancestors(self.selected);
        let mut path = std::iter::once(self.selected).chain(callers);
        let marked = path.find(|&node| layout.is_drawn(node));
        let above = path.take_while(|&node| node >= self.root).count();
        (self.marked, self.frames.mark) = (marked.unwrap_or(self.root), above);
        self.frames.show_mark();
    }

    fn select(&mut self, node: NodeId, row: usize) {
        (self.selected, self.marked, self.frames.mark) = (node, node, row);
        self.frames.show_mark();
    }

    pub(in crate::app) fn highlight(&mut self, query: String, frames: Vec<bool>) {
        let (view, measure) = (&self.lens.view, self.measure());
        let highlights = outermost(view, self.root, &frames).into_iter();
        let value = sum(highlights.map(|(node, _)| measure.inclusive(view, node)));
        self.frames.highlights = Some(Highlights::new(query, frames, value));
    }

    fn make_rows(&mut self) {
        let view = Arc::as_ptr(&self.lens.view);
        let rows_key = (view, self.measure(), self.root, self.frames.cells.1);
        if self.rows_key != Some(rows_key) {
            (self.cached_rows, self.rows_key) = (FlameRows::default(), Some(rows_key));
            self.find_mark();
            if let Some(highlights) = self.frames.highlights.take() {
                self.highlight(highlights.query, highlights.frames);
            }
        }
        let (height, mut top) = (self.frames.height(), self.frames.top);
        let mut cached_rows = std::mem::take(&mut self.cached_rows);
        let layout = self.layout();
        let mut rows = cached_rows.rows(&layout, top, height);
        // stop where the last row is at the bottom
        while rows.len() < height && top > 0 {
            top = top.saturating_sub(height - rows.len());
            rows = cached_rows.rows(&layout, top, height);
        }
        let bar = |bar: &FlameBar| FrameBar {
            node: bar.node,
            is_gathered: bar.is_gathered,
            from: layout.eighth(bar.start),
            to: layout.eighth(bar.end),
            is_odd: bar.is_odd,
        };
        let rows = rows.iter().map(|row| row.iter().map(bar).collect());
        (self.frames.bars, self.frames.top) = (rows.collect(), top);
        self.cached_rows = cached_rows;
    }
}

impl MovesInFrames for FlamePanel {
    const ORDER_MESSAGE: &'static str = messages::FLAME_IN_ORDER;

    fn frames(&mut self) -> &mut FrameRows {
        &mut self.frames
    }

    fn go_up(&mut self, times: usize) {
        let (mut at, mut row) = (self.marked, self.frames.mark);
        for _ in 0..times.min(row) {
            at = self.lens.view.tree.parent(at).unwrap_or(at);
            row -= 1;
        }
        self.select(at, row);
    }

    fn go_down(&mut self, times: usize) -> Reply {
        let layout = self.layout();
        let (mut at, mut row) = (self.marked, self.frames.mark);
        for _ in 0..times {
            let (callees, has_others) = layout.callees(at);
            match callees.first() {
                Some(&(_, heaviest)) => (at, row) = (heaviest, row + 1),
                None if has_others && at == self.marked => {
                    return Reply::ShowMessage(messages::CALLEES_TOO_NARROW.into());
                }
                None => break,
            }
        }
        self.select(at, row);
        Reply::Done
    }

    fn go_sideways(&mut self, step: isize) {
        let caller = self.lens.view.tree.parent(self.marked);
        let Some(caller) = caller.filter(|_| self.marked != self.root) else {
            return;
        };
        let (siblings, _) = self.layout().callees(caller);
        let place = siblings.iter().position(|&(_, node)| node == self.marked);
        let place = place.and_then(|place| place.checked_add_signed(step));
        if let Some(&(_, sibling)) = place.and_then(|place| siblings.get(place)) {
            self.select(sibling, self.frames.mark);
        }
    }

    fn select_bar(&mut self, bar: FrameBar, row: usize, _: usize) {
        self.select(bar.node, row);
    }

    fn zoom(&self) -> Reply {
        Reply::Zoom(self.selected)
    }
}

impl Panel for FlamePanel {
    fn tab(&self) -> &'static str {
        "Flame"
    }

    fn title(&self, _: &Lens) -> String {
        messages::FLAME_TITLE.into()
    }

    fn help(&self) -> PanelHelp {
        PanelHelp {
            heading: messages::IN_FLAME,
            commands: &[
                ("next-row", messages::HERE_HEAVIEST_CALLEE),
                ("previous-row", messages::HERE_CALLER),
                ("open", messages::HERE_NEXT_SIBLING),
                ("close", messages::HERE_PREVIOUS_SIBLING),
                ("open-hot-path", messages::HERE_ZOOM),
                ("search", messages::HERE_HIGHLIGHT),
                ("show-flame", messages::HERE_IN_TIME),
                ("show-callers", ""),
                ("drop-method", ""),
                ("collapse", ""),
                ("back", messages::HERE_ZOOM_OUT),
            ],
        }
    }

    fn act(&mut self, action: &Action, _: &Lens) -> Reply {
        self.act_in_frames(action)
    }

    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        // until it has the tree's view
        let is_same = Arc::ptr_eq(&self.lens.view, &main.view);
        is_same.then(|| Selection::of_node(main, self.selected))
    }

    fn set_area(&mut self, content: Area) {
        self.frames.cells = (content.x, content.width);
        self.frames.set_area(content);
    }

    fn settle(&mut self) {
        self.make_rows();
    }

    fn adopt(&mut self, look: &Lens) {
        self.lens = look.clone();
    }
}

/// The methods of a comparison that only existed before, with their exclusive values, largest first. O(nodes + frames).
fn methods_gone(view: &View, root: NodeId) -> Vec<(FrameId, u64)> {
    if !view.recording.is_comparison() {
        return Vec::new();
    }
    let [before, after] = [crate::analysis::compared::BEFORE, AFTER];
    let mut sums = vec![(0u64, false); view.frames.len()];
    for node in view.tree.range(root).map(NodeId::at) {
        let (own, is_present) = &mut sums[view.tree.frame(node).index()];
        *own = own.saturating_add(view.tree.exclusive(before, node));
        *is_present |= view.tree.inclusive(after, node) > 0;
    }
    let frames = view.frames.iter().zip(sums);
    let gone = frames.filter(|((_, frame), (own, is_present))| {
        frame.kind == FrameKind::Method && *own > 0 && !is_present
    });
    let mut methods: Vec<_> = gone.map(|((id, _), (own, _))| (id, own)).collect();
    methods.sort_by_key(|&(frame, own)| (Reverse(own), frame));
    methods
}
