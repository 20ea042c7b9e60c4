//! The texts of the new files, and their writing.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use toml::Value;

use super::survey::Survey;
use crate::cli::configuration::DEFAULT_CONFIG;
use crate::cli::error::{Error, UsageError};
use crate::cli::output::write_whole;
use config::Config;
use error::RunError;

/// The files to write.
#[derive(Debug)]
pub(super) struct NewFiles {
    pub folder: PathBuf,
    pub seeds: PathBuf,
    pub config: PathBuf,
}

impl NewFiles {
    /// The files in `folder`, which must not exist unless `may_overwrite`.
    pub fn at(folder: &Path, may_overwrite: bool) -> Result<Self, UsageError> {
        let files = Self {
            folder: folder.to_owned(),
            seeds: folder.join("seeds.txt"),
            config: folder.join(DEFAULT_CONFIG),
        };
        let existing = [&files.seeds, &files.config].into_iter().find(|path| path.exists());
        match existing {
            Some(path) if !may_overwrite => Err(UsageError::Argument(format!(
                "{} exists; choose another folder with --folder, or overwrite seeds.txt and config.toml with --force",
                path.display()
            ))),
            _ => Ok(files),
        }
    }

    /// Writes both files. Each appears when it is complete.
    pub fn write(&self, surveys: &[Survey], config: &Config) -> Result<(), Error> {
        fs::create_dir_all(&self.folder)
            .map_err(|source| RunError::io("create the folder", self.folder.display(), source))?;
        for (path, text) in [(&self.seeds, seeds(surveys)), (&self.config, configuration(config))] {
            write_whole(Some(path), text)?;
        }
        Ok(())
    }
}

fn seeds(surveys: &[Survey]) -> String {
    let mut text = "# One seed a line: a URL, a domain, `sitemap:` and the URL of a sitemap, or `only:` and a URL whose links are not \
                    followed.\n"
        .to_owned();
    for survey in surveys {
        let _infallible = writeln!(text, "\n# {}\n{}", survey.pages_in_words(), survey.url);
    }
    text
}

/// The ten keys that matter, with the values of `config`.
fn configuration(config: &Config) -> String {
    let (identity, scope) = (&config.identity, &config.scope);
    let text = |text: &str| Value::String(text.to_owned());
    let list = |texts: &[String]| Value::Array(texts.iter().map(|one| text(one)).collect());
    // TOML can express every value.
    let mode = Value::try_from(scope.mode).unwrap_or(text("host"));
    format!(
        include_str!("config.toml.txt"),
        product = text(&identity.product),
        contact_url = text(&identity.contact_url),
        mode = mode,
        include = list(&scope.include),
        exclude = list(&scope.exclude),
        max_depth = scope.max_depth,
        max_pages = scope.max_pages,
        delay_ms = config.politeness.delay_ms,
        allow_private_addresses = config.fetch.allow_private_addresses,
        min_similarity = config.dedup.min_similarity,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::ScopeMode;

    #[test]
    fn the_new_configuration_has_the_values_and_a_comment_for_each_of_its_ten_keys() {
        let mut config = Config::default();
        assert_eq!(
            Config::parse(&configuration(&config), "c.toml".as_ref()).unwrap(),
            config
        );
        config.identity.contact_url = "https://me.example/a\"b".to_owned();
        config.scope.mode = ScopeMode::Subdomains;
        config.scope.exclude = vec!["regex:\\.pdf$".to_owned()];
        config.politeness.delay_ms = 5;
        config.dedup.min_similarity = 1.0;
        let text = configuration(&config);
        assert_eq!(Config::parse(&text, "c.toml".as_ref()).unwrap(), config);
        let lines: Vec<&str> = text.lines().collect();
        let keys: Vec<usize> = (1..lines.len())
            .filter(|at| lines[*at].contains(" = ") && !lines[*at].starts_with('#'))
            .collect();
        assert_eq!(keys.len(), 10);
        assert!(keys.iter().all(|at| lines[at - 1].starts_with('#')), "{text}");
    }
}
