//! One connection to one server, and what its answers mean.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, Pipeline, RedisError, ServerErrorKind, TlsCertificates, Value,
};

use crate::address::{Address, Node};

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);

/// How long it may take to answer a pipeline, the time of `WAIT` not counted.
const ANSWER: Duration = Duration::from_secs(3);

/// How long one `WAIT` waits.
const WAIT: Duration = Duration::from_millis(1_000);

/// How long the number of replicas stays known.
const ROLE_IS_KNOWN: Duration = Duration::from_secs(5);

/// How long a new primary of a cluster waits for a replica before it goes on alone.
const NEW_PRIMARY: Duration = Duration::from_secs(2);

/// Why a server could not be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) reason: String,
    /// Another attempt does not help: a wrong password, a certificate that is not trusted.
    pub(crate) is_final: bool,
}

impl From<String> for Trouble {
    fn from(reason: String) -> Self {
        Self {
            reason,
            is_final: false,
        }
    }
}

impl Trouble {
    fn of_connecting(node: &Node, error: &RedisError) -> Self {
        let text = format!("{node}: {error}");
        let advised = |advice: &str| Self {
            reason: format!("{text}; {advice}"),
            is_final: true,
        };
        // rustls says "invalid peer certificate: …".
        if text.contains("certificate") {
            return advised(CERTIFICATE);
        }
        match error.kind() {
            ErrorKind::AuthenticationFailed => advised(CREDENTIALS),
            ErrorKind::InvalidClientConfig => advised(CERTIFICATE),
            _ if matches!(error.code(), Some("NOAUTH" | "WRONGPASS" | "NOPERM")) => advised(CREDENTIALS),
            _ => text.into(),
        }
    }

    /// Of an error in place of an answer.
    pub(super) fn of_answer(value: Value, from: &Node) -> Self {
        match Reply::of(value, from) {
            Reply::Never(reason) => Self { reason, is_final: true },
            Reply::Moved(reason) | Reply::Later(reason) | Reply::Hindered(reason) => reason.into(),
            Reply::Value(_) | Reply::NoScript => format!("{from}: an answer of another form than expected").into(),
        }
    }
}

/// What to do about a wrong password, and about a certificate.
const CREDENTIALS: &str = "the address needs the right user and password: redis://user:password@host:port";
const CERTIFICATE: &str =
    "the address can name the certificate of the authority that signed that of the server: rediss://host:port?ca=FILE";

/// What to do about a server whose memory is full. The workers wait until somebody has done it.
const FULL: &str = "the memory of the server is full: raise maxmemory, for example with CONFIG SET maxmemory, and keep \
                    maxmemory-policy noeviction";

/// What to do about a key that another program has written.
const FOREIGN_KEY: &str = "another program has written a key of this crawl, and what the key held is lost: give that program other keys, or \
                           the crawl a database of its own; delete the key, and the workers go on; at the end, `crawler merge` of their \
                           folders queues what it knows of the lost URLs";

/// What is known of a primary's replicas.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Replicas {
    /// Connected when it was asked.
    connected: usize,
    /// When it was asked.
    asked: Option<Instant>,
    /// Since when it has none.
    lonely_since: Option<Instant>,
    /// Whether it has had any.
    pub(super) had: bool,
}

impl Replicas {
    fn learn(&mut self, connected: usize) {
        let now = Instant::now();
        self.connected = connected;
        self.asked = Some(now);
        if connected > 0 {
            self.had = true;
            self.lonely_since = None;
        } else {
            self.lonely_since.get_or_insert(now);
        }
    }

    /// Whether it has been without replicas for so long that its writes count nevertheless. At once, if it is alone. In a cluster
    /// a server that became the primary a moment ago is given a little time, in which its predecessor may come back as its replica.
    fn may_go_alone(&self, lonely: Duration, clustered: bool) -> bool {
        let bound = match (self.had, clustered) {
            (true, _) => lonely,
            (false, true) => lonely.min(NEW_PRIMARY),
            (false, false) => Duration::ZERO,
        };
        self.connected == 0 && self.lonely_since.is_none_or(|since| since.elapsed() >= bound)
    }
}

