//! Which pages are exported, and what can be typed to say so.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use regex::{Regex, RegexBuilder};
use storage::{PageRecord, Verdict};
use url::Url;

use crate::cli::{Export, ExportVerdict};

/// Bytes that a compiled pattern may take: far above what anybody types.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// How a URL or a date may look, for messages.
const DATE_HINT: &str = "write a date or a time in UTC, such as 2026-03-31 or 2026-03-31T09:30:00Z (RFC 3339)";
const HOST_HINT: &str = "write a host such as example.org, example.org:8080 or '*.example.org'";

/// Takes pages by what the catalogue knows of them.
pub(super) struct Filter<'a> {
    args: &'a Export,
}

impl<'a> Filter<'a> {
    pub fn new(args: &'a Export) -> Self {
        Self { args }
    }

    /// A page must pass every kind of filter that was given, by any of its values.
    pub fn takes(&self, page: &PageRecord) -> bool {
        let args = self.args;
        let at = fetched_at(page);
        args.verdicts.iter().any(|verdict| is_of(page.verdict, *verdict))
            && args.since.is_none_or(|since| at >= since)
            && args.until.is_none_or(|until| at <= until)
            && any_or_none_given(&args.languages, |language| page.language.as_ref() == Some(language))
            && any_or_none_given(&args.hosts, |host| host.takes(&page.host))
            && any_or_none_given(&args.patterns, |pattern| pattern.is_match(&page.url))
    }
}

/// When a page was fetched, milliseconds since the Unix epoch.
pub(super) fn fetched_at(page: &PageRecord) -> i64 {
    i64::try_from(page.fetched_at).unwrap_or(i64::MAX)
}

fn any_or_none_given<T>(given: &[T], takes: impl FnMut(&T) -> bool) -> bool {
    given.is_empty() || given.iter().any(takes)
}

fn is_of(verdict: Verdict, wanted: ExportVerdict) -> bool {
    match wanted {
        ExportVerdict::All => true,
        ExportVerdict::Kept => verdict == Verdict::Unique,
        ExportVerdict::Exact => matches!(verdict, Verdict::Exact { .. }),
        ExportVerdict::Near => matches!(verdict, Verdict::Near { .. }),
    }
}

/// A host, or all hosts under one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    name: String,
    /// `None` for every port; the default ports are none.
    port: Option<Option<u16>>,
    is_wildcard: bool,
}

impl HostPattern {
    fn takes(&self, host_key: &str) -> bool {
        let (name, port) = split_port(host_key);
        if self.port.is_some_and(|wanted| wanted != port) {
            return false;
        }
        match name.strip_suffix(self.name.as_str()) {
            Some(before) if self.is_wildcard => before.len() > 1 && before.ends_with('.'),
            Some(before) => before.is_empty(),
            None => false,
        }
    }
}

/// A host key as name and port. An IPv6 address is in brackets, so its colons are no port's.
fn split_port(host_key: &str) -> (&str, Option<u16>) {
    let split = host_key
        .rsplit_once(':')
        .and_then(|(name, port)| Some((name, Some(port.parse().ok()?))));
    split.unwrap_or((host_key, None))
}

/// `example.org`, `example.org:8080`, `*.example.org`; in any case, in Unicode or Punycode.
pub(crate) fn parse_host(text: &str) -> Result<HostPattern, String> {
    let (is_wildcard, host) = match text.strip_prefix("*.") {
        Some(host) => (true, host),
        None => (false, text),
    };
    if host.is_empty() || host.contains(['/', '@', '?', '#', '*', '\\']) || host.contains(char::is_whitespace) {
        return Err(HOST_HINT.to_owned());
    }
    let url = Url::parse(&format!("http://{host}/")).map_err(|error| format!("{error}; {HOST_HINT}"))?;
    let name = url.host_str().unwrap_or_default().trim_end_matches('.');
    if name.is_empty() || (is_wildcard && !matches!(url.host(), Some(url::Host::Domain(_)))) {
        return Err(HOST_HINT.to_owned());
    }
    // The URL forgets the default port; who types it means pages without another.
    let names_default = host.ends_with(":80") && url.port().is_none();
    let names_https = url.port() == Some(443);
    Ok(HostPattern {
        name: name.to_owned(),
        port: match url.port() {
            Some(_) if names_https => Some(None),
            Some(port) => Some(Some(port)),
            None => names_default.then_some(None),
        },
        is_wildcard,
    })
}

