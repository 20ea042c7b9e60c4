//! The messages between the stages of a crawl: tasks, answers, records, events and steps.
//!
//! - `record`: what the recorder is told; `orders`: what the user orders

mod orders;
mod record;

use std::collections::HashSet;

use storage::{Counts, HostRecord, QueuedUrl};
use url::Url;
use web::fetch::{Response, Route};
use web::politeness::{AddressKey, Contact, HostSignal, Now};
use web::robots::Robots;

use super::admission::{HostGroup, Permit};
use super::login::{LoginAnswer, LoginErrand};
use super::render::RenderJob;
use super::render::subrequest::Subrequest;
use super::steering::JudgedPage;
use config::settings::Adjustable;
pub(crate) use orders::{Done, Orders, Taken, TakenOrder, Wanted};
pub(crate) use record::{ReadPage, Record, UndecidedPage};

/// A request to make.
#[derive(Debug, Clone)]
pub(crate) enum Task {
    /// A page of the frontier.
    Page {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// The URL to ask for: the row's own, or another spelling that the server redirected to.
        url: Url,
    },
    /// An errand of the crawler's own.
    Errand {
        /// The host whose gate it passed.
        host: String,
        /// The errand.
        errand: Errand,
    },
}

impl Task {
    /// Whether it is for a robots.txt.
    #[must_use]
    pub fn is_robots(&self) -> bool {
        matches!(
            self,
            Self::Errand {
                errand: Errand::Robots { .. },
                ..
            }
        )
    }
}

/// A request for a file that is not a page, but guides the crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Errand {
    /// robots.txt.
    Robots {
        /// The host that waits for it. A redirect may lead to the gate of another host.
        for_host: String,
        /// The `scheme://authority` that it rules.
        origin: String,
        /// Its URL.
        url: Url,
        /// Redirects followed so far.
        redirects: u8,
        /// Failed tries so far.
        failures: u8,
    },
    /// A sitemap.
    Sitemap {
        /// Its URL.
        url: Url,
        /// Number of sitemap indexes that led to it.
        depth: u8,
        /// Redirects followed so far.
        redirects: u8,
        /// Failed tries so far.
        failures: u8,
        /// Whether nothing names it, so that it may not exist.
        is_guessed: bool,
    },
    /// What a page in the browser asks for.
    Subrequest(Subrequest),
    /// A request of a log-in.
    Login(Box<LoginErrand>),
}

impl Task {
    /// The host whose gate the request passed.
    #[must_use]
    pub fn host(&self) -> &str {
        match self {
            Self::Page { queued, .. } => &queued.host,
            Self::Errand { host, .. } => host,
        }
    }
}

impl Errand {
    /// The URL to ask for.
    #[must_use]
    pub fn url(&self) -> &Url {
        match self {
            Self::Robots { url, .. } | Self::Sitemap { url, .. } => url,
            Self::Subrequest(subrequest) => subrequest.url(),
            Self::Login(errand) => &errand.url,
        }
    }
}

/// The answer to the request for a robots.txt.
#[derive(Debug)]
pub(crate) enum RobotsAnswer {
    /// Its rules, and its sitemaps that the crawl may fetch.
    Rules(Robots, Vec<Url>),
    /// The same, from the text that an earlier run fetched at this time (Unix ms).
    Recalled(Robots, Vec<Url>, u64),
    /// The store holds none from an earlier run.
    Forgotten,
    /// A redirect to this URL.
    Moved(Url),
    /// The crawler could not learn the rules, nor that there are none, for this reason. It must not crawl the origin
    /// (RFC 9309, section 2.3.1.4).
    Unreachable(String),
    /// No request to this origin can succeed. Each of its pages fails for the same reason, without a request.
    Unfit(Unfit),
}

/// Why no request to an origin can succeed: its address is forbidden, or its certificate cannot be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unfit {
    /// The stored name of the failure.
    pub kind: &'static str,
    /// The failure in words.
    pub detail: String,
}

