//! Replays the archive: the events of all origins in one order.
//!
//! A folder that was never merged has one source, whose order is that of its files. In a merge the sources take turns: the page that was
//! fetched first comes first, but never before the page that it is a duplicate of. So the numbers of the pages are in an order in which one
//! crawl could have decided them as they were decided.

use super::files::WarcFile;
use super::numbers::Named;
use super::source::{Found, Note, Source};
use super::{Rebuild, RebuildStep};
use crate::archive::Archive;
use crate::error::StorageError;
use crate::warc::location::WarcEnd;
use crate::warc::metadata::Event;

/// A source and its next event.
struct Turn {
    source: Source,
    next: Option<Found>,
    /// What orders the next event among those of other sources.
    rank: u64,
}

impl Rebuild {
    /// Replays `files`, in the order of their numbers.
    pub(super) fn read_all(
        &mut self,
        files: Vec<WarcFile>,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let of = files.iter().map(|file| file.bytes).sum();
        let last = files.last().map_or(0, |file| file.number);
        let (origins, own) = self.sources(files);
        let has_own = own.has_files();
        let mut read = 0;
        self.replay_in_turns(origins, (&mut read, of), say)?;
        self.settle_seconds()?;
        if self.has_yields && self.is_merged() {
            self.repair_duplicates()?;
        }
        // The numbers of lost pages stay unused.
        self.store.raise_next_page(self.numbers.next());
        let mut end = self.replay_own(own, (read, of), say)?;
        if !has_own {
            // Files that come from another folder never grow.
            end = WarcEnd {
                file: last + 1,
                offset: 0,
            };
        }
        self.end = end;
        self.store.commit()?;
        self.store.end_archive_at(self.end);
        Ok(())
    }

    /// The sources of the origins, and the source of the folder's own crawl.
    fn sources(&self, files: Vec<WarcFile>) -> (Vec<Source>, Source) {
        let known = self.store.archive().origins();
        let mut of_origins: Vec<Vec<WarcFile>> = known.all().iter().map(|_| Vec::new()).collect();
        let mut own = Vec::new();
        for file in files {
            match known.of_file(file.number) {
                Some(origin) => of_origins[origin].push(file),
                None => own.push(file),
            }
        }
        let origins = of_origins.into_iter().enumerate();
        let origins = origins.map(|(origin, files)| Source::new(Some(origin), files));
        (origins.collect(), Source::new(None, own))
    }

    fn replay_own(
        &mut self,
        mut source: Source,
        (before, of): (u64, u64),
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<WarcEnd, StorageError> {
        loop {
            let found = self.next_of(&mut source, say)?;
            say(RebuildStep::Read {
                bytes: before + source.bytes(),
                of,
            });
            match found {
                Some(found) => {
                    self.end = source.end;
                    self.replay(found, &source, say)?;
                }
                None => break,
            }
        }
        self.result.files += source.begun;
        Ok(source.end)
    }

    fn replay_in_turns(
        &mut self,
        sources: Vec<Source>,
        (read, of): (&mut u64, u64),
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let mut turns = Vec::with_capacity(sources.len());
        for source in sources {
            let mut turn = Turn {
                source,
                next: None,
                rank: 0,
            };
            self.advance(&mut turn, say)?;
            turns.push(turn);
        }
        while let Some(at) = self.whose_turn(&turns)? {
            let turn = &mut turns[at];
            if let Some(found) = turn.next.take() {
                self.end = turn.source.end;
                self.replay(found, &turn.source, say)?;
            }
            let before = turn.source.bytes();
            self.advance(turn, say)?;
            *read += turn.source.bytes() - before;
            say(RebuildStep::Read { bytes: *read, of });
        }
        for turn in &turns {
            self.result.files += turn.source.begun;
            self.origin_ends.push(turn.source.end);
        }
        Ok(())
    }

    /// Reads the next event of a source.
    fn advance(&mut self, turn: &mut Turn, say: &mut dyn FnMut(RebuildStep)) -> Result<(), StorageError> {
        turn.next = self.next_of(&mut turn.source, say)?;
        turn.rank = match (&turn.next, turn.source.origin) {
            (Some(found), Some(origin)) => self.rank_of(origin, &found.metadata.event)?,
            _ => 0,
        };
        Ok(())
    }

    /// The source whose event is next; `None` if all have ended.
    fn whose_turn(&self, turns: &[Turn]) -> Result<Option<usize>, StorageError> {
        let mut waiting: Vec<(u64, usize)> = Vec::with_capacity(turns.len());
        for (at, turn) in turns.iter().enumerate() {
            if turn.next.is_some() {
                waiting.push((turn.rank, at));
            }
        }
        waiting.sort_unstable();
        for (_, at) in &waiting {
            if self.is_ready(&turns[*at])? {
                return Ok(Some(*at));
            }
        }
        // If each waits for another, the archives contradict each other. The earliest one then loses the page that it waits for.
        Ok(waiting.first().map(|(_, at)| *at))
    }

    /// What orders the events of different sources: the number that the archive gives a page, or the time of its fetch. Other events are
    /// about earlier pages of their own source, and follow these at once.
    fn rank_of(&self, origin: usize, event: &Event) -> Result<u64, StorageError> {
        let Event::Page { sequence, page, .. } = event else {
            return Ok(0);
        };
        Ok(self.numbers.given(origin, *sequence)?.unwrap_or(page.fetched_at))
    }

    /// Whether the page that the next event names in its verdict has been replayed, or never will be.
    fn is_ready(&self, turn: &Turn) -> Result<bool, StorageError> {
        let (Some(found), Some(origin)) = (&turn.next, turn.source.origin) else {
            return Ok(false);
        };
        let named = match &found.metadata.event {
            Event::Page { page, .. } => page.verdict.of(),
            Event::Yielded { verdict, .. } => verdict.of(),
            Event::Visited { .. } | Event::Redirected { .. } | Event::Excluded { .. } => None,
        };
        Ok(match named {
            Some(of) => self.numbers.named(origin, of)? != Named::Later,
            None => true,
        })
    }

    /// The next event of a source. Records everything else that the source finds before it.
    fn next_of(
        &mut self,
        source: &mut Source,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<Option<Found>, StorageError> {
        let found = source.next()?;
        for note in source.notes.drain(..) {
            match note {
                Note::Problem(text) => self.problem(say, text),
                Note::Skipped { file, offset, end } => self.note_skipped(file, offset, end)?,
                Note::Undecided(url) => self.undecided.push(url),
            }
        }
        if found.is_none()
            && let Some(origin) = source.origin
        {
            self.numbers.end(origin)?;
        }
        Ok(found)
    }

    fn replay(&mut self, found: Found, source: &Source, say: &mut dyn FnMut(RebuildStep)) -> Result<(), StorageError> {
        self.last_archived_commit = self.last_archived_commit.max(found.commit);
        let location = found.location;
        if let Err(reason) = self.replay_event(found, source.origin)? {
            let place = source.place(location);
            self.problem(say, format!("{place}: {reason}"));
        }
        Ok(())
    }

    /// Notes an unreadable stretch. No page of the new state needs it, so it is no fault of that state.
    fn note_skipped(&mut self, file: u32, offset: u64, end: u64) -> Result<(), StorageError> {
        self.store
            .note_with(|_, piece| Archive::set_skipped((file, offset), end, piece))
    }

    pub(super) fn problem(&mut self, say: &mut dyn FnMut(RebuildStep), text: String) {
        self.result.problems += 1;
        say(RebuildStep::Problem(text));
    }
}
