//! The lines below the panels: the selection, then hints or the current message.

use super::pen::Pen;
use super::row_facts::{Description, row_facts};
use super::text::fitting;
use super::{compared, messages};
use crate::analysis::compared::{AFTER, BEFORE, Sides, sides_of};
use crate::analysis::{Hotspot, HotspotOrder, average, hottest_thread};
use crate::app::{
    AnyPanel, Context, Explorer, HotspotLists, Lens, Overlay, Selection, SideColumns, SumsKind,
    TreePanel,
};
use crate::model::sampling_error::{is_thin, standard_error_percent};
use crate::model::{CountKind, NodeId};
use crate::names::Category;
use crate::query::MethodOrder;
use crate::text::{fit_end, fit_name, fit_start, visible, width};
use crate::units::{Scale, counted, percent, thousands};
use ratatui::prelude::Span;

/// The path of the selection may be a million frames long.
const MAX_CALLERS: usize = 12;
/// Threads are looked up on each draw, for at most this many occurrences.
const MAX_OCCURRENCES: u32 = 10_000;

struct Subject<'a> {
    explorer: &'a Explorer,
    tree: &'a TreePanel,
    lens: &'a Lens,
    selection: Selection<'a>,
    lists: Option<&'a HotspotLists>,
    order: HotspotOrder,
}

impl<'a> Subject<'a> {
    fn of(explorer: &'a Explorer) -> Subject<'a> {
        let (page, main) = (explorer.page(), explorer.tree());
        let mut subject = Subject {
            explorer,
            tree: main,
            lens: &main.lens,
            selection: explorer.selection(),
            lists: None,
            order: HotspotOrder::Inclusive,
        };
        if let Some((node, hotspot)) = listed_method(explorer) {
            subject.selection = Selection {
                hotspot: Some(hotspot),
                ..Selection::of(&main.lens, node, hotspot.frame)
            };
            return subject;
        }
        match page.focused() {
            AnyPanel::Tree(panel) => subject.tree = panel,
            // threads have no node: the method of the page
            AnyPanel::Sums(panel) if panel.kind == SumsKind::Threads => {
                subject.tree = page.first().unwrap_or(main);
                subject.selection = subject.tree.selection();
            }
            AnyPanel::Hotspots(panel) => {
                (subject.lists, subject.order) = (panel.lists.as_deref(), panel.order);
            }
            _ => {}
        }
        subject.lens = &subject.tree.lens;
        subject
    }
}

fn listed_method(explorer: &Explorer) -> Option<(NodeId, &Hotspot)> {
    let Overlay::Methods(table) = &explorer.overlay else {
        return None;
    };
    let sums = &table.selected()?.sums;
    // its nodes are those of the uncollapsed tree
    let node = explorer.view().from_uncollapsed(sums.heaviest_node);
    Some((node.unwrap_or(NodeId::ROOT), sums))
}

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer) {
    let (area, theme) = (explorer.layout.detail, pen.theme);
    let words = explorer.cursor_words();
    let words = words.map_or(String::new(), |words| format!("  {words} "));
    let room = usize::from(area.width).saturating_sub(2);
    let first_room = room.saturating_sub(width(&words));
    let is_short = area.height == 1;
    let facts_room = if is_short { first_room / 2 } else { room };
    let selected = || description(&Subject::of(explorer), room, facts_room, is_short);
    let Description {
        name,
        note,
        facts,
        path,
    } = row_facts(explorer).unwrap_or_else(selected);
    if is_short && facts.is_empty() {
        let name = fit_end(&name, first_room);
        pen.put(area, 0, Span::styled(format!(" {name}"), theme.strong()));
    } else if is_short {
        let name_room = first_room.saturating_sub(width(&facts) + 3);
        let name = fit_name(&name, name_room.max(first_room / 2));
        let facts = fit_whole_facts(&facts, first_room.saturating_sub(width(&name) + 3));
        let facts = Span::styled(format!(" · {facts}"), theme.dim());
        let name = Span::styled(format!(" {name}"), theme.strong());
        pen.put(area, 0, vec![name, facts]);
    } else {
        // the end of a name says most
        let name_room = if note.is_empty() {
            first_room
        } else {
            first_room / 2
        };
        let name = fit_name(&name, name_room);
        let note = fit_end(&note, first_room.saturating_sub(width(&name) + 2));
        let name = Span::styled(format!(" {name}  "), theme.strong());
        pen.put(area, 0, vec![name, Span::raw(note)]);
        let facts = fit_whole_facts(&facts, room);
        let path_room = room.saturating_sub(width(&facts) + 3);
        let path = match path_room < 12 || path.is_empty() {
            true => String::new(),
            false => format!(" · {}", fit_start(&path, path_room)),
        };
        let path = Span::styled(path, theme.dim());
        pen.put(area, 1, vec![Span::raw(format!(" {facts}")), path]);
    }
    pen.put_right(area, 0, Span::styled(words, theme.accent()));
}

