//! The pages that a browser renders: which of them, and which of their two readings counts.

use browser::{RenderError, Rendered};
use bytes::Bytes;
use page::{LinkKind, Outlink, Page};
use reqwest::header::{CONTENT_LANGUAGE, CONTENT_TYPE, HeaderValue};
use storage::{QueuedUrl, Rendering as RenderingRecord, stored_text};
use url::Url;
use web::canonicalize;
use web::fetch::Response;
use web::host_key::HostKey;
use web::memory_budget::Claim;
use xxhash_rust::xxh3::xxh3_64;

use super::{Interpreter, failed};
use crate::messages::Meaning;
use crate::render::evidence::{Plain, Reason};
use crate::render::{Finished, Outcome, RenderJob, Room, gain};

/// Fewer characters of text than this do not stand for a page that could not be rendered.
const MIN_TEXT_CHARS: usize = 200;

/// Tries in all of a page whose time was up because of the machine or a host. The last one counts.
const MAX_TRIES: u8 = 3;

/// A page as it was read, and how.
pub(super) struct Reading {
    /// The page whose text counts.
    pub page: Page,
    /// The rendered page, if the text comes from there.
    pub html: Option<String>,
    /// What the browser found; `None` without a browser.
    pub rendering: Option<RenderingRecord>,
    /// Whether the page may say more when it is rendered again.
    pub is_incomplete: bool,
}

impl Reading {
    /// A page that was read without a browser.
    pub fn plain(page: Page) -> Self {
        Self {
            page,
            html: None,
            rendering: None,
            is_incomplete: false,
        }
    }
}

/// A response with the URL that it answers.
pub(super) struct Fetched<'a> {
    pub queued: &'a QueuedUrl,
    pub url: &'a Url,
    pub response: &'a Response,
    /// The body without its Content-Encoding.
    pub body: &'a [u8],
}

/// Why a page goes to the browser, and its room there.
pub(super) struct Wanted {
    plain: Plain,
    reason: Reason,
    room: Room,
}

impl Wanted {
    /// The page for the browser.
    pub fn job(self, queued: QueuedUrl, url: &Url, response: Response, body: Bytes, page: Page) -> RenderJob {
        RenderJob {
            queued,
            url: url.clone(),
            response: Response {
                body: None,
                // The memory of pages in the browser has a bound of its own.
                claim: Claim::default(),
                ..response
            },
            body,
            page,
            plain: self.plain,
            reason: self.reason,
            room: self.room,
        }
    }
}

impl Interpreter {
    /// The page for the browser; `None` if it is not to be rendered.
    pub(super) fn wants_browser(&self, fetched: &Fetched<'_>, page: &Page) -> Option<Wanted> {
        let Some(rendering) = &self.rendering else {
            if is_html(fetched.response) && Plain::needs_scripts(&page.text, fetched.body) {
                self.stats.unrendered();
            }
            return None;
        };
        let Fetched {
            queued,
            url,
            response,
            body,
        } = *fetched;
        if !is_html(response) || page.kind.is_some() || page.robots.all().why_not_stored(response.fetched_at).is_some()
        {
            return None;
        }
        let plain = Plain::of(&queued.host, url, &page.text, body);
        let chosen = rendering.choose(&plain, body.len());
        if chosen.is_none() && !rendering.has_browser() && plain.says_nothing() {
            self.stats.unrendered();
        }
        let reason = chosen?;
        let room = Room::of(rendering, body.len());
        if room.is_none() {
            rendering.tell("too many pages wait for the browser");
        }
        Some(Wanted {
            plain,
            reason,
            room: room?,
        })
    }

    /// The record of a page that has left the browser.
    #[must_use]
    pub fn finished(&self, finished: Finished) -> Meaning {
        let Finished { job, outcome } = finished;
        let RenderJob {
            queued,
            url,
            response,
            body,
            page,
            plain,
            room,
            ..
        } = job;
        let reading = match outcome {
            Outcome::NotWanted => Reading::plain(page),
            Outcome::Failed(error) => {
                if plain.says_nothing() {
                    self.stats.unrendered();
                }
                let is_enough = page.text.chars().take(MIN_TEXT_CHARS).count() == MIN_TEXT_CHARS;
                if !is_enough && !matches!(error, RenderError::Start { .. }) {
                    return Meaning::Record(failed(queued, error.kind(), None, stored_text(&error.to_string())));
                }
                Reading::plain(page)
            }
            // The machine or a host did not give the page its time: it is no evidence, and gets another try.
            Outcome::Rendered(rendered) if is_tried_again(&rendered, queued.attempts) => {
                tracing::debug!(url = %queued.url, ending = ?rendered.ending, refused = ?rendered.refused, "visited again");
                return Meaning::Record(super::tried_again(queued));
            }
            Outcome::Rendered(rendered) => self.both(&queued, &url, &response, page, *rendered, &plain),
        };
        // The room is free for the next page only now, because the body was needed.
        let meaning = self.rendered_or_wall(queued, &url, response, body, reading);
        drop(room);
        meaning
    }

