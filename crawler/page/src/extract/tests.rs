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
        // rustdoc: a bracket is a link to the page about slices.
        (
            "<h4>fn from(a: <a href=p.html>[</a>T<a href=p.html>; N]</a>) <a href=#top>↑</a> <a href=/next>»</a></h4>",
            "fn from(a: [T; N])",
        ),
        (
            "<pre><code>fn exit() -&gt; <a href=never.html>!</a></code></pre><h3 class=code-header>impl Hash for <a href=never.html>!</a></h3>",
            "fn exit() -> !\nimpl Hash for !",
        ),
        // Behind the words of a heading, a button does something with it.
        (
            "<h1>Struct <span>Url</span> <button id=copy>Copy item path</button></h1><h2>1. <button>Why?</button></h2>",
            "Struct Url\n1. Why?",
        ),
        (
            "<ul><li>one<li>two</ul><dl><dt>term<dd>meaning</dl>",
            "one\ntwo\nterm\nmeaning",
        ),
        ("<p>使用<code>foo</code>来</p>", "使用foo来"),
        // Nothing stands between inline elements.
        (
            "<h1><span>H</span><span>a</span><span>r</span><span>b</span><span>o</span><span>u</span><span>r</span></h1>",
            "Harbour",
        ),
        (
            "<p><span class=dropcap>T</span><span class=rest>he</span> <b>un</b><i>believ</i><u>able</u></p>",
            "The unbelievable",
        ),
        // Unlike elements with what looks like two words.
        (
            "<p><a href=/v>Vinod Nair</a><span class=role>Scientist</span> <span class=price>$123.95</span><span class=old>Was $150</span></p>",
            "Vinod Nair Scientist $123.95 Was $150",
        ),
        (
            "<p><span class=by>Author</span><time>2024-01-01</time> <span class=sale>20%</span><b>Now</b></p>",
            "Author 2024-01-01 20% Now",
        ),
        (
            "<p><span class=dropcap>T</span><span class=caps>HE</span> H<sub>2</sub><b>O</b> <b>Mc</b><i>donald</i></p>",
            "THE H2O Mcdonald",
        ),
        (
            "<p>Har<!-- x --><font color=red>bo</font><mark>ur</mark></p>",
            "Harbour",
        ),
        ("<p>Har<x-mark>bo</x-mark>ur, <x-a>see</x-a> it</p>", "Harbour, see it"),
        ("<h1><x-l>H</x-l><x-l>i</x-l> <x-l>a</x-l></h1>", "Hi a"),
        (
            "<p><span style='display:inline-block'>Har</span><span style='display: inline-block'>bour</span></p>",
            "Harbour",
        ),
        (
            "<h1><div style='position:relative;display:inline-block'><div style='display:inline-block'>H</div><div \
             style='display:inline-block'>o</div></div> <div style='display:inline-block'>a</div></h1>",
            "Ho a",
        ),
        ("<p>a<div style='display: inline'>b</div>", "a\nb"),
        (
            "<div>un<div style='display:inline'>believ</div>able</div>",
            "unbelievable",
        ),
        (
            "<p><picture><img src=x></picture>wo<picture><img src=x></picture>rd</p>",
            "word",
        ),
        ("<p>Kraft\u{ad}<wbr>fahr<wbr><b>zeug</b></p>", "Kraft\u{ad}fahrzeug"),
        (
            "<p><ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby><ruby><rb>都</rb><rtc>と</rtc></ruby>庁</p>",
            "東京都庁",
        ),
        // A style makes lines of them.
        (
            "<h1><span style='display:block'>One</span><span style='display: block !important'>two</span>three</h1>",
            "One\ntwo\nthree",
        ),
        (
            "<ul><li>a<li>b</ul><dl><dt>c</dt><dd>d</dd></dl><table><tr><th>e<td>f</table>",
            "a\nb\nc\nd\ne f",
        ),
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
fn a_line_break_is_one_whatever_white_space_stands_around_it() {
    for (html, expected) in [
        ("<p>one<br>\ntwo<br> three <br>four", "one\ntwo\nthree\nfour"),
        // A letter and a novel, in which two breaks end a paragraph.
        (
            "<div>Dear Jane,<br />\n<br />\nThe ship\nis late.<br />\r\nYours, John</div>",
            "Dear Jane,\nThe ship is late.\nYours, John",
        ),
        (
            "<div id=content>&nbsp;&nbsp;&nbsp;&nbsp;第一段的最后一句。<br>\n<br>\n&nbsp;&nbsp;&nbsp;&nbsp;第二段<b>的</b>第一句。<br />\u{3000}\u{3000}第三段。</div>",
            "第一段的最后一句。\n第二段的第一句。\n第三段。",
        ),
        // An address, a poem, and a table of contents.
        (
            "<address>〒100-0005<br>\n    東京都千代田区丸の内<br>\n    電話 <a href=tel:1>03-0000</a></address>",
            "〒100-0005\n東京都千代田区丸の内\n電話 03-0000",
        ),
        (
            "<p><i>Water, water, every where,</i> <br> <i>Nor any drop to drink.</i>",
            "Water, water, every where,\nNor any drop to drink.",
        ),
        (
            "<p><a href=a>1. Ropes</a> <br>\t<a href=b>2. Bollards</a>&nbsp;<br>",
            "1. Ropes\n2. Bollards",
        ),
        (
            "<h1><span style='display:block'>One</span>\n<span style='display:block'>two</span> three</h1>",
            "One\ntwo\nthree",
        ),
        ("<pre>a <span>\n</span>b<i> \n</i> <u>c</u> d</pre>", "a\nb\nc d"),
    ] {
        assert_eq!(text(html), expected, "{html}");
    }
}

