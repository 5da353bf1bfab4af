use super::*;
use crate::model::testing::recording_of;

/// The hottest come first; empty if the caller may not continue.
#[test]
fn names_of_a_recording() {
    let recording = Arc::new(recording_of("main;Load;Parse 3|main;Run 5|main;Idle 0"));
    let names = names_of_recording(&recording, &|| true).unwrap();
    let methods: Vec<&str> = names
        .methods
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(methods[..2], ["Run", "Parse"]);
    let asked = std::cell::Cell::new(0u32);
    let all = names_of_recording(&recording, &|| {
        asked.set(asked.get() + 1);
        true
    });
    assert_eq!(all, Some(names));
    for limit in 0..asked.get() {
        let left = std::cell::Cell::new(limit);
        let may_continue = || left.replace(left.get().saturating_sub(1)) > 0;
        assert_eq!(
            names_of_recording(&recording, &may_continue),
            None,
            "after {limit}"
        );
    }
}
