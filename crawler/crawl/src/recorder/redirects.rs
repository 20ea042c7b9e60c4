//! Redirect loops, followed over up to 64 URLs. The last redirect of a loop is recorded as a failure
//! (`redirect_loop`), because it never leads to a page.
//!
//! A site that wants its cookie back leads a visitor from the page to the URL that sets the cookie, and from there to the page again. That is
//! no loop: the page was asked for without the cookie. So if the cookies for the target are not those with which the crawl asked for it, the
//! crawl asks again. Each time counts as a redirect, so `fetch.max_redirects` ends what would go on forever.
//!
//! If a page redirects permanently when it is visited again, it has moved. But many pages hardly move to one URL: the site rather asks for a
//! log-in there, or announces maintenance, with the wrong status. From the third such page of a run on, the page only counts as missing.

use std::collections::{HashMap, VecDeque};
use std::time::SystemTime;

use storage::{Discovered, Outcome, QueuedUrl, Store, UrlState, Visit, stored_text};
use url::Url;
use web::fetch::CookieMarks;
use web::host_key::HostKey;

use super::Recorder;
use crate::clock::unix_millis;
use crate::interpret::PRIORITY_LINK;
use crate::messages::Event;
use error::RunError;

/// Bound on the hops that are followed.
const MAX_HOPS: usize = 64;

/// Bound on the redirects whose cookies are remembered. The oldest are forgotten first.
const MAX_MARKS: usize = 10_000;

/// Largest number of pages that may move to one URL in a run.
const MAX_MOVED_TO_ONE: u32 = 2;

/// Bound on the targets whose pages are counted. A page that redirects to any other target counts as moved.
const MAX_TARGETS: usize = 10_000;

/// The latest redirects.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    /// For each target, the number of pages that redirected to it permanently in this run.
    moved_to: HashMap<String, u32>,
    /// The mark of the cookies with which a URL that redirects was asked for. A URL that is not here had none.
    marks: HashMap<String, u64>,
    /// The URLs of the marks, oldest first.
    marked: VecDeque<String>,
}

/// What a redirect is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It leads on.
    On,
    /// It leads back to its own URL.
    Back,
    /// It leads back, and its target was asked for with other cookies than the crawl has now.
    BackWithCookies,
}

impl Recorder {
    /// Records a redirect.
    pub(super) fn redirect(
        &mut self,
        queued: &QueuedUrl,
        (to, status): (String, u16),
        outlinks: &[Discovered],
        cookies: CookieMarks,
    ) -> Result<Event, RunError> {
        let (redirects, store) = self.books.redirects();
        let way = redirects.way(store, queued, &to, cookies)?;
        if way == Way::Back {
            let detail = stored_text(&format!("redirects to {to}, which leads back here"));
            let outcome = Outcome::Failed {
                kind: "redirect_loop".into(),
                status: Some(status),
                detail,
            };
            return self.finish(queued, outcome, outlinks, None);
        }
        let redirects = self.books.redirects().0;
        redirects.note(&queued.url, cookies.sent);
        if queued.revisits.is_some() && !redirects.may_move_to(&to) {
            let outcome = Outcome::Visited {
                visit: Visit::Missing,
                at: unix_millis(SystemTime::now()),
                wire_bytes: 0,
                capture: None,
            };
            return self.finish(queued, outcome, outlinks, None);
        }
        let outcome = Outcome::Redirect { to: to.clone(), status };
        let mut event = self.finish(queued, outcome, outlinks, None)?;
        if way == Way::BackWithCookies
            && let Event::Decided { queued: again, .. } = &mut event
            && let Some(host) = host_of(&to)
        {
            let link = Discovered {
                url: to,
                host: host.into(),
                depth: queued.depth,
                redirects: queued.redirects.saturating_add(1),
                priority: PRIORITY_LINK,
                via: Some(queued.url.clone()),
            };
            let redirects = |state: &UrlState| matches!(state, UrlState::Redirect { .. });
            again.extend(self.books.store_mut().try_again(&link, redirects)?);
        }
        Ok(event)
    }
}

impl Redirects {
    fn way(&self, store: &Store, queued: &QueuedUrl, to: &str, cookies: CookieMarks) -> Result<Way, RunError> {
        if !Self::leads_to(store, to, &queued.url)? {
            return Ok(Way::On);
        }
        let is_asked_alike = self.marks.get(to).copied() == cookies.for_target;
        Ok(if is_asked_alike {
            Way::Back
        } else {
            Way::BackWithCookies
        })
    }

    /// Counts a page that redirects permanently to this URL. `false` if it is one of too many, and so has not moved.
    fn may_move_to(&mut self, to: &str) -> bool {
        if self.moved_to.len() >= MAX_TARGETS && !self.moved_to.contains_key(to) {
            return true;
        }
        let moved = self.moved_to.entry(to.to_owned()).or_default();
        *moved += 1;
        *moved <= MAX_MOVED_TO_ONE
    }

    fn note(&mut self, url: &str, mark: Option<u64>) {
        match mark {
            Some(mark) => {
                if self.marks.insert(url.to_owned(), mark).is_none() {
                    self.marked.push_back(url.to_owned());
                }
            }
            None if self.marks.is_empty() => {}
            None => {
                self.marks.remove(url);
            }
        }
        if self.marked.len() > MAX_MARKS
            && let Some(oldest) = self.marked.pop_front()
        {
            self.marks.remove(&oldest);
        }
    }

    fn leads_to(store: &Store, from: &str, goal: &str) -> Result<bool, RunError> {
        let mut at = from.to_owned();
        for _ in 0..MAX_HOPS {
            if at == goal {
                return Ok(true);
            }
            let Some(to) = target(store, &at)? else {
                return Ok(false);
            };
            at = to;
        }
        Ok(false)
    }
}

fn target(store: &Store, url: &str) -> Result<Option<String>, RunError> {
    let Some(host) = host_of(url) else {
        return Ok(None);
    };
    Ok(match store.latest_state(host.as_str(), url)? {
        Some(UrlState::Redirect { to, .. }) => Some(to),
        _ => None,
    })
}

fn host_of(url: &str) -> Option<HostKey> {
    HostKey::from_url(&Url::parse(url).ok()?)
}
