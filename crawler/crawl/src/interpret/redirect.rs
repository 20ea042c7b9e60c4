//! Redirects, by the server or by the HTML of a page. The frontier follows them instead of the HTTP client, so every hop passes the scope, robots.txt and the
//! gate of its host, and a loop ends at a known URL.

use page::HtmlRedirect;
use storage::{Discovered, Outcome, QueuedUrl, stored_text};
use url::Url;
use web::canonicalize;
use web::fetch::Response;
use web::host_key::HostKey;

use super::{Interpreter, PRIORITY_LINK, missing};
use crate::messages::{Event, Meaning, Record};

/// The target of a redirect; `None` for another response, `Some(Err)` for a redirect that cannot be followed.
pub fn target(url: &Url, response: &Response) -> Option<Result<Url, String>> {
    let target = response.redirect_target(url)?;
    Some(target.and_then(|target| followable(target, "Location")))
}

/// The target without its fragment. `what` names the source of the redirect.
///
/// # Errors
/// The target is no web page, in words.
fn followable(mut target: Url, what: &str) -> Result<Url, String> {
    match target.scheme() {
        "http" | "https" => {
            target.set_fragment(None);
            Ok(target)
        }
        scheme => Err(format!("{what} leads to {scheme}:")),
    }
}

/// Whether a redirect with this status is one by the HTML of a page. A redirect by the server has a status from 301 to 308.
pub fn is_in_html(status: u16) -> bool {
    (200..300).contains(&status)
}

/// A redirect.
#[derive(Debug)]
pub(super) struct Redirection {
    /// The target, or why it cannot be followed.
    target: Result<Url, String>,
    /// Whether the page is to be found at its target from now on.
    is_permanent: bool,
    /// Whether the site permits the crawler to follow it.
    may_follow: bool,
    /// Further links of the response.
    others: Vec<Discovered>,
}

impl Redirection {
    /// The redirect by the server; `None` for another response.
    pub(super) fn of_response(url: &Url, response: &Response) -> Option<Self> {
        Some(Self {
            target: target(url, response)?,
            // 302, 303 and 307 are temporary (RFC 9110, section 15.4).
            is_permanent: matches!(response.status, 301 | 308),
            may_follow: true,
            others: Vec::new(),
        })
    }

    /// The redirect by a page.
    pub(super) fn of_html(redirect: HtmlRedirect, may_follow: bool, others: Vec<Discovered>) -> Self {
        Self {
            is_permanent: redirect.is_permanent(),
            target: followable(redirect.url, redirect.kind.name()),
            may_follow,
            others,
        }
    }
}

impl Interpreter {
    pub(super) fn redirect(
        &self,
        mut queued: QueuedUrl,
        url: &Url,
        redirection: Redirection,
        response: &Response,
    ) -> Meaning {
        let status = response.status;
        let others = redirection.others;
        let ends = |queued, kind: &str, detail: String, outlinks| {
            let (kind, detail, status) = (kind.to_owned(), stored_text(&detail), Some(status));
            let outcome = Outcome::Failed { kind, status, detail };
            Meaning::Record(Record::Outcome {
                queued,
                outcome,
                outlinks,
            })
        };
        let target = match redirection.target {
            Ok(target) => target,
            Err(detail) => return ends(queued, "bad_redirect", detail, others),
        };
        if self.leads_to_form(url, &target) {
            return self.without_session(queued);
        }
        let max = self.settings.fetch.max_redirects;
        if queued.redirects >= max {
            return ends(
                queued,
                "too_many_redirects",
                format!("more than {max} redirects"),
                others,
            );
        }
        // Some servers redirect to the same URL to set a cookie, and show the page to a client that sends the cookie
        // back. The same request again would get the same answer.
        if target == *url && response.cookies.sent != response.cookies.for_target {
            queued.redirects += 1;
            return Meaning::Event(Event::Respelled { queued, url: target });
        }
        if target == *url {
            return ends(queued, "redirect_loop", "redirects to itself".into(), others);
        }
        let canonical = match canonicalize::canonicalize(&target, &self.settings.canonicalize) {
            Ok(canonical) => canonical,
            Err(error) => return ends(queued, "bad_redirect", error.to_string(), others),
        };
        // The server wants another spelling of the same canonical URL, for example with a session id.
        if canonical.as_str() == queued.url {
            queued.redirects += 1;
            return Meaning::Event(Event::Respelled { queued, url: target });
        }
        // A page that was fetched before may be back.
        let is_temporary = queued.revisits.is_some() && !redirection.is_permanent;
        // The user meant the page to which a seed leads: example.org may have become www.example.org.
        if queued.depth == 0
            && !is_temporary
            && redirection.may_follow
            && let Some(host) = HostKey::from_url(&target)
        {
            self.scope.add_host(&host);
        }
        let to = canonical.as_str().to_owned();
        let followed = redirection.may_follow.then_some(target);
        let mut outlinks = self.discover(followed.into_iter(), queued.depth, queued.redirects + 1, PRIORITY_LINK);
        outlinks.extend(others);
        if is_temporary {
            return Meaning::Record(missing(queued, response, outlinks));
        }
        Meaning::Record(Record::Redirect {
            queued,
            to,
            status,
            outlinks,
            cookies: response.cookies,
        })
    }
}
