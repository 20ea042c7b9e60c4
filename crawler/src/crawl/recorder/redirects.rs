//! Redirect loops, followed over up to 64 URLs. The last redirect of a loop is recorded as a failure
//! (`redirect_loop`), because it never leads to a page.

use std::collections::HashMap;

use storage::{Outcome, QueuedUrl, Store, UrlState, stored_text};
use url::Url;
use web::host_key::HostKey;

use crate::error::RunError;

/// Bound on the hops that are followed.
const MAX_HOPS: usize = 64;

/// The redirects that are not committed yet, from URL to URL.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    uncommitted: HashMap<String, String>,
}

impl Redirects {
    /// The outcome. A redirect that leads back to its own URL becomes a failure.
    pub(super) fn judge(&mut self, store: &Store, queued: &QueuedUrl, outcome: Outcome) -> Result<Outcome, RunError> {
        let Outcome::Redirect { to, status } = outcome else {
            return Ok(outcome);
        };
        if self.leads_to(store, &to, &queued.url)? {
            let detail = stored_text(&format!("redirects to {to}, which leads back here"));
            return Ok(Outcome::Failed {
                kind: "redirect_loop".into(),
                status: Some(status),
                detail,
            });
        }
        self.uncommitted.insert(queued.url.clone(), to.clone());
        Ok(Outcome::Redirect { to, status })
    }

    /// Forgets the redirects, because the store shows all of them now.
    pub(super) fn committed(&mut self) {
        self.uncommitted.clear();
    }

    fn leads_to(&self, store: &Store, from: &str, goal: &str) -> Result<bool, RunError> {
        let mut at = from.to_owned();
        for _ in 0..MAX_HOPS {
            if at == goal {
                return Ok(true);
            }
            at = match self.uncommitted.get(&at) {
                Some(to) => to.clone(),
                None => match committed_target(store, &at)? {
                    Some(to) => to,
                    None => return Ok(false),
                },
            };
        }
        Ok(false)
    }
}

fn committed_target(store: &Store, url: &str) -> Result<Option<String>, RunError> {
    let Some(host) = Url::parse(url).ok().as_ref().and_then(HostKey::from_url) else {
        return Ok(None);
    };
    Ok(match store.url_state(host.as_str(), url)? {
        Some(UrlState::Redirect { to, .. }) => Some(to),
        _ => None,
    })
}
