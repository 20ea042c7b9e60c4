//! The state of one URL and the evidence for it: why the crawl kept or dropped the page, or why there is no page.
//!
//! Reads single rows of the store, so the time does not grow with the crawl. Four lookups have a bound instead: a queue, the known
//! URLs that a typed one may have meant, the pages of other workers, and the replay that names a rule.

mod answer;
mod history;
mod page;
mod queued;
mod remedy;
mod spellings;
mod summary;

use ::url::Url;
use storage::{FETCHED_ELSEWHERE, Failure, Store, UrlState, Via};
use web::canonicalize::CanonicalUrl;
use web::host_key::HostKey;

use super::as_of::AsOf;
use super::diff;
use super::named_page::text_elsewhere;
use super::typed_url::TypedUrl;
use config::settings::Settings;
use crawl::redirect::is_in_html;
use error::RunError;

pub use answer::{Answer, BlockComparison, ComparedPage, FailureAnswer, Feature, PageAnswer, QueueAnswer, State};
pub use remedy::{KeepingSetting, Remedy};

/// Upper bound on the known URLs that the answer suggests.
const MAX_SUGGESTED: usize = 8;

/// Upper bound on the known URLs that the search for suggestions compares: more would delay the answer noticeably.
const MAX_COMPARED: usize = 50_000;

/// Upper bound on the pages of other workers among which the answer looks for a URL.
const MAX_ELSEWHERE: usize = 1_000_000;

/// Upper bound on the redirects that the answer follows.
const MAX_REDIRECTS: usize = 5;

/// How much evidence the answer holds.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Upper bound on the features, and on the nearest pages.
    pub top: usize,
    /// `None` leaves out the difference from the kept page.
    pub diff: Option<diff::Options>,
}

/// Explains the URL that the user typed as `asked`.
///
/// # Errors
/// The store cannot be read.
pub fn explain(
    store: &mut Store,
    settings: &Settings,
    asked: &str,
    typed: TypedUrl,
    options: Options,
) -> Result<Answer, RunError> {
    let mut explainer = Explainer {
        store,
        settings,
        options,
    };
    let url = typed.known(|url| Ok::<_, RunError>(explainer.state_of(url)?.is_some()))?;
    explainer.answer(asked, &url, MAX_REDIRECTS)
}

struct Explainer<'a> {
    store: &'a mut Store,
    settings: &'a Settings,
    options: Options,
}

