//! A value before a change and after it, and what follows from the two.

use super::chance::{p_of_z, z_of_t};
use crate::model::Chance;

/// A value before a change and after it, in stored steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    pub before: u64,
    pub after: u64,
}

impl Sides {
    /// How much more it is after the change.
    pub fn delta(self) -> i128 {
        i128::from(self.after) - i128::from(self.before)
    }

    /// By which factor it has changed; `None` if there was nothing before.
    pub fn ratio(self) -> Option<f64> {
        (self.before > 0).then(|| self.after as f64 / self.before as f64)
    }
}

/// A difference with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The values.
    pub sides: Sides,
    /// The standard error of their difference in stored steps, where values rest on samples.
    pub standard_error: Option<f64>,
    /// How many standard errors the difference is, with its sign, as of the normal distribution.
    pub z: Option<f64>,
    /// How likely it is, or a larger one, if nothing has changed.
    pub p: Option<f64>,
    /// The verdict.
    pub chance: Chance,
}

impl Estimate {
    /// One about which nothing is known but the values.
    pub fn untested(sides: Sides, chance: Chance) -> Estimate {
        Estimate {
            sides,
            standard_error: None,
            z: None,
            p: None,
            chance,
        }
    }

    /// One whose values rest on samples: `per_step` is the variance of each value for every stored step of it, `scale` by what the
    /// values after the change were multiplied, and `freedom` from how many degrees of freedom the variances were estimated.
    /// The verdict is a matter of the whole list.
    ///
    /// If nothing has changed, what was multiplied has the larger error: a method that was not seen in a short recording may well
    /// be there. So the difference is held against the larger of two errors: of the values as they are, and of one rate on
    /// both sides.
    pub fn sampled(sides: Sides, per_step: [f64; 2], scale: f64, freedom: Option<f64>) -> Estimate {
        let (before, after) = (sides.before as f64, sides.after as f64);
        let variances = [per_step[0] * before, per_step[1] * after];
        let variance = variances[0] + variances[1];
        if variance <= 0.0 {
            return Estimate::untested(
                sides,
                if sides.delta() == 0 {
                    Chance::Within
                } else {
                    Chance::NotTested
                },
            );
        }
        let (raw_after, raw_variance) = (after / scale, variances[1] / (scale * scale));
        let rate = (before + raw_after) / (1.0 + 1.0 / scale);
        let pooled = rate * (variances[0] + raw_variance) / (before + raw_after) * (1.0 + scale);
        let t = sides.delta() as f64 / variance.max(pooled).sqrt();
        let z = freedom.map_or(t, |freedom| z_of_t(t, freedom));
        Estimate {
            sides,
            standard_error: Some(variance.sqrt()),
            z: Some(z),
            p: Some(p_of_z(z)),
            chance: Chance::Within,
        }
    }
}

#[cfg(test)]
mod tests;
