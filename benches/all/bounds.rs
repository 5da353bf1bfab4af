//! What measurements are compared with: libraries that do only the unavoidable work, a plain read, `grep`.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

/// Reads a file and discards it.
pub fn plain_read(path: &Path) -> u64 {
    let (mut buffer, mut sum) = (vec![0; 1 << 20], 0);
    let mut file = open(path);
    loop {
        match file.read(&mut buffer).expect("the file was written before") {
            0 => return sum,
            count => sum += count as u64,
        }
    }
}

fn open(path: &Path) -> File {
    File::open(path).expect("the file was written before")
}

/// Finds the ends of the lines.
pub fn lines(path: &Path) -> u64 {
    let (mut reader, mut sum) = (BufReader::with_capacity(1 << 18, open(path)), 0);
    loop {
        let piece = reader.fill_buf().expect("the file was written before");
        let count = piece.len();
        if count == 0 {
            return sum;
        }
        sum += memchr::memchr_iter(b'\n', piece).count() as u64;
        reader.consume(count);
    }
}

/// Unpacks a gzip file and discards the result.
pub fn inflate(path: &Path) -> u64 {
    let mut unpacked =
        flate2::bufread::GzDecoder::new(BufReader::with_capacity(1 << 16, open(path)));
    std::io::copy(&mut unpacked, &mut std::io::sink()).expect("the file was written before")
}

/// Whether there is a `grep`.
pub fn has_grep() -> bool {
    Command::new("grep")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// Counts the lines with an `Instance` on standard input. The time includes starting the process.
pub fn grep(path: &Path) -> u64 {
    let output = Command::new("grep")
        .args(["-c", "<Instance "])
        .stdin(open(path))
        .output()
        .expect("there is a grep");
    String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .expect("grep -c prints a number")
}

/// Visits the blocks of a recording of version 4: their framing, the lengths of all stacks and the headers of all events.
pub fn blocks(path: &Path) -> u64 {
    let bytes = std::fs::read(path).expect("the file was written before");
    let mut walk = Walk {
        bytes: &bytes,
        at: b"Nettrace\x14\0\0\0!FastSerialization.1".len(),
    };
    let mut found = 0;
    while walk.u8() == Some(5) {
        walk.at += 2 + 4 + 4;
        let name_bytes = walk.u32() as usize;
        let name = &bytes[walk.at..walk.at + name_bytes];
        walk.at += name_bytes + 1;
        if name == b"Trace" {
            walk.at += 48;
        } else {
            let size = walk.u32() as usize;
            walk.at = walk.at.next_multiple_of(4);
            let content = &bytes[walk.at..walk.at + size];
            walk.at += size;
            found += match name {
                b"StackBlock" => stacks(content),
                b"EventBlock" | b"MetadataBlock" => events(content),
                _ => 1,
            };
        }
        assert_eq!(walk.u8(), Some(6), "an object ends");
    }
    found
}

/// The stacks of a block.
fn stacks(content: &[u8]) -> u64 {
    let mut walk = Walk {
        bytes: content,
        at: 8,
    };
    let mut count = 0;
    while walk.at < content.len() {
        walk.at += walk.u32() as usize;
        count += 1;
    }
    count
}

/// The events of a block with compressed headers.
fn events(content: &[u8]) -> u64 {
    let head_bytes = usize::from(u16::from_le_bytes([content[0], content[1]]));
    let mut walk = Walk {
        bytes: content,
        at: head_bytes,
    };
    let (mut count, mut payload_bytes, mut sum) = (0, 0, 0u64);
    while let Some(flags) = walk.u8() {
        if flags & 1 != 0 {
            sum = sum.wrapping_add(walk.varuint());
        }
        if flags & 2 != 0 {
            sum = sum
                .wrapping_add(walk.varuint())
                .wrapping_add(walk.varuint())
                .wrapping_add(walk.varuint());
        }
        for bit in [4, 8] {
            if flags & bit != 0 {
                sum = sum.wrapping_add(walk.varuint());
            }
        }
        sum = sum.wrapping_add(walk.varuint());
        for bit in [16, 32] {
            if flags & bit != 0 {
                walk.at += 16;
            }
        }
        if flags & 128 != 0 {
            payload_bytes = walk.varuint();
        }
        walk.at += payload_bytes as usize;
        count += 1;
    }
    std::hint::black_box(sum);
    count
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn u8(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn u32(&mut self) -> u32 {
        let bytes = self.bytes[self.at..self.at + 4]
            .try_into()
            .expect("four bytes");
        self.at += 4;
        u32::from_le_bytes(bytes)
    }

    fn varuint(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.bytes[self.at];
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
}

/// The least that a reader of a speedscope file has to do with serde_json: visit every frame index of every sample, and every
/// weight.
pub fn visit_samples(path: &Path) -> u64 {
    let bytes = std::fs::read(path).expect("the file was written before");
    let file: Samples = serde_json::from_slice(&bytes).expect("the file was written before");
    file.profiles
        .into_iter()
        .map(|profile| profile.samples.0 + profile.weights.0)
        .sum()
}

#[derive(serde::Deserialize)]
struct Samples {
    profiles: Vec<Profile>,
}

#[derive(serde::Deserialize)]
struct Profile {
    samples: Sum<Sum<u64>>,
    weights: Sum<u64>,
}

/// The sum of an array.
struct Sum<T>(u64, std::marker::PhantomData<T>);

impl<T> From<Sum<T>> for u64 {
    fn from(sum: Sum<T>) -> u64 {
        sum.0
    }
}

impl<'de, T: Deserialize<'de> + Into<u64>> Deserialize<'de> for Sum<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Rows<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Into<u64>> Visitor<'de> for Rows<T> {
            type Value = Sum<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Sum<T>, A::Error> {
                let mut sum = 0u64;
                while let Some(item) = seq.next_element::<T>()? {
                    sum = sum.wrapping_add(item.into()).wrapping_add(1);
                }
                Ok(Sum(sum, std::marker::PhantomData))
            }
        }
        deserializer.deserialize_seq(Rows(std::marker::PhantomData))
    }
}

/// The least that a reader of trace events has to do with serde_json: visit the name, phase, time and thread of each.
pub fn visit_events(path: &Path) -> u64 {
    let bytes = std::fs::read(path).expect("the file was written before");
    let file: Trace = serde_json::from_slice(&bytes).expect("the file was written before");
    file.events.0
}

#[derive(serde::Deserialize)]
struct Trace<'a> {
    #[serde(rename = "traceEvents", borrow)]
    events: Sum<TraceEvent<'a>>,
}

