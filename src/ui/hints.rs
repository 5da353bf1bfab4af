//! The hint line.

use super::Theme;
use super::canvas::put;
use crate::app::{Area, Hint};
use ratatui::prelude::{Buffer, Span};

pub(super) fn draw(buffer: &mut Buffer, area: Area, hints: Vec<Hint>, theme: Theme) {
    let spans = hints.into_iter().flat_map(|Hint { key, label, .. }| {
        [
            Span::styled(key, theme.accent()),
            Span::styled(label, theme.dim()),
        ]
    });
    put(buffer, area, 0, spans.collect());
}
