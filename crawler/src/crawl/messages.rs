//! What the stages of a crawl say to each other: tasks, events, records, and what a response means.

use std::collections::HashSet;

use bytes::Bytes;
use storage::{Discovered, HostState, Outcome, PageDraft, QueuedUrl, StoredRobots, Via};
use url::Url;
use web::fetch::Response;
use web::politeness::{Contact, HostSignal, Now};
use web::robots::Robots;

use super::steering::JudgedPage;

/// A request to make.
#[derive(Debug, Clone)]
pub enum Task {
    /// A page of the frontier.
    Page {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// The same URL, parsed.
        url: Url,
    },
    /// An errand of the crawler's own.
    Errand {
        /// The host whose gate it passed.
        host: String,
        /// What to fetch.
        errand: Errand,
    },
}

/// A request that serves the crawl but is no page of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// robots.txt.
    Robots {
        /// The host that waits for it (a redirect may lead to another host's gate).
        for_host: String,
        /// `scheme://authority` that it rules.
        origin: String,
        /// Where it is asked for.
        url: Url,
        /// Redirects followed so far.
        redirects: u8,
        /// Tries that came to nothing so far.
        failures: u8,
    },
    /// A sitemap.
    Sitemap {
        /// Where it lies.
        url: Url,
        /// Sitemap indexes above it.
        depth: u8,
        /// Redirects followed so far.
        redirects: u8,
    },
}

impl Errand {
    /// Where it is asked for.
    #[must_use]
    pub fn url(&self) -> &Url {
        match self {
            Self::Robots { url, .. } | Self::Sitemap { url, .. } => url,
        }
    }
}

/// What came of a robots.txt.
#[derive(Debug)]
pub enum RobotsAnswer {
    /// Its rules, and the sitemaps it names that belong to the crawl.
    Rules(Robots, Vec<Url>),
    /// As [`RobotsAnswer::Rules`], by the text that an earlier run fetched at this time (Unix ms).
    Recalled(Robots, Vec<Url>, u64),
    /// No earlier run has left one.
    Forgotten,
    /// It lies elsewhere.
    Moved(Url),
    /// Neither rules nor a clear "there are none", for this reason: nothing may be fetched (RFC 9309, section 2.3.1.4).
    Unreachable(String),
    /// No request of this origin can succeed: each of its pages fails in this way, without a request.
    Unfit(Unfit),
}

/// Why nothing can be had from an origin: its address is forbidden, its certificate cannot be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// The stored name of the failure.
    pub kind: &'static str,
    /// For people.
    pub detail: String,
}

/// What the stages report.
#[derive(Debug)]
pub enum Event {
    /// A request has ended; its host's gate may open again.
    RequestEnded {
        /// The host that was asked.
        host: String,
        /// What the answer says of it.
        signal: HostSignal,
        /// What went wrong, in words.
        failure: Option<String>,
        /// With whom it came into contact.
        contact: Contact,
    },
    /// A page of the frontier has its outcome.
    Decided {
        /// Its row in the frontier.
        host: String,
        /// As in [`QueuedUrl`].
        seq: u64,
        /// The verdict, where it was a page (and not a redirect, a failure, …) that was never fetched before.
        page: Option<JudgedPage>,
        /// Whether it was a visit to a page that was fetched before.
        is_visit: bool,
        /// URLs that are new to the crawl, or come again.
        queued: Vec<QueuedUrl>,
    },
    /// A page redirects to another spelling of its own canonical URL, which is to be asked for instead.
    Respelled {
        /// Its row in the frontier, one redirect on.
        queued: QueuedUrl,
        /// The spelling.
        url: Url,
    },
    /// A robots.txt errand has ended.
    Robots {
        /// The errand.
        errand: Errand,
        /// What came of it.
        answer: RobotsAnswer,
    },
    /// A sitemap errand has ended.
    Sitemap {
        /// Pages that are new to the crawl.
        queued: Vec<QueuedUrl>,
        /// Further sitemaps to fetch.
        further: Vec<Errand>,
    },
    /// The store's answer to [`Step::Refill`].
    Refilled {
        /// The host that was asked for.
        host: String,
        /// In the frontier's order.
        urls: Vec<QueuedUrl>,
        /// Whether the store holds more.
        more: bool,
    },
    /// Take no new URL, let what is in process end.
    Stop,
}

/// What to do next.
#[derive(Debug)]
pub enum Step {
    /// Make this request.
    Start(Task),
    /// Ask the store for more of a host's URLs, in order, without those handed out.
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
    /// Ask the store for the robots.txt that an earlier run fetched.
    Recall(Errand),
    /// Record a URL as excluded without a request.
    Exclude {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// Why: the rule of robots.txt that forbids it, or what is wrong with it.
        reason: String,
    },
    /// Record a URL as failed without a request.
    Fail {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// Why.
        unfit: Unfit,
    },
    /// Give a URL another place in its host's queue.
    Postpone {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// Its new priority.
        priority: u8,
    },
    /// Nothing to do until an event, or until this time.
    Wait(Option<Now>),
    /// The crawl is over.
    Finished(Ending),
}

/// A host, or one origin of it, that a run left alone; its URLs stay queued.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GivenUp {
    /// The host, or the origin as `scheme://authority`.
    pub host: String,
    /// What went wrong last, in words.
    pub last_failure: String,
    /// For a host that was not given up but has asked for a long rest: the end of it, Unix ms.
    pub rests_until: Option<u64>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is left to fetch (but URLs of retired hosts, or above a host's limit).
    Exhausted,
    /// `max_pages` are decided.
    PageLimit,
    /// Somebody asked to stop, or the time was up.
    Stopped,
}

/// What is to be decided and recorded.
#[derive(Debug)]
pub enum Record {
    /// A page that waits for its verdict.
    Page(Box<UndecidedPage>),
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
    /// The frontier wants the robots.txt that an earlier run fetched.
    Recall(Errand),
    /// How hosts are treated.
    Hosts {
        /// By name.
        states: Vec<(String, HostState)>,
        /// The run ends with this.
        is_last: bool,
    },
    /// The frontier wants more of a host's URLs.
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

/// A page that has been read and waits for its verdict.
#[derive(Debug)]
pub struct UndecidedPage {
    /// Its row in the frontier.
    pub queued: QueuedUrl,
    /// The URL that was asked: another spelling of the row's, where the server wanted that.
    pub asked: Url,
    /// What the catalogue will hold; the verdict is still to be set.
    pub draft: PageDraft,
    /// What the verdict goes by.
    pub signature: dedup::Signature,
    /// The extracted text.
    pub text: String,
    /// The response's head, for the archive.
    pub response: Response,
    /// The body without its Content-Encoding.
    pub body: Bytes,
    /// Links that belong to the crawl.
    pub outlinks: Vec<Discovered>,
}

/// Where what was found goes on to.
#[derive(Debug)]
pub enum Meaning {
    /// To be decided and recorded.
    Record(Record),
    /// To the frontier, without a trace in the store.
    Event(Event),
    /// To the large lane, as it was.
    Large(Task, Response),
}
