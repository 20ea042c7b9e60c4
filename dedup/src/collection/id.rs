//! The ids of the owner.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What the owner calls a document. A number and its digits are different ids. The rows of a collection have it in this form.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Id {
    /// A number.
    Number(i64),
    /// A text.
    Name(Arc<str>),
}

impl From<i64> for Id {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Id {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "{name:?}"),
        }
    }
}
