//! Flame graphs exported as SVG.

use crate::common::run::{SAMPLE, dotspot, fails};
use crate::common::text::{assert_contains, assert_contains_all, assert_lacks};
use std::fs;

/// Names must not become markup, and control characters must not reach the file.
const HOSTILE: &str = "Main;<script>alert(1)</script>;a&b \"c\" 30\nMain;Shop.Sum\u{1b}[31m 70\n";

fn svg_of(name: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = [name, "a.svg"].map(|name| folder.path().join(name));
    fs::write(&file, text).unwrap();
    writes(&[
        "export",
        file.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
    ]);
    fs::read_to_string(&out).unwrap()
}

#[test]
fn frames_have_their_values_and_names_are_not_markup() {
    let svg = svg_of("shop.folded", HOSTILE);
    assert_well_formed(&svg);
    // tooltips of frames: name, value and percentage
    let titles = svg.split("<title>").skip(1);
    let titles = titles.map(|text| text.split("</title>").next().unwrap());
    let expect = [
        "Shop.Sum",
        "(70 samples, 70.00%)",
        "(30 samples, 30.00%)",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
    ];
    assert_contains_all(titles.collect::<Vec<_>>().join("\n"), &expect);
    assert_lacks(&svg, "<script>alert");
    assert_lacks(&svg, "\u{1b}");
    // nothing is fetched: the only URLs are those of namespaces and documents
    for attribute in ["href=\"", "src=\""] {
        let mut addresses = svg.split(attribute).skip(1);
        assert!(addresses.all(|address| address.starts_with('#')));
    }
}

/// Asserts that the SVG is well-formed XML.
fn assert_well_formed(svg: &str) {
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
    assert_contains(&run.err, "dotspot can't open the picture");
}

/// 5,208.6 ms of CPU, 1,617.2 of them in `PriceRules.Discount` (`expected/views/orderedconsume.json`), in several threads.
#[test]
fn a_flame_graph_respects_steps() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("flame.svg");
    let out = out.to_str().unwrap();
    writes(&["export", SAMPLE, "-o", out, "--merge-threads"]);
    let svg = fs::read_to_string(out).unwrap();
    assert!(svg.len() < 500_000, "{} bytes", svg.len());
    let title = "js-ordered-consume.nettrace: CPU 5,208.6 ms";
    // the total, in the title's unit
    assert_contains_all(
        svg,
        &[title, "PriceRules.Discount", "(5,208.6 ms, 100.00%)"],
    );
    fails(&["export", SAMPLE, "-o", out], 1, &["already exists"]);
    writes(&["export", SAMPLE, "-o", out, "--force", "--until", "2s"]);
    let svg = fs::read_to_string(out).unwrap();
    assert_contains_all(svg, &["CPU 1,397.4 ms", "0.000 s to 2.000 s"]);
    fails(&["info", out], 1, &["is not a profile dotspot can read"]);
}
