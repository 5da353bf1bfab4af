//! The search over the tree.

use super::canvas::{open_box, put_list, put_text};
use super::text::fit_matched;
use super::{Theme, messages};
use crate::analysis::HotspotOrder;
use crate::app::{Explorer, Findings, Lens, Search, SearchHit};
use crate::text::{fit_end, visible, width};
use crate::units::{counted, thousands};
use ratatui::prelude::{Buffer, Span};

/// The hint below an empty search.
const SYNTAX: [&str; 6] = [
    messages::SEARCH_HINT_FUZZY,
    "'disc    exactly this",
    messages::SEARCH_HINT_START,
    messages::SEARCH_HINT_END,
    messages::SEARCH_HINT_CASE,
    messages::SEARCH_HINT_PARTS,
];

pub(super) fn draw(
    buffer: &mut Buffer,
    explorer: &Explorer,
    search: &Search,
    theme: Theme,
) -> Option<(u16, u16)> {
    let area = explorer.layout.body;
    let (before, after) = search.field.parts();
    let room = usize::from(area.width).saturating_sub(16);
    // the end of a long query is where the user types
    let before = crate::text::fit_start(&visible(before), room);
    let typed = format!("Search  {before}");
    let findings = search.findings.as_deref();
    let right = findings.map_or(String::new(), |findings| summary(explorer, findings));
    let left = format!("{typed}{}", visible(after));
    let inner = open_box(buffer, area, left, right, theme);
    let cells = usize::from(inner.width);
    match findings {
        Some(findings) if !search.field.text().is_empty() => {
            let (rows, cursor) = (findings.rows.iter(), (search.cursor, true));
            let spans = |found, is_selected| row(explorer.lens(), found, cells, is_selected, theme);
            put_list((buffer, inner, theme), rows, cursor, spans);
            if findings.rows.is_empty() && search.is_current() {
                put_text(buffer, inner, 0, "  no method matches", theme.dim());
            }
        }
        _ => {
            for (line, text) in SYNTAX.iter().enumerate() {
                let text = format!("  {}", fit_end(text, cells.saturating_sub(2)));
                put_text(buffer, inner, line as u16, text, theme.dim());
            }
        }
    }
    let x = area.x + 2 + width(&typed) as u16;
    Some((x.min(area.x + area.width.saturating_sub(2)), area.y))
}

fn summary(explorer: &Explorer, findings: &Findings) -> String {
    if findings.query.is_empty() {
        return String::new();
    }
    let all = explorer.view().uncollapsed().method_count();
    let nearest = if findings.is_approximate {
        " · nearest"
    } else {
        ""
    };
    format!(
        "{} of {} methods{nearest}",
        thousands(findings.total as u64),
        thousands(all as u64)
    )
}

fn row(
    lens: &Lens,
    found: &SearchHit,
    cells: usize,
    is_selected: bool,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (hotspot, scale) = (&found.hotspot, lens.scale());
    let value_width = lens.value_cells();
    let inclusive = format!(
        "{:>value_width$} incl  ",
        scale.number(hotspot.weight(HotspotOrder::Inclusive))
    );
    let exclusive = format!(
        "{:>value_width$} excl ",
        scale.number(hotspot.weight(HotspotOrder::Exclusive))
    );
    let occurrences = format!(
        "  {} ",
        counted(u64::from(hotspot.node_count), "occurrence")
    );
    // the name matters more than numbers
    let (numbers, occurrences) = match cells {
        0..48 => (inclusive, String::new()),
        48..70 => (exclusive + &inclusive, String::new()),
        _ => (exclusive + &inclusive, occurrences),
    };
    let room = cells.saturating_sub(2 + width(&numbers) + width(&occurrences));
    let category = lens.view.frames.get(hotspot.frame).category;
    let plain = if is_selected {
        theme.strong()
    } else {
        theme.name(category)
    };
    let name = lens.view.frames.list_name(hotspot.frame);
    let name = fit_matched(
        &visible(&name),
        &found.matched,
        room,
        plain,
        theme.matched(),
    );
    let used: usize = name.iter().map(|span| span.width()).sum();
    let mut spans = vec![
        Span::raw(if is_selected { "▶ " } else { "  " }),
        Span::raw(numbers),
    ];
    spans.extend(name);
    spans.push(Span::raw(" ".repeat(room.saturating_sub(used))));
    spans.push(Span::styled(occurrences, theme.dim()));
    spans
}
