//! Replays the event of one metadata record: a page, or a visit to one.

use super::source::{Found, Group};
use super::{Lost, Rebuild};
use crate::elsewhere::PageElsewhere;
use crate::error::StorageError;
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::outcome::Outcome;
use crate::page::{Fate, PageDraft, PageRecord, Replaced, Verdict};
use crate::revisits::Visit;
use crate::url_state::UrlState;
use crate::warc::location::Archived;
use crate::warc::metadata::{Event, Records};
use crate::warc::{Compression, EncodedCapture};

/// The number of no page: the archive names one that is lost, or in none of the merged folders.
const NOWHERE: u64 = 0;

/// `Err` says, in one line, why a record is skipped, and with what consequence.
pub(super) type Used = Result<(), String>;

/// A page's records in the archive.
struct PageRecords {
    archived: Archived,
    /// Every record that the page cannot do without is readable.
    is_whole: bool,
}

impl Rebuild {
    /// Replays the event of a metadata record of an origin, or of the folder's own crawl.
    pub(super) fn replay_event(&mut self, found: Found, origin: Option<usize>) -> Result<Used, StorageError> {
        let Found {
            metadata,
            group,
            location,
            ..
        } = found;
        if !metadata.outlinks.is_empty() {
            self.with_links.push(location)?;
        }
        self.store.replay_at(group.archived, self.end);
        let event = match origin {
            Some(origin) => self.in_new_numbers(metadata.event, origin)?,
            None => Ok(metadata.event),
        };
        match event {
            Err(reason) => Ok(Err(reason)),
            Ok(Event::Page {
                sequence,
                page,
                replaced,
            }) => self.replay_page(
                sequence,
                *page,
                replaced,
                PageRecords::of(metadata.records, group.archived),
            ),
            Ok(Event::Visited {
                page,
                visit,
                at,
                wire_bytes,
                status,
            }) => self.replay_visit(page, visit, (at, wire_bytes, status), &group),
            Ok(Event::Redirected { page, to, status }) => self.replay_return(page, Outcome::Redirect { to, status }),
            Ok(Event::Excluded { page, reason }) => self.replay_return(page, Outcome::Excluded { reason }),
            Ok(Event::Yielded { page, verdict }) => self.replay_yield(page, verdict),
        }
    }

    fn replay_yield(&mut self, page: u64, verdict: Verdict) -> Result<Used, StorageError> {
        if verdict.of() == Some(NOWHERE) {
            return Ok(Err(format!(
                "page {page} became a duplicate of another worker's page, which is in none of the folders; it stays kept"
            )));
        }
        if self.is_second(page) {
            return self.replay_yield_of_second(page, verdict).map(Ok);
        }
        self.has_yields = true;
        Ok(match self.store.yield_page(page, verdict) {
            Ok(()) => Ok(()),
            Err(StorageError::NotReplaceable { .. }) => Err(format!(
                "page {page} became a duplicate of another worker's page, but it is lost or not kept; skipped"
            )),
            Err(error) => return Err(error),
        })
    }

    /// The event with the numbers of the new state. A page that is not here has the number [`NOWHERE`].
    fn in_new_numbers(&mut self, event: Event, origin: usize) -> Result<Result<Event, String>, StorageError> {
        let next = self.store.next_page_id();
        Ok(Ok(match event {
            Event::Page {
                sequence,
                mut page,
                replaced,
            } => {
                let here = |number: u64| Ok::<_, StorageError>(self.numbers.here(origin, number)?.unwrap_or(NOWHERE));
                if let Some(of) = page.verdict.of() {
                    page.verdict = page.verdict.with_of(here(of)?);
                }
                page.via = match page.via {
                    Some(Via::Page(number)) => self.numbers.here(origin, number)?.map(Via::Page),
                    via => via,
                };
                page.previous = page.previous.map(here).transpose()?;
                let replaced_page = replaced.map(|replaced| here(replaced.page)).transpose()?;
                let Some(number) = self.numbers.give(origin, sequence, next)? else {
                    let url = &page.url;
                    return Ok(Err(format!(
                        "page {sequence} ({url}) of its folder is there already; skipped"
                    )));
                };
                Event::Page {
                    sequence: number,
                    page,
                    replaced: replaced.zip(replaced_page).map(|(replaced, page)| Replaced {
                        page,
                        verdict: replaced.verdict.with_of(number),
                    }),
                }
            }
            Event::Visited {
                page,
                visit,
                at,
                wire_bytes,
                status,
            } => Event::Visited {
                page: self.numbers.here(origin, page)?.unwrap_or(NOWHERE),
                visit,
                at,
                wire_bytes,
                status,
            },
            Event::Redirected { page, to, status } => Event::Redirected {
                page: self.numbers.here(origin, page)?.unwrap_or(NOWHERE),
                to,
                status,
            },
            Event::Excluded { page, reason } => Event::Excluded {
                page: self.numbers.here(origin, page)?.unwrap_or(NOWHERE),
                reason,
            },
            Event::Yielded { page, verdict } => {
                let of = match verdict.of() {
                    Some(of) => self.numbers.here(origin, of)?,
                    None => None,
                };
                Event::Yielded {
                    page: self.numbers.here(origin, page)?.unwrap_or(NOWHERE),
                    verdict: verdict.with_of(of.unwrap_or(NOWHERE)),
                }
            }
        }))
    }