/// As many whole facts as fit, as a number cut in the middle would be misread.
fn fit_whole_facts(facts: &str, room: usize) -> String {
    let ends = facts.match_indices(" · ").map(|(at, _)| at);
    let ends = ends.chain([facts.len()]).map(|end| &facts[..end]);
    let longest = ends.filter(|facts| width(facts) <= room).last();
    longest.map_or_else(|| fit_end(facts, room), String::from)
}

/// On a single line, a truncation marker shows only its explanation.
fn description(subject: &Subject, room: usize, facts_room: usize, is_short: bool) -> Description {
    let (lens, selection) = (subject.lens, &subject.selection);
    let name = visible(&lens.full_frame_name(selection.frame)).into_owned();
    let note = lens.note_on(selection.frame);
    let marker = lens.truncation_words(selection.node);
    if let (true, Some([long, short])) = (is_short, marker) {
        return Description {
            name: fitting([long], room).unwrap_or(short.into()),
            ..Description::default()
        };
    }
    Description {
        name: match marker {
            Some([long, short]) => {
                let texts = [format!("{name} · {long}"), long.into()];
                fitting(texts, room).unwrap_or(short.into())
            }
            None => name,
        },
        note: note.map_or(String::new(), |note| format!("✎ {}", visible(note))),
        facts: facts(subject, facts_room).join(" · "),
        path: path(lens, selection.node),
    }
}

/// If `room` cells are too few, calls come first: the time per call is shown nowhere else.
fn facts(subject: &Subject, room: usize) -> Vec<String> {
    let (lens, selection) = (subject.lens, &subject.selection);
    let (node, frame) = (selection.node, selection.frame);
    let view = &lens.view;
    let mut facts = Vec::new();
    if let Some(fact) = listed_fact(subject.explorer) {
        facts.push(fact);
    } else if let Some(columns) = subject.tree.columns().sides {
        facts.push(compared_fact(subject, columns));
        facts.extend(left_out_fact(subject));
    } else {
        facts.push(value_fact(subject, room));
        facts.extend(left_out_fact(subject));
        if let Some(count) = count_fact(subject) {
            let has_calls = lens.counts() == Some(CountKind::Calls);
            let is_tight = width(&facts[0]) + 3 + width(&count) > room;
            facts.insert(usize::from(!(has_calls && is_tight)), count);
        }
    }
    let places = [view.frames.module(frame), view.frames.location(frame)];
    let places = places.into_iter().filter(|place| !place.is_empty());
    facts.extend(places.map(|place| visible(place).into_owned()));
    // a tree of callers has several occurrences in its root
    if !(subject.tree.kind.is_upward() && node == NodeId::ROOT) {
        facts.push(view.node_label(node));
    }
    let category = view.frames.get(frame).category;
    if category != Category::Pseudo && lens.truncation_words(node).is_none() {
        facts.push(category.name().into());
    }
    facts
}

fn value_fact(subject: &Subject, room: usize) -> String {
    let (lens, tree, node) = (subject.lens, subject.tree, subject.selection.node);
    let scale = lens.scale();
    if let Some(hotspot) = subject.selection.hotspot {
        let [inclusive, exclusive] = [HotspotOrder::Inclusive, HotspotOrder::Exclusive]
            .map(|order| scale.with_unit(hotspot.weight(order)));
        let occurrences = counted(u64::from(hotspot.node_count), "occurrence");
        let sums = messages::incl_excl(&inclusive, &exclusive, &occurrences);
        let thread = thread_text(subject, hotspot);
        let value = match subject.order {
            HotspotOrder::Exclusive => format!("{exclusive} excl"),
            HotspotOrder::Inclusive => format!("{inclusive} incl"),
        };
        let long = format!("{sums}{thread}");
        let short = format!("{value} in {occurrences}{thread}");
        return fitting([long, short], room).unwrap_or(sums);
    }
    let measure = tree.measure();
    let share = tree.share(node);
    let share = share.map_or("waiting".into(), |share| format!("{share:.1} %"));
    let exclusive = scale.with_unit(measure.exclusive(&lens.view, node));
    let inclusive = scale.with_unit(measure.inclusive(&lens.view, node));
    // exclusive values of a caller tree would be misread
    match tree.kind.is_upward() {
        true => {
            let method = visible(lens.node_name(NodeId::ROOT));
            format!("{inclusive} ({share}) of {method}")
        }
        false => format!("{inclusive} ({share}) incl, {exclusive} excl"),
    }
}

