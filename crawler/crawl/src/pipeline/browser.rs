//! The start of the stage that renders pages.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::fair_queue::{FairReceiver, Share, fair_queue};
use crate::messages::Event;
use crate::render::stage::{Channels, Stage};
use crate::render::{Finished, RenderJob, Rendering};
use crate::scope::Scope;
use crate::stats::Stats;
use config::settings::Settings;

/// How long the end of the browser may take.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// The stage, and the channels to and from it.
pub(super) struct Started {
    pub jobs: mpsc::UnboundedSender<RenderJob>,
    /// `None` without a browser.
    pub finished: Option<FairReceiver<Finished>>,
    /// `None` without a browser.
    pub stage: Option<JoinHandle<()>>,
}

/// Starts the stage, if the crawl has a browser. It starts the browser
/// itself with the first page.
pub(super) fn start(
    rendering: Option<&Arc<Rendering>>,
    settings: &Settings,
    scope: &Arc<Scope>,
    runtime: &tokio::runtime::Runtime,
    events: &mpsc::Sender<Event>,
    stats: &Arc<Stats>,
) -> Started {
    // The stage bounds its pages by their room.
    let (jobs_in, jobs) = mpsc::unbounded_channel();
    let stage = rendering.and_then(|rendering| {
        let program = rendering.browser()?;
        let (finished_in, finished) = fair_queue(Share::of(1));
        let channels = Channels {
            events: events.clone(),
            finished: finished_in,
        };
        let (rendering, settings, scope) = (Arc::clone(rendering), settings.clone(), Arc::clone(scope));
        let stats = Arc::clone(stats);
        let stage = runtime.spawn(async move {
            let stage = Stage::new(rendering, program, settings, scope, channels, stats);
            stage.run(jobs).await;
        });
        Some((finished, stage))
    });
    let (finished, stage) = stage.unzip();
    Started {
        jobs: jobs_in,
        finished,
        stage,
    }
}

/// Waits until the browser is gone, for a bounded time.
pub(super) async fn end(stage: Option<JoinHandle<()>>) {
    if let Some(stage) = stage
        && tokio::time::timeout(END_PATIENCE, stage).await.is_err()
    {
        tracing::debug!("pages are still in the browser; it ends with this process");
    }
}
