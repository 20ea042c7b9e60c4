//! From arguments to files, in an order that depends only on names.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use archive::{ArchiveError, Named, RemoteFile};

use super::batch::Batcher;
use super::format::Format;
use super::packed::damage_of;
use super::place::{At, Fault, Place};

/// The name of standard input in messages.
const STDIN: &str = "stdin";

/// A file to read.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// Its place among all that was found. It tells files apart whose names differ only in bytes that are no text, since their `name` is equal.
    pub number: usize,
    /// Its path or URL as the argument gives it, or below a folder argument.
    pub name: Arc<str>,
    pub origin: Origin,
    /// Its size; `None` for a stream, whose data may arrive slowly.
    pub bytes: Option<u64>,
}

/// Where the bytes of a file come from.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    Stdin,
    File(PathBuf),
    /// An object store.
    Remote(RemoteFile),
}

impl Origin {
    /// The name of the file, if it has one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdin => None,
            Self::File(path) => Some(path),
            Self::Remote(file) => Some(Path::new(file.url())),
        }
    }

    /// Opens the file.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(fs::File::open(path)?),
            Self::Remote(file) => Box::new(file.reader(0)),
        })
    }
}

impl Source {
    pub(super) fn place(&self, at: At) -> Place {
        Place {
            source: Arc::clone(&self.name),
            at,
        }
    }

    /// The fault for an error of this input.
    pub(super) fn failed(&self, error: &io::Error) -> Fault {
        match damage_of(error) {
            Some(damage) => Fault::new(self.place(At::Byte(damage.at)), damage.to_string()),
            None => Fault::new(self.place(At::Whole), format!("cannot read it: {error}")),
        }
    }

    /// What follows each read: the fault, if it `failed`, and the records of a stream at once, because the writer of a pipe may wait for the
    /// verdicts on what it has sent.
    pub(super) fn end_round(&self, failed: Option<&io::Error>, batcher: &mut Batcher<'_>) -> ControlFlow<()> {
        if let Some(error) = failed {
            batcher.fault(self.failed(error))?;
        }
        if self.bytes.is_none() {
            batcher.flush()?;
        }
        ControlFlow::Continue(())
    }
}

/// A file, or a part of a folder that cannot be read.
#[derive(Debug)]
pub(super) enum Found {
    Source(Source),
    Fault(Fault),
}

/// An unusable argument.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The input does not exist or cannot be read.
    #[error("cannot read the input {}: {source}", path.display())]
    Unreadable {
        /// The argument.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The object store does not give the input.
    #[error(transparent)]
    Remote(#[from] ArchiveError),
    /// The input is a URL with another scheme.
    #[error(
        "{0}: an input is a file, a folder, or in an object store: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER"
    )]
    Scheme(String),
    /// The input would be overwritten.
    #[error("{} is both an input and an output; the output would replace the input", .0.display())]
    IsOutput(PathBuf),
    /// Standard input cannot be read again.
    #[error("standard input (-) can be an input only once")]
    StdinTwice,
}

/// Collects the files of the arguments.
#[derive(Debug)]
pub(super) struct Walk {
    /// The format of all files; with one, files without a known ending are read too.
    format: Option<Format>,
    outputs: HashSet<PathBuf>,
    pub found: Vec<Found>,
    /// Files not read because their names have no known ending.
    pub left_out: u64,
}

impl Walk {
    pub fn new(format: Option<Format>, outputs: &[PathBuf]) -> Self {
        Self {
            format,
            outputs: outputs.iter().map(|path| absolute(path)).collect(),
            found: Vec::new(),
            left_out: 0,
        }
    }

    pub(super) fn add(&mut self, argument: &Path) -> Result<(), InputError> {
        if argument == Path::new("-") {
            return self.add_stdin();
        }
        if let Some((scheme, rest)) = argument.to_str().and_then(|url| url.split_once("://")) {
            return self.add_url(argument, scheme, rest);
        }
        let metadata = fs::metadata(argument).map_err(|source| InputError::Unreadable {
            path: argument.to_owned(),
            source,
        })?;
        if metadata.is_dir() {
            self.add_folder(argument);
        } else if self.outputs.contains(&absolute(argument)) {
            return Err(InputError::IsOutput(argument.to_owned()));
        } else {
            self.add_file(argument, &metadata);
        }
        Ok(())
    }

