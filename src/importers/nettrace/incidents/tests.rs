use super::super::spaces::SpaceId;
use super::*;

fn thread(id: u64) -> ThreadKey {
    ThreadKey {
        space: SpaceId::ONLY,
        id,
    }
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn facts(incidents: &Incidents) -> Vec<(&'static str, String)> {
    // a clock of 10 MHz
    incidents.facts(10_000_000).collect()
}

#[test]
fn nothing_happened() {
    assert_eq!(facts(&Incidents::default()), []);
}

#[test]
fn the_most_frequent_exceptions_are_named() {
    let mut incidents = Incidents::default();
    for (name, count) in [("A", 1), ("B", 1000), ("C", 2), ("D", 1), ("E", 1)] {
        let payload: Vec<u8> = name
            .encode_utf16()
            .chain([0])
            .flat_map(u16::to_le_bytes)
            .collect();
        (0..count).for_each(|_| incidents.read_exception(&payload));
    }
    incidents.read_exception(&[]);
    assert_eq!(
        facts(&incidents),
        [(
            "exceptions",
            "1,006: 1,000 B, 2 C, 1 ?, 3 of other types".into()
        )]
    );
}

#[test]
fn collections_and_their_pauses_are_counted() {
    let mut incidents = Incidents::default();
    for generation in [0, 2, 0] {
        incidents
            .read_collection(&numbers(&[9, generation, 0, 0]))
            .unwrap();
    }
    assert_eq!(incidents.read_collection(&[1, 2]), None);
    incidents
        .read_stop(&numbers(&[1, 1]), thread(7), 1000)
        .unwrap();
    // the sampler
    incidents
        .read_stop(&numbers(&[0, 1]), thread(8), 1500)
        .unwrap();
    incidents.go_on(thread(8), 90_000);
    incidents.go_on(thread(7), 21_000);
    incidents
        .read_stop(&numbers(&[6, 1]), thread(7), 50_000)
        .unwrap();
    incidents.go_on(thread(7), 55_000);
    incidents.go_on(thread(7), 99_000);
    assert_eq!(
        facts(&incidents),
        [
            (
                "garbage collections",
                "3: 2 of generation 0, 1 of generation 2".into()
            ),
            ("GC pauses", "2, together 2.5 ms, the longest 2.0 ms".into()),
        ]
    );
}
