use super::*;

#[test]
fn varints_have_seven_bits_per_byte() {
    // the examples of the specification: 1, 150, and -1 as an int64
    for (bytes, expect) in [
        (&[0x01][..], Some(1)),
        (&[0x96, 0x01], Some(150)),
        (
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            Some(u64::MAX),
        ),
        (&[0x96], None),
        (&[0x80; 11], None),
        (&[], None),
    ] {
        assert_eq!(Cursor::new(bytes).varuint(), expect, "{bytes:x?}");
    }
}

#[track_caller]
fn check(bytes: &[u8], fields: &[(u64, WireValue)], broken_at: Option<usize>) {
    let mut found = Fields::new(bytes);
    assert_eq!(found.by_ref().collect::<Vec<_>>(), fields);
    assert_eq!(found.broken_at, broken_at);
}

#[test]
fn fields_have_a_number_and_a_value() {
    check(&[], &[], None);
    // field 1 = 150; field 2 = "testing", the examples of the specification
    check(&[0x08, 0x96, 0x01], &[(1, WireValue::Number(150))], None);
    check(
        b"\x12\x07testing",
        &[(2, WireValue::Bytes(b"testing"))],
        None,
    );
    check(b"\x12\x07test", &[], Some(0));
    check(
        &[0x08, 0x05, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 1, 2, 3, 4],
        &[
            (1, WireValue::Number(5)),
            (1, WireValue::Fixed),
            (1, WireValue::Fixed),
        ],
        None,
    );
    // groups are not read, nor is field 0
    check(&[0x08, 0x05, 0x0b], &[(1, WireValue::Number(5))], Some(2));
    check(&[0x00, 0x05], &[], Some(0));
    // a length beyond the end, the largest possible
    check(
        b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        &[],
        Some(0),
    );
}

#[test]
fn repeated_numbers_may_be_packed() {
    assert_eq!(numbers(WireValue::Number(7)).collect::<Vec<_>>(), [7]);
    assert_eq!(
        numbers(WireValue::Bytes(&[0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05])).collect::<Vec<_>>(),
        [3, 270, 86942]
    );
    assert_eq!(
        numbers(WireValue::Bytes(&[0x03, 0x8e])).collect::<Vec<_>>(),
        [3]
    );
}
