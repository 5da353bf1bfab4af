//! Columns of numbers, encoded as [`borsh`] does (the count as 64 bits, then the numbers, little endian), but in
//! batches.

use super::{FrameId, RecordedNode};
use std::io::{Error, ErrorKind, Read, Result, Write};

/// Values per batch, to fit into the L1 cache.
const AT_ONCE: usize = 1024;

pub(super) trait Number<const WIDTH: usize>: Copy {
    fn to_bytes(self) -> [u8; WIDTH];
    fn of_bytes(bytes: [u8; WIDTH]) -> Self;
}

macro_rules! numbers {
    ($($name:ty, $width:literal: $to_bytes:expr, $of_bytes:expr;)*) => {
        $(
            impl Number<$width> for $name {
                fn to_bytes(self) -> [u8; $width] {
                    ($to_bytes)(self)
                }

                fn of_bytes(bytes: [u8; $width]) -> $name {
                    ($of_bytes)(bytes)
                }
            }
        )*
    };
}

numbers! {
    u8, 1: u8::to_le_bytes, u8::from_le_bytes;
    u32, 4: u32::to_le_bytes, u32::from_le_bytes;
    u64, 8: u64::to_le_bytes, u64::from_le_bytes;
    FrameId, 4: |id: FrameId| id.0.to_bytes(), |bytes| FrameId(u32::of_bytes(bytes));
    RecordedNode, 4: |node: RecordedNode| node.0.to_bytes(), |bytes| RecordedNode(u32::of_bytes(bytes));
}

pub(super) fn write<T: Number<WIDTH>, const WIDTH: usize>(
    column: &[T],
    out: &mut impl Write,
) -> Result<()> {
    out.write_all(&(column.len() as u64).to_le_bytes())?;
    let mut bytes = [[0; WIDTH]; AT_ONCE];
    for numbers in column.chunks(AT_ONCE) {
        for (bytes, number) in bytes.iter_mut().zip(numbers) {
            *bytes = number.to_bytes();
        }
        out.write_all(bytes[..numbers.len()].as_flattened())?;
    }
    Ok(())
}

pub(super) fn read<T: Number<WIDTH>, const WIDTH: usize>(from: &mut impl Read) -> Result<Vec<T>> {
    let mut len = [0; 8];
    from.read_exact(&mut len)?;
    let too_long = || Error::from(ErrorKind::OutOfMemory);
    let len = usize::try_from(u64::from_le_bytes(len)).map_err(|_| too_long())?;
    let mut column = Vec::new();
    column.try_reserve_exact(len).map_err(|_| too_long())?;
    let mut bytes = [[0; WIDTH]; AT_ONCE];
    while column.len() < len {
        let bytes = &mut bytes[..AT_ONCE.min(len - column.len())];
        from.read_exact(bytes.as_flattened_mut())?;
        column.extend(bytes.iter().map(|bytes| T::of_bytes(*bytes)));
    }
    Ok(column)
}

#[cfg(test)]
mod tests;
