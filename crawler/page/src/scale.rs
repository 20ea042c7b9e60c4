//! Counts and shares as small integers, for the models: sums of integers are the same on every machine.

/// The logarithm of a count to base 2, in quarters: 0, 4, 6, 8, 9, 10, 11, 12, ...
pub(crate) fn log(count: usize) -> i16 {
    let count = count.saturating_add(1);
    let exponent = count.ilog2();
    let quarters = if exponent >= 2 {
        count >> (exponent - 2)
    } else {
        count << (2 - exponent)
    };
    (4 * exponent) as i16 + (quarters & 3) as i16
}

/// A share in 64ths, at most 4.
pub(crate) fn share(part: usize, of: usize) -> i16 {
    match of {
        0 => 0,
        _ => (64 * part as u64 / of as u64).min(256) as i16,
    }
}
