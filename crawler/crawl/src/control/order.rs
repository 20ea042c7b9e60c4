//! The orders.

use serde::{Deserialize, Serialize};

/// An order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Start no request.
    Pause,
    /// Go on.
    Resume,
    /// End the run, as Ctrl-C does.
    Stop,
    /// Queue these URLs as seeds.
    Add {
        /// Each as in a line of a seeds file.
        urls: Vec<String>,
    },
    /// Fetch nothing more of these.
    Drop {
        /// Hosts or patterns, see [`Target`](super::target::Target).
        what: Vec<String>,
    },
    /// Take drops back.
    Restore {
        /// As they were dropped.
        what: Vec<String>,
    },
    /// Set the time between two requests.
    Delay {
        /// A host, as in a `[[host]]` section.
        host: String,
        /// `None` for the time of the configuration.
        seconds: Option<f64>,
    },
}

impl Order {
    /// Its word in the command.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Stop => "stop",
            Self::Add { .. } => "add",
            Self::Drop { .. } => "drop",
            Self::Restore { .. } => "restore",
            Self::Delay { .. } => "delay",
        }
    }

    /// Whether it concerns hosts, which belong to no process for long in a crawl by several.
    #[must_use]
    pub fn is_of_hosts(&self) -> bool {
        !matches!(self, Self::Pause | Self::Resume | Self::Stop)
    }
}