#[derive(serde::Deserialize)]
struct TraceEvent<'a> {
    #[serde(default, borrow)]
    name: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    ph: std::borrow::Cow<'a, str>,
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    pid: u64,
    #[serde(default)]
    tid: u64,
}

impl From<TraceEvent<'_>> for u64 {
    fn from(event: TraceEvent) -> u64 {
        (event.name.len() + event.ph.len()) as u64 + event.ts as u64 + event.pid + event.tid
    }
}

/// The least that a reader of a call tree has to do with serde_json: visit every node and every field.
pub fn visit_call_tree(path: &Path) -> u64 {
    let bytes = std::fs::read(path).expect("the file was written before");
    let mut deserializer = serde_json::Deserializer::from_slice(&bytes);
    deserializer.disable_recursion_limit();
    Document::deserialize(&mut deserializer)
        .expect("the file was written before")
        .0
        .0
}

/// The CPU time of a process that only starts.
pub fn start_only(program: &str) -> crate::measurement::Timing {
    crate::measurements::processor_seconds(Command::new(program).arg("--version"))
}

/// The number of nodes in a subtree.
struct Count(u64);

struct Document(Count);

/// Sums that ensure that no field is skipped.
#[derive(Default)]
struct Sums {
    inclusive: f64,
    exclusive: f64,
    calls: u64,
    text_bytes: usize,
}

/// The length of a string, borrowed or not.
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
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Children, A::Error> {
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
