//! Milliseconds per keystroke of a search over 100,000 synthetic names, and times of making their display names.
//! `cargo bench --bench search`; the target is less than 16 ms per keystroke, one screen frame.

use dotspot::testing::analysis::SearchIndex;
use dotspot::testing::model::{FrameId, Frames};
use dotspot::testing::names::{Category, FrameKind, category_of, display_name};
use std::time::Instant;

const NAMES: usize = 100_000;

const WORDS: [&str; 48] = [
    "Price", "Rules", "Order", "Book", "Pipeline", "Consumer", "Stream", "Message", "Discount",
    "Customer", "Ledger", "Entry", "Retry", "Policy", "Cache", "Store", "Query", "Builder",
    "Parser", "Token", "Schema", "Index", "Audit", "Trail", "Event", "Source", "Sink", "Buffer",
    "Pool", "Worker", "Queue", "Channel", "Reader", "Writer", "Header", "Block", "Frame", "Codec",
    "Http", "Client", "Session", "Factory", "Options", "Provider", "Metric", "Counter", "Region",
    "Tenant",
];

const VERBS: [&str; 20] = [
    "Evaluate",
    "Apply",
    "Read",
    "Write",
    "Parse",
    "Render",
    "Handle",
    "Accept",
    "Decode",
    "Encode",
    "Flush",
    "Commit",
    "Find",
    "Match",
    "Merge",
    "Publish",
    "Resolve",
    "Validate",
    "get_Item",
    "set_Count",
];

/// Pseudorandom numbers, the same in every run (a linear congruential generator).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// Raw names as TraceEvent spells them: plain methods, generics, async methods, lambdas.
fn raw_names() -> Vec<String> {
    let mut numbers = Numbers(7);
    let mut name = |number: usize| {
        let (space, first, second, third) = (
            numbers.pick(&WORDS),
            numbers.pick(&WORDS),
            numbers.pick(&WORDS),
            numbers.pick(&WORDS),
        );
        let (verb, what) = (numbers.pick(&VERBS), numbers.pick(&WORDS));
        let module = format!("Acme.{space}!Acme.{space}.{first}{second}{third}");
        match numbers.below(10) {
            0 | 1 => format!("{module}+<{verb}{what}Async>d__{number}.MoveNext()"),
            2 => format!(
                "{module}+<>c__DisplayClass{number}_0.<{verb}{what}>b__{}(int32)",
                number % 7
            ),
            3 => {
                format!(
                    "{module}`2[System.__Canon,Acme.{space}.{what}]+Entry.{verb}{number}(!0,class System.String[])"
                )
            }
            4 => format!(
                "System.Private.CoreLib!System.Collections.Generic.Dictionary`2[System.__Canon,Acme.{what}{number}].{verb}(!0)"
            ),
            _ => format!(
                "{module}.{verb}{what}{number}(class System.String,value class Acme.{what}`1<int32>)"
            ),
        }
    };
    (0..NAMES).map(&mut name).collect()
}

/// The shortest time of several runs, since the machine may be busy, and the last result.
fn best_of<T>(runs: usize, mut run: impl FnMut() -> T) -> (f64, T) {
    let mut shortest_ms = f64::INFINITY;
    let mut last = None;
    for _ in 0..runs {
        let started = Instant::now();
        last = Some(run());
        shortest_ms = shortest_ms.min(started.elapsed().as_secs_f64() * 1000.0);
    }
    (shortest_ms, last.expect("there is at least one run"))
}

fn main() {
    let raw = raw_names();
    let (ms, length) = best_of(5, || {
        raw.iter()
            .map(|name| display_name(FrameKind::Method, name).len())
            .sum::<usize>()
    });
    println!(
        "{ms:8.2} ms  {NAMES} display names, {} bytes each on average",
        length / NAMES
    );
    let is_user = |name: &&String| category_of(FrameKind::Method, name) == Category::User;
    let (ms, user) = best_of(5, || raw.iter().filter(is_user).count());
    println!("{ms:8.2} ms  {NAMES} categories, {user} of them user code");
    let (ms, frames) = best_of(5, || {
        let mut frames = Frames::default();
        raw.iter().for_each(|name| {
            frames.intern(FrameKind::Method, name, "");
        });
        frames
    });
    println!("{ms:8.2} ms  {NAMES} frames interned");
    let (ms, index) = best_of(5, || SearchIndex::of(&frames, |_| true));
    println!("{ms:8.2} ms  index of {} names", index.len());

    let mut slowest = (0.0, String::new());
    for text in [
        "priceruleseval",
        "a",
        "e",
        "orderbook find",
        "Async",
        "^price",
        "'lambda",
        "count$",
        "Evalaute",
        "pricrulesevla",
        "hndlordr",
        "xqzj",
    ] {
        println!("\n        time   found  as `{text}` is typed");
        for (at, c) in text.char_indices() {
            let typed = &text[..at + c.len_utf8()];
            let weight =
                |frame: FrameId| (frame.index() as u64).wrapping_mul(2_654_435_761) % 1_000_003;
            let (ms, result) = best_of(5, || index.search(typed, weight, 200));
            let best = result
                .rows
                .first()
                .map_or("", |row| frames.display_name(row.frame));
            let mark = if result.is_approximate { "~" } else { " " };
            println!(
                "{ms:9.2} ms {:7}{mark} {typed:16} {best}",
                result.total_matches
            );
            if ms > slowest.0 {
                slowest = (ms, typed.to_string());
            }
        }
    }
    println!(
        "\n{:8.2} ms  the slowest keystroke, `{}`",
        slowest.0, slowest.1
    );
}
