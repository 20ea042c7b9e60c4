//! `crawler inspect sitemap`

use std::fmt::Write;
use std::path::Path;

use ::url::Url;
use serde::Serialize;
use web::sitemap::{MAX_SITEMAP_BYTES, MAX_SITEMAP_URLS, ParsedSitemap, SitemapFormat, parse_sitemap};

use super::source::{self, Source};
use super::web::Web;
use super::{SHOWN_WIDTH, settings, shown};
use crate::cli::arguments::InspectSitemapArgs;
use crate::cli::error::Error;
use crate::cli::output::write_whole;
use terminal::text::{terminal_text, without_user_info};

/// The content of a sitemap.
#[derive(Debug, Default, Serialize)]
struct Answer {
    source: String,
    url: Option<String>,
    kind: Option<&'static str>,
    urls: Vec<String>,
    skipped: usize,
    truncated: bool,
    error: Option<String>,
}

pub(super) fn execute(args: &InspectSitemapArgs) -> Result<(), Error> {
    let mut answer = Answer {
        source: args.sitemap.display().to_string(),
        ..Answer::default()
    };
    match Source::of(&args.sitemap) {
        Ok(Source::Stdin) => answer.take_file(None),
        Ok(Source::File(path)) => answer.take_file(Some(path)),
        Ok(Source::Web(url)) => answer.take_web(&url, Web::new(&settings(&args.fetching)?)?),
        Err(reason) => answer.error = Some(reason),
    }
    let text = shown(&answer, args.format, || answer.as_text())?;
    write_whole(None, text)?;
    Error::of_faults(u64::from(answer.error.is_some()))
}

impl Answer {
    fn take_file(&mut self, path: Option<&Path>) {
        let body = source::open(path).and_then(|input| source::read(input, MAX_SITEMAP_BYTES));
        match body {
            Ok(body) => self.take(parse_sitemap(&body, MAX_SITEMAP_URLS)),
            Err(error) => self.error = Some(format!("cannot be read: {error}")),
        }
    }

    fn take_web(&mut self, url: &Url, mut web: Web) {
        let (url, body) = match web.sitemap(url) {
            Ok(found) => found,
            Err(reason) => return self.error = Some(reason),
        };
        self.take(parse_sitemap(&body, MAX_SITEMAP_URLS));
        for address in &mut self.urls {
            if let Ok(joined) = url.join(address) {
                *address = joined.into();
            }
        }
        self.url = Some(url.into());
    }

    fn take(&mut self, parsed: ParsedSitemap) {
        self.kind = parsed.format.map(SitemapFormat::name);
        self.urls = parsed.sitemap.into_locations();
        self.skipped = parsed.skipped;
        self.truncated = parsed.truncated;
        self.error = parsed.broken;
    }

    fn as_text(&self) -> String {
        let mut text = String::new();
        if let Some(kind) = self.kind {
            let more = if self.truncated { " and more" } else { "" };
            let skipped = match self.skipped {
                0 => String::new(),
                skipped => format!(", {skipped} skipped"),
            };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{kind}, {} URLs{more}{skipped}", self.urls.len());
        }
        for url in &self.urls {
            text.push_str(&terminal_text(url, SHOWN_WIDTH));
            text.push('\n');
        }
        if let Some(error) = &self.error {
            let error = terminal_text(error, SHOWN_WIDTH);
            tracing::warn!(
                "{}: {error}",
                terminal_text(&without_user_info(&self.source), SHOWN_WIDTH)
            );
        }
        text
    }
}
