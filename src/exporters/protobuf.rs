//! Messages of protocol buffers, <https://protobuf.dev/programming-guides/encoding/>, as far as pprof needs them.

/// Appends a number in groups of seven bits, the lowest first.
#[inline]
pub(super) fn push_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// How many bytes [`push_varint`] appends.
pub(super) fn varint_len(number: u64) -> u64 {
    u64::from((70 - (number | 1).leading_zeros()) / 7)
}

/// Appends a field with a number; 0 is what a missing field means.
pub(super) fn push_number(message: &mut Vec<u8>, field: u64, number: u64) {
    if number != 0 {
        push_varint(message, field << 3);
        push_varint(message, number);
    }
}

/// Appends a field with a text, a message or packed numbers.
pub(super) fn push_bytes(message: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    push_varint(message, field << 3 | 2);
    push_varint(message, bytes.len() as u64);
    message.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_those_of_the_specification() {
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
    fn lengths_of_numbers_are_known() {
        for bit in 0..64 {
            for number in [1u64 << bit, (1 << bit) - 1] {
                let mut bytes = Vec::new();
                push_varint(&mut bytes, number);
                assert_eq!(varint_len(number), bytes.len() as u64, "{number}");
            }
        }
        assert_eq!(varint_len(u64::MAX), 10);
    }
}
