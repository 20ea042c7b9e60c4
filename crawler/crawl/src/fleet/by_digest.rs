//! The verdicts of a worker that decides near-duplicates among its own pages: exact duplicates of other workers by the table of digests.
//!
//! ```text
//! page ─▶ like an own page? ─ no ─▶ kept ─▶ commit: page and claim ─▶ desk ─▶ table of digests
//!            │ yes                                                              │
//!            ▼                                          first with its text: stays kept
//!         duplicate                                     second: yields, an exact duplicate of the first
//! ```
//!
//! The index has the own pages whose claims stand. It also has the page to which an own one has yielded, with the signature of the own one,
//! because the texts are equal: so the next copy of that text is a duplicate at once, and costs no body and no claim.
//!
//! A registrable domain belongs to one worker at a time, so duplicates within a site are found at once. Near-duplicates of other workers'
//! pages are not: these verdicts are provisional, and `crawler merge --verdicts` takes those of one pass over all pages.
//!
//! The catalogue has everything: a kept page whose claim is not in the outbox has the digest of its text. So an index that is behind needs the
//! pages since its mark only, and after the loss of the index all kept pages are claimed again, which changes nothing.

use std::collections::BTreeSet;

use dedup::{DocId, Signature};
use fleet::{PageId, Position, WorkerNumber};
use storage::{PageRecord, Store, Verdict};

use super::letter::{DigestClaim, Mail};
use super::member::{Begun, Claims, DeskLink, Member, Restoring, note_elsewhere, yields};
use super::messages::FromDesk;
use super::verdicts::keeps;
use crate::index::{decode_signature_with_bands, encode_signature};
use crate::recorder::{Books, News};
use config::settings::Settings;
use error::RunError;

/// Decides among the pages of this worker, and by the table of digests.
pub(crate) type ByDigest = Member<Table>;

/// The table of digests. Its rows never change, so a worker has nothing to remember of it.
#[derive(Debug)]
pub(crate) struct Table;

impl ByDigest {
    /// The verdicts of the worker `me`.
    ///
    /// # Errors
    /// The index or the catalogue cannot be read or written.
    pub fn open(me: WorkerNumber, books: &mut Books, settings: &Settings, link: DeskLink) -> Result<Self, RunError> {
        books.store_mut().note_provisional(true)?;
        Self::open_with(Table, me, books, settings, link)
    }

    /// Brings a page of the catalogue into an index that may be behind.
    fn restore(&mut self, store: &Store, page: u64, record: &PageRecord, is_sent: bool) -> Result<(), RunError> {
        if record.is_kept() && !is_sent {
            return self.is_on_its_way(page, record);
        }
        if record.is_kept() {
            let signature = self.compared(&record.signature, &record.url)?;
            return self.enter(self.verdicts.of(page), &signature);
        }
        if let Some(of) = record.verdict.of_elsewhere()
            && let Some(kept) = store.pages_elsewhere().page(of.packed())?
        {
            return self.enter(
                self.verdicts.of(of.packed()),
                &decode_signature_with_bands(&kept.signature)?,
            );
        }
        Ok(())
    }

    /// Claims all kept pages, for an index that is made anew.
    fn claim_all(&mut self, books: &mut Books, in_outbox: &BTreeSet<u64>) -> Result<(), RunError> {
        let mut unsent = BTreeSet::new();
        for row in books.store().pages_from(1) {
            let (page, record) = row?;
            if record.is_kept() {
                self.is_on_its_way(page, &record)?;
                unsent.extend((!in_outbox.contains(&page)).then_some(page));
            }
        }
        self.claim_again(books.store_mut(), unsent)
    }

    /// Claims the first kept pages of a folder that is brought back. The claims of those in the outbox are on their way.
    fn claim_first(&mut self, books: &mut Books, in_outbox: &BTreeSet<u64>) -> Result<(), RunError> {
        for &page in in_outbox {
            if let Some(record) = books.store().latest_page(page)?.filter(PageRecord::is_kept) {
                self.is_on_its_way(page, &record)?;
            }
        }
        self.claim_next(books.store_mut())
    }

    /// The pages to which own ones have yielded enter an index that is made anew.
    fn enter_elsewhere(&mut self, store: &Store) -> Result<(), RunError> {
        for row in store.pages_elsewhere().all() {
            let (page, kept) = row?;
            self.enter(
                self.verdicts.of(page.packed()),
                &decode_signature_with_bands(&kept.signature)?,
            )?;
        }
        Ok(())
    }

