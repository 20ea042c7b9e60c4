//! Objects of some megabytes, by their URLs.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use url::Url;

use crate::client::store_of;
use crate::error::{ArchiveError, failed};
use crate::refusal::Refusal;

/// Writes, reads and removes whole objects. Unlike those of an [`Archive`](crate::Archive), the calls need a tokio runtime of the caller, and
/// bound their time only by the attempts that the client makes for each request, which may take minutes.
#[derive(Default)]
pub struct Objects {
    /// By the folder of a URL.
    folders: Mutex<HashMap<String, Place>>,
}

/// A store, and a place in it.
type Place = (Arc<dyn ObjectStore>, Path);

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects").finish_non_exhaustive()
    }
}

impl Objects {
    /// Writes an object. It is there as a whole or not at all, and durable when this returns.
    ///
    /// # Errors
    /// The URL names no store; the store does not answer, or refuses.
    pub async fn put(&self, url: &str, bytes: Vec<u8>) -> Result<(), ArchiveError> {
        let (store, key) = self.at(url)?;
        let put = store.put(&key, PutPayload::from(bytes)).await;
        put.map(drop).map_err(|source| failed("put", url, source))
    }

    /// The bytes of an object that should have so many; `None` if there is none. Of an object of another size, it reads nothing and returns no
    /// bytes: whoever names an object may name a very large one.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub async fn get(&self, url: &str, size: u64) -> Result<Option<Vec<u8>>, ArchiveError> {
        let (store, key) = self.at(url)?;
        let got = async {
            let got = store.get(&key).await?;
            if got.meta.size == size {
                got.bytes().await
            } else {
                Ok(Bytes::new())
            }
        };
        match got.await {
            Ok(bytes) => Ok(Some(bytes.into())),
            // Not that of a bucket that is not there.
            Err(source @ object_store::Error::NotFound { .. }) if Refusal::of(&source).is_none() => Ok(None),
            Err(source) => Err(failed("read", url, source)),
        }
    }

    /// Removes an object, if it is there.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub async fn remove(&self, url: &str) -> Result<(), ArchiveError> {
        let (store, key) = self.at(url)?;
        match store.delete(&key).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(source) => Err(failed("remove", url, source)),
        }
    }

    /// Removes all objects below the URL of a folder. Returns how many there were.
    ///
    /// # Errors
    /// As [`put`](Self::put). What is left then, another call removes.
    pub async fn remove_folder(&self, url: &str) -> Result<u64, ArchiveError> {
        let (store, folder) = store_of(url)?;
        let listed = store.list(Some(&folder)).try_collect::<Vec<_>>().await;
        let listed = listed.map_err(|source| failed("list", url, source))?;
        for object in &listed {
            match store.delete(&object.location).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(source) => return Err(failed("remove", url, source)),
            }
        }
        if let Some(folder) = local(url) {
            remove_empty(&folder);
        }
        Ok(listed.len() as u64)
    }

    /// The store of an object, and its key there. The client of a folder is made once.
    fn at(&self, url: &str) -> Result<Place, ArchiveError> {
        let (folder, name) = url.rsplit_once('/').unwrap_or((url, ""));
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((store, path)) = folders.get(folder) {
            return Ok((Arc::clone(store), path.clone().join(name)));
        }
        let (store, path) = store_of(folder)?;
        let store: Arc<dyn ObjectStore> = if local(folder).is_some() {
            // An object counts as durable: the crash of a machine must not leave an empty file.
            Arc::new(LocalFileSystem::new().with_fsync(true))
        } else {
            store.into()
        };
        folders.insert(folder.to_owned(), (Arc::clone(&store), path.clone()));
        Ok((store, path.join(name)))
    }
}

/// The folder of the machine that a URL names; `None` if it names another store.
fn local(url: &str) -> Option<PathBuf> {
    let url = Url::parse(url).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

/// Removes a folder, as far as it has nothing but empty folders.
fn remove_empty(folder: &FilePath) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_empty(&entry.path());
        }
    }
    // It fails if something is left, which then stays.
    let _is_removed = fs::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_is_removed_with_all_that_is_below_it_and_nothing_else() {
        let there = tempfile::tempdir().unwrap();
        let root = Url::from_directory_path(there.path()).unwrap().to_string();
        let objects = Objects::default();
        for name in [
            "crawls/fleet-1/segments/1.2",
            "crawls/fleet-1/store-3",
            "crawls/fleet-12/store-3",
        ] {
            objects.put(&format!("{root}{name}"), vec![1]).await.unwrap();
        }
        let folder = format!("{root}crawls/fleet-1");
        assert_eq!(objects.remove_folder(&folder).await.unwrap(), 2);
        assert_eq!(objects.remove_folder(&folder).await.unwrap(), 0);
        let left: Vec<_> = fs::read_dir(there.path().join("crawls"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["fleet-12"]);
    }

    #[tokio::test]
    async fn an_object_is_written_as_a_whole_read_and_removed() {
        let there = tempfile::tempdir().unwrap();
        let root = Url::from_directory_path(there.path()).unwrap().to_string();
        let (objects, url) = (Objects::default(), format!("{root}some%20prefix/folder/12.00ab"));
        assert_eq!(objects.get(&url, 10).await.unwrap(), None);
        objects.remove(&url).await.unwrap();
        for bytes in [vec![7; 3_000_000], vec![8; 10]] {
            objects.put(&url, bytes.clone()).await.unwrap();
            let size = bytes.len() as u64;
            assert_eq!(objects.get(&url, size + 1).await.unwrap(), Some(Vec::new()));
            assert_eq!(objects.get(&url, size).await.unwrap(), Some(bytes));
        }
        let file = there.path().join("some prefix/folder/12.00ab");
        assert_eq!(std::fs::read(&file).unwrap(), [8; 10]);
        let beside = std::fs::read_dir(file.parent().unwrap()).unwrap().count();
        assert_eq!(beside, 1, "no part of an object is left");
        objects.remove(&url).await.unwrap();
        assert!(!file.exists());
        let refused = objects.get("ftp://host/x/y", 1).await.unwrap_err();
        assert!(refused.to_string().contains("names no object store"), "{refused}");
        let in_the_way = tempfile::NamedTempFile::new().unwrap();
        let below_a_file = format!("{}/a/b", Url::from_file_path(in_the_way.path()).unwrap());
        let refused = objects.put(&below_a_file, vec![1]).await.unwrap_err().to_string();
        assert!(refused.starts_with(&format!("cannot put {below_a_file}")), "{refused}");
    }
}
