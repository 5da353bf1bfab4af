//! How other programs interpret trace events.
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// An event that begins or ends a span.
#[derive(Clone, Debug, Deserialize)]
pub struct Span {
    #[serde(default)]
    pub name: String,
    pub ph: String,
    #[serde(default)]
    pub ts: f64,
    #[serde(default)]
    pub pid: u64,
    #[serde(default)]
    pub tid: u64,
    #[serde(default)]
    pub args: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trace {
    trace_events: Vec<Span>,
}

pub fn spans(text: &[u8]) -> Vec<Span> {
    let trace: Trace = serde_json::from_slice(text).unwrap();
    let mut spans = trace.trace_events;
    spans.retain(|event| ["B", "E"].contains(&event.ph.as_str()));
    // serde_json can be off in the last digit of a float, which matters here; quotes in names are escaped
    let times = std::str::from_utf8(text).unwrap().split("\"ts\":").skip(1);
    let times = times.map(|rest| rest.split([',', '}']).next().unwrap().trim());
    let times: Vec<f64> = times.map(|time| time.parse().unwrap()).collect();
    assert_eq!(times.len(), spans.len(), "only spans have times");
    for (span, time) in spans.iter_mut().zip(times) {
        span.ts = time;
    }
    spans
}

/// The times of a frame, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    pub inclusive: f64,
    pub own: f64,
    /// The number of begins and ends in it and directly below it; only counted for played frames.
    pub events: u64,
}

/// Whose rules to follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Player {
    /// A queue of begins and one of ends, each sorted by time. Of two events at the same time, the end is first,
    /// unless both have the same name and arguments. Of several ends at the same time, the one that matches the
    /// innermost frame is first.
    Speedscope,
    /// Sorted by time, keeping the order of the file at the same time.
    Stable,
    /// Like `Stable`, but in whole nanoseconds.
    StableNanoseconds,
}

#[derive(Default)]
pub struct Played {
    pub times: HashMap<String, Times>,
    pub complaints: Vec<String>,
}

/// Plays the spans of all threads.
pub fn play(spans: &[Span], player: Player) -> Played {
    let mut threads: BTreeMap<(u64, u64), Vec<Span>> = BTreeMap::new();
    for span in spans {
        let thread = threads.entry((span.pid, span.tid)).or_default();
        thread.push(span.clone());
    }
    let mut played = Played::default();
    for mut spans in threads.into_values() {
        let first = spans.iter().map(|span| span.ts).fold(f64::MAX, f64::min);
        for span in &mut spans {
            span.ts = match player {
                Player::Speedscope => span.ts - first,
                Player::Stable => span.ts,
                Player::StableNanoseconds => (span.ts * 1000.0).trunc() / 1000.0,
            };
        }
        let mut thread = Thread {
            played: &mut played,
            stack: Vec::new(),
            open: HashMap::new(),
            now: 0.0,
        };
        match player {
            Player::Speedscope => thread.play_queues(&spans),
            _ => {
                spans.sort_by(|a, b| a.ts.total_cmp(&b.ts));
                spans.iter().for_each(|span| match &*span.ph {
                    "B" => thread.begin(span),
                    _ => thread.end(span),
                });
            }
        }
        if let Some(open) = thread.stack.pop() {
            let complaint = format!("{open} was still open at the end");
            played.complaints.push(complaint);
        }
    }
    played
}

/// The key by which speedscope identifies a frame.
fn key(span: &Span) -> String {
    match &span.args {
        Some(arguments) => format!("{} {arguments}", span.name),
        None => span.name.clone(),
    }
}

/// The state of a thread being played.
struct Thread<'p> {
    played: &'p mut Played,
    stack: Vec<String>,
    /// How often a frame is open, and since when.
    open: HashMap<String, (u64, f64)>,
    now: f64,
}

impl Thread<'_> {
    fn play_queues(&mut self, spans: &[Span]) {
        let queue = |phase| {
            let mut queue: Vec<&Span> = spans.iter().filter(|span| span.ph == phase).collect();
            queue.sort_by(|a, b| a.ts.total_cmp(&b.ts));
            VecDeque::from(queue)
        };
        let (mut begins, mut ends) = (queue("B"), queue("E"));
        loop {
            let takes_begin = match (begins.front(), ends.front()) {
                (None, None) => return,
                (begin, None) => begin.is_some(),
                (None, _) => false,
                (Some(begin), Some(end)) if begin.ts == end.ts => key(begin) == key(end),
                (Some(begin), Some(end)) => begin.ts < end.ts,
            };
            if takes_begin {
                self.begin(begins.pop_front().unwrap());
                continue;
            }
            let at = ends[0].ts;
            let mut same_time = ends.iter().skip(1).take_while(|end| end.ts <= at);
            let fits = same_time.position(|end| Some(&key(end)) == self.stack.last());
            if let Some(fits) = fits {
                ends.swap(0, fits + 1);
            }
            self.end(ends.pop_front().unwrap());
        }
    }

    fn advance(&mut self, at: f64) {
        if let Some(top) = self.stack.last() {
            let times = self.played.times.entry(top.clone()).or_default();
            times.own += (at - self.now) * 1000.0;
            times.events += 1;
        }
        self.now = at;
    }

    fn begin(&mut self, span: &Span) {
        self.advance(span.ts);
        let key = key(span);
        // a frame without times is listed, too
        self.played.times.entry(key.clone()).or_default();
        let open = self.open.entry(key.clone()).or_insert((0, span.ts));
        if open.0 == 0 {
            open.1 = span.ts;
        }
        open.0 += 1;
        self.stack.push(key);
    }

    fn end(&mut self, span: &Span) {
        let key = key(span);
        if self.stack.last() != Some(&key) {
            let top = self.stack.last().map_or("nothing", String::as_str);
            let complaint = format!("{key} ended at {} when {top} was on the top", span.ts);
            self.played.complaints.push(complaint);
            return;
        }
        self.advance(span.ts);
        self.stack.pop();
        let open = self.open.get_mut(&key).expect("it is on the stack");
        open.0 -= 1;
        if open.0 == 0 {
            self.played.times.entry(key).or_default().inclusive += (span.ts - open.1) * 1000.0;
        }
    }
}

/// Asserts that each frame has the expected times, within a thousandth plus a tenth of a nanosecond, plus a nanosecond
/// per event if a player has only whole nanoseconds.
#[track_caller]
pub fn check_times(
    found: &HashMap<String, Times>,
    expect: &HashMap<String, Times>,
    player: Player,
    what: &str,
) {
    let names = |times: &HashMap<String, Times>| times.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(found), names(expect), "{what}, {player:?}");
    for (name, expect) in expect {
        let found = found[name];
        let is_rounded = player == Player::StableNanoseconds;
        let slack = if is_rounded { found.events as f64 } else { 0.0 };
        let is_near =
            |found: f64, expect: f64| (found - expect).abs() <= expect * 0.001 + slack + 0.1;
        let is_same = is_near(found.inclusive, expect.inclusive) && is_near(found.own, expect.own);
        assert!(
            is_same,
            "{what}, {player:?}: {name} has {found:?}, expected {expect:?}"
        );
    }
}
