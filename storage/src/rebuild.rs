//! Rebuilds the catalogue from the WARC files alone.
//!
//! ```text
//! warc/*.warc.* ── 1 ─▶ pages, by their metadata records ── 2 ─▶ pages without one ── 3 ─▶ lost pages, outlinks ── 4 ─▶ in place
//!                        in order: Rebuild::begin            the caller: fetch_again   finish
//! ```
//!
//! All work happens in the folder `state.rebuilding`. The old state stays untouched until the new one is complete and durable, and is
//! then kept as `state.before-rebuild`. A rebuild that is cut off anywhere can start again.
//!
//! A rebuild restores every page with its number, verdict, signature, versions and visits, and queues the URLs that were found on
//! pages and have no page. The archive does not have how hosts were treated, robots.txt, the counts of refreshes, and the outcomes of URLs
//! without a page. The rebuild takes them from the old state, if that can be read. Otherwise the crawl repeats redirects and failures, and
//! finds the URLs of sitemaps again.
//!
//! A rebuild gives up a kept page whose body or text cannot be read: it queues the page's URL and those of its duplicates, because
//! their texts are lost with the page's. It also gives up a page whose metadata record cannot be read, because the page's outlinks and
//! verdict are lost. If the URL of a lost page has an older version, that version stays, and is queued for a visit.
//!
//! Between 2 and 3 the caller may [redecide](Rebuild::redecide) all pages by another scheme or rule. A redecision begins with a copy of the
//! old state, if that is whole, and not with the archive.

mod decided_schemes;
mod events;
mod files;
mod kept_state;
mod lost;
mod numbering;
mod numbers;
mod old_rows;
mod places;
mod redecide;
mod replay;
mod seconds;
mod source;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

pub use self::decided_schemes::DecidedSchemes;
pub(crate) use self::files::WarcFile;
use self::files::{Heads, crawls_in, gaps_of, only_crawl};
pub(crate) use self::files::{crawls_in as archived_crawls, read_head};
use self::numbering::Numberings;
use self::numbers::Numbers;
pub(crate) use self::old_rows::Merged;
use self::places::Places;
pub use self::redecide::{ChangedVerdicts, Redecision};
use crate::archive::Archive;
use crate::cdxj::write_index;
use crate::error::StorageError;
use crate::folder::{DataFolder, REBUILDING, REBUILT, STATE};
use crate::frontier::{Discovered, Via};
use crate::origins::Origin;
use crate::page::Verdict;
use crate::state::{Meta, State, await_release, make_durable};
use crate::store::{OpenOptions, Store};
use crate::warc::location::{Archived, WarcEnd};
use crate::warc::medium::{Folder, Untouched};

const UNREADABLE_HEAD: &str = "cannot read the head of a WARC file: its pages may have been decided by another scheme than those of \
    the other files; the option --redecide of this command gives all pages new verdicts by one scheme";

/// A report of progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RebuildStep {
    /// Bytes of the archive read so far.
    Read {
        /// Bytes read.
        bytes: u64,
        /// Bytes of all files.
        of: u64,
    },
    /// Bytes of WARC files brought to a merged folder so far.
    Brought {
        /// Bytes linked or copied.
        bytes: u64,
        /// Bytes of all files.
        of: u64,
    },
    /// The state of a merged folder is read.
    State(PathBuf),
    /// Rows of the old state copied so far.
    Copied {
        /// The rows.
        rows: u64,
    },
    /// A fault and its consequence, in one line.
    Problem(String),
}

/// What a rebuild kept of the old state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kept {
    /// Nothing: there was no state that could be read to its end.
    #[default]
    Nothing,
    /// What the archive does not hold: outcomes of URLs without a page, the queue, and how hosts were treated.
    Outcomes,
    /// All of it, apart from verdicts.
    All,
}

/// The result of a rebuild.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rebuilt {
    /// WARC files read.
    pub files: u64,
    /// URLs that have a page, gone pages included, earlier versions not included.
    pub pages: u64,
    /// Of these, kept pages.
    pub kept: u64,
    /// Later visits to pages.
    pub visits: u64,
    /// URLs in the queue.
    pub queued: u64,
    /// Lost pages and their duplicates. They are queued; a URL that has an older version is queued for a visit.
    pub lost: u64,
    /// Damaged stretches of files, and records that were skipped.
    pub problems: u64,
    /// What the new state has from the old one.
    pub kept_state: Kept,
    /// The name of the folder with the old state; `None` if there was none.
    pub old_state: Option<String>,
}

/// Whether a WARC file holds the numbers of the pages of a merged folder.
pub(crate) fn has_numbers(file: &WarcFile) -> bool {
    Numberings::are_in(file)
}

