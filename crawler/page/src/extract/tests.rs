use proptest::prelude::*;

use super::*;
use crate::decode::decode;
use crate::parse::parse;

fn text(html: &str) -> String {
    main_text(&parse(html, crate::parse::Attributes::Read), "", None).0
}

const FIRST: &str = "<h1>Frontier</h1><p>The frontier holds the URLs that are still to be fetched, in an order that keeps \
    every host at rest for as long as it asks.</p><ul><li>ready</li><li>snoozed</li></ul><p>A URL leaves it only with its outcome.</p>";
const SECOND: &str = "<h1>Sketch</h1><p>A sketch is a handful of bits that estimates how much of two texts is the same, \
    far closer than a fingerprint could.</p><p>It is compared only for candidates.</p>";

/// The same article in templates that differ in all but the article.
fn in_templates(article: &str) -> Vec<String> {
    let nav = "<nav><ul><li><a href=/>Home</a></li><li><a href=/docs>Documentation</a></li></ul></nav>";
    let side =
        "<div class=sidebar><h3>Versions</h3><ul><li><a href=/1>1.0</a></li><li><a href=/2>2.0</a></li></ul></div>";
    vec![
        format!("<body><main>{article}</main></body>"),
        format!("<body>{nav}<main>{article}</main><footer>Copyright 2024 the authors</footer></body>"),
        format!(
            "<body><header><p>You are reading version 1.0, there is a newer one.</p></header>{nav}{side}<div role=main>{article}</div></body>"
        ),
        format!(
            "<body><div id=wrapper>{side}<div class=content><article>{article}</article><div class='pagination'><a href=/p>Previous</a> <a href=/n>Next</a></div></div></div></body>"
        ),
        format!(
            "<body><div class='cookie-banner'>We use cookies to improve your experience on this site.</div>{nav}<div class='page with-sidebar'><section id=content>{article}</section></div></body>"
        ),
    ]
}

#[test]
fn the_same_article_in_another_template_gives_the_same_text() {
    for article in [FIRST, SECOND] {
        let texts: Vec<String> = in_templates(article).iter().map(|html| text(html)).collect();
        for (at, other) in texts.iter().enumerate() {
            assert_eq!(*other, texts[0], "template {at}");
        }
    }
}

#[test]
fn two_articles_in_one_template_share_none_of_it() {
    for (first, second) in in_templates(FIRST).iter().zip(in_templates(SECOND)) {
        let (first, second) = (text(first), text(&second));
        assert!(
            first.lines().all(|line| !second.contains(line)),
            "{first}\n---\n{second}"
        );
    }
}

#[test]
fn blocks_cells_and_breaks_separate_words_and_inline_elements_do_not() {
    let cases = [
        ("<p>un<b>believ</b>able</p><p>next</p>", "unbelievable\nnext"),
        ("<p>one<br>two</p>", "one\ntwo"),
        (
            "<div>alpha alpha alpha alpha<div>beta beta beta beta beta</div>gamma gamma gamma gamma</div>",
            "alpha alpha alpha alpha\nbeta beta beta beta beta\ngamma gamma gamma gamma",
        ),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a b\nc d"),
        ("<p>  white \n\t space&nbsp;&nbsp;is   one </p>", "white space is one"),
        ("<pre>fn main() {\n    run();\n}</pre>", "fn main() {\nrun();\n}"),
        (
            "<h2>Title<a class=headerlink href=#t>¶</a></h2><p>See <a href=x>§ 5</a></p>",
            "Title\nSee § 5",
        ),
        (
            "<ul><li>one<li>two</ul><dl><dt>term<dd>meaning</dl>",
            "one\ntwo\nterm\nmeaning",
        ),
        ("<p>使用<code>foo</code>来</p>", "使用foo来"),
        // Two words, which a style separates.
        (
            "<dl><dt><strong>a</strong><span class=classifier>array_like</span></dt></dl>",
            "a array_like",
        ),
        (
            "<p><a>Home</a><a>News</a>, <b>H</b>ello<i>!</i></p>",
            "Home News, Hello!",
        ),
        ("<p><b>foo</b><wbr><b>bar</b> <i>f</i><b>(x)</b></p>", "foobar f(x)"),
        ("<p><b>数据</b><i>去重</i></p>", "数据去重"),
        ("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字</p>", "漢字"),
        (
            "<h3><button>Question?</button></h3><p>Answer.</p>",
            "Question?\nAnswer.",
        ),
    ];
    for (html, expected) in cases {
        assert_eq!(text(html), expected, "{html}");
    }
}

