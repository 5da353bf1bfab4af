//! How long a key takes from the event to the drawn screen, on trees of 2 and 10 million nodes, a chain of a
//! million, and a million siblings.
//!
//! `cargo bench --bench keys`. Every key goes through the real keymap, `App::update` and draws a screen of 160 x 50. The
//! worker's jobs are not timed: the screen does not wait for them.

#[path = "../tests/common/stage.rs"]
mod stage;

use dotspot::testing::analysis::scoped;
use dotspot::testing::app::ViewOverTime;
use dotspot::testing::importers::import;
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::{
    Amount, CountKind, FrameId, Frames, Metric, MetricId, ProfileKind, Recording, Scope, Source,
    Synthetic, Thread, ThreadTruncation, TimeRange, TreeBuilder, Truncation, View,
};
use dotspot::testing::names::FrameKind;
use stage::Stage;
use std::time::Instant;

/// Keys in an order that opens, moves, sorts, searches, focuses and walks.
const KEYS: &str = "j E G g pagedown ctrl-d J K H s j k G H h g S s s G k g s j E G k H h C enter E z z f esc p p 2 j enter n n N 1 * esc x esc ? esc r r m w esc c e / p r i c e esc R R j E R R G R R u u u @ @ @ B B B B g j d esc D esc b tab j l tab esc i j l esc L j s o esc v j esc V esc = esc & a esc }";

/// The same in the flame graph.
const FLAME_KEYS: &str = "F j j j j l l h k pagedown ctrl-d pageup G k k g j j enter j j enter G esc esc / p r i c e 1 enter j esc n n m W r b esc esc F G esc esc";

/// Keys of the strip, of time ranges and lanes, and of lists with a column that shows when their rows ran.
const TIME_KEYS: &str = "F F l l l h + l j - esc esc esc shift-right shift-right shift-left j E j j pagedown 2 j j [ esc + - esc T l j j shift-right n N enter esc T + esc esc L j pagedown G esc m W | |";

fn main() {
    print_time();
    type Case = (&'static str, fn() -> View);
    let cases: [Case; 5] = [
        ("2 M nodes", || bushy(2_000_000, usize::MAX)),
        ("2 M, repaired", repaired),
        ("10 M nodes", || bushy(10_000_000, usize::MAX)),
        ("a chain of 1 M", || chain(1_000_000)),
        ("1 M siblings", || fan(1_000_000)),
    ];
    println!(
        "{:<22} {:>10} {:>10} {:>10}   slowest keys",
        "tree", "median ms", "p95 ms", "max ms"
    );
    for (name, make) in cases {
        let mut stage = Stage::new(make(), 160, 50);
        print_times(&mut stage, name, KEYS);
        let mut stage = Stage::new(make(), 160, 50);
        print_times(&mut stage, &format!("{name}, flame"), FLAME_KEYS);
    }
}

/// A recording of 600,000 samples of 60 threads on a screen of 200 x 60: keys, and the worker's jobs for them.
fn print_time() {
    let view = timed(60, 10_000);
    let mut stage = Stage::new(view.clone(), 200, 60);
    print_times(&mut stage, "600,000 samples", TIME_KEYS);
    let took = |name: &str, work: &dyn Fn()| {
        let start = Instant::now();
        work();
        println!(
            "{name:<22} {:>10.2} ms",
            start.elapsed().as_secs_f64() * 1e3
        );
    };
    let view = std::sync::Arc::new(view);
    let metric = view.recording.default_metric;
    took("strip", &|| {
        drop(std::hint::black_box(ViewOverTime::new(&view, metric)))
    });
    let range = Some(TimeRange {
        from_ns: 2_000_000_000,
        to_ns: 7_000_000_000,
    });
    let scope = Scope {
        range,
        ..view.steps.scope.clone()
    };
    took("range", &|| {
        drop(std::hint::black_box(scoped(&view.recording, &scope)))
    });
}

/// This many threads with this many samples of 1 ms each, in 300 stacks of 4 to 23 frames.
fn timed(threads: usize, samples: usize) -> View {
    let frames: Vec<String> = (0..1000)
        .map(|n| format!("{{\"name\":\"Acme.Shop.Service{}.Work{n}\"}}", n % 90))
        .collect();
    let stack = |n: usize| {
        let frames = (0..4 + n % 20).map(|depth| ((n * 7 + depth * 31) % 1000).to_string());
        format!("[{}]", frames.collect::<Vec<_>>().join(","))
    };
    let stacks: Vec<String> = (0..300).map(stack).collect();
    let profile = |thread: usize| {
        let stacks = (0..samples).map(|n| stacks[(n * n / 50 + thread * 13) % 300].as_str());
        format!(
            "{{\"type\":\"sampled\",\"name\":\"worker {thread}\",\"unit\":\"milliseconds\",\"startValue\":0,\"endValue\":{samples},\"samples\":[{}],\"weights\":[{}]}}",
            stacks.collect::<Vec<_>>().join(","),
            vec!["1"; samples].join(",")
        )
    };
    let profiles: Vec<String> = (0..threads).map(profile).collect();
    let text = format!(
        "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{{\"frames\":[{}]}},\"profiles\":[{}]}}",
        frames.join(","),
        profiles.join(",")
    );
    let bytes = std::io::Cursor::new(text.into_bytes());
    let input = Input::stream(
        "bench.speedscope.json",
        Box::new(bytes),
        Progress::default(),
    );
    let recording = input.and_then(import);
    recording
        .expect("speedscope as its importer reads it")
        .into_view()
}

fn print_times(stage: &mut Stage, name: &str, keys: &str) {
    let mut times: Vec<(f64, &str)> = Vec::new();
    for key in keys.split_whitespace() {
        times.push((time_key(stage, key), key));
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].0;
    let slowest: Vec<String> = times
        .iter()
        .rev()
        .take(4)
        .map(|(ms, key)| format!("{key} {ms:.1}"))
        .collect();
    println!(
        "{name:<22} {:>10.2} {:>10.2} {:>10.2}   {}",
        at(0.5),
        at(0.95),
        at(1.0),
        slowest.join(", ")
    );
}

/// Milliseconds from the key to the drawn screen, without the worker's job.
fn time_key(stage: &mut Stage, key: &str) -> f64 {
    let start = Instant::now();
    let effects = stage.press_without_work(key);
    std::hint::black_box(stage.screen());
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    stage.do_work(effects);
    elapsed
}

/// The tree of 2 million nodes, repaired from stacks truncated at 20 frames.
fn repaired() -> View {
    let (complete, cut) = (bushy(2_000_000, usize::MAX), bushy(2_000_000, 20));
    let all = Amount {
        samples: 1000,
        value: 1000,
    };
    let thread = ThreadTruncation {
        all,
        truncated: all,
        repaired: all,
        ..ThreadTruncation::default()
    };
    let truncation = Truncation {
        limit: 20,
        metric: MetricId(0),
        has_samples: true,
        threads: vec![thread],
    };
    let repaired = complete.into_recording().original;
    cut.into_recording()
        .with_repair(repaired, truncation)
        .into_view()
}

/// A tree shaped like real ones: depth around 30, a few hot methods, 8,000 names. Without truncation at `limit` frames, it
/// would have `nodes` nodes.
fn bushy(nodes: usize, limit: usize) -> View {
    let mut frames = Frames::default();
    let methods: Vec<FrameId> = (0..8000)
        .map(|n| {
            frames.intern(
                FrameKind::Method,
                &format!("Acme.Orders!Acme.Orders.Service{}.Price{n}(int32)", n % 700),
                "",
            )
        })
        .collect();
    let marker = frames.add_synthetic(Synthetic::Truncated { limit: 20 });
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below
    };
    grow(frames, |builder, base| {
        let mut path = Vec::new();
        let mut whole = TreeBuilder::new(builder.frame(TreeBuilder::ROOT), &[]);
        while whole.len() < nodes {
            path.truncate(path.len() * random(100) / 100 + path.len() / 8);
            while path.len() < 20 + random(20) {
                let hot = random(methods.len()) * random(100) * random(100) / 10_000;
                path.push(methods[hot]);
            }
            whole
                .push_stack(TreeBuilder::ROOT, path.iter().copied())
                .expect("fewer than 4 G nodes");
            let cut = (path.len() > limit).then_some(marker);
            let recorded = cut
                .into_iter()
                .chain(path[path.len().saturating_sub(limit)..].iter().copied());
            let leaf = builder
                .push_stack(base, recorded)
                .expect("fewer than 4 G nodes");
            builder.add_exclusive(MetricId(0), leaf, 1_000_000 * (1 + random(200) as u64));
            builder.add_count(MetricId(0), leaf, 1);
        }
    })
}

