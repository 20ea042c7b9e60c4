//! An object store under a URL.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path as FilePath;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use crate::client::Client;
use crate::digest::{self, Digest, Digesting};
use crate::error::{ArchiveError, failed};

/// Files up to this length are put in one request, which the store refuses if there is a file already.
const MAX_SINGLE_PUT_BYTES: u64 = 64 << 20;

/// The ends of the names of WARC files.
const WARC_FILES: [&str; 2] = [".warc.gz", ".warc.zst"];

/// Length of the parts of a longer file.
const PART_BYTES: u64 = 16 << 20;

/// What became of a file that was to be put into the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its URL there.
    pub url: String,
    /// Its length.
    pub bytes: u64,
    /// XXH3-128 of its bytes, as the store has them.
    pub xxh3: u128,
}

/// A file in the store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// The folder that it is in, relative to the URL of the archive; empty for the URL itself.
    pub folder: String,
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its place in the store.
    key: String,
}

/// An object store under a URL.
#[derive(Debug)]
pub struct Archive {
    client: Client,
    prefix: Path,
    url: String,
}

impl Archive {
    /// The store at `url`. Makes no request.
    ///
    /// # Errors
    /// [`ArchiveError::Url`]; the environment lacks something that the client needs.
    pub fn open(url: &str) -> Result<Self, ArchiveError> {
        let (client, prefix) = Client::of(url)?;
        Ok(Self {
            client,
            prefix,
            url: url.trim_end_matches('/').to_owned(),
        })
    }

    /// Its URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Puts a file into `folder` of the store, under its own name, unless the same file is there already. The copy is read back.
    ///
    /// # Errors
    /// [`ArchiveError::Conflict`]; [`ArchiveError::Damaged`]; after some attempts, the error of the store.
    pub fn put(&self, folder: &str, file: &FilePath) -> Result<Placed, ArchiveError> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let key = self.prefix.clone().join(folder).join(name.as_ref());
        let url = format!("{}/{folder}/{name}", self.url);
        let local = digest::of_file(file).map_err(|source| ArchiveError::File {
            action: "read",
            path: file.display().to_string(),
            source,
        })?;
        self.client.with_attempts(|| async {
            let is_new = self.put_once(&key, &url, file, local.bytes).await?;
            let remote = self
                .digest_of(&key)
                .await
                .map_err(|source| failed("read", &url, source))?;
            if remote == local {
                Ok(Placed {
                    url: url.clone(),
                    bytes: remote.bytes,
                    xxh3: remote.xxh3,
                })
            } else if is_new {
                Err(ArchiveError::Damaged { url: url.clone() })
            } else {
                Err(ArchiveError::Conflict { url: url.clone() })
            }
        })
    }

    /// Puts the file, which has `bytes` bytes, into the store. If the store has a file with this name from an earlier attempt or run, it stays.
    /// Returns whether this call put the file.
    async fn put_once(&self, key: &Path, url: &str, file: &FilePath, bytes: u64) -> Result<bool, ArchiveError> {
        let unread = |source| ArchiveError::File {
            action: "read",
            path: file.display().to_string(),
            source,
        };
        let put = if bytes <= MAX_SINGLE_PUT_BYTES {
            let bytes = fs::read(file).map_err(unread)?;
            let create = PutOptions::from(PutMode::Create);
            self.client
                .store
                .put_opts(key, PutPayload::from(bytes), create)
                .await
                .map(|_| ())
        } else {
            // Parts cannot be put on a condition, but the name is this folder's own.
            match self.client.store.head(key).await {
                Ok(_) => Err(object_store::Error::AlreadyExists {
                    path: key.to_string(),
                    source: "it was put there before".into(),
                }),
                Err(object_store::Error::NotFound { .. }) => self
                    .put_in_parts(key, file)
                    .await
                    .map_err(|fault| match fault {
                        Fault::Store(source) => failed("put", url, source),
                        Fault::File(source) => unread(source),
                    })
                    .map(Ok)?,
                Err(error) => Err(error),
            }
        };
        match put {
            Ok(()) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
            Err(source) => Err(failed("put", url, source)),
        }
    }

    async fn put_in_parts(&self, key: &Path, file: &FilePath) -> Result<(), Fault> {
        let mut input = File::open(file).map_err(Fault::File)?;
        let mut upload = self.client.store.put_multipart(key).await.map_err(Fault::Store)?;
        loop {
            let mut part = Vec::new();
            let read = Read::by_ref(&mut input).take(PART_BYTES).read_to_end(&mut part);
            let put = match read {
                Ok(0) => return upload.complete().await.map(|_| ()).map_err(Fault::Store),
                Ok(_) => upload.put_part(PutPayload::from(part)).await.map_err(Fault::Store),
                Err(error) => Err(Fault::File(error)),
            };
            if let Err(fault) = put {
                // Parts without their end cost money.
                let _aborted = upload.abort().await;
                return Err(fault);
            }
        }
    }

    async fn digest_of(&self, key: &Path) -> Result<Digest, object_store::Error> {
        let mut stream = self
            .client
            .store
            .get_opts(key, GetOptions::default())
            .await?
            .into_stream();
        let mut digesting = Digesting::default();
        while let Some(bytes) = stream.try_next().await? {
            digesting.update(&bytes);
        }
        Ok(digesting.end())
    }

    /// The WARC files in the store, by folder and name.
    ///
    /// # Errors
    /// The error of the store, after some attempts.
    pub fn files(&self) -> Result<Vec<Object>, ArchiveError> {
        let mut objects = self.client.with_attempts(|| async {
            let listed = self.client.store.list(Some(&self.prefix)).try_collect::<Vec<_>>().await;
            listed.map_err(|source| failed("list", &self.url, source))
        })?;
        objects.retain(|object| WARC_FILES.iter().any(|end| object.location.as_ref().ends_with(end)));
        let mut files: Vec<Object> = objects
            .iter()
            .filter_map(|object| self.object(&object.location, object.size))
            .collect();
        files.sort();
        Ok(files)
    }

    fn object(&self, location: &Path, bytes: u64) -> Option<Object> {
        let mut parts: Vec<String> = location
            .prefix_match(&self.prefix)?
            .map(|part| part.as_ref().to_owned())
            .collect();
        let name = parts.pop()?;
        Some(Object {
            folder: parts.join("/"),
            name,
            bytes,
            key: location.to_string(),
        })
    }

    /// Copies a file of the store to the local file `to`.
    ///
    /// # Errors
    /// The error of the store, after some attempts; `to` cannot be written.
    pub fn get(&self, object: &Object, to: &FilePath) -> Result<(), ArchiveError> {
        let url = format!("{}/{}/{}", self.url, object.folder, object.name);
        let part = to.with_extension("part");
        let unwritten = |source| ArchiveError::File {
            action: "write",
            path: to.display().to_string(),
            source,
        };
        let key = Path::from(object.key.as_str());
        self.client.with_attempts(|| async {
            let got = self.client.store.get_opts(&key, GetOptions::default()).await;
            let mut stream = got.map_err(|source| failed("read", &url, source))?.into_stream();
            let mut file = File::create(&part).map_err(unwritten)?;
            let mut bytes = 0;
            while let Some(some) = stream.try_next().await.map_err(|source| failed("read", &url, source))? {
                file.write_all(&some).map_err(unwritten)?;
                bytes += some.len() as u64;
            }
            if bytes != object.bytes {
                return Err(ArchiveError::Damaged { url: url.clone() });
            }
            file.sync_all().and_then(|()| fs::rename(&part, to)).map_err(unwritten)
        })
    }
}

