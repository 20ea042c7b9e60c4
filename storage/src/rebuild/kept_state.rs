//! What a rebuild keeps of the old state, because the archive does not hold it.
//!
//! A redecision changes nothing but verdicts. So it works on a copy of the state, if that is whole: [`Rebuild::begin_with_state`]. A rebuild
//! makes the state from the archive, and takes the outcomes of URLs without a page, the queue, and how hosts were treated from the old
//! state, as far as that can be read.

use std::path::Path;

use super::files::{Heads, crawls_in, only_crawl};
use super::numbers::Numbers;
use super::old_rows::{Copy, Fault, Numbering};
use super::{DecidedSchemes, Kept, Lost, Rebuild, RebuildStep, scratch_store};
use crate::compact;
use crate::error::StorageError;
use crate::folder::{DataFolder, REBUILDING, STATE};
use crate::state::{State, await_release, is_state_tree};
use crate::store::{OpenOptions, Store};
use crate::verify;
use crate::warc::location::Archived;

impl Rebuild {
    /// Begins with a copy of the state of the data folder `dir`, for a [redecision](Self::redecide). `None` if there is no state that is
    /// whole and agrees with the archive; the reason is reported, and [`begin`](Self::begin) makes one from the archive.
    ///
    /// # Errors
    /// As [`begin`](Self::begin). The old state does not change.
    pub fn begin_with_state(
        dir: &Path,
        options: &OpenOptions,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<Option<Self>, StorageError> {
        if !dir.is_dir() {
            return Err(StorageError::NoStore { dir: dir.to_owned() });
        }
        let folder = DataFolder::hold(dir, false, &options.command)?;
        folder.check_replaceable()?;
        if !dir.join(STATE).is_dir() {
            return Ok(None);
        }
        match copied_store(&folder, options, say) {
            Ok(store) => Self::with_copy(folder, store, options, say).map(Some),
            Err(error) => {
                folder.remove_folder(REBUILDING)?;
                let why = why_not_whole(&error, dir).ok_or(error)?;
                say(RebuildStep::Problem(format!(
                    "the state of {} cannot be kept, because {why}: this command makes it from the archive",
                    dir.display()
                )));
                Ok(None)
            }
        }
    }

    fn with_copy(
        folder: DataFolder,
        mut store: Store,
        options: &OpenOptions,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<Self, StorageError> {
        let crawls = crawls_in(&folder.warc(), &mut |_told_by_others| ())?;
        let files = match only_crawl(crawls, &folder, || Some(store.started_at()), say) {
            // Every URL failed, for example.
            Err(StorageError::NothingArchived { .. }) => Vec::new(),
            files => files?,
        };
        let heads = Heads::of(&files);
        store.set_compressions(files.iter().map(|file| (file.number, file.compression)));
        let end = store.archive_end();
        let numbers = Numbers::new(store.archive().origins().clone(), true);
        let mut rebuild = Self::over(folder, store, numbers, options)?;
        rebuild.decided = DecidedSchemes::of(heads, rebuild.store.scheme());
        rebuild.kept = Kept::All;
        rebuild.end = end;
        rebuild.result.files = files.len() as u64;
        rebuild.store.replay_at(Archived::default(), end);
        Ok(rebuild)
    }

    /// Adds what the old state knows and the archive does not hold.
    pub(super) fn keep_from_old_state(&mut self, say: &mut dyn FnMut(RebuildStep)) -> Result<(), StorageError> {
        let dir = self.folder.dir().to_owned();
        if !dir.join(STATE).is_dir() {
            return Ok(());
        }
        let is_same_crawl = |old: &Store| old.started_at() / 1_000 == self.store.started_at() / 1_000;
        let kept = match old_store(&self.folder, &self.options) {
            Ok(old) if is_same_crawl(&old) => self.keep_from(&old).map(|()| Kept::Outcomes),
            Ok(_) => Ok(Kept::Nothing),
            Err(error) => Err(Fault::There(error)),
        };
        match kept {
            Ok(kept) => self.kept = kept,
            Err(Fault::Here(error)) => return Err(error),
            Err(Fault::There(error)) => {
                let reason = why_not_whole(&error, &dir).unwrap_or_else(|| error.to_string());
                say(RebuildStep::Problem(format!(
                    "the old state cannot be read to its end, because {reason}: the next run asks again for the redirects, failures, \
                     robots.txt and sitemaps that it held"
                )));
            }
        }
        await_release(&dir.join(STATE))
    }

    fn keep_from(&mut self, old: &Store) -> Result<(), Fault> {
        let mut lost = Vec::new();
        let mut copy = Copy {
            from: old,
            numbering: Numbering::Same,
            lost: &mut lost,
        };
        // The queue comes late: a link of it must not count as a lost page.
        let steps = [
            Copy::outcomes,
            Copy::hosts,
            Copy::losses,
            Copy::queue,
            Copy::visits,
            Copy::evidence,
            Copy::depths,
        ];
        let copied = steps.iter().try_for_each(|rows| rows(&mut copy, &mut self.store));
        let lost = lost.into_iter().map(|(link, via)| Lost {
            link,
            via,
            sequence: u64::MAX,
        });
        self.lost_without_record.extend(lost);
        copied
    }
}

/// A copy of the state under `state.rebuilding`, which agrees with the archive.
fn copied_store(
    folder: &DataFolder,
    options: &OpenOptions,
    say: &mut dyn FnMut(RebuildStep),
) -> Result<Store, StorageError> {
    let (dir, scratch) = (folder.dir(), folder.dir().join(REBUILDING));
    folder.remove_folder(REBUILDING)?;
    compact::copy(
        dir,
        &scratch,
        options.cache_bytes,
        // The index is made anew.
        &is_state_tree,
        &mut |rows| say(RebuildStep::Copied { rows }),
    )?;
    await_release(&dir.join(STATE))?;
    let options = OpenOptions {
        scheme: None,
        create: true,
        closes_files: false,
        ..options.clone()
    };
    let store = scratch_store(folder, &options)?;
    match verify::contradiction(&store)? {
        Some(detail) => Err(StorageError::Corrupt {
            dir: dir.to_owned(),
            detail,
        }),
        None => Ok(store),
    }
}

/// The state in the folder, as it is: it may contradict the archive.
fn old_store(folder: &DataFolder, options: &OpenOptions) -> Result<Store, StorageError> {
    let dir = folder.dir();
    let state = State::open(dir, options.cache_bytes)?;
    Store::of_state(DataFolder::of_another(dir), state)
}

/// Why a state is no copy to work on, if the error is about the state or the archive, and not about the disk.
fn why_not_whole(error: &StorageError, dir: &Path) -> Option<String> {
    Some(match error {
        StorageError::Corrupt { detail, .. } => detail.clone(),
        StorageError::OtherFormat { found, .. } => format!("it has store format {found}"),
        StorageError::RolledBack { expected, found, .. } => {
            format!("it ends at commit {found}, but the crawl made commit {expected}")
        }
        StorageError::ArchiveShort { path, .. } => format!("{} is too short", path.display()),
        StorageError::ArchiveMissing { path } => format!("{} is missing", path.display()),
        StorageError::StateMissing { .. } => "it is empty".to_owned(),
        StorageError::State { dir: of, source } if of == dir => source.to_string(),
        _ => return None,
    })
}
