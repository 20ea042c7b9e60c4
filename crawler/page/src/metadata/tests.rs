mod plain;
mod refused;
mod shown;

use std::time::Duration;

use http::HeaderMap;

use super::*;

/// 2025-06-15.
const FETCHED: Duration = Duration::from_secs(1_750_000_000);

/// What the page says, read alone and together with its text, which must be the same.
fn read_at(url: &str, html: &str) -> Metadata {
    let url = Url::parse(url).unwrap();
    let fetched = SystemTime::UNIX_EPOCH + FETCHED;
    let alone = crate::metadata(html.as_bytes(), &HeaderMap::new(), &url, fetched).unwrap();
    let options = crate::Options {
        agent: "mybot",
        embedded: false,
        max_text_bytes: 1 << 24,
        extract: None,
        favor: crate::Favor::default(),
        documents: crate::Documents::in_this_thread(),
        markdown: Some(crate::MarkdownOptions::default()),
        metadata: Some(fetched),
    };
    // Bytes without a page, and documents such as plain texts, say nothing.
    let page = crate::read(html.as_bytes(), &HeaderMap::new(), &url, &options).ok();
    if let Some(page) = page.filter(|page| page.kind.is_none()) {
        assert_eq!(page.said.as_ref(), Some(&alone));
    }
    alone
}

fn read(html: &str) -> Metadata {
    read_at("https://www.example.org/news/item", html)
}

fn text(field: &Option<Sourced<String>>) -> Option<(&str, Source)> {
    field.as_ref().map(|found| (found.value.as_str(), found.source))
}

fn texts(field: &Option<Sourced<Vec<String>>>) -> Vec<&str> {
    let values = field.iter().flat_map(|found| &found.value);
    values.map(String::as_str).collect()
}

/// What Yoast writes for WordPress: a graph whose nodes refer to each other.
const YOAST: &str = r##"<html lang="de-DE"><head><title>Streit ums Feuerholz - Beispielblog</title>
<meta property="og:type" content="article"><meta property="og:site_name" content="Beispielblog">
<meta property="og:image" content="/bild.jpg">
<script type="application/ld+json" class="yoast-schema-graph">{"@context":"https://schema.org","@graph":[
{"@type":"WebSite","@id":"https://www.example.org/#website","name":"Beispielblog"},
{"@type":"WebPage","@id":"https://www.example.org/news/item/","url":"https://www.example.org/news/item/","name":"Streit ums Feuerholz - Beispielblog"},
{"@type":"Article","@id":"https://www.example.org/news/item/#article","headline":"Streit ums Feuerholz","mainEntityOfPage":{"@id":"https://www.example.org/news/item/"},
 "author":{"@id":"https://www.example.org/#/schema/person/1"},"datePublished":"2017-02-13T08:00:00+01:00","dateModified":"2018-01-02T08:00:00+01:00",
 "articleSection":["Afrika","Kenia"],"keywords":["Migration","Holz"],"inLanguage":"de-DE","publisher":{"@id":"https://www.example.org/#org"}},
{"@type":["Person"],"@id":"https://www.example.org/#/schema/person/1","name":"Eva Muster"}]}</script></head>
<body><header><a href="/">Beispielblog</a></header><article><h1>Streit ums Feuerholz</h1><p class="meta">13.02.2017, von Eva Muster</p>
<p>Text.</p></article></body></html>"##;

#[test]
fn a_graph_of_json_ld_is_read_through_its_references() {
    let found = read(YOAST);
    assert_eq!(text(&found.title), Some(("Streit ums Feuerholz", Source::Heading)));
    assert_eq!(texts(&found.authors), ["Eva Muster"]);
    assert_eq!(found.authors.unwrap().source, Source::JsonLd);
    assert_eq!(
        text(&found.published),
        Some(("2017-02-13T08:00:00+01:00", Source::JsonLd))
    );
    assert_eq!(
        text(&found.modified),
        Some(("2018-01-02T08:00:00+01:00", Source::JsonLd))
    );
    assert_eq!(text(&found.site_name), Some(("Beispielblog", Source::OpenGraph)));
    assert_eq!(text(&found.language), Some(("de-DE", Source::Root)));
    assert_eq!(text(&found.section), Some(("Afrika", Source::JsonLd)));
    assert_eq!(texts(&found.tags), ["Migration", "Holz"]);
    assert_eq!(
        text(&found.image),
        Some(("https://www.example.org/bild.jpg", Source::OpenGraph))
    );
    assert_eq!(text(&found.page_type), Some(("Article", Source::JsonLd)));
}

