//! Numbers, possibly in quotes.

use crate::importers::decimals;
use crate::input::json::{JsonError, JsonKind, JsonNumber, JsonReader, Scaled};
use std::io::Read;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Quantity<'a> {
    Number(JsonNumber<'a>),
    Float(f64),
    None,
}

impl<'a> Quantity<'a> {
    #[inline]
    pub(crate) fn read<R: Read>(reader: &'a mut JsonReader<R>) -> Result<Quantity<'a>, JsonError> {
        match reader.peek()? {
            JsonKind::Number => reader.number().map(Quantity::Number),
            JsonKind::String => {
                let number = reader.string()?.trim().parse::<f64>().ok();
                let number = number.filter(|number| !number.is_nan());
                Ok(number.map_or(Quantity::None, Quantity::Float))
            }
            _ => reader.skip().map(|()| Quantity::None),
        }
    }

    #[inline]
    pub(crate) fn instant(&self, scale: u64) -> Option<Scaled> {
        match self {
            Quantity::Number(number) => Some(number.instant(scale)),
            Quantity::Float(number) => JsonNumber::instant_of_float(*number, scale),
            Quantity::None => None,
        }
    }

    #[inline]
    pub(crate) fn scaled(&self, scale: u64) -> Option<Scaled> {
        match self {
            Quantity::Number(number) => Some(number.scaled(scale)),
            Quantity::Float(number) => Some(JsonNumber::scaled_float(*number, scale)),
            Quantity::None => None,
        }
    }

    #[inline]
    pub(crate) fn whole(&self) -> Option<u64> {
        match self {
            Quantity::Number(number) => number.to_u64(),
            _ => None,
        }
    }

    /// See [`decimals::millionths`]; `None` if negative or not finite.
    pub(crate) fn millionths(&self) -> Option<u128> {
        match self {
            Quantity::Number(number) if number.to_f64() >= 0.0 && number.to_f64().is_finite() => {
                Some(decimals::millionths(number))
            }
            Quantity::Float(float) if *float >= 0.0 && float.is_finite() => {
                Some(decimals::millionths_of_float(*float))
            }
            _ => None,
        }
    }

    pub(crate) fn to_f64(self) -> Option<f64> {
        match self {
            Quantity::Number(number) => Some(number.to_f64()),
            Quantity::Float(number) => Some(number),
            Quantity::None => None,
        }
    }
}
