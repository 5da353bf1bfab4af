//! The head, rows and foot of answers, and the view that a request is about.

use crate::analysis::{ChargedValue, sum};
use crate::diagnostics::Diagnostic;
use crate::mcp::arguments::{ToolArguments, in_tool_terms};
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::model::{CountKind, Measure, View};
use crate::query::messages::ABOUT_NAMELESS;
use crate::query::{
    self, Cells, Column, MOSTLY_OUTSIDE_PERCENT, MethodList, PartRequest, PartTotal, QueryError,
    QueryOutline, TableRow,
};
use crate::text::{fit_name, fit_some_rows, visible};
use crate::units::{Scale, counted, percent};

const MAX_WARNINGS: usize = 6;

const EXPLAINED_ROWS: usize = 3;

const MAX_NAME: usize = 160;

pub(super) fn refused(error: QueryError) -> String {
    in_tool_terms(&error.to_string())
}

pub(super) fn requested_view(
    profile: &OpenProfile,
    arguments: &ToolArguments,
) -> Result<View, String> {
    arguments.reject_display_steps()?;
    requested_as_tree(profile, arguments)
}

/// Like [`requested_view`], but also accepts `fold` and `group` steps, which only change how a tree is shown.
pub(super) fn requested_as_tree(
    profile: &OpenProfile,
    arguments: &ToolArguments,
) -> Result<View, String> {
    let range = arguments.range()?.within(&profile.view.recording);
    let range = range.map_err(refused)?;
    let chosen = query::select_scope(profile.view.clone(), range, &arguments.thread_request());
    let (view, _) = chosen.map_err(refused)?;
    query::apply_steps(view, &arguments.requests()?).map_err(refused)
}

pub(super) fn part<'a>(view: &View, arguments: &'a ToolArguments) -> PartRequest<'a> {
    PartRequest {
        within: query::root(view, &arguments.thread_request()),
        metric: arguments.metric.as_deref(),
        waiting: arguments.waiting,
    }
}

pub(super) fn name(text: &str) -> String {
    fit_name(&visible(text), MAX_NAME)
}

pub(super) fn fitting(
    budget: usize,
    all: usize,
    text: impl Fn(usize) -> String,
) -> Result<String, String> {
    fit_some_rows(budget, all, text).map_err(|needed| messages::budget_too_small(&needed))
}

pub(super) struct Answer {
    budget: usize,
    part: PartTotal,
    scale: Scale,
    pub noun: &'static str,
    head: String,
    lines: Vec<String>,
}

pub(super) fn alert_start(alert: &Diagnostic) -> String {
    format!("{} {}: ", alert.severity().name(), alert.code())
}

/// The codes of warnings and cautions that `info` explains, and the sentences of those that only this view has, without
/// those already in `above`.
fn warnings(above: &str, profile: &OpenProfile, view: &View, measure: Measure) -> String {
    let alerts = measure.alerts(view);
    let alerts = alerts.filter(|alert| !above.contains(&alert_start(alert)));
    let is_in_info = |alert: &&Diagnostic| {
        profile
            .view
            .alerts()
            .any(|other| other.code() == alert.code())
    };
    let (in_info, others): (Vec<_>, Vec<_>) = alerts.partition(is_in_info);
    let mut codes: Vec<&str> = in_info.iter().map(|alert| alert.code()).collect();
    codes.dedup();
    codes.truncate(MAX_WARNINGS);
    let mut text = match codes[..] {
        [] => String::new(),
        _ => messages::warnings(&codes.join(", ")),
    };
    for alert in others.into_iter().take(MAX_WARNINGS) {
        text.push_str(&messages::warning(&visible(&alert.to_string())));
    }
    text
}

impl Answer {
    pub(super) fn new(
        profile: &OpenProfile,
        view: &View,
        arguments: &ToolArguments,
        part: PartTotal,
        what: &str,
    ) -> Answer {
        Answer::below("", profile, view, arguments, part, what)
    }

    /// As `new`, below text that may already mention warnings.
    pub(super) fn below(
        above: &str,
        profile: &OpenProfile,
        view: &View,
        arguments: &ToolArguments,
        part: PartTotal,
        what: &str,
    ) -> Answer {
        let metric = view.recording.metric(part.metric());
        let scale = Scale::for_values(metric.unit, part.total);
        let kind = view.recording.source.kind.name();
        let (file, of_metric) = (name(&profile.name), name(&metric.name));
        let mut head = format!("{file}, {kind}: {what}; {of_metric}");
        let [whole, waiting] = [part.whole(), part.waiting].map(|value| scale.with_unit(value));
        head.push_str(&match part.leaves_out_waiting() {
            true => messages::waiting_excluded(&whole, &query::waiting_amount(metric, &waiting)),
            false if part.waiting > 0 => {
                messages::waiting_included(&whole, &query::waiting_part(metric, &waiting))
            }
            false => format!(" {whole} = 100 %\n"),
        });
        if let Some(words) = query::describe_view(view, part.measure, scale, MAX_NAME) {
            head.push_str(&format!("view: {}\n", visible(&words)));
        }
        head.push_str(&warnings(above, profile, view, part.measure));
        Answer {
            budget: arguments.budget(),
            part,
            scale,
            noun: "method",
            head,
            lines: Vec::new(),
        }
    }

    pub(super) fn push_line(&mut self, line: &str) {
        self.head.push_str(line);
        self.head.push('\n');
    }