/// An ISO 639-1 code.
pub(crate) fn parse_language(text: &str) -> Result<String, String> {
    if text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic()) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("write a code of two letters, such as en, de or zh (ISO 639-1)".to_owned())
    }
}

/// A regular expression that is looked for in URLs, in time linear in the URL.
pub(crate) fn parse_regex(text: &str) -> Result<Regex, String> {
    let regex = RegexBuilder::new(text).size_limit(MAX_REGEX_BYTES).build();
    regex.map_err(|error| {
        format!("{error}\nit is a regular expression, found anywhere in the URL: '/docs/', '^https://', '\\.html$'")
    })
}

/// The first millisecond of a date, or a time, in milliseconds since the Unix epoch.
pub(crate) fn parse_since(text: &str) -> Result<i64, String> {
    match date(text) {
        Some(date) => start_of(date).ok_or_else(|| DATE_HINT.to_owned()),
        None => time(text),
    }
}

/// The last millisecond of a date, or a time, in milliseconds since the Unix epoch.
pub(crate) fn parse_until(text: &str) -> Result<i64, String> {
    match date(text) {
        Some(date) => date
            .checked_add(1.day())
            .ok()
            .and_then(start_of)
            .map(|next| next - 1)
            .ok_or_else(|| DATE_HINT.to_owned()),
        None => time(text),
    }
}

/// `full-date` of RFC 3339, and nothing else that the library would take for one.
fn date(text: &str) -> Option<Date> {
    let is_date = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    text.parse().ok().filter(|_| is_date)
}

fn start_of(date: Date) -> Option<i64> {
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

fn time(text: &str) -> Result<i64, String> {
    let time: Result<Timestamp, _> = text.parse();
    time.map(Timestamp::as_millisecond).map_err(|_| DATE_HINT.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_all_of_its_day_in_utc() {
        const DAY_MS: i64 = 24 * 60 * 60 * 1000;
        let since = parse_since("2026-03-21").unwrap();
        assert_eq!(since, 1_774_051_200_000);
        assert_eq!(parse_until("2026-03-21"), Ok(since + DAY_MS - 1));
        for time in ["2026-03-21T09:30:00.125Z", "2026-03-21T11:30:00.125+02:00"] {
            assert_eq!(parse_since(time), Ok(1_774_085_400_125));
            assert_eq!(parse_until(time), Ok(1_774_085_400_125));
        }
        for bad in [
            "",
            "yesterday",
            "2026-3-1",
            "2026-02-30",
            "2026-03",
            "2026-03-21T09:30:00",
            "21.03.2026",
        ] {
            assert!(parse_since(bad).unwrap_err().contains("RFC 3339"), "{bad}");
            assert!(parse_until(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_host_takes_its_ports_or_the_one_it_names() {
        for (pattern, host_key, takes) in [
            ("example.org", "example.org", true),
            ("EXAMPLE.org.", "example.org", true),
            ("example.org", "example.org:8080", true),
            ("example.org:8080", "example.org:8080", true),
            ("example.org:8080", "example.org", false),
            ("example.org:80", "example.org", true),
            ("example.org:443", "example.org", true),
            ("example.org:80", "example.org:8080", false),
            ("example.org", "www.example.org", false),
            ("*.example.org", "www.example.org", true),
            ("*.example.org", "a.b.example.org:81", true),
            ("*.example.org", "example.org", false),
            ("*.example.org", "badexample.org", false),
            ("bücher.example", "xn--bcher-kva.example", true),
            ("[2001:db8::1]", "[2001:db8::1]:8080", true),
            ("127.0.0.1", "127.0.0.1:4711", true),
        ] {
            assert_eq!(
                parse_host(pattern).unwrap().takes(host_key),
                takes,
                "{pattern} {host_key}"
            );
        }
        for bad in [
            "",
            "*.",
            "*",
            "a b",
            "https://example.org/",
            "*.*.org",
            "*.127.0.0.1",
            "u@h",
            "h:99999",
        ] {
            assert!(parse_host(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_no_language_and_no_expression_is_refused() {
        assert_eq!(parse_language("EN").as_deref(), Ok("en"));
        for bad in ["", "english", "e1", "eng"] {
            assert!(parse_language(bad).is_err(), "{bad}");
        }
        assert!(parse_regex("/docs/").unwrap().is_match("https://example.org/docs/a"));
        assert!(parse_regex("*/docs").unwrap_err().contains("regular expression"));
        assert!(parse_regex("(a{1000}){1000}").is_err());
    }
}