#[test]
fn broken_json_ld_is_read_as_leniently_as_search_engines_read_it() {
    let node = r#"{"@type":"NewsArticle","headline":"Fire in the old town","author":[{"@type":"Person","name":"Jane Doe"},"John Roe"],}"#;
    let body = "<h1>Another heading</h1><p>By Jane Doe and John Roe</p>";
    for wrapped in [
        node.to_owned(),
        format!("<!-- {node} -->"),
        format!("//<![CDATA[\n{node}\n//]]>"),
        format!("/* <![CDATA[ */ {node} /* ]]> */"),
        format!("[{node}]"),
        format!("{node};"),
        node.replace("old town", "old\n town"),
    ] {
        let found = read(&format!(
            "<script type='application/ld+json; charset=utf-8'>{wrapped}</script>{body}"
        ));
        assert_eq!(
            text(&found.title),
            Some(("Fire in the old town", Source::JsonLd)),
            "{wrapped}"
        );
        assert_eq!(texts(&found.authors), ["Jane Doe", "John Roe"], "{wrapped}");
    }
    let found = read(&format!(
        "<script type=application/ld+json>{{\"@type\": oops</script>{body}"
    ));
    assert_eq!(text(&found.title), Some(("Another heading", Source::Heading)));
}

#[test]
fn of_several_articles_only_that_of_the_page_counts() {
    let list = r#"<script type="application/ld+json">[
        {"@type":"Article","url":"https://www.example.org/news/other","headline":"Other","datePublished":"2020-01-01"},
        {"@type":"Article","url":"http://www.example.org/news/item/#main","headline":"Item","datePublished":"2021-02-03"}]</script>"#;
    assert_eq!(text(&read(list).published), Some(("2021-02-03", Source::JsonLd)));
    let others = list.replace("/news/item/", "/news/third/");
    assert_eq!(text(&read(&others).published), None);
}

#[test]
fn microdata_of_the_page_is_read_and_that_of_comments_is_not() {
    let found = read(
        "<body itemscope itemtype='http://schema.org/WebPage'><article itemscope itemtype='http://schema.org/BlogPosting'>\
         <h2 itemprop='headline'>Ein Tag am See</h2>\
         <span itemprop='author' itemscope itemtype='http://schema.org/Person'><a itemprop='url name' href='/a'>Eva Muster</a></span>\
         <time itemprop='datePublished' datetime='2016-04-02T10:00'>2. April</time><img itemprop='image' src='see.jpg'>\
         <div itemprop='comment' itemscope itemtype='http://schema.org/Comment'><span itemprop='author'>Max Gast</span>\
         <time itemprop='datePublished' datetime='2016-05-01'></time></div></article>",
    );
    assert_eq!(text(&found.title), Some(("Ein Tag am See", Source::Heading)));
    assert_eq!(texts(&found.authors), ["Eva Muster"]);
    assert_eq!(text(&found.published), Some(("2016-04-02T10:00:00", Source::Microdata)));
    assert_eq!(
        text(&found.image),
        Some(("https://www.example.org/news/see.jpg", Source::Microdata))
    );
    assert_eq!(text(&found.page_type), Some(("BlogPosting", Source::Microdata)));
}

#[test]
fn rdfa_of_drupal_is_read() {
    let found = read(
        "<article typeof='schema:Article'><h1 property='schema:name'>Liebe Menschen</h1>\
         <span rel='schema:author'><span typeof='schema:Person' property='schema:author'><a property='schema:name' href='/user/7'>uriebe</a></span></span>\
         <span property='schema:dateCreated' content='2014-01-13T12:00:00+00:00'>13. Januar 2014</span></article>",
    );
    assert_eq!(text(&found.title), Some(("Liebe Menschen", Source::Heading)));
    assert_eq!(texts(&found.authors), ["uriebe"]);
    assert_eq!(
        text(&found.published),
        Some(("2014-01-13T12:00:00+00:00", Source::Rdfa))
    );
}

