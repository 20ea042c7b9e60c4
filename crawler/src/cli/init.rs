//! `crawler init`: the first seeds file and configuration, from what the sites say about themselves.
//!
//! - `survey`: asks a site for its robots.txt and sitemaps
//! - `files`: the texts of the new files, and their writing
//! - `estimate`: how long a polite crawl takes

mod estimate;
mod files;
mod survey;

use std::path::Path;

use url::Url;

use super::inspect::Web;
use super::output::say;
use crate::cli::arguments::InitArgs;
use crate::cli::configuration;
use crate::cli::error::{Error, UsageError};
use config::settings::Settings;
use config::{Config, Origin};
use crawl::seeds;
use estimate::Estimate;
use files::NewFiles;
use survey::{Survey, survey};
use terminal::tell::tell;
use terminal::text::terminal_text;
use web::address_policy::AddressPolicy;

pub(super) fn execute(args: &InitArgs, quiet: bool) -> Result<(), Error> {
    let sites = sites(&args.urls)?;
    let files = NewFiles::at(&args.folder, args.force)?;
    let (config, settings) = settings(args, &sites)?;
    let mut web = Web::new(&settings)?;
    let mut surveys = Vec::with_capacity(sites.len());
    for url in sites {
        if !quiet {
            tell(format_args!(
                "asking {} for its robots.txt and sitemaps",
                shown(url.as_str())
            ));
        }
        surveys.push(survey(url, &mut web, &settings));
    }
    if surveys.iter().all(|survey| !survey.has_answered) {
        surveys.iter().for_each(|survey| tell(in_words(survey)));
        return Err(Error::NoSite);
    }
    files.write(&surveys, &config)?;
    say(&described(
        &surveys,
        &Estimate::of(&surveys, &settings),
        &files,
        &config,
    ))?;
    Ok(())
}

/// The sites without repetition.
fn sites(texts: &[String]) -> Result<Vec<Url>, UsageError> {
    let mut urls: Vec<Url> = Vec::new();
    for text in texts {
        let url = seeds::url_of(text).map_err(|reason| UsageError::Argument(format!("{}: {reason}", shown(text))))?;
        if !urls.contains(&url) {
            urls.push(url);
        }
    }
    Ok(urls)
}

/// The configuration of the environment and the flags. Sites on private addresses belong to the user, so a crawl of them alone has no delay.
fn settings(args: &InitArgs, sites: &[Url]) -> Result<(Config, Settings), UsageError> {
    let sources = configuration::read_sources(None)?;
    let sets_no_delay = sources.origin("politeness.delay_ms") == Origin::Default;
    let mut config = sources.config;
    if let Some(contact) = &args.contact {
        config.identity.contact_url.clone_from(contact);
    }
    config.fetch.allow_private_addresses |= args.allow_private;
    if config.fetch.allow_private_addresses && sets_no_delay && sites.iter().all(is_private) {
        config.politeness.delay_ms = 0;
    }
    let settings = configuration::validate(&config, None)?;
    Ok((config, settings))
}

/// Whether the host is written as a loopback, private or other special address, or is `localhost` (RFC 6761, section 6.3).
fn is_private(site: &Url) -> bool {
    let is_localhost =
        matches!(site.host(), Some(url::Host::Domain(name)) if name == "localhost" || name.ends_with(".localhost"));
    is_localhost
        || AddressPolicy::new(false)
            .check_literal(site)
            .is_err_and(|forbidden| forbidden.kind.is_private_network())
}

fn described(surveys: &[Survey], estimate: &Estimate, files: &NewFiles, config: &Config) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(surveys.iter().map(in_words));
    lines.push(String::new());
    lines.push(estimate.to_string());
    lines.push(format!(
        "Written: {} and {}",
        files.seeds.display(),
        files.config.display()
    ));
    if config.identity.contact_url.is_empty() {
        lines.push("Set contact_url in config.toml, so that site owners can reach you.".to_owned());
    }
    lines.push(format!(
        "Start the crawl: {}crawler run --seeds seeds.txt",
        change_to(&files.folder)
    ));
    lines.join("\n")
}

/// What is known about a site, in lines.
fn in_words(survey: &Survey) -> String {
    let url = shown(survey.url.as_str());
    survey.lines().iter().fold(url, |all, line| all + "\n  " + &shown(line))
}

/// The command that makes the folder the current one; empty for the current folder.
fn change_to(folder: &Path) -> String {
    match folder.to_str() {
        Some("." | "") => String::new(),
        _ => format!("cd {} && ", folder.display()),
    }
}

/// Upper bound on the characters of a line.
const SHOWN_CHARS: usize = 400;

fn shown(text: &str) -> String {
    terminal_text(text, SHOWN_CHARS)
}
