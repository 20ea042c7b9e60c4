//! The rows of a Parquet file, one after the other.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;

use super::BytesRead;
use super::columns::{self, Needed};
use super::input::{ParquetInput, SIDE_BY_SIDE};
use super::value;
use crate::batch::{Batcher, Records};
use crate::field_names;
use crate::place::{At, Fault};
use crate::reading::Reading;
use crate::walk::Source;

/// Values of a column that are in memory at a time. The number is small, because texts may be long.
const VALUES_IN_MEMORY: usize = 32;

pub(super) fn read(
    source: &Source,
    reading: &Reading,
    bytes_read: &BytesRead<'_>,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let mut rows = Rows {
        source,
        records: Records::new(&source.name, source.number),
        next: 1,
    };
    // The library panics on some files that break the format.
    let read = catch_unwind(AssertUnwindSafe(|| rows.read(reading, bytes_read, batcher)));
    let ended = read.unwrap_or_else(|_panic| {
        Err(Fault::new(
            source.place(At::Record(rows.next)),
            "it contradicts the table of contents of its file, which may be damaged; the rows behind it are not read",
        ))
    });
    batcher.records(rows.records)?;
    match ended {
        Ok(course) => course,
        Err(fault) => batcher.fault(fault),
    }
}

struct Rows<'a> {
    source: &'a Source,
    /// Those that are not delivered.
    records: Records,
    /// The number of the next row.
    next: u64,
}

impl Rows<'_> {
    fn read(
        &mut self,
        reading: &Reading,
        bytes_read: &BytesRead<'_>,
        batcher: &mut Batcher<'_>,
    ) -> Result<ControlFlow<()>, Fault> {
        let reader = self.open()?;
        let schema = reader.metadata().file_metadata().schema();
        let needed = columns::needed(schema, reading).map_err(|error| self.failed(&error))?;
        let projection = match needed {
            Needed::LacksText(names) => {
                let reason = field_names::lacking(&reading.fields.text, &names);
                return Err(Fault::lacks_text(self.source.place(At::Whole), reason));
            }
            Needed::All => None,
            Needed::Some(projection) => Some(projection),
        };
        let file_bytes = self.source.bytes.unwrap_or(0).saturating_sub(bytes_read.of_file);
        let row_count = u64::try_from(reader.metadata().file_metadata().num_rows()).unwrap_or(0);
        let bytes_a_row = file_bytes / row_count.max(1);
        let rows = RowIter::from_file(projection, &reader).map_err(|error| self.failed(&error))?;
        for row in rows.with_batch_size(VALUES_IN_MEMORY) {
            let row = row.map_err(|error| self.failed(&error))?;
            self.records
                .push_with(At::Record(self.next), |out| value::write_row(&row, out));
            self.next += 1;
            bytes_read.counter.fetch_add(bytes_a_row, Ordering::Relaxed);
            if self.records.are_many() {
                let records = std::mem::replace(&mut self.records, Records::new(&self.source.name, self.source.number));
                if batcher.records(records).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn open(&self) -> Result<SerializedFileReader<ParquetInput>, Fault> {
        let input =
            ParquetInput::open(&self.source.origin, SIDE_BY_SIDE).map_err(|error| self.source.failed(&error))?;
        if !input.is_parquet() {
            return Err(Fault::new(
                self.source.place(At::Whole),
                "it is no Parquet file; one in gzip or zstd must be unpacked first",
            ));
        }
        SerializedFileReader::new(input).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &ParquetError) -> Fault {
        let at = if self.next == 1 {
            At::Whole
        } else {
            At::Record(self.next)
        };
        let advice = match error {
            ParquetError::General(reason) if reason.contains("isabled feature") => {
                "; write the file with the compression zstd, Snappy or gzip"
            }
            _ => "",
        };
        let reason = format!("cannot read the Parquet file: {error}{advice}");
        Fault::new(self.source.place(at), reason)
    }
}
