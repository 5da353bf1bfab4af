//! Shared by the tests of call-tree JSON.
use super::profiles::read_bytes;
use dotspot::testing::exporters::call_tree_json;
use dotspot::testing::input::ImportError;
use dotspot::testing::model::{MetricId, NodeId, View};

pub const TIME: MetricId = MetricId(0);

pub fn load_bytes(bytes: Vec<u8>) -> Result<View, ImportError> {
    read_bytes("a.json", bytes)
}

#[allow(unused_imports, reason = "one of the two programs needs it")]
pub use super::profiles::read_text as load;

pub fn export(profile: &View, root: NodeId, metric: MetricId) -> String {
    let mut out = Vec::new();
    call_tree_json::write(profile, root, metric, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A line per node: depth, name, kind, inclusive and exclusive values in stored units, and count.
pub fn dump(profile: &View) -> Vec<String> {
    let tree = &profile.tree;
    tree.nodes()
        .map(|node| {
            let (depth, name) = (tree.ancestors(node).count(), profile.name(node));
            let kind = profile.frames.get(tree.frame(node)).kind.name();
            let (inclusive, exclusive) = (tree.inclusive(TIME, node), tree.exclusive(TIME, node));
            let count = tree.count(TIME, node);
            let count = count.map_or("-".to_string(), |count| count.to_string());
            format!("{depth} {name} {kind} {inclusive} {exclusive} {count}")
        })
        .collect()
}

/// A plain document with `tree` as the value of `call_tree`.
pub fn document(tree: &str) -> String {
    format!(
        r#"{{"schema":"dotspot.call-tree/1","snapshot":{{"source":"a.dtp","thread_count":1,"node_count":null,"payload_type":"tracing","time_unit":"ms","decoder":"helper","decoder_version":"1.2","warnings":[]}},"thread_roots":[],"call_tree":{tree},"hotspots":{{"inclusive":[],"exclusive":[]}}}}"#
    )
}

/// A file that follows the contract, including unknown members.
pub const SMALL: &str = r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"/home/ann/shop.dtp","thread_count":2,"node_count":6,"payload_type":"tracing","time_unit":"ms","decoder":"helper","decoder_version":"1.2","warnings":["no signatures"],"new":{"x":[1,{"y":null}]}},
"thread_roots":[{"id":"0x10","name":"Main","kind":"thread","thread_name":"Main thread","inclusive_time":7.5,"exclusive_time":0.5,"call_count":1},
 {"id":"0x99","name":"Pool","kind":"thread","thread_name":"Thread 12","inclusive_time":2.5,"exclusive_time":2.5,"call_count":1}],
"call_tree":{"id":"0x0","name":"All threads","kind":"root","inclusive_time":10,"exclusive_time":0,"call_count":0,"children":[
 {"id":"0x99","name":"Pool","kind":"thread","inclusive_time":2.5,"exclusive_time":2.5,"call_count":1,"thread_name":"Thread 12","children":[]},
 {"id":"0x10","name":"Main","kind":"thread","inclusive_time":7.5,"exclusive_time":0.5,"call_count":1,"thread_name":"Main thread","children":[
  {"id":"0x20","name":"Acme.dll!Acme.Program.Main","kind":"method","inclusive_time":7,"exclusive_time":0.000001,"call_count":1,"children":[
   {"id":"0x30","name":"[Garbage collection]","kind":"special","inclusive_time":0.25,"exclusive_time":0.25,"call_count":3,"children":[]},
   {"id":"0x40","name":"Acme.dll!Acme.Program.Main","kind":"method","inclusive_time":6.749999,"exclusive_time":6.749999,"call_count":4,"children":[]}]}]}]},
"hotspots":{"inclusive":[{"name":"Acme.dll!Acme.Program.Main","kind":"method","inclusive_time":7,"exclusive_time":6.75,"call_count":5,"node_count":2}],
 "exclusive":[{"name":"Acme.dll!Acme.Program.Main","kind":"method","inclusive_time":7,"exclusive_time":6.75,"call_count":5,"node_count":2},
  {"name":"[Garbage collection]","kind":"special","inclusive_time":0.25,"exclusive_time":0.25,"call_count":3,"node_count":1}]}}"#;

/// The [`dump`] of [`SMALL`].
pub const SMALL_TREE: &[&str] = &[
    "0 All threads root 10000000 0 0",
    "1 Main thread 7500000 500000 1",
    "2 Acme.dll!Acme.Program.Main method 7000000 1 1",
    "3 Acme.dll!Acme.Program.Main method 6749999 6749999 4",
    "3 [Garbage collection] special 250000 250000 3",
    "1 Pool thread 2500000 2500000 1",
];
