//! The table of formats.

use super::containers::{Wanted, unpack};
use super::{
    Failure, Head, ImportError, Input, Stage, call_tree_json, collapsed, cpuprofile, dtp, nettrace, perf_script,
    perfview, pprof, report_xml, speedscope, trace_event,
};
use crate::model::{FrameId, Profile};

/// How sure a format is that a file is its own; the surest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The name fits, the content does not contradict.
    Name,
    /// The content looks like it.
    Likely,
    /// A magic number or a schema name says so.
    Certain,
}

/// A format that dotspot reads.
pub struct Format {
    /// Its name on the command line and in output.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Usual file extensions, with the dot.
    pub extensions: &'static [&'static str],
    /// The metrics that it gives.
    pub metrics: &'static str,
    /// What of it is left out, a clause; empty if nothing is.
    pub lost: &'static str,
    /// Whether a file starts like one of this format.
    pub sniff: fn(&Head) -> Option<Confidence>,
    /// Reads it.
    pub read: fn(Input) -> Result<Profile, ImportError>,
    /// Reads only the sums of its methods, for formats where that takes no tree. `None` where a certain file needs its tree
    /// after all.
    pub sums: Option<ReadSums>,
}

/// Reads the sums of the methods of a profile, see [`Format::sums`].
pub type ReadSums = fn(Input) -> Result<Option<Sums>, ImportError>;

/// The sums of all methods of a profile, read without its tree. They are those of the tree.
pub struct Sums {
    /// The profile with its root alone, whose inclusive value is the whole, and with the warnings of the whole profile.
    pub profile: Profile,
    /// The methods and special frames, in no particular order.
    pub methods: Vec<MethodSum>,
}

/// A method with its values summed over all its nodes, in stored steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodSum {
    /// The method.
    pub frame: FrameId,
    /// With callees; a node below another node of the same method adds nothing.
    pub inclusive: u64,
    /// Without callees.
    pub exclusive: u64,
    /// Calls over all nodes, or samples with recursion counted once; `None` where the file has no counts.
    pub count: Option<u64>,
    /// Calls or samples over all nodes.
    pub count_of_nodes: u64,
    /// Calls or samples of the nodes that lie below no other node of the method.
    pub count_of_outermost: u64,
    /// The number of its nodes.
    pub node_count: u32,
}

/// Other names by which people know formats, with the one in the table.
const ALIASES: &[(&str, &str)] = &[
    ("chromium", "trace-event"),
    ("chrome", "trace-event"),
    ("folded", "collapsed"),
    ("perf", "perfscript"),
    ("dottrace", "dtp"),
];

/// Other names of the format that has this name in the table.
pub fn aliases(name: &str) -> impl Iterator<Item = &'static str> {
    ALIASES.iter().filter(move |(_, format)| *format == name).map(|(alias, _)| *alias)
}

impl Format {
    /// Whether this is the format of dotTrace snapshots, for which there are other decoders than ours.
    pub fn is_dottrace_snapshot(&self) -> bool {
        self.name == dtp::FORMAT.name
    }
}

/// All formats, the likeliest first.
pub const FORMATS: &[Format] = &[
    dtp::FORMAT,
    nettrace::FORMAT,
    speedscope::FORMAT,
    trace_event::FORMAT,
    cpuprofile::FORMAT,
    call_tree_json::FORMAT,
    report_xml::FORMAT,
    perfview::FORMAT,
    perf_script::FORMAT,
    collapsed::FORMAT,
    pprof::FORMAT,
];

/// The format of a file by its content, then its name.
pub fn detect(head: &Head) -> Option<&'static Format> {
    FORMATS
        .iter()
        .filter_map(|format| (format.sniff)(head).map(|confidence| (confidence, format)))
        // the first of equals wins, and `max_by_key` takes the last
        .rev()
        .max_by_key(|(confidence, _)| *confidence)
        .map(|(_, format)| format)
}

/// The format that the content of a profile says, then its name.
///
/// # Errors
/// A file of no known format is told what was tried.
pub fn format_of(input: &Input) -> Result<&'static Format, ImportError> {
    detect(&input.head()).ok_or_else(|| not_recognised(input).into())
}

/// Reads a profile in the format that its content says, out of whatever container it is in.
///
/// # Errors
/// Those of [`unpack`], [`format_of`] and of the format's reader.
pub fn import(input: Input) -> Result<Profile, ImportError> {
    import_with(input, &Wanted::default(), |format, input| (format.read)(input))
}

