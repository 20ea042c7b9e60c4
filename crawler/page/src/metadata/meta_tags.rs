//! The `<meta>` elements and the links of the head.

use std::sync::LazyLock;

use html5ever::local_name;
use memchr::memmem::Finder;

use super::claims::Field::{
    self, Author, Description, Image, Language, Licence, Modified, Published, Section, SiteName, Tag, Tags, Title, Type,
};
use super::claims::{Claims, Source};
use super::names::after_written_by;
use super::text::{cut, text_of};
use crate::parse::{Element, NodeRef};

/// Longest name of a `<meta>` that is looked up, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Most relations of a link, the part of its address that is searched, and its longest text, in bytes.
const MAX_RELATIONS: usize = 16;
const MAX_HREF_BYTES: usize = 64;
const MAX_TAG_BYTES: usize = 256;

/// The names of `<meta>` elements in lower case, with a dot for each colon, except those of Dublin Core.
#[rustfmt::skip]
const NAMES: &[(&str, Field, Source)] = &[
    ("og.title", Title, Source::OpenGraph),
    ("og.description", Description, Source::OpenGraph),
    ("og.site_name", SiteName, Source::OpenGraph),
    ("og.type", Type, Source::OpenGraph),
    ("og.image", Image, Source::OpenGraph),
    ("og.image.url", Image, Source::OpenGraph),
    ("og.image.secure_url", Image, Source::OpenGraph),
    ("og.locale", Language, Source::OpenGraph),
    ("og.article.author", Author, Source::OpenGraph),
    ("og.author", Author, Source::OpenGraph),
    ("book.author", Author, Source::OpenGraph),
    ("article.author", Author, Source::OpenGraph),
    ("article.author_name", Author, Source::OpenGraph),
    ("article.published_time", Published, Source::OpenGraph),
    ("og.article.published_time", Published, Source::OpenGraph),
    ("og.published_time", Published, Source::OpenGraph),
    ("article.published", Published, Source::OpenGraph),
    ("article.created", Published, Source::OpenGraph),
    ("article.modified_time", Modified, Source::OpenGraph),
    ("og.article.modified_time", Modified, Source::OpenGraph),
    ("article.modified", Modified, Source::OpenGraph),
    ("og.updated_time", Modified, Source::OpenGraph),
    ("article.section", Section, Source::OpenGraph),
    ("og.article.section", Section, Source::OpenGraph),
    ("article.tag", Tag, Source::OpenGraph),
    ("og.article.tag", Tag, Source::OpenGraph),
    ("twitter.title", Title, Source::TwitterCard),
    ("twitter.description", Description, Source::TwitterCard),
    ("twitter.image", Image, Source::TwitterCard),
    ("twitter.image.src", Image, Source::TwitterCard),
    ("citation_title", Title, Source::Highwire),
    ("citation_author", Author, Source::Highwire),
    ("citation_authors", Author, Source::Highwire),
    ("citation_publication_date", Published, Source::Highwire),
    ("citation_online_date", Published, Source::Highwire),
    ("citation_date", Published, Source::Highwire),
    ("citation_journal_title", SiteName, Source::Highwire),
    ("citation_keywords", Tags, Source::Highwire),
    ("parsely-title", Title, Source::Parsely),
    ("parsely-author", Author, Source::Parsely),
    ("parsely-pub-date", Published, Source::Parsely),
    ("parsely-section", Section, Source::Parsely),
    ("parsely-tags", Tags, Source::Parsely),
    ("parsely-image-url", Image, Source::Parsely),
    ("sailthru.title", Title, Source::Sailthru),
    ("sailthru.author", Author, Source::Sailthru),
    ("sailthru.date", Published, Source::Sailthru),
    ("sailthru.description", Description, Source::Sailthru),
    ("sailthru.tags", Tags, Source::Sailthru),
    ("sailthru.image.full", Image, Source::Sailthru),
    ("title", Title, Source::Meta),
    ("author", Author, Source::Meta),
    ("authors", Author, Source::Meta),
    ("byl", Author, Source::Meta),
    ("byline", Author, Source::Meta),
    ("article_author", Author, Source::Meta),
    ("shareaholic.article_author_name", Author, Source::Meta),
    ("date", Published, Source::Meta),
    ("pubdate", Published, Source::Meta),
    ("publishdate", Published, Source::Meta),
    ("publish-date", Published, Source::Meta),
    ("publish_date", Published, Source::Meta),
    ("published", Published, Source::Meta),
    ("published_time", Published, Source::Meta),
    ("publication_date", Published, Source::Meta),
    ("publication-date", Published, Source::Meta),
    ("date_published", Published, Source::Meta),
    ("datepublished", Published, Source::Meta),
    ("article_date_original", Published, Source::Meta),
    ("originalpublicationdate", Published, Source::Meta),
    ("displaydate", Published, Source::Meta),
    ("ptime", Published, Source::Meta),
    ("cxenseparse.recs.publishtime", Published, Source::Meta),
    ("cxenseparse.publishtime", Published, Source::Meta),
    ("bt.pubdate", Published, Source::Meta),
    ("rbpubdate", Published, Source::Meta),
    ("shareaholic.article_published_time", Published, Source::Meta),
    ("creation_date", Published, Source::Meta),
    ("last-modified", Modified, Source::Meta),
    ("lastmod", Modified, Source::Meta),
    ("lastmodified", Modified, Source::Meta),
    ("modified", Modified, Source::Meta),
    ("datemodified", Modified, Source::Meta),
    ("date_modified", Modified, Source::Meta),
    ("revised", Modified, Source::Meta),
    ("shareaholic.article_modified_time", Modified, Source::Meta),
    ("description", Description, Source::Meta),
    ("application-name", SiteName, Source::Meta),
    ("shareaholic.site_name", SiteName, Source::Meta),
    ("language", Language, Source::Meta),
    ("content-language", Language, Source::Meta),
    ("keywords", Tags, Source::Meta),
    ("news_keywords", Tags, Source::Meta),
    ("section", Section, Source::Meta),
    ("article.section_name", Section, Source::Meta),
    ("license", Licence, Source::Meta),
    ("licence", Licence, Source::Meta),
    ("thumbnail", Image, Source::Meta),
    ("thumbnailurl", Image, Source::Meta),
];

