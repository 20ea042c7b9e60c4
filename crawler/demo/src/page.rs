//! One page of the site: its response, its outlinks and the expected answer.

use std::fmt;

/// An area of the site, which has one row in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Area {
    /// The seed.
    Home,
    /// Long articles in one template.
    Articles,
    /// The same bytes under other URLs.
    Mirror,
    /// The same articles in another template.
    Print,
    /// Articles as PDF and Markdown.
    Documents,
    /// Pages that are empty until a script draws them.
    Scripts,
    /// Articles with a date, a sentence or a paragraph changed.
    Archive,
    /// Products with descriptions of their own.
    Shop,
    /// One product in several colours and at several prices.
    Variants,
    /// Articles in UTF-8, some in GBK as well.
    Chinese,
    /// A few pages under many session ids.
    Sessions,
    /// A chain of redirects, and a loop.
    Moved,
    /// Pages that fail or must not be kept.
    Lost,
    /// An endless calendar.
    Calendar,
    /// Pages that robots.txt forbids.
    Private,
    /// Pages that only the sitemap names.
    Sitemap,
    /// Pages with little text or none.
    Sparse,
    /// Hostile titles.
    Titles,
    /// Shops whose listing pages are similar and lead to different goods.
    Listings,
    /// A forum by `start`.
    Forum,
    /// A diary by month.
    Diary,
    /// A catalogue with filters and sort orders.
    Facets,
    /// A search, with documents that only its results link to.
    Search,
}

impl Area {
    /// Every area, in the order of the table.
    pub const ALL: [Area; 23] = [
        Area::Home,
        Area::Articles,
        Area::Mirror,
        Area::Print,
        Area::Documents,
        Area::Scripts,
        Area::Archive,
        Area::Shop,
        Area::Variants,
        Area::Chinese,
        Area::Sessions,
        Area::Moved,
        Area::Lost,
        Area::Calendar,
        Area::Private,
        Area::Sitemap,
        Area::Sparse,
        Area::Titles,
        Area::Listings,
        Area::Forum,
        Area::Diary,
        Area::Facets,
        Area::Search,
    ];

    /// The label of the area's row.
    pub fn label(self) -> &'static str {
        match self {
            Area::Home => "home page",
            Area::Articles => "long articles in one template",
            Area::Mirror => "mirrors under other URLs",
            Area::Print => "print views",
            Area::Documents => "articles as PDF and Markdown",
            Area::Scripts => "pages that scripts draw",
            Area::Archive => "edited copies",
            Area::Shop => "products in one template",
            Area::Variants => "variants of one product",
            Area::Chinese => "Chinese, UTF-8 and GBK",
            Area::Sessions => "session ids",
            Area::Moved => "redirects",
            Area::Lost => "failures and exclusions",
            Area::Calendar => "endless calendar",
            Area::Private => "forbidden by robots.txt",
            Area::Sitemap => "only in the sitemap",
            Area::Sparse => "empty and short pages",
            Area::Titles => "hostile titles",
            Area::Listings => "paged shops",
            Area::Forum => "forum",
            Area::Diary => "diary by month",
            Area::Facets => "filters and sort orders",
            Area::Search => "site search",
        }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

/// How the main text of a page compares with the other pages of its cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// Pages with the same name have the same text and are exact duplicates. Pages with different names differ in a few words and are
    /// near-duplicates.
    Exactly(&'static str),
    /// Equal or nearly equal to the others, depending on the extractor and on the masking of dates. Exact and near are both correct.
    Roughly,
}

/// Why a page must be neither stored nor called a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// robots.txt forbids the request.
    Robots,
    /// The page has a `noindex` directive.
    NoIndex,
    /// The crawler does not read its content type.
    ContentType,
}

