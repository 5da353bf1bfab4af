//! How fast everything is read, each beside what bounds it: a plain read of the file, the library that it can't do without, or a
//! program that does less.
//!
//! `cargo bench --bench all` makes files of a tree of 200,000 stacks ("L", 1.8 million nodes) and takes some minutes; `-- --quick`
//! makes smaller ones and takes less than two. `-- --rounds N` sets how often each work is done, `-- --only TEXT` chooses the
//! works with that in their names, `-- --keep FOLDER` leaves the files there and takes them from there the next time.
//!
//! The rounds are interleaved, so that a slow moment of the machine hits all alike; medians are printed. Nothing is timed in tests.

mod bounds;
mod files;
#[path = "../common/random.rs"]
mod random;
mod work;
mod works;

use std::path::PathBuf;

/// What the command line says.
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
    let mut works = works::all(
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
    let mut seconds = vec![[const { Vec::new() }; 2]; works.len()];
    for _ in 0..options.rounds {
        for (work, times) in works.iter_mut().zip(&mut seconds) {
            for (times, run) in times.iter_mut().zip([&work.run, &work.bound.run]) {
                let took = run();
                assert!(took.found > 0, "{}: nothing was read", work.name);
                times.push(took.seconds);
            }
        }
    }
    println!(
        "medians of {} interleaved rounds; {}",
        options.rounds,
        load()
    );
    println!(
        "| work | MB | ms | MB/s | bound | ms | ratio | bar |\n|---|---:|---:|---:|---|---:|---:|---:|"
    );
    for (work, times) in works.iter().zip(seconds) {
        let [own, bound] = times.map(median);
        let bar = work.bar.map_or(String::new(), |bar| format!("{bar}"));
        println!(
            "| {} | {:.1} | {:.1} | {:.0} | {} | {:.1} | {:.2} | {bar} |",
            work.name,
            work.megabytes,
            own * 1e3,
            work.megabytes / own,
            work.bound.name,
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

/// What else the machine does, where the system says.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ')
        .next()
        .filter(|load| !load.is_empty())
        .map_or("load unknown".into(), |load| format!("load {load}"))
}
