const POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1; 20];
    let mut n = 1;
    while n < powers.len() {
        powers[n] = powers[n - 1] * 10;
        n += 1;
    }
    powers
};

/// The [`JsonNumber::instant`] of 0.
pub const ZERO_INSTANT: u64 = 1 << 63;

/// How many digits always fit into 64 bits.
const MAX_DIGITS: usize = 19;

/// The largest n for which 10^n fits into 128 bits.
const MAX_FRACTION_DIGITS: usize = 38;

/// A number not converted yet.
#[derive(Clone, Copy, Debug)]
pub struct JsonNumber<'a> {
    text: &'a [u8],
    decimal: Option<Decimal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: u64,
    fraction_digits: u32,
}

/// A number times a scale, as a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaled {
    /// Rounded, halves up, and clamped to `u64`.
    pub value: u64,
    pub is_clamped: bool,
}

impl Scaled {
    #[inline]
    pub(crate) fn of(value: Option<u64>) -> Scaled {
        Scaled {
            value: value.unwrap_or(u64::MAX),
            is_clamped: value.is_none(),
        }
    }
}

pub(super) struct NumberToken {
    pub len: usize,
    decimal: Option<Decimal>,
}

impl NumberToken {
    pub(super) fn number(self, text: &[u8]) -> JsonNumber<'_> {
        JsonNumber {
            text,
            decimal: self.decimal,
        }
    }
}

/// Scans a number. One that ends with the slice may continue after it.
#[inline]
pub(super) fn scan(bytes: &[u8]) -> Result<NumberToken, usize> {
    let is_negative = bytes.first() == Some(&b'-');
    let start = usize::from(is_negative);
    let (mut at, mut digits) = (start, 0u64);
    digit_run(bytes, &mut at, &mut digits);
    if at == start || (bytes[start] == b'0' && at > start + 1) {
        return Err(if at == start { at } else { start + 1 });
    }
    let whole_digits = at - start;
    let mut fraction_digits = 0;
    if bytes.get(at) == Some(&b'.') {
        let point = at;
        at += 1;
        digit_run(bytes, &mut at, &mut digits);
        fraction_digits = at - point - 1;
        if fraction_digits == 0 {
            return Err(at);
        }
    }
    let mut is_plain = true;
    if whole_digits + fraction_digits > MAX_DIGITS {
        let exact =
            checked_digits(&bytes[start..at]).filter(|_| fraction_digits <= MAX_FRACTION_DIGITS);
        is_plain = exact.is_some();
        digits = exact.unwrap_or(0);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        is_plain = false;
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        let exponent = at;
        digit_run(bytes, &mut at, &mut 0);
        if at == exponent {
            return Err(at);
        }
    }
    let decimal = Decimal {
        is_negative,
        digits,
        fraction_digits: fraction_digits as u32,
    };
    Ok(NumberToken {
        len: at,
        decimal: is_plain.then_some(decimal),
    })
}

/// A whole number of at most seven digits and its length. A comma or the end of an array or object must follow
/// directly.
#[inline]
pub(super) fn short(bytes: &[u8; 8]) -> Option<(u32, usize)> {
    // eight bytes at once: branch prediction can't foresee the number of digits
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let digits = u64::from_le_bytes(*bytes) ^ (ONES * 0x30);
    // the high bit of the first byte that is not a digit, and of some after it
    let others = (digits.wrapping_add(ONES * 0x76) | digits) & (ONES * 0x80);
    let len = others.trailing_zeros() as usize / 8;
    let is_number = matches!(bytes.get(len), Some(b',' | b']' | b'}'))
        && (len == 1 || (len > 1 && bytes[0] != b'0'));
    if !is_number {
        return None;
    }
    // pad with leading zeros to eight digits; then combine pairs, fours, and all
    let pairs = (digits << (64 - 8 * len)).wrapping_mul(10 << 8 | 1) >> 8 & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_FFFF_0000_FFFF;
    Some(((fours.wrapping_mul(10_000 << 32 | 1) >> 32) as u32, len))
}

/// Advances `at` past digits and appends them to `value`, which may overflow.
#[inline]
fn digit_run(bytes: &[u8], at: &mut usize, value: &mut u64) {
    while let Some(&digit @ b'0'..=b'9') = bytes.get(*at) {
        *value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        *at += 1;
    }
}

#[cold]
fn checked_digits(bytes: &[u8]) -> Option<u64> {
    let mut digits = bytes.iter().filter(|byte| byte.is_ascii_digit());
    digits.try_fold(0u64, |value, digit| {
        value.checked_mul(10)?.checked_add((digit - b'0').into())
    })
}

