//! The strip's cursor, and choosing ranges with it.

use super::Effect;
use crate::app::time_strip::Subject;
use crate::app::{
    Action, AnyPanel, CellsOverTime, Depth, Explorer, LaneRow, LaneThreads, LanesPanel, Overlay,
    Page, ViewOverTime, messages,
};
use crate::model::{NodeId, Scope, TimeRange};
use crate::query::{RangeFault, RangeRequest, rate_words};
use crate::text::visible;
use crate::units::{Scale, Unit, seconds, seconds_rounded};
use std::sync::Arc;

const MAX_RANGES: usize = 32;
const MIN_HEIGHT: u16 = 20;

impl Explorer {
    pub(super) fn strip_rows(&self) -> u16 {
        let has_times = self.view().recording.samples.is_ok();
        match self.layout.screen.height {
            _ if !has_times || self.time.is_hidden => 0,
            ..MIN_HEIGHT => 0,
            30.. if self.time.has_notable_markers => 3,
            _ => 2,
        }
    }

    pub(super) fn refresh_strip(&mut self) {
        let (view, metric) = (Arc::clone(self.view()), self.lens().metric);
        let is_wanted = !self.time.is_hidden || self.has_lanes() || self.has_chart();
        if is_wanted && self.time.start_request(&view, metric) {
            self.ask(Effect::Time(metric));
        }
        let Some(strip) = self.computed_strip().cloned() else {
            return;
        };
        let counts_waiting = self.measure().counts_waiting;
        if let Some(panel) = self.page_mut().first_mut::<LanesPanel>() {
            let rows = panel.rows.len();
            panel.receive(&strip, counts_waiting);
            if panel.rows.len() != rows {
                self.lay_out();
            }
        }
        self.refresh_moment(&strip);
        let subject = self.strip_subject();
        self.time.select(&strip, subject);
    }

    pub fn computed_strip(&self) -> Option<&Arc<ViewOverTime>> {
        self.time.of(self.view(), self.lens().metric)
    }

    fn strip_subject(&self) -> Subject {
        if let Overlay::Methods(table) = &self.overlay
            && let Some(row) = table.selected().filter(|_| !table.is_grouped())
        {
            return Subject::Method(row.sums.frame);
        }
        if let (Some(row), None) = self.lane() {
            return Subject::Nodes(row.threads.clone());
        }
        let (selection, view) = (self.selection(), self.view());
        let is_node = selection.hotspot.is_none() && Arc::ptr_eq(&selection.lens.view, view);
        match is_node && self.page().parts.is_none() {
            true => Subject::Nodes(LaneThreads::Nodes([selection.node].into())),
            false => Subject::Method(selection.frame),
        }
    }

    pub(super) fn act_in_strip(&mut self, action: &Action) -> bool {
        match *action {
            Action::ToggleStrip => self.toggle_strip(),
            Action::Peak => self.go_to_peak(),
            Action::Time(cells) => self.move_time(cells),
            Action::RangeEnd(is_end) => self.set_range_end(is_end),
            Action::ZoomTime(is_in) => self.zoom_time(is_in),
            _ => return false,
        }
        true
    }

    fn lane(&self) -> (Option<&LaneRow>, Option<NodeId>) {
        match self.page().focused() {
            AnyPanel::Lanes(panel) => (panel.selected_row(), panel.node_at_cursor),
            _ => (None, None),
        }
    }

    pub fn has_lanes(&self) -> bool {
        self.page().first::<LanesPanel>().is_some()
    }

    pub(super) fn open_lanes(&mut self) {
        if let Err(why) = &self.view().recording.samples {
            return self.show_message(messages::no_time(why));
        }
        if self.has_lanes() {
            return self.show_message(messages::ALREADY_SHOWN);
        }
        let mut panel = LanesPanel::new(self.lens());
        panel.show_part(self.default_part(), self.lens());
        self.open(self.page_origin(), Page::lanes(Box::new(panel)));
    }

    fn default_part(&self) -> Option<NodeId> {
        let focus = self.tree().shown.root();
        (focus != NodeId::ROOT).then_some(focus)
    }

