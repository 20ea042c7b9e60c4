//! `crawler inspect robots`

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::url::Url;
use serde::Serialize;
use web::robots::{MAX_ROBOTS_BYTES, Robots, RobotsDecision, product_token, robots_url};

use super::source::{self, Source};
use super::web::Web;
use super::{SHOWN_WIDTH, settings, shown};
use crate::cli::arguments::{InspectFormat, InspectRobotsArgs};
use crate::cli::error::{Error, UsageError};
use crate::cli::output::Output;
use error::RunError;
use terminal::text::{terminal_text, without_user_info};

/// The answer for one URL.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    url: &'a str,
    allowed: bool,
    rule: Option<&'a str>,
    line: Option<usize>,
    agent: &'a str,
    crawl_delay_ms: Option<u64>,
    sitemaps: &'a [String],
}

/// The answer without URLs.
#[derive(Debug, Serialize)]
struct Whole<'a> {
    agent: &'a str,
    crawl_delay_ms: Option<u64>,
    sitemaps: &'a [String],
}

/// An invalid URL.
#[derive(Debug, Serialize)]
struct InvalidUrl<'a> {
    url: &'a str,
    error: &'a str,
}

pub(super) fn execute(args: &InspectRobotsArgs) -> Result<(), Error> {
    let is_stdin = args.robots.as_os_str() == "-";
    if args.urls.iter().filter(|url| *url == "-").count() + usize::from(is_stdin) > 1 {
        return Err(UsageError::Input(files::InputError::StdinTwice).into());
    }
    let named = match &args.agent {
        Some(agent) => agent.clone(),
        None => settings(&args.fetching)?.product,
    };
    let robots = read(args, &named)?;
    let agent = match product_token(&named) {
        "" => "*",
        token => token,
    };
    let mut output = Output::open(None)?;
    if args.urls.is_empty() {
        output.write(about_all(&robots, agent, args.format)?)?;
        output.finish()?;
        return Ok(());
    }
    let mut faults = 0;
    source::each_line(&args.urls, |url| {
        let answer = match decide(&robots, url) {
            Ok(decision) => allowed_or_not(&robots, url, agent, &decision, args.format)?,
            Err(error) => {
                faults += 1;
                invalid_url(url, &error, args.format)?
            }
        };
        output.write(answer)
    })?;
    output.finish()?;
    Error::of_faults(faults)
}

fn read(args: &InspectRobotsArgs, agent: &str) -> Result<Robots, Error> {
    let unreadable = |path: &Path, source| UsageError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let url = match Source::of(&args.robots) {
        Ok(Source::Web(url)) => url,
        Ok(Source::File(path)) => return Ok(read_file(Some(path), agent).map_err(|e| unreadable(path, e))?),
        Ok(Source::Stdin) => {
            let robots = read_file(None, agent);
            return Ok(robots.map_err(|e| unreadable(&PathBuf::from("standard input"), e))?);
        }
        Err(reason) => return Err(UsageError::Argument(format!("{}: {reason}", args.robots.display())).into()),
    };
    let url = if url.path() == "/" { robots_url(&url) } else { url };
    let outcome = Web::new(&settings(&args.fetching)?)?.robots(&url, agent);
    Ok(outcome
        .map_err(|error| UsageError::Argument(format!("{url}: {error}")))?
        .robots)
}

fn read_file(path: Option<&Path>, agent: &str) -> std::io::Result<Robots> {
    let body = source::read(source::open(path)?, MAX_ROBOTS_BYTES)?;
    Ok(Robots::parse(&body, agent))
}

/// Decides on a URL, with or without a scheme, or on a path.
fn decide(robots: &Robots, text: &str) -> Result<RobotsDecision, String> {
    if text.is_empty() || text.starts_with('/') {
        return Ok(robots.decide_target(text));
    }
    let url = if text.contains("://") {
        Url::parse(text)
    } else {
        Url::parse(&format!("http://{text}"))
    };
    let url = url.map_err(|error| format!("not a URL: {error}"))?;
    Ok(robots.decide(&url))
}

/// What a robots.txt says of no URL in particular.
fn about_all(robots: &Robots, agent: &str, format: InspectFormat) -> Result<String, RunError> {
    let delay = robots.crawl_delay();
    let answer = Whole {
        agent,
        crawl_delay_ms: delay.map(millis),
        sitemaps: robots.sitemaps(),
    };
    shown(&answer, format, || {
        let delay = delay.map_or_else(
            || "none".to_owned(),
            |delay| humantime::format_duration(delay).to_string(),
        );
        let mut text = format!("agent\t{}\ncrawl-delay\t{delay}\n", terminal_text(agent, SHOWN_WIDTH));
        for sitemap in robots.sitemaps() {
            text.push_str(&format!("sitemap\t{}\n", terminal_text(sitemap, SHOWN_WIDTH)));
        }
        text
    })
}

fn millis(delay: Duration) -> u64 {
    u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)
}

fn allowed_or_not(
    robots: &Robots,
    url: &str,
    agent: &str,
    decision: &RobotsDecision,
    format: InspectFormat,
) -> Result<String, RunError> {
    let delay = robots.crawl_delay();
    let answer = Answer {
        url,
        allowed: decision.allowed,
        rule: decision.rule.as_deref(),
        line: decision.line,
        agent,
        crawl_delay_ms: delay.map(millis),
        sitemaps: robots.sitemaps(),
    };
    shown(&answer, format, || {
        let word = if decision.allowed { "allow" } else { "disallow" };
        let rule = match (&decision.rule, decision.line) {
            (Some(rule), Some(line)) => format!("{line}: {rule}"),
            (Some(reason), None) => reason.clone(),
            (None, _) => "no rule".to_owned(),
        };
        let rule = terminal_text(&rule, SHOWN_WIDTH);
        format!("{word}\t{rule}\t{}\n", terminal_text(url, SHOWN_WIDTH))
    })
}

/// Reports an invalid URL: as JSON, or on standard error, because every line of text begins with `allow` or `disallow`.
fn invalid_url(url: &str, error: &str, format: InspectFormat) -> Result<String, RunError> {
    shown(&InvalidUrl { url, error }, format, || {
        tracing::warn!("{}: {error}", terminal_text(&without_user_info(url), SHOWN_WIDTH));
        String::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_accepted_with_or_without_a_scheme_or_as_a_path() {
        let robots = Robots::parse(b"user-agent: *\ndisallow: /a", "FooBot");
        for text in ["http://example.org/a", "example.org/a?b", "/a/b", "example.org:8080/a"] {
            assert_eq!(
                decide(&robots, text).map(|decision| decision.allowed),
                Ok(false),
                "{text}"
            );
        }
        for text in ["", "/", "example.org", "https://example.org/b#/a"] {
            assert_eq!(
                decide(&robots, text).map(|decision| decision.allowed),
                Ok(true),
                "{text}"
            );
        }
        assert!(decide(&robots, "http://[x/").is_err());
    }
}
