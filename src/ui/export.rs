//! The export dialog.

use super::Theme;
use super::canvas::{clear, frame_pane, put};
use crate::app::Explorer;
use crate::app::dialogs::{Export, Occurrences};
use crate::app::layout::Area;
use crate::model::format::counted;
use crate::model::text::visible;
use crate::text::{fit_end, fit_name, fit_start, width};
use ratatui::buffer::Buffer;
use ratatui::text::Span;

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, export: &Export, theme: Theme) -> Option<(u16, u16)> {
    let body = explorer.layout.overlay();
    let height = body.height.min(if export.occurrences.count > 1 { 7 } else { 6 });
    let box_width = body.width.min(90);
    let area = Area::new((body.width - box_width) / 2, body.y + (body.height - height) / 2, box_width, height);
    clear(buffer, area);
    frame_pane(buffer, area, "Export subtree".into(), String::new(), theme.accent(), theme);
    let inner = area.inner();
    let room = usize::from(inner.width).saturating_sub(10);
    let (view, metric) = (&explorer.view, explorer.metric);
    let Occurrences { count, takes_all, inclusive, weight, .. } = export.occurrences;
    let (inclusive, share, nodes) = match takes_all {
        true => (inclusive, explorer.share_of(weight, inclusive), counted(count as u64, "occurrence")),
        false => {
            let nodes = counted(view.subtree_node_count(export.node) as u64, "node");
            (view.tree.inclusive(metric, export.node), explorer.share(export.node), nodes)
        }
    };
    let share = share.map_or("waiting".into(), |share| format!("{share:.1} %"));
    let numbers = format!("{} · {share} · {nodes}", explorer.scale().with_unit(inclusive));
    let name = fit_name(&visible(explorer.node_name(export.node)), room.saturating_sub(width(&numbers) + 2));
    let label = |text: &'static str| Span::styled(format!(" {text:<8}"), theme.dim());
    put(
        buffer,
        inner,
        0,
        vec![label("subtree"), Span::styled(name, theme.strong()), Span::raw(format!("  {numbers}"))],
    );
    let (before, behind) = export.field.parts();
    let before = fit_start(&visible(before), room);
    let cursor = (inner.x + 9 + width(&before) as u16, inner.y + 1);
    let behind = fit_end(&visible(behind), room.saturating_sub(width(&before)));
    put(buffer, inner, 1, vec![label("file"), Span::styled(format!("{before}{behind}"), theme.strong())]);
    let (text, style) = match export {
        Export { writing: Some(_), .. } => ("writing …".to_string(), theme.dim()),
        Export { asks_to_overwrite: Some(_), .. } => ("this file exists. Overwrite it? y / n".into(), theme.warning()),
        Export { error: Some(sentence), .. } => (sentence.clone(), theme.error()),
        _ => ("call-tree JSON, which dotspot opens again".into(), theme.dim()),
    };
    let several = several_occurrences(explorer, export);
    let first = 2 + u16::from(several.is_some());
    if let Some(text) = several {
        put(buffer, inner, 2, vec![label("takes"), Span::raw(fit_end(&text, room))]);
    }
    let lines = crate::text::wrap(&visible(&text), usize::from(inner.width).saturating_sub(2));
    for (line, text) in lines.into_iter().enumerate() {
        put(buffer, inner, first + line as u16, vec![Span::styled(format!(" {text}"), style)]);
    }
    (export.asks_to_overwrite.is_none() && export.writing.is_none()).then_some(cursor)
}

/// Whether one or all of several occurrences are taken, with the key for the other.
fn several_occurrences(explorer: &Explorer, export: &Export) -> Option<String> {
    let Occurrences { count, takes_all, .. } = export.occurrences;
    let (all, label) = (counted(count as u64, "occurrence"), explorer.view.node_label(export.node));
    (count > 1).then(|| match takes_all {
        true => format!("all {all} as one tree; ⇥ only {label}"),
        false => format!("one of {all}, {label}; ⇥ all as one tree"),
    })
}
