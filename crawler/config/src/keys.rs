//! The keys of the configuration, taken from the built-in defaults so that only one list exists.

use toml::{Table, Value};

use super::Config;
use super::sections::{CredentialsEntry, ExtractEntry, HostEntry, LoginEntry};

/// Prefix of the environment variables.
pub(super) const PREFIX: &str = "CRAWLER_";

/// A key with its default.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Section, such as `scope`; or a key outside of the sections, such as `extract`.
    pub section: String,
    /// Name within the section, such as `max_pages`; empty for a key outside of the sections.
    pub name: String,
    /// Built-in value.
    pub default: Value,
}

impl Key {
    /// Section and name, such as `scope.max_pages`.
    pub fn path(&self) -> String {
        match self.name.as_str() {
            "" => self.section.clone(),
            name => format!("{}.{name}", self.section),
        }
    }

    /// Environment variable, such as `CRAWLER_SCOPE_MAX_PAGES`.
    pub fn variable(&self) -> String {
        format!("{PREFIX}{}", self.path().replace('.', "_")).to_ascii_uppercase()
    }

    /// Its value in a configuration.
    pub fn value<'t>(&self, table: &'t Table) -> Option<&'t Value> {
        let section = table.get(&self.section)?;
        match self.name.as_str() {
            "" => Some(section),
            name => section.get(name),
        }
    }

    /// Sets its value in a configuration.
    pub fn set(&self, table: &mut Table, value: Value) {
        if self.name.is_empty() {
            table.insert(self.section.clone(), value);
        } else if let Some(Value::Table(section)) = table.get_mut(&self.section) {
            section.insert(self.name.clone(), value);
        }
    }
}

/// All keys, sorted by section and name.
pub(super) fn keys() -> Vec<Key> {
    let mut config = Config::default();
    // The serializer leaves the keys out where the lists are empty.
    config.extract.push(ExtractEntry::default());
    config.host.push(HostEntry::default());
    config.fetch.credentials.push(CredentialsEntry {
        host: String::new(),
        user: String::new(),
        password: None,
        password_env: None,
    });
    config.fetch.login.push(LoginEntry::default());
    let keys = table(&config).into_iter().flat_map(|(section, names)| {
        let names = match names {
            Value::Table(names) => names,
            _ => Table::from_iter([(String::new(), Value::Array(Vec::new()))]),
        };
        names.into_iter().map(move |(name, default)| Key {
            section: section.clone(),
            default: if matches!(name.as_str(), "credentials" | "login") {
                Value::Array(Vec::new())
            } else {
                default
            },
            name,
        })
    });
    keys.collect()
}

/// The configuration as TOML: sections, then keys.
pub(super) fn table(config: &Config) -> Table {
    // TOML can express every configuration, so the conversion does not fail.
    let mut table = Table::try_from(config).unwrap_or_default();
    for (_, section) in &mut table {
        if let Value::Table(section) = section {
            section.iter_mut().for_each(|(_, value)| shorten(value));
        }
    }
    table
}

/// Replaces a single-precision number by the shortest number with the same value: 0.76, not 0.7599999904632568.
fn shorten(value: &mut Value) {
    if let Value::Float(number) = value
        && f64::from(*number as f32) == *number
        && let Ok(short) = (*number as f32).to_string().parse()
    {
        *number = short;
    }
}

/// The name closest to `wrong`, if one is close enough to be the intended name, or begins with it as `delay_ms` begins with `delay`.
#[must_use]
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let max_distance = (wrong.chars().count() / 3).max(2);
    let by_distance = names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name));
    let continues = |name: &str| name.strip_prefix(wrong).is_some_and(|rest| rest.starts_with('_'));
    by_distance
        .filter(|(distance, name)| *distance <= max_distance || continues(name))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_those_of_the_sample_file() {
        let sample: Table = include_str!("../../../config.toml").parse().unwrap();
        let keys = keys();
        for (section, names) in &sample {
            for name in names.as_table().unwrap().keys() {
                let is_known = |key: &Key| &key.section == section && &key.name == name;
                assert!(keys.iter().any(is_known), "{section}.{name}");
            }
        }
        assert!(keys.iter().any(|key| key.path() == "fetch.credentials"));
    }

    #[test]
    fn no_two_keys_have_one_variable() {
        let mut variables: Vec<String> = keys().iter().map(Key::variable).collect();
        variables.sort();
        let all = variables.len();
        variables.dedup();
        assert_eq!(variables.len(), all);
        assert!(variables.contains(&"CRAWLER_DEDUP_MAX_DISTANCE".to_owned()));
    }

    #[test]
    fn a_default_is_shown_as_it_is_written() {
        let keys = keys();
        let shown = |path: &str| keys.iter().find(|key| key.path() == path).unwrap().default.to_string();
        assert_eq!(shown("dedup.min_similarity"), "0.76");
        assert_eq!(shown("politeness.latency_factor"), "2.0");
    }

    #[test]
    fn only_a_close_name_is_suggested() {
        let names = ["max_depth", "max_pages", "mode"];
        assert_eq!(nearest("max_depht", names), Some("max_depth"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("delay", ["max_delay_ms", "delay_ms"]), Some("delay_ms"));
    }
}
