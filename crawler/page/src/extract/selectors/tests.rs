use proptest::prelude::*;
use scraper::Selector as Oracle;

use super::*;
use crate::extract::main_text;
use crate::parse::{Attributes, parse as parse_page};

fn rule(content: &[&str], drop: &[&str]) -> ExtractRule {
    let mut rule = ExtractRule::new();
    content.iter().for_each(|selector| rule.content(selector).unwrap());
    drop.iter().for_each(|selector| rule.drop(selector).unwrap());
    rule
}

fn text(html: &str, content: &[&str], drop: &[&str]) -> (String, RuleEffect) {
    let (text, effect) = main_text(&parse_page(html, Attributes::All), "", Some(&rule(content, drop)));
    (text, effect.unwrap())
}

const PAGE: &str = "<body><nav><a href=/>Home</a></nav><main class=page><div class=post><h1>One</h1><p>First text.</p>\
    <p class='share hint'>Share it</p><nav class=toc><a href=#a>In it</a></nav></div><aside><p>Beside it</p></aside></main>\
    <div id=comments hidden><p>A comment.<p>Another.<table><tr><td>a<td>b</table></div><footer>Footer</footer></body>";

#[test]
fn the_text_of_the_content_is_all_that_it_shows_in_document_order() {
    use RuleEffect::{Content, Drop, Nothing};
    let without_rule = &*main_text(&parse_page(PAGE, Attributes::All), "", None).0;
    for (content, drop, expected, effect) in [
        (
            &["main .post"][..],
            &[][..],
            "One\nFirst text.\nShare it\nIn it",
            Content,
        ),
        (&["main .post"], &[".share", "nav"], "One\nFirst text.", Content),
        // The order is that of the document. The chosen element is shown even if it is hidden.
        (&["#comments, h1"], &["table"], "One\nA comment.\nAnother.", Content),
        (
            &["#comments", "main p:first-child"],
            &[],
            "Beside it\nA comment.\nAnother.\na b",
            Content,
        ),
        (&["td"], &[], "a\nb", Content),
        // Nested matches count once.
        (
            &["div", ".post", "p"],
            &["nav, .share, #comments"],
            "One\nFirst text.\nBeside it",
            Content,
        ),
        // An inline element, a footer and a table's row.
        (&["footer", "tr", "nav > a"], &[], "Home\nIn it\na b\nFooter", Content),
        // What is within a dropped element is gone.
        (&["h1"], &[".post"], without_rule, Nothing),
        (&[".missing"], &[".share"], without_rule, Nothing),
        (&[], &[".share", "aside"], "One\nFirst text.", Drop),
        (&[], &[".post", "aside"], "", Drop),
        (&[], &["article"], without_rule, Nothing),
        (&["main > p"], &[], without_rule, Nothing),
        (&["br"], &[], without_rule, Nothing),
        (&["a:empty, main > .toc"], &[], without_rule, Nothing),
    ] {
        assert_eq!(
            text(PAGE, content, drop),
            (expected.to_owned(), effect),
            "{content:?} {drop:?}"
        );
    }
    assert_eq!(main_text(&parse_page(PAGE, Attributes::All), "", None).1, None);
}

#[test]
fn content_in_a_noscript_counts_if_the_page_has_none() {
    let page =
        |body: &str| format!("<body>{body}<noscript><div class=post>For readers without scripts.</div></noscript>");
    let found = |body: &str| text(&page(body), &[".post"], &[]);
    assert_eq!(
        found("<p>Loading"),
        ("For readers without scripts.".into(), RuleEffect::Content)
    );
    assert_eq!(found("<p class=post>Short"), ("Short".into(), RuleEffect::Content));
    let (dropped, effect) = text(&page("<p>Loading"), &[], &[".post"]);
    assert_eq!((dropped.as_str(), effect), ("Loading", RuleEffect::Drop));
}

#[test]
fn a_chosen_pre_keeps_its_lines() {
    assert_eq!(text("<pre>a\n b</pre>", &["pre"], &[]).0, "a\nb");
}

#[test]
fn names_may_have_escapes() {
    let html = "<p class=md:flex>First.<p class=flex>Second.<p id='1/2'>Third.<P DATA-A='b\"c'>Fourth.";
    assert_eq!(text(html, &["body .md\\:flex, #\\31 \\/2"], &[]).0, "First.\nThird.");
    assert_eq!(text(html, &["p[data-a='b\"c'] "], &[]).0, "Fourth.");
}

#[test]
fn templates_are_no_part_of_the_page() {
    let html = "<template><p class=a>no</p></template><p class=a>yes</p>";
    assert_eq!(text(html, &[".a"], &[]).0, "yes");
    // In SVG it is an element as any other.
    let html = "<svg><template><foreignObject><p class=a>yes</p></foreignObject></template></svg>";
    assert_eq!(text(html, &[".a"], &[]).0, "yes");
}

