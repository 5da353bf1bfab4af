use super::messages;
use super::pen::Pen;
use super::text::{bar, fitting};
use crate::analysis::sum;
use crate::app::Explorer;
use crate::app::picker::{Mark, PickerRow, PickerSort, ThreadPicker};
use crate::model::{CountKind, Merging, MetricId, NodeId, View};
use crate::query::describe_idle;
use crate::text::{fit_end, visible, width};
use crate::ui::Theme;
use crate::units::{Scale, counted, percent, thousands};
use ratatui::prelude::{Span, Style};

const MIN_WIDTH_FOR_BARS: u16 = 50;
/// Metric names come from files.
const MAX_METRIC_WIDTH: usize = 12;
/// Another metric is added only if names keep this width.
const MIN_NAME_WIDTH: usize = 20;
const MIN_WIDTH_FOR_COUNTS: u16 = 62;
/// The minimum cells of a process's name next to its number of threads.
const MIN_NAME_WIDTH_FOR_THREADS: usize = 26;

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer, picker: &ThreadPicker) {
    let (areas, theme) = (picker.layout(explorer.layout.body), pen.theme);
    let columns = ThreadColumns::new(explorer, picker, areas.rows.width);
    let title = match picker.has_headings {
        true => "Processes and threads",
        false => "Threads",
    };
    let room = usize::from(areas.area.width).saturating_sub(width(title) + 6);
    pen.open_box(areas.area, title, &columns.summary(room));
    pen.put_dim(areas.header, 0, columns.header(explorer));
    let (rows, cursor) = (picker.rows.iter(), (picker.cursor, true));
    let spans = |&row, is_selected| columns.row(row, is_selected, theme);
    pen.put_list(areas.rows, rows, cursor, spans);
    let (text, style) = footer_text(explorer, picker, theme);
    let text = explorer.keymap.fill(&text);
    let text = fit_end(&text, usize::from(areas.merging.width));
    pen.put(areas.merging, 0, Span::styled(text, style));
}

