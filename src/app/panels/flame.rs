//! The flame graph: callers above callees, each as wide as its value.

use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::compared::AFTER;
use crate::analysis::{outermost_occurrences, sum};
use crate::app::flame::FlameRows;
use crate::app::{Action, Area, FlameBar, FlameLayout, Lens, messages};
use crate::model::{FrameId, Measure, NodeId, View};
use crate::names::FrameKind;
use std::cmp::Reverse;
use std::sync::Arc;

pub struct Highlights {
    pub query: String,
    /// One for each frame.
    pub frames: Vec<bool>,
    pub methods: usize,
    /// Recursion is counted once.
    pub value: u64,
}

/// Rows of frames, callers above callees, and the commands for moving in them.
pub(super) trait FrameRows {
    /// The message that says how frames are sorted.
    const ORDER_MESSAGE: &'static str;

    fn height(&self) -> usize;
    /// The first visible row, and that of the selection.
    fn top_and_mark(&mut self) -> (&mut usize, usize);
    fn go_first(&mut self);
    fn go_up(&mut self, times: usize);
    fn go_down(&mut self, times: usize) -> Reply;
    fn go_sideways(&mut self, step: isize);
    /// Selects the frame there. Returns whether there is one.
    fn click(&mut self, x: u16, y: u16) -> bool;
    fn zoom(&self) -> Reply;

    fn act_in_rows(&mut self, action: &Action) -> Reply {
        let half = (self.height() / 2).max(1);
        match *action {
            Action::Rows(rows) | Action::HalfScreens(rows) => {
                let halves = matches!(action, Action::HalfScreens(_));
                let times = rows.unsigned_abs() * if halves { half } else { 1 };
                if rows > 0 {
                    return self.go_down(times);
                }
                self.go_up(times);
            }
            Action::First => self.go_first(),
            // deeper than any tree
            Action::Last => return self.go_down(u32::MAX as usize),
            Action::Sibling(step) => self.go_sideways(step),
            Action::Open => self.go_sideways(1),
            Action::Close => self.go_sideways(-1),
            Action::Parent => self.go_up(1),
            Action::Center => {
                let half = self.height() / 2;
                let (top, mark) = self.top_and_mark();
                *top = mark.saturating_sub(half);
            }
            Action::Wheel(_, _, rows) => {
                let (top, _) = self.top_and_mark();
                *top = top.saturating_add_signed(rows);
            }
            Action::Click(x, y) => _ = self.click(x, y),
            Action::DoubleClick(x, y) if self.click(x, y) => return self.zoom(),
            Action::Enter => return self.zoom(),
            Action::NextUserCode | Action::NextSplit => return Reply::AskTree,
            Action::NextSort | Action::ReverseSort => {
                return Reply::ShowMessage(Self::ORDER_MESSAGE.into());
            }
            _ => {}
        }
        Reply::Done
    }
}

/// With more nodes than this fraction of the tree, a pass over the tree is faster than looking up each.
const FEW_NODES_DIVISOR: usize = 16;

/// The outermost subtrees of these frames, each as a begin and an end.
pub(super) fn outermost(view: &View, root: NodeId, frames: &[bool]) -> Vec<(NodeId, NodeId)> {
    let highlights = frames
        .iter()
        .enumerate()
        .filter(|&(_, &is_highlighted)| is_highlighted);
    let highlights: Vec<FrameId> = highlights.map(|(at, _)| FrameId::at(at)).collect();
    let places = highlights
        .iter()
        .map(|&frame| view.occurrences.of(frame).len());
    if places.sum::<usize>() < view.tree.len() / FEW_NODES_DIVISOR {
        let places = outermost_occurrences(view, root, &highlights).into_iter();
        return places.map(|node| (node, view.tree.end(node))).collect();
    }
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
    /// The row of the selected frame, or of the narrow callees that hide it.
    mark: usize,
    pub top: usize,
    pub rows: Vec<Vec<FlameBar>>,
    pub highlights: Option<Highlights>,
    /// The methods of a comparison that only existed before, with their exclusive values.
    pub methods_gone: Vec<(FrameId, u64)>,
    cached_rows: FlameRows,
    rows_key: Option<RowsKey>,
    area: Area,
    /// Root and selection of the call tree when they were last copied.
    pub(in crate::app) seen: (NodeId, NodeId),
}

