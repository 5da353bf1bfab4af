//! XPRESS, the compression that PerfView and Windows' own tools merge traces with.
//!
//! Source: MS-XCA, "Plain LZ77 Decompression Algorithm".

/// So many literals and matches share a word of flags.
const FLAG_BITS: u32 = 32;
/// No match is shorter.
const MIN_MATCH: usize = 3;

/// Unpacks at most `size` bytes, for which there must be memory, into `out`, which is emptied first. `false` if `packed` gives fewer, or makes no sense from
/// somewhere on; what was unpacked before is there.
pub(super) fn unpack(packed: &[u8], size: usize, out: &mut Vec<u8>) -> bool {
    out.clear();
    out.reserve_exact(size);
    let mut source = PackedBytes {
        packed,
        at: 0,
        half: None,
    };
    source.unpack(size, out).is_some() && out.len() == size
}

struct PackedBytes<'a> {
    packed: &'a [u8],
    at: usize,
    /// The high half of a byte whose low half was the length of a match.
    half: Option<u8>,
}

impl PackedBytes<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, _) = self.packed.get(self.at..)?.split_first_chunk::<N>()?;
        self.at += N;
        Some(*bytes)
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn unpack(&mut self, size: usize, out: &mut Vec<u8>) -> Option<()> {
        let (mut flags, mut left) = (0, 0);
        while out.len() < size {
            if left == 0 {
                (flags, left) = (u32::from_le_bytes(self.array()?), FLAG_BITS);
            }
            left -= 1;
            if flags >> left & 1 == 0 {
                out.push(self.u8()?);
                continue;
            }
            let token = u16::from_le_bytes(self.array()?);
            let distance = usize::from(token >> 3) + 1;
            let length = self.length(token & 7)?.min(size - out.len());
            copy(out, distance, length)?;
        }
        Some(())
    }

    /// The length of a match whose token has these lowest three bits.
    fn length(&mut self, bits: u16) -> Option<usize> {
        if bits < 7 {
            return Some(usize::from(bits) + MIN_MATCH);
        }
        let half = match self.half.take() {
            Some(high) => high,
            None => {
                let byte = self.u8()?;
                self.half = Some(byte >> 4);
                byte & 15
            }
        };
        if half < 15 {
            return Some(usize::from(half) + 7 + MIN_MATCH);
        }
        let byte = self.u8()?;
        if byte < 255 {
            return Some(usize::from(byte) + 15 + 7 + MIN_MATCH);
        }
        let wide = match u16::from_le_bytes(self.array()?) {
            0 => usize::try_from(u32::from_le_bytes(self.array()?)).ok()?,
            short => usize::from(short),
        };
        // the wide forms hold the whole length, and not what is beyond the shorter forms
        wide.checked_sub(15 + 7).map(|_| wide + MIN_MATCH)
    }
}

/// Appends `length` bytes from `distance` bytes back, where they may overlap with what they become.
fn copy(out: &mut Vec<u8>, distance: usize, length: usize) -> Option<()> {
    let start = out.len().checked_sub(distance)?;
    let end = out.len() + length;
    while out.len() < end {
        // what was copied repeats with the same distance, so that it can be copied as well
        let count = (end - out.len()).min(out.len() - start);
        out.extend_from_within(start..start + count);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(packed: &[u8], size: usize, whole: bool, expect: &[u8]) {
        let mut out = vec![1, 2, 3];
        assert_eq!((unpack(packed, size, &mut out), &out[..]), (whole, expect));
    }

    #[test]
    fn what_the_specification_packs_is_unpacked() {
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

    /// Lengths by hand: a literal, then a match of distance 1.
    #[test]
    fn matches_have_four_forms_of_length() {
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

    /// Two lengths share a byte: the low half is of the first match, the high half of the second.
    #[test]
    fn two_matches_share_a_byte() {
        check(
            &[0, 0, 0, 0x60, b'x', 7, 0, 0x21, 7, 0],
            1 + 11 + 12,
            true,
            &[b'x'; 24],
        );
    }

    #[test]
    fn damage_ends_it() {
        check(&[], 5, false, &[]);
        check(&[0, 0, 0, 0, b'a'], 5, false, b"a");
        check(&[0, 0, 0, 0x80, 6, 0], 5, false, &[]);
        check(&[0, 0, 0, 0x40, b'a', 8, 0], 5, false, b"a");
        // too short for a length that needs so many bytes
        check(&[0, 0, 0, 0x40, b'x', 7, 0, 15, 255, 3, 0], 99, false, b"x");
        check(
            &[0, 0, 0, 0x40, b'x', 7, 0, 15, 255, 0, 0, 255, 255, 255, 255],
            9,
            true,
            &[b'x'; 9],
        );
        check(&[0, 0, 0, 0, b'a'], 0, true, &[]);
    }
}
