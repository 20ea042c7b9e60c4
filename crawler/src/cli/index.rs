//! An index of documents that outlives a command: in a folder, or on a Redis server that several processes share.

use std::fs;
use std::path::{Path, PathBuf};

use dedup::{Added, Collection, CollectionError, DocId, DocIds, Id, Signature, Verdict};
#[cfg(feature = "redis")]
use dedup::{RedisAddress, SharedCollection};

use crate::cli::error::UsageError;
use config::settings::Settings;
use error::RunError;
use files::json_string;
use study::nearest::{Candidate, nearest};
use terminal::commands::{command, path_argument};

/// Holds the password of a server whose address has none, as for redis-cli.
#[cfg(feature = "redis")]
const PASSWORD: &str = "REDISCLI_AUTH";

/// Begins a name that stands for a number in JSON. A zero byte begins no name that people give.
const NUMBER: char = '\0';

/// What the user named with `--index`.
#[derive(Debug, Clone)]
pub(super) enum NamedIndex {
    Folder(PathBuf),
    #[cfg(feature = "redis")]
    Server(Box<RedisAddress>),
}

impl NamedIndex {
    /// # Errors
    /// The text is an address, and an invalid one.
    pub(super) fn of(named: &Path) -> Result<Self, UsageError> {
        let Some(text) = named.to_str().filter(|text| is_address(text)) else {
            return Ok(Self::Folder(named.to_owned()));
        };
        #[cfg(feature = "redis")]
        {
            let address: RedisAddress = text
                .parse()
                .map_err(|error| UsageError::Argument(format!("--index: {error}")))?;
            let password = std::env::var(PASSWORD).ok().filter(|password| !password.is_empty());
            Ok(Self::Server(Box::new(match password {
                Some(password) if !address.has_password() => address.with_password(&password),
                _ => address,
            })))
        }
        #[cfg(not(feature = "redis"))]
        {
            let scheme = text.split("://").next().unwrap_or_default();
            Err(UsageError::Argument(format!(
                "--index {scheme}://…: this program was built without the feature redis; name a folder"
            )))
        }
    }
}

impl NamedIndex {
    /// Whether the index is on a server.
    pub(super) fn is_on_a_server(&self) -> bool {
        !matches!(self, Self::Folder(_))
    }
}

fn is_address(text: &str) -> bool {
    #[cfg(feature = "redis")]
    if RedisAddress::is_meant_by(text) {
        return true;
    }
    text.contains("://")
}

/// An open index.
#[derive(Debug)]
pub(super) enum DocumentIndex {
    Folder(PathBuf, Box<Collection>),
    #[cfg(feature = "redis")]
    Server(Box<RedisAddress>, Box<SharedCollection>),
}

impl DocumentIndex {
    /// Opens an index, or makes one.
    ///
    /// # Errors
    /// The folder is in use or holds something else; the server cannot be used; other settings made the index.
    pub(super) fn open_or_create(named: NamedIndex, settings: &Settings) -> Result<Self, RunError> {
        let (scheme, rule) = (&settings.scheme, &settings.rule);
        Ok(match named {
            NamedIndex::Folder(folder) => {
                require_own(&folder)?;
                let collection = Collection::open_or_create_for(&folder, scheme, rule, settings.candidates);
                let collection = collection.map_err(in_own_words)?;
                Self::Folder(folder, Box::new(collection))
            }
            #[cfg(feature = "redis")]
            NamedIndex::Server(address) => {
                let collection = SharedCollection::open_or_create(&address, scheme, rule).map_err(in_own_words)?;
                Self::Server(address, Box::new(collection))
            }
        })
    }

    /// Opens an index that is there.
    ///
    /// # Errors
    /// As [`DocumentIndex::open_or_create`]; there is no index.
    pub(super) fn open(named: NamedIndex, settings: &Settings) -> Result<Self, RunError> {
        let (scheme, rule) = (&settings.scheme, &settings.rule);
        Ok(match named {
            NamedIndex::Folder(folder) => {
                require_own(&folder)?;
                let collection = Collection::open_for(&folder, scheme, rule, settings.candidates);
                let collection = collection.map_err(in_own_words)?;
                Self::Folder(folder, Box::new(collection))
            }
            #[cfg(feature = "redis")]
            NamedIndex::Server(address) => {
                let collection = SharedCollection::open(&address, scheme, rule).map_err(in_own_words)?;
                Self::Server(address, Box::new(collection))
            }
        })
    }

