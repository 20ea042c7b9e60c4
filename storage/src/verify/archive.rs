//! Checks the files of the archive, and the catalogue against the metadata records.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use super::findings::{FindingKind, Findings};
use crate::error::StorageError;
use crate::format;
use crate::page::PageRecord;
use crate::store::Store;
use crate::warc::metadata::{self, Event};
use crate::warc::{Record, WarcReader};

impl Store {
    /// Stretches of the archive that a rebuild could not read. No page needs them.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn skipped_stretches(&self) -> Result<u64, StorageError> {
        self.state.scan([format::SKIPPED]).try_fold(0, |count, row| {
            row?;
            Ok(count + 1)
        })
    }

    /// Reads every WARC file up to the end of the archive.
    pub(super) fn verify_archive(&self, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let end = self.progress.archive;
        let gaps = self.state.gaps()?;
        for number in 0..=end.file {
            let committed = (number == end.file).then_some(end.offset);
            if committed == Some(0) {
                break;
            }
            let path = self.archive.path(number);
            match File::open(&path) {
                Ok(file) => self.verify_file(number, file, committed, findings)?,
                // The file was missing at the rebuild, so no page needs it.
                Err(error) if error.kind() == ErrorKind::NotFound && gaps.contains(&number) => {}
                Err(error) => {
                    findings.note(FindingKind::Archive, format!("cannot open {}: {error}", path.display()));
                }
            }
        }
        Ok(())
    }

    /// Reads a WARC file to its end, or, for the last file, up to the `committed` byte.
    fn verify_file(
        &self,
        number: u32,
        file: File,
        committed: Option<u64>,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let path = self.archive.path(number);
        let mut reader = WarcReader::new(file);
        let mut read_to = 0;
        while committed.is_none_or(|committed| read_to < committed) {
            match reader
                .next_record()
                .map_err(|source| StorageError::io("read", &path, source))?
            {
                None => break,
                Some(Ok(located)) => {
                    read_to = located.offset + located.length;
                    self.verify_metadata(&located.record, &path, located.offset, findings)?;
                }
                Some(Err(damage)) if committed.is_some_and(|committed| damage.offset >= committed) => break,
                Some(Err(damage)) => {
                    if !self.is_skipped(number, damage.offset, reader.position())? {
                        findings.note(FindingKind::Archive, format!("{}: {damage}", path.display()));
                    }
                    read_to = read_to.max(damage.offset + 1);
                }
            }
            findings.step();
        }
        if let Some(committed) = committed.filter(|committed| read_to != *committed) {
            let what = format!(
                "{}: its records end at byte {read_to}, but {committed} bytes are committed",
                path.display()
            );
            findings.note(FindingKind::Archive, what);
        }
        Ok(())
    }

    /// Whether a rebuild noted this unreadable stretch, or a longer stretch that begins at the same byte.
    fn is_skipped(&self, file: u32, offset: u64, end: u64) -> Result<bool, StorageError> {
        let Some(row) = self.state.get(format::skipped_key(file, offset))? else {
            return Ok(false);
        };
        Ok(end <= self.state.decode::<u64>("an unreadable stretch", &row)?)
    }

    /// Checks that the catalogue and the metadata record of a page agree.
    fn verify_metadata(
        &self,
        record: &Record,
        path: &Path,
        offset: u64,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        if record.kind() != "metadata" {
            return Ok(());
        }
        // A rebuild skips records that it cannot decode, and gives up pages without a readable record.
        let Ok(decoded) = metadata::decode(record) else {
            return Ok(());
        };
        let Event::Page { sequence, page, .. } = decoded.event else {
            return Ok(());
        };
        let Some(known) = self.page(sequence)? else {
            return Ok(());
        };
        let wrong = differing_fields(&page, &known, self.redecided()?.is_none());
        if !wrong.is_empty() {
            let what = format!(
                "page {sequence}, {}: its row differs from its metadata record (byte {offset} of {}): {}",
                known.url,
                path.display(),
                wrong.join(", ")
            );
            findings.note(FindingKind::Page, what);
        }
        Ok(())
    }
}

/// The names of the constant fields that differ. After a redecision, pages have other signatures, and `has_first_signature` is false.
fn differing_fields(archived: &PageRecord, known: &PageRecord, has_first_signature: bool) -> Vec<&'static str> {
    let same = [
        ("url", archived.url == known.url),
        ("host", archived.host == known.host),
        ("title", archived.title == known.title),
        ("fetched_at", archived.fetched_at == known.fetched_at),
        ("status", archived.status == known.status),
        ("content_type", archived.content_type == known.content_type),
        ("encoding", archived.encoding == known.encoding),
        ("body_bytes", archived.body_bytes == known.body_bytes),
        ("wire_bytes", archived.wire_bytes == known.wire_bytes),
        ("text_chars", archived.text_chars == known.text_chars),
        ("language", archived.language == known.language),
        ("elapsed_ms", archived.elapsed_ms == known.elapsed_ms),
        ("canonical", archived.canonical == known.canonical),
        ("payload_digest", archived.payload_digest == known.payload_digest),
        (
            "signature",
            !has_first_signature || archived.signature == known.signature,
        ),
    ];
    same.iter()
        .filter(|(_, is_same)| !is_same)
        .map(|(name, _)| *name)
        .collect()
}
