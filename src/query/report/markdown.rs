//! A report as Markdown. Its tables are blocks of plain lines, which take fewer tokens than Markdown tables and need no
//! escaping.

use super::contents::{Contents, MIN_NAMED_PERCENT, MIN_REPORTED_PERCENT, PLUMBING};
use super::document::{
    Call, HotspotRow, LeftOut, ReportAmount, ReportDocument, ReportMethods, ReportTreeRow,
};
use crate::model::FrameId;
use crate::query::{MOSTLY_OUTSIDE_PERCENT, PartOfWhole, messages};
use crate::text::visible;
use crate::text::{fit_end, quoted, quoted_text};
use crate::units::Unit;
use crate::units::{counted, percent, thousands};
use std::fmt::Write as _;

/// Renders a document, with a newline at the end.
pub(super) fn written(contents: &Contents, document: &ReportDocument, has_legend: bool) -> String {
    MarkdownWriter {
        contents,
        document,
        has_legend,
        text: String::new(),
    }
    .written()
}

/// Below this budget, titles explain nothing.
const SHORT_BUDGET: usize = 500;
/// Methods from this percentage on are treated as the program itself.
const MOSTLY_ALL_PERCENT: f64 = 90.0;
/// From this budget on, there is room for a line that explains the lists.
const WORDY_BUDGET: usize = 1_000;
/// From this percentage on, time that neither runs nor waits is mentioned.
const MUCH_PERCENT: f64 = 10.0;
/// The title of the list of user code.
const TITLE_USER_CODE: &str = "User code";

/// The maximum width of a fact: system names can be long.
const LONGEST_FACT: usize = 30;

struct MarkdownWriter<'a> {
    contents: &'a Contents<'a>,
    document: &'a ReportDocument<'a>,
    /// Whether to explain marks and terms.
    has_legend: bool,
    text: String,
}

