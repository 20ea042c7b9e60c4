//! From claims to values: for each field the first claim in the order of trust that can be true.

use std::time::{Duration, SystemTime};

use jiff::civil::Date;
use url::Url;

use super::byline;
use super::claims::{Claims, Field, Source};
use super::date::{self, Order, PageDate};
use super::dateline::{self, DateReader};
use super::kinds::{Kind, kind};
use super::names::{Certainty, MAX_AUTHORS, people, turned};
use super::site::Site;
use super::text::{cut, folded};
use super::visible::Visible;
use super::{Metadata, Sourced, trust};
use crate::parse::Base;

/// The first year in which a page can have been published.
const FIRST_YEAR: i16 = 1990;

/// How much later than its fetch a page may be dated: the day may have begun elsewhere.
const AHEAD: Duration = Duration::from_secs(24 * 60 * 60);

/// Most days between the declared and the shown day of one publication: another zone is at most one day away.
const MAX_DAYS_BESIDE: i32 = 1;

/// Most declared names, and most declared dates, that are looked for in the text.
const MAX_COMPARED: usize = 32;

/// Most tags, and the longest tag, section or type, in bytes.
const MAX_TAGS: usize = 64;
const MAX_LABEL_BYTES: usize = 128;

/// Most descriptions that are compared, and how much longer, in characters, one is that has another in full. More is a text.
const MAX_DESCRIPTIONS: usize = 16;
const MAX_REST: usize = 500;

/// Shortest description that programs cut, in characters.
const MIN_CUT: usize = 100;

/// Shortest description, in characters.
const MIN_DESCRIPTION: usize = 8;

/// What the values are chosen from.
pub(super) struct Chooser<'a> {
    pub claims: &'a Claims,
    pub visible: &'a Visible<'a>,
    pub site: &'a Site,
    pub base: &'a Base,
    pub url: &'a Url,
    pub fetched: SystemTime,
}

