use super::*;
use crate::model::{MarkerTable, MarkerValue};

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn text(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().chain([0]);
    units.flat_map(u16::to_le_bytes).collect()
}

/// Events of a 64-bit process: its id, the thread, the time, the event and the payload.
fn table(events: &[(u32, u64, u64, u32, Vec<u8>)]) -> MarkerTable {
    let mut markers = RuntimeMarkers::default();
    for (process, thread, time, event, payload) in events {
        let from = EventOrigin {
            process: *process,
            thread: *thread,
            time: *time,
            pointer_bytes: 8,
        };
        let event = MarkerEvent::of(*event).unwrap();
        markers.read(event, payload, from).unwrap();
    }
    let thread_row = |_: u32, thread: u64| usize::try_from(thread).ok();
    markers
        .finish(|time| time, thread_row, Vec::new())
        .finish(&[], None)
}

#[track_caller]
fn check(events: &[(u32, u64, u64, u32, Vec<u8>)], expect: &[&str]) {
    let table = table(events);
    let all: Vec<String> = table
        .iter()
        .map(|marker| {
            let fields: Vec<String> = marker
                .fields()
                .map(|(name, value)| format!(" {name}={value}"))
                .collect();
            let (kind, time, lasted) = (marker.kind(), marker.time_ns(), marker.duration_ns());
            format!("{kind:?} {time} {lasted:?}{}", fields.concat())
        })
        .collect();
    assert_eq!(all, expect);
}

#[test]
fn a_start_and_its_end_form_one_marker() {
    check(
        &[
            (0, 7, 10, 9, numbers(&[1, 3])),
            (0, 7, 12, 1, numbers(&[3, 2, 1, 1])),
            // in another process
            (1, 7, 13, 2, numbers(&[3, 2])),
            (0, 8, 20, 2, numbers(&[3, 2])),
            (0, 8, 21, 3, vec![0; 2]),
            (0, 7, 25, 3, vec![0; 2]),
            // sent by the sampler
            (0, 9, 30, 9, numbers(&[0, 0])),
            (0, 9, 33, 3, vec![]),
            // continues
            (0, 7, 40, 9, numbers(&[6, 0])),
        ],
        &[
            "Pause 10 Some(15) reason=collection",
            "Collection 12 Some(8) number=3 generation=2 reason=induced type=background",
            "Suspension 30 Some(3) reason=other",
            "Pause 40 None reason=preparation of a collection",
        ],
    );
}

#[test]
fn collections_may_be_reported_twice_or_end_first() {
    check(
        &[
            (0, 7, 10, 1, numbers(&[3, 0, 0, 0])),
            (0, 7, 10, 1, [numbers(&[3, 0, 0, 0]), vec![0; 10]].concat()),
            (0, 7, 15, 2, numbers(&[3, 0])),
            (0, 8, 29, 2, numbers(&[4, 1])),
            (0, 7, 20, 1, numbers(&[4, 1, 77, 2])),
        ],
        &[
            "Collection 10 Some(5) number=3 generation=0 reason=small object heap type=blocking",
            "Collection 20 Some(9) number=4 generation=1 reason=77 type=foreground",
        ],
    );
}