/// What a pipeline came to.
pub(super) struct Outcome {
    /// The answers, or why there are none.
    pub(super) values: Result<Vec<Value>, Trouble>,
    /// Commands that waited for replicas or asked for them.
    pub(super) waits: u64,
    /// The primary has no replica, and went on without.
    pub(super) alone: bool,
    /// At least one replica has it.
    pub(super) protected: bool,
}

/// See the module.
#[derive(Clone)]
pub(crate) struct Primary {
    pub(crate) node: Node,
    connection: MultiplexedConnection,
    replicas: Arc<Mutex<Replicas>>,
    /// The scripts that were sent over this connection with their text: digests.
    scripts: Arc<Mutex<HashSet<String>>>,
}

impl Primary {
    /// Connects.
    pub(super) async fn connect(
        address: &Address,
        tls: Option<&TlsCertificates>,
        node: &Node,
        replicas: Replicas,
    ) -> Result<Self, Trouble> {
        let told = |error: RedisError| Trouble::of_connecting(node, &error);
        let client = match tls {
            Some(certificates) => Client::build_with_tls(address.url(node), certificates.clone()),
            None => Client::open(address.url(node)),
        }
        .map_err(told)?;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(ANSWER + WAIT));
        let connection = client
            .get_multiplexed_async_connection_with_config(&config)
            .await
            .map_err(told)?;
        Ok(Self {
            node: node.clone(),
            connection,
            scripts: Arc::default(),
            replicas: Arc::new(Mutex::new(Replicas {
                asked: None,
                ..replicas
            })),
        })
    }

    /// Whether a script was not yet sent over this connection. Its text goes with the first call, so that not all calls of a long
    /// pipeline fail once.
    pub(super) fn is_first_call(&self, digest: &str) -> bool {
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        !scripts.contains(digest) && scripts.insert(digest.to_owned())
    }

    pub(super) fn replicas(&self) -> Replicas {
        *self.replicas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, connected: usize) {
        self.replicas
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .learn(connected);
    }

    /// Sends a pipeline and returns its answers, errors of single commands among them.
    pub(super) async fn plain(&self, pipeline: Pipeline, width: usize) -> Result<Vec<Value>, String> {
        let mut connection = self.connection.clone();
        let values = connection
            .send_packed_commands(&pipeline, 0, width)
            .await
            .map_err(|error| format!("{}: {error}", self.node))?;
        if values.len() == width {
            Ok(values)
        } else {
            Err(format!(
                "{}: it answered {} of {width} commands",
                self.node,
                values.len()
            ))
        }
    }

    /// Sends a pipeline, and waits until the replicas have what it wrote if `waits`.
    pub(super) async fn send(
        &self,
        mut pipeline: Pipeline,
        width: usize,
        (waits, clustered): (bool, bool),
        lonely: Duration,
        deadline: Instant,
    ) -> Outcome {
        let mut outcome = Outcome {
            values: Err(String::new().into()),
            waits: 0,
            alone: false,
            protected: false,
        };
        outcome.values = self
            .send_within(&mut pipeline, width, (waits, clustered), lonely, deadline, &mut outcome)
            .await;
        outcome
    }

    async fn send_within(
        &self,
        pipeline: &mut Pipeline,
        width: usize,
        (waits, clustered): (bool, bool),
        lonely: Duration,
        deadline: Instant,
        outcome: &mut Outcome,
    ) -> Result<Vec<Value>, Trouble> {
        let known = self.replicas();
        let waited_for = if waits { known.connected } else { 0 };
        // A primary that has none may have got one: in a cluster that is asked each time, after the writes, because a replica that
        // nobody waits for can take over with less.
        let is_old = known.asked.is_none_or(|asked| asked.elapsed() > ROLE_IS_KNOWN);
        let asks = waits && (is_old || waited_for == 0 && (clustered || known.had));
        let mut total = width;
        if waited_for > 0 {
            pipeline.add_command(wait(waited_for));
            total += 1;
        }
        if asks {
            pipeline.add_command(redis::cmd("ROLE"));
            total += 1;
        }
        outcome.waits += (total - width) as u64;
        let mut values = self.plain(std::mem::take(pipeline), total).await?;
        if asks {
            self.learn_role(values.pop().unwrap_or_default())?;
        }
        if !waits {
            return Ok(values);
        }
        let mut reached = if waited_for > 0 {
            number(&values.pop().unwrap_or_default())
        } else {
            0
        };
        if reached == 0 && waited_for > 0 {
            outcome.waits += 1;
            self.ask_role().await?;
        }
        loop {
            if reached > 0 {
                outcome.protected = true;
                return Ok(values);
            }
            let replicas = self.replicas();
            if replicas.may_go_alone(lonely, clustered) {
                outcome.alone = true;
                return Ok(values);
            }
            if Instant::now() >= deadline {
                return Err(format!("{}: no replica has answered", self.node).into());
            }
            outcome.waits += 1;
            if replicas.connected > 0 {
                let mut again = Pipeline::new();
                again.add_command(wait(1));
                reached = self.plain(again, 1).await?.first().map_or(0, number);
            } else {
                // Not WAIT, which would return only after its full time, and others use the connection, too.
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            if reached == 0 {
                outcome.waits += 1;
                self.ask_role().await?;
            }
        }
    }

    fn learn_role(&self, role: Value) -> Result<(), Trouble> {
        if matches!(role, Value::ServerError(_)) {
            return Err(Trouble::of_answer(role, &self.node));
        }
        self.learn(replicas_of_role(&role).map_err(|reason| format!("{}: {reason}", self.node))?);
        Ok(())
    }

    async fn ask_role(&self) -> Result<(), Trouble> {
        let mut pipeline = Pipeline::new();
        pipeline.add_command(redis::cmd("ROLE"));
        let role = self.plain(pipeline, 1).await?.pop().unwrap_or_default();
        self.learn_role(role)
    }
}

