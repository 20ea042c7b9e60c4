//! Cookies in the format of Netscape's cookies.txt, as the extensions of browsers, curl and wget write it.
//!
//! ```text
//! # Netscape HTTP Cookie File
//! .example.org ⇥ TRUE ⇥ / ⇥ TRUE ⇥ 1790000000 ⇥ session ⇥ abc
//! domain         below?  path https?  expiry      name      value
//! ```
//!
//! `below?` says whether the hosts below the domain get the cookie, too; `https?` whether it goes over https alone. The expiry is a Unix
//! time in seconds, 0 for a cookie that ends with the session of the browser. Lines that begin with `#` are comments, except that
//! `#HttpOnly_` before the domain marks a cookie that scripts do not see.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use url::{Host, Url};

use crate::site::is_public_suffix;

/// Longest cookies file, in bytes. The export of a whole browser has some hundred kilobytes.
pub const MAX_COOKIES_FILE_BYTES: usize = 8 * 1024 * 1024;

/// Before the domain of a cookie that scripts do not see. The crawler runs no scripts with these cookies, so it makes no difference.
const HTTP_ONLY: &str = "#HttpOnly_";

/// A cookie of the file.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::fetch) struct FileCookie {
    /// The host, without a leading dot.
    pub domain: String,
    /// Whether the hosts below get it, too.
    pub is_for_subdomains: bool,
    pub path: String,
    pub is_secure: bool,
    /// Unix time in seconds; `None` for a cookie of the session.
    pub expires: Option<u64>,
    pub name: String,
    pub value: String,
}

/// Leaves the value out.
impl fmt::Debug for FileCookie {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("FileCookie");
        shown.field("domain", &self.domain).field("path", &self.path);
        shown.field("name", &self.name).finish_non_exhaustive()
    }
}

/// The cookies of a file.
#[derive(Debug, Clone, Default)]
pub struct CookiesFile {
    pub(in crate::fetch) cookies: Vec<FileCookie>,
    /// The lines that are no cookies.
    pub bad_lines: Vec<BadLine>,
    /// When the file was last changed, if that is known.
    pub modified: Option<SystemTime>,
}

/// A line that is no cookie. It does not show the line, which may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, counted from 1.
    pub number: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl CookiesFile {
    /// Reads the text of a cookies file.
    ///
    /// # Errors
    /// No line is a cookie, and at least one line should be: the file has another format.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut file = Self::default();
        for (index, line) in text.lines().enumerate() {
            match cookie(line) {
                Ok(cookie) => file.cookies.extend(cookie),
                Err(reason) => file.bad_lines.push(BadLine {
                    number: index + 1,
                    reason,
                }),
            }
        }
        match file.bad_lines.first() {
            Some(bad) if file.cookies.is_empty() => Err(format!(
                "has no cookie in Netscape format, as browser extensions export it to cookies.txt; line {}: {}",
                bad.number, bad.reason
            )),
            _ => Ok(file),
        }
    }

    /// Whether the file has no cookie.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cookies.is_empty()
    }
}

/// The cookie of a line; `None` for a comment or an empty line.
fn cookie(line: &str) -> Result<Option<FileCookie>, String> {
    let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
    let line = match line.strip_prefix(HTTP_ONLY) {
        Some(rest) => rest,
        None if line.trim().is_empty() || line.starts_with('#') => return Ok(None),
        None => line,
    };
    let fields: Vec<&str> = line.split('\t').collect();
    let (domain, below, path, https, expires, name, value) = match fields[..] {
        [domain, below, path, https, expires, name, value] => (domain, below, path, https, expires, name, value),
        // Some programs write no last tab before an empty value.
        [domain, below, path, https, expires, name] => (domain, below, path, https, expires, name, ""),
        _ => {
            return Err(format!(
                "it has {} fields separated by tabs, and a cookie has 7",
                fields.len()
            ));
        }
    };
    let is_for_subdomains = flag(below).ok_or("its second field must be TRUE or FALSE")?;
    let is_secure = flag(https).ok_or("its fourth field must be TRUE or FALSE")?;
    let domain = host(domain).ok_or("its first field is not the name of a host")?;
    if is_for_subdomains && is_public_suffix(&domain) {
        return Err(format!(
            "{domain} is a public suffix, so no cookie is for all hosts below it"
        ));
    }
    if !path.starts_with('/') {
        return Err("its third field must be a path that begins with /".into());
    }
    // Browsers write fractions, and negative numbers for cookies of the session.
    let seconds: f64 = expires
        .trim()
        .parse()
        .map_err(|_| "its fifth field must be a time in seconds")?;
    let is_unsafe = |text: &str| text.chars().any(|each| each.is_control() || each == ';');
    if name.is_empty() || name.contains('=') || is_unsafe(name) || is_unsafe(value) || is_unsafe(path) {
        return Err("its path, name or value has a character that a cookie cannot have".into());
    }
    Ok(Some(FileCookie {
        domain,
        is_for_subdomains,
        path: path.to_owned(),
        is_secure,
        expires: (seconds > 0.0).then_some(seconds as u64),
        name: name.to_owned(),
        value: value.to_owned(),
    }))
}

fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_uppercase().as_str() {
        "TRUE" => Some(true),
        "FALSE" => Some(false),
        _ => None,
    }
}

