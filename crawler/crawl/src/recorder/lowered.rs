//! Shorter paths: the links of URLs whose depths have sunk.

use storage::{Discovered, QueuedUrl};

use super::Recorder;
use super::post::queued_letters;
use crate::watch;
use error::RunError;

impl Recorder {
    /// Follows the links of all URLs whose depths have sunk. Returns the URLs that are new to the crawl, because they were too deep before.
    pub(crate) fn follow_lowered(&mut self) -> Result<Vec<QueuedUrl>, RunError> {
        let mut queued = Vec::new();
        while let Some(lowered) = self.store.next_lowered()? {
            // There may be as many as there are pages.
            watch::beat();
            queued.extend(self.queue_links(lowered.links.clone())?);
            self.store.end_lowered(&lowered)?;
        }
        Ok(queued)
    }

    fn queue_links(&mut self, links: Vec<Discovered>) -> Result<Vec<QueuedUrl>, RunError> {
        let mut own = links;
        if let Some(post) = &mut self.post {
            let (of_this_worker, letters) = post.divide(own, false)?;
            self.store.mail(letters)?;
            own = of_this_worker;
        }
        let admitted = self.url_budget.admit(&self.store, &own)?;
        self.stats.links_over_budget(own.len() - admitted.len());
        let is_in_fleet = self.post.is_some();
        let mail = |links: &[&QueuedUrl]| if is_in_fleet { queued_letters(links) } else { Vec::new() };
        let fresh = self.store.discover_with(&admitted, None, mail)?;
        self.url_budget.spend(&self.store, &fresh)?;
        Ok(fresh)
    }
}
