//! Numbers, possibly in quotes.

use crate::importers::decimals;
use crate::input::json::{JsonError, JsonKind, JsonNumber, JsonReader, Scaled};
use std::io::Read;

/// The fraction of a stored unit in which remainders are kept when rounding.
const FINER: u64 = 1_000_000;

/// A number in a file; some tools write them as strings.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quantity<'a> {
    Number(JsonNumber<'a>),
    /// In quotes.
    Float(f64),
    /// Something else.
    None,
}

impl<'a> Quantity<'a> {
    /// Reads the next value, whatever it is.
    ///
    /// # Errors
    /// The input is not JSON.
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

    /// See [`JsonNumber::instant`].
    #[inline]
    pub(crate) fn instant(&self, scale: u64) -> Option<Scaled> {
        match self {
            Quantity::Number(number) => Some(number.instant(scale)),
            Quantity::Float(number) => JsonNumber::instant_of_float(*number, scale),
            Quantity::None => None,
        }
    }

    /// See [`JsonNumber::scaled`].
    #[inline]
    pub(crate) fn scaled(&self, scale: u64) -> Option<Scaled> {
        match self {
            Quantity::Number(number) => Some(number.scaled(scale)),
            Quantity::Float(number) => Some(JsonNumber::scaled_float(*number, scale)),
            Quantity::None => None,
        }
    }

    /// The number, if it is written as an integer.
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

    /// The number times `scale`, rounded after adding the previous remainder; what is left becomes the next one. Exact
    /// numbers need neither. Remainders are in millionths.
    #[inline]
    pub(crate) fn scaled_with(&self, scale: u64, remainder: &mut i64) -> Option<Scaled> {
        match self {
            Quantity::Number(number) if number.is_whole_at(scale) => Some(number.scaled(scale)),
            _ => self.scaled_inexactly(scale, remainder),
        }
    }

    #[cold]
    fn scaled_inexactly(&self, scale: u64, remainder: &mut i64) -> Option<Scaled> {
        let scaled = self.scaled(scale)?;
        let finer = match self {
            Quantity::Number(number) => number.exactly_scaled(scale.saturating_mul(FINER)),
            _ => None,
        };
        let finer = match finer
            .or_else(|| Some((self.to_f64()? * scale as f64 * FINER as f64).round() as u128))
        {
            Some(finer) if !scaled.is_clamped && finer < 1 << 100 => {
                finer as i128 + i128::from(*remainder)
            }
            _ => return Some(scaled),
        };
        let whole = ((finer + i128::from(FINER / 2)) / i128::from(FINER)).max(0);
        *remainder = (finer - whole * i128::from(FINER)) as i64;
        Some(Scaled::of(Some(whole as u64)))
    }

    /// The nearest float; infinite if too large.
    pub(crate) fn to_f64(self) -> Option<f64> {
        match self {
            Quantity::Number(number) => Some(number.to_f64()),
            Quantity::Float(number) => Some(number),
            Quantity::None => None,
        }
    }
}