fn footer_text(explorer: &Explorer, picker: &ThreadPicker, theme: Theme) -> (String, Style) {
    let filter = picker.filter.text();
    let has_pool = ThreadPicker::has_pool(&explorer.whole);
    match picker.error {
        _ if picker.filter.is_typed => {
            let (before, after) = picker.filter.field.parts();
            let is_thread = |row: &&PickerRow| matches!(row, PickerRow::Thread(_));
            let found = picker.rows.iter().filter(is_thread).count();
            let found = counted(found as u64, "thread");
            (format!("/ {before}▏{after}  {found}"), theme.strong())
        }
        Some(error) => (format!("  {error}"), theme.error()),
        None if picker.rows.is_empty() => (messages::matches_no_thread(&filter), theme.warning()),
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
    head: String,
    cells: usize,
}

impl ValueColumn {
    fn new(explorer: &Explorer, metrics: &[MetricId], metric: MetricId) -> ValueColumn {
        let whole = &*explorer.whole;
        let unit_of = |id: MetricId| whole.recording.metric(id).unit;
        // times are compared with each other, so they have one scale
        let alike = metrics.iter().filter(|&&id| unit_of(id) == unit_of(metric));
        let largest = alike.map(|&id| largest_value(whole, id)).max();
        let scale = explorer
            .lens()
            .scale_in(unit_of(metric), largest.unwrap_or(0));
        let name = visible(&whole.recording.metric(metric).name);
        let head = format!("{} {}", fit_end(&name, MAX_METRIC_WIDTH), scale.unit);
        let head = head.trim_end().to_string();
        let value = scale.number(largest_value(whole, metric)).len();
        ValueColumn {
            metric,
            scale,
            cells: value.max(width(&head) + 1) + 1,
            head,
        }
    }
}

struct ThreadColumns<'a> {
    whole: &'a View,
    picker: &'a ThreadPicker,
    has_bars: bool,
    values: Vec<ValueColumn>,
    counts: Option<(&'static str, usize)>,
    name: usize,
}

impl<'a> ThreadColumns<'a> {
    fn new(explorer: &'a Explorer, picker: &'a ThreadPicker, width: u16) -> ThreadColumns<'a> {
        let has_bars = width >= MIN_WIDTH_FOR_BARS;
        let used = "▶ [x]".chars().count() + 6 + if has_bars { 4 } else { 2 };
        let mut name = usize::from(width).saturating_sub(used);
        let mut values = Vec::new();
        for &metric in &picker.metrics {
            let column = ValueColumn::new(explorer, &picker.metrics, metric);
            if !values.is_empty() && name < MIN_NAME_WIDTH + column.cells {
                break;
            }
            name = name.saturating_sub(column.cells);
            values.push(column);
        }
        let (whole, metric) = (&*explorer.whole, picker.measure.metric);
        let nodes = whole.threads.iter().map(|thread| thread.node);
        let largest = nodes
            .filter_map(|node| whole.tree.count(metric, node))
            .max();
        let kind = whole.recording.metric(metric).counts.map(CountKind::name);
        let counts = kind.zip(largest.filter(|&count| count > 0));
        let counts = counts.map(|(kind, count)| (kind, 2 + thousands(count).len().max(kind.len())));
        let counts = counts
            .filter(|(_, cells)| width >= MIN_WIDTH_FOR_COUNTS && name >= MIN_NAME_WIDTH + cells);
        name -= counts.map_or(0, |(_, cells)| cells);
        ThreadColumns {
            whole,
            picker,
            has_bars,
            values,
            counts,
            name,
        }
    }

    fn summary(&self, room: usize) -> String {
        let choice = &self.picker.choice;
        let threads = self.whole.threads.iter().zip(&choice.chosen);
        let threads = threads.filter(|(_, is_chosen)| **is_chosen);
        let values = threads.map(|(thread, _)| self.weight(thread.node));
        let scale = self.values.first().map(|column| column.scale);
        let sum = scale.map_or(String::new(), |scale| scale.with_unit(sum(values)));
        let merged = match choice.merging {
            Merging::None => "",
            Merging::Pool => ", pool merged",
            Merging::All => ", merged",
        };
        let [chosen, all] =
            [choice.count(), choice.chosen.len()].map(|count| thousands(count as u64));
        let choice = format!("{chosen} of {all}{merged}");
        fitting([format!("{choice} · {sum}")], room).unwrap_or(choice)
    }

    fn weight(&self, node: NodeId) -> u64 {
        self.picker.measure.inclusive(self.whole, node)
    }

    fn header(&self, explorer: &Explorer) -> String {
        let mut head = " ".repeat("▶ [x]".chars().count());
        for (at, column) in self.values.iter().enumerate() {
            let is_sorted = self.picker.sort == PickerSort::Metric(column.metric);
            let mark = if is_sorted { "▾" } else { "" };
            let name = format!("{mark}{}", column.head);
            head.push_str(&format!("{name:>cells$}", cells = column.cells));
            head.push_str(match at {
                0 if self.has_bars => "     %  ",
                0 => "     %",
                _ => "",
            });
        }
        if let Some((kind, cells)) = self.counts {
            head.push_str(&format!("{kind:>cells$}"));
        }
        let mark = match self.picker.sort {
            PickerSort::Name => "▾",
            PickerSort::Metric(_) => "",
        };
        // even in a time range
        let range = explorer.scope().range.map_or("", |_| messages::ALL_TIME);
        let name = fit_end(&format!("{mark}thread{range}"), self.name);
        format!("{head}  {name}")
    }

    fn row(&self, row: PickerRow, is_selected: bool, theme: Theme) -> Vec<Span<'static>> {
        let (name, node) = self.name_and_node(row);
        let value = |metric| {
            let measure = self.picker.measure.or_all_of(metric);
            node.map_or(0, |node| measure.inclusive(self.whole, node))
        };
        let metric = self.picker.measure.metric;
        let weight = node.map_or(0, |node| self.weight(node));
        let with_waiting = node.map_or(0, |node| self.whole.tree.inclusive(metric, node));
        let share = percent(weight, self.weight(NodeId::ROOT)) / 100.0;
        let percent = match weight == 0 && with_waiting > 0 {
            true => "waits".into(),
            false => format!("{:.1}", 100.0 * share),
        };
        let mark = match self.picker.mark(row) {
            Mark::All => "x",
            Mark::Some => "-",
            Mark::None => " ",
        };
        let only_waits = node.is_some_and(|node| self.whole.waiting(metric).is_idle(node));
        let is_dim = (mark == " " || only_waits) && !is_selected;
        let plain = if is_dim { theme.dim() } else { Style::new() };
        let mut spans = vec![
            Span::raw(if is_selected { "▶ " } else { "  " }),
            Span::styled(format!("[{mark}]"), theme.strong()),
        ];
        let mut numbers = String::new();
        for (at, column) in self.values.iter().enumerate() {
            let number = column.scale.number(value(column.metric));
            numbers.push_str(&format!("{number:>cells$}", cells = column.cells));
            if at == 0 {
                let number = std::mem::take(&mut numbers);
                spans.push(Span::styled(format!("{number}{percent:>6}"), plain));
            }
            if at == 0 && self.has_bars {
                let bar = format!(" {}", bar(share, 1));
                spans.push(Span::styled(bar, theme.heat(share)));
            }
        }
        if let Some((_, cells)) = self.counts {
            let count = node.and_then(|node| self.whole.tree.count(metric, node));
            let count = count.map_or(String::new(), thousands);
            numbers.push_str(&format!("{count:>cells$}"));
        }
        let style = match row {
            PickerRow::Process(_) if !is_dim => theme.strong(),
            _ => plain,
        };
        spans.extend([
            Span::styled(numbers + "  ", plain),
            Span::styled(name, style),
        ]);
        spans
    }

    fn name_and_node(&self, row: PickerRow) -> (String, Option<NodeId>) {
        match row {
            PickerRow::Thread(thread) => {
                let node = self.whole.threads[thread].node;
                let indent = if self.picker.has_headings { "  " } else { "" };
                let name = format!("{indent}{}", visible(self.whole.display_name(node)));
                let waits = describe_idle(self.whole, node).unwrap_or_default();
                let short = waits.split(' ').next().filter(|word| !word.is_empty());
                let texts =
                    short.map(|short| [&*waits, short].map(|waits| format!("{name}, {waits}")));
                let with_waits = fitting(texts.into_iter().flatten(), self.name);
                (
                    with_waits.unwrap_or_else(|| fit_end(&name, self.name)),
                    Some(node),
                )
            }
            PickerRow::Process(group) => {
                let group = &self.picker.groups[group];
                let node = group.process.map(|at| self.whole.processes[at].node);
                let name = node.map_or(messages::OF_NO_PROCESS, |node| {
                    self.whole.display_name(node)
                });
                let fold = if group.is_open { "▾" } else { "▸" };
                let threads = format!(", {}", counted(group.threads.len() as u64, "thread"));
                let threads = if self.name < MIN_NAME_WIDTH_FOR_THREADS {
                    ""
                } else {
                    &threads
                };
                let room = self.name.saturating_sub(width(threads));
                let name = fit_end(&format!("{fold} {}", visible(name)), room);
                (name + threads, node)
            }
        }
    }
}
