//! Pages that a worker gives up in favour of another worker of the crawl.
//!
//! Two workers may keep the same text at the same time, and then one of the two pages *yields*: it becomes a duplicate of the other
//! worker's page. A worker may also learn that the URL of a page was not its own any more when it fetched it: then it *withdraws* the page.
//! Which of the two pages stays is not for the store to say. Both are archived as events, so a rebuild restores them.

use super::Store;
use crate::catalogue::Catalogue;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::frontier::Via;
use crate::outcome::Outcome;
use crate::page::{PageRecord, Verdict, VerdictKind};
use crate::warc::metadata::{self, Event};
use crate::warc::record::now_ms;

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
        let record = metadata::encode(&page.url, (at, commit), &event, links, &via, None, compression)
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
    /// [`admit_again`](Self::admit_again) takes that back: it may be this worker that is to fetch the URL in the end.
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
}
