//! The heading that tells a page from the others of its site.
//!
//! Most pages have it in `<h1>`. Some sites write their own name there. It is the name of the site if it leads to the home page, or if a link
//! to the home page or a meta element names the site so. Then the rest of the title tells the page, and with it the first `<h2>` of the
//! text: the title may be the same on all pages. It is also the name of the site if it is a later part of the title (`bollard | Dictionary
//! of sailing`). Then the other parts of the title tell the page. Without `<h1>` the heading is the title, without its numbers, which
//! are often a version or a count of messages, and that `<h2>`.
//!
//! In `Dictionary of sailing | bollard`, one part is the name of the site, and sometimes nothing says which. If one of them is an `<h1>` in
//! the text, or one an `<h1>` and the other an `<h2>`, all together are the heading: those of two pages differ by the part that differs.

use crate::parse::SiteSigns;
use crate::phrase::{fold, says};

/// What stands between the parts of a title.
const SEPARATORS: [&str; 12] = [
    " - ", " – ", " — ", " | ", "｜", " · ", " • ", " :: ", " » ", " « ", "_", " / ",
];

/// What else stands behind a name of a site at the beginning of a title.
const COLON: &str = ": ";

/// Most lines of one heading. Titles with breaks have a few, and a page of one-letter lines would be joined again from each of them.
const MAX_HEADING_LINES: usize = 8;

/// What a page has of headings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Headings<'a> {
    /// The first `<h1>`.
    pub heading: Option<&'a str>,
    /// The text of `<title>`.
    pub title: &'a str,
    /// What tells the name of the site from the heading.
    pub site: &'a SiteSigns,
    /// The main text.
    pub text: &'a str,
}

/// The heading of a page; empty if it has neither `<h1>` nor title.
pub(crate) fn telling_heading(page: &Headings<'_>) -> String {
    let Some(heading) = page.heading.filter(|heading| !heading.trim().is_empty()) else {
        let title = page.title.chars().filter(|c| !c.is_numeric()).collect();
        return page.with_subheading(title);
    };
    let parts = page.parts();
    let is_heading = |part: &&str| is_same(part, heading);
    let others = || parts.iter().copied().filter(|part| !is_heading(part));
    if page.is_site(heading) {
        let own: Vec<&str> = others().filter(|part| !page.is_site(part)).collect();
        let own = page.with_subheading(own.join(" "));
        return if own.is_empty() { heading.to_owned() } else { own };
    }
    let is_first = parts.first().is_some_and(is_heading);
    if !is_first && parts.iter().any(is_heading) && !others().any(|part| page.is_site(part)) {
        let is_in_text = page.has_line(heading);
        return if is_in_text { parts } else { others().collect() }.join(" ");
    }
    match page.subheading() {
        // The title has both, so one of them is the name of the site.
        Some(subheading) if is_first && others().any(|part| is_same(part, subheading)) => {
            format!("{heading} {subheading}")
        }
        _ => heading.to_owned(),
    }
}

