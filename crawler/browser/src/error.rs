//! Why a page was not rendered.

/// Why a page was not rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A script does not return, so that the page does not answer.
    #[error("a script of the page ran for longer than the time limit")]
    Hung,
    /// The tab's process ended.
    #[error("the tab crashed")]
    Crashed,
    /// The tab needed too much memory.
    #[error("the tab needed more than {limit} bytes of memory")]
    Memory {
        /// The bound.
        limit: u64,
    },
    /// The rendered page is too long.
    #[error("the rendered page is longer than {limit} bytes")]
    TooLong {
        /// The bound.
        limit: usize,
    },
    /// The page sends events faster than they are read.
    #[error("the page makes more requests at a time than are read")]
    Flood,
    /// The browser ended while it had the page, and again when it tried the page alone.
    #[error("the browser ended")]
    Ended,
    /// The browser could not be started.
    #[error("the browser {program} did not start: {detail}")]
    Start {
        /// The program.
        program: String,
        /// What is known of the cause.
        detail: String,
    },
    /// The browser refused a command.
    #[error("the browser refused {method}: {detail}")]
    Protocol {
        /// The method of CDP.
        method: &'static str,
        /// Its answer.
        detail: String,
    },
}

impl RenderError {
    /// A short name for counts and records.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Hung => "render_hung",
            Self::Crashed => "render_crashed",
            Self::Memory { .. } => "render_memory",
            Self::TooLong { .. } => "render_too_long",
            Self::Flood => "render_flood",
            Self::Ended => "render_browser_ended",
            Self::Start { .. } => "render_no_browser",
            Self::Protocol { .. } => "render_protocol",
        }
    }
}
