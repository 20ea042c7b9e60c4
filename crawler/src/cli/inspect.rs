//! `crawler inspect`: how a crawl reads one page, robots.txt, URL or sitemap. The command uses the same code as a crawl.
//!
//! - `page`, `robots`, `url`, `sitemap`: one subcommand each
//! - `source`: files, standard input and URLs; `web`: fetches a URL like a crawl
//! - `answer`: the fields of a page; `metadata`: what it says about itself; `page_text`: a page for people

mod answer;
mod page;
mod page_text;
mod robots;
mod sitemap;
mod source;
mod url;
mod web;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::arguments::{Fetching, InspectArgs, InspectFormat, Inspected};
use crate::cli::error::{Error, UsageError};
use config::Config;
use config::settings::Settings;
use error::RunError;

pub(super) use page::read_one;
pub(super) use web::Web;

/// Upper bound on the characters of a foreign text in one line on a terminal.
const SHOWN_WIDTH: usize = 4_096;

pub(super) fn execute(args: &InspectArgs) -> Result<(), Error> {
    match &args.what {
        Inspected::Page(args) => page::execute(args),
        Inspected::Robots(args) => robots::execute(args),
        Inspected::Url(args) => url::execute(args),
        Inspected::Sitemap(args) => sitemap::execute(args),
    }
}

pub(super) fn settings(fetching: &Fetching) -> Result<Settings, UsageError> {
    with_flags(super::configuration::read(&fetching.config)?, fetching)
}

/// The settings of the crawl in `data`, with the flags in force.
pub(super) fn settings_for_crawl(fetching: &Fetching, data: &Path) -> Result<Settings, UsageError> {
    with_flags(super::configuration::read_for_crawl(&fetching.config, data)?, fetching)
}

fn with_flags((mut config, path): (Config, Option<PathBuf>), fetching: &Fetching) -> Result<Settings, UsageError> {
    config.fetch.allow_private_addresses |= fetching.allow_private;
    super::configuration::validate(&config, path)
}

/// Renders an answer: one line of JSON, or text with its line breaks.
fn shown(answer: &impl Serialize, format: InspectFormat, text: impl FnOnce() -> String) -> Result<String, RunError> {
    if format == InspectFormat::Text {
        return Ok(text());
    }
    super::output::json_line(answer)
}