    fn add_stdin(&mut self) -> Result<(), InputError> {
        let is_stdin = |found: &Found| {
            matches!(
                found,
                Found::Source(Source {
                    origin: Origin::Stdin,
                    ..
                })
            )
        };
        if self.found.iter().any(is_stdin) {
            return Err(InputError::StdinTwice);
        }
        self.push(STDIN.into(), Origin::Stdin, None);
        Ok(())
    }

    /// Adds what a URL names, in an object store or on the machine.
    fn add_url(&mut self, argument: &Path, scheme: &str, rest: &str) -> Result<(), InputError> {
        let url = argument.to_string_lossy();
        if scheme == "file" {
            return self.add(Path::new(rest.strip_prefix("localhost").unwrap_or(rest)));
        }
        if !archive::is_store(&url) {
            return Err(InputError::Scheme(url.into_owned()));
        }
        match RemoteFile::find(&url)? {
            Named::One(file) => self.add_remote(file),
            // As in a folder: the names say which files are read.
            Named::Some(files) => {
                for file in files {
                    if self.reads(Path::new(file.url())) {
                        self.add_remote(file);
                    }
                }
            }
        }
        Ok(())
    }

    fn add_remote(&mut self, file: RemoteFile) {
        let (name, bytes) = (file.url().into(), Some(file.bytes()));
        self.push(name, Origin::Remote(file), bytes);
    }

    fn push(&mut self, name: Arc<str>, origin: Origin, bytes: Option<u64>) {
        self.found.push(Found::Source(Source {
            number: self.found.len(),
            name,
            origin,
            bytes,
        }));
    }

    fn add_file(&mut self, path: &Path, metadata: &fs::Metadata) {
        let bytes = metadata.is_file().then_some(metadata.len());
        self.push(name(path), Origin::File(path.to_owned()), bytes);
    }

    /// Depth first, each folder's entries in the byte order of their names. A stack replaces recursion, so that no depth overflows.
    fn add_folder(&mut self, folder: &Path) {
        let mut waiting = vec![folder.to_owned()];
        while let Some(path) = waiting.pop() {
            let step = if path == folder {
                entries(&path).map(|entries| waiting.extend(entries))
            } else {
                self.step(&path, &mut waiting)
            };
            if let Err(error) = step {
                let place = Place {
                    source: name(&path),
                    at: At::Whole,
                };
                self.found
                    .push(Found::Fault(Fault::new(place, format!("cannot read it: {error}"))));
            }
        }
    }

    fn step(&mut self, path: &Path, waiting: &mut Vec<PathBuf>) -> io::Result<()> {
        let kind = fs::symlink_metadata(path)?.file_type();
        if kind.is_dir() {
            waiting.extend(entries(path)?);
            return Ok(());
        }
        let metadata = fs::metadata(path)?;
        // Links to folders may form a cycle. Pipes, sockets and devices are not documents.
        if !metadata.is_file() {
            return Ok(());
        }
        if self.reads(path) && !self.outputs.contains(&absolute(path)) {
            self.add_file(path, &metadata);
        }
        Ok(())
    }

    /// Whether a file of a folder is read, by its name. Counts files with unknown endings.
    fn reads(&mut self, path: &Path) -> bool {
        if matches!(self.format, None | Some(Format::Warc)) && is_index(path) {
            return false;
        }
        let is_known = self.format.is_some() || Format::of_name(path).is_some();
        self.left_out += u64::from(!is_known);
        is_known
    }
}

