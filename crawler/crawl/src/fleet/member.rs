//! The judge of a worker: it keeps a page at once, claims it, and hears later whether the claim stands.
//!
//! ```text
//! page ─▶ decide ─▶ kept ─▶ commit: page and claim ─▶ desk ─▶ servers ─▶ desk ─▶ take: stays kept, or yields
//!            │                                                                      │
//!            └─▶ waits, with its ticket, for the claim of an own page ◀─────────────┘
//! ```
//!
//! Who decides on the claims is not for this file to say: [`Claims`] has two forms, the log of all workers (`by_log`) and the table of digests
//! (`by_digest`).
//!
//! A commit first makes durable what the decisions mean for the catalogue, and then writes the index with its place in their order. A
//! crash between the two repeats decisions, which changes nothing.
//!
//! - `post`: what the desk says; `letters`: what it is told
//! - `restore`: what the folder brings back after the servers have lost the crawl; `window`: its claims, some at a time

mod letters;
mod post;
mod restore;
mod window;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crossbeam_channel::Receiver;
use dedup::{Confirm, Deduplicator, Signature, SledIndex};
use fleet::{PageId, Position, WorkerNumber};
use storage::{KeptElsewhere, PageElsewhere, PageRecord, Store, Verdict};
use tokio::sync::mpsc::UnboundedSender;

use super::idle::IdleSign;
use super::letter::Mail;
use super::messages::{FromDesk, ToDesk};
use super::ownership::Ownership;
use super::verdicts::{Decision, Verdicts};
use crate::index::{self, decode_signature_with_bands, signature_across_folders};
use crate::messages::UndecidedPage;
use crate::recorder::{Books, Judge, News, Ruling};
use crate::scope::Scope;
use config::settings::Settings;
use error::RunError;
use letters::Letters;
pub(crate) use post::arrived;
pub(crate) use restore::Restoring;
use window::ToClaim;

/// What joins the recorder with the desk.
#[derive(Debug)]
pub(crate) struct DeskLink {
    /// The partitions of this worker.
    pub ownership: Ownership,
    /// The sign that shows whether letters are left.
    pub sign: IdleSign,
    /// To the desk.
    pub desk: UnboundedSender<ToDesk>,
    /// From the desk.
    pub from_desk: Receiver<FromDesk>,
    /// The scope of the crawl. Seeds of other workers widen it.
    pub scope: Arc<Scope>,
    /// A random number that all workers of the crawl know, and nobody else.
    pub secret: u64,
    /// Whether the servers had lost the crawl, so that this folder must be brought back.
    pub restores: bool,
    /// Own claims on their way at most while it is brought back. At least 1.
    pub window: usize,
}

/// What a worker knows of its claims when it begins.
#[derive(Debug)]
pub(crate) struct Begun {
    /// Whether the index is empty, because there was none.
    pub is_new: bool,
    /// Whether the folder is brought back, so that its kept pages are claimed in [windows](Member::claim_next).
    pub restores: bool,
    /// The own pages whose claims had not come back when the index was written.
    pub claimed: BTreeSet<u64>,
    /// The own pages whose claims are in the outbox.
    pub in_outbox: BTreeSet<u64>,
}

/// How the claims of the workers are decided.
pub(crate) trait Claims: fmt::Debug + Send + Sized + 'static {
    /// Whether all workers read the claims, so that they come back when they are read, and not when they are sent.
    const HAS_LOG: bool;

    /// The place of the index, for its mark: the store has all rows up to number `durable`.
    fn place(member: &Member<Self>, durable: u64) -> Position;

    /// Brings the index and the claims to where they were.
    ///
    /// # Errors
    /// The index or the store cannot be read or written.
    fn begin(member: &mut Member<Self>, books: &mut Books, begun: Begun) -> Result<(), RunError>;

    /// The letter that claims page number `page`, at a URL of a host.
    ///
    /// # Errors
    /// The signature cannot be read.
    fn letter(member: &Member<Self>, page: u64, at: (&str, &str), signature: &[u8]) -> Result<Mail, RunError>;

    /// The page that a letter claims in this way.
    fn claimed_by(mail: &Mail) -> Option<u64>;

    /// Takes in what the desk says of claims.
    ///
    /// # Errors
    /// The index or the store cannot be read or written.
    fn take(member: &mut Member<Self>, books: &mut Books, message: FromDesk) -> Result<News, RunError>;

    /// Tells the desk how far the decisions are applied.
    fn note(member: &mut Member<Self>);
}