/// A stage's report to the frontier.
#[derive(Debug)]
pub(crate) enum Event {
    /// A request has ended; the gate of its host may open again.
    RequestEnded {
        /// The host that was asked.
        host: String,
        /// What the answer means for politeness.
        signal: HostSignal,
        /// The failure in words, if there was one.
        failure: Option<String>,
        /// The address that answered, and its latency.
        contact: Contact,
    },
    /// A page of the host was a wall, and is asked for again.
    Blocked {
        /// The host.
        host: String,
        /// The attempts before.
        attempts: u8,
    },
    /// The look-up of a host's name has ended.
    LookedUp {
        /// The host.
        host: String,
        /// The addresses to connect to, or the failure.
        route: Route,
    },
    /// A page of the frontier has its outcome.
    Decided {
        /// The host of its row in the frontier.
        host: String,
        /// The sequence number of its row.
        seq: u64,
        /// The verdict, if the URL was fetched for the first time and the answer was a page.
        page: Option<JudgedPage>,
        /// Whether it was a revisit.
        is_visit: bool,
        /// URLs that are new to the crawl, or queued again.
        queued: Vec<QueuedUrl>,
    },
    /// A page redirects to another spelling of its own canonical URL. The frontier asks for that spelling instead.
    Respelled {
        /// Its row in the frontier, with one redirect more.
        queued: QueuedUrl,
        /// The spelling.
        url: Url,
    },
    /// The errand for a robots.txt has ended.
    Robots {
        /// The errand.
        errand: Errand,
        /// Its answer.
        answer: RobotsAnswer,
    },
    /// The errand for a sitemap has ended.
    Sitemap {
        /// Pages that are new to the crawl.
        queued: Vec<QueuedUrl>,
        /// Further sitemaps of its origin to fetch.
        further: Vec<Errand>,
        /// Further sitemaps of other origins, which need the permission of the robots.txt there.
        elsewhere: Vec<Errand>,
    },
    /// A request of a log-in has ended.
    Login {
        /// The request.
        errand: Box<LoginErrand>,
        /// What its answer means.
        answer: LoginAnswer,
    },
    /// A page came without the session that it needs. It is fetched again.
    LoggedOut {
        /// Its row in the frontier.
        queued: QueuedUrl,
    },
    /// The store has no recent record of this sitemap.
    SitemapForgotten(Errand),
    /// The request for a sitemap failed, but a later one may succeed. The run asks for it again.
    SitemapAgain(Errand),
    /// The store's answer to [`Step::Refill`].
    Refilled {
        /// The host.
        host: String,
        /// Its URLs, in the frontier's order.
        urls: Vec<QueuedUrl>,
        /// Whether the store holds more.
        more: bool,
    },
    /// The answer to [`Step::ReadSeeds`].
    SeedsRead {
        /// The seeds that are new to the crawl, and the seeds that it tries again.
        queued: Vec<QueuedUrl>,
        /// The hosts of seeds that the crawl knew, and the hosts to which these seeds redirected.
        known: Vec<String>,
        /// The sitemaps among the seeds.
        sitemaps: Vec<Url>,
        /// Whether the file has more.
        more: bool,
    },
    /// The store's answer to [`Step::LoadHosts`].
    HostsLoaded {
        /// The hosts, as the store has them.
        hosts: Vec<StoredHost>,
        /// The name after which the store has more hosts; `None` if it has no more, or if the request named the hosts.
        behind: Option<String>,
    },
    /// A page of this host waits for the browser from now on. Its ticket ends until it comes back.
    RenderingBegan {
        /// The host of its row in the frontier.
        host: String,
    },
    /// A page of this host has left the browser, and has a ticket again.
    RenderingEnded {
        /// The host of its row in the frontier.
        host: String,
    },
    /// An answer of this host waits for a slow lane of the interpreter from now on (see [`Lane`](super::interpret::Lane)).
    LaneEntered {
        /// The host whose gate its request passed.
        host: String,
        /// The bytes of the answer as received.
        bytes: usize,
    },
    /// The answer has left the lane.
    LaneLeft {
        /// As in `LaneEntered`.
        host: String,
        /// As in `LaneEntered`.
        bytes: usize,
    },
    /// The run reads no further documents of this host. The URL stays queued for the next run.
    DocumentLeft {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// Why, in words.
        why: String,
    },
    /// A page in the browser asks for this.
    Asks(Subrequest),
    /// The request of a page in the browser has ended.
    SubrequestEnded,
    /// Orders of the user were taken.
    Ordered(Box<Orders>),
    /// Other delays and bounds hold from now on.
    Adjusted(Box<Adjustable>),
    /// Groups of hosts come, go or change.
    Groups(GroupEvent),
    /// Take no new URL; let the work in process end.
    Stop,
}

