//! The seeds file: one seed per line, with `#` comments and blank lines. It is read as a stream.
//!
//! - `fields`: the URLs of a line; `domain`: a domain in their place; `line`: what a line says; `bad_lines`: reports lines without a seed

mod bad_lines;
mod domain;
mod fields;
mod line;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use web::canonicalize::CanonicalUrl;
use web::fetch::references_in_line;
use web::host_key::HostKey;

use crate::scope::LISTED;
use bad_lines::BadLines;
use config::settings::Settings;
use line::{LineRules, seeds_in};
use terminal::units::grouped;

pub use bad_lines::BadLine;
pub use fields::urls_in;
pub use line::url_of;

/// Seeds of a batch: few enough that the recorder stores a batch in a few milliseconds, and enough that the cost of a message for each
/// batch does not count.
const BATCH: usize = 1_000;

/// Bound on the lines read for one batch, so that the progress display moves even for a file without seeds.
const BATCH_LINES: u64 = 10_000;

/// What to write in place of a text that is no URL.
const EXAMPLE: &str = "write one such as https://example.org/";

/// Longest line, in bytes. No URL that the crawl accepts is longer.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// The first URLs of a crawl, in the order of their file.
pub struct Seeds {
    source: Box<dyn BufRead + Send>,
    /// The file, for messages.
    name: String,
    rules: LineRules,
    /// Lines read.
    lines: u64,
    /// Lines of the files before this one.
    lines_before: u64,
    bad_lines: BadLines,
    /// The first batch, read in advance to check that the file has a seed.
    first: Option<Vec<Seed>>,
    /// A read error that ended a batch with seeds. The next call returns it.
    failed: Option<SeedsError>,
    /// The next file.
    next: Option<Box<Seeds>>,
    /// The hosts of the seeds of a command line, which are few.
    named_hosts: Vec<HostKey>,
}

impl std::fmt::Debug for Seeds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seeds")
            .field("name", &self.name)
            .field("lines", &self.lines)
            .finish_non_exhaustive()
    }
}

/// What the crawl does with a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedKind {
    /// It fetches the URL and follows its links.
    Page,
    /// It fetches the URL and follows no link of the page.
    Only,
    /// It reads the sitemap at the URL, and fetches the URLs of it that are in the scope.
    Sitemap,
}

/// One seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// Its canonical URL.
    pub url: CanonicalUrl,
    /// Its host.
    pub host: HostKey,
    /// What the crawl does with it.
    pub kind: SeedKind,
}

impl Seed {
    /// The depth of its page; `None` for a sitemap, which is no page.
    #[must_use]
    pub fn depth(&self) -> Option<u16> {
        match self.kind {
            SeedKind::Page => Some(0),
            SeedKind::Only => Some(LISTED),
            SeedKind::Sitemap => None,
        }
    }
}

/// Why a seeds file gives no seed.
#[derive(Debug, thiserror::Error)]
pub enum SeedsError {
    /// The file cannot be opened, or not be read to its end.
    #[error("cannot read the seeds file {name}{}: {reason}; {}", behind(*.lines), remedy(*.lines))]
    Unreadable {
        /// The file.
        name: String,
        /// Lines that were read.
        lines: u64,
        /// The error of the system, or the reason why the file is no text in UTF-8.
        reason: String,
    },
    /// An argument of the command line is no seed.
    #[error("{}: {}", .0.text, .0.reason)]
    NotASeed(BadLine),
    /// No line holds a URL.
    #[error("{name} holds no valid seed URL{}; give one URL or domain a line", shown(.bad_line.as_ref()))]
    NoSeed {
        /// The file.
        name: String,
        /// The first line that was rejected.
        bad_line: Option<BadLine>,
    },
}

fn behind(lines: u64) -> String {
    match lines {
        0 => String::new(),
        lines => format!(" behind line {}", grouped(lines)),
    }
}

fn remedy(lines: u64) -> &'static str {
    match lines {
        0 => "give a text file with one URL a line",
        _ => "the seeds before it are in the queue: mend the file and run the same command again",
    }
}

fn shown(bad_line: Option<&BadLine>) -> String {
    bad_line.map_or(String::new(), |bad| format!(" ({bad})"))
}

impl Seeds {
    /// Opens a seeds file, and reads it up to its first seed. A line that names no kind has this `kind`. A URL that the patterns of the
    /// configuration exclude is no seed. Bytes that are not UTF-8 affect only their own line.
    ///
    /// # Errors
    /// The file cannot be read, is no text in UTF-8, or has no line with a URL.
    pub fn open(path: &Path, kind: SeedKind, settings: &Settings) -> Result<Self, SeedsError> {
        let name = path.display().to_string();
        let unreadable = |source: io::Error| SeedsError::Unreadable {
            name: name.clone(),
            lines: 0,
            reason: source.to_string(),
        };
        let mut source = BufReader::new(File::open(path).map_err(unreadable)?);
        if let Some(reason) = other_form(source.fill_buf().map_err(unreadable)?) {
            return Err(unreadable(io::Error::other(reason)));
        }
        Self::of(Box::new(source), name, kind, settings).with_a_seed()
    }

