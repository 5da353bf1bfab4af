//! The two lines at the top: the open file, and what part of it is shown.

use super::pen::Pen;
use super::text::fitting;
use super::{compared, messages, panels};
use crate::analysis::compared::{BEFORE, compared_metric, sides_of};
use crate::app::{AnyPanel, App, BREADCRUMB_SEPARATOR, Explorer, Mode, TreeKind};
use crate::model::{MetricId, NodeId};
use crate::text::{fit_name, fit_start, visible, width};
use crate::units::counted;
use ratatui::prelude::Span;

pub(super) fn draw(pen: &mut Pen, app: &App, explorer: &Explorer) {
    draw_title(pen, app, explorer);
    match explorer.layout.mode {
        Mode::Wide => draw_breadcrumbs(pen, explorer),
        _ => draw_tabs(pen, explorer),
    }
}

fn draw_title(pen: &mut Pen, app: &App, explorer: &Explorer) {
    let (area, theme) = (explorer.layout.title, pen.theme);
    let warnings = match explorer.warning_count() {
        0 => String::new(),
        count => format!("  ⚠ {count} "),
    };
    let is_wide = explorer.layout.mode == Mode::Wide;
    let brand = if is_wide { " dotspot  " } else { " " };
    let (name, cells) = (visible(&app.name), usize::from(area.width));
    // a long file name gets half of the line
    let free = cells.saturating_sub(width(brand) + width(&name) + 2);
    let room = (cells / 2 + 6).max(free);
    let room = room.saturating_sub(width(&warnings) + 1);
    let facts = match explorer.lens().is_comparison() {
        true => compared_facts(explorer, room),
        false => fit_facts(facts(explorer, room), room),
    };
    let facts = format!("{facts} ");
    let right_width = width(&facts) + width(&warnings);
    let warnings = Span::styled(warnings, theme.warning());
    pen.put_right(area, 0, vec![Span::raw(facts), warnings]);
    let room = cells.saturating_sub(right_width + width(brand) + 2);
    let name = fit_name(&name, room);
    let brand = Span::styled(brand, theme.accent());
    pen.put(area, 0, vec![brand, Span::styled(name, theme.strong())]);
}

/// What is shown, in order. Without room for all, facts with a larger rank are left out first.
fn facts(explorer: &Explorer, room: usize) -> Vec<(u8, String)> {
    let (view, metric) = (explorer.view(), explorer.lens().metric);
    let is_wide = explorer.layout.mode == Mode::Wide;
    let source = &view.recording.source;
    let mut facts = Vec::new();
    match explorer.live_words() {
        Some(words) => facts.extend((0..).zip(words.split(" · ").map(String::from))),
        None => facts.push((if is_wide { 7 } else { 3 }, source.kind.title().into())),
    }
    if let Some(range) = view.range() {
        let words = if is_wide {
            range.to_string()
        } else {
            range.bounds()
        };
        facts.push((0, words));
    }
    let has_all_threads = explorer.awaited_steps().is_none() && explorer.shows_all_threads();
    let threads_rank = if has_all_threads { 5 } else { 0 };
    facts.push((threads_rank, explorer.threads_text()));
    facts.push((6, counted(view.node_count() as u64, "node")));
    if is_wide {
        facts.insert(0, (8, source.format.to_string()));
        return facts;
    }
    // a wide screen has these on its second line
    let name = explorer.lens().metric_name(metric).into_owned();
    let (metric, room) = (metric_text(explorer, metric), room_left(&facts, room));
    if let Some([long, medium, short]) = explorer.form_words() {
        let texts = [
            format!("{metric} · {long}"),
            format!("{metric} · {medium}"),
            format!("{metric} · {short}"),
            format!("{name} · {medium}"),
            format!("{name} · {short}"),
        ];
        facts.push((0, fitting(texts, room).unwrap_or(short)));
    } else {
        let metric = fitting([metric, name], room);
        facts.extend(metric.map(|metric| (2, metric)));
    }
    let waits = explorer.lens().waits_percent_of_all();
    facts.extend(waits.map(|share| (4, messages::share_waits(&share))));
    facts
}

fn room_left(facts: &[(u8, String)], room: usize) -> usize {
    let fixed = facts.iter().filter(|(rank, _)| *rank == 0);
    room.saturating_sub(fixed.map(|(_, text)| width(text) + 3).sum())
}

fn fit_facts(mut facts: Vec<(u8, String)>, room: usize) -> String {
    loop {
        let texts: Vec<&str> = facts.iter().map(|(_, text)| text.as_str()).collect();
        let text = texts.join(" · ");
        let last = (0..facts.len()).max_by_key(|&at| facts[at].0);
        match last {
            Some(at) if facts.len() > 1 && width(&text) > room => _ = facts.remove(at),
            _ => return text,
        }
    }
}

/// `CPU 5.209 → 11.406 s, ×2.19`.
fn compared_facts(explorer: &Explorer, room: usize) -> String {
    let view = explorer.view();
    let Some(columns) = explorer.tree().columns().sides else {
        return String::new();
    };
    let (sides, scale) = (sides_of(view, NodeId::ROOT), columns.scale);
    let name = visible(&compared_metric(&view.recording)).into_owned();
    let metric = visible(&view.recording.measured(BEFORE).name);
    let short = match view.recording.leaves_out_waiting() {
        true => messages::busy(&metric),
        false => metric.into_owned(),
    };
    let with_ratio = compared::sides_text(scale, sides);
    let values = compared::values_text(scale, sides);
    let nodes = counted(view.node_count() as u64, "node");
    let with_nodes = format!("{with_ratio} · {nodes}");
    let texts = [
        (&name, &with_nodes),
        (&name, &with_ratio),
        (&short, &with_ratio),
        (&short, &values),
    ];
    let texts = texts.map(|(name, values)| format!("{name} {values}"));
    fitting(texts, room).unwrap_or(values)
}

