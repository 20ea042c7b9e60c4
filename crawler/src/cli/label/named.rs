//! The label of a pair that the command line names.

use std::path::Path;

use super::{URL_CHARS, append, failed};
use crate::cli::arguments::LabelArgs;
use crate::cli::error::{Error, UsageError};
use config::settings::Settings;
use crawl::index::decode_signature;
use crawl::labels::{self, Label, Pairs};
use error::RunError;
use storage::{PageRecord, Store};
use study::as_of::AsOf;
use study::named_page::NamedPage;
use study::typed_url::TypedUrl;
use terminal::commands::command;
use terminal::text::terminal_text;
use url::Url;
use web::host_key::HostKey;

/// Labels the page at the first URL and the other one, or the one that it was dropped for. Returns what to tell.
pub(super) fn label(
    args: &LabelArgs,
    (url, other): (&str, Option<&str>),
    settings: &Settings,
    store: &Store,
) -> Result<String, Error> {
    let path = labels::path_in(&args.data.data);
    let (known, _bad_lines) = labels::read(&path).map_err(|error| failed("read", &path, error))?;
    let label = match (args.same, args.different) {
        (true, _) => Label::Duplicate,
        (_, true) => Label::Different,
        _ => Label::Withdrawn,
    };
    let page = page_of_crawl(url, settings, store)?;
    let other = match other {
        Some(other) => page_of_crawl(other, settings, store)?,
        None => page_of_crawl(&counterpart(&page, label, &known, store)?, settings, store)?,
    };
    if page.url == other.url {
        return Err(refused("a label is about two different pages"));
    }
    let before = known.get(&labels::pair(&page.url, &other.url)).copied();
    if label == Label::Withdrawn && before.is_none() {
        return Err(refused(format!(
            "{} and {} have no label",
            shown(&page.url),
            shown(&other.url)
        )));
    }
    if label == Label::Different && store.run_notes().worker().map_err(RunError::from)?.is_some() {
        tracing::warn!(
            "this is the folder of a worker of a fleet, in which a label is evidence for `tune` and no exception from the rule"
        );
    }
    if label == Label::Different && has_same_text(&page, &other)? {
        return Err(refused(format!(
            "{} and {} have the same text, so they are exact duplicates whatever a label says",
            shown(&page.url),
            shown(&other.url)
        )));
    }
    append(&path, &other.url, &page.url, label)?;
    Ok(in_words(
        &path,
        (&page, &other),
        (before, label),
        AsOf::of(store).is_some(),
    ))
}

/// The page that is meant with a page: the one that it was dropped for, or the only one that it is labelled with.
fn counterpart(page: &PageRecord, label: Label, known: &Pairs, store: &Store) -> Result<String, Error> {
    if label == Label::Withdrawn {
        let pairs = known.keys().filter(|(a, b)| [a, b].contains(&&page.url));
        let mut others: Vec<&str> = pairs.map(|(a, b)| if *a == page.url { &**b } else { &**a }).collect();
        others.sort_unstable();
        return match &*others {
            [other] => Ok((*other).to_owned()),
            [] => Err(refused(format!("{} has no label", shown(&page.url)))),
            [first, ..] => Err(refused(format!(
                "{} has {} labels: name the other page, too, such as {}",
                shown(&page.url),
                others.len(),
                shown(first)
            ))),
        };
    }
    let of = page
        .verdict
        .of()
        .map(|of| NamedPage::find(store, of))
        .transpose()?
        .flatten();
    of.and_then(NamedPage::into_url).ok_or_else(|| {
        refused(format!(
            "{} was not dropped for another page: name the other page, too",
            shown(&page.url)
        ))
    })
}

/// The page that the user typed as `typed`.
fn page_of_crawl(typed: &str, settings: &Settings, store: &Store) -> Result<PageRecord, Error> {
    let url = TypedUrl::parse(typed, &settings.canonicalize);
    let url = url.map_err(|unusable| refused(unusable.to_string()))?;
    let page = |url: &Url| match HostKey::from_url(url) {
        Some(host) => store.page_by_url(host.as_str(), url.as_str()).map_err(RunError::from),
        None => Ok(None),
    };
    let url = url.known(|url| page(url).map(|page| page.is_some()))?;
    let Some((_, page)) = page(&url)? else {
        let url = shown(url.as_str());
        let explain = command("explain", &[&url]);
        return Err(refused(format!(
            "{url} is not a page of this crawl; what it is: `{explain}`"
        )));
    };
    Ok(page)
}

fn has_same_text(page: &PageRecord, other: &PageRecord) -> Result<bool, RunError> {
    let [page, other] = [decode_signature(&page.signature)?, decode_signature(&other.signature)?];
    Ok(page.digest.is_some() && page.digest == other.digest)
}

fn in_words(
    path: &Path,
    (page, other): (&PageRecord, &PageRecord),
    (before, label): (Option<Label>, Label),
    is_running: bool,
) -> String {
    let said = match label {
        Label::Duplicate => "Labelled as the same",
        Label::Different => "Labelled as different",
        Label::Withdrawn => "Took back the label",
    };
    let path = path.display();
    let mut told = format!("{said}, in {path}:\n  {}\n  {}\n", shown(&other.url), shown(&page.url));
    let redecide = command("rebuild", &["--redecide"]);
    let when = if is_running {
        "The run that is under way goes on without it. When it has ended"
    } else {
        "The next run judges new versions of the two pages so. For the versions that the crawl has"
    };
    match (before, label) {
        (Some(Label::Different), Label::Different) | (None | Some(Label::Duplicate), Label::Withdrawn) => {}
        (_, Label::Different) => {
            told.push_str(&format!(
                "They are no near-duplicates of each other, whatever the rule says. {when}: `{redecide}`\n"
            ));
        }
        (Some(Label::Different), _) => told.push_str(&format!(
            "The rule alone decides on the pair again. {when}: `{redecide}`\n"
        )),
        _ => {}
    }
    told
}

fn shown(url: &str) -> String {
    terminal_text(url, URL_CHARS)
}

fn refused(why: impl Into<String>) -> Error {
    UsageError::Argument(why.into()).into()
}
