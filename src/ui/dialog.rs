//! A box with labeled lines, a text field, and a remark.

use super::pen::Pen;
use crate::app::{Area, Explorer, Field};
use crate::text::{fit_end, fit_start, visible, width, wrap};
use ratatui::prelude::{Span, Style};

const MAX_WIDTH: u16 = 90;

/// With a space on either side.
const LABEL_CELLS: usize = 9;

pub(super) struct Dialog {
    inner: Area,
}

impl Dialog {
    pub(super) fn open(pen: &mut Pen, explorer: &Explorer, title: &str, lines: usize) -> Self {
        let body = explorer.layout.body;
        let (height, width) = (body.height.min(lines as u16 + 2), body.width.min(MAX_WIDTH));
        let inner = pen.open_box(body.centered(width, height), title, "");
        Self { inner }
    }

    /// Without the space on either side.
    pub(super) fn width(&self) -> usize {
        usize::from(self.inner.width).saturating_sub(2)
    }

    pub(super) fn room(&self) -> usize {
        self.width().saturating_sub(LABEL_CELLS - 1)
    }

    pub(super) fn line(&self, pen: &mut Pen, row: usize, mut spans: Vec<Span<'static>>) {
        spans.insert(0, Span::raw(" "));
        pen.put(self.inner, row as u16, spans);
    }

    pub(super) fn labeled(
        &self,
        pen: &mut Pen,
        row: usize,
        label: &str,
        mut spans: Vec<Span<'static>>,
    ) {
        let label = format!("{label:<0$}", LABEL_CELLS - 1);
        spans.insert(0, Span::styled(label, pen.theme.dim()));
        self.line(pen, row, spans);
    }

    /// Returns the position of the cursor.
    pub(super) fn field(
        &self,
        pen: &mut Pen,
        row: usize,
        label: &str,
        field: &Field,
    ) -> (u16, u16) {
        let (before, after) = field.parts();
        let before = fit_start(&visible(before), self.room());
        let after = fit_end(&visible(after), self.room().saturating_sub(width(&before)));
        let x = self.inner.x + (LABEL_CELLS + width(&before)) as u16;
        let text = Span::styled(format!("{before}{after}"), pen.theme.strong());
        self.labeled(pen, row, label, vec![text]);
        (x, self.inner.y + row as u16)
    }

    pub(super) fn text(&self, pen: &mut Pen, first: usize, text: &str, style: Style) {
        for (line, text) in wrap(&visible(text), self.width()).into_iter().enumerate() {
            self.line(pen, first + line, vec![Span::styled(text, style)]);
        }
    }
}

pub(super) fn line_count(explorer: &Explorer, text: &str) -> usize {
    let room = usize::from(explorer.layout.body.width.min(MAX_WIDTH)).saturating_sub(4);
    wrap(&visible(text), room).len()
}
