//! `crawler rebuild`

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dedup::{Analyzer, Deduplicator, DocId, MemoryIndex};
use storage::warc::payload_digest;
use storage::{Discovered, OpenOptions, PageDraft, RebuildStep, Rebuilt, Undecided};
use url::Url;

use crate::cli;
use crate::content_seen;
use crate::error::{Error, RunError};
use crate::host_key::HostKey;
use crate::progress::{Moment, Progress};
use crate::report::bytes;
use crate::settings::Settings;
use crate::tell::tell;

pub(super) fn execute(args: &cli::Rebuild, quiet: bool) -> Result<(), Error> {
    let (config, path) = super::read_config(&args.config)?;
    let settings = super::validate(&config, path)?;
    let dir = &args.data.data;
    let (read, of) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (shown, shown_of) = (read.clone(), of.clone());
    let progress = Progress::start(None, quiet, move |_now| {
        let position = shown.load(Ordering::Relaxed);
        Moment {
            position,
            message: format!(
                "{} of {} read",
                bytes(position),
                bytes(shown_of.load(Ordering::Relaxed))
            ),
            is_turn: false,
        }
    });
    let mut say = |step| match step {
        RebuildStep::Read { bytes, of: all } => {
            read.store(bytes, Ordering::Relaxed);
            of.store(all, Ordering::Relaxed);
        }
        RebuildStep::Problem(what) => progress.aside(|| tell(what)),
    };
    let options = OpenOptions {
        cache_bytes: settings.storage.cache_bytes,
        // Assumed only where the archive does not say; a scheme that is wrong would be refused by the next run.
        scheme: args.config.config.is_some().then(|| settings.store_scheme()),
        ..OpenOptions::existing()
    };
    let mut rebuild = storage::Rebuild::begin(dir, &options, &mut say).map_err(RunError::from)?;
    let undecided = rebuild.take_undecided();
    if !undecided.is_empty() {
        adopt(&mut rebuild, &undecided, &settings)?;
    }
    let done = rebuild.finish(&mut say).map_err(RunError::from)?;
    drop(progress);
    if !quiet {
        super::say(&describe(&done, &dir.display().to_string())).map_err(Error::from)?;
    }
    Ok(())
}

/// Decides on the pages of which only the response and the text are left, against all pages that are kept.
fn adopt(rebuild: &mut storage::Rebuild, undecided: &[Undecided], settings: &Settings) -> Result<(), RunError> {
    let analyzer = Analyzer::new(&settings.scheme);
    let dedup = Deduplicator::new(
        MemoryIndex::of_width(settings.scheme.width, &settings.rule)?,
        settings.rule.clone(),
    )?;
    for row in rebuild.store().pages_from(0) {
        let (id, page) = row?;
        if page.is_kept() {
            dedup.insert(DocId(id), &content_seen::decode_signature(&page.signature)?)?;
        }
    }
    for page in undecided {
        let Some(host) = Url::parse(&page.url).ok().as_ref().and_then(HostKey::from_url) else {
            continue;
        };
        let link = Discovered {
            url: page.url.clone(),
            host: host.as_str().to_owned(),
            ..Discovered::default()
        };
        let (response, text) = rebuild.records_of(page)?;
        let text = String::from_utf8_lossy(&text.block).into_owned();
        let signature = analyzer.analyze(&text);
        let id = DocId(rebuild.next_page_id());
        let verdict = dedup.check(&signature)?;
        let body = response.http_payload().unwrap_or_default();
        let draft = PageDraft {
            fetched_at: response
                .field("WARC-Date")
                .and_then(|date| date.parse::<jiff::Timestamp>().ok())
                .and_then(|date| u64::try_from(date.as_millisecond()).ok())
                .unwrap_or_default(),
            status: status(&response.block),
            content_type: header(&response.block, "content-type"),
            encoding: "UTF-8".to_owned(),
            body_bytes: body.len() as u64,
            wire_bytes: body.len() as u64,
            text_chars: text.chars().count() as u64,
            verdict: content_seen::stored(verdict),
            signature: content_seen::encode_signature(&signature)?,
            payload_digest: payload_digest(body),
            ..PageDraft::default()
        };
        if rebuild.adopt(page, &link, draft)? && verdict == dedup::Verdict::Unique {
            dedup.insert(id, &signature)?;
        }
    }
    Ok(())
}

/// The status in an HTTP head; 200 where there is none.
fn status(head: &[u8]) -> u16 {
    let line = String::from_utf8_lossy(head.split(|&byte| byte == b'\r').next().unwrap_or_default()).into_owned();
    line.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(200)
}

/// The first header field of that name, empty if there is none.
fn header(head: &[u8], name: &str) -> String {
    for line in head.split(|&byte| byte == b'\n').skip(1) {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            break;
        }
        if let Some((found, value)) = line.split_once(':')
            && found.eq_ignore_ascii_case(name)
        {
            return value.trim().to_owned();
        }
    }
    String::new()
}

fn describe(done: &Rebuilt, dir: &str) -> String {
    let mut lines = vec![
        format!(
            "Rebuilt {dir} from {} WARC files: {} pages, {} of them kept, {} later visits",
            done.files, done.pages, done.kept, done.visits
        ),
        format!(
            "  {} URLs found on pages are queued; the next run asks again for redirects, failures, robots.txt and sitemaps, \
             which the archive does not hold",
            done.queued
        ),
    ];
    if done.adopted > 0 {
        lines.push(format!(
            "  {} pages had no metadata record: taken by what their response says, without title and language",
            done.adopted
        ));
    }
    if done.lost > 0 {
        lines.push(format!(
            "  {} of the queued URLs are pages whose records are lost",
            done.lost
        ));
    }
    if done.problems > 0 {
        lines.push(format!(
            "  {} records could not be used; they are named above",
            done.problems
        ));
    }
    lines.push("  the old state, if there was one, is in state.before-rebuild; crawler gc removes it".to_owned());
    lines.join("\n")
}
