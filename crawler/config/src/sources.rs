//! Where each value comes from. A flag overrides the environment, the environment overrides the file, and the file overrides the
//! built-in default.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::Value;
use web::fetch::FROM_ENVIRONMENT;

use super::Config;
use super::error::ConfigError;
use super::keys::{Key, PREFIX, keys, nearest, table};
use super::lines::lines;
use super::wording::{in_one_line, must_be};

/// The configuration in force and the origin of its values.
#[derive(Debug, Clone)]
pub struct Sources {
    /// The values in force.
    pub config: Config,
    /// Messages about variables that have the prefix and set no key.
    pub warnings: Vec<String>,
    /// Origins by key, such as `scope.max_pages`; a missing key has its default.
    origins: BTreeMap<String, Origin>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Built-in default.
    Default,
    /// A line of a file, counted from 1.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// Environment variable with this name.
    Environment(String),
    /// Flag with this name.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File { path, line } => write!(formatter, "{}, line {line}", path.display()),
            Self::Environment(variable) => write!(formatter, "environment variable {variable}"),
            Self::Flag(flag) => write!(formatter, "flag {flag}"),
        }
    }
}

impl Sources {
    /// Reads the file at `path`, if one is given, and the environment variables that begin with `CRAWLER_`.
    ///
    /// # Errors
    /// The file cannot be read or parsed, or a variable has a value that its key does not accept.
    pub fn read(
        path: Option<&Path>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, ConfigError> {
        let mut sources = Self {
            config: Config::default(),
            warnings: Vec::new(),
            origins: BTreeMap::new(),
        };
        if let Some(path) = path {
            let text = Config::text(path)?;
            sources.config = Config::parse(&text, path)?;
            for (key, line) in lines(&text) {
                let path = path.to_owned();
                sources.origins.insert(key, Origin::File { path, line });
            }
        }
        let mut variables: Vec<_> = environment
            .into_iter()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, _)| name.starts_with(PREFIX))
            .collect();
        variables.sort();
        let keys = keys();
        for (name, value) in variables {
            sources.take_variable(name, value, &keys)?;
        }
        Ok(sources)
    }

    fn take_variable(&mut self, name: String, value: OsString, keys: &[Key]) -> Result<(), ConfigError> {
        let Some(key) = keys.iter().find(|key| key.variable() == name) else {
            self.warnings.extend(self.unknown(&name, keys));
            return Ok(());
        };
        let wrong = |message: String| ConfigError::Variable {
            variable: name.clone(),
            key: key.path(),
            message,
        };
        let text = value.into_string().map_err(|_| wrong("it is not UTF-8".to_owned()))?;
        let value = parse(&text, &key.default).map_err(wrong)?;
        self.config = replaced(&self.config, key, value).map_err(wrong)?;
        let entries = format!("{}[", key.path());
        self.origins.retain(|known, _| !known.starts_with(&entries));
        self.origins.insert(key.path(), Origin::Environment(name.clone()));
        Ok(())
    }

    /// The message about a variable that sets no key; `None` if the configuration takes a password from the variable.
    fn unknown(&self, name: &str, keys: &[Key]) -> Option<String> {
        let fetch = &self.config.fetch;
        let of_credentials = fetch.credentials.iter().filter_map(|one| one.password_env.as_deref());
        let of_fields = fetch.login.iter().flat_map(|login| login.fields.values());
        let of_fields = of_fields.filter_map(|value| value.strip_prefix(FROM_ENVIRONMENT));
        if of_credentials.chain(of_fields).any(|variable| variable == name) {
            return None;
        }
        let variables: Vec<String> = keys.iter().map(Key::variable).collect();
        let meant = nearest(name, variables.iter().map(String::as_str));
        let meant = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
        Some(format!(
            "the environment variable {name} sets no key of the configuration{meant}"
        ))
    }

    /// Notes that a flag has set this key.
    pub fn set_by_flag(&mut self, key: &str, flag: &'static str) {
        self.origins.insert(key.to_owned(), Origin::Flag(flag));
    }

    /// Where the value of a key such as `scope.max_pages` or `extract[2].content` comes from.
    pub fn origin(&self, key: &str) -> Origin {
        let list = key.split_once('[').map(|(list, _)| list);
        let origin = self.origins.get(key).or_else(|| self.origins.get(list?));
        origin.cloned().unwrap_or(Origin::Default)
    }

    /// Every key with the value in force, sorted by section and name, without secrets.
    pub fn shown(&self) -> Vec<(Key, Value)> {
        let table = table(&super::secrets::without(&self.config));
        let shown = keys().into_iter().map(|key| {
            let value = key.value(&table).cloned().unwrap_or_else(|| key.default.clone());
            (key, value)
        });
        shown.collect()
    }
}