    pub(super) fn toggle_lanes_subtree(&mut self) {
        if self.leave_lanes_subtree() {
            return;
        }
        // in the lists below the lanes, the heaviest occurrence
        let selected = match self.page().focused() {
            AnyPanel::Hotspots(_) => self.selection().node,
            _ => self.tree().shown.selected,
        };
        if selected == self.tree().shown.root() {
            return self.show_message(messages::NO_PART_SELECTED);
        }
        self.show_part(Some(selected));
    }

    /// Switches the lanes back to the default subtree. Returns whether another one was shown.
    pub(super) fn leave_lanes_subtree(&mut self) -> bool {
        let default_part = self.default_part();
        let lanes = self.page().first::<LanesPanel>();
        let is_chosen = lanes.is_some_and(|lanes| lanes.within != default_part);
        if is_chosen {
            self.show_part(default_part);
        }
        is_chosen
    }

    fn show_part(&mut self, within: Option<NodeId>) {
        let lens = self.lens().clone();
        if let Some(panel) = self.page_mut().first_mut::<LanesPanel>() {
            panel.show_part(within, &lens);
        }
    }

    fn refresh_moment(&mut self, strip: &ViewOverTime) {
        let cells = self.in_cells(strip);
        let at = self.time.cursor_ns.map(|at| cells.cell_at(at));
        let Some(panel) = self.page_mut().first_mut::<LanesPanel>() else {
            return;
        };
        panel.has_cursor = at.is_some();
        panel.node_at_cursor = at.and_then(|cell| {
            let rows = &panel.selected_row()?.rows;
            let within = panel.within.unwrap_or(NodeId::ROOT);
            strip.stack_in(within, rows, cells.range(cell))
        });
    }

    pub(super) fn choose_threads(&mut self, rows: &[usize]) {
        let mut chosen = vec![false; self.view().recording.threads.len()];
        rows.iter().for_each(|&row| chosen[row] = true);
        self.change_scope(|scope| scope.threads.chosen = chosen)
    }

    pub(super) fn go_to_marker(&mut self, step: isize) {
        let Some(strip) = self.strip() else { return };
        let cells = self.in_cells(&strip);
        let range = strip.timeline.range;
        let here = self.time.cursor_ns.map(|at| cells.cell_at(at));
        let markers = strip.view.shown_markers();
        let mut markers = markers
            .filter(|marker| marker.kind().is_notable())
            .peekable();
        if markers.peek().is_none() {
            return self.show_message(messages::NO_MARKERS);
        }
        let times = markers.map(|marker| marker.time_ns());
        let times = times.filter(|&at| range.contains(at));
        let cell = |at: &u64| cells.cell_at(*at);
        let found = match (step > 0, here) {
            (true, None) => times.min(),
            (true, Some(here)) => times.filter(|at| cell(at) > here).min(),
            (false, here) => times
                .filter(|at| here.is_none_or(|here| cell(at) < here))
                .max(),
        };
        match found {
            Some(at) => self.time.cursor_ns = Some(cells.start(cell(&at))),
            None => self.show_message(messages::NO_MARKER_THERE),
        }
    }

    fn go_to_peak(&mut self) {
        let Some(strip) = self.strip() else { return };
        let cells = self.in_cells(&strip);
        match self.time.selected().and_then(|values| cells.peak(values)) {
            Some(peak_ns) => {
                self.time.cursor_ns = Some(peak_ns);
                self.show_message(messages::peak_of(&self.subject_name()));
            }
            None => self.show_message(messages::NO_PEAK),
        }
    }

    fn subject_name(&self) -> String {
        let lens = self.lens();
        let name = match self.time.subject() {
            Some(Subject::Method(frame)) => lens.list_name(*frame),
            Some(Subject::Nodes(LaneThreads::Nodes(nodes))) if nodes.len() == 1 => {
                lens.node_name(nodes[0]).into()
            }
            _ => self.lane().0.map_or("", |row| &row.name).into(),
        };
        visible(&name).into_owned()
    }

