//! Reads a `config.toml`. A message names the file, the line and the key, and never shows a secret.

use std::path::Path;

use super::Config;
use super::check::check;
use super::error::ConfigError;
use super::lines::line_of;

impl Config {
    /// Reads the text of a `config.toml`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn text(path: &Path) -> Result<String, ConfigError> {
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
            // The message of the deserializer may quote a secret; those of the check do not.
            let mut findings = check(text).into_iter();
            let (line, message) = match findings.next() {
                Some(first) => (first.line, first.message + &others(path, findings.len())),
                None => {
                    let line = line_of(text, error.span().map_or(0, |span| span.start));
                    (line, "config.toml describes the allowed keys and values".to_owned())
                }
            };
            ConfigError::Invalid {
                path: path.into(),
                line,
                message,
            }
        })
    }
}

/// Tells how to see the other faults of the file.
fn others(path: &Path, count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(
            " (and {count} more; `crawler config check {}` lists them all)",
            path.display()
        ),
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
        assert!(
            error.contains("`fetch.credentials.password`") && !error.contains("4711"),
            "{error}"
        );
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
            error.to_string().starts_with(
                "c.toml, line 2: `fetch.parallel` must be a whole number, 0 or more; it is the text \"many\""
            ),
            "{error}"
        );
    }

    #[test]
    fn the_number_of_further_faults_is_told() {
        let text = "[scope]\nmax_depht = 3\nmode = \"web\"\n[fetch]\nparallel = 0\n";
        let error = Config::parse(text, Path::new("c.toml")).unwrap_err().to_string();
        assert!(
            error.contains("did you mean `max_depth`?") && error.contains("2 more; `crawler config check c.toml`"),
            "{error}"
        );
    }
}
