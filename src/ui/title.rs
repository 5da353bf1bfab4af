//! The two lines at the top: the open file, and what part of it is shown.

use super::pen::Pen;
use super::text::fitting;
use super::{compared, messages};
use crate::analysis::compared::{BEFORE, compared_metric, sides_of};
use crate::app::{AnyPanel, App, BREADCRUMB_SEPARATOR, Explorer, Mode, TreeKind};
use crate::model::{MetricId, NodeId};
use crate::text::{fit_end, fit_name, fit_start, visible, width};
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
    let candidates = match explorer.live_words() {
        _ if explorer.lens().is_comparison() => compared_facts(explorer),
        Some(words) => live_facts(explorer, words, is_wide),
        None if is_wide => wide_facts(explorer),
        None => narrow_facts(explorer),
    };
    // leaves half of the line to the file name
    let room = (usize::from(area.width) / 2 + 6).saturating_sub(width(&warnings));
    let facts = format!("{} ", fitting_or_last(candidates, room));
    let right_width = width(&facts) + width(&warnings);
    let warnings = Span::styled(warnings, theme.warning());
    pen.put_right(area, 0, vec![Span::raw(facts), warnings]);
    let brand = if is_wide { " dotspot  " } else { " " };
    let room = usize::from(area.width).saturating_sub(right_width + width(brand) + 2);
    let name = fit_name(&visible(&app.name), room);
    let brand = Span::styled(brand, theme.accent());
    pen.put(area, 0, vec![brand, Span::styled(name, theme.strong())]);
}

fn fitting_or_last(mut texts: Vec<String>, room: usize) -> String {
    let last = texts.pop().unwrap_or_default();
    fitting(texts, room).unwrap_or(last)
}

/// From longest to shortest: the time range is never left out.
fn wide_facts(explorer: &Explorer) -> Vec<String> {
    let (view, threads) = (explorer.view(), explorer.threads_text());
    let nodes = counted(view.node_count() as u64, "node");
    let source = &view.recording.source;
    let (format, kind) = (&source.format, source.kind.title());
    match view.range() {
        None => vec![format!("{format} · {kind} · {threads} · {nodes}")],
        Some(range) => vec![
            format!("{format} · {kind} · {range} · {threads} · {nodes}"),
            format!("{range} · {threads} · {nodes}"),
            format!("{range} · {threads}"),
        ],
    }
}

/// From longest to shortest: `CPU 5.209 → 11.406 s, ×2.19`.
fn compared_facts(explorer: &Explorer) -> Vec<String> {
    let view = explorer.view();
    let Some(columns) = explorer.tree().columns().sides else {
        return vec![String::new()];
    };
    let (sides, scale) = (sides_of(view, NodeId::ROOT), columns.scale);
    let with_ratio = compared::sides_text(scale, sides);
    let values = compared::values_text(scale, sides);
    let nodes = counted(view.node_count() as u64, "node");
    let name = compared_metric(&view.recording);
    let name = visible(&name);
    let metric = visible(&view.recording.measured(BEFORE).name);
    let short = match view.recording.leaves_out_waiting() {
        true => messages::busy(&metric),
        false => metric.into_owned(),
    };
    vec![
        format!("{name} {with_ratio} · {nodes}"),
        format!("{name} {with_ratio}"),
        format!("{short} {with_ratio}"),
        format!("{short} {values}"),
        values,
    ]
}

/// From longest to shortest: the recording's progress matters more than the rest.
fn live_facts(explorer: &Explorer, words: String, is_wide: bool) -> Vec<String> {
    let threads = explorer.threads_text();
    let nodes = counted(explorer.view().node_count() as u64, "node");
    let metric = metric_text(explorer, explorer.lens().metric);
    let longest = match is_wide {
        true => format!("{words} · {threads} · {nodes}"),
        false => format!("{words} · {metric}"),
    };
    let short = words.split(" · ").next().unwrap_or_default().to_string();
    vec![longest, words, short]
}

/// From longest to shortest: what is left out or repaired matters more than how the profile was recorded.
fn narrow_facts(explorer: &Explorer) -> Vec<String> {
    let facts = facts_without_range(explorer);
    let Some(range) = explorer.view().range() else {
        return facts;
    };
    let bounds = range.bounds();
    let longer = facts.iter().map(|facts| format!("{range} · {facts}"));
    let shorter = facts.iter().map(|facts| format!("{bounds} · {facts}"));
    let metric = explorer.lens().metric_name(explorer.lens().metric);
    let with_metric = format!("{bounds} · {metric}");
    let shortest = [with_metric, range.bounds()];
    longer.chain(shorter).chain(shortest).collect()
}

