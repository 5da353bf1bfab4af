//! Damaged and hostile reports: what is readable is read, the rest is reported, and time and memory stay bounded.

use crate::common::call_tree::{TIME, export};
use crate::common::profiles::{check_tree, names_behind, read_as, read_bytes};
use crate::common::random::Random;
use crate::common::text::{assert_contains, assert_starts_with};
use dotspot::testing::diagnostics::{Diagnostic, MissingReason};
use dotspot::testing::importers::import;
use dotspot::testing::input::{ImportError, Input, Progress};
use dotspot::testing::model::{NodeId, Recording, View};
use dotspot::testing::text::is_hostile;
use std::io::{self, Cursor, Read};

fn load(bytes: impl Into<Vec<u8>>) -> Result<View, ImportError> {
    read_bytes("a.xml", bytes.into())
}

/// A report that uses the whole format; no caller is missing.
const SMALL: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<Report>
  <Info Version="1"><a>&amp;</a></Info>
  <Function Id="0x1" FQN="Thread #7" TotalTime="12.5" OwnTime="0" Calls="0" Instances="1">
    <Instance CallStack="Thread #7" TotalTime="12.5" OwnTime="0" Calls="0"/>
  </Function>
  <Function Id="0x2" FQN="A.Main(String[])" TotalTime="12.5" OwnTime="2" Calls="1" Instances="1">
    <Instance CallStack="Thread #7/A.Main(String[])" TotalTime="12.5" OwnTime="2" Calls="1" />
  </Function>
  <Function Id="0x3" FQN="B&lt;X&gt;.&lt;Run&gt;b__0" TotalTime="10.5" OwnTime="10.5" Calls="9" Instances="2">
    <Instance CallStack="Thread #7/A.Main(String[])/B&lt;X&gt;.&lt;Run&gt;b__0" TotalTime="10.5" OwnTime="10" Calls="4"></Instance>
    <Instance CallStack="Thread #7/A.Main(String[])/B&lt;X&gt;.&lt;Run&gt;b__0/B&lt;X&gt;.&lt;Run&gt;b__0" TotalTime="0.5" OwnTime="0.5" Calls="5"/>
  </Function>
</Report>
"#;

/// The same report without call stacks.
const FLAT: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<Report>
  <Function Id="0x2" FQN="A.Main(String[])" TotalTime="12.5" OwnTime="2" Calls="1" Instances="1"/>
  <Function Id="0x3" FQN="B&lt;X/Y&gt;.&lt;Run&gt;b__0" TotalTime="10.5" OwnTime="10.5" Calls="9" Instances="2"></Function>
  <Function Id="0x4" FQN="A.Main(String[])" TotalTime="0.25" OwnTime="0.25" Calls="3" Instances="1"/>
</Report>
"#;

/// Reads a possibly damaged report: a consistent tree, or an error that names the file.
fn survive(bytes: Vec<u8>) -> Option<View> {
    let profile = match read_as("report", "a.xml", bytes) {
        Ok(profile) => profile,
        Err(error) => {
            let sentence = error.to_string();
            assert_starts_with(&sentence, "a.xml: dotTrace report");
            assert!(!sentence.chars().any(is_hostile), "{sentence}");
            return None;
        }
    };
    assert!(!export(&profile, NodeId::ROOT, TIME).is_empty());
    Some(profile)
}

#[test]
fn every_truncation_gives_the_instances_before_it() {
    let complete = survive(SMALL.as_bytes().to_vec()).unwrap();
    assert_eq!((complete.tree.len(), complete.warnings().len()), (5, 0));
    let first = SMALL.find("Instances=\"1\">").unwrap() + "Instances=\"1\">".len();
    let starts = SMALL.match_indices("<Instance ").map(|(at, _)| at);
    let ends: Vec<usize> = starts
        .map(|at| at + SMALL[at..].find('>').unwrap() + 1)
        .collect();
    for end in 0..SMALL.len() {
        let profile = survive(SMALL.as_bytes()[..end].to_vec());
        assert_eq!(profile.is_some(), end >= first, "cut at {end}");
        let Some(profile) = profile else { continue };
        // the complete Instances, or the first Function if there is none
        let nodes = ends.iter().filter(|&&at| at <= end).count().max(1);
        assert_eq!(profile.tree.len(), nodes + 1, "cut at {end}");
        let is_whole = end >= SMALL.trim_end().len();
        let broken_off = Diagnostic::unreadable_from(end as u64, "it ends unexpectedly");
        let is_reported = profile.warnings().contains(&broken_off);
        assert_eq!(is_reported, !is_whole, "cut at {end}");
    }
}

#[test]
fn thousands_of_mutations_are_survived() {
    const TOKENS: &[u8] = b"<>&;\"'/=()[]!?-#x0.e9T \n\x00\x1b\xc3\xff";
    for text in [SMALL, FLAT] {
        let mut random = Random(42);
        let (mut read, mut unaffected) = (0, 0);
        let codes = survive(text.into()).unwrap().codes();
        for _ in 0..1500 {
            let mut bytes = text.as_bytes().to_vec();
            random.change_text(&mut bytes, TOKENS);
            if let Some(profile) = survive(bytes) {
                read += 1;
                unaffected += u32::from(profile.codes() == codes);
            }
        }
        assert!((300..1500).contains(&read), "{read} opened");
        assert!((30..read).contains(&unaffected), "{unaffected} unaffected");
    }
}

fn one_instance(stack: &str) -> String {
    format!(
        r#"<Report><Function FQN="F" TotalTime="2" OwnTime="2"><Instance CallStack="{stack}" TotalTime="2" OwnTime="2"/></Function></Report>"#
    )
}

