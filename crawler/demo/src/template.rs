//! The two HTML templates of the pages: the almanac and the print view.

/// The content of a page, without its template.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// The heading.
    pub heading: String,
    /// The content of `<title>`; if empty, the heading.
    pub title: String,
    /// BCP 47 tag of the text.
    pub lang: &'static str,
    /// A line under the heading: the date of the last revision.
    pub byline: String,
    /// The text.
    pub paragraphs: Vec<String>,
    /// Rows of a table of facts: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// Links that belong to the text: path and label.
    pub list: Vec<(String, String)>,
    /// Links that do not belong to the text, such as "next": path and label.
    pub pager: Vec<(String, String)>,
    /// Name of the encoding that a `<meta>` declares; `None` for no declaration.
    pub charset: Option<&'static str>,
    /// Whether a robots `<meta>` has `noindex`.
    pub noindex: bool,
}

impl Document {
    /// An English document, declared as UTF-8.
    pub fn new(heading: &str, paragraphs: &[&str]) -> Document {
        Document {
            heading: heading.to_owned(),
            lang: "en",
            paragraphs: paragraphs.iter().map(|text| (*text).to_owned()).collect(),
            charset: Some("utf-8"),
            ..Document::default()
        }
    }

    /// The text that a perfect extractor returns: everything except the template and the pager.
    pub fn main_text(&self) -> String {
        let mut lines = vec![self.heading.clone()];
        lines.extend((!self.byline.is_empty()).then(|| self.byline.clone()));
        lines.extend(self.paragraphs.iter().cloned());
        lines.extend(self.facts.iter().map(|(name, value)| format!("{name} {value}")));
        lines.extend(self.list.iter().map(|(_, label)| label.clone()));
        lines.join("\n")
    }

    /// The page in the almanac's template, with a header, menu, side bar and footer that all pages share.
    pub fn in_almanac(&self) -> String {
        format!(
            "{head}<style>{STYLE}</style></head>\n<body>\n{HEADER}\n<nav class=\"menu\"><ul>{menu}</ul></nav>\n\
             <div class=\"columns\">\n<main><article>\n{article}</article>\n{pager}</main>\n{ASIDE}\n</div>\n{FOOTER}\n\
             </body></html>\n",
            head = self.head(),
            menu = links(MENU.iter().map(|(path, label)| (*path, *label))),
            article = self.article(),
            pager = self.pager(),
        )
    }

    /// The page in the print template, without a menu.
    pub fn for_print(&self) -> String {
        format!(
            "{head}<style>{PRINT_STYLE}</style></head>\n<body>\n<div class=\"sheet\">\n{article}</div>\n\
             <footer>Printed from The Hollin Almanac.</footer>\n</body></html>\n",
            head = self.head(),
            article = self.article(),
        )
    }

    fn head(&self) -> String {
        let title = if self.title.is_empty() {
            &self.heading
        } else {
            &self.title
        };
        let charset = self
            .charset
            .map(|name| format!("<meta charset=\"{name}\">"))
            .unwrap_or_default();
        let robots = if self.noindex {
            "<meta name=\"robots\" content=\"noindex\">"
        } else {
            ""
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"{}\"><head>{charset}{robots}<title>{}</title>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
            self.lang,
            escape(title)
        )
    }

    fn article(&self) -> String {
        let mut html = format!("<h1>{}</h1>\n", escape(&self.heading));
        if !self.byline.is_empty() {
            html += &format!("<p class=\"byline\">{}</p>\n", escape(&self.byline));
        }
        for paragraph in &self.paragraphs {
            html += &format!("<p>{}</p>\n", escape(paragraph));
        }
        if !self.facts.is_empty() {
            let row = |(name, value): &(&str, String)| format!("<tr><th>{name}</th><td>{}</td></tr>\n", escape(value));
            html += &format!("<table>\n{}</table>\n", self.facts.iter().map(row).collect::<String>());
        }
        if !self.list.is_empty() {
            html += &format!(
                "<ul>{}</ul>\n",
                links(self.list.iter().map(|(path, label)| (path.as_str(), label.as_str())))
            );
        }
        html
    }

    fn pager(&self) -> String {
        if self.pager.is_empty() {
            return String::new();
        }
        let items = links(self.pager.iter().map(|(path, label)| (path.as_str(), label.as_str())));
        format!("<nav class=\"pager\"><ul>{items}</ul></nav>\n")
    }
}

/// `text` with the special characters of HTML text and attributes escaped.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

