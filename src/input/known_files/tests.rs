use super::*;

fn objects(type_name: &str) -> Vec<u8> {
    let mut bytes = [
        FAST_SERIALIZATION,
        b"1",
        &[4, 4, 1],
        &[10, 0, 0, 0, 8, 0, 0, 0],
    ]
    .concat();
    bytes.extend((type_name.len() as u32).to_le_bytes());
    bytes.extend(type_name.as_bytes());
    bytes.extend([6; 200]);
    bytes
}

#[test]
fn unsupported_files_are_recognized() {
    let check = |bytes: &[u8], expect| assert_eq!(known_file(bytes).kind, expect);
    check(b"", "empty");
    check(b"hello\n", "a text file");
    check(b"  {\"a\": 1}", "a JSON file");
    check(b"<?xml version=\"1.0\"?>", "an XML file");
    // gperftools' docs/cpuprofile-fileformat: 0, 3, 0, the sampling period and 0, each 64 bits wide
    let legacy = [0u64, 3, 0, 10_000, 0].map(u64::to_le_bytes).concat();
    check(&legacy, "a profile in the legacy format of gperftools");
    check(
        b"heap profile:      1:     4 [     1:     4] @ heapprofile\n",
        "a profile in the legacy format of gperftools",
    );
    check(&[7, 0, 1], "a binary file");
    check(&objects("GCHeapDump"), "a GC heap dump (.gcdump)");
    check(
        &objects("Microsoft.Diagnostics.Tracing.Etlx.TraceLog"),
        "TraceEvent's cache of a trace (.etlx)",
    );
    check(
        &objects("Acme.Shop"),
        "a file of .NET objects (FastSerialization)",
    );
}

#[test]
fn convertible_files_come_with_advice() {
    let files = [
        b"--- symbol\n".to_vec(),
        objects("GCHeapDump"),
        objects("TraceLog"),
    ];
    files
        .iter()
        .for_each(|file| assert_ne!(known_file(file).advice, "", "{}", known_file(file).kind));
    for name in ["Report.DiagSession", "a.dmw", "a.btl"] {
        assert_ne!(known_by_name(name).unwrap().advice, "", "{name}");
    }
    assert_eq!(known_by_name("a.zip"), None);
}
