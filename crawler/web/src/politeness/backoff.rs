//! The rest of a host after a failure. It doubles with each consecutive failure. A random addition keeps hosts that failed
//! together from returning together. It is never shorter than the server asked for.

use std::time::Duration;

use fastrand::Rng;

use super::MAX_REST;
use super::settings::Politeness;

/// Largest random addition, as a share of the rest.
const JITTER: f64 = 0.5;

/// The bounds of a rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backoff {
    /// The rest after the first failure.
    pub first: Duration,
    /// The longest rest, unless the server asks for more.
    pub most: Duration,
}

impl Backoff {
    /// That of the rules.
    pub fn of(rules: &Politeness) -> Self {
        Self {
            first: rules.retry_delay,
            most: rules.max_wait,
        }
    }

    /// The rest after a failure that follows `before` consecutive ones; `asked` is the rest that the server asked for.
    pub fn rest(self, before: u32, asked: Option<Duration>, random: &mut Rng) -> Duration {
        let least = self.least(before);
        let rest = least + least.mul_f64(JITTER * random.f64());
        rest.max(asked.unwrap_or_default().min(MAX_REST))
    }

    /// The rest without the random addition, for which it leaves room below the longest rest.
    fn least(self, before: u32) -> Duration {
        let doubled = self.first.saturating_mul(1 << before.min(16));
        doubled.min(self.most.div_f64(1.0 + JITTER))
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

    use super::*;

    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(5),
        most: Duration::from_secs(600),
    };

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_rest_doubles_grows_by_half_at_most_and_is_never_shorter_than_asked_for(
            first in 0_u64..100_000,
            most in 0_u64..1_000_000,
            before in 0_u32..100,
            asked in proptest::option::of(any::<u64>()),
            seed in any::<u64>(),
        ) {
            let backoff = Backoff { first: Duration::from_millis(first), most: Duration::from_millis(most) };
            let asked = asked.map(Duration::from_millis);
            let own = backoff.rest(before, None, &mut Rng::with_seed(seed));
            let least = backoff.first.saturating_mul(1 << before.min(16)).min(backoff.most * 2 / 3);
            let slack = Duration::from_nanos(10);
            prop_assert!(own + slack >= least && own <= least.mul_f64(1.5) + slack, "{own:?} of {least:?}");
            prop_assert!(own <= backoff.most + slack);
            let rest = backoff.rest(before, asked, &mut Rng::with_seed(seed));
            prop_assert!(rest >= own && rest >= asked.unwrap_or_default().min(MAX_REST));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_rests_and_another_gives_others() {
        let rests = |seed| {
            let mut random = Rng::with_seed(seed);
            (0..6)
                .map(|before| BACKOFF.rest(before, None, &mut random))
                .collect::<Vec<_>>()
        };
        assert_eq!(rests(1), rests(1));
        assert_ne!(rests(1), rests(2));
        assert!(rests(3).is_sorted());
    }
}
