//! `[[fetch.login]]`: the log-in of a user by a form.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A log-in by a form.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LoginEntry {
    /// The URL of the page with the form.
    pub url: String,
    /// The fields by name. A value `env:NAME` is that of the environment variable.
    pub fields: BTreeMap<String, String>,
    /// What a page shows only to the user, `text:…` or `css:…`; the page after the log-in must show it.
    pub success: String,
    /// What a page shows only to others; `None` to look for the form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lapsed: Option<String>,
    /// Further origins, such as `https://accounts.example.org`, that get the fields and the session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
}

/// Leaves the values of the fields out.
impl fmt::Debug for LoginEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.fields.keys().collect();
        let mut shown = formatter.debug_struct("LoginEntry");
        shown.field("url", &self.url).field("fields", &names);
        shown.field("success", &self.success).field("lapsed", &self.lapsed);
        shown.field("origins", &self.origins).finish()
    }
}