/// `CPU 5,208.6 ms`.
fn metric_text(explorer: &Explorer, metric: MetricId) -> String {
    let (view, measure) = (explorer.view(), explorer.measure().or_all_of(metric));
    let total = measure.inclusive(view, NodeId::ROOT);
    let largest = view.tree.inclusive(metric, NodeId::ROOT);
    let metric = view.recording.metric(metric);
    let scale = explorer.lens().scale_in(metric.unit, largest);
    let text = format!("{} {}", visible(&metric.name), scale.with_unit(total));
    match measure.left_out(view) {
        Some(_) => messages::without_waiting(&text),
        None => text,
    }
}

/// With the other metrics and without: the key is there in either.
fn metric_texts(explorer: &Explorer) -> [String; 2] {
    let (view, shown) = (explorer.view(), explorer.lens().metric);
    if view.recording.is_comparison() {
        return [String::new(), String::new()];
    }
    let others = view.recording.metric_ids().filter(|&id| id != shown);
    let others: Vec<String> = others.map(|id| metric_text(explorer, id)).collect();
    let mut metric = format!("metric: {}", metric_text(explorer, shown));
    if let Some(share) = explorer.lens().waits_percent_of_all() {
        metric.push_str(&format!(", {}", messages::share_waits(&share)));
    }
    let inflation = view.recording.inflation(shown);
    if !inflation.is_empty() {
        metric.push_str(&format!(", {inflation}"));
    }
    if others.is_empty() {
        return [metric.clone(), metric];
    }
    let key = explorer.keymap.fill(messages::METRIC_KEY);
    let all = format!("{metric}  ({})  {key}", others.join(", "));
    [all, format!("{metric}  {key}")]
}

fn draw_breadcrumbs(pen: &mut Pen, explorer: &Explorer) {
    let (area, theme) = (explorer.layout.breadcrumbs, pen.theme);
    let (room, breadcrumbs) = (usize::from(area.width), breadcrumbs_text(explorer));
    let key = explorer.keymap.fill(messages::REPAIR_KEY);
    let forms = explorer.form_words();
    let forms = forms.map(|forms| forms.map(|words| format!("{words}  {key}   ")));
    let candidates = match (&explorer.page().parts, forms.unwrap_or_default()) {
        (Some(parts), _) => vec![(String::new(), panels::sums_text(explorer, parts))],
        (None, [long, medium, short]) => {
            let [all, metric] = metric_texts(explorer);
            let others = [long.clone(), medium, short].map(|form| (form, metric.clone()));
            [(long, all)].into_iter().chain(others).collect()
        }
    };
    let right_room = room.saturating_sub(width(&breadcrumbs)).max(room / 2);
    let cells = |(form, metric): &(String, String)| width(form) + width(metric) + 4;
    let fitting = candidates.iter().find(|texts| cells(texts) <= right_room);
    let Some(right) = fitting.or(candidates.last()) else {
        return;
    };
    let left = fit_start(&breadcrumbs, room.saturating_sub(cells(right)));
    let metric = Span::styled(format!("{} ", right.1), theme.dim());
    let form = Span::styled(right.0.clone(), theme.strong());
    pen.put_right(area, 0, vec![form, metric]);
    pen.put(area, 0, format!(" {left}"));
}

fn breadcrumbs_text(explorer: &Explorer) -> String {
    explorer.breadcrumb_names().join(BREADCRUMB_SEPARATOR)
}

fn draw_tabs(pen: &mut Pen, explorer: &Explorer) {
    let (area, theme, page) = (explorer.layout.breadcrumbs, pen.theme, explorer.page());
    let tab = |(panel, label)| match panel == page.focus {
        true => Span::styled(label, theme.selected(true)),
        false => Span::styled(label, theme.dim()),
    };
    let spans: Vec<Span> = page.tabs().enumerate().map(tab).collect();
    let used: usize = spans.iter().map(Span::width).sum();
    let room = usize::from(area.width).saturating_sub(used + 2);
    let panel = page.focused();
    let right = match panel {
        AnyPanel::Tree(tree) if tree.kind == TreeKind::Calls && !tree.outer.is_empty() => {
            breadcrumbs_text(explorer)
        }
        AnyPanel::Tree(tree) if tree.kind == TreeKind::Calls => panels::whole_text(tree, room),
        AnyPanel::Hotspots(_) => {
            let scope = panels::scope_text(explorer);
            let room = room.saturating_sub(width(&scope) + 2);
            let whole = panels::whole_text(explorer.tree(), room);
            let texts = [scope, whole].into_iter().filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join(", ")
        }
        AnyPanel::Flame(_) => panels::whole_text(explorer.tree(), room),
        AnyPanel::Lanes(lanes) if lanes.within.is_some() => panel.title(explorer.lens()),
        AnyPanel::Chart(_) | AnyPanel::Waits(_) => panel.title(explorer.lens()),
        _ => explorer.breadcrumb_names().pop().unwrap_or_default(),
    };
    let right = format!("{} ", fit_start(&right, room));
    pen.put_right(area, 0, Span::styled(right, theme.dim()));
    pen.put(area, 0, spans);
}
