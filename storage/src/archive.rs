//! The archive of the store: its WARC files, and what the state knows of them.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::commit::Piece;
use crate::error::StorageError;
use crate::format;
use crate::full_files::FullFiles;
use crate::origins::{Origin, Origins};
use crate::state::State;
use crate::warc::location::{Archived, WarcEnd};
use crate::warc::names::FileNames;
use crate::warc::reader::{MAX_RECORD_BYTES, decode_members, field_of_members};
use crate::warc::writer::{Waiting, WarcWriter, Writing};
use crate::warc::{Compression, EncodedCapture, Record, WarcLocation};

/// ⟨[u32]⟩: the numbers of the WARC files that were missing at a rebuild.
const GAPS: &[u8] = b"mgaps";

/// ⟨[u32]⟩: the numbers of the WARC files with Zstandard frames. No row: there are none.
const ZSTD: &[u8] = b"mzstd";

/// ⟨[`Indexed`]⟩.
const INDEXED: &[u8] = b"mindexed";

/// The table of the ends of the stretches that a rebuild could not read: ⟨u64⟩, by file and offset.
const SKIPPED: u8 = b'z';

/// The part of the catalogue that is in `index.cdxj`. It describes only a file of exactly this length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Indexed {
    /// All pages before this one are in it.
    pub next_page: u64,
    /// All records before this place are in it.
    pub archive: WarcEnd,
    /// Length of the file.
    pub bytes: u64,
}

/// The archive.
pub struct Archive {
    writer: WarcWriter,
    state: State,
    /// The names that the state knows, with those of staged pieces.
    noted: FileNames,
    /// Where the files of a merged archive come from.
    origins: Origins,
    full_files: FullFiles,
}

impl Archive {
    /// The names of the files of the crawl that began at `started_at`, by the state.
    pub(crate) fn names(state: &State, started_at: u64) -> Result<FileNames, StorageError> {
        let zstd: Option<Vec<u32>> = state.row(ZSTD, "the row of compressions")?;
        Ok(FileNames::new(started_at, zstd.unwrap_or_default()))
    }

    /// `warc` is the folder of the files.
    pub(crate) fn new(writer: WarcWriter, state: State, warc: PathBuf) -> Result<Self, StorageError> {
        let names = writer.names();
        Ok(Self {
            full_files: FullFiles::new(warc, names.started_at(), writer.end().file),
            noted: names.clone(),
            writer,
            origins: Origins::read(state.clone())?,
            state,
        })
    }

    /// The full files, as of each commit.
    #[must_use]
    pub fn full_files(&self) -> FullFiles {
        self.full_files.clone()
    }

    /// The WARC file that the next record goes to. It may not exist yet.
    #[must_use]
    pub fn growing_file(&self) -> PathBuf {
        self.path(self.end().file)
    }

    /// The archived or staged record at a location, with its digest checked.
    ///
    /// # Errors
    /// [`StorageError::Io`] if the archive cannot be read, [`StorageError::ArchiveDamaged`] if the record is torn or its digest does not
    /// match.
    pub fn record(&self, location: WarcLocation) -> Result<Record, StorageError> {
        self.decoded(location)?.map_err(|reason| self.damaged(location, reason))
    }

    /// As [`record`](Self::record), with the reason why the record is damaged.
    pub(crate) fn decoded(&self, location: WarcLocation) -> Result<Result<Record, String>, StorageError> {
        let member = self.writer.member(location)?;
        let mut unpacker = self.writer.unpacker(location.file, &member)?;
        Ok(decode_members(&mut unpacker, &member, MAX_RECORD_BYTES))
    }

    /// The `WARC-Record-ID` of the record at a location; `None` if its header cannot be read.
    ///
    /// # Errors
    /// [`StorageError::Io`] if the archive cannot be read.
    pub fn record_id(&self, location: WarcLocation) -> Result<Option<String>, StorageError> {
        let member = self.writer.member(location)?;
        let mut unpacker = self.writer.unpacker(location.file, &member)?;
        Ok(field_of_members(&mut unpacker, &member, "WARC-Record-ID"))
    }

    pub(crate) fn damaged(&self, location: WarcLocation, reason: String) -> StorageError {
        StorageError::ArchiveDamaged {
            path: self.path(location.file),
            offset: location.offset,
            reason,
        }
    }

    /// The page that a record in the `file` calls `named`; `None` if the page was lost.
    pub(crate) fn number_in(&self, file: u32, named: u64) -> Result<Option<u64>, StorageError> {
        match self.origins.of_file(file) {
            Some(origin) => self.origins.number_of(origin, named),
            None => Ok(Some(named)),
        }
    }

    pub(crate) fn origins(&self) -> &Origins {
        &self.origins
    }

    pub(crate) fn set_origins(&mut self, origins: Vec<Origin>, piece: &mut Piece) -> Result<(), StorageError> {
        self.origins.set(origins, piece)
    }

    /// The compression of a file.
    pub(crate) fn compression_of(&self, file: u32) -> Compression {
        self.writer.names().compression(file)
    }

    /// The compression of records without a capture.
    pub(crate) fn compression(&self) -> Compression {
        self.writer.compression()
    }

    /// The name of a file.
    pub(crate) fn name(&self, file: u32) -> String {
        self.writer.names().of(file)
    }

