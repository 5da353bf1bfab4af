use super::*;

#[test]
fn numbers_have_seven_bits_a_byte() {
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
    assert_eq!(found.broken_at(), broken_at);
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
    // a length beyond the end, as large as can be
    check(
        b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        &[],
        Some(0),
    );
}

/// What is kept of a message that comes in pieces, whatever their size, and where it breaks off.
#[track_caller]
fn check_trimmed(message: &[u8], kept: &[u8], broken_at: Option<usize>) {
    for piece in 1..=message.len() {
        let (mut trimmer, mut found) = (Trimmer::default(), Vec::new());
        for bytes in message.chunks(piece) {
            found.extend_from_slice(bytes);
            trimmer.trim(&mut found, 15);
        }
        let mut fields = Fields::new(&found);
        fields.by_ref().for_each(drop);
        assert_eq!(
            (&*found, trimmer.broken_at(fields.broken_at())),
            (kept, broken_at),
            "pieces of {piece}"
        );
    }
}

#[test]
fn unknown_fields_are_left_out() {
    // field 16 = "abc", field 17 = 5, field 2 = "testing"
    let (unknown, number, text) = (b"\x82\x01\x03abc", b"\x88\x01\x05", b"\x12\x07testing");
    check_trimmed(&[&unknown[..], text, number].concat(), text, None);
    check_trimmed(
        &[&text[..], number, unknown, text].concat(),
        &[&text[..], text].concat(),
        None,
    );
    // what breaks off, at places of the whole message
    check_trimmed(&[&text[..], &unknown[..5]].concat(), text, Some(9));
    check_trimmed(&[&unknown[..], &text[..5]].concat(), &text[..5], Some(6));
    check_trimmed(
        &[&unknown[..], text, b"\x00\x05"].concat(),
        &[&text[..], b"\x00\x05"].concat(),
        Some(15),
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
