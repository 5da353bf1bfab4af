//! XPRESS, with which PerfView and Windows' tools compress merged traces: MS-XCA, "Plain LZ77 Decompression
//! Algorithm".

use crate::input::cursor::Cursor;

/// How many literals and matches share a word of flags.
const FLAG_BITS: u32 = 32;
const MIN_MATCH: usize = 3;

/// Unpacks at most `size` bytes. `false` if `packed` is invalid from some point on or yields fewer.
pub(super) fn unpack(packed: &[u8], size: usize, out: &mut Vec<u8>) -> bool {
    out.clear();
    out.reserve_exact(size);
    let mut source = PackedBytes {
        cursor: Cursor::new(packed),
        half: None,
    };
    source.unpack(size, out).is_some() && out.len() == size
}

struct PackedBytes<'a> {
    cursor: Cursor<'a>,
    /// Of a byte whose low half was the length of a match.
    half: Option<u8>,
}

impl PackedBytes<'_> {
    fn unpack(&mut self, size: usize, out: &mut Vec<u8>) -> Option<()> {
        let (mut flags, mut left) = (0, 0);
        while out.len() < size {
            if left == 0 {
                (flags, left) = (self.cursor.u32()?, FLAG_BITS);
            }
            left -= 1;
            if flags >> left & 1 == 0 {
                out.push(self.cursor.u8()?);
                continue;
            }
            let token = self.cursor.u16()?;
            let distance = usize::from(token >> 3) + 1;
            let length = self.length(token & 7)?.min(size - out.len());
            copy(out, distance, length)?;
        }
        Some(())
    }

    fn length(&mut self, bits: u16) -> Option<usize> {
        if bits < 7 {
            return Some(usize::from(bits) + MIN_MATCH);
        }
        let half = match self.half.take() {
            Some(high) => high,
            None => {
                let byte = self.cursor.u8()?;
                self.half = Some(byte >> 4);
                byte & 15
            }
        };
        if half < 15 {
            return Some(usize::from(half) + 7 + MIN_MATCH);
        }
        let byte = self.cursor.u8()?;
        if byte < 255 {
            return Some(usize::from(byte) + 15 + 7 + MIN_MATCH);
        }
        let wide = match self.cursor.u16()? {
            0 => usize::try_from(self.cursor.u32()?).ok()?,
            short => usize::from(short),
        };
        // the wide forms store the whole length, not the excess over the shorter forms
        wide.checked_sub(15 + 7).map(|_| wide + MIN_MATCH)
    }
}

/// Appends `length` bytes from `distance` bytes back, which may overlap with the result.
fn copy(out: &mut Vec<u8>, distance: usize, length: usize) -> Option<()> {
    let start = out.len().checked_sub(distance)?;
    let end = out.len() + length;
    while out.len() < end {
        let count = (end - out.len()).min(out.len() - start);
        out.extend_from_within(start..start + count);
    }
    Some(())
}

#[cfg(test)]
mod tests;
