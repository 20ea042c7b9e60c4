//! The keys there are: those of the built-in defaults, so that there is one list.

use toml::{Table, Value};

use super::{Config, Credentials};

/// How the names of environment variables begin.
pub(super) const PREFIX: &str = "CRAWLER_";

/// A key, with its built-in value.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// `scope`.
    pub section: String,
    /// `max_pages`.
    pub name: String,
    /// What is in force where nothing is said.
    pub default: Value,
}

impl Key {
    /// `scope.max_pages`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// `CRAWLER_SCOPE_MAX_PAGES`.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("{PREFIX}{}_{}", self.section, self.name).to_ascii_uppercase()
    }
}

/// All keys, by section and name.
#[must_use]
pub fn keys() -> Vec<Key> {
    let mut config = Config::default();
    // Without one the key is not written; it has no value of its own.
    config.fetch.credentials.push(Credentials {
        host: String::new(),
        user: String::new(),
        password: None,
        password_env: None,
    });
    let keys = table(&config).into_iter().flat_map(|(section, names)| {
        let names = match names {
            Value::Table(names) => names,
            _ => Table::new(),
        };
        names.into_iter().map(move |(name, default)| Key {
            section: section.clone(),
            default: if name == "credentials" {
                Value::Array(Vec::new())
            } else {
                default
            },
            name,
        })
    });
    keys.collect()
}

/// The configuration as a table of sections.
pub(super) fn table(config: &Config) -> Table {
    // Nothing in a configuration is beyond TOML: its numbers are smaller and its keys are names.
    let mut table = Table::try_from(config).unwrap_or_default();
    for (_, section) in &mut table {
        if let Value::Table(section) = section {
            section.iter_mut().for_each(|(_, value)| shorten(value));
        }
    }
    table
}

/// A number that was single precision is the shortest that is read as the same one: 0.76, not 0.7599999904632568.
fn shorten(value: &mut Value) {
    if let Value::Float(number) = value
        && f64::from(*number as f32) == *number
        && let Ok(short) = (*number as f32).to_string().parse()
    {
        *number = short;
    }
}

/// The one of `names` that `wrong` was most likely meant to be, if any is near.
pub(super) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (wrong.chars().count() / 3).max(2);
    let by_distance = names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name));
    by_distance
        .filter(|(distance, _)| *distance <= most)
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
    fn the_nearest_name_is_near() {
        let names = ["max_depth", "max_pages", "mode"];
        assert_eq!(nearest("max_depht", names), Some("max_depth"));
        assert_eq!(nearest("colour", names), None);
    }
}
