//! What a page says about itself, in the answers of commands.

use page::{Metadata, Value};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// What a page says about itself. As JSON, each field is `{"value", "source"}`; a field that the page says nothing of is absent.
#[derive(Debug)]
pub struct Said(pub Metadata);

impl Serialize for Said {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value, source) in self.0.fields() {
            let source = source.name();
            match value {
                Value::One(value) => map.serialize_entry(name, &Sourced { value, source })?,
                Value::Many(value) => map.serialize_entry(name, &Sourced { value, source })?,
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Sourced<T> {
    value: T,
    source: &'static str,
}

impl Said {
    /// Each field as a row for people: its name, and its value with the source.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.0.fields().map(|(name, value, source)| {
            let value = match value {
                Value::One(value) => value.to_owned(),
                Value::Many(values) => values.join(", "),
            };
            (in_words(name), format!("{value} ({})", source.name()))
        })
    }

    /// The rows that an explanation of the page shows.
    pub fn explained(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.rows().filter(|(name, _)| EXPLAINED.contains(name))
    }
}

/// The fields that an explanation of a page shows; the JSON has all.
const EXPLAINED: [&str; 5] = ["authors", "published", "modified", "description", "licence"];

/// The name of a field for people. The row `title` has the title that a crawl stores.
fn in_words(name: &'static str) -> &'static str {
    match name {
        "title" => "own title",
        "site_name" => "site name",
        "language" => "declared lang",
        "type" => "declared type",
        name => name,
    }
}
