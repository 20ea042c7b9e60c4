//! The title of a page without the name of its site.
//!
//! A page says its title several times: in `<title>`, often with the name of the site, the section and words for search engines; in the tags
//! for other sites; in a heading. Where a heading is a part of a declared title, the two confirm each other: the heading is the title.

use super::claims::{Claims, Field, Source};
use super::headings::Heading;
use super::home::Home;
use super::site::{Site, last_left_out, segments, site_left_out};
use super::text::folded;
use super::trust;
use crate::map::Set;

/// Most declared titles that are compared with the headings.
const MAX_DECLARED: usize = 16;

/// Shortest heading that is the title though it is only a part of a segment, in folded characters.
const MIN_PART: usize = 10;

/// Share of the words of a declared title that a heading must have to be another wording of it.
const MIN_SHARED: f64 = 0.4;

/// The title, its source, and the heading in which it stands.
pub(super) struct Found<'t> {
    pub title: Option<(String, Source)>,
    pub heading: Option<Heading<'t>>,
}

/// What the title is found in.
pub(super) struct Titles<'a, 't> {
    declared: Vec<(Source, &'a str)>,
    /// The text of `<title>`.
    element: &'a str,
    /// The headings and their folded texts.
    headings: Vec<(&'a Heading<'t>, String)>,
    /// The heading of the first level, if there is one only.
    only: Option<&'a Heading<'t>>,
    /// Whether the page has no other one with the name of the site.
    is_alone: bool,
    site: &'a Site,
    home: &'a Home,
}

/// How surely a heading is the title: it is marked as one, and all of a declared title; it begins the declared title; it is marked or of the
/// first level; its length. A site may write its own name first, and as the heading of the first level.
type Rank = (bool, bool, bool, usize);

impl<'a, 't> Titles<'a, 't> {
    /// `element` is the text of `<title>`.
    pub(super) fn new(
        claims: &'a Claims,
        element: &'a str,
        headings: &'a [Heading<'t>],
        site: &'a Site,
        home: &'a Home,
    ) -> Self {
        let is_alone = headings.iter().filter(|heading| heading.is_first_level).count() == 1;
        let headings: Vec<(&Heading<'t>, String)> = headings
            .iter()
            .map(|heading| (heading, folded(&heading.text)))
            .filter(|(_, text)| !site.is_title_folded(text))
            .collect();
        let all = headings.iter().map(|(heading, _)| *heading);
        let mut first_level = all.filter(|heading| heading.is_first_level);
        let only = first_level.next().filter(|_| first_level.next().is_none());
        Self {
            declared: claims.in_order(Field::Title, trust::TITLE).take(MAX_DECLARED).collect(),
            element,
            headings,
            only,
            is_alone,
            site,
            home,
        }
    }

    /// Finds the title.
    pub(super) fn find(&self) -> Found<'t> {
        if let Some(heading) = self.confirmed().or_else(|| self.similar()) {
            return Found {
                title: Some((heading.text.clone(), Source::Heading)),
                heading: Some(heading.clone()),
            };
        }
        let alone = || self.only.filter(|_| self.is_alone || self.element.is_empty());
        let of_heading = || alone().map(|heading| (heading.text.clone(), Source::Heading));
        let title = self.of_declared().or_else(of_heading);
        let headings = || self.headings.iter().map(|(heading, _)| *heading);
        let marked = || headings().find(|heading| heading.is_marked);
        if title.is_none()
            && self.is_only_site()
            && let Some(heading) = marked().or_else(|| headings().next())
        {
            return Found {
                title: Some((heading.text.clone(), Source::Heading)),
                heading: Some(heading.clone()),
            };
        }
        Found {
            title: title.or_else(|| self.of_element()),
            heading: self.only.or_else(marked).cloned(),
        }
    }

    /// Whether `<title>` is only the name of the site, which the page shows in a link to its home page. Such sites have it on all pages.
    fn is_only_site(&self) -> bool {
        self.site.is_shown(self.element)
    }

    fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.declared.iter().map(|(_, text)| *text).chain([self.element])
    }

    /// The heading that a declared title repeats.
    fn confirmed(&self) -> Option<&'a Heading<'t>> {
        let confirmed = self.texts().filter_map(|text| self.confirmed_by(text));
        let (_, heading) = confirmed.max_by_key(|(rank, _)| *rank)?;
        // A longer heading of the page may begin a shorter one of a part.
        let is_longer =
            |only: &&Heading<'_>| !heading.is_first_level && folded(&only.text).contains(&folded(&heading.text));
        Some(self.only.filter(is_longer).unwrap_or(heading))
    }

    /// The surest heading that this declared title repeats.
    fn confirmed_by(&self, declared: &str) -> Option<(Rank, &'a Heading<'t>)> {
        let own = site_left_out(declared, self.site);
        let (all, own) = (folded(declared), folded(own));
        let parts: Vec<String> = segments(declared).map(folded).collect();
        let ranked = self.headings.iter().filter_map(|(heading, text)| {
            let at = all.find(text)?;
            let is_long = text.chars().count() >= MIN_PART && text.len() * 2 >= own.len();
            let is_part = is_long || parts.contains(text) || *text == all || *text == own;
            let is_whole = heading.is_marked && *text == all && !std::ptr::eq(declared, self.element);
            let is_of_page = heading.is_first_level || heading.is_marked;
            let rank = (is_whole, at == 0, is_of_page, text.len());
            (is_part && !text.is_empty()).then_some((rank, *heading))
        });
        // The first of equals.
        ranked.rev().max_by_key(|(rank, _)| *rank)
    }

    /// The only heading of the first level, if it is another wording of a declared title. Titles for search engines have other words than
    /// the heading, but not only other words.
    fn similar(&self) -> Option<&'a Heading<'t>> {
        self.only
            .filter(|only| self.texts().any(|text| is_similar(&only.text, text)))
    }

    fn of_declared(&self) -> Option<(String, Source)> {
        let texts = self
            .declared
            .iter()
            .map(|(source, text)| (site_left_out(text, self.site), *source));
        let mut own = texts.filter(|(text, _)| !self.site.is_title(text));
        own.next().map(|(text, source)| (text.to_owned(), source))
    }

    fn of_element(&self) -> Option<(String, Source)> {
        let text = last_left_out(site_left_out(self.element, self.site), self.home);
        (!text.is_empty()).then(|| (text.to_owned(), Source::TitleElement))
    }
}

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
