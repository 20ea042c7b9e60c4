//! What a page says about itself: title, authors, dates, description, name of the site, language, tags, section, licence, image, type.
//!
//! ```text
//! tree ─▶ claims: JSON-LD, microdata and RDFa, meta elements, links ─┐
//!    └──▶ headings ─▶ title ◀────────────────────────────────────────┤
//!            └──▶ visible: bylines, dates, lines near the heading ───┴─▶ choose ─▶ Metadata
//! ```
//!
//! Each source makes claims. For each field, the first claim in the order of trust that can be true is the value; its source is kept. What is
//! surely wrong is refused, because a wrong value is worse than none: a site as its own author, `admin`, an address, a date in the future.
//!
//! # The order of trust
//!
//! | field | order | why |
//! |---|---|---|
//! | title | a heading that a declared title repeats; the only `<h1>`, if it shares many words with a declared title; Open Graph, JSON-LD, Highwire, Parse.ly, Sailthru, microdata, RDFa, Twitter card, Dublin Core, meta; the only `<h1>`; `<title>` | two witnesses come before one; `<title>` has more than the title, and its last part is left out only if it is shown to name the site |
//! | authors | JSON-LD, Highwire, Parse.ly, Sailthru, microdata, RDFa, link, class, meta, Dublin Core, Open Graph, Twitter card, text | `<meta name=author>` is often the owner of the site |
//! | published | JSON-LD, Open Graph, microdata, Parse.ly, Sailthru, Highwire, RDFa, Dublin Core, meta, URL, `<time>`, class, text | a program that knows the time comes before what is shown |
//! | modified | JSON-LD, Open Graph, microdata, RDFa, Dublin Core, meta, class, text | the same |
//! | description | meta, Open Graph, JSON-LD, Twitter card, Dublin Core, Sailthru, microdata, RDFa | the tags for other sites are often for other readers |
//! | site name | Open Graph, JSON-LD, meta, microdata, RDFa, Highwire, Dublin Core | |
//! | language | root element, meta, JSON-LD, Dublin Core, Open Graph | browsers read the root element |
//! | tags | Open Graph, Parse.ly, JSON-LD, Sailthru, meta, link, microdata, RDFa, Dublin Core | |
//! | section | Open Graph, JSON-LD, Parse.ly, microdata, meta, link | |
//! | licence | link, JSON-LD, microdata, RDFa, Dublin Core, meta; text: the only licence of Creative Commons that the page leads to | `rel=license` is a standard (WHATWG HTML, section 4.6.7.8) |
//! | image | Open Graph, JSON-LD, Twitter card, Parse.ly, Sailthru, microdata, link, meta | |
//! | type | JSON-LD, Open Graph, microdata, Dublin Core | the vocabulary of schema.org is finer |
//!
//! These rules cross this order:
//!
//! - What a link to the home page of the site shows is no title, and is left out of titles: many sites write their name first, or as `<h1>`.
//!   Names of authors are not compared with it, because sites of one author have the author's name. If nothing but such a name is declared, a
//!   heading is the title.
//! - A declared author counts only if the page shows the name: programs declare the account of whoever made the page. The name in
//!   `<meta name=author>` must stand in a short line after the heading. If the page shows all declared authors and more, it is right.
//! - A `<meta>` in the body counts only for a field that no `<meta>` of the head is about: readers write into the body.
//! - A change before the day of the publication is none.
//! - Elements that are marked as authors count only if they name few, or if the page calls itself an article: lists of articles have many.
//! - If the page does not show the declared day, but shows another declared one as its date, that one is right: programs that publish a page
//!   again leave the first day in one place.
//! - The day before or after the declared one replaces it if the page shows it as its date and does not show the declared one: programs
//!   declare the time in another zone. It must stand near the heading, and not before it, where newspapers show the day of the reader: in an
//!   element that is marked as a date or in a line that is only a date or a byline with a date. A `<time>` whose `datetime` is the declared day
//!   shows it.
//! - A date before the heading counts only if it stands beside the heading, not in a part of the page that has a link to the home page or a
//!   menu, and is not the day of the fetch: there sites show the day of the reader. If an author is in the same line, it counts.
//! - A date that is shown belongs to the word beside it: "updated" makes it that of the change, "deadline" none at all. Spans of time are
//!   those of events.
//! - Which number of `3/5/2024` is the month, the other dates of the page tell; if they do not, its country and language.
//! - The author and the day of a `WebPage` in JSON-LD count only if Open Graph calls the page an article. Programs declare them for every page.
//! - A description with the name of the site gives way to one without it, and a description that is cut to the same one in full.

