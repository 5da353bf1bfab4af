//! A box with labeled lines, a text field, and a remark.

use super::pen::Pen;
use crate::app::{Area, Explorer, Field};
use crate::text::{fit_end, fit_start, visible, width, wrap};
use ratatui::prelude::{Span, Style};

/// The maximum line width of a dialog, in cells.
const WIDEST: u16 = 90;

/// The cells of the labels, with a space on either side.
const LABEL: usize = 9;

pub(super) struct Dialog {
    inner: Area,
}

impl Dialog {
    /// In the middle of the panels, with as many lines as fit.
    pub(super) fn open(pen: &mut Pen, explorer: &Explorer, title: &str, lines: usize) -> Self {
        let body = explorer.layout.body;
        let (height, width) = (body.height.min(lines as u16 + 2), body.width.min(WIDEST));
        let inner = pen.open_box(body.centered(width, height), title, "");
        Self { inner }
    }

    /// The cells of a line without the space on either side.
    pub(super) fn width(&self) -> usize {
        usize::from(self.inner.width).saturating_sub(2)
    }

    /// The cells after a label.
    pub(super) fn room(&self) -> usize {
        self.width().saturating_sub(LABEL - 1)
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
        let label = format!("{label:<0$}", LABEL - 1);
        spans.insert(0, Span::styled(label, pen.theme.dim()));
        self.line(pen, row, spans);
    }

    /// Returns where the cursor is.
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
        let x = self.inner.x + (LABEL + width(&before)) as u16;
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

/// The lines that a text needs in a dialog.
pub(super) fn lines_of(explorer: &Explorer, text: &str) -> usize {
    let room = usize::from(explorer.layout.body.width.min(WIDEST)).saturating_sub(4);
    wrap(&visible(text), room).len()
}