fn links<'a>(items: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    items
        .map(|(path, label)| format!("<li><a href=\"{path}\">{}</a></li>\n", escape(label)))
        .collect()
}

/// The index pages that every page of the almanac links to: those of all areas except the calendar. Only the home page links to the
/// calendar, so that one path leads to each sheet and its depth does not depend on the order of the crawl.
pub const MENU: [(&str, &str); 14] = [
    ("/", "Home"),
    ("/articles/", "Articles"),
    ("/mirror/", "Mirror"),
    ("/print/", "Print"),
    ("/archive/", "Archive"),
    ("/shop/", "Shop"),
    ("/marlow/", "Marlow"),
    ("/zh/", "Chinese"),
    ("/board/", "Notices"),
    ("/moved/", "Moved"),
    ("/lost/", "Lost"),
    ("/rules/", "Rules"),
    ("/sparse/", "Slips"),
    ("/titles/", "Titles"),
];

const HEADER: &str = "<header><p class=\"brand\">The Hollin Almanac</p>\
    <p>Things worth knowing, things worth having, and some that are neither.</p></header>";

const ASIDE: &str = "<aside><h2>About</h2>\n\
    <p>The almanac is put together by four people and a cat in a former chandlery by the river. It appears when it is \
    ready.</p>\n<h2>Opening hours</h2>\n<p>The reading room is open on weekdays from nine to six and on Saturdays until \
    noon. Closed when the river is in the hall.</p>\n<h2>Letters</h2>\n<p>Corrections are welcome and are answered in \
    the order in which the cat delivers them.</p></aside>";

const FOOTER: &str = "<footer><p>The Hollin Almanac, Chandlery Wharf. Texts may be copied by anybody for any purpose. \
    By reading on you accept that the river has right of way.</p></footer>";

const STYLE: &str = "body{margin:0;font:17px/1.55 Georgia,serif;color:#222;background:#faf8f3}\
    header{background:#24423b;color:#f4efe2;padding:1.2rem 2rem}header p{margin:0}.brand{font-size:1.7rem}\
    ul{padding-left:1.2rem}.menu ul,.pager ul{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;margin:0;padding:.6rem 2rem}\
    .menu{background:#e7e0cd}.pager ul{padding:.6rem 0}a{color:#1f5f8b}\
    .columns{display:flex;flex-wrap:wrap;gap:2.5rem;max-width:68rem;margin:1.5rem auto;padding:0 2rem}\
    main{flex:3 1 28rem;min-width:0}aside{flex:1 1 14rem;font-size:.88rem;color:#555}h1{line-height:1.2;overflow-wrap:anywhere}\
    .byline{color:#777;font-style:italic}table{border-collapse:collapse}th,td{border-bottom:1px solid #d8d0bb;padding:.3rem 1rem .3rem 0;text-align:left}\
    footer{border-top:1px solid #d8d0bb;padding:1rem 2rem;font-size:.85rem;color:#777}";

const PRINT_STYLE: &str = "body{font:12pt/1.4 serif;color:#000;background:#fff;max-width:38rem;margin:2rem auto}\
    footer{margin-top:2rem;font-size:9pt}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_everywhere() {
        let mut document = Document::new("<h> & \"q\"", &["a < b"]);
        document.title = "<script>".to_owned();
        document.facts.push(("Fact", "<td>".to_owned()));
        document.list.push(("/x".to_owned(), "<li>".to_owned()));
        let html = document.in_almanac();
        for raw in ["<h>", "a < b", "<script>", "<td><", "\"/x\"><li>"] {
            assert!(!html.contains(raw), "{raw} stands unescaped");
        }
        assert!(
            html.contains("<title>&lt;script&gt;</title>") && html.contains("<h1>&lt;h&gt; &amp; &quot;q&quot;</h1>")
        );
    }

    #[test]
    fn a_declared_encoding_and_noindex_are_in_the_head() {
        let document = Document {
            charset: Some("gbk"),
            noindex: true,
            ..Document::new("A", &[])
        };
        let html = document.for_print();
        assert!(html.contains("<meta charset=\"gbk\">") && html.contains("content=\"noindex\""));
        assert!(
            !Document {
                charset: None,
                ..document
            }
            .for_print()
            .contains("charset")
        );
    }

    #[test]
    fn main_text_leaves_out_the_template() {
        let mut document = Document::new("Title", &["Text."]);
        document.pager.push(("/next".to_owned(), "Next".to_owned()));
        assert_eq!(document.main_text(), "Title\nText.");
        assert!(document.in_almanac().contains("href=\"/next\""));
    }
}
