//! A seeds file, a configuration and a data folder for the crawler's binary.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::outcomes::{Outcomes, outcomes};
use super::process::{Ended, Running, crawler, run};
use super::site::Site;

/// A crawl in a temporary folder, by default as fast as a site of one's own allows.
#[derive(Debug)]
pub struct Crawl {
    folder: TempDir,
    seeds: String,
    settings: BTreeMap<String, String>,
}

impl Crawl {
    /// A crawl from one seed.
    pub fn of(seed: impl Into<String>) -> Self {
        let fast = [
            ("identity.contact_url", "\"https://example.org/bot\""),
            ("politeness.delay_ms", "0"),
            ("politeness.parallel_per_host", "8"),
            ("politeness.retry_delay_ms", "1"),
            ("politeness.guess_sitemap", "false"),
            ("fetch.allow_private_addresses", "true"),
        ];
        Self {
            folder: tempfile::tempdir().unwrap(),
            seeds: seed.into(),
            settings: fast.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        }
    }

    /// Sets a key of the configuration, as in `dedup.max_distance`, to a value in TOML.
    pub fn set(mut self, key: &str, value: impl ToString) -> Self {
        self.change(key, value);
        self
    }

    /// One request at a time. (Pages may still be decided in another order: they are read by several threads.)
    pub fn one_at_a_time(self) -> Self {
        self.set("politeness.parallel_per_host", 1).set("fetch.parallel", 1)
    }

    /// As [`Crawl::set`], between two runs.
    pub fn change(&mut self, key: &str, value: impl ToString) {
        self.settings.insert(key.to_owned(), value.to_string());
    }

    /// Adds a line to the seeds file.
    pub fn add_seed(&mut self, line: &str) {
        self.seeds.push('\n');
        self.seeds.push_str(line);
    }

    /// The folder that holds the crawl.
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// A file beside it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `crawler run` and further arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        fs::write(self.path("seeds.txt"), &self.seeds).unwrap();
        let mut config = String::new();
        for (key, value) in &self.settings {
            writeln!(config, "{key} = {value}").unwrap();
        }
        fs::write(self.path("test.toml"), config).unwrap();
        let mut command = crawler(["run", "--seeds", "seeds.txt", "--config", "test.toml", "--data", "data"]);
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    /// Runs it to its end, whatever that is.
    #[track_caller]
    pub fn end(&self, arguments: &[&str]) -> Ended {
        run(&mut self.command(arguments))
    }

    /// Runs it to its end, with exit code 0.
    #[track_caller]
    pub fn run(&self) -> Ended {
        self.end(&[]).succeeded()
    }

    /// Runs it to its end, with the exit code of a crawl without a page.
    #[track_caller]
    pub fn run_without_page(&self) -> Ended {
        self.end(&[]).with_code(5)
    }

    /// Starts it.
    pub fn start(&self) -> Running {
        Running::start(&mut self.command(&[]))
    }

    /// `crawler report` or `crawler export` on its data.
    #[track_caller]
    pub fn read(&self, command: &str, arguments: &[&str]) -> Ended {
        let mut process = crawler([command, "--data", "data"]);
        run(process.args(arguments).current_dir(self.folder.path()))
    }

    /// The report as JSON.
    #[track_caller]
    pub fn report(&self) -> Value {
        serde_json::from_str(&self.read("report", &["--format", "json"]).succeeded().stdout).unwrap()
    }

    /// What became of every URL.
    #[track_caller]
    pub fn outcomes(&self, site: &Site) -> Outcomes {
        outcomes(&self.report(), site)
    }

    /// The kept pages, also those without a text.
    #[track_caller]
    pub fn export(&self) -> Vec<Value> {
        let lines = self.read("export", &["--include-empty"]).succeeded().stdout;
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