#[test]
fn text_that_a_browser_does_not_show_is_left_out() {
    let hidden = [
        "<script>secret</script>",
        "<style>secret</style>",
        "<template><p>secret</p></template>",
        "<!-- secret -->",
        "<p hidden>secret</p>",
        "<div style='color:red; DISPLAY : none'>secret</div>",
        "<p aria-hidden=true>secret</p>",
        "<span class=sr-only>secret</span>",
        "<svg><text>secret</text></svg>",
        "<select><option>secret</select>",
        "<button>secret</button>",
        "<noscript>secret</noscript>",
        "<iframe>secret</iframe>",
        "<textarea>secret</textarea>",
    ];
    for part in hidden {
        assert_eq!(
            text(&format!("<p>shown before</p>{part}<p>shown after</p>")),
            "shown before\nshown after",
            "{part}"
        );
    }
}

#[test]
fn a_page_that_shows_nothing_has_no_text() {
    for html in [
        "",
        " \n ",
        "<html></html>",
        "<p hidden>text</p>",
        "<div id=root></div><script>render()</script>",
        "\0",
    ] {
        assert_eq!(text(html), "", "{html:?}");
    }
}

#[test]
fn a_page_that_scripts_would_fill_is_read_from_its_noscript() {
    let html = format!("<body><div id=app>Loading</div><noscript><div><main>{FIRST}</main></noscript></body>");
    assert!(text(&html).starts_with("Frontier\nThe frontier holds"));
}

#[test]
fn short_chinese_pages_are_found_like_long_english_ones() {
    let html = "<body><div><a href=/>首页</a><a href=/a>关于我们</a></div><div class=content><p>数据去重是搜索引擎抓取网页时的重要步骤。</p></div></body>";
    assert_eq!(text(html), "数据去重是搜索引擎抓取网页时的重要步骤。");
}

#[test]
fn a_box_with_most_of_the_page_is_not_boilerplate() {
    for class in ["search-results", "nav-wrapper", "modal", "page has-sidebar"] {
        let html = format!("<body><div class='{class}'>{FIRST}</div></body>");
        assert!(
            text(&html).contains("A URL leaves it only with its outcome."),
            "{class}"
        );
    }
}

/// A page of a template whose marks say nothing of the content, or the wrong thing.
fn in_a_template(content: &str) -> String {
    let links = |names: &[&str]| -> String {
        names
            .iter()
            .map(|name| format!("<li><a href=/{name}>{name}</a></li>"))
            .collect()
    };
    format!(
        "<title>Frontier</title><body><div class=top><ul class=menu>{}</ul></div><div class=wrap>{content}</div>\
         <div class=footer><ul>{}</ul><p>Copyright 2024 The Company. All rights reserved.</p></div></body>",
        links(&["Home", "Products", "Support", "Company", "Blog"]),
        links(&["Terms", "Privacy", "Imprint", "Careers"]),
    )
}

#[test]
fn a_name_that_means_something_else_costs_no_content() {
    for class in [
        "user-id-123 post",
        "messageSidebarOrientationLeft",
        "ob-has-background-overlay",
        "summary-item-has-author",
    ] {
        let text = text(&in_a_template(&format!("<div class='{class}'>{FIRST}</div>")));
        assert!(
            text.contains("A URL leaves it only with its outcome."),
            "{class}: {text}"
        );
        assert!(!text.contains("Privacy"), "{class}: {text}");
    }
}

#[test]
fn content_that_a_script_shows_counts() {
    let streamed = in_a_template(&format!("<div hidden id='S:0'><div>{FIRST}</div></div>"));
    assert!(
        text(&streamed).contains("A URL leaves it only with its outcome."),
        "{}",
        text(&streamed)
    );
}