#[test]
fn the_tags_of_a_paper_are_read() {
    let found = read(
        "<meta name='citation_title' content='On the Order of Trust'><meta name='citation_author' content='Doe, Jane'>\
         <meta name='citation_author' content='John Roe'><meta name='citation_publication_date' content='2021/09/24'>\
         <meta name='DC.Description' content='A study of claims.'><meta name='dcterms.license' content='CC BY 4.0'><body><p>Abstract",
    );
    assert_eq!(text(&found.title), Some(("On the Order of Trust", Source::Highwire)));
    assert_eq!(texts(&found.authors), ["Jane Doe", "John Roe"]);
    assert_eq!(text(&found.published), Some(("2021-09-24", Source::Highwire)));
    assert_eq!(
        text(&found.description),
        Some(("A study of claims.", Source::DublinCore))
    );
    assert_eq!(text(&found.licence), Some(("CC BY 4.0", Source::DublinCore)));
}

#[test]
fn what_cannot_be_true_is_refused() {
    let article = |author: &str, date: &str| {
        format!(
            "<meta property=og:site_name content='Example News'><meta property=og:title content='A title of a page'>\
             <meta property=og:description content='A title of a page'><meta property=og:type content=article>\
             <script type=application/ld+json>{{\"@type\":\"Article\",\"author\":\"{author}\",\"datePublished\":\"{date}\"}}</script>\
             <h1>A title of a page</h1><p>{author}</p>"
        )
    };
    for author in [
        "admin",
        "Example News",
        "example.org",
        "https://example.org/jane",
        "jane@example.org",
        "",
        "N/A",
        "[object Object]",
        "A name that is as long as a whole sentence of the text",
    ] {
        assert_eq!(read(&article(author, "2024-03-05")).authors, None, "{author}");
    }
    for date in ["2026-01-01", "1970-01-01", "0000-00-00", "yesterday", "2024-02-30"] {
        assert_eq!(read(&article("Jane Doe", date)).published, None, "{date}");
    }
    let found = read(&article("Jane Doe", "2024-03-05"));
    assert_eq!((found.description, texts(&found.authors)), (None, vec!["Jane Doe"]));
}

#[test]
fn a_title_is_without_the_name_of_the_site() {
    for (head, body, expected) in [
        (
            "<title>Fire in town | Example News</title>",
            "<h1>Fire in town</h1>",
            "Fire in town",
        ),
        (
            "<title>Example: Fire in town - Example</title>",
            "<p>Text",
            "Fire in town",
        ),
        (
            "<title>Fire in town - Politics - Example</title><meta property=og:site_name content=Example>",
            "<h1>Example</h1><h2>Fire in town</h2>",
            "Fire in town",
        ),
        (
            "<title>Fire in town – and who lit it – The Daily Mirror of News</title><meta property=og:title content='Fire in town – and who lit it'>",
            "",
            "Fire in town – and who lit it",
        ),
        (
            "<title>蔡健雅_百科</title><meta property=og:site_name content=百科>",
            "",
            "蔡健雅",
        ),
        (
            "<title>Paris - Drinks by ship into the city - Example</title>",
            "<h1><span class=kicker>Paris</span> Drinks by ship into the city</h1>",
            "Drinks by ship into the city",
        ),
        (
            "<title>Drinks by ship for Paris</title>",
            "<h1>By ship: drinks for the games in Paris</h1>",
            "By ship: drinks for the games in Paris",
        ),
        ("<title>Example</title>", "<h1>Example</h1>", "Example"),
        ("", "", ""),
    ] {
        let found = read(&format!("{head}<body>{body}"));
        assert_eq!(
            text(&found.title).map_or("", |(title, _)| title),
            expected,
            "{head}{body}"
        );
    }
}

