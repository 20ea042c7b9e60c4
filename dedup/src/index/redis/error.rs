//! What goes wrong between an index and its server, in words. Each message says what to do, and none has a password.

use redis::{ErrorKind, RedisError, ServerErrorKind};

/// The server of an index cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the index {place}: {problem}")]
pub struct ServerError {
    /// The address of the index, without user and password.
    place: String,
    problem: Problem,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("{}", in_words(.0))]
    Redis(#[from] RedisError),
    #[error("{0}")]
    Words(&'static str),
    #[error(
        "it has the format {found:?}, and this version reads {wanted}: use the version that made it, or choose another name (?name=…)"
    )]
    Format { found: String, wanted: u8 },
    #[error("it was made for another rule ({found}, now {wanted}): use its settings, or choose another name (?name=…)")]
    Rule { found: String, wanted: String },
}

impl ServerError {
    pub(super) fn new(place: &str, source: RedisError) -> Self {
        Self::of(place, Problem::Redis(source))
    }

    fn of(place: &str, problem: Problem) -> Self {
        Self {
            place: place.to_owned(),
            problem,
        }
    }

    /// Whether the server forbids its user the command.
    pub(super) fn is_forbidden(&self) -> bool {
        match &self.problem {
            Problem::Redis(error) => error.kind() == ErrorKind::Server(ServerErrorKind::NoPerm),
            _ => false,
        }
    }

    pub(super) fn erased(place: &str) -> Self {
        let words =
            "somebody erased it, or made it again with other settings, while it was in use: run the same command again";
        Self::of(place, Problem::Words(words))
    }

    pub(super) fn missing(place: &str) -> Self {
        let words = "there is no index of this name: check the address and the name, or add documents to it first";
        Self::of(place, Problem::Words(words))
    }

    pub(super) fn damaged(place: &str) -> Self {
        let words = "one of its values has an unknown form: erase the index and add the documents again, or choose another name \
                     (?name=…)";
        Self::of(place, Problem::Words(words))
    }

    pub(super) fn contended(place: &str) -> Self {
        let words = "other processes add similar documents faster than this one can decide: run the same command again";
        Self::of(place, Problem::Words(words))
    }

    pub(super) fn evicting(place: &str) -> Self {
        let words = "its server evicts keys when its memory is full, which would destroy the index: set maxmemory-policy to noeviction, \
                     or to one of the volatile policies";
        Self::of(place, Problem::Words(words))
    }

    pub(super) fn format(place: &str, found: String, wanted: u8) -> Self {
        Self::of(place, Problem::Format { found, wanted })
    }

    pub(super) fn rule(place: &str, found: String, wanted: String) -> Self {
        let or_none = |rule: String| if rule.is_empty() { "none".to_owned() } else { rule };
        let (found, wanted) = (or_none(found), or_none(wanted));
        Self::of(place, Problem::Rule { found, wanted })
    }
}

/// What the server or the connection said, and what to do.
fn in_words(error: &RedisError) -> String {
    let said = || match error.detail() {
        Some(detail) => format!("{} {detail}", error.code().unwrap_or_default())
            .trim()
            .to_owned(),
        None => error.to_string(),
    };
    // A script passes on the code of the command that failed.
    let has_code = |code: &str| error.code() == Some(code) || said().contains(code);
    match error.kind() {
        ErrorKind::Io if error.is_timeout() => {
            "the server did not answer in time: see that it runs and can be reached, then run the same command again".to_owned()
        }
        ErrorKind::Io if error.is_connection_refusal() => {
            "no server listens there: start it, or correct host and port".to_owned()
        }
        ErrorKind::Io => format!(
            "the connection failed or broke ({error}): see that the server runs and can be reached, then run the same command again"
        ),
        ErrorKind::AuthenticationFailed => {
            "the server refuses the user or the password: correct them".to_owned()
        }
        _ if has_code("NOAUTH") || has_code("WRONGPASS") => {
            "the server wants a password: put USER:PASSWORD@ or :PASSWORD@ before the host".to_owned()
        }
        _ if has_code("WRONGTYPE") => {
            "one of its keys holds a value of another type, which something else wrote: choose another name (?name=…), or delete that \
             key"
                .to_owned()
        }
        _ if has_code("OOM") => {
            "the memory of the server is full: raise its maxmemory, then run the same command again".to_owned()
        }
        ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::Ask) => match error.redirect_node() {
            Some((node, _)) => format!("another node of the cluster holds it: use redis://{node}"),
            None => "another node of the cluster holds it: use the address of that node".to_owned(),
        },
        ErrorKind::Server(ServerErrorKind::ReadOnly) => {
            "the server is a replica, which takes no writes: use the address of its primary".to_owned()
        }
        ErrorKind::Server(ServerErrorKind::BusyLoading) => {
            "the server is still loading its data: run the same command again in a while".to_owned()
        }
        ErrorKind::Server(ServerErrorKind::NoPerm) => {
            format!("the server forbids its user a command ({}): allow hashes, lists and scripts", said())
        }
        _ => format!("the server refused a command: {}", said()),
    }
}
