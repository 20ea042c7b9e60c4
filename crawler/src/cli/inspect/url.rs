//! `crawler inspect url`

use std::io::{self, IsTerminal};

use serde::Serialize;
use web::canonicalize::{CanonicalRules, CanonicalUrl, surt};
use web::host_key::HostKey;

use super::{SHOWN_WIDTH, done, shown, source};
use crate::cli::arguments::InspectUrlArgs;
use crate::cli::configuration;
use crate::cli::error::{Error, UsageError};
use crate::cli::output::Output;
use crate::terminal::text::terminal_text;

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
    },
    Refused {
        url: &'a str,
        error: String,
    },
}

pub(super) fn execute(args: &InspectUrlArgs) -> Result<(), Error> {
    let stdin = ["-".to_owned()];
    let urls = if args.urls.is_empty() { &stdin } else { &args.urls[..] };
    if args.urls.is_empty() && io::stdin().is_terminal() {
        let message = "no URL given; name URLs, or pipe them to standard input, one per line";
        return Err(UsageError::Argument(message.into()).into());
    }
    let rules = configuration::settings(&args.config)?.canonicalize;
    let scheme = rules.scheme();
    let mut output = Output::open(None)?;
    let mut faults = 0;
    source::each_line(urls, |url| {
        let answer = Answer::of(url, &rules, &scheme);
        faults += u64::from(matches!(answer, Answer::Refused { .. }));
        output.write(shown(&answer, args.format, || answer.as_text())?)
    })?;
    output.finish()?;
    done(faults)
}

impl<'a> Answer<'a> {
    fn of(url: &'a str, rules: &CanonicalRules, scheme: &'a str) -> Self {
        match CanonicalUrl::parse(url, rules) {
            Ok(canonical) => Self::Canonical {
                url,
                surt: surt(&canonical),
                host_key: HostKey::from_url(canonical.url()).map(String::from).unwrap_or_default(),
                canonical: canonical.into(),
                rules: scheme,
            },
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
                ..
            } => format!("{canonical}\t{surt}\t{host_key}\n"),
            Self::Refused { url, error } => {
                let (error, url) = (terminal_text(error, SHOWN_WIDTH), terminal_text(url, SHOWN_WIDTH));
                format!("error\t{error}\t{url}\n")
            }
        }
    }
}
