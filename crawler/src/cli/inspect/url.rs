//! `crawler inspect url`

use std::io::{self, IsTerminal};

use reqwest::header::HeaderName;
use serde::Serialize;
use web::canonicalize::{CanonicalUrl, surt};
use web::host_key::HostKey;

use super::{SHOWN_WIDTH, shown, source};
use crate::cli::arguments::InspectUrlArgs;
use crate::cli::configuration;
use crate::cli::error::{Error, UsageError};
use crate::cli::output::Output;
use config::settings::{HostRule, Settings};
use terminal::text::terminal_text;

/// The answer for one URL.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer<'a> {
    Canonical {
        url: &'a str,
        canonical: String,
        surt: String,
        host_key: String,
        rules: &'a str,
        /// Whether the patterns of the configuration admit the URL.
        admitted: bool,
        /// The pattern that decides.
        pattern: Option<String>,
        /// The section of the host.
        host_section: Option<HostSection<'a>>,
        /// The decision in words, if there are patterns.
        #[serde(skip)]
        ruling: Option<String>,
    },
    Refused {
        url: &'a str,
        error: String,
    },
}

/// The `[[host]]` section that holds for a URL.
#[derive(Debug, Serialize)]
struct HostSection<'a> {
    /// Counted from 1.
    number: usize,
    host: &'a str,
    delay_ms: u128,
    parallel: usize,
    /// The names of the header fields; their values may be secrets.
    headers: Vec<&'a str>,
}

impl<'a> HostSection<'a> {
    fn of(rule: &'a HostRule) -> Self {
        Self {
            number: rule.number,
            host: &rule.host,
            delay_ms: rule.politeness.delay.as_millis(),
            parallel: rule.politeness.parallel_per_host,
            headers: rule.headers.keys().map(HeaderName::as_str).collect(),
        }
    }

    fn as_text(&self) -> String {
        let Self {
            number,
            host,
            delay_ms,
            parallel,
            headers,
        } = self;
        let headers = match &headers[..] {
            [] => String::new(),
            headers => format!(", headers {}", headers.join(" ")),
        };
        format!("\t[[host]] {number}, {host}: delay_ms {delay_ms}, parallel {parallel}{headers}")
    }
}

pub(super) fn execute(args: &InspectUrlArgs) -> Result<(), Error> {
    let stdin = ["-".to_owned()];
    let urls = if args.urls.is_empty() { &stdin } else { &args.urls[..] };
    if args.urls.is_empty() && io::stdin().is_terminal() {
        let message = "no URL given; name URLs, or pipe them to standard input, one per line";
        return Err(UsageError::Argument(message.into()).into());
    }
    let settings = configuration::settings(&args.config)?;
    let scheme = settings.canonicalize.scheme();
    let mut output = Output::open(None)?;
    let mut faults = 0;
    source::each_line(urls, |url| {
        let answer = Answer::of(url, &settings, &scheme);
        faults += u64::from(matches!(answer, Answer::Refused { .. }));
        output.write(shown(&answer, args.format, || answer.as_text())?)
    })?;
    output.finish()?;
    Error::of_faults(faults)
}

impl<'a> Answer<'a> {
    fn of(url: &'a str, settings: &'a Settings, scheme: &'a str) -> Self {
        match CanonicalUrl::parse(url, &settings.canonicalize) {
            Ok(canonical) => {
                let ruling = settings.urls.ruling(canonical.url());
                let host = HostKey::from_url(canonical.url()).map(String::from).unwrap_or_default();
                Self::Canonical {
                    url,
                    surt: surt(&canonical),
                    host_section: settings.hosts.of(&host).map(HostSection::of),
                    host_key: host,
                    rules: scheme,
                    admitted: ruling.admits(),
                    pattern: ruling.pattern().map(str::to_owned),
                    ruling: (!settings.urls.is_empty()).then(|| ruling.to_string()),
                    canonical: canonical.into(),
                }
            }
            Err(error) => Self::Refused {
                url,
                error: error.to_string(),
            },
        }
    }

    fn as_text(&self) -> String {
        match self {
            Self::Canonical {
                canonical,
                surt,
                host_key,
                admitted,
                ruling,
                host_section,
                ..
            } => {
                let decided = if *admitted { "admitted" } else { "excluded" };
                let ruling = ruling.as_ref().map(|ruling| format!("\t{decided}: {ruling}"));
                let ruling = ruling.unwrap_or_default();
                let section = host_section.as_ref().map(HostSection::as_text).unwrap_or_default();
                format!("{canonical}\t{surt}\t{host_key}{ruling}{section}\n")
            }
            Self::Refused { url, error } => {
                let (error, url) = (terminal_text(error, SHOWN_WIDTH), terminal_text(url, SHOWN_WIDTH));
                format!("error\t{error}\t{url}\n")
            }
        }
    }
}
