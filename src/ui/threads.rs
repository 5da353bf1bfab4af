use super::pen::Pen;
use super::text::{bar, fitting, right};
use super::{Theme, messages};
use crate::analysis::sum;
use crate::app::Explorer;
use crate::app::picker::{Mark, PickerRow, PickerSort, ThreadPicker};
use crate::model::{CountKind, Measure, Merging, MetricId, NodeId, View};
use crate::query::describe_idle;
use crate::text::{fit_end, visible, width};
use crate::units::{Scale, Unit, counted, percent, thousands};
use ratatui::prelude::{Span, Style};

const WITH_BARS: u16 = 50;
/// Metric names come from files.
const MAX_VALUE_CELLS: usize = 16;
/// Names need this much before there are more metrics.
const MIN_NAME: usize = 20;
const WITH_COUNTS: u16 = 62;
/// The minimum cells of a process's name next to its number of threads.
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
            let choices = Merging::ALL.into_iter();
            let choices = choices.filter(|&choice| choice != Merging::Pool || has_pool);
            let boxes = choices.map(|choice| {
                let mark = if choice == merging { "•" } else { " " };
                format!("({mark}) {}", choice.name())
            });
            let boxes = boxes.collect::<Vec<_>>().join("  ");
            let which = match picker.has_headings {
                true => messages::OF_EACH_PROCESS,
                false => "",
            };
            (messages::merge_key(&boxes, &which), theme.strong())
        }
    }
}

fn largest_value(whole: &View, metric: MetricId) -> u64 {
    let value = |node: NodeId| whole.tree.inclusive(metric, node);
    let values = whole.threads.iter().map(|thread| value(thread.node));
    values.fold(value(NodeId::ROOT), u64::max)
}

struct ValueColumn {
    metric: MetricId,
    scale: Scale,
    cells: usize,
}

impl ValueColumn {
    /// With a space for the sort mark.
    fn new(explorer: &Explorer, metric: MetricId) -> ValueColumn {
        let whole = &*explorer.whole;
        let largest = largest_value(whole, metric);
        let unit = whole.recording.metric(metric).unit;
        // times are compared with each other, so they have one scale
        let is_time = |&other: &MetricId| whole.recording.metric(other).unit == unit;
        let times = whole.recording.metric_ids().filter(is_time);
        let times = times.filter(|_| unit == Unit::Milliseconds);
        let largest_time = times.map(|time| largest_value(whole, time)).max();
        let scale = explorer
            .lens()
            .scale_in(unit, largest_time.unwrap_or(largest));
        let name = width(&whole.recording.metric(metric).name);
        let header_cells = name + 1 + scale.unit().chars().count();
        ValueColumn {
            metric,
            scale,
            cells: scale
                .number(largest)
                .len()
                .max(header_cells)
                .min(MAX_VALUE_CELLS)
                + 1,
        }
    }

    fn header(&self, whole: &View) -> String {
        let unit = self.scale.unit();
        let room = self.cells.saturating_sub(unit.chars().count() + 2);
        let name = visible(&whole.recording.metric(self.metric).name);
        let header = format!("{} {unit}", fit_end(&name, room));
        header.trim_end().into()
    }
}

/// From left to right: mark, checkbox, value, percent, bar, other metrics, count, name.
struct ThreadColumns<'a> {
    recording: &'a View,
    picker: &'a ThreadPicker,
    first: ValueColumn,
    others: Vec<ValueColumn>,
    measure: Measure,
    whole: u64,
    /// Values are those of the whole recording, even in a time range.
    is_in_range: bool,
    has_bar: bool,
    count: usize,
    name: usize,
}

impl<'a> ThreadColumns<'a> {
    fn new(explorer: &'a Explorer, picker: &'a ThreadPicker, width: u16) -> ThreadColumns<'a> {
        let read = &*explorer.whole;
        let shown = picker.metrics.first().copied();
        let shown = shown.unwrap_or(read.recording.default_metric);
        let (tree, metric, measure) = (&read.tree, read.recording.metric(shown), picker.measure);
        let first = ValueColumn::new(explorer, shown);
        let has_bar = width >= WITH_BARS;
        let threads = read.threads.iter();
        let counts = threads.filter_map(|thread| tree.count(shown, thread.node));
        // threads are not called, so call counts mean nothing here; sample counts do
        let largest = counts.chain(tree.count(shown, NodeId::ROOT)).max();
        let largest = largest.filter(|&count| count > 0 && width >= WITH_COUNTS);
        let kind = metric.counts.map(CountKind::name);
        let cells = |(kind, largest): (&str, u64)| 2 + thousands(largest).len().max(kind.len());
        let count = kind.zip(largest).map_or(0, cells);
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
            recording: read,
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

