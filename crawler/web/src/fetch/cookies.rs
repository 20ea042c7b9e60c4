//! Cookies (RFC 6265), for sites that require them. They stay in memory for one run. Bounds keep servers from filling the
//! memory and from making requests too long.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use cookie_store::{CookieStore, RawCookie, StoreAction};
use reqwest::header::{HeaderMap, HeaderValue, SET_COOKIE};
use url::Url;

use crate::site::site;

/// Most cookies of a site (RFC 6265, section 6.1: at least 50). Beyond that, the oldest are dropped.
const MAX_COOKIES: usize = 50;

/// Most bytes of all cookies of a site, attributes included: the length of a header that servers accept.
const MAX_SITE_BYTES: usize = 8 * 1024;

/// Most bytes of one cookie, attributes included. Longer ones are ignored.
const MAX_COOKIE_BYTES: usize = 4 * 1024;

/// Most sites with cookies. Beyond that, the least recently used site is dropped.
const MAX_SITES: usize = 1_000;

/// The cookies of a run. A *site* is a registrable domain. Its hosts can set cookies for one another. No host can set a cookie
/// for another site or for a public suffix such as `co.uk` (RFC 6265, section 5.3, step 5).
#[derive(Debug, Default)]
pub(super) struct CookieJar {
    sites: Mutex<Sites>,
}

#[derive(Debug, Default)]
struct Sites {
    by_name: HashMap<String, Site>,
    /// Counts the uses, to find the least recently used site.
    clock: u64,
}

#[derive(Debug, Default)]
struct Site {
    store: CookieStore,
    /// In the order of their first setting.
    entries: VecDeque<Entry>,
    last_used: u64,
}

#[derive(Debug)]
struct Entry {
    domain: String,
    path: String,
    name: String,
    bytes: usize,
}

impl CookieJar {
    /// The `Cookie` header for a request, longer paths first; `None` if no cookie applies.
    pub(super) fn header(&self, url: &Url) -> Option<HeaderValue> {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let found = sites.get(site(url)?)?;
        let mut cookies = found.store.matches(url);
        cookies.sort_by_key(|cookie| std::cmp::Reverse(String::from(&cookie.path).len()));
        let pairs = cookies.iter().map(|cookie| {
            let (name, value) = cookie.name_value();
            format!("{name}={value}")
        });
        let header = pairs.collect::<Vec<_>>().join("; ");
        let mut header = HeaderValue::from_str(&header).ok().filter(|_| !header.is_empty())?;
        header.set_sensitive(true);
        Some(header)
    }

    /// Stores the cookies that a response sets.
    pub(super) fn take(&self, url: &Url, headers: &HeaderMap) {
        let mut fields = headers.get_all(SET_COOKIE).iter().peekable();
        let Some(name) = site(url).filter(|_| fields.peek().is_some()) else {
            return;
        };
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let of_site = sites.get_or_insert(name.to_owned());
        for field in fields.take(MAX_COOKIES) {
            of_site.take(url, field);
        }
    }
}

impl Sites {
    fn get(&mut self, name: &str) -> Option<&Site> {
        self.clock += 1;
        let site = self.by_name.get_mut(name)?;
        site.last_used = self.clock;
        Some(site)
    }

    fn get_or_insert(&mut self, name: String) -> &mut Site {
        self.clock += 1;
        if self.by_name.len() >= MAX_SITES && !self.by_name.contains_key(&name) {
            let oldest = self.by_name.iter().min_by_key(|(_, site)| site.last_used);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.by_name.remove(&oldest);
            }
        }
        let site = self.by_name.entry(name).or_default();
        site.last_used = self.clock;
        site
    }
}

impl Site {
    /// Stores a cookie. Malformed cookies and cookies for other sites are ignored.
    fn take(&mut self, url: &Url, field: &HeaderValue) {
        let Ok(text) = std::str::from_utf8(field.as_bytes()) else {
            return;
        };
        if text.len() > MAX_COOKIE_BYTES {
            return;
        }
        let Ok(mut raw) = RawCookie::parse(text) else { return };
        if let Some(domain) = raw.domain().map(str::to_ascii_lowercase)
            && is_public_suffix(&domain)
        {
            if url.host_str() != Some(&domain) {
                return;
            }
            raw.unset_domain();
        }
        let Ok(cookie) = cookie_store::Cookie::try_from_raw_cookie(&raw, url) else {
            return;
        };
        let entry = Entry {
            domain: String::from(&cookie.domain),
            path: String::from(&cookie.path),
            name: cookie.name().to_owned(),
            bytes: text.len(),
        };
        match self.store.insert(cookie.into_owned(), url) {
            Ok(StoreAction::Inserted) => self.entries.push_back(entry),
            Ok(StoreAction::UpdatedExisting) => {
                let known = self.entries.iter_mut().find(|known| known.is(&entry));
                known.into_iter().for_each(|known| known.bytes = entry.bytes);
            }
            Ok(StoreAction::ExpiredExisting) => {
                self.store.remove(&entry.domain, &entry.path, &entry.name);
                self.entries.retain(|known| !known.is(&entry));
            }
            Err(_not_ours) => return,
        }
        self.keep_within_bounds();
    }