impl<'a> Headings<'a> {
    /// The parts of the title. A colon separates only the name of the site from the rest: "Notes: part 2" is one part.
    fn parts(&self) -> Vec<&'a str> {
        let mut parts = vec![self.title];
        for separator in SEPARATORS {
            parts = parts.into_iter().flat_map(|part| part.split(separator)).collect();
        }
        let of_site = parts.first().and_then(|first| first.split_once(COLON));
        if let Some((name, rest)) = of_site.filter(|(name, _)| self.is_site(name.trim())) {
            parts.splice(..1, [name, rest]);
        }
        let parts = parts.into_iter().map(str::trim);
        parts.filter(|part| !part.is_empty()).collect()
    }

    /// Whether a text is the name of the site.
    fn is_site(&self, text: &str) -> bool {
        let is_linked = || self.site.heading_is_home && self.heading.is_some_and(|heading| is_same(heading, text));
        is_linked() || self.site.names.iter().any(|name| is_same(name, text))
    }

    /// The first heading of the second level that the text has. The main text may begin below the heading: then it is the first of all.
    fn subheading(&self) -> Option<&'a str> {
        let own = || self.site.subheadings.iter().filter(|text| !self.is_site(text));
        let of_text = own().find(|text| self.has_line(text));
        of_text.or_else(|| own().next()).map(String::as_str)
    }

    /// A heading with that of the second level, unless it has all of it.
    fn with_subheading(&self, heading: String) -> String {
        match self.subheading().map(without_counts) {
            Some(subheading) if heading.is_empty() => subheading,
            Some(subheading) if !says(&fold(&heading), &fold(&subheading)) => format!("{heading} {subheading}"),
            _ => heading,
        }
    }

    /// Whether the heading makes up a whole line of the main text, or several: a heading with a line break has two lines.
    fn has_line(&self, heading: &str) -> bool {
        let heading = heading.trim();
        let mut lines = self.text.lines();
        std::iter::from_fn(|| Some(lines.clone()).filter(|_| lines.next().is_some()))
            .any(|lines| is_lines(heading, lines))
    }
}

/// Whether the first of these lines, or the first few together, are the heading.
fn is_lines<'l>(heading: &str, lines: impl Iterator<Item = &'l str>) -> bool {
    let mut rest = heading;
    for line in lines.take(MAX_HEADING_LINES) {
        match rest.strip_prefix(line.trim()) {
            Some("") => return true,
            Some(behind) => rest = behind.trim_start(),
            None => return false,
        }
    }
    false
}

