//! A checkpoint of what steering learned, so that a later run need not learn again from every page.
//!
//! ```text
//! DIR/steering.checkpoint   "CRAWLST\0"  version:u32 LE  length:u32 LE  ⟨Header⟩  ⟨Learned⟩  XXH3-64:u64 LE of everything before
//! DIR/steering.checkpoint.new   one that is being written; a killed run may leave it behind
//! ```
//!
//! `⟨T⟩` is T in postcard's format, as in the rows of the store. The checkpoint is a cache: whoever deletes it loses nothing but time. It
//! stands for the pages up to the last one that it includes, and the [replay](super::replay()) learns from the others. It is passed over, and the
//! replay learns from all pages, unless
//!
//! - it is whole, and of this [`VERSION`];
//! - it comes from this state: a rebuild, a redecision and a merge make another one;
//! - what is learned would not differ by the settings;
//! - the state has its last page;
//! - of its pages, the same ones are taken back as then.
//!
//! The frontier makes a checkpoint, because steering is its own. It may include pages that no commit has yet, so the recorder takes it, and its
//! [`Keeper`](super::Keeper) has it written after the next commit.

mod file;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use config::settings::SteeringSettings;
use serde::{Deserialize, Serialize};
use storage::Store;
use xxhash_rust::xxh3::xxh3_64;

use super::Steering;
use super::host_rules::HostRules;
use super::memory::Memory;
use super::moved::Moved;
use super::share::Folders;
use super::traps::Traps;
use error::RunError;

/// The version of the format, and of the code that learns: the same pages must teach the same. A test pins what some pages teach.
const VERSION: u32 = 1;

/// The name of the file in the data folder.
pub(crate) const NAME: &str = "steering.checkpoint";

/// What must be the same for a checkpoint to fit.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    /// [`Store::identity`].
    state: u64,
    /// The hash of the settings that change what is learned.
    settings: u64,
    last: LastPage,
    moved: Moved,
}

/// The last page that a checkpoint includes.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct LastPage {
    number: u64,
    url: String,
    fetched_at: u64,
    payload_digest: [u8; 20],
}

/// What steering learned, to be written.
#[derive(Serialize)]
struct Known<'a> {
    hosts: &'a HashMap<String, HostRules>,
    rules: usize,
    memory: &'a Memory<u64>,
    traps: &'a Traps,
    folders: &'a Folders,
}

/// What steering learned, as it was read.
#[derive(Deserialize)]
struct Learned {
    hosts: HashMap<String, HostRules>,
    rules: usize,
    memory: Memory<u64>,
    traps: Traps,
    folders: Folders,
}

/// The turn of a run to make a checkpoint. It has one turn at a time: the next one begins after the drop of the last clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    /// From how many pages the run learned again, plus one; 0 as long as what its frontier knows is a checkpoint.
    again: Arc<AtomicU64>,
}

impl Turn {
    /// Whether no checkpoint is on its way.
    pub fn is_free(&self) -> bool {
        Arc::strong_count(&self.again) == 1
    }

    /// Whether a page from which the run learned was taken back. What its frontier knows is no checkpoint any more.
    pub fn is_void(&self) -> bool {
        self.again.load(Ordering::Relaxed) > 0
    }

    fn make_void(&self) {
        self.again.fetch_max(1, Ordering::Relaxed);
    }

    /// Whether the run may learn again from the pages behind number `from`, the last of which is number `to`: never from more in all than there
    /// are pages. So a crawl whose pages are taken back again and again pays at most twice for what it learns.
    pub fn may_learn_from(&self, from: u64, to: u64) -> bool {
        let pages = to.saturating_sub(from);
        let before = self.again.load(Ordering::Relaxed);
        let may = before + pages <= to + 1;
        self.again.fetch_add(if may { pages } else { 0 }, Ordering::Relaxed);
        may
    }
}

/// What steering had learned at one moment.
pub(crate) struct Checkpoint {
    learned_to: u64,
    settings: u64,
    moved: Moved,
    /// ⟨[`Learned`]⟩.
    learned: Vec<u8>,
    turn: Turn,
}

impl std::fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.learned.len();
        write!(f, "Checkpoint {{ learned_to: {}, bytes: {bytes} }}", self.learned_to)
    }
}

impl Steering {
    /// The number of the last page from which it learned, 0 before the first.
    pub(crate) fn learned_to(&self) -> u64 {
        self.learned_to
    }

    /// The number of the last page in the checkpoint from which it was read, 0 if it was not read.
    pub(crate) fn restored_to(&self) -> u64 {
        self.restored_to
    }

    /// What it has learned, in about `bytes` bytes; `None` if that cannot be encoded.
    pub(crate) fn checkpoint(&self, bytes: usize, turn: &Turn) -> Option<Checkpoint> {
        Some(Checkpoint {
            learned_to: self.learned_to,
            settings: hash_of(&self.policy),
            moved: self.moved.clone(),
            learned: self.encoded(bytes)?,
            turn: turn.clone(),
        })
    }

    fn encoded(&self, bytes: usize) -> Option<Vec<u8>> {
        let known = Known {
            hosts: &self.hosts,
            rules: self.rules,
            memory: &self.memory,
            traps: &self.traps,
            folders: &self.folders,
        };
        postcard::to_extend(&known, Vec::with_capacity(bytes)).ok()
    }

