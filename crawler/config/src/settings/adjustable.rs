//! The settings that a run under way can take over.

use toml::Value;
use web::politeness::Politeness;

use super::hosts::HostRules;
use super::{bounds, politeness, scope};
use crate::Config;
use crate::keys::{Key, keys, nearest, table};
use crate::sources::parse;
use crate::wording::in_one_line;

/// The keys of these settings. Each is read at every request or page, and nothing that is stored rests on it.
pub const ADJUSTABLE: [&str; 10] = [
    "politeness.address_delay_ms",
    "politeness.delay_ms",
    "politeness.latency_factor",
    "politeness.max_delay_ms",
    "politeness.max_wait_ms",
    "politeness.parallel_per_address",
    "politeness.parallel_per_host",
    "politeness.retry_delay_ms",
    "scope.max_pages",
    "scope.max_pages_per_host",
];

/// The word that takes a change back.
pub const DEFAULT: &str = "default";

/// A key with its value in TOML.
pub type KeyValue = (String, String);

/// The settings that a run under way can take over.
#[derive(Debug, Clone)]
pub struct Adjustable {
    /// How often the crawler asks a host.
    pub politeness: Politeness,
    /// The same for some hosts. Their header fields may be missing.
    pub hosts: HostRules,
    /// Bound on the pages of the crawl.
    pub max_pages: Option<u64>,
    /// Bound on the pages of a host.
    pub max_pages_per_host: Option<u64>,
}

impl Adjustable {
    /// The settings that follow from these values; of two values of a key, the last one counts. Other keys have their defaults.
    ///
    /// # Errors
    /// A value is invalid, alone or beside the others. A sentence.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a KeyValue>) -> Result<Self, String> {
        let (keys, mut all) = (keys(), table(&Config::default()));
        for (path, text) in values {
            // Another version may have more keys.
            let Some(key) = keys.iter().find(|key| key.path() == *path).filter(|key| counts(key)) else {
                continue;
            };
            key.set(
                &mut all,
                parse(text, &key.default).map_err(|reason| format!("{path} = {text}: {reason}"))?,
            );
        }
        let config: Config = all
            .try_into()
            .map_err(|error: toml::de::Error| in_one_line(error.message()))?;
        bounds::check(&config).map_err(|error| error.to_string())?;
        let limits = scope::limits(&config.scope);
        Ok(Self {
            politeness: politeness::politeness(&config.politeness).map_err(|error| error.to_string())?,
            hosts: HostRules::new(&config).map_err(|error| error.to_string())?,
            max_pages: limits.max_pages,
            max_pages_per_host: limits.max_pages_per_host,
        })
    }
}

/// Those of the changes that a run under way can take over, each looked at alone. Whoever can write to the servers of a fleet can put others there.
#[must_use]
pub fn valid_changes(changes: &[KeyValue]) -> Vec<KeyValue> {
    let is_valid = |change: &&KeyValue| ADJUSTABLE.contains(&change.0.as_str()) && Adjustable::of([*change]).is_ok();
    changes.iter().filter(is_valid).cloned().collect()
}

/// Whether the settings depend on the key.
fn counts(key: &Key) -> bool {
    matches!(key.section.as_str(), "politeness" | "host") || ADJUSTABLE.contains(&key.path().as_str())
}

/// The values of a configuration on which the settings depend.
pub(super) fn values(config: &Config) -> Vec<KeyValue> {
    let table = table(&crate::secrets::without(config));
    let of_settings = keys().into_iter().filter(counts);
    let values = of_settings.map(|key| {
        let value = key.value(&table).map_or_else(|| "[]".to_owned(), Value::to_string);
        (key.path(), value)
    });
    values.collect()
}

/// A change as a user writes it: `politeness.delay_ms=2000`, or `politeness.delay_ms=default`, which takes the change back (`None`).
///
/// # Errors
/// It is no change that a run under way can take over. A sentence that says why.
pub fn parse_change(text: &str) -> Result<(String, Option<String>), String> {
    let Some((path, value)) = text.split_once('=') else {
        return Err(format!(
            "{text:?} is no change: write KEY=VALUE, such as politeness.delay_ms=2000"
        ));
    };
    let (path, value) = (path.trim(), value.trim());
    let keys = keys();
    let Some(key) = keys.iter().find(|key| key.path() == path) else {
        let paths: Vec<String> = keys.iter().map(Key::path).collect();
        let meant = nearest(path, paths.iter().map(String::as_str));
        let meant = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
        return Err(format!("{path} is no key of the configuration{meant}"));
    };
    if !ADJUSTABLE.contains(&path) {
        return Err(format!(
            "{path} cannot change while the crawl runs: {}. These keys can: {}",
            why_not(key),
            ADJUSTABLE.join(", ")
        ));
    }
    if value == DEFAULT {
        return Ok((path.to_owned(), None));
    }
    let wrong = |reason: String| format!("{path} = {value}: {reason}");
    // As the configuration writes it: 2.0 for 2, if the key has fractions.
    let mut all = table(&Config::default());
    key.set(&mut all, parse(value, &key.default).map_err(wrong)?);
    let config: Config = all
        .try_into()
        .map_err(|error: toml::de::Error| wrong(in_one_line(error.message())))?;
    Adjustable::of(&[(path.to_owned(), value.to_owned())])?;
    let written = key
        .value(&table(&config))
        .map_or_else(|| value.to_owned(), Value::to_string);
    Ok((path.to_owned(), Some(written)))
}

