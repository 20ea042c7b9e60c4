//! The title of a page without the name of its site.
//!
//! A page says its title several times: in `<title>`, often with the name of the site, the section and words for search engines; in the tags
//! for other sites; in a heading. Where a heading is a part of a declared title, the two confirm each other: the heading is the title.

use super::claims::{Claims, Field, Source};
use super::text::folded;
use super::trust;
use super::visible::Heading;
use crate::map::Set;

/// Most declared titles that are compared with the headings.
const MAX_DECLARED: usize = 16;

/// Shortest heading that is the title though it is only a part of a segment, in folded characters.
const MIN_PART: usize = 10;

/// Most words of the last segment of a `<title>` that is left out without knowing the name of the site.
const MAX_SITE_WORDS: usize = 4;

/// Most names of a site that are compared.
const MAX_SITE_NAMES: usize = 32;

/// The names of a site, folded.
#[derive(Debug, Default)]
pub(super) struct Site {
    names: Vec<String>,
    /// The registered name: `example` of `www.example.co.uk`.
    label: String,
    /// The host, folded, without `www`.
    host: String,
}

impl Site {
    pub(super) fn of(claims: &Claims, host: &str) -> Self {
        let names = claims.in_order(Field::SiteName, trust::SITE_NAME).map(|(_, name)| name);
        // "News – Example Society" is the site of the Example Society.
        let names = names.flat_map(|name| segments(name).chain([name]));
        let mut names: Vec<String> = names.map(folded).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(MAX_SITE_NAMES);
        Self {
            names,
            label: label(host),
            host: folded(host.strip_prefix("www.").unwrap_or(host)),
        }
    }

    /// Whether a text is the name of the site.
    pub(super) fn is_named(&self, text: &str) -> bool {
        let text = folded(text);
        text.is_empty() || self.names.contains(&text) || text == self.label || self.is_host(&text)
    }

    /// Whether a text has a name of the site, or its host, somewhere.
    pub(super) fn is_mentioned(&self, text: &str) -> bool {
        let text = folded(text);
        let mut names = self
            .names
            .iter()
            .chain([&self.label])
            .filter(|name| name.chars().count() >= 5);
        names.any(|name| text.contains(name.as_str()))
    }

    fn is_host(&self, folded: &str) -> bool {
        folded.strip_prefix("www").unwrap_or(folded) == self.host
    }

    /// Whether a segment of a title is the name of the site, or has it in few words.
    fn is_in(&self, segment: &str) -> bool {
        if self.is_named(segment) {
            return true;
        }
        let text = folded(segment);
        let is_short = segment.split_whitespace().count() <= MAX_SITE_WORDS + 1;
        let mut names = self
            .names
            .iter()
            .chain([&self.label])
            .filter(|name| name.chars().count() >= 4);
        is_short && text.chars().count() >= 3 && names.any(|name| text.contains(name.as_str()) || name.contains(&text))
    }
}

/// The registered name of a host, roughly: the longest part before the ending.
fn label(host: &str) -> String {
    let host = host.strip_prefix("www.").unwrap_or(host);
    let parts: Vec<&str> = host.split('.').collect();
    let Some((_, rest)) = parts.split_last() else {
        return String::new();
    };
    // "co.uk", "com.br" are endings of two parts.
    let rest = match rest {
        [before @ .., second] if !before.is_empty() && second.len() <= 3 => before,
        rest => rest,
    };
    rest.last().map(|part| folded(part)).unwrap_or_default()
}

/// The title, its source, and the heading in which it stands.
pub(super) struct Found<'t> {
    pub title: Option<(String, Source)>,
    pub heading: Option<Heading<'t>>,
}

/// Finds the title. `element` is the text of `<title>`.
pub(super) fn find<'t>(claims: &Claims, element: &str, headings: &[Heading<'t>], site: &Site) -> Found<'t> {
    let headings: Vec<&Heading<'t>> = headings
        .iter()
        .filter(|heading| !site.is_named(&heading.text))
        .collect();
    let declared: Vec<(Source, &str)> = claims.in_order(Field::Title, trust::TITLE).take(MAX_DECLARED).collect();
    let all = declared.iter().map(|(_, text)| *text).chain([element]);
    let confirmed = all
        .filter_map(|text| confirmed(text, &headings, site))
        .max_by_key(|(rank, _)| *rank);
    let first_level: Vec<&Heading<'t>> = headings
        .iter()
        .copied()
        .filter(|heading| heading.is_first_level)
        .collect();
    let only = Some(&first_level)
        .filter(|found| found.len() == 1)
        .map(|found| found[0]);
    if let Some((_, heading)) = confirmed {
        // A longer heading of the page may begin a shorter one of a part.
        let longer = only.filter(|only| !heading.is_first_level && folded(&only.text).contains(&folded(&heading.text)));
        let heading = longer.unwrap_or(heading);
        return Found {
            title: Some((heading.text.clone(), Source::Heading)),
            heading: Some(heading.clone()),
        };
    }
    // Titles for search engines have other words than the heading, but not only other words.
    let similar = only.filter(|only| {
        declared
            .iter()
            .map(|(_, text)| *text)
            .chain([element])
            .any(|text| is_similar(&only.text, text))
    });
    let of_similar = || similar.map(|heading| (heading.text.clone(), Source::Heading));
    let of_declared = || {
        let texts = declared
            .iter()
            .map(|(source, text)| (site_left_out(text, site), *source));
        texts
            .filter(|(text, _)| !site.is_named(text))
            .map(|(text, source)| (text.to_owned(), source))
            .next()
    };
    let of_heading = || only.map(|heading| (heading.text.clone(), Source::Heading));
    let of_element = || {
        let text = last_left_out(site_left_out(element, site));
        Some((text.to_owned(), Source::TitleElement)).filter(|_| !text.is_empty())
    };
    Found {
        title: of_similar()
            .or_else(of_declared)
            .or_else(of_heading)
            .or_else(of_element),
        heading: only
            .cloned()
            .or_else(|| headings.iter().find(|heading| heading.is_marked).copied().cloned()),
    }
}

