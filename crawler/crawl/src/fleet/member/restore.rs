//! What a worker does when the servers of the fleet have lost the whole crawl: its data folder brings back what it knows.
//!
//! 1. Before anything else it says which URLs it has finished, with their depths, and which ones it knows: those in its queue, those that it had left to other
//!    workers, and those of other workers' kept pages. A URL that any folder has finished is finished, in whatever order the folders come.
//! 2. It makes its index anew, and claims its kept pages again, [some at a time](super::window). When all claims have come back, it is back.
//! 3. When all workers are back, it reads the log to its end, if there is one, and looks at its duplicates. The page that one of them repeats
//!    may be in no folder any more: then the URL is fetched again. It also forgets the pages of other workers that nobody has brought back.
//!
//! The folder remembers the new life of the crawl after the last step only. So a worker that is killed begins anew, and every step may be
//! repeated.

use fleet::{FinishedUrl, PageId, Partition, UNKNOWN_DEPTH, UrlHash, WaitingUrl, WorkerNumber};
use storage::{IS_LEFT, PageElsewhere, Store, UrlState};
use tokio::sync::oneshot;
use url::Url;
use web::host_key::HostKey;

use super::super::messages::ToDesk;
use super::super::verdicts::keeps;
use super::{Claims, Member, PAGES_AT_A_TIME};
use crate::recorder::Books;
use error::RunError;

/// URLs that the desk gets at a time.
const URLS_AT_A_TIME: usize = 4_096;

/// The log was read to its end so many times since all workers are back: the last reading began after that.
const READINGS: usize = 2;

/// How far the folder is brought back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Restoring {
    /// There is nothing to bring back.
    #[default]
    No,
    /// The kept pages are being claimed.
    Claims,
    /// The other workers are awaited.
    Waits,
    /// All are back, and the log was read to its end so many times since.
    Reads(usize),
}

/// A part of what the folder knows.
#[derive(Default)]
struct Part {
    finished: Vec<(Partition, FinishedUrl)>,
    waiting: Vec<(Partition, WaitingUrl)>,
}

impl<C: Claims> Member<C> {
    /// Brings back the URLs of this folder. Returns when the servers have them.
    pub(in crate::fleet) fn bring_back(&mut self, store: &Store) -> Result<(), RunError> {
        tracing::warn!(
            "the servers of the fleet have lost the crawl; this worker brings back what its data folder knows of it"
        );
        let mut part = Part::default();
        for known in store.finished() {
            let (known, depth) = known?;
            let partition = self.letters.partition_of(&known.host);
            match known.state {
                UrlState::Queued => continue,
                UrlState::Excluded { reason } if IS_LEFT.contains(&reason.as_str()) => {
                    let waiting = WaitingUrl {
                        depth: depth.unwrap_or(UNKNOWN_DEPTH),
                        ..self.found_again(known.url)
                    };
                    part.waiting.push((partition, waiting));
                }
                UrlState::Page(_) | UrlState::Redirect { .. } | UrlState::Failed(_) | UrlState::Excluded { .. } => {
                    part.finished.push((partition, (UrlHash::of(&known.url), depth)));
                }
            }
            self.bring_if_full(&mut part)?;
        }
        for queued in store.queue().urls() {
            let queued = queued?;
            if queued.revisits.is_none() {
                let partition = self.letters.partition_of(&queued.host);
                let waiting = WaitingUrl {
                    is_seed: queued.via.is_none(),
                    url: queued.url,
                    depth: queued.depth,
                    redirects: queued.redirects,
                    priority: queued.priority,
                };
                part.waiting.push((partition, waiting));
                self.bring_if_full(&mut part)?;
            }
        }
        for row in store.pages_elsewhere().all() {
            let (_, kept) = row?;
            if let Some(host) = Url::parse(&kept.url).ok().as_ref().and_then(HostKey::from_url) {
                let partition = self.letters.partition_of(host.as_str());
                part.waiting.push((partition, self.found_again(kept.url)));
                self.bring_if_full(&mut part)?;
            }
        }
        self.bring(part)?;
        self.restoring = Restoring::Claims;
        Ok(())
    }

    /// A URL of which only the name is known. It lowers no depth.
    pub(in crate::fleet) fn found_again(&self, url: String) -> WaitingUrl {
        WaitingUrl {
            url,
            depth: UNKNOWN_DEPTH,
            redirects: 0,
            priority: 0,
            is_seed: false,
        }
    }

    fn bring_if_full(&self, part: &mut Part) -> Result<(), RunError> {
        if part.finished.len() + part.waiting.len() >= URLS_AT_A_TIME {
            self.bring(std::mem::take(part))?;
        }
        Ok(())
    }

    fn bring(&self, part: Part) -> Result<(), RunError> {
        let (answer, arrived) = oneshot::channel();
        let Part { finished, waiting } = part;
        self.letters.tell(ToDesk::BringBack {
            finished,
            waiting,
            answer,
        });
        // The thread of the desk says why it ends.
        arrived
            .blocking_recv()
            .map_err(|_| RunError::Stage("the work with the fleet"))
    }

    /// All workers are back.
    pub(in crate::fleet) fn all_are_back(&mut self) {
        if self.restoring != Restoring::No {
            self.restoring = Restoring::Reads(0);
        }
    }

    /// The log is read to its end, and no own claim is on its way. Returns whether the verdicts of this folder are to be compared with the log.
    pub(in crate::fleet) fn restores(&mut self) -> bool {
        match self.restoring {
            Restoring::No | Restoring::Waits => false,
            Restoring::Claims => {
                self.letters.tell(ToDesk::IsBack);
                self.restoring = Restoring::Waits;
                false
            }
            Restoring::Reads(times) => {
                self.restoring = Restoring::Reads(times + 1);
                times + 1 >= READINGS
            }
        }
    }

    /// Ends the restoration, after the duplicates were looked at.
    pub(in crate::fleet) fn is_restored(&mut self, books: &mut Books) -> Result<(), RunError> {
        let mut lost = Vec::new();
        for row in books.store().pages_elsewhere().all() {
            let (page, _) = row?;
            if !keeps(&self.dedup, id_of(page))? {
                lost.push(page);
            }
        }
        for some in lost.chunks(PAGES_AT_A_TIME) {
            books.store_mut().forget_elsewhere(some)?;
        }
        books.commit(self)?;
        self.restoring = Restoring::No;
        self.letters.tell(ToDesk::Restored);
        Ok(())
    }
}

fn id_of(page: PageElsewhere) -> PageId {
    PageId {
        worker: WorkerNumber(page.worker),
        sequence: page.sequence,
    }
}
