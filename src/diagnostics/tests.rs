//! The order of the tables; what each diagnostic says is in `tests/it/diagnostics.rs`.

use crate::diagnostics::*;

#[test]
fn rows_of_the_tables_stand_in_the_order_of_their_enumerations() {
    assert!(
        Anomaly::all()
            .enumerate()
            .all(|(row, anomaly)| row == anomaly as usize)
    );
    assert!(
        Remark::all()
            .enumerate()
            .all(|(row, remark)| row == remark as usize)
    );
    assert!(
        Anomaly::all().all(|anomaly| anomaly.sentence(2).contains("2 ")),
        "each says how many"
    );
}
