//! The first line of a sample, `comm pid/tid [cpu] seconds: period event:`, mostly optional.

use std::num::IntErrorKind;

/// Not samples: processes that start or end, files that are mapped.
const RECORD: &str = "PERF_RECORD_";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::importers) struct SampleHeader<'a> {
    pub comm: &'a str,
    pub pid: Option<u32>,
    pub tid: u32,
    pub time_ns: Option<u64>,
    pub period: Option<u64>,
    /// With modifiers, `cycles:u`; empty if unknown.
    pub event: &'a str,
    /// A tracepoint's text, or the only frame.
    pub rest: &'a str,
}

struct Word<'a> {
    at: usize,
    text: &'a str,
}

impl<'a> SampleHeader<'a> {
    pub(super) fn parse(line: &'a str) -> Option<SampleHeader<'a>> {
        let words: Vec<Word> = words(line).take(MAX_WORDS).collect();
        let time = (0..words.len()).find(|&at| is_time(words[at].text));
        let id = match time {
            Some(time) => id_before(&words, time)?,
            None => (1..words.len()).find(|&at| id_of(words[at].text).is_some())?,
        };
        let (pid, tid) = id_of(words[id].text)?;
        let comm = line[..words[id].at].trim();
        let last = time.unwrap_or_else(|| match words.get(id + 1) {
            Some(word) if is_cpu(word.text) => id + 1,
            _ => id,
        });
        let mut rest = line[words[last].at + words[last].text.len()..].trim();
        let first = |rest: &'a str| rest.split([' ', '\t']).next().unwrap_or("");
        let period = period(first(rest));
        if period.is_some() {
            rest = rest[first(rest).len()..].trim_start();
        }
        let event = match first(rest) {
            // other words may follow without a colon
            record if record.starts_with(RECORD) => Some(record),
            event => event.strip_suffix(':').filter(|event| !event.is_empty()),
        };
        if let Some(event) = event {
            rest = rest[event.len()..].trim_start_matches(':').trim_start();
        }
        // without a time, only the event shows that this is a sample
        (time.is_some() || event.is_some()).then_some(SampleHeader {
            comm,
            pid,
            tid,
            time_ns: time.and_then(|time| nanoseconds(words[time].text)),
            period,
            event: event.unwrap_or(""),
            rest,
        })
    }

    pub(super) fn is_record_line(line: &str) -> bool {
        line.contains(RECORD) && SampleHeader::parse(line).is_some_and(|header| header.is_record())
    }

    /// As with `perf script --show-task-events` and `--show-mmap-events`.
    pub(super) fn is_record(&self) -> bool {
        self.event.starts_with(RECORD)
    }

    /// As perf prints by default.
    pub(super) fn has_event_and_time(&self) -> bool {
        self.time_ns.is_some() && !self.event.is_empty()
    }
}

/// The words examined per line; thread names have at most 15 characters.
const MAX_WORDS: usize = 16;

fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    let mut next = 0;
    let words = line.split([' ', '\t']).map(move |text| {
        let at = next;
        next += text.len() + 1;
        Word { at, text }
    });
    words.filter(|word| !word.text.is_empty())
}

fn period(word: &str) -> Option<u64> {
    match word.parse::<u64>() {
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Some(u64::MAX),
        parsed => parsed.ok(),
    }
}

/// `2812.202391:`, usually with 6 or 9 decimals, but perf can print fewer.
fn is_time(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let seconds = word.strip_suffix(':').and_then(|time| time.split_once('.'));
    seconds.is_some_and(|(whole, decimals)| is_number(whole) && is_number(decimals))
}

/// For a word that [`is_time`] accepts, truncated and saturated.
fn nanoseconds(word: &str) -> Option<u64> {
    let (seconds, decimals) = word.strip_suffix(':')?.split_once('.')?;
    let digits = |text: &str| {
        text.bytes().fold(0u64, |sum, b| {
            sum.saturating_mul(10).saturating_add(u64::from(b - b'0'))
        })
    };
    let decimals = &decimals[..decimals.len().min(9)];
    let fraction = digits(decimals) * 10u64.pow(9 - decimals.len() as u32);
    let whole = digits(seconds).saturating_mul(1_000_000_000);
    Some(whole.saturating_add(fraction))
}

fn is_cpu(word: &str) -> bool {
    let inner = word.strip_prefix('[');
    let inner = inner.and_then(|word| word.strip_suffix(']'));
    inner.is_some_and(|inner| !inner.is_empty() && inner.bytes().all(|b| b.is_ascii_digit()))
}

/// The process, if any, and the thread in `12596/12605` or `12605`; -1 is unknown.
fn id_of(word: &str) -> Option<(Option<u32>, u32)> {
    let number = |text: &str| match text {
        "-1" => Some(u32::MAX),
        text => text.parse::<u32>().ok(),
    };
    match word.split_once('/') {
        Some((pid, tid)) => Some((Some(number(pid)?), number(tid)?)),
        None => Some((None, number(word)?)),
    }
}

/// The processor and letters for the mode may come between the ids and the time.
fn id_before(words: &[Word], time: usize) -> Option<usize> {
    let is_mode = |text: &str| text.len() <= 4 && text.bytes().all(|b| b.is_ascii_uppercase());
    let mut at = time.checked_sub(1)?;
    if is_mode(words[at].text) {
        at = at.checked_sub(1)?;
    }
    if is_cpu(words[at].text) {
        at = at.checked_sub(1)?;
    }
    (at > 0 && id_of(words[at].text).is_some()).then_some(at)
}

#[cfg(test)]
mod tests;
