use crate::importers::decimals;
use crate::input::json::{JsonError, JsonKind, JsonNumber, JsonReader, Scaled};
use std::io::Read;

/// Above it, floats have too few digits for remainders.
const MAX_WITH_REMAINDER: f64 = (1u64 << 40) as f64;

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
            JsonKind::String => Ok(Quantity::of_text(reader.string()?.trim())),
            _ => reader.skip().map(|()| Quantity::None),
        }
    }

    pub(crate) fn of_text(text: &str) -> Quantity<'a> {
        let number = text.parse::<f64>().ok().filter(|number| !number.is_nan());
        number.map_or(Quantity::None, Quantity::Float)
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

    /// Rounded after adding the previous remainder; what is left becomes the next.
    #[inline]
    pub(crate) fn scaled_with(&self, scale: u64, remainder: &mut f64) -> Option<Scaled> {
        match self {
            Quantity::Number(number) if number.is_whole_at(scale) => Some(number.scaled(scale)),
            _ => self.scaled_inexactly(scale, remainder),
        }
    }

    #[cold]
    fn scaled_inexactly(&self, scale: u64, remainder: &mut f64) -> Option<Scaled> {
        let scaled = self.scaled(scale)?;
        let exact = self.to_f64()? * scale as f64 + *remainder;
        if scaled.is_clamped || exact > MAX_WITH_REMAINDER {
            return Some(scaled);
        }
        let whole = exact.round().max(0.0);
        *remainder = exact - whole;
        Some(Scaled::of(Some(whole as u64)))
    }

    pub(crate) fn to_f64(self) -> Option<f64> {
        match self {
            Quantity::Number(number) => Some(number.to_f64()),
            Quantity::Float(number) => Some(number),
            Quantity::None => None,
        }
    }
}
