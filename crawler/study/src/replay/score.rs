//! The score of each setting in the sample, and the comparison of two settings.

use dedup::evaluate::Score;
use serde::Serialize;

use super::cells::{CellSet, Grid};
use super::truth::Judged;

/// Quantile of the normal distribution for 95 % confidence intervals.
const Z: f64 = 1.96;

/// The score of a setting in the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scored {
    /// Of the pages that can be judged.
    pub score: Score,
    /// Pages that cannot be judged, because a text is not stored.
    pub unknown: u64,
    /// Pages that cannot be judged, because more kept pages resemble them than are compared.
    pub crowded: u64,
}

/// A share estimated from the sample, with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The share in the sample.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The ends of the 95 % confidence interval for a share of `hits` in `of` observations (Wilson 1927, quantile 1.96); 0 and 1 if there are
/// no observations.
fn wilson(hits: u64, of: u64) -> (f64, f64) {
    if of == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (of as f64, hits as f64 / of as f64);
    let centre = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0))
}

impl Scored {
    /// Number of judged pages.
    #[must_use]
    pub fn judged(&self) -> u64 {
        let Score {
            right,
            grey,
            wrong,
            missed,
            unique,
        } = self.score;
        right + grey + wrong + missed + unique
    }

    /// Number of pages that cannot be judged.
    #[must_use]
    pub fn not_judged(&self) -> u64 {
        self.unknown + self.crowded
    }

    /// [`Score::precision`]; `None` if no dropped page is right or wrong.
    #[must_use]
    pub fn precision(&self) -> Option<Estimate> {
        let Score { right, wrong, .. } = self.score;
        let (low, high) = wilson(right, right + wrong);
        (right + wrong > 0).then(|| Estimate {
            estimate: self.score.precision(),
            low,
            high,
        })
    }

    /// [`Score::recall`]; `None` if the sample has no duplicate.
    #[must_use]
    pub fn recall(&self) -> Option<Estimate> {
        let Score { right, missed, .. } = self.score;
        let (low, high) = wilson(right, right + missed);
        (right + missed > 0).then(|| Estimate {
            estimate: self.score.recall(),
            low,
            high,
        })
    }

    /// [`Score::f1`]; `None` if no page is right, wrong or missed. F1 is 2J / (1 + J), where J is the share of right pages among all
    /// right, wrong and missed pages.
    #[must_use]
    pub fn f1(&self) -> Option<Estimate> {
        let Score {
            right, wrong, missed, ..
        } = self.score;
        let (low, high) = wilson(right, right + wrong + missed);
        let f1 = |share: f64| 2.0 * share / (1.0 + share);
        (right + wrong + missed > 0).then(|| Estimate {
            estimate: self.score.f1(),
            low: f1(low),
            high: f1(high),
        })
    }
}

/// The score of each setting.
#[must_use]
pub fn score(grid: &Grid, judged: &[Judged]) -> Vec<Scored> {
    let mut scored = vec![Scored::default(); grid.cells().len()];
    let mut count = |cells: &CellSet, add: fn(&mut Scored)| cells.iter().for_each(|cell| add(&mut scored[cell]));
    for page in judged {
        count(&page.right, |of| of.score.right += 1);
        count(&page.grey, |of| of.score.grey += 1);
        count(&page.wrong, |of| of.score.wrong += 1);
        count(&page.missed, |of| of.score.missed += 1);
        count(&page.unique, |of| of.score.unique += 1);
        count(&page.unknown, |of| of.unknown += 1);
        count(&page.crowded, |of| of.crowded += 1);
    }
    scored
}

/// Two settings, page by page of the sample. Pages on which they agree do not show which setting is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Number of pages that the first setting gets right and the second gets wrong.
    pub better: u64,
    /// Number of pages that the first setting gets wrong and the second gets right.
    pub worse: u64,
}

/// Compares the settings of two cells.
#[must_use]
pub fn compare(judged: &[Judged], cell: usize, other: usize) -> Comparison {
    let mut comparison = Comparison::default();
    for page in judged {
        let is_good = |cell| page.right.contains(cell) || page.unique.contains(cell);
        let is_bad = |cell| page.wrong.contains(cell) || page.missed.contains(cell);
        comparison.better += u64::from(is_good(cell) && is_bad(other));
        comparison.worse += u64::from(is_bad(cell) && is_good(other));
    }
    comparison
}

impl Comparison {
    /// The probability of a result at least this good for the first setting, if neither setting were better (one-sided sign test;
    /// McNemar 1947): at least `better` heads in `better + worse` throws of a coin.
    #[must_use]
    pub fn chance(&self) -> f64 {
        let throws = self.better + self.worse;
        // ln C(throws, heads) − throws · ln 2, from heads = 0 on.
        let mut term = -(throws as f64) * std::f64::consts::LN_2;
        let mut chance = 0.0;
        for heads in 0..=throws {
            if heads >= self.better {
                chance += term.exp();
            }
            term += ((throws - heads) as f64).ln() - ((heads + 1) as f64).ln();
        }
        chance.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        let close = |a: f64, b: f64| (a - b).abs() < 5e-4;
        // Values of Newcombe 1998, table I: 81 of 263 and 0 of 20.
        let (low, high) = wilson(81, 263);
        assert!(close(low, 0.2553) && close(high, 0.3662), "{low} {high}");
        let (low, high) = wilson(0, 20);
        assert!(close(low, 0.0) && close(high, 0.1611), "{low} {high}");
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn chance_is_the_binomial_tail() {
        let of = |better, worse| Comparison { better, worse }.chance();
        assert!((of(6, 0) - 1.0 / 64.0).abs() < 1e-12);
        assert!((of(9, 1) - 11.0 / 1024.0).abs() < 1e-12);
        assert!((of(0, 0) - 1.0).abs() < 1e-12 && (of(0, 9) - 1.0).abs() < 1e-9);
        assert!(of(2_000, 1_000) < 1e-60);
    }

    #[test]
    fn without_an_observation_there_is_no_estimate() {
        let of = |score| {
            let scored = Scored {
                score,
                ..Scored::default()
            };
            [scored.precision(), scored.recall(), scored.f1()].map(|share| share.map(|share| share.estimate))
        };
        let unique = Score {
            unique: 3,
            grey: 1,
            ..Score::default()
        };
        assert_eq!((of(Score::default()), of(unique)), ([None; 3], [None; 3]));
        let missed = Score { missed: 2, ..unique };
        assert_eq!(of(missed), [None, Some(0.0), Some(0.0)]);
    }
}