    /// The seeds that a user names on the command line, each as in a line of a file.
    ///
    /// # Errors
    /// [`SeedsError::NotASeed`]: one of the texts is none.
    pub fn of_arguments(texts: &[String], settings: &Settings) -> Result<Self, SeedsError> {
        let mut seeds = Self::from_text(texts.join("\n"), settings);
        for text in texts {
            let found = seeds_in(text, &seeds.rules);
            if found.is_empty() {
                return Err(SeedsError::NotASeed(BadLine::new(
                    1,
                    if text.is_empty() { "\"\"" } else { text },
                    format!("not a URL; {EXAMPLE}"),
                )));
            }
            for seed in found {
                let seed = seed.map_err(|(text, reason)| SeedsError::NotASeed(BadLine::new(1, text, reason)))?;
                if !seeds.named_hosts.contains(&seed.host) {
                    seeds.named_hosts.push(seed.host);
                }
            }
        }
        Ok(seeds)
    }

    /// The hosts of the seeds of a command line.
    pub(crate) fn named_hosts(&self) -> &[HostKey] {
        &self.named_hosts
    }

    /// The seeds in texts, each of which is as a line of a file, and the texts that hold none.
    #[must_use]
    pub fn in_texts(texts: &[String], settings: &Settings) -> (Vec<Seed>, Vec<BadLine>) {
        let rules = Self::from_text(String::new(), settings).rules;
        let (mut seeds, mut bad) = (Vec::new(), Vec::new());
        for (text, number) in texts.iter().zip(1..) {
            let found = seeds_in(text, &rules);
            if found.is_empty() {
                bad.push(BadLine::new(number, text, format!("not a URL; {EXAMPLE}")));
            }
            for seed in found {
                match seed {
                    Ok(seed) => seeds.push(seed),
                    Err((text, reason)) => bad.push(BadLine::new(number, text, reason)),
                }
            }
        }
        (seeds, bad)
    }

    /// Seeds from text. There may be none.
    #[must_use]
    pub fn from_text(text: String, settings: &Settings) -> Self {
        Self::of(
            Box::new(Cursor::new(text)),
            "the seeds".to_owned(),
            SeedKind::Page,
            settings,
        )
    }

    /// These seeds, and then others.
    #[must_use]
    pub fn and_then(mut self, others: Self) -> Self {
        self.next = Some(Box::new(match self.next.take() {
            Some(next) => next.and_then(others),
            None => others,
        }));
        self
    }

    fn of(source: Box<dyn BufRead + Send>, name: String, kind: SeedKind, settings: &Settings) -> Self {
        Self {
            source,
            name,
            rules: LineRules {
                canonical: settings.canonicalize.clone(),
                urls: settings.urls.clone(),
                kind,
            },
            lines: 0,
            lines_before: 0,
            bad_lines: BadLines::default(),
            first: None,
            failed: None,
            next: None,
            named_hosts: Vec::new(),
        }
    }

    fn with_a_seed(mut self) -> Result<Self, SeedsError> {
        loop {
            match self.next_of_file()? {
                Some(seeds) if seeds.is_empty() => {}
                Some(seeds) => {
                    self.first = Some(seeds);
                    return Ok(self);
                }
                None => {
                    return Err(SeedsError::NoSeed {
                        name: self.name,
                        bad_line: self.bad_lines.into_first(),
                    });
                }
            }
        }
    }

    /// Lines read so far.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines_before + self.lines
    }

    /// The next seeds, which may be none; `None` at the end of the last file. Reports lines without a seed as warnings: the first few in full,
    /// then their number.
    ///
    /// # Errors
    /// The file cannot be read further.
    pub fn next_batch(&mut self) -> Result<Option<Vec<Seed>>, SeedsError> {
        loop {
            let batch = self.next_of_file()?;
            match self.next.take_if(|_| batch.is_none()) {
                Some(next) => {
                    let lines_before = self.lines();
                    *self = *next;
                    self.lines_before = lines_before;
                }
                None => return Ok(batch),
            }
        }
    }

    /// As [`Seeds::next_batch`], of this file alone.
    fn next_of_file(&mut self) -> Result<Option<Vec<Seed>>, SeedsError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let mut seeds = Vec::new();
        let end = self.lines + BATCH_LINES;
        let mut line = Vec::new();
        while seeds.len() < BATCH && self.lines < end {
            match self.read_line(&mut line) {
                Ok(true) => {}
                Ok(false) if seeds.is_empty() => {
                    self.bad_lines.report_count(&self.name, self.lines);
                    return Ok(None);
                }
                Ok(false) => break,
                Err(error) if seeds.is_empty() => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
            let text = references_in_line(&line);
            for found in seeds_in(&text, &self.rules) {
                match found {
                    Ok(seed) => seeds.push(seed),
                    Err((text, reason)) => {
                        let bad = BadLine::new(self.lines, text, reason);
                        self.bad_lines.report(&self.name, bad);
                    }
                }
            }
        }
        Ok(Some(seeds))
    }

    /// Reads a line up to [`MAX_LINE_BYTES`], and skips the rest of a longer line. `false` at the end of the file.
    fn read_line(&mut self, line: &mut Vec<u8>) -> Result<bool, SeedsError> {
        line.clear();
        let limit = MAX_LINE_BYTES as u64;
        let read = Read::take(&mut self.source, limit).read_until(b'\n', line);
        let skipped = match read {
            Ok(read) if read == MAX_LINE_BYTES && !line.ends_with(b"\n") => self.source.skip_until(b'\n').map(|_| read),
            read => read,
        };
        let read = skipped.map_err(|source| SeedsError::Unreadable {
            name: self.name.clone(),
            lines: self.lines,
            reason: source.to_string(),
        })?;
        self.lines += u64::from(read > 0);
        Ok(read > 0)
    }
}

/// The reason why a file with these first bytes is no text in UTF-8.
fn other_form(beginning: &[u8]) -> Option<&'static str> {
    match beginning {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("its text is in UTF-16, not in UTF-8"),
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("it is compressed; decompress it first"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
