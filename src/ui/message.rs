//! Screens without a tree: loading, and what could not be opened.

use super::text::{bar, fit_name, width};
use super::{Theme, clear, put, put_right};
use crate::app::commands::{Context, hints, key_label};
use crate::app::layout::Area;
use crate::app::{FailureScreen, Loading};
use crate::model::format::{percent, size, thousands};
use crate::model::text::visible;
use ratatui::buffer::Buffer;
use ratatui::text::Span;

fn whole(buffer: &Buffer) -> Area {
    Area::new(0, 0, buffer.area.width, buffer.area.height)
}

pub(super) fn draw_loading(buffer: &mut Buffer, name: &str, loading: Loading, theme: Theme) {
    let area = whole(buffer);
    clear(buffer, area);
    let room = usize::from(area.width).saturating_sub(2);
    let name = fit_name(&visible(name), room.saturating_sub(10));
    put(buffer, area, 1, vec![Span::raw(" Opening "), Span::styled(name, theme.strong())]);
    let (done, of) = (loading.bytes, loading.total_bytes);
    let seconds = loading.elapsed_ms as f64 / 1000.0;
    let mut facts = if of > 0 {
        format!("{:>3.0} %  {} of {}", percent(done.min(of), of), size(done.min(of)), size(of))
    } else {
        size(done)
    };
    facts.push_str(&format!("  {} nodes  {seconds:.1} s", thousands(loading.nodes)));
    let cells = room.saturating_sub(width(&facts) + 3).min(40);
    let mut spans = vec![Span::raw(" ")];
    if of > 0 && cells >= 8 {
        spans.push(Span::styled(bar(done as f64 / of as f64, cells), theme.accent()));
        spans.push(Span::raw("  "));
    }
    spans.push(Span::raw(facts));
    put(buffer, area, 3, spans);
    draw_keys(buffer, area, area.height.min(6) - 1, Context::Loading, theme);
}

pub(super) fn draw_failure(buffer: &mut Buffer, name: &str, screen: &FailureScreen, theme: Theme) {
    let area = whole(buffer);
    clear(buffer, area);
    let failure = &screen.failure;
    let room = usize::from(area.width).saturating_sub(2);
    let stage = failure.stage.map_or(String::new(), |stage| format!("stage: {stage}"));
    let name = fit_name(&visible(name), room.saturating_sub(width(&stage) + 20));
    put(
        buffer,
        area,
        1,
        vec![Span::styled(format!(" {name}"), theme.strong()), Span::styled(" can't be opened", theme.error())],
    );
    put_right(buffer, area, 1, vec![Span::styled(format!("{stage} "), theme.dim())]);
    let lines = screen.lines(usize::from(area.width));
    let shown = FailureScreen::height(area.height);
    for (row, line) in (FailureScreen::HEAD..).zip(lines.iter().skip(screen.top).take(shown)) {
        put(buffer, area, row, vec![Span::raw(format!(" {line}"))]);
    }
    if screen.top + shown < lines.len() {
        put_right(buffer, area, area.height - 1, vec![Span::styled("more below ", theme.dim())]);
    }
    draw_keys(buffer, area, area.height - 1, Context::Failed, theme);
}

fn draw_keys(buffer: &mut Buffer, area: Area, row: u16, context: Context, theme: Theme) {
    let spans = hints(context)
        .flat_map(|command| {
            let key = key_label(command.keys[0]);
            [Span::styled(format!(" {key}"), theme.accent()), Span::styled(format!(" {}  ", command.hint), theme.dim())]
        })
        .collect();
    put(buffer, area, row, spans);
}
