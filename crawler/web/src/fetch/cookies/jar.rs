//! A jar of cookies. Bounds keep servers from filling the memory and from making requests too long.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use cookie_store::{CookieDomain, CookieExpiration, CookieStore, RawCookie, StoreAction};
use reqwest::header::{HeaderMap, HeaderValue, SET_COOKIE};
use url::Url;

use super::date;
use super::file::FileCookie;
use crate::site::{is_public_suffix, site};

/// Most cookies of a site (RFC 6265, section 6.1: at least 50). Beyond that, the oldest are dropped.
const MAX_COOKIES: usize = 50;

/// Most bytes of all cookies of a site, attributes included: the length of a header that servers accept.
const MAX_SITE_BYTES: usize = 8 * 1024;

/// Most bytes of one cookie, attributes included. Longer ones are ignored.
const MAX_COOKIE_BYTES: usize = 4 * 1024;

/// Most sites with cookies. Beyond that, the least recently used site is dropped, unless the operator gave its cookies.
const MAX_SITES: usize = 1_000;

/// Some cookies of a run. A *site* is a registrable domain. Its hosts can set cookies for one another. No host can set a cookie
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

#[derive(Default)]
struct Site {
    store: CookieStore,
    /// In the order of their first setting.
    entries: VecDeque<Entry>,
    last_used: u64,
    /// Whether the operator gave a cookie of the site.
    is_given: bool,
}

/// Leaves the cookies out.
impl std::fmt::Debug for Site {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Site").finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Entry {
    domain: String,
    path: String,
    name: String,
    bytes: usize,
    /// Whether the operator gave it.
    is_given: bool,
}

