/// Fewer samples are only a hint: with 24, the standard error is 20.4%.
pub const THIN_SAMPLES: u64 = 25;

pub fn is_thin(samples: u64) -> bool {
    (1..THIN_SAMPLES).contains(&samples)
}

/// 1/√n, as samples are random; in percent, with one decimal.
pub fn standard_error_percent(samples: u64) -> Option<f64> {
    (samples > 0).then(|| (1000.0 / (samples as f64).sqrt()).round() / 10.0)
}

#[cfg(test)]
mod tests;
