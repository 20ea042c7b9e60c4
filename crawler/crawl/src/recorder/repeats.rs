//! Recognises walls that no rule knows: one notice under many unrelated URLs.
//!
//! ```text
//! notice ─▶ the text, with the places where it was ─▶ enough unrelated places, and not mostly other pages ─▶ wall
//! other page ─▶ counts against the text that its host gave last; a kept one shows that URLs of its pattern have pages of their own
//! ```
//!
//! A [`Notice`] alone proves nothing: an empty tag page, a page that is not written yet, an unknown error page may look the same. The pages of
//! a site's own template are no notices, and these conditions hold for the others:
//!
//! - The text was the answer at [`MIN_PLACES`] places. A place is a section: a host with the first segment of the path. So the parameters of
//!   one page, its print view, its sessions and the pages of a listing are one place. Where the crawl has kept [`MIN_KEPT`] pages of a pattern
//!   of URLs, each further URL of the pattern is a place: its like had pages of their own.
//! - Since the text came first, its hosts have given it at least as often as all other pages together. If there are fewer sections than
//!   places, they have given it [`IN_A_PATTERN`] times as often: a search without results comes between others that have some, and a wall ends
//!   the pages of its pattern.
//!
//! The decision depends on the order of the records alone. The memory is bounded and lasts as long as the run: a later run counts anew.

use web::url_rule::shape::masked;
use xxhash_rust::xxh3::xxh3_64;

use crate::steering::Memory;
use crate::walls::{IN_A_ROW, Notice};

/// Places after which a text is a wall. A small site has fewer sections that all are empty, and the pages before cost little.
const MIN_PLACES: usize = 8;

/// Kept pages of a pattern after which each of its URLs counts as a place.
const MIN_KEPT: u8 = 3;

/// How often a text must be given for each other page, if its URLs are those of a pattern. A few other pages may be read beside the first walls.
const IN_A_PATTERN: u32 = 8;

/// Texts in a generation of the memory, about a kilobyte each.
const TEXTS_A_GENERATION: usize = 2_048;

/// Hosts, or patterns of URLs, in a generation of the memory, some twenty bytes each.
const KEYS_A_GENERATION: usize = 1 << 16;

/// Most pages of a text that are taken back. Further ones stay duplicates of the first.
const MAX_PAGES: usize = 64;

/// URLs in the evidence.
const EXAMPLES: usize = 3;

/// Most bytes of a URL in the evidence.
const MAX_EXAMPLE_BYTES: usize = 100;

/// A page that turned out to be a wall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wall {
    /// The clues in words.
    pub evidence: String,
    /// The pages with the text that were taken for pages until now.
    pub earlier: Vec<u64>,
    /// Whether the URL is asked for again, because another try may bring the page.
    pub is_tried_again: bool,
}

/// The hashes of the places at which a text may count.
#[derive(Debug, Clone, Copy)]
struct Places {
    section: u64,
    /// The URL, if pages of its pattern were kept. It counts if the section has counted already.
    url: Option<u64>,
}

/// A text, and where it was.
#[derive(Debug, Clone, Default)]
struct Text {
    /// Hashes, at most [`MIN_PLACES`].
    places: Vec<u64>,
    /// Whether one of the places is a URL, and not a section.
    has_urls: bool,
    /// URLs at the first places.
    examples: Vec<String>,
    /// The pages with it.
    pages: Vec<u64>,
    /// URLs that it answered.
    answers: u32,
    /// Those of them that are asked for again, and not to be counted twice.
    asked_again: u32,
    /// Other pages of its hosts since it came first.
    others: u32,
    is_wall: bool,
    /// Walls since the last other page.
    in_a_row: u32,
}

/// The notices of a run, and what else its hosts gave.
#[derive(Debug)]
pub(super) struct Repeats {
    max_retries: u8,
    texts: Memory<Text>,
    /// The text that a host gave last.
    last: Memory<u64>,
    /// Kept pages by pattern of their URLs.
    kept: Memory<u8>,
}

impl Repeats {
    /// Nothing is known yet. A URL with a wall is asked for again `max_retries` times at most.
    pub fn new(max_retries: u8) -> Self {
        Self {
            max_retries,
            texts: Memory::of(TEXTS_A_GENERATION),
            last: Memory::of(KEYS_A_GENERATION),
            kept: Memory::of(KEYS_A_GENERATION),
        }
    }

    /// The wall that the notice at this URL is; `None` for a notice that is a page so far. The page is to be [decided](Self::decided) then.
    ///
    /// `attempts` is the number of earlier answers of which each was this notice or a failure that passes.
    pub fn wall(&mut self, notice: &Notice, host: &str, url: &str, attempts: u8) -> Option<Wall> {
        let places = self.places(host, url);
        let max_retries = self.max_retries;
        let text = self.texts.get_mut(notice.digest)?;
        if !text.is_wall && !text.is_wall_at(places) {
            return None;
        }
        text.is_wall = true;
        text.in_a_row = text.in_a_row.saturating_add(1);
        if attempts == 0 {
            text.note(places, url);
        }
        Some(Wall {
            evidence: text.evidence(notice.words),
            earlier: std::mem::take(&mut text.pages),
            is_tried_again: attempts < max_retries && text.in_a_row < IN_A_ROW,
        })
    }