/// The elements of Dublin Core (ISO 15836) and their refinements, without the prefix.
#[rustfmt::skip]
const DUBLIN_CORE: &[(&str, Field)] = &[
    ("title", Title),
    ("creator", Author),
    ("contributor.author", Author),
    ("issued", Published),
    ("date.issued", Published),
    ("date.created", Published),
    ("date.published", Published),
    ("date", Published),
    ("created", Published),
    ("modified", Modified),
    ("date.modified", Modified),
    ("description", Description),
    ("abstract", Description),
    ("subject", Tags),
    ("language", Language),
    ("rights.license", Licence),
    ("license", Licence),
    ("type", Type),
];

/// What a name of a `<meta>` is about.
fn meaning(name: &str) -> Option<(Field, Source)> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let name = name.trim().to_ascii_lowercase().replace(':', ".");
    let of_dublin_core = ["dc.", "dcterms.", "dc.terms."].iter();
    if let Some(element) = of_dublin_core
        .filter_map(|prefix| name.strip_prefix(prefix))
        .next_back()
    {
        let found = DUBLIN_CORE.iter().find(|(known, _)| *known == element)?;
        return Some((found.1, Source::DublinCore));
    }
    let found = NAMES.iter().find(|(known, ..)| *known == name)?;
    Some((found.1, found.2))
}

/// Reads the `<meta>` elements of a page, one after the other.
///
/// Those of the body may stand in a comment of a reader. They count only for a field that no `<meta>` of the head is about: a head that
/// breaks off leaves its elements to the body (WHATWG HTML, section 13.2.6.4.4).
#[derive(Debug, Default)]
pub(super) struct MetaTags {
    /// The label of a field of a Twitter card, whose value follows.
    label_is_author: bool,
    /// Whether the body has begun.
    is_in_body: bool,
    /// The fields of the head, each once.
    of_head: Vec<Field>,
    of_body: Claims,
}

