//! What a page shows, and what it shows of what it declares.

use super::*;

#[test]
fn what_a_page_only_shows_is_found_near_its_heading() {
    for (html, author, day) in [
        (
            "<h1>Title</h1><p>By Jane Doe | March 5, 2024</p>",
            "Jane Doe",
            "2024-03-05",
        ),
        (
            "<h1>Titel</h1><div>5. März 2024 von Eva Muster</div>",
            "Eva Muster",
            "2024-03-05",
        ),
        (
            "<h1>Titre</h1><p>Publié le 5 mars 2024 par Luc Petit</p>",
            "Luc Petit",
            "2024-03-05",
        ),
        (
            "<h1>Título</h1><p>Por Ana Ruiz<br>5 de marzo de 2024</p>",
            "Ana Ruiz",
            "2024-03-05",
        ),
        (
            "<h1>Titolo</h1><p>di Ugo Rossi - 5 marzo 2024</p>",
            "Ugo Rossi",
            "2024-03-05",
        ),
        (
            "<h1>标题</h1><p>2024年3月5日 10:00 来源：新华网 作者：王小明</p>",
            "王小明",
            "2024-03-05",
        ),
        (
            "<h1>見出し</h1><p>公開日：2024年3月5日</p><p>執筆者：山田太郎</p>",
            "山田太郎",
            "2024-03-05",
        ),
        (
            "<h1>Заголовок</h1><p>Автор: Иван Петров, 5 марта 2024</p>",
            "Иван Петров",
            "2024-03-05",
        ),
        (
            "<h1>Title</h1><span class=byline>Jane Doe</span><span class=date>5 March 2024</span>",
            "Jane Doe",
            "2024-03-05",
        ),
        (
            "<h1>Title</h1><p>Posted by <a rel=author href=/jane>jdoe</a> on <time datetime=2024-03-05>Tuesday</time>",
            "jdoe",
            "2024-03-05",
        ),
        (
            "<h1>Title</h1><p>Text.</p><div class=post-footer><span class='post-author vcard'>Posted by <span class=fn>Jane</span></span> \
          <abbr class=published title='2024-03-05T09:00:00Z'>9:00</abbr></div>",
            "Jane",
            "2024-03-05T09:00:00Z",
        ),
        (
            "<h1>عنوان</h1><p>بقلم: أحمد علي</p><p>نشر في ٥ مارس ٢٠٢٤</p>",
            "أحمد علي",
            "2024-03-05",
        ),
        (
            "<h1>כותרת</h1><p>מאת: דנה כהן | 5 במרץ 2024</p>",
            "דנה כהן",
            "2024-03-05",
        ),
        (
            "<h1>शीर्षक</h1><p>लेखक: राम शर्मा</p><p>5 मार्च 2024</p>",
            "राम शर्मा",
            "2024-03-05",
        ),
        (
            "<h1>عنوان</h1><p>نویسنده: علی رضایی</p><p>تاریخ انتشار: ۱۵ اسفند ۱۴۰۲</p>",
            "علی رضایی",
            "2024-03-05",
        ),
    ] {
        let found = read(&format!("<html lang=en-GB><nav>Home</nav><main>{html}</main>"));
        assert_eq!(texts(&found.authors), [author], "{html}");
        assert_eq!(text(&found.published).map(|(day, _)| day), Some(day), "{html}");
    }
}

#[test]
fn a_declared_author_whom_the_page_does_not_show_is_no_author() {
    let hidden = YOAST.replace(", von Eva Muster", "");
    assert_eq!(read(&hidden).authors, None);
    let owner = "<meta name=author content='Max Besitzer'><header>Max Besitzer</header><h1>Preise</h1><p>Text.";
    assert_eq!(read(owner).authors, None);
    let byline = "<meta name=author content='Max Besitzer'><h1>Preise</h1><p>Max Besitzer</p><p>Text.";
    assert_eq!(texts(&read(byline).authors), ["Max Besitzer"]);
}

#[test]
fn the_day_that_readers_see_comes_before_one_that_is_a_little_beside() {
    let page = |shown: &str| {
        format!(
            "<html lang=de><meta property=article:published_time content='2024-03-04T23:30:00Z'><h1>Titel</h1><p>{shown}</p><p>Text</p>"
        )
    };
    for (shown, expected) in [
        ("5. März 2024, 00:30 Uhr", "2024-03-05"),
        ("4. März 2024", "2024-03-04T23:30:00Z"),
        ("5. März 2022", "2024-03-04T23:30:00Z"),
        ("", "2024-03-04T23:30:00Z"),
    ] {
        let found = read(&page(shown));
        assert_eq!(text(&found.published).map(|(day, _)| day), Some(expected), "{shown}");
    }
}

#[test]
fn the_day_of_an_event_is_not_that_of_the_publication() {
    let page = |below: &str| {
        format!(
            "<html lang=en-GB><script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"headline\":\"Forty roofs\",\
             \"datePublished\":\"2024-05-01T10:00:00+02:00\"}}</script><h1>Forty roofs</h1>{below}<p>Text</p>"
        )
    };
    let declared = "2024-05-01T10:00:00+02:00";
    for (below, expected) in [
        ("<p class=dek>The storm of 29 April 2024 took forty roofs</p>", declared),
        ("<p class=dek>The storm of 30 April 2024 took forty roofs</p>", declared),
        ("<p>29 April 2024</p>", declared),
        ("<p>30 April 2024</p>", "2024-04-30"),
        ("<p>By Jane Doe, 30 April 2024</p>", "2024-04-30"),
        ("<time>30 April 2024</time>", "2024-04-30"),
        ("<span class=date>Tuesday, 30 April 2024</span>", "2024-04-30"),
        (
            "<p>30 April 2024</p><time datetime=2024-05-01>Wednesday</time>",
            declared,
        ),
        ("<p>30 April 2024</p><p>Published on 1 May 2024</p>", declared),
    ] {
        let found = read(&page(below));
        assert_eq!(text(&found.published).map(|(day, _)| day), Some(expected), "{below}");
    }
}

#[test]
fn the_authors_of_a_list_of_articles_are_not_those_of_the_page() {
    let teaser = |name: &str| format!("<div><h2>An item</h2><a rel=author href=/a>{name}</a></div>");
    let list = |names: &[&str]| {
        format!(
            "<h1>All news</h1>{}",
            names.iter().map(|name| teaser(name)).collect::<String>()
        )
    };
    let four = list(&["Ann Lee", "Bob Ray", "Cy Poe", "Di Fox"]);
    assert_eq!(read(&four).authors, None);
    let article = format!("<meta property=og:type content=article>{four}");
    assert_eq!(texts(&read(&article).authors), ["Ann Lee"]);
    assert_eq!(
        texts(&read(&list(&["Ann Lee", "Ann Lee", "Ann Lee", "Ann Lee"])).authors),
        ["Ann Lee"]
    );
}
