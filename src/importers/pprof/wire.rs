//! Protocol buffers as they lie in a file: fields with a number and a value.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/>.

use crate::input::cursor::Cursor;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A number.
    Number(u64),
    /// A string, a message within the message, or packed numbers.
    Bytes(&'a [u8]),
    /// Four or eight bytes, which no field of a profile has.
    Fixed,
}

impl Value<'_> {
    /// The number; 0 where the field is none.
    pub(super) fn number(self) -> u64 {
        match self {
            Value::Number(number) => number,
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
        Fields { cursor: Cursor::new(bytes), broken_at: None }
    }

    /// Where in the message a field begins that can't be read, once the fields before it were taken.
    pub(super) fn broken_at(&self) -> Option<usize> {
        self.broken_at
    }

    fn field(&mut self) -> Option<(u64, Value<'a>)> {
        let tag = self.cursor.varuint()?;
        let value = match tag & 7 {
            0 => Value::Number(self.cursor.varuint()?),
            1 => self.cursor.skip(8).map(|()| Value::Fixed)?,
            2 => {
                let length = usize::try_from(self.cursor.varuint()?).ok()?;
                Value::Bytes(self.cursor.take(length)?)
            }
            5 => self.cursor.skip(4).map(|()| Value::Fixed)?,
            _ => return None,
        };
        (tag >> 3 > 0).then_some((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Value<'a>);

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

/// The numbers of a repeated field, which may be packed into one value. What can't be read ends them.
pub(super) fn numbers(value: Value<'_>) -> impl Iterator<Item = u64> + '_ {
    let (single, packed) = match value {
        Value::Number(number) => (Some(number), &[][..]),
        Value::Bytes(bytes) => (None, bytes),
        Value::Fixed => (None, &[][..]),
    };
    let mut packed = Cursor::new(packed);
    single.into_iter().chain(std::iter::from_fn(move || packed.varuint()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_seven_bits_a_byte() {
        // the examples of the specification: 1, 150, and -1 as an int64
        for (bytes, expect) in [
            (&[0x01][..], Some(1)),
            (&[0x96, 0x01], Some(150)),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], Some(u64::MAX)),
            (&[0x96], None),
            (&[0x80; 11], None),
            (&[], None),
        ] {
            assert_eq!(Cursor::new(bytes).varuint(), expect, "{bytes:x?}");
        }
    }

    #[track_caller]
    fn check(bytes: &[u8], fields: &[(u64, Value)], broken_at: Option<usize>) {
        let mut found = Fields::new(bytes);
        assert_eq!(found.by_ref().collect::<Vec<_>>(), fields);
        assert_eq!(found.broken_at(), broken_at);
    }

    #[test]
    fn fields_have_a_number_and_a_value() {
        check(&[], &[], None);
        // field 1 = 150; field 2 = "testing", the examples of the specification
        check(&[0x08, 0x96, 0x01], &[(1, Value::Number(150))], None);
        check(b"\x12\x07testing", &[(2, Value::Bytes(b"testing"))], None);
        check(b"\x12\x07test", &[], Some(0));
        check(
            &[0x08, 0x05, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 1, 2, 3, 4],
            &[(1, Value::Number(5)), (1, Value::Fixed), (1, Value::Fixed)],
            None,
        );
        // groups are not read, nor is field 0
        check(&[0x08, 0x05, 0x0b], &[(1, Value::Number(5))], Some(2));
        check(&[0x00, 0x05], &[], Some(0));
        // a length beyond the end, as large as can be
        check(b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &[], Some(0));
    }

    #[test]
    fn repeated_numbers_may_be_packed() {
        assert_eq!(numbers(Value::Number(7)).collect::<Vec<_>>(), [7]);
        assert_eq!(numbers(Value::Bytes(&[0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05])).collect::<Vec<_>>(), [3, 270, 86942]);
        assert_eq!(numbers(Value::Bytes(&[0x03, 0x8e])).collect::<Vec<_>>(), [3]);
    }
}