    pub(super) fn note_thin_shares(&mut self, view: &View, samples: u64) {
        let metric = view.recording.metric(self.part.metric());
        let is_sampled = metric.counts == Some(CountKind::Samples);
        let words = query::thin_shares(samples).filter(|_| is_sampled);
        words.into_iter().for_each(|words| self.push_line(&words));
    }

    pub(super) fn push_rest(&mut self, list: &MethodList) {
        let share = |(name, charged): (&str, ChargedValue)| {
            let share = percent(charged.weight(), self.part.whole());
            format!("{name} {share:.1} %")
        };
        let rest: Vec<String> = list.rest().map(share).collect();
        if !rest.is_empty() {
            self.push_line(&messages::other_than_user_code(&rest.join(", ")));
        }
        let outside = sum(list.rest().map(|(_, charged)| charged.weight()));
        if percent(outside, self.part.whole()) >= MOSTLY_OUTSIDE_PERCENT {
            self.push_line(messages::LITTLE_OWN_CODE);
        }
    }

    /// Only columns with content in the first `most` rows, the ones that may be shown.
    pub(super) fn rows(
        mut self,
        view: &View,
        columns: &[Column],
        rows: &[TableRow],
        most: usize,
    ) -> Answer {
        let may_be_shown = &rows[..most.min(rows.len())];
        let is_nameless = |row: &TableRow| row.name.ends_with("!?") || row.name == "[no module]";
        if rows.iter().take(EXPLAINED_ROWS).any(is_nameless) {
            self.push_line(ABOUT_NAMELESS);
        }
        let metric = view.recording.metric(self.part.metric());
        let cells = Cells {
            metric,
            scale: self.scale,
            averages: self.scale,
            whole: self.part.whole(),
            has_waiting: !self.part.hides_waiting(view),
            is_marked: false,
        };
        let columns = columns.iter().copied();
        let columns = columns.filter(|&column| cells.has(column, may_be_shown));
        let columns: Vec<Column> = columns.collect();
        let heads = columns.iter().map(|column| match column {
            Column::Depth => "depth",
            Column::Node => "node",
            Column::Exclusive => "excl",
            Column::ExclusiveShare => "excl%",
            Column::Inclusive => "incl",
            Column::InclusiveShare => "incl%",
            Column::OwnAndSystem => "own+system",
            Column::OwnAndSystemShare => "own+system%",
            Column::Occurrences => "nodes",
            column => column.part_name(metric).unwrap_or(self.noun),
        });
        self.head.push_str(&heads.collect::<Vec<_>>().join(" "));
        let cell = |row: &TableRow, column| match column {
            Column::Name => name(&row.name) + if row.has_more { " …" } else { "" },
            _ => cells.cell(row, column),
        };
        let line = |row| {
            let cells = columns.iter().map(|&column| cell(row, column));
            cells.collect::<Vec<_>>().join(" ")
        };
        self.lines = rows.iter().map(line).collect();
        self
    }

    pub(super) fn with_lines(mut self, lines: Vec<String>) -> Answer {
        self.head.truncate(self.head.trim_end().len());
        self.lines = lines;
        self
    }

    /// As many rows as fit, at most `most`; `more` counts rows that `lines` lacks from the start. `weight` returns the value
    /// of the first hidden row, or `None` if another may be larger.
    pub(super) fn list(
        mut self,
        most: usize,
        more: usize,
        weight: impl Fn(usize) -> Option<u64>,
    ) -> Result<String, String> {
        self.head.push('\n');
        fitting(self.budget, self.lines.len().min(most), |shown| {
            let lines = self.lines[..shown].iter().map(|line| format!("{line}\n"));
            let left_out = self.lines.len() - shown + more;
            let left_out = self.left_out(left_out, self.noun, weight(shown));
            format!("{}{}{left_out}", self.head, lines.collect::<String>())
        })
    }

    /// As many of the heaviest rows of a tree as fit, with the rows above them.
    ///
    /// `more(at, hidden)` returns all rows left out directly below row `at`, given how many the outline hides there.
    /// `left_out(hidden, largest)` does so for the whole tree, with the largest value left out.
    pub(super) fn outlined(
        self,
        noun: &str,
        outline: &QueryOutline,
        more: impl Fn(usize, usize) -> usize,
        left_out: impl Fn(usize, Option<u64>) -> (usize, Option<u64>),
    ) -> Result<String, String> {
        fitting(self.budget, outline.len(), |rows| {
            let outline = outline.shown(rows);
            let shown = (0..self.lines.len()).filter(|&at| outline.is_shown[at]);
            let shown = shown.map(|at| (at, more(at, outline.hidden[at])));
            let shown: Vec<(usize, usize)> = shown.collect();
            let legend = match shown.iter().any(|&(_, more)| more > 0) {
                true => messages::ABOUT_LEFT_OUT_BELOW,
                false => "",
            };
            let mut text = format!("{}{legend}\n", self.head);
            for &(at, more) in &shown {
                let more = match more {
                    0 => String::new(),
                    more => format!(" +{more}"),
                };
                text.push_str(&format!("{}{more}\n", self.lines[at]));
            }
            let hidden = self.lines.len() - shown.len();
            let (count, largest) = left_out(hidden, outline.largest_hidden);
            text + &self.left_out(count, noun, largest)
        })
    }

    fn left_out(&self, count: usize, noun: &str, largest: Option<u64>) -> String {
        if count == 0 {
            return String::new();
        }
        let share = |largest| format!("{:.1}", percent(largest, self.part.whole()));
        let largest = largest.map(|largest| messages::at_most_each(&share(largest)));
        let rows = counted(count as u64, noun);
        format!("left out: {rows}{}\n", largest.unwrap_or_default())
    }
}