impl FlamePanel {
    pub(in crate::app) fn new(lens: Lens, root: NodeId, selected: NodeId) -> FlamePanel {
        FlamePanel {
            methods_gone: methods_gone(&lens.view, root),
            lens,
            root,
            selected,
            mark: 0,
            top: 0,
            rows: Vec::new(),
            highlights: None,
            cached_rows: FlameRows::default(),
            rows_key: None,
            area: Area::default(),
            seen: (root, selected),
        }
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
            self.methods_gone = methods_gone(&self.lens.view, root);
        }
        self.selected = selected;
        self.seen = (root, selected);
        self.rows_key = None;
    }

    /// Values after the change in a comparison.
    pub fn measure(&self) -> Measure {
        match self.lens.is_comparison() {
            true => AFTER.into(),
            false => self.lens.measure_below(self.root),
        }
    }

    pub fn layout(&self) -> FlameLayout<'_> {
        FlameLayout::new(
            &self.lens.view,
            self.measure(),
            self.root,
            self.chart_area().width,
        )
    }

    /// The legend, and in a comparison the methods that are gone.
    pub fn footer(&self) -> Area {
        let lines = 1 + u16::from(!self.methods_gone.is_empty());
        self.area.below(self.area.height.saturating_sub(lines))
    }

    pub fn chart_area(&self) -> Area {
        let height = self.area.height - self.footer().height;
        Area {
            height,
            ..self.area
        }
    }

    /// Whether a bar is selected or hides the selection.
    pub fn is_marked(&self, line: usize, bar: &FlameBar) -> bool {
        match bar.is_gathered {
            false => bar.node == self.selected,
            true => {
                self.top + line == self.mark
                    && self.selected != bar.node
                    && self.lens.view.tree.contains(bar.node, self.selected)
                    && !self.layout().is_drawn(self.selected)
            }
        }
    }

    /// O(depth).
    fn find_mark(&mut self) {
        let (layout, root) = (self.layout(), self.root);
        let callers = self.lens.view.tree.ancestors(self.selected);
        let path = std::iter::once(self.selected).chain(callers);
        let (mut drawn, mut hidden) = (0, 0);
        for node in path.take_while(|&node| node != root) {
            match layout.is_drawn(node) {
                true => drawn += 1,
                false => hidden = 1,
            }
        }
        self.mark = drawn + hidden;
    }

    /// Scrolls as little as needed to show the selection.
    fn show_mark(&mut self) {
        let lowest = self.mark.saturating_sub(self.height() - 1);
        self.top = self.top.clamp(lowest, self.mark);
    }

    fn select(&mut self, node: NodeId, mark: usize) {
        (self.selected, self.mark) = (node, mark);
        self.show_mark();
    }

    pub(in crate::app) fn highlight(&mut self, query: String, frames: Vec<bool>) {
        let (view, measure) = (&self.lens.view, self.measure());
        let highlights = outermost(view, self.root, &frames).into_iter();
        let value = sum(highlights.map(|(node, _)| measure.inclusive(view, node)));
        self.highlights = Some(Highlights {
            query,
            methods: frames
                .iter()
                .filter(|&&is_highlighted| is_highlighted)
                .count(),
            frames,
            value,
        });
    }

    /// Also finds the selection if the rows have changed.
    fn make_rows(&mut self) {
        let view = Arc::as_ptr(&self.lens.view);
        let rows_key = (view, self.measure(), self.root, self.chart_area().width);
        if self.rows_key != Some(rows_key) {
            (self.cached_rows, self.rows_key) = (FlameRows::default(), Some(rows_key));
            self.find_mark();
            self.show_mark();
            let highlights = self.highlights.take();
            highlights
                .into_iter()
                .for_each(|highlights| self.highlight(highlights.query, highlights.frames));
        }
        let mut cached_rows = std::mem::take(&mut self.cached_rows);
        let mut rows = cached_rows.rows(&self.layout(), self.top, self.height());
        // stop where the last row is at the bottom
        while rows.len() < self.height() && self.top > 0 {
            self.top = self.top.saturating_sub(self.height() - rows.len());
            rows = cached_rows.rows(&self.layout(), self.top, self.height());
        }
        (self.cached_rows, self.rows) = (cached_rows, rows);
    }
}

