//! The fetch stage: one tokio task per request.

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Sender;
use encoding_rs::Encoding;
use reqwest::header::HeaderMap;
use tokio::sync::mpsc;
use tracing::Instrument as _;
use url::Url;
use web::fetch::{FetchError, Fetcher, Login, Response, Route, Wanted};
use web::memory_budget::MemoryBudget;
use web::open_files::{self, Connections};
use web::politeness::{Contact, HostSignal};

use super::Answer;
use super::spans::HostSpans;
use crate::fair_queue::FairSender;
use crate::interpret::Lane;
use crate::login::LoginStep;
use crate::messages::{Errand, Event, GroupEvent, Passage, Task};
use crate::revisits;
use crate::stats::{Stats, UnderWay};
use config::settings::{Logins, Settings};
use error::RunError;

/// The network threads, one for each core. A thread that has nothing to do costs nothing, and encrypted transfers take up to a quarter of
/// all processor time.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, RunError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(super::cores(2))
        .build()
        .map_err(|source| RunError::io("start", "the network threads", source))
}

/// The settings, with no more requests and connections than the limit on open files allows.
pub(super) fn within_open_files(settings: &Settings) -> Result<Settings, RunError> {
    let mut settings = settings.clone();
    let Some(limit) = open_files::raise_limit() else {
        return Ok(settings);
    };
    let connections = Connections::within(limit, settings.fetch.parallel)?;
    if connections.requests < settings.fetch.parallel {
        tracing::warn!(
            "fetch.parallel = {}, but this process may have {limit} files open, which is enough for {} requests at a time: raise the \
             limit (ulimit -n) for a faster crawl",
            settings.fetch.parallel,
            connections.requests
        );
    }
    settings.fetch.parallel = connections.requests;
    settings.fetch.max_connections = connections.requests + connections.kept;
    Ok(settings)
}

/// Makes requests, and sends their answers to the parse threads.
pub(super) struct Network {
    fetcher: Fetcher,
    /// The request for a page.
    page: Wanted,
    small: Sender<Answer>,
    large: FairSender<Answer>,
    events: mpsc::Sender<Event>,
    pub stats: Arc<Stats>,
    logins: Logins,
    spans: HostSpans,
}

impl Network {
    /// A network stage whose open responses hold at most `memory_bytes`.
    pub fn new(
        settings: &Settings,
        memory_bytes: usize,
        small: Sender<Answer>,
        large: FairSender<Answer>,
        events: mpsc::Sender<Event>,
        stats: Arc<Stats>,
    ) -> Result<Self, RunError> {
        Ok(Self {
            page: settings.wanted_page(),
            fetcher: Fetcher::new(&settings.fetch, MemoryBudget::new(memory_bytes)).map_err(RunError::Client)?,
            small,
            large,
            events,
            stats,
            logins: settings.logins.clone(),
            spans: HostSpans::new(),
        })
    }

    /// What makes the requests, with the cookies of the run.
    pub fn fetcher(&self) -> Fetcher {
        self.fetcher.clone()
    }

    /// Starts to look up the host's name, and returns at once.
    pub fn look_up(&self, host: String) {
        let (fetcher, events) = (self.fetcher.clone(), self.events.clone());
        tokio::spawn(async move {
            let name = host.clone();
            // The look-up has a task of its own: if a library panics, only this look-up fails, and the frontier still learns that it has
            // ended.
            let route = tokio::spawn(async move { fetcher.look_up(&name).await }).await;
            let route = route.unwrap_or_else(|panic| Route::Unresolved(FetchError::Dns(panic.to_string())));
            if events.send(Event::LookedUp { host, route }).await.is_err() {
                tracing::debug!("a name was looked up after the end of the run");
            }
        });
    }

