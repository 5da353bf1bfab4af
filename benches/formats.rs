//! How fast each format is read, beside a plain read of the same file.
//!
//! `cargo bench --bench formats` makes one tree of 20,000 stacks ("S", 177,000 nodes) and measures every format that can be
//! written of it; `-- 200000` makes "L" (1,780,000 nodes, 3 GB of files), and `DOTSPOT_BENCH_RUNS=N` sets the number of runs.
//!
//! The tree comes from `../shared/tools/make_profiles.py`, which writes it as call-tree JSON, as a report, and as speedscope and
//! collapsed stacks with a row per stack; without that tool (or Python) a tree like it is made here. dotspot writes the formats
//! that are left, and gzip files. `perf script` text of other stacks is made here, too. Snapshots and recordings can't be made:
//! the largest of the shared data are taken.
//!
//! The runs are interleaved, so that a slow moment of the machine hits all alike; medians are printed. MB are those of the
//! file on disk.

#[path = "common/random.rs"]
mod random;

use dotspot::exporters::{EXPORTERS, Part};
use dotspot::importers::import;
use dotspot::input::{Input, Progress};
use dotspot::model::{Recording, View};
use flate2::Compression;
use flate2::write::GzEncoder;
use random::Random;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What is measured.
struct Case {
    name: String,
    path: PathBuf,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs = std::env::var("DOTSPOT_BENCH_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(7usize);
    let stacks = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(20_000);
    let folder = tempfile::tempdir()?;
    let mut cases = generated(folder.path(), stacks)?;
    cases.extend(written_here(folder.path(), &cases[0].path)?);
    cases.extend(perf_script_case(folder.path(), stacks)?);
    cases.extend(real());
    let mut seconds = vec![[const { Vec::new() }; 2]; cases.len()];
    for _ in 0..runs {
        for (case, times) in cases.iter().zip(&mut seconds) {
            let works: [&dyn Fn() -> u64; 2] =
                [&|| plain_read(&case.path), &|| load(&case.path).map_or(0, |profile| profile.tree.len() as u64)];
            for (times, work) in times.iter_mut().zip(works) {
                let start = Instant::now();
                assert!(std::hint::black_box(work()) > 0, "{}: nothing was read", case.path.display());
                times.push(start.elapsed().as_secs_f64());
            }
        }
    }
    println!(
        "{runs} runs\n| format | MB | nodes | plain read, ms | import, ms | MB/s | import / plain |\n|---|---|---|---|---|---|---|"
    );
    for (case, times) in cases.iter().zip(seconds) {
        let [plain, import] = times.map(median);
        let megabytes = std::fs::metadata(&case.path)?.len() as f64 / 1e6;
        let nodes = load(&case.path)?.tree.len();
        println!(
            "| {} | {megabytes:.1} | {nodes} | {:.1} | {:.1} | {:.0} | {:.1} |",
            case.name,
            plain * 1e3,
            import * 1e3,
            megabytes / import,
            import / plain
        );
    }
    Ok(())
}

fn case(name: &str, path: PathBuf) -> Case {
    Case { name: name.into(), path }
}

/// The tree in the formats that the tool writes, call-tree JSON first.
fn generated(folder: &Path, stack_count: usize) -> std::io::Result<Vec<Case>> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/tools/make_profiles.py");
    let prefix = folder.join("tree");
    let done = Command::new("python3").arg(&tool).arg(stack_count.to_string()).arg(&prefix).output();
    if done.is_ok_and(|output| output.status.success()) {
        let names = [
            ("call-tree JSON", "calltree.json"),
            ("dotTrace report", "report.xml"),
            ("speedscope, sampled", "speedscope.json"),
            ("collapsed stacks", "folded"),
        ];
        return Ok(names.map(|(name, extension)| case(name, prefix.with_extension(extension))).into());
    }
    eprintln!("{} can't be run: a tree is made here, and no report", tool.display());
    let path = prefix.with_extension("folded");
    std::fs::write(&path, collapsed(&stacks(stack_count)))?;
    Ok(vec![case("collapsed stacks", path)])
}

/// The same tree in the formats that dotspot writes, and gzip files of text.
fn written_here(folder: &Path, source: &Path) -> Result<Vec<Case>, Box<dyn std::error::Error>> {
    let profile = load(source)?;
    let part = Part::whole(&profile, profile.default_metric);
    let mut cases = Vec::new();
    for exporter in EXPORTERS {
        let path = folder.join(format!("own{}", exporter.extensions[0]));
        let mut out = BufWriter::new(File::create(&path)?);
        (exporter.write)(&part, &mut out)?;
        out.flush()?;
        cases.push(case(&format!("{}, by dotspot", exporter.name), path));
    }
    for name in ["own.json", "own.collapsed"] {
        let path = folder.join(format!("{name}.gz"));
        let mut packed = GzEncoder::new(File::create(&path)?, Compression::default());
        std::io::copy(&mut File::open(folder.join(name))?, &mut packed)?;
        packed.finish()?;
        cases.push(case(&format!("{name}.gz"), path));
    }
    Ok(cases)
}

fn perf_script_case(folder: &Path, stack_count: usize) -> std::io::Result<Option<Case>> {
    let path = folder.join("perf.txt");
    std::fs::write(&path, perf_script(&stacks(stack_count)))?;
    Ok(Some(case("perf script", path)))
}

/// The largest real files of formats that only their programs write.
fn real() -> Vec<Case> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let files =
        ["net10/deepstacks-cycle.nettrace", "net10/orderedconsume.nettrace", "dtp/Issue254.dtp", "dtp/baseline.dtp"];
    let cases = files.into_iter().map(|file| case(file, data.join(file)));
    cases.filter(|case| case.path.exists()).collect()
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Reads the file and does nothing with it.
fn plain_read(path: &Path) -> u64 {
    let mut buffer = vec![0; 1 << 20];
    let mut file = File::open(path).expect("the file was written before");
    let mut sum = 0;
    loop {
        match file.read(&mut buffer).expect("the file was written before") {
            0 => return sum,
            count => sum += count as u64,
        }
    }
}

fn load(path: &Path) -> Result<View, Box<dyn std::error::Error>> {
    let input = Input::open(path, Progress::default()).map_err(|failure| failure.to_string())?;
    Ok(import(input).map(Recording::into_view)?)
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
