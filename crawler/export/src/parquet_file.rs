//! Parquet: one typed column for each field, compressed with zstd, in row groups that are written when they are full.
//!
//! | kind | physical type | logical type |
//! |---|---|---|
//! | text | `BYTE_ARRAY` | `STRING` |
//! | texts, joined with `; ` | `BYTE_ARRAY` | `STRING` |
//! | time | `INT64` | `TIMESTAMP(MILLIS, UTC)` |
//! | int32, int64, real | `INT32`, `INT64`, `DOUBLE` | |
//! | fingerprint | `INT64`, or `FIXED_LEN_BYTE_ARRAY(16)` for 128 bits, highest byte first | `INTEGER(64, unsigned)`, or none |

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::data_type::{ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};

use crate::columns::Columns;
use crate::error::ExportError;
use crate::field::{Field, Kind, MARKDOWN, TEXT, Value, joined};
use crate::page::ExportedPage;
use crate::sink::Sink;
use crate::stream::Stream;

/// Bytes of text after which a row group is full. It stays in memory until it is written.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// Most pages of a row group.
const ROW_GROUP_PAGES: usize = 50_000;

/// Values between two checks whether a data page is full. The number is small, because texts may be long.
const VALUES_A_LOOK: usize = 64;

/// Most bits of a fingerprint that is a number; longer ones are bytes.
const BITS_OF_A_NUMBER: u32 = 64;

const WIDE_BYTES: i32 = 16;

/// An incomplete Parquet file.
pub(crate) struct ParquetFile {
    writer: SerializedFileWriter<Slot>,
    name: String,
    fields: Columns,
    columns: Vec<Column>,
    pages: usize,
    bytes: usize,
}

/// The values of one field in the current row group.
struct Column {
    values: Values,
    /// For a nullable field: 1 for a value, 0 for none.
    definition_levels: Option<Vec<i16>>,
}

enum Values {
    Text(Vec<ByteArray>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Real(Vec<f64>),
    Bool(Vec<bool>),
    Wide(Vec<FixedLenByteArray>),
}

impl ParquetFile {
    pub fn create(stream: Stream, fields: Columns) -> Result<Self, ExportError> {
        let name = stream.shown_name();
        let is_wide = fields.fingerprint_bits() > BITS_OF_A_NUMBER;
        let writer = schema(&fields, is_wide)
            .and_then(|schema| SerializedFileWriter::new(Slot(Some(stream)), Arc::new(schema), Arc::new(properties())))
            .map_err(|error| failure(&name, error))?;
        Ok(Self {
            writer,
            columns: fields.fields().map(|field| Column::new(field, is_wide)).collect(),
            fields,
            name,
            pages: 0,
            bytes: 0,
        })
    }

    fn write_row_group(&mut self) -> Result<(), ExportError> {
        if self.pages == 0 {
            return Ok(());
        }
        (self.pages, self.bytes) = (0, 0);
        try_write_row_group(&mut self.writer, &mut self.columns).map_err(|error| failure(&self.name, error))
    }
}

fn try_write_row_group(writer: &mut SerializedFileWriter<Slot>, columns: &mut [Column]) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    let mut columns = columns.iter_mut();
    while let (Some(mut to), Some(column)) = (group.next_column()?, columns.next()) {
        column.write(&mut to)?;
        to.close()?;
    }
    group.close()?;
    Ok(())
}

impl Sink for ParquetFile {
    fn write(&mut self, page: &ExportedPage) -> Result<(), ExportError> {
        for (field, column) in self.fields.fields().zip(&mut self.columns) {
            self.bytes += column.push(field.of(page));
        }
        self.pages += 1;
        if self.bytes >= ROW_GROUP_BYTES || self.pages >= ROW_GROUP_PAGES {
            self.write_row_group()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        self.write_row_group()?;
        let Self { mut writer, name, .. } = *self;
        writer.finish().map_err(|error| failure(&name, error))?;
        writer.inner_mut().0.take().map_or(Ok(()), Stream::finish)
    }
}

/// Holds the stream until the file is written. The library could return it, but then drops the error of the system if the last
/// bytes cannot be written.
struct Slot(Option<Stream>);

impl Write for Slot {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Ok(bytes.len()), |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Column {
    fn new(field: &Field, is_wide: bool) -> Self {
        let values = match field.kind {
            Kind::Text | Kind::Texts => Values::Text(Vec::new()),
            Kind::Int32 => Values::Int32(Vec::new()),
            Kind::Fingerprint if is_wide => Values::Wide(Vec::new()),
            Kind::Int64 | Kind::Time | Kind::Fingerprint => Values::Int64(Vec::new()),
            Kind::Real => Values::Real(Vec::new()),
            Kind::Bool => Values::Bool(Vec::new()),
        };
        Self {
            values,
            definition_levels: field.nullable.then(Vec::new),
        }
    }

    /// Adds the value of one page and returns its bytes of text.
    fn push(&mut self, value: Option<Value<'_>>) -> usize {
        if let Some(levels) = &mut self.definition_levels {
            levels.push(value.is_some().into());
        }
        let Some(value) = value else { return 0 };
        match (&mut self.values, value) {
            (Values::Text(values), Value::Text(text)) => {
                values.push(ByteArray::from(text));
                return text.len();
            }
            (Values::Text(values), Value::Texts(texts)) => {
                let text = joined(texts);
                let bytes = text.len();
                values.push(ByteArray::from(text.into_bytes()));
                return bytes;
            }
            (Values::Int32(values), Value::Int32(number)) => values.push(number),
            (Values::Int64(values), Value::Int64(number) | Value::Time(number)) => values.push(number),
            // The bits of an unsigned number, as in the logical type.
            (Values::Int64(values), Value::Fingerprint(bits)) => values.push(bits.value as i64),
            (Values::Wide(values), Value::Fingerprint(bits)) => {
                values.push(ByteArray::from(bits.value.to_be_bytes().to_vec()).into());
            }
            (Values::Real(values), Value::Real(number)) => values.push(number),
            (Values::Bool(values), Value::Bool(is)) => values.push(is),
            _ => debug_assert!(false, "a field's values are of its kind"),
        }
        0
    }

