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
    ] {
        let found = read(&format!("<title>{title}</title><body><p>Text</p>{body}"));
        assert_eq!(
            text(&found.title),
            Some((expected, Source::TitleElement)),
            "{title} {body}"
        );
    }
}
