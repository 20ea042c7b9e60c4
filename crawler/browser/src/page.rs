//! One page: from its document to its tree.

mod course;
mod requests;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use url::Url;

use crate::clock::Clock;
use crate::connection::{Connection, Event};
use crate::document::Document;
use crate::error::RenderError;
use crate::finish::Finish;
use crate::hook::Hook;
use crate::open::Open;
use crate::refusal::{Refusal, Refusals};
use crate::resources::Resources;
use crate::session;
use crate::settings::Settings;
use requests::Answered;

/// The tree of a page as HTML.
const SERIALIZE: &str = include_str!("serialize.js");

/// How long the browser itself may take for a command that does not depend on the page.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How long a page may take to answer at the end of its time.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// Most links by navigations and windows that are kept of a page.
const MAX_LINKS: usize = 100;

/// A rendered page.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    /// The tree as HTML, without `noscript`, and with open shadow trees in their places.
    pub html: String,
    /// The address that scripts gave the page, if it is another (`history.pushState`).
    pub url: Option<Url>,
    /// The targets of navigations and new windows that scripts asked for.
    pub links: Vec<Url>,
    /// Requests that the caller answered, without those from its cache.
    pub requests: u32,
    /// Requests that the caller answered from its cache.
    pub cached: u32,
    /// Bytes of the bodies of all answers.
    pub bytes: u64,
    /// Requests that were refused.
    pub refused: Refusals,
    /// Why it was read when it was.
    pub ending: Ending,
    /// Time from the start to the tree, without the time that requests waited for their turn.
    pub elapsed: Duration,
}

impl Rendered {
    /// Whether the page may say more when it is rendered again: its time or that of a request was up, and the page itself was not the cause.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.ending == Ending::CutOff || self.refused.contains_key(&Refusal::NoTurn)
    }
}

/// Why a page was read when it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// It was finished.
    #[default]
    Finished,
    /// It had used its time up, and still changed or computed. It would do so another time, too.
    Restless,
    /// The machine or a server did not give it its time.
    CutOff,
}

/// A page at work.
pub(crate) struct Page<'a, R> {
    connection: &'a Connection,
    settings: &'a Settings,
    document: &'a Document,
    /// The CSS selector of an element without which the page is not finished.
    wait_for: Option<&'a str>,
    resources: Arc<R>,
    events: mpsc::Receiver<Event>,
    answers: JoinSet<Answered>,
    target: String,
    session: String,
    hook: Hook,
    /// The sessions of its workers.
    workers: Vec<String>,
    /// Whether the document was answered.
    is_served: bool,
    /// The context of an isolated world, in which scripts of the page change nothing.
    world: Option<u64>,
    finish: Finish,
    clock: Clock,
    awaits_frames: bool,
    given_up: Option<Ending>,
    /// Requests that wait for the caller's answer.
    open: Open,
    /// How often it has asked for data, by URL without the numbers of the query.
    asked: HashMap<Url, u32>,
    polls: bool,
    rendered: Rendered,
}

impl<'a, R: Resources> Page<'a, R> {
    pub fn new(
        connection: &'a Connection,
        settings: &'a Settings,
        document: &'a Document,
        wait_for: Option<&'a str>,
        resources: Arc<R>,
        events: mpsc::Receiver<Event>,
    ) -> Self {
        Self {
            connection,
            settings,
            document,
            wait_for,
            resources,
            events,
            answers: JoinSet::new(),
            target: String::new(),
            session: String::new(),
            hook: Hook::new(),
            workers: Vec::new(),
            is_served: false,
            world: None,
            finish: Finish::new(settings.timeout),
            clock: Clock::default(),
            awaits_frames: false,
            given_up: None,
            open: Open::default(),
            asked: HashMap::new(),
            polls: false,
            rendered: Rendered::default(),
        }
    }

