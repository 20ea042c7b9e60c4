//! A page on its way through the stage.

use std::sync::Arc;

use browser::{RenderError, Rendered};
use bytes::Bytes;
use page::Page;
use storage::QueuedUrl;
use url::Url;
use web::fetch::Response;

use super::Rendering;
use super::evidence::{Plain, Reason};

/// A page that is to be rendered, as it was read without a browser.
#[derive(Debug)]
pub(crate) struct RenderJob {
    /// Its row in the frontier.
    pub queued: QueuedUrl,
    /// The URL that was asked.
    pub url: Url,
    /// The response without its body.
    pub response: Response,
    /// The body without its Content-Encoding.
    pub body: Bytes,
    /// The page as it was read.
    pub page: Page,
    /// Its classes.
    pub plain: Plain,
    /// Why it is rendered.
    pub reason: Reason,
    /// Its room in the stage.
    pub room: Room,
}

/// A page that has left the stage.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The page.
    pub job: RenderJob,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a page in the stage.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The browser rendered it.
    Rendered(Box<Rendered>),
    /// The browser did not render it.
    Failed(RenderError),
    /// By now it need not be rendered.
    NotWanted,
}

/// The room of a page in the stage. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    rendering: Arc<Rendering>,
    bytes: usize,
}

impl Room {
    /// Room for a page with a body of so many bytes; `None` if the stage is full.
    pub fn of(rendering: &Arc<Rendering>, bytes: usize) -> Option<Self> {
        rendering.enter(bytes).then(|| Self {
            rendering: Arc::clone(rendering),
            bytes,
        })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.rendering.leave(self.bytes);
    }
}
