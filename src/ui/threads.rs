//! The thread dialog.

use super::canvas::{open_box, put_list, put_text};
use super::text::{bar, right};
use super::{Theme, messages};
use crate::app::Explorer;
use crate::app::picker::{Mark, PickerRow, PickerSort, ThreadPicker};
use crate::model::{CountKind, Measure, Merging, MetricId, NodeId, View};
use crate::query::idle_words;
use crate::text::{fit_end, visible, width};
use crate::units::{Scale, Unit, counted, percent, thousands};
use ratatui::prelude::{Buffer, Span, Style};

/// The minimum width of a list with bars.
const WITH_BARS: u16 = 50;
/// The maximum width of a value column: metric names come from files.
const WIDEST_VALUE: usize = 16;
/// The cells that names keep when another value column is added.
const MIN_NAME: usize = 20;
/// The minimum width of a list with counts.
const WITH_COUNTS: u16 = 62;
/// The minimum width of the name column with the number of a process's threads.
const WITH_THREADS: usize = 26;

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, picker: &ThreadPicker, theme: Theme) {
    let places = picker.layout(explorer.layout.body);
    let mut columns = ThreadColumns::new(explorer, picker, places.rows.width);
    columns.is_in_range = explorer.scope().range.is_some();
    let title = if picker.has_headings {
        "Processes and threads"
    } else {
        "Threads"
    };
    let room = usize::from(places.area.width).saturating_sub(width(title) + 6);
    open_box(buffer, places.area, title, columns.summary(room), theme);
    put_text(buffer, places.header, 0, columns.header(), theme.dim());
    let (rows, cursor) = (picker.rows().iter(), (picker.cursor, true));
    let spans = |&row, is_selected| columns.row(row, is_selected, theme);
    put_list((buffer, places.rows, theme), rows, cursor, spans);
    let (text, style) = below_rows(explorer, picker, theme);
    let text = explorer.keymap.fill(&text);
    let text = fit_end(&text, usize::from(places.merging.width));
    put_text(buffer, places.merging, 0, text, style);
}

/// The line below the rows: the filter, an error, or how threads are merged.
fn below_rows(explorer: &Explorer, picker: &ThreadPicker, theme: Theme) -> (String, Style) {
    let (filter, has_pool) = (
        picker.filter.text(),
        ThreadPicker::has_pool(&explorer.whole),
    );
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
                |of: Merging| format!("({}) {}", if of == merging { "•" } else { " " }, of.word());
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
    read.threads
        .iter()
        .map(|thread| value(thread.node))
        .fold(value(NodeId::ROOT), u64::max)
}

struct ValueColumn {
    metric: MetricId,
    scale: Scale,
    cells: usize,
}

impl ValueColumn {
    /// The column of a metric, with a space on its left for the sort mark.
    fn new(explorer: &Explorer, metric: MetricId) -> ValueColumn {
        let read = &*explorer.whole;
        let largest = largest(read, metric);
        let unit = read.recording.metric(metric).unit;
        // times are compared with each other, so they share one unit
        let alike = (0..read.recording.metrics.len())
            .map(MetricId::at)
            .filter(|&other| read.recording.metric(other).unit == unit);
        let of_unit = if unit == Unit::Milliseconds {
            alike.map(|other| self::largest(read, other)).max()
        } else {
            None
        };
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
        format!(
            "{} {unit}",
            fit_end(&visible(&read.recording.metric(self.metric).name), room)
        )
        .trim_end()
        .into()
    }
}

/// The columns of the list, from left to right: mark, checkbox, value, percent, bar, other metrics, count, name.
struct ThreadColumns<'a> {
    read: &'a View,
    picker: &'a ThreadPicker,
    first: ValueColumn,
    others: Vec<ValueColumn>,
    measure: Measure,
    whole: u64,
    /// whether a time range is shown; the values are still those of the whole recording
    is_in_range: bool,
    has_bar: bool,
    count: usize,
    name: usize,
}