/// The outcome of a page in a correct crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Kept, and not in a cluster with other pages.
    Kept,
    /// In a cluster. The crawl keeps exactly one page of it, the first, and the others are its duplicates.
    OneOf {
        /// Name of the cluster.
        cluster: &'static str,
        /// Distinguishes exact from near.
        wording: Wording,
    },
    /// A redirect in a chain that ends at a page.
    Redirect,
    /// A redirect in a loop, recorded as a redirect or as a failure.
    RedirectLoop,
    /// Recorded as a failure of this kind.
    Failed(&'static str),
    /// Recorded as excluded.
    Excluded(Exclusion),
    /// Kept, dropped or held back: a page of a listing. Only the documents of the listing count.
    Listing,
    /// Beyond the depth limit: unknown or excluded, and never requested.
    BeyondDepth,
}

/// The response for a path, and the truth about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoPage {
    /// Path and query, from the leading slash.
    pub path: String,
    /// Its area.
    pub area: Area,
    /// HTTP status.
    pub status: u16,
    /// Value of the Content-Type header.
    pub content_type: &'static str,
    /// Value of the Location header, for a redirect.
    pub location: Option<String>,
    /// The body as sent.
    pub body: Vec<u8>,
    /// Heading and text without the template, as a perfect extractor returns them.
    pub main_text: String,
    /// Outlinks, in order: paths on this site.
    pub links: Vec<String>,
    /// Whether text and outlinks are there only after the page's scripts have run. Without a browser, the page is empty.
    pub needs_browser: bool,
    /// The expected answer at default settings, with a browser if the page needs one.
    pub answer: Answer,
    /// The expected answer with `numbers_must_match`, if it differs.
    pub answer_if_numbers_must_match: Option<Answer>,
    /// The reason for the answer.
    pub why: &'static str,
}

impl DemoPage {
    /// An HTML page in UTF-8 with status 200 and the outlinks of its HTML.
    pub fn html(path: impl Into<String>, area: Area, html: &str, main_text: String) -> DemoPage {
        DemoPage {
            path: path.into(),
            area,
            status: 200,
            content_type: "text/html; charset=utf-8",
            location: None,
            body: html.as_bytes().to_vec(),
            main_text,
            links: hrefs(html),
            needs_browser: false,
            answer: Answer::Kept,
            answer_if_numbers_must_match: None,
            why: "",
        }
    }

    /// A response without HTML.
    pub fn bare(path: &str, area: Area, status: u16, content_type: &'static str, body: &[u8]) -> DemoPage {
        DemoPage {
            status,
            content_type,
            body: body.to_vec(),
            ..DemoPage::html(path, area, "", String::new())
        }
    }

    /// A redirect to another path of this site.
    pub fn redirect(path: &str, area: Area, status: u16, target: &str) -> DemoPage {
        let page = DemoPage::bare(path, area, status, "text/plain", b"");
        DemoPage {
            location: Some(target.to_owned()),
            links: vec![target.to_owned()],
            ..page
        }
    }

    /// The page with its expected answer and the reason.
    pub fn expect(self, answer: Answer, why: &'static str) -> DemoPage {
        DemoPage { answer, why, ..self }
    }

    /// The page with another answer for `numbers_must_match`.
    pub fn if_numbers_must_match(self, answer: Answer) -> DemoPage {
        DemoPage {
            answer_if_numbers_must_match: Some(answer),
            ..self
        }
    }
}

/// The paths of the links in `html`, in order and without repetition. The site writes all links as `href="/…"`; of the
/// characters that HTML escapes, only `&` occurs in them.
fn hrefs(html: &str) -> Vec<String> {
    let mut links: Vec<String> = Vec::new();
    for tail in html.split("href=\"/").skip(1) {
        if let Some((rest, _)) = tail.split_once('"') {
            let path = format!("/{}", rest.replace("&amp;", "&"));
            if !links.contains(&path) {
                links.push(path);
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlinks_are_read_from_the_served_html() {
        let html = r#"<a href="/a">A</a> <a class="x" href="/b?sid=1">B</a> <a href="/a">again</a>"#;
        let page = DemoPage::html("/", Area::Home, html, String::new());
        assert_eq!(page.links, ["/a", "/b?sid=1"]);
        assert_eq!(DemoPage::redirect("/a", Area::Moved, 301, "/b").links, ["/b"]);
    }
}