/// Whether a file is an index of the WARC files beside it, which holds no document: CDX and CDXJ, and the two files of a ZipNum index.
fn is_index(path: &Path) -> bool {
    const ENDINGS: [&str; 6] = [".cdxj", ".cdx", ".cdxj.gz", ".cdx.gz", ".idx", ".loc"];
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

/// The entries of a folder without hidden ones, in descending order of names.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if !is_hidden(&name) {
            names.push(name);
        }
    }
    names.sort_unstable_by(|a, b| b.cmp(a));
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

fn name(path: &Path) -> Arc<str> {
    let shown = path.strip_prefix(".").unwrap_or(path);
    shown.to_string_lossy().into()
}

/// A path that is equal for all names of the same file, whether or not the file exists.
fn absolute(path: &Path) -> PathBuf {
    if let Ok(known) = fs::canonicalize(path) {
        return known;
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(walk: &Walk, root: &Path) -> Vec<String> {
        let root = format!("{}/", root.display());
        walk.found
            .iter()
            .map(|found| match found {
                Found::Source(source) => source.name.replace(&root, ""),
                Found::Fault(fault) => format!("! {}", fault.place).replace(&root, ""),
            })
            .collect()
    }

    #[test]
    fn a_folder_is_read_in_the_order_of_names_without_unknown_formats() {
        let root = tempfile::tempdir().unwrap();
        for file in [
            "b.txt",
            "a/z.html",
            "a/b/c.jsonl.gz",
            "a.txt",
            "picture.png",
            ".git/x.txt",
            "a/.hidden.txt",
        ] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let mut walk = Walk::new(None, &[]);
        walk.add(root.path()).unwrap();
        assert_eq!(
            found(&walk, root.path()),
            ["a/b/c.jsonl.gz", "a/z.html", "a.txt", "b.txt"]
        );
        assert_eq!(walk.left_out, 1);

        let mut walk = Walk::new(
            Some(Format::Text),
            &[root.path().join("a/../b.txt"), root.path().join("new.txt")],
        );
        walk.add(root.path()).unwrap();
        assert_eq!(
            found(&walk, root.path()),
            ["a/b/c.jsonl.gz", "a/z.html", "a.txt", "picture.png"]
        );
    }

    #[test]
    fn the_index_of_a_folder_of_warc_files_is_no_input() {
        let root = tempfile::tempdir().unwrap();
        for file in ["a.warc.gz", "index.cdxj", "b.CDX.gz", "cluster.idx", "notes.bin"] {
            fs::write(root.path().join(file), "x").unwrap();
        }
        for (format, read, left_out) in [
            (None, &["a.warc.gz"][..], 1),
            (Some(Format::Warc), &["a.warc.gz", "notes.bin"], 0),
            (
                Some(Format::Text),
                &["a.warc.gz", "b.CDX.gz", "cluster.idx", "index.cdxj", "notes.bin"],
                0,
            ),
        ] {
            let mut walk = Walk::new(format, &[]);
            walk.add(root.path()).unwrap();
            let mut found = found(&walk, root.path());
            found.sort();
            assert_eq!(
                (&found[..], walk.left_out),
                (
                    &read.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()[..],
                    left_out
                )
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_are_followed_and_links_to_folders_are_not() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a.txt"), "x").unwrap();
        std::os::unix::fs::symlink("a.txt", root.path().join("b.txt")).unwrap();
        std::os::unix::fs::symlink(".", root.path().join("circle")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.path().join("dangling.txt")).unwrap();
        let mut walk = Walk::new(None, &[]);
        walk.add(root.path()).unwrap();
        assert_eq!(found(&walk, root.path()), ["a.txt", "b.txt", "! dangling.txt"]);
    }

    #[test]
    fn unusable_arguments_are_named() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("a.txt");
        fs::write(&file, "x").unwrap();
        let mut walk = Walk::new(None, std::slice::from_ref(&file));
        assert!(matches!(walk.add(&file), Err(InputError::IsOutput(_))));
        assert!(matches!(
            walk.add(&root.path().join("b")),
            Err(InputError::Unreadable { .. })
        ));
        walk.add(Path::new("-")).unwrap();
        assert!(matches!(walk.add(Path::new("-")), Err(InputError::StdinTwice)));
    }
}
