//! Pages that leave the crawl although nobody asked for them again.
//!
//! Two workers may keep the same text at the same time, and then one of the two pages *yields*: it becomes a duplicate of the other
//! worker's page. A worker may also learn that the URL of a page was not its own any more when it fetched it: then it *withdraws* the page.
//! Which of the two pages stays is not for the store to say. A page may turn out to be none when others with its text come: then it is
//! *taken back*. All three are archived as events, so a rebuild restores them.

use super::Store;
use crate::catalogue::Catalogue;
use crate::counts::CountChange;
use crate::elsewhere::IS_LEFT;
use crate::error::StorageError;
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::outcome::Outcome;
use crate::page::{PageRecord, Verdict, VerdictKind};
use crate::url_state::UrlState;
use crate::warc::metadata::{self, Event, Named};
use crate::warc::record::now_ms;

/// The reason of an exclusion until the URL has its next outcome: its page was taken back.
pub(crate) const TAKEN_BACK: &str = "its page turned out to be one text in the place of many pages";

impl Store {
    /// Makes a kept page a duplicate of another worker's page, whose number is [packed](crate::PageElsewhere) in `verdict`. Its body and text
    /// stay in the archive. Durable with the next commit; the page must then leave the index ([`departed`](Catalogue::departed)).
    ///
    /// # Errors
    /// [`StorageError::NotReplaceable`]: the page is not kept, or `verdict` names no other page. Errors of the state and the archive. After
    /// an error nothing has changed.
    pub fn yield_page(&mut self, sequence: u64, verdict: Verdict) -> Result<(), StorageError> {
        self.make_room()?;
        let kept = self.latest_page(sequence)?.filter(PageRecord::is_kept);
        let yields = verdict.of().is_some_and(|of| of != sequence);
        let Some(mut page) = kept.filter(|_| yields) else {
            return Err(StorageError::NotReplaceable { page: sequence });
        };
        page.verdict = verdict;
        let mut piece = self.piece();
        Catalogue::set(sequence, &page, &mut piece)?;
        Catalogue::departs(sequence, &mut piece);
        let at = now_ms();
        let event = Event::Yielded {
            page: sequence,
            verdict,
        };
        let via = Via::Url(page.url.as_str().into());
        let links = std::iter::empty();
        let (commit, compression) = (self.progress.commit + 1, self.archive.compression());
        let warcinfo = self.archive.next_warcinfo(compression)?;
        let named = Named {
            concurrent_to: None,
            warcinfo: warcinfo.as_deref(),
        };
        let record = metadata::encode(&page.url, (at, commit), &event, links, &via, named, compression)
            .map_err(|source| StorageError::io("compress a record for", self.warc_dir(), source))?;
        self.archive.append(None, record, at)?;
        self.archive.note_names(&mut piece)?;
        piece.end_archive_at(self.archive.end());
        let change = CountChange::Reclassified {
            was: VerdictKind::Kept,
            now: verdict.kind(),
            body_bytes: page.body_bytes,
        };
        piece.count(page.host, change);
        self.stage(piece);
        Ok(())
    }

    /// Takes a page out of the crawl because another worker is to fetch its URL: the URL is excluded with `reason`, as if a visit had found
    /// that. A duplicate is taken out too. `false` if the page is no current page. Durable with the next commit.
    ///
    /// [`try_again`](Self::try_again) takes that back: it may be this worker that is to fetch the URL in the end.
    ///
    /// The page becomes no duplicate, because nobody knows yet what the other worker finds at the URL: it may be another text.
    ///
    /// # Errors
    /// Errors of the state and the archive.
    pub fn withdraw(&mut self, sequence: u64, reason: &str) -> Result<bool, StorageError> {
        let Some(queued) = self.revisit(&[sequence], 0)?.pop() else {
            return Ok(false);
        };
        let reason = reason.to_owned();
        self.finish(&queued, Outcome::Excluded { reason }, &[])?;
        Ok(true)
    }

    /// Takes a page back that turned out to be none: it leaves the crawl, as by [`withdraw`](Self::withdraw), and its URL returns to the queue
    /// as if it had never been fetched. `None` if the page is no current page. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state and the archive.
    pub fn take_back(&mut self, sequence: u64) -> Result<Option<QueuedUrl>, StorageError> {
        let Some(page) = self.latest_page(sequence)? else {
            return Ok(None);
        };
        if !self.withdraw(sequence, TAKEN_BACK)? {
            return Ok(None);
        }
        let link = Discovered {
            url: page.url,
            host: page.host,
            depth: page.depth,
            ..Discovered::default()
        };
        self.queue_again(&link, page.via.as_ref(), CountChange::Admitted)
    }

    /// Queues a URL whose page was taken back, or left to another worker, if its latest state is that exclusion: the archive does not have what
    /// came after that.
    pub(crate) fn asked_again(
        &mut self,
        link: &Discovered,
        via: Option<&Via>,
    ) -> Result<Option<QueuedUrl>, StorageError> {
        match self.latest_state(&link.host, &link.url)? {
            Some(UrlState::Excluded { reason }) if reason == TAKEN_BACK || IS_LEFT.contains(&reason.as_str()) => {
                self.queue_again(link, via, CountChange::Admitted)
            }
            _ => Ok(None),
        }
    }
}
