use super::*;
use crate::parse;

fn type_of(url: &str, html: &str) -> PageType {
    PageType::of(&parse::parse(html, parse::Attributes::Read), &Url::parse(url).unwrap())
}

const SENTENCES: &str = "The council met on Monday. It talked about the bridge, which has been closed since the flood in spring. \
    Nobody knows when it opens again, and the engineers want to see the piers first. They expect an answer in June.";

fn article() -> String {
    let paragraphs = format!("<p>{SENTENCES}</p>").repeat(12);
    format!(
        "<html><head><title>Bridge stays closed</title><meta property=og:type content=article>\
         <script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"author\":{{\"@type\":\"Person\"}}}}</script></head>\
         <body class=single-post><nav><a href=/>Home</a><a href=/news>News</a></nav><article class=entry><h1>Bridge stays closed</h1>\
         <span class=byline>by <a class=author href=/people/x>X</a></span><time datetime=2026-05-01>1 May</time>\
         <div class=entry-content>{paragraphs}</div></article><div class=related><a href=/b>More</a></div></body></html>"
    )
}

fn product() -> String {
    format!(
        "<html><head><title>Kettle</title><meta property=og:type content=product>\
         <script type=application/ld+json>{{\"@type\":\"Product\",\"offers\":{{\"@type\":\"Offer\"}}}}</script></head>\
         <body class=single-product><div class=product-gallery><img src=1><img src=2><img src=3></div><div class=product-info>\
         <h1 class=product-title>Kettle</h1><span class=price>$49.00</span><form class=cart><input class=quantity><select class=variant>\
         </select><button class=add-to-cart>Add to cart</button></form><div class=stock>In stock</div>\
         <div class=product-description><p>{SENTENCES}</p></div><div class=reviews><div class=rating>5</div></div></div></body></html>"
    )
}

fn forum() -> String {
    let post = format!(
        "<div class=post><div class=user><img class=avatar src=a><a class=username href=/u/x>x</a></div>\
         <time class=date>1 May</time><div class=message><p>{SENTENCES}</p></div><a class=reply href=#r>Reply</a></div>"
    );
    format!(
        "<html><head><title>Which kettle?</title><meta name=generator content=Discourse>\
         <script type=application/ld+json>{{\"@type\":\"DiscussionForumPosting\"}}</script></head>\
         <body class=topic-page><h1 class=thread-title>Which kettle?</h1><div class=topic>{}</div></body></html>",
        post.repeat(9)
    )
}

fn documentation() -> String {
    let section = format!(
        "<section><h2>reader<a class=headerlink href=#r>¶</a></h2><p>{SENTENCES}</p>\
         <div class=highlight><pre><code class=hljs>let reader = Reader::open(path)?;\nreader.read(&mut line)?;</code></pre></div></section>"
    );
    format!(
        "<html><head><title>Reader</title><meta name=generator content=Sphinx></head><body class=docs>\
         <div class=sphinxsidebar><ul class=toctree><li><a href=a>a</a></li><li><a href=b>b</a></li></ul></div>\
         <div class=document><h1>Reader</h1>{}</div></body></html>",
        section.repeat(8)
    )
}

#[test]
fn clear_pages_have_their_types() {
    for (url, html, expected) in [
        (
            "https://paper.example/2026/05/01/the-bridge-stays-closed-until-june",
            article(),
            PageType::Article,
        ),
        ("https://shop.example/products/kettle", product(), PageType::Product),
        ("https://forum.example/t/which-kettle/1234", forum(), PageType::Forum),
        (
            "https://docs.example/api/reader.html",
            documentation(),
            PageType::Documentation,
        ),
    ] {
        assert_eq!(type_of(url, &html), expected, "{url}");
    }
}

#[test]
fn a_page_with_nothing_to_go_by_is_unknown() {
    assert_eq!(type_of("https://e.example/x", "<p>Hello.</p>"), PageType::Unknown);
}

#[test]
fn the_first_type_must_be_clearly_ahead() {
    let mut sums = [0; PageType::KNOWN.len()];
    sums[1] = CLEARLY - 1;
    assert_eq!(clearly_first(sums), PageType::Unknown);
    sums[1] = CLEARLY;
    assert_eq!(clearly_first(sums), PageType::Listing);
}

#[test]
fn sums_are_of_the_content_and_of_its_largest_row_of_alike_siblings() {
    let html = "<header><a href=/>Shop</a></header><ul class=results>\
        <li class=card><img src=1><a href=/1>Kettle</a> $10</li><li class=card><img src=2><a href=/2>Teapot</a> €20</li>\
        <li class=card><img src=3><a href=/3>Cup</a> $5</li></ul><footer><ul><li>a</li><li>b</li><li>c</li><li>d</li></ul></footer>";
    let signs = Signs::of(
        &parse::parse(html, parse::Attributes::Read).html,
        &Url::parse("https://e.example/").unwrap(),
    );
    assert_eq!((signs.item_count, signs.most_alike), (3, 3));
    assert_eq!((signs.items.images, signs.items.links, signs.items.prices), (3, 3, 3));
    assert_eq!((signs.page.links, signs.inner.links), (4, 3));
    assert_eq!(signs.items.bytes, signs.inner.bytes);
    assert_eq!(signs.items.link_bytes as usize, "KettleTeapotCup".len());
}

#[test]
fn text_is_counted_the_same_with_and_without_other_letters() {
    let sums = |text: &str| {
        let html = format!("<p>{text}</p>");
        Signs::of(
            &parse::parse(&html, parse::Attributes::Read).html,
            &Url::parse("https://e.example/").unwrap(),
        )
        .page
    };
    let (ascii, other) = (sums("One. Two! $3 \n"), sums("One. Two! $3 \n€é。"));
    assert_eq!((ascii.bytes, ascii.prices, ascii.sentences), (10, 1, 2));
    assert_eq!((other.bytes, other.prices, other.sentences), (18, 2, 3));
}

#[test]
fn types_and_programs_and_urls_are_signs() {
    let html = "<meta name=generator content='phpBB 3'><div itemscope itemtype='https://schema.org/Product'></div>\
        <script type=application/ld+json>{\"@type\": [\"QAPage\"]}</script>";
    let url = Url::parse("https://docs.e.example/2026/some-long-name-7?q=1").unwrap();
    let signs = Signs::of(&parse::parse(html, parse::Attributes::Read).html, &url);
    let of = |name: &str| signs.groups[declared::GROUPS.iter().position(|(group, _)| *group == name).unwrap()];
    assert_eq!((of("product"), of("discussion"), of("article")), (1, 1, 0));
    assert_eq!(signs.programs, [true, false, false]);
    let address = signs.address;
    assert_eq!((address.segments, address.hyphens, address.digits), (2, 3, 1));
    assert!(address.has_year && address.has_query);
}
