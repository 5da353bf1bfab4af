use super::*;
use crate::input::Progress;
use crate::model::testing::bytes_of;
use std::io::Write;

/// A whole file, and two halves split at every byte, read the same.
#[track_caller]
fn check(text: &str) {
    check_parted(text, 5);
}

#[track_caller]
fn check_parted(text: &str, step: usize) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let read = |offset: Option<usize>| {
        let input = Input::open(file.path(), Progress::default()).unwrap();
        let half = offset.map(|offset| ParallelTail::of_any(&input, offset as u64));
        let recording = read_as_far(input, half, true);
        recording
            .map(|recording| bytes_of(&recording))
            .map_err(|error| error.to_string())
    };
    let expect = read(None);
    for offset in (0..=text.len()).step_by(step) {
        assert!(read(Some(offset)) == expect, "parted at {offset} of {text}");
    }
}

const HEAD: &str = r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"x","time_unit":"ms",
        "other_metrics":[{"name":"bytes","unit":"bytes","counts":"calls"}]},"#;
const TREE: &str = r#""call_tree":{"id":"0x0","name":"All","kind":"root","inclusive_time":20,"children":[
        {"id":"0x1","name":"Main","kind":"thread","thread_name":"main","inclusive_time":12,"exclusive_time":1,"children":[
            {"id":"0x2","name":"A","inclusive_time":7.5,"call_count":2,"children":[{"id":"0x3","name":"B","inclusive_time":3},
                {"id":"0x4","name":"C","signature":"(x)","kind":"odd","inclusive_time":-1,"children":null}]},
            {"id":"0x5","name":"B","inclusive_time":3,"other":[[1,2,3]],"children":[{"id":"0x6","inclusive_time":4000000000}]}]},
        {"id":"0x7","name":"T","kind":"thread","exclusive_time":2,"call_count":4294967296,"children":[]}]}"#;
const TAIL: &str = r#","hotspots":{"exclusive":[{"name":"A","exclusive_time":1}],"inclusive":[]}, "more":[{"a":{}}] }"#;

#[test]
fn halves_equal_the_whole() {
    let whole = [HEAD, TREE, TAIL].concat();
    check_parted(&whole, 1);
    check(&[HEAD, TREE, "}"].concat());
    check(&["{", TREE, r#","schema":"dotspot.call-tree/1"}"#].concat());
    // members after the callees, ids in another form, a name that looks like a node
    check(&whole.replace(r#""children":[]}"#, r#""children":[],"call_count":7}"#));
    check(&whole.replace(r#":4000000000}]}"#, r#":4000000000}],"inclusive_time":4}"#));
    check(&whole.replace("0x5", "n5"));
    // a metric that occurs in one half only
    check(&whole.replace("other_metrics", "others"));
    check(&whole.replace("0x", "n"));
    check(&whole.replace(r#""name":"T""#, r#""name":",{\"id\":\"5\"}""#));
}

#[test]
fn truncated_halves_equal_the_truncated_whole() {
    let whole = [HEAD, TREE, TAIL].concat();
    for after in [
        "\"0x3",
        "\"0x5\"",
        ":4000000000}",
        "\"children\":[]}",
        "]}]}",
        "\"hotspots\"",
    ] {
        let end = whole.rfind(after).unwrap() + after.len();
        check(&whole[..end]);
    }
    check(&whole.replace("[[1,2,3]]", "[[1,2,3]}"));
    check(&whole.replace(r#""hotspots":"#, r#"{"id":"9"}"#));
    check(&whole.replace(r#"]}]},"#, r#"]}]}]},"#));
}
