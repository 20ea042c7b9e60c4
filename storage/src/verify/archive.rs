//! Checks the files of the archive, and the catalogue against the metadata records.

use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;

use super::Check;
use super::findings::{FindingKind, Findings};
use super::stretches::Stretches;
use super::threads::in_order;
use crate::error::StorageError;
use crate::page::PageRecord;
use crate::warc::after_damage::AfterDamage;
use crate::warc::metadata::{self, Event};
use crate::warc::{Record, WarcReader};

/// Bytes of the archive that are a step of the check.
const BYTES_A_STEP: u64 = 4_096;

/// Stretches after which the progress is shown.
const STRETCHES_AT_A_TIME: usize = 8;

impl Check<'_> {
    /// Number of steps of the check of the archive.
    pub(super) fn steps_of_archive(self) -> u64 {
        (0..=self.store.archive_end().file)
            .map(|file| self.bytes_of(file) / BYTES_A_STEP)
            .sum()
    }

    /// Bytes of a WARC file; 0 if it cannot be opened.
    fn bytes_of(self, file: u32) -> u64 {
        let end = self.store.archive_end();
        if file == end.file {
            end.offset
        } else {
            std::fs::metadata(self.store.archive().path(file)).map_or(0, |file| file.len())
        }
    }

    /// Reads every WARC file up to the end of the archive.
    pub(super) fn verify_archive(self, stretches: &Stretches, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let end = self.store.archive_end();
        let gaps = self.store.archive().gaps()?;
        for number in 0..=end.file {
            let committed = (number == end.file).then_some(end.offset);
            if committed == Some(0) {
                break;
            }
            let path = self.store.archive().path(number);
            match File::open(&path) {
                Ok(_) => self.verify_file(number, committed, stretches, findings)?,
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
    ///
    /// Several threads read a stretch each. If the records of every stretch lead to the beginning of the next one without damage, one
    /// reader would have found the same. Otherwise one reader reads the file again, because damage may reach over a border.
    fn verify_file(
        self,
        number: u32,
        committed: Option<u64>,
        stretches: &Stretches,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let bytes = self.bytes_of(number);
        let stretches = stretches.of_file(number, bytes);
        let mut read = Vec::with_capacity(stretches.len());
        for some in stretches.chunks(STRETCHES_AT_A_TIME) {
            for (stretch, found) in some
                .iter()
                .zip(in_order(some, |stretch| self.read(number, stretch, committed)))
            {
                read.push(found?);
                findings.steps(stretch.end.min(bytes) / BYTES_A_STEP - stretch.start / BYTES_A_STEP);
            }
        }
        let is_whole = |(stretch, read): (&Range<u64>, &ReadStretch)| {
            stretch.end == u64::MAX || read.leads_to == Some(stretch.end)
        };
        if !stretches.iter().zip(&read).all(is_whole) {
            read = vec![self.read(number, &(0..u64::MAX), committed)?];
        }
        for (kind, what) in read.into_iter().flat_map(|read| read.wrong) {
            findings.note(kind, what);
        }
        Ok(())
    }

    /// Reads a stretch of a WARC file. The last one has no end: it ends with the file, or at the `committed` byte.
    fn read(self, number: u32, stretch: &Range<u64>, committed: Option<u64>) -> Result<ReadStretch, StorageError> {
        let path = self.store.archive().path(number);
        let failed = |source| StorageError::io("read", &path, source);
        let (compression, file) = (
            self.store.archive().compression_of(number),
            File::open(&path).map_err(failed)?,
        );
        let mut reader = WarcReader::of(compression, file).starting_at(stretch.start);
        let open = || Ok(WarcReader::of(compression, File::open(&path)?));
        let (mut read_to, mut wrong, mut after_damage) = (stretch.start, Vec::new(), None::<AfterDamage>);
        let committed = committed.filter(|_| stretch.end == u64::MAX);
        let end = committed.unwrap_or(stretch.end);
        while read_to < end {
            match reader.next_record().map_err(failed)? {
                None => break,
                Some(Ok(located)) => {
                    let is_own = after_damage.as_ref().is_none_or(|after| after.accepts(&located.record));
                    read_to = located.offset + located.length;
                    if is_own {
                        let what = self.wrong_with_metadata(&located.record, number, located.offset)?;
                        wrong.extend(what.map(|what| (FindingKind::Page, what)));
                    }
                }
                Some(Err(damage)) if committed.is_some_and(|committed| damage.offset >= committed) => break,
                Some(Err(damage)) => {
                    if after_damage.is_none() {
                        after_damage = Some(AfterDamage::in_file(open).map_err(failed)?);
                    }
                    if !self
                        .store
                        .archive()
                        .is_skipped(number, damage.offset, reader.position())?
                    {
                        wrong.push((FindingKind::Archive, format!("{}: {damage}", path.display())));
                    }
                    read_to = read_to.max(damage.offset + 1);
                }
            }
        }
        if let Some(committed) = committed.filter(|committed| read_to != *committed) {
            let what = format!(
                "{}: its records end at byte {read_to}, but {committed} bytes are committed",
                path.display()
            );
            wrong.push((FindingKind::Archive, what));
        }
        Ok(ReadStretch {
            wrong,
            leads_to: after_damage.is_none().then_some(read_to),
        })
    }

    /// The contradiction between the catalogue and the metadata record of a page, if there is one.
    fn wrong_with_metadata(self, record: &Record, file: u32, offset: u64) -> Result<Option<String>, StorageError> {
        if record.kind() != "metadata" {
            return Ok(None);
        }
        // A rebuild skips records that it cannot decode, and gives up pages without a readable record.
        let Ok(decoded) = metadata::decode(record) else {
            return Ok(None);
        };
        let Event::Page { sequence, page, .. } = decoded.event else {
            return Ok(None);
        };
        let Some(sequence) = self.store.archive().number_in(file, sequence)? else {
            return Ok(None);
        };
        let Some(known) = self.store.page(sequence)? else {
            return Ok(None);
        };
        let wrong = differing_fields(&page, &known, self.store.run_notes().redecided()?.is_none());
        Ok((!wrong.is_empty()).then(|| {
            format!(
                "page {sequence}, {}: its row differs from its metadata record (byte {offset} of {}): {}",
                known.url,
                self.store.archive().path(file).display(),
                wrong.join(", ")
            )
        }))
    }
}

/// What the check of a stretch of a WARC file found.
struct ReadStretch {
    wrong: Vec<(FindingKind, String)>,
    /// The end of its last record; `None` if a part of it is damaged.
    leads_to: Option<u64>,
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
        ("page_type", archived.page_type == known.page_type),
        ("rendering", archived.rendering == known.rendering),
        ("logged_in", archived.logged_in == known.logged_in),
        ("is_incomplete", archived.is_incomplete == known.is_incomplete),
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