    fn replay_page(
        &mut self,
        sequence: u64,
        page: PageRecord,
        replaced: Option<Replaced>,
        records: PageRecords,
    ) -> Result<Used, StorageError> {
        let url = page.url.clone();
        if sequence < self.store.next_page_id() {
            return Ok(Err(format!("page {sequence} ({url}) is there already; skipped")));
        }
        let has_representative = match page.verdict.of() {
            // Another worker's page is in another archive.
            Some(of) => PageElsewhere::unpacked(of).is_some() || self.store.latest_page(of)?.is_some(),
            None => true,
        };
        if !records.is_whole {
            return Ok(Err(self.lose(sequence, page, "its body or its text is lost")));
        }
        if !has_representative {
            return Ok(Err(self.lose(
                sequence,
                page,
                "the page that it is a duplicate of is lost",
            )));
        }
        let Some(queued) = self.place_of(&page)? else {
            if self.is_merged() {
                self.replay_second(sequence, page, records.archived)?;
                return Ok(Ok(()));
            }
            return Ok(Err(format!(
                "page {sequence} ({url}): its URL has another page already; skipped"
            )));
        };
        let replaced = match replaced {
            Some(replaced) => self
                .store
                .latest_page(replaced.page)?
                .filter(PageRecord::is_kept)
                .map(|_| replaced),
            None => None,
        };
        self.store.set_next_page(sequence);
        self.touched.extend(page.previous);
        self.finish_page(&queued, draft_of(page, replaced), records.archived)?;
        Ok(Ok(()))
    }

    /// Notes a lost page. Returns the message about it.
    fn lose(&mut self, sequence: u64, page: PageRecord, why: &str) -> String {
        let message = format!("{}: {why}; it will be fetched again", page.url);
        let link = Discovered {
            url: page.url,
            host: page.host,
            depth: page.depth,
            ..Discovered::default()
        };
        self.lost.push(Lost {
            link,
            via: None,
            sequence,
        });
        message
    }

    fn replay_visit(
        &mut self,
        page: u64,
        visit: Visit,
        (at, wire_bytes, status): (u64, u64, u16),
        group: &Group,
    ) -> Result<Used, StorageError> {
        let answer = group.archived.response.or(group.archived.revisit);
        let capture = answer.and(group.payload_digest).map(|payload_digest| EncodedCapture {
            status,
            payload_digest,
            content_type: Some(group.content_type.clone().unwrap_or_default()),
            ..EncodedCapture::of_bytes(Vec::new(), Compression::default())
        });
        let outcome = Outcome::Visited {
            visit,
            at,
            wire_bytes,
            capture,
        };
        self.replay_return(page, outcome)
    }

    /// Replays the outcome of a visit that brought no other page.
    fn replay_return(&mut self, page: u64, outcome: Outcome) -> Result<Used, StorageError> {
        if self.is_second(page) {
            return self.replay_return_to_second(page, &outcome).map(Ok);
        }
        let is_current = (self.store.latest_page(page)?).is_some_and(|page| page.fate == Fate::Current);
        let queued = if is_current { self.revisited(page)? } else { None };
        let Some(queued) = queued else {
            return Ok(Err(format!("a visit to page {page}, which is lost; skipped")));
        };
        self.store.finish(&queued, outcome, &[])?;
        self.result.visits += 1;
        Ok(Ok(()))
    }

