//! A small profile of every kind, as call-tree JSON, with sums computed by hand.
/// A document of this kind (a `payload_type`): 60 ms in one thread. `Price` is called 7,000 times, 5,000 times from
/// outside and 2,000 times recursively, and has 50 ms exclusive time.
pub fn of_kind(kind: &str) -> String {
    let node = |id: &str, name: &str, values: [u32; 3], callees: &str| {
        let [inclusive, exclusive, count] = values;
        format!(
            r#"{{"id":"{id}","name":"Shop!Acme.{name}","kind":"method","inclusive_time":{inclusive},"exclusive_time":{exclusive},"call_count":{count},"children":[{callees}]}}"#
        )
    };
    let again = node("0x1fe0", "Orders.Price", [6, 6, 2000], "");
    let direct = node("0x1f9b", "Orders.Price", [10, 4, 1000], &again);
    let inner = node("0x1f4a", "Orders.Price", [40, 40, 4000], "");
    let run = node("0x1f05", "Orders.Run", [48, 8, 3], &inner);
    let main = node(
        "0x1ec0",
        "Program.Main",
        [60, 2, 1],
        &format!("{run},{direct}"),
    );
    format!(
        r#"{{"schema":"dotspot.call-tree/1","snapshot":{{"source":"shop.dtp","thread_count":1,"node_count":6,"payload_type":"{kind}","time_unit":"ms","decoder":"assemblies","decoder_version":"1.0","warnings":[]}},"thread_roots":[],"call_tree":{{"id":"root","name":"All threads","kind":"root","inclusive_time":60,"exclusive_time":0,"call_count":0,"children":[{{"id":"0x1e7b","name":"Main","kind":"thread","thread_name":"Main","inclusive_time":60,"exclusive_time":0,"call_count":0,"children":[{main}]}}]}},"hotspots":{{"inclusive":[],"exclusive":[]}}}}"#
    )
}
