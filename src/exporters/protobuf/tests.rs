use super::*;

#[test]
fn messages_match_the_specification() {
    let mut bytes = Vec::new();
    push_number(&mut bytes, 1, 150);
    assert_eq!(bytes, [0x08, 0x96, 0x01]);
    bytes.clear();
    push_bytes(&mut bytes, 2, b"testing");
    assert_eq!(bytes, b"\x12\x07testing");
    bytes.clear();
    push_number(&mut bytes, 1, 0);
    assert_eq!(bytes, b"");
}

#[test]
fn lengths_of_numbers_are_predicted() {
    for bit in 0..64 {
        for number in [1u64 << bit, (1 << bit) - 1] {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, number);
            assert_eq!(varint_len(number), bytes.len() as u64, "{number}");
        }
    }
    assert_eq!(varint_len(u64::MAX), 10);
}
