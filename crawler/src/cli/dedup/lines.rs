//! The forms of the output: a line for each verdict, and the records with their verdicts.

use dedup::Verdict;
use page::Wall;

use super::annotation;
use super::decided::Decided;
use files::json_string;

/// The fields that a record with its verdict has more, in their order.
pub(super) const ADDED: [&str; 5] = ["verdict", "of", "distance", "similarity", "cluster"];

/// The further one of a record that was blocked.
const WALL: &str = "wall";

/// What says that an earlier run has added [`WALL`].
const WAS_BLOCKED: &[u8] = b"\"verdict\":\"blocked\"";

/// What is written beside the verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Writes {
    /// The records of the unique documents.
    pub kept: bool,
    /// All records, with the verdicts.
    pub annotated: bool,
    /// What stands for a record.
    pub records: Records,
}

/// What is written of a document beside its verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Records {
    /// Nothing.
    None,
    /// The record itself.
    Whole,
    /// Which row of which table it is, so that the row can be copied at the end.
    Rows,
}

/// What became of a document.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'a> {
    /// A verdict, with the id that it names, as JSON.
    Decided(Verdict, &'a [u8]),
    /// It stands in the way of another page: a [`Wall`] as JSON.
    Blocked(&'a [u8]),
}

/// A document in the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its id as JSON.
    pub id: &'a [u8],
    /// Its record, with a line end; empty if no records are written.
    pub record: &'a [u8],
    pub outcome: Outcome<'a>,
}

/// A wall as JSON.
pub(super) fn wall_json(wall: &Wall) -> String {
    let (kind, evidence) = (json_string(wall.kind.name()), json_string(&wall.evidence));
    format!("{{\"kind\":{kind},\"evidence\":{evidence}}}")
}

impl Line<'_> {
    /// Appends the document to all outputs.
    pub(super) fn write(&self, writes: Writes, decided: &mut Decided) {
        let out = &mut decided.results;
        out.extend_from_slice(b"{\"id\":");
        out.extend_from_slice(self.id);
        out.push(b',');
        self.write_fields(out);
        out.extend_from_slice(b"}\n");
        if writes.kept && matches!(self.outcome, Outcome::Decided(Verdict::Unique, _)) {
            decided.kept.extend_from_slice(self.record);
        }
        if writes.annotated {
            self.write_annotated(&mut decided.annotated);
        }
    }

    fn write_annotated(&self, out: &mut Vec<u8>) {
        // A field of this name that the user has given stays.
        let was_blocked = || memchr::memmem::find(self.record, WAS_BLOCKED).is_some();
        let adds_wall = matches!(self.outcome, Outcome::Blocked(_)) || was_blocked();
        let added: Vec<&str> = ADDED.into_iter().chain(adds_wall.then_some(WALL)).collect();
        annotation::write(self.record, &added, |out| self.write_fields(out), out);
    }

    /// Appends the fields of the verdict, without braces.
    fn write_fields(&self, out: &mut Vec<u8>) {
        let (verdict, of) = match self.outcome {
            Outcome::Decided(verdict, of) => (verdict, of),
            Outcome::Blocked(wall) => {
                out.extend_from_slice(
                    b"\"verdict\":\"blocked\",\"of\":null,\"distance\":null,\"similarity\":null,\"cluster\":null,\"wall\":",
                );
                return out.extend_from_slice(wall);
            }
        };
        let (name, distance, similarity) = match verdict {
            Verdict::Unique => ("unique", None, None),
            Verdict::Exact { .. } => ("exact", Some(0), Some(1.0)),
            Verdict::Near {
                distance, similarity, ..
            } => ("near", distance, Some(similarity)),
        };
        let or_null = |number: Option<String>| number.unwrap_or_else(|| "null".to_owned());
        let cluster = if verdict == Verdict::Unique { self.id } else { of };
        out.extend_from_slice(b"\"verdict\":\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\",\"of\":");
        out.extend_from_slice(of);
        let distance = or_null(distance.map(|bits| bits.to_string()));
        let similarity = or_null(similarity.map(|value: f32| value.to_string()));
        let rest = format!(",\"distance\":{distance},\"similarity\":{similarity},\"cluster\":");
        out.extend_from_slice(rest.as_bytes());
        out.extend_from_slice(cluster);
    }
}

#[cfg(test)]
mod tests {
    use dedup::DocId;

    use super::*;

    fn annotated(record: &str, verdict: Verdict, of: &str) -> String {
        let mut decided = Decided::default();
        let line = Line {
            id: b"\"a\"",
            record: record.as_bytes(),
            outcome: Outcome::Decided(verdict, of.as_bytes()),
        };
        let writes = Writes {
            kept: false,
            annotated: true,
            records: Records::Whole,
        };
        line.write(writes, &mut decided);
        assert!(decided.kept.is_empty());
        String::from_utf8(decided.annotated).unwrap()
    }

    #[test]
    fn a_record_keeps_its_fields_as_they_are() {
        let unique = r#""verdict":"unique","of":null,"distance":null,"similarity":null,"cluster":"a"}"#;
        for (record, fields) in [
            (r#"{"text": "x", "n": 1.50 }"#, r#"{"text": "x", "n": 1.50"#),
            (r#"{"a":{"of":"x"},"text":""}"#, r#"{"a":{"of":"x"},"text":"""#),
            // What an earlier run has added.
            (r#"{"of":7,"text":"x","verdict":"near"}"#, r#"{"text":"x""#),
            (r#"{"wall":{"h":3},"text":"x"}"#, r#"{"wall":{"h":3},"text":"x""#),
            (
                r#"{"wall":{"kind":"captcha"},"text":"x","verdict":"blocked"}"#,
                r#"{"text":"x""#,
            ),
            // Only a lenient reader takes it.
            (r#"{"text":"of","n":NaN}"#, r#"{"text":"of","n":NaN"#),
            (r#"{"of":"x","n":NaN,"verdict":"near","of":7}"#, r#"{"of":"x","n":NaN"#),
            (
                r#"{"n":NaN,"verdict":"near","n":7}"#,
                r#"{"n":NaN,"verdict":"near","n":7"#,
            ),
        ] {
            assert_eq!(
                annotated(record, Verdict::Unique, "null"),
                format!("{fields},{unique}\n")
            );
        }
    }

    #[test]
    fn a_duplicate_is_in_the_cluster_of_the_kept_document() {
        let near = Verdict::Near {
            of: DocId(0),
            distance: None,
            similarity: 0.875,
        };
        let found = annotated("{\"text\":\"x\"}\n", near, "7");
        let expected = r#"{"text":"x","verdict":"near","of":7,"distance":null,"similarity":0.875,"cluster":7}"#;
        assert_eq!(found, format!("{expected}\n"));
    }
}
