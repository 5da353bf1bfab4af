//! How other programs interpret trace events.
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, VecDeque};

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

/// The span events in a file.
pub fn spans(text: &[u8]) -> Vec<Span> {
    let trace: Trace = serde_json::from_slice(text).unwrap();
    let mut spans: Vec<Span> = trace
        .trace_events
        .into_iter()
        .filter(|event| ["B", "E"].contains(&event.ph.as_str()))
        .collect();
    // serde_json can be off in the last digit of a float, which matters here; quotes in names are escaped
    let text = std::str::from_utf8(text).unwrap();
    let times = text
        .split("\"ts\":")
        .skip(1)
        .map(|rest| rest.split([',', '}']).next().unwrap().trim());
    let times: Vec<f64> = times.map(|time| time.parse().unwrap()).collect();
    assert_eq!(
        times.len(),
        spans.len(),
        "each event has a time, and nothing else"
    );
    spans
        .iter_mut()
        .zip(times)
        .for_each(|(span, time)| span.ts = time);
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
    /// Two queues, of begins and of ends, each sorted by time. Of two events at the same time, the end comes first,
    /// unless both have the same name and arguments. Of several ends at the same time, the one that matches the
    /// innermost frame comes first.
    Speedscope,
    /// Sorted by time, keeping the order of the file at the same time.
    Stable,
    /// Like `Stable`, but in whole nanoseconds.
    StableNanoseconds,
}

/// The result of a player.
#[derive(Default)]
pub struct Played {
    pub times: HashMap<String, Times>,
    pub complaints: Vec<String>,
}

/// Plays the spans of all threads.
pub fn play(spans: &[Span], player: Player) -> Played {
    let mut threads: BTreeMap<(u64, u64), Vec<Span>> = BTreeMap::new();
    for span in spans {
        threads
            .entry((span.pid, span.tid))
            .or_default()
            .push(span.clone());
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
                spans.iter().for_each(|span| {
                    if span.ph == "B" {
                        thread.begin(span)
                    } else {
                        thread.end(span)
                    }
                });
            }
        }
        if let Some(open) = thread.stack.last().cloned() {
            thread
                .played
                .complaints
                .push(format!("{open} was still open at the end"));
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
            let same_time = ends.iter().skip(1).take_while(|end| end.ts <= at);
            if let Some(fits) = same_time
                .clone()
                .position(|end| Some(&key(end)) == self.stack.last())
            {
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
            self.played.complaints.push(format!(
                "{} ended at {} when {top} was on the top",
                key, span.ts
            ));
            return;
        }
        self.advance(span.ts);
        self.stack.pop();
        let open = self
            .open
            .get_mut(&key)
            .expect("what is on the stack is open");
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
    let names = |times: &HashMap<String, Times>| {
        let mut names: Vec<String> = times.keys().cloned().collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(found), names(expect), "{what}, {player:?}");
    for (name, expect) in expect {
        let found = found[name];
        let slack = if player == Player::StableNanoseconds {
            found.events as f64
        } else {
            0.0
        };
        for (kind, found, expect) in [
            ("inclusive", found.inclusive, expect.inclusive),
            ("own", found.own, expect.own),
        ] {
            let is_near = (found - expect).abs() <= expect * 0.001 + slack + 0.1;
            assert!(
                is_near,
                "{what}, {player:?}: {name} has {found} ns {kind}, expected {expect}"
            );
        }
    }
}
