//! What a server shows: a crawl, a fleet, or both.

use std::sync::Arc;

use super::frame::Frame;
use super::guard::Guard;
use super::keeper::Current;
use super::site::Site;
use super::watched_fleet::WatchedFleet;

/// See the module.
pub(super) struct Served {
    pub guard: Arc<Guard>,
    /// The crawl of a data folder.
    pub crawl: Option<Arc<Site>>,
    pub fleet: Option<WatchedFleet>,
}

impl Served {
    /// What stands around a view. Only a view of the whole server asks for it here.
    pub fn frame(&self, view: &'static str, current: Option<&Current>) -> Frame<'_> {
        match &self.crawl {
            Some(site) => site.frame(view, current),
            None => Frame {
                view,
                token: self.guard.token(),
                data: None,
                fleet: self.fleet.as_ref().map(WatchedFleet::described),
                journal_lines: 0,
                crawl: None,
            },
        }
    }
}