impl Chooser<'_> {
    /// All values. The title is chosen before, because the visible parts depend on its place.
    pub(super) fn choose(&self, title: Option<(String, Source)>) -> Metadata {
        let language = self.first(Field::Language, trust::LANGUAGE, language);
        let order = self
            .visible
            .order()
            .unwrap_or_else(|| Order::of(language.as_ref().map(|language| language.value.as_str()), self.url));
        let latest = self.latest_day();
        let is_possible = |day: Date| day.year() >= FIRST_YEAR && latest.is_some_and(|latest| day <= latest);
        let reader = DateReader {
            order,
            is_possible: &is_possible,
            fetched: day_of(self.fetched),
        };
        let title = title.map(|(value, source)| Sourced { value, source });
        let published = self.published(reader);
        Metadata {
            authors: self.authors(order),
            modified: self.modified(published.as_ref(), reader),
            published,
            description: self.description(title.as_ref().map(|title| title.value.as_str())),
            site_name: self.first(Field::SiteName, trust::SITE_NAME, label),
            tags: self.tags(),
            section: self.first(Field::Section, trust::SECTION, |text| label(text.split(',').next()?)),
            licence: self.licence(),
            image: self.first(Field::Image, trust::IMAGE, |text| self.absolute(text)),
            page_type: self.first(Field::Type, trust::TYPE, |text| label(text.rsplit(['/', '#']).next()?)),
            language,
            title,
        }
    }

    /// The first claim of which `read` makes a value.
    fn first<T>(&self, field: Field, order: &[Source], read: impl Fn(&str) -> Option<T>) -> Option<Sourced<T>> {
        let mut claims = self.claims.in_order(field, order);
        claims.find_map(|(source, text)| {
            Some(Sourced {
                value: read(text)?,
                source,
            })
        })
    }

    fn authors(&self, order: Order) -> Option<Sourced<Vec<String>>> {
        trust::AUTHOR.iter().find_map(|source| {
            let (value, source) = match source {
                Source::Link | Source::Class => (self.marked_authors(*source), *source),
                Source::Text => (byline::told(self.visible, order), Source::Text),
                source => self.with_shown(self.declared_authors(*source), *source),
            };
            (!value.is_empty()).then_some(Sourced { value, source })
        })
    }

    /// Whether the page says that it is one article, and no list of them.
    fn is_article(&self) -> bool {
        let mut types = self.claims.in_order(Field::Type, trust::TYPE);
        types.any(|(_, name)| name == "article" || kind(name) == Some(Kind::Article))
    }

    /// The authors in elements that are marked by a link or a class.
    fn marked_authors(&self, source: Source) -> Vec<String> {
        let found = byline::marked(self.visible, source, |name| self.site.is_named(name));
        if found.are_many && !self.is_article() {
            return Vec::new();
        }
        found.names
    }

    /// The authors that the page shows, if they are the declared ones and more.
    fn with_shown(&self, declared: Vec<String>, source: Source) -> (Vec<String>, Source) {
        if declared.is_empty() || source == Source::Highwire {
            return (declared, source);
        }
        let marked = [Source::Link, Source::Class].map(|source| (self.marked_authors(source), source));
        let shown = marked.into_iter().find(|(names, _)| !names.is_empty());
        let has_all = |shown: &[String]| {
            declared
                .iter()
                .all(|name| shown.iter().any(|other| folded(other) == folded(name)))
        };
        let are_names = |shown: &[String]| shown.iter().all(|name| name.contains(' '));
        match shown {
            Some((names, of_shown)) if names.len() > declared.len() && has_all(&names) && are_names(&names) => {
                (names, of_shown)
            }
            _ => (declared, source),
        }
    }

    /// The authors that one source declares.
    fn declared_authors(&self, source: Source) -> Vec<String> {
        let claims = self.claims.of(Field::Author, source).take(MAX_AUTHORS);
        let claims = claims.filter(|text| !self.site.is_named(text));
        let texts = claims.map(|text| match source {
            Source::Highwire | Source::DublinCore => turned(text),
            _ => text.to_owned(),
        });
        let mut names: Vec<String> = Vec::new();
        for name in texts
            .flat_map(|text| people(&text, Certainty::Declared))
            .take(MAX_COMPARED)
        {
            let is_known = || names.iter().any(|known| folded(known) == folded(&name));
            let is_author = !self.site.is_named(&name) && !is_known() && self.is_witnessed(&name, source);
            if is_author && names.len() < MAX_AUTHORS {
                names.push(name);
            }
        }
        names
    }

    /// Whether the page shows a name that it declares. Programs declare the account of whoever made the page; what readers are told is the
    /// author. Tags for scholars name authors only. `<meta name=author>` is often the owner of the site, whose name is in many places.
    fn is_witnessed(&self, name: &str, source: Source) -> bool {
        let name = folded(name);
        match source {
            Source::Highwire => true,
            Source::Meta => byline::is_named_after_heading(self.visible, &name),
            _ => self.visible.shows(&name),
        }
    }

    fn published(&self, reader: DateReader<'_>) -> Option<Sourced<String>> {
        trust::PUBLISHED.iter().find_map(|source| {
            let found = match source {
                Source::Url => date::in_path(self.url).filter(|date| (reader.is_possible)(date.day)),
                Source::Time | Source::Class => dateline::marked(self.visible, *source, reader),
                Source::Text => dateline::told(self.visible, reader),
                source => self.declared_date(Field::Published, *source, reader),
            }?;
            let is_declared = !matches!(source, Source::Time | Source::Class | Source::Text);
            let is_shown = || dateline::is_shown(self.visible, found.day, reader);
            if !is_declared || is_shown() {
                return Some(Sourced {
                    value: found.iso,
                    source: *source,
                });
            }
            let other = self
                .declared_and_shown(reader)
                .or_else(|| self.shown_beside(found.day, reader));
            Some(other.unwrap_or(Sourced {
                value: found.iso,
                source: *source,
            }))
        })
    }

    /// The first declared date of publication that the page shows as its date near its heading.
    fn declared_and_shown(&self, reader: DateReader<'_>) -> Option<Sourced<String>> {
        let claims = self
            .claims
            .in_order(Field::Published, trust::PUBLISHED)
            .take(MAX_COMPARED);
        let mut dates = claims.filter_map(|(source, text)| Some((source, reader.declared(text)?)));
        let days: Vec<Date> = dateline::days_of_page(self.visible, reader)
            .take(MAX_COMPARED)
            .collect();
        let (source, date) = dates.find(|(_, date)| days.contains(&date.day))?;
        Some(Sourced {
            value: date.iso,
            source,
        })
    }

    /// The day that the page shows as its date near its heading, if it is the day before or after the declared one, which is not shown.
    /// Programs declare the time in another zone.
    fn shown_beside(&self, declared: Date, reader: DateReader<'_>) -> Option<Sourced<String>> {
        let mut days = dateline::days_of_page(self.visible, reader);
        let day = days.find(|day| (*day - declared).get_days().abs() <= MAX_DAYS_BESIDE)?;
        Some(Sourced {
            value: day.to_string(),
            source: Source::Text,
        })
    }

    /// The last change. What was changed before its publication is something else, or its publication is.
    fn modified(&self, published: Option<&Sourced<String>>, reader: DateReader<'_>) -> Option<Sourced<String>> {
        let published = published.and_then(|published| reader.declared(&published.value));
        let is_later = |date: &PageDate| published.as_ref().is_none_or(|published| date.day >= published.day);
        trust::MODIFIED.iter().find_map(|source| {
            let found = match source {
                Source::Class => dateline::marked_change(self.visible, reader),
                Source::Text => dateline::told_change(self.visible, reader),
                source => self.declared_date(Field::Modified, *source, reader),
            };
            let found = found.filter(is_later)?;
            Some(Sourced {
                value: found.iso,
                source: *source,
            })
        })
    }

    fn declared_date(&self, field: Field, source: Source, reader: DateReader<'_>) -> Option<PageDate> {
        self.claims.of(field, source).find_map(|text| reader.declared(text))
    }

    /// The last day on which a page that was fetched then can have been published.
    fn latest_day(&self) -> Option<Date> {
        day_of(self.fetched + AHEAD)
    }

    /// The first description, unless it is that of the site and another one is not, or another one has it in full.
    fn description(&self, title: Option<&str>) -> Option<Sourced<String>> {
        let title = title.map(folded).unwrap_or_default();
        let is_possible = |text: &str| {
            let is_long = text.chars().count() >= MIN_DESCRIPTION;
            is_long && folded(text) != title && !self.site.is_named(text)
        };
        let claims = self.claims.in_order(Field::Description, trust::DESCRIPTION);
        let claims: Vec<(Source, &str)> = claims
            .filter(|(_, text)| is_possible(text))
            .take(MAX_DESCRIPTIONS)
            .collect();
        let first = *claims.first()?;
        let own = || claims.iter().copied().find(|(_, text)| !self.site.is_mentioned(text));
        let chosen = if self.site.is_mentioned(first.1) {
            own().unwrap_or(first)
        } else {
            first
        };
        let full = claims.iter().copied().find(|(_, text)| is_in_full(text, chosen.1));
        let (source, text) = full.unwrap_or(chosen);
        Some(Sourced {
            value: text.to_owned(),
            source,
        })
    }

    fn tags(&self) -> Option<Sourced<Vec<String>>> {
        trust::TAGS.iter().find_map(|source| {
            let single: Vec<&str> = self.claims.of(Field::Tag, *source).collect();
            // Some programs write all tags into the element for one.
            let single = match single[..] {
                [only] => only.split(',').collect(),
                _ => single,
            };
            let joined = self
                .claims
                .of(Field::Tags, *source)
                .flat_map(|text| text.split([',', '，', '、', ';', '|']));
            let mut tags: Vec<String> = Vec::new();
            for tag in single.into_iter().chain(joined).map(str::trim) {
                let is_tag = !tag.is_empty() && tag.len() <= MAX_LABEL_BYTES && !tags.iter().any(|known| known == tag);
                if is_tag && !is_placeholder(tag) && tags.len() < MAX_TAGS {
                    tags.push(tag.to_owned());
                }
            }
            (!tags.is_empty()).then_some(Sourced {
                value: tags,
                source: *source,
            })
        })
    }

    fn licence(&self) -> Option<Sourced<String>> {
        let mut claims = self.claims.in_order(Field::Licence, trust::LICENCE);
        claims.find_map(|(source, text)| {
            let is_reference = source == Source::Link || text.starts_with('/') || text.contains("://");
            let value = if is_reference {
                self.absolute(text)?
            } else {
                Some(text).filter(|text| !has_scheme(text))?.to_owned()
            };
            // Pictures have licences of their own.
            let is_certain =
                source != Source::Text || self.claims.of(Field::Licence, source).all(|other| other == text);
            is_certain.then_some(Sourced { value, source })
        })
    }

    /// The absolute URL of a reference. There is none if the URL of the page is unknown: its host stands for that (RFC 6761, section 6.4).
    fn absolute(&self, reference: &str) -> Option<String> {
        let url = self.base.join(reference)?;
        let is_known = url.host_str().is_some_and(|host| !host.ends_with(".invalid"));
        (is_known && matches!(url.scheme(), "http" | "https")).then(|| url.into())
    }
}