fn wait(replicas: usize) -> Cmd {
    let mut cmd = redis::cmd("WAIT");
    cmd.arg(replicas).arg(WAIT.as_millis() as u64);
    cmd
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Int(number) => *number,
        _ => 0,
    }
}

/// Whether an error begins with this code. The error of a command in a script has the code in its text.
fn says(error: &redis::ServerError, code: &str) -> bool {
    error.code() == code || error.to_string().contains(&format!("{code} "))
}

/// The number of connected replicas in the answer of a primary to `ROLE`.
fn replicas_of_role(value: &Value) -> Result<usize, String> {
    match value {
        Value::Array(parts) => match (parts.first(), parts.get(2)) {
            (Some(Value::BulkString(role)), Some(Value::Array(replicas))) if role == b"master" => Ok(replicas.len()),
            _ => Err("the server is a replica, not a primary".to_owned()),
        },
        _ => Err("its answer to ROLE is not known".to_owned()),
    }
}

/// What the answer to one command means.
pub(super) enum Reply {
    Value(Value),
    /// The server does not have the script.
    NoScript,
    /// The slot belongs to another server.
    Moved(String),
    /// Another attempt may succeed.
    Later(String),
    /// Another attempt succeeds when somebody has done what the text says.
    Hindered(String),
    /// Another attempt does not help.
    Never(String),
}

impl Reply {
    pub(super) fn of(value: Value, from: &Node) -> Self {
        let Value::ServerError(error) = value else {
            return Self::Value(value);
        };
        let text = format!("{from}: {error}");
        match error.kind() {
            Some(ServerErrorKind::NoScript) => Self::NoScript,
            Some(ServerErrorKind::Moved | ServerErrorKind::ReadOnly) => Self::Moved(text),
            Some(
                ServerErrorKind::Ask
                | ServerErrorKind::TryAgain
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
                | ServerErrorKind::BusyLoading,
            ) => Self::Later(text),
            _ => match error.code() {
                // A script stopped at a server that turned into a replica says so in the words of the script's error.
                _ if error.to_string().contains("READONLY") => Self::Moved(text),
                "NOREPLICAS" | "BUSY" | "MISCONF" => Self::Later(text),
                _ if says(&error, "OOM") => Self::Hindered(format!("{from}: {FULL} (it says: {error})")),
                _ if says(&error, "WRONGTYPE") => Self::Hindered(format!("{from}: {FOREIGN_KEY} (it says: {error})")),
                "NOAUTH" | "WRONGPASS" => Self::Never(format!("{error}; {CREDENTIALS}")),
                "NOPERM" => Self::Never(format!(
                    "{error}; the user needs the commands of this crate on all keys of the crawl"
                )),
                _ => Self::Never(error.to_string()),
            },
        }
    }
}
