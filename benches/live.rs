//! How long updating the view of a recording in progress takes, by the recording's size: reading the file and making the view,
//! which a separate thread does, and adopting the view and drawing it, during which keys wait.
//!
//! `cargo bench --bench live`. The recordings have five threads, 4,000 samples per second, 3,000 methods and stacks of 12 to 40
//! frames, one in ten of them new. Medians of seven rounds; peak is the process's largest memory use, from `/proc/self/status`.

#[path = "common/random.rs"]
#[allow(dead_code, reason = "whole numbers are enough")]
mod random;

#[path = "../tests/common/nettrace_writer.rs"]
mod nettrace_writer;

use dotspot::testing::analysis::ReadyView;
use dotspot::testing::app::{App, Effect, Event, LiveStatus, Message};
use dotspot::testing::cli::updated_view;
use dotspot::testing::importers::import;
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::View;
use dotspot::testing::ui::{Theme, draw};
use nettrace_writer::{Kind, Options, Writer};
use random::Random;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::io::Cursor;
use std::time::Instant;

const SAMPLES_PER_SECOND: usize = 4000;
const RUNS: usize = 7;

fn main() {
    println!(
        "| samples | file, MB | nodes | read, ms | made, ms | adopted and drawn, ms | peak, MB |\n|---|---|---|---|---|---|---|"
    );
    for samples in [10 * SAMPLES_PER_SECOND, 60 * SAMPLES_PER_SECOND, 1_000_000] {
        let (before, bytes) = (recording(samples - SAMPLES_PER_SECOND), recording(samples));
        let whole = ReadyView::of(read(&before));
        let mut app = App::new("a.nettrace", 160, 50);
        let _ = app.update(Event::Message(Message::Loaded(Ok(whole), None)));
        let mut times = [const { Vec::new() }; 3];
        for run in 0..RUNS {
            let now = LiveStatus {
                elapsed_ms: 1000,
                samples: samples as u64,
                bytes: run as u64 + 1,
                ..LiveStatus::default()
            };
            let effects = app.update(Event::Message(Message::Live(now)));
            let [Effect::UpdateView(request)] = &effects[..] else {
                panic!("no update was requested")
            };
            let start = Instant::now();
            let whole = ReadyView::of(read(&bytes));
            times[0].push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let made = updated_view(app.view().unwrap(), &whole, request, None).map(Box::new);
            times[1].push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let _ = app.update(Event::Message(Message::UpdatedView(made)));
            let mut terminal = Terminal::new(TestBackend::new(160, 50)).unwrap();
            terminal
                .draw(|frame| draw(frame, &app, Theme::of_terminal("xterm", "")))
                .unwrap();
            times[2].push(start.elapsed().as_secs_f64());
        }
        let nodes = app.view().unwrap().tree.len();
        let [read, made, adopted] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2] * 1e3
        });
        let megabytes = bytes.len() as f64 / 1e6;
        println!(
            "| {samples} | {megabytes:.1} | {nodes} | {read:.0} | {made:.0} | {adopted:.1} | {} |",
            peak_mb()
        );
    }
}

fn read(bytes: &[u8]) -> View {
    let input = Input::stream(
        "a.nettrace",
        Box::new(Cursor::new(bytes.to_vec())),
        Progress::default(),
    )
    .unwrap();
    import(input).unwrap().into_view()
}

fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().split(' ').next()?.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}

fn recording(samples: usize) -> Vec<u8> {
    const METHODS: u64 = 3000;
    const STACKS: usize = 30_000;
    let start = |method: u64| 0x10_0000 + method * 0x1000;
    let mut random = Random(7);
    let mut stacks: Vec<Vec<u64>> = Vec::new();
    for row in 0..STACKS {
        // most share callers with an earlier one
        let earlier = if row == 0 {
            Vec::new()
        } else {
            stacks[random.below(row)].clone()
        };
        let mut stack = earlier[..random.below(earlier.len() + 1)].to_vec();
        let depth = 12 + random.below(28);
        while stack.len() < depth {
            stack.push(start(random.below(METHODS as usize) as u64) + 8 * random.below(4) as u64);
        }
        stacks.push(stack);
    }
    let mut writer = Writer::new(Options::default());
    for method in 0..METHODS {
        writer.rundown_method(
            start(method),
            0x800,
            ["Acme.Orders.Some.Type", &format!("Method{method}")],
        );
    }
    let mut random = Random(9);
    for sample in 0..samples {
        let known = (sample / 10 + 1).min(STACKS);
        let stack = writer.stack(&stacks[random.below(known)]);
        let kind = if random.below(3) > 0 {
            Kind::Managed
        } else {
            Kind::External
        };
        writer.sample(
            1000 + (sample % 5) as u64,
            5000 + sample as u64 * 250_000,
            kind,
            stack,
        );
        if sample % 1000 == 999 {
            writer.sequence_point();
        }
    }
    writer.finish()
}
