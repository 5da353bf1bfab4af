//! How fast profiles are read, beside a plain read of the file; how fast call-tree JSON is read and written, beside a bare
//! serde_json visitor over the same file; and how fast a report of `Reporter.exe` with the same tree is read.
//!
//! `cargo bench --bench load` makes a tree of about 177,000 nodes (33 MB) and measures on it;
//! `DOTSPOT_BENCH_FILE=FILE` (of any format) and `DOTSPOT_BENCH_REPORT=FILE` measure on other files, `DOTSPOT_BENCH_RUNS=N` sets the
//! number of runs.
//! The runs are interleaved, so that a slow moment of the machine hits all alike; medians are printed.

#[path = "common/random.rs"]
mod random;
#[path = "load/report.rs"]
mod report;

use dotspot::exporters::call_tree_json;
use dotspot::importers::import;
use dotspot::input::{Input, Progress};
use dotspot::model::{NodeId, Recording, View};
use random::Random;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (nodes, names) = synthetic(20_000);
    let file = |variable: &str, name: &str, write: fn(&[Node], &[String]) -> String| match std::env::var_os(variable) {
        Some(path) => Ok(PathBuf::from(path)),
        None => {
            let path = folder.path().join(name);
            std::fs::write(&path, write(&nodes, &names)).map(|()| path)
        }
    };
    let path = file("DOTSPOT_BENCH_FILE", "synthetic.calltree.json", document)?;
    let report = file("DOTSPOT_BENCH_REPORT", "synthetic.report.xml", report::document)?;
    let runs: usize = std::env::var("DOTSPOT_BENCH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(7);
    let megabytes = std::fs::metadata(&path)?.len() as f64 / 1e6;
    let profile = load(&path)?;
    println!("{}: {megabytes:.1} MB, {} nodes, {runs} runs", path.display(), profile.tree.len());
    type Work<'a> = (&'static str, f64, Box<dyn Fn() -> u64 + 'a>);
    let nodes = || load(&path).map_or(0, |profile| profile.tree.len() as u64);
    let mut works: Vec<Work> =
        vec![("plain read", megabytes, Box::new(|| plain_read(&path))), ("import", megabytes, Box::new(nodes))];
    if profile.source.format == "calltree" {
        works.push(("serde_json visitor, from a slice", megabytes, Box::new(|| visit_slice(&path))));
        works.push(("serde_json visitor, streaming", megabytes, Box::new(|| visit_stream(&path))));
        works.push(("export", export(&profile) as f64 / 1e6, Box::new(|| export(&profile))));
    }
    let mut seconds = vec![Vec::new(); works.len()];
    for _ in 0..runs {
        for (times, (_, _, work)) in seconds.iter_mut().zip(&works) {
            let start = Instant::now();
            assert!(std::hint::black_box(work()) > 0, "nothing was read");
            times.push(start.elapsed().as_secs_f64());
        }
    }
    for ((name, megabytes, _), seconds) in works.iter().zip(seconds.into_iter().map(median)) {
        println!("{name:<34} {:>8.1} ms {:>8.0} MB/s", seconds * 1e3, megabytes / seconds);
    }
    report::measure(&report, runs)
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Reads the file and does nothing with it.
fn plain_read(path: &Path) -> u64 {
    let mut buffer = vec![0; 256 * 1024];
    let mut file = File::open(path).expect("the file was read before");
    let mut sum = 0;
    loop {
        match file.read(&mut buffer).expect("the file was read before") {
            0 => return sum,
            count => sum += count as u64,
        }
    }
}

fn load(path: &Path) -> Result<View, Box<dyn std::error::Error>> {
    let input = Input::open(path, Progress::default()).map_err(|failure| failure.to_string())?;
    Ok(import(input).map(Recording::into_view)?)
}

fn export(profile: &View) -> u64 {
    struct Count(u64);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut out = Count(0);
    call_tree_json::write(profile, NodeId::ROOT, profile.default_metric, &mut out).expect("counting can't fail");
    out.0
}

/// The least that a reader of the file with serde_json has to do: visit every node and look at every field.
fn visit_slice(path: &Path) -> u64 {
    let bytes = std::fs::read(path).expect("the file was read before");
    visit(serde_json::Deserializer::from_slice(&bytes))
}

fn visit_stream(path: &Path) -> u64 {
    let file = File::open(path).expect("the file was read before");
    visit(serde_json::Deserializer::from_reader(io::BufReader::with_capacity(256 * 1024, file)))
}

fn visit<'de, R: serde_json::de::Read<'de>>(mut deserializer: serde_json::Deserializer<R>) -> u64 {
    deserializer.disable_recursion_limit();
    Document::deserialize(&mut deserializer).expect("the file was read before").0.0
}

/// The number of nodes below and with a node.
struct Count(u64);

struct Document(Count);

/// Sums that make sure that no field is passed over.
#[derive(Default)]
struct Sums {
    inclusive: f64,
    exclusive: f64,
    calls: u64,
    text_bytes: usize,
}

/// A string as it comes, borrowed or not: its length.
struct TextLength(usize);

impl<'de> Deserialize<'de> for TextLength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = TextLength;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E>(self, text: &str) -> Result<TextLength, E> {
                Ok(TextLength(text.len()))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

enum Field {
    Text,
    Inclusive,
    Exclusive,
    Calls,
    Children,
    Tree,
    Other,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Field;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a member's name")
            }
            fn visit_str<E>(self, name: &str) -> Result<Field, E> {
                Ok(match name {
                    "id" | "name" | "kind" | "thread_name" => Field::Text,
                    "inclusive_time" => Field::Inclusive,
                    "exclusive_time" => Field::Exclusive,
                    "call_count" => Field::Calls,
                    "children" => Field::Children,
                    "call_tree" => Field::Tree,
                    _ => Field::Other,
                })
            }
        }
        deserializer.deserialize_identifier(Name)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Node;
        impl<'de> Visitor<'de> for Node {
            type Value = Count;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a node")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Count, A::Error> {
                let (mut nodes, mut sums) = (1, Sums::default());
                while let Some(field) = map.next_key::<Field>()? {
                    match field {
                        Field::Text => sums.text_bytes += map.next_value::<TextLength>()?.0,
                        Field::Inclusive => sums.inclusive += map.next_value::<f64>()?,
                        Field::Exclusive => sums.exclusive += map.next_value::<f64>()?,
                        Field::Calls => sums.calls += map.next_value::<u64>()?,
                        Field::Children => nodes += map.next_value::<Children>()?.0,
                        Field::Tree | Field::Other => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                std::hint::black_box((sums.inclusive, sums.exclusive, sums.calls, sums.text_bytes));
                Ok(Count(nodes))
            }
        }
        deserializer.deserialize_map(Node)
    }
}

