//! Whether a store refuses a call, and what somebody has to change.

use std::error::Error;
use std::io;

use url::Url;

/// Why a store refuses a call. Another call meets the same answer until somebody changes what is named here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It does not know the credentials.
    Credentials,
    /// The credentials, or the user of this process, lack a right.
    Right,
    /// There is no such bucket or container.
    Bucket,
    /// The bucket is in another region.
    Region,
    /// The file system takes no writes.
    ReadOnly,
}

/// What stores say in the body of an answer, with what it means. The status of the first two is that of a missing object (404), of the next two
/// that of a wrong request (400).
const SAID: [(&str, Refusal); 5] = [
    ("NoSuchBucket", Refusal::Bucket),
    ("ContainerNotFound", Refusal::Bucket),
    ("ExpiredToken", Refusal::Credentials),
    ("AuthorizationHeaderMalformed", Refusal::Region),
    ("incorrectly configured region", Refusal::Region),
];

impl Refusal {
    /// Whether and why the store refuses; `None` if it may answer another call, or has no such object.
    pub fn of(error: &object_store::Error) -> Option<Self> {
        match error {
            object_store::Error::Unauthenticated { .. } => return Some(Self::Credentials),
            object_store::Error::PermissionDenied { .. } => return Some(Self::Right),
            _ => {}
        }
        let text = error.to_string();
        let said = SAID.iter().find(|(words, _)| text.contains(words));
        said.map(|(_, refusal)| *refusal).or_else(|| of_file(error))
    }

    /// What somebody has to do, for a call that was to `action` (`put`, `read`, `list`, `remove`) an object.
    pub fn remedy(self, action: &str, url: &str) -> String {
        let is_file = Url::parse(url).is_ok_and(|url| url.scheme() == "file");
        let objects = if is_file { "files" } else { "objects" };
        match self {
            Self::Credentials => {
                "the store does not accept the credentials: set valid ones in the environment of this process"
                    .to_owned()
            }
            Self::Right if is_file => {
                format!(
                    "the user of this process may not {action} {objects} there: change the owner or the mode of the folder"
                )
            }
            Self::Right => format!(
                "the credentials of this process lack the right to {action} {objects} there: grant the rights to put, read, list and remove \
                 {objects} below the URL (without the right to list, some stores give this answer for a missing object), or set other credentials"
            ),
            Self::Bucket => {
                "there is no such bucket or container: make it, or correct the URL (storage.archive_url)".to_owned()
            }
            Self::Region => {
                "the bucket is in another region: set AWS_REGION in the environment of this process".to_owned()
            }
            Self::ReadOnly => "the file system is mounted for reading only: mount it for writing".to_owned(),
        }
    }
}

/// The same of a folder, whose client hides the error of the system among its causes.
fn of_file(error: &object_store::Error) -> Option<Refusal> {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(error) = cause {
        if let Some(of_system) = error.downcast_ref::<io::Error>() {
            return match of_system.kind() {
                io::ErrorKind::PermissionDenied => Some(Refusal::Right),
                io::ErrorKind::ReadOnlyFilesystem => Some(Refusal::ReadOnly),
                _ => None,
            };
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::failed;

    fn generic(source: impl Into<Box<dyn Error + Send + Sync>>) -> object_store::Error {
        object_store::Error::Generic {
            store: "S3",
            source: source.into(),
        }
    }

    #[test]
    fn a_refusal_is_told_from_a_store_that_does_not_answer_and_says_what_to_do() {
        let (path, source) = (String::new, || "403".into());
        let denied = object_store::Error::PermissionDenied {
            path: path(),
            source: source(),
        };
        let unknown = object_store::Error::Unauthenticated {
            path: path(),
            source: source(),
        };
        let no_bucket = object_store::Error::NotFound {
            path: path(),
            source: "404 Not Found: <Code>NoSuchBucket</Code>".into(),
        };
        for (error, said) in [
            (denied, "lack the right to put objects there"),
            (unknown, "does not accept the credentials"),
            (no_bucket, "no such bucket or container"),
            (generic("400 Bad Request: <Code>ExpiredToken</Code>"), "set valid ones"),
            (
                generic("this normally indicates an incorrectly configured region"),
                "set AWS_REGION",
            ),
        ] {
            let error = failed("put", "s3://bucket/key", error);
            assert!(error.is_refusal() && error.to_string().contains(said), "{error}");
        }
        for (kind, said) in [
            (io::ErrorKind::PermissionDenied, "may not put files there"),
            (io::ErrorKind::ReadOnlyFilesystem, "for reading only"),
        ] {
            let error = failed("put", "file:///folder/key", generic(io::Error::from(kind)));
            assert!(error.is_refusal() && error.to_string().contains(said), "{error}");
        }
        let missing = object_store::Error::NotFound {
            path: path(),
            source: "404 Not Found: NoSuchKey".into(),
        };
        for error in [
            missing,
            generic("503"),
            generic(io::Error::from(io::ErrorKind::TimedOut)),
        ] {
            let error = failed("read", "s3://bucket/key", error);
            assert!(!error.is_refusal(), "{error}");
        }
    }
}