/// Unpacks a profile, finds out its format unless `wanted` says it, has it read by `read`, and adds what is to be said of
/// its containers and of its format.
///
/// # Errors
/// As [`import`].
pub fn import_with(
    input: Input,
    wanted: &Wanted,
    read: impl FnOnce(&'static Format, Input) -> Result<Profile, ImportError>,
) -> Result<Profile, ImportError> {
    let outer = input.name.clone();
    let input = unpack(input, wanted)?;
    let inner = input.name.clone();
    let packaging = input.packaging.clone();
    let (format, doubt) = match wanted.format {
        Some(format) => (format, None),
        None => {
            let format = format_of(&input)?;
            (format, doubt(format, FORMATS, &input.head()))
        }
    };
    let other = wanted.format.and_then(|format| other_than(format, &input.head()));
    let read = read(format, input).map_err(|error| match (error, other) {
        (ImportError::Failed(failure), Some(other)) => {
            failure.advice(format!("this looks like a {}; leave --format out", other.title)).into()
        }
        (error, _) => error,
    });
    let mut profile = packaging.settle(&outer, &inner, read)?;
    profile.warnings.extend(doubt);
    Ok(profile)
}

/// The format that a file certainly is, if the named one says that it is none of its own.
fn other_than(named: &Format, head: &Head) -> Option<&'static Format> {
    let certain = |format: &&Format| (format.sniff)(head) == Some(Confidence::Certain);
    if (named.sniff)(head).is_some() { None } else { FORMATS.iter().find(certain) }
}

/// What is to be said if other formats are as likely as the one that was taken.
fn doubt(taken: &Format, all: &[Format], head: &Head) -> Option<String> {
    let confidence = (taken.sniff)(head);
    let others: Vec<&str> = all
        .iter()
        .filter(|format| format.name != taken.name && (format.sniff)(head) == confidence)
        .map(|format| format.name)
        .collect();
    (!others.is_empty()).then(|| {
        let others = others.join(" or --format ");
        format!("the file was read as {} ({}), and --format {others} may fit as well", taken.title, taken.name)
    })
}

/// The formats that detection tries, for people.
pub(super) fn tried() -> String {
    let titles: Vec<&str> = FORMATS.iter().map(|format| format.title).collect();
    titles.join(", ")
}

fn not_recognised(input: &Input) -> Failure {
    let head = input.head();
    let is_snapshot = dtp::is_named_like_one(head.name.as_ref());
    let failure = Failure::new(
        &input.name,
        "",
        format!("is {}, which is none of the formats tried ({})", looks_like(head.bytes), tried()),
    )
    .advice("`dotspot formats` lists what can be opened");
    if is_snapshot { failure.stage(Stage::Input) } else { failure }
}

/// What the first bytes look like, in words.
pub(super) fn looks_like(bytes: &[u8]) -> &'static str {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"\x1f\x8b", "a gzip file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"PERFILE2", "a perf.data file"),
        (b"\x7fELF", "an ELF program"),
        (b"MZ", "a Windows program"),
        (b"<?xml", "an XML file"),
        (b"<", "an XML or HTML file"),
        (b"{", "a JSON-like file"),
        (b"[{", "a JSON-like file"),
    ];
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    if bytes.is_empty() {
        return "empty";
    }
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| text.starts_with(magic)) {
        return what;
    }
    if is_event_trace(bytes) {
        return "a Windows event trace (.etl)";
    }
    if bytes.contains(&0) || std::str::from_utf8(bytes).is_err_and(|e| e.error_len().is_some()) {
        "a binary file"
    } else {
        "a text file"
    }
}

/// An ETW trace starts with a buffer of type 4 (at byte 54) whose first event, at byte 72, has a system header: its type in
/// the third byte is 1 or 2, and its fourth byte is C0.
fn is_event_trace(bytes: &[u8]) -> bool {
    bytes.get(54..56) == Some(&[4, 0]) && matches!(bytes.get(74..76), Some([1 | 2, 0xC0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &'static str, sniff: fn(&Head) -> Option<Confidence>) -> Format {
        let read = |input: Input| Err(Failure::new(&input.name, "", "is only sniffed").into());
        Format { name, title: "a format", extensions: &[], metrics: "", lost: "", sniff, read, sums: None }
    }

    #[test]
    fn of_equally_sure_formats_the_others_are_named() {
        let all = [
            format("one", |_| Some(Confidence::Likely)),
            format("two", |_| Some(Confidence::Likely)),
            format("three", |_| Some(Confidence::Name)),
            format("four", |_| None),
        ];
        let head = Head { bytes: b"", name: "" };
        let sentence = "the file was read as a format (one), and --format two may fit as well";
        assert_eq!(doubt(&all[0], &all, &head).as_deref(), Some(sentence));
        assert_eq!(doubt(&all[2], &all[2..], &head), None);
    }

    #[test]
    fn files_look_like_something() {
        let check = |bytes: &[u8], expect| assert_eq!(looks_like(bytes), expect);
        check(b"", "empty");
        check(b"hello\n", "a text file");
        check(b"  {\"a\": 1}", "a JSON-like file");
        check(b"<?xml version=\"1.0\"?>", "an XML file");
        check(b"PERFILE2", "a perf.data file");
        check(&[7, 0, 1], "a binary file");
        // the start of an event trace: buffer type 4, and a system header in the first event
        let mut trace = vec![0; 100];
        trace[54..56].copy_from_slice(&[4, 0]);
        trace[72..76].copy_from_slice(&[2, 0, 2, 0xC0]);
        check(&trace, "a Windows event trace (.etl)");
    }
}
