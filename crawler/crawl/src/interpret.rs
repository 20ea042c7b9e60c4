//! Turns a response into its meaning: a page into text, signature and links; robots.txt into rules; a sitemap into URLs; anything
//! else into the outcome to record. The parse threads run it. It does no I/O.

mod costly_documents;
mod errand;
mod lane;
mod login;
mod read;
pub mod redirect;
mod rendered;
mod seen_texts;
mod walls;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dedup::Analyzer;
use storage::{Discovered, Outcome, QueuedUrl, Visit, stored_text};
use url::{Position, Url};
use web::canonicalize;
use web::fetch::{FetchError, Response, content_encoding};
use web::host_key::HostKey;

use crate::clock::unix_millis;
use crate::exchange::ArchivedRequests;
use crate::messages::{Errand, Event, Meaning, Record, RobotsAnswer, Task};
use crate::render::Rendering;
use crate::revisits;
use crate::scope::{Outside, Scope};
use crate::stats::Stats;
use config::settings::Settings;
use costly_documents::CostlyDocuments;
use lane::Unpacked;
use redirect::Redirection;
use seen_texts::SeenTexts;
use walls::Walls;

pub use errand::RobotsReader;
pub use lane::Lane;

/// Bound on the bytes of URLs taken from one document: about 20,000 URLs of usual length. A hostile base URL can make each of them
/// long.
const MAX_LINK_BYTES: usize = 2 * 1024 * 1024;

/// The priorities of new URLs: seeds and links go before URLs that only a sitemap names.
pub(crate) const PRIORITY_LINK: u8 = 0;
const PRIORITY_SITEMAP: u8 = 1;

/// Turns responses into their meaning. The parse threads share it.
#[derive(Debug)]
pub struct Interpreter {
    settings: Settings,
    analyzer: Analyzer,
    requests: ArchivedRequests,
    seen_texts: SeenTexts,
    scope: Arc<Scope>,
    /// Which pages a browser renders; `None` if it renders none.
    rendering: Option<Arc<Rendering>>,
    costly_documents: CostlyDocuments,
    walls: Walls,
    stats: Arc<Stats>,
    /// Whether the operator was warned that the address policy refuses a host.
    has_warned_of_refusal: AtomicBool,
}

/// An answer whose body is unpacked.
#[derive(Debug)]
pub struct Opened {
    task: Task,
    answer: Result<Response, FetchError>,
    /// The lane in which it is read.
    lane: Lane,
}

impl Opened {
    /// What was asked for.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// About the most memory in bytes that its interpretation takes.
    #[must_use]
    pub fn reading_bytes(&self) -> usize {
        let body = self.answer.as_ref().ok().and_then(|response| response.body.as_ref());
        match (body, &self.task) {
            (Some(body), Task::Page { .. }) => page::reading_bytes(body),
            // The form of a log-in is read as a page, without its text. A sitemap is read as a stream.
            (Some(body), Task::Errand { .. }) => 2 * body.len(),
            (None, _) => 0,
        }
    }
}

/// A host of the links of a page, and whether the scope admits them. Links that are too deep go on: a shorter path may be found later.
type AskedHost = (String, Result<(), Outside>);

impl Interpreter {
    /// An interpreter by `settings` for a crawl of `scope`.
    #[must_use]
    pub fn new(settings: Settings, scope: Arc<Scope>, stats: Arc<Stats>) -> Self {
        Self {
            analyzer: settings.analyzer(),
            requests: ArchivedRequests::new(&settings),
            seen_texts: SeenTexts::default(),
            settings,
            scope,
            rendering: None,
            costly_documents: CostlyDocuments::default(),
            walls: Walls::default(),
            stats,
            has_warned_of_refusal: AtomicBool::new(false),
        }
    }

    /// An interpreter that lets a browser render some pages.
    #[must_use]
    pub fn with_browser(self, rendering: Option<Arc<Rendering>>) -> Self {
        Self { rendering, ..self }
    }

    /// The answer to `task` with its body unpacked.
    ///
    /// # Errors
    /// It belongs to another lane than `lane`, with its body still packed: [`Meaning::Large`] or [`Meaning::Document`].
    pub fn open(&self, task: Task, answer: Result<Response, FetchError>, lane: Lane) -> Result<Opened, Box<Meaning>> {
        let answer = match answer {
            Ok(response) if task.is_robots() => lane::unpack_robots(response),
            Ok(response) => {
                let packed = response.body.clone();
                match lane::unpack(response, self.max_unpacked_bytes(&task), lane) {
                    Unpacked::Ready(Ok(response)) if lane != Lane::Documents && self.is_document(&task, &response) => {
                        let response = Response {
                            body: packed,
                            ..response
                        };
                        return Err(Box::new(Meaning::Document(task, response)));
                    }
                    Unpacked::Ready(answer) => answer,
                    Unpacked::TooLarge(response) => return Err(Box::new(Meaning::Large(task, response))),
                }
            }
            Err(error) => Err(error),
        };
        Ok(Opened { task, answer, lane })
    }

