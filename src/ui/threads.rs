//! The thread dialog.

use super::pen::Pen;
use super::text::{bar, fitting, right};
use super::{Theme, messages};
use crate::app::Explorer;
use crate::app::picker::{Mark, PickerRow, PickerSort, ThreadPicker};
use crate::model::{CountKind, Measure, Merging, MetricId, NodeId, View};
use crate::query::describe_idle;
use crate::text::{fit_end, visible, width};
use crate::units::{Scale, Unit, counted, percent, thousands};
use ratatui::prelude::{Span, Style};

const WITH_BARS: u16 = 50;
/// Metric names come from files.
const WIDEST_VALUE: usize = 16;
/// When another value column is added.
const MIN_NAME: usize = 20;
const WITH_COUNTS: u16 = 62;
/// With the number of a process's threads.
const WITH_THREADS: usize = 26;

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer, picker: &ThreadPicker) {
    let (areas, theme) = (picker.layout(explorer.layout.body), pen.theme);
    let columns = ThreadColumns::new(explorer, picker, areas.rows.width);
    let title = match picker.has_headings {
        true => "Processes and threads",
        false => "Threads",
    };
    let room = usize::from(areas.area.width).saturating_sub(width(title) + 6);
    pen.open_box(areas.area, title, &columns.summary(room));
    pen.put_dim(areas.header, 0, columns.header());
    let (rows, cursor) = (picker.rows().iter(), (picker.cursor, true));
    let spans = |&row, is_selected| columns.row(row, is_selected, theme);
    pen.put_list(areas.rows, rows, cursor, spans);
    let (text, style) = footer_text(explorer, picker, theme);
    let text = explorer.keymap.fill(&text);
    let text = fit_end(&text, usize::from(areas.merging.width));
    pen.put(areas.merging, 0, Span::styled(text, style));
}

/// The filter, an error, or how threads are merged.
fn footer_text(explorer: &Explorer, picker: &ThreadPicker, theme: Theme) -> (String, Style) {
    let filter = picker.filter.text();
    let has_pool = ThreadPicker::has_pool(&explorer.whole);
    match picker.error {
        _ if picker.filter.is_typed() => {
            let (before, after) = picker.filter.parts();
            let is_thread = |row: &&PickerRow| matches!(row, PickerRow::Thread(_));
            let found = picker.rows().iter().filter(is_thread).count();
            let found = counted(found as u64, "thread");
            (format!("/ {before}▏{after}  {found}"), theme.strong())
        }
        Some(error) => (format!("  {error}"), theme.error()),
        None if picker.rows().is_empty() => (messages::matches_no_thread(&filter), theme.warning()),
        None if !filter.is_empty() => (messages::filter_keys(&filter), theme.strong()),
        // not a row of the list: a key changes it
        None => {
            let merging = picker.choice.merging;
            let box_of =
                |of: Merging| format!("({}) {}", if of == merging { "•" } else { " " }, of.name());
            let offered = Merging::ALL.into_iter();
            let offered = offered.filter(|&of| of != Merging::Pool || has_pool);
            let boxes = offered.map(box_of).collect::<Vec<_>>().join("  ");
            let which = match picker.has_headings {
                true => messages::OF_EACH_PROCESS,
                false => "",
            };
            (messages::merge_key(&boxes, &which), theme.strong())
        }
    }
}

/// The largest value of any row.
fn largest(read: &View, metric: MetricId) -> u64 {
    let value = |node: NodeId| read.tree.inclusive(metric, node);
    let values = read.threads.iter().map(|thread| value(thread.node));
    values.fold(value(NodeId::ROOT), u64::max)
}

struct ValueColumn {
    metric: MetricId,
    scale: Scale,
    cells: usize,
}

impl ValueColumn {
    /// With a space on its left for the sort mark.
    fn new(explorer: &Explorer, metric: MetricId) -> ValueColumn {
        let read = &*explorer.whole;
        let largest = largest(read, metric);
        let unit = read.recording.metric(metric).unit;
        // times are compared with each other, so they share one unit
        let is_alike = |&other: &MetricId| read.recording.metric(other).unit == unit;
        let alike = read.recording.metric_ids().filter(is_alike);
        let of_unit = alike.map(|other| self::largest(read, other)).max();
        let of_unit = of_unit.filter(|_| unit == Unit::Milliseconds);
        let scale = explorer.lens().scale_in(unit, of_unit.unwrap_or(largest));
        let head = width(&read.recording.metric(metric).name) + 1 + scale.unit().chars().count();
        ValueColumn {
            metric,
            scale,
            cells: scale.number(largest).len().max(head).min(WIDEST_VALUE) + 1,
        }
    }

