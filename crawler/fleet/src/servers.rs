//! The connections to one server, or to the primaries of a cluster.
//!
//! Each command names its slot. The commands of a call go to each primary as one pipeline, all primaries at once. What fails for a
//! reason that passes is sent again, with growing pauses, until the patience of the call ends: a server that is gone, still loading or
//! demoted, a slot that moved, a script that a new primary does not have.
//!
//! While a slot moves between servers of a cluster, its keys are on both. A script names only the tag of its keys, which is no key
//! itself, so both servers send it to the other; the call waits until the slot has arrived, and a script never sees half of its keys.
//!
//! Why not the cluster connection of redis-rs: what counts must be on a replica, and `WAIT` speaks only of what the same connection
//! wrote before. So a pipeline and its `WAIT` have to use one connection, and a call must know when it was broken between them.

mod keys;
mod primary;
mod topology;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Pipeline, TlsCertificates, Value};
use tokio::task::JoinSet;

use crate::address::{Address, Node};
use crate::command::Command;
use crate::error::FleetError;
use crate::servers::primary::{Outcome, Primary, Replicas, Reply, Trouble};
use crate::servers::topology::Topology;

/// The most commands in one pipeline: a call must not hold a server up for long.
const PIPELINE_COMMANDS: usize = 256;

/// The most bytes in one pipeline.
const PIPELINE_BYTES: usize = 1 << 20;

/// The first pause before another attempt, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(1_000));

/// How certain the writes of a call must be before it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Safety {
    /// On the primary. For what is read, and for what is written again in time anyway.
    Primary,
    /// On the replicas, too, if the primary has any.
    Replicated,
}

/// Counts of what was sent, for measurements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Commands, those that wait for replicas included.
    pub commands: u64,
    /// Bytes of the commands on the wire, about.
    pub bytes: u64,
    /// Commands that were sent once more.
    pub repeats: u64,
}

/// How to behave towards the servers.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    /// How long a call tries.
    pub(crate) patience: Duration,
    /// How long a primary that had replicas must be without any before its writes count as certain.
    pub(crate) lonely: Duration,
    /// Whether [`Safety::Replicated`] waits at all.
    pub(crate) wait: bool,
    /// For connections that are encrypted.
    pub(crate) tls: Option<TlsCertificates>,
}

#[derive(Default)]
struct State {
    topology: Option<Arc<Topology>>,
    primaries: HashMap<Node, Primary>,
    /// When a primary last had a replica, also over a connection that is gone.
    replicas: HashMap<Node, Replicas>,
    /// All servers that the topology has named, replicas too: the servers of the address may be gone for good.
    known: BTreeSet<Node>,
    /// Whether any primary has had a replica: then each of them should have one, a primary that took over too.
    had_replicas: bool,
    /// The primaries without a replica, although there have been replicas.
    alone: BTreeSet<Node>,
    /// Which server tells the topology next: not always the same, for it may be cut off from the others.
    turn: usize,
}

/// See the module.
pub(crate) struct Servers {
    address: Address,
    manner: Manner,
    state: Mutex<State>,
    commands: AtomicU64,
    bytes: AtomicU64,
    repeats: AtomicU64,
}

/// What one round of attempts left undone.
#[derive(Default)]
struct Round {
    /// The reason to tell if the patience ends.
    reason: String,
    /// Whether the slots may have moved.
    moved: bool,
    /// Whether a pause is needed; not after a mere redirection.
    pause: bool,
    /// Whether a server answers and waits for somebody: the reason says for what.
    is_hindered: bool,
}

impl Servers {
    pub(crate) fn new(address: Address, manner: Manner) -> Self {
        Self {
            address,
            manner,
            state: Mutex::default(),
            commands: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            repeats: AtomicU64::new(0),
        }
    }

    /// Where they are.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Counts since the start.
    pub(crate) fn traffic(&self) -> Traffic {
        Traffic {
            commands: self.commands.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            repeats: self.repeats.load(Ordering::Relaxed),
        }
    }

    /// Whether writes to a primary went on lately although it has no replica any more, or took over from one that had some.
    pub(crate) fn unprotected(&self) -> bool {
        !self.state().alone.is_empty()
    }