fn thread_text(subject: &Subject, hotspot: &Hotspot) -> String {
    let (lens, order) = (subject.lens, subject.order);
    if lens.view.threads.len() < 2 || hotspot.node_count > MAX_OCCURRENCES {
        return String::new();
    }
    let scope = subject.lists.map_or(NodeId::ROOT, |lists| lists.scope);
    let measure = subject.explorer.measure();
    let thread = hottest_thread(&lens.view, &[scope], measure, hotspot.frame, order);
    thread.map_or(String::new(), |(thread, _)| {
        format!(", most in {}", visible(lens.node_name(thread)))
    })
}

fn compared_fact(subject: &Subject, columns: SideColumns) -> String {
    let (view, scale, node) = (&subject.lens.view, columns.scale, subject.selection.node);
    let table = match &subject.explorer.overlay {
        Overlay::Methods(table) => table.selected().map(|row| (table, row)),
        _ => None,
    };
    let words = |sides: Sides| {
        if sides.delta() == 0 {
            return scale.with_unit(sides.after);
        }
        let change = compared::change_text(columns, sides);
        format!("{} ({change})", compared::values_text(scale, sides))
    };
    let orders = [
        (HotspotOrder::Inclusive, MethodOrder::Inclusive),
        (HotspotOrder::Exclusive, MethodOrder::Exclusive),
    ];
    let listed = orders.map(|(order, in_table)| match table {
        Some((table, row)) => Some(table.sides_by(row, in_table).unwrap_or_default()),
        None => subject.lists?.sides(subject.selection.hotspot?, order),
    });
    let inclusive = listed[0].unwrap_or_else(|| sides_of(view, node));
    if listed[1].is_none() && subject.tree.kind.is_upward() {
        let method = subject.lens.node_name(NodeId::ROOT);
        return format!("{} of {}", words(inclusive), visible(method));
    }
    let exclusive = listed[1].unwrap_or_else(|| Sides {
        before: view.tree.exclusive(BEFORE, node),
        after: view.tree.exclusive(AFTER, node),
    });
    format!("{} incl · {} excl", words(inclusive), words(exclusive))
}

fn left_out_fact(subject: &Subject) -> Option<String> {
    let (lens, selection) = (subject.lens, &subject.selection);
    let waiting = subject.tree.measure().left_out(&lens.view)?;
    let amount = match selection.hotspot {
        Some(hotspot) => hotspot.waiting.value,
        None => waiting.within(&lens.view.tree, selection.node),
    };
    (amount > 0).then(|| messages::left_out_waits(&lens.scale().with_unit(amount)))
}

fn listed_fact(explorer: &Explorer) -> Option<String> {
    let lens = explorer.lens();
    match explorer.page().focused() {
        _ if matches!(explorer.overlay, Overlay::Methods(_)) => None,
        AnyPanel::Sums(panel) if panel.kind == SumsKind::UserCode => {
            let (_, sums) = panel.rows(lens).get(panel.cursor.selected)?;
            let counts_waiting = explorer.measure().counts_waiting;
            let total = panel.parts.sums[lens.metric.index()].weight(counts_waiting);
            let share = percent(sums.weight(counts_waiting), total);
            let value = lens.scale().with_unit(sums.weight(counts_waiting));
            let method = explorer.page().first::<TreePanel>()?;
            let method = method.lens.node_name(NodeId::ROOT);
            Some(messages::part_of_method(&value, &share, &visible(method)))
        }
        AnyPanel::Waits(panel) => {
            let row = panel.selected_row()?;
            let value = panel.scale.with_unit(row.waiting);
            let share = percent(row.waiting, panel.waits.part.waiting);
            let threads = &panel.cells.get(panel.cursor.selected)?.threads;
            Some(messages::part_of_waiting(&value, &share, &threads))
        }
        _ => None,
    }
}