#[test]
fn the_products_of_a_shop_are_the_content_of_its_list() {
    let product = |n: usize| {
        format!(
            "<li class='product type-product'><a href=/product/{n}><img src=/{n}.jpg><h2 class=title>Enamel kettle number {n}</h2></a>\
             <span class=price>{n}9.00 €</span> <a class=button href=?add-to-cart={n}>Add to cart</a></li>"
        )
    };
    let grid: String = (1..=12).map(product).collect();
    for page in [
        format!("<h1>Kettles</h1><ul class='products columns-4'>{grid}</ul>"),
        format!("<h1>Kettles</h1><div class=products><ol class='items product-items'>{grid}</ol></div>"),
    ] {
        let text = text(&in_a_template(&page));
        for n in 1..=12 {
            assert!(text.contains(&format!("Enamel kettle number {n}")), "{n}: {text}");
        }
    }
}

#[test]
fn a_page_whose_whole_content_is_marked_as_boilerplate_has_a_text() {
    let page = format!("<div class=modal><div class=sidebar>{FIRST}</div></div>");
    assert!(text(&in_a_template(&page)).contains("A URL leaves it only with its outcome."));
}

#[test]
fn a_page_of_navigation_alone_has_no_text() {
    assert_eq!(
        text("<title>Home</title><body><nav><a href=/a>a</a> <a href=/b>b</a></nav>"),
        ""
    );
}

#[test]
fn ids_made_of_headings_do_not_count() {
    let page = |id: &str| format!("<main>{FIRST}<section{id}><h2>License</h2><p>Free to use.</p></section></main>");
    assert_eq!(text(&page(" id=license-and-copyright")), text(&page("")));
}

const TAGS: &str = "main|article|nav|div class=content|div class=sidebar|p|ul|li|table|tr|td|a href=x|b|pre|h1|br|script|noscript|template|svg|select|form|div hidden";

fn mutated_page() -> impl Strategy<Value = String> {
    let tags: Vec<&'static str> = TAGS.split('|').collect();
    let piece = prop_oneof![
        prop::sample::select(tags.clone()).prop_map(|tag| format!("<{tag}>")),
        prop::sample::select(tags).prop_map(|tag| format!("</{}>", tag.split(' ').next().unwrap_or_default())),
        "[a-z ,.\u{4e00}-\u{4e10}]{0,40}",
        "[<>&\"'=/! \0-]{0,5}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(body: Vec<u8>) {
        let decoded = decode(&body, None);
        let text = text(&decoded.text);
        prop_assert!(text.len() <= decoded.text.len() * 3 + 3);
    }

    #[test]
    fn no_page_makes_it_panic_and_its_text_is_collapsed(html in mutated_page()) {
        let text = text(&html);
        prop_assert!(!text.contains("  ") && !text.contains("\n\n") && !text.contains('\t'), "{text:?}");
        prop_assert_eq!(text.trim(), text.as_str());
    }
}

/// A page of a site whose articles have a few words, in the box of the content with `before`.
fn short_page(before: &str, article: &str) -> String {
    format!(
        "<body><header><a href=/>Reference</a></header><div id=content><h1>{article}</h1>{before}<h3>Usage</h3>\
         <p>{article} operator: as an alternative for the sign</p></div><div class=footer>Retrieved from the wiki</div></body>"
    )
}

fn links(names: std::ops::Range<usize>, note: &str) -> String {
    names
        .map(|name| format!("<tr><td><a href=/{name}>Library of the subject {name}</a>{note}</td></tr>"))
        .collect()
}

#[test]
fn a_menu_that_is_longer_than_a_short_page_is_left_out() {
    for names in ["t-navbar", "main-menu", "page-navigation"] {
        let menu = format!(
            "<div class={names}><table>{}</table></div>",
            links(0..60, " <span>(11)</span>")
        );
        let (first, second) = (text(&short_page(&menu, "bitand")), text(&short_page(&menu, "xor_eq")));
        assert!(first.contains("bitand operator"), "{first}");
        assert!(second.contains("xor_eq operator"), "{second}");
        assert!(!first.contains("Library"), "{names}: {first}");
    }
}

#[test]
fn a_box_that_is_named_as_a_menu_and_has_no_links_is_content() {
    let dishes: String = (0..20)
        .map(|dish| {
            format!("<li><h4>Dish {dish}</h4><p>With potatoes, herbs and a sauce of the season, served warm.</p></li>")
        })
        .collect();
    let text = text(&format!(
        "<body><nav><a href=/>Home</a></nav><div><h1>Lunch</h1><ul class=menu>{dishes}</ul></div></body>"
    ));
    assert!(text.contains("Dish 7") && text.contains("potatoes"), "{text}");
}