#[test]
fn what_a_page_could_make_slow_is_not_accepted() {
    for (selector, reason) in [
        ("p:has(a)", ":has() is not accepted"),
        ("p:nth-of-type(2)", "a pseudo-class that counts elements of a type"),
        ("p:only-of-type", "a pseudo-class that counts elements of a type"),
        (":nth-child(2 of p)", "it is not a CSS selector"),
        (":not(main p)", "a combinator within parentheses"),
        (":is(a, :where(b > c))", "a combinator within parentheses"),
        (":is(a, b:hover)", "`b:hover` is not accepted"),
        (":scope > p", "`:scope` is not accepted"),
        ("p::before", "it is not a CSS selector for pages without a browser"),
        ("a:hover", "it is not a CSS selector for pages without a browser"),
        ("", "it is not a CSS selector: it, or a part of it, is empty"),
        ("p,", "it is not a CSS selector: it, or a part of it, is empty"),
        ("p >", "it is not a CSS selector: nothing follows a combinator"),
        ("p[", "it is not a CSS selector"),
        ("> p", "it is not a CSS selector"),
        ("..a", "it is not a CSS selector"),
    ] {
        let error = ExtractRule::new().content(selector).unwrap_err().to_string();
        assert!(error.starts_with(reason), "{selector}: {error}");
    }
    let mut rule = ExtractRule::new();
    rule.content(&"a b,".repeat(63)[..63 * 4 - 1]).unwrap();
    rule.drop("main > p").unwrap();
    let error = rule.drop("p").unwrap_err().to_string();
    assert!(error.starts_with("the rule has more than 128 parts"), "{error}");
}

/// A page of elements, texts and comments, badly nested.
fn page() -> impl Strategy<Value = String> {
    let tags = "div|div class=a|div class='b a'|p id=x|p title=ab-c|ul|li|li class=b|b|section|article|br|table|td|template|svg";
    let tags: Vec<&'static str> = tags.split('|').collect();
    let piece = prop_oneof![
        4 => prop::sample::select(tags.clone()).prop_map(|tag| format!("<{tag}>")),
        3 => prop::sample::select(tags).prop_map(|tag| format!("</{}>", tag.split(' ').next().unwrap_or_default())),
        1 => prop::sample::select(vec!["text", "<!-- c -->", " "]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

fn selector() -> impl Strategy<Value = String> {
    let compounds = "div;p;li;*;.a;.b;div.a.b;#x;[title];[title^=ab];[title|=ab];[title*='B' i];p:not(#x);:is(.a, li);:where(p);\
        :first-child;:last-child;:only-child;:nth-child(2n+1);:nth-last-child(-n+2);li:nth-child(3);:empty;:root;:not(.a, p)";
    let compounds: Vec<&'static str> = compounds.split(';').collect();
    let combinator = prop::sample::select(vec![" ", " > ", " + ", " ~ "]);
    let compound = prop::sample::select(compounds);
    let complex = (compound.clone(), prop::collection::vec((combinator, compound), 0..4));
    let complex = complex.prop_map(|(first, rest)| {
        let rest: String = rest
            .into_iter()
            .map(|(combinator, compound)| format!("{combinator}{compound}"))
            .collect();
        first.to_owned() + &rest
    });
    prop::collection::vec(complex, 1..3).prop_map(|selectors| selectors.join(", "))
}

/// The elements that match, without those within another or within a template.
fn expected(html: &Html, selector: &str) -> Vec<NodeId> {
    let selector = Oracle::parse(selector).unwrap();
    let matching: HashSet<NodeId> = html.select(&selector).map(|element| element.id()).collect();
    let is_outermost = |node: &NodeRef<'_, Node>| {
        matching.contains(&node.id())
            && !node
                .ancestors()
                .any(|above| matching.contains(&above.id()) || above.value().is_fragment())
    };
    html.tree
        .root()
        .descendants()
        .filter(is_outermost)
        .map(|node| node.id())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_walk_finds_what_the_library_finds(html in page(), selector in selector()) {
        let html = Html::parse_document(&html);
        let expected = expected(&html, &selector);
        let chosen = rule(&[&selector], &[]).choose(&html);
        prop_assert_eq!(&chosen.content, &expected, "{}", &selector);
        prop_assert!(chosen.dropped.is_empty());
        let dropped = rule(&[], &[&selector]).choose(&html);
        prop_assert_eq!(dropped.dropped, expected.into_iter().collect::<HashSet<_>>(), "{}", &selector);
    }

    #[test]
    fn two_lists_of_selectors_do_not_meet(html in page(), first in selector(), second in selector()) {
        let html = Html::parse_document(&html);
        let both = rule(&[&first], &[&second]).choose(&html);
        let dropped = rule(&[], &[&second]).choose(&html).dropped;
        prop_assert_eq!(&both.dropped, &dropped);
        let is_left = |node: &NodeId| {
            let node = html.tree.get(*node).unwrap();
            !dropped.contains(&node.id()) && !node.ancestors().any(|above| dropped.contains(&above.id()))
        };
        let chosen: Vec<NodeId> = expected(&html, &first).into_iter().filter(is_left).collect();
        prop_assert_eq!(both.content, chosen);
    }
}
