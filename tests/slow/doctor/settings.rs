//! dotTrace's window settings next to a snapshot, which doctor compares with its own sums.

use super::machine::Machine;
use crate::common::json::each;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

#[test]
fn differing_sums_are_reported() {
    let machine = Machine::with(|_| {});
    // A has 9.5 ms inclusive in ticks of 100 ns, 4 ms of them exclusive; B has 3.5
    let implementations = r#"<Implementation FuId="0x00100001" OwnTime="40000" TotalTime="95000"/><Implementation FuId="0x00100002" OwnTime="35000" TotalTime="35001"/><Implementation FuId="0x00700001" OwnTime="1" TotalTime="2"/>"#;
    let entry = format!(
        r#"<s:String x:Key="/Default/HotspotsPrecomputing/VirtualFunctionsList/=Acme_002EBook_002EA/@EntryIndexedValue">{}</s:String>"#,
        implementations.replace('<', "&lt;")
    );
    let text = format!("<wpf:ResourceDictionary>{entry}</wpf:ResourceDictionary>");
    fs::write(machine.path("m.dtp.DotSettings"), text).unwrap();
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    assert_eq!(run.code, 0);
    run.assert_output(&[
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
    let sums = json!({"sums": 3, "equal": 1, "rounded": 0, "differing": differing});
    assert_eq!(document["snapshot"]["beside"], sums);
}

#[test]
fn broken_settings_are_harmless() {
    let machine = Machine::with(|_| {});
    let text = "<a><s:String x:Key='";
    fs::write(machine.path("m.dtp.DotSettings"), text).unwrap();
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    assert_eq!(run.code, 0);
    let words = "m.dtp.DotSettings: its XML breaks off at byte";
    run.assert_output(&["native opens it", words]);
    assert_eq!(each(&document["snapshot"]["warnings"]).count(), 1);
}
