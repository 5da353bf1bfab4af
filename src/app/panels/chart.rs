//! The flame chart: the stacks of a thread in time order, each frame as wide as it lasts.

use super::flame::outermost;
use super::frames::{FrameBar, FrameRows, Highlights, MovesInFrames};
use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::{Buckets, Chart, sum};
use crate::app::{Action, Area, ChartLane, Lens, messages};
use crate::model::{NodeId, TimeRange};
use crate::text::visible;
use std::cmp::Reverse;
use std::sync::Arc;

type ColumnsKey = (*const Chart, u16);

pub struct ChartPanel {
    pub lens: Lens,
    pub name: String,
    /// `None` until it is requested.
    pub lane: Option<ChartLane>,
    pub chart: Option<Arc<Chart>>,
    pub frames: FrameRows,
    /// Threads by their index in the recording.
    pub(in crate::app) threads: Vec<usize>,
    pub(in crate::app) at_ns: u64,
    /// Whether `at_ns` differs from the strip's cursor.
    pub(in crate::app) has_moved: bool,
    node_to_select: Option<NodeId>,
    /// The deepest frame to show in each eighth.
    columns: Vec<Option<NodeId>>,
    /// Whether what took most of a cell stands for narrower stacks.
    pub is_summed: bool,
    /// The cells that were idle for more than half of their time.
    pub idle: Vec<usize>,
    columns_key: Option<ColumnsKey>,
}

impl ChartPanel {
    /// A node is selected where it lasts longest.
    pub(in crate::app) fn new(
        lens: Lens,
        threads: Vec<usize>,
        node_to_select: Option<NodeId>,
    ) -> Self {
        let name = threads.first();
        let name = name.map(|&row| lens.view.recording.thread_title(row).to_string());
        ChartPanel {
            lens,
            name: name.unwrap_or_default(),
            lane: None,
            chart: None,
            frames: FrameRows {
                footer_lines: 1,
                ..FrameRows::default()
            },
            threads,
            at_ns: 0,
            has_moved: false,
            node_to_select,
            columns: Vec::new(),
            is_summed: false,
            idle: Vec::new(),
            columns_key: None,
        }
    }

    /// Keeps the instant and the row, perhaps in another view.
    pub(in crate::app) fn reopened(&self, lens: Lens, threads: Vec<usize>) -> ChartPanel {
        let mut panel = ChartPanel::new(lens, threads, None);
        panel.at_ns = self.at_ns;
        (panel.frames.mark, panel.frames.top) = (self.frames.mark, self.frames.top);
        panel.frames.area = self.frames.area;
        panel
    }

    fn merged_thread(&self) -> Option<NodeId> {
        let view = &self.lens.view;
        let is_merged = |&at: &usize| {
            let rows = view.rows_of_thread(at);
            rows.len() > 1 && self.threads.iter().any(|row| rows.contains(row))
        };
        let at = (0..view.threads.len()).find(is_merged)?;
        Some(view.threads[at].node)
    }

    /// A thread that is merged with others has a name of its own here.
    pub fn node_name(&self, node: NodeId) -> &str {
        match self.merged_thread() == Some(node) {
            true => &self.name,
            false => self.lens.node_name(node),
        }
    }

    fn eighths(&self) -> Option<Buckets> {
        let count = 8 * usize::from(self.frames.cells.1);
        Some(Buckets::new(self.chart.as_ref()?.range, count))
    }

    fn selected_eighth(&self) -> usize {
        self.eighths().map_or(0, |eighths| eighths.at(self.at_ns))
    }

    pub fn is_marked(&self, line: usize, bar: &FrameBar) -> bool {
        let at = self.selected_eighth();
        self.frames.top + line == self.frames.mark && (bar.from..bar.to).contains(&at)
    }

