//! What the user tells a crawl from outside: orders to all workers, other rules for them, and that a worker will not come back.

use redis::Value;

use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{integer, list, registry_tag, text};
use crate::joining::{JoinOptions, connected};
use crate::partition::WorkerNumber;
use crate::rules;
use crate::servers::Safety;

static CHANGE: Lua = script!("change.lua");
static FORGET: Lua = script!("forget.lua");

/// What the user wants of all workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// They finish what is under way, and stop.
    Drain,
    /// They make no requests.
    Pause,
}

/// Gives all workers of a crawl an order, or takes it back.
///
/// # Errors
/// [`FleetError::Forgotten`], if there is no such crawl; else no server answers within the bound, or one refuses.
pub async fn order(address: &str, name: &str, order: Order, on: bool) -> Result<(), FleetError> {
    let (servers, name) = connected(&JoinOptions {
        name: name.to_owned(),
        ..JoinOptions::new(address)
    })?;
    let tag = registry_tag(&name);
    let id = servers
        .one(Command::plain("HGET", &tag, "m").arg("id"), Safety::Primary)
        .await?;
    if text(id)?.is_empty() {
        return Err(FleetError::Forgotten { name });
    }
    let field = match order {
        Order::Drain => "drain",
        Order::Pause => "pause",
    };
    let command = Command::plain("HSET", &tag, "m").arg(field).number(u64::from(on));
    servers.one(command, Safety::Replicated).await.map(std::mem::drop)
}

/// Changes rules for all workers of a crawl: keys with their values; `None` takes the change of a key back. The workers learn of it with their
/// next heartbeats, and later ones when they join. Returns all changes that hold. Whether the workers can take them over is the caller's
/// matter.
///
/// # Errors
/// [`FleetError::Forgotten`], if there is no such crawl; else no server answers within the bound, or one refuses.
pub async fn change(
    address: &str,
    name: &str,
    changes: &[(String, Option<String>)],
) -> Result<Vec<(String, String)>, FleetError> {
    let (servers, name) = connected(&JoinOptions {
        name: name.to_owned(),
        ..JoinOptions::new(address)
    })?;
    let mut command = Command::script(&CHANGE, &registry_tag(&name));
    for (key, value) in changes {
        let value = value.as_deref().unwrap_or_default().replace('\n', " ");
        command = command.arg(key.as_str()).arg(value);
    }
    let answer = list(servers.one(command, Safety::Replicated).await?)?;
    let [is_known, changed] = <[Value; 2]>::try_from(answer)
        .map_err(|_| FleetError::Damaged("an answer about changed settings".to_owned()))?;
    if integer(&is_known)? == 0 {
        return Err(FleetError::Forgotten { name });
    }
    Ok(rules::read(&text(changed)?))
}

/// What became of the word that a worker will not come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forgotten {
    /// The others learn of it with their next heartbeats.
    Now,
    /// Somebody said so before.
    Before,
}

/// Says that a worker will not come back, because its data folder is lost. Its number is never given again, its leases end for ever, and the
/// others fetch its kept pages again.
///
/// # Errors
/// [`FleetError::Alive`], if its lease lasts; [`FleetError::NoWorker`], if the crawl has no such worker; [`FleetError::Forgotten`], if there is
/// no such crawl; else no server answers within the bound, or one refuses.
pub async fn forget(address: &str, name: &str, worker: WorkerNumber) -> Result<Forgotten, FleetError> {
    let (servers, name) = connected(&JoinOptions {
        name: name.to_owned(),
        ..JoinOptions::new(address)
    })?;
    let command = Command::script(&FORGET, &registry_tag(&name)).number(worker.0.into());
    let answer = list(servers.one(command, Safety::Replicated).await?)?;
    let [state, number] = <[Value; 2]>::try_from(answer)
        .map_err(|_| FleetError::Damaged("an answer about a worker to forget".to_owned()))?;
    let number = integer(&number)?;
    match integer(&state)? {
        0 => Ok(Forgotten::Now),
        2 => Ok(Forgotten::Before),
        1 => Err(FleetError::NoWorker {
            name,
            worker: worker.0,
            last: number,
        }),
        3 => Err(FleetError::Alive {
            worker: worker.0,
            seconds: number.div_ceil(1_000),
        }),
        _ => Err(FleetError::Forgotten { name }),
    }
}