    /// Writes the values and clears them.
    fn write(&mut self, to: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = self.definition_levels.as_mut().map(std::mem::take);
        let levels = levels.as_deref();
        match &mut self.values {
            Values::Text(values) => write_values::<ByteArrayType>(to, values, levels),
            Values::Int32(values) => write_values::<Int32Type>(to, values, levels),
            Values::Int64(values) => write_values::<Int64Type>(to, values, levels),
            Values::Bool(values) => write_values::<BoolType>(to, values, levels),
            Values::Real(values) => write_values::<DoubleType>(to, values, levels),
            Values::Wide(values) => write_values::<FixedLenByteArrayType>(to, values, levels),
        }
    }
}

fn write_values<T: DataType>(
    to: &mut SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    to.typed::<T>().write_batch(&std::mem::take(values), levels, None)?;
    Ok(())
}

fn schema(columns: &Columns, is_wide: bool) -> Result<Type, ParquetError> {
    let fields = columns.fields().map(|field| {
        let (physical, logical) = match field.kind {
            Kind::Text | Kind::Texts => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Time => (
                PhysicalType::INT64,
                Some(LogicalType::timestamp(true, TimeUnit::MILLIS)),
            ),
            Kind::Int32 => (PhysicalType::INT32, None),
            Kind::Int64 => (PhysicalType::INT64, None),
            Kind::Real => (PhysicalType::DOUBLE, None),
            Kind::Bool => (PhysicalType::BOOLEAN, None),
            Kind::Fingerprint if is_wide => (PhysicalType::FIXED_LEN_BYTE_ARRAY, None),
            Kind::Fingerprint => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
        };
        let presence = if field.nullable {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        let length = if physical == PhysicalType::FIXED_LEN_BYTE_ARRAY {
            WIDE_BYTES
        } else {
            -1
        };
        Type::primitive_type_builder(field.name, physical)
            .with_repetition(presence)
            .with_logical_type(logical)
            .with_length(length)
            .build()
            .map(Arc::new)
    });
    Type::group_type_builder("page")
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()
}

fn properties() -> WriterProperties {
    let builder = WriterProperties::builder()
        .set_created_by(concat!("crawler version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_write_batch_size(VALUES_A_LOOK);
    // Texts do not repeat, and nobody searches by the smallest and the largest.
    let texts = [TEXT, MARKDOWN].map(ColumnPath::from);
    let builder = texts.into_iter().fold(builder, |builder, text| {
        builder
            .set_column_dictionary_enabled(text.clone(), false)
            .set_column_statistics_enabled(text, EnabledStatistics::None)
    });
    builder.build()
}

/// Distinguishes an error of the system from one of the library.
fn failure(name: &str, error: ParquetError) -> ExportError {
    let reason = match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => {
                return ExportError::Io {
                    action: "write",
                    path: name.to_owned(),
                    source: *source,
                };
            }
            Err(source) => source.to_string(),
        },
        error => error.to_string(),
    };
    ExportError::Parquet {
        path: name.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;
    use crate::page::Fingerprint;
    use crate::{Destination, Format, open};

    fn written(pages: &[ExportedPage], fingerprint_bits: u32) -> SerializedFileReader<std::fs::File> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pages.parquet");
        let mut sink = open(
            Format::Parquet,
            &Destination::File(path.clone()),
            Columns::new(fingerprint_bits, &[]),
        )
        .unwrap();
        for page in pages {
            sink.write(page).unwrap();
        }
        sink.finish().unwrap();
        SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap()
    }

    #[test]
    fn a_row_group_ends_when_it_is_full() {
        let page = ExportedPage {
            text: Some("x".repeat(ROW_GROUP_BYTES / 4)),
            ..ExportedPage::default()
        };
        let reader = written(&vec![page; 10], 64);
        let rows: Vec<i64> = reader
            .metadata()
            .row_groups()
            .iter()
            .map(|group| group.num_rows())
            .collect();
        assert_eq!(rows, [4, 4, 2]);
        assert_eq!(written(&[], 64).metadata().file_metadata().num_rows(), 0);
    }

    #[test]
    fn a_fingerprint_is_a_number_or_bytes() {
        let page = |value, bits| ExportedPage {
            fingerprint: Some(Fingerprint { value, bits }),
            ..ExportedPage::default()
        };
        for (page, bits, shown) in [
            (page(0xffff_ffff, 32), 32, "4294967295"),
            (page(u64::MAX.into(), 64), 64, "18446744073709551615"),
            (page(1, 128), 128, "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]"),
        ] {
            let reader = written(&[ExportedPage::default(), page], bits);
            let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
            let column = |row: &parquet::record::Row| {
                let mut columns = row.get_column_iter();
                columns.find(|(name, _)| *name == "fingerprint").unwrap().1.to_string()
            };
            assert_eq!(column(&rows[0]), "null");
            assert_eq!(column(&rows[1]), shown);
        }
    }
}