/// Parses the value of a variable as TOML of the type of `like`; a text needs no quotes.
pub(crate) fn parse(text: &str, like: &Value) -> Result<Value, String> {
    let is_quoted = text.starts_with(['"', '\'']);
    if like.is_str() && !is_quoted {
        return Ok(Value::String(text.to_owned()));
    }
    let reason = format!("it must be {}", expected(like));
    let parsed: toml::Table = format!("value = {text}").parse().map_err(|_| reason.clone())?;
    match parsed.into_iter().next() {
        // A second line of the value could set another key.
        Some((name, value)) if name == "value" && !text.contains('\n') => Ok(value),
        _ => Err(reason),
    }
}

fn expected(like: &Value) -> &'static str {
    match like {
        Value::String(_) => "a text",
        Value::Integer(_) => "an integer such as 3",
        Value::Float(_) => "a number such as 0.5",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a time",
        Value::Array(_) => "an array such as [\"a\", \"b\"]",
        Value::Table(_) => "a table such as { A = \"b\" }",
    }
}

/// Copies `config` with another value for `key`.
fn replaced(config: &Config, key: &Key, value: Value) -> Result<Config, String> {
    let mut table = table(config);
    key.set(&mut table, value);
    table.try_into().map_err(|error: toml::de::Error| {
        if super::secrets::may_hold(&key.path()) {
            return format!("it must be {}", expected(&key.default));
        }
        must_be(error.message()).map_or_else(|| in_one_line(error.message()), |must| format!("it {must}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        let owned = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        owned.collect()
    }

    fn read(text: &str, variables: &[(&str, &str)]) -> Result<Sources, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.toml");
        std::fs::write(&path, text).unwrap();
        Sources::read(Some(&path), environment(variables))
    }

    #[test]
    fn the_environment_overrides_the_file() {
        let sources = read(
            "[dedup]\nmax_distance = 3\nmin_similarity = 0.5\n",
            &[
                ("CRAWLER_DEDUP_MAX_DISTANCE", "5"),
                ("CRAWLER_IDENTITY_CONTACT_URL", "https://example.org/bot"),
                ("CRAWLER_SCOPE_MODE", "\"subdomains\""),
                ("CRAWLER_POLITENESS_LATENCY_FACTOR", "3"),
                ("CRAWLER_STEERING_APPLY", "[\"a\", \"b\"]"),
                ("CRAWLER_FETCH_HEADERS", "{ Accept-Language = \"en\" }"),
                ("HOME", "/"),
            ],
        )
        .unwrap();
        let config = &sources.config;
        assert_eq!((config.dedup.max_distance, config.dedup.min_similarity), (5, 0.5));
        assert_eq!(config.identity.contact_url, "https://example.org/bot");
        assert_eq!(config.scope.mode, crate::ScopeMode::Subdomains);
        assert_eq!(config.politeness.latency_factor, 3.0);
        assert_eq!(config.steering.apply, ["a", "b"]);
        assert_eq!(config.fetch.headers["Accept-Language"], "en");
        assert!(sources.warnings.is_empty(), "{:?}", sources.warnings);
        let origin = |key| sources.origin(key).to_string();
        assert_eq!(
            origin("dedup.max_distance"),
            "environment variable CRAWLER_DEDUP_MAX_DISTANCE"
        );
        assert!(origin("dedup.min_similarity").ends_with("my.toml, line 3"));
        assert_eq!(origin("dedup.bits"), "default");
    }

    #[test]
    fn every_shown_value_can_be_set_by_its_variable() {
        let sources = Sources::read(None, Vec::new()).unwrap();
        for (key, value) in sources.shown() {
            let set = environment(&[(&key.variable(), &value.to_string())]);
            let again = Sources::read(None, set).unwrap();
            assert_eq!(again.config, Config::default(), "{}", key.path());
            assert_eq!(again.origin(&key.path()), Origin::Environment(key.variable()));
        }
    }

    #[test]
    fn the_error_for_a_bad_value_names_its_variable() {
        for (variable, value, part) in [
            ("CRAWLER_DEDUP_MAX_DISTANCE", "many", "an integer"),
            ("CRAWLER_DEDUP_MAX_DISTANCE", "-1", "-1"),
            ("CRAWLER_DEDUP_MAX_DISTANCE", "3\nbits = 32", "an integer"),
            ("CRAWLER_SCOPE_MODE", "web", "subdomains"),
            ("CRAWLER_FETCH_COOKIES", "yes", "true or false"),
            ("CRAWLER_FETCH_HEADERS", "{ A = 1 }", "a table"),
        ] {
            let error = read("", &[(variable, value)]).unwrap_err().to_string();
            assert!(error.contains(variable) && error.contains(part), "{error}");
        }
    }

    #[test]
    fn an_unknown_variable_gets_a_warning_unless_it_holds_a_password() {
        let sources = read(
            "[[fetch.credentials]]\nhost = \"a\"\nuser = \"b\"\npassword_env = \"CRAWLER_PASSWORD\"\n",
            &[("CRAWLER_PASSWORD", "secret"), ("CRAWLER_DEDUP_MAX_DISTANC", "5")],
        )
        .unwrap();
        let [warning] = &sources.warnings[..] else {
            panic!("{:?}", sources.warnings)
        };
        assert!(
            warning.contains("did you mean CRAWLER_DEDUP_MAX_DISTANCE?"),
            "{warning}"
        );
    }
}