impl FrameRows for FlamePanel {
    const ORDER_MESSAGE: &'static str = messages::FLAME_IN_ORDER;

    fn height(&self) -> usize {
        usize::from(self.chart_area().height).max(1)
    }

    fn top_and_mark(&mut self) -> (&mut usize, usize) {
        (&mut self.top, self.mark)
    }

    fn go_first(&mut self) {
        self.select(self.root, 0)
    }

    fn go_up(&mut self, times: usize) {
        let (layout, tree) = (self.layout(), &self.lens.view.tree);
        let (mut at, mut mark) = (self.selected, self.mark);
        for _ in 0..times {
            let Some(caller) = tree.parent(at).filter(|_| at != self.root) else {
                break;
            };
            // narrow callees share the row of their widest sibling
            mark -= usize::from(layout.is_drawn(at) || layout.is_drawn(caller));
            at = caller;
        }
        self.select(at, mark);
    }

    fn go_down(&mut self, times: usize) -> Reply {
        let layout = self.layout();
        let (mut at, mut mark, mut is_narrow) = (self.selected, self.mark, false);
        for _ in 0..times {
            let (callees, has_others) = match layout.is_drawn(at) {
                true => layout.callees(at),
                false => (Vec::new(), true),
            };
            let Some(&(_, heaviest)) = callees.first() else {
                is_narrow = has_others && at == self.selected;
                break;
            };
            (at, mark) = (heaviest, mark + 1);
        }
        self.select(at, mark);
        match is_narrow {
            true => Reply::ShowMessage(messages::CALLEES_TOO_NARROW.into()),
            false => Reply::Done,
        }
    }

    /// From narrow callees, goes to their widest sibling.
    fn go_sideways(&mut self, step: isize) {
        let (view, layout) = (&self.lens.view, self.layout());
        let mut at = self.selected;
        while at != self.root
            && let Some(caller) = view.tree.parent(at)
        {
            if !layout.is_drawn(caller) {
                at = caller;
                continue;
            }
            let (siblings, _) = layout.callees(caller);
            let place = siblings.iter().position(|&(_, sibling)| sibling == at);
            let place = place.unwrap_or(siblings.len()).checked_add_signed(step);
            if let Some(&(_, sibling)) = place.and_then(|place| siblings.get(place)) {
                self.select(sibling, self.mark);
            }
            return;
        }
    }

    fn click(&mut self, x: u16, y: u16) -> bool {
        let chart = self.chart_area();
        if !chart.contains(x, y) {
            return false;
        }
        let line = usize::from(y - chart.y);
        let row = self.rows.get(line).map_or(&[][..], Vec::as_slice);
        let bar = self.layout().bar_at(row, usize::from(x - chart.x)).copied();
        match bar.filter(|bar| !bar.is_gathered) {
            Some(bar) => {
                self.select(bar.node, self.top + line);
                true
            }
            None => false,
        }
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
        self.act_in_rows(action)
    }

    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        // until it has the tree's view
        let is_same = Arc::ptr_eq(&self.lens.view, &main.view);
        is_same.then(|| Selection::of_node(main, self.selected))
    }

    fn set_area(&mut self, content: Area) {
        let before = std::mem::replace(&mut self.area, content);
        if content.height != before.height {
            self.show_mark();
        }
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
        let (own, is_there) = &mut sums[view.tree.frame(node).index()];
        *own = own.saturating_add(view.tree.exclusive(before, node));
        *is_there |= view.tree.inclusive(after, node) > 0;
    }
    let frames = view.frames.iter().zip(sums);
    let gone = frames.filter(|((_, frame), (own, is_there))| {
        frame.kind == FrameKind::Method && *own > 0 && !is_there
    });
    let mut methods: Vec<_> = gone.map(|((id, _), (own, _))| (id, own)).collect();
    methods.sort_by_key(|&(frame, own)| (Reverse(own), frame));
    methods
}
