//! What a worker tells the fleet: the content of the letters in the outbox of the store.

use fleet::{Epoch, Partition, UrlHash, WaitingUrl, WorkerNumber};
use serde::{Deserialize, Serialize};
use storage::{HostRecord, Letter};

use error::RunError;

/// The source of a link that another worker found. Which page it was stays in the folder of that worker.
pub(crate) const VIA_FLEET: &str = "fleet:another-worker";

/// A letter to the fleet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mail {
    /// This worker wants to keep a page.
    Claim(Claim),
    /// The same, for the table of digests.
    Digest(DigestClaim),
    /// A URL has its outcome.
    Done(Done),
    /// A URL was found.
    Found(WaitingUrl),
    /// A URL was found that is in the queue of this folder, so that this worker need not read it from the servers.
    Queued(WaitingUrl),
    /// How a host was treated.
    Host(TreatedHost),
    /// A finished URL is to be fetched again.
    Again(Again),
}

/// The claim of a page that was compared with the log as far as it was known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Claim {
    /// Its sequence number in this folder.
    pub page: u64,
    /// Its URL.
    pub url: String,
    /// The key of its host.
    pub host: String,
    /// Its signature, without what the rule does not compare.
    pub signature: Vec<u8>,
}

/// The claim of a page that was compared with the pages of this worker.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct DigestClaim {
    /// Its sequence number in this folder.
    pub page: u64,
    /// The digest of its normalised text.
    pub digest: u128,
}

/// A URL that has its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// Its partition.
    pub partition: Partition,
    /// The lease under which this worker fetched it; `None` if the partition had been lost before the outcome was known.
    pub epoch: Option<Epoch>,
    /// The hash of the URL.
    pub url: u64,
    /// The sequence number of its page, if there is one.
    pub page: Option<u64>,
}

/// A finished URL that is to be fetched again, because what it brought is lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Again {
    /// The URL.
    pub url: WaitingUrl,
    /// The worker whose pages are lost; `None` if the servers have lost entries of the log.
    pub lost: Option<WorkerNumber>,
}

/// How a host was treated last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TreatedHost {
    /// The partition of the host.
    pub partition: Partition,
    /// As in [`Done`].
    pub epoch: Option<Epoch>,
    /// The key of the host.
    pub host: String,
    /// Its [`HostRecord`], as another worker reads it.
    pub record: Vec<u8>,
}

const CLAIM: u8 = 1;
const DONE: u8 = 2;
const FOUND: u8 = 3;
const HOST: u8 = 4;
const QUEUED: u8 = 5;
const AGAIN: u8 = 6;
const DIGEST: u8 = 7;

impl Done {
    /// The hash as the servers know it.
    pub fn hash(&self) -> UrlHash {
        UrlHash(self.url)
    }
}

impl TreatedHost {
    /// The treatment of a host in the form in which workers pass it on.
    ///
    /// # Errors
    /// The record cannot be encoded.
    pub fn new(partition: Partition, epoch: Option<Epoch>, host: &str, record: &HostRecord) -> Result<Self, RunError> {
        Ok(Self {
            partition,
            epoch,
            host: host.to_owned(),
            record: encoded(record)?,
        })
    }
}

/// The treatment of a host that another worker passed on; `None` if that worker wrote another version.
#[must_use]
pub(crate) fn read_record(bytes: &[u8]) -> Option<HostRecord> {
    postcard::from_bytes(bytes).ok()
}

impl Mail {
    /// The letter for the outbox.
    ///
    /// # Errors
    /// The content cannot be encoded.
    pub fn letter(&self) -> Result<Letter, RunError> {
        let (kind, bytes) = match self {
            Self::Claim(claim) => (CLAIM, encoded(claim)?),
            Self::Digest(claim) => (DIGEST, encoded(claim)?),
            Self::Done(done) => (DONE, encoded(done)?),
            Self::Found(found) => (FOUND, encoded(found)?),
            Self::Queued(found) => (QUEUED, encoded(found)?),
            Self::Host(host) => (HOST, encoded(host)?),
            Self::Again(again) => (AGAIN, encoded(again)?),
        };
        Ok(Letter { kind, bytes })
    }

    /// The content of a letter; `None` if a later version of the program wrote it.
    #[must_use]
    pub fn read(letter: &Letter) -> Option<Self> {
        let bytes = &letter.bytes;
        match letter.kind {
            CLAIM => postcard::from_bytes(bytes).ok().map(Self::Claim),
            DIGEST => postcard::from_bytes(bytes).ok().map(Self::Digest),
            DONE => postcard::from_bytes(bytes).ok().map(Self::Done),
            FOUND => postcard::from_bytes(bytes).ok().map(Self::Found),
            AGAIN => postcard::from_bytes(bytes).ok().map(Self::Again),
            QUEUED => postcard::from_bytes(bytes).ok().map(Self::Queued),
            HOST => postcard::from_bytes(bytes).ok().map(Self::Host),
            _ => None,
        }
    }
}

fn encoded(content: &impl Serialize) -> Result<Vec<u8>, RunError> {
    postcard::to_stdvec(content)
        .map_err(|error| RunError::Fleet(format!("a letter to the fleet cannot be written: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_read_as_it_was_written() {
        let done = Done {
            partition: Partition(7),
            epoch: Some(Epoch(3)),
            url: 1 << 60,
            page: None,
        };
        let found = WaitingUrl {
            url: "https://example.org/a".to_owned(),
            depth: 2,
            redirects: 1,
            priority: 40,
            is_seed: false,
        };
        let record = HostRecord {
            asked_at: 5,
            crawl_delay_ms: 2_500,
            ..HostRecord::default()
        };
        let host = TreatedHost::new(Partition(7), None, "example.org", &record).unwrap();
        assert_eq!(read_record(&host.record), Some(record));
        let claim = DigestClaim {
            page: 9,
            digest: u128::MAX - 1,
        };
        for mail in [
            Mail::Digest(claim),
            Mail::Done(done),
            Mail::Found(found.clone()),
            Mail::Queued(found.clone()),
            Mail::Again(Again {
                url: found,
                lost: Some(WorkerNumber(3)),
            }),
            Mail::Host(host),
        ] {
            assert_eq!(Mail::read(&mail.letter().unwrap()), Some(mail));
        }
        assert_eq!(
            Mail::read(&Letter {
                kind: 99,
                bytes: Vec::new()
            }),
            None
        );
    }
}
