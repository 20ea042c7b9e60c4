//! Whether the tree of a page says what [`scraper`] finds in the page with selectors.
//!
//! The tree is that of the same tree builder, so both must agree: for the tests, and for `examples/agreement.rs`, which also measures
//! both.

use std::sync::LazyLock;

use html5ever::ns;
use scraper::{ElementRef, Html, Selector};

use super::{Attributes, Element, Node, NodeRef, Truncation, attribute, live_elements, parse};

/// What a reader takes from a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// All text nodes in the order of the document.
    pub texts: Vec<String>,
    /// The first title that is not empty, white space collapsed.
    pub title: String,
    /// The values of `a[*|href]` and `area[*|href]` in the order of the source: links in SVG have `xlink:href`.
    pub links: Vec<String>,
}

impl View {
    /// The parts in which two views differ, by name.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("texts", self.texts == other.texts),
            ("title", self.title == other.title),
            ("links", self.links == other.links),
        ];
        parts
            .iter()
            .filter(|(_, agree)| !agree)
            .map(|(name, _)| *name)
            .collect()
    }
}

/// The page by the tree of this crate, with the attributes that it keeps when a page is crawled.
#[must_use]
pub fn by_tree(html: &str) -> (View, Option<Truncation>) {
    let document = parse(html, Attributes::Read);
    let mut view = View::default();
    let texts = document.html.root().descendants();
    view.texts = texts
        .filter_map(|node| node.value().as_text())
        .map(str::to_owned)
        .collect();
    let live = live_elements(&document.html).filter(|(node, _)| node.parent().is_some());
    for (node, element) in live {
        match &*element.name.local {
            "title" if element.name.ns == ns!(html) && view.title.is_empty() => view.title = text_below(node),
            "a" | "area" => view.links.extend(href(element)),
            _ => {}
        }
    }
    (view, document.truncated)
}

fn href(element: &Element) -> Option<String> {
    attribute(element, &html5ever::local_name!("href")).map(str::to_owned)
}

