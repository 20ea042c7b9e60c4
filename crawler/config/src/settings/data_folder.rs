//! The `[storage]` section.

use std::time::Duration;

use super::StorageSettings;
use crate::Config;

/// Smallest page cache and smallest WARC file, in bytes; smaller values are raised to it.
const MIN_BYTES: u64 = 1024 * 1024;

/// Size of a WARC file if the user names none.
const WARC_FILE_BYTES: u64 = 1_000_000_000;

/// The same for a worker whose full files go to an object store. If its disk is lost, the pages of the file that it has begun are lost, and
/// the other workers go on without it. A smaller file is full earlier.
const WARC_FILE_BYTES_OF_WORKER: u64 = 128_000_000;

pub(super) fn storage(config: &Config) -> StorageSettings {
    let section = &config.storage;
    let is_archiving_worker = !section.archive_url.is_empty() && !config.fleet.address.is_empty();
    StorageSettings {
        archive_url: Some(section.archive_url.clone()).filter(|url| !url.is_empty()),
        cache_bytes: section.cache_bytes.max(MIN_BYTES),
        warc_file_bytes: match section.warc_file_bytes {
            0 if is_archiving_worker => WARC_FILE_BYTES_OF_WORKER,
            0 => WARC_FILE_BYTES,
            bytes => bytes.max(MIN_BYTES),
        },
        compression: section.compression,
        duplicates: section.duplicates,
        commit_interval: Duration::from_millis(section.commit_interval_ms),
        checkpoint_pages: section.checkpoint_pages as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_with_an_object_store_begins_new_files_earlier_unless_the_user_says_when() {
        let bytes = |address: &str, url: &str, wanted: Option<u64>| {
            let mut config = Config::default();
            config.fleet.address = address.to_owned();
            config.storage.archive_url = url.to_owned();
            if let Some(wanted) = wanted {
                config.storage.warc_file_bytes = wanted;
            }
            storage(&config).warc_file_bytes
        };
        let (redis, store) = ("redis://host:6379", "s3://bucket/crawls");
        assert_eq!(bytes(redis, store, None), 128_000_000);
        for (address, url) in [("", ""), ("", store), (redis, "")] {
            assert_eq!(bytes(address, url, None), 1_000_000_000, "{address} {url}");
        }
        for (wanted, used) in [(1_000_000_000, 1_000_000_000), (5_000_000, 5_000_000), (1, 1_048_576)] {
            assert_eq!(bytes(redis, store, Some(wanted)), used);
            assert_eq!(bytes("", "", Some(wanted)), used);
        }
    }
}
