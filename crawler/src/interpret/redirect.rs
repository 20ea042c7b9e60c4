//! Redirects: not followed by the HTTP client but by the frontier, so that every hop passes scope, robots.txt and the
//! gate of the host it leads to, and a loop ends where it meets a known URL.

use storage::{Outcome, QueuedUrl};
use url::Url;

use super::{Interpreter, PRIORITY_LINK, failed};
use crate::content_seen::Record;
use crate::fetch::Response;
use crate::host_key::HostKey;

/// Where a response sends us; `Some(Err)` where it does not say so in a way that can be followed.
pub(super) fn target(url: &Url, response: &Response) -> Option<Result<Url, String>> {
    if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers.get(reqwest::header::LOCATION);
    let Some(location) = location.and_then(|value| std::str::from_utf8(value.as_bytes()).ok()) else {
        return Some(Err("no Location header that is text".into()));
    };
    let joined = url
        .join(location.trim())
        .map_err(|error| format!("Location {location:?}: {error}"));
    Some(joined.and_then(|mut target| match target.scheme() {
        "http" | "https" => {
            target.set_fragment(None);
            Ok(target)
        }
        scheme => Err(format!("Location leads to {scheme}:")),
    }))
}

impl Interpreter {
    pub(super) fn redirect(&self, queued: QueuedUrl, target: Result<Url, String>, status: u16) -> Record {
        let target = match target {
            Ok(target) => target,
            Err(detail) => return failed(queued, "bad_redirect", Some(status), detail),
        };
        let max = self.settings.fetch.max_redirects;
        if queued.redirects >= max {
            return failed(
                queued,
                "too_many_redirects",
                Some(status),
                format!("more than {max} redirects"),
            );
        }
        if target.as_str() == queued.url {
            return failed(queued, "redirect_loop", Some(status), "redirects to itself".into());
        }
        // Where a seed leads is what the user meant: example.org that has become www.example.org.
        if queued.depth == 0
            && let Some(host) = HostKey::from_url(&target)
        {
            self.scope.add_host(&host);
        }
        let to = target.to_string();
        let outlinks = self.discover(
            std::iter::once(target),
            queued.depth,
            queued.redirects + 1,
            PRIORITY_LINK,
        );
        Record::Outcome {
            queued,
            outcome: Outcome::Redirect { to, status },
            outlinks,
        }
    }
}
