//! Numbers that may stand in quotes.

use crate::input::json::{JsonError, JsonKind, JsonReader, Number, Scaled};
use std::io::Read;

/// A number of a file, which some tools write as a string.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quantity<'a> {
    /// As a number.
    Number(Number<'a>),
    /// In quotes.
    Float(f64),
    /// Something else.
    None,
}

impl<'a> Quantity<'a> {
    /// The value that is due next, whatever it is.
    ///
    /// # Errors
    /// It is no JSON.
    #[inline]
    pub(crate) fn read<R: Read>(reader: &'a mut JsonReader<R>) -> Result<Quantity<'a>, JsonError> {
        match reader.peek()? {
            JsonKind::Number => reader.number().map(Quantity::Number),
            JsonKind::String => {
                let number = reader.string()?.trim().parse::<f64>();
                Ok(number
                    .ok()
                    .filter(|number| !number.is_nan())
                    .map_or(Quantity::None, Quantity::Float))
            }
            _ => reader.skip().map(|()| Quantity::None),
        }
    }

    /// See [`Number::instant`].
    #[inline]
    pub(crate) fn instant(&self, scale: u64) -> Option<Scaled> {
        match self {
            Quantity::Number(number) => Some(number.instant(scale)),
            Quantity::Float(number) => Number::instant_of_float(*number, scale),
            Quantity::None => None,
        }
    }

    /// See [`Number::scaled`].
    #[inline]
    pub(crate) fn scaled(&self, scale: u64) -> Option<Scaled> {
        match self {
            Quantity::Number(number) => Some(number.scaled(scale)),
            Quantity::Float(number) => Some(Number::scaled_float(*number, scale)),
            Quantity::None => None,
        }
    }

    /// The nearest float; infinite for what is too large.
    pub(crate) fn to_f64(self) -> Option<f64> {
        match self {
            Quantity::Number(number) => Some(number.to_f64()),
            Quantity::Float(number) => Some(number),
            Quantity::None => None,
        }
    }
}