    /// The meaning of an answer.
    #[must_use]
    pub fn interpret(&self, opened: Opened) -> Meaning {
        let Opened { task, answer, lane } = opened;
        match task {
            Task::Page { queued, url } => match answer {
                Ok(_) if lane == Lane::Documents && self.costly_documents.are_given_up(&queued) => {
                    self.leave_document(queued)
                }
                Ok(response) => self.page(queued, &url, response),
                Err(error) => Meaning::Record(self.failed_fetch(queued, &error)),
            },
            Task::Errand { errand, .. } => match errand {
                Errand::Robots { .. } => self.robots(errand, answer),
                Errand::Sitemap { .. } => self.sitemap(errand, answer),
                // The page has its answer.
                Errand::Subrequest(_) => Meaning::Event(Event::SubrequestEnded),
                Errand::Login(errand) => self.login(*errand, answer),
            },
        }
    }

    /// About the most memory that the body of an answer may take when it is unpacked; 0 if it is not packed.
    #[must_use]
    pub fn unpacking_bytes(&self, task: &Task, answer: &Result<Response, FetchError>) -> usize {
        let coding = answer
            .as_ref()
            .ok()
            .and_then(|response| content_encoding::named_in(&response.headers));
        coding.map_or(0, |_coding| self.max_unpacked_bytes(task))
    }

    /// Whether another process has to read the answer, for which a thread waits.
    fn is_document(&self, task: &Task, response: &Response) -> bool {
        let is_page = matches!(task, Task::Page { .. }) && has_document(response);
        let body = response.body.as_ref().filter(|_| is_page);
        body.is_some_and(|body| page::is_read_apart(body, &response.headers, self.settings.documents))
    }

    /// Bound on the bytes of a body without its Content-Encoding.
    fn max_unpacked_bytes(&self, task: &Task) -> usize {
        let of_page = self.settings.fetch.max_body_bytes;
        match task {
            Task::Page { .. } => of_page,
            Task::Errand { errand, .. } => errand::max_unpacked_bytes(errand, of_page),
        }
    }

    fn page(&self, queued: QueuedUrl, url: &Url, response: Response) -> Meaning {
        if let Some(logged_out) = self.logged_out(&queued, url, &response) {
            return logged_out;
        }
        if let Some(redirection) = Redirection::of_response(url, &response) {
            return self.redirect(queued, url, redirection, &response);
        }
        match response.body.clone().filter(|_| has_document(&response)) {
            Some(body) => self.read(queued, url, response, body),
            None => Meaning::Record(self.no_document(queued, url, response)),
        }
    }

    /// The record of a response without a body to read.
    fn no_document(&self, queued: QueuedUrl, url: &Url, response: Response) -> Record {
        // If the request was not conditional, a 304 does not say that the page is unchanged.
        if response.status == 304 && revisits::conditions(&queued, url).is_some() {
            return self.not_modified(queued, response);
        }
        if !response.is_success() {
            return self.failed_status(queued, &response);
        }
        if !response.has_content() {
            let reason = format!("HTTP status {}: no content", response.status);
            return self.no_page(queued, url, &response, reason);
        }
        let media_type = page::declared_media_type(&response.headers).unwrap_or_default();
        let reason = stored_text(&page::NotAPage::MediaType(media_type).to_string());
        self.no_page(queued, url, &response, reason)
    }

    /// The record of an answer without a page. A revisit counts as missing and not as excluded, because the page may be
    /// back the next time.
    fn no_page(&self, queued: QueuedUrl, url: &Url, response: &Response, reason: String) -> Record {
        let outlinks = self.links_of_header(&queued, url, response);
        match queued.revisits {
            Some(_) => missing(queued, response, outlinks),
            None => excluded(queued, reason, outlinks),
        }
    }

