//! A report as Markdown. Tables are plain lines, which take fewer tokens than Markdown tables.

use super::MIN_REPORTED_PERCENT;
use super::contents::{Contents, MIN_NAMED_PERCENT, PLUMBING};
use super::document::{
    Call, HotspotRow, LeftOut, ReportAmount, ReportCallerRow, ReportDocument, ReportMethods,
    ReportTreeRow,
};
use crate::model::FrameId;
use crate::query::{MOSTLY_OUTSIDE_PERCENT, PartOfWhole, messages, with_prefix};
use crate::text::{fit_end, quoted, quoted_text, visible};
use crate::units::{Unit, counted, percent, thousands};

pub(super) fn written(contents: &Contents, document: &ReportDocument, has_legend: bool) -> String {
    let mut writer = MarkdownWriter {
        contents,
        document,
        has_legend,
        text: String::new(),
    };
    writer.head();
    writer.caveats();
    writer.notes();
    writer.waits();
    for (table, is_user_list) in [(&document.user_code, true), (&document.all_code, false)] {
        if let Some(table) = table {
            writer.table(table, is_user_list);
        }
    }
    writer.callers();
    writer.tree();
    writer.more_reports();
    if let Some(question) = &document.question {
        writer.section("Question");
        writer.line(question);
    }
    writer.text
}

const SHORT_BUDGET: usize = 500;
/// Methods from this percentage on are treated as the program itself.
const MOSTLY_ALL_PERCENT: f64 = 90.0;
const WORDY_BUDGET: usize = 1_000;
const MUCH_PERCENT: f64 = 10.0;

const MAX_FACT_WIDTH: usize = 30;

struct MarkdownWriter<'a> {
    contents: &'a Contents<'a>,
    document: &'a ReportDocument<'a>,
    has_legend: bool,
    text: String,
}