    /// Queues the URL of the page, or a visit to its earlier version. `None` if the URL has another page already.
    fn place_of(&mut self, page: &PageRecord) -> Result<Option<QueuedUrl>, StorageError> {
        let mut previous = match page.previous {
            Some(previous) => self.revisited(previous)?.filter(|queued| queued.url == page.url),
            None => None,
        };
        // If the previous version is lost, this one follows the version before that.
        if page.previous.is_some()
            && previous.is_none()
            && let Some(older) = self.current_page(&page.host, &page.url)?
        {
            previous = self.revisited(older)?;
        }
        if let Some(queued) = previous {
            return Ok(Some(QueuedUrl {
                depth: queued.depth,
                via: page.via.clone(),
                ..queued
            }));
        }
        let link = Discovered {
            url: page.url.clone(),
            host: page.host.clone(),
            depth: page.depth,
            ..Discovered::default()
        };
        let mut queued = self.store.discover(std::slice::from_ref(&link))?.pop();
        if queued.is_none() {
            // The state of a URL is read from committed rows.
            self.store.commit()?;
            self.touched.clear();
            queued = self.store.asked_again(&link, None)?;
        }
        Ok(queued.map(|queued| QueuedUrl {
            via: page.via.clone(),
            ..queued
        }))
    }

    /// The last replayed page of this URL.
    pub(super) fn current_page(&mut self, host: &str, url: &str) -> Result<Option<u64>, StorageError> {
        // The state of a URL is read from committed rows.
        if self.store.pending() > 0 {
            self.store.commit()?;
            self.touched.clear();
        }
        Ok(match self.store.url_state(host, url)? {
            Some(UrlState::Page(sequence)) => Some(sequence),
            _ => None,
        })
    }

    /// Queues a visit to the page.
    fn revisited(&mut self, page: u64) -> Result<Option<QueuedUrl>, StorageError> {
        // The page's visits are read from committed rows.
        if self.touched.contains(&page) {
            self.store.commit()?;
            self.touched.clear();
        }
        self.touched.insert(page);
        Ok(self.store.revisit(&[page], 0)?.pop())
    }

    fn finish_page(&mut self, queued: &QueuedUrl, draft: PageDraft, archived: Archived) -> Result<(), StorageError> {
        self.store.replay_at(archived, self.end);
        let is_archived = archived != Archived::default();
        let outcome = Outcome::Page {
            draft: Box::new(draft),
            capture: is_archived.then(|| EncodedCapture::of_bytes(Vec::new(), Compression::default())),
        };
        let finished = self.store.finish(queued, outcome, &[])?;
        self.touched.extend(finished.page_id);
        Ok(())
    }
}

impl PageRecords {
    /// `named` are the records that the metadata record names, `found` those that were read.
    fn of(named: Records, found: Archived) -> Self {
        let archived = Archived {
            response: found.response.filter(|_| named.response),
            text: found.text.filter(|_| named.text),
            revisit: found.revisit.filter(|_| named.revisit),
        };
        // A duplicate can do without its text: its signature is in the metadata record.
        let is_kept = named.response;
        let is_whole =
            archived.response.is_some() == named.response && (archived.text.is_some() == named.text || !is_kept);
        Self { archived, is_whole }
    }
}

/// The draft that the crawl made the page's record from.
pub(super) fn draft_of(page: PageRecord, replaces: Option<Replaced>) -> PageDraft {
    PageDraft {
        title: page.title,
        fetched_at: page.fetched_at,
        status: page.status,
        content_type: page.content_type,
        encoding: page.encoding,
        body_bytes: page.body_bytes,
        wire_bytes: page.wire_bytes,
        text_chars: page.text_chars,
        language: page.language,
        page_type: page.page_type,
        rendering: page.rendering,
        verdict: page.verdict,
        signature: page.signature,
        elapsed_ms: page.elapsed_ms,
        canonical: page.canonical,
        replaces: replaces.filter(|_| !page.verdict.is_duplicate()),
        validators: page.validators,
        payload_digest: page.payload_digest,
        logged_in: page.logged_in,
        is_incomplete: page.is_incomplete,
    }
}
