//! What goes wrong with a store.

use std::io;

use crate::refusal::Refusal;

/// Why a file is not in the store, or cannot be read from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The URL names no store.
    #[error(
        "{url} names no object store: write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER ({detail})"
    )]
    Url {
        /// The URL.
        url: String,
        /// The fault.
        detail: String,
    },
    /// The store has no such file.
    #[error("{url}: there is no file of this name in the store, and none in a folder of this name")]
    NoFile {
        /// The URL.
        url: String,
    },
    /// The store has another file under this name.
    #[error(
        "{url} is there already, with other contents: it was put there by another crawl, or the local file has changed since"
    )]
    Conflict {
        /// The URL of the object.
        url: String,
    },
    /// What was read back is not what was written.
    #[error("{url} differs from the file that was put there: remove it from the store, it will be put there again")]
    Damaged {
        /// The URL of the object.
        url: String,
    },
    /// The store does not answer, or refuses.
    #[error("cannot {action} {url}: {source}{}", advice(action, url, source))]
    Store {
        /// `put`, `read`, `list`, `remove`.
        action: &'static str,
        /// The URL.
        url: String,
        /// What the client said.
        source: object_store::Error,
    },
    /// A local file.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// `read`, `write`.
        action: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl ArchiveError {
    /// Whether the same call meets the same answer until somebody changes a right, the credentials or a setting. The text says which. Otherwise,
    /// the store may answer a later call.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Url { .. } => true,
            Self::Store { source, .. } => Refusal::of(source).is_some(),
            _ => false,
        }
    }
}

pub(crate) fn failed(action: &'static str, url: &str, source: object_store::Error) -> ArchiveError {
    ArchiveError::Store {
        action,
        url: url.to_owned(),
        source,
    }
}

/// The servers that a client asks for the credentials of its machine, if the environment has none.
const OF_THE_MACHINE: [&str; 2] = ["169.254.169.254", "metadata.google.internal"];

/// What to do about an error whose own words do not say it.
fn advice(action: &str, url: &str, source: &object_store::Error) -> String {
    if let Some(refusal) = Refusal::of(source) {
        return format!("; {}", refusal.remedy(action, url));
    }
    let text = source.to_string();
    if OF_THE_MACHINE.iter().any(|server| text.contains(server)) {
        "; the environment has no credentials, and neither has the machine: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, \
         GOOGLE_SERVICE_ACCOUNT, or AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"
            .to_owned()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_credentials_are_named() {
        let of = |reason: &str| {
            let source = object_store::Error::Generic {
                store: "S3",
                source: reason.into(),
            };
            failed("read", "s3://b/k", source).to_string()
        };
        assert!(of("PUT http://169.254.169.254/latest/api/token: timeout").contains("set AWS_ACCESS_KEY_ID"));
        assert!(!of("503").contains("set "));
    }
}