/// A lost page.
struct Lost {
    link: Discovered,
    /// The source of the link, where it is known.
    via: Option<Via>,
    /// A page of the same URL with this number or a later one makes up for it.
    sequence: u64,
}

/// A rebuild in progress.
pub struct Rebuild {
    folder: DataFolder,
    store: Store,
    decided: DecidedSchemes,
    /// The end of the archive's last file, if the next records go into another file.
    closed: Option<WarcEnd>,
    /// The crawl's verdicts on pages that were redecided.
    redecided: HashMap<u64, Verdict>,
    /// The verdicts before the redecision, of pages that have another one now.
    in_force: HashMap<u64, Verdict>,
    /// What the state has from the old one.
    kept: Kept,
    /// Places of the metadata records that have outlinks.
    with_links: Places,
    /// The numbers of the pages of a merge's origins.
    numbers: Numbers,
    /// Second pages of URLs that two merged folders have.
    seconds: BTreeSet<u64>,
    /// A kept page has yielded to another.
    has_yields: bool,
    /// The end of each origin's last file.
    origin_ends: Vec<WarcEnd>,
    /// What a merge adds at its end.
    merged: Option<Merged>,
    /// URLs of archived pages without a metadata record.
    undecided: Vec<String>,
    lost: Vec<Lost>,
    /// Lost pages of which only the URLs are known.
    lost_without_record: Vec<Lost>,
    /// URLs without a page that are counted as lost.
    counted_lost: HashSet<String>,
    /// Numbers of the missing files.
    gaps: Vec<u32>,
    /// The last commit that a record names.
    last_archived_commit: u64,
    /// Pages with staged records.
    touched: HashSet<u64>,
    end: WarcEnd,
    /// For opening the new state.
    options: OpenOptions,
    result: Rebuilt,
}

impl std::fmt::Debug for Rebuild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rebuild")
            .field("dir", &self.folder.dir())
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

impl Rebuild {
    /// Reads the archive of the data folder `dir`. If neither the archive nor the old state names a scheme, the scheme in `options`
    /// applies.
    ///
    /// # Errors
    /// [`StorageError::NothingArchived`], [`StorageError::SeveralCrawls`], [`StorageError::SchemeUnknown`], [`StorageError::StateLinked`],
    /// [`StorageError::Locked`], [`StorageError::NumbersMissing`]; a WARC file cannot be read, or the new state cannot be written. The old
    /// state does not change.
    pub fn begin(dir: &Path, options: &OpenOptions, say: &mut dyn FnMut(RebuildStep)) -> Result<Self, StorageError> {
        if !dir.is_dir() {
            return Err(StorageError::NoStore { dir: dir.to_owned() });
        }
        let folder = DataFolder::hold(dir, false, &options.command)?;
        folder.check_replaceable()?;
        let crawls = crawls_in(&folder.warc(), say)?;
        let files = only_crawl(crawls, &folder, || Some(old_meta(dir, options)?.started_at), say)?;
        let gaps = gaps_of(&files, &folder, say);
        let numberings = Numberings::find(&folder, &files)?;
        let mut rebuild = Self::new(folder, (&files, gaps), numberings.origins(), options, say)?;
        numberings.store(rebuild.store.archive().origins())?;
        rebuild.read_all(files, say)?;
        Ok(rebuild)
    }