mod byline;
mod choose;
mod claims;
mod date;
mod dateline;
mod headings;
mod home;
mod items;
mod json_ld;
mod kinds;
pub(crate) mod marks;
mod meta_tags;
mod months;
mod names;
mod phrases;
mod references;
mod site;
mod text;
mod title;
mod trust;
mod visible;

use std::time::SystemTime;

use html5ever::{local_name, ns};
use url::Url;

use self::choose::Chooser;
pub use self::claims::Source;
use self::claims::{Claims, Field};
use self::headings::Headings;
use self::home::Home;
use self::items::Items;
use self::json_ld::JsonLd;
use self::meta_tags::{MetaTags, take_link};
use self::site::Site;
use self::text::text_of;
use self::title::Titles;
use crate::parse::{self, Base, Document, Element, NodeRef, Visit};

/// A value and where the page says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where the page says it.
    pub source: Source,
}

/// What a page says about itself. Each field is `None` if the page says nothing that can be believed. Texts are plain, with collapsed white
/// space, and have at most 4,096 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// The title without the name of the site.
    pub title: Option<Sourced<String>>,
    /// The names of the authors, at most 16, without "by".
    pub authors: Option<Sourced<Vec<String>>>,
    /// When the page was published: a day (`2024-03-05`) or a time (`2024-03-05T10:00:00+01:00`) of ISO 8601, as the page gives it. A time
    /// without an offset is that of the page, wherever it is.
    pub published: Option<Sourced<String>>,
    /// When it was last changed, in the same form.
    pub modified: Option<Sourced<String>>,
    /// Its summary.
    pub description: Option<Sourced<String>>,
    /// The name of the site.
    pub site_name: Option<Sourced<String>>,
    /// The language that it declares, as a tag of BCP 47 (`de-AT`).
    pub language: Option<Sourced<String>>,
    /// Its tags or keywords, at most 64.
    pub tags: Option<Sourced<Vec<String>>>,
    /// The section of the site.
    pub section: Option<Sourced<String>>,
    /// The licence: the absolute URL of a link, or the text.
    pub licence: Option<Sourced<String>>,
    /// The absolute URL of its main image.
    pub image: Option<Sourced<String>>,
    /// Its type in the vocabulary of the source, such as `NewsArticle` (schema.org) or `article` (Open Graph).
    pub page_type: Option<Sourced<String>>,
}

/// The value of a field: one text, or a list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// One text.
    One(&'a str),
    /// A list: authors, tags.
    Many(&'a [String]),
}

impl Metadata {
    /// The fields that have a value: name, value and source. The names are those of JSON and of exports.
    pub fn fields(&self) -> impl Iterator<Item = NamedField<'_>> {
        [
            one("title", self.title.as_ref()),
            many("authors", self.authors.as_ref()),
            one("published", self.published.as_ref()),
            one("modified", self.modified.as_ref()),
            one("description", self.description.as_ref()),
            one("site_name", self.site_name.as_ref()),
            one("language", self.language.as_ref()),
            many("tags", self.tags.as_ref()),
            one("section", self.section.as_ref()),
            one("licence", self.licence.as_ref()),
            one("image", self.image.as_ref()),
            one("type", self.page_type.as_ref()),
        ]
        .into_iter()
        .flatten()
    }
}

type NamedField<'a> = (&'static str, Value<'a>, Source);

fn one<'a>(name: &'static str, said: Option<&'a Sourced<String>>) -> Option<NamedField<'a>> {
    let said = said?;
    Some((name, Value::One(&said.value), said.source))
}

