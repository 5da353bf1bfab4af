//! The dialog in which threads are chosen.

use super::Theme;
use super::canvas::{clear, frame_pane, paint, put};
use super::text::bar;
use crate::app::Explorer;
use crate::app::picker::{Mark, PickerRow, ThreadPicker};
use crate::model::format::{Scale, counted, percent, thousands};
use crate::model::text::visible;
use crate::model::{CountKind, NodeId, View};
use crate::text::{fit_end, width};
use ratatui::buffer::Buffer;
use ratatui::text::Span;

/// The narrowest list that has room for bars.
const WITH_BARS: u16 = 50;
/// The narrowest list that has room for counts.
const WITH_COUNTS: u16 = 62;
/// The narrowest column of names that has room for the number of a process's threads.
const WITH_THREADS: usize = 26;

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, picker: &ThreadPicker, theme: Theme) {
    let places = picker.layout(&explorer.layout);
    let read = &*explorer.whole;
    clear(buffer, places.area);
    let mut columns = Columns::new(read, picker, places.rows.width);
    columns.is_in_range = explorer.fold().range.is_some();
    let title = if picker.has_headings { "Processes and threads" } else { "Threads" };
    let room = usize::from(places.area.width).saturating_sub(width(title) + 6);
    frame_pane(buffer, places.area, title.into(), columns.summary(room), theme.accent(), theme);
    put(buffer, places.header, 0, vec![Span::styled(columns.header(), theme.dim())]);
    let height = usize::from(places.rows.height);
    for (line, &row) in picker.rows().iter().skip(picker.cursor.top).take(height).enumerate() {
        let is_selected = picker.cursor.top + line == picker.cursor.selected;
        put(buffer, places.rows, line as u16, columns.row(row, is_selected, theme));
        if is_selected {
            paint(buffer, places.rows, line as u16, theme.selected(true));
        }
    }
    let room = usize::from(places.merging.width);
    let mark = if picker.choice.is_merged { "x" } else { " " };
    let which = if picker.has_headings { "threads of each process" } else { "the chosen threads" };
    let (text, style) = match picker.error {
        Some(error) => (format!("  {error}"), theme.error()),
        // no row of the list, but for a key
        None => (format!("m [{mark}] merge {which} into one tree"), theme.strong()),
    };
    put(buffer, places.merging, 0, vec![Span::styled(fit_end(&text, room), style)]);
}

/// The columns of the list, from left to right: a mark, a box, value, percent, bar, count, name.
struct Columns<'a> {
    read: &'a View,
    picker: &'a ThreadPicker,
    scale: Scale,
    whole: u64,
    /// whether a range of time is explored, of which the values are not
    is_in_range: bool,
    value: usize,
    has_bar: bool,
    count: usize,
    name: usize,
}

