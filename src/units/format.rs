use crate::units::Unit;

/// With commas: `38,412`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// With the noun's regular plural: `1 sample`, `2,345 samples`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// In a decimal unit: `5.2 kB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}

/// For people who wait: `12 s`, `3 min 05 s`.
pub fn elapsed(milliseconds: u64) -> String {
    match milliseconds / 1000 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", thousands(seconds / 60), seconds % 60),
    }
}

/// In the largest unit of which there are at least two: `90 s`, `2 min`, `40 h`.
pub fn rounded_duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", thousands(seconds / 86_400)),
    }
}

/// 0 if the whole is 0.
pub fn percent(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        _ => part as f64 / whole as f64 * 100.0,
    }
}

/// The number format for the values of a metric on a screen. All have the same unit, so that columns are easy to
/// compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Stored units per unit of this scale.
    pub divisor: u64,
    pub decimals: usize,
    pub unit: &'static str,
}

impl Scale {
    pub const SECONDS: Scale = Scale::new(1_000_000_000, 3, "s");
    pub const MILLISECONDS: Scale = Scale::new(1_000_000, 1, "ms");
    pub const MICROSECONDS: Scale = Scale::new(1_000, 1, "µs");

    const fn new(divisor: u64, decimals: usize, unit: &'static str) -> Scale {
        Scale {
            divisor,
            decimals,
            unit,
        }
    }

    #[must_use]
    pub fn finer(self) -> Scale {
        Scale {
            decimals: match self.decimals {
                0 => 0,
                decimals => decimals + 2,
            },
            ..self
        }
    }

    #[must_use]
    pub fn to_the_nanosecond(self) -> Scale {
        Scale {
            decimals: self.divisor.ilog10() as usize,
            ..self
        }
    }

    /// For values up to `largest`, in stored units. Times are in milliseconds, but in seconds from 10,000 ms and in
    /// microseconds below 1 ms.
    pub fn for_values(unit: Unit, largest: u64) -> Scale {
        match unit {
            Unit::Milliseconds if largest >= 10_000_000_000 => Scale::SECONDS,
            Unit::Milliseconds if (1..1_000_000).contains(&largest) => Scale::MICROSECONDS,
            Unit::Milliseconds => Scale::MILLISECONDS,
            Unit::Count => Scale::new(1, 0, ""),
            Unit::Bytes if largest >= 10_000_000 => Scale::new(1_000_000, 1, "MB"),
            Unit::Bytes if largest >= 10_000 => Scale::new(1_000, 1, "kB"),
            Unit::Bytes => Scale::new(1, 0, "B"),
        }
    }

    /// For a column of averages: microseconds with three decimals, since calls of small methods take nanoseconds.
    pub fn for_averages(unit: Unit) -> Scale {
        match unit {
            Unit::Milliseconds => Scale::new(1_000, 3, "µs"),
            Unit::Count | Unit::Bytes => Scale::for_values(unit, 0),
        }
    }

    /// For a single average, with its own unit from nanoseconds up.
    pub fn for_average(unit: Unit, value: u64) -> Scale {
        match unit {
            Unit::Milliseconds if value < 1_000 => Scale::new(1, 0, "ns"),
            Unit::Milliseconds if value < 10_000_000 => Scale::MICROSECONDS,
            _ => Scale::for_values(unit, value),
        }
    }

    /// The smallest stored value that is not shown as 0.
    pub fn min_shown(self) -> u64 {
        (self.divisor / 10u64.pow(self.decimals as u32)).div_ceil(2)
    }

    /// Without the unit: `5,208.6`. Rounds half up in integer arithmetic.
    pub fn number(self, stored: u64) -> String {
        let steps = 10u64.pow(self.decimals as u32);
        let scaled = (u128::from(stored) * u128::from(steps) * 2 + u128::from(self.divisor))
            / (u128::from(self.divisor) * 2);
        let (whole, fraction) = (scaled / u128::from(steps), scaled % u128::from(steps));
        let whole = thousands(u64::try_from(whole).unwrap_or(u64::MAX));
        match self.decimals {
            0 => whole,
            width => format!("{whole}.{fraction:0width$}"),
        }
    }

    /// A stored value rounded as it is shown, so that differences of shown numbers add up.
    pub fn rounded(self, stored: u64) -> u64 {
        let step = (self.divisor / 10u64.pow(self.decimals as u32)).max(1);
        stored.saturating_add(step / 2) / step * step
    }

    /// A difference with its sign, without the unit: `+4,766.5`. One that rounds to 0 has no sign.
    pub fn signed(self, delta: i128) -> String {
        let number = self.number(u64::try_from(delta.unsigned_abs()).unwrap_or(u64::MAX));
        let is_nothing = !number.contains(|c: char| ('1'..='9').contains(&c));
        let sign = match delta {
            _ if is_nothing => "",
            ..0 => "-",
            _ => "+",
        };
        format!("{sign}{number}")
    }

    /// A margin of error without the unit: `±0.29`. It has two digits, or more before the point, and no more decimals
    /// than other numbers.
    pub fn margin(self, stored: f64) -> String {
        let value = stored / self.divisor as f64;
        let decimals = (1.0 - value.log10().floor()).clamp(0.0, self.decimals as f64);
        match decimals as usize {
            0 => format!("±{}", thousands(value.round() as u64)),
            decimals => format!("±{value:.decimals$}"),
        }
    }

    /// Such as `5,208.6 ms`.
    pub fn with_unit(self, stored: u64) -> String {
        let number = self.number(stored);
        match self.unit {
            "" => number,
            unit => format!("{number} {unit}"),
        }
    }
}

/// Such as `×3.95`, `×1,234`.
pub fn factor(ratio: f64) -> String {
    match ratio >= 1000.0 {
        true => format!("×{}", thousands(ratio.round() as u64)),
        false => format!("×{ratio:.2}"),
    }
}

/// The ends of an interval of a ratio, each with three digits or so: `3.61–4.32`, `0.003–12.0`.
pub fn factors(ends: [f64; 2]) -> String {
    let written = |end: f64| match end {
        // as many decimals as it takes to tell it from nothing
        0.0001..0.01 => format!("{end:.decimals$}", decimals = -end.log10().floor() as usize),
        ..10.0 => format!("{end:.2}"),
        ..100.0 => format!("{end:.1}"),
        _ => thousands(end.round() as u64),
    };
    ends.map(written).join("–")
}

/// As many decimals as necessary, but at least three: `2.000 s`.
pub fn seconds(ns: u64) -> String {
    let decimals = format!("{:09}", ns % 1_000_000_000);
    let length = decimals.trim_end_matches('0').len().max(3);
    format!("{}.{} s", ns / 1_000_000_000, &decimals[..length])
}

/// Rounded to milliseconds: `8.127 s`.
pub fn seconds_rounded(ns: u64) -> String {
    let ms = ns / 1_000_000 + u64::from(ns % 1_000_000 >= 500_000);
    format!("{}.{:03} s", ms / 1000, ms % 1000)
}

#[cfg(test)]
mod tests;