impl MetaTags {
    /// Begins the body.
    pub(super) fn begin_body(&mut self) {
        self.is_in_body = true;
    }

    /// Ends the page: adds what the body says and the head does not.
    pub(super) fn finish(self, claims: &mut Claims) {
        claims.add_missing(self.of_body, &self.of_head);
    }

    /// Takes a `<meta>`.
    pub(super) fn take(&mut self, element: &Element, claims: &mut Claims) {
        let value = element
            .plain_attribute(&local_name!("content"))
            .or_else(|| element.plain_attribute(&local_name!("value")));
        let Some(content) = value.filter(|content| !content.trim().is_empty()) else {
            return;
        };
        let of_pragma = element
            .plain_attribute(&local_name!("http-equiv"))
            .filter(|name| name.eq_ignore_ascii_case("content-language"));
        let names = [
            element.plain_attribute(&local_name!("property")),
            element.plain_attribute(&local_name!("name")),
            of_pragma,
        ];
        let mut last = None;
        for name in names.into_iter().flatten().flat_map(str::split_ascii_whitespace) {
            self.take_labelled(name, content, claims);
            let found = meaning(name).filter(|found| last != Some(*found));
            if let Some((field, source)) = found {
                self.add(field, source, content, claims);
                last = found;
            }
        }
    }

    fn add(&mut self, field: Field, source: Source, content: &str, claims: &mut Claims) {
        if self.is_in_body {
            self.of_body.add(field, source, content);
            return;
        }
        if !self.of_head.contains(&field) {
            self.of_head.push(field);
        }
        claims.add(field, source, content);
    }

    /// Takes a field of a Twitter card, as WordPress writes it: `twitter:label1` is "Written by", `twitter:data1` is the name.
    fn take_labelled(&mut self, name: &str, content: &str, claims: &mut Claims) {
        if name.eq_ignore_ascii_case("twitter:label1") {
            self.label_is_author = after_written_by(content) == Some("");
        } else if name.eq_ignore_ascii_case("twitter:data1") && self.label_is_author {
            self.add(Author, Source::TwitterCard, content, claims);
        }
    }
}

/// The site of the licences of Creative Commons, and where they are on it.
static CREATIVE_COMMONS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("creativecommons.org/"));
const LICENCES: [&[u8]; 2] = [b"licenses/", b"publicdomain/"];

/// Whether a link leads to a licence.
fn leads_to_licence(href: &str) -> bool {
    let href = cut(href, MAX_HREF_BYTES).as_bytes();
    // A letter that few addresses have.
    if memchr::memchr(b'v', href).is_none() {
        return false;
    }
    CREATIVE_COMMONS.find_iter(href).any(|at| {
        let path = &href[at + CREATIVE_COMMONS.needle().len()..];
        LICENCES.iter().any(|licences| path.starts_with(licences))
    })
}

/// Takes what a `<link>` or `<a>` says about the page: by its relation, or because it leads to a licence.
pub(super) fn take_link(node: NodeRef<'_>, element: &Element, claims: &mut Claims) {
    let Some(href) = element.plain_attribute(&local_name!("href")) else {
        return;
    };
    let is_link = element.name.local == local_name!("link");
    let relations = element.plain_attribute(&local_name!("rel")).unwrap_or_default();
    let has = |name: &str| {
        let mut relations = relations.split_ascii_whitespace().take(MAX_RELATIONS);
        relations.any(|relation| relation.eq_ignore_ascii_case(name))
    };
    if relations.is_empty() {
        if leads_to_licence(href) {
            claims.add(Licence, Source::Text, href);
        }
        return;
    }
    if has("license") || has("licence") || has("cc:license") {
        claims.add(Licence, Source::Link, href);
    } else if leads_to_licence(href) {
        claims.add(Licence, Source::Text, href);
    }
    if has("image_src") && is_link {
        claims.add(Image, Source::Link, href);
    }
    if has("tag") && !is_link && !claims.is_full() {
        let field = if has("category") { Section } else { Tag };
        claims.add(field, Source::Link, &text_of(node, MAX_TAG_BYTES));
    }
}
