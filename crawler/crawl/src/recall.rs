//! The results of the errands of earlier runs: robots.txt, and the sitemaps that they read.
//!
//! A thread of its own reads them beside the recorder ([`pipeline`](crate::pipeline)), so that no verdict waits while a long robots.txt is
//! parsed. No answer depends on what the recorder has not committed: before the frontier asks for an answer about a host that it loads, the
//! recorder has committed everything about the host.
//!
//! The other questions to the store stay with the recorder, which answers them in the order of its events:
//!
//! - *Seeds* are stored, not only read.
//! - A *refill* must leave out each URL whose outcome the frontier knows, and must have each URL that the frontier was told of. Both may be
//!   staged, and only the recorder's store knows what is. Its answer must also come before the events of all later outcomes: when the store
//!   has no more URLs of a host, the frontier forgets that it left some there. If a new URL came between the reading and the answer, the run
//!   would miss it.
//! - *Hosts* come with their counts, to which the frontier adds one for each later event. So they need the same order.

use std::time::{Duration, SystemTime};

use storage::{OnwardSitemap, StoredAnswers, StoredSitemap};
use url::Url;
use web::host_key::HostKey;

use crate::clock::unix_millis;
use crate::interpret::RobotsReader;
use crate::login::LoginAnswer;
use crate::messages::{Errand, Event, RobotsAnswer};
use error::RunError;

/// Time for which a run relies on the record of a sitemap: as long as on a robots.txt (RFC 9309, section 2.4).
const SITEMAP_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Answers errands from the records of earlier runs.
#[derive(Debug)]
pub(crate) struct Recall {
    answers: StoredAnswers,
    reader: RobotsReader,
}

impl Recall {
    /// Reads from `answers`, each robots.txt with the `reader`.
    #[must_use]
    pub fn new(answers: StoredAnswers, reader: RobotsReader) -> Self {
        Self { answers, reader }
    }

    /// The result of the errand in an earlier run.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn answer(&self, errand: Errand) -> Result<Event, RunError> {
        match &errand {
            Errand::Robots { for_host, origin, .. } => {
                let stored = self.answers.robots(for_host, origin)?;
                let answer = stored.map_or(RobotsAnswer::Forgotten, |stored| self.reader.read(&errand, &stored));
                Ok(Event::Robots { errand, answer })
            }
            Errand::Sitemap { url, .. } => Ok(match self.recent_sitemap(url)? {
                Some(stored) => {
                    let onward = stored.onward.into_iter().filter_map(errand_of).collect();
                    let (further, elsewhere) = by_origin(url, onward);
                    Event::Sitemap {
                        queued: Vec::new(),
                        further,
                        elsewhere,
                    }
                }
                None => Event::SitemapForgotten(errand),
            }),
            // The store keeps none.
            Errand::Subrequest(_) => Ok(Event::SubrequestEnded),
            // The store knows no sessions.
            Errand::Login(errand) => Ok(Event::Login {
                errand: errand.clone(),
                answer: LoginAnswer::Unreachable("no run keeps the answer".into()),
            }),
        }
    }

    /// The record of a sitemap, if it is recent enough and the crawler read the sitemap since the current refresh began.
    fn recent_sitemap(&self, url: &Url) -> Result<Option<StoredSitemap>, RunError> {
        let Some(host) = HostKey::from_url(url) else {
            return Ok(None);
        };
        let now = unix_millis(SystemTime::now());
        let life = u64::try_from(SITEMAP_LIFE.as_millis()).unwrap_or(u64::MAX);
        let oldest = now.saturating_sub(life).max(self.answers.refresh_began());
        let stored = self.answers.sitemap(host.as_str(), url.as_str())?;
        Ok(stored.filter(|stored| (oldest..=now).contains(&stored.fetched_at)))
    }
}

/// The errands for the sitemaps of the origin of `url`, and the others.
pub(crate) fn by_origin(url: &Url, errands: Vec<Errand>) -> (Vec<Errand>, Vec<Errand>) {
    let origin = url.origin();
    errands.into_iter().partition(|errand| errand.url().origin() == origin)
}

/// What the store keeps of an errand that a sitemap leads to; `None` if it is not for a sitemap.
pub(crate) fn onward_of(errand: &Errand) -> Option<OnwardSitemap> {
    match errand {
        Errand::Sitemap {
            url, depth, redirects, ..
        } => Some(OnwardSitemap {
            url: url.to_string(),
            depth: *depth,
            redirects: *redirects,
        }),
        Errand::Robots { .. } | Errand::Subrequest(_) | Errand::Login(_) => None,
    }
}

fn errand_of(onward: OnwardSitemap) -> Option<Errand> {
    Some(Errand::Sitemap {
        url: Url::parse(&onward.url).ok()?,
        depth: onward.depth,
        redirects: onward.redirects,
        failures: 0,
        is_guessed: false,
    })
}

#[cfg(test)]
mod tests;