    /// The verdict on a document, which enters the index.
    ///
    /// # Errors
    /// [`CollectionError::OtherText`]: the id is there with another text. The index cannot be read or written.
    pub(super) fn add(&mut self, id: &Id, signature: &Signature) -> Result<Added, CollectionError> {
        match self {
            Self::Folder(_, collection) => collection.add_or_find(id, signature),
            #[cfg(feature = "redis")]
            Self::Server(_, collection) => collection.add_or_find(id, signature),
        }
    }

    /// The verdict on one more document with this text, which stays out of the index.
    pub(super) fn check(&self, signature: &Signature) -> Result<Verdict, RunError> {
        Ok(match self {
            Self::Folder(_, collection) => collection.check(signature)?,
            #[cfg(feature = "redis")]
            Self::Server(_, collection) => collection.check(signature)?,
        })
    }

    /// Whether a run with the document had ended before this one began. A server does not know that.
    pub(super) fn is_of_ended_run(&self, number: DocId) -> bool {
        match self {
            Self::Folder(_, collection) => collection.is_of_ended_run(number),
            #[cfg(feature = "redis")]
            Self::Server(..) => false,
        }
    }

    /// Notes that a run with these documents has ended.
    pub(super) fn end_run(&mut self, documents: &DocIds) -> Result<(), RunError> {
        match self {
            Self::Folder(_, collection) => Ok(collection.end_run(documents)?),
            #[cfg(feature = "redis")]
            Self::Server(..) => Ok(()),
        }
    }

    /// Whether it knows the documents of ended runs.
    pub(super) fn knows_ended_runs(&self) -> bool {
        matches!(self, Self::Folder(..))
    }

    /// The id of a document.
    pub(super) fn id(&self, number: DocId) -> Result<Option<Id>, RunError> {
        Ok(match self {
            Self::Folder(_, collection) => collection.id(number).cloned(),
            #[cfg(feature = "redis")]
            Self::Server(_, collection) => collection.id(number)?,
        })
    }

    /// The unique documents that are most similar to a text, the most similar first.
    pub(super) fn nearest(&self, settings: &Settings, signature: &Signature) -> Result<Vec<Candidate>, RunError> {
        let rule = &settings.rule;
        Ok(match self {
            Self::Folder(_, collection) => collection.with_index(|index| nearest(index, rule, signature, &[]))?,
            #[cfg(feature = "redis")]
            Self::Server(_, collection) => nearest(collection.index(), rule, signature, &[])?,
        })
    }

    /// Saves what a crash could lose. A server has everything at once.
    pub(super) fn save(&mut self) -> Result<(), RunError> {
        match self {
            Self::Folder(_, collection) => Ok(collection.save()?),
            #[cfg(feature = "redis")]
            Self::Server(..) => Ok(()),
        }
    }

    /// Number of documents, duplicates included.
    pub(super) fn len(&self) -> Result<usize, RunError> {
        Ok(match self {
            Self::Folder(_, collection) => collection.len(),
            #[cfg(feature = "redis")]
            Self::Server(_, collection) => collection.len()?,
        })
    }

    /// The folder, or the address without its password.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Folder(folder, _) => folder.display().to_string(),
            #[cfg(feature = "redis")]
            Self::Server(address, _) => address.to_string(),
        }
    }
}

/// The error of opening an index, with what the command line can do about it.
fn in_own_words(error: CollectionError) -> RunError {
    if let CollectionError::Index(dedup::DedupError::OtherScheme { found, wanted })
    | CollectionError::OtherSettings { found, wanted, .. } = &error
        && let Some(words) = of_another_version(found, wanted)
    {
        return RunError::OtherIndex(words);
    }
    match error {
        CollectionError::Index(dedup::DedupError::OtherScheme { found, wanted }) => RunError::OtherIndex(format!(
            "the index was made with the scheme {found}, the configuration says {wanted}: use the configuration of the first run \
             (--config), or name another index"
        )),
        CollectionError::Index(error @ dedup::DedupError::OtherLayout { .. }) => RunError::OtherIndex(format!(
            "the index was made for other settings or by another version ({error}): use the settings and the version of the first run, or name another index"
        )),
        CollectionError::OtherSettings { folder, found, wanted } => RunError::OtherIndex(format!(
            "{} was made with {found}; the configuration and the flags say {wanted}: use the settings of the first run, or name \
             another folder",
            folder.display()
        )),
        CollectionError::Missing(folder) => RunError::OtherIndex(format!(
            "{} holds no index: check the name, or make one: {}",
            folder.display(),
            command("dedup", &["FILE…", &format!("--index {}", path_argument(&folder))])
        )),
        CollectionError::InUse(folder) => RunError::OtherIndex(format!(
            "{} is in use by another process: wait until it has ended; several processes can share an index on a Redis server \
             (--index redis://…)",
            folder.display()
        )),
        error => error.into(),
    }
}

