//! Deserializes JSON through serde. Members that are `null` or repeated are skipped. In a truncated text, everything
//! open ends, and [`JsonValues::unexpected_end`] has the error. Strings may be numbers; anything but an object has no
//! members. `u32` is a whole number, `u64` a [`JsonNumber::instant`] in millionths, `i128` the number in millionths;
//! anything else becomes the maximum, or the minimum for `i128`.

use super::{JsonError, JsonKind, JsonNumber, JsonProblem, JsonReader, in_member};
use serde::de::value::MapDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt::Display;
use std::io::Read;

const PARTS: u64 = 1_000_000;

pub(crate) struct JsonValues<'r, R> {
    reader: &'r mut JsonReader<R>,
    key: String,
    is_element: bool,
    pub unexpected_end: Option<JsonError>,
}

impl<'r, R: Read> JsonValues<'r, R> {
    pub(crate) fn new(reader: &'r mut JsonReader<R>) -> JsonValues<'r, R> {
        JsonValues {
            reader,
            key: String::new(),
            is_element: false,
            unexpected_end: None,
        }
    }

    fn or_default<T>(&mut self, result: Result<T, JsonError>, default: T) -> Result<T, JsonError> {
        match result {
            Err(error) if error.is_truncated() => {
                self.unexpected_end.get_or_insert(error);
                Ok(default)
            }
            result => result,
        }
    }

    /// Reads a scalar. An end within an array element is an error.
    #[inline]
    fn simple<T>(
        &mut self,
        default: T,
        read: impl FnOnce(&mut JsonReader<R>) -> Result<T, JsonError>,
    ) -> Result<T, JsonError> {
        let value = read(self.reader);
        match std::mem::take(&mut self.is_element) {
            true => value,
            false => self.or_default(value, default),
        }
    }

    #[inline]
    fn number<T: Copy>(
        &mut self,
        default: T,
        convert: impl FnOnce(JsonNumber) -> T,
    ) -> Result<T, JsonError> {
        self.simple(default, |reader| match reader.take_number()?.map(convert) {
            Some(number) => Ok(number),
            None => reader.skip().map(|()| default),
        })
    }
}

impl<'de, R: Read> Deserializer<'de> for &mut JsonValues<'_, R> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.simple((), JsonReader::skip)?;
        visitor.visit_unit()
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_bool(self.simple(false, |reader| match reader.peek()? {
            JsonKind::Bool => reader.bool(),
            _ => reader.skip().map(|()| false),
        })?)
    }

    #[inline]
    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let whole = |number: JsonNumber| u32::try_from(number.to_u64()?).ok();
        visitor.visit_u32(self.number(u32::MAX, |number| whole(number).unwrap_or(u32::MAX))?)
    }

    #[inline]
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let instant = |number: JsonNumber| number.instant(PARTS).value.min(u64::MAX - 1);
        visitor.visit_u64(self.number(u64::MAX, instant)?)
    }

    #[inline]
    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let parts = |number: JsonNumber| {
            let float = || (number.to_f64().abs() * PARTS as f64).round() as u128;
            let parts = number.exactly_scaled(PARTS).unwrap_or_else(float);
            let parts = i128::try_from(parts).unwrap_or(i128::MAX);
            if number.text().starts_with('-') {
                -parts
            } else {
                parts
            }
        };
        visitor.visit_i128(self.number(i128::MIN, parts)?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_string(self.simple(String::new(), |reader| match reader.peek()? {
            JsonKind::Number => Ok(reader.number()?.text().to_string()),
            _ => reader.text(),
        })?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.is_element = false;
        self.simple((), JsonReader::enter_array)?;
        visitor.visit_seq(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.is_element = false;
        if self.simple(JsonKind::Object, JsonReader::peek)? != JsonKind::Object {
            self.simple((), JsonReader::skip)?;
            let nothing = std::iter::empty::<(&str, &str)>();
            return visitor.visit_map(MapDeserializer::new(nothing));
        }
        self.simple((), JsonReader::enter_object)?;
        visitor.visit_map(Members {
            values: self,
            fields,
            seen: 0,
            field: None,
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_struct("", &[], visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u128 f32 f64 char str bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct enum
        identifier ignored_any
    }
}

impl<'de, R: Read> SeqAccess<'de> for &mut JsonValues<'_, R> {
    type Error = JsonError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, JsonError> {
        let read = match self.reader.next_element() {
            Ok(true) => {
                self.is_element = true;
                seed.deserialize(&mut **self).map(Some)
            }
            next => next.map(|_| None),
        };
        self.or_default(read, None)
    }
}

struct Members<'v, 'r, R> {
    values: &'v mut JsonValues<'r, R>,
    fields: &'static [&'static str],
    seen: u64,
    field: Option<usize>,
}

impl<'de, R: Read> MapAccess<'de> for Members<'_, '_, R> {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, JsonError> {
        loop {
            let JsonValues { reader, key, .. } = &mut *self.values;
            key.clear();
            let next = reader.next_key();
            let next = next.map(|name| name.map(|name| key.push_str(name)));
            if self.values.or_default(next, None)?.is_none() {
                return Ok(None);
            }
            let key = &self.values.key;
            self.field = self.fields.iter().position(|field| field == key);
            let bit = self.field.map_or(0, |field| 1 << field);
            if self.seen & bit == 0 && !self.values.simple(true, JsonReader::take_null)? {
                self.seen |= bit;
                return seed
                    .deserialize(self.values.key.as_str().into_deserializer())
                    .map(Some);
            }
            if self.seen & bit != 0 {
                self.values.simple((), JsonReader::skip)?;
            }
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, JsonError> {
        let value = seed.deserialize(&mut *self.values);
        match self.field {
            Some(field) => value.map_err(in_member(self.fields[field])),
            None => value,
        }
    }
}

impl de::Error for JsonError {
    fn custom<T: Display>(message: T) -> JsonError {
        let (expected, found) = ("a value of another kind", message.to_string());
        JsonError::new(0, JsonProblem::Unexpected { expected, found })
    }
}

#[cfg(test)]
mod tests;
