//! Protocol buffers, <https://protobuf.dev/programming-guides/encoding/>, as far as pprof needs them.

/// Groups of seven bits, lowest first.
#[inline]
pub(super) fn push_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub(super) fn varint_len(number: u64) -> u64 {
    u64::from((70 - (number | 1).leading_zeros()) / 7)
}

/// Omits 0, the default.
pub(super) fn push_number(message: &mut Vec<u8>, field: u64, number: u64) {
    if number != 0 {
        push_varint(message, field << 3);
        push_varint(message, number);
    }
}

/// A string, a message or packed numbers.
pub(super) fn push_bytes(message: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    push_varint(message, field << 3 | 2);
    push_varint(message, bytes.len() as u64);
    message.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests;
