//! A client of the store that a URL names.

use std::time::Duration;

use object_store::ObjectStore;
use object_store::path::Path;
use tokio::runtime::Runtime;
use url::Url;

use crate::error::ArchiveError;
use crate::refusal::Refusal;

/// Attempts of one call, besides those that the client makes for each request.
const ATTEMPTS: u32 = 4;

/// Wait before the second attempt; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// The schemes of stores.
const SCHEMES: [&str; 7] = ["s3", "s3a", "gs", "az", "abfs", "abfss", "file"];

#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) store: Box<dyn ObjectStore>,
    runtime: Runtime,
}

/// Whether an argument is the URL of a store.
#[must_use]
pub fn is_store(argument: &str) -> bool {
    let scheme = argument.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| SCHEMES.contains(&scheme))
}

impl Client {
    /// A client for a URL, and what the URL names in its store. Makes no request.
    pub(crate) fn of(url: &str) -> Result<(Self, Path), ArchiveError> {
        let (store, path) = store_of(url)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unusable(url, error.to_string()))?;
        Ok((Self { store, runtime }, path))
    }

    /// Waits for one call. The client repeats its requests for some minutes.
    pub(crate) fn once<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.block_on(call)
    }

    /// Tries a few times, with growing waits, if the store may answer the next time.
    pub(crate) fn with_attempts<T, F: Future<Output = Result<T, ArchiveError>>>(
        &self,
        attempt: impl Fn() -> F,
    ) -> Result<T, ArchiveError> {
        let mut wait = FIRST_WAIT;
        for _ in 1..ATTEMPTS {
            match self.runtime.block_on(attempt()) {
                Err(ArchiveError::Store { source, .. }) if may_pass(&source) => {}
                ended => return ended,
            }
            std::thread::sleep(wait);
            wait *= 2;
        }
        self.runtime.block_on(attempt())
    }
}

/// The store of a URL, and what the URL names in it. Makes no request.
pub(crate) fn store_of(url: &str) -> Result<(Box<dyn ObjectStore>, Path), ArchiveError> {
    let parsed = Url::parse(url).map_err(|error| unusable(url, error.to_string()))?;
    if !SCHEMES.contains(&parsed.scheme()) {
        return Err(unusable(url, format!("unknown scheme {:?}", parsed.scheme())));
    }
    #[cfg(feature = "cloud")]
    // The process may have chosen a provider of TLS already.
    let _chosen = rustls::crypto::ring::default_provider().install_default();
    let environment = std::env::vars_os().filter_map(|(key, value)| {
        let key = key.into_string().ok()?.to_ascii_lowercase();
        Some((key, value.into_string().ok()?))
    });
    object_store::parse_url_opts(&parsed, environment).map_err(|error| unusable(url, error.to_string()))
}

fn unusable(url: &str, detail: String) -> ArchiveError {
    ArchiveError::Url {
        url: url.to_owned(),
        detail,
    }
}

/// Whether another attempt may succeed.
fn may_pass(error: &object_store::Error) -> bool {
    let passes = matches!(
        error,
        object_store::Error::Generic { .. } | object_store::Error::JoinError { .. }
    );
    passes && Refusal::of(error).is_none()
}
