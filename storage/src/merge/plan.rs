//! The plan of a merge: the WARC files of all folders, the folder that each comes from, and its number in the merged folder.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::MergeSource;
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::origins::Origin;
use crate::rebuild::{RebuildStep, WarcFile, archived_crawls, has_numbers, read_head};
use crate::warc::Compression;
use crate::warc::metadata::DecidedBy;
use crate::worker::Worker;

/// What tells the crawls of two folders apart: the start, and the worker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Crawl {
    worker: Worker,
    started_at: u64,
}

/// A file to bring.
pub(super) struct Planned {
    pub path: PathBuf,
    pub compression: Compression,
    pub bytes: u64,
    /// The last of its crawl: a later run may continue it.
    pub is_last: bool,
}

/// A folder's crawl, with its files by number.
struct Found {
    dir: PathBuf,
    name: String,
    files: BTreeMap<u32, Planned>,
    decided_by: Option<DecidedBy>,
}

pub(super) struct Plan {
    /// Start of the merged crawl: that of the first. To the second, as in the names of the files.
    pub started_at: u64,
    crawls: Vec<(Crawl, Found)>,
    /// The folders with a state, and the places of their origins.
    pub states: Vec<(PathBuf, Option<usize>)>,
}

/// Locks the sources, as far as they can be locked without writing.
pub(super) fn hold(dir: &Path, sources: &[MergeSource]) -> Result<Vec<DataFolder>, StorageError> {
    let target = dir.canonicalize().ok();
    let mut held: Vec<(PathBuf, DataFolder)> = Vec::new();
    for MergeSource { dir: source, .. } in sources {
        if !source.is_dir() {
            return Err(StorageError::NoStore { dir: source.clone() });
        }
        let path = source
            .canonicalize()
            .map_err(|error| StorageError::io("read", source, error))?;
        if Some(&path) == target.as_ref() {
            return Err(not_mergeable(source, "it is the folder for the result"));
        }
        if held.iter().all(|(known, _)| *known != path) {
            held.push((path, DataFolder::hold_to_read(source)?));
        }
    }
    Ok(held.into_iter().map(|(_, folder)| folder).collect())
}

fn not_mergeable(dir: &Path, why: impl Into<String>) -> StorageError {
    StorageError::NotMergeable {
        dir: dir.to_owned(),
        why: why.into(),
    }
}