#[test]
fn a_description_is_that_of_the_page_and_whole() {
    let long = "The council has decided on the new bridge over the river after a debate of nine hours, and the first stone is to be laid in May";
    for (metas, expected) in [
        ("<meta name=description content='Tom &amp;amp; Ann &lt;em&gt;met&lt;/em&gt;'>".to_owned(), "Tom & Ann met"),
        ("<meta name=description content='All the news of the Example Herald'><meta property=og:site_name content='Example Herald'>\
          <meta property=og:description content='A new bridge'>".to_owned(), "A new bridge"),
        (format!("<meta name=description content='{}...'><meta property=og:description content='{long}.'>", &long[..110]), &format!("{long}.")),
    ] {
        assert_eq!(text(&read(&metas).description).map(|(text, _)| text), Some(expected), "{metas}");
    }
}

#[test]
fn a_licence_is_a_relation_or_the_only_licence_that_the_page_leads_to() {
    let by = "https://creativecommons.org/licenses/by/4.0/";
    let other = "https://creativecommons.org/licenses/by-sa/3.0/";
    for (links, expected) in [
        (format!("<a rel=license href={by}>"), Some((by, Source::Link))),
        (
            format!("<a href={by}>CC BY</a> <a href={by}>CC BY</a>"),
            Some((by, Source::Text)),
        ),
        (format!("<a href={by}>CC BY</a> <a href={other}>CC BY-SA</a>"), None),
        (
            format!("<a href={by}>CC BY</a> <link rel=license href={other}>"),
            Some((other, Source::Link)),
        ),
    ] {
        assert_eq!(text(&read(&links).licence), expected, "{links}");
    }
}

#[test]
fn a_url_tells_the_day_where_nothing_else_does() {
    let found = read_at("https://example.org/2024/03/05/title", "<h1>Title</h1><p>Text");
    assert_eq!(text(&found.published), Some(("2024-03-05", Source::Url)));
}

#[test]
fn a_response_that_is_no_html_has_no_metadata() {
    let json = HeaderMap::from_iter([(http::header::CONTENT_TYPE, "application/json".parse().unwrap())]);
    let url = Url::parse("https://example.org/").unwrap();
    assert_eq!(
        crate::metadata(b"{}", &json, &url, SystemTime::UNIX_EPOCH + FETCHED),
        None
    );
}

#[test]
fn values_and_lists_are_cut() {
    let tags: String = (0..2_000)
        .map(|at| format!("<meta property=article:tag content=t{at}>"))
        .collect();
    let long = "word ".repeat(10_000);
    let authors: String = (0..200)
        .map(|at| format!("<meta name=citation_author content='Jane Doe{}'>", "n".repeat(at)))
        .collect();
    let found = read(&format!("{authors}<meta name=description content='{long}'>{tags}"));
    assert_eq!(found.tags.unwrap().value.len(), 64);
    assert_eq!(found.authors.unwrap().value.len(), 16);
    assert!(found.description.unwrap().value.len() <= 4096);
}

#[test]
fn hostile_pages_are_read_within_bounds() {
    let deep_json = format!(
        "<script type=application/ld+json>{}{}</script>",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let same = r#"{"@type":"Article","@id":"a","author":[{"@id":"a"},{"@id":"a"}],"name":{"@id":"a"}}"#;
    let circle = format!("<script type=application/ld+json>[{}]</script>", [same; 64].join(","));
    let bylines = "<div class=author>".repeat(400) + &"<h1>x</h1><span class=byline></span>".repeat(20_000);
    let items = "<div itemscope itemtype=schema:Article itemprop=author>".repeat(400)
        + &"<b itemprop=author>x y</b>".repeat(20_000);
    for html in [
        deep_json,
        circle,
        bylines,
        items,
        "<".repeat(10_000),
        "<a rel=tag href=x>".repeat(5_000),
    ] {
        let _ = read(&html);
    }
}

proptest::proptest! {
    #[test]
    fn any_page_is_read(html in "(<(h1|p|span|time|div|meta|a|script type=application/ld[+]json)( class=author| itemprop=author| itemscope| datetime=2024| name=author content=x)?>|[A-Za-zäß年月日0-9 ./|{}\",:-]{0,12}){0,30}") {
        let _ = read(&html);
    }
}