    fn head(&self, read: &View) -> String {
        let unit = self.scale.unit();
        let room = self.cells.saturating_sub(unit.chars().count() + 2);
        let name = visible(&read.recording.metric(self.metric).name);
        let head = format!("{} {unit}", fit_end(&name, room));
        head.trim_end().into()
    }
}

/// From left to right: mark, checkbox, value, percent, bar, other metrics, count, name.
struct ThreadColumns<'a> {
    read: &'a View,
    picker: &'a ThreadPicker,
    first: ValueColumn,
    others: Vec<ValueColumn>,
    measure: Measure,
    whole: u64,
    /// The values are still those of the whole recording.
    is_in_range: bool,
    has_bar: bool,
    count: usize,
    name: usize,
}

impl<'a> ThreadColumns<'a> {
    fn new(explorer: &'a Explorer, picker: &'a ThreadPicker, width: u16) -> ThreadColumns<'a> {
        let read = &*explorer.whole;
        // if the picker has no metrics, the default one
        let shown = picker.metrics.first().copied();
        let shown = shown.unwrap_or(read.recording.default_metric);
        let (tree, metric, measure) = (&read.tree, read.recording.metric(shown), picker.measure);
        let first = ValueColumn::new(explorer, shown);
        let has_bar = width >= WITH_BARS;
        let threads = read.threads.iter();
        let counts = threads.filter_map(|thread| tree.count(shown, thread.node));
        // threads are not called, so call counts mean nothing here; sample counts do
        let most = counts.chain(tree.count(shown, NodeId::ROOT)).max();
        let most = most.filter(|&most| most > 0 && width >= WITH_COUNTS);
        let kind = metric.counts.map(CountKind::name);
        let cells = |(kind, most): (&str, u64)| 2 + thousands(most).len().max(kind.len());
        let count = kind.zip(most).map_or(0, cells);
        let used = "▶ [x]".chars().count() + first.cells + 6 + usize::from(has_bar) * 2 + count + 2;
        let mut name = usize::from(width).saturating_sub(used);
        let mut others: Vec<ValueColumn> = Vec::new();
        for &other in picker.metrics.iter().skip(1) {
            let column = ValueColumn::new(explorer, other);
            if name < MIN_NAME + column.cells + 1 {
                break;
            }
            name -= column.cells + 1;
            others.push(column);
        }
        let whole = measure.inclusive(read, NodeId::ROOT);
        ThreadColumns {
            read,
            picker,
            first,
            others,
            measure,
            whole,
            is_in_range: explorer.scope().range.is_some(),
            has_bar,
            count,
            name,
        }
    }

    /// `3 of 10, merged · 1,464.5 ms`, as much of it as fits.
    fn summary(&self, room: usize) -> String {
        let choice = &self.picker.choice;
        let threads = self.read.threads.iter().zip(&choice.wanted);
        let threads = threads.filter(|(_, is_wanted)| **is_wanted);
        let values = threads.map(|(thread, _)| self.measure.inclusive(self.read, thread.node));
        let sum = values.fold(0, u64::saturating_add);
        let sum = self.first.scale.with_unit(sum);
        let merged = match choice.merging {
            Merging::None => "",
            Merging::Pool => ", pool merged",
            Merging::All => ", merged",
        };
        let [chosen, all] =
            [choice.count(), choice.wanted.len()].map(|count| thousands(count as u64));
        let choice = format!("{chosen} of {all}{merged}");
        fitting([format!("{choice} · {sum}")], room).unwrap_or(choice)
    }

    fn header(&self) -> String {
        // without waiting, the order is that of percentages
        let by_percent = self.measure.left_out(self.read).is_some()
            && self.picker.sort == PickerSort::Metric(self.first.metric);
        let column = |column: &ValueColumn| {
            let is_sorted = self.picker.sort == PickerSort::Metric(column.metric) && !by_percent;
            let mark = if is_sorted { "▾" } else { "" };
            let head = format!("{mark}{}", column.head(self.read));
            format!("{head:>cells$}", cells = column.cells)
        };
        let bar = if self.has_bar { "  " } else { "" };
        let kind = self.read.recording.metric(self.first.metric).counts;
        let kind = kind.filter(|_| self.count > 0).map_or("", CountKind::name);
        let others = self
            .others
            .iter()
            .map(|other| format!(" {}", column(other)));
        let (first, others) = (column(&self.first), others.collect::<String>());
        let (percent, count) = (if by_percent { "▾%" } else { "%" }, self.count);
        let all = match self.is_in_range {
            true => messages::ALL_TIME,
            false => "",
        };
        let mark = match self.picker.sort {
            PickerSort::Name => "▾",
            PickerSort::Metric(_) => "",
        };
        let name = fit_end(&format!("{mark}thread{all}"), self.name);
        format!("     {first}{percent:>6}{bar}{others}{kind:>count$}  {name}")
    }

    fn row(&self, row: PickerRow, is_selected: bool, theme: Theme) -> Vec<Span<'static>> {
        let (name, node) = self.name_and_node(row);
        let tree = &self.read.tree;
        // the part of the first metric that counts, as on the screen below
        let value = |metric| {
            let measure = self.measure.or_all_of(metric);
            node.map_or(0, |node| measure.inclusive(self.read, node))
        };
        let all = node.map_or(0, |node| tree.inclusive(self.first.metric, node));
        let measure = self.measure.or_all_of(self.first.metric);
        let count = node.and_then(|node| measure.count(self.read, node));
        let weight = node.map_or(0, |node| self.measure.inclusive(self.read, node));
        let share = percent(weight, self.whole);
        let waiting = self.read.waiting(self.first.metric);
        let only_waits = node.is_some_and(|node| waiting.is_idle(node));
        let percent = match weight == 0 && all > 0 {
            true => "waits".into(),
            false => format!("{share:.1}"),
        };
        let mark = match self.picker.mark(row) {
            Mark::All => "x",
            Mark::Some => "-",
            Mark::None => " ",
        };
        let is_dim = (mark == " " || only_waits) && !is_selected;
        let plain = if is_dim { theme.dim() } else { Style::new() };
        let number = |column: &ValueColumn| {
            let number = column.scale.number(value(column.metric));
            format!("{number:>cells$}", cells = column.cells)
        };
        let mut spans = vec![
            Span::raw(if is_selected { "▶ " } else { "  " }),
            Span::styled(format!("[{mark}]"), theme.strong()),
            Span::styled(format!("{}{percent:>6}", number(&self.first)), plain),
        ];
        if self.has_bar {
            let bar = format!(" {}", bar(share / 100.0, 1));
            spans.push(Span::styled(bar, theme.heat(share / 100.0)));
        }
        let others = self.others.iter();
        let others: String = others.map(|other| format!(" {}", number(other))).collect();
        spans.push(Span::styled(others, plain));
        let count = count.filter(|_| self.count > 0);
        let count = count.map_or(String::new(), thousands);
        spans.push(right(count, self.count, theme.dim()));
        spans.push(Span::raw("  "));
        let style = match row {
            PickerRow::Process(_) if !is_dim => theme.strong(),
            _ => plain,
        };
        spans.push(Span::styled(name, style));
        spans
    }

    /// Cut to its column, and the node with its values.
    fn name_and_node(&self, row: PickerRow) -> (String, Option<NodeId>) {
        match row {
            PickerRow::Thread(thread) => {
                let node = self.read.threads[thread].node;
                let indent = if self.picker.has_headings { "  " } else { "" };
                let waits = describe_idle(self.read, node);
                let waits = waits.map_or([String::new(), String::new()], |waits| {
                    [format!(", {waits}"), ", waits".to_string()]
                });
                let name = format!("{indent}{}", visible(self.read.display_name(node)));
                // if there is little room, the name matters more
                let room = self.name.saturating_sub(width(&name));
                let waits = fitting(waits, room).unwrap_or_default();
                (format!("{}{waits}", fit_end(&name, self.name)), Some(node))
            }
            PickerRow::Process(group) => {
                let group = &self.picker.groups[group];
                let node = group.process.map(|at| self.read.processes[at].node);
                let name =
                    node.map_or(messages::OF_NO_PROCESS, |node| self.read.display_name(node));
                let fold = if group.is_open { "▾" } else { "▸" };
                let name = format!("{fold} {}", visible(name));
                // if there is little room, the name matters more
                let threads = match self.name < WITH_THREADS {
                    true => String::new(),
                    false => format!(", {}", counted(group.threads.len() as u64, "thread")),
                };
                let name = fit_end(&name, self.name.saturating_sub(width(&threads)));
                (name + &threads, node)
            }
        }
    }
}
