//! `crawler explain`: why the crawl kept or dropped a page, or what else happened to a URL.

mod text;

use super::screen::Screen;
use crate::cli::arguments::{AnswerFormat, ExplainArgs};
use crate::cli::error::{Error, UsageError};
use study::diff;
use study::explain::{self, State};
use study::typed_url::TypedUrl;

/// Exit code if the crawl does not know the URL.
const UNKNOWN: u8 = 4;

pub(super) fn execute(args: &ExplainArgs) -> Result<(), Error> {
    let (config, path) = super::configuration::read_for_crawl(&args.config, &args.data.data)?;
    let settings = super::configuration::validate(&config, path)?;
    let (answer, store) = super::store::read_whole(|| {
        let mut store = super::store::open_to_read(&args.data.data)?;
        let typed = TypedUrl::parse(&args.url, &settings.canonicalize)
            .map_err(|unusable| UsageError::Argument(unusable.to_string()))?;
        let answer = explain::explain(&mut store, &settings, &args.url, typed, options(args))?;
        Ok((answer, store))
    })?;
    let text = match args.format {
        AnswerFormat::Text => text::render(&answer, Screen::of_stdout()),
        AnswerFormat::Json => super::output::json_line(&answer)?,
    };
    super::output::write_whole(None, text)?;
    super::store::leave_open(store);
    match answer.state {
        State::Unknown { .. } => Err(Error::Answer(UNKNOWN)),
        _ => Ok(()),
    }
}

fn options(args: &ExplainArgs) -> explain::Options {
    let diff = match args.format {
        AnswerFormat::Text => diff::Options {
            context: 1,
            max_rows: 40,
            max_line_chars: 600,
        },
        AnswerFormat::Json => diff::Options::default(),
    };
    explain::Options {
        top: args.top.into(),
        diff: (!args.no_diff).then_some(diff),
    }
}
