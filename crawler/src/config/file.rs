//! Reads a `config.toml`. A message names the file, the line and the key, and never shows a secret.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeTable;

use super::error::ConfigError;
use super::keys::keys;
use super::{Config, secrets};

impl Config {
    /// Reads the text of a `config.toml`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn text(path: &Path) -> Result<String, ConfigError> {
        std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.into(),
            source,
        })
    }

    /// Parses the text of a `config.toml`. Missing keys have their defaults. Messages name `path`.
    ///
    /// # Errors
    /// The text is not TOML, or has an unknown key or a value of the wrong type.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| {
            let line = line_of(text, error.span().map_or(0, |span| span.start));
            ConfigError::Invalid {
                path: path.into(),
                line,
                message: on_line(text.lines().nth(line - 1).unwrap_or_default(), error.message()),
            }
        })
    }
}

/// The line of the byte offset `at`, counted from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    1 + before.iter().filter(|&&b| b == b'\n').count()
}

/// The line of each section and key, counted from 1, such as `scope`, `scope.max_pages`, `extract`, `extract[2]` and
/// `extract[2].content`.
pub(super) fn lines(text: &str) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    let (document, _errors) = DeTable::parse_recoverable(text);
    for (section, value) in document.get_ref() {
        let name = section.get_ref();
        lines.insert(name.to_string(), line_of(text, section.span().start));
        lines.extend(lines_of_keys(text, name, value.get_ref().as_table()));
        for (index, entry) in value.get_ref().as_array().into_iter().flatten().enumerate() {
            let name = format!("{name}[{}]", index + 1);
            lines.insert(name.clone(), line_of(text, entry.span().start));
            lines.extend(lines_of_keys(text, &name, entry.get_ref().as_table()));
        }
    }
    lines
}

fn lines_of_keys<'a>(
    text: &'a str,
    table: &'a str,
    keys: Option<&'a DeTable<'_>>,
) -> impl Iterator<Item = (String, usize)> + 'a {
    let keys = keys.into_iter().flatten();
    keys.map(move |(key, _)| (format!("{table}.{}", key.get_ref()), line_of(text, key.span().start)))
}

pub(super) fn in_one_line(message: &str) -> String {
    message.trim_end().replace('\n', " ")
}

/// Upper bound on the characters of a line in a message.
const MAX_SHOWN: usize = 100;

/// A message about a line, with as much of the line as is safe.
///
/// The parser names a key only if it is unknown, so the message quotes the line. A value may be a secret, above all behind a misspelt
/// key; the message therefore quotes a value only behind a known key that never holds a secret.
fn on_line(line: &str, message: &str) -> String {
    let line: String = line.trim().chars().take(MAX_SHOWN).collect();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name = line.split('=').next().unwrap_or_default().trim();
    let names_key = line.contains('=') && !name.is_empty() && name.chars().all(is_name);
    let may_show_value = names_key
        && keys()
            .iter()
            .any(|key| (key.name == name || key.path() == name) && !secrets::may_hold(&key.path()));
    let section = line.trim_matches(['[', ']']).trim();
    let is_section = line.starts_with('[') && line.ends_with(']') && section.chars().all(is_name);
    let message = match message {
        // The parser's message quotes the value.
        said if !may_show_value && said.starts_with("invalid ") && !said.starts_with("invalid type: map") => {
            "this key does not accept the value; config.toml describes the allowed values".to_owned()
        }
        said => in_one_line(said),
    };
    if may_show_value || is_section {
        format!("`{line}`: {message}")
    } else if names_key {
        format!("`{name}`: {message}")
    } else {
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_shown_by_no_message() {
        for text in [
            "[[fetch.credentials]]\nhost = \"a\"\nuser = \"b\"\npasswort = \"secret\"\n",
            "[fetch]\ncredentials = [{ host = \"a\", pass = \"secret\" }]\n",
            "[fetch]\nproxi = \"http://me:secret@proxy.example\"\n",
            "[fetch]\npasword = \"secret\"\n",
            "pasword = \"secret",
            "[fetch.headers]\nX-Key = \"secret\n",
            "[fetch.headers]\n\"secret\" = 3\n",
            "[fetch]\ncredentials = [\n{ host = \"a\", user = \"b\", pasword = \"secret\" },\n]\n",
            "[fetch]\ncredentials = [\n\"secret\"\n]\n",
            "[fetch]\nproxy = [\"secret\"]\n",
        ] {
            let error = Config::parse(text, Path::new("c.toml")).unwrap_err().to_string();
            assert!(
                !error.contains("secret") && error.starts_with("c.toml, line"),
                "{error}"
            );
        }
        let number = "[[fetch.credentials]]\nhost = \"a\"\nuser = \"b\"\npassword = 4711\n";
        let error = Config::parse(number, Path::new("c.toml")).unwrap_err().to_string();
        assert!(error.contains("`password`") && !error.contains("4711"), "{error}");
        let text = "[[fetch.credentials]]\nhost = \"a\"\nuser = \"b\"\npassword = \"secret\"\n";
        let config = Config::parse(text, Path::new("c.toml")).unwrap();
        assert_eq!(config.fetch.credentials[0].password.as_deref(), Some("secret"));
        assert!(!format!("{config:?}").contains("secret"));
    }

    #[test]
    fn an_unknown_key_is_named_with_file_and_line() {
        let error = Config::parse("[scope]\n# fine\nmax_depht = 3\n", Path::new("my.toml")).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("my.toml, line 3: "), "{message}");
        assert!(
            message.contains("max_depht") && message.contains("max_depth"),
            "{message}"
        );
    }

    #[test]
    fn a_value_of_the_wrong_type_is_named_with_its_line() {
        let error = Config::parse("[fetch]\nparallel = \"many\"\n", Path::new("c.toml")).unwrap_err();
        assert!(
            error.to_string().starts_with("c.toml, line 2: `parallel = \"many\"`: "),
            "{error}"
        );
    }
}
