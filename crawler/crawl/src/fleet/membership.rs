//! What the data folder remembers of its fleet, in the file `fleet.json`: the worker is the same one when it comes back.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use fleet::{Epoch, Partition, Remembered, WorkerNumber};
use serde::{Deserialize, Serialize};
use storage::durable::{self, Readers};

use error::RunError;

const FILE: &str = "fleet.json";

/// What the data folder remembers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Membership {
    /// Random identity of the folder. A copy of a folder is no second worker.
    pub folder: u64,
    /// The crawl, from its servers; `None` before the first join.
    pub crawl: Option<u64>,
    /// The partitions that the worker had last. It asks for them first.
    pub partitions: Vec<Partition>,
    /// The partitions whose URLs in this folder were compared with the servers, with the first epoch since which nobody else had them.
    #[serde(default)]
    pub opened: Vec<(Partition, Epoch)>,
    /// The number of the worker.
    #[serde(default)]
    pub worker: Option<u16>,
    /// The life of the crawl of which the servers have all that this folder knows.
    #[serde(default)]
    pub life: u64,
    /// The highest number of a worker, and the workers that were forgotten.
    #[serde(default)]
    pub last: u16,
    #[serde(default)]
    pub forgotten: Vec<u16>,
    /// How the pages of this folder are decided; see [`keeps_to`](Self::keeps_to).
    #[serde(default)]
    pub terms: Vec<(String, String)>,
}

impl Membership {
    /// Reads the file of a data folder, or begins one.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(dir: &Path) -> Result<Self, RunError> {
        let path = path(dir);
        match fs::read(&path) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|error| RunError::io("read", path.display(), error.into()))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self {
                // Zero is kept for folders without a fleet.
                folder: fastrand::u64(1..),
                ..Self::default()
            }),
            Err(error) => Err(RunError::io("read", path.display(), error)),
        }
    }

    /// Compares how the pages of the folder were decided with how this run would decide them. The crawl keeps these terms for good: another
    /// worker may be about to bring it back by what this folder says, and claims of one kind do not count for the other.
    ///
    /// # Errors
    /// They differ.
    pub fn keeps_to(&mut self, terms: Vec<(String, String)>) -> Result<(), RunError> {
        if self.crawl.is_none() || self.terms.is_empty() {
            self.terms = terms;
            return Ok(());
        }
        let differing = self.terms.iter().zip(&terms).find(|(ours, wanted)| ours != wanted);
        match differing {
            None => Ok(()),
            Some(((name, ours), (_, wanted))) => Err(RunError::Fleet(format!(
                "the pages of this data folder were decided by another {name} ({ours}; this run has {wanted}). A crawl by several workers keeps this value to its end: start the worker with the old configuration, or merge the folders (crawler merge) and go on with one process"
            ))),
        }
    }

    /// What a worker says of its crawl when it joins.
    #[must_use]
    pub fn remembered(&self) -> Remembered {
        Remembered {
            worker: self.worker.map(WorkerNumber),
            life: self.life,
            last: self.last,
            forgotten: self.forgotten.clone(),
        }
    }

    /// Writes the file. A crash leaves the old one or the new one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), RunError> {
        let path = path(dir);
        let failed = |error: std::io::Error| RunError::io("write", path.display(), error);
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        let new = path.with_extension("json.new");
        durable::replace(&path, &new, Readers::Usual, |file| file.write_all(&text)).map_err(failed)
    }
}

fn path(dir: &Path) -> PathBuf {
    dir.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_knows_itself_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut membership = Membership::read(dir.path()).unwrap();
        membership.partitions = vec![Partition(4), Partition(1_023)];
        membership.opened = vec![(Partition(4), Epoch(1 << 50))];
        let terms = |value: &str| vec![("fleet.verdicts".to_owned(), value.to_owned())];
        membership.keeps_to(terms("fleet")).unwrap();
        membership.crawl = Some(u64::MAX);
        membership.write(dir.path()).unwrap();
        let mut again = Membership::read(dir.path()).unwrap();
        assert_eq!(again, membership);
        again.keeps_to(terms("fleet")).unwrap();
        let error = again.keeps_to(terms("worker")).unwrap_err().to_string();
        assert!(
            error.contains("another fleet.verdicts (fleet; this run has worker)"),
            "{error}"
        );
        again.crawl = None;
        again.keeps_to(terms("worker")).unwrap();
    }
}
