//! Files of an object store, as inputs of other programs.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};
use url::Url;

use crate::client::Client;
use crate::error::{ArchiveError, failed};

/// Bytes of one request of a reader that reads a file from its start to its end.
const WINDOW_BYTES: u64 = 4 << 20;

/// Bytes of the first request: enough to tell the form of a file. Another reader may then read other parts of it.
const FIRST_WINDOW_BYTES: u64 = 64 << 10;

/// A file in an object store. A file that is replaced while it is read is an error, where the store has versions (ETag, RFC 9110, section 8.8.3).
#[derive(Debug, Clone)]
pub struct RemoteFile {
    client: Arc<Client>,
    key: Path,
    version: Option<String>,
    url: String,
    bytes: u64,
    changed_ns: Option<u64>,
}

impl RemoteFile {
    /// The files that a URL names: one file, all files below a folder, or all files that match the URL. `*` stands for characters other than
    /// `/`; every other character stands for itself, as in the tools of the providers. The files are in the order of the parts of their keys,
    /// as in a walk through folders. Hidden files are left out: those with a part below the folder that begins with a dot.
    ///
    /// # Errors
    /// The URL names no store, or no file in it; the store does not answer.
    pub fn find(url: &str) -> Result<Named, ArchiveError> {
        let (start, pattern) = match url.split_once('*') {
            None => (url, None),
            // The folder before the first star.
            Some((before, _)) => (&before[..before.rfind('/').map_or(0, |slash| slash + 1)], Some(url)),
        };
        let (client, path) = Client::of(&as_url(start))?;
        let client = Arc::new(client);
        let root = root_of(start);
        let of_meta = |meta: ObjectMeta| Self {
            client: Arc::clone(&client),
            url: format!("{root}{}", meta.location),
            key: meta.location,
            version: meta.e_tag,
            bytes: meta.size,
            changed_ns: u64::try_from(meta.last_modified.timestamp_nanos_opt().unwrap_or_default()).ok(),
        };
        if pattern.is_none() && !start.ends_with('/') && !path.as_ref().is_empty() {
            match client.once(client.store.head(&path)) {
                Ok(meta) => return Ok(Named::One(of_meta(meta))),
                Err(object_store::Error::NotFound { .. }) => {}
                Err(source) => return Err(failed("read", url, source)),
            }
        }
        let listed = client.once(client.store.list(Some(&path)).try_collect::<Vec<_>>());
        let listed = listed.map_err(|source| failed("list", start, source))?;
        let is_hidden = |meta: &ObjectMeta| {
            let below = meta.location.prefix_match(&path);
            below.is_some_and(|mut parts| parts.any(|part| part.as_ref().starts_with('.')))
        };
        let mut files: Vec<Self> = listed
            .into_iter()
            .filter(|meta| !is_hidden(meta))
            .map(of_meta)
            .collect();
        if let Some(pattern) = pattern {
            files.retain(|file| matches(pattern.as_bytes(), file.url.as_bytes()));
        }
        files.sort_by(|a, b| a.key.parts().cmp(b.key.parts()));
        if files.is_empty() {
            return Err(ArchiveError::NoFile { url: url.to_owned() });
        }
        Ok(Named::Some(files))
    }

    /// Its URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its length.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// When it was put there, in nanoseconds since the Unix epoch, if the store says so.
    #[must_use]
    pub fn changed_ns(&self) -> Option<u64> {
        self.changed_ns
    }

