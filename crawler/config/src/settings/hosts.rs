//! The `[[host]]` sections.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use web::fetch::{HostHeaders, host_field};
use web::host_pattern::{HostPattern, parse_host};
use web::politeness::Politeness;

use super::bounds::{DAY_MS, MAX_COUNT};
use super::url_rules::UrlLists;
use super::{InvalidSetting, invalid, politeness};
use crate::Config;
use crate::sections::HostEntry;

/// How the crawler treats some hosts. Of the sections that select a host, the first one holds.
#[derive(Debug, Clone, Default)]
pub struct HostRules(Arc<[HostRule]>);

/// The treatment of the hosts that a pattern selects.
#[derive(Debug, Clone)]
pub struct HostRule {
    /// Its number, counted from 1.
    pub number: usize,
    /// The pattern as it was written.
    pub host: String,
    /// Delays and bounds of these hosts.
    pub politeness: Politeness,
    /// Header fields for these hosts, which may be secrets.
    pub headers: HeaderMap,
    pattern: HostPattern,
}

/// A validated section, without the other keys of the configuration.
#[derive(Debug)]
pub(crate) struct HostParts {
    pattern: HostPattern,
    headers: HeaderMap,
    urls: UrlLists,
}

impl HostRules {
    /// Validates the sections.
    pub(super) fn new(config: &Config) -> Result<Self, InvalidSetting> {
        let rules = config.host.iter().enumerate().map(|(index, entry)| {
            let HostParts { pattern, headers, .. } = host_entry(index, entry)?;
            Ok(HostRule {
                number: index + 1,
                host: entry.host.clone(),
                politeness: politeness_of(index, entry, config)?,
                headers,
                pattern,
            })
        });
        Ok(Self(rules.collect::<Result<_, _>>()?))
    }

    /// The section for a host with this key.
    #[must_use]
    pub fn of(&self, host_key: &str) -> Option<&HostRule> {
        self.0.iter().find(|rule| rule.pattern.takes(host_key))
    }

    /// The delays and bounds of a host, which are `usual` without a section.
    #[must_use]
    pub fn politeness(&self, host_key: &str, usual: &Politeness) -> Politeness {
        self.of(host_key).map_or(*usual, |rule| rule.politeness)
    }

    /// The header fields of requests, in the order of the sections.
    pub(super) fn headers(&self) -> Vec<HostHeaders> {
        let headers = self.0.iter().map(|rule| HostHeaders {
            hosts: rule.pattern.clone(),
            headers: rule.headers.clone(),
        });
        headers.collect()
    }
}

/// The patterns of URLs of all sections, in their order.
pub(super) fn urls(config: &[HostEntry]) -> Result<Vec<(HostPattern, UrlLists)>, InvalidSetting> {
    let all = config.iter().enumerate().map(|(index, entry)| {
        let parts = host_entry(index, entry)?;
        Ok((parts.pattern, parts.urls))
    });
    all.collect()
}

/// Validates the section with this index, counted from 0, as far as that needs no other key.
pub(crate) fn host_entry(index: usize, entry: &HostEntry) -> Result<HostParts, InvalidSetting> {
    let section = format!("host[{}]", index + 1);
    let pattern = parse_host(&entry.host)
        .map_err(|reason| invalid(format!("{section}.host"), format!("{:?}", entry.host), reason))?;
    let mut headers = HeaderMap::new();
    for (name, value) in &entry.headers {
        let unusable = |reason: String| invalid(format!("{section}.headers"), format!("{name:?}"), reason);
        let (name, value) = host_field(name, value).map_err(unusable)?;
        if headers.insert(&name, value).is_some() {
            return Err(unusable(format!("{name} occurs twice, in two spellings")));
        }
    }
    for (key, value, bounds) in [
        ("delay_ms", entry.delay_ms, 0..=DAY_MS),
        (
            "parallel",
            entry.parallel.map(|count| count as u64),
            1..=MAX_COUNT as u64,
        ),
    ] {
        if let Some(value) = value.filter(|value| !bounds.contains(value)) {
            let (least, most) = bounds.into_inner();
            let reason = format!("must be at least {least} and at most {most}");
            return Err(invalid(format!("{section}.{key}"), value, reason));
        }
    }
    let urls = UrlLists::new(&section, &entry.include, &entry.exclude)?;
    Ok(HostParts { pattern, headers, urls })
}

