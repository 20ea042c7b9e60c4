use std::time::Duration;

use super::*;

/// 2025-06-15.
const FETCHED: Duration = Duration::from_secs(1_750_000_000);

fn read(html: &str) -> Metadata {
    let url = Url::parse("https://www.example.org/news/item").unwrap();
    metadata(
        html.as_bytes(),
        &HeaderMap::new(),
        &url,
        SystemTime::UNIX_EPOCH + FETCHED,
    )
    .unwrap()
}

fn value<T: Clone>(field: &Option<Sourced<T>>) -> Option<T> {
    field.as_ref().map(|found| found.value.clone())
}