    /// Page number `id` at this URL was decided; `notice` is the notice that it is.
    pub fn decided(&mut self, notice: Option<&Notice>, host: &str, url: &str, (id, is_kept): (u64, bool)) {
        let host_key = xxh3_64(host.as_bytes());
        let last = self.last.get(host_key);
        if let Some(last) = last.filter(|last| notice.is_none_or(|notice| notice.digest != *last))
            && let Some(text) = self.texts.get_mut(last)
        {
            text.others = text.others.saturating_add(1);
            text.in_a_row = 0;
        }
        if let Some(notice) = notice {
            let places = self.places(host, url);
            let text = self.texts.get_mut_or_default(notice.digest);
            text.note(places, url);
            if text.pages.len() < MAX_PAGES {
                text.pages.push(id);
            }
            self.last.insert(host_key, notice.digest);
        } else if is_kept {
            let pattern = pattern(host, url);
            let count = self.kept.get(pattern).unwrap_or(0);
            self.kept.insert(pattern, count.saturating_add(1));
        }
    }

    /// Pages with the notice were taken back, and their URLs are asked for again.
    pub fn taken_back(&mut self, notice: &Notice, pages: usize) {
        if let Some(text) = self.texts.get_mut(notice.digest) {
            text.asked_again = u32::try_from(pages).unwrap_or(u32::MAX);
        }
    }

    fn places(&self, host: &str, url: &str) -> Places {
        let pages = self.kept.get(pattern(host, url)).unwrap_or(0);
        let host = host.strip_prefix("www.").unwrap_or(host);
        let (path, query) = path_and_query(url);
        let segment = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let segment = segment.split(';').next().unwrap_or_default();
        Places {
            // The pages of a listing and the days of a calendar are one place.
            section: key(["section", host, &masked(segment), ""]),
            url: (pages >= MIN_KEPT).then(|| key(["url", host, path, query])),
        }
    }
}

impl Text {
    /// The place of a URL at which the text was not seen yet, and whether it is a section.
    fn new_place(&self, places: Places) -> Option<(u64, bool)> {
        let is_new = |place: &u64| !self.places.contains(place);
        let section = Some(places.section).filter(is_new).map(|place| (place, true));
        section.or_else(|| places.url.filter(is_new).map(|place| (place, false)))
    }

    /// Whether the text is a wall if it is the answer there, too.
    fn is_wall_at(&self, places: Places) -> bool {
        let new = self.new_place(places);
        let are_sections = !self.has_urls && new.is_none_or(|(_, is_section)| is_section);
        let for_each_other = if are_sections { 1 } else { IN_A_PATTERN };
        self.places.len() + usize::from(new.is_some()) >= MIN_PLACES
            && self.others.saturating_mul(for_each_other) <= self.answers
    }

    fn note(&mut self, places: Places, url: &str) {
        if self.asked_again > 0 {
            self.asked_again -= 1;
        } else {
            self.answers = self.answers.saturating_add(1);
        }
        if self.places.len() < MIN_PLACES
            && let Some((place, is_section)) = self.new_place(places)
        {
            self.places.push(place);
            self.has_urls |= !is_section;
            if self.examples.len() < EXAMPLES {
                self.examples.push(shown(url));
            }
        }
    }

    fn evidence(&self, words: usize) -> String {
        let words = if words == 1 {
            "1 word".to_owned()
        } else {
            format!("{words} words")
        };
        format!(
            "the same {words} under {} URLs, such as {}",
            self.answers,
            self.examples.join(", ")
        )
    }
}

/// The beginning of a URL.
fn shown(url: &str) -> String {
    if url.len() <= MAX_EXAMPLE_BYTES {
        return url.to_owned();
    }
    format!("{}…", &url[..url.floor_char_boundary(MAX_EXAMPLE_BYTES)])
}

/// The hash of the pattern of a URL: its host, its folder, and the names of its parameters.
fn pattern(host: &str, url: &str) -> u64 {
    let (path, query) = path_and_query(url);
    let folder = path.rfind('/').map_or("", |end| &path[..end]);
    let names: Vec<&str> = query
        .split('&')
        .map(|parameter| parameter.split('=').next().unwrap_or_default())
        .collect();
    key(["pattern", host, folder, &names.join("&")])
}

/// The path and the query of a URL in canonical form, which has no fragment.
fn path_and_query(url: &str) -> (&str, &str) {
    let behind_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = behind_scheme.find('/').map_or("", |at| &behind_scheme[at..]);
    path.split_once('?').unwrap_or((path, ""))
}

fn key(parts: [&str; 4]) -> u64 {
    // No part of a URL has this character.
    xxh3_64(parts.join("\0").as_bytes())
}

#[cfg(test)]
mod tests;