    /// Loads the document in this browser context, waits until the page is finished or its time is up, and returns its tree.
    pub async fn run(mut self, context: &str) -> Result<Rendered, RenderError> {
        let start = Instant::now();
        let connection = self.connection;
        let wanted = json!({
            "url": "about:blank", "browserContextId": context, "newWindow": true, "width": 1280, "height": 1024,
        });
        let made = connection.call("", "Target.createTarget", wanted, PATIENCE).await?;
        self.target = made["targetId"].as_str().unwrap_or_default().to_owned();
        while self.session.is_empty() {
            let event = tokio::time::timeout(PATIENCE, self.events.recv()).await;
            self.on(event.map_err(|_elapsed| RenderError::Ended)?).await?;
        }
        // The empty page must be there: a renderer that is told to load another before crashes now and then.
        let (session, is_there) = (self.session.clone(), json!({ "expression": "1" }));
        let mut patience = self.patience(PATIENCE).await;
        self.call(&session, "Runtime.evaluate", is_there, &mut patience).await?;
        let navigate = json!({ "url": self.document.url.as_str() });
        connection.send(&self.session, "Page.navigate", navigate).await?;
        let mut patience = self.patience(self.settings.timeout).await;
        self.rendered.ending = self.finish(&mut patience).await?;

        let limit = self.settings.max_html_bytes;
        let arguments = json!([self.document.url.as_str(), limit]);
        let mut patience = self.patience(LAST_PATIENCE).await;
        let tree = self.ask(SERIALIZE, &arguments, &mut patience).await?;
        let html = tree["html"].as_str().filter(|html| html.len() <= limit);
        self.rendered.html = html.ok_or(RenderError::TooLong { limit })?.to_owned();
        let url = tree["url"].as_str().and_then(|url| Url::parse(url).ok());
        self.rendered.url = url.filter(|url| *url != self.document.url && is_web(url));
        self.rendered.elapsed = start.elapsed().saturating_sub(self.open.waited());
        Ok(self.rendered)
    }

    async fn on(&mut self, event: Option<Event>) -> Result<(), RenderError> {
        let Some(event) = event else {
            return Err(if self.connection.has_ended() {
                RenderError::Ended
            } else {
                RenderError::Flood
            });
        };
        let params = &event.params;
        match event.method.as_str() {
            "Target.attachedToTarget" => self.attached(params).await,
            "Fetch.requestPaused" => self.paused(event.session, params).await,
            "Page.windowOpen" => {
                self.link(params["url"].as_str());
                Ok(())
            }
            "Page.javascriptDialogOpening" => {
                let dismiss = json!({ "accept": false });
                self.connection
                    .send(&event.session, "Page.handleJavaScriptDialog", dismiss)
                    .await
            }
            "Emulation.virtualTimeBudgetExpired" if event.session == self.session => {
                self.clock.stopped();
                Ok(())
            }
            "Inspector.targetCrashed" if event.session == self.session => Err(RenderError::Crashed),
            "Target.detachedFromTarget" if params["sessionId"] == self.session.as_str() => Err(RenderError::Crashed),
            "Target.detachedFromTarget" => {
                self.workers.retain(|worker| params["sessionId"] != worker.as_str());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A new target: the page itself, a worker of it, or something that has no place here.
    async fn attached(&mut self, params: &Value) -> Result<(), RenderError> {
        let session = params["sessionId"].as_str().unwrap_or_default();
        let (kind, target) = (&params["targetInfo"]["type"], &params["targetInfo"]["targetId"]);
        let is_own = kind == "page" && target == self.target.as_str();
        if is_own {
            self.session = session.to_owned();
        }
        if is_own || kind == "iframe" || kind == "worker" || kind == "shared_worker" {
            if !is_own {
                self.finish.has_worker();
            }
            if kind == "worker" || kind == "shared_worker" {
                self.workers.push(session.to_owned());
            }
            return session::set_up(self.connection, session, is_own.then_some(&self.hook)).await;
        }
        if kind == "page" {
            self.refuse(Refusal::Popup);
            self.link(params["targetInfo"]["url"].as_str());
        }
        // A window that waits would hold up the script that opened it. What it asks for until it is closed is refused.
        session::set_up(self.connection, session, None).await?;
        let close = json!({ "targetId": target });
        self.connection.send("", "Target.closeTarget", close).await
    }

    fn refuse(&mut self, refusal: Refusal) {
        *self.rendered.refused.entry(refusal).or_default() += 1;
    }

    fn link(&mut self, url: Option<&str>) {
        let url = url.and_then(|url| Url::parse(url).ok()).filter(is_web);
        let links = &mut self.rendered.links;
        if let Some(url) = url.filter(|url| links.len() < MAX_LINKS && !links.contains(url)) {
            links.push(url);
        }
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}