/// The politeness of a section. The bounds of an address hold for all its hosts, so a section cannot ask for more.
fn politeness_of(index: usize, entry: &HostEntry, config: &Config) -> Result<Politeness, InvalidSetting> {
    let usual = politeness::politeness(&config.politeness)?;
    let mut own = config.politeness.clone();
    own.delay_ms = entry.delay_ms.unwrap_or(own.delay_ms);
    own.parallel_per_host = entry.parallel.unwrap_or(own.parallel_per_host);
    let section = format!("host[{}]", index + 1);
    if Duration::from_millis(own.delay_ms) < usual.address_delay {
        let least = usual.address_delay.as_millis();
        let reason = format!("must be at least politeness.address_delay_ms ({least}), which holds for every address");
        return Err(invalid(format!("{section}.delay_ms"), own.delay_ms, reason));
    }
    if own.parallel_per_host > usual.parallel_per_address {
        let most = usual.parallel_per_address;
        let reason = format!("must be at most politeness.parallel_per_address ({most}), which holds for every address");
        return Err(invalid(format!("{section}.parallel"), own.parallel_per_host, reason));
    }
    politeness::politeness(&own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn settings(text: &str) -> Result<Settings, String> {
        let config = Config::parse(text, "c.toml".as_ref()).map_err(|error| error.to_string())?;
        Settings::new(&config).map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_section_that_selects_a_host_holds() {
        let settings = settings(
            "[[host]]\nhost = \"slow.example.org\"\ndelay_ms = 5000\n\
             [[host]]\nhost = \"*.example.org\"\ndelay_ms = 500\nparallel = 2\n",
        )
        .unwrap();
        let of = |host: &str| {
            let politeness = settings.hosts.politeness(host, &settings.politeness);
            (politeness.delay.as_millis(), politeness.parallel_per_host)
        };
        assert_eq!(of("slow.example.org"), (5_000, 1));
        assert_eq!(of("docs.example.org:8080"), (500, 2));
        assert_eq!(of("example.org"), (1_000, 1));
        assert_eq!(settings.hosts.of("docs.example.org").unwrap().number, 2);
    }

    #[test]
    fn an_invalid_section_is_named_with_its_number_and_shows_no_secret() {
        for (keys, expected) in [
            ("host = \"a b\"", "host[2].host = \"a b\": write a host"),
            ("host = \"a\"\nparallel = 0", "host[2].parallel = 0: must be at least 1"),
            (
                "host = \"a\"\nparallel = 9",
                "host[2].parallel = 9: must be at most politeness.parallel_per_address (4)",
            ),
            (
                "host = \"a\"\ndelay_ms = 10",
                "host[2].delay_ms = 10: must be at least politeness.address_delay_ms (200)",
            ),
            (
                "host = \"a\"\ndelay_ms = 90000000",
                "host[2].delay_ms = 90000000: must be",
            ),
            (
                "host = \"a\"\nheaders = { Range = \"s3cret\" }",
                "host[2].headers = \"Range\": range cannot be set",
            ),
            (
                "host = \"a\"\nheaders = { A = \"s3\\ncret\" }",
                "host[2].headers = \"A\": the value of a contains",
            ),
            (
                "host = \"a\"\ninclude = [\"/a\"]",
                "host[2].include = \"/a\": it must say of which kind",
            ),
        ] {
            let text = format!("[[host]]\nhost = \"a.example\"\n[[host]]\n{keys}\n");
            let error = settings(&text).unwrap_err();
            assert!(
                error.starts_with(expected) && !error.contains("cret"),
                "{keys}: {error}"
            );
        }
    }

    #[test]
    fn a_field_of_one_host_does_not_show_its_value() {
        let settings = settings("[[host]]\nhost = \"a\"\nheaders = { Cookie = \"s3cret\" }\n").unwrap();
        assert!(!format!("{settings:?}").contains("s3cret"));
        assert_eq!(settings.hosts.of("a").unwrap().headers["cookie"], "s3cret");
    }
}