/// The day of a time, at Greenwich.
fn day_of(time: SystemTime) -> Option<Date> {
    let time = jiff::Timestamp::try_from(time).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// Schemes whose URLs are programs or documents of their own, whatever follows them.
const ACTIVE_SCHEMES: [&str; 3] = ["javascript", "vbscript", "data"];

/// Whether a text that is no reference begins with a scheme (RFC 3986, section 3.1). "Licence: CC BY" is a label.
fn has_scheme(text: &str) -> bool {
    // Browsers leave out the control characters before a scheme.
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_form = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let is_active = ACTIVE_SCHEMES.iter().any(|active| scheme.eq_ignore_ascii_case(active));
    is_active || is_form && !rest.starts_with(char::is_whitespace)
}

/// Whether a text is another one in full, which programs have cut.
fn is_in_full(text: &str, cut: &str) -> bool {
    if cut.chars().count() < MIN_CUT {
        return false;
    }
    let beginning = cut.trim_end_matches(|c: char| !c.is_alphanumeric());
    let rest = text.strip_prefix(beginning).unwrap_or_default();
    let ends_within = !cut.ends_with(['.', '!', '?', '。', '！', '？']) || cut.ends_with("..");
    ends_within && rest.len() > cut.len() - beginning.len() && rest.chars().count() <= MAX_REST
}

/// What templates have in the place of tags, folded.
#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "yourkeywordshere", "yourkeywords", "keywordshere", "keywordsgohere", "enterkeywordshere", "enteryourkeywordshere", "insertkeywordshere",
    "insertyourkeywordshere", "addkeywordshere", "addyourkeywordshere", "keyword1", "keyword2", "keyword3", "yourtagshere", "objectobject",
];

/// Whether a tag is what its template had, or the variable of one.
fn is_placeholder(tag: &str) -> bool {
    PLACEHOLDERS.contains(&folded(tag).as_str()) || tag.contains("{{") || tag.contains("%%")
}

/// A short text.
fn label(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text.len() <= MAX_LABEL_BYTES).then(|| text.to_owned())
}

/// A tag of BCP 47, as far as its form tells.
fn language(text: &str) -> Option<String> {
    let tag = cut(text.split(',').next()?.trim(), MAX_LABEL_BYTES).replace('_', "-");
    let mut parts = tag.split('-');
    let primary = parts.next()?;
    let is_tag = (2..=3).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    let are_parts =
        parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    (is_tag && are_parts).then_some(tag)
}