impl MarkdownWriter<'_> {
    fn written(mut self) -> String {
        self.head();
        self.caveats();
        self.notes();
        self.waits();
        let document = self.document;
        let about = messages::ABOUT_OWN_AND_SYSTEM;
        if let Some(table) = &document.user_code {
            // nothing above the part is examined
            let part = if document.part.is_some() {
                " of this part"
            } else {
                ""
            };
            self.table(
                TITLE_USER_CODE,
                about,
                table,
                &match self.contents.has_libraries() {
                    true => messages::libraries_and_no_user_code(&part),
                    false => messages::called_no_user_code(&part),
                },
            );
        }
        if let Some(table) = &document.all_code {
            self.table(
                "All code",
                messages::ABOUT_EXCLUSIVE,
                table,
                "outside methods",
            );
        }
        self.callers();
        self.tree();
        self.more();
        if let Some(question) = &document.question {
            self.section("Question");
            self.line(question);
        }
        self.text
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn section(&mut self, title: &str) {
        // rows matter more than their explanations
        let is_short = self.contents.request.budget < SHORT_BUDGET;
        let title = title
            .split(" (")
            .next()
            .filter(|_| is_short)
            .unwrap_or(title);
        let _ = writeln!(self.text, "\n## {title}");
    }

    /// A share of the part, to one decimal.
    fn percent(&self, amount: ReportAmount) -> String {
        format!("{:.1}", self.contents.percent(amount.stored))
    }

    fn name(&self, method: usize) -> &str {
        &self.document.methods[method].name
    }

    /// The subject of the report, and what 100 % is.
    fn head(&mut self) {
        let document = self.document;
        self.line(&messages::report_title(&quoted(document.file)));
        let fact = |name: &str| {
            document
                .facts
                .get(name)
                .map(|fact| fit_end(fact, LONGEST_FACT))
        };
        let runtime = |version: String| {
            if version.starts_with(|c: char| c.is_ascii_digit()) {
                format!(".NET {version}")
            } else {
                version
            }
        };
        let mut facts = vec![format!("{} ({})", document.kind, document.format)];
        facts.extend(fact("runtime").map(runtime));
        facts.extend(
            ["operating system", "architecture"]
                .into_iter()
                .filter_map(fact),
        );
        facts.extend(fact("duration").map(|duration| format!("{duration} recorded")));
        facts.push(counted(document.threads as u64, "thread"));
        self.line(&facts.join(", "));
        if let Some(part) = &document.part {
            let mut line = format!("Part: `{}`", part.name);
            if let Some(occurrences) = part.occurrences {
                let _ = write!(
                    line,
                    ", {} as one",
                    counted(occurrences as u64, "occurrence")
                );
            }
            if let Some(node) = &part.node {
                let _ = write!(
                    line,
                    "{}",
                    messages::node_title(&node, &self.path(&part.called_by, &[]))
                );
            }
            self.line(&line);
        }
        if !document.steps.is_empty() {
            let (view, measure) = (self.contents.view, self.contents.measure);
            let left = PartOfWhole::of(view, measure).filter(|_| document.part.is_none());
            let left = left.map(|left| format!(": {}", left.words(self.contents.scale)));
            let steps = document.steps.join(", ");
            let left = left.unwrap_or_default();
            self.line(&format!("Changed: {}{left}", visible(&steps)));
        }
        self.total();
    }

    fn total(&mut self) {
        let (contents, document) = (self.contents, self.document);
        let metric = visible(&contents.view.recording.metric(contents.measure.metric).name);
        let is_of_all_threads = document.part.is_none() && document.threads > 1;
        let threads = match &document.chosen {
            Some(chosen) if document.part.is_none() => format!(" of {chosen}"),
            None if is_of_all_threads => " of all threads".into(),
            _ => String::new(),
        };
        let mut line = format!(
            "100 % = {} {metric}{threads}",
            contents.scale.with_unit(document.total.stored)
        );
        if let Some(range) = contents.view.range() {
            let _ = write!(line, ", {range}");
        }
        let inflation = contents.view.recording.source.kind.inflation();
        if !inflation.is_empty() {
            let _ = write!(line, ", {inflation}");
        }
        if let Some(samples) = document.samples {
            let _ = write!(line, " = {}", counted(samples, "sample"));
            // a sample lasts until the next one, so shares of samples differ slightly from shares of time
            if contents.view.recording.metric(contents.measure.metric).unit == Unit::Milliseconds {
                line.push_str(", weighted by time");
            }
        }
        if let Some(whole) = document.whole {
            let share = percent(document.total.stored, whole.stored);
            let whole = contents.scale.with_unit(whole.stored);
            let _ = write!(line, " = {}", messages::share_of_recording(&share, &whole));
        }
        if document.waiting_left_out.stored > 0 {
            let waiting = contents.scale.with_unit(document.waiting_left_out.stored);
            let _ = write!(line, "{}", messages::waiting_left_out(&waiting));
        }
        let waiting = contents.waiting_counted();
        if waiting > 0 {
            let waiting = contents.scale.with_unit(waiting);
            line.push_str(&messages::waiting_counted(&waiting));
        }
        let meaning = match &*metric {
            "CPU" if document.waiting_left_out.stored == 0 => messages::ABOUT_CPU,
            _ => "",
        };
        self.line(&format!("{line}{meaning}."));
        for condition in document.conditions {
            self.line(&format!("{condition}."));
        }
    }

    fn waits(&mut self) {
        let Some(waits) = &self.contents.waits else {
            return;
        };
        let has_user_code = !waits.rows.is_empty();
        let is_wordy = self.contents.request.budget >= WORDY_BUDGET;
        if self.document.waits.is_empty() && (has_user_code || !is_wordy) {
            return;
        }
        let metric = self.contents.view.recording.metric(waits.part.metric());
        let metric = match visible(&metric.name) {
            name if name == "time" => String::new(),
            name => format!("{name} "),
        };
        let scale = waits.scale(self.contents.view);
        let [waiting, whole] =
            [waits.waiting(), waits.part.total].map(|value| scale.with_unit(value));
        self.section(&messages::title_waits(&waiting, &metric, &whole));
        for row in &self.document.waits {
            let (user, wait) = (self.name(row.method), self.name(row.waits_in));
            let waiting = scale.with_unit(row.waiting.stored);
            let spins = match row.on_cpu.stored {
                0 => String::new(),
                on_cpu => messages::spins_of_wait(&scale.with_unit(on_cpu)),
            };
            let line = format!("- {waiting} `{user}` in `{wait}`, {}{spins}", row.threads);
            self.line(&line);
        }
        if let Some(left_out) = self.document.waits_left_out {
            let waiting = scale.with_unit(left_out.sum.stored);
            self.line(&messages::more_waits(&left_out.count, &waiting));
        }
        if let Some((rest, threads)) = self.contents.other_waits() {
            let rest = scale.with_unit(rest);
            self.line(&format!("- {rest} {}: {threads}", messages::NO_USER_WAITS));
        }
        let Some((rest, most, thread)) = self.contents.neither_runs_nor_waits() else {
            return;
        };
        if percent(rest, waits.part.total) >= MUCH_PERCENT {
            let [rest, most] = [rest, most].map(|value| scale.with_unit(value));
            let metric = metric.trim_end();
            self.line(&messages::neither_runs_nor_waits(
                &rest, &metric, &most, &thread,
            ));
        }
    }

    fn caveats(&mut self) {
        let document = self.document;
        if document.caveats.is_empty() && document.caveats_left_out == 0 {
            return;
        }
        self.section("Read with care");
        for caveat in document.caveats {
            self.line(&format!("- {caveat}"));
        }
        self.left_out_lines(document.caveats_left_out, "info");
    }

    fn notes(&mut self) {
        let document = self.document;
        if document.notes.is_empty() && document.notes_left_out == 0 {
            return;
        }
        // notes in a file may be by anyone, and must not pass for the user's words
        for (title, is_in_file) in [
            ("The user's notes", false),
            (messages::TITLE_FILE_NOTES, true),
        ] {
            let notes = document.notes.iter();
            let notes = notes.filter(|note| note.is_in_file == is_in_file);
            for (at, note) in notes.enumerate() {
                if at == 0 {
                    self.section(title);
                }
                let text = if is_in_file {
                    quoted_text(&note.note)
                } else {
                    note.note.to_string()
                };
                self.line(&format!("- `{}`: {text}", self.name(note.method)));
            }
        }
        if document.notes.is_empty() {
            self.section("Notes");
        }
        self.left_out_lines(document.notes_left_out, "notes");
    }

    fn left_out_lines(&mut self, count: usize, command: &str) {
        if count > 0 {
            self.line(&format!("- … {count} more: `dotspot {command} FILE`"));
        }
    }

    /// The value that belongs to no method of a list, with the methods that have the most of it.
    fn of_no_method(&self, table: &ReportMethods, words: &str) -> String {
        let most = table.most_of_no_method.iter();
        let most: Vec<String> = most
            .map(|row| format!("{} {}", self.name(row.method), self.percent(row.exclusive)))
            .collect();
        let colon = if most.is_empty() { "" } else { ": " };
        format!(
            "{} {words}{colon}{}",
            self.percent(table.of_no_method),
            most.join(", ")
        )
    }

    /// A list of methods and a summary of what is left out.
    fn table(&mut self, title: &str, about: &str, table: &ReportMethods, no_method: &str) {
        self.section(&format!("{title} ({about})"));
        let unit = self.contents.scale.unit();
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" ({unit})")
        };
        let has_calls = table.rows.iter().any(|row| row.calls.is_some());
        let has_samples = table.rows.iter().any(|row| row.own_samples.is_some());
        let counts = if has_calls {
            ", calls"
        } else if has_samples {
            messages::COLUMN_OWN_SAMPLES
        } else {
            ""
        };
        let is_user_list = title == TITLE_USER_CODE;
        if self.contents.request.budget >= WORDY_BUDGET {
            self.about_rows(table, is_user_list);
        }
        self.line("```text");
        let has_system_code =
            self.has_legend && table.rows.iter().any(|row| row.own_plus_system.is_none());
        let system_code = if has_system_code {
            " (-: system code)"
        } else {
            ""
        };
        let value = if is_user_list {
            "own+system"
        } else {
            "exclusive"
        };
        self.line(&messages::method_columns(
            &system_code,
            &value,
            &unit,
            &counts,
        ));
        for row in &table.rows {
            self.line(&self.method_row(row, is_user_list));
        }
        let is_told =
            |amount: ReportAmount| self.contents.percent(amount.stored) >= MIN_REPORTED_PERCENT;
        if let Some(left_out) = table
            .left_out
            .as_ref()
            .filter(|left_out| is_told(left_out.sum))
        {
            self.line(&self.left_out(left_out));
        }
        if is_told(table.of_no_method) {
            self.line(&self.of_no_method(table, no_method));
        }
        self.line("```");
    }

    /// Explains the rows, and how much user code could save at most.
    fn about_rows(&mut self, table: &ReportMethods, is_user_list: bool) {
        if is_user_list {
            self.about_user_code(table);
        }
        let methods = table.rows.iter().map(|row| row.method);
        let mut methods = methods.chain(table.most_of_no_method.iter().map(|row| row.method));
        let is_nameless = methods.any(|method| self.name(method).ends_with("!?"));
        if is_nameless && !self.text.contains(messages::ABOUT_NAMELESS) {
            self.line(messages::ABOUT_NAMELESS);
        }
    }

    fn about_user_code(&mut self, table: &ReportMethods) {
        let contents = self.contents;
        if contents.percent(table.of_no_method.stored) >= MOSTLY_OUTSIDE_PERCENT {
            let share = contents.percent(table.of_no_method.stored);
            let methods = contents.most_inclusive_user_code.iter();
            let method = |&(frame, inclusive): &(FrameId, u64)| {
                let share = contents.percent(inclusive);
                format!("`{}` {share:.1}", contents.name(frame))
            };
            let methods: Vec<String> = methods.map(method).collect();
            self.line(&messages::little_user_code(
                &(100.0 - share),
                &methods.join(", "),
            ));
        }
        // removing waits saves no CPU time, and removing what calls everything would remove the program
        let mut rows = table.rows.iter();
        let is_part = |row: &&HotspotRow| {
            let is_all = contents.percent(row.inclusive.stored) >= MOSTLY_ALL_PERCENT;
            let only_calls = is_all && row.exclusive.stored < row.inclusive.stored / 2;
            let own = row.own_plus_system.map_or(0, |own| own.stored);
            row.waits_percent.is_none() && !only_calls && contents.percent(own) >= MIN_NAMED_PERCENT
        };
        if let Some(row) = rows.find(is_part) {
            self.savings(row);
        }
        if self.has_legend && !contents.called.is_empty() {
            let method = |&(frame, value): &(FrameId, u64)| {
                format!("`{}` {:.1}", contents.name(frame), contents.percent(value))
            };
            let methods: Vec<String> = contents.called.iter().map(method).collect();
            self.line(&messages::called_by_user_code(&methods.join(", ")));
        }
    }

    /// The savings if a method were removed.
    fn savings(&mut self, row: &HotspotRow) {
        let contents = self.contents;
        let inclusive = row.inclusive.stored;
        let own = row.own_plus_system.map_or(0, |own| own.stored);
        let share = contents.percent(inclusive);
        let mut notes = String::new();
        let own_share = contents.percent(own);
        if share - own_share >= MIN_NAMED_PERCENT {
            notes += &messages::share_of_own_and_system(&own_share);
        }
        let waits = contents.waits_and_spins();
        if contents.percent(waits) >= MIN_NAMED_PERCENT {
            let work = contents.total.saturating_sub(waits);
            notes += &messages::share_of_work(&percent(inclusive, work));
        }
        let [inclusive, whole] =
            [inclusive, contents.total].map(|value| contents.scale.with_unit(value));
        let method = self.name(row.method).to_string();
        self.line(&messages::savings(
            &method, &inclusive, &whole, &share, &notes,
        ));
    }

    /// A method's row. User code includes its module and namespace.
    fn method_row(&self, row: &HotspotRow, is_user_list: bool) -> String {
        let own_plus_system = row
            .own_plus_system
            .map_or("-".into(), |amount| self.percent(amount));
        let [exclusive, inclusive] =
            [row.exclusive, row.inclusive].map(|amount| self.percent(amount));
        let value = row.own_plus_system.filter(|_| is_user_list);
        let number = self.contents.number(value.unwrap_or(row.exclusive).stored);
        let count = row
            .calls
            .or(row.own_samples)
            .map(|count| format!(" {}", thousands(count)))
            .unwrap_or_default();
        let home = match self.document.methods[row.method].home.as_str() {
            home if is_user_list && !home.is_empty() => format!(" [{home}]"),
            _ => String::new(),
        };
        let waits = match row.waits_percent {
            Some(share) if is_user_list && self.contents.waits_and_spins() > 0 => {
                messages::row_waits_and_spins(&share)
            }
            Some(share) if is_user_list => messages::row_waits(&share),
            Some(_) => messages::ROW_WAITS.into(),
            None => String::new(),
        };
        format!(
            "{own_plus_system} {exclusive} {inclusive} {number}{count} {}{home}{waits}",
            self.name(row.method)
        )
    }

    fn left_out(&self, left_out: &LeftOut) -> String {
        let sum = self.percent(left_out.sum);
        match left_out.count {
            0 => format!("… {sum} not told"),
            1 => format!("… 1 more: {sum}"),
            count if self.contents.percent(left_out.largest.stored) < 0.05 => {
                messages::more_small_rows(&thousands(count as u64), &sum)
            }
            count => {
                let (count, largest) = (thousands(count as u64), self.percent(left_out.largest));
                messages::more_rows(&count, &sum, &largest)
            }
        }
    }

    fn callers(&mut self) {
        if self.document.callers.is_empty() {
            return;
        }
        let rows = || {
            self.document
                .callers
                .iter()
                .flat_map(|callers| &callers.rows)
        };
        let mut title = messages::TITLE_CALLERS.to_string();
        if rows().any(|row| row.skips) {
            title += messages::ABOUT_SKIPPED;
        }
        self.section(&(title + ")"));
        for callers in &self.document.callers {
            let mut line = format!("- `{}` ←", self.name(callers.method));
            for &method in &callers.through {
                let _ = write!(line, " `{}` ←", self.name(method));
            }
            for (at, caller) in callers.rows.iter().enumerate() {
                let name = caller
                    .method
                    .map_or(messages::THREAD_START, |method| self.name(method));
                let comma = if at > 0 { "," } else { "" };
                let user_code = caller.user_code.map(|method| {
                    let skipped = if caller.skips { " ← …" } else { "" };
                    format!("{skipped} ← `{}`", self.name(method))
                });
                let user_code = user_code.unwrap_or_default();
                let _ = write!(
                    line,
                    "{comma} `{name}`{user_code} {}",
                    self.percent(caller.inclusive)
                );
            }
            if let Some(left_out) = &callers.left_out {
                let _ = write!(line, ", {}", self.left_out(left_out));
            }
            self.line(&line);
        }
    }

    fn tree(&mut self) {
        self.section(messages::TITLE_CALL_TREE);
        if self.has_legend {
            self.legend();
        }
        self.line("```text");
        let has_counts = |row: &ReportTreeRow| {
            matches!(
                row,
                ReportTreeRow::Calls {
                    call_count: Some(_),
                    ..
                }
            )
        };
        let times = if self.document.tree.iter().any(has_counts) {
            messages::COLUMN_CALLS
        } else {
            ""
        };
        self.line(&messages::tree_columns(&times));
        for row in &self.document.tree {
            self.line(&self.tree_row(row));
        }
        self.line("```");
    }

    /// Explains what is not obvious in the tree.
    fn legend(&mut self) {
        let rows = &self.document.tree;
        let has = |fits: &dyn Fn(&Call) -> bool| {
            rows.iter().any(
                |row| matches!(row, ReportTreeRow::Calls { calls, .. } if calls.iter().any(fits)),
            )
        };
        let is_plumbing = |call: &Call| matches!(call, Call::Word(word) if word == PLUMBING);
        let is_async = |call: &Call| matches!(call, Call::Method(method) if self.name(*method).contains("(async"));
        let is_recursive = |row: &ReportTreeRow| matches!(row, ReportTreeRow::Calls { recursive, .. } if !recursive.is_empty());
        let mut lines = Vec::new();
        if has(&is_plumbing) {
            lines.push(messages::ABOUT_PLUMBING);
        }
        if has(&is_async) {
            lines.push(messages::ABOUT_ASYNC_CALLERS);
        }
        if rows.iter().any(is_recursive) {
            lines.push(messages::ABOUT_RECURSIVE);
        }
        if !lines.is_empty() {
            self.line(&lines.join(" "));
        }
    }

    fn tree_row(&self, row: &ReportTreeRow) -> String {
        match row {
            ReportTreeRow::LeftOut {
                depth,
                left_out,
                largest_call,
                largest_node,
            } => {
                let largest = largest_call.as_ref().zip(largest_node.as_ref());
                let largest = largest.map(|(call, node)| {
                    format!(" {} {node}", self.path(std::slice::from_ref(call), &[]))
                });
                format!(
                    "{depth} {}{}",
                    self.left_out(left_out),
                    largest.unwrap_or_default()
                )
            }
            ReportTreeRow::Calls {
                depth,
                calls,
                inclusive,
                last_inclusive,
                exclusive,
                node,
                nodes,
                call_count,
                recursive,
            } => {
                let inclusive = self.percent(*inclusive);
                let last = last_inclusive
                    .map(|last| self.percent(last))
                    .filter(|last| *last != inclusive);
                let last = last.map(|last| format!("→{last}")).unwrap_or_default();
                let (own, path) = (self.percent(*exclusive), self.path(calls, recursive));
                let times = call_count
                    .map(|count| format!(" ×{}", thousands(count)))
                    .unwrap_or_default();
                let others = if *nodes > 1 {
                    format!("+{}", nodes - 1)
                } else {
                    String::new()
                };
                format!("{depth} {inclusive}{last} {own} {path}{times} {node}{others}")
            }
        }
    }

    /// A chain of calls, each called by the previous one, with marks for recursion.
    fn path(&self, calls: &[Call], recursive: &[usize]) -> String {
        let word = |call: &Call| match call {
            Call::Method(method) if recursive.contains(method) => {
                format!("{} ↻", self.name(*method))
            }
            Call::Method(method) => self.name(*method).to_string(),
            Call::Word(word) => word.clone(),
            Call::Unnamed { unnamed } => format!("[{} more]", thousands(*unnamed as u64)),
        };
        calls.iter().map(word).collect::<Vec<_>>().join(" → ")
    }

    fn more(&mut self) {
        let flags = self.contents.flags();
        let drops = match self.contents.request.budget < WORDY_BUDGET {
            true => "",
            false => messages::OR_DROP,
        };
        self.line(&messages::more_reports(&flags, &drops));
    }
}
