//! Copies chosen rows with all their columns.
//!
//! Values are copied as they are stored, with their definition and repetition levels (Parquet format, "Nested Encoding"). So a column of any type,
//! nested or not, keeps its type and its values. The copy handles one column of one row group at a time, with a few values in memory.

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use serde_json::{Map, Value};

use super::added::Added;
use super::chosen::{AddedColumn, FILE, ROW};
use super::error::TableError;
use super::input::{IN_TURN, ParquetInput};
use super::table::{Table, TableFile};
use crate::state::FileState;

/// Uncompressed bytes of input after which a row group is complete. The chosen rows of one row group of the input always stay together.
const GROUP_BYTES: u64 = 64 << 20;

/// Rows after which a row group is complete.
const GROUP_ROWS: usize = 1 << 18;

/// Most files with rows in one row group. They are open until it is written.
const GROUP_FILES: usize = 32;

/// Values of a column that are in memory at a time. The number is small, because texts may be long.
const VALUES_IN_MEMORY: usize = 64;

/// Chosen rows of one row group: their places in it, in ascending order.
struct Piece {
    file: usize,
    reader: Rc<SerializedFileReader<ParquetInput>>,
    group: usize,
    rows: Vec<u32>,
}

struct Copy<'a, W: Write + Send> {
    table: &'a Table,
    added: &'a [AddedColumn],
    writer: SerializedFileWriter<W>,
    /// Leaves of the schema that are copied.
    leaves: Vec<usize>,
    /// The next row group.
    pieces: Vec<Piece>,
    values: Vec<Added>,
    rows: usize,
    bytes: u64,
    files: usize,
    goes_on: &'a dyn Fn() -> bool,
}

/// The file whose rows come now.
struct Current {
    file: usize,
    reader: Rc<SerializedFileReader<ParquetInput>>,
    /// The number of the first row of each row group.
    starts: Vec<u64>,
}

/// Writes the rows that the lines of `chosen` name, in their order, which is that of the files; see [`row_line`](super::row_line). A line has a
/// value for each of the `added` columns. Calls `goes_on` now and then, and stops if it returns `false`. Returns the number of rows.
///
/// # Errors
/// A file cannot be read, `out` cannot be written, the lines are not of this table, or `goes_on` returned `false`.
pub fn copy_rows(
    table: &Table,
    chosen: impl BufRead,
    added: &[AddedColumn],
    out: impl Write + Send,
    goes_on: &dyn Fn() -> bool,
) -> Result<u64, TableError> {
    let mut copy = Copy::new(table, added, out, goes_on).map_err(TableError::written)?;
    let (mut current, mut count) = (None, 0);
    for line in chosen.lines() {
        let line = line.map_err(TableError::Chosen)?;
        let of_line: Map<String, Value> =
            serde_json::from_str(&line).map_err(|error| TableError::Chosen(error.into()))?;
        let number = |name: &str| of_line.get(name).and_then(Value::as_u64);
        let (Some(file), Some(row)) = (number(FILE), number(ROW)) else {
            return Err(TableError::other_lines());
        };
        let at = match current {
            Some(current) if is_in(&table.files, &current, file) => current,
            _ => reach(table, file)?,
        };
        copy.push(&at, row, &of_line)?;
        current = Some(at);
        count += 1;
    }
    copy.finish()?;
    Ok(count)
}

fn is_in(files: &[TableFile], current: &Current, number: u64) -> bool {
    files[current.file].source.number as u64 == number
}

/// Opens the file with this number.
fn reach(table: &Table, number: u64) -> Result<Current, TableError> {
    let found = table
        .files
        .binary_search_by_key(&number, |file| file.source.number as u64);
    let file = found.map_err(|_| TableError::other_lines())?;
    let TableFile { source, state } = &table.files[file];
    if FileState::of(source).ok().flatten() != *state {
        return Err(TableError::Changed(source.name.to_string()));
    }
    let reader = ParquetInput::open(&source.origin, IN_TURN)
        .map_err(ParquetError::from)
        .and_then(SerializedFileReader::new)
        .map_err(|error| TableError::read(&source.name, &error))?;
    let mut next = 1;
    let mut starts = Vec::new();
    for group in reader.metadata().row_groups() {
        starts.push(next);
        next += u64::try_from(group.num_rows()).unwrap_or(0);
    }
    Ok(Current {
        file,
        reader: Rc::new(reader),
        starts,
    })
}

