//! The flame graph as a picture for browsers.

use crate::common::run::{dotspot, fails};
use crate::common::text::{has, lacks};
use std::fs;

/// Names are text, never markup, and a control character never reaches a file.
const HOSTILE: &str = "Main;<script>alert(1)</script>;a&b \"c\" 30\nMain;Shop.Sum\u{1b}[31m 70\n";

fn svg_of(name: &str, text: &str, args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join(name), folder.path().join("a.svg"));
    fs::write(&file, text).unwrap();
    let mut all = vec![
        "export",
        file.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
    ];
    all.extend(args);
    writes(&all);
    fs::read_to_string(&out).unwrap()
}

/// What browsers show of frames when they are pointed at: name, value and share.
fn titles(svg: &str) -> Vec<&str> {
    let titles = svg.split("<title>").skip(1);
    titles
        .map(|text| text.split("</title>").next().unwrap())
        .collect()
}

#[test]
fn frames_have_their_values_and_names_are_no_markup() {
    let svg = svg_of("shop.folded", HOSTILE, &[]);
    quick_xml_reads(&svg);
    let titles = titles(&svg);
    let shown = |words: &str| titles.iter().any(|title| title.contains(words));
    assert!(shown("Shop.Sum"), "{titles:?}");
    assert!(shown("(70 samples, 70.00%)"), "{titles:?}");
    assert!(shown("(30 samples, 30.00%)"), "{titles:?}");
    assert!(shown("&lt;script&gt;alert(1)&lt;/script&gt;"), "{titles:?}");
    lacks(&svg, "<script>alert");
    lacks(&svg, "\u{1b}");
    // nothing is fetched: no address but the names of namespaces and documents
    for part in svg
        .split("href=\"")
        .skip(1)
        .chain(svg.split("src=\"").skip(1))
    {
        assert!(part.starts_with('#'), "{}", &part[..40.min(part.len())]);
    }
}

/// Whether it is well-formed.
fn quick_xml_reads(svg: &str) {
    let mut reader = quick_xml::Reader::from_str(svg);
    loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) => return,
            Ok(_) => {}
            Err(error) => panic!("{error} at {}", reader.buffer_position()),
        }
    }
}

#[track_caller]
fn writes(args: &[&str]) {
    let run = dotspot(args);
    assert_eq!(run.code, 0, "{}", run.err);
    has(&run.err, "dotspot can't open the picture");
}

/// 5,208.6 ms of CPU, of which `PriceRules.Discount` has 1,617.2 (`expected/views/orderedconsume.json`), in several threads.
#[test]
fn a_picture_of_a_recording_obeys_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("flame.svg");
    let out = out.to_str().unwrap();
    writes(&[
        "export",
        "snapshots/js-ordered-consume.nettrace",
        "-o",
        out,
        "--merge-threads",
    ]);
    let svg = fs::read_to_string(out).unwrap();
    assert!(svg.len() < 500_000, "{} bytes", svg.len());
    has(&svg, "js-ordered-consume.nettrace: CPU 5,208.6 ms");
    has(&svg, "PriceRules.Discount");
    // the whole, in the unit of the title
    has(&svg, "(5,208.6 ms, 100.00%)");
    fails(
        &["export", "snapshots/js-ordered-consume.nettrace", "-o", out],
        1,
        &["already exists"],
    );
    writes(&[
        "export",
        "snapshots/js-ordered-consume.nettrace",
        "-o",
        out,
        "--force",
        "--until",
        "2s",
    ]);
    has(fs::read_to_string(out).unwrap(), "CPU 1,397.4 ms");
    has(fs::read_to_string(out).unwrap(), "0.000 s to 2.000 s");
    fails(&["info", out], 1, &["is not a profile dotspot knows"]);
}
