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

use super::pen::Pen;
use crate::app::{AnyPanel, Area, Explorer, Mode};
use crate::units::thousands;

struct PanelView<'a> {
    explorer: &'a Explorer,
    /// `None` if there is no room for it.
    border: Option<Area>,
    header: Area,
    rows: Area,
    is_focused: bool,
}

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer) {
    let (page, layout) = (explorer.page(), &explorer.layout);
    for (at, panel) in page.panels.iter().enumerate() {
        if !layout.is_shown(at) {
            continue;
        }
        let border = (layout.mode == Mode::Wide).then(|| layout.panels[at]);
        let is_focused = page.focus == at;
        if let Some(border) = border {
            let title = format!("{} {}", at + 1, panel.title(explorer.lens()));
            let subtitle = subtitle(explorer, panel, border.width);
            pen.frame_pane(border, &title, &subtitle, pen.theme.border(is_focused));
        }
        let view = &PanelView {
            explorer,
            border,
            header: layout.header(at),
            rows: layout.rows(at),
            is_focused,
        };
        match panel {
            AnyPanel::Tree(panel) => tree::draw(pen, view, panel),
            AnyPanel::Hotspots(panel) => hotspots::draw(pen, view, panel),
            AnyPanel::Sums(panel) => sums::draw(pen, view, panel),
            AnyPanel::Waits(panel) => waits::draw(pen, view, panel),
            AnyPanel::Flame(panel) => flame::draw(pen, panel),
            AnyPanel::Lanes(panel) => lanes::draw(pen, view, panel),
            AnyPanel::Chart(panel) => chart::draw(pen, panel),
        }
    }
}

fn subtitle(explorer: &Explorer, panel: &AnyPanel, width: u16) -> String {
    match panel {
        AnyPanel::Tree(panel) => tree::subtitle(panel, width),
        AnyPanel::Hotspots(_) => scope_text(explorer),
        AnyPanel::Sums(panel) => thousands(panel.rows(explorer.lens()).len() as u64),
        AnyPanel::Waits(panel) => thousands(panel.waits.rows.len() as u64),
        AnyPanel::Flame(_) if explorer.top_page().is_none() => scope_text(explorer),
        AnyPanel::Flame(_) | AnyPanel::Chart(_) => tree::subtitle(explorer.tree(), width),
        AnyPanel::Lanes(panel) => thousands(panel.rows.len() as u64),
    }
}