#[test]
fn markers_have_the_fields_of_their_kind() {
    let method = |id: u64| {
        let numbers = [[id, 5].map(u64::to_le_bytes).concat(), numbers(&[6, 42])].concat();
        [numbers, text("Shop.Cart"), text("Add"), text("void ()")].concat()
    };
    let contended = [vec![0; 3], 2.5f64.to_le_bytes().to_vec()].concat();
    let mut markers = RuntimeMarkers::default();
    let from = |time| EventOrigin {
        process: 0,
        thread: 7,
        time,
        pointer_bytes: 8,
    };
    let read = |markers: &mut RuntimeMarkers, event, payload: &[u8], time| {
        let event = MarkerEvent::of(event).unwrap();
        markers.read(event, payload, from(time)).unwrap();
    };
    read(&mut markers, 145, &method(9), 1);
    read(&mut markers, 81, &[1, 0, 0], 2);
    markers.compiled(&8u64.to_le_bytes(), 0, 3);
    markers.compiled(&9u64.to_le_bytes(), 1, 3);
    markers.compiled(&9u64.to_le_bytes(), 0, 4);
    read(&mut markers, 91, &contended, 6);
    let table = markers
        .finish(|time| time, |_, _| None, Vec::new())
        .finish(&[], None);
    let all: Vec<_> = table.iter().collect();
    let durations: Vec<_> = all.iter().map(|marker| marker.duration_ns()).collect();
    assert_eq!(durations, [Some(3), Some(4)]);
    for (field, value) in [("type", "Shop.Cart"), ("method", "Add")] {
        assert_eq!(all[0].field(field), Some(MarkerValue::Text(value)));
    }
    assert_eq!(all[0].field("il_bytes"), Some(MarkerValue::Number(42)));
    assert_eq!(all[1].field("duration_ns"), Some(MarkerValue::Float(2.5)));
    check(
        &[
            (0, 7, 1, 50, numbers(&[3, 0])),
            (0, 7, 2, 54, 1.5f64.to_le_bytes().to_vec()),
            (
                0,
                7,
                3,
                55,
                [1.5f64.to_le_bytes().to_vec(), numbers(&[4, 6])].concat(),
            ),
        ],
        &[
            "ThreadPool 1 Some(0) event=started workers=3",
            "ThreadPool 2 Some(0) event=measured throughput=1.5",
            "ThreadPool 3 Some(0) event=adjusted workers=4 throughput=1.5 reason=starvation",
        ],
    );
}

/// The versions of `GCAllocationTick`: 104,096 bytes, small objects, a runtime; then 2^32 bytes, the type's id, its
/// name, a heap.
#[test]
fn allocation_ticks_are_read_in_all_versions() {
    let first = [0xa0, 0x96, 1, 0, 0, 0, 0, 0, 3, 0];
    let second = [
        &first[..],
        &(1u64 << 32).to_le_bytes(),
        &[9; 8],
        &text("T"),
        &[0; 4],
    ]
    .concat();
    check(
        &[
            (0, 7, 1, 10, first[..8].to_vec()),
            (0, 7, 2, 10, first.to_vec()),
            (0, 7, 3, 10, second),
        ],
        &[
            "Allocation 1 Some(0) bytes=104096 heap=small",
            "Allocation 2 Some(0) bytes=104096 heap=small",
            "Allocation 3 Some(0) type=T bytes=4294967296 heap=small",
        ],
    );
}

#[test]
fn truncated_payloads_are_ignored() {
    let mut markers = RuntimeMarkers::default();
    let from = EventOrigin {
        process: 0,
        thread: 7,
        time: 1,
        pointer_bytes: 8,
    };
    for (event, least) in [
        (1, 16),
        (2, 4),
        (3, 0),
        (9, 4),
        (10, 8),
        (50, 4),
        (54, 8),
        (55, 16),
        (80, 4),
        (81, 1),
        (91, 1),
        (145, 28),
    ] {
        let marker = MarkerEvent::of(event).unwrap();
        for bytes in 0..least {
            assert_eq!(
                markers.read(marker, &vec![0; bytes], from),
                None,
                "{event}, {bytes} bytes"
            );
        }
        assert!(
            markers.read(marker, &vec![0; least], from).is_some(),
            "{event}"
        );
    }
    // a text without an end
    let exception = MarkerEvent::of(80).unwrap();
    assert_eq!(markers.read(exception, &text("System.A"), from), None);
    assert_eq!(markers.read(exception, &[b'x'; 99], from), None);
    assert_eq!(MarkerEvent::of(8), None);
    assert_eq!(markers.log.rows.len(), 9);
}
