use super::*;
use crate::extract::content_layout;
use crate::parse::{Attributes, parse};

/// What is removed of a page of which all is content, one run a line.
fn removed(html: &str) -> String {
    let document = parse(html, Attributes::Read);
    let layout = content_layout(&document, &[]).laid.layout;
    let mut runs: Vec<usize> = (0..layout.runs.len()).collect();
    remove(&layout, &mut runs);
    let gone = (0..layout.runs.len()).filter(|run| runs.binary_search(run).is_err());
    let texts: Vec<&str> = gone.map(|run| layout.text_of(&layout.runs[run])).collect();
    texts.join("\n")
}

const PARAGRAPH: &str = "<p>The harbour was closed for two days after the storm had torn a crane from its rails, and the ships that came \
    in from the north waited in the bay, where the pilots brought them water and the post of the week.</p>";

fn article() -> String {
    PARAGRAPH.repeat(8)
}

/// Cards as a pattern says it, with `@` for a headline and `$` for a short text.
fn cards(pattern: &str) -> String {
    let one = |(number, headline): (usize, &str)| {
        let link = format!("<a href=/news/{number}>{headline}</a>");
        let text = "The pilots say that nobody has asked them about it so far.";
        pattern.replace('@', &link).replace('$', text)
    };
    let headlines = [
        "Council votes for a second pier",
        "Ferry line ends after sixty years",
        "A seal moves into the marina",
    ];
    headlines.into_iter().enumerate().map(one).collect()
}

#[test]
fn teasers_beside_an_article_are_removed() {
    let card = "<div class=card><h4>@</h4><p>$</p></div>";
    for (name, page) in [
        (
            "cards",
            format!("{}<h3>Related articles</h3>{}", article(), cards(card)),
        ),
        (
            "in a box",
            format!("{}<section><h3>More stories</h3>{}</section>", article(), cards(card)),
        ),
        (
            "in turn",
            format!("{}<h3>Mehr zum Thema</h3>{}", article(), cards("<h4>@</h4><p>$</p>")),
        ),
        (
            "lines",
            format!("{}<div><b>Sponsored</b>{}</div>", article(), cards("<p>@ $</p>")),
        ),
        (
            "links",
            format!("{}<h2>相关新闻</h2><ul>{}</ul>", article(), cards("<li>@</li>")),
        ),
        (
            "named",
            format!("<div>{}</div><div class=teasers>{}</div>", article(), cards(card)),
        ),
        (
            "before",
            format!(
                "<div><h3>Most read</h3><ol>{}</ol></div><div>{}</div>",
                cards("<li>@</li>"),
                article()
            ),
        ),
    ] {
        let gone = removed(&page);
        for text in ["Council votes", "Ferry line ends", "A seal moves", "The pilots say"] {
            assert_eq!(gone.matches(text).count(), page.matches(text).count(), "{name}: {gone}");
        }
        assert!(!gone.contains("The harbour was closed"), "{name}: {gone}");
    }
}

#[test]
fn one_teaser_within_an_article_is_removed_with_its_label() {
    let link = "<a href=/news/1>Council votes for a second pier</a>";
    for (name, teaser, expected) in [
        (
            "a line",
            format!("<p><b>Read more: {link}</b></p>"),
            "Read more: Council votes for a second pier",
        ),
        (
            "a label within the link",
            "<p><b><a href=/n>READ MORE: Council votes for a second pier</a></b></p>".to_owned(),
            "READ MORE: Council votes for a second pier",
        ),
        (
            "a French label within the link",
            "<p><a href=/n>Lire aussi : Council votes for a second pier</a></p>".to_owned(),
            "Lire aussi : Council votes for a second pier",
        ),
        (
            "a link to a page about more",
            "<p><a href=/n>Read more about the second pier</a></p>".to_owned(),
            "",
        ),
        (
            "a box",
            format!("<div><h6>Don't miss</h6><p>{link}</p><p>Nine to four.</p></div>"),
            "Don't miss\nCouncil votes for a second pier\nNine to four.",
        ),
        (
            "a link to the source",
            format!("<p>The decision is {link}, nine to four.</p>"),
            "",
        ),
        ("a paragraph of one link", format!("<p>{link}</p>"), ""),
    ] {
        assert_eq!(
            removed(&format!("{0}{teaser}{0}", PARAGRAPH.repeat(4))),
            expected,
            "{name}"
        );
    }
}

#[test]
fn what_only_looks_like_teasers_stays() {
    let card = "<div class=card><h4>@</h4><p>$</p></div>";
    let to_parts = |html: String| html.replace("/news/", "#part-");
    for (name, page) in [
        (
            "a listing",
            format!("{PARAGRAPH}<h2>Latest news</h2>{}", cards(card).repeat(6)),
        ),
        ("an index", format!("<h2>More stories</h2>{}", cards(card).repeat(6))),
        (
            "see also",
            format!("{}<h2>See also</h2><ul>{}</ul>", article(), cards("<li>@: $</li>")),
        ),
        (
            "references",
            format!("{}<h2>References</h2><ol>{}</ol>", article(), cards("<li>@ $</li>")),
        ),
        ("next steps", format!("{}<h2>Next steps</h2>{}", article(), cards(card))),
        (
            "headings that link to themselves",
            to_parts(format!("{}<h2>Popular</h2>{}", article(), cards("<h3>@</h3><p>$</p>"))),
        ),
        (
            "a list of contents",
            to_parts(format!("<h2>More</h2><ul>{}</ul>{}", cards("<li>@</li>"), article())),
        ),
        (
            "long sections under links",
            format!(
                "{0}<h2>Related</h2>{1}",
                article(),
                cards(&format!("<h3>@</h3>{}", PARAGRAPH.repeat(3)))
            ),
        ),
        (
            "answers",
            format!(
                "<div>{0}</div><div class=related-answers>{1}{1}{1}</div>",
                article(),
                "<div><a href=/user/ida>Ida Holm</a><p>I had the same, and a new rope mended it for good.</p></div>"
            ),
        ),
    ] {
        assert_eq!(removed(&page), "", "{name}");
    }
}

#[test]
fn deep_and_wide_pages_are_read_in_one_pass() {
    for page in [
        "<div>".repeat(20_000),
        "<p><a href=/a>Council votes for a second pier</a></p>".repeat(20_000),
    ] {
        assert_eq!(removed(&page), "");
    }
}