    /// Takes what was [encoded](Self::encoded). `None` if it cannot be read, or if no pages can have taught it: the checksum has no key, and
    /// the folder may come from somebody else.
    fn take(&mut self, learned: &[u8]) -> Option<()> {
        let learned: Learned = postcard::from_bytes(learned).ok()?;
        let is_bounded = learned.memory.is_bounded_as(&self.memory) && learned.traps.are_bounded_as(&self.traps);
        let rules: usize = learned.hosts.values().map(|host| host.learned().count()).sum();
        if !is_bounded || learned.rules != rules {
            return None;
        }
        self.folders = learned.folders.limited_as(&self.folders)?;
        self.hosts = learned.hosts;
        self.rules = learned.rules;
        self.memory = learned.memory;
        self.traps = learned.traps;
        Some(())
    }
}

impl Checkpoint {
    /// Its bytes.
    pub fn bytes(&self) -> usize {
        self.learned.len()
    }

    /// The number of the last page that it includes.
    pub fn learned_to(&self) -> u64 {
        self.learned_to
    }

    /// The turn in which it was made.
    pub fn turn(&self) -> Turn {
        self.turn.clone()
    }

    /// Its file, if it fits the committed pages of `store`. If not, the frontier makes no other one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(self, store: &Store) -> Result<Option<Written>, RunError> {
        let last = LastPage::of(store, self.learned_to)?;
        let fits = self.moved.are_same_now(store, self.learned_to)?;
        let Some(last) = last.filter(|_| fits) else {
            self.turn.make_void();
            return Ok(None);
        };
        let header = Header {
            state: store.identity()?,
            settings: self.settings,
            last,
            moved: self.moved,
        };
        let Ok(header) = postcard::to_stdvec(&header) else {
            return Ok(None);
        };
        Ok(Some(Written {
            path: store.dir().join(NAME),
            head: file::head(VERSION, &header),
            learned: self.learned,
            _turn: self.turn,
        }))
    }
}

/// A checkpoint on its way to the disk.
pub(crate) struct Written {
    path: PathBuf,
    head: Vec<u8>,
    learned: Vec<u8>,
    _turn: Turn,
}

impl Written {
    /// Puts the checkpoint in the place of the last one. A crash leaves one of the two.
    pub fn write(self) {
        let path = self.path.display();
        match file::replace(&self.path, &[&self.head, &self.learned]) {
            Ok(()) => tracing::debug!(%path, bytes = self.learned.len(), "checkpoint of steering written"),
            Err(error) => tracing::warn!("{path} was not written: {error}; the next start takes longer"),
        }
    }
}

impl LastPage {
    /// The committed page of this number; `None` if there is none.
    fn of(store: &Store, number: u64) -> Result<Option<Self>, RunError> {
        Ok(store.page(number)?.map(|page| Self {
            number,
            url: page.url,
            fetched_at: page.fetched_at,
            payload_digest: page.payload_digest,
        }))
    }
}

/// Lets `steering`, which has learned nothing yet, take what the checkpoint in the data folder of `store` holds, if it fits.
pub(super) fn restore(store: &Store, steering: &mut Steering) -> Result<(), RunError> {
    let path = store.dir().join(NAME);
    let why = match file::read(&path, VERSION) {
        Ok(None) => None,
        Ok(Some(parts)) => take(store, steering, &parts)?.map(str::to_owned),
        Err(why) => Some(why),
    };
    if let Some(why) = why {
        tracing::info!(
            "{} is passed over: {why}; steering learns again from all pages",
            path.display()
        );
    }
    Ok(())
}

/// Takes the checkpoint, or says why it does not fit.
fn take(store: &Store, steering: &mut Steering, parts: &file::Parts) -> Result<Option<&'static str>, RunError> {
    let Ok(header) = postcard::from_bytes::<Header>(parts.header()) else {
        return Ok(Some("its head cannot be read"));
    };
    if header.state != store.identity()? {
        return Ok(Some("it belongs to another state"));
    }
    if header.settings != hash_of(&steering.policy) {
        return Ok(Some("it was made with other settings of steering"));
    }
    let number = header.last.number;
    if LastPage::of(store, number)?.as_ref() != Some(&header.last) {
        return Ok(Some("the state does not have its last page"));
    }
    if !header.moved.are_same_now(store, number)? {
        return Ok(Some(
            "some of its pages were taken back since, or are pages again, or very many have moved",
        ));
    }
    if steering.take(parts.learned()).is_none() {
        return Ok(Some("what it holds cannot be read"));
    }
    (steering.learned_to, steering.restored_to) = (number, number);
    steering.moved = header.moved;
    Ok(None)
}

/// The hash of the settings that change what is learned. The others change only what follows from it.
fn hash_of(policy: &SteeringSettings) -> u64 {
    let applied: Vec<String> = policy.apply.iter().map(ToString::to_string).collect();
    let share = policy
        .duplicate_share
        .map(|limit| (limit.share.to_bits(), limit.window));
    xxh3_64(format!("{} {applied:?} {share:?}", policy.enabled).as_bytes())
}

#[cfg(test)]
mod tests;
