//! Cookies (RFC 6265 and its successor draft 6265bis), for sites that require them.
//!
//! Each log-in has a jar of its own, which only requests to the origins of the log-in use. RFC 6265 alone would send its session to other
//! ports of the host, and to other hosts if the site says so. All other requests share one jar.
//!
//! - `jar`: a jar within bounds
//! - `date`: when a cookie expires
//! - `file`: cookies in the format of Netscape's cookies.txt

mod date;
mod file;
mod jar;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use reqwest::header::{HeaderMap, HeaderValue, SET_COOKIE};
use url::Url;

use super::login::Login;
use super::settings::FetchSettings;
use file::FileCookie;
use jar::CookieJar;

pub(super) use date::cookie_date;
pub use file::{BadLine, CookiesFile, MAX_COOKIES_FILE_BYTES};
pub(super) use jar::is_secure;

/// Begins the lines of a log-in in a file of kept cookies. The URL of its form follows.
const OF_LOGIN: &str = "# log-in ";

/// The first line of a file of kept cookies.
const HEADER: &str = "# Netscape HTTP Cookie File\n\
    # Sessions of the crawler (fetch.keep_cookies). Whoever has this file can act as their user.\n";

/// Shortest value that is worth hiding in other header fields. Shorter ones, such as 1, are everywhere.
const MIN_HIDDEN_BYTES: usize = 8;

/// The cookies of two requests, to compare: equal marks stand for equal cookies, `None` for none. Marks hold no secret, and mean nothing
/// outside of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CookieMarks {
    /// The cookies of the request.
    pub sent: Option<u64>,
    /// The cookies for the target of the redirect after the response has set its own; for the URL itself if the server does not redirect.
    pub for_target: Option<u64>,
}

/// The cookies of a run.
#[derive(Debug)]
pub(super) struct Cookies {
    common: CookieJar,
    /// Whether the common jar takes the cookies of all sites, and not only of those to which the operator gave some.
    takes_all: bool,
    logins: Vec<(Arc<Login>, CookieJar)>,
    /// The cookies of the operator.
    file: CookiesFile,
    /// Counts the responses with cookies.
    changes: AtomicU64,
    /// Makes the marks of this run.
    key: RandomState,
}

impl Cookies {
    pub(super) fn new(settings: &FetchSettings) -> Self {
        let logins = settings.logins.iter();
        let cookies = Self {
            common: CookieJar::default(),
            takes_all: settings.cookies,
            logins: logins.map(|login| (Arc::clone(login), CookieJar::default())).collect(),
            file: settings.cookies_file.clone(),
            changes: AtomicU64::new(0),
            key: RandomState::new(),
        };
        cookies.give();
        cookies
    }

    /// Puts the cookies of the file into the common jar, and into those of the log-ins.
    fn give(&self) {
        let now = SystemTime::now();
        let jars = self.logins.iter().map(|(_, jar)| jar).chain([&self.common]);
        jars.for_each(|jar| self.file.cookies.iter().for_each(|cookie| jar.give(cookie, now)));
    }

    fn of_login(&self, url: &Url) -> Option<&CookieJar> {
        let found = self.logins.iter().find(|(login, _)| login.is_for(url));
        found.map(|(_, jar)| jar)
    }

    /// The `Cookie` header of a request.
    pub(super) fn header(&self, url: &Url) -> Option<HeaderValue> {
        self.of_login(url).unwrap_or(&self.common).header(url)
    }

    /// The mark of the cookies of a request.
    pub(super) fn mark(&self, url: &Url) -> Option<u64> {
        self.header(url).map(|cookies| self.key.hash_one(cookies.as_bytes()))
    }

    /// Whether the cookies of the URL are the session of a user, and not those of a visitor.
    pub(super) fn are_of_user(&self, url: &Url) -> bool {
        self.of_login(url).is_some() || self.common.has_given(url)
    }

    /// Stores the cookies that a response sets. If they are the session of a user, removes their values from the response, also where
    /// other fields repeat them: the archive must not hold them.
    pub(super) fn take(&self, url: &Url, headers: &mut HeaderMap) {
        let jar = self.of_login(url);
        let is_of_user = self.are_of_user(url);
        if jar.is_none() && !self.takes_all && !is_of_user {
            return;
        }
        let jar = jar.unwrap_or(&self.common);
        if jar.take(url, headers) {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
        if !is_of_user {
            return;
        }
        let mut hidden = jar.values(url);
        hidden.retain(|value| value.len() >= MIN_HIDDEN_BYTES);
        for (name, value) in headers.iter_mut() {
            let holds = |text: &String| memchr::memmem::find(value.as_bytes(), text.as_bytes()).is_some();
            if name == SET_COOKIE || hidden.iter().any(holds) {
                *value = HeaderValue::from_static("");
            }
        }
    }

    /// Counts the changes, so that nothing is written if there was none.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// All cookies in Netscape's format, those of each log-in apart.
    pub(super) fn to_text(&self) -> String {
        let mut text = HEADER.to_owned();
        let lines = |jar: &CookieJar| jar.cookies().iter().map(FileCookie::line).collect::<String>();
        text.push_str(&lines(&self.common));
        for (login, jar) in &self.logins {
            text.push_str(&format!("{OF_LOGIN}{}\n{}", login.form_url(), lines(jar)));
        }
        text
    }

    /// Takes the cookies of [`to_text`](Self::to_text) back. Those of a log-in that is not configured any more are left out. A file of the
    /// operator that is newer than `kept_at` comes after them.
    ///
    /// # Errors
    /// The text is not in Netscape's format.
    pub(super) fn restore(&self, text: &str, kept_at: SystemTime) -> Result<(), String> {
        let now = SystemTime::now();
        let mut parts = text.split(OF_LOGIN);
        let common = CookiesFile::parse(parts.next().unwrap_or_default())?;
        // A visitor's cookies are no session of a user's.
        for cookie in &common.cookies {
            if let Some((url, field)) = cookie.as_set(now)
                && let Ok(field) = HeaderValue::from_str(&field)
                && (self.takes_all || self.common.has_given(&url))
            {
                self.common.take(&url, &HeaderMap::from_iter([(SET_COOKIE, field)]));
            }
        }
        for part in parts {
            let (url, lines) = part.split_once('\n').unwrap_or((part, ""));
            let known = self
                .logins
                .iter()
                .find(|(login, _)| login.form_url().as_str() == url.trim());
            if let Some((_, jar)) = known {
                let file = CookiesFile::parse(lines)?;
                file.cookies.iter().for_each(|cookie| jar.give(cookie, now));
            }
        }
        if self.file.modified.is_some_and(|modified| modified > kept_at) {
            self.give();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
