//! Protocol buffers: fields with a number and a value, <https://protobuf.dev/programming-guides/encoding/>.

use crate::input::cursor::Cursor;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireValue<'a> {
    Number(u64),
    /// A string, a nested message, or packed integers.
    Bytes(&'a [u8]),
    /// Four or eight bytes, which no field of a profile has.
    Fixed,
}

impl WireValue<'_> {
    pub(super) fn number(self) -> u64 {
        match self {
            WireValue::Number(number) => number,
            _ => 0,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    cursor: Cursor<'a>,
    /// The first unreadable field.
    pub(super) broken_at: Option<usize>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Fields<'a> {
        Fields {
            cursor: Cursor::new(bytes),
            broken_at: None,
        }
    }

    fn field(&mut self) -> Option<(u64, WireValue<'a>)> {
        let tag = self.cursor.varuint()?;
        let value = match tag & 7 {
            0 => WireValue::Number(self.cursor.varuint()?),
            1 => self.cursor.skip(8).map(|()| WireValue::Fixed)?,
            2 => {
                let length = usize::try_from(self.cursor.varuint()?).ok()?;
                WireValue::Bytes(self.cursor.take(length)?)
            }
            5 => self.cursor.skip(4).map(|()| WireValue::Fixed)?,
            _ => return None,
        };
        (tag >> 3 > 0).then_some((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, WireValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_at_end() || self.broken_at.is_some() {
            return None;
        }
        let start = self.cursor.position();
        let field = self.field();
        if field.is_none() {
            self.broken_at = Some(start);
        }
        field
    }
}

/// May be packed into one value. Stops at unreadable data.
pub(super) fn numbers(value: WireValue<'_>) -> impl Iterator<Item = u64> + '_ {
    let (single, packed) = match value {
        WireValue::Number(number) => (Some(number), &[][..]),
        WireValue::Bytes(bytes) => (None, bytes),
        WireValue::Fixed => (None, &[][..]),
    };
    let mut packed = Cursor::new(packed);
    single
        .into_iter()
        .chain(std::iter::from_fn(move || packed.varuint()))
}

#[cfg(test)]
mod tests;