    /// Replays the files that a merge has brought to the folder. `origins` says where they come from.
    pub(crate) fn begin_merged(
        folder: DataFolder,
        origins: Vec<Origin>,
        merged: Merged,
        options: &OpenOptions,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<Self, StorageError> {
        let crawls = crawls_in(&folder.warc(), say)?;
        let files = only_crawl(crawls, &folder, || None, say)?;
        let mut rebuild = Self::new(folder, (&files, Vec::new()), (origins, false), options, say)?;
        rebuild.merged = Some(merged);
        rebuild.read_all(files, say)?;
        rebuild.cut_tails()?;
        rebuild.write_numbering()?;
        Ok(rebuild)
    }

    /// A rebuild of `files` that has not read them yet. `origins` says where they come from, and whether the numbers of their pages are
    /// known.
    fn new(
        folder: DataFolder,
        (files, gaps): (&[WarcFile], Vec<u32>),
        (origins, are_numbered): (Vec<Origin>, bool),
        options: &OpenOptions,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<Self, StorageError> {
        let dir = folder.dir().to_owned();
        let heads = Heads::of(files);
        let scheme = heads
            .scheme()
            .or_else(|| Some(old_meta(&dir, options)?.scheme))
            .or_else(|| options.scheme.clone());
        let scheme = scheme.ok_or(StorageError::SchemeUnknown { dir })?;
        if heads.has_unreadable && !heads.decided_by.is_empty() {
            say(RebuildStep::Problem(UNREADABLE_HEAD.to_owned()));
        }
        folder.remove_folder(REBUILDING)?;
        let started_at = heads.started_at.filter(|at| files.iter().all(|file| file.is_of(*at)));
        let options = OpenOptions {
            scheme: Some(scheme),
            create: true,
            now_ms: started_at.unwrap_or(files[0].started_at),
            ..options.clone()
        };
        let mut store = scratch_store(&folder, &options)?;
        store.set_compressions(files.iter().map(|file| (file.number, file.compression)));
        if !origins.is_empty() {
            store.set_origins(origins)?;
        }
        let numbers = Numbers::new(store.archive().origins().clone(), are_numbered);
        let mut rebuild = Self::over(folder, store, numbers, &options)?;
        rebuild.decided = DecidedSchemes::of(heads, rebuild.store.scheme());
        rebuild.gaps = gaps;
        Ok(rebuild)
    }

    /// A rebuild that fills `store`, before it knows any file.
    fn over(folder: DataFolder, store: Store, numbers: Numbers, options: &OpenOptions) -> Result<Self, StorageError> {
        let mut rebuild = Self {
            with_links: Places::new(&folder.dir().join(REBUILDING))?,
            folder,
            decided: DecidedSchemes::default(),
            store,
            closed: None,
            redecided: HashMap::new(),
            in_force: HashMap::new(),
            kept: Kept::Nothing,
            numbers,
            seconds: BTreeSet::new(),
            has_yields: false,
            origin_ends: Vec::new(),
            merged: None,
            undecided: Vec::new(),
            lost: Vec::new(),
            lost_without_record: Vec::new(),
            counted_lost: HashSet::new(),
            gaps: Vec::new(),
            last_archived_commit: 0,
            touched: HashSet::new(),
            end: WarcEnd::default(),
            options: OpenOptions {
                scheme: None,
                create: false,
                ..options.clone()
            },
            result: Rebuilt::default(),
        };
        rebuild.store.replay_at(Archived::default(), WarcEnd::default());
        Ok(rebuild)
    }

    /// The URLs, as archived, of pages without a metadata record. The caller passes each to [`fetch_again`](Self::fetch_again).
    pub fn take_undecided(&mut self) -> Vec<String> {
        std::mem::take(&mut self.undecided)
    }

    /// Counts such a page among the lost ones. `link` has its URL and host.
    pub fn fetch_again(&mut self, link: Discovered) {
        // The page's outlinks are lost with its record, so no other version makes up for it.
        let sequence = u64::MAX;
        self.lost_without_record.push(Lost {
            link,
            via: None,
            sequence,
        });
    }

    /// Counts among the lost ones the pages that other workers of the crawl have kept, and whose folders are not merged: a worker knows the
    /// URLs of all kept pages. `host_of` gives the host of a URL.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn fetch_elsewhere_again(&mut self, host_of: impl Fn(&str) -> Option<String>) -> Result<(), StorageError> {
        let Some(merged) = &self.merged else {
            return Ok(());
        };
        let (store, lost) = (&self.store, &mut self.lost_without_record);
        merged.each_elsewhere(&mut |url| {
            let Some(host) = host_of(url) else { return Ok(()) };
            if store.url_state(&host, url)?.is_none() {
                let link = Discovered {
                    url: url.to_owned(),
                    host,
                    ..Discovered::default()
                };
                lost.push(Lost {
                    link,
                    via: None,
                    sequence: 0,
                });
            }
            Ok(())
        })
    }

    /// Queues the outlinks that have no page, puts the new state in the place of the old one, which is kept as
    /// `state.before-rebuild`, and writes `warc/index.cdxj` again.
    ///
    /// # Errors
    /// The new state cannot be written. The old state does not change.
    pub fn finish(mut self, say: &mut dyn FnMut(RebuildStep)) -> Result<Rebuilt, StorageError> {
        let lost = std::mem::take(&mut self.lost);
        // The metadata record of a lost page stays in the archive, so no other page may get its number.
        let unused = lost.iter().map(|lost| lost.sequence + 1).max().unwrap_or_default();
        self.store.raise_next_page(unused);
        self.queue_lost(lost)?;
        // Before the links: a URL that is finished in one of the folders is not queued.
        if let Some(merged) = &self.merged {
            let lost = merged.add_outcomes(&mut self.store, say)?;
            let lost = lost.into_iter().map(|(link, via)| Lost {
                link,
                via,
                sequence: u64::MAX,
            });
            self.lost_without_record.extend(lost);
        } else if self.kept == Kept::Nothing {
            self.keep_from_old_state(say)?;
        }
        let scratch = self.folder.dir().join(REBUILDING);
        let with_links = std::mem::replace(&mut self.with_links, Places::new(&scratch)?);
        for location in with_links.read()? {
            self.queue_links(location?, say)?;
        }
        // Last, because the links to these URLs carry more data than the URLs alone.
        let lost = std::mem::take(&mut self.lost_without_record);
        self.queue_lost(lost)?;
        self.complete()?;
        self.install(say)
    }

    /// Stages the rows about the archive, and commits.
    fn complete(&mut self) -> Result<(), StorageError> {
        if !self.gaps.is_empty() {
            self.store.note_with(|_, piece| Archive::set_gaps(&self.gaps, piece))?;
        }
        self.store.end_archive_at(self.end);
        self.store.note_names()?;
        // The new state must not look older than the old one.
        let before = self.folder.last_commit().unwrap_or(0).max(self.last_archived_commit);
        self.store.commit()?;
        self.store.raise_last_commit(before);
        match self.kept {
            // A copied state says itself whether the last run was killed. What it says of the index may be wrong: the file may be damaged.
            Kept::All => self.store.note_with(|_, piece| {
                Archive::forget_indexed(piece);
                Ok(())
            })?,
            Kept::Outcomes | Kept::Nothing => self.store.end_run()?,
        }
        self.store.commit()?;
        Ok(())
    }

    /// Makes the new state durable, puts it in the place of the old one, and writes the archive's index again.
    fn install(self, say: &mut dyn FnMut(RebuildStep)) -> Result<Rebuilt, StorageError> {
        let (commit, counts) = (self.store.last_commit(), self.store.counts());
        let Self {
            folder,
            store,
            mut result,
            closed,
            options,
            numbers,
            merged,
            kept,
            ..
        } = self;
        result.kept_state = kept;
        let closed = closed.map(|end| (store.archive().path(end.file), end));
        // Both hold the database open.
        drop((store, numbers));
        make_durable(&folder.dir().join(REBUILDING).join(STATE))?;
        if let Some((path, end)) = closed {
            cut_tail_of_closed_file(&path, end)?;
        }
        result.old_state = folder.install(&format!("{REBUILDING}/{STATE}"), REBUILT)?;
        folder.mark().put(commit)?;
        folder.remove_folder(REBUILDING)?;
        folder.end_merge()?;
        (result.pages, result.kept, result.queued) = (counts.fetched() + counts.gone, counts.kept, counts.queued);
        let dir = folder.dir().to_owned();
        drop((folder, merged));
        // Write the index after the exchange, so that the folder never holds the old state with the index of another state.
        let written = Store::open_untouched(&dir, &options).and_then(|mut store| write_index(&mut store));
        if let Err(error) = written {
            say(RebuildStep::Problem(format!(
                "the index of the archive was not written: {error}; the next run writes it"
            )));
        }
        Ok(result)
    }

    /// Whether the folder is the result of a merge.
    fn is_merged(&self) -> bool {
        !self.store.archive().origins().all().is_empty()
    }

    /// Cuts the copies of the origins' last files at the end of what was replayed.
    fn cut_tails(&self) -> Result<(), StorageError> {
        for end in &self.origin_ends {
            cut_tail_of_closed_file(&self.store.archive().path(end.file), *end)?;
        }
        Ok(())
    }
}

/// A new store under `state.rebuilding` that reads the archive in place.
fn scratch_store(folder: &DataFolder, options: &OpenOptions) -> Result<Store, StorageError> {
    let scratch = folder.dir().join(REBUILDING);
    let archive = Untouched(Folder::new(folder.warc()));
    let marks = Folder::new(scratch.clone());
    Store::open_with(&scratch, options, Box::new(archive), Box::new(marks))
}

/// Cuts off the torn record that a crash left at the end of a file that gets no more records.
fn cut_tail_of_closed_file(path: &Path, end: WarcEnd) -> Result<(), StorageError> {
    let cut = |path: &Path| {
        let file = File::options().write(true).open(path)?;
        if file.metadata()?.len() > end.offset {
            file.set_len(end.offset)?;
            file.sync_all()?;
        }
        Ok(())
    };
    cut(path).map_err(|source| StorageError::io("cut the tail of", path, source))
}

/// The meta rows of the old state, if they can be read.
fn old_meta(dir: &Path, options: &OpenOptions) -> Option<Meta> {
    if !dir.join(STATE).is_dir() {
        return None;
    }
    let state = State::open(dir, options.cache_bytes).ok()?;
    let meta = state.meta().ok()?;
    drop(state);
    await_release(&dir.join(STATE)).ok()?;
    meta
}