impl CookieJar {
    /// The `Cookie` header for a request, longer paths first, then in the order of their first setting (RFC 6265, section 5.4); `None` if no
    /// cookie applies.
    pub(super) fn header(&self, url: &Url) -> Option<HeaderValue> {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let found = sites.get(site(url)?)?;
        let mut cookies = found.store.matches(url);
        let place = |cookie: &cookie_store::Cookie<'_>| {
            let (domain, path) = (String::from(&cookie.domain), String::from(&cookie.path));
            let is_its = |entry: &Entry| entry.domain == domain && entry.path == path && entry.name == cookie.name();
            (std::cmp::Reverse(path.len()), found.entries.iter().position(is_its))
        };
        cookies.sort_by_cached_key(|cookie| place(cookie));
        let pairs = cookies.iter().map(|cookie| {
            let (name, value) = cookie.name_value();
            format!("{name}={value}")
        });
        let header = pairs.collect::<Vec<_>>().join("; ");
        // Bytes beyond ASCII go back as they came.
        let mut header = HeaderValue::from_bytes(header.as_bytes())
            .ok()
            .filter(|_| !header.is_empty())?;
        header.set_sensitive(true);
        Some(header)
    }

    /// Stores the cookies that a response sets. Returns whether it set any.
    pub(super) fn take(&self, url: &Url, headers: &HeaderMap) -> bool {
        let mut fields = headers.get_all(SET_COOKIE).iter().peekable();
        let Some(name) = site(url).filter(|_| fields.peek().is_some()) else {
            return false;
        };
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let of_site = sites.get_or_insert(name.to_owned());
        for field in fields.take(MAX_COOKIES) {
            if let Ok(text) = std::str::from_utf8(field.as_bytes()) {
                of_site.take(url, text, false);
            }
        }
        true
    }

    /// Stores a cookie that the operator gave, unless it has expired. Its site keeps its cookies to the end of the run.
    pub(super) fn give(&self, cookie: &FileCookie, now: SystemTime) {
        let Some((url, field)) = cookie.as_set(now) else {
            return;
        };
        let Some(name) = site(&url) else { return };
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let of_site = sites.get_or_insert(name.to_owned());
        of_site.is_given = true;
        of_site.take(&url, &field, true);
    }

    /// Whether the operator gave a cookie of the URL's site.
    pub(super) fn has_given(&self, url: &Url) -> bool {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let site = site(url).and_then(|name| sites.by_name.get(name));
        site.is_some_and(|site| site.is_given)
    }

    /// All cookies that have not expired, by site and in the order of their first setting.
    pub(super) fn cookies(&self) -> Vec<FileCookie> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<&String> = sites.by_name.keys().collect();
        names.sort();
        let sites = names.into_iter().filter_map(|name| sites.by_name.get(name));
        sites.flat_map(Site::cookies).collect()
    }

    /// The values of the site's cookies.
    pub(super) fn values(&self, url: &Url) -> Vec<String> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let found = site(url).and_then(|name| sites.by_name.get(name));
        let cookies = found.into_iter().flat_map(|site| site.store.iter_any());
        cookies.map(|cookie| cookie.value().to_owned()).collect()
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
            let may_go = self.by_name.iter().filter(|(_, site)| !site.is_given);
            let oldest = may_go.min_by_key(|(_, site)| site.last_used);
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
    /// Stores a cookie, which the operator gave or a response sets. Malformed cookies and cookies for other sites are ignored.
    fn take(&mut self, url: &Url, text: &str, is_given: bool) {
        if text.len() > MAX_COOKIE_BYTES {
            return;
        }
        let Ok(mut raw) = RawCookie::parse(date::with_http_dates(text)) else {
            return;
        };
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
        if breaks_prefix(&raw) || !is_secure(url) && (raw.secure() == Some(true) || self.hides_secure(&cookie, url)) {
            return;
        }
        let entry = Entry {
            domain: String::from(&cookie.domain),
            path: String::from(&cookie.path),
            name: cookie.name().to_owned(),
            bytes: text.len(),
            is_given,
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

    /// Whether a cookie that came without encryption would take the place of one that came with it (RFC 6265bis, section 5.7, step
    /// 15): somebody on the path could otherwise put a session of their own in the place of the operator's.
    fn hides_secure(&self, cookie: &cookie_store::Cookie<'_>, url: &Url) -> bool {
        let mut known = self.store.iter_unexpired();
        known.any(|known| {
            let (path, other) = (String::from(&cookie.path), String::from(&known.path));
            let (domain, known_domain) = (String::from(&cookie.domain), String::from(&known.domain));
            known.secure() == Some(true)
                && known.name() == cookie.name()
                && (known.domain.matches(url) || is_below(&known_domain, &domain))
                && (path == other || path.starts_with(&format!("{}/", other.trim_end_matches('/'))))
        })
    }

    fn keep_within_bounds(&mut self) {
        let mut bytes: usize = self.entries.iter().map(|entry| entry.bytes).sum();
        while self.entries.len() > MAX_COOKIES || bytes > MAX_SITE_BYTES {
            // The operator's cookies go last: the operator's session must not end because the site sets many cookies.
            let may_go = self.entries.iter().position(|entry| !entry.is_given);
            let Some(oldest) = self.entries.remove(may_go.unwrap_or(0)) else {
                return;
            };
            bytes -= oldest.bytes;
            self.store.remove(&oldest.domain, &oldest.path, &oldest.name);
        }
    }

    fn cookies(&self) -> impl Iterator<Item = FileCookie> {
        let known = |entry: &Entry| self.store.get(&entry.domain, &entry.path, &entry.name);
        self.entries.iter().filter_map(known).map(|cookie| FileCookie {
            domain: String::from(&cookie.domain),
            is_for_subdomains: matches!(cookie.domain, CookieDomain::Suffix(_)),
            path: String::from(&cookie.path),
            is_secure: cookie.secure() == Some(true),
            expires: match cookie.expires {
                CookieExpiration::AtUtc(at) => u64::try_from(at.unix_timestamp()).ok(),
                CookieExpiration::SessionEnd => None,
            },
            name: cookie.name().to_owned(),
            value: cookie.value().to_owned(),
        })
    }
}

impl Entry {
    fn is(&self, other: &Self) -> bool {
        self.domain == other.domain && self.path == other.path && self.name == other.name
    }
}

/// Whether the cookie breaks the promise of its name (RFC 6265bis, section 4.1.3).
fn breaks_prefix(cookie: &RawCookie<'_>) -> bool {
    let begins = |prefix: &str| {
        let start = cookie.name().get(..prefix.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    let is_secure = cookie.secure() == Some(true);
    let is_of_host = is_secure && cookie.domain().is_none() && cookie.path() == Some("/");
    begins("__Secure-") && !is_secure || begins("__Host-") && !is_of_host
}

/// Whether nobody on the path can read or change what is sent to the URL. As browsers do, the crawler trusts the machine itself.
pub(in crate::fetch) fn is_secure(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback(url)
}

/// Whether the URL is one of this machine: `localhost`, a name below it (RFC 6761, section 6.3), or a loopback address.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => is_below(name, "localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether a name is `domain` or below it.
fn is_below(name: &str, domain: &str) -> bool {
    let before = name.strip_suffix(domain);
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod http_state;
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

        let given = FileCookie {
            domain: "example.com".to_owned(),
            is_for_subdomains: false,
            path: "/".to_owned(),
            is_secure: false,
            expires: None,
            name: "session".to_owned(),
            value: "operator".to_owned(),
        };
        jar.give(&given, SystemTime::now());
        for n in 0..MAX_COOKIES + 10 {
            set(&jar, "http://example.com/", &[&format!("c{n}=v")]);
        }
        let cookies = sent(&jar, "http://example.com/");
        assert_eq!(cookies.split("; ").count(), MAX_COOKIES);
        assert!(
            cookies.contains("session=operator") && !cookies.contains("c10="),
            "{cookies}"
        );

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

    #[test]
    fn an_unencrypted_response_cannot_take_the_place_of_an_encrypted_session() {
        let jar = CookieJar::default();
        set(
            &jar,
            "https://example.org/",
            &["id=theirs; Secure; Path=/", "free=1; Path=/"],
        );
        set(
            &jar,
            "http://example.org/",
            &[
                "id=mine; Path=/",
                "id=mine; Path=/deeper",
                "other=1; Secure",
                "free=2; Path=/",
            ],
        );
        set(
            &jar,
            "http://www.example.org/",
            &["id=mine; Domain=example.org; Path=/"],
        );
        assert_eq!(sent(&jar, "http://example.org/deeper/x"), "free=2");
        assert!(sent(&jar, "https://example.org/deeper/x").contains("id=theirs"));
        assert!(!sent(&jar, "https://example.org/deeper/x").contains("mine"));
        set(&jar, "https://example.org/", &["id=renewed; Secure; Path=/"]);
        assert!(sent(&jar, "https://example.org/").contains("id=renewed"));
    }

    #[test]
    fn a_name_with_a_prefix_keeps_its_promise() {
        let jar = CookieJar::default();
        set(
            &jar,
            "https://www.example.org/",
            &[
                "__Host-a=1; Secure; Path=/",
                "__Host-b=1; Secure; Path=/; Domain=example.org",
                "__Host-c=1; Path=/",
                "__Host-d=1; Secure; Path=/x",
                "__Secure-e=1; Secure; Domain=example.org",
                "__secure-f=1",
            ],
        );
        let all = sent(&jar, "https://www.example.org/x/");
        let names: Vec<&str> = all.split("; ").map(|pair| pair.split('=').next().unwrap()).collect();
        let mut names = names.clone();
        names.sort_unstable();
        assert_eq!(names, ["__Host-a", "__Secure-e"]);
    }

    #[test]
    fn given_cookies_go_where_the_file_says_and_their_site_is_never_dropped() {
        use crate::fetch::cookies::CookiesFile;

        let jar = CookieJar::default();
        let file = CookiesFile::parse(
            "www.example.org\tFALSE\t/\tFALSE\t0\thost\t1\n\
             .example.org\tTRUE\t/a\tTRUE\t4000000000\twide\t2\n\
             example.org\tTRUE\t/\tFALSE\t1000000000\told\t3\n",
        );
        let now = SystemTime::now();
        file.unwrap().cookies.iter().for_each(|cookie| jar.give(cookie, now));
        for n in 0..MAX_SITES + 10 {
            set(&jar, &format!("http://site{n}.com/"), &["a=1"]);
        }
        for (to, expected) in [
            ("https://www.example.org/a/b", "wide=2; host=1"),
            ("http://www.example.org/a/b", "host=1"),
            ("https://example.org/a", "wide=2"),
            ("https://example.org/", ""),
            ("https://x.www.example.org/", ""),
            ("https://example.com/a", ""),
        ] {
            assert_eq!(sent(&jar, to), expected, "{to}");
        }
        assert!(jar.has_given(&url("http://deep.example.org/")) && !jar.has_given(&url("http://site1.com/")));
        let kept: Vec<_> = jar
            .cookies()
            .into_iter()
            .filter(|cookie| cookie.domain.contains("example"))
            .collect();
        let again = CookieJar::default();
        kept.iter().for_each(|cookie| again.give(cookie, now));
        assert_eq!(kept.len(), 2);
        assert_eq!(sent(&again, "https://www.example.org/a/b"), "wide=2; host=1");
    }
}
