//! What dotTrace's window keeps beside a snapshot: compared by doctor, and never a hindrance.

use super::machine::Machine;
use crate::common::json::each;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The file of settings with these entries.
fn write(machine: &Machine, entries: &str) {
    fs::write(
        machine.path("m.dtp.DotSettings"),
        format!("<wpf:ResourceDictionary>{entries}</wpf:ResourceDictionary>"),
    )
    .unwrap();
}

fn sums(implementations: &str) -> String {
    format!(
        r#"<s:String x:Key="/Default/HotspotsPrecomputing/VirtualFunctionsList/=Acme_002EBook_002EA/@EntryIndexedValue">{}</s:String>"#,
        implementations.replace('<', "&lt;")
    )
}

#[test]
fn sums_that_differ_are_named() {
    let machine = Machine::with(|_| {});
    // A has a total of 9.5 ms in ticks of 100 ns, 4 of its own; B has 3.5
    let implementations = r#"<Implementation FuId="0x00100001" OwnTime="40000" TotalTime="95000"/><Implementation FuId="0x00100002" OwnTime="35000" TotalTime="35001"/><Implementation FuId="0x00700001" OwnTime="1" TotalTime="2"/>"#;
    write(&machine, &sums(implementations));
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    assert_eq!(run.code, 0);
    run.says(&[
        "DotSettings 1 of 3 functions equal to the tick",
        "Acme.Book.A: total 3.5001 ms, own 3.5 ms there; total 3.5 ms, own 3.5 ms in the tree",
        "Acme.Book.A: total 0.0002 ms, own 0.0001 ms there; no such function in the tree",
    ]);
    let sum = |stored: [f64; 2], ours: Value| {
        json!({"name": "Acme.Book.A", "stored_inclusive": stored[0], "stored_exclusive": stored[1],
            "inclusive": ours, "exclusive": ours})
    };
    let differing = [
        sum([3.5001, 3.5], 3.5.into()),
        sum([0.0002, 0.0001], Value::Null),
    ];
    let beside = json!({"sums": 3, "equal": 1, "rounded": 0, "differing": differing});
    assert_eq!(document["snapshot"]["beside"], beside);
}

#[test]
fn broken_settings_hinder_nothing() {
    let machine = Machine::with(|_| {});
    for (text, words) in [
        (
            "<a><s:String x:Key='",
            "m.dtp.DotSettings: its XML breaks off at byte",
        ),
        ("\u{0}\u{1}", ""),
        ("</a>", "its XML breaks off"),
    ] {
        fs::write(machine.path("m.dtp.DotSettings"), text).unwrap();
        let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
        assert_eq!(run.code, 0);
        run.says(&["native opens it", words]);
        let warnings = each(&document["snapshot"]["warnings"]).count();
        assert_eq!(warnings, usize::from(!words.is_empty()));
    }
}