/// Share of the words of a declared title that a heading must have to be another wording of it.
const MIN_SHARED: f64 = 0.4;

/// Whether a heading has many words of a declared title.
fn is_similar(heading: &str, declared: &str) -> bool {
    let words = |text: &str| -> Set<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| word.chars().count() > 2)
            .map(str::to_lowercase)
            .collect()
    };
    let (heading, declared) = (words(heading), words(declared));
    let shared = declared.iter().filter(|word| heading.contains(*word)).count();
    shared >= 2 && shared as f64 >= MIN_SHARED * declared.len() as f64
}

/// How surely a heading is the title: it begins the declared title, it is marked or of the first level, its length.
type Rank = (bool, bool, usize);

/// The heading that a declared title repeats.
fn confirmed<'h, 't>(declared: &str, headings: &[&'h Heading<'t>], site: &Site) -> Option<(Rank, &'h Heading<'t>)> {
    let own = site_left_out(declared, site);
    let (all, own_length) = (folded(declared), folded(own).len());
    let parts: Vec<String> = segments(declared).map(folded).collect();
    let ranked = headings.iter().filter_map(|heading| {
        let text = folded(&heading.text);
        let at = all.find(&text)?;
        let is_long = text.chars().count() >= MIN_PART && text.len() * 2 >= own_length;
        let is_part = is_long || parts.contains(&text) || text == all;
        let rank = (at == 0, heading.is_first_level || heading.is_marked, text.len());
        (is_part && !text.is_empty()).then_some((rank, *heading))
    });
    // The first of equals.
    ranked.rev().max_by_key(|(rank, _)| *rank)
}

/// Where a separator of a title begins and ends.
fn separators(text: &str) -> Vec<(usize, usize)> {
    let is_mark = |c: char| {
        matches!(
            c,
            '|' | '-' | '–' | '—' | '·' | '•' | '»' | '«' | '›' | '‹' | '>' | '<' | '~' | ':' | '/' | '∙' | '⋆'
        )
    };
    let mut found = Vec::new();
    let mut last_is_space = false;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if matches!(c, '｜' | '_' | '|') && !last_is_space {
            found.push((at, at + c.len_utf8()));
        } else if last_is_space && is_mark(c) {
            let mut end = at + c.len_utf8();
            while let Some((at, c)) = rest.next_if(|(_, c)| is_mark(*c)) {
                end = at + c.len_utf8();
            }
            if rest.peek().is_some_and(|(_, c)| c.is_whitespace()) {
                found.push((at, end));
            }
        }
        last_is_space = c.is_whitespace();
    }
    found
}

/// The parts of a title between separators.
fn segments(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    let mut parts = Vec::new();
    for (start, end) in separators(text) {
        parts.push(text[at..start].trim());
        at = end;
    }
    parts.push(text[at..].trim());
    parts.into_iter()
}

/// A title without the segments at its ends that name the site. The whole title if nothing else is in it.
fn site_left_out<'a>(text: &'a str, site: &Site) -> &'a str {
    let separators = separators(text);
    let (mut start, mut end) = (0, text.len());
    let mut inner = separators.as_slice();
    while let Some(((from, to), rest)) = inner.split_last() {
        if !site.is_in(&text[*to..end]) || text[start..*from].trim().is_empty() {
            break;
        }
        (end, inner) = (*from, rest);
    }
    while let Some(((from, to), rest)) = inner.split_first() {
        if !site.is_in(&text[start..*from]) || text[*to..end].trim().is_empty() {
            break;
        }
        (start, inner) = (*to, rest);
    }
    let own = text[start..end].trim();
    // "Example: Title"
    match own.split_once(": ") {
        Some((name, title)) if site.is_named(name) && !title.trim().is_empty() => title.trim(),
        _ => own,
    }
}

/// A title without its last segment, if that is short and the rest is longer.
fn last_left_out(text: &str) -> &str {
    let Some((from, to)) = separators(text).pop() else {
        return text;
    };
    let (own, last) = (text[..from].trim(), text[to..].trim());
    let count = |text: &str| text.split_whitespace().count();
    let is_site = count(last) <= MAX_SITE_WORDS && own.chars().count() > last.chars().count();
    if is_site { own } else { text }
}
