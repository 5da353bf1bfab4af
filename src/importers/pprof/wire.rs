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
mod tests {
    use super::*;

    #[test]
    fn numbers_have_seven_bits_a_byte() {
        // the examples of the specification: 1, 150, and -1 as an int64
        for (bytes, expect) in [
            (&[0x01][..], Some(1)),
            (&[0x96, 0x01], Some(150)),
            (
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
                Some(u64::MAX),
            ),
            (&[0x96], None),
            (&[0x80; 11], None),
            (&[], None),
        ] {
            assert_eq!(Cursor::new(bytes).varuint(), expect, "{bytes:x?}");
        }
    }

    #[track_caller]
    fn check(bytes: &[u8], fields: &[(u64, WireValue)], broken_at: Option<usize>) {
        let mut found = Fields::new(bytes);
        assert_eq!(found.by_ref().collect::<Vec<_>>(), fields);
        assert_eq!(found.broken_at(), broken_at);
    }

    #[test]
    fn fields_have_a_number_and_a_value() {
        check(&[], &[], None);
        // field 1 = 150; field 2 = "testing", the examples of the specification
        check(&[0x08, 0x96, 0x01], &[(1, WireValue::Number(150))], None);
        check(
            b"\x12\x07testing",
            &[(2, WireValue::Bytes(b"testing"))],
            None,
        );
        check(b"\x12\x07test", &[], Some(0));
        check(
            &[0x08, 0x05, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 1, 2, 3, 4],
            &[
                (1, WireValue::Number(5)),
                (1, WireValue::Fixed),
                (1, WireValue::Fixed),
            ],
            None,
        );
        // groups are not read, nor is field 0
        check(&[0x08, 0x05, 0x0b], &[(1, WireValue::Number(5))], Some(2));
        check(&[0x00, 0x05], &[], Some(0));
        // a length beyond the end, as large as can be
        check(
            b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            &[],
            Some(0),
        );
    }

    /// What is kept of a message that comes in pieces, whatever their size, and where it breaks off.
    #[track_caller]
    fn check_trimmed(message: &[u8], kept: &[u8], broken_at: Option<usize>) {
        for piece in 1..=message.len() {
            let (mut trimmer, mut found) = (Trimmer::default(), Vec::new());
            for bytes in message.chunks(piece) {
                found.extend_from_slice(bytes);
                trimmer.trim(&mut found, 15);
            }
            let mut fields = Fields::new(&found);
            fields.by_ref().for_each(drop);
            assert_eq!(
                (&*found, trimmer.broken_at(fields.broken_at())),
                (kept, broken_at),
                "pieces of {piece}"
            );
        }
    }

    #[test]
    fn unknown_fields_are_left_out() {
        // field 16 = "abc", field 17 = 5, field 2 = "testing"
        let (unknown, number, text) = (b"\x82\x01\x03abc", b"\x88\x01\x05", b"\x12\x07testing");
        check_trimmed(&[&unknown[..], text, number].concat(), text, None);
        check_trimmed(
            &[&text[..], number, unknown, text].concat(),
            &[&text[..], text].concat(),
            None,
        );
        // what breaks off, at places of the whole message
        check_trimmed(&[&text[..], &unknown[..5]].concat(), text, Some(9));
        check_trimmed(&[&unknown[..], &text[..5]].concat(), &text[..5], Some(6));
        check_trimmed(
            &[&unknown[..], text, b"\x00\x05"].concat(),
            &[&text[..], b"\x00\x05"].concat(),
            Some(15),
        );
    }

    #[test]
    fn repeated_numbers_may_be_packed() {
        assert_eq!(numbers(WireValue::Number(7)).collect::<Vec<_>>(), [7]);
        assert_eq!(
            numbers(WireValue::Bytes(&[0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05])).collect::<Vec<_>>(),
            [3, 270, 86942]
        );
        assert_eq!(
            numbers(WireValue::Bytes(&[0x03, 0x8e])).collect::<Vec<_>>(),
            [3]
        );
    }
}