impl<'a> JsonNumber<'a> {
    /// Parses a number that spans all of `text`, for other formats with this syntax.
    pub fn parse(text: &'a [u8]) -> Option<JsonNumber<'a>> {
        let token = scan(text).ok()?;
        (token.len == text.len()).then(|| token.number(text))
    }

    #[inline]
    pub(super) fn from_short(value: u32, text: &'a [u8]) -> JsonNumber<'a> {
        JsonNumber {
            text,
            decimal: Some(Decimal {
                is_negative: false,
                digits: value.into(),
                fraction_digits: 0,
            }),
        }
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(self.text).unwrap_or_default()
    }

    pub fn to_f64(self) -> f64 {
        self.text().parse().unwrap_or(f64::NAN)
    }

    pub fn to_u64(self) -> Option<u64> {
        match self.decimal {
            Some(Decimal {
                is_negative,
                digits,
                fraction_digits: 0,
            }) => (!is_negative || digits == 0).then_some(digits),
            Some(_) => None,
            None => self.text().parse().ok(),
        }
    }

    /// Exact for numbers without an exponent whose digits fit into 64 bits; others go through the nearest float.
    #[inline]
    pub fn scaled(&self, scale: u64) -> Scaled {
        match self.decimal {
            Some(Decimal {
                is_negative: false,
                digits,
                fraction_digits: 0,
            }) => Scaled::of(digits.checked_mul(scale)),
            Some(decimal) => decimal.scaled(scale),
            None if scale == 1 && self.to_u64().is_some() => Scaled::of(self.to_u64()),
            None => JsonNumber::scaled_float(self.to_f64(), scale),
        }
    }

    /// Whether the number times `scale`, a power of ten, is certainly whole.
    #[inline]
    pub fn is_whole_at(&self, scale: u64) -> bool {
        self.decimal
            .is_some_and(|decimal| decimal.fraction_digits <= scale.checked_ilog10().unwrap_or(0))
    }

    /// The absolute value times `scale`, rounded; `None` if only the nearest float is known.
    pub fn exactly_scaled(&self, scale: u64) -> Option<u128> {
        let decimal = self.decimal?;
        let product = u128::from(decimal.digits) * u128::from(scale);
        let divisor = 10u128.pow(decimal.fraction_digits);
        Some(product.saturating_add(divisor / 2) / divisor)
    }

    /// A point in time, where 2^63 stands for 0, rounded like [`JsonNumber::scaled`].
    #[inline]
    pub fn instant(&self, scale: u64) -> Scaled {
        let magnitude = match self.decimal {
            Some(decimal) => decimal.scaled_magnitude(scale),
            None => magnitude_of_float(self.to_f64(), scale),
        };
        place(self.text.first() == Some(&b'-'), magnitude)
    }

    /// Like [`JsonNumber::scaled`], for numbers stored as strings.
    pub fn scaled_float(value: f64, scale: u64) -> Scaled {
        let product = (value * scale as f64).round();
        // 2^64 is the first float that doesn't fit; `as` clamps
        Scaled {
            value: product as u64,
            is_clamped: !(0.0..u64::MAX as f64).contains(&product),
        }
    }

    /// Like [`JsonNumber::instant`], for numbers stored as strings. `None` for NaN.
    pub fn instant_of_float(value: f64, scale: u64) -> Option<Scaled> {
        (!value.is_nan()).then(|| place(value < 0.0, magnitude_of_float(value, scale)))
    }
}

fn place(is_negative: bool, magnitude: Scaled) -> Scaled {
    let max_distance = ZERO_INSTANT - u64::from(!is_negative);
    let distance = magnitude.value.min(max_distance);
    Scaled {
        value: match is_negative {
            true => ZERO_INSTANT - distance,
            false => ZERO_INSTANT + distance,
        },
        is_clamped: magnitude.is_clamped || magnitude.value > max_distance,
    }
}

fn magnitude_of_float(value: f64, scale: u64) -> Scaled {
    let product = (value.abs() * scale as f64).round();
    Scaled {
        value: product as u64,
        is_clamped: product >= u64::MAX as f64,
    }
}

impl Decimal {
    fn scaled(self, scale: u64) -> Scaled {
        if self.is_negative {
            return Scaled {
                value: 0,
                is_clamped: self.digits != 0,
            };
        }
        self.scaled_magnitude(scale)
    }

    #[inline]
    fn scaled_magnitude(self, scale: u64) -> Scaled {
        if let Some(value) = self.scaled_in_64_bits(scale) {
            return Scaled::of(Some(value));
        }
        // at most 2^64 * 2^64 and 10^19: only rounding the largest product could overflow
        let product = u128::from(self.digits) * u128::from(scale);
        let divisor = 10u128.pow(self.fraction_digits);
        Scaled::of(u64::try_from(product.saturating_add(divisor / 2) / divisor).ok())
    }

    #[inline]
    fn scaled_in_64_bits(self, scale: u64) -> Option<u64> {
        let divisor = *POWERS_OF_TEN.get(self.fraction_digits as usize)?;
        let product = self.digits.checked_mul(scale)?;
        Some(product.checked_add(divisor / 2)? / divisor)
    }
}
