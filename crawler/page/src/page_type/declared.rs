//! What a page says of its own type: types of schema.org, `og:type`, the program that made it, and the words of its URL.

use url::Url;

use super::names::{self, Topics};

/// Groups of declared types. The model knows a group by its name.
#[rustfmt::skip]
pub(super) const GROUPS: [(&str, &[&str]); 15] = [
    ("article", &["article", "Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "Report", "ScholarlyArticle", "LiveBlogPosting",
        "AnalysisNewsArticle", "OpinionNewsArticle", "Recipe", "HowTo"]),
    ("product", &["product", "product.item", "og:product", "Product", "IndividualProduct", "ProductModel", "Vehicle", "Book"]),
    ("group", &["ProductGroup", "product.group"]),
    ("offer", &["Offer", "AggregateOffer"]),
    ("rating", &["AggregateRating", "Review", "Rating"]),
    ("list", &["CollectionPage", "ItemList", "SearchResultsPage", "OfferCatalog", "Blog"]),
    ("list_item", &["ListItem"]),
    ("discussion", &["DiscussionForumPosting", "QAPage", "Comment", "Answer", "InteractionCounter"]),
    ("question", &["Question"]),
    ("faq", &["FAQPage"]),
    ("docs", &["TechArticle", "APIReference", "SoftwareSourceCode"]),
    ("site", &["website", "WebSite"]),
    ("business", &["Organization", "LocalBusiness", "Corporation", "Service", "ProfessionalService", "SoftwareApplication", "ContactPage", "AboutPage"]),
    ("person", &["Person", "ProfilePage", "profile"]),
    ("web_page", &["WebPage", "ImageObject"]),
];

/// The group of a type, with or without the address of its vocabulary.
pub(super) fn group(name: &str) -> Option<usize> {
    let name = name.rsplit('/').next().unwrap_or_default();
    GROUPS.iter().position(|(_, names)| names.contains(&name))
}

/// Families of programs that make pages, by the beginning of `<meta name=generator>`.
#[rustfmt::skip]
pub(super) const PROGRAMS: [(&str, &[&str]); 3] = [
    ("by_forum", &["discourse", "phpbb", "vbulletin", "xenforo", "mybb", "vanilla", "smf", "invision", "flarum", "nodebb", "question2answer"]),
    ("by_docs", &["sphinx", "mkdocs", "docusaurus", "gitbook", "rustdoc", "mdbook", "javadoc", "doxygen", "vuepress", "vitepress", "docutils",
        "antora", "mintlify", "starlight", "jsdoc", "hugo", "jekyll", "astro", "mediawiki"]),
    ("by_shop", &["woocommerce", "shopify", "magento", "prestashop", "opencart", "bigcommerce", "shopware"]),
];

/// The family of a generator.
pub(super) fn program(generator: &str) -> Option<usize> {
    let generator = generator
        .get(..generator.floor_char_boundary(64))
        .unwrap_or_default()
        .to_ascii_lowercase();
    PROGRAMS
        .iter()
        .position(|(_, names)| names.iter().any(|name| generator.contains(name)))
}

/// What a URL says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Address {
    pub topics: Topics,
    pub segments: usize,
    /// Hyphens and underscores of the last segment.
    pub hyphens: usize,
    pub digits: usize,
    /// The path names a year.
    pub has_year: bool,
    pub has_query: bool,
}

impl Address {
    pub(super) fn of(url: &Url) -> Self {
        let path = url.path().get(..1024).unwrap_or(url.path());
        let segments = || path.split('/').filter(|segment| !segment.is_empty());
        let last = segments().next_back().unwrap_or_default();
        let is_year = |segment: &str| segment.len() == 4 && matches!(segment.parse(), Ok(1990..=2099));
        Self {
            topics: names::topics_of(url.host_str().unwrap_or_default()) | names::topics_of(path),
            segments: segments().count(),
            hyphens: last.bytes().filter(|byte| matches!(byte, b'-' | b'_')).count(),
            digits: last.bytes().filter(u8::is_ascii_digit).count(),
            has_year: segments().any(is_year),
            has_query: url.query().is_some(),
        }
    }
}