#[test]
fn call_stacks_of_any_depth() {
    for depth in [100_000, 1_000_000] {
        let profile = load(one_instance(&vec!["A.B"; depth].join("/"))).unwrap();
        assert_eq!(profile.tree.len(), depth + 1);
        let last = NodeId(depth as u32);
        assert_eq!(profile.tree.exclusive(TIME, last), 2_000_000);
        assert_eq!(profile.tree.inclusive(TIME, NodeId(1)), 2_000_000);
        let (nodes, why_missing) = (depth as u64 - 1, MissingReason::Pattern);
        let expect = Diagnostic::NodesWithoutRow { nodes, why_missing };
        assert_eq!(profile.warnings()[0], expect);
    }
}

/// Each bracket takes linear time: with quadratic time, this would not finish.
#[test]
fn unclosed_brackets_take_linear_time() {
    let frames = 50_000;
    for (stack, nodes) in [
        (vec!["a("; frames].join("/"), frames),
        ("(/".repeat(frames), frames + 1),
        ("&lt;a/".repeat(frames), frames + 1),
        (format!("a({}", "/b".repeat(frames)), frames + 1),
        (format!("a({})", "/b".repeat(frames)), 1),
        ("/".repeat(frames), frames + 1),
        ("&#47;".repeat(frames), frames + 1),
        ("&".repeat(frames), 1),
        ("&#x".repeat(frames), 1),
    ] {
        let profile = load(one_instance(&stack)).unwrap();
        check_tree(&profile);
        assert_eq!(profile.tree.len() - 1, nodes, "{}…", &stack[..20]);
    }
}

#[test]
fn long_and_hostile_names_are_preserved() {
    let long = "N.".repeat(50_000);
    let stack = format!("{long}A/\u{202e}&#x1B;]0;title&#7;&#0;/ B ");
    let profile = load(one_instance(&stack)).unwrap();
    assert_eq!(
        names_behind(&profile, 1),
        [&format!("{long}A"), "\u{202e}\u{1b}]0;title\u{7}\0", " B "]
    );
    assert!(survive(one_instance(&stack).into_bytes()).is_some());
}

/// Declared entities are neither expanded nor fetched: no file is read, and a bomb stays small.
#[test]
fn entities_are_not_expanded() {
    let doctype = r#"<!DOCTYPE Report [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>"#;
    let profile = load(format!("{doctype}{}", one_instance("&b;&c;.Run"))).unwrap();
    assert_eq!(profile.name(NodeId(1)), "&b;&c;.Run");
    assert_eq!(profile.warnings(), []);
}

#[test]
fn elements_of_any_depth() {
    let elements = "<x>".repeat(300_000);
    let text = format!("<Report>{elements}<Function FQN=\"F\" OwnTime=\"1\"/>");
    assert_contains(
        load(text).unwrap_err().to_string(),
        "ends unexpectedly before the first",
    );
}

/// A stream that repeats a text endlessly, until it is cancelled after `max` bytes.
struct Endless {
    progress: Progress,
    text: &'static [u8],
    bytes: usize,
    max: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.text.repeat(buffer.len() / self.text.len());
        buffer[..bytes.len()].copy_from_slice(&bytes);
        self.bytes += bytes.len();
        if self.bytes > self.max {
            self.progress.cancel();
        }
        Ok(bytes.len())
    }
}

/// Reads a file that begins with `start` and then repeats `text` for up to `max` bytes.
fn endless(start: &str, text: &'static [u8], max: usize) -> Result<View, ImportError> {
    let progress = Progress::default();
    let endless = Endless {
        progress: progress.clone(),
        text,
        bytes: 0,
        max,
    };
    let start = Cursor::new(start.as_bytes().to_vec());
    let input = Input::stream("a.xml", Box::new(start.chain(endless)), progress);
    import(input.unwrap()).map(Recording::into_view)
}

#[test]
fn reading_stops_within_an_element() {
    let start = r#"<Report><Function FQN="F" TotalTime="2" OwnTime="2"><Instance CallStack=""#;
    let error = endless(start, b"A", 5_000_000).unwrap_err();
    assert_eq!(error, ImportError::Cancelled);
}

/// A single part may take 64 MiB of memory, no more; what was read before is preserved.
#[test]
fn an_endless_part_is_abandoned() {
    const LIMIT: usize = 64 << 20;
    let before = r#"<Report><Function FQN="F" TotalTime="2" OwnTime="2"><Instance CallStack="F" TotalTime="2" OwnTime="2"/>"#;
    let problem = "it has a tag, comment or text of more than 67,108,864 bytes";
    let too_long = Diagnostic::unreadable_from(103, problem);
    let open_tag = format!("{before}<Instance CallStack=\"");
    let profile = endless(&open_tag, b"AAAA", LIMIT + (4 << 20)).unwrap();
    assert_eq!(profile.tree.len(), 2);
    assert_eq!(profile.warnings()[0], too_long);
    let error = endless("<Report><Function FQN=\"", b"A", LIMIT + (4 << 20)).unwrap_err();
    let words =
        "and the file has a tag, comment or text of more than 67,108,864 bytes before the first";
    assert_contains(error.to_string(), words);
    // the names of open elements count, too
    let profile = endless(before, b"<x>", LIMIT).unwrap();
    let words = "it has too many nested elements, whose names take more than 67,108,864 bytes";
    let warnings = profile.warnings();
    let Diagnostic::IncompleteFile { problem, .. } = &warnings[0] else {
        panic!("{warnings:?}")
    };
    assert_eq!(problem.as_deref(), Some(words));
}
