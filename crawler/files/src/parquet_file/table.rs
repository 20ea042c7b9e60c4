//! Parquet files with the same columns, whose rows can be copied.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::chosen::{AddedColumn, AddedKind};
use super::error::TableError;
use super::input::ParquetInput;
use crate::state::FileState;
use crate::walk::Source;

/// Metadata that describes all columns of a file, and would be wrong for a file with more columns.
const DESCRIBES_COLUMNS: [&str; 2] = [ARROW, "huggingface"];

/// The types of Arrow that Parquet does not have, such as durations.
const ARROW: &str = "ARROW:schema";

/// Parquet files with the same columns.
#[derive(Debug)]
pub struct Table {
    pub(super) files: Vec<TableFile>,
    schema: TypePtr,
    metadata: Vec<KeyValue>,
    /// The type of a column with ids: that of the id column, if each row has a whole number there; otherwise a text.
    id: TypePtr,
}

#[derive(Debug)]
pub(super) struct TableFile {
    pub source: Source,
    /// As it was when its columns were read.
    pub state: Option<FileState>,
}

impl Table {
    /// The files as a table. A damaged file has no rows here; the reader of its documents reports the damage. Without `id_field`, ids may be anything.
    pub(crate) fn of<'s>(
        sources: impl Iterator<Item = &'s Source>,
        id_field: Option<&str>,
    ) -> Result<Self, TableError> {
        let (mut files, mut damage) = (Vec::new(), None);
        let mut first: Option<(Arc<str>, ParquetMetaData)> = None;
        let mut id: Option<TypePtr> = None;
        for source in sources {
            let metadata = match metadata(source)? {
                Ok(metadata) => metadata,
                Err(reason) => {
                    damage = damage.or(Some(format!("{}: {reason}", source.name)));
                    continue;
                }
            };
            can_be_read(&metadata, &source.name)?;
            if let Some((of, first)) = &first {
                compare(of, first, &source.name, &metadata)?;
            }
            let own_id = id_field.and_then(|field| whole_numbers(&metadata, field));
            // All files must have numbers as ids, or a column of numbers could not name every document.
            id = match (&first, id, own_id) {
                (None, _, own) => own,
                (Some(_), Some(id), Some(_)) => Some(id),
                _ => None,
            };
            first = first.or(Some((Arc::clone(&source.name), metadata)));
            files.push(TableFile {
                state: FileState::of(source).ok().flatten(),
                source: source.clone(),
            });
        }
        let no_file = || TableError::NoFile(damage.unwrap_or_else(|| "there is none".to_owned()));
        let (_, first) = first.ok_or_else(no_file)?;
        let first = first.file_metadata();
        let text = || {
            Type::primitive_type_builder("id", PhysicalType::BYTE_ARRAY)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(LogicalType::String))
        };
        Ok(Self {
            files,
            schema: first.schema_descr().root_schema_ptr(),
            metadata: first.key_value_metadata().cloned().unwrap_or_default(),
            id: match id {
                Some(id) => id,
                None => text().build().map(Arc::new).map_err(TableError::written)?,
            },
        })
    }

    /// The leaves of the schema that a copy keeps.
    pub(super) fn leaves(&self, added: &[AddedColumn]) -> Vec<usize> {
        let columns = SchemaDescriptor::new(Arc::clone(&self.schema));
        let leaves = 0..columns.num_columns();
        leaves
            .filter(|leaf| self.keeps(columns.get_column_root_idx(*leaf), added))
            .collect()
    }

    /// Whether a copy keeps a column, by its place among the fields of the root.
    fn keeps(&self, field: usize, added: &[AddedColumn]) -> bool {
        let field = self.schema.get_fields().get(field);
        field.is_some_and(|field| added.iter().all(|column| column.name != field.name()))
    }

    /// The schema of a copy: the columns of the files, then the added ones, which replace columns of the same names.
    pub(super) fn schema(&self, added: &[AddedColumn]) -> Result<Type, ParquetError> {
        let fields = self.schema.get_fields();
        let mut all: Vec<TypePtr> = (0..fields.len())
            .filter(|field| self.keeps(*field, added))
            .map(|field| Arc::clone(&fields[field]))
            .collect();
        for column in added {
            all.push(Arc::new(self.type_of(column)?));
        }
        Type::group_type_builder(self.schema.name()).with_fields(all).build()
    }

    /// The type of an added column.
    pub(super) fn type_of(&self, column: &AddedColumn) -> Result<Type, ParquetError> {
        let (physical, logical) = match column.kind {
            AddedKind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            AddedKind::Int32 => (PhysicalType::INT32, None),
            AddedKind::Float => (PhysicalType::FLOAT, None),
            AddedKind::Id => {
                let info = self.id.get_basic_info();
                return Type::primitive_type_builder(column.name, self.id.get_physical_type())
                    .with_repetition(Repetition::OPTIONAL)
                    .with_logical_type(info.logical_type_ref().cloned())
                    .with_converted_type(info.converted_type())
                    .build();
            }
        };
        Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
    }

    /// The metadata of a copy.
    pub(super) fn metadata(&self, added: &[AddedColumn]) -> Option<Vec<KeyValue>> {
        let holds = |pair: &&KeyValue| added.is_empty() || !DESCRIBES_COLUMNS.contains(&pair.key.as_str());
        let metadata: Vec<KeyValue> = self.metadata.iter().filter(holds).cloned().collect();
        (!metadata.is_empty()).then_some(metadata)
    }
}

