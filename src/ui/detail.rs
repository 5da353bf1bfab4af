//! The lines below the panes: all about the selection, then hints or what was just said.

use super::text::{fit_end, fit_name, fit_start, width};
use super::{Theme, put};
use crate::app::Explorer;
use crate::app::commands::{Action, Command, hints, key_label};
use crate::model::format::{counted, percent, thousands};
use crate::model::text::visible;
use crate::model::{Category, NodeId};
use ratatui::buffer::Buffer;
use ratatui::text::Span;

/// How many callers of the selection the path names at most; a path may be a million frames long.
const CALLERS: usize = 12;

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, theme: Theme) {
    let (area, node) = (explorer.layout.detail, explorer.subject());
    let room = usize::from(area.width).saturating_sub(2);
    let frame = explorer.profile.frames.get(explorer.profile.tree.frame(node));
    let name = full_name(explorer, node);
    if area.height == 1 {
        let facts = facts(explorer, node);
        let name = fit_name(&name, room.saturating_sub(width(&facts) + 3).max(room / 2));
        let facts = fit_end(&facts, room.saturating_sub(width(&name) + 3));
        let spans = vec![
            Span::styled(format!(" {name}"), theme.name(frame.category)),
            Span::styled(format!(" · {facts}"), theme.dim()),
        ];
        return put(buffer, area, 0, spans);
    }
    put(buffer, area, 0, vec![Span::styled(format!(" {}", fit_name(&name, room)), theme.strong())]);
    let facts = fit_end(&facts(explorer, node), room);
    let left = room.saturating_sub(width(&facts) + 3);
    let path = path(explorer, node);
    let path = if left < 12 || path.is_empty() { String::new() } else { format!(" · {}", fit_start(&path, left)) };
    put(buffer, area, 1, vec![Span::raw(format!(" {facts}")), Span::styled(path, theme.dim())]);
}

/// The full name of a method, with its signature.
fn full_name(explorer: &Explorer, node: NodeId) -> String {
    visible(&explorer.full_name(node)).into_owned()
}

/// Whose code, which node, and its numbers.
fn facts(explorer: &Explorer, node: NodeId) -> String {
    let (profile, metric, scale) = (&explorer.profile, explorer.metric, explorer.scale());
    let tree = &profile.tree;
    let frame_id = tree.frame(node);
    let mut facts = Vec::new();
    if let Some(hotspot) = explorer.hot.selected(explorer.pane) {
        let (inclusive, exclusive) = (scale.with_unit(hotspot.inclusive), scale.with_unit(hotspot.exclusive));
        let places = counted(u64::from(hotspot.node_count), "place");
        facts.push(format!("{inclusive} incl, {exclusive} excl in {places}"));
    } else {
        let inclusive = tree.inclusive(metric, node);
        let share = percent(inclusive, tree.inclusive(metric, explorer.tree.root()));
        let exclusive = scale.with_unit(tree.exclusive(metric, node));
        facts.push(format!("{} ({share:.1} %) incl, {exclusive} excl", scale.with_unit(inclusive)));
    }
    let hotspot = explorer.hot.selected(explorer.pane);
    let count = hotspot.map_or(tree.count(metric, node), |hotspot| hotspot.count);
    if let (Some(count), Some(kind)) = (count, profile.metric(metric).counts) {
        let name = if count == 1 { kind.name().trim_end_matches('s') } else { kind.name() };
        facts.push(format!("{} {name}", thousands(count)));
    }
    let module = profile.frames.module(frame_id);
    if !module.is_empty() {
        facts.push(visible(module).into_owned());
    }
    let location = profile.frames.location(frame_id);
    if !location.is_empty() {
        facts.push(visible(location).into_owned());
    }
    facts.push(profile.node_label(node));
    let category = profile.frames.get(frame_id).category;
    if category != Category::Pseudo {
        facts.push(category.name().into());
    }
    facts.join(" · ")
}

/// The nearest callers, outermost first.
fn path(explorer: &Explorer, node: NodeId) -> String {
    let tree = &explorer.profile.tree;
    let callers: Vec<NodeId> = tree.ancestors(node).take(CALLERS).collect();
    let is_whole = callers.last().is_none_or(|&last| last == NodeId::ROOT);
    let names = callers.iter().rev().filter(|&&caller| caller != NodeId::ROOT);
    let path: Vec<String> = names.map(|&caller| visible(explorer.node_name(caller)).into_owned()).collect();
    let path = path.join(" ▸ ");
    if is_whole { path } else { format!("… ▸ {path}") }
}

/// What was just said, or the keys that are most useful now.
pub(super) fn draw_hints(buffer: &mut Buffer, explorer: &Explorer, theme: Theme) {
    let area = explorer.layout.hints;
    let room = usize::from(area.width);
    if let Some(notice) = &explorer.notice {
        let style = if notice.is_error { theme.error() } else { theme.accent() };
        return put(
            buffer,
            area,
            0,
            vec![Span::styled(format!(" {}", fit_end(&visible(&notice.text), room - 2)), style)],
        );
    }
    let mut commands: Vec<&Command> = hints(explorer.context()).collect();
    // where not all have room, help outlives the others
    while commands.iter().map(|command| hint_cells(command)).sum::<usize>() > room && commands.len() > 1 {
        let is_help = |command: &&Command| command.action == Action::Help;
        let victim = commands.iter().rposition(|command| !is_help(command)).unwrap_or(0);
        commands.remove(victim);
    }
    let spans = commands.into_iter().flat_map(|command| {
        let [key, label] = hint_texts(command);
        [Span::styled(key, theme.accent()), Span::styled(label, theme.dim())]
    });
    put(buffer, area, 0, spans.collect());
}

fn hint_texts(command: &Command) -> [String; 2] {
    [format!(" {}", key_label(best_key(command.keys))), format!(" {} ", command.hint)]
}

fn hint_cells(command: &Command) -> usize {
    hint_texts(command).iter().map(|text| width(text)).sum()
}

/// The key of a command that says most: an arrow rather than a letter.
fn best_key(keys: &'static [&'static str]) -> &'static str {
    keys.iter().find(|key| matches!(**key, "left" | "right")).unwrap_or(&keys[0])
}