fn text_below(node: NodeRef<'_>) -> String {
    let texts = node.descendants().filter_map(|node| match node.value() {
        Node::Text(text) => Some(&**text),
        _ => None,
    });
    collapsed(&texts.collect::<String>())
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn selector(css: &str) -> Option<Selector> {
    Selector::parse(css).ok()
}

/// The page by scraper's tree and its selectors.
#[must_use]
pub fn by_selectors(html: &str) -> View {
    static TITLE: LazyLock<Option<Selector>> = LazyLock::new(|| selector("title"));
    static LINK: LazyLock<Option<Selector>> = LazyLock::new(|| selector("a[*|href], area[*|href]"));
    let html = Html::parse_document(html);
    let texts = html.tree.root().descendants();
    let select = |css: &'static Option<Selector>| css.iter().flat_map(|css| html.select(css)).filter(|e| is_live(*e));
    let titles = select(&TITLE).filter(|element| element.value().name.ns == ns!(html));
    let mut titles = titles.map(|element| collapsed(&element.text().collect::<String>()));
    View {
        texts: texts
            .filter_map(|node| Some(node.value().as_text()?.to_string()))
            .collect(),
        title: titles.find(|title| !title.is_empty()).unwrap_or_default(),
        links: select(&LINK).filter_map(target).collect(),
    }
}

fn target(element: ElementRef<'_>) -> Option<String> {
    let mut attributes = element.value().attrs.iter();
    let (_, target) = attributes.find(|(name, _)| name.local == html5ever::local_name!("href"))?;
    Some(target.to_string())
}

/// Whether no template holds the element, but those that declare a shadow root.
fn is_live(element: ElementRef<'_>) -> bool {
    let mut above = element.ancestors().skip_while(|node| !node.value().is_fragment());
    above.all(|node| {
        let template = node.parent().and_then(ElementRef::wrap);
        !node.value().is_fragment() || template.is_some_and(|template| template.attr("shadowrootmode").is_some())
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn assert_agreement(html: &str, name: &str) {
        let (tree, truncated) = by_tree(html);
        assert_eq!(truncated, None, "{name}");
        let selectors = by_selectors(html);
        assert_eq!(tree, selectors, "{name}: {:?}", tree.differences(&selectors));
    }

    /// Pages as they come: (name, page).
    const PAGES: &[(&str, &str)] = &[
        ("empty", ""),
        ("no markup", "only words & more < less"),
        (
            "links in a table that foster parents move",
            "<table><a href=1>x</a><tr><td><a href=2>y</a></table><a href=3>",
        ),
        (
            "links within links",
            "<a href=1>x<a href=2>y<b><a href='/3?a=1&amp;b=2'>z</a></b>",
        ),
        (
            "areas and links without a target",
            "<map><area href=a><area></map><a name=x>x</a><a href>y</a><a href=''>z</a>",
        ),
        (
            "titles of pictures",
            "<svg><title>picture</title><a href=in-svg>x</a></svg><title>page</title>",
        ),
        (
            "two titles, one empty",
            "<title> \n </title><title>second\r\n title</title>",
        ),
        (
            "templates and shadow roots",
            "<template><title>t</title><a href=1>x</a></template><div><template shadowrootmode=open><a href=2>y</a></template></div>",
        ),
        (
            "noscript, script and style",
            "<noscript><a href=1>x</a></noscript><script>'<a href=2>'</script><style>a[href]{}</style><a href=3>y",
        ),
        (
            "frames",
            "<frameset><frame src=1><noframes><a href=2>x</a></noframes></frameset>",
        ),
        (
            "character references",
            "<title>a &amp; b&nbsp;c &lt;d&gt;</title><a href='&#x2F;x&copy;y'>&eacute;&#0;&#128;</a>",
        ),
        (
            "textarea and plaintext",
            "<textarea>\n<a href=1></textarea><pre>\n\nx</pre><plaintext><a href=2>",
        ),
        (
            "misnested",
            "<p>1<b>2<i>3</b>4</i>5<p>6<div><span>7</div>8</span><li>9<li>10",
        ),
        (
            "comments and declarations",
            "<!-- <a href=1> --><!doctype html><?php echo '<a href=2>' ?><![CDATA[ x ]]><a href=3>y",
        ),
        (
            "capitals, duplicates and odd quotes",
            "<A HREF=\"1\" href='2'>x</A><a title=\"a>b\" href=`3`>y</a><a\thref\n=\n4>z</a>",
        ),
        (
            "a select with markup",
            "<select><option>a<option><a href=1>b</a></select><a href=2>c",
        ),
    ];

    #[test]
    fn pages_as_they_come_read_as_scraper_reads_them() {
        for (name, page) in PAGES {
            assert_agreement(page, name);
            assert_agreement(
                &format!("<!doctype html>\r\n<html><body>{page}</body></html>\r\n"),
                name,
            );
        }
        let all: String = PAGES.iter().take(11).map(|(_, page)| *page).collect();
        assert_agreement(&all.repeat(50), "many at once");
    }

    fn pages_below(folder: &Path, found: &mut usize) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("node_modules") {
                pages_below(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                *found += 1;
                assert_agreement(&std::fs::read_to_string(&path).unwrap(), &path.display().to_string());
            }
        }
    }

    #[test]
    fn the_pages_of_the_repository_read_as_scraper_reads_them() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut found = 0;
        for folder in ["tests", "crawler/views/templates"] {
            pages_below(&repository.join(folder), &mut found);
        }
        assert!(found >= 10, "{found} pages");
    }

    proptest! {
        // Without declarative shadow roots, which scraper does not know.
        #[test]
        fn any_page_reads_as_scraper_reads_it(html in "(</?(a|area|b|p|table|td|svg|title|template|select|noscript|script)( href=['\"]?[a-z&;/]{0,4}['\"]?)?>|[a-z &;<]{0,6}|\r\n){0,60}") {
            let selectors = by_selectors(&html);
            prop_assert_eq!(by_tree(&html).0, selectors);
        }
    }
}
