//! Drawing on the screen's cells: lines, styles, borders.

use super::Theme;
use crate::app::{Area, Field, Hint, ListCursor};
use crate::text::{fit_end, fit_start, is_hostile, visible, width};
use ratatui::prelude::{Buffer, Line, Rect, Span, Style, Widget};
use ratatui::widgets::{Block, BorderType, Clear};

/// Draws only on the screen, which may have shrunk since the layout was computed.
pub(super) struct Pen<'a> {
    pub(super) buffer: &'a mut Buffer,
    pub(super) theme: Theme,
}

impl Pen<'_> {
    pub(super) fn screen(&self) -> Area {
        Area::new(0, 0, self.buffer.area.width, self.buffer.area.height)
    }

    fn rect(&self, area: Area) -> Rect {
        Rect::new(area.x, area.y, area.width, area.height).intersection(self.buffer.area)
    }

    fn row_rect(&self, area: Area, row: u16) -> Option<Rect> {
        let line = Rect::new(0, area.y + row, u16::MAX, 1);
        let line = self.rect(area.below(row)).intersection(line);
        (line.area() > 0).then_some(line)
    }

    pub(super) fn put(&mut self, area: Area, row: u16, line: impl Into<Line<'static>>) {
        if let Some(at) = self.row_rect(area, row) {
            self.buffer.set_line(at.x, at.y, &line.into(), at.width);
        }
    }

    pub(super) fn put_right(&mut self, area: Area, row: u16, line: impl Into<Line<'static>>) {
        let line = line.into();
        if let Some(at) = self.row_rect(area, row) {
            let width = (line.width() as u16).min(at.width);
            let x = at.x + at.width - width;
            self.buffer.set_line(x, at.y, &line, width);
        }
    }

    pub(super) fn put_dim(&mut self, area: Area, row: u16, text: impl Into<String>) {
        self.put(area, row, Span::styled(text.into(), self.theme.dim()));
    }

    /// Draws the rows from the cursor's first one on.
    pub(super) fn put_list<T>(
        &mut self,
        area: Area,
        rows: impl Iterator<Item = T>,
        (cursor, is_focused): (ListCursor, bool),
        spans: impl Fn(T, bool) -> Vec<Span<'static>>,
    ) {
        let shown = rows.skip(cursor.top).take(usize::from(area.height));
        for (line, row) in shown.enumerate() {
            let is_selected = is_focused && cursor.top + line == cursor.selected;
            self.put(area, line as u16, spans(row, is_selected));
            if is_selected {
                self.select(area, line as u16, true);
            }
        }
    }

    pub(super) fn select(&mut self, area: Area, row: u16, is_focused: bool) {
        for at in self.row_rect(area, row).unwrap_or_default().positions() {
            self.theme.select(&mut self.buffer[at], is_focused);
        }
    }

    pub(super) fn paint(&mut self, area: Area, row: u16, style: Style) {
        let row = self.row_rect(area, row).unwrap_or_default();
        self.buffer.set_style(row, style);
    }

    pub(super) fn frame_pane(&mut self, area: Area, left: &str, right: &str, style: Style) {
        let room = usize::from(area.width).saturating_sub(4);
        let left = fit_end(left, room);
        let right = fit_end(right, room.saturating_sub(width(&left) + 2));
        let mut block = Block::bordered()
            .border_type(BorderType::Rounded)
            .border_style(style)
            .title_top(Line::styled(format!(" {left} "), style));
        if !right.is_empty() {
            let right = Line::styled(format!(" {right} "), self.theme.dim());
            block = block.title_top(right.right_aligned());
        }
        block.render(self.rect(area), self.buffer);
    }

    pub(super) fn open_box(&mut self, area: Area, left: &str, right: &str) -> Area {
        self.clear(area);
        self.frame_pane(area, left, right, self.theme.accent());
        area.inner()
    }

    /// The title ends with a text field. Also returns the position of the cursor.
    pub(super) fn open_box_with_field(
        &mut self,
        area: Area,
        label: &str,
        field: &Field,
        right: &str,
    ) -> (Area, (u16, u16)) {
        let (before, after) = field.parts();
        // the end of a long text is where the user types
        let room = usize::from(area.width).saturating_sub(16);
        let typed = format!("{label}{}", fit_start(&visible(before), room));
        let inner = self.open_box(area, &format!("{typed}{}", visible(after)), right);
        let x = area.x + 2 + width(&typed) as u16;
        let last = area.x + area.width.saturating_sub(2);
        (inner, (x.min(last), area.y))
    }

    pub(super) fn put_hints(&mut self, area: Area, hints: Vec<Hint>) {
        let [accent, dim] = [self.theme.accent(), self.theme.dim()];
        let spans = hints.into_iter().flat_map(|Hint { key, label, .. }| {
            [Span::styled(key, accent), Span::styled(label, dim)]
        });
        self.put(area, 0, spans.collect::<Line>());
    }

    pub(super) fn clear(&mut self, area: Area) {
        Clear.render(self.rect(area), self.buffer);
    }
}

/// The last safeguard before the terminal: no cell holds a control character or one that reorders or hides text.
pub(super) fn scrub(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        if symbol.chars().any(|c| is_hostile(c) && c != '\u{200d}') {
            let clean: String = symbol.chars().filter(|&c| !is_hostile(c)).collect();
            cell.set_symbol(if clean.is_empty() { "·" } else { &clean });
        }
    }
}
