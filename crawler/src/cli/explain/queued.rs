//! A URL that waits.

use std::collections::HashSet;

use ::url::Url;

use super::Explainer;
use super::answer::{Queued, State};
use crate::crawl::steering::{
    self, Forecast, HostRule, PRIORITY_DEPRIORITISED, PRIORITY_HELD_BACK, PRIORITY_SAMPLE, Prediction,
};
use crate::error::RunError;

/// URLs of a host's queue that are looked through.
const MAX_SOUGHT: usize = 20_000;

/// Pages of a store whose verdicts are replayed to name a rule: more take too long for an answer that one waits for.
const MAX_REPLAYED: u64 = 10_000;

impl Explainer {
    pub(super) fn queued(&mut self, host: &str, url: &Url) -> Result<(String, State), RunError> {
        // Nothing is staged in a store that is only read.
        let queue = self.store.refill(host, MAX_SOUGHT, &HashSet::new())?;
        let at = queue.iter().position(|queued| queued.url == url.as_str());
        let queued = at.map(|at| &queue[at]);
        let priority = queued.map(|queued| queued.priority);
        let steering = match priority {
            Some(PRIORITY_DEPRIORITISED..) => self.rule_for(host, url)?,
            _ => None,
        };
        let place = at.map(|at| at + 1);
        let summary = match (priority, place) {
            (Some(PRIORITY_HELD_BACK..), _) => {
                "Not fetched, and it will not be: the verdicts on pages like it say that it is a duplicate. \
                 steering.leave = \"nothing\" fetches it."
                    .to_owned()
            }
            (Some(PRIORITY_SAMPLE..), _) => {
                "Not fetched yet: pages like it were duplicates; it is one of a sample that is fetched last, as a test."
                    .to_owned()
            }
            (Some(PRIORITY_DEPRIORITISED..), _) => {
                "Not fetched yet: pages like it were duplicates, so it comes after everything else of its host."
                    .to_owned()
            }
            (_, Some(place)) => format!("Not fetched yet: it waits at place {place} of its host's queue."),
            (_, None) => format!("Not fetched yet: it waits behind the first {MAX_SOUGHT} of its host's queue."),
        };
        let via = self.url_of(queued.and_then(|queued| queued.via.as_ref()))?;
        let answer = Queued {
            place,
            priority,
            depth: queued.map(|queued| queued.depth),
            attempts: queued.map(|queued| queued.attempts),
            via,
            steering,
        };
        Ok((summary, State::Queued(answer)))
    }

    /// The rule or pattern that says that a URL is a duplicate, with what speaks for it.
    fn rule_for(&self, host: &str, url: &Url) -> Result<Option<String>, RunError> {
        if self.store.next_page_id() > MAX_REPLAYED {
            return Ok(Some(
                "crawler rules lists the rules and patterns with their evidence".to_owned(),
            ));
        }
        let mut policy = self.settings.steering.clone();
        policy.enabled = true;
        let mut known = steering::Steering::new(policy);
        steering::replay(&self.store, &mut known)?;
        let rule = match known.forecast(host, url) {
            Forecast::Duplicate(Prediction { rule, .. }) | Forecast::Same(rule) | Forecast::Test(rule) => rule,
            Forecast::Deprioritised => {
                return Ok(Some(
                    "nearly all pages of its folder with these parameters were duplicates (a pattern: see crawler rules)".to_owned(),
                ));
            }
            Forecast::New => return Ok(None),
        };
        let meaning = rule.meaning();
        let rule = HostRule {
            host: host.to_owned(),
            rule,
        };
        let standing = known.rules().into_iter().find(|standing| standing.rule == rule);
        Ok(Some(match standing {
            None => meaning,
            Some(standing) => format!(
                "{meaning}: confirmed by {} pages, contradicted by {}",
                standing.evidence.confirmed, standing.evidence.contradicted
            ),
        }))
    }
}
