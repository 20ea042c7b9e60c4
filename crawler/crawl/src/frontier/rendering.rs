//! The pages in the browser: they have left the pipeline for a time, and their requests pass the gates of the hosts.
//!
//! ```text
//! page   in process ──RenderingBegan──▶ in the browser ──RenderingEnded──▶ in process ──Decided──▶ (its outcome)
//! ```
//!
//! A page in the browser has no ticket: otherwise such pages could hold all tickets, and none of them could make the request that it waits for.
//! The frontier bounds their number. A host has a few of them at a time; its other pages wait, and its gate is free for their requests.
//! Hosts whose pages use the browser wait when the browser has enough pages of all hosts.

use std::collections::VecDeque;

use web::host_key::HostKey;
use web::politeness::Now;

use super::Frontier;
use super::host::Host;
use crate::messages::Errand;
use crate::render::subrequest::Subrequest;

/// So many pages for each tab are enough to keep the browser busy.
const PAGES_PER_TAB: usize = 16;

/// The pages in the browser, of all hosts.
#[derive(Debug)]
pub(super) struct Rendering {
    pages: usize,
    enough: usize,
    /// Hosts that wait until the browser has fewer pages.
    waiting: VecDeque<String>,
}

impl Rendering {
    pub fn new(tabs: usize) -> Self {
        Self {
            pages: 0,
            enough: tabs.saturating_mul(PAGES_PER_TAB),
            waiting: VecDeque::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// Makes a host wait whose next page would probably go to the browser, if the browser has enough pages.
    pub fn hold_up(&mut self, name: &str, host: &mut Host) {
        let is_full = self.pages >= self.enough;
        let part = host.browser.as_mut().filter(|_| is_full);
        if let Some(part) = part.filter(|part| part.has_pages && !part.waits) {
            part.waits = true;
            self.waiting.push_back(name.to_owned());
        }
    }
}

impl Frontier {
    /// A page goes to the browser.
    pub(super) fn on_rendering_began(&mut self, host: &str) {
        self.tickets.end();
        self.rendering.pages += 1;
        let max_pages = self.settings.max_in_browser;
        let part = self.host(host).browser_part(max_pages);
        part.pages += 1;
        part.has_pages = true;
    }

    /// A page comes back from the browser.
    pub(super) fn on_rendering_ended(&mut self, name: &str, now: Now) {
        self.tickets.reissue();
        self.rendering.pages -= 1;
        let max_pages = self.settings.max_in_browser;
        let part = self.host(name).browser_part(max_pages);
        part.pages = part.pages.saturating_sub(1);
        self.schedule(name, now);
        if self.rendering.pages < self.rendering.enough
            && let Some(name) = self.rendering.waiting.pop_front()
            && let Some(part) = self.hosts.get_mut(&name).and_then(|host| host.browser.as_mut())
        {
            part.waits = false;
            self.schedule(&name, now);
        }
    }

    /// Queues the request of a page in the browser at the host of its URL. A host that is no host of the crawl belongs to the page's
    /// group, so every process may ask it for its own pages.
    pub(super) fn add_subrequest(&mut self, subrequest: Subrequest, now: Now) {
        let Some(key) = HostKey::from_url(subrequest.url()) else {
            return;
        };
        let name = key.as_str();
        if !self.is_here(name) {
            let page_group = self.groups.of(subrequest.page_host());
            let belongs_to_nobody = subrequest.is_outside_scope() && !self.hosts.contains_key(name);
            if !belongs_to_nobody || !self.is_here(subrequest.page_host()) {
                return;
            }
            let logins = self.logins.of_host(name);
            let host = Host::new(name, page_group, logins, &self.clock, &self.settings);
            self.hosts.insert(name.to_owned(), Box::new(host));
        }
        let Some(Errand::Subrequest(subrequest)) = self.park(name, Errand::Subrequest(subrequest)) else {
            return;
        };
        if self.released.was_given_up(name) || self.host(name).gate.is_given_up() {
            return;
        }
        let max_pages = self.settings.max_in_browser;
        let part = self.host(name).browser_part(max_pages);
        part.subrequests.push_back(subrequest);
        // A page needs it, so its name needs no trial.
        self.want(name, now);
        self.schedule(name, now);
    }
}