/// The number of nodes in an array of them.
struct Children(u64);

impl<'de> Deserialize<'de> for Children {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Nodes;
        impl<'de> Visitor<'de> for Nodes {
            type Value = Children;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an array of nodes")
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Children, A::Error> {
                let mut nodes = 0;
                while let Some(Count(below)) = seq.next_element()? {
                    nodes += below;
                }
                Ok(Children(nodes))
            }
        }
        deserializer.deserialize_seq(Nodes)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = Document;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a call-tree document")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
                let mut tree = Count(0);
                while let Some(field) = map.next_key::<Field>()? {
                    match field {
                        Field::Tree => tree = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Document(tree))
            }
        }
        deserializer.deserialize_map(Whole)
    }
}

/// A node of a trie: its frame, its callees, its exclusive time. The first is the root.
type Node = (usize, Vec<usize>, u64);

/// A call tree as a profiler of a web service would write it: `stacks` stacks about 30 deep, each sharing most of its frames
/// with the one before, over 8,000 methods of which a few are in half of all places.
fn synthetic(stacks: usize) -> (Vec<Node>, Vec<String>) {
    let mut random = Random(7);
    let names = method_names(&mut random);
    let mut nodes: Vec<Node> = vec![(0, Vec::new(), 0)];
    let mut path: Vec<usize> = Vec::new();
    for _ in 0..stacks {
        path.truncate((path.len() as f64 * random.fraction().powf(0.35)) as usize);
        let depth = (path.len() + 1).max(18 + random.below(25));
        while path.len() < depth {
            let frame = match random.below(2) {
                0 => ((1.0 / (1.0 - random.fraction()).powf(1.0 / 0.6)) as usize - 1).min(names.len() - 1),
                _ => random.below(names.len()),
            };
            let parent = path.last().copied().unwrap_or(0);
            let known = nodes[parent].1.iter().copied().find(|&child| nodes[child].0 == frame);
            let child = known.unwrap_or(nodes.len());
            if child == nodes.len() {
                nodes.push((frame, Vec::new(), 0));
                nodes[parent].1.push(child);
            }
            path.push(child);
        }
        if let Some(&leaf) = path.last() {
            nodes[leaf].2 += 1 + random.below(200) as u64;
        }
    }
    (nodes, names)
}

