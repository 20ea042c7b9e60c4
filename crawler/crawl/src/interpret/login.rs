//! The answers to the requests of a log-in, and the pages that were not made for the user.

use page::{Form, Shown};
use storage::{Outcome, QueuedUrl, stored_text};
use url::Url;
use web::fetch::{FetchError, Login, Response};

use super::{Interpreter, outcome, redirect};
use crate::login::{LoginAnswer, LoginErrand, LoginStep, MAX_LOGIN_REDIRECTS};
use crate::messages::{Event, Meaning};
use config::settings::LoginRule;

/// Most characters of a title in a message.
const MAX_TITLE_CHARS: usize = 80;

impl Interpreter {
    pub(super) fn login(&self, errand: LoginErrand, answer: Result<Response, FetchError>) -> Meaning {
        let answer = match (self.settings.logins.all().get(errand.login), answer) {
            (None, _) => LoginAnswer::Refused("the configuration does not have it".into()),
            (Some(_), Err(error)) if error.is_transient() => LoginAnswer::Unreachable(error.to_string()),
            (Some(_), Err(error)) => LoginAnswer::Refused(error.to_string()),
            (Some(rule), Ok(response)) => answered(rule, &errand, &response),
        };
        Meaning::Event(Event::Login {
            errand: Box::new(errand),
            answer,
        })
    }

    /// What becomes of a response that needs a log-in and was not made for the user; `None` for any other response.
    pub(super) fn logged_out(&self, queued: &QueuedUrl, url: &Url, response: &Response) -> Option<Meaning> {
        let (_, rule) = self.settings.logins.of(url)?;
        if !is_logged_out(rule, url, response) {
            return None;
        }
        let queued = queued.clone();
        // A site may show its form to users as well.
        if rule.login.is_form(url) {
            let reason = "the form of a log-in".to_owned();
            return Some(Meaning::Record(match queued.revisits {
                Some(_) => super::missing(queued, response, Vec::new()),
                None => outcome(queued, Outcome::Excluded { reason }),
            }));
        }
        Some(self.without_session(queued))
    }

    /// The meaning of a page that came without the session that it needs.
    pub(super) fn without_session(&self, queued: QueuedUrl) -> Meaning {
        tracing::debug!(url = %queued.url, "fetched without the session");
        Meaning::Event(Event::LoggedOut { queued })
    }

    /// Whether the redirect from `url` to `target` leads to the form of the log-in that `url` needs.
    pub(super) fn leads_to_form(&self, url: &Url, target: &Url) -> bool {
        let rule = self.settings.logins.of(url).map(|(_, rule)| rule);
        rule.is_some_and(|rule| rule.login.is_form(target) && !rule.login.is_form(url))
    }
}

/// Whether a response of the log-in's origins, other than a redirect, was not made for the user.
fn is_logged_out(rule: &LoginRule, url: &Url, response: &Response) -> bool {
    if response.status == 401 {
        return true;
    }
    let Some(shown) = shown(url, response) else {
        return false;
    };
    match &rule.lapsed {
        Some(sign) => shown.has(sign),
        None => form_of(&rule.login, &shown).is_some(),
    }
}

fn shown(url: &Url, response: &Response) -> Option<Shown> {
    let body = response.body.as_ref().filter(|_| response.is_success())?;
    Shown::of(body, &response.headers, url)
}

/// The form that has the fields of the log-in.
fn form_of(login: &Login, shown: &Shown) -> Option<Form> {
    shown.forms().into_iter().find(|form| form.has_all(login.fields()))
}

fn answered(rule: &LoginRule, errand: &LoginErrand, response: &Response) -> LoginAnswer {
    let url = &errand.url;
    match redirect::target(url, response) {
        Some(Ok(target)) => return redirected(rule, errand, target, response.status),
        Some(Err(detail)) => return LoginAnswer::Refused(told(rule, &detail)),
        None => {}
    }
    if matches!(response.status, 408 | 429 | 500 | 502 | 503 | 504) {
        return LoginAnswer::Unreachable(format!("HTTP status {} for {}", response.status, url.path()));
    }
    let shown = shown(url, response);
    if shown.as_ref().is_some_and(|shown| shown.has(&rule.success)) {
        return LoginAnswer::LoggedIn;
    }
    let Some(shown) = shown else {
        return LoginAnswer::Refused(told(
            rule,
            &format!("HTTP status {} for {}", response.status, url.path()),
        ));
    };
    match errand.step {
        LoginStep::Form => sent(rule, errand, &shown),
        LoginStep::Send(..) | LoginStep::After => {
            let title: String = shown.title().chars().take(MAX_TITLE_CHARS).collect();
            let detail = format!(
                "the page after the log-in does not show the sign of success (HTTP status {} for {}, title {title:?}); check the fields and \
                 `success`",
                response.status,
                url.path()
            );
            LoginAnswer::Refused(told(rule, &detail))
        }
    }
}

