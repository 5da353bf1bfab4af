//! The results of speedscope's own importers for its sample profiles: the jest snapshots of its tests.
use std::collections::BTreeMap;

/// The files in speedscope's own format below `speedscope/`, its tests of them in `file-format.test.ts`, and the number
/// of stored units in one unit of the file.
pub const SPEEDSCOPE: &[(&str, &str, f64)] = &[
    ("0.0.1/simple.speedscope.json", "0.0.1 evented profile", 1.0),
    (
        "0.0.1/simple-no-pretty-print.speedscope.json",
        "0.0.1 evented profile (no pretty print)",
        1.0,
    ),
    (
        "0.1.2/simple-sampled.speedscope.json",
        "0.1.2 sampled profile",
        1e9,
    ),
    (
        "0.6.0/two-sampled.speedscope.json",
        "0.6.0 multiple profiles",
        1e9,
    ),
];

/// speedscope's tests and their files, as in its `trace-event.test.ts`.
pub const TRACE_EVENTS: &[(&str, &str)] = &[
    ("simple", "simple"),
    ("simple object", "simple-object"),
    ("partial json import", "simple-partial"),
    (
        "partial json import trailing comma",
        "simple-partial-trailing-comma",
    ),
    (
        "partial json import whitespace padding",
        "simple-partial-whitespace",
    ),
    ("event re-ordering", "must-retain-original-order"),
    ("mismatched args", "mismatched-args"),
    ("mismatched name", "mismatched-name"),
    ("not enough end events", "not-enough-end-events"),
    (
        "not out-of-order unbalanced name",
        "out-of-order-unbalanced-name",
    ),
    ("not out-of-order", "out-of-order"),
    ("unbalanced name", "unbalanced-name"),
    ("end event with empty stack", "end-event-with-empty-stack"),
    ("only begin events", "only-begin-events"),
    ("zero duration events", "zero-duration-events"),
    ("x events matching end", "x-events-matching-end"),
    ("BEX interaction", "bex-interaction"),
    ("invalid x nesting", "invalid-x-nesting"),
    ("simple profile with samples", "simple-with-samples"),
    (
        "multi-thread profile with samples",
        "multi-thread-with-samples",
    ),
];

/// A profile in a snapshot.
#[derive(Debug, Default)]
pub struct Snap {
    pub name: String,
    /// name, own weight, weight
    pub frames: Vec<(String, f64, f64)>,
    /// frames, outermost first, with their weight, in order
    pub stacks: Vec<(Vec<String>, f64)>,
}

impl Snap {
    /// The sum of weights by stack, without empty stacks.
    pub fn by_stack(&self) -> BTreeMap<Vec<String>, f64> {
        let mut sums = BTreeMap::new();
        for (stack, weight) in self.stacks.iter().filter(|(stack, _)| !stack.is_empty()) {
            *sums.entry(stack.clone()).or_insert(0.0) += weight;
        }
        sums
    }
}

/// The profiles of the test named `test`, in order.
pub fn snaps(text: &str, test: &str) -> Vec<Snap> {
    let mut found = Vec::new();
    for part in text.split("exports[`").skip(1) {
        let (head, body) = part.split_once("`] = `").expect("a name and a body");
        let (name, number) = head.rsplit_once(' ').expect("a name and a number");
        if name == test && number.parse::<u32>().is_ok() && body.starts_with('\n') {
            found.push(snap(body));
        }
    }
    assert!(!found.is_empty(), "no snapshot {test}");
    found
}

fn snap(body: &str) -> Snap {
    let mut snap = Snap::default();
    let quoted = |line: &str, key: &str| -> Option<String> {
        let rest = line.trim().strip_prefix(&format!("\"{key}\": "))?;
        Some(rest.trim_end_matches(',').trim_matches('"').to_string())
    };
    let (frames, rest) = body.split_once("\n  ],").expect("frames end");
    for frame in frames.split("Frame {").skip(1) {
        let value = |key| frame.lines().find_map(|line| quoted(line, key)).unwrap();
        let [own, total] = ["selfWeight", "totalWeight"].map(|key| value(key).parse().unwrap());
        snap.frames.push((bare(&value("name")), own, total));
    }
    snap.name = rest.lines().find_map(|line| quoted(line, "name")).unwrap();
    let (_, stacks) = rest.split_once("\"stacks\": [").expect("stacks");
    let lines = stacks.lines().map(str::trim);
    for line in lines.filter(|line| line.starts_with('"')) {
        let line = line.trim_end_matches(',').trim_matches('"');
        let (stack, weight) = line.rsplit_once(' ').expect("a stack and a weight");
        let names = stack.split(';').filter(|name| !name.is_empty());
        let stack = names.map(bare).collect();
        snap.stacks.push((stack, seconds_or_number(weight)));
    }
    snap
}

/// A name without the arguments that speedscope appends.
fn bare(name: &str) -> String {
    name.split(" {").next().unwrap_or(name).to_string()
}

/// `2.00s` and `30.78ms` in seconds, `14` as is.
fn seconds_or_number(text: &str) -> f64 {
    for (unit, seconds) in [("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)] {
        if let Some(number) = text.strip_suffix(unit) {
            return number.parse::<f64>().expect("a number") * seconds;
        }
    }
    text.parse().expect("a number")
}
