//! The kinds of a page that it declares itself: an article, a product, a list, a discussion.
//!
//! The same part may be content on one kind of page and not on another: answers are content of a discussion, and comments are not content
//! of an article.

use html5ever::local_name;

use crate::parse::{Element, Node, NodeRef, Tree, attribute};

/// Longest script of structured data that is searched, in bytes.
const MAX_SCRIPT_BYTES: usize = 256 * 1024;

/// What a page declares of its kind: `og:type` (the Open Graph protocol), and the types of schema.org in JSON-LD and microdata.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    pub article: u32,
    pub product: u32,
    pub list: u32,
    pub discussion: u32,
    pub site: u32,
}

impl Kinds {
    /// Reads what a page declares.
    pub(super) fn of(html: &Tree) -> Self {
        let mut kinds = Self::default();
        for node in html.nodes() {
            if let Node::Element(element) = node.value() {
                for_each_type(node, element, |name| kinds.add_type(name));
            }
        }
        kinds
    }

    /// Counts a type, with or without the address of its vocabulary.
    fn add_type(&mut self, name: &str) {
        let name = name.rsplit('/').next().unwrap_or_default();
        let count = match name {
            "article"
            | "Article"
            | "NewsArticle"
            | "BlogPosting"
            | "TechArticle"
            | "ReportageNewsArticle"
            | "Report"
            | "ScholarlyArticle"
            | "LiveBlogPosting"
            | "Recipe"
            | "HowTo" => &mut self.article,
            "product" | "product.item" | "og:product" | "Product" | "ProductGroup" | "IndividualProduct"
            | "ProductModel" | "Vehicle" | "Book" => &mut self.product,
            "CollectionPage" | "ItemList" | "SearchResultsPage" | "OfferCatalog" | "product.group" | "Blog"
            | "ListItem" => &mut self.list,
            "DiscussionForumPosting" | "QAPage" | "Question" | "Answer" | "Comment" => &mut self.discussion,
            "website" | "WebSite" | "Organization" | "LocalBusiness" | "Corporation" | "Service" => &mut self.site,
            _ => return,
        };
        *count += 1;
    }
}

/// Calls `add` with each type that an element declares, with or without the address of its vocabulary.
pub(crate) fn for_each_type<'t>(node: NodeRef<'t>, element: &'t Element, mut add: impl FnMut(&'t str)) {
    match element.name.local {
        local_name!("meta") => {
            let property = attribute(element, &local_name!("property")).unwrap_or_default();
            if property.eq_ignore_ascii_case("og:type") {
                add(attribute(element, &local_name!("content")).unwrap_or_default());
            }
        }
        local_name!("script") if is_json_ld(element) => {
            let text = node.first_child().and_then(|child| child.value().as_text());
            types_in_json_ld(text.map_or("", |text| text)).for_each(&mut add);
        }
        _ => {}
    }
    let types = attribute(element, &local_name!("itemtype")).unwrap_or_default();
    types.split_ascii_whitespace().for_each(add);
}

/// The values of `"@type"`, wherever they stand. Most scripts that are no valid JSON still show them.
fn types_in_json_ld(script: &str) -> impl Iterator<Item = &str> {
    let mut rest = &script[..script.floor_char_boundary(MAX_SCRIPT_BYTES)];
    std::iter::from_fn(move || {
        while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"\"@type\"") {
            rest = rest[at + 7..].trim_start();
            let value = rest.strip_prefix(':').unwrap_or(rest).trim_start();
            let value = value.strip_prefix('[').unwrap_or(value).trim_start();
            if let Some(name) = value.strip_prefix('"') {
                return Some(name.split('"').next().unwrap_or_default());
            }
        }
        None
    })
}

fn is_json_ld(element: &Element) -> bool {
    attribute(element, &local_name!("type")).is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
}
