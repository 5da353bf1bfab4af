use super::*;
use crate::importers::runtime::{CodeEvent, Lifecycle, MarkerEvent};

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
    assert_eq!(metadata.count(7, &[]), expect);
    let events = metadata.events();
    assert_eq!(events.len(), 1);
    assert_eq!(
        (events[0].provider.as_str(), events[0].id, events[0].count),
        (provider, event, 1)
    );
}

#[test]
fn provider_and_id_determine_the_kind() {
    check("Microsoft-DotNETCore-SampleProfiler", 0, EventKind::Sample);
    check("Microsoft-DotNETCore-SampleProfiler", 1, EventKind::Other);
    check(
        "Microsoft-Windows-DotNETRuntime",
        144,
        EventKind::Runtime(RuntimeEvent::Code(CodeEvent::Method(Lifecycle::Ends))),
    );
    check(
        "Microsoft-Windows-DotNETRuntimeRundown",
        144,
        EventKind::Runtime(RuntimeEvent::Code(CodeEvent::Method(Lifecycle::Known))),
    );
    check(
        "Microsoft-Windows-DotNETRuntime",
        152,
        EventKind::Runtime(RuntimeEvent::Code(CodeEvent::Module)),
    );
    check(
        "Microsoft-Windows-DotNETRuntimeRundown",
        152,
        EventKind::Runtime(RuntimeEvent::Code(CodeEvent::DomainModule)),
    );
    check("Acme-Events", 144, EventKind::Other);
    let pause = MarkerEvent::of(9).map(RuntimeEvent::Marker);
    check(
        "Microsoft-Windows-DotNETRuntime",
        9,
        pause.map(EventKind::Runtime).unwrap(),
    );
}

#[test]
fn the_first_of_each_unused_event_is_reported() {
    let text = |text: &str| -> Vec<u8> {
        text.encode_utf16()
            .chain([0])
            .flat_map(u16::to_le_bytes)
            .collect()
    };
    let mut record = [&7u32.to_le_bytes()[..], &text("Acme"), &5u32.to_le_bytes()].concat();
    record.extend([&text("Sold")[..], &[0; 8 + 4 + 4]].concat());
    // two fields: a four-byte number and a text
    record.extend([&[2, 0, 0, 0, 10, 0, 0, 0][..], &text("count")].concat());
    record.extend([&[18, 0, 0, 0][..], &text("what")].concat());
    let mut metadata = Metadata::default();
    metadata.read(&record).unwrap();
    for (count, what) in [(3u32, "apples"), (4, "pears")] {
        let payload = [&count.to_le_bytes()[..], &text(what)].concat();
        metadata.count(7, &payload);
    }
    let events = metadata.events();
    assert_eq!((events[0].name.as_str(), events[0].count), ("Sold", 2));
    let first: Vec<(&str, &str)> = events[0]
        .first
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(first, [("count", "3"), ("what", "apples")]);
    assert!(!events[0].is_read);
}

#[test]
fn truncated_records_are_rejected() {
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
    assert_eq!(metadata.count(9, &[]), EventKind::Other);
    assert_eq!(metadata.undescribed, 1);
}
