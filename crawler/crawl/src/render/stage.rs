//! The stage that renders pages: it takes them in turn, and gives each to a tab of the browser.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use browser::{Document, RenderError, Renderer, Settings as BrowserSettings};
use tokio::sync::mpsc;

use super::resources::{Cache, PageResources};
use super::{Finished, Outcome, RenderJob, Rendering};
use crate::fair_queue::{FairPlaces, FairSender};
use crate::messages::Event;
use crate::scope::Scope;
use crate::stats::Stats;
use config::settings::Settings;

/// A browser that does not start so many times in a row is not tried again.
const MAX_FAILED_STARTS: u32 = 5;

/// The stage, and what every page in it shares.
pub(crate) struct Stage {
    rendering: Arc<Rendering>,
    renderer: Renderer,
    places: FairPlaces,
    failed_starts: AtomicU32,
    cache: Arc<Cache>,
    settings: Settings,
    scope: Arc<Scope>,
    events: mpsc::Sender<Event>,
    finished: FairSender<Finished>,
    stats: Arc<Stats>,
}

/// The channels of the stage.
pub(crate) struct Channels {
    /// To the frontier.
    pub events: mpsc::Sender<Event>,
    /// To the interpreter.
    pub finished: FairSender<Finished>,
}

fn browser_settings(program: PathBuf, settings: &Settings) -> BrowserSettings {
    let render = &settings.render;
    BrowserSettings {
        user_agent: settings.fetch.user_agent.clone(),
        tabs: render.tabs,
        timeout: render.timeout,
        max_requests: render.max_requests,
        max_bytes: render.max_bytes,
        max_html_bytes: settings.fetch.max_body_bytes,
        scrolls: render.scrolls,
        ..BrowserSettings::new(program)
    }
}

impl Stage {
    /// A stage that renders with this `program`.
    pub fn new(
        rendering: Arc<Rendering>,
        program: PathBuf,
        settings: Settings,
        scope: Arc<Scope>,
        channels: Channels,
        stats: Arc<Stats>,
    ) -> Self {
        Self {
            rendering,
            renderer: Renderer::new(browser_settings(program, &settings)),
            places: FairPlaces::new(settings.render.tabs),
            failed_starts: AtomicU32::new(0),
            cache: Arc::default(),
            settings,
            scope,
            events: channels.events,
            finished: channels.finished,
            stats,
        }
    }

    /// Renders the pages of `jobs` until their senders are gone. Pages that are open then end with the browser.
    pub async fn run(self, mut jobs: mpsc::UnboundedReceiver<RenderJob>) {
        let stage = Arc::new(self);
        while let Some(job) = jobs.recv().await {
            let stage = Arc::clone(&stage);
            tokio::spawn(async move { stage.take(job).await });
        }
        stage.renderer.end().await;
    }

    async fn take(&self, job: RenderJob) {
        let outcome = self.outcome(&job).await;
        let host = job.queued.host.clone();
        if !self.finished.send(&host, Finished { job, outcome }) {
            tracing::debug!("a page was rendered after the end of the run");
        }
    }

    async fn outcome(&self, job: &RenderJob) -> Outcome {
        let _place = self.places.take(&job.queued.host).await;
        if !self.rendering.is_still_wanted(&job.plain, job.reason) {
            return Outcome::NotWanted;
        }
        if self.failed_starts.load(Ordering::Relaxed) >= MAX_FAILED_STARTS {
            return Outcome::NotWanted;
        }
        let headers = job.response.headers.iter();
        let headers = headers.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
        let document = Document {
            url: job.url.clone(),
            status: job.response.status,
            headers: headers.collect(),
            body: job.body.clone(),
        };
        let resources = PageResources {
            events: self.events.clone(),
            cache: Arc::clone(&self.cache),
            page_host: job.queued.host.clone(),
            scope: Arc::clone(&self.scope),
            max_body_bytes: self.settings.fetch.max_body_bytes,
        };
        let began = Instant::now();
        let wait_for = self.settings.render.wait_for(&job.url);
        let resources = Arc::new(resources);
        let mut rendered = self.renderer.render(&document, wait_for, resources.clone()).await;
        // A browser that was killed while it started can start the next time.
        while matches!(rendered, Err(RenderError::Start { .. })) {
            if self.failed_starts.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_FAILED_STARTS {
                break;
            }
            rendered = self.renderer.render(&document, wait_for, resources.clone()).await;
        }
        self.stats.rendered(began.elapsed(), rendered.is_ok());
        match rendered {
            Ok(rendered) => {
                self.failed_starts.store(0, Ordering::Relaxed);
                tracing::debug!(url = %job.url, requests = rendered.requests, cached = rendered.cached,
                    elapsed_ms = rendered.elapsed.as_millis() as u64, reason = ?job.reason, refused = ?rendered.refused,
                    ending = ?rendered.ending, "rendered");
                Outcome::Rendered(Box::new(rendered))
            }
            Err(error) => {
                if matches!(error, RenderError::Start { .. }) {
                    self.rendering.tell(&error.to_string());
                }
                tracing::debug!(url = %job.url, %error, "not rendered");
                Outcome::Failed(error)
            }
        }
    }
}
