//! Claims that are refused for what they are, where they stand, or what else the page says.

use super::*;

#[test]
fn a_licence_is_no_program() {
    for (content, expected) in [
        ("javascript:alert(1)", None),
        ("JavaScript: alert(1)", None),
        ("&#1;javascript:alert(1)", None),
        ("javascript://%0aalert(1)", None),
        ("data:text/html,x", None),
        ("urn:uuid:1", None),
        ("mailto:jane@example.org", None),
        ("CC BY 4.0", Some("CC BY 4.0")),
        ("Licence: CC BY 4.0", Some("Licence: CC BY 4.0")),
        ("https://example.org/licence", Some("https://example.org/licence")),
        ("/licence", Some("https://www.example.org/licence")),
    ] {
        let found = read(&format!("<meta name=license content='{content}'>"));
        assert_eq!(text(&found.licence).map(|(text, _)| text), expected, "{content}");
    }
}

#[test]
fn a_change_before_the_publication_is_left_out() {
    for (modified, expected) in [
        ("2024-03-04T23:00:00Z", None),
        ("2023-01-01", None),
        ("2024-03-05T08:00:00Z", Some("2024-03-05T08:00:00Z")),
        ("2024-03-06", Some("2024-03-06")),
    ] {
        let found = read(&format!(
            "<meta property=article:published_time content=2024-03-05T10:00:00Z><meta property=article:modified_time content={modified}>"
        ));
        assert_eq!(text(&found.modified).map(|(text, _)| text), expected, "{modified}");
    }
    let only = read("<meta property=article:modified_time content=2023-01-01>");
    assert_eq!(text(&only.modified), Some(("2023-01-01", Source::OpenGraph)));
}

#[test]
fn a_page_of_unknown_address_has_only_absolute_images() {
    for (image, expected) in [
        ("/a.jpg", None),
        ("a.jpg", None),
        ("http://file.invalid/a.jpg", None),
        ("https://example.org/a.jpg", Some("https://example.org/a.jpg")),
    ] {
        let html = format!("<meta property=og:image content='{image}'>");
        let found = read_at("http://file.invalid/", &html);
        assert_eq!(text(&found.image).map(|(text, _)| text), expected, "{image}");
    }
}

#[test]
fn a_meta_element_in_the_body_does_not_override_the_head() {
    let of = |name: &str, content: &str| format!("<meta property='{name}' content='{content}'>");
    let (head, body) = (
        of("og:title", "The title of the head"),
        of("og:title", "The title of a comment"),
    );
    let other = of("og:description", "A description of the page");
    for (html, expected) in [
        (format!("<head>{head}</head><body>{body}"), "The title of the head"),
        (
            format!("<head><meta name=title content='The title of the head'></head><body>{body}"),
            "The title of the head",
        ),
        (format!("<head>{other}</head><body>{body}"), "The title of a comment"),
        (format!("<head><div></div>{head}</head>"), "The title of the head"),
    ] {
        assert_eq!(
            text(&read(&html).title).map(|(title, _)| title),
            Some(expected),
            "{html}"
        );
    }
}

#[test]
fn an_agency_is_an_author_only_if_it_is_declared() {
    for agency in ["Getty Images", "dpa", "Reuters", "AFP", "Associated Press"] {
        let shown = format!("<h1>Forty roofs</h1><p>By {agency}</p><p>Text</p>");
        assert_eq!(read(&shown).authors, None, "{agency}");
        let declared = format!(
            "<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"author\":\"{agency}\"}}</script>{shown}"
        );
        assert_eq!(texts(&read(&declared).authors), [agency]);
    }
    let both = read("<h1>Forty roofs</h1><p>By Jane Doe, Getty Images</p><p>Text</p>");
    assert_eq!(texts(&both.authors), ["Jane Doe"]);
}

#[test]
fn the_words_of_a_template_are_no_tags() {
    for (content, expected) in [
        ("YOUR KEYWORDS HERE", &[][..]),
        ("your keywords here, storm", &["storm"]),
        ("keyword1, keyword2", &[]),
        ("{{ post.tags }}", &[]),
        ("keywords, storm", &["keywords", "storm"]),
    ] {
        let found = read(&format!("<meta name=keywords content='{content}'>"));
        assert_eq!(texts(&found.tags), expected, "{content}");
    }
}

#[test]
fn who_made_a_site_is_no_author() {
    for foot in [
        "Powered by <strong><a href=/>Discuz!</a></strong> X3.4 © 2001-2017 Comsenz Inc. GMT+8, 2024-03-05 23:10 , Processed in 0.03 second(s)",
        "© 2024 by Acme Media Group | Last change 5 March 2024",
        "5 March 2024 | Proudly powered by Word Press",
        "5 March 2024 – Hosted by Harbour Net, designed by Jane Doe Studio",
        "Website by Jane Doe | Page made 5 March 2024",
        "Stand 5. März 2024, gehostet von Muster Netz",
        "5 mars 2024 – Propulsé par Dot Clear",
        "5 de marzo de 2024, desarrollado por Acme Web",
        "2024-03-05 主题 by Jane Doe",
        "2024-03-05 技术支持 by Acme Soft",
        "版权所有 by Acme Media 2024年3月5日",
        "2024年3月5日 技术支持作者：某某科技公司",
        "2024年3月5日 设计 by Jane Doe",
        "技术支持：某某科技公司 2024-03-05",
        "5 March 2024 | Theme by Jane Doe",
        "© 2024 Acme, 5 March 2024. Web design by Jane Doe",
    ] {
        let html = format!("<h1>Title</h1><p>Text of the page.</p><div id=ft>{foot}</div>");
        assert_eq!(texts(&read(&html).authors), Vec::<&str>::new(), "{html}");
    }
    for line in [
        "5 March 2024 by Jane Doe",
        "Photos 5 March 2024 by Jane Doe",
        "Written 5 March 2024 and homemade by Jane Doe",
        "Posted in Web Design by Jane Doe on March 5, 2024",
        "Posted on March 5, 2024 in Development by Jane Doe",
        "Posted in Theme by Jane Doe on March 5, 2024",
        "Filed under Hosting by Jane Doe on 5 March 2024",
        "March 5, 2024 in Site by Jane Doe",
        "March 5, 2024 – Interior design by Jane Doe",
        "© 5 March 2024 by Jane Doe",
    ] {
        let html = format!("<h1>Title</h1><p>{line}</p><p>Text of the page.</p>");
        assert_eq!(texts(&read(&html).authors), ["Jane Doe"], "{html}");
    }
    for (line, author) in [
        ("栏目：网页制作 作者：王小明 2024-03-05", "王小明"),
        ("2024-03-05 分类：主题 作者：王小明", "王小明"),
        ("2024-03-05 室内设计 作者：王小明", "王小明"),
        ("2024-03-05 专题：节目制作 记者：王小明", "王小明"),
        ("2024年3月5日 カテゴリ：デザイン 著者：山田太郎", "山田太郎"),
        ("2024-03-05 版权所有 作者：王小明 未经许可不得转载", "王小明"),
    ] {
        let html = format!("<h1>标题</h1><p>{line}</p><p>正文内容。</p>");
        assert_eq!(texts(&read(&html).authors), [author], "{html}");
    }
}
