use super::*;

#[test]
fn markers_take_32_bytes_in_the_log_and_in_the_table() {
    assert_eq!(size_of::<MarkerRow>(), 32);
}

#[test]
fn no_kind_has_too_many_fields() {
    for kind in MarkerKind::ALL {
        assert!(kind.fields().len() <= MarkerLog::MAX_FIELDS, "{kind:?}");
    }
}

#[test]
fn markers_are_sorted_by_time_and_round_trip() {
    let mut log = MarkerLog::default();
    let texts = ["System.A", "no disk"].map(|text| log.intern(text));
    let values = [texts[0], texts[1], 0, 0];
    let row = log.push(MarkerKind::Exception, (9, 9), MarkerLog::NONE, &values);
    log.rows[row as usize].stack = 1;
    let values = [7, 2, 1, 99];
    log.push(MarkerKind::Collection, (5, MarkerLog::OPEN), 3, &values);
    let values = [0, f64::to_bits(2.5), 0, 0];
    log.push(MarkerKind::Contention, (1, 4), 3, &values);
    let table = log.finish(
        &[RecordedNode(4), RecordedNode(6)],
        Some(&[RecordedNode(5), RecordedNode(8)]),
    );
    let all: Vec<Marker> = table.iter().collect();
    let kinds: Vec<MarkerKind> = all.iter().map(|marker| marker.kind()).collect();
    assert_eq!(
        kinds,
        [
            MarkerKind::Contention,
            MarkerKind::Collection,
            MarkerKind::Exception
        ]
    );
    assert_eq!(
        all.iter()
            .map(|marker| marker.duration_ns())
            .collect::<Vec<_>>(),
        [Some(3), None, Some(0)]
    );
    assert_eq!(all[0].field("duration_ns"), Some(MarkerValue::Float(2.5)));
    let fields: Vec<String> = all[1]
        .fields()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    assert_eq!(
        fields,
        ["number 7", "generation 2", "reason induced", "type 99"]
    );
    assert_eq!(all[2].field("message"), Some(MarkerValue::Text("no disk")));
    assert_eq!((all[1].thread(), all[2].thread()), (Some(3), None));
    let stacks = [TreeForm::Original, TreeForm::Repaired].map(|form| all[2].stack(form));
    assert_eq!(stacks, [Some(RecordedNode(6)), Some(RecordedNode(8))]);
    assert_eq!(all[1].stack(TreeForm::Original), None);
    let bytes = borsh::to_vec(&table).unwrap();
    assert_eq!(borsh::from_slice::<MarkerTable>(&bytes).unwrap(), table);
}
