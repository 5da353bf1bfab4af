//! The files that are read: made here from a fixed random sequence, or exported from one of these by dotspot.

#[path = "../../tests/common/nettrace_writer.rs"]
mod nettrace_writer;

use crate::random::Random;
use dotspot::testing::exporters::{EXPORTERS, Part};
use dotspot::testing::importers::import;
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::{Recording, View};
use nettrace_writer::{Kind, Options, Writer};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

const METHODS: usize = 8000;

pub struct Files {
    pub folder: PathBuf,
    pub is_quick: bool,
}

/// A stack, outermost method first, and its weight.
type Stack = (Vec<usize>, u64);

impl Files {
    fn stacks(&self, quick: usize, full: usize) -> Vec<Stack> {
        stacks(if self.is_quick { quick } else { full })
    }

    /// Writes the file unless it exists.
    fn file(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<PathBuf> {
        let path = self.folder.join(if self.is_quick {
            format!("quick-{name}")
        } else {
            name.to_string()
        });
        if !path.exists() {
            let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
            write(&mut out)?;
            out.flush()?;
        }
        Ok(path)
    }

    pub fn call_tree(&self) -> io::Result<PathBuf> {
        self.file("tree.calltree.json", |out| {
            write_call_tree(&self.trie(), out)
        })
    }

    /// A report repeats every call stack as text, so its tree is always a small one.
    pub fn report(&self) -> io::Result<PathBuf> {
        let trie = Trie::new(stacks(if self.is_quick { 5_000 } else { 20_000 }));
        self.file("tree.report.xml", |out| write_report(&trie, out))
    }

    fn trie(&self) -> Trie {
        Trie::new(self.stacks(20_000, 200_000))
    }

    pub fn speedscope(&self) -> io::Result<PathBuf> {
        self.file("samples.speedscope.json", |out| {
            write_speedscope(&self.stacks(100_000, 800_000), out)
        })
    }

    pub fn collapsed(&self) -> io::Result<PathBuf> {
        self.file("stacks.folded", |out| {
            self.stacks(20_000, 100_000)
                .iter()
                .try_for_each(|(stack, weight)| {
                    let names: Vec<String> = stack.iter().map(|&number| method(number)).collect();
                    writeln!(out, "{} {weight}", names.join(";"))
                })
        })
    }

    pub fn perf_script(&self) -> io::Result<PathBuf> {
        self.file("perf.txt", |out| {
            write_perf_script(&self.stacks(20_000, 100_000), out)
        })
    }

    pub fn nettrace(&self) -> io::Result<PathBuf> {
        let samples = if self.is_quick { 300_000 } else { 3_000_000 };
        self.file("samples.nettrace", |out| {
            write_nettrace(&self.stacks(5_000, 20_000), samples, out)
        })
    }

    /// The tree as dotspot exports it.
    pub fn exported(
        &self,
        exporter: &str,
        name: &str,
    ) -> Result<PathBuf, Box<dyn std::error::Error>> {
        let source = self.call_tree()?;
        let exporter = EXPORTERS
            .iter()
            .find(|row| row.name == exporter)
            .ok_or("no such exporter")?;
        Ok(self.file(name, |out| {
            let profile = load(&source);
            (exporter.write)(
                &Part::whole(&profile, profile.recording.default_metric),
                out,
            )
        })?)
    }

    /// Compressed with gzip.
    pub fn packed(&self, path: &Path, name: &str) -> io::Result<PathBuf> {
        self.file(name, |out| {
            let mut packed = flate2::write::GzEncoder::new(out, flate2::Compression::default());
            io::copy(&mut File::open(path)?, &mut packed)?;
            packed.finish().map(|_| ())
        })
    }

    /// A real recording from the shared data, if present.
    pub fn real(&self, name: &str) -> Option<PathBuf> {
        Some(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../shared/data")
                .join(name),
        )
        .filter(|path| path.exists())
    }
}

/// Reads a profile.
pub fn load(path: &Path) -> View {
    let input = Input::open(path, Progress::default()).expect("the file was written before");
    import(input)
        .map(Recording::into_view)
        .expect("the file can be read")
}

/// Stacks of about 30 frames from 8,000 methods, each sharing most frames with the one before, and their weights.
fn stacks(count: usize) -> Vec<Stack> {
    let mut random = Random(7);
    let mut path: Vec<usize> = Vec::new();
    let stack = |_| {
        path.truncate((path.len() as f64 * random.fraction().powf(0.35)) as usize);
        let depth = (path.len() + 1).max(18 + random.below(25));
        while path.len() < depth {
            // every second frame is one of a few common ones
            path.push(match random.below(2) {
                0 => ((1.0 / (1.0 - random.fraction()).powf(1.0 / 0.6)) as usize - 1)
                    .min(METHODS - 1),
                _ => random.below(METHODS),
            });
        }
        (path.clone(), 1 + random.below(200) as u64)
    };
    (0..count).map(stack).collect()
}

fn method(number: usize) -> String {
    const SPACES: [&str; 6] = [
        "System.Threading.Tasks",
        "System.Linq",
        "Microsoft.AspNetCore.Mvc.Infrastructure",
        "Acme.Billing.Data.Repositories",
        "Acme.Web.Controllers",
        "Newtonsoft.Json.Serialization",
    ];
    const TYPES: [&str; 5] = [
        "Service",
        "Handler",
        "<>c__DisplayClass12_0",
        "Repository`1",
        "<RunAsync>d__7",
    ];
    const NAMES: [&str; 5] = ["Invoke", "MoveNext", "<Map>b__3", "get_Item", "Compile"];
    let mut random = Random(number as u64);
    let mut of = |names: &[&'static str]| names[random.below(names.len())];
    format!(
        "{}.{}{}.{}(Object,CancellationToken)",
        of(&SPACES),
        of(&TYPES),
        number % 700,
        of(&NAMES)
    )
}

/// A prefix tree of the stacks.
struct Trie {
    /// A method, its callees, its exclusive and inclusive time. The first is the root.
    nodes: Vec<(usize, Vec<usize>, u64, u64)>,
    callers: Vec<usize>,
}

impl Trie {
    fn new(stacks: Vec<Stack>) -> Trie {
        let mut trie = Trie {
            nodes: vec![(0, Vec::new(), 0, 0)],
            callers: vec![0],
        };
        for (stack, weight) in stacks {
            let leaf = stack.into_iter().fold(0, |caller, frame| {
                let known = trie.nodes[caller]
                    .1
                    .iter()
                    .rev()
                    .copied()
                    .find(|&callee| trie.nodes[callee].0 == frame);
                known.unwrap_or_else(|| {
                    let callee = trie.nodes.len();
                    trie.nodes.push((frame, Vec::new(), 0, 0));
                    trie.callers.push(caller);
                    trie.nodes[caller].1.push(callee);
                    callee
                })
            });
            trie.nodes[leaf].2 += weight;
        }
        for node in (0..trie.nodes.len()).rev() {
            trie.nodes[node].3 += trie.nodes[node].2;
            if node > 0 {
                let sum = trie.nodes[node].3;
                trie.nodes[trie.callers[node]].3 += sum;
            }
        }
        trie
    }
}

fn write_call_tree(trie: &Trie, out: &mut impl io::Write) -> io::Result<()> {
    out.write_all(
        br#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"synthetic.dtp","thread_count":1,"payload_type":"tracing","time_unit":"ms","decoder":"synthetic","decoder_version":"1","warnings":[]},"thread_roots":[],"call_tree":"#,
    )?;
    // `Some` enters a node, `None` leaves one
    let (mut pending, mut has_left) = (vec![Some(0)], false);
    while let Some(step) = pending.pop() {
        let Some(node) = step else {
            out.write_all(b"]}")?;
            has_left = true;
            continue;
        };
        let (frame, callees, exclusive, inclusive) = &trie.nodes[node];
        let comma = if std::mem::take(&mut has_left) {
            ","
        } else {
            ""
        };
        let (name, kind) = if node == 0 {
            ("All threads".to_string(), "root")
        } else {
            (method(*frame), "method")
        };
        let calls = (exclusive / 3).max(1);
        write!(
            out,
            r#"{comma}{{"id":"{node}","name":"{name}","kind":"{kind}","inclusive_time":{inclusive},"exclusive_time":{exclusive},"call_count":{calls},"children":["#
        )?;
        pending.push(None);
        pending.extend(callees.iter().rev().map(|&callee| Some(callee)));
    }
    out.write_all(br#","hotspots":{"inclusive":[],"exclusive":[]}}"#)
}

/// A report like `Reporter.exe`'s with all call stacks: the nodes by method, in the order of their creation.
fn write_report(trie: &Trie, out: &mut impl io::Write) -> io::Result<()> {
    let mut by_method = vec![Vec::new(); METHODS];
    trie.nodes
        .iter()
        .enumerate()
        .skip(1)
        .for_each(|(node, row)| by_method[row.0].push(node));
    let escaped = |number: usize| {
        let name = method(number);
        let bare = name.split('(').next().unwrap_or(&name);
        bare.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let names: Vec<String> = (0..METHODS).map(escaped).collect();
    out.write_all(b"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Report>\n")?;
    let mut stack = Vec::new();
    for (places, name) in by_method
        .iter()
        .zip(&names)
        .filter(|(places, _)| !places.is_empty())
    {
        let (id, number) = (places[0], places.len());
        let sum =
            |value: &dyn Fn(usize) -> u64| places.iter().map(|&place| value(place)).sum::<u64>();
        let (total, own) = (
            sum(&|place| trie.nodes[place].3),
            sum(&|place| trie.nodes[place].2),
        );
        writeln!(
            out,
            r#"  <Function Id="{id:#x}" FQN="{name}" TotalTime="{total}" OwnTime="{own}" Calls="{number}" Instances="{number}">"#
        )?;
        for &place in places {
            stack.clear();
            let mut at = place;
            while at != 0 {
                stack.push(names[trie.nodes[at].0].as_str());
                at = trie.callers[at];
            }
            stack.reverse();
            let (_, _, own, total) = trie.nodes[place];
            let calls = (own / 3).max(1);
            writeln!(
                out,
                r#"    <Instance CallStack="{}" TotalTime="{total}" OwnTime="{own}" Calls="{calls}" />"#,
                stack.join("/")
            )?;
        }
        out.write_all(b"  </Function>\n")?;
    }
    out.write_all(b"</Report>\n")
}

fn write_speedscope(stacks: &[Stack], out: &mut impl io::Write) -> io::Result<()> {
    let frames: Vec<String> = (0..METHODS)
        .map(|number| format!(r#"{{"name":"{}"}}"#, method(number)))
        .collect();
    let total: u64 = stacks.iter().map(|(_, weight)| weight).sum();
    write!(
        out,
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{}]}},"profiles":[{{"type":"sampled","name":"Main","unit":"milliseconds","startValue":0,"endValue":{total},"samples":["#,
        frames.join(",")
    )?;
    let mut row = String::new();
    for (at, (stack, _)) in stacks.iter().enumerate() {
        row.clear();
        for number in stack {
            write!(row, "{}{number}", if row.is_empty() { "" } else { "," })
                .expect("a String takes all");
        }
        write!(out, "{}[{row}]", if at == 0 { "" } else { "," })?;
    }
    out.write_all(br#"],"weights":["#)?;
    for (at, (_, weight)) in stacks.iter().enumerate() {
        write!(out, "{}{weight}", if at == 0 { "" } else { "," })?;
    }
    out.write_all(b"]}]}")
}

fn write_perf_script(stacks: &[Stack], out: &mut impl io::Write) -> io::Result<()> {
    let names: Vec<String> = (0..METHODS)
        .map(|number| format!("instance void [Acme.Module] {}", method(number)))
        .collect();
    for (sample, (stack, _)) in stacks.iter().enumerate() {
        let (tid, time) = (1000 + sample % 8, sample as f64 / 1e3);
        writeln!(
            out,
            "dotnet 1000/{tid} [001] {time:.6}:    2004008 cpu-clock: "
        )?;
        for &number in stack.iter().rev() {
            let offset = (number * 31 + sample * 7) % 200;
            let address = 0x7f56_7a06_0000 + number * 512 + offset;
            writeln!(
                out,
                "\t{address:16x} {}[OptimizedTier1]+0x{offset:x} (/tmp/perf-1000.map)",
                names[number]
            )?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Samples of eight threads, each in the same stack for three samples. As in real files, a stack is written once between two
/// sequence points, which restart the numbering.
fn write_nettrace(stacks: &[Stack], samples: usize, out: &mut impl io::Write) -> io::Result<()> {
    const THREADS: usize = 8;
    const SAMPLES_PER_STACK: usize = 3;
    const SAMPLES_PER_BLOCK: usize = 1000;
    const BLOCKS_PER_SEQUENCE_POINT: usize = 20;
    let mut writer = Writer::new(Options::default());
    let mut written = HashMap::new();
    for sample in 0..samples {
        let thread = sample % THREADS;
        let row = (sample / (THREADS * SAMPLES_PER_STACK) + thread * stacks.len() / THREADS)
            % stacks.len();
        let stack = *written.entry(row).or_insert_with(|| {
            let addresses: Vec<u64> = stacks[row]
                .0
                .iter()
                .map(|&number| address(number) + 17)
                .collect();
            writer.stack(&addresses)
        });
        let kind = if row.is_multiple_of(3) {
            Kind::External
        } else {
            Kind::Managed
        };
        writer.sample(
            100 + thread as u64,
            1_000_000 + sample as u64 * 125_000,
            kind,
            stack,
        );
        if sample % SAMPLES_PER_BLOCK == SAMPLES_PER_BLOCK - 1 {
            writer.flush();
            if sample / SAMPLES_PER_BLOCK % BLOCKS_PER_SEQUENCE_POINT
                == BLOCKS_PER_SEQUENCE_POINT - 1
            {
                writer.sequence_point();
                written.clear();
            }
        }
    }
    for number in 0..METHODS {
        let name = method(number);
        let (path, _) = name.split_once('(').unwrap_or((&name, ""));
        let (owner, name) = path.rsplit_once('.').unwrap_or(("", path));
        writer.rundown_method(address(number), 256, [owner, name]);
    }
    out.write_all(&writer.finish())
}

fn address(number: usize) -> u64 {
    0x7f56_7a06_0000 + number as u64 * 512
}
