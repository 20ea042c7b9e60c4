//! A crawl on the servers, seen from outside: its settings, and seeds that somebody adds to it. A visitor is no worker: it has no number, no lease,
//! and no part in the end of the crawl.

use std::sync::atomic::AtomicU64;

use serde::Serialize;

use crate::command::Command;
use crate::error::FleetError;
use crate::fleet::{Fleet, Place, list, registry_tag, text};
use crate::joining::{JoinOptions, connected};
use crate::partition::{Partition, WorkerNumber};
use crate::rules;
use crate::servers::Safety;
use crate::terms::Terms;
use crate::url::WaitingUrl;

/// A visitor of a crawl.
pub struct Visitor {
    fleet: Fleet,
    agreed: Agreed,
}

/// What the workers of a crawl agree on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Agreed {
    /// The name of the crawl on the servers.
    pub name: String,
    /// What holds for the whole crawl.
    pub terms: Terms,
    /// How the workers fetch: keys of the configuration, and the values with which they started.
    pub rules: Vec<(String, String)>,
    /// The keys that the user has changed for all workers, and the values that hold instead.
    pub changed: Vec<(String, String)>,
}

impl Visitor {
    /// Finds the crawl.
    ///
    /// # Errors
    /// [`FleetError::Forgotten`], if there is no such crawl; else no server answers within the bound, or one refuses.
    pub async fn new(address: &str, name: &str) -> Result<Self, FleetError> {
        let options = JoinOptions {
            name: name.to_owned(),
            ..JoinOptions::new(address)
        };
        let (servers, name) = connected(&options)?;
        let known = Command::plain("HMGET", &registry_tag(&name), "m");
        let known = ["id", "terms", "rules", "changed"]
            .into_iter()
            .fold(known, Command::arg);
        let mut known = list(servers.one(known, Safety::Primary).await?)?.into_iter().map(text);
        let mut next = || known.next().transpose().map(Option::unwrap_or_default);
        let (id, terms, rules, changed) = (next()?, next()?, next()?, next()?);
        if id.is_empty() {
            return Err(FleetError::Forgotten { name });
        }
        let agreed = Agreed {
            name: name.clone(),
            terms: Terms::read(&terms)?,
            rules: rules::read(&rules),
            changed: rules::read(&changed),
        };
        let place = Place {
            worker: WorkerNumber(0),
            host: String::new(),
            crawl: 0,
            life: 0,
            folder: 0,
            terms,
            rules,
            valid_changes: options.valid_changes,
            incarnation: AtomicU64::new(0),
            next_incarnation: AtomicU64::new(0),
            salt: 0,
            lease: options.lease,
        };
        let partitions = agreed.terms.partitions;
        Ok(Self {
            fleet: Fleet::new(servers, &name, place, partitions, None),
            agreed,
        })
    }

    /// What the workers agree on.
    #[must_use]
    pub fn agreed(&self) -> &Agreed {
        &self.agreed
    }

    /// The keys of one section of the configuration whose values are not those of the crawl, each with both values; `None` if there is none.
    #[must_use]
    pub fn differences(&self, ours: &[(String, String)], section: &str) -> Option<String> {
        let of = |all: &[(String, String)]| {
            let of_section = all.iter().filter(|(key, _)| key.split('.').next() == Some(section));
            rules::stored(&of_section.cloned().collect::<Vec<_>>())
        };
        rules::differences(&of(ours), &of(&self.agreed.rules))
    }

    /// Queues seeds, each with the registrable domain or address of its host. Returns how many are new to the crawl.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses. Some of the seeds may be queued then; the call can be repeated.
    pub async fn add(&self, seeds: Vec<(String, WaitingUrl)>) -> Result<u64, FleetError> {
        let mut by_partition = std::collections::BTreeMap::<Partition, Vec<WaitingUrl>>::new();
        for (site, seed) in seeds {
            let partition = Partition::of_site(&site, self.fleet.partitions());
            by_partition.entry(partition).or_default().push(seed);
        }
        let urls: Vec<_> = by_partition.into_iter().collect();
        // The end of the crawl is proved by what the workers do. They do not know of these seeds yet.
        self.disprove_end().await?;
        let new = self.fleet.enqueue_new(&urls).await?;
        self.disprove_end().await?;
        Ok(new)
    }

    async fn disprove_end(&self) -> Result<(), FleetError> {
        let command = Command::plain("DEL", &self.fleet.inner.registry, "e");
        self.fleet
            .inner
            .servers
            .one(command, Safety::Replicated)
            .await
            .map(drop)
    }
}
