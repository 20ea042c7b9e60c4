//! The requests of a log-in and their answers.
//!
//! ```text
//! needed ─▶ form ─▶ sent ─▶ after ─▶ logged in          every arrow is a request that passes the gate of its host,
//!            │                                          or a redirect that leads to the next request
//!            └─ the page shows the user already ─▶ logged in
//! ```

use page::Form;
use url::Url;

/// Most redirects of a log-in.
pub(crate) const MAX_LOGIN_REDIRECTS: u8 = 10;

/// One request of a log-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoginErrand {
    /// The index of the section.
    pub login: usize,
    /// The URL to ask for.
    pub url: Url,
    /// What the request is for.
    pub step: LoginStep,
    /// Redirects followed so far.
    pub redirects: u8,
}

/// What a request of a log-in is for.
#[expect(clippy::large_enum_variant, reason = "a run has few of them at a time")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LoginStep {
    /// The page with the form.
    Form,
    /// The form of the page at this URL is sent.
    Send(Url, Form),
    /// The page to which the server leads after the form was sent.
    After,
}

/// What the answer to a request of a log-in means.
#[expect(clippy::large_enum_variant, reason = "a run has few of them at a time")]
#[derive(Debug)]
pub(crate) enum LoginAnswer {
    /// The user is logged in.
    LoggedIn,
    /// Another request follows.
    Next(LoginErrand),
    /// The log-in cannot succeed in this run, for this reason.
    Refused(String),
    /// The answer may be another one later.
    Unreachable(String),
}

impl LoginErrand {
    /// The first request of a log-in.
    pub fn first(login: usize, form: &Url) -> Self {
        Self {
            login,
            url: form.clone(),
            step: LoginStep::Form,
            redirects: 0,
        }
    }
}
