//! The lines below the panes: all about the selection, then hints or what was just said.

use super::canvas::{put, put_text};
use super::{Theme, compared};
use crate::analysis::compared::{AFTER, BEFORE, Sides, sides_of};
use crate::analysis::{Hotspot, HotspotOrder, average, hottest_thread};
use crate::app::commands::{Action, Command, Context, IN_HOTSPOTS, hint_drop_order, hints};
use crate::app::dialogs::{ListKind, PageKind};
use crate::app::layout::Pane;
use crate::app::{Explorer, Overlay, PanelKind, SideColumns};
use crate::model::sampling_error::{is_thin, standard_error_percent};
use crate::model::{CountKind, NodeId};
use crate::names::Category;
use crate::text::{fit_end, fit_name, fit_start, visible, width};
use crate::ui::messages;
use crate::units::{Scale, counted, thousands};
use ratatui::buffer::Buffer;
use ratatui::text::Span;

/// How many callers of the selection the path names at most; a path may be a million frames long.
const CALLERS: usize = 12;

/// Of how many occurrences their threads are looked up for each screen.
const COUNTED_OCCURRENCES: u32 = 10_000;

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, theme: Theme) {
    let (area, node) = (explorer.layout.detail, explorer.subject());
    let room = usize::from(area.width).saturating_sub(2);
    // a folded method is shown by its own name
    let subject = explorer.subject_frame();
    let frame = explorer.view.frames.get(subject);
    let name = visible(&explorer.full_frame_name(subject)).into_owned();
    let marker = explorer
        .marker_words(node)
        .map(|words| marker_text(&name, words, area.height > 1, room));
    if area.height == 1 {
        if let Some(text) = marker {
            let style = theme.name(frame.category);
            return put_text(buffer, area, 0, format!(" {text}"), style);
        }
        let facts = facts(explorer, node, room / 2);
        let name = fit_name(&name, room.saturating_sub(width(&facts) + 3).max(room / 2));
        let facts = fit_end(&facts, room.saturating_sub(width(&name) + 3));
        let spans = vec![
            Span::styled(format!(" {name}"), theme.name(frame.category)),
            Span::styled(format!(" · {facts}"), theme.dim()),
        ];
        return put(buffer, area, 0, spans);
    }
    let note = explorer.note_on(subject);
    // both are to be seen, and of a name its end says most
    let for_name = if note.is_some() { room / 2 } else { room };
    let name = marker.unwrap_or_else(|| fit_name(&name, for_name));
    let note = note.map_or(String::new(), |note| {
        let note = format!("✎ {}", visible(note));
        format!(
            "  {}",
            fit_end(&note, room.saturating_sub(width(&name) + 2))
        )
    });
    let name = Span::styled(format!(" {name}"), theme.strong());
    put(buffer, area, 0, vec![name, Span::raw(note)]);
    let facts = fit_end(&facts(explorer, node, room), room);
    let left = room.saturating_sub(width(&facts) + 3);
    let path = path(explorer, node);
    let path = match left < 12 || path.is_empty() {
        true => String::new(),
        false => format!(" · {}", fit_start(&path, left)),
    };
    let path = Span::styled(path, theme.dim());
    put(buffer, area, 1, vec![Span::raw(format!(" {facts}")), path]);
}

/// What a row of a comparison has on both sides: of a method all that it has in the subtree, else of a node.
fn compared_fact(explorer: &Explorer, columns: SideColumns, node: NodeId) -> String {
    let (view, scale) = (&explorer.view, columns.scale);
    let words = |sides: Sides| {
        if sides.delta() == 0 {
            return scale.with_unit(sides.after);
        }
        let change = compared::change_text(columns, sides);
        format!(
            "{} → {} ({change})",
            scale.number(sides.before),
            scale.with_unit(sides.after)
        )
    };
    let lists = explorer
        .hot
        .lists
        .as_ref()
        .zip(explorer.hot.selected(explorer.pane));
    let of_lists = |order| lists.and_then(|(lists, row)| lists.sides(row, order));
    let own = |metric| view.tree.exclusive(metric, node);
    let inclusive = of_lists(HotspotOrder::Inclusive).unwrap_or_else(|| sides_of(view, node));
    let exclusive = of_lists(HotspotOrder::Exclusive);
    let exclusive = exclusive.unwrap_or_else(|| Sides {
        before: own(BEFORE),
        after: own(AFTER),
    });
    format!("{} incl · {} excl", words(inclusive), words(exclusive))
}

/// What a node below which truncated stacks hang is, with its name if there is room: that stands in its row, too.
fn marker_text(name: &str, [long, short]: [&str; 2], with_name: bool, room: usize) -> String {
    let named = [long, short].map(|words| format!("{name} · {words}"));
    let candidates = named
        .into_iter()
        .filter(|_| with_name)
        .chain([long.into(), short.into()]);
    let fitting = candidates.into_iter().find(|text| width(text) <= room);
    fitting.unwrap_or_else(|| fit_end(short, room))
}

