//! Copies, compared row by row with what they were made of.

use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Row;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::Inputs;

const VERDICT: AddedColumn = AddedColumn {
    name: "verdict",
    kind: AddedKind::Text,
};
const OF: AddedColumn = AddedColumn {
    name: "of",
    kind: AddedKind::Id,
};

/// An id, a text or null, and a list of numbers, empty, null or with nulls.
type Record = (i64, Option<String>, Option<Vec<Option<i64>>>);

const SCHEMA: &str = "message m {
    required int64 id;
    optional binary text (UTF8);
    optional group list (LIST) { repeated group list { optional int64 element; } }
}";

fn write(path: &Path, groups: &[&[Record]], schema: &str) {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = std::fs::File::create(path).unwrap();
    let properties = Arc::new(WriterProperties::builder().set_data_page_row_count_limit(3).build());
    let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
    for records in groups {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let ids: Vec<i64> = records.iter().map(|record| record.0).collect();
        column.typed::<Int64Type>().write_batch(&ids, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let texts = records.iter().filter_map(|record| record.1.as_deref());
        let texts: Vec<ByteArray> = texts.map(ByteArray::from).collect();
        let definitions: Vec<i16> = records.iter().map(|record| record.1.is_some().into()).collect();
        column
            .typed::<ByteArrayType>()
            .write_batch(&texts, Some(&definitions), None)
            .unwrap();
        column.close().unwrap();
        if let Some(mut column) = group.next_column().unwrap() {
            let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
            for (_, _, list) in *records {
                match list.as_deref() {
                    None | Some([]) => {
                        definitions.push(list.is_some().into());
                        repetitions.push(0);
                    }
                    Some(list) => {
                        for (at, element) in list.iter().enumerate() {
                            definitions.push(2 + i16::from(element.is_some()));
                            repetitions.push((at > 0).into());
                            values.extend(element);
                        }
                    }
                }
            }
            column
                .typed::<Int64Type>()
                .write_batch(&values, Some(&definitions), Some(&repetitions))
                .unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
}

fn table(folder: &TempDir, names: &[&str]) -> Result<Table, TableError> {
    let paths: Vec<_> = names.iter().map(|name| folder.path().join(name)).collect();
    Inputs::find(&paths, None, &[]).unwrap().table(Some("id"))
}

/// The copy of the rows of the files, by their numbers, with these further columns.
fn copied(folder: &TempDir, table: &Table, rows: &[(usize, u64, &str)], added: &[AddedColumn]) -> Vec<Row> {
    let lines = rows.iter().map(|(file, number, further)| {
        let (file, number) = (*file, *number);
        row_line(crate::Row { file, number }).replace('}', further) + "\n"
    });
    let mut out = Vec::new();
    let lines: String = lines.collect();
    assert_eq!(
        copy_rows(table, lines.as_bytes(), added, &mut out, &|| true).unwrap(),
        rows.len() as u64
    );
    let path = folder.path().join("copy");
    std::fs::write(&path, out).unwrap();
    all_rows(&path)
}

fn all_rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    let list = prop::option::of(prop::collection::vec(prop::option::of(any::<i64>()), 0..4));
    prop::collection::vec((any::<i64>(), prop::option::of("[a-c]{0,3}"), list), 0..20)
}

proptest! {
    #[test]
    fn a_copy_has_the_chosen_rows_with_all_their_values(
        files in prop::collection::vec(prop::collection::vec(records(), 1..4), 1..4),
        chosen in prop::collection::vec(any::<bool>(), 240),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..files.len()).map(|file| format!("{file}.parquet")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut chosen = chosen.into_iter();
        let (mut rows, mut expected) = (Vec::new(), Vec::new());
        for (file, (name, groups)) in names.iter().zip(&files).enumerate() {
            let path = folder.path().join(name);
            let groups: Vec<&[Record]> = groups.iter().map(Vec::as_slice).collect();
            write(&path, &groups, SCHEMA);
            for (at, row) in all_rows(&path).into_iter().enumerate() {
                if chosen.next().unwrap() {
                    rows.push((file, at as u64 + 1, "}"));
                    expected.push(row);
                }
            }
        }
        let table = table(&folder, &names).unwrap();
        prop_assert_eq!(copied(&folder, &table, &rows, &[]), expected);
    }
}

fn json(row: &Row) -> String {
    let mut json = Vec::new();
    value::write_row(row, &mut json);
    String::from_utf8(json).unwrap()
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_copy_has_further_columns_and_equal_names_make_way() {
    let folder = tempfile::tempdir().unwrap();
    let schema = "message m { required int64 id; optional binary verdict (UTF8); }";
    write(
        &folder.path().join("a"),
        &[&[(7, text("old"), None), (8, None, None)]],
        schema,
    );
    let table = table(&folder, &["a", "a"]).unwrap();
    let rows = [
        (0, 1, r#","verdict":"unique","of":null}"#),
        (0, 2, r#","verdict":"near","of":7}"#),
        // The same file, given twice.
        (1, 1, r#","verdict":"exact","of":18446744073709551615}"#),
    ];
    let found = copied(&folder, &table, &rows, &[VERDICT, OF]);
    let found: Vec<String> = found.iter().map(json).collect();
    assert_eq!(
        found,
        [
            r#"{"id":7,"verdict":"unique","of":null}"#,
            r#"{"id":8,"verdict":"near","of":7}"#,
            r#"{"id":7,"verdict":"exact","of":-1}"#,
        ]
    );
}

#[test]
fn ids_are_texts_where_not_every_row_has_a_whole_number() {
    let folder = tempfile::tempdir().unwrap();
    let schema = "message m { required int64 number; optional binary id (UTF8); }";
    write(&folder.path().join("a"), &[&[(7, text("x"), None)]], schema);
    let table = table(&folder, &["a"]).unwrap();
    let found = copied(&folder, &table, &[(0, 1, r#","of":"y"}"#)], &[OF]);
    assert_eq!(json(&found[0]), r#"{"number":7,"id":"x","of":"y"}"#);
}

#[test]
fn what_has_no_rows_or_other_columns_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let other = "message m { required int64 id; required binary text (UTF8); }";
    let write = |name: &str, schema: &str| write(&folder.path().join(name), &[], schema);
    write("a", "message m { required int64 id; optional binary text (UTF8); }");
    write("b", other);
    write(
        "c",
        "message m { required int64 id; optional binary text (UTF8); optional int32 n; }",
    );
    std::fs::write(folder.path().join("lines.jsonl"), "{}\n").unwrap();
    std::fs::write(folder.path().join("damaged"), "PAR1 no more").unwrap();
    for (names, part) in [
        (["a", "b"], "the column \"text\" of"),
        (["a", "c"], "the column \"n\" of"),
        (["a", "lines.jsonl"], "lines.jsonl is no Parquet file"),
        (["damaged", "damaged"], "no input is a Parquet file that can be read"),
    ] {
        let refused = table(&folder, &names).unwrap_err().to_string();
        assert!(refused.contains(part), "{refused}");
    }
    assert_eq!(table(&folder, &["a", "damaged"]).unwrap().files.len(), 1);
}

#[test]
fn lines_of_other_input_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a"), &[&[(7, None, None)]], SCHEMA);
    let table = table(&folder, &["a"]).unwrap();
    for line in [
        r#"{"file":1,"row":1}"#,
        r#"{"file":0,"row":2}"#,
        r#"{"file":0,"row":0}"#,
        "{}",
        "no JSON",
    ] {
        assert!(
            copy_rows(&table, line.as_bytes(), &[], Vec::new(), &|| true).is_err(),
            "{line}"
        );
    }
}