/// An error of either side of a copy.
enum Fault {
    Store(object_store::Error),
    File(io::Error),
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    #[test]
    fn a_file_is_put_once_and_comes_back() {
        let (dir, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let url = Url::from_directory_path(there.path()).unwrap();
        let archive = Archive::open(url.join("some%20prefix").unwrap().as_str()).unwrap();
        let file = dir.path().join("crawl-20260321093000-00000.warc.gz");
        fs::write(&file, vec![7; 100_000]).unwrap();
        let placed = archive.put("one", &file).unwrap();
        assert_eq!(placed.bytes, 100_000);
        assert_eq!(
            archive.put("one", &file).unwrap(),
            placed,
            "the same file again does no harm"
        );
        archive.put("two", &file).unwrap();
        fs::write(&file, b"longer or other").unwrap();
        let refused = archive.put("one", &file).unwrap_err();
        assert!(matches!(refused, ArchiveError::Conflict { .. }), "{refused}");
        let files = archive.files().unwrap();
        let names: Vec<_> = files.iter().map(|file| (file.folder.as_str(), file.bytes)).collect();
        assert_eq!(names, [("one", 100_000), ("two", 100_000)]);
        let back = dir.path().join("back");
        archive.get(&files[1], &back).unwrap();
        assert_eq!(fs::read(&back).unwrap(), vec![7; 100_000]);
        let (of_one, _) = (Archive::open(&format!("{}/one", archive.url())).unwrap(), ());
        assert_eq!(of_one.files().unwrap()[0].folder, "");
    }

    #[test]
    fn a_long_file_goes_in_parts() {
        let (dir, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let archive = Archive::open(Url::from_directory_path(there.path()).unwrap().as_str()).unwrap();
        let file = dir.path().join("crawl-20260321093000-00001.warc.gz");
        let length = MAX_SINGLE_PUT_BYTES + 5;
        File::create(&file).unwrap().set_len(length).unwrap();
        assert_eq!(archive.put("f", &file).unwrap().bytes, length);
        assert_eq!(archive.put("f", &file).unwrap().bytes, length);
        File::options()
            .append(true)
            .open(&file)
            .unwrap()
            .write_all(b"x")
            .unwrap();
        assert!(matches!(archive.put("f", &file), Err(ArchiveError::Conflict { .. })));
    }

    #[test]
    fn a_url_that_names_no_store_is_refused() {
        for url in ["data", "ftp://host/x", "http://host/x", "s3:"] {
            let refused = Archive::open(url).unwrap_err();
            assert!(refused.to_string().contains("names no object store"), "{refused}");
        }
    }
}