/// The canonical form of a host, without a leading dot.
fn host(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('.');
    let is_name = !text.is_empty() && !text.contains(['/', '@', '?', '#', '\\', ':']) || text.starts_with('[');
    let url = Url::parse(&format!("https://{text}/")).ok().filter(|_| is_name)?;
    url.host_str().map(str::to_owned)
}

impl FileCookie {
    /// The URL from which the site could have set the cookie, and the `Set-Cookie` that it would have sent. `None` if the cookie has
    /// expired.
    pub fn as_set(&self, now: SystemTime) -> Option<(Url, String)> {
        let url = Url::parse(&format!("https://{}/", self.domain)).ok()?;
        let mut field = format!("{}={}; Path={}", self.name, self.value, self.path);
        if self.is_for_subdomains && matches!(url.host()?, Host::Domain(_)) {
            field.push_str("; Domain=");
            field.push_str(&self.domain);
        }
        if self.is_secure {
            field.push_str("; Secure");
        }
        if let Some(expires) = self.expires {
            let expires = UNIX_EPOCH.checked_add(Duration::from_secs(expires))?;
            let left = expires.duration_since(now).ok().filter(|left| left.as_secs() > 0)?;
            field.push_str(&format!("; Max-Age={}", left.as_secs()));
        }
        Some((url, field))
    }

    /// The line of the file.
    pub fn line(&self) -> String {
        let flag = |is| if is { "TRUE" } else { "FALSE" };
        let dot = if self.is_for_subdomains { "." } else { "" };
        format!(
            "{dot}{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
            self.domain,
            flag(self.is_for_subdomains),
            self.path,
            flag(self.is_secure),
            self.expires.unwrap_or_default(),
            self.name,
            self.value
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# Netscape HTTP Cookie File\n\
        # https://curl.se/docs/http-cookies.html\n\
        \n\
        .example.org\tTRUE\t/\tTRUE\t1790000000\tsession\tabc=d\n\
        #HttpOnly_www.example.org\tFALSE\t/app\tFALSE\t0\tid\tx y\r\n\
        127.0.0.1\tFALSE\t/\tFALSE\t0\tempty\n\
        example.org\tTRUE\t/\tFALSE\t-1\told\t1\n\
        example.org\tTRUE\t/\tFALSE\t1790000000.25\tfraction\t1\n";

    #[test]
    fn every_form_that_programs_write_is_read() {
        let file = CookiesFile::parse(FILE).unwrap();
        assert_eq!(file.bad_lines, []);
        let seen: Vec<_> = file
            .cookies
            .iter()
            .map(|cookie| {
                let domain = cookie.domain.as_str();
                (
                    domain,
                    cookie.is_for_subdomains,
                    cookie.is_secure,
                    cookie.expires,
                    cookie.value.as_str(),
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("example.org", true, true, Some(1_790_000_000), "abc=d"),
                ("www.example.org", false, false, None, "x y"),
                ("127.0.0.1", false, false, None, ""),
                ("example.org", true, false, None, "1"),
                ("example.org", true, false, Some(1_790_000_000), "1"),
            ]
        );
        let written: String = file.cookies.iter().map(FileCookie::line).collect();
        assert_eq!(CookiesFile::parse(&written).unwrap().cookies, file.cookies);
    }

    #[test]
    fn a_broken_line_is_told_by_its_number_and_without_its_content() {
        let whole = "example.org\tFALSE\t/\tFALSE\t0\ta\ts3cret\n";
        for (line, reason) in [
            ("example.org FALSE / FALSE 0 a s3cret", "1 fields"),
            ("example.org\tYES\t/\tFALSE\t0\ta\ts3cret", "second field"),
            ("example.org\tTRUE\t/\t1\t0\ta\ts3cret", "fourth field"),
            ("example.org\tTRUE\tapp\tFALSE\t0\ta\ts3cret", "third field"),
            ("example.org\tTRUE\t/\tFALSE\tsoon\ta\ts3cret", "fifth field"),
            ("a b\tTRUE\t/\tFALSE\t0\ta\ts3cret", "name of a host"),
            ("u@h\tTRUE\t/\tFALSE\t0\ta\ts3cret", "name of a host"),
            ("co.uk\tTRUE\t/\tFALSE\t0\ta\ts3cret", "public suffix"),
            ("example.org\tTRUE\t/\tFALSE\t0\t\ts3cret", "character"),
            ("example.org\tTRUE\t/\tFALSE\t0\ta\ts3cret; Domain=org", "character"),
            ("example.org\tTRUE\t/\tFALSE\t0\ta\ts3\tcret", "8 fields"),
        ] {
            let file = CookiesFile::parse(&format!("{whole}{line}\n{whole}")).unwrap();
            let [bad] = &file.bad_lines[..] else {
                panic!("{line:?}: {:?}", file.bad_lines)
            };
            assert_eq!((bad.number, file.cookies.len()), (2, 2));
            assert!(bad.reason.contains(reason) && !bad.reason.contains("cret"), "{bad:?}");
            assert!(!format!("{file:?}").contains("cret"));
        }
        let error = CookiesFile::parse("[{\"name\": \"a\", \"value\": \"s3cret\"}]").unwrap_err();
        assert!(error.contains("line 1") && !error.contains("s3cret"), "{error}");
        assert!(CookiesFile::parse("# nothing\n").unwrap().is_empty());
    }
}