/// One method that calls a million others.
fn fan(width: usize) -> View {
    let mut frames = Frames::default();
    let caller = frames.intern(FrameKind::Method, "Wide!Wide.Run()", "");
    let methods: Vec<FrameId> = (0..width)
        .map(|n| frames.intern(FrameKind::Method, &format!("Wide!Wide.Step{n}()"), ""))
        .collect();
    grow(frames, |builder, base| {
        for (n, &method) in methods.iter().enumerate() {
            let leaf = builder
                .push_stack(base, [caller, method])
                .expect("fewer than 4 G nodes");
            builder.add_exclusive(MetricId(0), leaf, 1_000_000 * (n as u64 % 977));
            builder.add_count(MetricId(0), leaf, n as u64 % 13);
        }
    })
}

/// One stack, very deep.
fn chain(depth: usize) -> View {
    let mut frames = Frames::default();
    let methods = ["Even", "Odd"]
        .map(|name| frames.intern(FrameKind::Method, &format!("Deep!Deep.{name}()"), ""));
    grow(frames, |builder, base| {
        let stack = (0..depth).map(|level| methods[level % 2]);
        let leaf = builder
            .push_stack(base, stack)
            .expect("fewer than 4 G nodes");
        builder.add_exclusive(MetricId(0), leaf, 1_000_000);
        builder.add_count(MetricId(0), leaf, 1);
    })
}

fn grow(
    mut frames: Frames,
    fill: impl FnOnce(&mut TreeBuilder, dotspot::testing::model::RawNode),
) -> View {
    let metrics = vec![Metric::time("time", Some(CountKind::Samples))];
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let thread = frames.intern(FrameKind::Thread, "Main", "");
    let mut builder = TreeBuilder::new(root, &metrics);
    let base = builder
        .merge(TreeBuilder::ROOT, thread)
        .expect("fewer than 4 G nodes");
    fill(&mut builder, base);
    builder.sum_counts();
    let built = builder.finish(&frames, MetricId(0));
    let source = Source {
        name: "synthetic".into(),
        format: "none".into(),
        kind: ProfileKind::Sampling,
        decoder: "bench".into(),
        decoder_version: String::new(),
        facts: Vec::new(),
    };
    let threads = vec![Thread {
        node: built.node(base),
        id: "1".into(),
        name: "Main".into(),
    }];
    Recording::new(source, frames, built.tree, metrics, MetricId(0))
        .with_threads(threads)
        .into_view()
}
