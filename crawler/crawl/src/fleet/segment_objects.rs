//! Segments of the log of kept pages as objects of the store of `storage.archive_url`.

use std::time::Duration;

use archive::{ArchiveError, Objects};
use fleet::{SegmentStore, StoreCall, StoreFault};

/// How long a call may take. A segment has some megabytes. Whoever calls tries again, and says why.
const PATIENCE: Duration = Duration::from_secs(60);

/// The store. A worker reads every segment whose URL it learns, wherever it keeps its own.
#[derive(Debug)]
pub(crate) struct SegmentObjects {
    /// Where new segments go, without a slash at its end; `None`: not into an object store.
    url: Option<String>,
    objects: Objects,
}

impl SegmentObjects {
    /// A store under this URL for new segments.
    pub fn new(url: Option<&str>) -> Self {
        Self {
            url: url.map(|url| url.trim_end_matches('/').to_owned()),
            objects: Objects::default(),
        }
    }
}

impl SegmentStore for SegmentObjects {
    fn place(&self, name: &str) -> Option<String> {
        self.url.as_ref().map(|url| format!("{url}/{name}"))
    }

    fn put<'a>(&'a self, place: &'a str, bytes: Vec<u8>) -> StoreCall<'a, ()> {
        Box::pin(in_time(PATIENCE, self.objects.put(place, bytes)))
    }

    fn get<'a>(&'a self, place: &'a str, size: u64) -> StoreCall<'a, Option<Vec<u8>>> {
        Box::pin(in_time(PATIENCE, self.objects.get(place, size)))
    }

    fn remove<'a>(&'a self, place: &'a str) -> StoreCall<'a, ()> {
        Box::pin(in_time(PATIENCE, self.objects.remove(place)))
    }
}

/// The answer to a call, or why there is none.
async fn in_time<T>(patience: Duration, call: impl Future<Output = Result<T, ArchiveError>>) -> Result<T, StoreFault> {
    match tokio::time::timeout(patience, call).await {
        Ok(answer) => answer.map_err(|error| {
            let said = error.to_string();
            if error.is_refusal() {
                StoreFault::Refused(said)
            } else {
                StoreFault::NoAnswer(said)
            }
        }),
        Err(_) => Err(StoreFault::NoAnswer(format!("no answer for {} s", patience.as_secs()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_segment_is_written_below_the_url_and_read_from_any_store() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}/crawls/", folder.path().display());
        let store = SegmentObjects::new(Some(&url));
        let place = store.place("fleet-1/segments/2.3").unwrap();
        store.put(&place, vec![1, 2, 3]).await.unwrap();
        let file = folder.path().join("crawls/fleet-1/segments/2.3");
        assert_eq!(std::fs::read(file).unwrap(), [1, 2, 3]);
        let reader = SegmentObjects::new(None);
        assert_eq!(reader.place("fleet-1/segments/2.3"), None);
        assert_eq!(reader.get(&place, 3).await.unwrap(), Some(vec![1, 2, 3]));
        reader.remove(&place).await.unwrap();
        assert_eq!(store.get(&place, 3).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_store_that_never_answers_is_not_waited_for_for_ever() {
        let never = std::future::pending::<Result<(), ArchiveError>>();
        let answer = in_time(Duration::ZERO, never).await;
        assert_eq!(
            answer.unwrap_err(),
            StoreFault::NoAnswer("no answer for 0 s".to_owned())
        );
    }

    #[tokio::test]
    async fn a_url_that_no_store_has_is_refused() {
        let refused = SegmentObjects::new(None)
            .get("ftp://host/fleet-1/segments/2.3", 3)
            .await;
        assert!(matches!(refused, Err(StoreFault::Refused(said)) if said.contains("names no object store")));
    }
}