    /// Sets the compressions of files.
    pub(crate) fn set_compressions(&mut self, files: impl IntoIterator<Item = (u32, Compression)>) {
        let mut names = self.writer.names().clone();
        for (file, compression) in files {
            names.set(file, compression);
        }
        self.writer.set_names(names);
    }

    /// Adds the row of the files with Zstandard frames to `piece`, if no piece has it as it is.
    pub(crate) fn note_names(&mut self, piece: &mut Piece) -> Result<(), StorageError> {
        let names = self.writer.names();
        if *names != self.noted {
            piece.set(ZSTD, format::encode(&names.zstd())?);
            self.noted = names.clone();
        }
        Ok(())
    }

    /// The path of a file.
    pub(crate) fn path(&self, file: u32) -> PathBuf {
        self.writer.path(file)
    }

    /// The end, with the records that wait in memory.
    pub(crate) fn end(&self) -> WarcEnd {
        self.writer.end()
    }

    /// Bytes that wait for [`sync`](Self::sync).
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.writer.waiting_bytes()
    }

    /// The record with this id at the head of a file.
    pub(crate) fn head(&self, file: u32, id: &str, now_ms: u64) -> std::io::Result<Vec<u8>> {
        self.writer.head(file, id, now_ms)
    }

    /// The id of the `warcinfo` of the file that gets the next event of this compression: see [`WarcWriter::next_warcinfo`].
    pub(crate) fn next_warcinfo(&mut self, compression: Compression) -> Result<Option<String>, StorageError> {
        self.writer.next_warcinfo(compression)
    }

    /// Adds fields to the heads of new files, or replaces those of the same names.
    pub(crate) fn describe(&mut self, fields: Vec<(&'static str, String)>) {
        self.writer.describe(fields);
    }

    /// Ends the last file, if it has a record.
    pub(crate) fn close_file(&mut self) {
        self.writer.close_file();
    }

    /// Appends the records of an event: a capture if it has one, and beside it the metadata record `of_event`. Returns the places of those
    /// of the capture. It can fail only before it appends.
    pub(crate) fn append(
        &mut self,
        capture: Option<EncodedCapture>,
        of_event: EncodedCapture,
        at: u64,
    ) -> Result<Archived, StorageError> {
        let Some(capture) = capture else {
            self.writer.append(of_event, at)?;
            return Ok(Archived::default());
        };
        let archived = self.writer.append(capture, at)?;
        self.writer.append_beside(of_event, at)?;
        Ok(archived)
    }

    /// Writes the records in memory and makes them durable. After an error the call can be repeated.
    pub(crate) fn sync(&mut self) -> Result<(), StorageError> {
        self.writer.sync()
    }

    /// What writes the records in memory, for another thread. They stay there until [`committed`](Self::committed).
    pub(crate) fn seal(&mut self) -> Writing {
        self.writer.seal()
    }

    /// Notes that a commit is complete that ended here. Returns the records that need not stay in memory any more.
    pub(crate) fn committed(&mut self, end: WarcEnd) -> Option<Arc<Waiting>> {
        self.full_files.note(end.file);
        self.writer.written()
    }

    /// Switches to a rebuild: see [`WarcWriter::replay`].
    pub(crate) fn replay(&mut self, archived: Archived, end: WarcEnd) {
        self.writer.replay(archived, end);
    }

    /// Checks that every file before the last exists, except those that were missing at a rebuild.
    pub(crate) fn check_files(&self) -> Result<(), StorageError> {
        self.writer.check_files(&self.gaps()?)
    }

    /// Numbers of the files that were missing at a rebuild. No row refers to them.
    pub(crate) fn gaps(&self) -> Result<Vec<u32>, StorageError> {
        let gaps = self.state.row(GAPS, "the row of missing files")?;
        Ok(gaps.unwrap_or_default())
    }

    pub(crate) fn set_gaps(gaps: &[u32], piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(GAPS, format::encode(&gaps)?);
        Ok(())
    }

    /// Stretches that a rebuild could not read. No page needs them.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn skipped_stretches(&self) -> Result<u64, StorageError> {
        self.state.scan([SKIPPED]).try_fold(0, |count, row| {
            row?;
            Ok(count + 1)
        })
    }

    /// Whether a rebuild noted this unreadable stretch, or a longer stretch that begins at the same byte.
    pub(crate) fn is_skipped(&self, file: u32, offset: u64, end: u64) -> Result<bool, StorageError> {
        let skipped: Option<u64> = self.state.row(skipped_key(file, offset), "an unreadable stretch")?;
        Ok(skipped.is_some_and(|skipped| end <= skipped))
    }

    /// Notes a stretch that cannot be read.
    pub(crate) fn set_skipped((file, offset): (u32, u64), end: u64, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(skipped_key(file, offset), format::encode(&end)?);
        Ok(())
    }

    /// The part of the catalogue in `index.cdxj`; `None` before that is written for the first time.
    pub(crate) fn indexed(&self) -> Result<Option<Indexed>, StorageError> {
        self.state.row(INDEXED, "how far the index goes")
    }

    /// Forgets what the index holds, so that the next update writes it from the start.
    pub(crate) fn forget_indexed(piece: &mut Piece) {
        piece.remove(INDEXED);
    }

    pub(crate) fn set_indexed(indexed: &Indexed, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(INDEXED, format::encode(indexed)?);
        Ok(())
    }
}

fn skipped_key(file: u32, offset: u64) -> Vec<u8> {
    [&[SKIPPED][..], &file.to_be_bytes(), &offset.to_be_bytes()].concat()
}
