use super::*;

#[test]
fn integers_of_every_width() {
    let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    assert_eq!(number(&bytes, 0, 1), Some(1));
    assert_eq!(number(&bytes, 1, 3), Some(0x04_03_02));
    assert_eq!(number(&bytes, 0, 8), Some(0x08_07_06_05_04_03_02_01));
    assert_eq!(number(&bytes, 7, 2), Some(0x09_08));
    assert_eq!(number(&bytes, 8, 2), None);
    assert_eq!(number(&bytes, usize::MAX, 2), None);
    assert_eq!(
        (all_ones(1), all_ones(3), all_ones(8)),
        (0xFF, 0xFF_FFFF, u64::MAX)
    );
}

#[test]
fn compressed_integers_as_in_the_examples_of_ecma_335() {
    // partition II, section 23.2
    #[track_caller]
    fn check(bytes: &[u8], expect: Option<(u32, usize)>) {
        assert_eq!(compressed(bytes, 0), expect);
    }
    check(&[0x03], Some((0x03, 1)));
    check(&[0x7F], Some((0x7F, 1)));
    check(&[0x80, 0x80], Some((0x80, 2)));
    check(&[0xAE, 0x57], Some((0x2E57, 2)));
    check(&[0xBF, 0xFF], Some((0x3FFF, 2)));
    check(&[0xC0, 0x00, 0x40, 0x00], Some((0x4000, 4)));
    check(&[0xDF, 0xFF, 0xFF, 0xFF], Some((0x1FFF_FFFF, 4)));
    check(&[0x80], None);
    check(&[0xC0, 0x00, 0x40], None);
    check(&[0xFF, 0, 0, 0], None);
    check(&[], None);
}
