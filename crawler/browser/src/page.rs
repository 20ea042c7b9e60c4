//! One page: from its document to its tree.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use url::Url;

use crate::connection::{Connection, Event};
use crate::document::Document;
use crate::error::RenderError;
use crate::finish::{Finish, Look, STEP, Step};
use crate::refusal::{Refusal, Refusals};
use crate::resources::{Kind, Request, Resource, Resources};
use crate::session::{self, Asked};
use crate::settings::Settings;

/// What a page looks like at a moment: `[is parsed, has the awaited element, digest, has drawn frames]`.
const LOOK: &str = include_str!("look.js");

/// Notes when two frames were drawn from now on.
const DRAW: &str = include_str!("draw.js");

/// The tree of a page as HTML.
const SERIALIZE: &str = include_str!("serialize.js");

/// Scrolls to the end; whether there was anything below.
const SCROLL: &str =
    "(() => { const before = scrollY; scrollTo(0, document.documentElement.scrollHeight); return scrollY > before; })";

/// How long the browser itself may take for a command that does not depend on the page.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

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
    /// Whether the page was finished before its time was up.
    pub is_finished: bool,
    /// Time from the start to the tree, without the time that requests waited for their turn.
    pub elapsed: Duration,
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
    /// Whether the document was answered.
    is_served: bool,
    /// The context of an isolated world, in which scripts of the page change nothing.
    world: Option<u64>,
    finish: Finish,
    deadline: Instant,
    waited: Duration,
    /// Requests that wait for the caller's answer.
    open: usize,
    rendered: Rendered,
}

/// An answer for a paused request.
struct Answered {
    session: String,
    id: String,
    resource: Option<Resource>,
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
        let now = Instant::now();
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
            is_served: false,
            world: None,
            finish: Finish::new(settings.quiet, settings.timeout),
            deadline: now + settings.timeout,
            waited: Duration::ZERO,
            open: 0,
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
        self.deadline = Instant::now() + self.settings.timeout;
        // The empty page must be there: a renderer that is told to load another before crashes now and then.
        let is_there = json!({ "expression": "1" });
        self.call("Runtime.evaluate", is_there, PATIENCE).await?;
        let navigate = json!({ "url": self.document.url.as_str() });
        connection.send(&self.session, "Page.navigate", navigate).await?;
        self.rendered.is_finished = self.wait().await?;

