use super::*;
use crate::importers::runtime::Life;

fn record(id: u32, provider: &str, event: u32) -> Vec<u8> {
    let mut bytes = id.to_le_bytes().to_vec();
    bytes.extend(
        provider
            .encode_utf16()
            .chain([0])
            .flat_map(u16::to_le_bytes),
    );
    bytes.extend(event.to_le_bytes());
    // an empty name, keywords, version, level, no fields, then a tag of newer runtimes: opcode 10
    bytes.extend([0; 2 + 8 + 4 + 4 + 4]);
    bytes.extend([1, 0, 0, 0, 1, 10]);
    bytes
}

#[track_caller]
fn check(provider: &str, event: u32, expect: EventKind) {
    let mut metadata = Metadata::default();
    metadata.read(&record(7, provider, event)).unwrap();
    assert_eq!(metadata.count(7), expect);
    assert_eq!(metadata.providers(), [(provider, 1)]);
}

#[test]
fn a_provider_and_an_id_tell_the_kind() {
    check("Microsoft-DotNETCore-SampleProfiler", 0, EventKind::Sample);
    check("Microsoft-DotNETCore-SampleProfiler", 1, EventKind::Other);
    check(
        "Microsoft-Windows-DotNETRuntime",
        144,
        EventKind::Code(CodeEvent::Method(Life::Ends)),
    );
    check(
        "Microsoft-Windows-DotNETRuntimeRundown",
        144,
        EventKind::Code(CodeEvent::Method(Life::Known)),
    );
    check(
        "Microsoft-Windows-DotNETRuntime",
        152,
        EventKind::Code(CodeEvent::Module { of_domain: false }),
    );
    check(
        "Microsoft-Windows-DotNETRuntimeRundown",
        152,
        EventKind::Code(CodeEvent::Module { of_domain: true }),
    );
    check("Acme-Events", 144, EventKind::Other);
}

#[test]
fn records_that_end_early_are_none() {
    let whole = record(7, "Acme", 1);
    for length in 0..4 + 10 + 4 {
        assert_eq!(
            Metadata::default().read(&whole[..length]),
            None,
            "{length} bytes"
        );
    }
}

#[test]
fn events_without_a_record_are_counted() {
    let mut metadata = Metadata::default();
    assert_eq!(metadata.count(9), EventKind::Other);
    assert_eq!(metadata.undescribed, 1);
}