/// Why a run under way cannot take the key over.
fn why_not(key: &Key) -> &'static str {
    const AT_START: &str = "workers read it when they start. Stop all workers (crawler fleet drain), take the order back (crawler fleet \
                            drain --resume), and start them with the new value";
    match (key.section.as_str(), key.name.as_str()) {
        ("dedup", _) => "all verdicts of a crawl follow one rule, to its end",
        ("fleet", "verdicts") => "the workers decide all pages of a crawl in one way, to its end",
        ("canonicalize", _) => "the URLs that the crawl knows are written by it",
        ("scope", "max_depth") => {
            "which links are stored is decided when their page is read, and the links of pages before would be missing. Stop all workers \
             (crawler fleet drain), take the order back (crawler fleet drain --resume), and start them with the new value, which then \
             counts for these pages, too"
        }
        ("identity" | "scope" | "politeness" | "host" | "extract" | "fleet", _) => AT_START,
        _ => "each worker has its own value. Change its configuration, and start the worker again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(key: &str, value: &str) -> KeyValue {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn later_values_count_and_sections_of_hosts_follow_them() {
        let text = "politeness.delay_ms = 5000\n[[host]]\nhost = \"a.example\"\nparallel = 3\nheaders = { Authorization = \"Bearer x\" }\n";
        let config = Config::parse(text, "c.toml".as_ref()).unwrap();
        let mut all = values(&config);
        let before = Adjustable::of(&all).unwrap();
        assert_eq!((before.politeness.delay.as_millis(), before.max_pages), (5_000, None));
        all.extend([
            pair("politeness.delay_ms", "700"),
            pair("scope.max_pages", "9"),
            pair("new.key", "1"),
        ]);
        let after = Adjustable::of(&all).unwrap();
        assert_eq!((after.politeness.delay.as_millis(), after.max_pages), (700, Some(9)));
        let of_host = after.hosts.politeness("a.example", &after.politeness);
        assert_eq!((of_host.delay.as_millis(), of_host.parallel_per_host), (700, 3));
        all.push(pair("politeness.parallel_per_address", "2"));
        let error = Adjustable::of(&all).unwrap_err();
        assert!(error.contains("host[1].parallel = 3"), "{error}");
    }

    #[test]
    fn a_change_of_another_key_or_to_no_valid_value_is_none() {
        let changes = [
            pair("politeness.delay_ms", "7"),
            pair("politeness.retry_delay_ms", "-1"),
            pair("politeness.max_delay_ms", "[[host]]"),
            pair("scope.mode", "\"everything\""),
            pair("host", "[]"),
            pair("scope.max_pages", "9"),
        ];
        assert_eq!(valid_changes(&changes), [changes[0].clone(), changes[5].clone()]);
    }

    #[test]
    fn a_change_is_a_key_with_a_value_and_what_cannot_change_has_a_reason() {
        let parsed = |text| parse_change(text).unwrap();
        assert_eq!(
            parsed("politeness.delay_ms = 2000"),
            ("politeness.delay_ms".to_owned(), Some("2000".to_owned()))
        );
        assert_eq!(parsed("politeness.latency_factor=3").1.as_deref(), Some("3.0"));
        assert_eq!(parsed("scope.max_pages=default"), ("scope.max_pages".to_owned(), None));
        for (text, part) in [
            ("politeness.delay_ms", "KEY=VALUE"),
            ("politeness.delay=1", "did you mean politeness.delay_ms?"),
            ("politeness.delay_ms=soon", "it must be an integer"),
            ("politeness.delay_ms=99999999999", "at most one day"),
            ("politeness.parallel_per_host=0", "at least 1"),
            ("dedup.max_distance=3", "all verdicts of a crawl follow one rule"),
            ("fleet.verdicts=worker", "to its end"),
            ("canonicalize.drop_index_file=true", "are written by it"),
            ("scope.max_depth=3", "the links of pages before would be missing"),
            ("scope.mode=subdomains", "crawler fleet drain"),
            ("fetch.parallel=9", "each worker has its own value"),
        ] {
            let error = parse_change(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