/// What becomes of the groups of hosts that this process may ask. In a crawl by one process there is no such event.
#[derive(Debug)]
pub(crate) enum GroupEvent {
    /// The hosts of these groups are this process's from now on. The store knows how others treated them. A group that went must be
    /// [freed](Step::Freed) before it comes again, because the last treatment of its hosts is saved until then.
    Came {
        /// The groups.
        groups: Vec<HostGroup>,
        /// The number of the message that brings work: see [`Admission::hears`](super::admission::Admission::hears).
        number: u64,
    },
    /// The hosts of these groups are not this process's any more.
    Go(Vec<HostGroup>),
    /// Permits that had run out, or nearly, are certain again.
    Renewed,
    /// URLs that others found at hosts of this process, and that are new to the store.
    Arrived {
        /// The URLs.
        queued: Vec<QueuedUrl>,
        /// As in `Came`.
        number: u64,
    },
    /// So many processes ask these addresses, this one included.
    Shared(Vec<(AddressKey, u32)>),
    /// The request was cut off at the end of its permit. It has no answer, and its ticket ends.
    CutOff(Box<Task>),
    /// No group comes any more.
    Done,
}

/// How a request goes out.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    /// Over which addresses.
    pub route: Route,
    /// For how long.
    pub permit: Permit,
}

/// The next step, chosen by the frontier.
#[derive(Debug)]
pub(crate) enum Step {
    /// Make this request.
    Start(Task, Passage),
    /// Look up the name of this host.
    LookUp(String),
    /// Read more of a host's URLs from the store.
    Refill(Refill),
    /// Read the result of this errand in an earlier run from the store.
    Recall(Errand),
    /// Read more seeds into the store. This step has no ticket, and the frontier does not repeat it before the answer.
    ReadSeeds,
    /// Read hosts from the store. This step has no ticket, and the frontier does not repeat it before the answer.
    LoadHosts(HostsWanted),
    /// Record a URL as excluded, without a request.
    Exclude {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// The rule of robots.txt that forbids it, or the fault of the URL.
        reason: String,
    },
    /// Record a URL as failed, without a request.
    Fail {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// The failure.
        unfit: Unfit,
    },
    /// Move a URL to another place in its host's queue.
    Postpone {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// Its new priority.
        priority: u8,
    },
    /// The group may go: nothing of it is in process, and the treatment of its hosts is saved. Needs no ticket.
    Freed(HostGroup),
    /// Wait for an event, or until this time.
    Wait(Option<Now>),
    /// End the run.
    Finished(Ending),
}

/// A request to the store for more of a host's URLs, in the frontier's order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refill {
    /// The host.
    pub host: String,
    /// Bound on the number of URLs.
    pub limit: usize,
    /// URLs to leave out, by `seq`: they are in process, or wait elsewhere.
    pub skip: HashSet<u64>,
    /// The place (priority, depth, `seq`) after which to read; `None` for the start of the queue.
    pub from: Option<(u8, u16, u64)>,
}

/// A request to the store for hosts that are not in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostsWanted {
    /// These hosts.
    Named(Vec<String>),
    /// Hosts with URLs in the queue, in the order of their names.
    Behind {
        /// Only hosts after this name.
        name: String,
        /// Bound on their number.
        limit: usize,
    },
}

/// A host in the store.
#[derive(Debug)]
pub(crate) struct StoredHost {
    /// Its name.
    pub name: String,
    /// Its counts.
    pub counts: Counts,
    /// Its treatment by earlier runs.
    pub record: Option<HostRecord>,
    /// All its queued URLs, if they are few and no run has sent a request to the host; otherwise none.
    pub urls: Vec<QueuedUrl>,
}

/// The beginning of the reason for an exclusion by robots.txt. The line of the robots.txt follows.
pub const BY_ROBOTS: &str = "robots.txt: ";

/// The beginning of the last failure of a host of which the last run left documents.
pub const DOCUMENTS_LEFT: &str = "documents left to the next run: ";

/// A host, or one origin of it, that a run left unfinished; its URLs stay queued.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GivenUp {
    /// The host, or the origin as `scheme://authority`.
    pub host: String,
    /// The last failure, in words.
    pub last_failure: String,
    /// The end of its rest, Unix ms, if it was not given up but rests for longer than the run waited.
    pub rests_until: Option<u64>,
    /// The number of its documents that were not read, if the run gave up only those.
    pub documents: u64,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is left to fetch, except on hosts that were given up or are over their limit.
    Exhausted,
    /// `max_pages` are decided.
    PageLimit,
    /// The user asked to stop, or the time was up.
    Stopped,
}

/// The result of interpreting an answer, by the stage that takes it next.
#[derive(Debug)]
pub(crate) enum Meaning {
    /// For the recorder.
    Record(Record),
    /// For the frontier alone: the store records nothing.
    Event(Event),
    /// For the large lane of the interpreter, which reads the response again from its start.
    Large(Task, Response),
    /// For the lane of the documents, which reads the response again from its start.
    Document(Task, Response),
    /// For the browser.
    Render(Box<RenderJob>),
    /// The page of this row of the frontier was a wall. It is asked for again, after a rest of its host.
    Blocked(QueuedUrl),
}
