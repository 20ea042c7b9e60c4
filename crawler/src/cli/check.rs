//! `crawler check`: whether the crawl, or an index of documents, has a text already.

mod index;
mod text;

use std::path::Path;

use super::counter::Counter;
use super::index::{DocumentIndex, NamedIndex};
use super::inspect;
use super::output::{json_line, write_whole};
use super::screen::Screen;
use crate::cli::arguments::{AnswerFormat, CheckArgs};
use crate::cli::error::{Error, UsageError};
use config::settings::Settings;
use error::RunError;
use files::Format;
use study::check::{self, Subject, TextVerdict};
use study::nearest::KeptPages;
use study::scheme;
use terminal::commands::{command, path_argument};
use terminal::tell::tell;
use terminal::text::terminal_text;

/// Upper bound on the characters of the argument that an error quotes.
const SOURCE_CHARS: usize = 200;

pub(super) fn execute(args: &CheckArgs) -> Result<(), Error> {
    reject_collections(&args.source)?;
    if let Some(named) = &args.index {
        return in_index(args, NamedIndex::of(named)?, &inspect::settings(&args.fetching)?);
    }
    let settings = inspect::settings_for_crawl(&args.fetching, &args.data.data)?;
    let store = super::store::open_to_read(&args.data.data)?;
    scheme::require_same(&store, &settings)?;
    let subject = read(&args.source, args.url.as_deref(), &settings, args.ignore_robots)?;
    let kept = KeptPages::open(&store, &settings)?;
    if kept.is_derived {
        tell(
            "crawler: the store's index was built for another rule than the configured one, so this command built an index of all \
             kept pages, which takes longer; the next run builds the store's index again",
        );
    }
    let options = check::Options {
        top: args.top.into(),
        is_thorough: args.thorough,
    };
    let last = store.next_page_id().saturating_sub(1);
    let compared = args.thorough.then(|| {
        Counter::show(Some(last), false, move |page| {
            format!("{page} of {last} pages compared")
        })
    });
    let answer = check::check(&store, &settings, &kept, subject, options, |page| {
        compared.iter().for_each(|compared| compared.set(page));
    })?;
    drop(compared);
    write_whole(
        None,
        match args.format {
            AnswerFormat::Text => text::render(&answer, &settings.rule, Screen::of_stdout()),
            AnswerFormat::Json => json_line(&answer)?,
        },
    )?;
    super::store::leave_open(store);
    ended(answer.verdict)
}

/// Compares with an index of documents.
fn in_index(args: &CheckArgs, named: NamedIndex, settings: &Settings) -> Result<(), Error> {
    let index = DocumentIndex::open(named, settings)?;
    let subject = read(&args.source, args.url.as_deref(), settings, args.ignore_robots)?;
    let answer = index::check(&index, settings, subject, args.top.into())?;
    write_whole(
        None,
        match args.format {
            AnswerFormat::Text => index::render(&answer, &settings.rule, Screen::of_stdout()),
            AnswerFormat::Json => json_line(&answer)?,
        },
    )?;
    ended(answer.verdict)
}

fn ended(verdict: TextVerdict) -> Result<(), Error> {
    match exit_code(verdict) {
        0 => Ok(()),
        code => Err(Error::Answer(code)),
    }
}

fn exit_code(verdict: TextVerdict) -> u8 {
    match verdict {
        TextVerdict::New => 0,
        TextVerdict::Near => 10,
        TextVerdict::Exact => 11,
        TextVerdict::TooShort => 12,
        TextVerdict::Contained => 13,
    }
}

fn reject_collections(source: &Path) -> Result<(), UsageError> {
    match Format::of_name(source).filter(|_| source.is_file()) {
        Some(format) if format.is_collection() => Err(UsageError::Argument(format!(
            "{} holds many documents, and check takes one page or text; to compare these documents with each other: {}",
            source.display(),
            command("dedup", &[&path_argument(source)])
        ))),
        _ => Ok(()),
    }
}

/// Reads a file in the place of which the user may have put a collection.
///
/// # Errors
/// The file holds many documents, or cannot be read as a page or a text.
pub(super) fn read_file(file: &Path, url: Option<&str>, settings: &Settings) -> Result<Subject, Error> {
    reject_collections(file)?;
    read(file, url, settings, false)
}

fn read(source: &Path, url: Option<&str>, settings: &Settings, ignore_robots: bool) -> Result<Subject, Error> {
    let page = inspect::read_one(source, url, settings, ignore_robots)?;
    let page = page.map_err(|unread| RunError::Unread {
        what: terminal_text(&unread.source, SOURCE_CHARS),
        reason: unread.error.trim_start_matches("cannot be read: ").to_owned(),
    })?;
    if let Some(redirect) = page.redirect {
        return Err(Error::from(RunError::Unread {
            what: terminal_text(&page.source, SOURCE_CHARS),
            reason: format!(
                "its HTML only redirects to {} ({}); check that page instead",
                terminal_text(&redirect.to, SOURCE_CHARS),
                redirect.by
            ),
        }));
    }
    if let Some(wall) = page.wall {
        return Err(Error::from(RunError::Unread {
            what: terminal_text(&page.source, SOURCE_CHARS),
            reason: format!(
                "it only stands in the way of the page that was asked for: {} ({}); with fetch.walls = false, its text is compared",
                wall.kind,
                terminal_text(&wall.evidence, SOURCE_CHARS)
            ),
        }));
    }
    Ok(Subject {
        source: page.source,
        url: page.canonical_url,
        title: page.title,
        text: page.text,
        signature: page.signature,
        fingerprint: page.fingerprint,
        digest: page.digest,
    })
}