/// What to do about an index whose settings differ from those of this run only in the version of the scheme.
fn of_another_version(found: &str, wanted: &str) -> Option<String> {
    let (found, rest) = version_and_rest(found)?;
    let (wanted, wanted_rest) = version_and_rest(wanted)?;
    if found == wanted || rest != wanted_rest {
        return None;
    }
    let made_by = if found < wanted { "an earlier" } else { "a later" };
    Some(format!(
        "{made_by} version of crawler made the index, and its fingerprints cannot be compared with those of this version (scheme v{found}, \
         now v{wanted}): name a new index and add the documents to it"
    ))
}

/// The version that the name of a scheme has as a word of its own, and the words around it.
fn version_and_rest(name: &str) -> Option<(u32, [Vec<&str>; 2])> {
    let mut words: Vec<&str> = name.split(' ').collect();
    let version = |word: &str| word.strip_prefix('v')?.parse().ok();
    let at = words.iter().position(|word| version(word).is_some())?;
    let after = words.split_off(at + 1);
    let version = version(words.pop()?)?;
    Some((version, [words, after]))
}

/// Refuses a folder that holds something else, before a database appears in it.
fn require_own(folder: &Path) -> Result<(), RunError> {
    if folder.join("state").is_dir() {
        return Err(RunError::OtherIndex(format!(
            "{} is the data folder of a crawl, and not an index of documents: name another folder; a text is compared with a crawl by \
             {}",
            folder.display(),
            command("check", &["FILE"])
        )));
    }
    // sled makes `conf` first and `db` later.
    let is_own = ["db", "conf"].iter().any(|name| folder.join(name).is_file());
    let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if is_own || is_empty && !folder.is_file() {
        return Ok(());
    }
    Err(RunError::OtherIndex(format!(
        "{} holds other files, and no index: name a new or an empty folder",
        folder.display()
    )))
}

/// The id of a document that has this id in JSON, a string or a number.
pub(super) fn id_of_json(json: &[u8]) -> Id {
    let text = String::from_utf8_lossy(json);
    if let Ok(name) = serde_json::from_str::<String>(&text) {
        return Id::from(name.as_str());
    }
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => Id::from(number),
        // A fraction, a large number, or a string that is no text.
        _ => Id::from(format!("{NUMBER}{text}").as_str()),
    }
}

/// The id in JSON: a string or a number, as [`id_of_json`] read it.
pub(super) fn json_of_id(id: &Id) -> String {
    match id {
        Id::Number(number) => number.to_string(),
        Id::Name(name) => match name.strip_prefix(NUMBER) {
            Some(json) => json.to_owned(),
            None => json_string(name),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_an_earlier_version_is_told_from_one_with_other_settings() {
        let scheme = |start: &str| format!("{start} words pairs xxh3 mask=dates log-tf floor=50");
        let refused = |found: &str, wanted: &str| {
            let (found, wanted) = (scheme(found), scheme(wanted));
            in_own_words(dedup::DedupError::OtherScheme { found, wanted }.into()).to_string()
        };
        let earlier = refused("simhash64 v3", "simhash64 v4");
        assert!(
            earlier.contains("an earlier version of crawler made the index"),
            "{earlier}"
        );
        assert!(
            earlier.contains("add the documents") && !earlier.contains("configuration"),
            "{earlier}"
        );
        assert!(refused("simhash64 v10", "simhash64 v4").contains("a later version of crawler"));
        for found in ["simhash128 v3", "simhash128 v4", "simhash64"] {
            assert!(refused(found, "simhash64 v4").contains("use the configuration of the first run"));
        }
        let of_settings = |version: &str| format!("scheme {:?} and rule \"a rule\"", scheme(version));
        let refused = in_own_words(CollectionError::OtherSettings {
            folder: "seen".into(),
            found: of_settings("simhash128 v3"),
            wanted: of_settings("simhash128 v4"),
        });
        assert!(refused.to_string().contains("an earlier version"), "{refused}");
    }

    #[test]
    fn an_id_is_written_as_it_was_read() {
        for json in [
            "\"a\"",
            "\"\"",
            "7",
            "-7",
            "7.0",
            "1e3",
            "18446744073709551616",
            "\"\\ud800\"",
            "\"7\"",
        ] {
            assert_eq!(json_of_id(&id_of_json(json.as_bytes())), json);
        }
        assert_eq!(id_of_json(b"\"\\u0061\""), Id::from("a"));
        assert_ne!(id_of_json(b"7"), id_of_json(b"\"7\""));
        assert_ne!(id_of_json(b"7.5"), id_of_json(b"\"7.5\""));
    }
}