/// Decides for a worker. Some pages wait until a claim has come back.
#[derive(Debug)]
pub(crate) struct Member<C> {
    /// The kept pages that the claims have decided, by packed numbers.
    pub(super) dedup: Deduplicator<SledIndex>,
    pub(super) verdicts: Verdicts,
    pub(super) letters: Letters,
    /// How the claims are decided.
    pub(super) claims: C,
    /// Whether the rule compares metadata. If not, the index does without their sketches, which are a third of a signature.
    compares_metadata: bool,
    from_desk: Receiver<FromDesk>,
    scope: Arc<Scope>,
    max_depth: u16,
    /// How far the folder is brought back after the servers have lost the crawl.
    pub(super) restoring: Restoring,
    /// The kept pages that are still to be claimed then.
    pub(super) to_claim: ToClaim,
}

impl<C: Claims> Member<C> {
    /// The judge of the worker `me`. The desk learns up to which place the decisions are applied.
    ///
    /// The index takes the place of an index of the catalogue. If there is none yet, or none any more after a rebuild, it is made anew. It was made
    /// with the same kind of verdicts: a folder refuses a change.
    ///
    /// # Errors
    /// The index or the catalogue cannot be read or written.
    pub(super) fn open_with(
        claims: C,
        me: WorkerNumber,
        books: &mut Books,
        settings: &Settings,
        link: DeskLink,
    ) -> Result<Self, RunError> {
        let store = books.store_mut();
        // A crawl that was brought back has another log.
        if link.restores || store.run_notes().worker()? != Some(me.0) {
            index::erase_index(store)?;
            store.note_worker(me.0)?;
            store.commit()?;
        }
        let dedup = index::open_across_folders(store, settings, link.secret)?;
        let by = (settings.scheme.width, &settings.rule);
        let mark = dedup.index().mark().map(<[u8]>::to_vec);
        let (verdicts, claimed) = Verdicts::open(me, mark.as_deref(), by)?;
        let in_outbox = store.outbox().letters(0, usize::MAX)?;
        let in_outbox = in_outbox.iter().filter_map(|(_, letter)| Mail::read(letter));
        let begun = Begun {
            is_new: mark.is_none(),
            restores: link.restores,
            claimed: claimed.into_iter().collect(),
            in_outbox: in_outbox.filter_map(|mail| C::claimed_by(&mail)).collect(),
        };
        let mut member = Self {
            dedup,
            verdicts,
            letters: Letters::new(link.ownership, link.sign, link.desk),
            claims,
            compares_metadata: matches!(settings.rule.confirm, Confirm::Combined { .. }),
            from_desk: link.from_desk,
            scope: link.scope,
            max_depth: settings.limits.max_depth,
            restoring: Restoring::No,
            to_claim: ToClaim::new(link.restores, link.window),
        };
        C::begin(&mut member, books, begun)?;
        if link.restores {
            member.bring_back(books.store())?;
        }
        books.note_departures();
        books.commit(&mut member)?;
        C::note(&mut member);
        Ok(member)
    }

    /// A signature of the catalogue as the workers compare it, with all that the rule compares.
    pub(super) fn compared(&self, signature: &[u8], url: &str) -> Result<Signature, RunError> {
        let mut signature = signature_across_folders(&decode_signature_with_bands(signature)?, url).into_owned();
        if !self.compares_metadata {
            signature.metadata = None;
        }
        Ok(signature)
    }

