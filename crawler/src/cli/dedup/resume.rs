//! What an interrupted run needs to go on, in a folder beside the output.
//!
//! ```text
//! manifest.json   which run it is, how many batches of the input are decided, and how long the other files are then
//! kept            for each kept document: ⟨length⟩ ⟨id⟩ ⟨length⟩ ⟨signature⟩; a length has 4 bytes, the lowest first
//! ```
//!
//! The manifest is written last and replaced as a whole, so what it names is durable. What is in the other files beyond it is cut off: a run
//! that was killed decides on these documents again, and the same way.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dedup::Signature;
use serde::{Deserialize, Serialize};

use super::tally::Counts;
use crate::cli::error::{Error, UsageError};
use error::RunError;
use files::FileState;

const MANIFEST: &str = "manifest.json";
const KEPT: &str = "kept";

/// What decides on the output. A run goes on only where an equal one was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    pub program: String,
    pub inputs: Vec<FileState>,
    pub outputs: Vec<Option<PathBuf>>,
    pub rule: String,
    pub reading: String,
}

impl Run {
    /// What another run has otherwise.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let differences = [
            (self.program != other.program, "by another version of the program"),
            (
                self.inputs != other.inputs,
                "on other input, or on files that have changed since",
            ),
            (self.outputs != other.outputs, "with other outputs"),
            (self.rule != other.rule, "by another rule, or with other features"),
            (self.reading != other.reading, "with other fields or flags"),
        ];
        let differs = differences.into_iter().find(|(differs, _)| *differs);
        differs.map(|(_, what)| what)
    }
}

/// How far the pipeline is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reached {
    /// Batches of the input that are decided.
    pub batches: u64,
    /// Bytes of the kept documents.
    pub kept_bytes: u64,
    pub counts: Counts,
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    run: Run,
    reached: Reached,
    /// Bytes of the outputs, in their order.
    lengths: Vec<Option<u64>>,
}

/// The folder, as the writer of the outputs uses it.
#[derive(Debug)]
pub(super) struct Resume {
    folder: PathBuf,
    run: Run,
}

/// Where an interrupted run was.
#[derive(Debug)]
pub(super) struct Before {
    pub reached: Reached,
    pub lengths: Vec<Option<u64>>,
}

/// What the pipeline goes on from.
#[derive(Debug)]
pub(super) struct Saved {
    /// Batches that are decided.
    pub batches: u64,
    pub documents: SavedDocuments,
}

impl Resume {
    /// The folder of an output.
    pub(super) fn folder(output: &Path) -> PathBuf {
        let mut folder = output.as_os_str().to_owned();
        folder.push(".resume");
        folder.into()
    }

    /// Its files, which are no input.
    pub(super) fn files(output: &Path) -> [PathBuf; 2] {
        [MANIFEST, KEPT].map(|name| Self::folder(output).join(name))
    }

    /// Where the interrupted run was; `None` if there was none.
    pub(super) fn open(output: &Path, run: Run) -> Result<(Self, Option<Before>), Error> {
        let folder = Self::folder(output);
        let path = folder.join(MANIFEST);
        let this = Self { folder, run };
        let manifest = match fs::read(&path) {
            Ok(manifest) => manifest,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((this, None)),
            Err(source) => return Err(failed("read", &path)(source).into()),
        };
        let wrong = |what: &str| {
            UsageError::Argument(format!(
                "{} is of a run {what}: go on with the command that began it, or remove the folder to begin anew",
                this.folder.display()
            ))
        };
        let manifest: Manifest =
            serde_json::from_slice(&manifest).map_err(|_| wrong("that this program cannot read"))?;
        match this.run.difference(&manifest.run) {
            Some(what) => Err(wrong(what).into()),
            None => Ok((
                this,
                Some(Before {
                    reached: manifest.reached,
                    lengths: manifest.lengths,
                }),
            )),
        }
    }

