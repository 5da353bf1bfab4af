//! The panels of a page: their borders and contents.

mod chart;
mod flame;
mod hotspots;
mod lanes;
mod sums;
mod tree;
mod waits;

pub(super) use hotspots::scope_text;
pub(super) use sums::sums_text;
pub(super) use tree::whole_text;

use super::Theme;
use super::canvas::frame_pane;
use crate::app::{AnyPanel, Explorer, Layout, Mode};
use crate::units::thousands;
use ratatui::prelude::Buffer;

/// What all panels need to be drawn.
struct Canvas<'a> {
    explorer: &'a Explorer,
    layout: &'a Layout,
    /// The number of the panel on its page.
    at: usize,
    /// Whether it has the focus.
    is_focused: bool,
    theme: Theme,
}

/// Draws the panels of the page on the screen.
pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, theme: Theme) {
    let (page, layout) = (explorer.page(), &explorer.layout);
    for (at, panel) in page.panels.iter().enumerate() {
        if !layout.is_shown(at) {
            continue;
        }
        let canvas = Canvas {
            explorer,
            layout,
            at,
            is_focused: page.focus == at,
            theme,
        };
        if layout.mode == Mode::Wide {
            let title = panel.title(explorer.lens());
            let about = about(explorer, panel, layout.panels[at].width);
            let border = theme.border(canvas.is_focused);
            let title = format!("{} {title}", at + 1);
            frame_pane(buffer, layout.panels[at], title, about, border, theme);
        }
        match panel {
            AnyPanel::Tree(panel) => tree::draw(buffer, &canvas, panel),
            AnyPanel::Hotspots(panel) => hotspots::draw(buffer, &canvas, panel),
            AnyPanel::Sums(panel) => sums::draw(buffer, &canvas, panel),
            AnyPanel::Waits(panel) => waits::draw(buffer, &canvas, panel),
            AnyPanel::Flame(panel) => flame::draw(buffer, &canvas, panel),
            AnyPanel::Lanes(panel) => lanes::draw(buffer, &canvas, panel),
            AnyPanel::Chart(panel) => chart::draw(buffer, &canvas, panel),
        }
    }
}

/// The right part of a panel's title.
fn about(explorer: &Explorer, panel: &AnyPanel, width: u16) -> String {
    match panel {
        AnyPanel::Tree(panel) => tree::about(panel, width),
        AnyPanel::Hotspots(_) => scope_text(explorer),
        AnyPanel::Sums(panel) => sums::about(explorer, panel),
        AnyPanel::Waits(panel) => thousands(panel.waits.rows.len() as u64),
        AnyPanel::Flame(_) if explorer.upper_page().is_none() => scope_text(explorer),
        AnyPanel::Flame(_) | AnyPanel::Chart(_) => tree::about(explorer.tree(), width),
        AnyPanel::Lanes(panel) => thousands(panel.rows.len() as u64),
    }
}
