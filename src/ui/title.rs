//! The two lines at the top: the open file, and the place in it.

use super::canvas::{put, put_right};
use super::{Theme, compared, messages};
use crate::analysis::compared::{BEFORE, compared_metric, sides_of};
use crate::app::{AnyPanel, App, BREADCRUMB_SEPARATOR, Explorer, Mode, TreeKind};
use crate::model::{MetricId, NodeId};
use crate::text::{fit_end, fit_name, fit_start, visible, width};
use crate::units::counted;
use ratatui::prelude::{Buffer, Span};

pub(super) fn draw(buffer: &mut Buffer, app: &App, explorer: &Explorer, theme: Theme) {
    draw_title(buffer, app, explorer, theme);
    match explorer.layout.mode {
        Mode::Wide => draw_breadcrumbs(buffer, explorer, theme),
        _ => draw_tabs(buffer, explorer, theme),
    }
}

fn draw_title(buffer: &mut Buffer, app: &App, explorer: &Explorer, theme: Theme) {
    let area = explorer.layout.title;
    let warnings = match explorer.warning_count() {
        0 => String::new(),
        count => format!("  ⚠ {count} "),
    };
    let is_wide = explorer.layout.mode == Mode::Wide;
    let mut candidates = match explorer.live_words() {
        _ if explorer.lens().is_comparison() => compared_facts(explorer),
        Some(words) => live_facts(explorer, words, is_wide),
        None if is_wide => wide_facts(explorer),
        None => narrow_facts(explorer),
    };
    // as much as leaves half of the line to the file name
    let room = (usize::from(area.width) / 2 + 6).saturating_sub(width(&warnings));
    let last = candidates.len() - 1;
    let fitting = candidates
        .iter()
        .position(|facts| width(facts) <= room)
        .unwrap_or(last);
    let facts = candidates.swap_remove(fitting);
    let facts = format!("{facts} ");
    let right_width = width(&facts) + width(&warnings);
    put_right(
        buffer,
        area,
        0,
        vec![Span::raw(facts), Span::styled(warnings, theme.warning())],
    );
    let brand = if is_wide { " dotspot  " } else { " " };
    let room = usize::from(area.width).saturating_sub(right_width + width(brand) + 2);
    let name = fit_name(&visible(&app.name), room);
    put(
        buffer,
        area,
        0,
        vec![
            Span::styled(brand, theme.accent()),
            Span::styled(name, theme.strong()),
        ],
    );
}

/// The title of a wide screen in versions from long to short: a time range comes before the same without it.
fn wide_facts(explorer: &Explorer) -> Vec<String> {
    let (view, threads) = (explorer.view(), explorer.threads_text());
    let nodes = counted(view.node_count() as u64, "node");
    let (format, kind) = (
        &view.recording.source.format,
        view.recording.source.kind.title(),
    );
    match view.range() {
        None => vec![format!("{format} · {kind} · {threads} · {nodes}")],
        Some(range) => vec![
            format!("{format} · {kind} · {range} · {threads} · {nodes}"),
            format!("{range} · {threads} · {nodes}"),
            format!("{range} · {threads}"),
        ],
    }
}

/// The title of a comparison, from long to short: `CPU 5.209 → 11.406 s, ×2.19`.
fn compared_facts(explorer: &Explorer) -> Vec<String> {
    let view = explorer.view();
    let Some(columns) = explorer.tree().columns().sides else {
        return vec![String::new()];
    };
    let (whole, scale) = (sides_of(view, NodeId::ROOT), columns.scale);
    let (values, both) = (
        compared::sides_text(scale, whole),
        compared::values_text(scale, whole),
    );
    let nodes = counted(view.node_count() as u64, "node");
    let name = compared_metric(&view.recording);
    let name = visible(&name);
    let metric = visible(&view.recording.measured(BEFORE).name);
    let short = match view.recording.leaves_out_waiting() {
        true => messages::busy(&metric),
        false => metric.into_owned(),
    };
    vec![
        format!("{name} {values} · {nodes}"),
        format!("{name} {values}"),
        format!("{short} {values}"),
        format!("{short} {both}"),
        both,
    ]
}

