use super::*;

#[track_caller]
fn check(packed: &[u8], size: usize, whole: bool, expect: &[u8]) {
    let mut out = vec![1, 2, 3];
    assert_eq!((unpack(packed, size, &mut out), &out[..]), (whole, expect));
}

#[test]
fn examples_of_the_specification_are_unpacked() {
    let alphabet: Vec<u8> = (b'a'..=b'z').collect();
    check(
        &[&[0x3f, 0, 0, 0][..], &alphabet].concat(),
        26,
        true,
        &alphabet,
    );
    let repeated = [
        0xff, 0xff, 0xff, 0x1f, b'a', b'b', b'c', 0x17, 0, 0x0f, 0xff, 0x26, 1,
    ];
    check(&repeated, 300, true, &b"abc".repeat(100));
}

/// Handwritten lengths: a literal, then a match of distance 1.
#[test]
fn match_lengths_have_four_forms() {
    let packed = |bytes: &[u8]| [&[0, 0, 0, 0x40, b'x'][..], bytes].concat();
    check(&packed(&[6, 0]), 10, true, &[b'x'; 10]);
    check(&packed(&[7, 0, 14]), 25, true, &[b'x'; 25]);
    check(&packed(&[7, 0, 15, 2]), 28, true, &[b'x'; 28]);
    check(&packed(&[7, 0, 15, 255, 0, 1]), 260, true, &[b'x'; 260]);
    check(
        &packed(&[7, 0, 15, 255, 0, 0, 0, 0, 1, 0]),
        65_540,
        true,
        &[b'x'; 65_540],
    );
}

/// Two lengths share a byte: the low half belongs to the first match, the high half to the second.
#[test]
fn two_matches_share_a_length_byte() {
    check(
        &[0, 0, 0, 0x60, b'x', 7, 0, 0x21, 7, 0],
        1 + 11 + 12,
        true,
        &[b'x'; 24],
    );
}

#[test]
fn damage_stops_unpacking() {
    check(&[], 5, false, &[]);
    check(&[0, 0, 0, 0, b'a'], 5, false, b"a");
    check(&[0, 0, 0, 0x80, 6, 0], 5, false, &[]);
    check(&[0, 0, 0, 0x40, b'a', 8, 0], 5, false, b"a");
    // too short for the length field
    check(&[0, 0, 0, 0x40, b'x', 7, 0, 15, 255, 3, 0], 99, false, b"x");
    check(
        &[0, 0, 0, 0x40, b'x', 7, 0, 15, 255, 0, 0, 255, 255, 255, 255],
        9,
        true,
        &[b'x'; 9],
    );
    check(&[0, 0, 0, 0, b'a'], 0, true, &[]);
}
