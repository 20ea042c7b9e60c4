//! The log-ins that the pages of one host need.

use std::collections::HashMap;
use std::sync::Arc;

use url::Url;

use crate::messages::Unfit;
use config::settings::Logins;

/// How often a page is fetched again because it came without a session that was new to it.
const MAX_REPEATS: u8 = 1;

/// The state of a log-in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum LoginState {
    #[default]
    Needed,
    /// Its requests are being made.
    Asked,
    /// The number of the session.
    In(u64),
    /// For this reason.
    Failed(Arc<str>),
}

/// The log-ins that the pages of one host need.
#[derive(Debug)]
pub(super) struct HostLogins {
    rules: Logins,
    /// The state of each, by its index.
    states: Vec<(usize, LoginState)>,
    /// The session with which a URL in process was asked for, by the `seq` of the URL.
    sessions: HashMap<u64, u64>,
    /// How often a URL came without the session.
    repeats: HashMap<u64, u8>,
    /// A log-in that a page waits for and nobody has begun.
    wanted: Option<usize>,
}

/// Whether a page may be fetched now, as far as log-ins decide it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LoginRuling {
    Granted,
    /// It waits for the log-in.
    Wait,
    /// The run gives its origin up, for this reason.
    GiveUp(Arc<str>),
    /// It never comes with the session.
    Fail(Unfit),
}

impl HostLogins {
    /// The log-ins of a host, each with its index and its state.
    pub(super) fn new(states: Vec<(usize, LoginState)>, rules: Logins) -> Self {
        Self {
            rules,
            states,
            sessions: HashMap::new(),
            repeats: HashMap::new(),
            wanted: None,
        }
    }

    /// Whether the URL needs the log-in with this index.
    pub(super) fn needs(&self, url: &Url, login: usize) -> bool {
        self.rules.of(url).is_some_and(|(of, _)| of == login)
    }

    /// Whether the log-in with this index is one of the host's.
    pub(super) fn has(&self, login: usize) -> bool {
        self.states.iter().any(|(own, _)| *own == login)
    }

    /// The indexes of the log-ins.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> {
        self.states.iter().map(|(login, _)| *login)
    }

    /// A log-in that a page waits for and nobody has begun.
    pub(super) fn take_wanted(&mut self) -> Option<usize> {
        self.wanted.take()
    }

    /// Notes that a URL came without a session that was new to it. Returns how often it did.
    pub(super) fn note_repeat(&mut self, seq: u64) -> u8 {
        let repeats = self.repeats.entry(seq).or_default();
        *repeats += 1;
        *repeats
    }

    /// Notes that a URL has its outcome. Returns whether it was asked for with a session.
    pub(super) fn decided(&mut self, seq: u64) -> bool {
        self.repeats.remove(&seq);
        self.end(seq).is_some()
    }

    /// The ruling on a URL.
    pub(super) fn ruling(&mut self, seq: u64, url: &Url) -> LoginRuling {
        let Some((login, _)) = self.rules.of(url) else {
            return LoginRuling::Granted;
        };
        if self.repeats.get(&seq).is_some_and(|repeats| *repeats > MAX_REPEATS) {
            self.repeats.remove(&seq);
            return LoginRuling::Fail(Unfit {
                kind: "logged_out",
                detail: "the page came without the session, also after a new log-in".to_owned(),
            });
        }
        match self
            .states
            .iter()
            .find(|(own, _)| *own == login)
            .map(|(_, state)| state)
        {
            None | Some(LoginState::In(_)) => LoginRuling::Granted,
            Some(LoginState::Needed) => {
                self.wanted = Some(login);
                LoginRuling::Wait
            }
            Some(LoginState::Asked) => LoginRuling::Wait,
            Some(LoginState::Failed(why)) => LoginRuling::GiveUp(Arc::clone(why)),
        }
    }

    /// Notes that a URL is asked for.
    pub(super) fn begin(&mut self, seq: u64, url: &Url) {
        let login = self.rules.of(url).map(|(login, _)| login);
        let state = self.states.iter().find(|(own, _)| Some(*own) == login);
        if let Some((_, LoginState::In(session))) = state {
            self.sessions.insert(seq, *session);
        }
    }

    /// Whether a log-in of the host is being made.
    pub(super) fn are_asked(&self) -> bool {
        self.states.iter().any(|(_, state)| *state == LoginState::Asked) || self.wanted.is_some()
    }

    /// Notes that a URL is not in process any more. Returns the session with which it was asked for.
    pub(super) fn end(&mut self, seq: u64) -> Option<u64> {
        self.sessions.remove(&seq)
    }

    pub(super) fn set(&mut self, login: usize, state: &LoginState) {
        let own = self.states.iter_mut().find(|(own, _)| *own == login);
        own.into_iter().for_each(|own| own.1 = state.clone());
    }
}
