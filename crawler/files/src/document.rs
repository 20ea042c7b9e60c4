//! A document of the inputs.

use page::Wall;

/// A document, borrowed for the time of a callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// Its id as JSON: a string or a number, exactly as in the input.
    pub id: &'a str,
    /// Its text; for a page the main text.
    pub text: &'a str,
    /// Its title, if it has one.
    pub title: Option<&'a str>,
    /// The heading that tells it from others of its group, if it is not the title.
    pub heading: Option<&'a str>,
    /// The value of the field that names its group, if it has one.
    pub group: Option<&'a str>,
    /// The value of the field that says which of several like documents is to be kept, if it has one.
    pub score: Option<&'a str>,
    /// Its URL, if known.
    pub url: Option<&'a str>,
    /// The input line without its line end, if the document is a line of JSON; a row of a table as such a line.
    pub line: Option<&'a [u8]>,
    /// Which row it is, if it is a record of a file of records.
    pub row: Option<Row>,
    /// The page that stands in the way of the one that the document was to be, if it is one.
    pub wall: Option<&'a Wall>,
}

/// A record in a file of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The number of the file among the inputs.
    pub file: usize,
    /// The number of the record in it, from 1.
    pub number: u64,
}

/// The names of the fields of a JSON line. A name with dots is that of a field in an object, unless a key has the dots in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// A string or a number. The URL replaces a missing id, and the place of the line if there is no URL either.
    pub id: String,
    /// A required string.
    pub text: String,
    /// An optional string; other types count as missing.
    pub title: String,
    /// An optional string; other types count as missing.
    pub url: String,
    /// The field that names the group of a document: an optional string or number.
    pub group: Option<String>,
    /// The field by which one of several like documents is chosen: an optional string or number.
    pub score: Option<String>,
}

impl Fields {
    /// The names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let always = [&self.id, &self.text, &self.title, &self.url];
        always
            .into_iter()
            .chain(&self.group)
            .chain(&self.score)
            .map(String::as_str)
    }

    /// Whether a field has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names().any(|field| field == name)
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            id: "id".into(),
            text: "text".into(),
            title: "title".into(),
            url: "url".into(),
            group: None,
            score: None,
        }
    }
}

/// `text` as a JSON string.
pub fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
