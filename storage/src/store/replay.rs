//! What a rebuild sets in the store that it fills from an archive.

use super::Store;
use crate::batch::KeyValue;
use crate::edges::Edges;
use crate::error::StorageError;
use crate::format;
use crate::frontier::UrlId;
use crate::links::Links;
use crate::origins::Origin;
use crate::state::scheme_row;
use crate::urls::FinishedUrls;
use crate::warc::compression::Compression;
use crate::warc::location::{Archived, WarcEnd};

impl Store {
    /// The records of the next event are in the archive already, at `archived`, and the archive up to them ends at `end`.
    pub(crate) fn replay_at(&mut self, archived: Archived, end: WarcEnd) {
        self.archive.replay(archived, end);
    }

    /// The archive ends at `end`.
    pub(crate) fn end_archive_at(&mut self, end: WarcEnd) {
        self.archive.replay(Archived::default(), end);
        self.progress.archive = end;
    }

    /// The files of the archive have these compressions.
    pub(crate) fn set_compressions(&mut self, files: impl IntoIterator<Item = (u32, Compression)>) {
        self.archive.set_compressions(files);
    }

    /// Notes the compressions of the files. Durable with the next commit.
    pub(crate) fn note_names(&mut self) -> Result<(), StorageError> {
        let mut piece = self.piece();
        self.archive.note_names(&mut piece)?;
        self.note(piece);
        Ok(())
    }

    /// The end of the archive, with everything staged.
    pub(crate) fn archive_end(&self) -> WarcEnd {
        self.progress.archive
    }

    /// The next page gets this number.
    pub(crate) fn set_next_page(&mut self, sequence: u64) {
        self.progress.next_page = sequence;
    }

    /// The next page gets this number or a higher one.
    pub(crate) fn raise_next_page(&mut self, sequence: u64) {
        self.progress.next_page = self.progress.next_page.max(sequence);
    }

    /// The number of the last commit.
    pub(crate) fn last_commit(&self) -> u64 {
        self.progress.commit
    }

    /// The last commit has this number or a higher one.
    pub(crate) fn raise_last_commit(&mut self, number: u64) {
        self.progress.commit = self.progress.commit.max(number);
    }

    /// Sets where the files of the archive come from, and commits.
    pub(crate) fn set_origins(&mut self, origins: Vec<Origin>) -> Result<(), StorageError> {
        let mut piece = self.piece();
        self.archive.set_origins(origins, &mut piece)?;
        self.note(piece);
        self.commit()?;
        Ok(())
    }

    /// Sets the scheme of the new verdicts. Durable with the next commit.
    pub(crate) fn set_scheme(&mut self, scheme: &str) -> Result<(), StorageError> {
        self.note_with(|_, piece| {
            let (key, row) = scheme_row(scheme);
            piece.set(key, row);
            Ok(())
        })
    }

    /// Takes the row of a robots.txt or a sitemap from another state, if that was fetched later than the one here.
    pub(crate) fn take_if_later(&mut self, row: KeyValue) -> Result<(), StorageError> {
        self.note_with(|store, piece| {
            let known = store.state.get(&row.0)?;
            if known.is_none_or(|known| format::is_fetched_later(&row.1, &known)) {
                piece.copy(row);
            }
            Ok(())
        })
    }

    /// The known URLs and their links.
    pub(crate) fn links(&self) -> &Links {
        &self.links
    }

    /// Takes the depth and the links of a URL from another state.
    pub(crate) fn take_depth_and_links(
        &mut self,
        id: UrlId,
        depth: Option<u16>,
        edges: Edges,
    ) -> Result<(), StorageError> {
        if let Some(depth) = depth {
            if self.links.is_deeper(id, depth)? {
                self.stage_lowered(&[(id, depth)]);
            }
            if let Some(url) = self.finished_urls().latest(id)? {
                self.lower_page(url.state(), depth)?;
            }
        }
        if let Some(url) = self.finished_urls().latest(id)?
            && url.edges.is_empty()
            && !edges.is_empty()
        {
            self.make_room()?;
            let mut piece = self.piece();
            FinishedUrls::set_edges(id, &url, &edges, &mut piece)?;
            self.stage(piece);
        }
        Ok(())
    }
}