fn method_names(random: &mut Random) -> Vec<String> {
    const SPACES: [&str; 6] = [
        "System.Threading.Tasks",
        "System.Linq",
        "Microsoft.AspNetCore.Mvc.Infrastructure",
        "Acme.Billing.Data.Repositories",
        "Acme.Web.Controllers",
        "Newtonsoft.Json.Serialization",
    ];
    const TYPES: [&str; 5] = ["Service", "Handler", "<>c__DisplayClass12_0", "Repository`1", "<RunAsync>d__7"];
    const METHODS: [&str; 5] = ["Invoke", "MoveNext", "<Map>b__3", "get_Item", "Compile"];
    (0..8000)
        .map(|number| {
            let space = SPACES[random.below(SPACES.len())];
            let kind = TYPES[random.below(TYPES.len())];
            let method = METHODS[random.below(METHODS.len())];
            format!("{space}.{kind}{}.{method}(Object, CancellationToken)", number % 700)
        })
        .collect()
}

/// The trie as call-tree JSON.
fn document(nodes: &[Node], names: &[String]) -> String {
    let mut inclusive: Vec<u64> = nodes.iter().map(|node| node.2).collect();
    for index in (0..nodes.len()).rev() {
        inclusive[index] += nodes[index].1.iter().map(|&child| inclusive[child]).sum::<u64>();
    }
    let mut out = String::from(
        r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"synthetic.dtp","thread_count":1,"payload_type":"tracing","time_unit":"ms","decoder":"synthetic","decoder_version":"1","warnings":[]},"thread_roots":[],"call_tree":"#,
    );
    // `Some` enters a node, `None` leaves one
    let mut pending = vec![Some(0)];
    while let Some(step) = pending.pop() {
        let Some(index) = step else {
            out.push_str("]}");
            continue;
        };
        let (frame, children, exclusive) = &nodes[index];
        if out.ends_with('}') {
            out.push(',');
        }
        let (name, kind) = if index == 0 { ("All threads", "root") } else { (&*names[*frame], "method") };
        let total = inclusive[index];
        let calls = (exclusive / 3).max(1);
        let written = write!(
            out,
            r#"{{"id":"{index}","name":"{name}","kind":"{kind}","inclusive_time":{total},"exclusive_time":{exclusive},"call_count":{calls},"children":["#
        );
        written.expect("a String takes all");
        pending.push(None);
        pending.extend(children.iter().rev().map(|&child| Some(child)));
    }
    out.push_str(r#","hotspots":{"inclusive":[],"exclusive":[]}}"#);
    out
}
