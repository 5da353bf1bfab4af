use super::chance::{Z_OF_INTERVALS, p_of_z, t_of_z, z_of_t};
use super::{AFTER, BEFORE};
use crate::model::{MetricId, Verdict};
use crate::units::{Scale, factor, thousands};

/// A row before and after the change, in stored units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    pub before: u64,
    pub after: u64,
}

impl Sides {
    pub fn delta(self) -> i128 {
        i128::from(self.after) - i128::from(self.before)
    }

    pub fn ratio(self) -> Option<f64> {
        (self.before > 0).then(|| self.after as f64 / self.before as f64)
    }

    pub fn of(value: impl Fn(MetricId) -> u64) -> Sides {
        Sides {
            before: value(BEFORE),
            after: value(AFTER),
        }
    }

    pub fn pair(self) -> [u64; 2] {
        [self.before, self.after]
    }

    pub fn larger(self) -> u64 {
        self.before.max(self.after)
    }

    /// `>×30` if the value before is too small to be shown.
    pub fn ratio_words(self, scale: Scale) -> String {
        let smallest_shown = scale.min_shown();
        match (self.before, self.after) {
            (0, 0) => String::new(),
            (0, _) => "new".into(),
            (_, 0) => "gone".into(),
            (before, after) if before < smallest_shown && after >= smallest_shown => {
                format!(">×{}", thousands(after / smallest_shown))
            }
            _ => self.ratio().map(factor).unwrap_or_default(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub sides: Sides,
    /// Of the difference, in stored units, if values are based on samples.
    pub standard_error: Option<f64>,
    /// Half the width of the 95% interval of the difference, in stored units.
    pub margin: Option<f64>,
    /// The 95% interval of the ratio, if it is bounded.
    pub ratio_interval: Option<[f64; 2]>,
    /// The signed z score of the difference; a t score is converted.
    pub z: Option<f64>,
    /// The probability of at least this difference, in either direction, if nothing has changed.
    pub p: Option<f64>,
    pub verdict: Verdict,
}

impl Estimate {
    pub fn untested(sides: Sides, verdict: Verdict) -> Estimate {
        Estimate {
            sides,
            standard_error: None,
            margin: None,
            ratio_interval: None,
            z: None,
            p: None,
            verdict,
        }
    }

    /// From samples. `variance_per_unit` is each value's variance per stored unit, `scale` the factor that
    /// the values after the change were multiplied by, `degrees_of_freedom` those of the variances. The verdict comes later, for all methods
    /// together.
    ///
    /// No samples on one side would mean no error there, although a short recording may merely have missed the method.
    /// So the difference is compared with the larger of two errors: that of the values as they are, and that
    /// of a pooled rate.
    pub fn sampled(
        sides: Sides,
        variance_per_unit: [f64; 2],
        scale: f64,
        degrees_of_freedom: Option<f64>,
    ) -> Estimate {
        let (before, after) = (sides.before as f64, sides.after as f64);
        let variances = [variance_per_unit[0] * before, variance_per_unit[1] * after];
        let variance = variances[0] + variances[1];
        if variance <= 0.0 {
            let verdict = match sides.delta() {
                0 => Verdict::MayBeChance,
                _ => Verdict::NotTested,
            };
            return Estimate::untested(sides, verdict);
        }
        let (raw_after, raw_variance) = (after / scale, variances[1] / (scale * scale));
        let rate = (before + raw_after) / (1.0 + 1.0 / scale);
        let pooled = rate * (variances[0] + raw_variance) / (before + raw_after) * (1.0 + scale);
        let t = sides.delta() as f64 / variance.max(pooled).sqrt();
        let z = degrees_of_freedom.map_or(t, |degrees_of_freedom| z_of_t(t, degrees_of_freedom));
        let critical_value = degrees_of_freedom.map_or(Z_OF_INTERVALS, |degrees_of_freedom| {
            t_of_z(Z_OF_INTERVALS, degrees_of_freedom)
        });
        Estimate {
            sides,
            standard_error: Some(variance.sqrt()),
            margin: Some(critical_value * variance.sqrt()),
            ratio_interval: ratio_interval([before, after], variances, critical_value),
            z: Some(z),
            p: Some(p_of_z(z)),
            verdict: Verdict::MayBeChance,
        }
    }
}

/// The 95% interval of `after / before`: all ratios `r` for which `after - r · before` may be 0 (Fieller's theorem).
/// `None` if `before` itself may be 0.
fn ratio_interval(values: [f64; 2], variances: [f64; 2], critical_value: f64) -> Option<[f64; 2]> {
    let [before, after] = values.map(|value| value * value);
    let [before_margin, after_margin] =
        variances.map(|variance| variance * critical_value * critical_value);
    let divisor = before - before_margin;
    if divisor <= 0.0 {
        return None;
    }
    let discriminant = after * before_margin + before * after_margin - before_margin * after_margin;
    let (middle, root) = (values[0] * values[1], discriminant.max(0.0).sqrt());
    Some([
        ((middle - root) / divisor).max(0.0),
        (middle + root) / divisor,
    ])
}

#[cfg(test)]
mod tests;
