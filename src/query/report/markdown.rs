//! A report as Markdown. Tables are plain lines, which take fewer tokens than Markdown tables.

use super::MIN_REPORTED_PERCENT;
use super::callers::ReportCaller;
use super::contents::{Contents, LeftOut, MIN_NAMED_PERCENT, Note, PLUMBING};
use super::plan::Section;
use super::rows::{Chain, TreeLine};
use super::selected::{Call, Selected, SelectedMethods};
use crate::analysis::{Hotspot, HotspotOrder};
use crate::model::FrameId;
use crate::query::waits::threads_text;
use crate::query::{MOSTLY_OUTSIDE_PERCENT, PartOfWhole, messages, with_prefix};
use crate::text::{fit_end, quoted, quoted_text, visible};
use crate::units::{Unit, counted, percent, thousands};

pub(super) fn written(selected: &Selected) -> String {
    let mut writer = MarkdownWriter {
        selected,
        contents: selected.contents,
        has_legend: selected.plan.of(Section::Explanations) > 0,
        text: String::new(),
    };
    writer.head();
    writer.caveats();
    writer.notes();
    writer.waits();
    for section in [Section::User, Section::All] {
        if let Some(list) = selected.methods(section) {
            writer.methods(&list);
        }
    }
    writer.callers();
    writer.tree();
    writer.more_reports();
    if let Some(question) = selected.question() {
        writer.section("Question");
        writer.line(&question);
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
    selected: &'a Selected<'a>,
    contents: &'a Contents<'a>,
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

    fn percent(&self, stored: u64) -> String {
        format!("{:.1}", self.contents.percent(stored))
    }

    fn head(&mut self) {
        let contents = self.contents;
        let (view, subject) = (contents.view, &contents.subject);
        self.line(&messages::report_title(&quoted(contents.request.file)));
        let source = &view.recording.source;
        let mut facts = vec![format!("{} ({})", source.kind.name(), source.format)];
        for (what, text) in self.selected.facts() {
            let text = fit_end(&text, MAX_FACT_WIDTH);
            let is_version = text.starts_with(|c: char| c.is_ascii_digit());
            facts.push(match what {
                "runtime" if is_version => format!(".NET {text}"),
                "duration" => format!("{text} recorded"),
                _ => text,
            });
        }
        facts.push(counted(view.threads.len() as u64, "thread"));
        self.line(&facts.join(", "));
        if contents.is_part() {
            let mut line = format!("Part: `{}`", contents.subject_name());
            if let Some(occurrences) = subject.occurrences {
                line += &format!(", {} as one", counted(occurrences as u64, "occurrence"));
            }
            if let Some(node) = subject.node {
                let above = self.path(&self.selected.calls_above(node), &[]);
                line += &messages::node_title(&view.node_label(node), &above);
            }
            self.line(&line);
        }
        let steps = view.steps.transform_words(&view.recording);
        if !steps.is_empty() {
            let part = PartOfWhole::of(view, contents.measure).filter(|_| !contents.is_part());
            let part = part.map(|part| part.words(contents.scale));
            let part = with_prefix(": ", &part.unwrap_or_default());
            let steps = steps.join(", ");
            self.line(&format!("Changed: {}{part}", visible(&steps)));
        }
        self.total();
    }

    fn total(&mut self) {
        let contents = self.contents;
        let recording = &contents.view.recording;
        let metric = recording.metric(contents.measure.metric);
        let name = visible(&metric.name);
        let with_unit = |stored| contents.scale.with_unit(stored);
        let threads = match self.selected.threads() {
            _ if contents.is_part() => String::new(),
            Some(chosen) => format!(" of {chosen}"),
            None if contents.view.threads.len() > 1 => " of all threads".into(),
            None => String::new(),
        };
        let total = with_unit(contents.total);
        let mut line = format!("100 % = {total} {name}{threads}");
        if let Some(range) = contents.view.range() {
            line += &format!(", {range}");
        }
        line += &with_prefix(", ", recording.source.kind.inflation());
        if let Some(samples) = contents.samples {
            line += &format!(" = {}", counted(samples, "sample"));
            // a sample lasts until the next one, so shares of samples differ slightly from shares of time
            if metric.unit == Unit::Milliseconds {
                line.push_str(", weighted by time");
            }
        }
        if let Some(whole) = contents.whole() {
            let share = percent(contents.total, whole);
            let words = messages::share_of_recording(&share, &with_unit(whole));
            line += &format!(" = {words}");
        }
        if contents.waiting > 0 {
            line += &messages::waiting_left_out(&with_unit(contents.waiting));
        }
        let waiting = contents.waiting_counted();
        if waiting > 0 {
            line += &messages::waiting_counted(&with_unit(waiting));
        }
        let meaning = match &*name {
            "CPU" if contents.waiting == 0 => messages::ABOUT_CPU,
            _ => "",
        };
        self.line(&format!("{line}{meaning}."));
        for condition in self.selected.conditions() {
            self.line(&format!("{condition}."));
        }
    }

    fn waits(&mut self) {
        let contents = self.contents;
        let Some(waits) = &contents.waits else {
            return;
        };
        let (rows, left_out) = self.selected.waits();
        let is_wordy = contents.request.budget >= WORDY_BUDGET;
        if rows.is_empty() && (!waits.rows.is_empty() || !is_wordy) {
            return;
        }
        let metric = contents.view.recording.metric(waits.part.metric());
        let metric = match visible(&metric.name) {
            name if name == "time" => String::new(),
            name => format!("{name} "),
        };
        let scale = waits.scale(contents.view);
        let [waiting, whole] =
            [waits.part.waiting, waits.part.total].map(|value| scale.with_unit(value));
        self.section(&messages::title_waits(&waiting, &metric, &whole));
        for row in rows {
            let user = row.user.map_or(String::new(), |user| contents.name(user));
            let (wait, waiting) = (contents.name(row.wait), scale.with_unit(row.waiting));
            let spins = match contents.spins(row) {
                true => messages::spins_of_wait(&scale.with_unit(row.on_cpu)),
                false => String::new(),
            };
            let threads = threads_text(contents.view, &row.threads);
            self.line(&format!(
                "- {waiting} `{user}` in `{wait}`, {threads}{spins}"
            ));
        }
        if left_out.count > 0 {
            let waiting = scale.with_unit(left_out.sum);
            self.line(&messages::more_waits(&left_out.count, &waiting));
        }
        if let Some((rest, threads)) = contents.other_waits() {
            let rest = scale.with_unit(rest);
            self.line(&format!("- {rest} {}: {threads}", messages::NO_USER_WAITS));
        }
        if let Some((rest, most, thread)) = contents.neither_running_nor_waiting()
            && percent(rest, waits.part.total) >= MUCH_PERCENT
        {
            let [rest, most] = [rest, most].map(|value| scale.with_unit(value));
            let metric = metric.trim_end();
            let line = messages::neither_running_nor_waiting(&rest, &metric, &most, &thread);
            self.line(&line);
        }
    }

    fn caveats(&mut self) {
        let (caveats, left_out) = self.selected.caveats();
        if caveats.is_empty() && left_out == 0 {
            return;
        }
        self.section("Read with care");
        for caveat in caveats {
            self.line(&format!("- {caveat}"));
        }
        self.left_out_lines(left_out, "info");
    }

    fn notes(&mut self) {
        let (notes, left_out) = self.selected.notes();
        // notes in a file may be by anyone, and must not pass for the user's words
        let (file_notes, user_notes): (Vec<&Note>, Vec<&Note>) =
            notes.iter().partition(|note| note.is_in_file);
        if !user_notes.is_empty() {
            self.section("The user's notes");
        }
        for note in user_notes {
            let (name, text) = (self.contents.name(note.frame), note.visible_text());
            self.line(&format!("- `{name}`: {text}"));
        }
        if !file_notes.is_empty() {
            self.section(messages::TITLE_FILE_NOTES);
        }
        for note in file_notes {
            let (name, text) = (self.contents.name(note.frame), note.visible_text());
            self.line(&format!("- `{name}`: {}", quoted_text(&text)));
        }
        if notes.is_empty() && left_out > 0 {
            self.section("Notes");
        }
        self.left_out_lines(left_out, "notes");
    }

    fn left_out_lines(&mut self, count: usize, command: &str) {
        if count > 0 {
            self.line(&format!("- … {count} more: `dotspot {command} FILE`"));
        }
    }

    fn methods(&mut self, list: &SelectedMethods) {
        let (title, value, about) = match list.is_user_code {
            true => ("User code", "own+system", messages::ABOUT_OWN_AND_SYSTEM),
            false => ("All code", "exclusive", messages::ABOUT_EXCLUSIVE),
        };
        self.section(&format!("{title} ({about})"));
        if self.contents.request.budget >= WORDY_BUDGET {
            self.about_rows(list);
        }
        self.line("```text");
        let contents = self.contents;
        let has = |fits: &dyn Fn(&Hotspot) -> bool| list.rows.iter().any(fits);
        let counts = match has(&|row| contents.method_calls(row).is_some()) {
            true => ", calls",
            false if has(&|row| row.own_samples.is_some()) => messages::COLUMN_OWN_SAMPLES,
            false => "",
        };
        let is_system = |row: &Hotspot| contents.own_and_system(row.frame).is_none();
        let system_code = match self.has_legend && has(&is_system) {
            true => " (-: system code)",
            false => "",
        };
        let unit = match contents.scale.unit {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let columns = messages::method_columns(&system_code, &value, &unit, &counts);
        self.line(&columns);
        for row in list.rows {
            self.line(&self.method_row(row, list.is_user_code));
        }
        let matters = |stored| contents.percent(stored) >= MIN_REPORTED_PERCENT;
        if list.left_out.count > 0 && matters(list.left_out.sum) {
            self.line(&self.left_out(list.left_out));
        }
        if matters(list.of_no_method) {
            self.line(&self.no_method_line(list));
        }
        self.line("```");
    }

    fn no_method_line(&self, list: &SelectedMethods) -> String {
        let contents = self.contents;
        let part = match contents.is_part() {
            true => " of this part",
            false => "",
        };
        let words = match list.is_user_code {
            true if contents.has_libraries() => messages::libraries_and_no_user_code(&part),
            true => messages::called_no_user_code(&part),
            false => "outside methods".into(),
        };
        let methods = list.most_of_no_method.iter();
        let methods =
            methods.map(|&(frame, own)| format!("{} {}", contents.name(frame), self.percent(own)));
        let methods = with_prefix(": ", &methods.collect::<Vec<_>>().join(", "));
        format!("{} {words}{methods}", self.percent(list.of_no_method))
    }

    fn about_rows(&mut self, list: &SelectedMethods) {
        if list.is_user_code {
            self.about_user_code(list);
        }
        let without_caller = list.most_of_no_method.iter().map(|&(frame, _)| frame);
        let mut frames = list.rows.iter().map(|row| row.frame).chain(without_caller);
        let is_nameless = frames.any(|frame| self.contents.name(frame).ends_with("!?"));
        if is_nameless && !self.text.contains(messages::ABOUT_NAMELESS) {
            self.line(messages::ABOUT_NAMELESS);
        }
    }

    fn about_user_code(&mut self, list: &SelectedMethods) {
        let contents = self.contents;
        let shares = |methods: &[(FrameId, u64)]| {
            let method = |&(frame, value): &(FrameId, u64)| {
                format!("`{}` {:.1}", contents.name(frame), contents.percent(value))
            };
            methods.iter().map(method).collect::<Vec<_>>().join(", ")
        };
        if contents.percent(list.of_no_method) >= MOSTLY_OUTSIDE_PERCENT {
            let share = 100.0 - contents.percent(list.of_no_method);
            let methods = shares(&contents.most_inclusive_user_code);
            self.line(&messages::little_user_code(&share, &methods));
        }
        // removing waits saves no CPU time, and removing what calls everything would remove the program
        let is_part = |row: &&Hotspot| {
            let [exclusive, inclusive] = values(row);
            let is_all = contents.percent(inclusive) >= MOSTLY_ALL_PERCENT;
            let only_calls = is_all && exclusive < inclusive / 2;
            let own = contents.own_and_system(row.frame).unwrap_or(0);
            let waits = contents.waits_percent(row, true).is_some();
            !waits && !only_calls && contents.percent(own) >= MIN_NAMED_PERCENT
        };
        if let Some(row) = list.rows.iter().find(is_part) {
            self.savings(row);
        }
        if self.has_legend && !contents.called.is_empty() {
            self.line(&messages::called_by_user_code(&shares(&contents.called)));
        }
    }

    fn savings(&mut self, row: &Hotspot) {
        let contents = self.contents;
        let [_, inclusive] = values(row);
        let own = contents.own_and_system(row.frame).unwrap_or(0);
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
        let name = contents.name(row.frame);
        self.line(&messages::savings(
            &name, &inclusive, &whole, &share, &notes,
        ));
    }

    fn method_row(&self, row: &Hotspot, is_user_list: bool) -> String {
        let contents = self.contents;
        let own = contents.own_and_system(row.frame);
        let own_plus_system = own.map_or("-".into(), |own| self.percent(own));
        let value = own.filter(|_| is_user_list).unwrap_or(values(row)[0]);
        let [exclusive, inclusive] = values(row).map(|value| self.percent(value));
        let number = contents.number(value);
        let count = contents.method_calls(row).or(row.own_samples);
        let count = count.map_or(String::new(), |count| format!(" {}", thousands(count)));
        let home = match contents.home(row.frame) {
            home if is_user_list && !home.is_empty() => format!(" [{home}]"),
            _ => String::new(),
        };
        let waits = match contents.waits_percent(row, is_user_list) {
            Some(share) if is_user_list && contents.waits_and_spins() > 0 => {
                messages::row_waits_and_spins(&share)
            }
            Some(share) if is_user_list => messages::row_waits(&share),
            Some(_) => messages::ROW_WAITS.into(),
            None => String::new(),
        };
        let name = contents.name(row.frame);
        format!("{own_plus_system} {exclusive} {inclusive} {number}{count} {name}{home}{waits}")
    }

    fn left_out(&self, left_out: LeftOut) -> String {
        let sum = self.percent(left_out.sum);
        match left_out.count {
            0 => format!("… {sum} not listed"),
            1 => format!("… 1 more: {sum}"),
            count if self.contents.percent(left_out.largest) < MIN_REPORTED_PERCENT => {
                messages::more_small_rows(&thousands(count as u64), &sum)
            }
            count => {
                let (count, largest) = (thousands(count as u64), self.percent(left_out.largest));
                messages::more_rows(&count, &sum, &largest)
            }
        }
    }

    fn callers(&mut self) {
        let (contents, all) = (self.contents, self.selected.callers());
        if all.is_empty() {
            return;
        }
        let mut rows = all.iter().flat_map(|callers| callers.rows);
        let about = match rows.any(|row| row.skips) {
            true => messages::ABOUT_SKIPPED,
            false => "",
        };
        self.section(&format!("{}{about})", messages::TITLE_CALLERS));
        for callers in all {
            let mut line = format!("- `{}` ←", contents.name(callers.method));
            for &frame in callers.through {
                line += &format!(" `{}` ←", contents.name(frame));
            }
            let row = |caller: &ReportCaller| {
                let thread_start = || messages::THREAD_START.into();
                let name = caller
                    .frame
                    .map_or_else(thread_start, |frame| contents.name(frame));
                let user_code = caller.user_code.map_or(String::new(), |frame| {
                    let skipped = if caller.skips { " ← …" } else { "" };
                    format!("{skipped} ← `{}`", contents.name(frame))
                });
                format!(" `{name}`{user_code} {}", self.percent(caller.inclusive))
            };
            line += &callers.rows.iter().map(row).collect::<Vec<_>>().join(",");
            if callers.left_out.sum > 0 {
                line += &format!(", {}", self.left_out(callers.left_out));
            }
            self.line(&line);
        }
    }

    fn tree(&mut self) {
        let rows = self.selected.tree();
        let chains = rows.iter().filter_map(|(_, line)| match line {
            TreeLine::Calls(chain) => Some(*chain),
            TreeLine::LeftOut(_) => None,
        });
        let chains: Vec<&Chain> = chains.collect();
        self.section(messages::TITLE_CALL_TREE);
        if self.has_legend {
            self.legend(&chains);
        }
        self.line("```text");
        let is_counted = |chain: &&Chain| self.contents.calls(chain.last()).is_some();
        let times = match chains.iter().any(is_counted) {
            true => messages::COLUMN_CALLS,
            false => "",
        };
        self.line(&messages::tree_columns(&times));
        for (depth, line) in &rows {
            self.line(&format!("{depth} {}", self.tree_row(line)));
        }
        self.line("```");
    }

    fn legend(&mut self, chains: &[&Chain]) {
        let chains: Vec<_> = chains.iter().map(|row| self.selected.calls(row)).collect();
        let has = |fits: &dyn Fn(&Call<FrameId>) -> bool| {
            chains.iter().any(|(calls, _)| calls.iter().any(fits))
        };
        let is_plumbing = |call: &Call<_>| matches!(call, Call::Word(word) if word == PLUMBING);
        let is_async = |call: &Call<_>| matches!(call, Call::Method(frame) if self.contents.name(*frame).contains("(async"));
        let has_recursion = chains.iter().any(|(_, recursive)| !recursive.is_empty());
        let texts = [
            (has(&is_plumbing), messages::ABOUT_PLUMBING),
            (has(&is_async), messages::ABOUT_ASYNC_CALLERS),
            (has_recursion, messages::ABOUT_RECURSIVE),
        ];
        let texts = texts.into_iter().filter(|(is_needed, _)| *is_needed);
        let texts: Vec<&str> = texts.map(|(_, text)| text).collect();
        if !texts.is_empty() {
            self.line(&texts.join(" "));
        }
    }

    fn tree_row(&self, line: &TreeLine) -> String {
        let (view, summary) = (self.contents.view, &self.contents.summary);
        let chain = match line {
            TreeLine::Calls(chain) => chain,
            TreeLine::LeftOut(rest) => {
                let largest = rest.largest_call.map_or(String::new(), |id| {
                    let node = view.node_label(summary.group(id).heaviest_node);
                    format!(" {} {node}", self.path(&[self.selected.call(id)], &[]))
                });
                return format!("{}{largest}", self.left_out(rest.left_out));
            }
        };
        let [first, last] = [chain.first(), chain.last()].map(|id| summary.group(id));
        let inclusive = self.percent(first.inclusive);
        let last_inclusive = match self.percent(last.inclusive) {
            same if same == inclusive => String::new(),
            other => format!("→{other}"),
        };
        let (calls, recursive) = self.selected.calls(chain);
        let (own, path) = (self.percent(last.exclusive), self.path(&calls, &recursive));
        let times = self.contents.calls(chain.last());
        let times = times.map_or(String::new(), |count| format!(" ×{}", thousands(count)));
        let node = view.node_label(last.heaviest_node);
        let others = match last.node_count {
            0..=1 => String::new(),
            nodes => format!("+{}", nodes - 1),
        };
        format!("{inclusive}{last_inclusive} {own} {path}{times} {node}{others}")
    }

    fn path(&self, calls: &[Call<FrameId>], recursive: &[FrameId]) -> String {
        let word = |call: &Call<FrameId>| match call {
            Call::Method(frame) if recursive.contains(frame) => {
                format!("{} ↻", self.contents.name(*frame))
            }
            Call::Method(frame) => self.contents.name(*frame),
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

/// Exclusive and inclusive.
fn values(row: &Hotspot) -> [u64; 2] {
    [HotspotOrder::Exclusive, HotspotOrder::Inclusive].map(|order| row.weight(order))
}
