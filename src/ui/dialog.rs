//! A dialog box: lines with labels, a text field, and a remark.

use super::Theme;
use super::canvas::{open_box, put};
use crate::app::{Area, Explorer, Field};
use crate::text::{fit_end, fit_start, visible, width, wrap};
use ratatui::prelude::{Buffer, Span, Style};

/// The maximum line width of a dialog, in cells.
const WIDEST: u16 = 90;

/// The cells of the labels, with a space on either side.
const LABEL: usize = 9;

pub(super) struct Dialog {
    /// The area inside the border.
    inner: Area,
    theme: Theme,
}

impl Dialog {
    /// Draws the empty box in the middle of the panels, with as many lines inside as fit.
    pub(super) fn open(
        buffer: &mut Buffer,
        explorer: &Explorer,
        title: &str,
        lines: usize,
        theme: Theme,
    ) -> Self {
        let body = explorer.layout.body;
        let (height, width) = (body.height.min(lines as u16 + 2), body.width.min(WIDEST));
        let area = Area::new(
            (body.width - width) / 2,
            body.y + (body.height - height) / 2,
            width,
            height,
        );
        let inner = open_box(buffer, area, title, String::new(), theme);
        Self { inner, theme }
    }

    /// The cells of a line without the space on either side.
    pub(super) fn width(&self) -> usize {
        usize::from(self.inner.width).saturating_sub(2)
    }

    /// The cells after a label.
    pub(super) fn room(&self) -> usize {
        self.width().saturating_sub(LABEL - 1)
    }

    /// Draws spans after a space.
    pub(super) fn line(&self, buffer: &mut Buffer, row: usize, mut spans: Vec<Span<'static>>) {
        spans.insert(0, Span::raw(" "));
        put(buffer, self.inner, row as u16, spans);
    }

    /// Draws spans after a label.
    pub(super) fn labeled(
        &self,
        buffer: &mut Buffer,
        row: usize,
        label: &str,
        mut spans: Vec<Span<'static>>,
    ) {
        let label = format!("{label:<0$}", LABEL - 1);
        spans.insert(0, Span::styled(label, self.theme.dim()));
        self.line(buffer, row, spans);
    }

    /// Draws the typed text after a label, and returns where the cursor is.
    pub(super) fn field(
        &self,
        buffer: &mut Buffer,
        row: usize,
        label: &str,
        field: &Field,
    ) -> (u16, u16) {
        let (before, after) = field.parts();
        let before = fit_start(&visible(before), self.room());
        let after = fit_end(&visible(after), self.room().saturating_sub(width(&before)));
        let cursor = (
            self.inner.x + (LABEL + width(&before)) as u16,
            self.inner.y + row as u16,
        );
        let text = Span::styled(format!("{before}{after}"), self.theme.strong());
        self.labeled(buffer, row, label, vec![text]);
        cursor
    }

    /// Draws text starting on this line.
    pub(super) fn text(&self, buffer: &mut Buffer, first: usize, text: &str, style: Style) {
        for (line, text) in wrap(&visible(text), self.width()).into_iter().enumerate() {
            let text = Span::styled(text.to_string(), style);
            self.line(buffer, first + line, vec![text]);
        }
    }
}

/// The lines that a text needs in a dialog.
pub(super) fn lines_of(explorer: &Explorer, text: &str) -> usize {
    let room = usize::from(explorer.layout.body.width.min(WIDEST)).saturating_sub(4);
    wrap(&visible(text), room).len()
}
