//! Protocol buffers as they lie in a file: fields with a number and a value.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/>.

use crate::input::cursor::Cursor;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireValue<'a> {
    Number(u64),
    /// A string, a message within the message, or packed numbers.
    Bytes(&'a [u8]),
    /// Four or eight bytes, which no field of a profile has.
    Fixed,
}

impl WireValue<'_> {
    /// The number; 0 where the field is none.
    pub(super) fn number(self) -> u64 {
        match self {
            WireValue::Number(number) => number,
            _ => 0,
        }
    }
}

/// The fields of a message, in their order.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    cursor: Cursor<'a>,
    /// Where the field begins that can't be read.
    broken_at: Option<usize>,
}

impl<'a> Fields<'a> {
    /// The fields of the message `bytes`.
    pub(super) fn new(bytes: &'a [u8]) -> Fields<'a> {
        Fields {
            cursor: Cursor::new(bytes),
            broken_at: None,
        }
    }

    /// Where in the message a field begins that can't be read, once the fields before it were taken.
    pub(super) fn broken_at(&self) -> Option<usize> {
        self.broken_at
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

/// The first field of bytes that may go on.
enum First {
    Whole {
        number: u64,
        len: usize,
    },
    /// Its value is not all there.
    Begun {
        number: u64,
        len: usize,
    },
    /// There is no field, or not enough of one.
    None,
}

impl First {
    fn of(bytes: &[u8]) -> First {
        let mut fields = Fields::new(bytes);
        if let Some((number, _)) = fields.next() {
            return First::Whole {
                number,
                len: fields.cursor.position(),
            };
        }
        let mut header = Cursor::new(bytes);
        match (header.varuint(), header.varuint()) {
            (Some(tag), Some(size)) if tag & 7 == 2 && tag >> 3 > 0 => {
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                First::Begun {
                    number: tag >> 3,
                    len: header.position().saturating_add(size),
                }
            }
            _ => First::None,
        }
    }
}

/// Takes the fields that nobody knows out of a message while it is read, so that they never take memory.
#[derive(Debug, Default)]
pub(super) struct Trimmer {
    /// The end of the fields that are kept, in what is kept.
    kept: usize,
    /// How many bytes were left out.
    left_out: usize,
    /// How many more belong to a field that is left out, and where in the file it begins.
    skipping: Option<(usize, usize)>,
}

impl Trimmer {
    /// Leaves the fields with numbers above `last` out of what came since the last call. Linear in that.
    pub(super) fn trim(&mut self, message: &mut Vec<u8>, last: u64) {
        let mut at = self.kept;
        if let Some((len, start)) = self.skipping.take() {
            let skipped = len.min(message.len() - at);
            at += skipped;
            self.skipping = (skipped < len).then_some((len - skipped, start));
        }
        while self.skipping.is_none() {
            match First::of(&message[at..]) {
                First::Whole { number, len } if number <= last => {
                    message.copy_within(at..at + len, self.kept);
                    (at, self.kept) = (at + len, self.kept + len);
                }
                First::Whole { len, .. } => at += len,
                First::Begun { number, len } if number > last => {
                    let there = message.len() - at;
                    self.skipping = Some((len - there, at + self.left_out));
                    at = message.len();
                }
                First::Begun { .. } | First::None => break,
            }
        }
        self.left_out += at - self.kept;
        message.drain(self.kept..at);
    }

    /// Where in the file it breaks off or is damaged, if what was kept is so at `kept_at`.
    pub(super) fn broken_at(&self, kept_at: Option<usize>) -> Option<usize> {
        // what is left out lies before what can't be read
        self.skipping
            .map(|(_, start)| start)
            .or(kept_at.map(|at| at + self.left_out))
    }
}

/// The numbers of a repeated field, which may be packed into one value. What can't be read ends them.
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
