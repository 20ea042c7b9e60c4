//! A URL that is queued, deprioritised or held back.

use std::collections::HashSet;

use ::url::Url;
use web::host_key::HostKey;

use super::Explainer;
use super::answer::{QueueAnswer, State};
use crawl::messages::DOCUMENTS_LEFT;
use crawl::steering::{
    self, Forecast, HostRule, PRIORITY_DEPRIORITISED, PRIORITY_HELD_BACK, PRIORITY_SAMPLE, Prediction, Reason,
};
use error::RunError;

/// Upper bound on the URLs of a host's queue among which the URL is sought.
const MAX_SOUGHT: usize = 20_000;

/// Upper bound on the pages whose verdicts are replayed to name a rule: more would delay the answer noticeably.
const MAX_REPLAYED: u64 = 10_000;

impl Explainer<'_> {
    pub(super) fn queued(&mut self, url: &Url) -> Result<(String, State), RunError> {
        let host = HostKey::from_url(url).map_or_else(String::new, |host| host.as_str().to_owned());
        // A store that is open for reading has nothing staged.
        let queue = self.store.refill(&host, MAX_SOUGHT, &HashSet::new())?;
        let at = queue.iter().position(|queued| queued.url == url.as_str());
        let queued = at.map(|at| &queue[at]);
        let priority = queued.map(|queued| queued.priority);
        let place = at.map(|at| at + 1);
        let steering = match priority {
            Some(PRIORITY_DEPRIORITISED..) => self.rule_for(&host, url)?,
            _ => None,
        };
        let answer = QueueAnswer {
            place,
            priority,
            depth: queued.map(|queued| queued.depth),
            attempts: queued.map(|queued| queued.attempts),
            via: self.url_of(queued.and_then(|queued| queued.via.as_ref()))?,
            steering,
        };
        let mut summary = summary(priority, place);
        let record = self.store.host_memory().record(&host)?.unwrap_or_default();
        if let Some(why) = record.last_failure.filter(|why| why.starts_with(DOCUMENTS_LEFT)) {
            // Which URLs are documents is known only when they are fetched.
            summary = format!(
                "{summary} The last run left documents of this host: {}.",
                &why[DOCUMENTS_LEFT.len()..]
            );
        }
        Ok((summary, State::Queued(answer)))
    }

    /// The rule or pattern that predicts a duplicate for a URL, with its evidence.
    fn rule_for(&self, host: &str, url: &Url) -> Result<Option<String>, RunError> {
        if self.store.next_page_id() > MAX_REPLAYED {
            return Ok(Some(
                "a rule or a pattern; this crawl is too large for this command to find which".to_owned(),
            ));
        }
        let mut policy = self.settings.steering.clone();
        policy.enabled = true;
        let mut known = steering::Steering::new(policy);
        steering::replay(self.store, &mut known)?;
        let rule = match known.forecast(host, url) {
            Forecast::Duplicate(Prediction {
                by: Reason::Rule(rule), ..
            })
            | Forecast::Same(rule)
            | Forecast::Test(rule) => rule,
            Forecast::Duplicate(Prediction {
                by: Reason::Trap(pattern),
                ..
            }) => {
                return Ok(Some(format!(
                    "all pages of the pattern {pattern} were duplicates and led nowhere"
                )));
            }
            Forecast::Duplicate(Prediction {
                by: Reason::Folder(folder),
                ..
            }) => {
                return Ok(Some(format!(
                    "the last pages of the folder {folder} said nothing new (scope.max_duplicate_share)"
                )));
            }
            Forecast::Deprioritised => {
                return Ok(Some(
                    "nearly all pages of its folder with these parameters are duplicates".to_owned(),
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

fn summary(priority: Option<u8>, place: Option<usize>) -> String {
    match (priority, place) {
        (Some(PRIORITY_HELD_BACK..), _) => {
            "Held back: the verdicts on similar URLs predict a duplicate, so the crawl does not fetch it. steering.leave = \"nothing\" \
             makes the crawl fetch it."
                .to_owned()
        }
        (Some(PRIORITY_SAMPLE..), _) => {
            "Deprioritised: similar URLs were duplicates. It is in the sample that the crawl fetches last, to test the prediction."
                .to_owned()
        }
        (Some(PRIORITY_DEPRIORITISED..), _) => {
            "Deprioritised: similar URLs were duplicates, so the crawl fetches it after all other URLs of its host.".to_owned()
        }
        (_, Some(place)) => format!("Queued: it is number {place} in the queue of its host."),
        (_, None) => format!("Queued: more than {MAX_SOUGHT} URLs are before it in the queue of its host."),
    }
}
