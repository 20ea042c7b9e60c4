//! What is to be decided and recorded.

use std::collections::HashSet;

use storage::{Discovered, HostState, Outcome, QueuedUrl, StoredRobots, Via};

use crate::fetch::Response;
use crate::interpret::ReadPage;
use crate::scheduler::{Errand, RobotsAnswer};

/// What is to be decided and recorded.
#[derive(Debug)]
pub enum Record {
    /// A page that waits for its verdict.
    Page(Box<ReadPage>),
    /// A URL without a page.
    Outcome {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// What became of it.
        outcome: Outcome,
        /// URLs found on the way.
        outlinks: Vec<Discovered>,
    },
    /// A page that was fetched before and, by the server's word, has not changed since.
    NotModified {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// The answer's head.
        response: Response,
    },
    /// No more visits to pages fetched before are made in this run: those that wait end without an answer.
    EndVisits,
    /// A sitemap's URLs.
    Sitemap {
        /// The sitemap.
        via: Via,
        /// Pages.
        urls: Vec<Discovered>,
        /// Sitemaps that it names.
        further: Vec<Errand>,
    },
    /// A robots.txt that was fetched.
    Robots {
        /// The errand for it.
        errand: Errand,
        /// What it says.
        answer: RobotsAnswer,
        /// What is kept of it; `None` for one that is too long.
        stored: Option<StoredRobots>,
    },
    /// The scheduler wants the robots.txt that an earlier run fetched.
    Recall(Errand),
    /// How hosts are treated.
    Hosts {
        /// By name.
        states: Vec<(String, HostState)>,
        /// The run ends with this.
        is_last: bool,
    },
    /// The scheduler wants more of a host's URLs.
    Refill {
        /// The host.
        host: String,
        /// How many at most.
        limit: usize,
        /// Handed out and not decided, by `seq`.
        skip: HashSet<u64>,
        /// Only what comes behind this place: priority, depth, `seq`.
        from: Option<(u8, u16, u64)>,
    },
}

impl Record {
    /// Bytes that it holds, about.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let of_links = |links: &[Discovered]| links.iter().map(held_bytes).sum::<usize>();
        match self {
            Self::Page(page) => page.body.len() + page.text.len() + of_links(&page.outlinks),
            Self::Outcome { outlinks, .. } => of_links(outlinks),
            Self::Sitemap { urls, .. } => of_links(urls),
            Self::Robots { stored, .. } => stored.as_ref().map_or(0, |stored| stored.text.len()),
            Self::NotModified { .. } | Self::EndVisits | Self::Recall(_) | Self::Hosts { .. } | Self::Refill { .. } => {
                0
            }
        }
    }
}

fn held_bytes(link: &Discovered) -> usize {
    size_of::<Discovered>() + link.url.len() + link.host.len() + link.via.as_ref().map_or(0, String::len)
}
