//! The panels of a page: their frames, and what is in them.

mod hotspots;
mod threads;
mod tree;

pub(super) use hotspots::scope_text;
pub(super) use threads::sums_text;
pub(super) use tree::whole_text;

use super::Theme;
use super::canvas::frame_pane;
use crate::app::Explorer;
use crate::app::layout::{Layout, Mode};
use crate::app::panels::AnyPanel;
use ratatui::buffer::Buffer;

/// What all panels need to be drawn.
struct Canvas<'a> {
    explorer: &'a Explorer,
    layout: &'a Layout,
    /// The number of the panel on its page.
    at: usize,
    /// Whether keys go to it.
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
            AnyPanel::Threads(panel) => threads::draw(buffer, &canvas, panel),
            AnyPanel::Flame(_) => {}
        }
    }
}

/// What stands at the right of a panel's title.
fn about(explorer: &Explorer, panel: &AnyPanel, width: u16) -> String {
    match panel {
        AnyPanel::Tree(panel) => tree::about(panel, width),
        AnyPanel::Hotspots(_) => scope_text(explorer),
        AnyPanel::Threads(panel) => threads::about(explorer, panel),
        AnyPanel::Flame(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::ReadyView;
    use crate::app::{Action, App, Event, Message};
    use crate::model::testing::profile_of;
    use crate::ui::draw;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    #[test]
    fn the_flame_graph() {
        let mut app = App::new("a", 110, 16);
        let view = ReadyView::of(profile_of("T;a 1"));
        let _ = app.update(Event::Message(Message::Loaded(Ok(view), None)));
        let _ = app.update(Event::Action(Action::Flame));
        let mut terminal = Terminal::new(TestBackend::new(110, 16)).unwrap();
        let draw = |frame: &mut ratatui::Frame| draw(frame, &app, Theme::PLAIN);
        terminal.draw(draw).unwrap();
        let screen = terminal.backend().to_string();
        let panel = screen.lines().skip(2).take(11);
        let panel: Vec<&str> = panel.map(|line| line.trim_matches('"')).collect();
        insta::assert_snapshot!(panel.join("\n"), @r"
        ╭ 1 Flame ───────────────────────────────────────────────────────────────────────────────────────────────────╮
        │                                                                                                            │
        │                                                                                                            │
        │                                                                                                            │
        │                                                                                                            │
        │                                                                                                            │
        │                                                                                                            │
        │                                                                                                            │
        │                                                                                                            │
        │                                                                                                            │
        ╰────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
        ");
    }
}
