//! What a page claims about itself, before it is decided what to believe.

use super::text::cleaned;

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Title,
    Author,
    Published,
    Modified,
    Description,
    SiteName,
    Language,
    Tag,
    /// Tags in one text, with separators.
    Tags,
    Section,
    Licence,
    Image,
    Type,
}

/// Where a page says something about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// A block of JSON-LD (W3C JSON-LD 1.1) in the vocabulary of schema.org.
    JsonLd,
    /// Microdata (WHATWG HTML, section 5): `itemprop`.
    Microdata,
    /// RDFa (W3C RDFa Core 1.1): `property` or `rel` in the body of the page.
    Rdfa,
    /// The Open Graph protocol: `og:…` and `article:…`.
    OpenGraph,
    /// A card for Twitter: `twitter:…`.
    TwitterCard,
    /// Dublin Core: `dc.…` and `dcterms.…`.
    DublinCore,
    /// The tags of Highwire Press that scholarly indexes read: `citation_…`.
    Highwire,
    /// Tags for the analytics of Parse.ly: `parsely-…`.
    Parsely,
    /// Tags for the mails of Sailthru: `sailthru.…`.
    Sailthru,
    /// Another `<meta>` element, such as `author`.
    Meta,
    /// The `<title>` element.
    TitleElement,
    /// A heading of the page.
    Heading,
    /// The relation of a link: `rel=author`, `rel=license`, `rel=tag`.
    Link,
    /// A `<time>` element.
    Time,
    /// An element whose class says what it is, such as `byline`; also the classes of hCard and h-entry.
    Class,
    /// Text that is shown, or a link in it.
    Text,
    /// The URL of the page.
    Url,
    /// The root element: `lang`.
    Root,
}

impl Source {
    /// The source in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::JsonLd => "JSON-LD",
            Self::Microdata => "microdata",
            Self::Rdfa => "RDFa",
            Self::OpenGraph => "Open Graph",
            Self::TwitterCard => "Twitter card",
            Self::DublinCore => "Dublin Core",
            Self::Highwire => "Highwire tag",
            Self::Parsely => "Parse.ly tag",
            Self::Sailthru => "Sailthru tag",
            Self::Meta => "meta element",
            Self::TitleElement => "title element",
            Self::Heading => "heading",
            Self::Link => "link",
            Self::Time => "time element",
            Self::Class => "class",
            Self::Text => "text",
            Self::Url => "URL",
            Self::Root => "root element",
        }
    }
}

/// Most claims of a page. Later ones are ignored.
const MAX_CLAIMS: usize = 1024;

/// The claims of a page, in the order of the page.
#[derive(Debug, Default)]
pub(super) struct Claims(Vec<(Field, Source, String)>);

impl Claims {
    /// Whether further claims are ignored.
    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MAX_CLAIMS
    }

    /// Adds a claim, unless its text is empty.
    pub(super) fn add(&mut self, field: Field, source: Source, text: &str) {
        if self.is_full() {
            return;
        }
        let text = cleaned(text);
        if !text.is_empty() {
            self.0.push((field, source, text));
        }
    }

    /// Adds those claims about fields that are not among these.
    pub(super) fn add_missing(&mut self, others: Self, said: &[Field]) {
        let room = MAX_CLAIMS.saturating_sub(self.0.len());
        let missing = others.0.into_iter().filter(|(field, ..)| !said.contains(field));
        self.0.extend(missing.take(room));
    }

    /// The claims about a field from one source.
    pub(super) fn of(&self, field: Field, source: Source) -> impl Iterator<Item = &str> {
        let same = self.0.iter().filter(move |claim| claim.0 == field && claim.1 == source);
        same.map(|claim| claim.2.as_str())
    }

    /// The claims about a field from all sources, those of the first source first.
    pub(super) fn in_order<'a>(
        &'a self,
        field: Field,
        order: &'a [Source],
    ) -> impl Iterator<Item = (Source, &'a str)> + 'a {
        order
            .iter()
            .flat_map(move |source| self.of(field, *source).map(move |text| (*source, text)))
    }
}
