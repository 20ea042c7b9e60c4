//! What the archive tells, done again: record by record, in order.

use std::fs::File;

use super::files::WarcFile;
use super::{Lost, Rebuild, RebuildStep};
use crate::error::StorageError;
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::outcome::{Outcome, UrlState};
use crate::page::{Fate, PageDraft, PageRecord, Replaced, Verdict, WarcLocation};
use crate::warc::metadata::{self, Event, Metadata};
use crate::warc::reader::{DEFAULT_MAX_RECORD_BYTES, WarcReader, decode_member};
use crate::warc::record::read_digest;
use crate::warc::writer::{Archived, WarcEnd};
use crate::warc::{EncodedCapture, LocatedRecord};

/// The records since the last metadata record.
#[derive(Default)]
struct Group {
    uri: Option<String>,
    archived: Archived,
    /// Of the `revisit`.
    payload_digest: Option<[u8; 20]>,
}

impl Rebuild {
    pub(super) fn read_all(
        &mut self,
        files: &[WarcFile],
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let of = files.iter().map(|file| file.bytes).sum();
        let (mut before, mut group) = (0, Group::default());
        for file in files {
            // Nothing is known of what a file that was begun holds; if it is nothing, it is begun again.
            self.end = WarcEnd {
                file: file.number,
                offset: 0,
            };
            let input = File::open(&file.path).map_err(|source| StorageError::io("read", &file.path, source))?;
            let mut reader = WarcReader::new(input);
            while let Some(read) = reader
                .next_record()
                .map_err(|source| StorageError::io("read", &file.path, source))?
            {
                match read {
                    Ok(located) => {
                        self.end.offset = located.offset + located.length;
                        self.take(file, located, &mut group, say)?;
                        say(RebuildStep::Read {
                            bytes: before + self.end.offset,
                            of,
                        });
                    }
                    Err(damage) => self.problem(say, format!("{}: {damage}; skipped", file.path.display())),
                }
            }
            self.result.files += 1;
            before += file.bytes;
        }
        self.leave(&mut group, say);
        self.store.commit()?;
        self.store.progress.archive = self.end;
        Ok(())
    }

    fn take(
        &mut self,
        file: &WarcFile,
        located: LocatedRecord,
        group: &mut Group,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let location = WarcLocation {
            file: file.number,
            offset: located.offset,
            length: located.length,
        };
        let uri = located.record.field("WARC-Target-URI").map(str::to_owned);
        match located.record.kind() {
            "response" | "revisit" | "conversion" | "metadata" if uri != group.uri => {
                self.leave(group, say);
                group.uri = uri;
            }
            _ => {}
        }
        match located.record.kind() {
            "response" => {
                if group.archived.response.is_some() {
                    let uri = group.uri.clone();
                    self.leave(group, say);
                    group.uri = uri;
                }
                group.archived.response = Some(location);
            }
            "revisit" => {
                group.archived.revisit = Some(location);
                group.payload_digest = located.record.field("WARC-Payload-Digest").and_then(read_digest);
            }
            "conversion" => group.archived.text = Some(location),
            "metadata" => match metadata::decode(&located.record) {
                Ok(metadata) => {
                    let commit = metadata::commit_of(&located.record).unwrap_or(0);
                    self.last_archived_commit = self.last_archived_commit.max(commit);
                    if let Err(reason) = self.record(metadata, std::mem::take(group), location)? {
                        self.problem(
                            say,
                            format!("{}, byte {}: {reason}", file.path.display(), location.offset),
                        );
                    }
                }
                // Of another program, or damaged in a way that its digest does not tell.
                Err(reason) => self.problem(
                    say,
                    format!(
                        "{}, byte {}: a metadata record cannot be used: {reason}; skipped",
                        file.path.display(),
                        location.offset
                    ),
                ),
            },
            _ => {}
        }
        Ok(())
    }

