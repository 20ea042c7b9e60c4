//! The verdicts of a worker of a fleet: by the log of claims instead of its catalogue.
//!
//! ```text
//! page ─▶ decide ─▶ kept ─▶ commit: page and claim ─▶ desk ─▶ the log ─▶ desk ─▶ take_log: stays kept, or yields
//! ```
//!
//! A commit makes durable what the entries of the log mean for the catalogue, with the URLs and signatures of the pages that other
//! workers keep, before the index gets its place in the log.
//!
//! - `segments`: what has left the log; `lost_log`: what the log has lost; `forgotten`: where the log forgets a worker

mod forgotten;
mod lost_log;
mod segments;

use std::collections::BTreeSet;

use fleet::{Entry, Position, WorkerNumber};
use storage::PageRecord;

use super::letter::{Claim, Mail};
use super::member::{Begun, Claims, DeskLink, Member, arrived, note_elsewhere, yields};
use super::messages::{FromDesk, ToDesk};
use super::verdicts::Applied;
use crate::index::{encode_signature, without_bands};
use crate::recorder::{Books, News};
use config::settings::Settings;
use error::RunError;
use lost_log::Recovery;

/// Decides by the log of a fleet.
pub(crate) type ByLog = Member<Log>;

/// The log of claims.
#[derive(Debug, Default)]
pub(crate) struct Log {
    recovery: Recovery,
    /// The place in the log of which the desk knows that it is applied.
    told: Option<Position>,
}

impl ByLog {
    /// The verdicts of the worker `me`. The desk learns up to which place the log is applied, and reads on from there.
    ///
    /// If there is no index of the log yet, or none any more after a rebuild, all kept pages count as claimed until the log is read. Those
    /// that it does not have are claimed then.
    ///
    /// # Errors
    /// The index or the catalogue cannot be read or written.
    pub fn open(me: WorkerNumber, books: &mut Books, settings: &Settings, link: DeskLink) -> Result<Self, RunError> {
        Self::open_with(Log::default(), me, books, settings, link)
    }

    /// Applies entries of the log. Returns the own pages whose claims have come back.
    fn take_log(&mut self, books: &mut Books, entries: Vec<(Position, Entry)>) -> Result<BTreeSet<u64>, RunError> {
        let mut came_back = BTreeSet::new();
        let forgets = |(_, entry): &(Position, Entry)| entry.page.forgets().is_some();
        let mut rest = entries;
        while !rest.is_empty() {
            let first = rest.iter().position(forgets).unwrap_or(rest.len());
            if first == 0 {
                // The pages leave the index at once. So no entry before this one may be applied again after a crash.
                books.commit(self)?;
            }
            let behind = rest.split_off(first.max(1));
            self.apply(books, rest, &mut came_back)?;
            rest = behind;
        }
        Ok(came_back)
    }

    fn apply(
        &mut self,
        books: &mut Books,
        entries: Vec<(Position, Entry)>,
        came_back: &mut BTreeSet<u64>,
    ) -> Result<(), RunError> {
        let applied = self.verdicts.apply(&self.dedup, &entries)?;
        for (applied, (_, entry)) in applied.into_iter().zip(entries) {
            if self.verdicts.is_own(entry.page) {
                came_back.insert(entry.page.sequence);
            }
            match applied {
                Applied::Yields(page, verdict) => yields(books, page, verdict)?,
                Applied::Entered => {
                    note_elsewhere(
                        books.store_mut(),
                        entry.page,
                        entry.url,
                        without_bands(entry.signature)?,
                    )?;
                }
                Applied::Forgets(worker) => {
                    self.forget_worker(books, worker)?;
                    self.tell_forgotten();
                }
                Applied::Confirmed(_) | Applied::Dropped | Applied::Nothing => {}
            }
        }
        Ok(())
    }

    /// Tells the desk which workers the index has forgotten.
    fn tell_forgotten(&self) {
        for (worker, at) in self.verdicts.forgotten() {
            self.letters.tell(ToDesk::Forgot(WorkerNumber(*worker), *at));
        }
    }
}

impl Claims for Log {
    const HAS_LOG: bool = true;

    fn place(by_log: &ByLog, _durable: u64) -> Position {
        by_log.verdicts.position()
    }

    fn begin(by_log: &mut ByLog, books: &mut Books, begun: Begun) -> Result<(), RunError> {
        for page in begun.claimed.into_iter().chain(begun.in_outbox) {
            if let Some(record) = books.store().latest_page(page)?.filter(PageRecord::is_kept) {
                by_log.is_on_its_way(page, &record)?;
            }
        }
        if begun.is_new && !begun.restores {
            by_log.claim_kept(books.store())?;
        }
        by_log.claims.recovery.forgotten = by_log.verdicts.forgotten().keys().copied().collect();
        by_log.tell_forgotten();
        Ok(())
    }

    fn letter(by_log: &ByLog, page: u64, (host, url): (&str, &str), signature: &[u8]) -> Result<Mail, RunError> {
        Ok(Mail::Claim(Claim {
            page,
            url: url.to_owned(),
            host: host.to_owned(),
            signature: encode_signature(&by_log.compared(signature, url)?)?,
        }))
    }

    fn claimed_by(mail: &Mail) -> Option<u64> {
        match mail {
            Mail::Claim(claim) => Some(claim.page),
            _ => None,
        }
    }

    fn take(by_log: &mut ByLog, books: &mut Books, message: FromDesk) -> Result<News, RunError> {
        let mut news = News::default();
        match message {
            FromDesk::Log(entries) => news.ended = by_log.take_log(books, entries)?,
            FromDesk::Segment(segment) => news.ended = by_log.take_segment(books, segment)?,
            FromDesk::LogLost => {
                by_log.begin_log_anew(books)?;
                by_log.letters.tell(ToDesk::BeginsAnew);
            }
            FromDesk::Judge { pages, end, answer } => {
                if !by_log.verdicts.can_judge(end) {
                    tracing::debug!("the log has begun anew, or has forgotten a worker; its segment is not written");
                } else if answer.send(by_log.judged(&pages)?).is_err() {
                    tracing::debug!("the verdicts for a segment came after the end of the fleet's thread");
                }
            }
            FromDesk::AllAreBack => by_log.all_are_back(),
            FromDesk::LogEnd => {
                let queued = by_log.log_is_read(books)?;
                if !queued.is_empty() {
                    news.events.push(arrived(queued, 0));
                }
            }
            other => tracing::debug!(?other, "no news of a log"),
        }
        Ok(news)
    }

    fn note(by_log: &mut ByLog) {
        let position = by_log.verdicts.position();
        if by_log.claims.told != Some(position) {
            by_log.claims.told = Some(position);
            by_log.letters.tell(ToDesk::Applied(position));
        }
    }
}