impl MarkdownWriter<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn section(&mut self, title: &str) {
        let is_short = self.contents.request.budget < SHORT_BUDGET;
        let short = title.split(" (").next().filter(|_| is_short);
        self.line(&format!("\n## {}", short.unwrap_or(title)));
    }

    fn percent(&self, amount: ReportAmount) -> String {
        format!("{:.1}", self.contents.percent(amount.stored))
    }

    fn name(&self, method: usize) -> &str {
        &self.document.methods[method].name
    }

    fn head(&mut self) {
        let document = self.document;
        self.line(&messages::report_title(&quoted(document.file)));
        let fact = |name| Some(fit_end(document.facts.get(name)?, MAX_FACT_WIDTH));
        let runtime = |version: String| match version.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!(".NET {version}"),
            false => version,
        };
        let mut facts = vec![format!("{} ({})", document.kind, document.format)];
        facts.extend(fact("runtime").map(runtime));
        facts.extend(fact("operating system"));
        facts.extend(fact("architecture"));
        facts.extend(fact("duration").map(|duration| format!("{duration} recorded")));
        facts.push(counted(document.threads as u64, "thread"));
        self.line(&facts.join(", "));
        if let Some(part) = &document.part {
            let mut line = format!("Part: `{}`", part.name);
            if let Some(occurrences) = part.occurrences {
                line += &format!(", {} as one", counted(occurrences as u64, "occurrence"));
            }
            if let Some(node) = &part.node {
                line += &messages::node_title(&node, &self.path(&part.called_by, &[]));
            }
            self.line(&line);
        }
        if !document.steps.is_empty() {
            let (view, measure) = (self.contents.view, self.contents.measure);
            let part = PartOfWhole::of(view, measure).filter(|_| document.part.is_none());
            let part = part.map(|part| part.words(self.contents.scale));
            let part = with_prefix(": ", &part.unwrap_or_default());
            let steps = document.steps.join(", ");
            self.line(&format!("Changed: {}{part}", visible(&steps)));
        }
        self.total();
    }

    fn total(&mut self) {
        let (contents, document) = (self.contents, self.document);
        let metric = visible(&contents.view.recording.metric(contents.measure.metric).name);
        let with_unit = |stored| contents.scale.with_unit(stored);
        let threads = match &document.chosen {
            _ if document.part.is_some() => String::new(),
            Some(chosen) => format!(" of {chosen}"),
            None if document.threads > 1 => " of all threads".into(),
            None => String::new(),
        };
        let total = with_unit(document.total.stored);
        let mut line = format!("100 % = {total} {metric}{threads}");
        if let Some(range) = contents.view.range() {
            line += &format!(", {range}");
        }
        line += &with_prefix(", ", contents.view.recording.source.kind.inflation());
        if let Some(samples) = document.samples {
            line += &format!(" = {}", counted(samples, "sample"));
            // a sample lasts until the next one, so shares of samples differ slightly from shares of time
            if contents.view.recording.metric(contents.measure.metric).unit == Unit::Milliseconds {
                line.push_str(", weighted by time");
            }
        }
        if let Some(whole) = document.whole {
            let share = percent(document.total.stored, whole.stored);
            let words = messages::share_of_recording(&share, &with_unit(whole.stored));
            line += &format!(" = {words}");
        }
        if document.waiting_left_out.stored > 0 {
            line += &messages::waiting_left_out(&with_unit(document.waiting_left_out.stored));
        }
        let waiting = contents.waiting_counted();
        if waiting > 0 {
            line += &messages::waiting_counted(&with_unit(waiting));
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
        if let Some((rest, most, thread)) = self.contents.neither_running_nor_waiting()
            && percent(rest, waits.part.total) >= MUCH_PERCENT
        {
            let [rest, most] = [rest, most].map(|value| scale.with_unit(value));
            let metric = metric.trim_end();
            let line = messages::neither_running_nor_waiting(&rest, &metric, &most, &thread);
            self.line(&line);
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
        let (file_notes, user_notes): (Vec<_>, Vec<_>) =
            document.notes.iter().partition(|note| note.is_in_file);
        if !user_notes.is_empty() {
            self.section("The user's notes");
        }
        for note in user_notes {
            self.line(&format!("- `{}`: {}", self.name(note.method), note.note));
        }
        if !file_notes.is_empty() {
            self.section(messages::TITLE_FILE_NOTES);
        }
        for note in file_notes {
            let text = quoted_text(&note.note);
            self.line(&format!("- `{}`: {text}", self.name(note.method)));
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

    fn table(&mut self, table: &ReportMethods, is_user_list: bool) {
        let (title, value, about) = match is_user_list {
            true => ("User code", "own+system", messages::ABOUT_OWN_AND_SYSTEM),
            false => ("All code", "exclusive", messages::ABOUT_EXCLUSIVE),
        };
        self.section(&format!("{title} ({about})"));
        if self.contents.request.budget >= WORDY_BUDGET {
            self.about_rows(table, is_user_list);
        }
        self.line("```text");
        let has = |cell: fn(&HotspotRow) -> bool| table.rows.iter().any(cell);
        let counts = match has(|row| row.calls.is_some()) {
            true => ", calls",
            false if has(|row| row.own_samples.is_some()) => messages::COLUMN_OWN_SAMPLES,
            false => "",
        };
        let system_code = match self.has_legend && has(|row| row.own_plus_system.is_none()) {
            true => " (-: system code)",
            false => "",
        };
        let unit = match self.contents.scale.unit() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let columns = messages::method_columns(&system_code, &value, &unit, &counts);
        self.line(&columns);
        for row in &table.rows {
            self.line(&self.method_row(row, is_user_list));
        }
        let matters =
            |amount: ReportAmount| self.contents.percent(amount.stored) >= MIN_REPORTED_PERCENT;
        if let Some(left_out) = table.left_out.filter(|left_out| matters(left_out.sum)) {
            self.line(&self.left_out(&left_out));
        }
        if matters(table.of_no_method) {
            self.line(&self.no_method_line(table, is_user_list));
        }
        self.line("```");
    }

    fn no_method_line(&self, table: &ReportMethods, is_user_list: bool) -> String {
        let part = self.document.part.as_ref().map_or("", |_| " of this part");
        let words = match is_user_list {
            true if self.contents.has_libraries() => messages::libraries_and_no_user_code(&part),
            true => messages::called_no_user_code(&part),
            false => "outside methods".into(),
        };
        let methods = table.most_of_no_method.iter();
        let methods =
            methods.map(|row| format!("{} {}", self.name(row.method), self.percent(row.exclusive)));
        let methods = with_prefix(": ", &methods.collect::<Vec<_>>().join(", "));
        format!("{} {words}{methods}", self.percent(table.of_no_method))
    }

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
        let shares = |methods: &[(FrameId, u64)]| {
            let method = |&(frame, value): &(FrameId, u64)| {
                format!("`{}` {:.1}", contents.name(frame), contents.percent(value))
            };
            methods.iter().map(method).collect::<Vec<_>>().join(", ")
        };
        if contents.percent(table.of_no_method.stored) >= MOSTLY_OUTSIDE_PERCENT {
            let share = 100.0 - contents.percent(table.of_no_method.stored);
            let methods = shares(&contents.most_inclusive_user_code);
            self.line(&messages::little_user_code(&share, &methods));
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
            self.line(&messages::called_by_user_code(&shares(&contents.called)));
        }
    }

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
        let name = &self.name(row.method);
        self.line(&messages::savings(name, &inclusive, &whole, &share, &notes));
    }

    fn method_row(&self, row: &HotspotRow, is_user_list: bool) -> String {
        let own = row.own_plus_system;
        let own_plus_system = own.map_or("-".into(), |amount| self.percent(amount));
        let [exclusive, inclusive] =
            [row.exclusive, row.inclusive].map(|amount| self.percent(amount));
        let value = own.filter(|_| is_user_list).unwrap_or(row.exclusive);
        let number = self.contents.number(value.stored);
        let count = row.calls.or(row.own_samples);
        let count = count.map_or(String::new(), |count| format!(" {}", thousands(count)));
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
        let name = self.name(row.method);
        format!("{own_plus_system} {exclusive} {inclusive} {number}{count} {name}{home}{waits}")
    }

    fn left_out(&self, left_out: &LeftOut) -> String {
        let sum = self.percent(left_out.sum);
        match left_out.count {
            0 => format!("… {sum} not listed"),
            1 => format!("… 1 more: {sum}"),
            count if self.contents.percent(left_out.largest.stored) < MIN_REPORTED_PERCENT => {
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
        let callers = self.document.callers.iter();
        let mut rows = callers.flat_map(|callers| &callers.rows);
        let about = match rows.any(|row| row.skips) {
            true => messages::ABOUT_SKIPPED,
            false => "",
        };
        self.section(&format!("{}{about})", messages::TITLE_CALLERS));
        for callers in &self.document.callers {
            let mut line = format!("- `{}` ←", self.name(callers.method));
            for &method in &callers.through {
                line += &format!(" `{}` ←", self.name(method));
            }
            let row = |caller: &ReportCallerRow| {
                let name = caller
                    .method
                    .map_or(messages::THREAD_START, |method| self.name(method));
                let user_code = caller.user_code.map_or(String::new(), |method| {
                    let skipped = if caller.skips { " ← …" } else { "" };
                    format!("{skipped} ← `{}`", self.name(method))
                });
                format!(" `{name}`{user_code} {}", self.percent(caller.inclusive))
            };
            line += &callers.rows.iter().map(row).collect::<Vec<_>>().join(",");
            if let Some(left_out) = &callers.left_out {
                line += &format!(", {}", self.left_out(left_out));
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
        let has_counts = |row: &ReportTreeRow| matches!(row, ReportTreeRow::Calls { call_count, .. } if call_count.is_some());
        let times = match self.document.tree.iter().any(has_counts) {
            true => messages::COLUMN_CALLS,
            false => "",
        };
        self.line(&messages::tree_columns(&times));
        for row in &self.document.tree {
            self.line(&self.tree_row(row));
        }
        self.line("```");
    }

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
        let texts = [
            (has(&is_plumbing), messages::ABOUT_PLUMBING),
            (has(&is_async), messages::ABOUT_ASYNC_CALLERS),
            (rows.iter().any(is_recursive), messages::ABOUT_RECURSIVE),
        ];
        let texts = texts.into_iter().filter(|(is_needed, _)| *is_needed);
        let texts: Vec<&str> = texts.map(|(_, text)| text).collect();
        if !texts.is_empty() {
            self.line(&texts.join(" "));
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
                let largest = largest_call.as_slice();
                let largest = largest_node.as_ref().map_or(String::new(), |node| {
                    format!(" {} {node}", self.path(largest, &[]))
                });
                format!("{depth} {}{largest}", self.left_out(left_out))
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
                let last = last_inclusive.map_or(String::new(), |last| self.percent(last));
                let last = match last == inclusive {
                    true => String::new(),
                    false => with_prefix("→", &last),
                };
                let (own, path) = (self.percent(*exclusive), self.path(calls, recursive));
                let times = call_count.map(|count| format!(" ×{}", thousands(count)));
                let times = times.unwrap_or_default();
                let others = match nodes {
                    0..=1 => String::new(),
                    _ => format!("+{}", nodes - 1),
                };
                format!("{depth} {inclusive}{last} {own} {path}{times} {node}{others}")
            }
        }
    }

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

    fn more_reports(&mut self) {
        let is_wordy = self.contents.request.budget >= WORDY_BUDGET;
        let drops = if is_wordy { messages::OR_DROP } else { "" };
        self.line(&messages::more_reports(&self.contents.flags(), &drops));
    }
}
