//! Renders pages in slots, with a browser that is started when it is needed and replaced when it fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Mutex, RwLock, Semaphore};

use crate::document::Document;
use crate::error::RenderError;
use crate::page::Rendered;
use crate::process;
use crate::resources::Resources;
use crate::running::Running;
use crate::settings::Settings;

/// Renders pages.
#[derive(Debug)]
pub struct Renderer {
    settings: Settings,
    slots: Semaphore,
    /// A page that lost its browser is tried again alone: if it ends the browser once more, it harms no other page.
    alone: RwLock<()>,
    current: Mutex<Option<Arc<Running>>>,
    starts: AtomicU64,
}

impl Renderer {
    /// A renderer within these bounds. It starts no browser yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        if process::is_root() {
            tracing::warn!(
                "the crawler runs as root, so Chromium runs without its sandbox: run the crawler as another user to render pages that \
                 you do not trust"
            );
        }
        Self {
            slots: Semaphore::new(settings.tabs.max(1)),
            settings,
            alone: RwLock::new(()),
            current: Mutex::new(None),
            starts: AtomicU64::new(0),
        }
    }

    /// Renders a page, as soon as a slot is free.
    ///
    /// # Errors
    /// See [`RenderError`]. Each is the failure of this page; the next page gets a working browser.
    pub async fn render<R: Resources>(
        &self,
        document: &Document,
        wait_for: Option<&str>,
        resources: Arc<R>,
    ) -> Result<Rendered, RenderError> {
        let Ok(_slot) = self.slots.acquire().await else {
            return Err(RenderError::Ended);
        };
        let first = {
            let _shared = self.alone.read().await;
            self.render_once(document, wait_for, resources.clone()).await
        };
        match first {
            Err(RenderError::Ended) => {
                let _alone = self.alone.write().await;
                self.render_once(document, wait_for, resources).await
            }
            first => first,
        }
    }

    /// How often a browser was started.
    #[must_use]
    pub fn starts(&self) -> u64 {
        self.starts.load(Ordering::Relaxed)
    }

    /// The connections that the present browser tried by itself, all of them refused.
    pub async fn refused_by_wall(&self) -> u64 {
        let current = self.current.lock().await;
        current.as_ref().map_or(0, |running| running.refused_by_wall())
    }

    /// Ends the browser, and waits until its processes and its profile are gone. The next page starts another.
    pub async fn end(&self) {
        if let Some(running) = self.current.lock().await.take() {
            running.end().await;
        }
    }

    async fn render_once<R: Resources>(
        &self,
        document: &Document,
        wait_for: Option<&str>,
        resources: Arc<R>,
    ) -> Result<Rendered, RenderError> {
        let running = self.running().await?;
        running.render(&self.settings, document, wait_for, resources).await
    }

    /// The present browser, or a new one. Pages that the old one still has keep it until they end.
    async fn running(&self) -> Result<Arc<Running>, RenderError> {
        let mut current = self.current.lock().await;
        if let Some(running) = current
            .as_ref()
            .filter(|running| running.takes_pages(self.settings.pages_per_browser))
        {
            return Ok(running.clone());
        }
        current.take();
        self.starts.fetch_add(1, Ordering::Relaxed);
        let running = Arc::new(Running::start(&self.settings).await?);
        *current = Some(running.clone());
        Ok(running)
    }
}