/// Its numbers, which node it is, and whose code. Where `room` cells are too few, calls come first: how long one takes stands
/// nowhere else.
fn facts(explorer: &Explorer, node: NodeId, room: usize) -> String {
    let (view, metric, scale) = (&explorer.view, explorer.metric, explorer.scale());
    let tree = &view.tree;
    let frame_id = tree.frame(node);
    let mut facts = Vec::new();
    if let Some(columns) = explorer.tree_columns().sides {
        facts.push(compared_fact(explorer, columns, node));
    } else if let Some(hotspot) = explorer.hot.selected(explorer.pane) {
        facts.push(hotspot_fact(explorer, hotspot, room));
    } else {
        let share = explorer.share(node);
        let share = share.map_or("waiting".into(), |share| format!("{share:.1} %"));
        let exclusive = scale.with_unit(tree.exclusive(metric, node));
        let inclusive = scale.with_unit(tree.inclusive(metric, node));
        // upward, what a row has of its own is what ends with it
        facts.push(match explorer.half {
            Some(PanelKind::Callers | PanelKind::Inverted) => {
                let method = visible(explorer.node_name(NodeId::ROOT));
                format!("{inclusive} ({share}) of {method}")
            }
            _ => format!("{inclusive} ({share}) incl, {exclusive} excl"),
        });
    }
    if let Some(count) = count_fact(explorer, node).filter(|_| !view.recording.is_comparison()) {
        let has_calls = view.recording.metric(metric).counts == Some(CountKind::Calls);
        let is_tight = width(&facts[0]) + 3 + width(&count) > room;
        facts.insert(usize::from(!(has_calls && is_tight)), count);
    }
    let module = view.frames.module(frame_id);
    if !module.is_empty() {
        facts.push(visible(module).into_owned());
    }
    let location = view.frames.location(frame_id);
    if !location.is_empty() {
        facts.push(visible(location).into_owned());
    }
    facts.push(view.node_label(node));
    let category = view.frames.get(frame_id).category;
    // a marker belongs to no code
    if category != Category::Pseudo && explorer.marker_words(node).is_none() {
        facts.push(category.name().into());
    }
    facts.join(" · ")
}

fn hotspot_fact(explorer: &Explorer, hotspot: &Hotspot, room: usize) -> String {
    let scale = explorer.scale();
    let [inclusive, exclusive] =
        [hotspot.inclusive, hotspot.exclusive].map(|value| scale.with_unit(value));
    let occurrences = counted(u64::from(hotspot.node_count), "occurrence");
    let sums = messages::incl_excl(&inclusive, &exclusive, &occurrences);
    let thread = thread_words(explorer, hotspot);
    let value = match order_of(explorer.pane) {
        HotspotOrder::Exclusive => format!("{exclusive} excl"),
        HotspotOrder::Inclusive => format!("{inclusive} incl"),
    };
    let candidates = [
        format!("{sums}{thread}"),
        format!("{value} in {occurrences}{thread}"),
    ];
    let fitting = candidates
        .into_iter()
        .find(|candidate| width(candidate) <= room);
    fitting.unwrap_or(sums)
}

/// Inclusive values stand in trees, too.
fn order_of(pane: Pane) -> HotspotOrder {
    if pane == Pane::Exclusive {
        HotspotOrder::Exclusive
    } else {
        HotspotOrder::Inclusive
    }
}

/// In which thread most of a hotspot is, where there are several and it takes no time to see.
fn thread_words(explorer: &Explorer, hotspot: &Hotspot) -> String {
    let view = &explorer.view;
    if view.threads.len() < 2 || hotspot.node_count > COUNTED_OCCURRENCES {
        return String::new();
    }
    let order = order_of(explorer.pane);
    let scope = explorer
        .hot
        .lists
        .as_ref()
        .map_or(NodeId::ROOT, |lists| lists.scope);
    let thread = hottest_thread(view, &[scope], explorer.measure(), hotspot.frame, order);
    thread.map_or(String::new(), |(thread, _)| {
        format!(", most in {}", visible(explorer.node_name(thread)))
    })
}

