//! Titles and descriptions in which something only looks like a tag, a separator or the name of a site.

use super::*;

#[test]
fn what_looks_like_a_tag_is_text_unless_the_value_is_html() {
    for (content, expected) in [
        (
            "The &lt;a&gt; tag defines a hyperlink",
            "The <a> tag defines a hyperlink",
        ),
        (
            "The &amp;lt;a&amp;gt; tag defines a hyperlink",
            "The <a> tag defines a hyperlink",
        ),
        (
            "A Map&lt;String, List&lt;T&gt;&gt; of lists",
            "A Map<String, List<T>> of lists",
        ),
        ("If a &lt; b and c &gt; d then stop", "If a < b and c > d then stop"),
        ("I &lt;3 this old town", "I <3 this old town"),
        ("&lt;p&gt;A fire in the old town", "A fire in the old town"),
        ("A fire&lt;br/&gt;in the old town", "A fire in the old town"),
        ("A &lt;b&gt;fire&lt;/b&gt; in the old town", "A fire in the old town"),
        ("A fire &lt;img src=a.png&gt;in the old town", "A fire in the old town"),
    ] {
        let found = read(&format!("<meta name=description content='{content}'>"));
        assert_eq!(
            text(&found.description).map(|(text, _)| text),
            Some(expected),
            "{content}"
        );
    }
}

#[test]
fn only_a_known_name_of_the_site_is_cut_from_a_title_element() {
    for (title, body, expected) in [
        ("std::vector&lt;T&gt;::push_back", "", "std::vector<T>::push_back"),
        ("The &lt;br&gt; tag &lt;/b&gt;", "", "The <br> tag </b>"),
        ("pandas.DataFrame.to_csv", "", "pandas.DataFrame.to_csv"),
        ("grep foo|bar", "", "grep foo|bar"),
        ("os_example_org", "", "os_example_org"),
        ("Rock - Paper - Scissors", "", "Rock - Paper - Scissors"),
        ("Obama: \"Yes\" - we can", "", "Obama: \"Yes\" - we can"),
        (
            "Fire in the old town - The Herald",
            "",
            "Fire in the old town - The Herald",
        ),
        (
            "Fire in the old town - The Herald",
            "<a href=/>The Herald</a>",
            "Fire in the old town",
        ),
        (
            "Fire in the old town| The Herald",
            "<a href=/>The Herald</a>",
            "Fire in the old town",
        ),
        (
            "Fire in the old town - The Herald",
            "<a href=https://herald.example/><img alt='The Herald'></a>",
            "Fire in the old town",
        ),
        (
            "Fire in the old town - The Herald",
            "<a href=/ title='The Herald'></a>",
            "Fire in the old town",
        ),
        (
            "Fire in the old town - The Herald",
            "<p>© 2024 The Herald Ltd.",
            "Fire in the old town",
        ),
        (
            "Fire in the old town - The Herald",
            "<a href=/other>The Herald</a>",
            "Fire in the old town - The Herald",
        ),
        ("Fire in the old town - Example", "", "Fire in the old town"),
        ("蔡健雅的音乐_测试百科", "<a href=/>测试百科</a>", "蔡健雅的音乐"),
        ("蔡健雅的音乐|测试百科", "<a href=/>测试百科</a>", "蔡健雅的音乐"),
        (
            "关于春节放假安排的通知_某某市某某区人民政府门户网站",
            "<a href=/>某某市某某区人民政府门户网站</a>",
            "关于春节放假安排的通知",
        ),
        // A sentence in which the name of the site stands.
        (
            "昨天晚上的比赛为什么会在最后一分钟被裁判判定为无效_我们的测试百科记者在现场为您报道全部经过",
            "<a href=/>测试百科</a>",
            "昨天晚上的比赛为什么会在最后一分钟被裁判判定为无效_我们的测试百科记者在现场为您报道全部经过",
        ),
    ] {
        let found = read(&format!("<title>{title}</title><body><p>Text</p>{body}"));
        assert_eq!(
            text(&found.title),
            Some((expected, Source::TitleElement)),
            "{title} {body}"
        );
    }
}

