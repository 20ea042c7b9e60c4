//! A request.

use bytes::Bytes;

use super::reply::Refusal;

/// A request that the guard has admitted.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub path: String,
    pub is_write: bool,
    pub query: Vec<(String, String)>,
    pub body: Bytes,
}

impl Asked {
    /// The value of a parameter; `None` if it is absent or blank.
    pub fn value(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name)?;
        Some(found.1.trim()).filter(|value| !value.is_empty())
    }

    /// A number from 1 on; 1 without the parameter.
    ///
    /// # Errors
    /// The value is no such number.
    pub fn number(&self, name: &str) -> Result<usize, Refusal> {
        match self.value(name).map(str::parse) {
            None => Ok(1),
            Some(Ok(number)) if number > 0 => Ok(number),
            Some(_) => Err(Refusal::bad(format!("{name} must be a number from 1 on"))),
        }
    }

    /// Whether the answer is JSON.
    pub fn is_for_programs(&self) -> bool {
        self.path.starts_with("/api/")
    }
}
