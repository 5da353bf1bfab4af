use super::*;

/// The events' ids and payloads.
#[track_caller]
fn check(bytes: &[u8], expect: &[(EventId, &[u8])], damaged_at: Option<usize>) {
    let mut events = Events::new(bytes);
    for &(id, payload) in expect {
        let event = events.next().unwrap().expect("another event");
        assert_eq!((event.id, event.payload), (id, payload));
    }
    assert_eq!(events.next().err(), damaged_at);
}

/// A short header with a time of 7.
fn timed(version: u16, rest: &[u8]) -> Vec<u8> {
    let mut bytes = version.to_le_bytes().to_vec();
    bytes.extend([0x11, 0xC0]);
    bytes.extend((16 + rest.len() as u16).to_le_bytes());
    bytes.extend([46, 0x0F, 7, 0, 0, 0, 0, 0, 0, 0]);
    [&bytes, rest].concat()
}

const SAMPLE: EventId = EventId::of_kernel(0x0F, 46);
const MESSAGE: EventId = EventId {
    provider: Provider::Messages,
    event: 0,
};

#[test]
fn counters_precede_the_payload() {
    let rest: Vec<u8> = (0..32).collect();
    for (version, skipped) in [(2, 0), (0x102, 8), (0x302, 24), (0x8002, 8), (0x8102, 16)] {
        check(&timed(version, &rest), &[(SAMPLE, &rest[skipped..])], None);
    }
    // four counters do not fit
    check(&timed(0x8402, &rest), &[], Some(0));
}

#[test]
fn events_are_aligned_and_messages_are_skipped() {
    let mut bytes = timed(2, &[1, 2, 3]);
    bytes.resize(24, 0);
    // a message of nine bytes, whose size comes first
    bytes.extend([9, 0, 0, 0x90, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(timed(2, &[4]));
    let message = [9, 0, 0, 0x90, 1, 2, 3, 4, 5];
    check(
        &bytes,
        &[(SAMPLE, &[1, 2, 3]), (MESSAGE, &message), (SAMPLE, &[4])],
        None,
    );
}

#[test]
fn buffers_may_end_with_padding() {
    let event = timed(2, &[]);
    check(&[&event[..], &[0xFF; 16]].concat(), &[(SAMPLE, &[])], None);
    check(&[&event[..], &[0; 3]].concat(), &[(SAMPLE, &[])], None);
    check(&[], &[], None);
}

#[test]
fn nonsensical_sizes_are_damage() {
    let event = timed(2, &[]);
    // smaller than any header, and larger than the rest
    check(&[&event[..], &[0; 8]].concat(), &[(SAMPLE, &[])], Some(16));
    check(
        &[&event[..], &timed(2, &[0; 8])[..20]].concat(),
        &[(SAMPLE, &[])],
        Some(16),
    );
    check(&[80, 0, 0x13, 0xC0, 0, 0, 0, 0], &[], Some(0));
}