    fn keep_within_bounds(&mut self) {
        let mut bytes: usize = self.entries.iter().map(|entry| entry.bytes).sum();
        while self.entries.len() > MAX_COOKIES || bytes > MAX_SITE_BYTES {
            let Some(oldest) = self.entries.pop_front() else { return };
            bytes -= oldest.bytes;
            self.store.remove(&oldest.domain, &oldest.path, &oldest.name);
        }
    }
}

impl Entry {
    fn is(&self, other: &Self) -> bool {
        self.domain == other.domain && self.path == other.path && self.name == other.name
    }
}

/// Whether anybody can register a name below `domain`. No host may set a cookie for such a domain.
fn is_public_suffix(domain: &str) -> bool {
    domain.parse::<IpAddr>().is_err() && psl::domain_str(domain).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn set(jar: &CookieJar, from: &str, cookies: &[&str]) {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(SET_COOKIE, HeaderValue::from_bytes(cookie.as_bytes()).unwrap());
        }
        jar.take(&url(from), &headers);
    }

    fn sent(jar: &CookieJar, to: &str) -> String {
        let header = jar.header(&url(to));
        header.map_or(String::new(), |value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_cookie_is_sent_back_to_its_own_site_and_path() {
        let jar = CookieJar::default();
        set(
            &jar,
            "https://www.example.org/a/page",
            &[
                "host=1",
                "wide=2; Domain=.Example.org; Path=/",
                "sub=3; Path=/a/b",
                "safe=4; Secure; HttpOnly; Path=/",
                "other=5; Domain=example.com",
                "suffix=6; Domain=org",
                "below=7; Domain=x.www.example.org",
            ],
        );
        for (to, expected) in [
            ("https://www.example.org/a/b/c", "sub=3; host=1; wide=2; safe=4"),
            ("https://www.example.org/a/", "host=1; wide=2; safe=4"),
            ("http://www.example.org/a/", "host=1; wide=2"),
            ("http://docs.example.org/a/", "wide=2"),
            ("http://example.org/", "wide=2"),
            ("http://badexample.org/", ""),
            ("http://example.com/", ""),
            ("https://www.example.org/", "wide=2; safe=4"),
        ] {
            let sent = sent(&jar, to);
            let sorted = |text: &str| {
                let mut parts: Vec<String> = text.split("; ").map(str::to_owned).collect();
                parts.sort();
                parts
            };
            assert_eq!(sorted(&sent), sorted(expected), "{to}");
            assert!(
                !sent.contains("sub=3") || sent.starts_with("sub=3"),
                "longer paths first: {sent}"
            );
        }
    }

    #[test]
    fn a_cookie_can_be_changed_and_deleted() {
        let jar = CookieJar::default();
        let site = "http://localhost:8080/";
        set(&jar, site, &["a=1; Domain=localhost", "b=1"]);
        set(&jar, site, &["a=2", "b=; Max-Age=0"]);
        assert_eq!(sent(&jar, site), "a=2");
        set(&jar, site, &["a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]);
        assert_eq!(sent(&jar, site), "");
        set(&jar, "http://127.0.0.1/", &["ip=1; Domain=127.0.0.1", "ip2=1"]);
        assert!(sent(&jar, "http://127.0.0.1:9/").contains("ip2=1"));
        assert_eq!(sent(&jar, "http://0.0.1/"), "");
    }

    #[test]
    fn malformed_cookies_are_ignored() {
        let jar = CookieJar::default();
        let mut headers = HeaderMap::new();
        for bytes in [&b"\xff=1"[..], b"", b";", b"=", b"no-value; Path=/"] {
            headers.append(SET_COOKIE, HeaderValue::from_bytes(bytes).unwrap());
        }
        jar.take(&url("http://example.org/"), &headers);
        assert_eq!(sent(&jar, "http://example.org/"), "");
    }

    #[test]
    fn the_jar_is_bounded_by_cookies_bytes_and_sites() {
        let jar = CookieJar::default();
        for n in 0..MAX_COOKIES + 10 {
            set(&jar, "http://example.org/", &[&format!("c{n}=v")]);
        }
        let cookies = sent(&jar, "http://example.org/");
        assert_eq!(cookies.split("; ").count(), MAX_COOKIES);
        assert!(!cookies.contains("c9=") && cookies.contains("c10=") && cookies.contains("c59="));

        for n in 0..10 {
            set(&jar, "http://example.net/", &[&format!("c{n}={}", "v".repeat(2_000))]);
        }
        set(&jar, "http://example.net/", &[&format!("huge={}", "v".repeat(5_000))]);
        let cookies = sent(&jar, "http://example.net/");
        assert!(cookies.len() <= MAX_SITE_BYTES && cookies.contains("c9=") && !cookies.contains("huge"));

        for n in 0..MAX_SITES {
            set(&jar, &format!("http://site{n}.com/"), &["a=1"]);
            assert!(!sent(&jar, "http://example.net/").is_empty(), "a used site stays");
        }
        assert_eq!(sent(&jar, "http://example.org/"), "");
        assert_eq!(jar.sites.lock().unwrap().by_name.len(), MAX_SITES);
    }
}
