//! The file of a person's labels.

use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::path::Path;

use ::url::Url;
use web::canonicalize::CanonicalRules;

use super::super::typed_url::known_spelling;
use crate::cli::error::UsageError;
use crate::files::open_unpacked;
use crate::live::progress::Progress;
use crate::study::replay::{Labels, Page, parse_line};
use crate::terminal::text::terminal_text;

/// Bytes of a line that are read: two URLs and more.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// What some editors begin a file of UTF-8 with.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Bad lines that are told; further ones are only counted.
const TOLD: u64 = 20;

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct ReadLabels {
    pub labels: Labels,
    /// Lines that are no labels.
    pub bad_lines: u64,
    /// Lines of a URL that is no page of the crawl.
    pub unknown: u64,
    /// Lines that say something else of a pair than one before: they count, and that one does not.
    pub said_otherwise: u64,
}

impl ReadLabels {
    /// Reads `path`; lines that cannot be used are told and passed over.
    pub(super) fn read(
        path: Option<&Path>,
        pages: &[Page],
        rules: &CanonicalRules,
        progress: &Progress,
    ) -> Result<Self, UsageError> {
        let mut read = Self::default();
        let Some(path) = path else { return Ok(read) };
        let unreadable = |source| UsageError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let places: HashMap<&str, usize> = pages
            .iter()
            .enumerate()
            .map(|(place, page)| (&*page.url, place))
            .collect();
        let place_of = |url: &str| {
            let is_known = |url: &Url| Ok(places.contains_key(url.as_str()));
            let canonical = || known_spelling::<UsageError>(url, rules, is_known).ok();
            let known = places.get(url).copied();
            known.or_else(|| places.get(canonical()?.as_str()).copied())
        };
        let mut reader = open_unpacked(path).map_err(unreadable)?;
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let length = reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
            if length.map_err(unreadable)? == 0 {
                break;
            }
            if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
                reader.skip_until(b'\n').map_err(unreadable)?;
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r']);
            let text = if number == 1 {
                text.trim_start_matches(BYTE_ORDER_MARK)
            } else {
                text
            };
            let mut left_out = "left out: ";
            let problem = match parse_line(text) {
                Ok(None) => continue,
                Ok(Some((a, b, similarity))) => match (place_of(a), place_of(b)) {
                    (Some(a), Some(b)) if a != b => {
                        let before = read.labels.insert(a, b, similarity);
                        let Some(before) = before.filter(|before| *before != similarity) else {
                            continue;
                        };
                        read.said_otherwise += 1;
                        left_out = "";
                        format!("of this pair a line before says {before}, this one {similarity}, which counts")
                    }
                    (Some(_), Some(_)) => {
                        read.bad_lines += 1;
                        "the two URLs are one page".to_owned()
                    }
                    (known, _) => {
                        read.unknown += 1;
                        let unknown = if known.is_some() { b } else { a };
                        format!("{unknown} is no page of this crawl")
                    }
                },
                Err(reason) => {
                    read.bad_lines += 1;
                    reason
                }
            };
            let told = read.bad_lines + read.unknown + read.said_otherwise;
            progress.aside(|| match told {
                ..=TOLD => tracing::warn!(
                    "{}{}:{number}: {}",
                    left_out,
                    path.display(),
                    terminal_text(&problem, 300)
                ),
                n if n == TOLD + 1 => {
                    tracing::warn!("more lines are left out or say otherwise, and are only counted from here on")
                }
                _ => {}
            });
        }
        Ok(read)
    }
}