impl Explainer<'_> {
    fn answer(&mut self, asked: &str, url: &Url, redirects: usize) -> Result<Answer, RunError> {
        let (summary, state) = match self.state_of(url)? {
            None => match self.elsewhere(url)? {
                Some(found) => found,
                None => self.unknown(url)?,
            },
            Some(UrlState::Queued) => self.queued(url)?,
            Some(UrlState::Redirect { to, status }) => self.redirect(url, to, status, redirects)?,
            Some(UrlState::Failed(failure)) => self.failed(failure)?,
            Some(UrlState::Excluded { reason }) => match self.elsewhere(url)? {
                Some(found) if reason == FETCHED_ELSEWHERE => found,
                _ => (format!("Excluded: {reason}."), State::Excluded { reason }),
            },
            Some(UrlState::Page(id)) => self.page(id)?,
        };
        Ok(Answer {
            as_of: AsOf::of(self.store),
            asked: asked.to_owned(),
            url: url.to_string(),
            summary,
            state,
        })
    }

    /// The state of a URL whose page another worker of the fleet keeps, as far as this folder knows.
    fn elsewhere(&self, url: &Url) -> Result<Option<(String, State)>, RunError> {
        for row in self.store.pages_elsewhere().all().take(MAX_ELSEWHERE) {
            let (page, record) = row?;
            if record.url == url.as_str() {
                let (worker, id) = (page.worker, page.sequence);
                let summary = format!(
                    "Kept by worker {worker} of the fleet, not here: {}.",
                    text_elsewhere(worker)
                );
                return Ok(Some((summary, State::Elsewhere { worker, id })));
            }
        }
        Ok(None)
    }

    fn unknown(&self, url: &Url) -> Result<(String, State), RunError> {
        let alike = self.alike(url)?;
        let summary = "The crawl does not know this URL: within its scope, no seed, redirect, sitemap or followed link names it. It may be the target of links marked nofollow, which were not followed.";
        Ok((summary.to_owned(), State::Unknown { alike }))
    }

    /// With the answer for the target, if the target is another URL and at most `left` redirects led here.
    fn redirect(&mut self, url: &Url, to: String, status: u16, left: usize) -> Result<(String, State), RunError> {
        let target = match self.canonical(&to).filter(|target| target != url && left > 0) {
            Some(target) => Some(Box::new(self.answer(&to, &target, left - 1)?)),
            None => None,
        };
        let in_html = is_in_html(status);
        let summary = if in_html {
            format!("Not a page: its HTML only redirects to {to}, by a meta refresh or a script (status {status}).")
        } else {
            format!("Not a page: the server redirects to {to} (status {status}).")
        };
        let state = State::Redirect {
            to,
            status,
            in_html,
            target,
        };
        Ok((summary, state))
    }

    fn failed(&self, failure: Failure) -> Result<(String, State), RunError> {
        let times = match failure.attempts {
            0 | 1 => String::new(),
            attempts => format!(", tried {attempts} times"),
        };
        let advice = crawl::failures::advice(&failure.kind);
        // A page in the way of the one that was asked for has been fetched.
        let what = if crawl::walls::is_wall(&failure.kind) {
            "No page was kept"
        } else {
            "Not fetched"
        };
        let summary = format!("{what}: {} ({}{times}).", failure.detail, failure.kind);
        let answer = FailureAnswer {
            via: self.url_of(failure.via.as_ref())?,
            advice,
            kind: failure.kind,
            status: failure.status,
            detail: failure.detail,
            attempts: failure.attempts,
            depth: failure.depth,
        };
        Ok((summary, State::Failed(answer)))
    }

    fn state_of(&self, url: &Url) -> Result<Option<UrlState>, RunError> {
        match HostKey::from_url(url) {
            Some(host) => Ok(self.store.url_state(host.as_str(), url.as_str())?),
            None => Ok(None),
        }
    }

    fn canonical(&self, url: &str) -> Option<Url> {
        let url = CanonicalUrl::parse(url, &self.settings.canonicalize).ok()?;
        Some(url.into_url())
    }

    /// The URL of the page, sitemap or redirect that led to another URL.
    fn url_of(&self, via: Option<&Via>) -> Result<Option<String>, RunError> {
        Ok(match via {
            None => None,
            Some(Via::Url(url)) => Some(url.to_string()),
            Some(Via::Page(id)) => self.store.page(*id)?.map(|page| page.url),
        })
    }

    /// Known URLs that the user may have meant: first the usual spelling mistakes, then the URLs of the host that differ in few
    /// characters, by the number of edits.
    fn alike(&self, url: &Url) -> Result<Vec<String>, RunError> {
        let mut alike = Vec::new();
        for spelling in spellings::of(url) {
            let Some(spelling) = self.canonical(spelling.as_str()).filter(|other| other != url) else {
                continue;
            };
            let text = spelling.to_string();
            if !alike.contains(&text) && self.state_of(&spelling)?.is_some() {
                alike.push(text);
            }
        }
        if let Some(host) = HostKey::from_url(url) {
            let nearly = self.few_edits_away(url, &host, &alike)?;
            alike.extend(nearly);
        }
        alike.truncate(MAX_SUGGESTED);
        Ok(alike)
    }

    fn few_edits_away(&self, url: &Url, host: &HostKey, except: &[String]) -> Result<Vec<String>, RunError> {
        let wanted = spellings::Wanted::of(url);
        let mut nearly = Vec::new();
        for known in self.store.urls().take(MAX_COMPARED) {
            let known = known?;
            if known.host == host.as_str()
                && !except.contains(&known.url)
                && let Ok(other) = Url::parse(&known.url)
                && let Some(edits) = wanted.edits_to(&other)
            {
                nearly.push((edits, known.url));
            }
        }
        nearly.sort();
        Ok(nearly.into_iter().map(|(_, url)| url).collect())
    }
}

/// A time in RFC 3339, in whole seconds.
fn time(millis: u64) -> Option<String> {
    let seconds = i64::try_from(millis / 1_000).ok()?;
    Some(jiff::Timestamp::from_second(seconds).ok()?.to_string())
}
