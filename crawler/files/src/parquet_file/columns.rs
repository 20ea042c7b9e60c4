//! Which columns of a Parquet file are needed.

use std::sync::Arc;

use parquet::basic::{ConvertedType, Repetition};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};

use crate::field_names::FieldNames;
use crate::reading::Reading;

/// The columns to read.
pub(super) enum Needed {
    /// All of them.
    All,
    /// Those of this part of the schema.
    Some(Type),
    /// None, because the text is not among those with these names.
    LacksText(FieldNames),
}

/// The columns that `reading` needs of a file with this schema.
pub(super) fn needed(schema: &Type, reading: &Reading) -> Result<Needed, ParquetError> {
    if !has(schema, &reading.fields.text) {
        return Ok(Needed::LacksText(FieldNames::of_columns(names(schema))));
    }
    if reading.whole_rows {
        return Ok(Needed::All);
    }
    let names: Vec<&str> = reading.fields.names().collect();
    let part = part(schema, &names)?;
    Type::group_type_builder(schema.name())
        .with_fields(part)
        .build()
        .map(Needed::Some)
}

/// Whether there is a column with this name, which may have dots.
fn has(group: &Type, name: &str) -> bool {
    let fields = group.get_fields();
    fields.iter().any(|field| field.name() == name)
        || fields
            .iter()
            .any(|field| is_struct(field) && rest(name, field).is_some_and(|rest| has(field, rest)))
}

/// The fields of a group that have one of the names, and of its structs those parts that have.
fn part(group: &Type, names: &[&str]) -> Result<Vec<TypePtr>, ParquetError> {
    let mut found = Vec::new();
    for field in group.get_fields() {
        let inner: Vec<&str> = names.iter().filter_map(|name| rest(name, field)).collect();
        if names.contains(&field.name()) {
            found.push(Arc::clone(field));
        } else if is_struct(field) && !inner.is_empty() {
            let part = part(field, &inner)?;
            if part.is_empty() {
                continue;
            }
            let group = Type::group_type_builder(field.name())
                .with_repetition(field.get_basic_info().repetition())
                .with_fields(part)
                .build()?;
            found.push(Arc::new(group));
        }
    }
    Ok(found)
}

/// The part of a name behind that of a field and a dot.
fn rest<'n>(name: &'n str, field: &Type) -> Option<&'n str> {
    name.strip_prefix(field.name())?.strip_prefix('.')
}

fn is_struct(field: &Type) -> bool {
    let info = field.get_basic_info();
    field.is_group()
        && info.converted_type() == ConvertedType::NONE
        && info.has_repetition()
        && info.repetition() != Repetition::REPEATED
}

/// The names of the columns, with those in structs one level deep.
fn names(schema: &Type) -> Vec<String> {
    let of_field = |field: &TypePtr| {
        if is_struct(field) {
            let inner = field.get_fields().iter();
            inner
                .map(|inner| format!("{}.{}", field.name(), inner.name()))
                .collect()
        } else {
            vec![field.name().to_owned()]
        }
    };
    schema.get_fields().iter().flat_map(of_field).collect()
}
