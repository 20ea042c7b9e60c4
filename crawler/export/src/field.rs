//! The table of fields, from which every format is made.

use jiff::Timestamp;

use crate::page::{ExportedPage, Fingerprint, Verdict};

/// A field of every format.
#[derive(Debug)]
pub struct Field {
    /// Its name: the key in JSON and YAML, the column in CSV and Parquet.
    pub name: &'static str,
    /// The type of its values.
    pub kind: Kind,
    /// Whether a page may have no value.
    pub nullable: bool,
    /// The exports that have it.
    pub group: Group,
    of: fn(&ExportedPage) -> Option<Value<'_>>,
}

impl Field {
    /// The field with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FIELDS.iter().find(|field| field.name == name)
    }

    /// The value of a page.
    #[must_use]
    pub fn of<'a>(&self, page: &'a ExportedPage) -> Option<Value<'a>> {
        (self.of)(page)
    }
}

/// Which exports have a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Every export.
    Always,
    /// Those that ask for Markdown, which costs a reading of each page.
    Markdown,
    /// Those that ask for what pages say about themselves, which costs a reading, too.
    Metadata,
}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A list of texts. A format without lists joins them with `; `.
    Texts,
    /// A time in UTC, in milliseconds.
    Time,
    /// A signed 32-bit number.
    Int32,
    /// A signed 64-bit number.
    Int64,
    /// A number with a fraction.
    Real,
    /// True or false.
    Bool,
    /// The bits of a fingerprint. All pages have the same number.
    Fingerprint,
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Of [`Kind::Text`].
    Text(&'a str),
    /// Of [`Kind::Texts`], not empty.
    Texts(&'a [String]),
    /// Of [`Kind::Time`]: milliseconds since the Unix epoch.
    Time(i64),
    /// Of [`Kind::Int32`].
    Int32(i32),
    /// Of [`Kind::Int64`].
    Int64(i64),
    /// Of [`Kind::Real`].
    Real(f64),
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Fingerprint`].
    Fingerprint(Fingerprint),
}

/// The field that holds the text.
pub(crate) const TEXT: &str = "text";

/// The field that holds the text as Markdown.
pub(crate) const MARKDOWN: &str = "markdown";

/// A field with a text that a page may lack.
macro_rules! text {
    ($name:expr, $($place:ident).+) => {
        maybe($name, Kind::Text, |page| page.$($place).+.as_deref().map(Value::Text))
    };
}

/// All fields in order. New fields are added at the end, and none is removed.
pub const FIELDS: &[Field] = &[
    always("url", Kind::Text, |page| Some(Value::Text(&page.url))),
    always("title", Kind::Text, |page| Some(Value::Text(&page.title))),
    text!(TEXT, text),
    text!("language", language),
    always("fetched_at", Kind::Time, |page| Some(Value::Time(page.fetched_at))),
    maybe("fingerprint", Kind::Fingerprint, |page| {
        page.fingerprint.map(Value::Fingerprint)
    }),
    always("status", Kind::Int32, |page| Some(Value::Int32(page.status.into()))),
    always("content_type", Kind::Text, |page| Some(Value::Text(&page.content_type))),
    always("encoding", Kind::Text, |page| Some(Value::Text(&page.encoding))),
    always("depth", Kind::Int32, |page| Some(Value::Int32(page.depth.into()))),
    always("body_bytes", Kind::Int64, |page| Some(int64(page.body_bytes))),
    always("text_chars", Kind::Int64, |page| Some(int64(page.text_chars))),
    always("host", Kind::Text, |page| Some(Value::Text(&page.host))),
    always("verdict", Kind::Text, |page| Some(Value::Text(page.verdict.name()))),
    text!("duplicate_of", duplicate_of),
    maybe("distance", Kind::Int32, |page| {
        page.distance
            .and_then(|bits| i32::try_from(bits).ok())
            .map(Value::Int32)
    }),
    maybe("similarity", Kind::Real, |page| page.similarity.map(Value::Real)),
    always("digest", Kind::Text, |page| Some(Value::Text(&page.digest))),
    text!("canonical", canonical),
    text!("page_type", page_type),
    always("rendered", Kind::Bool, |page| Some(Value::Bool(page.is_rendered))),
    text!(MARKDOWN, markdown).of_group(Group::Markdown),
    text!("headline", metadata.headline).of_group(Group::Metadata),
    maybe("authors", Kind::Texts, |page| texts(&page.metadata.authors)).of_group(Group::Metadata),
    text!("published", metadata.published).of_group(Group::Metadata),
    text!("modified", metadata.modified).of_group(Group::Metadata),
    text!("description", metadata.description).of_group(Group::Metadata),
    text!("site_name", metadata.site_name).of_group(Group::Metadata),
    maybe("tags", Kind::Texts, |page| texts(&page.metadata.tags)).of_group(Group::Metadata),
    text!("section", metadata.section).of_group(Group::Metadata),
    text!("licence", metadata.licence).of_group(Group::Metadata),
    text!("image", metadata.image).of_group(Group::Metadata),
    text!("declared_type", metadata.declared_type).of_group(Group::Metadata),
    maybe("cluster", Kind::Text, |page| cluster(page).map(Value::Text)),
];

/// What names the cluster of a page: the URL of its kept page, which is its own URL for a kept page.
fn cluster(page: &ExportedPage) -> Option<&str> {
    match page.verdict {
        Verdict::Kept => Some(&page.url),
        Verdict::Exact | Verdict::Near => page.duplicate_of.as_deref(),
    }
}

const fn always(name: &'static str, kind: Kind, of: fn(&ExportedPage) -> Option<Value<'_>>) -> Field {
    Field {
        name,
        kind,
        nullable: false,
        group: Group::Always,
        of,
    }
}

const fn maybe(name: &'static str, kind: Kind, of: fn(&ExportedPage) -> Option<Value<'_>>) -> Field {
    Field {
        nullable: true,
        ..always(name, kind, of)
    }
}

impl Field {
    const fn of_group(self, group: Group) -> Self {
        Self { group, ..self }
    }
}

fn texts(texts: &[String]) -> Option<Value<'_>> {
    (!texts.is_empty()).then_some(Value::Texts(texts))
}

/// A list as one text, for a format without lists.
pub(crate) fn joined(texts: &[String]) -> String {
    texts.join("; ")
}

fn int64(count: u64) -> Value<'static> {
    Value::Int64(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A time as RFC 3339 in UTC with milliseconds, so that texts sort like times; the epoch for a time beyond the year 9999.
pub(crate) fn shown_time(unix_ms: i64) -> String {
    format!("{:.3}", Timestamp::from_millisecond(unix_ms).unwrap_or_default())
}

/// A decimal number without an exponent and always with a fraction. It reads back as the same number.
pub(crate) fn shown_real(number: f64) -> String {
    let shown = number.to_string();
    if shown.contains('.') { shown } else { shown + ".0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_page_has_a_value_for_every_field_that_is_not_nullable() {
        let page = ExportedPage {
            verdict: Verdict::Near,
            ..ExportedPage::default()
        };
        for field in FIELDS {
            assert_eq!(field.of(&page).is_none(), field.nullable, "{}", field.name);
        }
    }

    #[test]
    fn numbers_and_times_are_shown_so_that_they_read_back() {
        assert_eq!(shown_real(1.0), "1.0");
        assert_eq!(shown_real(0.96875), "0.96875");
        assert_eq!(shown_real(1e-7), "0.0000001");
        assert_eq!(shown_time(1_774_085_400_125), "2026-03-21T09:30:00.125Z");
        assert_eq!(shown_time(1_774_085_400_120), "2026-03-21T09:30:00.120Z");
        assert_eq!(shown_time(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(shown_time(i64::MAX), "1970-01-01T00:00:00.000Z");
    }
}
