//! The text of `perf script`: Linux perf's samples with their stacks, also of .NET programs.
//!
//! ```text
//! dotnet 12596/12605  2812.204717:    2004008 cpu-clock:
//!         7f567a06e252 int32 [Workload] Demo.Deep::Level(int32,int32)[OptimizedTier1]+0x12 (/tmp/perf-12596.map)
//!               1505d5 ManagedThreadBase_DispatchOuter+0x155 (/usr/share/dotnet/libcoreclr.so)
//!
//! ```
//!
//! With `-F +srcline`, the source is on the line after a frame, indented further and without an address. [`maps`] has
//! the names in `perf-PID.map` next to the file, for frames that perf could not name because it ran elsewhere or
//! later.
//!
//! Every event is a metric: the sum of the samples' periods if they have any, which is how often the event happened,
//! else the number of samples. The period of `cpu-clock` and `task-clock` is in nanoseconds, so these are times.
//!
//! Raw names are the file's without the offset into the method and without the tier, so that all code of a method is
//! one. Functions of native modules have the module's file name in front, `libcoreclr.so!ThreadNative::KickOffThread`.

mod frame;
pub(super) mod header;
mod images;
pub(super) mod map;
pub(super) mod maps;
pub(super) mod samples;

use super::{Format, ReadOptions};
use crate::diagnostics::{LineFault, NamelessCause};
use crate::importers::collapsed::{count_line, lines_left_out, start_of_line};
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::lines::{Lines, head_text};
use crate::input::{Confidence, Head, ImportError, Input};
use crate::model::{Recording, TooLarge};
use header::SampleHeader;
use maps::Maps;
use samples::{PerfSamples, Sample};

pub(super) const FORMAT: Format = Format {
    name: "perfscript",
    title: "perf script output",
    extensions: &[".perf", ".data.txt", ".trace.zip"],
    metrics: messages::METRICS_OF_PERF,
    limitations: messages::LIMITS_OF_PERF,
    sniff,
    read,
};

/// A sample with a stack, or the comment that perf writes before them.
fn sniff(head: &Head) -> Option<Confidence> {
    let text = head_text(head.bytes);
    if text.lines().any(SampleHeader::is_record_line) {
        return Some(Confidence::Likely);
    }
    let mut lines = text
        .lines()
        .skip_while(|line| line.is_empty() || line.starts_with('#'));
    let Some(first) = lines.next() else {
        let is_comment = text.contains("# captured on") || text.contains("# cmdline :");
        return is_comment.then_some(Confidence::Likely);
    };
    let header = SampleHeader::parse(first)?;
    // without a stack, the next line is another header
    let Some(next) = lines.find(|line| !line.trim().is_empty()) else {
        let is_short = text.len() < first.len() + 200;
        return (is_short && header.has_event_and_time()).then_some(Confidence::Name);
    };
    let is_frame = frame::has_address(next) && next.starts_with(['\t', ' ']);
    // the only frame may be on the line of the sample, followed by its source
    let is_source = next.starts_with("  ") && frame::has_address(header.rest);
    let is_other = || {
        let next = SampleHeader::parse(next);
        next.is_some_and(|next| next.has_event_and_time())
    };
    let is_any = header.has_event_and_time() && (is_bare_frame(next) || is_other());
    (is_frame || is_source || is_any).then_some(Confidence::Likely)
}

/// A frame that lost its indentation, as in pasted text.
fn is_bare_frame(line: &str) -> bool {
    frame::has_address(line)
        && SampleHeader::parse(line).is_none_or(|header| header.time_ns.is_none())
}

fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let mut maps = Maps::next_to(&input);
    let mut reader = ScriptReader {
        name: input.name.clone(),
        samples: PerfSamples::new(),
        current: None,
        facts: Vec::new(),
        unreadable: None,
    };
    let mut lines = Lines::new(input, FORMAT.title);
    while let Some(line) = lines.next(reader.samples.len())? {
        if !reader.line(line, &mut maps)? {
            let start = start_of_line(line);
            count_line(&mut reader.unreadable, lines.number, start);
        }
    }
    reader.end_sample()?;
    reader.finish(&maps)
}

struct ScriptReader {
    name: String,
    samples: PerfSamples,
    current: Option<Sample>,
    facts: Vec<(&'static str, String)>,
    /// How many, and the line number and text of the first.
    unreadable: Option<(u64, u64, String)>,
}

impl ScriptReader {
    fn line(&mut self, line: &[u8], maps: &mut Maps) -> Result<bool, ImportError> {
        if line.trim_ascii().is_empty() {
            return self.end_sample().map(|()| true);
        }
        let text = || String::from_utf8_lossy(line);
        if line[0] == b'#' {
            self.comment(&text());
            return Ok(true);
        }
        if let Some(sample) = &mut self.current {
            let is_frame = match line[0] {
                // source code, from `perf script -F +srccode`
                b'|' => return Ok(true),
                b'\t' => true,
                // headers may be indented, too
                b' ' => SampleHeader::parse(&text())
                    .is_none_or(|header| header.time_ns.is_none() && !header.is_record()),
                _ => is_bare_frame(&text()),
            };
            if is_frame {
                self.samples.push_frame(sample, line, maps)?;
                return Ok(true);
            }
        }
        self.end_sample()?;
        let text = text();
        let Some(header) = SampleHeader::parse(&text) else {
            return Ok(false);
        };
        if header.is_record() {
            return Ok(true);
        }
        let sample = self.samples.begin(&header);
        let mut sample = sample.map_err(|TooLarge| too_large(&self.name, FORMAT.title))?;
        // without call chains, the only frame follows the event
        if frame::has_address(header.rest) {
            let line = header.rest.as_bytes();
            self.samples.push_frame(&mut sample, line, maps)?;
        }
        self.current = Some(sample);
        Ok(true)
    }

    fn end_sample(&mut self) -> Result<(), ImportError> {
        let sample = self.current.take();
        let added = sample.map_or(Ok(()), |sample| self.samples.add(sample));
        added.map_err(|TooLarge| too_large(&self.name, FORMAT.title).into())
    }

    /// What perf writes about the recording before the samples.
    fn comment(&mut self, line: &str) {
        const FACTS: [(&str, &str); 5] = [
            ("captured on", "recorded"),
            ("os release", "operating system"),
            ("arch", "architecture"),
            ("cpudesc", "processor"),
            ("cmdline", "perf command"),
        ];
        let Some((key, text)) = line.trim_start_matches('#').split_once(':') else {
            return;
        };
        let fact = FACTS.iter().find(|(name, _)| *name == key.trim());
        let is_new = |what| !self.facts.iter().any(|(known, _)| *known == what);
        if let Some(&(_, what)) = fact.filter(|(_, what)| is_new(*what)) {
            self.facts.push((what, text.trim().to_string()));
        }
    }

    fn finish(self, maps: &Maps) -> Result<Recording, ImportError> {
        let cause = match maps.is_missing {
            true => NamelessCause::NoPerfMap,
            false => NamelessCause::NotInPerfMap,
        };
        let unreadable = lines_left_out(self.unreadable, LineFault::Unreadable);
        let own = self.samples.diagnostics().into_iter();
        let nameless = self.samples.frame_counts.diagnostic(cause);
        let diagnostics = unreadable.into_iter().chain(own).chain(nameless).collect();
        let file = (&*self.name, &FORMAT, maps);
        let failure = (messages::NO_PERF_SAMPLE, messages::PRINT_WITH_PERF_SCRIPT);
        self.samples.finish(file, self.facts, diagnostics, failure)
    }
}

#[cfg(test)]
mod tests;