    /// The kept documents of the run before, or the file for those of this one.
    pub(super) fn saved(&self, reached: Option<&Reached>) -> Result<Saved, RunError> {
        fs::create_dir_all(&self.folder).map_err(failed("create", &self.folder))?;
        Ok(Saved {
            batches: reached.map_or(0, |reached| reached.batches),
            documents: SavedDocuments::open(self.folder.join(KEPT), reached.map_or(0, |reached| reached.kept_bytes))?,
        })
    }

    /// Notes how far the run is. The outputs have these lengths, and are durable.
    pub(super) fn note(&self, reached: Reached, lengths: Vec<Option<u64>>) -> Result<(), RunError> {
        let (path, new) = (self.folder.join(MANIFEST), self.folder.join("manifest.json.new"));
        let manifest = Manifest {
            run: self.run.clone(),
            reached,
            lengths,
        };
        let text = serde_json::to_vec(&manifest).map_err(|error| RunError::Render(error.to_string()))?;
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&new, &path)
        });
        written.map_err(failed("write", &path))
    }

    /// The output is complete.
    pub(super) fn end(self) -> Result<(), RunError> {
        fs::remove_dir_all(&self.folder).map_err(failed("remove", &self.folder))
    }
}

/// The kept documents of an interrupted run, in order.
#[derive(Debug)]
pub(super) struct SavedDocuments {
    path: PathBuf,
    rows: io::Take<BufReader<File>>,
}

impl SavedDocuments {
    fn open(path: PathBuf, bytes: u64) -> Result<Self, RunError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .and_then(|file| file.set_len(bytes.min(file.metadata()?.len())).map(|()| file))
            .map_err(failed("open", &path))?;
        Ok(Self {
            path,
            rows: BufReader::new(file).take(bytes),
        })
    }

    /// The next one: its id as JSON, and its signature.
    pub(super) fn next(&mut self) -> Result<Option<(Vec<u8>, Signature)>, RunError> {
        if self.rows.limit() == 0 {
            return Ok(None);
        }
        let (id, row) = self
            .row()
            .and_then(|id| Ok((id, self.row()?)))
            .map_err(failed("read", &self.path))?;
        let signature = Signature::from_row_with_bands(&row).map_err(dedup::DedupError::from)?;
        Ok(Some((id, signature)))
    }

    fn row(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        self.rows.read_exact(&mut length)?;
        let length = u64::from(u32::from_le_bytes(length));
        let mut row = Vec::new();
        (&mut self.rows).take(length).read_to_end(&mut row)?;
        if row.len() as u64 == length {
            Ok(row)
        } else {
            Err(ErrorKind::UnexpectedEof.into())
        }
    }

    /// Where the next ones go.
    pub(super) fn into_journal(self) -> Result<Journal, RunError> {
        let Self { path, rows } = self;
        let mut file = rows.into_inner().into_inner();
        let bytes = file.seek(SeekFrom::End(0)).map_err(failed("read", &path))?;
        Ok(Journal {
            path,
            file: BufWriter::new(file),
            bytes,
            kept: Instant::now(),
        })
    }
}

/// The kept documents, as they are appended.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
    kept: Instant,
}

impl Journal {
    pub(super) fn push(&mut self, id: &[u8], signature: &Signature) -> Result<(), RunError> {
        let row = signature.to_row().map_err(dedup::DedupError::from)?;
        for part in [id, &row] {
            // An id or a signature is shorter than a document, which has at most 1 GiB.
            let length = (part.len() as u32).to_le_bytes();
            self.file
                .write_all(&length)
                .and_then(|()| self.file.write_all(part))
                .map_err(failed("write", &self.path))?;
            self.bytes += (length.len() + part.len()) as u64;
        }
        Ok(())
    }

    /// Makes all documents durable: their bytes.
    pub(super) fn keep(&mut self) -> Result<u64, RunError> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_data())
            .map_err(failed("write", &self.path))?;
        self.kept = Instant::now();
        Ok(self.bytes)
    }

    /// The time since.
    pub(super) fn since_kept(&self) -> Duration {
        self.kept.elapsed()
    }
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> RunError + use<> {
    let path = path.display().to_string();
    move |source| RunError::io(action, path, source)
}