#[test]
fn a_site_that_writes_its_name_first_or_as_its_heading_does_not_give_the_title() {
    let linked = "<div id=header><h1><a href='/'>Hill and Kiln</a></h1></div>";
    let logo = "<a href='https://example.org/'><img alt='Hill and Kiln'></a>";
    let menu = "<h1>Hill and Kiln</h1><a href='./'>Hill and Kiln</a>";
    let post = "<h2 class=entry-title>Firing day</h2>";
    let plain = "<h2>Firing day</h2>";
    let og = "<meta property=og:title content='Firing day'>";
    let name = "<meta property=og:site_name content='Hill and Kiln'>";
    for (head, title, body, expected) in [
        (
            og,
            "Hill and Kiln - Firing day",
            format!("{linked}{post}"),
            Source::Heading,
        ),
        (
            "",
            "Hill and Kiln - Firing day",
            format!("{linked}{plain}"),
            Source::Heading,
        ),
        (
            "",
            "Hill and Kiln: Firing day",
            format!("{linked}{post}"),
            Source::Heading,
        ),
        ("", "Hill and Kiln: Firing day", linked.to_owned(), Source::TitleElement),
        ("", "Hill and Kiln » Firing day", logo.to_owned(), Source::TitleElement),
        (
            "",
            "Hill and Kiln | Firing day",
            format!("{menu}{plain}"),
            Source::Heading,
        ),
        (
            name,
            "Hill and Kiln :: Firing day",
            format!("<h1>Hill and Kiln</h1>{plain}"),
            Source::Heading,
        ),
        (
            "",
            "Firing day - Kilns - Hill branch",
            "<h1><a href='/'>Kilns - Hill branch</a></h1>".to_owned(),
            Source::TitleElement,
        ),
        // Nothing but the class of the heading and the declared title tell.
        (
            og,
            "Hill and Kiln - Firing day",
            format!("<h1>Hill and Kiln</h1>{post}"),
            Source::Heading,
        ),
        // The title is the same on all pages.
        ("", "Hill and Kiln", format!("{linked}{plain}"), Source::Heading),
    ] {
        let found = read(&format!("{head}<title>{title}</title><body>{body}<p>Text"));
        assert_eq!(text(&found.title), Some(("Firing day", expected)), "{title} {body}");
    }
}

#[test]
fn a_heading_beside_that_of_the_site_is_the_title_only_if_a_title_says_so() {
    let site = "<h1><a href='/'>Hill and Kiln</a></h1>";
    for (heading, expected) in [
        ("Firing the old kiln", ("Firing the old kiln", Source::Heading)),
        ("More stories!", ("The old kiln is fired again", Source::TitleElement)),
    ] {
        let found = read(&format!(
            "<title>The old kiln is fired again | Hill and Kiln</title><body>{site}<h1>{heading}</h1><p>Text"
        ));
        assert_eq!(text(&found.title), Some(expected), "{heading}");
    }
}

#[test]
fn the_home_page_has_the_name_of_the_site_and_a_menu_takes_no_word_of_a_title() {
    let linked = "<h1><a href='/'>Hill and Kiln</a></h1>";
    for (url, title, body, expected) in [
        ("https://example.org/", "Hill and Kiln", linked, "Hill and Kiln"),
        (
            "https://example.org/a",
            "Home - Bakery",
            "<a href='/'>Home</a>",
            "Home - Bakery",
        ),
        (
            "https://example.org/a",
            "Firing day - WordPress",
            "<a href='https://wordpress.org/'>WordPress</a><h1>WordPress</h1>",
            "WordPress",
        ),
        (
            "https://example.org/a/",
            "Kilns - Firing",
            "<h1>Kilns</h1><a href='./'>Kilns</a>",
            "Kilns",
        ),
    ] {
        let found = read_at(url, &format!("<title>{title}</title><body>{body}<p>Text"));
        assert_eq!(
            text(&found.title).map(|(title, _)| title),
            Some(expected),
            "{url} {title}"
        );
    }
}
