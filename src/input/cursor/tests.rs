use super::*;

#[track_caller]
fn check_varuint(bytes: &[u8], expect: Option<u64>, passed: usize) {
    let mut cursor = Cursor::new(bytes);
    assert_eq!(cursor.varuint(), expect);
    assert_eq!(cursor.position(), passed);
}

#[test]
fn varuints_have_seven_bits_per_byte() {
    check_varuint(&[0], Some(0), 1);
    check_varuint(&[0x7f, 1], Some(127), 1);
    // the example in Wikipedia's article on LEB128: 624,485
    check_varuint(&[0xe5, 0x8e, 0x26], Some(624_485), 3);
    check_varuint(
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        Some(u64::MAX),
        10,
    );
    check_varuint(&[0x80], None, 0);
    check_varuint(&[], None, 0);
    check_varuint(&[0x80; 11], None, 0);
}

#[test]
fn strings_are_zero_terminated() {
    let mut cursor = Cursor::new(b"A\0\xe9\0\0\0\0\0x");
    assert_eq!(cursor.text().as_deref(), Some("Aé"));
    assert_eq!(cursor.text().as_deref(), Some(""));
    assert_eq!(cursor.text(), None, "half a unit is left");
    assert_eq!(cursor.u8(), Some(b'x'));
    assert!(cursor.is_at_end());
}

#[test]
fn unpaired_surrogates_become_replacement_characters() {
    assert_eq!(
        Cursor::new(&[0x3d, 0xd8, 0x42, 0xde, 0, 0])
            .text()
            .as_deref(),
        Some("🙂")
    );
    assert_eq!(
        Cursor::new(&[0x3d, 0xd8, b'a', 0, 0, 0]).text().as_deref(),
        Some("\u{fffd}a")
    );
}

#[test]
fn short_reads_do_not_move() {
    let mut cursor = Cursor::new(&[1, 2, 3]);
    assert_eq!(cursor.u32(), None);
    assert_eq!(cursor.take(usize::MAX), None);
    assert_eq!(cursor.u16(), Some(0x0201));
    cursor.align_to_4();
    assert!(cursor.is_at_end());
}
