//! Which pages does a browser have to render, and how does the crawl go on meanwhile?
//!
//! ```text
//!   interpret ──a page that is to be rendered──▶ stage ──the page and what the browser found──▶ interpret
//!                                                  │ ▲
//!                          a request of the page   ▼ │ its answer
//!                                               frontier ──▶ fetch
//! ```
//!
//! 1. **Choice.** The interpreter has read the response as it came. [`Rendering::choose`] decides by evidence whether scripts would change
//!    anything ([`evidence`]). A page without scripts is never rendered ([`scripts`]).
//! 2. **Stage.** [`stage`] gives the page to a tab of the browser. The browser has no network (see the crate `browser`).
//! 3. **Requests of the page.** Scripts, style sheets and data are errands of the frontier ([`resources`], [`subrequest`]): they pass the gate of their host, its
//!    address policy, and a robots.txt that the crawler has. The frontier gives no further pages of the host while some are rendered.
//! 4. **Comparison.** The interpreter reads the rendered page as any other, and [`gain`] compares the two readings. Where the rendered page
//!    says no more, the page counts as read without a browser. The result teaches step 1.
//!
//! The evidence is derived from the catalogue, which has the result for each page, so a restart and a report agree with it.

pub mod evidence;
pub mod gain;
mod job;
mod resources;
pub mod scripts;
pub(super) mod stage;
pub mod subrequest;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use storage::Store;
use url::Url;

use config::RenderMode;
use config::settings::RenderSettings;
use error::RunError;
use evidence::{Evidence, Plain, Reason};

pub(super) use job::{Finished, Outcome, RenderJob, Room};

/// Bound on the body of a page that is rendered, in bytes. A page beyond it has text.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;

/// Bound on the bodies of all pages in the stage, in bytes.
const MAX_HELD_BYTES: usize = 64 * 1024 * 1024;

/// Bound on the pages in the stage. The channels behind it have room for as many.
pub(super) const MAX_PAGES: usize = 256;

/// The choice of the pages to render, shared by the parse threads and the stage.
#[derive(Debug)]
pub struct Rendering {
    mode: RenderMode,
    /// The browser; `None` if there is none.
    browser: Option<PathBuf>,
    evidence: Mutex<Evidence>,
    pages: AtomicUsize,
    bytes: AtomicUsize,
    /// Whether the operator was told that there is no browser.
    has_told: AtomicBool,
}

/// The browser to start: the named one, else the installed one; `None` if there is none.
#[must_use]
pub fn program(settings: &RenderSettings) -> Option<PathBuf> {
    match &settings.browser {
        None => browser::find(),
        Some(name) if name.components().count() == 1 => browser::find_named(name),
        Some(program) => program.is_file().then(|| program.clone()),
    }
}

impl Rendering {
    /// The choice by these settings; `None` if the crawl renders nothing.
    #[must_use]
    pub fn new(settings: &RenderSettings) -> Option<Self> {
        if settings.mode == RenderMode::Off {
            return None;
        }
        Some(Self {
            mode: settings.mode,
            browser: program(settings),
            evidence: Mutex::default(),
            pages: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            has_told: AtomicBool::new(false),
        })
    }

    /// The browser to start; `None` if there is none.
    #[must_use]
    pub fn browser(&self) -> Option<PathBuf> {
        self.browser.clone()
    }

    /// Whether there is a browser.
    #[must_use]
    pub fn has_browser(&self) -> bool {
        self.browser.is_some()
    }

    /// Learns from the pages that earlier runs rendered.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn replay(&self, store: &Store) -> Result<(), RunError> {
        let mut evidence = self.evidence();
        for row in store.pages_from(1) {
            let (_, page) = row?;
            if page.is_incomplete {
                continue;
            }
            if let (Some(rendering), Ok(url)) = (page.rendering, Url::parse(&page.url)) {
                evidence.learn(&Plain::known(&page.host, &url), rendering.says_more);
            }
        }
        Ok(())
    }

    /// Why the page is to be rendered; `None` if it is not.
    #[must_use]
    pub fn choose(&self, page: &Plain, body_bytes: usize) -> Option<Reason> {
        if !page.has_scripts || body_bytes > MAX_BODY_BYTES {
            return None;
        }
        let reason = match self.mode {
            RenderMode::Off => return None,
            RenderMode::Always => Reason::Always,
            RenderMode::Auto => self.evidence().choose(page)?,
        };
        if self.browser.is_none() {
            self.tell("there is no Chromium or Chrome");
            return None;
        }
        Some(reason)
    }

    /// Whether the page is still to be rendered, now that its turn has come. Meanwhile, another page of its pattern may have taught that
    /// scripts change nothing there.
    #[must_use]
    pub fn is_still_wanted(&self, page: &Plain, reason: Reason) -> bool {
        reason == Reason::Always || self.evidence().is_still_wanted(page, reason)
    }

    /// Learns from a rendered page.
    pub fn learn(&self, page: &Plain, says_more: bool) {
        self.evidence().learn(page, says_more);
    }

    /// See [`Evidence::new_links`].
    #[must_use]
    pub fn new_links(&self, host: &str, plain: &[u64], found: &[u64]) -> usize {
        self.evidence().new_links(host, plain, found)
    }

    /// Says once why pages are read without a browser, although the configuration asks for one.
    pub fn tell(&self, why: &str) {
        if !self.has_told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "pages that need scripts are read as the server sent them, because {why}: install Chromium, or name the program in \
                 render.browser (said once; the end of the run counts these pages)"
            );
        }
    }

    /// Makes room for a page in the stage. Returns `false` if there is none.
    fn enter(&self, body_bytes: usize) -> bool {
        let bytes = self.bytes.fetch_add(body_bytes, Ordering::Relaxed) + body_bytes;
        let pages = self.pages.fetch_add(1, Ordering::Relaxed) + 1;
        let has_room = bytes <= MAX_HELD_BYTES && pages <= MAX_PAGES;
        if !has_room {
            self.leave(body_bytes);
        }
        has_room
    }

    /// Frees the room of a page.
    fn leave(&self, body_bytes: usize) {
        self.bytes.fetch_sub(body_bytes, Ordering::Relaxed);
        self.pages.fetch_sub(1, Ordering::Relaxed);
    }

    fn evidence(&self) -> MutexGuard<'_, Evidence> {
        self.evidence.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