/// The next request after a redirect.
fn redirected(rule: &LoginRule, errand: &LoginErrand, target: Url, status: u16) -> LoginAnswer {
    let login = &rule.login;
    if !login.is_for(&target) {
        return LoginAnswer::Refused(elsewhere("the site redirects the log-in", &target));
    }
    if login.is_told_in(target.as_str()) {
        return LoginAnswer::Refused("the site redirects to a URL that holds a secret field".into());
    }
    if errand.redirects >= MAX_LOGIN_REDIRECTS {
        return LoginAnswer::Refused(format!("more than {MAX_LOGIN_REDIRECTS} redirects"));
    }
    let step = match &errand.step {
        // These two repeat the request as it was (RFC 9110, sections 15.4.8 and 15.4.9).
        LoginStep::Send(..) if matches!(status, 307 | 308) => errand.step.clone(),
        LoginStep::Send(..) | LoginStep::After => LoginStep::After,
        LoginStep::Form => LoginStep::Form,
    };
    LoginAnswer::Next(LoginErrand {
        login: errand.login,
        url: target,
        step,
        redirects: errand.redirects + 1,
    })
}

/// The request that sends the form of the page.
fn sent(rule: &LoginRule, errand: &LoginErrand, shown: &Shown) -> LoginAnswer {
    let login = &rule.login;
    let Some(mut form) = form_of(login, shown) else {
        let wanted: Vec<&str> = login.fields().collect();
        let found: Vec<String> = shown
            .forms()
            .iter()
            .map(|form| {
                form.fields
                    .iter()
                    .map(|field| field.name.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            })
            .collect();
        let found = if found.is_empty() {
            "it has no form".to_owned()
        } else {
            format!("its forms have the fields {}", found.join("; "))
        };
        let detail = format!(
            "no form at {} has the fields {}: {found}",
            errand.url.path(),
            wanted.join(", ")
        );
        return LoginAnswer::Refused(told(rule, &stored_text(&detail)));
    };
    if !login.is_for(&form.action) {
        return LoginAnswer::Refused(elsewhere("the form leads", &form.action));
    }
    if !form.is_post {
        return LoginAnswer::Refused("the form would put the fields into a URL, because its method is not POST".into());
    }
    let plain = |field: &&page::FormField| {
        field.is_password && login.fields().any(|name| name == field.name) && !login.is_from_environment(&field.name)
    };
    if let Some(field) = form.fields.iter().find(plain) {
        return LoginAnswer::Refused(format!(
            "the field {:?} is a password, so its value must come from the environment: \"env:NAME\"",
            field.name
        ));
    }
    form.fields
        .retain(|field| field.is_sent && !login.fields().any(|name| name == field.name));
    LoginAnswer::Next(LoginErrand {
        login: errand.login,
        url: form.action.clone(),
        step: LoginStep::Send(errand.url.clone(), form),
        redirects: errand.redirects,
    })
}

fn elsewhere(what: &str, target: &Url) -> String {
    let origin = target.origin().ascii_serialization();
    format!(
        "{what} to another origin, {origin}, so nothing was sent there; if it belongs to the site, name it in `origins`"
    )
}

/// The message, or another one if a page repeats a secret in it.
fn told(rule: &LoginRule, message: &str) -> String {
    if rule.login.is_told_in(message) {
        "the site answers with a page that repeats a secret field".to_owned()
    } else {
        stored_text(message)
    }
}

/// The meaning of an answer of a log-in whose interpretation panicked.
pub(super) fn panicked(errand: Box<LoginErrand>) -> Meaning {
    Meaning::Event(Event::Login {
        errand,
        answer: LoginAnswer::Refused("a parser panicked".into()),
    })
}