#[test]
fn a_line_of_invisible_characters_is_no_line() {
    for (html, expected) in [
        // The editors of Naver and Tistory, of WeChat, and of Word.
        (
            "<div class=se-module><p class=se-text-paragraph><span>벚꽃이 피었다.</span></p><p class=se-text-paragraph><span>&#8203;</span></p>\
             <p class=se-text-paragraph><span>&ZeroWidthSpace;&#x200b;</span></p><p><span>사람이 많았다.</span></p></div>",
            "벚꽃이 피었다.\n사람이 많았다.",
        ),
        (
            "<p data-ke-size=size16>하나</p><p>&#12644;</p><p>\u{ffa0} &nbsp;</p><p>둘</p>",
            "하나\n둘",
        ),
        (
            "<section>\u{feff}</section><section><span>\u{2060}春天</span></section><section>&shy;<br>&zwj;</section><section>来了</section>",
            "\u{2060}春天\n来了",
        ),
        ("<p>one<br>&#8203;<br> two<br>&#8203;</p>", "one\ntwo"),
        (
            "<p>&#8203;<b>one</b>&#8203;two &#8203;three</p>",
            "one\u{200b}two \u{200b}three",
        ),
        ("<pre>&#8203;\n</pre><ul><li>\u{200e}<li>one</ul>", "one"),
    ] {
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

const ANSWER: &str = "Our workshop repairs wooden boats that were built before the war, and most of them arrive with soft planks near the keel.";
const INTRODUCTION: &str = "<p>The ferry to the northern islands leaves at half past six, and in winter it is often the only vessel in the \
    bay. Fishermen load crates of bread and mail on the upper deck while the crew checks the ropes.</p>";

#[test]
fn headings_that_labels_and_buttons_are_belong_to_the_text() {
    let item = |number: usize, pattern: &str| {
        let question = format!("Why does answer {number} matter to boats?");
        pattern
            .replace("ID", &number.to_string())
            .replace("QUESTION", &question)
            .replace("ANSWER", &format!("{ANSWER} It is number {number}."))
    };
    for pattern in [
        "<input type=checkbox id=qID><label for=qID>QUESTION</label><div class=answer><p>ANSWER</p></div>",
        "<div class=tab><input type=radio name=tabs id=qID><label for=qID>QUESTION</label><div class=content>ANSWER</div></div>",
        "<ul><li><input type=checkbox id=qID><label for=qID><span>QUESTION</span><i class=icon></i></label><p>ANSWER</p></ul>",
        "<section><h3><label for=qID>QUESTION</label></h3><input type=checkbox id=qID><div><p>ANSWER</p></div></section>",
        "<label><input type=checkbox>QUESTION</label><div><p>ANSWER</p></div>",
        "<label><input type=checkbox><b>QUESTION</b><div><p>ANSWER</p></div></label>",
        "<button class=accordion>QUESTION</button><div class=panel><p>ANSWER</p></div>",
        "<div><div class=head><button aria-expanded=false aria-controls=pID>QUESTION</button></div><div id=pID><p>ANSWER</p></div></div>",
        "<h3><button>QUESTION</button></h3><div><p>ANSWER</p></div>",
        "<details><summary>QUESTION</summary><p>ANSWER</p></details>",
        "<details open><summary><h3>QUESTION</h3></summary><p>ANSWER</p></details>",
        "<fieldset><legend>QUESTION</legend><p>ANSWER</p></fieldset>",
        "<form><fieldset><legend>QUESTION</legend><p>ANSWER</p><input name=x></fieldset></form>",
    ] {
        let items: String = (1..=4).map(|number| item(number, pattern)).collect();
        let text = text(&format!("<body><main><h1>Plan</h1>{INTRODUCTION}{items}</main></body>"));
        for number in 1..=4 {
            assert!(
                text.contains(&format!("Why does answer {number} matter to boats?")),
                "{pattern}: {text}"
            );
            assert!(text.contains(&format!("It is number {number}.")), "{pattern}: {text}");
        }
    }
    // Tabs: the labels first, then the panels.
    let tabs = format!(
        "<body><main><h1>Plan</h1>{INTRODUCTION}<input type=radio name=t id=t1><label for=t1>The history of the harbour</label><input type=radio \
         name=t id=t2><label for=t2>The workshop of today</label><div><p>{ANSWER}</p></div><div><p>{ANSWER}</p></div></main></body>"
    );
    let text = text(&tabs);
    assert!(
        text.contains("The history of the harbour\nThe workshop of today"),
        "{text}"
    );
}

#[test]
fn labels_that_are_text_are_text() {
    for (html, expected) in [
        (
            "<ul><li><label><input type=checkbox disabled> Buy milk</label><li><label><input type=checkbox disabled checked> Sell wool</label></ul>",
            "Buy milk\nSell wool",
        ),
        ("<p>The <label>north</label>ern islands</p>", "The northern islands"),
        ("<div><label>Weight</label><span>2 kg</span></div>", "Weight\n2 kg"),
        (
            "<fieldset><legend>Bakery</legend>The bakery opens at five.</fieldset>",
            "Bakery\nThe bakery opens at five.",
        ),
    ] {
        // Text follows: labels behind the last paragraph may be leftovers of a template.
        let text = text(&format!(
            "<body><main>{INTRODUCTION}{html}<p>{ANSWER}</p></main></body>"
        ));
        assert_eq!(
            text.split_once('\n').unwrap().1,
            format!("{expected}\n{ANSWER}"),
            "{html}"
        );
    }
}

#[test]
fn the_labels_of_forms_are_no_text() {
    for form in [
        "<form action=/login><label for=u>User name</label><input id=u name=user><label for=p>Password</label><input type=password id=p>\
         <label><input type=checkbox name=remember> Remember me</label><button>Log in</button></form>",
        "<form role=search><label>Search <input type=search name=q></label><button>Go</button></form>",
        "<form><fieldset><legend>Log in</legend><label>Name <input name=n></label><label>Password <input type=password></label></fieldset></form>",
        "<form><div><label>City</label><div><select><option>Bergen<option>Oslo</select></div></div><textarea>Write</textarea></form>",
        "<div class=filters><ul><li><label><input type=checkbox> Red (12)</label><li><label><input type=checkbox> Blue (7)</label></ul></div>",
        "<input type=checkbox id=nav><label for=nav>Menu</label><ul><li><a href=/a>The first of the pages</a><li><a href=/b>The second of the pages \
         of this house</a></ul>",
        "<div class=tools><button>Print</button><button>Save</button></div>",
        "<select><option>Bergen<option>Oslo</select><datalist><option>Rome</datalist>",
    ] {
        let text = text(&format!(
            "<body><main>{INTRODUCTION}{form}<p>{ANSWER}</p></main></body>"
        ));
        for label in [
            "User", "Password", "Remember", "Search", "Log in", "City", "Bergen", "Write", "Red", "Menu", "Print",
            "Save", "Rome", "Name",
        ] {
            assert!(!text.contains(label), "{label}: {text}");
        }
        assert!(text.contains("Our workshop"), "{form}: {text}");
    }
}

#[test]
fn shadow_trees_are_text_where_their_slots_show_it() {
    let html = format!(
        "<body><main><h1>Notes</h1><x-article><template shadowrootmode=open><section>{INTRODUCTION}<slot name=after></slot><p>Between.</p>\
         <slot></slot></section><template><p>secret</p></template></template><p>{ANSWER}</p><p slot=after>After the ferry.</p><p slot=none>secret</p>\
         </x-article></main></body>"
    );
    let text = text(&html);
    let order = [
        "Notes",
        "The ferry to the northern",
        "After the ferry.",
        "Between.",
        "Our workshop",
    ];
    let places: Vec<_> = order
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}")))
        .collect();
    assert!(places.is_sorted() && !text.contains("secret"), "{text}");
}