        let limit = self.settings.max_html_bytes;
        let arguments = json!([self.document.url.as_str(), limit]);
        let tree = self.ask(SERIALIZE, &arguments).await?;
        let html = tree["html"].as_str().filter(|html| html.len() <= limit);
        self.rendered.html = html.ok_or(RenderError::TooLong { limit })?.to_owned();
        let url = tree["url"].as_str().and_then(|url| Url::parse(url).ok());
        self.rendered.url = url.filter(|url| *url != self.document.url && is_web(url));
        self.rendered.elapsed = start.elapsed().saturating_sub(self.waited);
        Ok(self.rendered)
    }

    /// Answers requests and looks at the page until it is finished. Returns whether it was before its time was up.
    async fn wait(&mut self) -> Result<bool, RenderError> {
        let mut scrolls = self.settings.scrolls;
        loop {
            let now = Instant::now();
            if now >= self.deadline {
                return Ok(false);
            }
            let look_at = self.finish.next_look();
            if look_at.is_some_and(|at| now >= at) && self.events.is_empty() {
                let look = self.look().await?;
                match self.finish.looked(look, Instant::now()) {
                    Step::Wait => {}
                    Step::GoOn => {
                        self.ask(DRAW, &json!([])).await?;
                        self.run_clock().await?;
                    }
                    Step::EndsUnfinished => return Ok(false),
                    Step::Finished => {
                        if scrolls == 0 || !self.ask(SCROLL, &json!([])).await?.as_bool().unwrap_or_default() {
                            return Ok(true);
                        }
                        scrolls -= 1;
                        self.finish.restart();
                        self.ask(DRAW, &json!([])).await?;
                        self.run_clock().await?;
                    }
                }
                continue;
            }
            let until = look_at.map_or(self.deadline, |at| at.min(self.deadline));
            tokio::select! {
                event = self.events.recv() => self.on(event).await?,
                Some(answered) = self.answers.join_next() => self.answered(answered.ok()).await?,
                () = tokio::time::sleep_until(until.into()) => {}
            }
        }
    }

    /// Lets the clock of the page run for one step.
    async fn run_clock(&mut self) -> Result<(), RenderError> {
        self.finish.runs(Instant::now());
        let step = json!({ "policy": "pauseIfNetworkFetchesPending", "budget": STEP.as_millis() as u64 });
        self.connection
            .send(&self.session, "Emulation.setVirtualTimePolicy", step)
            .await
    }

    async fn look(&mut self) -> Result<Look, RenderError> {
        let value = self.ask(LOOK, &json!([self.wait_for])).await?;
        Ok(Look {
            is_parsed: value[0].as_bool().unwrap_or_default(),
            is_found: value[1].as_bool().unwrap_or_default(),
            digest: value[2].as_str().unwrap_or_default().to_owned(),
            has_drawn: value[3].as_bool().unwrap_or(true),
        })
    }

    /// The value of a function in the page. A page that runs a script without an end gives none.
    async fn ask(&mut self, function: &str, arguments: &Value) -> Result<Value, RenderError> {
        let arguments = arguments.as_array().into_iter().flatten().map(Value::to_string);
        let expression = format!("{function}({})", arguments.collect::<Vec<_>>().join(","));
        for _ in 0..2 {
            let patience = self.deadline.saturating_duration_since(Instant::now()) + LAST_PATIENCE;
            let world = match self.world {
                Some(world) => world,
                None => {
                    let world = json!({ "frameId": self.target, "worldName": "crawler" });
                    let made = self.call("Page.createIsolatedWorld", world, patience).await?;
                    *self
                        .world
                        .insert(made["executionContextId"].as_u64().unwrap_or_default())
                }
            };
            let evaluate = json!({ "expression": expression, "contextId": world, "returnByValue": true });
            match self.call("Runtime.evaluate", evaluate, patience).await {
                Ok(mut found) => return Ok(found["result"]["value"].take()),
                // The document has been replaced, and the world with it.
                Err(RenderError::Protocol { .. }) => self.world = None,
                Err(error) => return Err(error),
            }
        }
        Err(RenderError::Hung)
    }

    /// Calls the page, and goes on with its requests meanwhile: what a page does before it answers may wait for one.
    async fn call(&mut self, method: &'static str, params: Value, patience: Duration) -> Result<Value, RenderError> {
        let (connection, session) = (self.connection.clone(), self.session.clone());
        let mut called = pin!(async move { connection.call(&session, method, params, patience).await });
        loop {
            tokio::select! {
                result = &mut called => return result,
                event = self.events.recv() => self.on(event).await?,
                Some(answered) = self.answers.join_next() => self.answered(answered.ok()).await?,
            }
        }
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
                self.finish.paused(Instant::now());
                Ok(())
            }
            "Inspector.targetCrashed" if event.session == self.session => Err(RenderError::Crashed),
            "Target.detachedFromTarget" if params["sessionId"] == self.session.as_str() => Err(RenderError::Crashed),
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
            return session::set_up(self.connection, session, is_own).await;
        }
        if kind == "page" {
            self.refuse(Refusal::Popup);
            self.link(params["targetInfo"]["url"].as_str());
        }
        // A window that waits would hold up the script that opened it. What it asks for until it is closed is refused.
        session::set_up(self.connection, session, false).await?;
        let close = json!({ "targetId": target });
        self.connection.send("", "Target.closeTarget", close).await
    }

    /// Decides on a request.
    async fn paused(&mut self, session: String, params: &Value) -> Result<(), RenderError> {
        let id = params["requestId"].as_str().unwrap_or_default();
        let request = &params["request"];
        let is_document = params["resourceType"] == "Document";
        if is_document && session == self.session && params["frameId"] == self.target.as_str() {
            if !self.is_served {
                self.is_served = true;
                let document = self.document;
                self.fulfill(&session, id, document.status, &document.headers, &document.body)
                    .await?;
                return self.run_clock().await;
            }
            self.refuse(Refusal::Navigation);
            self.link(request["url"].as_str());
            return self.fulfill(&session, id, 204, &[], &[]).await;
        }
        let refusal = match session::asked(params) {
            Asked::Local => {
                let allow = json!({ "requestId": id });
                return self.connection.send(&session, "Fetch.continueRequest", allow).await;
            }
            Asked::Preflight => return self.fulfill(&session, id, 204, &allowing(request), &[]).await,
            Asked::Refused(refusal) => refusal,
            Asked::Resource(kind) => match self.request(kind, request) {
                Ok(request) => {
                    self.open += 1;
                    let (resources, id) = (self.resources.clone(), id.to_owned());
                    self.answers.spawn(async move {
                        let resource = resources.get(request).await;
                        Answered { session, id, resource }
                    });
                    return Ok(());
                }
                Err(refusal) => refusal,
            },
        };
        self.fail(&session, id, refusal).await
    }

    /// The request for the caller, if the budget of the page allows it.
    fn request(&self, kind: Kind, request: &Value) -> Result<Request, Refusal> {
        let url = Url::parse(request["url"].as_str().unwrap_or_default());
        let url = url.map_err(|_invalid| Refusal::Scheme)?;
        let asked = self.rendered.requests as usize + self.open;
        if asked >= self.settings.max_requests || self.rendered.bytes >= self.settings.max_bytes as u64 {
            return Err(Refusal::Budget);
        }
        let mut headers = session::passed_on(request);
        // The browser adds it behind the pause; without it, a server does not allow a request from another origin.
        if kind == Kind::Data && url.origin() != self.document.url.origin() {
            headers.retain(|(name, _)| name != "origin");
            headers.push(("origin".into(), self.document.url.origin().ascii_serialization()));
        }
        Ok(Request {
            page: self.document.url.clone(),
            url,
            kind,
            headers,
        })
    }

    /// The caller's answer has come. `None` if its code panicked.
    async fn answered(&mut self, answered: Option<Answered>) -> Result<(), RenderError> {
        self.open = self.open.saturating_sub(1);
        let Some(Answered { session, id, resource }) = answered else {
            return Ok(());
        };
        let Some(resource) = resource else {
            self.rendered.requests += 1;
            return self.fail(&session, &id, Refusal::Unfetched).await;
        };
        match resource.is_cached {
            true => self.rendered.cached += 1,
            false => self.rendered.requests += 1,
        }
        self.waited += resource.waited;
        self.deadline += resource.waited;
        self.rendered.bytes += resource.body.len() as u64;
        if self.rendered.bytes > self.settings.max_bytes as u64 {
            return self.fail(&session, &id, Refusal::Budget).await;
        }
        self.fulfill(&session, &id, resource.status, &resource.headers, &resource.body)
            .await
    }

    async fn fulfill(
        &self,
        session: &str,
        id: &str,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<(), RenderError> {
        let answer = json!({
            "requestId": id,
            "responseCode": status,
            "responseHeaders": session::shown(headers),
            "body": BASE64_STANDARD.encode(body),
        });
        self.connection.send(session, "Fetch.fulfillRequest", answer).await
    }

    async fn fail(&mut self, session: &str, id: &str, refusal: Refusal) -> Result<(), RenderError> {
        self.refuse(refusal);
        let answer = json!({ "requestId": id, "errorReason": "BlockedByClient" });
        self.connection.send(session, "Fetch.failRequest", answer).await
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

/// The fields that allow a request from another origin. The request itself is only ever a GET, which changes nothing.
fn allowing(request: &Value) -> Vec<(String, String)> {
    let field = |name: &str| session::field(request, name).unwrap_or("*").to_owned();
    vec![
        ("access-control-allow-origin".into(), field("origin")),
        (
            "access-control-allow-headers".into(),
            field("access-control-request-headers"),
        ),
        ("access-control-allow-methods".into(), "GET".into()),
        ("access-control-allow-credentials".into(), "true".into()),
    ]
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}
