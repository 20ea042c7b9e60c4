//! The ids of the owner.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What the owner calls a document. A number and its digits are different ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

/// An id in a row.
#[derive(Serialize, Deserialize)]
pub(super) enum Stored<'a> {
    Number(i64),
    Name(&'a str),
}

impl<'a> From<&'a Id> for Stored<'a> {
    fn from(id: &'a Id) -> Self {
        match id {
            Id::Number(number) => Self::Number(*number),
            Id::Name(name) => Self::Name(name),
        }
    }
}

impl From<Stored<'_>> for Id {
    fn from(stored: Stored<'_>) -> Self {
        match stored {
            Stored::Number(number) => Self::Number(number),
            Stored::Name(name) => Self::Name(name.into()),
        }
    }
}
