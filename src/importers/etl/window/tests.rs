use super::*;
use crate::importers::etl::headers::EventId;

const LAYOUT: HeaderLayout = HeaderLayout {
    pointer_bytes: 8,
    version: 2,
};

fn push(window: &mut Window, time: u64, payload: &[u8]) {
    let event = EtlEvent {
        id: EventId::of_kernel(0x0F, 46),
        time,
        thread: 0,
        process: 0,
        layout: LAYOUT,
        payload,
    };
    window.push(EventKind::Sample, &event);
}

/// (processor, time) of events that are all read before any is due.
fn window(events: &[(u16, u64)]) -> Window {
    let mut window = Window::default();
    for &(processor, time) in events {
        push(&mut window, time, &time.to_le_bytes());
        window.processor_at(processor, time);
    }
    window
}

fn times(window: &Window, records: &[Record]) -> Vec<u64> {
    let payload = |record| u64::from_le_bytes(window.payload(record).try_into().unwrap());
    records.iter().map(payload).collect()
}

#[test]
fn events_wait_for_the_slowest_processor() {
    let mut window = window(&[(0, 10), (0, 40), (1, 5), (1, 30)]);
    let due = window.due(2, 0);
    assert_eq!(times(&window, &due), [5, 10]);
    window.compact();
    let rest = window.rest();
    assert_eq!(times(&window, &rest), [30, 40]);
}

#[test]
fn unseen_processors_are_waited_for() {
    let mut window = window(&[(0, 10), (0, 40)]);
    assert_eq!(window.due(2, 0), []);
    assert_eq!(window.due(1, 0).len(), 1);
}

#[test]
fn waiting_for_a_processor_is_bounded() {
    let mut window = window(&[(0, 1)]);
    let large = vec![0; 1 << 20];
    for time in 2..=40 {
        push(&mut window, time, &large);
    }
    assert!(window.is_full());
    assert_eq!(window.due(2, 0).len(), 20);
}

#[test]
fn a_processor_goes_back_in_time_only_in_damaged_files() {
    let mut window = Window::default();
    assert!(window.processor_at(3, 10) && window.processor_at(3, 10) && window.processor_at(4, 1));
    assert!(!window.processor_at(3, 9));
}