    /// Notes whether the writes of a pipeline are on a replica.
    fn note_protection(&self, primary: &Primary, outcome: &Outcome) {
        let replicas = primary.replicas();
        let mut state = self.state();
        state.replicas.insert(primary.node.clone(), replicas);
        state.had_replicas |= replicas.had;
        if outcome.protected {
            state.alone.remove(&primary.node);
        } else if outcome.alone && state.had_replicas && state.alone.insert(primary.node.clone()) {
            tracing::warn!(server = %primary.node, "the server has no replica any more: what it holds is lost if it dies");
        }
    }

    /// One command, answered.
    pub(crate) async fn one(&self, command: Command, safety: Safety) -> Result<Value, FleetError> {
        let mut answers = self.all(&[command], safety).await?;
        Ok(answers.pop().unwrap_or_default())
    }

    /// One command, answered, with a patience of its own.
    pub(crate) async fn one_within(
        &self,
        command: Command,
        safety: Safety,
        patience: Duration,
    ) -> Result<Value, FleetError> {
        let mut answers = self.all_within(&[command], safety, patience).await?;
        Ok(answers.pop().unwrap_or_default())
    }

    /// All commands, answered in order.
    pub(crate) async fn all(&self, commands: &[Command], safety: Safety) -> Result<Vec<Value>, FleetError> {
        self.all_within(commands, safety, self.manner.patience).await
    }

