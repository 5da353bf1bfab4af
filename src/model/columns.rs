//! Reads and writes columns of numbers: their count as 64 bits, then the numbers, little endian. This is the format of
//! [`borsh`], which would process each number separately.

use super::{FrameId, RecordedNode};
use crate::model::messages;
use std::io::{Error, ErrorKind, Read, Result, Write};

/// The number of values converted at a time, few enough for the L1 cache.
const AT_ONCE: usize = 1024;
/// The maximum width of a number, or of a row of several, in bytes.
const WIDEST: usize = 32;

/// A number in a column, or several that are always used together.
pub(super) trait Number: Copy {
    /// The number of bytes.
    const WIDTH: usize;
    /// Writes the value to `bytes`, which has its width.
    fn put(self, bytes: &mut [u8]);
    /// Reads a value from `bytes`.
    fn get(bytes: &[u8]) -> Self;
}

impl Number for u8 {
    const WIDTH: usize = 1;

    #[inline]
    fn put(self, bytes: &mut [u8]) {
        bytes[0] = self;
    }

    #[inline]
    fn get(bytes: &[u8]) -> u8 {
        bytes[0]
    }
}

impl Number for u32 {
    const WIDTH: usize = 4;

    #[inline]
    fn put(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn get(bytes: &[u8]) -> u32 {
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }
}

impl Number for u64 {
    const WIDTH: usize = 8;

    #[inline]
    fn put(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn get(bytes: &[u8]) -> u64 {
        let (low, high) = bytes.split_at(u32::WIDTH);
        u64::from(u32::get(low)) | u64::from(u32::get(high)) << 32
    }
}

macro_rules! number_in_32_bits {
    ($handle:ident) => {
        impl Number for $handle {
            const WIDTH: usize = 4;

            #[inline]
            fn put(self, bytes: &mut [u8]) {
                self.0.put(bytes);
            }

            #[inline]
            fn get(bytes: &[u8]) -> $handle {
                $handle(u32::get(bytes))
            }
        }
    };
}

number_in_32_bits!(FrameId);
number_in_32_bits!(RecordedNode);

/// Writes a column.
///
/// # Errors
/// Errors from `out`.
pub(super) fn write<T: Number>(column: &[T], out: &mut impl Write) -> Result<()> {
    out.write_all(&(column.len() as u64).to_le_bytes())?;
    let mut bytes = [0; AT_ONCE * WIDEST];
    for numbers in column.chunks(AT_ONCE) {
        let bytes = &mut bytes[..numbers.len() * T::WIDTH];
        bytes
            .chunks_exact_mut(T::WIDTH)
            .zip(numbers)
            .for_each(|(bytes, number)| number.put(bytes));
        out.write_all(bytes)?;
    }
    Ok(())
}

/// Reads a column.
///
/// # Errors
/// Errors from `from`, which may be truncated, or if there isn't enough memory.
pub(super) fn read<T: Number>(from: &mut impl Read) -> Result<Vec<T>> {
    let mut len = [0; 8];
    from.read_exact(&mut len)?;
    let too_long = || Error::new(ErrorKind::OutOfMemory, messages::NO_MEMORY_FOR_COLUMN);
    let mut rest = usize::try_from(u64::from_le_bytes(len)).map_err(|_| too_long())?;
    let mut column = Vec::new();
    column.try_reserve_exact(rest).map_err(|_| too_long())?;
    let mut bytes = [0; AT_ONCE * WIDEST];
    while rest > 0 {
        let count = rest.min(AT_ONCE);
        let bytes = &mut bytes[..count * T::WIDTH];
        from.read_exact(bytes)?;
        column.extend(bytes.chunks_exact(T::WIDTH).map(T::get));
        rest -= count;
    }
    Ok(column)
}

#[cfg(test)]
mod tests;