    /// `None` if the stack there is not deep enough.
    pub(in crate::app) fn selected_node(&self) -> Option<NodeId> {
        let chart = self.chart.as_ref()?;
        let leaf = (*self.columns.get(self.selected_eighth())?)?;
        let reaches_mark = chart.depth(leaf) >= self.frames.mark;
        reaches_mark.then(|| chart.above(&self.lens.view, leaf, self.frames.mark))
    }

    fn selected_bar(&self) -> Option<FrameBar> {
        let (row, at) = (self.row(self.frames.mark), self.selected_eighth());
        row.into_iter().find(|bar| (bar.from..bar.to).contains(&at))
    }

    fn select(&mut self, eighth: usize, depth: usize) {
        let Some(eighths) = self.eighths() else {
            return;
        };
        self.at_ns = end_of_eighth(eighths, eighth);
        self.frames.mark = depth;
        self.has_moved = true;
        // what took most of a cell does not fill all of it
        if let (Some(chart), Some(node)) = (&self.chart, self.selected_node()) {
            let view = &self.lens.view;
            let leaf = chart.at(self.at_ns);
            let runs = leaf.is_some_and(|leaf| view.tree.contains(node, leaf));
            let cell = cell_range(eighths, eighth);
            if let Some(lasts) = chart.range_of(view, node, cell).filter(|_| !runs) {
                self.at_ns = lasts.from_ns.max(cell.from_ns);
            }
        }
        self.frames.show_mark();
    }

    /// O(eighths · (rows + log depth)).
    fn rows_from(&self, top: usize, count: usize) -> Vec<Vec<FrameBar>> {
        let Some(chart) = &self.chart else {
            return Vec::new();
        };
        let view = &self.lens.view;
        let mut rows: Vec<Vec<FrameBar>> = vec![Vec::new(); count];
        let mut before = None;
        for (at, &column) in self.columns.iter().enumerate() {
            let is_same = column.is_some() && column == before;
            before = column;
            if is_same {
                let bars = rows.iter_mut().filter_map(|row| row.last_mut());
                bars.filter(|bar| bar.to == at).for_each(|bar| bar.to += 1);
                continue;
            }
            let Some(leaf) = column.filter(|&leaf| chart.depth(leaf) >= top) else {
                continue;
            };
            let lowest = chart.depth(leaf).min(top + count - 1);
            let mut node = chart.above(view, leaf, lowest);
            for row in rows[..=lowest - top].iter_mut().rev() {
                push_bar(row, node, at);
                node = view.tree.parent(node).unwrap_or(node);
            }
        }
        while rows.last().is_some_and(Vec::is_empty) {
            rows.pop();
        }
        rows
    }

    fn row(&self, depth: usize) -> Vec<FrameBar> {
        self.rows_from(depth, 1).pop().unwrap_or_default()
    }

    pub(in crate::app) fn receive(&mut self, chart: Option<Arc<Chart>>) {
        self.chart = chart;
        self.columns_key = None;
    }

    pub(in crate::app) fn highlight(&mut self, query: String, frames: Vec<bool>) {
        let (view, Some(chart)) = (&self.lens.view, &self.chart) else {
            return;
        };
        let highlights = outermost(view, chart.root, &frames);
        let is_highlighted = |node: NodeId| {
            let after = highlights.partition_point(|&(start, _)| start <= node);
            after > 0 && node < highlights[after - 1].1
        };
        let spans = chart.spans.iter().filter(|span| is_highlighted(span.node));
        let value = spans.map(|span| span.end_ns - span.start_ns);
        let value = sum(value);
        self.frames.highlights = Some(Highlights::new(query, frames, value));
    }

    pub fn total_ns(&self) -> u64 {
        let spans = self.chart.iter().flat_map(|chart| &chart.spans);
        sum(spans.map(|span| span.end_ns - span.start_ns))
    }