/// Calls have a time per call, too.
fn count_fact(subject: &Subject) -> Option<String> {
    let (lens, order) = (subject.lens, subject.order);
    let Selection { node, hotspot, .. } = subject.selection;
    let node_count = || subject.tree.measure().count(&lens.view, node);
    let count = hotspot.map_or_else(node_count, Hotspot::counted)?;
    let kind = lens.counts()?;
    let text = counted(count, kind.noun());
    match kind {
        CountKind::Unknown => return Some(format!("count {}", thousands(count))),
        CountKind::Samples => return Some(text + &error_text(subject)),
        CountKind::Calls if count < 2 => return Some(text),
        CountKind::Calls => {}
    }
    let per_call = match hotspot {
        Some(hotspot) => hotspot.per_call(order)?,
        None => average(lens.view.tree.inclusive(lens.metric, node), count)?,
    };
    let unit = lens.view.recording.metric(lens.metric).unit;
    let per_call = Scale::for_average(unit, per_call).with_unit(per_call);
    let (outermost, value) = match order {
        HotspotOrder::Exclusive => (None, "excl"),
        HotspotOrder::Inclusive => (hotspot.map(|hotspot| hotspot.outermost_count), "incl"),
    };
    // recursive calls have no inclusive time beyond that of their callers
    let from_outside = match outermost.filter(|&outermost| outermost < count) {
        Some(outermost) => format!(", {} from outside", thousands(outermost)),
        None => String::new(),
    };
    Some(format!("{text}{from_outside} × {per_call} {value}"))
}

/// `: ±58 %`, or of the exclusive value only `, 3 excl: ±58 %`.
fn error_text(subject: &Subject) -> String {
    let [inclusive, exclusive] = match subject.selection.hotspot {
        Some(hotspot) => {
            [HotspotOrder::Inclusive, HotspotOrder::Exclusive].map(|order| hotspot.samples(order))
        }
        None => subject.tree.samples(subject.selection.node),
    };
    let error = |samples: u64| {
        standard_error_percent(samples).map_or(String::new(), |error| format!(": ±{error:.0} %"))
    };
    let few = |samples: Option<u64>| samples.filter(|&samples| is_thin(samples));
    match (few(inclusive), few(exclusive)) {
        (Some(samples), _) => error(samples),
        (None, Some(samples)) => format!(", {} excl{}", thousands(samples), error(samples)),
        (None, None) => String::new(),
    }
}

/// The nearest callers, outermost first.
fn path(lens: &Lens, node: NodeId) -> String {
    let callers: Vec<NodeId> = lens.view.tree.ancestors(node).take(MAX_CALLERS).collect();
    let is_whole = callers.last().is_none_or(|&last| last == NodeId::ROOT);
    let callers = callers.iter().rev().filter(|&&node| node != NodeId::ROOT);
    let names = callers.map(|&caller| visible(lens.node_name(caller)));
    let path = names.collect::<Vec<_>>().join(" ▸ ");
    match is_whole {
        true => path,
        false => format!("… ▸ {path}"),
    }
}

/// The current message, progress, or the most useful keys.
pub(super) fn draw_hints(pen: &mut Pen, explorer: &Explorer) {
    let (area, theme) = (explorer.layout.hints, pen.theme);
    let room = usize::from(area.width);
    if let Some(notice) = &explorer.notice {
        let style = match notice.is_error {
            true => theme.error(),
            false => theme.accent(),
        };
        let text = format!(" {}", fit_end(&visible(&notice.text), room - 2));
        return pen.put(area, 0, Span::styled(text, style));
    }
    let progress = explorer.progress_percent();
    if let Some(percent) = progress.filter(|_| explorer.context() == Context::Explorer) {
        // not every task knows its progress
        let progress = match percent {
            0 => " …".into(),
            _ => format!(": {percent} %"),
        };
        let text = explorer.keymap.fill(&messages::preparing_view(&progress));
        let text = Span::styled(fit_end(&text, room), theme.accent());
        return pen.put(area, 0, text);
    }
    pen.put_hints(area, explorer.hints());
}