    /// Its bytes from `at` on: `length` of them, or fewer at its end.
    ///
    /// # Errors
    /// The store does not answer, or the file was replaced.
    pub fn read_at(&self, at: u64, length: u64) -> io::Result<Bytes> {
        let end = self.bytes.min(at.saturating_add(length));
        if at >= end {
            return Ok(Bytes::new());
        }
        let options = GetOptions {
            range: Some(GetRange::Bounded(at..end)),
            if_match: self.version.clone(),
            ..GetOptions::default()
        };
        let read = self.client.once(async {
            let got = self.client.store.get_opts(&self.key, options).await?;
            got.bytes().await
        });
        let bytes = read.map_err(|source| io::Error::other(failed("read", &self.url, source)))?;
        if bytes.len() as u64 == end - at {
            Ok(bytes)
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }

    /// Its bytes from `at` to its end.
    #[must_use]
    pub fn reader(&self, at: u64) -> RemoteReader {
        RemoteReader {
            file: self.clone(),
            at,
            window: Bytes::new(),
            next: FIRST_WINDOW_BYTES,
        }
    }
}

/// What a URL names.
#[derive(Debug)]
pub enum Named {
    /// One file, by its name.
    One(RemoteFile),
    /// The files of a folder, or those that a pattern matches; at least one.
    Some(Vec<RemoteFile>),
}

/// A URL for a key that is written as it is: the characters that have a meaning in a URL are encoded.
fn as_url(literal: &str) -> String {
    let encoded = literal.replace('%', "%25").replace('#', "%23");
    encoded.replace('?', "%3F")
}

/// The part of a URL that is the same for all files of its store.
fn root_of(url: &str) -> String {
    let url = Url::parse(url).ok();
    url.map_or_else(String::new, |url| format!("{}://{}/", url.scheme(), url.authority()))
}

/// Whether a pattern matches a text; a star stands for bytes other than slashes.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut of_text) = (0, 0);
    // Where the last star is, and what it has matched so far.
    let mut star: Option<(usize, usize)> = None;
    while of_text < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, of_text));
                at += 1;
            }
            Some(byte) if *byte == text[of_text] => {
                at += 1;
                of_text += 1;
            }
            _ => match star {
                Some((of_star, matched)) if text[matched] != b'/' => {
                    star = Some((of_star, matched + 1));
                    (at, of_text) = (of_star + 1, matched + 1);
                }
                _ => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// A file from its start to its end, in a few large requests.
#[derive(Debug)]
pub struct RemoteReader {
    file: RemoteFile,
    at: u64,
    window: Bytes,
    /// Length of the next one.
    next: u64,
}

impl Read for RemoteReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.window.is_empty() {
            self.window = self.file.read_at(self.at, self.next)?;
            self.at += self.window.len() as u64;
            self.next = WINDOW_BYTES;
        }
        let length = self.window.len().min(into.len());
        into[..length].copy_from_slice(&self.window.split_to(length));
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_name_by_folder_and_by_pattern() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "data/a.parquet",
            "data/b.parquet",
            "data/more/c.parquet",
            "data-2/d",
            "data/.hidden",
            "data/.git/e",
            "odd/50% #1?.txt",
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        }
        let root = Url::from_directory_path(folder.path()).unwrap().to_string();
        let find = |what: &str| {
            RemoteFile::find(&format!("{root}{what}")).map(|named| {
                let files = match named {
                    Named::One(file) => vec![file],
                    Named::Some(files) => files,
                };
                let names = files
                    .iter()
                    .map(|file| file.url().strip_prefix(&root).unwrap().to_owned());
                names.collect::<Vec<_>>()
            })
        };
        let all = ["data/a.parquet", "data/b.parquet", "data/more/c.parquet"];
        assert_eq!(find("data").unwrap(), all);
        assert_eq!(find("data/").unwrap(), all);
        assert_eq!(find("data/a.parquet").unwrap(), ["data/a.parquet"]);
        assert_eq!(find("data/*.parquet").unwrap(), all[..2]);
        assert_eq!(find("*/*/c*").unwrap(), all[2..]);
        assert_eq!(
            find("data*/*").unwrap(),
            ["data/a.parquet", "data/b.parquet", "data-2/d"]
        );
        assert_eq!(find("odd/50% #1?.txt").unwrap(), ["odd/50% #1?.txt"]);
        for nothing in ["dat", "data/*.jsonl"] {
            let refused = find(nothing).unwrap_err().to_string();
            assert!(refused.contains("no file"), "{refused}");
        }
    }

    #[test]
    fn a_file_is_read_in_parts_and_not_after_it_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..WINDOW_BYTES + 100_000).map(|number| (number % 251) as u8).collect();
        let path = folder.path().join("a");
        std::fs::write(&path, &bytes).unwrap();
        let url = Url::from_file_path(&path).unwrap();
        let Named::One(file) = &RemoteFile::find(url.as_str()).unwrap() else {
            panic!("one file");
        };
        assert_eq!(file.bytes(), bytes.len() as u64);
        let mut read = Vec::new();
        file.reader(7).read_to_end(&mut read).unwrap();
        assert!(read == bytes[7..]);
        assert_eq!(file.read_at(file.bytes() - 1, 10).unwrap().len(), 1);
        assert!(file.read_at(file.bytes(), 10).unwrap().is_empty());
        std::fs::write(&path, "others").unwrap();
        assert!(file.read_at(0, 6).is_err());
    }

    #[test]
    fn a_star_stands_for_a_part_of_one_name() {
        for (pattern, text, holds) in [
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("a*c", "ab/c", false),
            ("a*b*", "aXbYb", true),
            ("*.gz", "a.gz.gz", true),
            ("*", "", true),
            ("a", "ab", false),
            ("a*", "b", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), holds, "{pattern} {text}");
        }
    }
}
