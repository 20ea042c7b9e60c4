//! Numbers that depend on a seed alone: SplitMix64 (Steele, Lea and Flood 2014, figure 17).

/// A stream of numbers.
pub struct Random(u64);

impl Random {
    /// The stream of these parts; other parts, another stream.
    pub fn of(parts: &[u64]) -> Self {
        Self(
            parts
                .iter()
                .fold(0x9e37_79b9_7f4a_7c15, |state, part| mixed(state ^ mixed(*part))),
        )
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `bound`, which is above 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// A number below `bound`; the lower, the more frequent: its density at x falls as x^(1/power - 1).
    pub fn low(&mut self, bound: u64, power: f64) -> u64 {
        ((bound as f64 * self.unit().powf(power)) as u64).min(bound.saturating_sub(1))
    }

    /// A number whose logarithm is distributed normally (Box and Muller 1958).
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        median * (sigma * radius * (std::f64::consts::TAU * self.unit()).cos()).exp()
    }
}

/// The last steps of SplitMix64.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