/// The calls or samples of the selection; of several calls also how long one takes, which is what tracing is read by.
fn count_fact(explorer: &Explorer, node: NodeId) -> Option<String> {
    let (view, metric) = (&explorer.view, explorer.metric);
    let hotspot = explorer.hot.selected(explorer.pane);
    let count = hotspot.map_or(view.tree.count(metric, node), |hotspot| hotspot.count)?;
    let kind = view.recording.metric(metric).counts?;
    match kind {
        CountKind::Unknown => return Some(format!("count {}", thousands(count))),
        CountKind::Samples => {
            return Some(counted(count, kind.noun()) + &error_words(explorer, node));
        }
        CountKind::Calls if count < 2 => return Some(counted(count, kind.noun())),
        CountKind::Calls => {}
    }
    let order = order_of(explorer.pane);
    let per_call = match hotspot {
        Some(hotspot) => hotspot.per_call(order)?,
        None => average(view.tree.inclusive(metric, node), count)?,
    };
    let per_call =
        Scale::for_average(view.recording.metric(metric).unit, per_call).with_unit(per_call);
    // recursive calls have no inclusive time that is not in that of their callers
    let from_outside = hotspot
        .map(|hotspot| hotspot.count_of_outermost)
        .filter(|&outermost| outermost < count);
    let from_outside = match from_outside.filter(|_| order == HotspotOrder::Inclusive) {
        Some(outermost) => format!(", {} from outside", thousands(outermost)),
        None => String::new(),
    };
    let what = if order == HotspotOrder::Exclusive {
        "excl"
    } else {
        "incl"
    };
    Some(format!(
        "{}{from_outside} × {per_call} {what}",
        counted(count, kind.noun())
    ))
}

/// How far values that rest on few samples may be off: `: ±58 %`, or of the exclusive value alone `, 3 own: ±58 %`.
fn error_words(explorer: &Explorer, node: NodeId) -> String {
    let [inclusive, own] = match explorer.hot.selected(explorer.pane) {
        Some(hotspot) => {
            [HotspotOrder::Inclusive, HotspotOrder::Exclusive].map(|order| hotspot.samples(order))
        }
        None => explorer.samples(node),
    };
    let error = |samples: u64| {
        standard_error_percent(samples).map_or(String::new(), |error| format!(": ±{error:.0} %"))
    };
    match (
        inclusive.filter(|&samples| is_thin(samples)),
        own.filter(|&own| is_thin(own)),
    ) {
        (Some(samples), _) => error(samples),
        (None, Some(own)) => format!(", {} own{}", thousands(own), error(own)),
        (None, None) => String::new(),
    }
}

/// The nearest callers, outermost first.
fn path(explorer: &Explorer, node: NodeId) -> String {
    let tree = &explorer.view.tree;
    let callers: Vec<NodeId> = tree.ancestors(node).take(CALLERS).collect();
    let is_whole = callers.last().is_none_or(|&last| last == NodeId::ROOT);
    let names = callers
        .iter()
        .rev()
        .filter(|&&caller| caller != NodeId::ROOT);
    let path: Vec<String> = names
        .map(|&caller| visible(explorer.node_name(caller)).into_owned())
        .collect();
    let path = path.join(" ▸ ");
    if is_whole {
        path
    } else {
        format!("… ▸ {path}")
    }
}

/// What was just said, or the keys that are most useful now.
pub(super) fn draw_hints(buffer: &mut Buffer, explorer: &Explorer, theme: Theme) {
    let area = explorer.layout.hints;
    let room = usize::from(area.width);
    if let Some(notice) = &explorer.notice {
        let style = if notice.is_error {
            theme.error()
        } else {
            theme.accent()
        };
        let text = format!(" {}", fit_end(&visible(&notice.text), room - 2));
        return put_text(buffer, area, 0, text, style);
    }
    let context = explorer.context();
    let progress = explorer.progress_percent();
    if let Some(percent) = progress.filter(|_| context == Context::Explorer) {
        // not all work knows how far it is
        let known = format!(": {percent} %");
        let how_far = if percent > 0 { known } else { " …".into() };
        let text = fit_end(&messages::preparing_view(&how_far), room);
        return put_text(buffer, area, 0, text, theme.accent());
    }
    let has_warnings = explorer.view.alerts().next().is_some();
    let has_other_form = explorer.view.recording.repaired.is_some();
    let is_page = explorer.butterfly().is_some() && context == Context::Explorer;
    // in a list of hotspots there is nothing to open
    let is_list = explorer.pane != Pane::Tree
        && context == Context::Explorer
        && explorer.butterfly().is_none();
    // what does nothing here is not hinted at
    let is_of_use = |command: &&Command| match command.action {
        Action::ToggleRepair => has_other_form && !is_page,
        Action::Focus | Action::TogglePin => !is_page,
        Action::Remove => !matches!(explorer.overlay, Overlay::List(ListKind::Views, _)),
        Action::Freeze => explorer.is_live(),
        Action::Search if context == Context::Page => explorer.overlay.filter().is_some(),
        Action::CopyName if context == Context::Page => {
            let page = explorer.overlay.page();
            page.is_some_and(|page| matches!(page.kind, PageKind::CommandLine { .. }))
        }
        Action::Open | Action::Close | Action::Enter => !is_list,
        _ => true,
    };
    let hints = hints(context).filter(is_of_use);
    let hints = is_list.then_some(&IN_HOTSPOTS).into_iter().chain(hints);
    let dropped = hint_drop_order(context, has_warnings);
    super::hints::draw(buffer, area, hints, dropped, theme);
}
