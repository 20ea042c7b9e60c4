//! Sitemaps in plain text: one URL a line.

use std::io::{self, BufRead};

use super::source::Source;
use super::{Locations, MAX_LOCATION_BYTES, SitemapFormat};

/// Reads locations until the end, the limit, or the first error, which it returns.
///
/// Only the lines show that a file is a sitemap in plain text, so only lines that begin like a URL count.
pub(super) fn read(mut source: Source<'_>, locations: &mut Locations) -> Result<(), String> {
    let mut line = Vec::new();
    while !locations.is_full() && read_line(&mut source, &mut line).map_err(|error| error.to_string())? {
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if is_web_address(line) {
            locations.format = Some(SitemapFormat::Text);
            locations.add(line);
        } else if !line.is_empty() {
            locations.skipped += 1;
        }
    }
    locations
        .format
        .map(|_| ())
        .ok_or_else(|| "it contains neither markup nor a URL".to_owned())
}

fn is_web_address(line: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        line.get(..scheme.len())
            .is_some_and(|beginning| beginning.eq_ignore_ascii_case(scheme))
    })
}

/// Reads a line; of a line that is too long for a URL, only its beginning. False at the end.
fn read_line(source: &mut Source<'_>, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    loop {
        let text = source.fill_buf()?;
        if text.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let part = &text[..end.unwrap_or(text.len())];
        // White space around a URL does not count, but it cannot be endless.
        let room = (2 * MAX_LOCATION_BYTES).saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let consumed = part.len() + usize::from(end.is_some());
        source.consume(consumed);
        source.end_token();
        if end.is_some() {
            return Ok(true);
        }
    }
}
