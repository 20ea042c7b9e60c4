//! The `[scope]` section.

use std::time::Duration;

use super::{InvalidSetting, invalid};
use crate::sections::{FollowedLinks, ScopeSection};

/// Which links the crawl follows. A page's own `nofollow`, in a robots meta tag or header, always holds.
#[derive(Debug, Clone, Copy)]
pub struct LinkSettings {
    /// Also links to embedded resources: images, scripts, style sheets, media.
    pub embedded: bool,
    /// Also links that carry `rel=nofollow`.
    pub follow_nofollow: bool,
}

/// Bounds of the crawl; `None` for no limit.
#[derive(Debug, Clone, Copy)]
pub struct CrawlLimits {
    /// Links between a seed and a page.
    pub max_depth: u16,
    /// Pages with a verdict, in the whole crawl.
    pub max_pages: Option<u64>,
    /// Pages with a verdict, for each host.
    pub max_pages_per_host: Option<u64>,
    /// Known URLs, for each host.
    pub max_urls_per_host: Option<u64>,
    /// Bounds beyond which a URL counts as part of a trap.
    pub traps: TrapLimits,
    /// Duration of this run; from the command line only.
    pub max_duration: Option<Duration>,
}

/// Bounds beyond which a URL counts as part of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrapLimits {
    /// Repetitions of a path segment that is not a number.
    pub max_segment_repeats: usize,
    /// Parameters of a query.
    pub max_query_parameters: usize,
}

/// When the crawl leaves a host or a folder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DuplicateShare {
    /// Smallest share of the pages in the window that said nothing new, above 0 and at most 1.
    pub share: f64,
    /// Number of the last pages of the host or folder that the share concerns. The bound does not apply to a folder with fewer pages.
    pub window: usize,
}

pub(super) fn duplicate_share(config: &ScopeSection) -> Result<Option<DuplicateShare>, InvalidSetting> {
    let share = config.max_duplicate_share;
    if !(0.0..=1.0).contains(&share) {
        return Err(invalid(
            "scope.max_duplicate_share",
            share,
            "must be at least 0 (off) and at most 1",
        ));
    }
    let window = config.duplicate_window;
    Ok((share > 0.0).then_some(DuplicateShare { share, window }))
}

pub(super) fn links(config: &ScopeSection) -> LinkSettings {
    LinkSettings {
        embedded: config.links == FollowedLinks::All,
        follow_nofollow: config.follow_nofollow,
    }
}

pub(super) fn limits(config: &ScopeSection) -> CrawlLimits {
    let limit = |value: u64| (value > 0).then_some(value);
    CrawlLimits {
        // The largest number is the mark of a listed URL.
        max_depth: config.max_depth.min(u16::MAX - 1),
        max_pages: limit(config.max_pages),
        max_pages_per_host: limit(config.max_pages_per_host),
        max_urls_per_host: limit(config.max_urls_per_host),
        traps: TrapLimits {
            max_segment_repeats: config.max_segment_repeats,
            max_query_parameters: config.max_query_parameters,
        },
        max_duration: None,
    }
}
