//! Significance tests.

/// The significance level: the probability that a list marks anything although nothing has changed.
pub const LEVEL: f64 = 0.05;

/// How far a 95% interval extends on either side, in standard deviations of the normal distribution.
pub(super) const Z_OF_INTERVALS: f64 = 1.959_964;

/// The two-sided p-value.
pub(super) fn p_of_z(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// The complementary error function for x ≥ 0, with a relative error below 1.2e-7 (Numerical Recipes, 6.2.2).
fn erfc(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    let polynomial = COEFFICIENTS
        .iter()
        .rev()
        .fold(0.0, |sum, coefficient| sum * t + coefficient);
    t * (polynomial - x * x).exp()
}

/// The normal value as unlikely as this value of Student's t (Wallace's approximation).
pub(super) fn z_of_t(t: f64, degrees_of_freedom: f64) -> f64 {
    let factor = (8.0 * degrees_of_freedom + 1.0) / (8.0 * degrees_of_freedom + 3.0);
    (factor * (degrees_of_freedom * (t * t / degrees_of_freedom).ln_1p()).sqrt()).copysign(t)
}

/// The inverse of [`z_of_t`].
pub(super) fn t_of_z(z: f64, degrees_of_freedom: f64) -> f64 {
    let factor = (8.0 * degrees_of_freedom + 1.0) / (8.0 * degrees_of_freedom + 3.0);
    let z = z / factor;
    (degrees_of_freedom * (z * z / degrees_of_freedom).exp_m1())
        .sqrt()
        .copysign(z)
}

/// Holm's method: which null hypotheses are rejected; the probability of a wrong rejection is at most [`LEVEL`].
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

/// A one-sided test of a difference that was chosen beforehand.
pub fn is_slower(z: f64) -> bool {
    z > 0.0 && p_of_z(z) / 2.0 <= LEVEL
}

#[cfg(test)]
mod tests;
