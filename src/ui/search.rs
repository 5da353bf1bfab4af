use super::Theme;
use super::messages;
use super::pen::Pen;
use super::text::fit_matched;
use crate::analysis::HotspotOrder;
use crate::app::{Explorer, Findings, Lens, Search, SearchHit};
use crate::text::{fit_end, visible, width};
use crate::units::{counted, thousands};
use ratatui::prelude::Span;

const SYNTAX: [&str; 6] = [
    messages::SEARCH_HINT_FUZZY,
    "'disc    exactly this",
    messages::SEARCH_HINT_START,
    messages::SEARCH_HINT_END,
    messages::SEARCH_HINT_CASE,
    messages::SEARCH_HINT_PARTS,
];

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer, search: &Search) -> (u16, u16) {
    let (area, theme) = (explorer.layout.body, pen.theme);
    let findings = search.findings.as_deref();
    let right = findings.map_or(String::new(), |findings| summary(explorer, findings));
    let (inner, cursor) = pen.open_box_with_field(area, "Search  ", &search.field, &right);
    let cells = usize::from(inner.width);
    match findings {
        Some(findings) if !search.field.text().is_empty() => {
            let spans = |found, is_selected| row(explorer.lens(), found, cells, is_selected, theme);
            pen.put_list(inner, findings.rows.iter(), (search.cursor, true), spans);
            if findings.rows.is_empty() && search.is_current() {
                pen.put_dim(inner, 0, "  no method matches");
            }
        }
        _ => {
            for (line, text) in (0..).zip(SYNTAX) {
                let text = format!("  {}", fit_end(text, cells.saturating_sub(2)));
                pen.put_dim(inner, line, text);
            }
        }
    }
    cursor
}

fn summary(explorer: &Explorer, findings: &Findings) -> String {
    if findings.query.is_empty() {
        return String::new();
    }
    let methods = thousands(explorer.view().uncollapsed().method_count() as u64);
    let nearest = match findings.is_approximate {
        true => " · nearest",
        false => "",
    };
    let found = thousands(findings.total as u64);
    format!("{found} of {methods} methods{nearest}")
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
    let [inclusive, exclusive] = [HotspotOrder::Inclusive, HotspotOrder::Exclusive]
        .map(|order| scale.number(hotspot.weight(order)));
    let inclusive = format!("{inclusive:>value_width$} incl  ");
    let exclusive = format!("{exclusive:>value_width$} excl ");
    let occurrences = counted(u64::from(hotspot.node_count), "occurrence");
    let occurrences = format!("  {occurrences} ");
    // the name matters more than numbers
    let (numbers, occurrences) = match cells {
        0..48 => (inclusive, String::new()),
        48..70 => (exclusive + &inclusive, String::new()),
        _ => (exclusive + &inclusive, occurrences),
    };
    let room = cells.saturating_sub(2 + width(&numbers) + width(&occurrences));
    let category = lens.view.frames.get(hotspot.frame).category;
    let plain = match is_selected {
        true => theme.strong(),
        false => theme.name(category),
    };
    let name = visible(&lens.view.frames.list_name(hotspot.frame)).into_owned();
    let name = fit_matched(&name, &found.matched, room, plain, theme.matched());
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
