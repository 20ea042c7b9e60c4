//! A URL that waits in memory for its turn.

use storage::QueuedUrl;
use url::Url;

use crate::steering::Skeleton;

/// Priority, depth, sequence number: the frontier's order within a host.
pub(super) type Place = (u8, u16, u64);

/// Stands for the skeleton of a revisit, or of a URL that gets its outcome without a request.
pub(super) const NO_SKELETON: u64 = 0;

/// A row of the frontier with its URL parsed.
#[derive(Debug)]
pub(super) struct WaitingUrl {
    pub queued: QueuedUrl,
    /// `None` if the row's text is not a URL.
    pub url: Option<Url>,
    skeleton: Option<Skeleton>,
}

impl WaitingUrl {
    pub fn new(queued: QueuedUrl) -> Self {
        let url = Url::parse(&queued.url).ok();
        Self {
            skeleton: url.as_ref().map(Skeleton::of),
            queued,
            url,
        }
    }

    pub fn place(&self) -> Place {
        (self.queued.priority, self.queued.depth, self.queued.seq)
    }

    pub fn skeleton(&self) -> u64 {
        self.skeleton.map_or(NO_SKELETON, |skeleton| skeleton.hash)
    }

    /// Whether the URL has the parts that traps are made of: see [`Skeleton::is_suspect`].
    pub fn is_suspect(&self) -> bool {
        self.skeleton.is_some_and(|skeleton| skeleton.is_suspect)
    }
}
