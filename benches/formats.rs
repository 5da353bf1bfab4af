//! How fast text formats and their gzip files are read, beside a plain read of the same file.
//!
//! `cargo bench --bench formats` makes 20,000 stacks of a web service ("S"); `DOTSPOT_BENCH_STACKS=200000` makes "L", and
//! `DOTSPOT_BENCH_RUNS=N` sets the number of runs. The runs are interleaved, so that a slow moment of the machine hits all
//! alike; medians are printed. MB are those of the file on disk, and of the text for gzip files behind it.

#[path = "common/random.rs"]
mod random;

use dotspot::importers::{Input, Progress, import};
use flate2::Compression;
use flate2::write::GzEncoder;
use random::Random;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let stacks = stacks(number("DOTSPOT_BENCH_STACKS").unwrap_or(20_000));
    let runs = number("DOTSPOT_BENCH_RUNS").unwrap_or(7);
    let folder = tempfile::tempdir()?;
    let mut files: Vec<(&str, PathBuf, usize)> = Vec::new();
    for (name, text) in [("collapsed", collapsed(&stacks)), ("perf script", perf_script(&stacks))] {
        let path = folder.path().join(format!("{}.txt", name.replace(' ', "-")));
        std::fs::write(&path, &text)?;
        files.push((name, path.clone(), text.len()));
        let packed = path.with_extension("txt.gz");
        let mut encoder = GzEncoder::new(File::create(&packed)?, Compression::default());
        encoder.write_all(text.as_bytes())?;
        encoder.finish()?;
        files.push((name, packed, text.len()));
    }
    let mut seconds = vec![[const { Vec::new() }; 2]; files.len()];
    for _ in 0..runs {
        for ((_, path, _), times) in files.iter().zip(&mut seconds) {
            let works: [&dyn Fn() -> u64; 2] = [&|| plain_read(path), &|| load(path)];
            for (times, work) in times.iter_mut().zip(works) {
                let start = Instant::now();
                assert!(std::hint::black_box(work()) > 0, "nothing was read");
                times.push(start.elapsed().as_secs_f64());
            }
        }
    }
    for ((name, path, text_bytes), times) in files.iter().zip(seconds) {
        let [plain, import] = times.map(median);
        let megabytes = std::fs::metadata(path)?.len() as f64 / 1e6;
        let text_megabytes = *text_bytes as f64 / 1e6;
        let kind = if path.extension().is_some_and(|end| end == "gz") { ".gz" } else { "" };
        println!(
            "{:<16} {megabytes:>7.1} MB, {:>9} nodes: plain read {:>6.1} ms, import {:>7.1} ms, {:>5.0} MB/s ({:.0} MB/s of text)",
            format!("{name}{kind}"),
            load(path),
            plain * 1e3,
            import * 1e3,
            megabytes / import,
            text_megabytes / import
        );
    }
    Ok(())
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Reads the file and does nothing with it.
fn plain_read(path: &Path) -> u64 {
    let mut buffer = vec![0; 256 * 1024];
    let mut file = File::open(path).expect("the file was written before");
    let mut sum = 0;
    loop {
        match file.read(&mut buffer).expect("the file was written before") {
            0 => return sum,
            count => sum += count as u64,
        }
    }
}

/// Imports the file: how many nodes it has.
fn load(path: &Path) -> u64 {
    let input = Input::open(path, Progress::default()).expect("the file was written before");
    import(input).expect("the file is right").tree.len() as u64
}

/// Stacks about 30 deep of 8,000 methods, each sharing most of its frames with the one before, and their weights.
fn stacks(count: usize) -> Vec<(Vec<usize>, u64)> {
    let mut random = Random(7);
    let mut path: Vec<usize> = Vec::new();
    let stack = |_| {
        path.truncate((path.len() as f64 * random.fraction().powf(0.35)) as usize);
        let depth = (path.len() + 1).max(18 + random.below(25));
        while path.len() < depth {
            // every second frame is one of the few that are everywhere
            path.push(match random.below(2) {
                0 => ((1.0 / (1.0 - random.fraction()).powf(1.0 / 0.6)) as usize - 1).min(METHODS - 1),
                _ => random.below(METHODS),
            });
        }
        (path.clone(), 1 + random.below(200) as u64)
    };
    (0..count).map(stack).collect()
}

const METHODS: usize = 8000;

fn method(number: usize) -> String {
    const SPACES: [&str; 4] =
        ["System.Threading.Tasks", "System.Linq", "Acme.Billing.Data.Repositories", "Newtonsoft.Json.Serialization"];
    format!(
        "instance void [Acme.Module{}] {}.Type{}+<RunAsync>d__7::MoveNext()",
        number % 9,
        SPACES[number % 4],
        number
    )
}

fn collapsed(stacks: &[(Vec<usize>, u64)]) -> String {
    let mut out = String::new();
    for (stack, weight) in stacks {
        let names: Vec<String> = stack.iter().map(|&number| method(number)).collect();
        writeln!(out, "{} {weight}", names.join(";")).expect("a String takes all");
    }
    out
}

fn perf_script(stacks: &[(Vec<usize>, u64)]) -> String {
    let mut out = String::new();
    for (sample, (stack, _)) in stacks.iter().enumerate() {
        let (tid, time) = (1000 + sample % 8, sample as f64 / 1e3);
        writeln!(out, "dotnet 1000/{tid} [001] {time:.6}:    2004008 cpu-clock: ").expect("a String takes all");
        for &number in stack.iter().rev() {
            let offset = (number * 31 + sample * 7) % 200;
            let address = 0x7f56_7a06_0000 + number * 512 + offset;
            let name = method(number);
            writeln!(out, "\t{address:16x} {name}[OptimizedTier1]+0x{offset:x} (/tmp/perf-1000.map)")
                .expect("a String takes all");
        }
        out.push('\n');
    }
    out
}
