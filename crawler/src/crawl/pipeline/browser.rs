//! The start of the stage that renders pages.

use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};
use tokio::sync::mpsc;

use crate::config::settings::Settings;
use crate::crawl::messages::Event;
use crate::crawl::render::stage::{Channels, Stage};
use crate::crawl::render::{Finished, RenderJob, Rendering};
use crate::crawl::scope::Scope;
use crate::crawl::stats::Stats;

/// Starts the stage, if the crawl has a browser. Returns the channel to it, and the pages that it has rendered. It starts the browser
/// itself with the first page.
pub(super) fn start(
    rendering: Option<&Arc<Rendering>>,
    settings: &Settings,
    scope: &Arc<Scope>,
    runtime: &tokio::runtime::Runtime,
    events: &mpsc::Sender<Event>,
    stats: &Arc<Stats>,
) -> (mpsc::UnboundedSender<RenderJob>, Option<Receiver<Finished>>) {
    // The stage bounds its pages by their room.
    let (jobs_in, jobs) = mpsc::unbounded_channel();
    let started = rendering.and_then(|rendering| {
        let program = rendering.browser()?;
        let (finished_in, finished) = bounded(1);
        let channels = Channels {
            events: events.clone(),
            finished: finished_in,
        };
        let (rendering, settings, scope) = (Arc::clone(rendering), settings.clone(), Arc::clone(scope));
        let stats = Arc::clone(stats);
        runtime.spawn(async move {
            let stage = Stage::new(rendering, program, settings, scope, channels, stats);
            stage.run(jobs).await;
        });
        Some(finished)
    });
    (jobs_in, started)
}