    /// What was archived and has no metadata record.
    fn leave(&mut self, group: &mut Group, say: &mut dyn FnMut(RebuildStep)) {
        let Group { uri, archived, .. } = std::mem::take(group);
        let Some(url) = uri.filter(|_| archived != Archived::default()) else {
            return;
        };
        self.problem(
            say,
            format!("{url}: its metadata record is lost; it will be fetched again"),
        );
        self.undecided.push(url);
    }

    /// The inner error says, in one line, why the record is not used and what is done instead.
    fn record(
        &mut self,
        metadata: Metadata,
        group: Group,
        location: WarcLocation,
    ) -> Result<Result<(), String>, StorageError> {
        let archived = group.archived;
        if !metadata.outlinks.is_empty() {
            self.with_links.push(location);
        }
        self.store.archive.replay(archived, self.end);
        match metadata.event {
            Event::Page {
                sequence,
                page,
                replaced,
            } => {
                let complete = Archived {
                    response: archived.response.filter(|_| metadata.records.response),
                    text: archived.text.filter(|_| metadata.records.text),
                    revisit: archived.revisit.filter(|_| metadata.records.revisit),
                };
                // Without its text a duplicate is known all the same, by its signature.
                let is_kept = metadata.records.response;
                let is_whole = complete.response.is_some() == metadata.records.response
                    && (complete.text.is_some() == metadata.records.text || !is_kept);
                self.record_page(sequence, *page, replaced, complete, is_whole)
            }
            Event::Visited {
                page,
                visit,
                at,
                wire_bytes,
                status,
            } => {
                let revisit = archived.revisit.and(group.payload_digest);
                let capture = revisit.map(|payload_digest| EncodedCapture {
                    status,
                    payload_digest,
                    ..EncodedCapture::of_bytes(Vec::new())
                });
                let outcome = Outcome::Visited {
                    visit,
                    at,
                    wire_bytes,
                    capture,
                };
                self.record_return(page, outcome)
            }
            Event::Redirected { page, to, status } => self.record_return(page, Outcome::Redirect { to, status }),
            Event::Excluded { page, reason } => self.record_return(page, Outcome::Excluded { reason }),
        }
    }

