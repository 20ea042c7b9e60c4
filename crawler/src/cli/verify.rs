//! `crawler verify`

mod index;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use storage::{Finding, Findings, Kind, OpenOptions, Store};

use crate::cli::arguments::{VerifyArgs, VerifyFormat};
use crate::cli::error::Error;
use crate::error::RunError;
use crate::live::progress::{Moment, Progress};
use crate::terminal::text::terminal_text;

/// Findings of a kind that are named; the others are counted.
const NAMED: usize = 20;

/// Characters of a finding that are shown.
const SHOWN_CHARS: usize = 500;

/// What was found, for programs. Fields are only ever added.
#[derive(Debug, Serialize)]
struct Answer {
    /// Nothing was found.
    ok: bool,
    /// Pages in the catalogue.
    pages: u64,
    /// URLs known.
    urls: u64,
    /// By kind.
    findings: BTreeMap<&'static str, OfKind>,
    /// What is no finding and worth knowing.
    notes: Vec<String>,
}

/// The findings of one kind.
#[derive(Debug, Default, Serialize)]
struct OfKind {
    count: u64,
    /// What is to be done about them.
    advice: &'static str,
    /// The first of them.
    named: Vec<String>,
}

pub(super) fn execute(args: &VerifyArgs, quiet: bool) -> Result<(), Error> {
    let (config, path) = super::configuration::read(&args.config)?;
    let settings = super::configuration::validate(&config, path)?;
    let dir = &args.data.data;
    let options = OpenOptions {
        cache_bytes: settings.storage.cache_bytes,
        ..OpenOptions::existing()
    };
    let store = Store::open_untouched(dir, &options).map_err(RunError::from)?;
    let done = Arc::new(AtomicU64::new(0));
    let (shown, all) = (done.clone(), store.steps_to_verify());
    let progress = Progress::start(Some(all), quiet, move |_now| {
        let position = shown.load(Ordering::Relaxed);
        Moment {
            position,
            message: format!("{position} of about {all} rows and records looked at"),
            ..Moment::default()
        }
    });
    let mut found: BTreeMap<Kind, OfKind> = BTreeMap::new();
    let mut notes = Vec::new();
    {
        let mut tell = |Finding { kind, what }| {
            let of_kind = found.entry(kind).or_default();
            (of_kind.count, of_kind.advice) = (of_kind.count + 1, kind.advice());
            if of_kind.named.len() < NAMED {
                of_kind.named.push(what);
            }
        };
        let mut step = || {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let mut findings = Findings::new(&mut tell, &mut step);
        store.verify(&mut findings).map_err(RunError::from)?;
        index::verify(&store, &settings, &mut findings, &mut notes)?;
    }
    drop(progress);
    let answer = Answer {
        ok: found.is_empty(),
        pages: store.next_page_id() - 1,
        urls: store.counts().discovered,
        findings: found
            .into_iter()
            .map(|(kind, of_kind)| (kind.name(), of_kind))
            .collect(),
        notes,
    };
    let is_quiet_and_fine = quiet && answer.ok && args.format == VerifyFormat::Text;
    if !is_quiet_and_fine {
        super::output::say(&render(&answer, args.format)?)?;
    }
    match answer.findings.values().map(|of_kind| of_kind.count).sum() {
        0 => Ok(()),
        count => Err(RunError::NotSound {
            dir: dir.clone(),
            count,
        }
        .into()),
    }
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
    lines.push(match answer.ok {
        true => format!("All is as it should be: {urls} URLs, {pages} pages"),
        false => format!("Looked at {urls} URLs and {pages} pages"),
    });
    Ok(lines.join("\n"))
}