    fn toggle_strip(&mut self) {
        if let Err(why) = &self.view().recording.samples {
            return self.show_message(messages::no_time(why));
        }
        self.time.is_hidden ^= true;
        if self.layout.screen.height < MIN_HEIGHT {
            self.show_message(messages::STRIP_NEEDS_ROOM);
        }
    }

    /// Shows a message if there is none.
    fn strip(&mut self) -> Option<Arc<ViewOverTime>> {
        if std::mem::take(&mut self.time.is_hidden) {
            self.refresh();
        }
        let found = self.computed_strip().cloned();
        if found.is_none() {
            match &self.view().recording.samples {
                Err(why) => self.show_message(messages::no_time(why)),
                Ok(_) => self.show_message(messages::STRIP_NOT_READY),
            }
        }
        found
    }

    fn in_cells<'a>(&self, strip: &'a ViewOverTime) -> CellsOverTime<'a> {
        let count = usize::from(self.layout.strip_cells().width).max(1);
        strip.in_cells(count, self.measure().counts_waiting)
    }

    pub(super) fn move_time(&mut self, by: isize) {
        let Some(strip) = self.strip() else { return };
        let cells = self.in_cells(&strip);
        let cell = match self.time.cursor_ns {
            Some(at) => cells.cell_at(at).saturating_add_signed(by),
            None => cells.count / 2,
        };
        self.time.cursor_ns = Some(cells.start(cell.min(cells.count - 1)));
    }

    /// Shows a message if there is no cursor.
    fn cursor_range(&mut self) -> Option<TimeRange> {
        let strip = self.strip()?;
        let Some(at) = self.time.cursor_ns else {
            self.show_message(messages::NO_TIME_CURSOR);
            return None;
        };
        let cells = self.in_cells(&strip);
        Some(cells.range(cells.cell_at(at)))
    }

    fn set_range_end(&mut self, is_end: bool) {
        let Some(cursor) = self.cursor_range() else {
            return;
        };
        let mut range = self.wanted_scope().range.unwrap_or(TimeRange::ALL);
        match is_end {
            true => range.to_ns = cursor.to_ns,
            false => range.from_ns = cursor.from_ns,
        }
        self.choose_range(range);
    }

    fn zoom_time(&mut self, is_in: bool) {
        let Some(strip) = self.strip() else { return };
        let TimeRange { from_ns, to_ns } = strip.timeline.range;
        if !is_in && self.wanted_scope().range.is_none() {
            return self.show_message(messages::ALL_IS_SHOWN);
        }
        let span = to_ns - from_ns;
        let center = self.time.cursor_ns.unwrap_or(from_ns + span / 2);
        // zooming in stays within the shown range
        let (span, first, last) = match is_in {
            true => ((span / 2).max(1), from_ns, to_ns),
            false => (span.saturating_mul(2), 0, self.recorded_ns()),
        };
        let earliest = center.saturating_sub(span / 2).max(first);
        let from_ns = earliest.min(last.saturating_sub(span).max(first));
        let to_ns = from_ns.saturating_add(span);
        self.choose_range(TimeRange { from_ns, to_ns });
    }

    fn recorded_ns(&self) -> u64 {
        let samples = self.view().recording.samples.as_ref();
        samples.map_or(0, |samples| samples.span_ns)
    }

    pub(super) fn choose_typed_range(&mut self, range: RangeRequest) {
        let end_ns = self.recorded_ns();
        let has_times = self.view().recording.samples.is_ok();
        match range.fault(end_ns).filter(|_| has_times) {
            Some(RangeFault::PastEnd) => {
                return self.show_message(messages::range_past_end(&seconds(end_ns)));
            }
            Some(RangeFault::EndsFirst) => return self.show_message(messages::RANGE_ENDS_FIRST),
            None => {}
        }
        match range.within(&self.view().recording) {
            Ok(range) => self.choose_range(range.unwrap_or(TimeRange::ALL)),
            Err(error) => self.show_message(error.to_string()),
        }
    }

    /// `esc` returns to the previous range.
    pub(super) fn choose_range(&mut self, range: TimeRange) {
        if range.from_ns >= range.to_ns {
            return self.show_message(messages::RANGE_ENDS_FIRST);
        }
        let is_open = range.to_ns >= self.recorded_ns();
        let to_ns = if is_open {
            TimeRange::OPEN
        } else {
            range.to_ns
        };
        let range = TimeRange { to_ns, ..range };
        if range == TimeRange::ALL {
            return self.return_to_range(None);
        }
        if self.wanted_scope().range != Some(range) {
            self.change_scope(|scope| scope.range = Some(range))
        }
    }

    pub(super) fn return_to_range(&mut self, range: Option<TimeRange>) {
        let mut steps = self.wanted_steps().clone();
        steps.scope.range = range;
        self.go_back_to_steps(steps)
    }

    /// Does nothing if a later change must be undone first. Returns whether it did something.
    pub(super) fn back_to_range(&mut self) -> bool {
        let (depth, threads) = (self.depth(), &self.wanted_scope().threads);
        let is_next = |(left, left_depth): &&(Scope, Depth)| {
            depth.changes <= left_depth.changes
                && depth.focuses <= left_depth.focuses
                && *threads == left.threads
        };
        let last = self.time.range_history.last().filter(is_next);
        let range = last.map(|(left, _)| left.range);
        if let Some(range) = range {
            self.return_to_range(range);
        }
        range.is_some()
    }

    /// Before another range is shown: remembers the current one, unless that is left to return to an earlier one.
    pub(super) fn leave_for_range(&mut self, range: Option<TimeRange>, is_returning: bool) {
        let left = (self.scope().clone(), self.depth());
        let ranges = &mut self.time.range_history;
        if range.is_none() {
            return ranges.clear();
        }
        let returns = ranges.pop_if(|(left, _)| is_returning && left.range == range);
        if returns.is_none() {
            ranges.push(left);
            ranges.drain(..ranges.len().saturating_sub(MAX_RANGES));
        }
    }

    pub(super) fn leave_cursor(&mut self) -> bool {
        self.time.dragged = None;
        self.time.cursor_ns.take().is_some()
    }

    fn time_at(&self, x: u16) -> Option<u64> {
        let (strip, area) = (self.computed_strip()?, self.layout.strip_cells());
        let cell = x.saturating_sub(area.x).min(area.width.saturating_sub(1));
        Some(self.in_cells(strip).start(usize::from(cell)))
    }

    /// A double click shows the whole recording.
    pub(super) fn click_strip(&mut self, x: u16, is_second: bool) {
        if is_second {
            self.leave_cursor();
            if self.wanted_scope().range.is_some() {
                self.return_to_range(None);
            }
            return;
        }
        let at = self.time_at(x);
        self.time.cursor_ns = at;
        self.time.dragged = at.map(|at| [at, at]);
    }

    pub(super) fn drag(&mut self, x: u16) {
        let Some(at) = self.time_at(x) else { return };
        if let Some([_, end]) = &mut self.time.dragged {
            *end = at;
            self.time.cursor_ns = Some(at);
        }
    }

    pub(super) fn release(&mut self) {
        let Some([from, to]) = self.time.drawn_range() else {
            return;
        };
        self.time.dragged = None;
        if from == to {
            return;
        }
        let Some(strip) = self.strip() else { return };
        let cells = self.in_cells(&strip);
        self.time.cursor_ns = None;
        self.choose_range(TimeRange {
            from_ns: from,
            to_ns: cells.range(cells.cell_at(to)).to_ns,
        });
    }

    /// The value at the cursor: `at 2.031 s: 1.2 busy at once`.
    pub fn cursor_words(&self) -> Option<String> {
        let (strip, at) = (self.computed_strip()?, self.time.cursor_ns?);
        let measure = self.measure();
        let (value, length) = self.in_cells(strip).value_at(at);
        let much = rate_words(self.view(), measure, self.lens().scale(), value, length);
        let at = match length {
            1_000_000.. => seconds_rounded(at),
            _ => seconds(at),
        };
        let duration = Scale::for_values(Unit::Milliseconds, length).with_unit(length);
        Some(messages::at_time(&at, &duration, &much))
    }
}