    fn warn_of_refusal(&self, host: &str, error: &FetchError) {
        if matches!(error, FetchError::ForbiddenAddress(_)) && !self.has_warned_of_refusal.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "refused to connect to {host}: {error} (only the first refusal is shown here; the report lists all)"
            );
        }
    }

    fn failed_fetch(&self, queued: QueuedUrl, error: &FetchError) -> Record {
        self.warn_of_refusal(&queued.host, error);
        if error.is_transient() && queued.attempts < self.settings.politeness.max_retries {
            return tried_again(queued);
        }
        failed(queued, error.kind(), None, error.to_string())
    }

    /// The record of a 304, whose header fields are those of the page: its `X-Robots-Tag` may exclude the page.
    fn not_modified(&self, queued: QueuedUrl, response: Response) -> Record {
        let robots = page::x_robots_tag(&response.headers, &self.settings.product);
        match robots.why_not_stored(response.fetched_at) {
            Some(reason) => excluded(queued, reason.into(), Vec::new()),
            None => Record::NotModified { queued, response },
        }
    }

    fn failed_status(&self, queued: QueuedUrl, response: &Response) -> Record {
        let status = response.status;
        if queued.revisits.is_some() && matches!(status, 404 | 410) {
            return missing(queued, response, Vec::new());
        }
        if may_pass(status) && queued.attempts < self.settings.politeness.max_retries {
            return tried_again(queued);
        }
        failed(
            queued,
            &format!("http_{status}"),
            Some(status),
            self.status_in_words(response),
        )
    }

    /// The status, and the wall behind it, if the header names one.
    fn status_in_words(&self, response: &Response) -> String {
        let status = response.status;
        match page::wall_by_header(&response.headers).filter(|_| self.settings.walls) {
            Some(wall) => format!("HTTP status {status}, {wall}"),
            None => format!("HTTP status {status}"),
        }
    }

    /// The links to hosts of the crawl, in canonical form, up to [`MAX_LINK_BYTES`]. Links out of the scope are counted. Those that are too
    /// deep are among the returned ones: the store decides on them by the depths that the URLs have then.
    fn discover(&self, links: impl Iterator<Item = Url>, depth: u16, redirects: u8, priority: u8) -> Vec<Discovered> {
        // The links of a page are of few hosts: each is looked up once.
        let mut admitted: HashMap<String, Option<AskedHost>> = HashMap::new();
        let mut bytes = 0;
        let mut within_bound = |link: &Discovered| {
            bytes += link.url.len();
            bytes <= MAX_LINK_BYTES
        };
        links
            .filter_map(|link| {
                let url = canonicalize::into_canonical(link, &self.settings.canonicalize).ok()?;
                let authority = &url.url()[..Position::BeforePath];
                if !admitted.contains_key(authority) {
                    let host = HostKey::from_url(url.url()).map(|host| {
                        let decided = match self.scope.admits_at_last(&host, depth) {
                            Err(Outside::Depth) => self.scope.admits_at_last(&host, 0).and(Err(Outside::Depth)),
                            decided => decided,
                        };
                        (String::from(host), decided)
                    });
                    admitted.insert(authority.to_owned(), host);
                }
                let (host, decided) = admitted.get(authority)?.as_ref()?;
                match decided {
                    Ok(()) => {}
                    Err(Outside::Depth) => self.stats.link_too_deep(),
                    Err(Outside::Host) => self.stats.link_to_other_host(host),
                }
                (*decided != Err(Outside::Host)).then(|| Discovered {
                    host: host.clone(),
                    url: url.into(),
                    depth,
                    redirects,
                    priority,
                    via: None,
                })
            })
            .take_while(|link| within_bound(link))
            .collect()
    }
}

/// Whether a later request may succeed after one that had this status.
fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

/// Whether the response is one whose body may be a page.
fn has_document(response: &Response) -> bool {
    response.is_success() && response.has_content()
}

/// The record of a URL that is asked for again.
#[must_use]
pub fn tried_again(queued: QueuedUrl) -> Record {
    outcome(queued, Outcome::Retry)
}

/// The meaning of an answer whose interpretation panicked: a failure.
#[must_use]
pub fn panicked(task: Task) -> Meaning {
    match task {
        Task::Page { queued, .. } => panicked_page(queued),
        Task::Errand { errand, .. } => match errand {
            Errand::Robots { .. } => Meaning::Event(Event::Robots {
                errand,
                answer: RobotsAnswer::Unreachable("a parser panicked".into()),
            }),
            Errand::Sitemap { url, .. } => Meaning::Record(Record::Sitemap {
                url,
                urls: Vec::new(),
                further: Vec::new(),
                fetched_at: None,
            }),
            Errand::Subrequest(_) => Meaning::Event(Event::SubrequestEnded),
            Errand::Login(errand) => login::panicked(errand),
        },
    }
}

/// The meaning of a page whose interpretation panicked.
#[must_use]
pub fn panicked_page(queued: QueuedUrl) -> Meaning {
    tracing::error!(url = %queued.url, "a parser panicked on this page; please report it");
    let detail = "a parser panicked on this page".into();
    Meaning::Record(failed(queued, "parser_panic", None, detail))
}

fn outcome(queued: QueuedUrl, outcome: Outcome) -> Record {
    Record::Outcome {
        queued,
        outcome,
        outlinks: Vec::new(),
    }
}

fn excluded(queued: QueuedUrl, reason: String, outlinks: Vec<Discovered>) -> Record {
    Record::Outcome {
        queued,
        outcome: Outcome::Excluded { reason },
        outlinks,
    }
}

/// The outcome of a revisit to a page that the server does not have, at least for the time being.
fn missing(queued: QueuedUrl, response: &Response, outlinks: Vec<Discovered>) -> Record {
    let outcome = Outcome::Visited {
        visit: Visit::Missing,
        at: unix_millis(response.fetched_at),
        wire_bytes: response.wire_bytes,
        capture: None,
    };
    Record::Outcome {
        queued,
        outcome,
        outlinks,
    }
}

fn failed(queued: QueuedUrl, kind: &str, status: Option<u16>, detail: String) -> Record {
    let (kind, detail) = (kind.to_owned(), stored_text(&detail));
    outcome(queued, Outcome::Failed { kind, status, detail })
}