impl<'a> ThreadColumns<'a> {
    fn new(explorer: &'a Explorer, picker: &'a ThreadPicker, width: u16) -> ThreadColumns<'a> {
        let read = &*explorer.whole;
        // if the picker has no metrics, the default one
        let shown = picker
            .metrics
            .first()
            .copied()
            .unwrap_or(read.recording.default_metric);
        let (tree, metric, measure) = (&read.tree, read.recording.metric(shown), picker.measure);
        let first = ValueColumn::new(explorer, shown);
        let has_bar = width >= WITH_BARS;
        let counts = read
            .threads
            .iter()
            .filter_map(|thread| tree.count(shown, thread.node));
        // threads are not called, so call counts mean nothing here; sample counts do
        let most = counts
            .chain(tree.count(shown, NodeId::ROOT))
            .max()
            .filter(|&most| most > 0);
        let kind = metric
            .counts
            .filter(|_| width >= WITH_COUNTS)
            .map(CountKind::name);
        let count = kind
            .zip(most)
            .map_or(0, |(kind, most)| 2 + thousands(most).len().max(kind.len()));
        let used = "▶ [x]".chars().count() + first.cells + 6 + usize::from(has_bar) * 2 + count + 2;
        let mut name = usize::from(width).saturating_sub(used);
        let mut others: Vec<ValueColumn> = Vec::new();
        for column in picker
            .metrics
            .iter()
            .skip(1)
            .map(|&other| ValueColumn::new(explorer, other))
        {
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
            is_in_range: false,
            has_bar,
            count,
            name,
        }
    }

    /// The current choice: `3 of 10, merged · 1,464.5 ms`, as much of it as fits.
    fn summary(&self, room: usize) -> String {
        let choice = &self.picker.choice;
        let threads = self
            .read
            .threads
            .iter()
            .zip(&choice.wanted)
            .filter(|(_, is_wanted)| **is_wanted);
        let values = threads.map(|(thread, _)| self.measure.inclusive(self.read, thread.node));
        let sum = self
            .first
            .scale
            .with_unit(values.fold(0, u64::saturating_add));
        let merged = match choice.merging {
            Merging::None => "",
            Merging::Pool => ", pool merged",
            Merging::All => ", merged",
        };
        let (chosen, all) = (
            thousands(choice.count() as u64),
            thousands(choice.wanted.len() as u64),
        );
        let choice = format!("{chosen} of {all}{merged}");
        let with_sum = format!("{choice} · {sum}");
        if width(&with_sum) <= room {
            with_sum
        } else {
            choice
        }
    }

    fn header(&self) -> String {
        // without waiting, the order is that of percentages
        let by_percent = self.measure.left_out(self.read).is_some()
            && self.picker.sort == PickerSort::Metric(self.first.metric);
        let column = |column: &ValueColumn| {
            let is_sorted = self.picker.sort == PickerSort::Metric(column.metric) && !by_percent;
            let mark = if is_sorted { "▾" } else { "" };
            format!(
                "{:>cells$}",
                format!("{mark}{}", column.head(self.read)),
                cells = column.cells
            )
        };
        let bar = if self.has_bar { "  " } else { "" };
        let kind = self
            .read
            .recording
            .metric(self.first.metric)
            .counts
            .filter(|_| self.count > 0)
            .map_or("", CountKind::name);
        let others: String = self
            .others
            .iter()
            .map(|other| format!(" {}", column(other)))
            .collect();
        let head = format!(
            "     {}{:>6}{bar}{others}{kind:>count_cells$}  ",
            column(&self.first),
            if by_percent { "▾%" } else { "%" },
            count_cells = self.count
        );
        let all = if self.is_in_range {
            messages::ALL_TIME
        } else {
            ""
        };
        let mark = if self.picker.sort == PickerSort::Name {
            "▾"
        } else {
            ""
        };
        format!(
            "{head}{}",
            fit_end(&format!("{mark}thread{all}"), self.name)
        )
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
        let others = self
            .others
            .iter()
            .map(|other| format!(" {}", number(other)));
        spans.push(Span::styled(others.collect::<String>(), plain));
        let count = count
            .filter(|_| self.count > 0)
            .map_or(String::new(), thousands);
        spans.push(right(count, self.count, theme.dim()));
        spans.push(Span::raw("  "));
        let style = match row {
            PickerRow::Process(_) if !is_dim => theme.strong(),
            _ => plain,
        };
        spans.push(Span::styled(name, style));
        spans
    }

    /// The indented name of a row, cut to its column, and the node with its values.
    fn name_and_node(&self, row: PickerRow) -> (String, Option<NodeId>) {
        match row {
            PickerRow::Thread(thread) => {
                let node = self.read.threads[thread].node;
                let indent = if self.picker.has_headings { "  " } else { "" };
                let waits = idle_words(self.read, node);
                let waits = waits.map_or([String::new(), String::new()], |waits| {
                    [format!(", {waits}"), ", waits".to_string()]
                });
                let name = format!("{indent}{}", visible(self.read.display_name(node)));
                // if there is little room, the name matters more
                let fitting = waits
                    .iter()
                    .find(|waits| width(&name) + width(waits) <= self.name);
                let waits = fitting.map_or("", String::as_str);
                (format!("{}{waits}", fit_end(&name, self.name)), Some(node))
            }
            PickerRow::Process(group) => {
                let group = &self.picker.groups[group];
                let node = group
                    .process
                    .map(|process| self.read.processes[process].node);
                let name = visible(
                    node.map_or(messages::OF_NO_PROCESS, |node| self.read.display_name(node)),
                );
                let fold = if group.is_open { "▾" } else { "▸" };
                let threads = format!(", {}", counted(group.threads.len() as u64, "thread"));
                // if there is little room, the name matters more
                let threads = if self.name < WITH_THREADS {
                    ""
                } else {
                    &threads
                };
                let name = fit_end(
                    &format!("{fold} {name}"),
                    self.name.saturating_sub(width(threads)),
                );
                (format!("{name}{threads}"), node)
            }
        }
    }
}