impl Plan {
    pub fn of(
        dir: &Path,
        sources: &[MergeSource],
        will_redecide: bool,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<Self, StorageError> {
        let mut crawls: BTreeMap<Crawl, Found> = BTreeMap::new();
        let mut states: Vec<(PathBuf, Option<Crawl>)> = Vec::new();
        for source in sources {
            let read = read_source(source, say)?;
            if DataFolder::current_state(&source.dir).is_some() {
                states.push((source.dir.clone(), read.as_ref().map(|(crawl, _)| crawl.clone())));
            }
            if let Some((crawl, found)) = read {
                add(&mut crawls, crawl, found, say);
            }
        }
        let mut crawls: Vec<(Crawl, Found)> = crawls.into_iter().collect();
        check(&crawls, will_redecide)?;
        let started_at = crawls.iter().map(|(crawl, _)| crawl.started_at).min();
        let started_at = started_at.ok_or_else(|| StorageError::NothingArchived { dir: dir.to_owned() })?;
        for (_, found) in &mut crawls {
            note_gaps(found, say);
            if let Some(mut last) = found.files.last_entry() {
                last.get_mut().is_last = true;
            }
        }
        // A folder that is named twice has one state.
        states.sort();
        states.dedup();
        let place = |crawl: &Option<Crawl>| crawls.iter().position(|(known, _)| Some(known) == crawl.as_ref());
        let states = states.iter().map(|(dir, crawl)| (dir.clone(), place(crawl))).collect();
        Ok(Self {
            started_at,
            crawls,
            states,
        })
    }

    /// The origins of the merged folder, in the order of their files.
    pub fn origins(&self) -> Vec<Origin> {
        let mut first_file = 0;
        let origins = self.crawls.iter().map(|(crawl, found)| {
            let files = u32::try_from(found.files.len()).unwrap_or(u32::MAX);
            let origin = Origin {
                first_file,
                files,
                started_at: crawl.started_at,
                worker: crawl.worker.clone(),
            };
            first_file += files;
            origin
        });
        origins.collect()
    }

    /// The files in the order of their numbers in the merged folder.
    pub fn files(&self) -> impl Iterator<Item = (u32, &Planned)> {
        (0..).zip(self.crawls.iter().flat_map(|(_, found)| found.files.values()))
    }

    /// The plan in words, so that the same command can continue it.
    pub fn text(&self) -> String {
        let mut text = format!(
            "crawler merge has not finished here: run the same command again\nstarted: {}\n",
            self.started_at
        );
        for (number, file) in self.files() {
            // Writing to a string cannot fail.
            let _infallible = writeln!(text, "{number} {} {}", file.bytes, file.path.display());
        }
        text
    }
}

/// Reads the names and heads of the files of a folder; `None` if it has none.
fn read_source(source: &MergeSource, say: &mut dyn FnMut(RebuildStep)) -> Result<Option<(Crawl, Found)>, StorageError> {
    let warc = match source.dir.join("warc") {
        warc if warc.is_dir() => warc,
        _ => source.dir.clone(),
    };
    let mut all = archived_crawls(&warc, say)?;
    let Some((name_started_at, files)) = all.pop_first() else {
        if DataFolder::current_state(&source.dir).is_none() && !source.dir.join("warc").is_dir() {
            return Err(StorageError::NoStore {
                dir: source.dir.clone(),
            });
        }
        say(RebuildStep::Problem(format!(
            "{} has no WARC file, so it adds no page",
            source.name
        )));
        return Ok(None);
    };
    if !all.is_empty() {
        return Err(not_mergeable(
            &source.dir,
            "it has WARC files of several crawls: leave only the files of one crawl there",
        ));
    }
    let mut crawl = Crawl {
        worker: Worker::default(),
        started_at: name_started_at,
    };
    let mut decided_by = None;
    let mut planned = BTreeMap::new();
    for file in files {
        if has_numbers(&file) {
            return Err(not_mergeable(
                &source.dir,
                "it is the result of a merge: merge the folders that it was made from",
            ));
        }
        if let Some(head) = read_head(&file) {
            crawl.started_at = head.started_at.unwrap_or(crawl.started_at);
            if head.worker.is_one_of_several() {
                crawl.worker = head.worker;
            }
            decided_by = decided_by.or(head.decided_by);
        }
        let WarcFile {
            path,
            number,
            compression,
            bytes,
            ..
        } = file;
        let file = Planned {
            path,
            compression,
            bytes,
            is_last: false,
        };
        planned.insert(number, file);
    }
    let found = Found {
        dir: source.dir.clone(),
        name: source.name.clone(),
        files: planned,
        decided_by,
    };
    Ok(Some((crawl, found)))
}

/// Adds the files of a folder. If two folders have the same crawl, such as a folder and its files in an object store, the longer one
/// of two equal files counts: files only grow.
fn add(crawls: &mut BTreeMap<Crawl, Found>, crawl: Crawl, found: Found, say: &mut dyn FnMut(RebuildStep)) {
    match crawls.entry(crawl) {
        Entry::Vacant(entry) => {
            entry.insert(found);
        }
        Entry::Occupied(mut entry) => {
            let known = entry.get_mut();
            say(RebuildStep::Problem(format!(
                "{} and {} have files of the same crawl; each file is taken once",
                known.name, found.name
            )));
            for (number, file) in found.files {
                let is_longer = known.files.get(&number).is_none_or(|known| known.bytes < file.bytes);
                if is_longer {
                    known.files.insert(number, file);
                }
            }
        }
    }
}

/// Checks that the verdicts of all folders agree with each other.
fn check(crawls: &[(Crawl, Found)], will_redecide: bool) -> Result<(), StorageError> {
    for (at, (crawl, found)) in crawls.iter().enumerate() {
        let twin = crawls[..at]
            .iter()
            .find(|(other, _)| crawl.worker.is_one_of_several() && other.worker == crawl.worker);
        if let Some((_, other)) = twin {
            let why = format!(
                "both it and {} are the folder of worker {} of the crawl {:?}, and began at different times: leave one out",
                other.name, crawl.worker.number, crawl.worker.crawl
            );
            return Err(not_mergeable(&found.dir, why));
        }
    }
    let Some((first, of_first)) = crawls.first().filter(|_| !will_redecide) else {
        return Ok(());
    };
    for (crawl, found) in &crawls[1..] {
        if let (Some(by), Some(first)) = (&found.decided_by, &of_first.decided_by)
            && by != first
        {
            let why = format!(
                "its pages were decided by {:?}, those of {} by {:?}: with the option --redecide all pages get new verdicts, by the \
                 configuration in force",
                by.scheme, of_first.name, first.scheme
            );
            return Err(not_mergeable(&found.dir, why));
        }
        if !crawl.worker.shares_its_crawl_with(&first.worker) {
            let why = format!(
                "it and {} are not of workers of one crawl, so neither crawl compared its pages with those of the other: with the option \
                 --redecide all pages get new verdicts, by the configuration in force",
                of_first.name
            );
            return Err(not_mergeable(&found.dir, why));
        }
    }
    Ok(())
}

/// Reports the files that are missing between the others.
fn note_gaps(found: &Found, say: &mut dyn FnMut(RebuildStep)) {
    let mut expected = 0;
    for number in found.files.keys() {
        for missing in expected..*number {
            say(RebuildStep::Problem(format!(
                "file {missing:05} of {} is missing: its pages will be fetched again",
                found.name
            )));
        }
        expected = number + 1;
    }
}
