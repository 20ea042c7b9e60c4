//! Hot loops compiled for the instructions of the processor that runs the program.
//!
//! A program built for any x86-64 may use only the instructions of 2003, which do not even include a bit count. A
//! [`Kernel`] is a hot loop in safe, portable code that the compiler compiles three times: for AVX-512 with vector bit
//! counts, for AVX2, and for the build's target. [`dispatch`] runs the best version that the processor supports. All
//! versions come from the same source, so they give the same results; a test shows it.
//!
//! All unsafe code of the crate is here. It is sound for two reasons: a function compiled for more instructions than
//! the build's target is called only after a check that the processor supports them, and a prefetch is a hint that
//! reads nothing.

#![expect(
    unsafe_code,
    reason = "calls a function compiled for instructions that were checked for, and prefetches, which reads nothing"
)]

use std::sync::OnceLock;

/// A hot loop. `run` and the functions it calls must be `#[inline(always)]`: only code inlined into a function that is
/// compiled for more instructions uses these instructions.
pub(crate) trait Kernel {
    /// The result.
    type Output;

    /// Runs the loop.
    fn run(self) -> Self::Output;
}

/// Sets of instructions, the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// The instructions of the build's target.
    Baseline,
    /// AVX2, with the scalar bit instructions of its generation.
    Avx2,
    /// AVX-512 with bit counts of 32-bit lanes (Ice Lake, Zen 4).
    Avx512,
}

impl Level {
    /// The largest set that this processor supports.
    pub(crate) fn detected() -> Self {
        static DETECTED: OnceLock<Level> = OnceLock::new();
        *DETECTED.get_or_init(|| {
            if has_avx512() {
                Self::Avx512
            } else if has_avx2() {
                Self::Avx2
            } else {
                Self::Baseline
            }
        })
    }
}

/// Runs a kernel with the best instructions of this processor.
#[inline]
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    dispatch_at(Level::detected(), kernel)
}

/// Runs a kernel with the instructions of `level`, or of the best lower level that this processor supports.
#[inline]
pub(crate) fn dispatch_at<K: Kernel>(level: Level, kernel: K) -> K::Output {
    match level.min(Level::detected()) {
        // SAFETY: the level is at most the detected one.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { run_avx512(kernel) },
        // SAFETY: the level is at most the detected one.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { run_avx2(kernel) },
        _ => kernel.run(),
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vpopcntdq")
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// Prefetches the cache line of `place`.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has SSE, and a prefetch neither reads nor faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    struct CountBits<'a>(&'a [u32]);

    impl Kernel for CountBits<'_> {
        type Output = u32;

        #[inline(always)]
        fn run(self) -> u32 {
            self.0.iter().map(|word| word.count_ones()).sum()
        }
    }

    #[test]
    fn a_kernel_gives_the_same_result_with_all_instructions() {
        let words: Vec<u32> = (0..1_000_u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
        for length in [0, 1, 15, 16, 17, 1_000] {
            let expected = CountBits(&words[..length]).run();
            for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                assert_eq!(dispatch_at(level, CountBits(&words[..length])), expected);
            }
            assert_eq!(dispatch(CountBits(&words[..length])), expected);
        }
    }
}
