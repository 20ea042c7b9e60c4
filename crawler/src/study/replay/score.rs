//! How good each setting is, by the sample.

use dedup::evaluate::Score;

use super::cells::{CellSet, Grid};
use super::truth::Judged;

/// Quantile of the normal distribution for intervals that hold the true value in 95 cases of 100.
const Z: f64 = 1.96;

/// What a setting came to in the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scored {
    /// Of the pages that could be judged.
    pub score: Score,
    /// Pages that could not, since a text is not stored.
    pub unknown: u64,
    /// Pages that could not, since more kept pages are like them than are compared.
    pub crowded: u64,
}

/// Where a share lies with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

impl Interval {
    /// Of a share of which `hits` of `of` were seen (Wilson 1927, with the quantile 1.96); all from 0 to 1 where nothing was.
    #[must_use]
    pub fn wilson(hits: u64, of: u64) -> Self {
        if of == 0 {
            return Self { low: 0.0, high: 1.0 };
        }
        let (n, share) = (of as f64, hits as f64 / of as f64);
        let centre = share + Z * Z / (2.0 * n);
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        Self {
            low: ((centre - half) / scale).max(0.0),
            high: ((centre + half) / scale).min(1.0),
        }
    }
}

impl Scored {
    /// Pages judged.
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

    /// Pages that could not be judged.
    #[must_use]
    pub fn not_judged(&self) -> u64 {
        self.unknown + self.crowded
    }

    /// [`Score::precision`], [`Score::recall`] and [`Score::f1`]; `None` where there is nothing that one is a share of.
    #[must_use]
    pub fn shares(&self) -> [Option<(f64, Interval)>; 3] {
        let Score {
            right, wrong, missed, ..
        } = self.score;
        [
            (right + wrong > 0).then(|| (self.score.precision(), self.precision())),
            (right + missed > 0).then(|| (self.score.recall(), self.recall())),
            (right + wrong + missed > 0).then(|| (self.score.f1(), self.f1())),
        ]
    }

    /// Of [`Score::precision`].
    #[must_use]
    pub fn precision(&self) -> Interval {
        Interval::wilson(self.score.right, self.score.right + self.score.wrong)
    }

    /// Of [`Score::recall`].
    #[must_use]
    pub fn recall(&self) -> Interval {
        Interval::wilson(self.score.right, self.score.right + self.score.missed)
    }

    /// Of [`Score::f1`], which is 2J / (1 + J) of the share J of those right among all that are right, wrong or missed.
    #[must_use]
    pub fn f1(&self) -> Interval {
        let Score {
            right, wrong, missed, ..
        } = self.score;
        let Interval { low, high } = Interval::wilson(right, right + wrong + missed);
        let f1 = |share: f64| 2.0 * share / (1.0 + share);
        Interval {
            low: f1(low),
            high: f1(high),
        }
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

/// Two settings, page by page of the sample: what they agree on says nothing of which is the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Pages that the first gets right and the second wrong.
    pub better: u64,
    /// The reverse.
    pub worse: u64,
}

/// Compares the setting at `cell` with the one at `other`.
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
    /// How likely the first would come out so much better by chance if neither were (sign test, one-sided; McNemar 1947): the
    /// probability of at least `better` heads in `better + worse` throws.
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
    fn intervals_are_wilsons() {
        let close = |a: f64, b: f64| (a - b).abs() < 5e-4;
        // Values of Newcombe 1998, table I: 81 of 263 and 0 of 20.
        let Interval { low, high } = Interval::wilson(81, 263);
        assert!(close(low, 0.2553) && close(high, 0.3662), "{low} {high}");
        let Interval { low, high } = Interval::wilson(0, 20);
        assert!(close(low, 0.0) && close(high, 0.1611), "{low} {high}");
        assert_eq!(Interval::wilson(0, 0), Interval { low: 0.0, high: 1.0 });
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
    fn of_nothing_there_is_no_share() {
        let of = |score| {
            Scored {
                score,
                unknown: 0,
                crowded: 0,
            }
            .shares()
            .map(|share| share.map(|(value, _)| value))
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