    /// Selects the nearest caller if the node is not shown, or else the first stack.
    fn select_longest(&mut self, node: NodeId) {
        let Some(chart) = self.chart.clone() else {
            return;
        };
        let view = self.lens.view.clone();
        let is_shown = |caller| {
            let mut leaves = self.columns.iter().flatten();
            leaves.any(|&leaf| view.tree.contains(caller, leaf))
        };
        let node = match view.tree.contains(chart.root, node) {
            true => chart.nearest(&view, node, is_shown),
            false => chart.root,
        };
        let depth = chart.depth(node);
        let row = self.row(depth).into_iter().filter(|bar| bar.node == node);
        let longest = row.max_by_key(|bar| (bar.to - bar.from, Reverse(bar.from)));
        let first = self.columns.iter().position(Option::is_some);
        match longest {
            Some(bar) => self.select(bar.from, depth),
            None => self.select(first.unwrap_or(0), 0),
        }
    }

    /// Each eighth shows the stack at its end; or all eighths of a cell what took most of it, if a stack in it is
    /// narrower.
    fn make_columns(&mut self) {
        let Some((chart, eighths)) = self.chart.clone().zip(self.eighths()) else {
            return self.columns.clear();
        };
        let columns_key = Some((Arc::as_ptr(&chart), self.frames.cells.1));
        if self.columns_key == columns_key {
            return;
        }
        self.columns_key = columns_key;
        self.is_summed = false;
        self.idle.clear();
        self.columns.clear();
        for cell in (0..8 * usize::from(self.frames.cells.1)).step_by(8) {
            let time = cell_range(eighths, cell);
            if chart.has_narrower(time) {
                let longest = chart.hottest(&self.lens.view, time);
                self.columns.extend([longest; 8]);
                self.is_summed = true;
                if longest.is_some() && chart.is_mostly_idle(time) {
                    self.idle.push(cell / 8);
                }
                continue;
            }
            let leaf = |eighth| chart.at(end_of_eighth(eighths, eighth));
            self.columns.extend((cell..cell + 8).map(leaf));
        }
        let at_ns = self.at_ns.clamp(chart.range.from_ns, chart.range.to_ns);
        self.has_moved |= at_ns != self.at_ns;
        self.at_ns = at_ns;
        if let Some(node_to_select) = self.node_to_select.take() {
            self.select_longest(node_to_select);
        }
        self.frames.show_mark();
    }
}

fn end_of_eighth(eighths: Buckets, eighth: usize) -> u64 {
    let last = eighths.boundary_ns(eighth + 1).saturating_sub(1);
    last.max(eighths.boundary_ns(eighth))
}

fn cell_range(eighths: Buckets, eighth: usize) -> TimeRange {
    let first = eighth / 8 * 8;
    TimeRange {
        from_ns: eighths.boundary_ns(first),
        to_ns: eighths.boundary_ns(first + 8),
    }
}

fn push_bar(row: &mut Vec<FrameBar>, node: NodeId, at: usize) {
    match row.last_mut() {
        Some(bar) if bar.node == node && bar.to == at => bar.to = at + 1,
        before => {
            let is_odd = before.is_some_and(|bar| !bar.is_odd);
            row.push(FrameBar {
                node,
                is_gathered: false,
                from: at,
                to: at + 1,
                is_odd,
            });
        }
    }
}

impl MovesInFrames for ChartPanel {
    const ORDER_MESSAGE: &'static str = messages::CHART_IN_ORDER;

    fn frames(&mut self) -> &mut FrameRows {
        &mut self.frames
    }

    fn go_sideways(&mut self, step: isize) {
        let (row, at) = (self.row(self.frames.mark), self.selected_eighth());
        let found = match step > 0 {
            true => row.iter().find(|bar| bar.from > at),
            false => row.iter().rev().find(|bar| bar.to <= at),
        };
        if let Some(bar) = found {
            let at = if step > 0 { bar.from } else { bar.to - 1 };
            self.select(at, self.frames.mark);
        }
    }