/// The metadata at the end of a file, or why it cannot be read.
fn metadata(source: &Source) -> Result<Result<ParquetMetaData, String>, TableError> {
    let no_table = || TableError::NoTable(source.name.to_string());
    if source.bytes.is_none() {
        return Err(no_table());
    }
    let input = match ParquetInput::open(&source.origin, 1) {
        Ok(input) => input,
        Err(error) => return Ok(Err(error.to_string())),
    };
    if !input.is_parquet() {
        return Err(no_table());
    }
    // The library panics on some files that break the format.
    let read = catch_unwind(AssertUnwindSafe(|| SerializedFileReader::new(input)));
    Ok(match read {
        Ok(Ok(reader)) => Ok(reader.metadata().clone()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_panic) => Err("it is damaged".to_owned()),
    })
}

/// Refuses a file with a column that this program cannot decompress. The verdicts may not need that column, so only the copy would fail.
fn can_be_read(metadata: &ParquetMetaData, name: &str) -> Result<(), TableError> {
    let mut columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    let is_known = |compression: Compression| {
        matches!(
            compression,
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_)
        )
    };
    match columns.find(|column| !is_known(column.compression())) {
        None => Ok(()),
        Some(column) => Err(TableError::Compression {
            name: name.to_owned(),
            column: column.column_path().string(),
            compression: column.compression().to_string(),
        }),
    }
}

fn compare(of: &str, first: &ParquetMetaData, name: &str, other: &ParquetMetaData) -> Result<(), TableError> {
    let fields = |metadata: &ParquetMetaData| metadata.file_metadata().schema().get_fields().to_vec();
    let (fields, others) = (fields(first), fields(other));
    let differs = |(at, field): (usize, &TypePtr)| (others.get(at) != Some(field)).then(|| field.name().to_owned());
    let missing = fields.iter().enumerate().find_map(differs);
    let further = || others.get(fields.len()).map(|field| field.name().to_owned());
    let arrow = |metadata: &ParquetMetaData| {
        let pairs = metadata.file_metadata().key_value_metadata();
        pairs.and_then(|pairs| pairs.iter().find(|pair| pair.key == ARROW)?.value.clone())
    };
    match missing.or_else(further) {
        None if arrow(first) != arrow(other) => Err(TableError::OtherTypes {
            name: name.to_owned(),
            first: of.to_owned(),
        }),
        None => Ok(()),
        Some(column) => Err(TableError::OtherColumns {
            name: name.to_owned(),
            first: of.to_owned(),
            column,
        }),
    }
}

/// The type of the column with this name, if each row has a whole number there. Dots lead into a struct, but a column whose own name has them
/// comes first.
fn whole_numbers(metadata: &ParquetMetaData, name: &str) -> Option<TypePtr> {
    let schema = metadata.file_metadata().schema_descr();
    let is_named = |column: &usize| schema.column(*column).path().string() == name;
    let is_own = |column: &usize| schema.column(*column).path().parts() == [name];
    let columns = || 0..schema.num_columns();
    let column = columns().find(is_own).or_else(|| columns().find(is_named))?;
    let descriptor = schema.column(column);
    let is_whole = matches!(descriptor.physical_type(), PhysicalType::INT32 | PhysicalType::INT64)
        && matches!(descriptor.logical_type_ref(), None | Some(LogicalType::Integer(_)))
        && descriptor.max_rep_level() == 0;
    let has_no_null = || {
        let mut groups = metadata.row_groups().iter();
        descriptor.max_def_level() == 0
            || groups.all(|group| {
                let statistics = group.column(column).statistics();
                group.num_rows() == 0 || statistics.is_some_and(|of| of.null_count_opt() == Some(0))
            })
    };
    (is_whole && has_no_null()).then(|| descriptor.self_type_ptr())
}