impl<'a> Columns<'a> {
    fn new(read: &'a View, picker: &'a ThreadPicker, width: u16) -> Columns<'a> {
        let (tree, metric) = (&read.tree, read.metric(picker.metric));
        let whole = tree.inclusive(picker.metric, NodeId::ROOT);
        let largest =
            read.threads.iter().map(|thread| tree.inclusive(picker.metric, thread.node)).fold(whole, u64::max);
        let scale = Scale::for_values(metric.unit, largest);
        let value = scale.number(largest).len().max("incl ".len() + scale.unit().chars().count());
        let has_bar = width >= WITH_BARS;
        let counts = read.threads.iter().filter_map(|thread| tree.count(picker.metric, thread.node));
        // threads are not called, so that calls say nothing here; samples do
        let most = counts.chain(tree.count(picker.metric, NodeId::ROOT)).max().filter(|&most| most > 0);
        let kind = metric.counts.filter(|_| width >= WITH_COUNTS).map(CountKind::name);
        let count = kind.zip(most).map_or(0, |(kind, most)| 2 + thousands(most).len().max(kind.len()));
        let used = "▶ [x] ".chars().count() + value + 6 + usize::from(has_bar) * 2 + count + 2;
        let name = usize::from(width).saturating_sub(used);
        Columns { read, picker, scale, whole, is_in_range: false, value, has_bar, count, name }
    }

    /// What is chosen so far: `3 of 10, merged · 1,464.5 ms`, as much of it as has room.
    fn summary(&self, room: usize) -> String {
        let choice = &self.picker.choice;
        let threads = self.read.threads.iter().zip(&choice.wanted).filter(|(_, is_wanted)| **is_wanted);
        let values = threads.map(|(thread, _)| self.read.tree.inclusive(self.picker.metric, thread.node));
        let sum = self.scale.with_unit(values.fold(0, u64::saturating_add));
        let merged = if choice.is_merged { ", merged" } else { "" };
        let (chosen, all) = (thousands(choice.count() as u64), thousands(choice.wanted.len() as u64));
        let choice = format!("{chosen} of {all}{merged}");
        let with_sum = format!("{choice} · {sum}");
        if width(&with_sum) <= room { with_sum } else { choice }
    }

    fn header(&self) -> String {
        let metric = self.read.metric(self.picker.metric);
        let unit = self.scale.unit();
        let value = if unit.is_empty() { "incl".into() } else { format!("incl {unit}") };
        let bar = if self.has_bar { "  " } else { "" };
        let kind = if self.count > 0 { metric.counts.map_or("", CountKind::name) } else { "" };
        let head = format!(
            "      {value:>value_cells$}{:>6}{bar}{kind:>count_cells$}  ",
            "%",
            value_cells = self.value,
            count_cells = self.count
        );
        let all = if self.is_in_range { " in all of the time" } else { "" };
        format!("{head}{}", fit_end(&format!("thread, by {}{all}", visible(&metric.name)), self.name))
    }

    fn row(&self, row: PickerRow, is_selected: bool, theme: Theme) -> Vec<Span<'static>> {
        let (name, node) = self.name_and_node(row);
        let tree = &self.read.tree;
        let (value, count) = match node {
            Some(node) => (tree.inclusive(self.picker.metric, node), tree.count(self.picker.metric, node)),
            None => (0, None),
        };
        let share = percent(value, self.whole);
        let mark = match self.picker.mark(row) {
            Mark::All => "x",
            Mark::Some => "-",
            Mark::None => " ",
        };
        let is_dim = mark == " " && !is_selected;
        let plain = if is_dim { theme.dim() } else { ratatui::style::Style::new() };
        let number = format!("{:>width$}{share:>6.1}", self.scale.number(value), width = self.value);
        let mut spans = vec![
            Span::raw(if is_selected { "▶ " } else { "  " }),
            Span::styled(format!("[{mark}] "), theme.strong()),
            Span::styled(number, plain),
        ];
        if self.has_bar {
            spans.push(Span::styled(format!(" {}", bar(share / 100.0, 1)), theme.heat(share / 100.0)));
        }
        let count = count.filter(|_| self.count > 0).map_or(String::new(), thousands);
        spans.push(Span::styled(format!("{count:>width$}  ", width = self.count), theme.dim()));
        let style = match row {
            PickerRow::Process(_) if !is_dim => theme.strong(),
            _ => plain,
        };
        spans.push(Span::styled(name, style));
        spans
    }

    /// The name of a row behind what shows where it belongs, cut to its column, and the node that has its values.
    fn name_and_node(&self, row: PickerRow) -> (String, Option<NodeId>) {
        match row {
            PickerRow::Thread(thread) => {
                let node = self.read.threads[thread].node;
                let indent = if self.picker.has_headings { "  " } else { "" };
                (fit_end(&format!("{indent}{}", visible(self.read.display_name(node))), self.name), Some(node))
            }
            PickerRow::Process(group) => {
                let group = &self.picker.groups[group];
                let node = group.process.map(|process| self.read.processes[process].node);
                let name = visible(node.map_or("threads of no process", |node| self.read.display_name(node)));
                let fold = if group.is_open { "▾" } else { "▸" };
                let threads = format!(", {}", counted(group.threads.len() as u64, "thread"));
                // where there is little room, the name is worth more
                let threads = if self.name < WITH_THREADS { "" } else { &threads };
                let name = fit_end(&format!("{fold} {name}"), self.name.saturating_sub(width(threads)));
                (format!("{name}{threads}"), node)
            }
        }
    }
}