    /// Notes that an own page is kept, and that its claim is on its way.
    pub(super) fn is_on_its_way(&mut self, page: u64, record: &PageRecord) -> Result<(), RunError> {
        let signature = decode_signature_with_bands(&record.signature)?;
        self.verdicts
            .kept(page, &signature_across_folders(&signature, &record.url))
    }

    /// Puts letters into the outbox that claim these of the pages that are kept.
    pub(super) fn claim_again(&self, store: &mut Store, pages: BTreeSet<u64>) -> Result<(), RunError> {
        let mut letters = Vec::new();
        for page in pages {
            let Some(record) = store.latest_page(page)?.filter(PageRecord::is_kept) else {
                continue;
            };
            let claim = C::letter(self, page, (&record.host, &record.url), &record.signature)?;
            letters.push(claim.letter()?);
            if letters.len() == PAGES_AT_A_TIME {
                store.mail(std::mem::take(&mut letters))?;
            }
        }
        Ok(store.mail(letters)?)
    }

    /// Whether claims of this worker are on their way, or letters.
    fn awaits_arrivals(&self, store: &Store) -> bool {
        !store.outbox().is_empty() || self.verdicts.has_claims()
    }
}

/// Rows or letters that are staged at a time.
pub(super) const PAGES_AT_A_TIME: usize = 256;

impl<C: Claims> Judge for Member<C> {
    /// No page of another worker can be exchanged for its canonical page.
    fn decide(&mut self, _books: &Books, id: u64, page: &UndecidedPage) -> Result<Ruling, RunError> {
        let signature = signature_across_folders(&page.signature, &page.queued.url);
        Ok(match self.verdicts.decide(&self.dedup, &signature)? {
            Decision::Duplicate(verdict) => Ruling::now(verdict),
            Decision::Wait(on) => Ruling::WaitFor(on),
            Decision::Keep => {
                self.verdicts.kept(id, &signature)?;
                Ruling::now(Verdict::Unique)
            }
        })
    }

    fn is_behind(&self, _store: &Store) -> bool {
        self.verdicts.has_changed()
    }

    fn may_commit_beside(&self) -> bool {
        false
    }

    /// Pages of other workers may be duplicates of a page whose claim stands.
    fn takes_back(&self) -> bool {
        false
    }

    /// No page leaves the index; a page that yielded never was in it.
    fn departed(&mut self, _pages: &[u64]) -> Result<(), RunError> {
        Ok(())
    }

    /// Writes the index with its place.
    fn persist(&mut self, durable: u64) -> Result<(), RunError> {
        if self.verdicts.has_changed() {
            let place = C::place(self, durable);
            let mark = self.verdicts.mark_at(place)?;
            self.dedup.index_mut().persist_marked(&mark)?;
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), RunError> {
        Ok(self.dedup.index_mut().settle()?)
    }

    #[cfg(test)]
    fn dedup(&self) -> &Deduplicator<SledIndex> {
        &self.dedup
    }
}

/// Notes the page that another worker keeps. The `url` is empty if it is not known.
pub(super) fn note_elsewhere(store: &mut Store, page: PageId, url: String, signature: Vec<u8>) -> Result<(), RunError> {
    let page = PageElsewhere {
        worker: page.worker.0,
        sequence: page.sequence,
    };
    Ok(store.note_elsewhere(page, &KeptElsewhere { url, signature })?)
}

/// Makes a page a duplicate, unless it is one already: a crash repeats decisions.
pub(super) fn yields(books: &mut Books, page: u64, verdict: Verdict) -> Result<(), RunError> {
    match books.store().latest_page(page)? {
        Some(record) if record.is_kept() => {
            tracing::debug!(url = %record.url, ?verdict, "yields");
            books.store_mut().yield_page(page, verdict)?;
            books.note_departures();
        }
        Some(_) => {}
        None => tracing::warn!(page, "there is a claim of a page that this folder does not have"),
    }
    Ok(())
}