    /// Starts the request, and returns at once. The request ends with its permit.
    pub fn fetch(&self, task: Task, passage: Passage) {
        let Passage { route, permit } = passage;
        let (fetcher, events, stats) = (self.fetcher.clone(), self.events.clone(), self.stats.clone());
        let (small, large) = (self.small.clone(), self.large.clone());
        let page = self.page.clone();
        let form = self.form(&task);
        let span = self.spans.fetch(&task, url(&task));
        let under_way = UnderWay::begin(stats.clone(), url(&task));
        let has_proxy = self.fetcher.has_proxy();
        let repeating = self.fetcher.clone();
        tokio::spawn(async move {
            let (host, wanted, conditions) = parts(&task, page);
            let (host, url) = (host.to_owned(), url(&task).clone());
            let began = Instant::now();
            // A task of its own: if a library panics, only this request fails, and its ticket still ends.
            let fetched = async move {
                let request = async {
                    match form {
                        None => fetcher.get_by(&route, &url, wanted, conditions).await,
                        Some(form) => {
                            let (from, fields) = (&form.page, (&form.fields[..], form.encoding));
                            fetcher
                                .log_in_by(&route, &form.login, (from, &url), fields, wanted)
                                .await
                        }
                    }
                };
                permit.guard(request).await
            };
            let answer = tokio::spawn(fetched.instrument(span)).await;
            drop(under_way);
            let answer = answer.unwrap_or_else(|panic| Some(Err(FetchError::Protocol(panic.to_string()))));
            let Some(answer) = answer else {
                tracing::debug!(host, "a request was cut off at the end of its permit");
                let cut_off = Event::Groups(GroupEvent::CutOff(Box::new(task)));
                if events.send(cut_off).await.is_err() {
                    tracing::debug!("a request was cut off after the end of the run");
                }
                return;
            };
            stats.request(began.elapsed(), held_bytes(&answer) as u64);
            stats.repeats(repeating.take_repeats());
            let ended = Event::RequestEnded {
                host,
                signal: signal(&task, &answer, has_proxy),
                failure: failure(&task, &answer),
                contact: contact(&answer),
            };
            if let Task::Errand {
                errand: Errand::Subrequest(subrequest),
                ..
            } = &task
            {
                subrequest.answer(answer);
                // Both fail only after the end of the run.
                if events.send(ended).await.is_ok() && events.send(Event::SubrequestEnded).await.is_err() {
                    tracing::debug!("a request of a page ended after the end of the run");
                }
                return;
            }
            // Sending fails only if the run has ended or failed.
            let is_sent = match Lane::of(&answer) {
                Lane::Small => events.send(ended).await.is_ok() && small.send((task, answer)).is_ok(),
                Lane::Large | Lane::Documents => {
                    let host = task.host().to_owned();
                    let bytes = held_bytes(&answer);
                    // The frontier must know of it before the gate of the host opens again.
                    let entered = Event::LaneEntered {
                        host: host.clone(),
                        bytes,
                    };
                    events.send(entered).await.is_ok()
                        && events.send(ended).await.is_ok()
                        && large.send(&host, (task, answer))
                }
            };
            if !is_sent {
                tracing::debug!("an answer came after the end of the run");
            }
        });
    }
}

/// The form of a log-in that is to be sent.
struct SentForm {
    login: Arc<Login>,
    /// The page with the form.
    page: Url,
    /// The fields that the configuration does not fill in.
    fields: Vec<(String, String)>,
    encoding: &'static Encoding,
}

impl Network {
    /// The form that the request sends; `None` for a request without one.
    fn form(&self, task: &Task) -> Option<SentForm> {
        let Task::Errand {
            errand: Errand::Login(errand),
            ..
        } = task
        else {
            return None;
        };
        let LoginStep::Send(page, form) = &errand.step else {
            return None;
        };
        let fields = form
            .fields
            .iter()
            .map(|field| (field.name.clone(), field.value.clone()));
        Some(SentForm {
            login: Arc::clone(&self.logins.all().get(errand.login)?.login),
            page: page.clone(),
            fields: fields.collect(),
            encoding: form.encoding,
        })
    }
}

