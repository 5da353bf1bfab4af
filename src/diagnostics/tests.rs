//! The sentence of each diagnostic is in `tests/it/diagnostics.rs`.

use crate::diagnostics::*;

#[test]
fn anomalies_state_their_count() {
    assert!(
        Anomaly::ALL
            .into_iter()
            .all(|anomaly| anomaly.sentence(2).contains("2 "))
    );
}
