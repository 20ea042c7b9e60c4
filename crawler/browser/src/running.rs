//! A running browser behind its wall.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::connection::Connection;
use crate::document::Document;
use crate::error::RenderError;
use crate::page::{PATIENCE, Page, Rendered};
use crate::process::{Process, memory};
use crate::resources::Resources;
use crate::settings::Settings;
use crate::wall::Wall;

/// Time between two looks at the memory of the tabs.
const WATCH_INTERVAL: Duration = Duration::from_millis(500);

/// How long the end of a browser may take.
const END_PATIENCE: Duration = Duration::from_secs(3);

/// A browser. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    connection: Connection,
    wall: Wall,
    pages: AtomicUsize,
    /// Whether it did not answer: no page may be given to it any more.
    has_failed: Arc<AtomicBool>,
    /// Tabs that were ended because of their memory.
    too_large: Arc<AtomicU64>,
    watch: JoinHandle<()>,
}

impl Running {
    /// Starts a browser.
    pub async fn start(settings: &Settings) -> Result<Self, RenderError> {
        let failed = |detail: String| RenderError::Start {
            program: settings.program.display().to_string(),
            detail,
        };
        let wall = Wall::start().await;
        let wall = wall.map_err(|error| failed(format!("no port for its proxy: {error}")))?;
        let (process, stdin, stdout) = Process::start(settings, &wall.address.to_string())?;
        let connection = Connection::new(stdin, stdout);
        let version = connection.call("", "Browser.getVersion", json!({}), PATIENCE).await;
        let version = version.map_err(|_ended| failed(process.messages()))?;
        let attach = json!({
            "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
            // A window of its own interface belongs to each page: it loads nothing from the network, and the page crashes without it.
            "filter": [{ "type": "browser", "exclude": true }, { "type": "tab", "exclude": true },
                { "type": "browser_ui", "exclude": true }, {}],
        });
        connection.call("", "Target.setAutoAttach", attach, PATIENCE).await?;
        tracing::debug!(product = %version["product"], "started the browser");
        let (has_failed, too_large) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let watching = watch(
            process,
            connection.clone(),
            settings.max_memory_bytes,
            has_failed.clone(),
            too_large.clone(),
        );
        Ok(Self {
            watch: tokio::spawn(watching),
            connection,
            wall,
            pages: AtomicUsize::new(0),
            has_failed,
            too_large,
        })
    }

    /// Whether it takes further pages.
    pub fn takes_pages(&self, at_most: usize) -> bool {
        !self.connection.has_ended()
            && !self.has_failed.load(Ordering::Relaxed)
            && self.pages.load(Ordering::Relaxed) < at_most
    }

    /// The connections that the wall refused.
    pub fn refused_by_wall(&self) -> u64 {
        self.wall.refused()
    }

    /// Renders a page in a context of its own: no cookie, cache or storage of another page.
    pub async fn render<R: Resources>(
        &self,
        settings: &Settings,
        document: &Document,
        wait_for: Option<&str>,
        resources: Arc<R>,
    ) -> Result<Rendered, RenderError> {
        self.pages.fetch_add(1, Ordering::Relaxed);
        let too_large = self.too_large.load(Ordering::Relaxed);
        let made = self.connection.call(
            "",
            "Target.createBrowserContext",
            json!({ "disposeOnDetach": true }),
            PATIENCE,
        );
        let made = made.await.map_err(|error| self.failed(error))?;
        let context = made["browserContextId"].as_str().unwrap_or_default().to_owned();
        let context = Context {
            running: self,
            id: context,
        };
        let events = self.connection.open(&context.id);
        let deny = json!({ "behavior": "deny", "browserContextId": context.id });
        self.connection.send("", "Browser.setDownloadBehavior", deny).await?;
        let page = Page::new(&self.connection, settings, document, wait_for, resources, events);
        let rendered = page.run(&context.id).await;
        context.dispose().await;
        match rendered {
            Err(RenderError::Crashed) if self.too_large.load(Ordering::Relaxed) > too_large => {
                Err(RenderError::Memory {
                    limit: settings.max_memory_bytes,
                })
            }
            rendered => rendered,
        }
    }

    /// Ends the browser, also under its pages, and waits until nothing of it is left, for a bounded time.
    pub async fn end(&self) {
        self.watch.abort();
        let patience = tokio::time::Instant::now() + END_PATIENCE;
        while !self.watch.is_finished() && tokio::time::Instant::now() < patience {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The browser did not do what it does for every page.
    fn failed(&self, error: RenderError) -> RenderError {
        tracing::debug!(%error, "the browser does not answer");
        self.has_failed.store(true, Ordering::Relaxed);
        RenderError::Ended
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The task owns the process.
        self.watch.abort();
    }
}

/// The context of a page.
struct Context<'a> {
    running: &'a Running,
    id: String,
}

impl Context<'_> {
    /// Ends everything in the context.
    async fn dispose(self) {
        let connection = &self.running.connection;
        connection.close(&self.id);
        let dispose = json!({ "browserContextId": self.id });
        let disposed = connection
            .call("", "Target.disposeBrowserContext", dispose, PATIENCE)
            .await;
        if let Err(error @ (RenderError::Hung | RenderError::Ended)) = disposed {
            self.running.failed(error);
        }
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        self.running.connection.close(&self.id);
    }
}

/// Ends tabs that need too much memory, and the browser if it does not answer.
async fn watch(
    process: Process,
    connection: Connection,
    limit: u64,
    has_failed: Arc<AtomicBool>,
    too_large: Arc<AtomicU64>,
) {
    while !connection.has_ended() {
        tokio::time::sleep(WATCH_INTERVAL).await;
        let Ok(found) = connection
            .call("", "SystemInfo.getProcessInfo", json!({}), PATIENCE)
            .await
        else {
            break;
        };
        let processes = found["processInfo"].as_array().into_iter().flatten();
        let tabs = processes.filter(|process| process["type"] == "renderer").filter_map(id);
        for tab in tabs.filter(|&tab| memory::resident_bytes(tab).is_some_and(|bytes| bytes > limit)) {
            too_large.fetch_add(1, Ordering::Relaxed);
            process.kill_child(tab);
        }
    }
    has_failed.store(true, Ordering::Relaxed);
}

fn id(process: &Value) -> Option<u32> {
    u32::try_from(process["id"].as_u64()?).ok()
}