/// The host to ask, the kind of document, and the header fields of the request alone.
fn parts(task: &Task, page: Wanted) -> (&str, Wanted, HeaderMap) {
    match task {
        Task::Page { queued, url } => {
            let conditions = revisits::conditions(queued, url).map(revisits::fields);
            (&queued.host, page, conditions.unwrap_or_default())
        }
        Task::Errand { host, errand } => match errand {
            Errand::Sitemap { .. } => (host, Wanted::Sitemap, HeaderMap::new()),
            Errand::Robots { .. } => (host, Wanted::Robots, HeaderMap::new()),
            Errand::Login(_) => (host, page, HeaderMap::new()),
            Errand::Subrequest(subrequest) => (host, Wanted::Resource, subrequest.fields().clone()),
        },
    }
}

pub(super) fn url(task: &Task) -> &Url {
    match task {
        Task::Page { url, .. } => url,
        Task::Errand { errand, .. } => errand.url(),
    }
}

/// The bytes of the body, in its Content-Encoding.
pub(super) fn held_bytes(answer: &Result<Response, FetchError>) -> usize {
    let body = answer.as_ref().ok().and_then(|response| response.body.as_ref());
    body.map_or(0, |body| body.len())
}

/// The effect of an answer on politeness towards its host.
fn signal(task: &Task, answer: &Result<Response, FetchError>, has_proxy: bool) -> HostSignal {
    match answer {
        Ok(response) if matches!(response.status, 429 | 503) => HostSignal::Busy {
            retry_after: response.retry_after(),
        },
        // Without its robots.txt, nothing may be fetched from the host, so the failure counts against the host.
        Ok(response) if response.status >= 500 && task.is_robots() => match response.retry_after() {
            None => HostSignal::Unreachable,
            retry_after => HostSignal::Busy { retry_after },
        },
        // Behind a proxy, it may be the proxy that is not there.
        Err(error) if error.finds_no_server() && !has_proxy => HostSignal::Absent,
        // An incomplete robots.txt counts as a failure of the host, as no answer does.
        Err(error) if error.concerns_host() || task.is_robots() && error.is_transient() => HostSignal::Unreachable,
        Err(_) => HostSignal::Answered,
        Ok(response) if matches!(response.status, 500 | 502 | 504) => HostSignal::Faulty {
            retry_after: response.retry_after(),
            attempts: match task {
                Task::Page { queued, .. } => Some(queued.attempts),
                Task::Errand { .. } => None,
            },
        },
        Ok(response) => match response.retry_after().filter(|_| asks_for_rest(url(task), response)) {
            Some(asked) => HostSignal::Waits(asked),
            None => HostSignal::Answered,
        },
    }
}

/// Whether a `Retry-After` concerns the host, besides those of 429 and the server errors (RFC 9110, sections 10.2.3 and 15.5.14). That of a redirect
/// concerns the redirected request, which may go to another host.
fn asks_for_rest(url: &Url, response: &Response) -> bool {
    match response.status {
        403 | 408 | 413 => true,
        300..=399 => {
            let target = response.redirect_target(url).and_then(Result::ok);
            target.is_some_and(|target| target.origin() == url.origin())
        }
        _ => false,
    }
}

fn contact(answer: &Result<Response, FetchError>) -> Contact {
    answer.as_ref().map_or_else(
        |_failed| Contact::default(),
        |response| Contact {
            address: response.remote.map(|remote| remote.ip()),
            latency: Some(response.latency),
        },
    )
}

fn failure(task: &Task, answer: &Result<Response, FetchError>) -> Option<String> {
    match answer {
        Ok(response) if response.status == 429 || response.status >= 500 => {
            Some(format!("HTTP status {}", response.status))
        }
        Ok(response) if asks_for_rest(url(task), response) && response.retry_after().is_some() => {
            Some(format!("HTTP status {} with Retry-After", response.status))
        }
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    }
}