/// The title of a recording in progress, from long to short: its progress matters more than the rest.
fn live_facts(explorer: &Explorer, words: String, is_wide: bool) -> Vec<String> {
    let threads = explorer.threads_text();
    let nodes = counted(explorer.view().node_count() as u64, "node");
    let metric = metric_text(explorer, explorer.lens().metric);
    let more = if is_wide {
        format!("{words} · {threads} · {nodes}")
    } else {
        format!("{words} · {metric}")
    };
    let short = words.split(" · ").next().unwrap_or_default().to_string();
    vec![more, words, short]
}

/// The title of a narrow screen, from long to short. What is left out or repaired matters more than how the
/// profile was recorded.
fn narrow_facts(explorer: &Explorer) -> Vec<String> {
    let facts = facts_of_all_times(explorer);
    let Some(range) = explorer.view().range() else {
        return facts;
    };
    // the range matters more than the rest
    let with_rest = facts.iter().map(|facts| format!("{range} · {facts}"));
    let shorter = facts
        .iter()
        .map(|facts| format!("{} · {facts}", range.borders()));
    let metric = explorer.lens().metric_name(explorer.lens().metric);
    let with_metric = format!("{} · {metric}", range.borders());
    with_rest
        .chain(shorter)
        .chain([with_metric, range.borders()])
        .collect()
}

/// The short facts, without a time range.
fn facts_of_all_times(explorer: &Explorer) -> Vec<String> {
    let (kind, threads) = (
        explorer.view().recording.source.kind.title(),
        &*explorer.threads_text(),
    );
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
        (true, Some(form)) => vec![
            join(&[&metric, &form.long]),
            join(&[&metric, &form.medium]),
            join(&[&name, &form.medium]),
            join(&[&metric, form.short]),
            join(&[&name, form.short]),
            form.short.into(),
        ],
        (false, Some(form)) => vec![
            join(&[threads, &metric, &form.medium]),
            join(&[threads, &name, &form.medium]),
            join(&[threads, &name, form.short]),
            join(&[threads, form.short]),
        ],
    }
}

/// A metric with its total: `CPU 5,208.6 ms`, or without the waiting that the screen excludes.
fn metric_text(explorer: &Explorer, metric: MetricId) -> String {
    let (view, measure) = (explorer.view(), explorer.measure().or_all_of(metric));
    let whole = measure.inclusive(view, NodeId::ROOT);
    let about = view.recording.metric(metric);
    // scaled as on the rest of the screen
    let largest = view.tree.inclusive(metric, NodeId::ROOT);
    let scale = explorer.lens().scale_in(about.unit, largest);
    let text = format!("{} {}", visible(&about.name), scale.with_unit(whole));
    match measure.left_out(view) {
        Some(_) => messages::without_waiting(&text),
        None => text,
    }
}

/// The share of the shown metric that is spent in waits and spins, if that counts: `, 47 % waits`.
fn waits_text(explorer: &Explorer) -> String {
    let share = explorer.lens().waits_percent_of_all();
    share.map_or(String::new(), |share| messages::share_waits(&share))
}

