//! What an interrupted run needs to go on, in a folder beside the output.
//!
//! ```text
//! manifest.json   which run it is, how much of the input is decided, and how long the other files are then, with their hashes
//! kept            for each kept document: ⟨length⟩ ⟨id⟩ ⟨length⟩ ⟨signature⟩; a length has 4 bytes, the lowest first
//! ```
//!
//! The manifest is written last and replaced as a whole, so what it names is durable. What is in the other files beyond it is cut off: a run
//! that was killed decides on these documents again, and the same way. A file that does not begin as the manifest says is of another run, or
//! damaged, and the run begins anew. The run locks `kept`, so that no other one writes the same output.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dedup::Signature;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::tally::Counts;
use crate::cli::error::{Error, UsageError};
use error::RunError;
use files::FileState;
use storage::durable::{self, Readers};

const MANIFEST: &str = "manifest.json";
const NEW_MANIFEST: &str = "manifest.json.new";
const KEPT: &str = "kept";

/// Bytes that are hashed at a time.
const HASHED: usize = 1 << 20;

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

/// How much of the input is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct ReadInput {
    pub batches: u64,
    /// Of the batches.
    pub digest: u64,
}

/// The hash of what was written so far.
#[derive(Clone, Default)]
pub(super) struct Digest(Xxh3);

impl Digest {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn value(&self) -> u64 {
        self.0.digest()
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({:016x})", self.value())
    }
}

/// The beginning of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Prefix {
    pub bytes: u64,
    pub digest: u64,
}

impl Prefix {
    /// The hash of the beginning of a file, to go on with; `None` if the file does not begin so.
    fn of(self, path: &Path) -> io::Result<Option<Digest>> {
        // A link is of somebody else.
        if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() >= self.bytes) {
            return Ok(None);
        }
        let mut file = BufReader::with_capacity(HASHED, File::open(path)?).take(self.bytes);
        let mut hash = Digest::default();
        let mut buffer = vec![0; HASHED];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => hash.update(&buffer[..read]),
            }
        }
        Ok((hash.value() == self.digest).then_some(hash))
    }
}

/// How far the pipeline is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reached {
    pub input: ReadInput,
    /// The kept documents.
    pub kept: Prefix,
    pub counts: Counts,
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    run: Run,
    reached: Reached,
    /// The outputs, in their order.
    outputs: Vec<Option<Prefix>>,
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
    /// The outputs, with the hashes to go on with.
    pub outputs: Vec<Option<(Prefix, Digest)>>,
    kept: Digest,
}

/// What the pipeline goes on from.
#[derive(Debug)]
pub(super) struct Saved {
    /// What is decided.
    pub input: ReadInput,
    pub documents: SavedDocuments,
}

impl Resume {
    /// The folder of an output.
    fn folder(output: &Path) -> PathBuf {
        let mut folder = output.as_os_str().to_owned();
        folder.push(".resume");
        folder.into()
    }

    /// Its files, which are no input.
    pub(super) fn files(output: &Path) -> [PathBuf; 3] {
        [MANIFEST, NEW_MANIFEST, KEPT].map(|name| Self::folder(output).join(name))
    }

