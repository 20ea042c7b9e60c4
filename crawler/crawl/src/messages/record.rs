//! What the recorder is told: outcomes, pages that wait for their verdicts, and requests of the frontier to the store.

use storage::{Discovered, HostRecord, Outcome, PageDraft, QueuedUrl, StoredRobots};
use url::Url;
use web::fetch::{CookieMarks, Response};

use super::{Errand, HostsWanted, Refill, RobotsAnswer, Taken};
use crate::admission::HostGroup;
use crate::exchange::Prepared;
use crate::steering::{Checkpoint, Turn};
use crate::walls::Notice;
use error::RunError;

/// A message to the recorder.
#[derive(Debug)]
pub(crate) enum Record {
    /// A page that waits for its verdict.
    Page(Box<ReadPage>),
    /// The outcome of a URL without a page.
    Outcome {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// The outcome.
        outcome: Outcome,
        /// URLs found in the answer.
        outlinks: Vec<Discovered>,
    },
    /// A URL that leads to another one.
    Redirect {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// The target, in canonical form.
        to: String,
        /// HTTP status; one of success (2xx) if the HTML of the page redirects.
        status: u16,
        /// The target as a link, and further URLs found in the answer.
        outlinks: Vec<Discovered>,
        /// The cookies of the request, and those for the target.
        cookies: CookieMarks,
    },
    /// A revisit that the server answered with 304.
    NotModified {
        /// Its row in the frontier.
        queued: QueuedUrl,
        /// The head of the answer.
        response: Response,
    },
    /// The run makes no more revisits: those that wait end without an answer.
    EndVisits,
    /// The URLs of a sitemap.
    Sitemap {
        /// The sitemap.
        url: Url,
        /// Pages.
        urls: Vec<Discovered>,
        /// Sitemaps that it names.
        further: Vec<Errand>,
        /// When the server answered, Unix ms; `None` if there was no answer, so that the next run asks again.
        fetched_at: Option<u64>,
    },
    /// A robots.txt that was fetched.
    Robots {
        /// The errand for it.
        errand: Errand,
        /// Its rules.
        answer: RobotsAnswer,
        /// The text to store; `None` if it is too long.
        stored: Option<StoredRobots>,
    },
    /// The frontier has left a group of hosts. Everything that it did there was sent before.
    Freed(HostGroup),
    /// The treatment of hosts.
    Hosts {
        /// By name.
        states: Vec<(String, HostRecord)>,
        /// Whether the run ends with this record.
        is_last: bool,
    },
    /// What steering has learned from the pages so far.
    Checkpoint(Checkpoint),
    /// It is time for a checkpoint, but the frontier has learned from a page that was taken back.
    LearnAgain(Turn),
    /// The run ends. An earlier, killed run may have sent requests that the store does not record.
    StaysInterrupted,
    /// The user gave orders.
    Orders(Box<Taken>),
    /// The frontier asks for more seeds.
    ReadSeeds,
    /// The frontier asks for hosts.
    LoadHosts(HostsWanted),
    /// The frontier asks for more of a host's URLs.
    Refill(Refill),
}

impl Record {
    /// Whether the recorder commits before it answers.
    #[must_use]
    pub fn commits(&self) -> bool {
        matches!(self, Self::Freed(_) | Self::EndVisits | Self::LoadHosts(_))
    }

    /// The bytes that it holds, approximately.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let of_links = |links: &[Discovered]| links.iter().map(held_bytes).sum::<usize>();
        match self {
            Self::Page(read) => read.held_bytes() + of_links(&read.page.outlinks),
            Self::Outcome { outlinks, .. } | Self::Redirect { outlinks, .. } => of_links(outlinks),
            Self::Sitemap { urls, .. } => of_links(urls),
            Self::Robots { stored, .. } => stored.as_ref().map_or(0, |stored| stored.text.len()),
            Self::NotModified { response, .. } => of_headers(response),
            Self::Checkpoint(checkpoint) => checkpoint.bytes(),
            Self::EndVisits
            | Self::Freed(_)
            | Self::Hosts { .. }
            | Self::LearnAgain(_)
            | Self::StaysInterrupted
            | Self::Orders(_)
            | Self::ReadSeeds
            | Self::LoadHosts(_)
            | Self::Refill(_) => 0,
        }
    }
}

/// The bytes of the header fields. A server may send about 400 kB of them.
fn of_headers(response: &Response) -> usize {
    let fields = response.headers.iter();
    fields.map(|(name, value)| name.as_str().len() + value.len()).sum()
}

fn held_bytes(link: &Discovered) -> usize {
    size_of::<Discovered>() + link.url.len() + link.host.len() + link.via.as_ref().map_or(0, String::len)
}

/// A page that was read, and its archive records.
#[derive(Debug)]
pub(crate) struct ReadPage {
    /// The page.
    pub page: UndecidedPage,
    /// Its archive records, as far as they can be made before the verdict.
    pub prepared: Result<Prepared, RunError>,
}

impl ReadPage {
    /// The bytes of everything that grows with the page, except its outlinks.
    fn held_bytes(&self) -> usize {
        self.page.held_bytes() + self.prepared.as_ref().map_or(0, Prepared::held_bytes)
    }
}

/// A page that waits for its verdict.
#[derive(Debug)]
pub(crate) struct UndecidedPage {
    /// Its row in the frontier.
    pub queued: QueuedUrl,
    /// The URL that was asked: the row's own, or another spelling of it.
    pub asked: Url,
    /// The page's record in the catalogue, still without a verdict.
    pub draft: PageDraft,
    /// The signature that the verdict compares.
    pub signature: dedup::Signature,
    /// The extracted text.
    pub text: String,
    /// The head of the response, for the archive. It has no body.
    pub response: Response,
    /// Links that belong to the crawl.
    pub outlinks: Vec<Discovered>,
    /// The notice that the page is, if walls are recognised.
    pub notice: Option<Notice>,
}

impl UndecidedPage {
    fn held_bytes(&self) -> usize {
        let draft = &self.draft;
        let short = [&draft.title, &draft.content_type, &draft.encoding];
        size_of::<Self>()
            + self.text.len()
            + of_headers(&self.response)
            + short.iter().map(|text| text.len()).sum::<usize>()
            + draft.canonical.as_ref().map_or(0, String::len)
            + draft.signature.len()
            + self.signature.shingles.len() * size_of::<u64>()
    }
}