/// Whether two texts are the same in any case.
fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// A heading without its number if it begins with one or has it in parentheses: "3 comments", "Comments (3)".
fn without_counts(heading: &str) -> String {
    let mut is_count = true;
    let kept = heading.chars().filter(|c| {
        is_count = matches!(c, '(' | '（') || is_count && (c.is_numeric() || c.is_whitespace());
        !(is_count && c.is_numeric())
    });
    kept.collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_joined_of_few_lines() {
        for (lines, expected) in [(1, true), (8, true), (9, false), (10_000, false)] {
            let mut read = 0;
            let text = vec!["a"; lines].join("\n");
            let found = is_lines(&"a".repeat(lines), text.lines().inspect(|_| read += 1));
            assert_eq!(found, expected, "{lines}");
            assert_eq!(read, lines.min(MAX_HEADING_LINES), "{lines}");
        }
    }

    #[test]
    fn the_heading_is_that_of_the_page_and_not_of_the_site() {
        let table = [
            (Some("bollard"), "bollard | Dictionary of sailing", "bollard"),
            (
                Some("Dictionary of Sailing"),
                "bollard | Dictionary of sailing",
                "bollard",
            ),
            (Some("航海词典"), "系船柱_航海词典", "系船柱"),
            (
                Some("Version 1.2"),
                "Release notes - Version 1.2 - Gaff",
                "Release notes Gaff",
            ),
            (Some("Gaff"), "Gaff - Gaff", "Gaff"),
            (None, "Inbox (17) – Harbour 2.4", "Inbox () – Harbour ."),
            (Some(" "), "bollard", "bollard"),
            (None, "", ""),
        ];
        for (heading, title, expected) in table {
            let page = Headings {
                heading,
                title,
                site: &SiteSigns::default(),
                text: "",
            };
            assert_eq!(telling_heading(&page), expected, "{heading:?} {title}");
        }
    }

    /// The heading of a page with this title and body.
    fn of(title: &str, body: &str) -> String {
        let html = format!("<html lang=en><head><title>{title}</title></head><body>{body}</body></html>");
        let options = crate::Options {
            agent: "mybot",
            embedded: false,
            max_text_bytes: 1 << 20,
            extract: None,
            favor: crate::Favor::default(),
            documents: crate::Documents::in_this_thread(),
            markdown: None,
            metadata: None,
        };
        let url = url::Url::parse("https://www.example.org/t/bollard").unwrap();
        let page = crate::read(html.as_bytes(), &http::HeaderMap::new(), &url, &options).unwrap();
        page.telling_heading()
    }

    const TEXT: &str = "<p>A short post on a quay around which ships lay their ropes. Older ones are guns that stand in the ground.</p>";

    #[test]
    fn a_site_that_writes_its_own_name_first_is_told_from_its_pages() {
        let linked = "<div id=header><h1><a href='/'>Harbour Trust</a></h1></div><div id=main><h2>Bollard</h2>";
        let plain =
            "<div id=header><h1>Harbour Trust</h1> <a href='/'>Harbour Trust</a></div><div id=main><h2>Bollard</h2>";
        let own = "<div id=header><a href='/'>Harbour Trust</a></div><div id=main><h1>Bollard</h1>";
        let logo = "<a href='https://example.org/'><h1><img src=/logo.png> Harbour Trust</h1></a><div id=main><h2>Bollard</h2>";
        for (title, body, expected) in [
            ("Harbour Trust - Bollard", linked, "Bollard"),
            ("Harbour Trust: Bollard", linked, "Bollard"),
            ("Harbour Trust » Bollard", linked, "Bollard"),
            ("Bollard - Harbour Trust", linked, "Bollard"),
            ("Harbour Trust | Glossary | Bollard", linked, "Glossary Bollard"),
            ("Harbour Trust", linked, "Bollard"),
            ("Glossary", linked, "Glossary Bollard"),
            ("Harbour Trust - Bollard", plain, "Bollard"),
            ("Harbour Trust", logo, "Bollard"),
            // The site is linked, so the heading is that of the page.
            ("Harbour Trust - Bollard", own, "Bollard"),
            ("Harbour Trust: Bollard", own, "Bollard"),
            ("Bollard", own, "Bollard"),
        ] {
            let body = format!("{body}{TEXT}</div>");
            assert_eq!(of(title, &body), expected, "{title} {body}");
        }
    }

    #[test]
    fn a_site_that_nothing_names_does_not_hide_the_name_of_a_page() {
        let header = "<header><h1>Harbour Trust</h1></header><main><h2>Bollard</h2>";
        for (title, body, expected) in [
            ("Harbour Trust | Bollard", header, "Harbour Trust Bollard"),
            ("Bollard | Harbour Trust", header, "Bollard Harbour Trust"),
            (
                "Harbour Trust | Bollard",
                "<main><h1>Bollard</h1>",
                "Harbour Trust Bollard",
            ),
            (
                "Harbour Trust | Ropes and bollards",
                "<main><h1>Ropes and<br>\nbollards</h1>",
                "Harbour Trust Ropes and bollards",
            ),
            (
                "Bollard | Harbour Trust",
                "<main><h1>Bollard</h1><h2>Use</h2>",
                "Bollard",
            ),
        ] {
            let body = format!("{body}{TEXT}</main>");
            assert_eq!(of(title, &body), expected, "{title} {body}");
        }
    }

    #[test]
    fn without_a_heading_of_the_first_level_the_second_one_tells_pages_of_one_title() {
        for (title, body, expected) in [
            (
                "Glossary",
                "<div id=nav><a href='/'>Index</a></div><h2>Bollard</h2>",
                "Glossary Bollard",
            ),
            ("Bollard", "<h2>Bollard</h2>", "Bollard"),
            ("Glossary", "<h2>3 entries (17)</h2>", "Glossary entries ()"),
            ("Law of the sea", "<h2>Article 12</h2>", "Law of the sea Article 12"),
            // It is not of the text.
            ("Glossary", "<nav><h2>Letters</h2><a href=a>A</a></nav>", "Glossary"),
            (
                "Glossary",
                "<h1><img src=logo.png></h1><h2>Bollard</h2>",
                "Glossary Bollard",
            ),
        ] {
            let body = format!("{body}{TEXT}");
            assert_eq!(of(title, &body), expected, "{title} {body}");
        }
    }
}