fn facts_without_range(explorer: &Explorer) -> Vec<String> {
    let kind = explorer.view().recording.source.kind.title();
    let threads = &*explorer.threads_text();
    let nodes = &*counted(explorer.view().node_count() as u64, "node");
    let metric = metric_text(explorer, explorer.lens().metric);
    let waits = waits_text(explorer);
    let name = explorer.lens().metric_name(explorer.lens().metric);
    let join = |parts: &[&str]| parts.join(" · ");
    let has_all_threads = !explorer.is_awaiting_steps() && explorer.shows_all_threads();
    match (has_all_threads, explorer.form_words()) {
        (true, None) => vec![
            join(&[kind, threads, nodes, &format!("{metric}{waits}")]),
            join(&[kind, threads, nodes, &metric]),
            join(&[kind, &format!("{metric}{waits}")]),
            join(&[kind, &metric]),
            format!("{metric}{waits}"),
            metric,
        ],
        (false, None) => vec![
            join(&[kind, threads, nodes, &metric]),
            join(&[threads, &metric]),
            threads.into(),
        ],
        (true, Some([long, medium, short])) => vec![
            join(&[&metric, &long]),
            join(&[&metric, &medium]),
            join(&[&name, &medium]),
            join(&[&metric, &short]),
            join(&[&name, &short]),
            short,
        ],
        (false, Some([_, medium, short])) => vec![
            join(&[threads, &metric, &medium]),
            join(&[threads, &name, &medium]),
            join(&[threads, &name, &short]),
            join(&[threads, &short]),
        ],
    }
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

/// `, 47 % waits`.
fn waits_text(explorer: &Explorer) -> String {
    let share = explorer.lens().waits_percent_of_all();
    share.map_or(String::new(), |share| messages::share_waits(&share))
}

/// From longest to shortest: the key is there even if other metrics don't fit.
fn metric_texts(explorer: &Explorer) -> Vec<String> {
    let (view, shown) = (explorer.view(), explorer.lens().metric);
    if view.recording.is_comparison() {
        return vec![String::new()];
    }
    let others = (0..view.recording.metrics.len()).map(MetricId::at);
    let others = others.filter(|&metric| metric != shown);
    let others: Vec<String> = others.map(|metric| metric_text(explorer, metric)).collect();
    let (metric, waits) = (metric_text(explorer, shown), waits_text(explorer));
    let mut metric = format!("metric: {metric}{waits}");
    let inflation = view.recording.inflation(shown);
    if !inflation.is_empty() {
        metric.push_str(&format!(", {inflation}"));
    }
    match others.as_slice() {
        [] => vec![metric],
        others => {
            let key = explorer.keymap.fill(messages::METRIC_KEY);
            let all = format!("{metric}  ({})  {key}", others.join(", "));
            vec![all, format!("{metric}  {key}")]
        }
    }
}

fn draw_breadcrumbs(pen: &mut Pen, explorer: &Explorer) {
    let (area, theme) = (explorer.layout.breadcrumbs, pen.theme);
    let (room, breadcrumbs) = (usize::from(area.width), breadcrumbs_text(explorer));
    if let Some(parts) = &explorer.page().parts {
        let sums = super::panels::sums_text(explorer, parts);
        let room = room.saturating_sub(width(&sums) + 4);
        pen.put_right(area, 0, Span::styled(format!("{sums} "), theme.dim()));
        return pen.put(area, 0, format!(" {}", fit_start(&breadcrumbs, room)));
    }
    let key = explorer.keymap.fill(messages::REPAIR_KEY);
    let forms = explorer.form_words();
    let forms = forms.map(|forms| forms.map(|words| format!("{words}  {key}   ")));
    let longest = forms.as_ref().map_or(0, |forms| width(&forms[0]));
    let used = width(&breadcrumbs) + longest + 4;
    let metric_room = room.saturating_sub(used).max(room / 2);
    let metric = fitting_or_last(metric_texts(explorer), metric_room);
    let metric = fit_end(&metric, metric_room);
    let mut room = room.saturating_sub(width(&metric) + 4);
    let mut right = vec![Span::styled(format!("{metric} "), theme.dim())];
    if let Some(forms) = forms {
        let form = fitting_or_last(forms.into(), room.saturating_sub(width(&breadcrumbs)));
        room = room.saturating_sub(width(&form));
        right.insert(0, Span::styled(form, theme.strong()));
    }
    pen.put_right(area, 0, right);
    pen.put(area, 0, format!(" {}", fit_start(&breadcrumbs, room)));
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
    let right = match page.focused() {
        AnyPanel::Tree(tree) if tree.kind == TreeKind::Calls && tree.outer.is_empty() => {
            super::panels::whole_text(tree, room)
        }
        AnyPanel::Tree(tree) if tree.kind == TreeKind::Calls => breadcrumbs_text(explorer),
        AnyPanel::Hotspots(_) => {
            let scope = super::panels::scope_text(explorer);
            let room = room.saturating_sub(width(&scope) + 2);
            let total = super::panels::whole_text(explorer.tree(), room);
            let texts = [scope, total].into_iter().filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join(", ")
        }
        AnyPanel::Flame(_) => super::panels::whole_text(explorer.tree(), room),
        AnyPanel::Lanes(panel) if panel.is_partial() => page.focused().title(explorer.lens()),
        AnyPanel::Chart(panel) => visible(&panel.name).into_owned(),
        _ => explorer.breadcrumb_names().pop().unwrap_or_default(),
    };
    let right = format!("{} ", fit_start(&right, room));
    pen.put_right(area, 0, Span::styled(right, theme.dim()));
    pen.put(area, 0, spans);
}