    /// The reading that counts, of a page that was read both ways.
    fn both(
        &self,
        queued: &QueuedUrl,
        url: &Url,
        response: &Response,
        mut plain: Page,
        rendered: Rendered,
        classes: &Plain,
    ) -> Reading {
        let (requests, elapsed) = (rendered.requests, rendered.elapsed);
        let is_incomplete = rendered.is_incomplete();
        let record = |says_more| RenderingRecord {
            says_more,
            requests,
            elapsed_ms: u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX),
        };
        let found = rendered.links.iter().cloned().chain(rendered.url.clone()).map(link);
        let found: Vec<Outlink> = found.collect();
        let mut headers = response.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.remove(CONTENT_LANGUAGE);
        let page = page::read(rendered.html.as_bytes(), &headers, url, &self.settings.reading(url));
        let Ok(mut page) = page else {
            plain.outlinks.extend(found);
            return Reading {
                page: plain,
                html: None,
                rendering: Some(record(false)),
                is_incomplete,
            };
        };
        // A page whose scripts lead elsewhere names the target, and stays a page.
        let target = page.redirect.take().map(|redirect| link(redirect.url));
        page.outlinks.extend(found.into_iter().chain(target));
        let new_links = if is_incomplete {
            0
        } else {
            self.new_links(queued, &plain, &page)
        };
        let says_more = new_links > 0 || gain::says_more(&plain.text, &page.text);
        if let Some(rendering) = self.rendering.as_ref().filter(|_| !is_incomplete) {
            rendering.learn(classes, says_more);
        }
        tracing::debug!(url = %queued.url, says_more, new_links, "compared with the response");
        let (mut kept, other) = if says_more { (page, plain) } else { (plain, page) };
        // The links of both count, and what either forbids.
        kept.outlinks.extend(other.outlinks);
        kept.robots.meta.combine(other.robots.meta);
        if says_more && kept.canonical.document.is_none() {
            kept.canonical.document = rendered.url;
        }
        Reading {
            page: kept,
            html: says_more.then_some(rendered.html),
            rendering: Some(record(says_more)),
            is_incomplete,
        }
    }

    /// The number of links within the crawl that only the rendered page has, and that no earlier page of the host had.
    fn new_links(&self, queued: &QueuedUrl, plain: &Page, rendered: &Page) -> usize {
        let Some(rendering) = &self.rendering else {
            return 0;
        };
        let hashes = |page: &Page| -> Vec<u64> {
            let links = page
                .outlinks
                .iter()
                .filter_map(|link| self.link_within_scope(link, queued.depth));
            links.map(|link| xxh3_64(link.as_bytes())).collect()
        };
        rendering.new_links(&queued.host, &hashes(plain), &hashes(rendered))
    }

    /// The canonical form of a link that the crawl may follow.
    fn link_within_scope(&self, link: &Outlink, depth: u16) -> Option<String> {
        let url = canonicalize::canonicalize(&link.url, &self.settings.canonicalize).ok()?;
        let host = HostKey::from_url(url.url())?;
        let is_within = self.scope.admits(&host, depth.saturating_add(1)).is_ok();
        is_within.then(|| url.as_str().to_owned())
    }
}

/// Whether the page is visited again instead of being decided, after so many attempts before this one.
fn is_tried_again(rendered: &Rendered, attempts: u8) -> bool {
    rendered.is_incomplete() && attempts.saturating_add(1) < MAX_TRIES
}

/// The target of a navigation that a script asked for.
fn link(url: Url) -> Outlink {
    Outlink {
        url,
        kind: LinkKind::Anchor,
        nofollow: false,
    }
}

/// Whether the response is HTML: only there scripts run.
fn is_html(response: &Response) -> bool {
    let media_type = page::declared_media_type(&response.headers);
    media_type.is_none_or(|media_type| matches!(media_type.as_str(), "text/html" | "application/xhtml+xml"))
}

#[cfg(test)]
mod tests {
    use browser::{Ending, Refusal};

    use super::*;

    #[test]
    fn a_page_that_was_cut_off_is_tried_three_times_and_one_that_never_rests_once() {
        let ended = |ending| Rendered {
            ending,
            ..Rendered::default()
        };
        let mut without_turn = ended(Ending::Finished);
        without_turn.refused.insert(Refusal::NoTurn, 1);
        for (rendered, expected) in [
            (ended(Ending::Finished), [false, false, false]),
            (ended(Ending::Restless), [false, false, false]),
            (ended(Ending::CutOff), [true, true, false]),
            (without_turn, [true, true, false]),
        ] {
            assert_eq!([0, 1, 2].map(|attempts| is_tried_again(&rendered, attempts)), expected);
        }
    }
}