fn many<'a>(name: &'static str, said: Option<&'a Sourced<Vec<String>>>) -> Option<NamedField<'a>> {
    let said = said?;
    Some((name, Value::Many(&said.value), said.source))
}

/// What a parsed page says about itself. Its tree must have all attributes.
pub(crate) fn of_document(document: &Document, url: &Url, fetched: SystemTime) -> Metadata {
    let displayed = parse::displayed(&document.html);
    let tree = displayed.as_ref().unwrap_or(&document.html);
    let mut declared = Declared {
        home: Home::of(url),
        ..Declared::default()
    };
    tree.root().walk(&mut declared);
    let Declared {
        mut claims,
        home,
        json_ld,
        title,
        base,
        metas,
        headings,
        ..
    } = declared;
    metas.finish(&mut claims);
    let texts: Vec<String> = headings
        .found
        .iter()
        .map(|heading| heading.text.clone())
        .chain([title.clone()])
        .collect();
    json_ld.claim(url, &texts, &mut claims);
    let site = Site::of(&claims, url.host_str().unwrap_or_default(), &home);
    let title = Titles::new(&claims, &title, &headings.found, &site, &home).find();
    let heading = title.heading.as_ref().map(|heading| heading.node);
    let visible = visible::visible(tree, heading, headings.meanings, url);
    let base = Base::new(base.as_deref(), url, document.encoding);
    let chooser = Chooser {
        claims: &claims,
        visible: &visible,
        site: &site,
        base: &base,
        url,
        fetched,
    };
    chooser.choose(title.title)
}

/// Longest text of a `<title>`, in bytes.
const MAX_TITLE_BYTES: usize = 1024;

/// What the elements of a page declare.
#[derive(Default)]
struct Declared<'t> {
    claims: Claims,
    json_ld: JsonLd,
    metas: MetaTags,
    items: Items,
    headings: Headings<'t>,
    home: Home,
    /// The text of `<title>`.
    title: String,
    /// The `href` of the first `<base>`.
    base: Option<String>,
}

impl<'t> Visit<'t> for Declared<'t> {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        let Some(element) = node.value().as_element() else {
            if let Some(text) = node.value().as_text() {
                self.home.take_text(text);
            }
            return node.first_child().is_some();
        };
        self.take(node, element);
        // Items of microdata may be anywhere, also in a `<meta>`.
        self.items.enter(node, element, &mut self.claims);
        let is_entered = element.name.local != local_name!("template");
        if is_entered {
            self.headings.enter(node, element);
        }
        is_entered
    }

    fn leave(&mut self, node: NodeRef<'t>) {
        self.items.leave(node);
        if let Some(element) = node.value().as_element() {
            self.headings.leave(element);
        }
    }
}

impl Declared<'_> {
    fn take(&mut self, node: NodeRef<'_>, element: &Element) {
        match element.name.local {
            local_name!("html") => {
                let language = parse::attribute(element, &local_name!("lang"))
                    .or_else(|| element.plain_attribute(&local_name!("xml:lang")));
                self.claims
                    .add(Field::Language, Source::Root, language.unwrap_or_default());
            }
            local_name!("title") if self.title.is_empty() && element.name.ns == ns!(html) => {
                self.title = text::cleaned_title(&text_of(node, MAX_TITLE_BYTES));
            }
            local_name!("base") if self.base.is_none() => {
                self.base = element.plain_attribute(&local_name!("href")).map(str::to_owned)
            }
            local_name!("body") => self.metas.begin_body(),
            local_name!("meta") => self.metas.take(element, &mut self.claims),
            local_name!("link") | local_name!("a") => {
                take_link(node, element, &mut self.claims);
                self.home.take(node, element);
            }
            local_name!("img") => self.home.take(node, element),
            local_name!("script") if is_json_ld(element) => {
                let texts = node.children().filter_map(|child| child.value().as_text());
                self.json_ld.take(&texts.collect::<String>());
            }
            _ => {}
        }
    }
}

fn is_json_ld(element: &Element) -> bool {
    let kind = element.plain_attribute(&local_name!("type")).unwrap_or_default();
    kind.split(';')
        .next()
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
}

#[cfg(test)]
mod tests;
