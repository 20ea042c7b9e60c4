//! Natural logarithms in whole units, so that weights do not depend on the machine.

/// Units of a weight of 1.
pub(crate) const UNIT: u32 = 1 << UNIT_BITS;
/// log₂ of [`UNIT`].
pub(crate) const UNIT_BITS: u32 = 10;

/// ln(n) in 1/1,024, rounded; 0 for n = 0.
pub(crate) fn ln(n: u64) -> u32 {
    /// The logarithms of small numbers, which most features have as their count.
    const SMALL: [u32; 64] = {
        let (mut small, mut n) = ([0; 64], 1);
        while n < small.len() {
            small[n] = ln_ratio(n as u64, 1);
            n += 1;
        }
        small
    };
    let small = usize::try_from(n).ok().and_then(|n| SMALL.get(n));
    small.copied().unwrap_or_else(|| ln_ratio(n, 1))
}

/// ln(a / b) in 1/1,024, rounded; 0 if a < b. An argument of 0 counts as 1.
pub(crate) const fn ln_ratio(a: u64, b: u64) -> u32 {
    /// ln 2 × 2^32.
    const LN_2: u128 = 0xb172_17f8;
    const SHIFT: u32 = FRACTION_BITS + 32 - UNIT_BITS;
    let log2 = log2(a).saturating_sub(log2(b)) as u128;
    // At most 64 × ln 2 × 1,024.
    ((log2 * LN_2 + (1 << (SHIFT - 1))) >> SHIFT) as u32
}

/// Binary digits of [`log2`] after the point.
const FRACTION_BITS: u32 = 32;

/// log₂ of n, 0 for n = 0: digit by digit, by squaring.
const fn log2(n: u64) -> u64 {
    let Some(whole) = n.checked_ilog2() else { return 0 };
    // The mantissa, 1 ≤ m < 2, with 63 digits after the point.
    let (mut mantissa, mut log, mut digit) = (n << (63 - whole), whole as u64, 0);
    while digit < FRACTION_BITS {
        let square = (mantissa as u128 * mantissa as u128) >> 63;
        let carries = (square >> 64) as u64 & 1;
        log = log << 1 | carries;
        mantissa = (square >> carries) as u64;
        digit += 1;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn logarithms_equal_those_of_the_machine_to_the_last_unit(a in 1_u64.., b in 1_u64..) {
            let exact = ((a as f64).ln() - (b as f64).ln()).max(0.0) * f64::from(UNIT);
            prop_assert!((f64::from(ln_ratio(a, b)) - exact).abs() < 0.51, "{} {exact}", ln_ratio(a, b));
            let (a, b) = (a % 5_000 + 1, b % 50 + 1);
            let exact = ((a as f64).ln() - (b as f64).ln()).max(0.0) * f64::from(UNIT);
            prop_assert!((f64::from(ln_ratio(a, b)) - exact).abs() < 0.51, "{} {exact}", ln_ratio(a, b));
        }
    }
}
