//! The sentence of each diagnostic is in `tests/it/diagnostics.rs`.

use crate::diagnostics::*;

#[test]
fn anomalies_say_how_many_there_are() {
    assert!(
        Anomaly::ALL
            .into_iter()
            .all(|anomaly| anomaly.sentence(2).contains("2 "))
    );
}
