//! One page of the site: what is served, what it links to, and the answer expected of it.

use std::fmt;

/// A department of the site; the report beside the truth has a row for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Area {
    /// The seed.
    Home,
    /// Long articles that share a frame.
    Articles,
    /// The same bytes under other URLs.
    Mirror,
    /// The same articles in another template.
    Print,
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
    /// What cannot be had, or must not be kept.
    Lost,
    /// Months without end.
    Calendar,
    /// What robots.txt forbids.
    Private,
    /// What only the sitemap names.
    Sitemap,
    /// Pages with little text or none.
    Sparse,
    /// Titles that try to break what prints them.
    Titles,
}

impl Area {
    /// Every area, in the order of the report.
    pub const ALL: [Area; 16] = [
        Area::Home,
        Area::Articles,
        Area::Mirror,
        Area::Print,
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
    ];

    /// What the area holds, in a few words.
    pub fn label(self) -> &'static str {
        match self {
            Area::Home => "home page",
            Area::Articles => "long articles in one template",
            Area::Mirror => "mirrors under other URLs",
            Area::Print => "print views",
            Area::Archive => "edited copies",
            Area::Shop => "products in one template",
            Area::Variants => "variants of one product",
            Area::Chinese => "Chinese, UTF-8 and GBK",
            Area::Sessions => "session ids",
            Area::Moved => "redirects",
            Area::Lost => "failures and exclusions",
            Area::Calendar => "calendar without end",
            Area::Private => "forbidden by robots.txt",
            Area::Sitemap => "known by the sitemap only",
            Area::Sparse => "empty and short pages",
            Area::Titles => "hostile titles",
        }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

/// How the main text of a cluster's member relates to those of the other members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// Members that bear the same name have the same text: they are exact duplicates of one another. Members of
    /// different names differ in a few words: near-duplicates.
    Exactly(&'static str),
    /// Equal to the others or nearly so, depending on what the extractor takes for main text and on whether dates are
    /// masked: exact and near are both right.
    Roughly,
}

/// Why a URL is known, yet its page must be neither stored nor called a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// robots.txt forbids it: it must not even be requested.
    Robots,
    /// The page asks not to be kept.
    NoIndex,
    /// Not a document that the crawler reads.
    ContentType,
}

/// What a correct crawl does with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Stored; the duplicate of no other page.
    Kept,
    /// One of a cluster of which exactly one page is kept, whichever came first, and the others are its duplicates.
    OneOf {
        /// Name of the cluster.
        cluster: &'static str,
        /// Decides between exact and near.
        wording: Wording,
    },
    /// One hop of a chain of redirects that ends at a page.
    Redirect,
    /// One hop of a chain without end: recorded as a redirect or as a failure.
    RedirectLoop,
    /// Recorded as a failure of this kind.
    Failed(&'static str),
    /// Recorded as excluded.
    Excluded(Exclusion),
    /// Farther from the seed than the crawl may go: unknown or excluded, and never requested.
    BeyondDepth,
}

/// A page: the response to a path, and the truth about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Path and query, from the leading slash.
    pub path: String,
    /// The department it belongs to.
    pub area: Area,
    /// HTTP status.
    pub status: u16,
    /// Value of the Content-Type header.
    pub content_type: &'static str,
    /// Value of the Location header, of a redirect.
    pub location: Option<String>,
    /// The body as it goes over the wire.
    pub body: Vec<u8>,
    /// Heading and text without the frame around them: what a perfect extractor would find.
    pub main_text: String,
    /// Outlinks, in order: paths on this site.
    pub links: Vec<String>,
    /// What a correct crawl does with it, at default settings.
    pub answer: Answer,
    /// The answer where the configuration says that numbers must match, if it is another.
    pub answer_if_numbers_must_match: Option<Answer>,
    /// The reason for the answer, for the report.
    pub why: &'static str,
}

impl Page {
    /// An HTML page in UTF-8, status 200, whose outlinks are those of its HTML.
    pub fn html(path: impl Into<String>, area: Area, html: &str, main_text: String) -> Page {
        Page {
            path: path.into(),
            area,
            status: 200,
            content_type: "text/html; charset=utf-8",
            location: None,
            body: html.as_bytes().to_vec(),
            main_text,
            links: hrefs(html),
            answer: Answer::Kept,
            answer_if_numbers_must_match: None,
            why: "",
        }
    }

    /// A response without HTML.
    pub fn bare(path: &str, area: Area, status: u16, content_type: &'static str, body: &[u8]) -> Page {
        Page {
            status,
            content_type,
            body: body.to_vec(),
            ..Page::html(path, area, "", String::new())
        }
    }

    /// A redirect to another path of this site.
    pub fn redirect(path: &str, area: Area, status: u16, target: &str) -> Page {
        let page = Page::bare(path, area, status, "text/plain", b"");
        Page {
            location: Some(target.to_owned()),
            links: vec![target.to_owned()],
            ..page
        }
    }

    /// The same page with the answer expected of it, and the reason.
    pub fn expect(self, answer: Answer, why: &'static str) -> Page {
        Page { answer, why, ..self }
    }

    /// The same page with another answer for crawls in which numbers must match.
    pub fn if_numbers_must_match(self, answer: Answer) -> Page {
        Page {
            answer_if_numbers_must_match: Some(answer),
            ..self
        }
    }
}

/// The paths that the anchors of `html` name, in order, each once. The site writes all its links as `href="/…"`, without
/// characters that HTML would escape, so the served bytes are the only place where a link stands.
fn hrefs(html: &str) -> Vec<String> {
    let mut links: Vec<String> = Vec::new();
    for tail in html.split("href=\"/").skip(1) {
        if let Some((rest, _)) = tail.split_once('"') {
            let path = format!("/{rest}");
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
        let page = Page::html("/", Area::Home, html, String::new());
        assert_eq!(page.links, ["/a", "/b?sid=1"]);
        assert_eq!(Page::redirect("/a", Area::Moved, 301, "/b").links, ["/b"]);
    }
}
