//! `crawler verify`

mod duplicates;
mod index;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;

use serde::Serialize;
use storage::{Finding, FindingKind, Findings, OpenOptions, Store};

use super::counter::Counter;
use crate::cli::arguments::{VerifyArgs, VerifyFormat};
use crate::cli::error::Error;
use config::settings::Settings;
use error::RunError;
use study::as_of::AsOf;
use terminal::commands::command;
use terminal::text::terminal_text;

/// Number of findings of a kind that the answer names; the others are only counted.
const MAX_NAMED: usize = 20;

/// Upper bound on the characters of a finding.
const SHOWN_CHARS: usize = 500;

/// The files, and parts of files, in which no check looks for damage: a run needs none of them.
const NOT_CHECKED: &str =
    "README.md, lock, last-commit, steering.checkpoint, and the parts of the files in state that hold no row";

/// The result for programs. Later versions only add fields.
#[derive(Debug, Serialize)]
struct Answer {
    /// The instant that the answer shows, if the crawl is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<AsOf>,
    /// There is no finding.
    ok: bool,
    /// Pages in the catalogue.
    pages: u64,
    /// Known URLs.
    urls: u64,
    /// Findings by kind.
    findings: BTreeMap<&'static str, OfKind>,
    /// Information that is not a finding.
    notes: Vec<String>,
    /// The files, and parts of files, in which no check looks for damage.
    not_checked: &'static str,
}

/// The findings of one kind.
#[derive(Debug, Default, Serialize)]
struct OfKind {
    count: u64,
    /// How to repair them.
    advice: String,
    /// The first findings.
    named: Vec<String>,
}

pub(super) fn execute(args: &VerifyArgs, quiet: bool) -> Result<(), Error> {
    let settings = super::configuration::settings_for_crawl(&args.config, &args.data.data)?;
    let answer = verify(&args.data.data, &settings, quiet)?;
    let is_quiet_success = quiet && answer.ok && args.format == VerifyFormat::Text;
    if !is_quiet_success {
        super::output::say(&render(&answer, args.format)?)?;
    }
    match answer.findings.values().map(|of_kind| of_kind.count).sum() {
        0 => Ok(()),
        count => Err(RunError::NotSound {
            dir: args.data.data.clone(),
            count,
        }
        .into()),
    }
}

/// Checks the crawl in `dir`, with progress on standard error.
fn verify(dir: &Path, settings: &Settings, quiet: bool) -> Result<Answer, RunError> {
    let options = OpenOptions {
        cache_bytes: settings.storage.cache_bytes,
        ..OpenOptions::existing()
    };
    let store = super::store::open_to_read_with(dir, options)?;
    let total = steps_to_verify(&store, settings);
    let steps = Counter::show(Some(total), quiet, move |done| {
        format!("{done} of {total} rows and pieces of the archive checked")
    });
    let mut found: BTreeMap<FindingKind, OfKind> = BTreeMap::new();
    let mut notes = Vec::new();
    let rebuild = command("rebuild", &[]);
    let mut note = |Finding { kind, what }| {
        let of_kind = found.entry(kind).or_default();
        (of_kind.count, of_kind.advice) = (of_kind.count + 1, kind.advice(&rebuild));
        if of_kind.named.len() < MAX_NAMED {
            of_kind.named.push(what);
        }
    };
    let mut step = |done| {
        steps.count.fetch_add(done, Ordering::Relaxed);
    };
    let mut findings = Findings::new(&mut note, &mut step);
    storage::verify(&store, &mut findings)?;
    verify_fingerprints(&store, settings, &mut findings, &mut notes)?;
    notes.extend(note_of_skipped(store.archive().skipped_stretches()?));
    Ok(Answer {
        as_of: AsOf::of(&store),
        ok: found.is_empty(),
        pages: store.next_page_id() - 1,
        urls: store.counts().discovered,
        findings: found
            .into_iter()
            .map(|(kind, of_kind)| (kind.name(), of_kind))
            .collect(),
        notes,
        not_checked: NOT_CHECKED,
    })
}

/// The number of steps of all checks.
fn steps_to_verify(store: &Store, settings: &Settings) -> u64 {
    let of_store = storage::steps_to_verify(store);
    if store.scheme() != settings.store_scheme() {
        return of_store;
    }
    of_store + store.next_page_id() - 1 + store.counts().kept
}

/// Checks the index and the duplicates, if the configuration has the scheme of the crawl.
fn verify_fingerprints(
    store: &Store,
    settings: &Settings,
    findings: &mut Findings<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    if store.scheme() != settings.store_scheme() {
        notes.push(format!(
            "the scheme of the crawl is {:?} and differs from the configuration: the index and the duplicates were not checked; \
             give the configuration of the crawl with --config",
            store.scheme()
        ));
        return Ok(());
    }
    index::verify(store, settings, findings, notes)?;
    duplicates::verify(store, settings, findings, notes)
}

fn note_of_skipped(stretches: u64) -> Option<String> {
    (stretches > 0).then(|| {
        format!("{stretches} damaged stretches of the WARC files were given up by a rebuild; no page needs them")
    })
}

fn render(answer: &Answer, format: VerifyFormat) -> Result<String, RunError> {
    if format == VerifyFormat::Json {
        return serde_json::to_string_pretty(answer).map_err(|error| RunError::Render(error.to_string()));
    }
    let mut lines = Vec::new();
    for (kind, of_kind) in &answer.findings {
        for what in &of_kind.named {
            lines.push(format!(
                "{kind}: {}: {}",
                terminal_text(what, SHOWN_CHARS),
                of_kind.advice
            ));
        }
        let more = of_kind.count - of_kind.named.len() as u64;
        if more > 0 {
            lines.push(format!("{kind}: {more} more"));
        }
    }
    lines.extend(answer.notes.iter().cloned());
    let (urls, pages) = (answer.urls, answer.pages);
    lines.push(format!("Not checked: {NOT_CHECKED}; a run needs none of them"));
    lines.push(if answer.ok {
        format!("No finding: {urls} URLs and {pages} pages checked")
    } else {
        format!("{urls} URLs and {pages} pages checked")
    });
    Ok(lines.join("\n"))
}