    /// Opens or creates the folder, locks it, and looks where the interrupted run was. The second value is `None` if there was none, or if its
    /// files are not as it left them. `partials` are the outputs until they are complete.
    pub(super) fn open(
        output: &Path,
        run: Run,
        partials: &[Option<PathBuf>],
    ) -> Result<(Self, File, Option<Before>), Error> {
        let folder = Self::folder(output);
        create_folder(&folder)?;
        let lock = open_kept(&folder.join(KEPT))?;
        let this = Self { folder, run };
        let path = this.folder.join(MANIFEST);
        let manifest = match fs::read(&path) {
            Ok(manifest) => manifest,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((this, lock, None)),
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
        if let Some(what) = this.run.difference(&manifest.run) {
            return Err(wrong(what).into());
        }
        let before = this.before(manifest, partials).map_err(failed("read", output))?;
        if before.is_none() {
            tracing::warn!("the outputs are not as the interrupted run left them, so this run begins anew");
        }
        Ok((this, lock, before))
    }

    fn before(&self, manifest: Manifest, partials: &[Option<PathBuf>]) -> io::Result<Option<Before>> {
        let Some(kept) = manifest.reached.kept.of(&self.folder.join(KEPT))? else {
            return Ok(None);
        };
        let mut outputs = Vec::new();
        for (place, path) in partials.iter().enumerate() {
            outputs.push(match (path, manifest.outputs.get(place).copied().flatten()) {
                (None, _) => None,
                (Some(_), None) => return Ok(None),
                (Some(path), Some(prefix)) => match prefix.of(path)? {
                    None => return Ok(None),
                    Some(hash) => Some((prefix, hash)),
                },
            });
        }
        Ok(Some(Before {
            reached: manifest.reached,
            outputs,
            kept,
        }))
    }

    /// The kept documents of the run before, or the file for those of this one. A run that begins anew forgets the one before first: no
    /// manifest may name files that it changes.
    pub(super) fn saved(&self, kept: File, before: Option<&Before>) -> Result<Saved, RunError> {
        if before.is_none() {
            let path = self.folder.join(MANIFEST);
            remove(&path)
                .and_then(|()| durable::sync_folder(&self.folder))
                .map_err(failed("remove", &path))?;
        }
        let reached = before.map(|before| &before.reached);
        Ok(Saved {
            input: reached.map_or_else(ReadInput::default, |reached| reached.input),
            documents: SavedDocuments::open(
                self.folder.join(KEPT),
                kept,
                reached.map_or(0, |reached| reached.kept.bytes),
                before.map_or_else(Digest::default, |before| before.kept.clone()),
            )?,
        })
    }

    /// Notes how far the run is. The outputs have these beginnings, and are durable.
    pub(super) fn note(&self, reached: Reached, outputs: Vec<Option<Prefix>>) -> Result<(), RunError> {
        let (path, new) = (self.folder.join(MANIFEST), self.folder.join(NEW_MANIFEST));
        let manifest = Manifest {
            run: self.run.clone(),
            reached,
            outputs,
        };
        let text = serde_json::to_vec(&manifest).map_err(|error| RunError::Render(error.to_string()))?;
        durable::replace(&path, &new, Readers::Usual, |file| file.write_all(&text)).map_err(failed("write", &path))
    }

    /// The output is complete. What is not of this command stays in the folder.
    pub(super) fn end(self) -> Result<(), RunError> {
        forget(&self.folder).map_err(failed("remove", &self.folder))
    }

    /// A run without `--resume` writes this output: what an interrupted one has noted of it does not hold any more.
    pub(super) fn forget(output: &Path) -> Result<(), RunError> {
        let folder = Self::folder(output);
        let is_folder = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
        if !is_folder || !folder.join(MANIFEST).exists() {
            return Ok(());
        }
        forget(&folder).map_err(failed("remove", &folder))
    }
}

/// The input is not as the interrupted run has read it.
pub(super) fn other_input() -> RunError {
    RunError::OtherInput(
        "the input reads otherwise than when the interrupted run read it, although its files look the same: see to them, or remove the folder \
         with the ending .resume to begin anew"
            .to_owned(),
    )
}

/// Removes the files of the folder, the manifest first, and the folder if it is empty then.
fn forget(folder: &Path) -> io::Result<()> {
    for name in [MANIFEST, NEW_MANIFEST, KEPT] {
        remove(&folder.join(name))?;
    }
    match fs::remove_dir(folder) {
        Err(error) if !matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::NotFound) => Err(error),
        _ => Ok(()),
    }
}

/// Removes a file that need not be there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates the folder, if it is not there. A link in its place is of somebody else.
fn create_folder(folder: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => {
            let text = format!(
                "{} is in the way: --resume needs a folder of this name",
                folder.display()
            );
            return Err(UsageError::Argument(text).into());
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed("look at", folder)(error).into()),
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(folder).map_err(failed("create", folder))?)
}

/// Opens the file of the kept documents and locks it.
fn open_kept(path: &Path) -> Result<File, Error> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(UsageError::Argument(format!("{} is in the way: it is no file", path.display())).into());
    }
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(failed("open", path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let text = format!("{} is in use: another run writes this output", path.display());
            Err(UsageError::Argument(text).into())
        }
        // A file system without locks.
        Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// The kept documents of an interrupted run, in order.
#[derive(Debug)]
pub(super) struct SavedDocuments {
    path: PathBuf,
    rows: io::Take<BufReader<File>>,
    hash: Digest,
}

impl SavedDocuments {
    fn open(path: PathBuf, mut file: File, bytes: u64, hash: Digest) -> Result<Self, RunError> {
        file.set_len(bytes)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .map_err(failed("open", &path))?;
        Ok(Self {
            path,
            rows: BufReader::new(file).take(bytes),
            hash,
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
        let Self { path, rows, hash } = self;
        let mut file = rows.into_inner().into_inner();
        let bytes = file.seek(SeekFrom::End(0)).map_err(failed("read", &path))?;
        Ok(Journal {
            path,
            file: BufWriter::new(file),
            bytes,
            hash,
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
    hash: Digest,
    kept: Instant,
}

impl Journal {
    pub(super) fn push(&mut self, id: &[u8], signature: &Signature) -> Result<(), RunError> {
        let row = signature.to_row().map_err(dedup::DedupError::from)?;
        for part in [id, &row] {
            // An id or a signature is shorter than a document, which has at most 1 GiB.
            let length = (part.len() as u32).to_le_bytes();
            for bytes in [&length[..], part] {
                self.file.write_all(bytes).map_err(failed("write", &self.path))?;
                self.hash.update(bytes);
                self.bytes += bytes.len() as u64;
            }
        }
        Ok(())
    }

    /// Makes all documents durable.
    pub(super) fn keep(&mut self) -> Result<Prefix, RunError> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_data())
            .map_err(failed("write", &self.path))?;
        self.kept = Instant::now();
        Ok(Prefix {
            bytes: self.bytes,
            digest: self.hash.value(),
        })
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