    /// A page whose claim stands enters the index, if it is not there.
    fn enter(&self, page: PageId, signature: &Signature) -> Result<(), RunError> {
        if !keeps(&self.dedup, page)? {
            self.dedup.insert(DocId(page.packed()), signature)?;
        }
        Ok(())
    }

    /// The claim of an own page has come back: `keeper` has the digest.
    fn answered(&mut self, books: &mut Books, page: u64, keeper: PageId) -> Result<(), RunError> {
        self.verdicts.forget(page)?;
        let kept = |number| Ok::<_, RunError>(books.store().latest_page(number)?.filter(PageRecord::is_kept));
        // It may have been withdrawn, or the claim was repeated.
        let Some(record) = kept(page)? else { return Ok(()) };
        let signature = self.compared(&record.signature, &record.url)?;
        if !self.verdicts.is_own(keeper) {
            // The row of a rebuilt folder has the URL, too.
            let known = books.store().pages_elsewhere().page(keeper.packed())?;
            match known {
                Some(known) => self.enter(keeper, &decode_signature_with_bands(&known.signature)?)?,
                None => {
                    self.enter(keeper, &signature)?;
                    note_elsewhere(books.store_mut(), keeper, String::new(), encode_signature(&signature)?)?;
                }
            }
            return yields(books, page, Verdict::Exact { of: keeper.packed() });
        }
        // An own page that had the text may be none any more. The table does not know it, and this one keeps the text.
        if keeper.sequence != page && kept(keeper.sequence)?.is_some() {
            return yields(books, page, Verdict::Exact { of: keeper.sequence });
        }
        self.enter(self.verdicts.of(page), &signature)
    }
}

impl Claims for Table {
    const HAS_LOG: bool = false;

    /// A place in the catalogue: `(0, n)` if all rows below number `n` are in the index.
    fn place(_by_digest: &ByDigest, durable: u64) -> Position {
        Position(0, durable + 1)
    }

    fn begin(by_digest: &mut ByDigest, books: &mut Books, begun: Begun) -> Result<(), RunError> {
        if begun.is_new {
            by_digest.enter_elsewhere(books.store())?;
            return if begun.restores {
                by_digest.claim_first(books, &begun.in_outbox)
            } else {
                by_digest.claim_all(books, &begun.in_outbox)
            };
        }
        let Position(_, next) = by_digest.verdicts.position();
        let store = books.store();
        let is_sent = |page: u64| !begun.in_outbox.contains(&page);
        for &page in begun.claimed.union(&begun.in_outbox).filter(|page| **page < next) {
            if let Some(record) = store.latest_page(page)? {
                by_digest.restore(store, page, &record, is_sent(page))?;
            }
        }
        for row in store.pages_from(next) {
            let (page, record) = row?;
            by_digest.restore(store, page, &record, is_sent(page))?;
        }
        Ok(())
    }

    fn letter(by_digest: &ByDigest, page: u64, (_, url): (&str, &str), signature: &[u8]) -> Result<Mail, RunError> {
        let digest = by_digest.compared(signature, url)?.digest;
        // A signature across folders has one in any case.
        let digest = digest.map_or(0, |digest| digest.0);
        Ok(Mail::Digest(DigestClaim { page, digest }))
    }

    fn claimed_by(mail: &Mail) -> Option<u64> {
        match mail {
            Mail::Digest(claim) => Some(claim.page),
            _ => None,
        }
    }

    fn take(by_digest: &mut ByDigest, books: &mut Books, message: FromDesk) -> Result<News, RunError> {
        let mut news = News::default();
        match message {
            FromDesk::Claimed(answers) => {
                for (page, keeper) in answers {
                    by_digest.answered(books, page, keeper)?;
                    news.ended.insert(page);
                }
            }
            // There is no log to read: what a lost folder had, `crawler merge` finds.
            FromDesk::AllAreBack if by_digest.restoring != Restoring::No => by_digest.is_restored(books)?,
            other => tracing::debug!(?other, "no news of the table of digests"),
        }
        Ok(news)
    }

    /// There is no log that the desk would read on. It learns only that a folder is brought back.
    fn note(by_digest: &mut ByDigest) {
        if by_digest.restoring == Restoring::Claims && !by_digest.verdicts.has_claims() && by_digest.to_claim.is_over()
        {
            by_digest.restores();
        }
    }
}
