//! The log-ins that pages wait for.
//!
//! ```text
//! log-in  needed ──a page that may be fetched──▶ asked ──the sign of success──▶ in ──a page without the session──▶ needed
//!                                                asked ──refused, or out of reach three times──▶ failed (for this run)
//! ```
//!
//! A refused log-in is not repeated in the same run, because sites lock accounts after a few attempts. A session that lapses is renewed,
//! within a bound: see [`MAX_LOGINS`].

use storage::QueuedUrl;
use url::Url;
use web::politeness::Now;

use super::Frontier;
use super::host_logins::{HostLogins, LoginState};
use super::state::OriginState;
use super::waiting::WaitingUrl;
use crate::login::{LoginAnswer, LoginErrand};
use crate::messages::Errand;
use config::settings::Logins;

/// Log-ins of a section in one run before it must bring pages.
const MAX_LOGINS: u64 = 5;

/// Pages with which a section earns a further log-in.
const PAGES_PER_LOGIN: u64 = 10;

/// Failures in a row, other than refusals, after which the run gives the log-in up.
const MAX_FAILURES: u8 = 3;

/// One log-in of the crawl.
#[derive(Debug, Default)]
struct Standing {
    state: LoginState,
    /// Log-ins so far.
    logins: u64,
    /// Pages that came with a session.
    pages: u64,
    /// Failures in a row.
    failures: u8,
}

/// The log-ins of the crawl.
#[derive(Debug)]
pub(super) struct CrawlLogins {
    rules: Logins,
    all: Vec<Standing>,
}

impl CrawlLogins {
    pub(super) fn new(rules: &Logins) -> Self {
        Self {
            all: rules.all().iter().map(|_| Standing::default()).collect(),
            rules: rules.clone(),
        }
    }

    /// The log-ins of the host with this key; `None` if it has none.
    pub(super) fn of_host(&self, name: &str) -> Option<Box<HostLogins>> {
        let rules = self.rules.all().iter().enumerate();
        let own = rules.filter(|(_, rule)| rule.login.is_for_host(name));
        let states: Vec<_> = own.map(|(login, _)| (login, self.all[login].state.clone())).collect();
        (!states.is_empty()).then(|| Box::new(HostLogins::new(states, self.rules.clone())))
    }
}

impl Frontier {
    /// Begins the log-in that pages of the host wait for, if there is one.
    pub(super) fn begin_wanted_login(&mut self, name: &str, now: Now) {
        let host = self.hosts.get_mut(name);
        let wanted = host.and_then(|host| host.logins.as_mut()?.take_wanted());
        let Some(login) = wanted else { return };
        let standing = &mut self.logins.all[login];
        if standing.state != LoginState::Needed {
            return;
        }
        let may = standing.logins < MAX_LOGINS + standing.pages / PAGES_PER_LOGIN;
        if !may {
            let why = format!("the session lapsed {} times after few pages", standing.logins);
            return self.login_failed(login, why, now);
        }
        self.set_login(login, LoginState::Asked, now);
        self.ask_for_login(login, now);
    }

    fn ask_for_login(&mut self, login: usize, now: Now) {
        let form = self.logins.rules.all()[login].login.form_url().clone();
        tracing::info!(form = %form.path(), login = login + 1, "log-in");
        self.add_errand(Errand::Login(Box::new(LoginErrand::first(login, &form))), now);
    }

    /// Takes in the answer to a request of a log-in.
    pub(super) fn on_login_answer(&mut self, errand: &LoginErrand, answer: LoginAnswer, now: Now) {
        let login = errand.login;
        match answer {
            LoginAnswer::LoggedIn => {
                let standing = &mut self.logins.all[login];
                standing.logins += 1;
                standing.failures = 0;
                let session = standing.logins;
                tracing::info!(login = login + 1, session, "logged in");
                self.set_login(login, LoginState::In(session), now);
            }
            LoginAnswer::Next(next) => self.add_errand(Errand::Login(Box::new(next)), now),
            LoginAnswer::Refused(why) => self.login_failed(login, why, now),
            LoginAnswer::Unreachable(why) => {
                let standing = &mut self.logins.all[login];
                standing.failures += 1;
                if standing.failures >= MAX_FAILURES {
                    self.login_failed(login, why, now);
                } else {
                    // The gate of the host keeps the tries apart.
                    self.ask_for_login(login, now);
                }
            }
        }
    }

    /// Ends a log-in that this run cannot make. What waits for it stays in the store.
    pub(super) fn login_failed(&mut self, login: usize, why: String, now: Now) {
        let name = &self.logins.rules.all()[login].name;
        tracing::error!("the log-in {name} failed, and its pages wait for the next run: {why}");
        let why = format!("log-in {name}: {why}").into();
        self.set_login(login, LoginState::Failed(why), now);
    }

    pub(super) fn set_login(&mut self, login: usize, state: LoginState, now: Now) {
        self.logins.all[login].state = state.clone();
        let names = self
            .hosts
            .iter()
            .filter(|(_, host)| host.logins.as_ref().is_some_and(|logins| logins.has(login)));
        let names: Vec<String> = names.map(|(name, _)| name.clone()).collect();
        for name in names {
            let host = self.host(&name);
            if let Some(logins) = &mut host.logins {
                logins.set(login, &state);
            }
            match &state {
                LoginState::Failed(why) => {
                    for origin in host.origins_awaiting(login) {
                        host.settle(origin, OriginState::GivenUp { why: why.to_string() });
                    }
                }
                LoginState::Asked => {}
                LoginState::In(_) | LoginState::Needed => host.end_wait(),
            }
            self.schedule(&name, now);
        }
    }

    /// Notes that a URL has its outcome. If it was asked for with a session, it came with it.
    pub(super) fn came_with_session(&mut self, name: &str, seq: u64) {
        let host = self.hosts.get_mut(name);
        let Some(logins) = host.and_then(|host| host.logins.as_mut()) else {
            return;
        };
        if logins.decided(seq) {
            logins.all().for_each(|login| self.logins.all[login].pages += 1);
        }
    }

    /// A page came without the session. It waits for the next one, and is fetched again.
    pub(super) fn on_logged_out(&mut self, queued: QueuedUrl, now: Now) {
        let name = queued.host.clone();
        let session = self.leave_process(&queued);
        let is_here = self.is_here(&name);
        let login = Url::parse(&queued.url).ok();
        let login = login.and_then(|url| Some(self.logins.rules.of(&url)?.0));
        let host = self.host(&name);
        let seq = queued.seq;
        if is_here {
            host.queue.put_back(WaitingUrl::new(queued));
        }
        // Another page may have shown before that the session has lapsed.
        if let Some(login) = login
            && session.is_some_and(|session| self.logins.all[login].state == LoginState::In(session))
        {
            // The second time, it is the page: it never shows itself to the user, or it logs the user out.
            let logins = self.host(&name).logins.as_mut();
            if logins.is_some_and(|logins| logins.note_repeat(seq) == 1) {
                tracing::info!(login = login + 1, "the session lapsed");
                self.set_login(login, LoginState::Needed, now);
            }
        }
        self.schedule(&name, now);
    }
}
