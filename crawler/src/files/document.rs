//! A document as it comes out of the inputs.

/// What is known of a document. Borrowed: it lives as long as it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// Its name as JSON, a string or a number, exactly as the input has it.
    pub id: &'a str,
    /// Its text; of a page the main text.
    pub text: &'a str,
    /// Its title, if it has one.
    pub title: Option<&'a str>,
    /// Where it came from, if that is known.
    pub url: Option<&'a str>,
    /// The line that it was, if it was one, without the line end.
    pub line: Option<&'a [u8]>,
}

/// The names of the fields that a JSON line is read by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// A string or number; a line without it is named by its place.
    pub id: String,
    /// A string; every line must have it.
    pub text: String,
    /// A string; anything else counts as none.
    pub title: String,
    /// A string; anything else counts as none.
    pub url: String,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            id: "id".into(),
            text: "text".into(),
            title: "title".into(),
            url: "url".into(),
        }
    }
}

/// `text` as a JSON string.
pub(crate) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
