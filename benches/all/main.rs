//! How fast everything is read, compared with a lower bound: a plain read of the file, the library that reading needs, or a
//! program that does less.
//!
//! `cargo bench --bench all` writes files of a tree of 200,000 stacks (1.8 million nodes) and takes several minutes; with
//! `-- --quick`, files are smaller and it takes less than two. `-- --rounds N` sets the number of rounds, `-- --only TEXT`
//! selects measurements whose names contain the text, `-- --keep FOLDER` keeps the files there and reuses them next time.
//!
//! Rounds are interleaved, so a slow moment of the machine affects all measurements alike; medians are printed.

mod bounds;
mod files;
mod measurement;
mod measurements;
#[path = "../common/random.rs"]
mod random;

use std::path::PathBuf;

struct Options {
    is_quick: bool,
    rounds: usize,
    only: Option<String>,
    folder: Option<PathBuf>,
}

impl Options {
    fn read() -> Options {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let value = |name: &str| {
            words
                .iter()
                .position(|word| word == name)
                .and_then(|at| words.get(at + 1))
                .cloned()
        };
        let is_quick = words.iter().any(|word| word == "--quick");
        let rounds = value("--rounds").and_then(|number| number.parse().ok());
        Options {
            is_quick,
            rounds: rounds.unwrap_or(if is_quick { 3 } else { 7 }),
            only: value("--only"),
            folder: value("--keep").map(PathBuf::from),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::read();
    let temporary = tempfile::tempdir()?;
    let folder = options.folder.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(folder)?;
    let mut measurements = measurements::all(
        &files::Files {
            folder: folder.into(),
            is_quick: options.is_quick,
        },
        |name| {
            options
                .only
                .as_ref()
                .is_none_or(|only| name.contains(only.as_str()))
        },
    )?;
    let mut seconds = vec![[const { Vec::new() }; 2]; measurements.len()];
    for _ in 0..options.rounds {
        for (measurement, times) in measurements.iter_mut().zip(&mut seconds) {
            for (times, run) in times
                .iter_mut()
                .zip([&measurement.run, &measurement.bound.run])
            {
                let timing = run();
                assert!(timing.found > 0, "{}: nothing was read", measurement.name);
                times.push(timing.seconds);
            }
        }
    }
    println!(
        "medians of {} interleaved rounds; {}",
        options.rounds,
        load()
    );
    println!(
        "| measurement | MB | ms | MB/s | bound | ms | ratio | max ratio |\n|---|---:|---:|---:|---|---:|---:|---:|"
    );
    for (measurement, times) in measurements.iter().zip(seconds) {
        let [own, bound] = times.map(median);
        let max_ratio = measurement
            .max_ratio
            .map_or(String::new(), |max_ratio| format!("{max_ratio}"));
        println!(
            "| {} | {:.1} | {:.1} | {:.0} | {} | {:.1} | {:.2} | {max_ratio} |",
            measurement.name,
            measurement.megabytes,
            own * 1e3,
            measurement.megabytes / own,
            measurement.bound.name,
            bound * 1e3,
            own / bound,
        );
    }
    Ok(())
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// The system's load average, if known.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ')
        .next()
        .filter(|load| !load.is_empty())
        .map_or("load unknown".into(), |load| format!("load {load}"))
}