    fn summary(&self, room: usize) -> String {
        let choice = &self.picker.choice;
        let threads = self.recording.threads.iter().zip(&choice.wanted);
        let threads = threads.filter(|(_, is_wanted)| **is_wanted);
        let values = threads.map(|(thread, _)| self.measure.inclusive(self.recording, thread.node));
        let sum = self.first.scale.with_unit(sum(values));
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
        let by_percent = self.measure.left_out(self.recording).is_some()
            && self.picker.sort == PickerSort::Metric(self.first.metric);
        let column = |column: &ValueColumn| {
            let is_sorted = self.picker.sort == PickerSort::Metric(column.metric) && !by_percent;
            let mark = if is_sorted { "▾" } else { "" };
            let head = format!("{mark}{}", column.header(self.recording));
            format!("{head:>cells$}", cells = column.cells)
        };
        let bar = if self.has_bar { "  " } else { "" };
        let kind = self.recording.recording.metric(self.first.metric).counts;
        let kind = kind.filter(|_| self.count > 0).map_or("", CountKind::name);
        let others = self
            .others
            .iter()
            .map(|other| format!(" {}", column(other)));
        let (first, others) = (column(&self.first), others.collect::<String>());
        let (percent, count) = (if by_percent { "▾%" } else { "%" }, self.count);
        let range = match self.is_in_range {
            true => messages::ALL_TIME,
            false => "",
        };
        let mark = match self.picker.sort {
            PickerSort::Name => "▾",
            PickerSort::Metric(_) => "",
        };
        let name = fit_end(&format!("{mark}thread{range}"), self.name);
        format!("     {first}{percent:>6}{bar}{others}{kind:>count$}  {name}")
    }

    fn row(&self, row: PickerRow, is_selected: bool, theme: Theme) -> Vec<Span<'static>> {
        let (name, node) = self.name_and_node(row);
        let tree = &self.recording.tree;
        let value = |metric| {
            let measure = self.measure.or_all_of(metric);
            node.map_or(0, |node| measure.inclusive(self.recording, node))
        };
        let with_waiting = node.map_or(0, |node| tree.inclusive(self.first.metric, node));
        let measure = self.measure.or_all_of(self.first.metric);
        let count = node.and_then(|node| measure.count(self.recording, node));
        let weight = node.map_or(0, |node| self.measure.inclusive(self.recording, node));
        let share = percent(weight, self.whole);
        let waiting = self.recording.waiting(self.first.metric);
        let only_waits = node.is_some_and(|node| waiting.is_idle(node));
        let percent = match weight == 0 && with_waiting > 0 {
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

    fn name_and_node(&self, row: PickerRow) -> (String, Option<NodeId>) {
        match row {
            PickerRow::Thread(thread) => {
                let node = self.recording.threads[thread].node;
                let indent = if self.picker.has_headings { "  " } else { "" };
                let waits = describe_idle(self.recording, node);
                let waits = waits.map_or([String::new(), String::new()], |waits| {
                    [format!(", {waits}"), ", waits".to_string()]
                });
                let name = format!("{indent}{}", visible(self.recording.display_name(node)));
                let room = self.name.saturating_sub(width(&name));
                let waits = fitting(waits, room).unwrap_or_default();
                (format!("{}{waits}", fit_end(&name, self.name)), Some(node))
            }
            PickerRow::Process(group) => {
                let group = &self.picker.groups[group];
                let node = group.process.map(|at| self.recording.processes[at].node);
                let name = node.map_or(messages::OF_NO_PROCESS, |node| {
                    self.recording.display_name(node)
                });
                let fold = if group.is_open { "▾" } else { "▸" };
                let name = format!("{fold} {}", visible(name));
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
