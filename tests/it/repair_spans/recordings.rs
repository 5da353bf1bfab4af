//! Recordings whose stacks were cut: what is written, played and read again.

use super::repaired;
use crate::common::shared;
use dotspot::testing::cli::{OpenOptions, Target, open};
use dotspot::testing::input::Progress;
use dotspot::testing::model::{NodeId, View};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// The text of a file, out of its gzip.
pub fn text(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_none_or(|extension| extension != "gz") {
        return String::from_utf8(bytes).unwrap();
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..])
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    name: String,
    #[serde(rename = "cat")]
    _category: String,
    ph: char,
    ts: f64,
    pid: u64,
    tid: u64,
    sf: usize,
}

#[derive(Deserialize)]
struct StackFrame {
    name: String,
    category: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chromium {
    trace_events: Vec<Event>,
    stack_frames: HashMap<String, StackFrame>,
}

#[derive(Deserialize)]
struct SpeedscopeEvent {
    r#type: char,
    frame: usize,
    at: f64,
}

#[derive(Deserialize)]
struct SpeedscopeProfile {
    name: String,
    events: Vec<SpeedscopeEvent>,
}

#[derive(Deserialize)]
struct Frame {
    name: String,
}

#[derive(Deserialize)]
struct Shared {
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Speedscope {
    shared: Shared,
    profiles: Vec<SpeedscopeProfile>,
}

/// The events of each thread: whether it opens, the frame, the time in microseconds; and the names of the frames.
struct Trace {
    threads: BTreeMap<String, Vec<(bool, usize, f64)>>,
    names: Vec<String>,
}

fn chromium(text: &str) -> Trace {
    let Chromium {
        trace_events,
        stack_frames,
    } = serde_json::from_str(text).unwrap();
    let mut trace = Trace {
        threads: BTreeMap::new(),
        names: vec![String::new(); stack_frames.len()],
    };
    for (id, frame) in &stack_frames {
        let StackFrame { name, category } = frame;
        trace.names[id.parse::<usize>().unwrap()] = if category.is_empty() {
            name.clone()
        } else {
            format!("{category}!{name}")
        };
    }
    for Event {
        name,
        ph,
        ts,
        pid,
        tid,
        sf,
        ..
    } in trace_events
    {
        assert_eq!(
            (&stack_frames[&sf.to_string()].name, pid),
            (&name, 0),
            "`sf` names the event's own frame"
        );
        trace
            .threads
            .entry(tid.to_string())
            .or_default()
            .push((ph == 'B', sf, ts));
    }
    trace
}

fn speedscope(text: &str) -> Trace {
    let Speedscope { shared, profiles } = serde_json::from_str(text).unwrap();
    let events = |profile: SpeedscopeProfile| {
        let events = profile
            .events
            .iter()
            .map(|event| (event.r#type == 'O', event.frame, event.at * 1000.0));
        (profile.name, events.collect())
    };
    let names = shared.frames.into_iter().map(|frame| frame.name).collect();
    Trace {
        threads: profiles.into_iter().map(events).collect(),
        names,
    }
}

/// A stack that lasts, with its begin and its end.
struct State {
    from: f64,
    to: f64,
    stack: Vec<usize>,
}

/// Plays a thread, which must be nested and in order of time.
fn play(events: &[(bool, usize, f64)]) -> Vec<State> {
    let (mut states, mut stack, mut now): (Vec<State>, Vec<usize>, f64) =
        (Vec::new(), Vec::new(), events[0].2);
    for &(opens, frame, at) in events {
        assert!(at >= now, "time goes on");
        if at > now && !stack.is_empty() {
            states.push(State {
                from: now,
                to: at,
                stack: stack.clone(),
            });
        }
        now = at;
        match opens {
            true => stack.push(frame),
            false => assert_eq!(
                stack.pop(),
                Some(frame),
                "each end belongs to the innermost span"
            ),
        }
    }
    assert!(stack.is_empty(), "each begin has its end");
    states
}

/// How much time a thread spends in what ends its stacks, by name, and in what does not.
fn leaf_times(trace: &Trace, states: &[State]) -> BTreeMap<String, f64> {
    let mut times = BTreeMap::new();
    for State { from, to, stack } in states {
        let name = &trace.names[stack[stack.len() - 1]];
        let is_leaf = ["CPU_TIME", "UNMANAGED_CODE_TIME"].contains(&name.as_str());
        *times
            .entry(if is_leaf { name.clone() } else { String::new() })
            .or_default() += to - from;
    }
    times
}

/// Process, activities, threads, thread.
const HEADER: usize = 4;

/// A picosecond, in microseconds: what begins where something ends does so less than that later, if at all.
const HAIR: f64 = 1e-6;

/// What two traces tell of a repair.
#[derive(Default)]
struct Compared {
    /// How deep the deepest stacks are, in the original and the repaired one.
    depths: [usize; 2],
    /// How much wall time may have moved from one node to another, in nanoseconds.
    most_moved: u64,
    /// How often a stack of 100 methods begins that does not start as threads do, and how often more callers stand above it.
    truncated: u64,
    repaired: u64,
}

/// With what the stacks of the program's own threads start.
const START: &str = "System.Private.CoreLib!System.Threading.Thread.StartCallback()";

/// Compares a repaired trace with the original, thread by thread.
fn check_traces(original: &Trace, repaired: &Trace) -> Compared {
    assert_eq!(original.names, repaired.names);
    assert!(original.threads.keys().eq(repaired.threads.keys()));
    let mut compared = Compared::default();
    for (thread, events) in &original.threads {
        let (before, after) = (play(events), play(&repaired.threads[thread]));
        let deepest = |states: &[State]| {
            states
                .iter()
                .map(|state| state.stack.len() - HEADER)
                .max()
                .unwrap()
        };
        for (depth, states) in compared.depths.iter_mut().zip([&before, &after]) {
            *depth = (*depth).max(deepest(states));
        }
        if deepest(&before) < 101 {
            let after = &repaired.threads[thread];
            let is_same = |(before, after): (&(bool, usize, f64), &(bool, usize, f64))| {
                // ends and begins are told apart by less than a nanosecond
                (before.0, before.1) == (after.0, after.1) && (before.2 - after.2).abs() < 0.001
            };
            let are_same = events.len() == after.len() && events.iter().zip(after).all(is_same);
            assert!(are_same, "{thread} was not cut and is the same");
        }
        let [times_before, times_after] =
            [leaf_times(original, &before), leaf_times(repaired, &after)];
        // a joined gap is time of the joined spans, and was time of the thread or of callers; begin and end are rounded
        let gaps_ns = times_before.get("").copied().unwrap_or(0.0) * 1000.0;
        compared.most_moved += gaps_ns as u64 + before.len() as u64;
        for (leaf, time) in &times_before {
            // sums of 10,000 numbers of 10^7 with 16 digits
            let tolerance = if leaf.is_empty() { 10.0 } else { 1e-4 };
            let after = times_after.get(leaf).copied().unwrap_or(0.0);
            assert!(
                (time - after).abs() < tolerance,
                "{thread} {leaf}: {time} and {after} us"
            );
        }
        let (mut at, mut last): (usize, &[usize]) = (0, &[]);
        for State { from, to, stack } in &before {
            if to - from <= HAIR {
                continue;
            }
            while after[at].to <= *from + HAIR {
                at += 1;
            }
            if original.names[stack[stack.len() - 1]].ends_with("_TIME") {
                let found = &after[at].stack;
                assert!(after[at].from <= *from + HAIR);
                assert_eq!(found[..HEADER], stack[..HEADER], "{thread} at {from}");
                assert!(
                    found[HEADER..].ends_with(&stack[HEADER..]),
                    "{thread} at {from}: only callers are put in"
                );
                let methods = &stack[HEADER..stack.len() - 1];
                let is_cut = methods.len() == 100 && original.names[methods[0]] != START;
                // what rounding left is no stack of its own
                if to - from > 0.001 && std::mem::replace(&mut last, methods) != methods && is_cut {
                    compared.truncated += 1;
                    compared.repaired += u64::from(found.len() > stack.len());
                }
            }
        }
    }
    compared
}

fn read(path: &Path, repairs: bool) -> View {
    let profile = open(
        &Target::new(Some(path)),
        &OpenOptions {
            repairs,
            ..OpenOptions::default()
        },
        Progress::default(),
    )
    .unwrap();
    profile.tree.check().unwrap();
    profile
}

/// The exclusive values of two trees in both metrics, node by node; what is left truncated hangs below its thread in both.
/// Nodes are told by their callers and names, and numbered as they come.
fn side_by_side(profiles: [&View; 2]) -> Vec<([[u64; 2]; 2], String)> {
    let mut numbers: HashMap<(usize, String), usize> = HashMap::new();
    let mut rows = vec![([[0; 2]; 2], String::new())];
    for (side, profile) in profiles.into_iter().enumerate() {
        let metrics = ["CPU", "wall"].map(|name| profile.metric_named(name).unwrap());
        let mut places = vec![0; profile.tree.len()];
        for node in profile.tree.nodes().skip(1) {
            let above = places[profile.tree.parent(node).unwrap_or(NodeId::ROOT).index()];
            let name = profile.name(node).to_string();
            let place = match name.starts_with("[truncated at ") {
                true => above,
                false => *numbers.entry((above, name.clone())).or_insert_with(|| {
                    rows.push(([[0; 2]; 2], name));
                    rows.len() - 1
                }),
            };
            places[node.index()] = place;
            for (metric, id) in metrics.into_iter().enumerate() {
                rows[place].0[side][metric] += profile.tree.exclusive(id, node);
            }
        }
    }
    rows
}

#[track_caller]
fn check(file: &str, gap_us: u64, least_repaired_percent: u64) {
    let Some(path) = shared(&format!("net10/{file}")) else {
        return;
    };
    let (format, parse): (_, fn(&str) -> Trace) = if file.contains("chromium") {
        ("trace-event", chromium)
    } else {
        ("speedscope", speedscope)
    };
    let original_text = text(&path);
    let original = parse(&original_text);
    let folder = tempfile::tempdir().unwrap();
    {
        let (written, counts, joined) = repaired(format, original_text.as_bytes(), gap_us).unwrap();
        let repaired = parse(&written);
        if file.contains("chromium") {
            super::read_alike(
                &crate::common::trace_players::spans(written.as_bytes()),
                file,
            );
        }
        let Compared {
            depths: [before, after],
            most_moved,
            truncated,
            repaired: callers_found,
        } = check_traces(&original, &repaired);
        assert!(
            before == 101 && after > before,
            "from {before} to {after} with the leaf"
        );
        assert_eq!(
            (counts.limit, counts.truncated, counts.repaired),
            (Some(100), truncated, callers_found)
        );
        assert!(
            truncated > 1000 && callers_found * 100 >= truncated * least_repaired_percent,
            "{callers_found} of {truncated}"
        );
        let opened = |trace: &Trace| {
            trace
                .threads
                .values()
                .flatten()
                .filter(|(opens, ..)| *opens)
                .count() as u64
        };
        // each span of the original is there, or part of the one before; others were put in
        assert!(joined > 1000 && opened(&original) - joined <= opened(&repaired));
        let place = folder.path().join(file.trim_end_matches(".gz"));
        fs::write(&place, written).unwrap();
        let (in_memory, reread) = (read(&path, true), read(&place, false));
        let wall = in_memory.metric_named("wall").unwrap();
        let total = |profile: &View| profile.tree.inclusive(wall, NodeId::ROOT);
        assert_eq!(total(&in_memory), total(&reread));
        let (mut moved, mut nodes) = (0, 0);
        for ([[cpu, wall], [cpu_again, wall_again]], name) in side_by_side([&in_memory, &reread]) {
            assert_eq!(cpu, cpu_again, "{file}: CPU time of {name}");
            nodes += usize::from(wall > 0);
            moved += wall_again.saturating_sub(wall);
            assert!(
                gap_us > 0 || wall == wall_again,
                "{file}: {name} has {wall} and {wall_again} ns"
            );
        }
        assert!(
            nodes > 200 && moved <= most_moved,
            "{file}: {moved} ns of at most {most_moved} moved, {nodes} nodes"
        );
    }
}

#[test]
fn cycle_chromium() {
    check("deepstacks-cycle.chromium.json.gz", 0, 95);
}

#[test]
fn mutual_speedscope() {
    check("deepstacks-mutual.speedscope.json.gz", 50, 100);
}
