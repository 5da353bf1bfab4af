/// The probability that a list marks anything although nothing has changed.
pub const LEVEL: f64 = 0.05;

/// The reach of a 95% interval to either side, in standard deviations of the normal distribution.
pub(super) const Z_OF_INTERVALS: f64 = 1.959_964;

pub(super) fn p_of_z(z: f64) -> f64 {
    libm::erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// The normal value as unlikely as this value of Student's t (Wallace's approximation).
pub(super) fn z_of_t(t: f64, degrees_of_freedom: f64) -> f64 {
    let factor = (8.0 * degrees_of_freedom + 1.0) / (8.0 * degrees_of_freedom + 3.0);
    (factor * (degrees_of_freedom * (t * t / degrees_of_freedom).ln_1p()).sqrt()).copysign(t)
}

pub(super) fn t_of_z(z: f64, degrees_of_freedom: f64) -> f64 {
    let factor = (8.0 * degrees_of_freedom + 1.0) / (8.0 * degrees_of_freedom + 3.0);
    let z = z / factor;
    (degrees_of_freedom * (z * z / degrees_of_freedom).exp_m1())
        .sqrt()
        .copysign(z)
}

/// Holm's method: which null hypotheses are rejected. The probability of a wrong rejection is at most [`LEVEL`].
pub fn beyond_chance(p: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut is_beyond = vec![false; p.len()];
    for (at, &row) in order.iter().enumerate() {
        if p[row] > LEVEL / (p.len() - at) as f64 {
            break;
        }
        is_beyond[row] = true;
    }
    is_beyond
}

/// One-sided, for a difference chosen beforehand.
pub fn is_slower(z: f64) -> bool {
    z > 0.0 && p_of_z(z) / 2.0 <= LEVEL
}

#[cfg(test)]
mod tests;