impl<'a, W: Write + Send> Copy<'a, W> {
    fn new(
        table: &'a Table,
        added: &'a [AddedColumn],
        out: W,
        goes_on: &'a dyn Fn() -> bool,
    ) -> Result<Self, ParquetError> {
        let schema = Arc::new(table.schema(added)?);
        let properties = WriterProperties::builder()
            .set_created_by(concat!("crawler version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_write_batch_size(VALUES_IN_MEMORY)
            .set_key_value_metadata(table.metadata(added));
        let values = added.iter().map(|column| Ok(Added::new(&table.type_of(column)?)));
        Ok(Self {
            table,
            added,
            writer: SerializedFileWriter::new(out, schema, Arc::new(properties.build()))?,
            leaves: table.leaves(added),
            pieces: Vec::new(),
            values: values.collect::<Result<_, ParquetError>>()?,
            rows: 0,
            bytes: 0,
            files: 0,
            goes_on,
        })
    }

    fn push(&mut self, at: &Current, row: u64, line: &Map<String, Value>) -> Result<(), TableError> {
        let group = at.starts.partition_point(|start| *start <= row).saturating_sub(1);
        let place = row.checked_sub(at.starts.get(group).copied().unwrap_or(1));
        let is_same = |piece: &Piece| (piece.file, piece.group) == (at.file, group);
        if !self.pieces.last().is_some_and(is_same) {
            let is_other = self.pieces.last().is_none_or(|piece| piece.file != at.file);
            let is_complete = self.bytes >= GROUP_BYTES || self.rows >= GROUP_ROWS;
            if is_complete || (is_other && self.files == GROUP_FILES) {
                self.write_group()?;
            }
            self.files += usize::from(is_other || self.pieces.is_empty());
            self.pieces.push(Piece {
                file: at.file,
                reader: Rc::clone(&at.reader),
                group,
                rows: Vec::new(),
            });
        }
        let groups = at.reader.metadata().row_groups();
        let of_group = groups.get(group).ok_or_else(TableError::other_lines)?;
        let bytes = u64::try_from(of_group.total_byte_size()).unwrap_or(0);
        self.bytes += bytes / u64::try_from(of_group.num_rows()).unwrap_or(1).max(1);
        self.rows += 1;
        let place = place.and_then(|place| u32::try_from(place).ok());
        let place = place.ok_or_else(TableError::other_lines)?;
        if let Some(piece) = self.pieces.last_mut() {
            piece.rows.push(place);
        }
        for (column, values) in self.added.iter().zip(&mut self.values) {
            let value = line.get(column.name).unwrap_or(&Value::Null);
            if !values.push(value) {
                return Err(TableError::other_id());
            }
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), TableError> {
        let pieces = std::mem::take(&mut self.pieces);
        (self.rows, self.bytes, self.files) = (0, 0, 0);
        if pieces.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(TableError::written)?;
        for leaf in &self.leaves {
            let mut column = group
                .next_column()
                .map_err(TableError::written)?
                .ok_or_else(TableError::other_lines)?;
            if !(self.goes_on)() {
                return Err(TableError::Stopped);
            }
            for piece in &pieces {
                // The library panics on some files that break the format.
                let copied = catch_unwind(AssertUnwindSafe(|| {
                    let reader = piece.reader.get_row_group(piece.group)?.get_column_reader(*leaf)?;
                    copy_values(reader, &mut column, &piece.rows)
                }));
                let copied = copied.unwrap_or_else(|_| Err(ParquetError::General("it is damaged".to_owned())));
                copied
                    .map_err(|error| TableError::read_or_written(&self.table.files[piece.file].source.name, error))?;
            }
            column.close().map_err(TableError::written)?;
        }
        for values in &mut self.values {
            let mut column = group
                .next_column()
                .map_err(TableError::written)?
                .ok_or_else(TableError::other_lines)?;
            values.write(&mut column).map_err(TableError::written)?;
            column.close().map_err(TableError::written)?;
        }
        group.close().map(drop).map_err(TableError::written)
    }

    fn finish(mut self) -> Result<(), TableError> {
        self.write_group()?;
        self.writer.finish().map(drop).map_err(TableError::written)
    }
}

/// Copies the values of the chosen rows.
fn copy_values(reader: ColumnReader, to: &mut SerializedColumnWriter<'_>, rows: &[u32]) -> Result<(), ParquetError> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => copy::<BoolType>(reader, to, rows),
        ColumnReader::Int32ColumnReader(reader) => copy::<Int32Type>(reader, to, rows),
        ColumnReader::Int64ColumnReader(reader) => copy::<Int64Type>(reader, to, rows),
        ColumnReader::Int96ColumnReader(reader) => copy::<Int96Type>(reader, to, rows),
        ColumnReader::FloatColumnReader(reader) => copy::<FloatType>(reader, to, rows),
        ColumnReader::DoubleColumnReader(reader) => copy::<DoubleType>(reader, to, rows),
        ColumnReader::ByteArrayColumnReader(reader) => copy::<ByteArrayType>(reader, to, rows),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => copy::<FixedLenByteArrayType>(reader, to, rows),
    }
}

fn copy<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    to: &mut SerializedColumnWriter<'_>,
    rows: &[u32],
) -> Result<(), ParquetError> {
    let to = to.typed::<T>();
    let (has_nulls, repeats) = (
        to.get_descriptor().max_def_level() > 0,
        to.get_descriptor().max_rep_level() > 0,
    );
    let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    for run in rows.chunk_by(|row, after| row + 1 == *after) {
        reader.skip_records((run[0] - next) as usize)?;
        next = run[0] + run.len() as u32;
        let mut left = run.len();
        while left > 0 {
            values.clear();
            definitions.clear();
            repetitions.clear();
            let (records, _, _) = reader.read_records(
                left.min(VALUES_IN_MEMORY),
                has_nulls.then_some(&mut definitions),
                repeats.then_some(&mut repetitions),
                &mut values,
            )?;
            if records == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            left -= records;
            let (definitions, repetitions) = (
                has_nulls.then_some(&definitions[..]),
                repeats.then_some(&repetitions[..]),
            );
            to.write_batch(&values, definitions, repetitions)?;
        }
    }
    Ok(())
}
