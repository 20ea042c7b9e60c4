//! The requests of a page that were refused.

use std::collections::BTreeMap;

/// Why a request of a page was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// An image, a font, a video, a sound: they say nothing in words.
    Media,
    /// The document of a frame: a page of its own.
    Frame,
    /// A navigation by script: the target is a link.
    Navigation,
    /// A new window or tab: the target is a link.
    Popup,
    /// A stream without an end (EventSource).
    Stream,
    /// A ping, a report, a prefetch or another request whose answer the page does not need.
    Needless,
    /// A method other than GET: a crawler changes nothing.
    Method,
    /// A scheme other than http and https.
    Scheme,
    /// The page has used up its requests or its bytes.
    Budget,
    /// The caller did not fetch it: forbidden address, failed request, too long.
    Unfetched,
    /// Its turn did not come in time.
    NoTurn,
}

impl Refusal {
    /// Its name in counts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Media => "media",
            Self::Frame => "frame",
            Self::Navigation => "navigation",
            Self::Popup => "popup",
            Self::Stream => "stream",
            Self::Needless => "needless",
            Self::Method => "method",
            Self::Scheme => "scheme",
            Self::Budget => "budget",
            Self::Unfetched => "unfetched",
            Self::NoTurn => "no_turn",
        }
    }
}

/// How many requests were refused, by reason.
pub type Refusals = BTreeMap<Refusal, u32>;
