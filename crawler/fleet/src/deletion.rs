//! How a crawl is deleted from the servers when nobody needs it any more. Its segments may be in object stores. Nothing removes them before, because
//! a worker may come back. Whoever deletes the crawl removes them, between two steps:
//!
//! 1. [`Deletion::of`] finds the crawl, and the stores.
//! 2. [`Deletion::begin`] proves that no worker lives, and lets those stop that start from now on.
//! 3. The caller removes the [folder](Deletion::folder) of the crawl from the stores. It also has what no row names: objects of workers that died.
//! 4. [`Deletion::end`] removes the keys. The identity of the crawl goes last, so that everything can be repeated after an error.

use std::collections::BTreeSet;

use redis::Value;

use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{bytes, integer, list, log_tag, registry_tag, text};
use crate::joining::{JoinOptions, connected};
use crate::log::SegmentRow;
use crate::servers::{Safety, Servers};

static END: Lua = script!("end_crawl.lua");

/// Rows of segments that are read in one call.
const ROWS_A_CALL: u64 = 1_000;

/// A crawl that is to be deleted.
pub struct Deletion {
    servers: Servers,
    name: String,
    folder: String,
    stores: BTreeSet<String>,
}

impl Deletion {
    /// Finds the crawl. Changes nothing.
    ///
    /// # Errors
    /// [`FleetError::Forgotten`], if there is no such crawl; [`FleetError::Damaged`], if its rows cannot be read; else no server answers within
    /// the bound, or one refuses.
    pub async fn of(address: &str, name: &str) -> Result<Self, FleetError> {
        let (servers, name) = connected(&JoinOptions {
            name: name.to_owned(),
            ..JoinOptions::new(address)
        })?;
        let id = Command::plain("HGET", &registry_tag(&name), "m").arg("id");
        let id = text(servers.one(id, Safety::Primary).await?)?;
        if id.is_empty() {
            return Err(FleetError::Forgotten { name });
        }
        // It becomes a part of a place.
        let id = u64::from_str_radix(&id, 16).map_err(|_| FleetError::Damaged(format!("the id {id} of the crawl")))?;
        let folder = format!("fleet-{id:016x}");
        let stores = stores(&servers, &name, &folder).await?;
        Ok(Self {
            servers,
            name,
            folder,
            stores,
        })
    }

    /// The name of the crawl.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder of the crawl in each of its object stores: `fleet-` and its identity.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The URLs of the object stores that have segments, without a slash at the end. Whoever can write to the servers can put others there.
    #[must_use]
    pub fn stores(&self) -> &BTreeSet<String> {
        &self.stores
    }

    /// Proves that no worker lives. Workers that start from now on stop at once.
    ///
    /// # Errors
    /// [`FleetError::Lives`]; [`FleetError::Forgotten`], if the crawl is gone; else no server answers within the bound, or one refuses.
    pub async fn begin(&self) -> Result<(), FleetError> {
        let command = Command::script(&END, &registry_tag(&self.name));
        let answer = list(self.servers.one(command, Safety::Replicated).await?)?;
        let [state, worker, left_ms] = <[Value; 3]>::try_from(answer)
            .map_err(|_| FleetError::Damaged("an answer about a crawl to delete".to_owned()))?;
        match integer(&state)? {
            1 => Ok(()),
            2 => Err(FleetError::Lives {
                name: self.name.clone(),
                worker: integer(&worker)?,
                seconds: integer(&left_ms)?.div_ceil(1_000),
            }),
            _ => Err(FleetError::Forgotten {
                name: self.name.clone(),
            }),
        }
    }

    /// Removes all keys of the crawl. Returns how many there were.
    ///
    /// # Errors
    /// A server does not answer, or refuses. The call can be repeated.
    pub async fn end(&self) -> Result<u64, FleetError> {
        let (beginning, identity) = (format!("{{{}/", self.name), registry_tag(&self.name).key("m"));
        let removed = self.servers.remove_keys(&beginning, &identity).await?;
        Ok(removed + self.servers.remove_keys(&beginning, "").await?)
    }
}

/// The stores that the rows of segments name.
async fn stores(servers: &Servers, name: &str, folder: &str) -> Result<BTreeSet<String>, FleetError> {
    let mut stores = BTreeSet::new();
    let behind = format!("/{folder}/");
    for first in (0..).step_by(ROWS_A_CALL as usize) {
        let rows = Command::plain("ZRANGE", &log_tag(name), "g");
        let rows = rows.number(first).number(first + ROWS_A_CALL - 1);
        let rows = list(servers.one(rows, Safety::Primary).await?)?;
        let is_last = (rows.len() as u64) < ROWS_A_CALL;
        for row in rows {
            let row = SegmentRow::read(&bytes(row)?)?;
            let store = row.place().and_then(|place| place.split_once(&behind));
            stores.extend(store.map(|(store, _)| store.to_owned()));
        }
        if is_last {
            break;
        }
    }
    Ok(stores)
}