/// The shown metric with its total and those of others, from long to short, so the key is there even if the others don't fit.
fn metric_texts(explorer: &Explorer) -> Vec<String> {
    let (view, shown) = (explorer.view(), explorer.lens().metric);
    // the title has both
    if view.recording.is_comparison() {
        return vec![String::new()];
    }
    let others = (0..view.recording.metrics.len()).map(MetricId::at);
    let others = others.filter(|&metric| metric != shown);
    let others: Vec<String> = others.map(|metric| metric_text(explorer, metric)).collect();
    let mut metric = format!(
        "metric: {}{}",
        metric_text(explorer, shown),
        waits_text(explorer)
    );
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

fn draw_breadcrumbs(buffer: &mut Buffer, explorer: &Explorer, theme: Theme) {
    let area = explorer.layout.breadcrumbs;
    if let Some(parts) = &explorer.page().parts {
        let sums = super::panels::sums_text(explorer, parts);
        let room = usize::from(area.width).saturating_sub(width(&sums) + 4);
        let sums = Span::styled(format!("{sums} "), theme.dim());
        put_right(buffer, area, 0, vec![sums]);
        let text = format!(" {}", fit_start(&breadcrumbs_text(explorer), room));
        return put(buffer, area, 0, vec![Span::raw(text)]);
    }
    let metrics = metric_texts(explorer);
    let breadcrumbs = breadcrumbs_text(explorer);
    let key = explorer.keymap.fill(messages::REPAIR_KEY);
    let forms = explorer.form_words().map(|form| {
        [form.long, form.medium, form.short.into()].map(|words| format!("{words}  {key}   "))
    });
    // half of the line, and whatever of the rest the others leave
    let others =
        width(&breadcrumbs) + forms.as_ref().map_or(0, |candidates| width(&candidates[0])) + 4;
    let room = usize::from(area.width);
    let room_of_metric = room.saturating_sub(others).max(room / 2);
    let fitting = metrics
        .iter()
        .find(|text| width(text) <= room_of_metric)
        .or(metrics.last());
    let metric = fitting.map_or(String::new(), |text| fit_end(text, room_of_metric));
    let mut room = room.saturating_sub(width(&metric) + 4);
    let mut right = vec![Span::styled(format!("{metric} "), theme.dim())];
    if let Some(candidates) = forms {
        let fitting = candidates
            .iter()
            .position(|words| width(words) + width(&breadcrumbs) <= room)
            .unwrap_or(2);
        room = room.saturating_sub(width(&candidates[fitting]));
        right.insert(0, Span::styled(candidates[fitting].clone(), theme.strong()));
    }
    put_right(buffer, area, 0, right);
    let breadcrumbs = fit_start(&breadcrumbs, room);
    put(
        buffer,
        area,
        0,
        vec![Span::raw(" "), Span::raw(breadcrumbs)],
    );
}

/// The focuses that led to what is shown, outermost first.
fn breadcrumbs_text(explorer: &Explorer) -> String {
    explorer.breadcrumb_names().join(BREADCRUMB_SEPARATOR)
}

fn draw_tabs(buffer: &mut Buffer, explorer: &Explorer, theme: Theme) {
    let area = explorer.layout.breadcrumbs;
    let page = explorer.page();
    let style = |panel| match panel == page.focus {
        true => theme.selected(true),
        false => theme.dim(),
    };
    let tabs = page.tabs().enumerate();
    let spans: Vec<Span> = tabs
        .map(|(panel, label)| Span::styled(label, style(panel)))
        .collect();
    let used: usize = spans.iter().map(Span::width).sum();
    let room = usize::from(area.width).saturating_sub(used + 2);
    let about = match page.focused() {
        AnyPanel::Tree(tree) if tree.kind == TreeKind::Calls && tree.left.is_empty() => {
            super::panels::whole_text(tree, room)
        }
        AnyPanel::Tree(tree) if tree.kind == TreeKind::Calls => breadcrumbs_text(explorer),
        AnyPanel::Hotspots(_) => {
            let scope = super::panels::scope_text(explorer);
            let whole =
                super::panels::whole_text(explorer.tree(), room.saturating_sub(width(&scope) + 2));
            let both = [scope, whole].into_iter().filter(|text| !text.is_empty());
            both.collect::<Vec<_>>().join(", ")
        }
        AnyPanel::Flame(_) => super::panels::whole_text(explorer.tree(), room),
        AnyPanel::Lanes(panel) if panel.is_of_part() => page.focused().title(explorer.lens()),
        AnyPanel::Chart(panel) => visible(&panel.name).into_owned(),
        _ => explorer.breadcrumb_names().pop().unwrap_or_default(),
    };
    put_right(
        buffer,
        area,
        0,
        vec![Span::styled(
            format!("{} ", fit_start(&about, room)),
            theme.dim(),
        )],
    );
    put(buffer, area, 0, spans);
}