    /// Goes down the stack at the instant; or to the first callee while the selected frame lasts.
    fn go_down(&mut self, times: usize) -> Reply {
        let Some(chart) = self.chart.clone() else {
            return Reply::Done;
        };
        let depth_at = |at: usize| self.columns[at].map_or(0, |leaf| chart.depth(leaf));
        let at = self.selected_eighth();
        let is_deeper = self.columns.get(at).is_some() && depth_at(at) > self.frames.mark;
        if is_deeper {
            self.select(at, (self.frames.mark + times).min(depth_at(at)));
            return Reply::Done;
        }
        let mut within = self.selected_bar().map_or(0..0, |bar| bar.from..bar.to);
        match within.find(|&at| depth_at(at) > self.frames.mark) {
            Some(at) => self.select(at, self.frames.mark + 1),
            None => return Reply::ShowMessage(messages::IS_LEAF.into()),
        }
        Reply::Done
    }

    fn go_up(&mut self, times: usize) {
        self.frames.mark = self.frames.mark.saturating_sub(times);
        self.frames.show_mark();
    }

    fn select_bar(&mut self, bar: FrameBar, row: usize, eighth: usize) {
        self.select(eighth.clamp(bar.from, bar.to - 1), row);
    }

    fn zoom(&self) -> Reply {
        let (Some(chart), Some(eighths)) = (&self.chart, self.eighths()) else {
            return Reply::Done;
        };
        let lasts = self.selected_bar().and_then(|bar| {
            let time = TimeRange {
                from_ns: eighths.boundary_ns(bar.from),
                to_ns: eighths.boundary_ns(bar.to),
            };
            chart.range_of(&self.lens.view, bar.node, time)
        });
        lasts.map_or(Reply::Done, Reply::ChooseRange)
    }
}

impl Panel for ChartPanel {
    fn tab(&self) -> &'static str {
        "Chart"
    }

    fn title(&self, _: &Lens) -> String {
        let thread = visible(&self.name);
        match self.merged_thread() {
            Some(merged) => messages::chart_of_one(&thread, &visible(self.lens.node_name(merged))),
            None => messages::chart_of(&thread),
        }
    }

    fn help(&self) -> PanelHelp {
        PanelHelp {
            heading: messages::IN_CHART,
            commands: &[
                ("next-row", messages::HERE_CALLEE_THEN),
                ("previous-row", messages::HERE_CALLER),
                ("open", messages::HERE_LATER),
                ("close", messages::HERE_EARLIER),
                ("open-hot-path", messages::HERE_ZOOM_TIME),
                ("next-panel", messages::HERE_NEXT_THREAD),
                ("search", messages::HERE_HIGHLIGHT),
                ("range-start", ""),
                ("range-end", ""),
                ("back", messages::HERE_BACK_TO_FLAME),
            ],
        }
    }

    fn act(&mut self, action: &Action, _: &Lens) -> Reply {
        self.act_in_frames(action)
    }

    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        let node = self.selected_node()?;
        (node.index() < main.view.tree.len()).then(|| Selection::of_node(main, node))
    }

    fn set_area(&mut self, content: Area) {
        self.frames.set_area(content);
    }

    fn settle(&mut self) {
        self.make_columns();
        let (height, top) = (self.frames.height(), self.frames.top);
        self.frames.bars = self.rows_from(top, height);
        // stop where the last row is at the bottom
        if self.frames.bars.len() < height && top > 0 {
            let depths = self.columns.iter().flatten();
            let depth = |&leaf: &NodeId| self.chart.as_ref().map_or(0, |chart| chart.depth(leaf));
            let deepest = depths.map(depth).max().unwrap_or(0);
            let top = top.min((deepest + 1).saturating_sub(height));
            (self.frames.bars, self.frames.top) = (self.rows_from(top, height), top);
        }
    }

    fn adopt(&mut self, look: &Lens) {
        self.lens = look.clone();
    }
}