    fn record_page(
        &mut self,
        sequence: u64,
        page: PageRecord,
        replaced: Option<Replaced>,
        archived: Archived,
        is_whole: bool,
    ) -> Result<Result<(), String>, StorageError> {
        let url = page.url.clone();
        if sequence < self.store.next_page_id() {
            return Ok(Err(format!("page {sequence} ({url}) is there already; skipped")));
        }
        let stands_for_it = match page.verdict.of() {
            Some(of) => self.store.latest_page(of)?.is_some(),
            None => true,
        };
        if !is_whole || !stands_for_it {
            let link = Discovered {
                url: page.url,
                host: page.host,
                depth: page.depth,
                ..Discovered::default()
            };
            self.lost.push(Lost { link, sequence });
            let what = match is_whole {
                true => "the page that it is a duplicate of is lost",
                false => "its body or its text is lost",
            };
            return Ok(Err(format!("{url}: {what}; it will be fetched again")));
        }
        let Some(queued) = self.place_of(&page)? else {
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
        self.store.progress.next_page = sequence;
        self.touched.extend(page.previous);
        self.finish_page(&queued, draft_of(page, replaced), archived)?;
        Ok(Ok(()))
    }

    /// A row in the queue to finish the page from.
    fn place_of(&mut self, page: &PageRecord) -> Result<Option<QueuedUrl>, StorageError> {
        let mut previous = match page.previous {
            Some(previous) => self.revisited(previous)?.filter(|queued| queued.url == page.url),
            None => None,
        };
        // The version before may be lost, and then it is the one before that whose place this one takes.
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
        let queued = self.store.discover(&[link])?.pop();
        Ok(queued.map(|queued| QueuedUrl {
            via: page.via.clone(),
            ..queued
        }))
    }

    /// The page that was taken last for this URL.
    fn current_page(&mut self, host: &str, url: &str) -> Result<Option<u64>, StorageError> {
        // What became of a URL is read from what is committed.
        if self.store.pending() > 0 {
            self.store.commit()?;
            self.touched.clear();
        }
        Ok(match self.store.url_state(host, url)? {
            Some(UrlState::Page(sequence)) => Some(sequence),
            _ => None,
        })
    }

    /// Queues the URLs of lost pages, or further visits to what is left of them.
    pub(super) fn queue_lost(&mut self, lost: Vec<Lost>) -> Result<(), StorageError> {
        self.store.commit()?;
        for Lost { link, sequence } in lost {
            let queued = match self.store.url_state(&link.host, &link.url)? {
                Some(UrlState::Page(page)) if page < sequence => self.store.revisit(&[page], 0)?.len(),
                Some(UrlState::Queued) => usize::from(self.told_lost.insert(link.url)),
                Some(_) => 0,
                None => {
                    self.told_lost.insert(link.url.clone());
                    self.store.discover(std::slice::from_ref(&link))?.len()
                }
            };
            self.result.lost += queued as u64;
        }
        Ok(())
    }

    /// A row in the queue for another visit to the page.
    fn revisited(&mut self, page: u64) -> Result<Option<QueuedUrl>, StorageError> {
        // What is known of its visits is read from what is committed.
        if self.touched.contains(&page) {
            self.store.commit()?;
            self.touched.clear();
        }
        self.touched.insert(page);
        Ok(self.store.revisit(&[page], 0)?.pop())
    }

    fn record_return(&mut self, page: u64, outcome: Outcome) -> Result<Result<(), String>, StorageError> {
        let is_current = (self.store.latest_page(page)?).is_some_and(|page| page.fate == Fate::Current);
        let queued = match is_current {
            true => self.revisited(page)?,
            false => None,
        };
        let Some(queued) = queued else {
            return Ok(Err(format!("a visit to page {page}, which is lost; skipped")));
        };
        self.store.finish(&queued, outcome, &[])?;
        self.result.visits += 1;
        Ok(Ok(()))
    }

    fn finish_page(&mut self, queued: &QueuedUrl, draft: PageDraft, archived: Archived) -> Result<(), StorageError> {
        self.store.archive.replay(archived, self.end);
        let is_archived = archived != Archived::default();
        let outcome = Outcome::Page {
            draft: Box::new(draft),
            capture: is_archived.then(|| EncodedCapture::of_bytes(Vec::new())),
        };
        let finished = self.store.finish(queued, outcome, &[])?;
        self.touched.extend(finished.page_id);
        Ok(())
    }

    pub(super) fn queue_links(
        &mut self,
        location: WarcLocation,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let member = self.store.archive.member(location)?;
        let read = decode_member(&member, DEFAULT_MAX_RECORD_BYTES);
        let metadata = match read.and_then(|record| metadata::decode(&record)) {
            Ok(metadata) => metadata,
            Err(reason) => {
                self.problem(
                    say,
                    format!("byte {}: {reason}; its links are skipped", location.offset),
                );
                return Ok(());
            }
        };
        let via = match &metadata.event {
            Event::Page { sequence, page, .. } => match self.store.latest_page(*sequence)? {
                Some(_) => Some(Via::Page(*sequence)),
                None => Some(Via::Url(page.url.as_str().into())),
            },
            Event::Visited { page, .. } | Event::Redirected { page, .. } | Event::Excluded { page, .. } => {
                self.store.latest_page(*page)?.map(|page| Via::Url(page.url.into()))
            }
        };
        self.store.discover_from(&metadata.outlinks, via.as_ref())?;
        Ok(())
    }

    fn problem(&mut self, say: &mut dyn FnMut(RebuildStep), text: String) {
        self.result.problems += 1;
        say(RebuildStep::Problem(text));
    }
}

/// What the page was decided as.
fn draft_of(page: PageRecord, replaces: Option<Replaced>) -> PageDraft {
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
        verdict: page.verdict,
        signature: page.signature,
        elapsed_ms: page.elapsed_ms,
        canonical: page.canonical,
        replaces: replaces.filter(|_| page.verdict == Verdict::Unique),
        validators: page.validators,
        payload_digest: page.payload_digest,
    }
}
