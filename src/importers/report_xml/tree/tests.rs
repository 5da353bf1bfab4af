use super::*;
use crate::input::Progress;
use crate::model::testing::bytes_of;
use std::io::Write;

/// A whole report, and two halves split at every byte, read the same.
#[track_caller]
fn check(report: &str) {
    check_parted(report, (0..=report.len()).step_by(5));
}

/// Likewise, split at these bytes.
#[track_caller]
fn check_parted(report: &str, offsets: impl IntoIterator<Item = usize>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(report.as_bytes()).unwrap();
    let read = |offset: Option<usize>| {
        let input = Input::open(file.path(), Progress::default()).unwrap();
        let half = offset.map(|offset| ParallelTail::of_any(&input, offset as u64));
        read_as_halves(input, half)
            .map(|recording| bytes_of(&recording))
            .map_err(|error| error.to_string())
    };
    let expect = read(None);
    for offset in offsets {
        assert!(
            read(Some(offset)) == expect,
            "parted at {offset}: {}",
            &report[offset..]
        );
    }
}

const REPORT: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!-- <Function --><Report>
  <Function Id="0x1" FQN="A" TotalTime="30" OwnTime="10" Calls="2" Instances="2">
    <Instance CallStack="Thread #1/A" TotalTime="20" OwnTime="4" Calls="1" />
    <Instance CallStack="Thread #2/A" TotalTime="10" OwnTime="6.5" Calls="1" />
  </Function>
  <Function Id="0x2" FQN="B" TotalTime="-1" OwnTime="x" Calls="3" Instances="3">
    <Instance CallStack="Thread #1/A/B" TotalTime="16" OwnTime="16" Calls="3" />
    <Instance CallStack="Thread #3/C(x/y)/B" TotalTime="1" OwnTime="1" Calls="3" />
    <Instance CallStack="" TotalTime="1" OwnTime="1" Calls="3" />
  </Function>
  <Function Id="0x3" FQN="D" TotalTime="3" OwnTime="3" Calls="2" Instances="0" />
  <Function Id="0x4" FQN="A" TotalTime="1" OwnTime="1" Calls="2" Instances="1">
    <Instance CallStack="Thread #1/A" TotalTime="1" OwnTime="1" Calls="1" />
  </Function>
</Report>
"#;

#[test]
fn halves_equal_the_whole() {
    check_parted(REPORT, 0..=REPORT.len());
    // two kinds of counts, and unknown references, in either half
    for (part, other) in [
        ("Calls=\"3\" />", "Samples=\"3\" />"),
        ("/B\"", "/&who;\""),
        ("#2/A", "#2/&who;"),
    ] {
        check(&REPORT.replace(part, other));
    }
    check(&REPORT.replace("TotalTime=\"3\"", "TotalTimeDiff=\"3\""));
}

#[test]
fn truncated_halves_equal_the_truncated_whole() {
    for end in [
        REPORT.find("D\"").unwrap(),
        REPORT.find("<Function Id=\"0x4").unwrap(),
        REPORT.len() - 3,
    ] {
        check(&REPORT[..end]);
    }
    check(&REPORT.replace("</Report>", "</Function></Report>"));
    check(&REPORT.replace("<Function Id=\"0x2\"", "<Function < Id=\"0x2\""));
}