    async fn all_within(
        &self,
        commands: &[Command],
        safety: Safety,
        patience: Duration,
    ) -> Result<Vec<Value>, FleetError> {
        let patience = patience.min(self.manner.patience);
        let began = Instant::now();
        let until = began + patience;
        let mut answers: Vec<Option<Value>> = vec![None; commands.len()];
        let mut open: Vec<Open> = (0..commands.len()).map(Open::new).collect();
        let mut pause = PAUSES.0;
        let mut first = true;
        while !open.is_empty() {
            if !first {
                self.repeats.fetch_add(open.len() as u64, Ordering::Relaxed);
            }
            let round = self.round(commands, &mut open, &mut answers, safety, until).await?;
            first = false;
            if round.moved {
                self.state().topology = None;
            }
            if open.is_empty() {
                break;
            }
            let waited = began.elapsed();
            if waited >= patience && round.is_hindered {
                return Err(FleetError::Hindered(round.reason));
            }
            if waited >= patience {
                return Err(FleetError::Unreachable {
                    address: self.address.to_string(),
                    waited,
                    reason: round.reason,
                });
            }
            tracing::debug!(commands = open.len(), reason = %round.reason, "asking Redis again");
            if round.pause {
                let left = patience.saturating_sub(waited);
                tokio::time::sleep(jittered(pause).min(left)).await;
                pause = (pause * 2).min(PAUSES.1);
            }
        }
        Ok(answers.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// The primaries with a connection to each, for questions about the servers themselves.
    pub(crate) async fn every_primary(
        &self,
        command: &'static [&'static str],
    ) -> Result<Vec<(Node, Value)>, FleetError> {
        let began = Instant::now();
        loop {
            match self.ask_every_primary(command, began + self.manner.patience).await {
                Ok(answers) => return Ok(answers),
                Err(trouble) if trouble.is_final => return Err(self.refused(trouble)),
                Err(trouble) if began.elapsed() >= self.manner.patience => {
                    return Err(FleetError::Unreachable {
                        address: self.address.to_string(),
                        waited: began.elapsed(),
                        reason: trouble.reason,
                    });
                }
                Err(_) => {
                    self.state().topology = None;
                    tokio::time::sleep(jittered(PAUSES.0 * 8)).await;
                }
            }
        }
    }

    async fn ask_every_primary(&self, command: &[&str], until: Instant) -> Result<Vec<(Node, Value)>, Trouble> {
        let topology = self.topology(until).await?;
        let mut answers = Vec::new();
        for node in topology.primaries() {
            let primary = self.primary(&node).await?;
            let mut pipeline = Pipeline::new();
            let mut cmd = redis::Cmd::new();
            for word in command {
                cmd.arg(*word);
            }
            pipeline.add_command(cmd);
            match primary.plain(pipeline, 1).await {
                Ok(mut values) => answers.push((node, values.pop().unwrap_or_default())),
                Err(reason) => {
                    self.forget(&node);
                    return Err(reason.into());
                }
            }
        }
        Ok(answers)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends everything that is open once, and keeps in `open` what has to be sent again.
    async fn round(
        &self,
        commands: &[Command],
        open: &mut Vec<Open>,
        answers: &mut [Option<Value>],
        safety: Safety,
        until: Instant,
    ) -> Result<Round, FleetError> {
        let mut round = Round::default();
        let topology = match self.topology(until).await {
            Ok(topology) => topology,
            Err(trouble) if trouble.is_final => return Err(self.refused(trouble)),
            Err(trouble) => {
                round.fails(trouble.reason, true);
                return Ok(round);
            }
        };
        let mut groups: HashMap<Node, Vec<Open>> = HashMap::new();
        let mut left = Vec::new();
        for item in open.drain(..) {
            match topology.node(commands[item.index].slot) {
                Some(node) => groups.entry(node).or_default().push(item),
                None => {
                    round.fails(
                        "no server of the cluster owns a part of the keys (CLUSTER INFO tells more)".into(),
                        true,
                    );
                    left.push(item);
                }
            }
        }
        let mut sent = JoinSet::new();
        for (node, items) in groups {
            let primary = match self.primary(&node).await {
                Ok(primary) => primary,
                Err(trouble) if trouble.is_final => return Err(self.refused(trouble)),
                Err(trouble) => {
                    round.fails(trouble.reason, true);
                    left.extend(items);
                    continue;
                }
            };
            for (items, pipeline) in pipelines(commands, items, &primary) {
                self.commands.fetch_add(items.len() as u64, Ordering::Relaxed);
                let bytes: usize = items.iter().map(|item| commands[item.index].size()).sum();
                self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
                let primary = primary.clone();
                let waits = safety == Safety::Replicated && self.manner.wait;
                let clustered = !topology.servers.is_empty();
                let lonely = self.manner.lonely;
                let width = items.len();
                sent.spawn(async move {
                    let outcome = primary.send(pipeline, width, (waits, clustered), lonely, until).await;
                    (primary, items, outcome)
                });
            }
        }
        while let Some(joined) = sent.join_next().await {
            // The task neither panics nor is stopped, except with the runtime.
            let Ok((primary, items, outcome)) = joined else {
                return Err(FleetError::Damaged("a task of the connection ended".to_owned()));
            };
            self.commands.fetch_add(outcome.waits, Ordering::Relaxed);
            self.note_protection(&primary, &outcome);
            match outcome.values {
                Ok(values) => {
                    self.sort(&primary, items, values, answers, &mut left, &mut round)?;
                }
                Err(trouble) if trouble.is_final => return Err(self.refused(trouble)),
                Err(trouble) => {
                    self.forget(&primary.node);
                    round.fails(trouble.reason, true);
                    left.extend(items);
                }
            }
        }
        *open = left;
        Ok(round)
    }

    /// Each answer to its place, or its command back among those that are open.
    fn sort(
        &self,
        primary: &Primary,
        items: Vec<Open>,
        values: Vec<Value>,
        answers: &mut [Option<Value>],
        left: &mut Vec<Open>,
        round: &mut Round,
    ) -> Result<(), FleetError> {
        let mut values = values.into_iter();
        for item in items {
            match Reply::of(values.next().unwrap_or_default(), &primary.node) {
                Reply::Value(value) => answers[item.index] = Some(value),
                Reply::NoScript => left.push(Open {
                    with_text: true,
                    ..item
                }),
                Reply::Moved(reason) => {
                    // The first redirection needs no pause: the topology is read again, and says where.
                    round.moved = true;
                    round.pause |= item.redirected;
                    round.reason = reason;
                    left.push(Open {
                        redirected: true,
                        ..item
                    });
                }
                Reply::Later(reason) => {
                    round.fails(reason, true);
                    left.push(item);
                }
                Reply::Hindered(reason) => {
                    round.fails(reason, true);
                    round.is_hindered = true;
                    left.push(item);
                }
                Reply::Never(message) => {
                    return Err(FleetError::Refused {
                        address: primary.node.to_string(),
                        message,
                    });
                }
            }
        }
        Ok(())
    }

    /// Who owns which slots, as the servers say; read again after [`State::topology`] was cleared.
    async fn topology(&self, until: Instant) -> Result<Arc<Topology>, Trouble> {
        if let Some(topology) = self.state().topology.clone() {
            return Ok(topology);
        }
        let candidates = {
            let mut state = self.state();
            state.turn = state.turn.wrapping_add(1);
            let all: BTreeSet<Node> = state.known.iter().chain(&self.address.nodes).cloned().collect();
            let mut candidates: Vec<Node> = all.into_iter().collect();
            let turn = state.turn % candidates.len().max(1);
            candidates.rotate_left(turn);
            candidates
        };
        let mut trouble = Trouble::from("the address names no server".to_owned());
        for node in candidates {
            let asked = match self.primary(&node).await {
                Ok(primary) => topology::ask(&primary, self.address.nodes.len() > 1).await,
                Err(trouble) => Err(trouble),
            };
            match asked {
                Ok(topology) => {
                    let topology = Arc::new(topology);
                    let mut state = self.state();
                    state.known.extend(topology.servers.iter().cloned());
                    let primaries: BTreeSet<Node> = topology.primaries().into_iter().collect();
                    state.alone.retain(|node| primaries.contains(node));
                    state.topology = Some(topology.clone());
                    return Ok(topology);
                }
                Err(why) => {
                    self.forget(&node);
                    trouble = why;
                }
            }
            if trouble.is_final || Instant::now() >= until {
                break;
            }
        }
        Err(trouble)
    }

    /// The connection to a server, a new one if there is none.
    async fn primary(&self, node: &Node) -> Result<Primary, Trouble> {
        let replicas = {
            let state = self.state();
            if let Some(primary) = state.primaries.get(node) {
                return Ok(primary.clone());
            }
            state.replicas.get(node).copied().unwrap_or_default()
        };
        let primary = Primary::connect(&self.address, self.manner.tls.as_ref(), node, replicas).await?;
        self.state().primaries.insert(node.clone(), primary.clone());
        Ok(primary)
    }

    fn refused(&self, trouble: Trouble) -> FleetError {
        FleetError::Refused {
            address: self.address.to_string(),
            message: trouble.reason,
        }
    }

    /// Drops the connection to a server: the next call makes a new one.
    fn forget(&self, node: &Node) {
        let mut state = self.state();
        state.primaries.remove(node);
        state.topology = None;
    }
}

impl Round {
    fn fails(&mut self, reason: String, moved: bool) {
        self.reason = reason;
        self.moved |= moved;
        self.pause = true;
    }
}

/// A command without an answer.
struct Open {
    index: usize,
    /// The server says that it does not have the script.
    with_text: bool,
    redirected: bool,
}

impl Open {
    fn new(index: usize) -> Self {
        Self {
            index,
            with_text: false,
            redirected: false,
        }
    }
}

/// The commands for one server, in order, as pipelines of bounded size.
fn pipelines(commands: &[Command], items: Vec<Open>, primary: &Primary) -> Vec<(Vec<Open>, Pipeline)> {
    let mut all = Vec::new();
    let mut current = (Vec::new(), Pipeline::new());
    let mut bytes = 0;
    for item in items {
        let command = &commands[item.index];
        if !current.0.is_empty() && (current.0.len() >= PIPELINE_COMMANDS || bytes + command.size() > PIPELINE_BYTES) {
            all.push(std::mem::take(&mut current));
            bytes = 0;
        }
        bytes += command.size();
        // The text of a script once in a pipeline: after it the server has the script.
        let with_text = item.with_text
            && current
                .0
                .iter()
                .all(|earlier: &Open| !commands[earlier.index].same_script(command));
        let is_first = command.digest().is_some_and(|digest| primary.is_first_call(digest));
        current.1.add_command(command.packed(with_text || is_first));
        current.0.push(item);
    }
    if !current.0.is_empty() {
        all.push(current);
    }
    all
}

/// The pause, shortened by up to a half, so that the workers of a fleet do not all come back at once.
fn jittered(pause: Duration) -> Duration {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    pause.mul_f64(1.0 - f64::from(nanos % 1_000) / 2_000.0)
}
