//! The lines of any file of labels: of `labels.jsonl` in the data folder, and of files that a person or another program has made.

use std::borrow::Cow;

use crawl::labels::Entry;

/// A line of a file of labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line<'a> {
    pub a: Cow<'a, str>,
    pub b: Cow<'a, str>,
    /// `None` if the label of the pair is withdrawn.
    pub similarity: Option<f32>,
}

/// Parses a line: a JSON object as in `labels.jsonl`, or two URLs and a label, separated by tabs; `None` for a blank line or a comment
/// after `#`.
///
/// # Errors
/// The form that the line should have.
pub(crate) fn parse_line(line: &str) -> Result<Option<Line<'_>>, String> {
    if line.trim().is_empty() || line.trim_start().starts_with('#') {
        return Ok(None);
    }
    let line = if line.trim_start().starts_with('{') {
        json_line(line)?
    } else {
        tab_line(line)?
    };
    if line.a.is_empty() || line.b.is_empty() || line.a == line.b {
        return Err("it needs two different URLs".to_owned());
    }
    Ok(Some(line))
}

fn json_line(line: &str) -> Result<Line<'_>, String> {
    let form = "it needs \"a\" and \"b\", two URLs, and \"label\": \"duplicate\", \"different\" or \"withdrawn\"";
    let entry: Entry<'_> = serde_json::from_str(line).map_err(|error| format!("{form}: {error}"))?;
    Ok(Line {
        a: entry.a,
        b: entry.b,
        similarity: entry.label.similarity(),
    })
}

fn tab_line(line: &str) -> Result<Line<'_>, String> {
    let mut fields = line.split('\t').map(str::trim);
    let (Some(a), Some(b), Some(label), None) = (fields.next(), fields.next(), fields.next(), fields.next()) else {
        return Err("it needs two URLs and a label, separated by tabs".to_owned());
    };
    Ok(Line {
        a: a.into(),
        b: b.into(),
        similarity: Some(parse_label(label)?),
    })
}

/// The similarity that a label means.
///
/// # Errors
/// The form that the label should have.
pub fn parse_label(label: &str) -> Result<f32, String> {
    match label.trim() {
        word if word.eq_ignore_ascii_case("duplicate") => Ok(1.0),
        word if word.eq_ignore_ascii_case("different") => Ok(0.0),
        number => match number.parse() {
            Ok(similarity) if (0.0..=1.0).contains(&similarity) => Ok(similarity),
            _ => Err("the label must be duplicate, different or a similarity from 0 to 1".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<(String, String, Option<f32>)> {
        let line = parse_line(line).unwrap()?;
        Some((line.a.into_owned(), line.b.into_owned(), line.similarity))
    }

    #[test]
    fn a_line_is_two_urls_and_a_label() {
        let of = |similarity| Some(("a".to_owned(), "b".to_owned(), similarity));
        assert_eq!(parsed("a\tb\tduplicate"), of(Some(1.0)));
        assert_eq!(parsed("a\tb\tDUPLICATE"), of(Some(1.0)));
        assert_eq!(parsed("a\tb\tdifferent\r"), of(Some(0.0)));
        assert_eq!(parsed("a\tb\t0.62"), of(Some(0.62)));
        assert_eq!(
            parsed(r#"{"at":"","a":"a","b":"b","label":"duplicate"}"#),
            of(Some(1.0))
        );
        assert_eq!(parsed(r#" {"a":"a","b":"b","label":"withdrawn"}"#), of(None));
        assert_eq!((parsed("# a\tb"), parsed("  ")), (None, None));
        for bad in [
            "a\tb",
            "a\tb\tmaybe",
            "a\tb\t1.2",
            "a\tb\tNaN",
            "a\ta\tduplicate",
            "\tb\tduplicate",
            "a\tb\t1\t2",
            "a b duplicate",
            "{}",
            r#"{"a":"a","b":"a","label":"duplicate"}"#,
            r#"{"a":"a","b":"b","label":"maybe"}"#,
            r#"{"a":"a","b":"b","lab"#,
        ] {
            assert!(parse_line(bad).is_err(), "{bad:?}");
        }
    }
}
