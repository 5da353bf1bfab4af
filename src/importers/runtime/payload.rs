//! Decodes payloads by the types of their fields. Sources: `NetTraceFormat_v5.md` and `NetTraceFormat.md` in
//! microsoft/perfview.

use crate::input::cursor::{Cursor, push_utf16};
use crate::units::hexadecimal;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    Unsigned(u8),
    Signed(u8),
    Bool(u8),
    Float,
    Double,
    Char,
    Guid,
    Utf16,
    /// After a 16-bit length; one-collect describes it as a single byte of UTF-8.
    Utf8,
    VarInt,
    VarUint,
    /// `None`: a 16-bit count precedes them.
    List(Option<u16>, Box<FieldType>),
    Object(Vec<Field>),
}

pub(crate) type Field = (String, FieldType);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldFormat {
    /// Up to version 4: the type, then the name.
    TypeFirst,
    /// In later tags, which support arrays: a size, the name, the type.
    Sized,
    Short,
}

const MAX_DEPTH: usize = 8;

impl FieldFormat {
    /// `None` if the list is truncated or has an unknown type.
    pub(crate) fn fields(self, cursor: &mut Cursor) -> Option<Vec<Field>> {
        self.fields_within(cursor, MAX_DEPTH)
    }

    fn fields_within(self, cursor: &mut Cursor, depth: usize) -> Option<Vec<Field>> {
        let depth = depth.checked_sub(1)?;
        let count = match self {
            FieldFormat::Short => u32::from(cursor.u16()?),
            FieldFormat::TypeFirst | FieldFormat::Sized => cursor.u32()?,
        };
        let mut fields = Vec::new();
        for _ in 0..count {
            fields.push(self.field(cursor, depth)?);
        }
        Some(fields)
    }

    fn field(self, cursor: &mut Cursor, depth: usize) -> Option<Field> {
        let bytes = match self {
            FieldFormat::TypeFirst => {
                let kind = self.field_type(cursor, depth)?;
                return Some((cursor.text()?, kind));
            }
            FieldFormat::Sized => cursor.u32()?.checked_sub(4)?,
            FieldFormat::Short => u32::from(cursor.u16()?),
        };
        let mut field = Cursor::new(cursor.take(bytes as usize)?);
        let name = match self {
            FieldFormat::Short => field.utf8_varuint()?.into_owned(),
            FieldFormat::TypeFirst | FieldFormat::Sized => field.text()?,
        };
        Some((name, self.field_type(&mut field, depth)?))
    }

    fn field_type(self, cursor: &mut Cursor, depth: usize) -> Option<FieldType> {
        let code = match self {
            FieldFormat::Short => u32::from(cursor.u8()?),
            FieldFormat::TypeFirst | FieldFormat::Sized => cursor.u32()?,
        };
        let depth = depth.checked_sub(1)?;
        Some(match code {
            1 => FieldType::Object(self.fields_within(cursor, depth)?),
            3 => FieldType::Bool(4),
            4 => FieldType::Char,
            5 => FieldType::Signed(1),
            6 => FieldType::Unsigned(1),
            7 => FieldType::Signed(2),
            8 => FieldType::Unsigned(2),
            9 => FieldType::Signed(4),
            10 => FieldType::Unsigned(4),
            11 => FieldType::Signed(8),
            // or a time in units of 100 ns since 1601
            12 | 16 => FieldType::Unsigned(8),
            13 => FieldType::Float,
            14 => FieldType::Double,
            17 => FieldType::Guid,
            18 => FieldType::Utf16,
            19 => match self.field_type(cursor, depth)? {
                FieldType::Utf8 => FieldType::Utf8,
                element => FieldType::List(None, Box::new(element)),
            },
            20 => FieldType::VarInt,
            21 => FieldType::VarUint,
            22 => {
                let count = cursor.u16()?;
                FieldType::List(Some(count), Box::new(self.field_type(cursor, depth)?))
            }
            23 => FieldType::Utf8,
            26 => FieldType::Bool(1),
            _ => return None,
        })
    }
}

impl FieldType {
    fn read(&self, cursor: &mut Cursor) -> Option<String> {
        let utf16 = |bytes: &[u8]| {
            let mut text = String::new();
            push_utf16(&mut text, bytes);
            text
        };
        Some(match self {
            FieldType::Unsigned(bytes) => cursor.number((*bytes).into())?.to_string(),
            FieldType::Signed(bytes) => {
                let unused_bits = 64 - 8 * u32::from(*bytes);
                let number = cursor.number((*bytes).into())? << unused_bits;
                (number as i64 >> unused_bits).to_string()
            }
            FieldType::Bool(bytes) => (cursor.number((*bytes).into())? != 0).to_string(),
            FieldType::Float => f64::from(f32::from_bits(cursor.u32()?)).to_string(),
            FieldType::Double => f64::from_bits(cursor.u64()?).to_string(),
            FieldType::Char => utf16(cursor.take(2)?),
            FieldType::Guid => hexadecimal(cursor.take(16)?),
            FieldType::Utf16 => utf16(cursor.utf16z()?),
            FieldType::Utf8 => cursor.utf8_u16()?.into_owned(),
            FieldType::VarUint => cursor.varuint()?.to_string(),
            FieldType::VarInt => {
                let zigzag = cursor.varuint()?;
                ((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)).to_string()
            }
            FieldType::List(count, element) => {
                let count = count.map_or_else(|| cursor.u16(), Some)?;
                let element = || {
                    let before = cursor.position();
                    let value = element.read(cursor)?;
                    // otherwise, any number of zero-sized elements would fit
                    (cursor.position() > before).then_some(value)
                };
                let values = std::iter::repeat_with(element).take(count.into());
                format!("[{}]", values.collect::<Option<Vec<_>>>()?.join(", "))
            }
            FieldType::Object(fields) => {
                let fields = read_fields(fields, cursor)?.into_iter();
                let fields = fields.map(|(name, value)| format!("{name}: {value}"));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
        })
    }
}

/// `None` if the payload is truncated. Ignores trailing data.
pub(crate) fn decode<'a>(fields: &'a [Field], payload: &[u8]) -> Option<Vec<(&'a str, String)>> {
    read_fields(fields, &mut Cursor::new(payload))
}

fn read_fields<'a>(fields: &'a [Field], cursor: &mut Cursor) -> Option<Vec<(&'a str, String)>> {
    let value = |(name, kind): &'a Field| Some((name.as_str(), kind.read(cursor)?));
    fields.iter().map(value).collect()
}

#[cfg(test)]
mod tests;
