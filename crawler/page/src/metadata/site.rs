//! The names of the site of a page, and titles without them.

use super::claims::{Claims, Field};
use super::home::Home;
use super::text::{folded, is_without_spaces, words};
use super::trust;

/// Most words of the last segment of a `<title>` that is left out because the page shows that it is the name of the site.
const MAX_SITE_WORDS: usize = 4;

/// Most names of a site that are compared.
const MAX_SITE_NAMES: usize = 32;

/// The names of a site, folded.
#[derive(Debug, Default)]
pub(super) struct Site {
    names: Vec<String>,
    /// What the links to the home page show, folded. A site of one author may have the name of the author, so only titles are compared.
    shown: Vec<String>,
    /// The registered name: `example` of `www.example.co.uk`.
    label: String,
    /// The host, folded, without `www`.
    host: String,
}

impl Site {
    pub(super) fn of(claims: &Claims, host: &str, home: &Home) -> Self {
        let names = claims.in_order(Field::SiteName, trust::SITE_NAME).map(|(_, name)| name);
        // "News – Example Society" is the site of the Example Society.
        let names = names.flat_map(|name| segments(name).chain([name]));
        let mut names: Vec<String> = names.map(folded).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(MAX_SITE_NAMES);
        Self {
            names,
            shown: home.names().to_vec(),
            label: label(host),
            host: folded(host.strip_prefix("www.").unwrap_or(host)),
        }
    }

    /// Whether a text is the name of the site.
    pub(super) fn is_named(&self, text: &str) -> bool {
        self.is_named_folded(&folded(text))
    }

    /// The same for a text that is folded.
    pub(super) fn is_named_folded(&self, text: &str) -> bool {
        let is_name = |name: &String| name == text;
        text.is_empty() || self.names.iter().any(is_name) || text == self.label || self.is_host(text)
    }

    /// Whether a title or a heading is the name of the site, which a link to the home page may show, too.
    pub(super) fn is_title(&self, text: &str) -> bool {
        self.is_title_folded(&folded(text))
    }

    /// The same for a text that is folded.
    pub(super) fn is_title_folded(&self, text: &str) -> bool {
        self.is_named_folded(text) || self.shown.iter().any(|name| name == text)
    }

    /// Whether a link to the home page shows this text.
    pub(super) fn is_shown(&self, text: &str) -> bool {
        let text = folded(text);
        self.shown.contains(&text)
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
        if self.is_title(segment) {
            return true;
        }
        let text = folded(segment);
        let is_short = words(segment) <= MAX_SITE_WORDS + 1;
        let mut names = self
            .names
            .iter()
            .chain([&self.label])
            .filter(|name| name.chars().count() >= 4);
        is_short && text.chars().count() >= 4 && names.any(|name| text.contains(name.as_str()) || name.contains(&text))
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

/// Where the separators of a title begin and end: marks with spaces around, a bar with a space on one side, and marks beside a letter of a
/// script without spaces. Without spaces, `_` and `|` belong to names: `pandas.DataFrame.to_csv`.
fn separators(text: &str) -> Vec<(usize, usize)> {
    let is_mark = |c: char| {
        matches!(
            c,
            '|' | '-' | '–' | '—' | '·' | '•' | '»' | '«' | '›' | '‹' | '>' | '<' | '~' | ':' | '/' | '∙' | '⋆'
        )
    };
    let mut found = Vec::new();
    let mut last = ' ';
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let next = rest.peek().map_or(' ', |(_, next)| *next);
        if !last.is_whitespace() && is_mark_within(c, last, next) {
            found.push((at, at + c.len_utf8()));
        } else if last.is_whitespace() && is_mark(c) {
            let mut end = at + c.len_utf8();
            while let Some((at, c)) = rest.next_if(|(_, c)| is_mark(*c)) {
                end = at + c.len_utf8();
            }
            if rest.peek().is_some_and(|(_, c)| c.is_whitespace()) {
                found.push((at, end));
            }
        }
        last = c;
    }
    found
}

/// Whether a character directly behind `last` separates it from `next`.
fn is_mark_within(c: char, last: char, next: char) -> bool {
    let is_beside_wide = is_without_spaces(last) || is_without_spaces(next);
    match c {
        '｜' => true,
        '|' => is_beside_wide || next.is_whitespace(),
        '_' => is_beside_wide,
        _ => false,
    }
}

/// The parts of a title between separators.
pub(super) fn segments(text: &str) -> impl Iterator<Item = &str> {
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
pub(super) fn site_left_out<'a>(text: &'a str, site: &Site) -> &'a str {
    let text = whole_name_left_out(text, site);
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
        Some((name, title)) if site.is_title(name) && !title.trim().is_empty() => title.trim(),
        _ => own,
    }
}

/// A title without a name of the site that has a separator in it: "Title - Society - Town branch".
fn whole_name_left_out<'a>(text: &'a str, site: &Site) -> &'a str {
    let separators = separators(text);
    let mut ends = separators.iter().map(|(from, to)| (text[..*from].trim(), &text[*to..]));
    if let Some((own, _)) = ends.find(|(own, name)| !own.is_empty() && site.is_title(name)) {
        return own;
    }
    let mut starts = separators
        .iter()
        .rev()
        .map(|(from, to)| (&text[..*from], text[*to..].trim()));
    let found = starts.find(|(name, own)| !own.is_empty() && site.is_title(name));
    found.map_or(text, |(_, own)| own)
}

/// A title without its last segment, if that is short, the rest is longer, and the page shows elsewhere that it is the name of the site.
pub(super) fn last_left_out<'a>(text: &'a str, home: &Home) -> &'a str {
    let Some((from, to)) = separators(text).pop() else {
        return text;
    };
    let (own, last) = (text[..from].trim(), text[to..].trim());
    let is_possible = words(last) <= MAX_SITE_WORDS && own.chars().count() > last.chars().count();
    if is_possible && home.is_name(last) { own } else { text }
}
