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
fn the_label_of_a_date_tells_what_it_is() {
    for (html, published, modified) in [
        (
            "<p>Published 5 March 2024 | Updated 7 March 2024</p>",
            Some("2024-03-05"),
            Some("2024-03-07"),
        ),
        (
            "<p>Updated 7 March 2024 | Published 5 March 2024</p>",
            Some("2024-03-05"),
            Some("2024-03-07"),
        ),
        (
            "<p>2024年3月5日 公開 2024年3月7日 更新</p>",
            Some("2024-03-05"),
            Some("2024-03-07"),
        ),
        ("<p>2024年3月7日 更新</p>", None, Some("2024-03-07")),
        (
            "<p>5 March 2024</p><p>Last updated: 7 March 2024</p>",
            Some("2024-03-05"),
            Some("2024-03-07"),
        ),
        (
            "<p>Updated <time datetime=2024-03-07>7 March 2024</time></p>",
            None,
            Some("2024-03-07"),
        ),
        (
            "<p>Page last edited: <span class=date>7 March 2024</span></p>",
            None,
            Some("2024-03-07"),
        ),
        (
            "<span class=date>5 March 2024</span><span class=date>Updated: 7 March 2024</span>",
            Some("2024-03-05"),
            Some("2024-03-07"),
        ),
        (
            "<dl><dt>Published</dt><dd>5 March 2024</dd><dt>Updated</dt><dd>7 March 2024</dd></dl>",
            Some("2024-03-05"),
            Some("2024-03-07"),
        ),
        ("<dl><dt>Deadline:</dt><dd>5 March 2024</dd></dl>", None, None),
        ("<p>Deadline: 5 March 2024</p>", None, None),
        ("<div class=date>5 March 2024, 10:00 – 12:00</div>", None, None),
        (
            "<p>Text</p><p>The list was published in a journal. [Seen on 5 March 2024]</p>",
            None,
            None,
        ),
    ] {
        // Far from the heading only labels tell.
        let html = match html.strip_prefix("<p>Text</p>") {
            Some(rest) => format!("{}{rest}", "<p>Text</p>".repeat(40)),
            None => html.to_owned(),
        };
        let found = read(&format!("<html lang=en-GB><main><h1>Title</h1>{html}</main>"));
        assert_eq!(text(&found.published).map(|(day, _)| day), published, "{html}");
        assert_eq!(text(&found.modified).map(|(day, _)| day), modified, "{html}");
    }
}

#[test]
fn a_heading_is_no_label_of_the_date_below() {
    for heading in [
        "<h1>软件更新</h1>",
        "<h1>全市春耕备耕工作全面展开（更新）</h1>",
        "<h1>春の新商品を<br>更新</h1>",
        "<h1>예산안 수정</h1>",
        "<h1>Python Updates</h1>",
        "<h1>Deadline</h1>",
        "<h1>音乐节今天开始</h1>",
        "<div class=post><h2 class=entry-title><a href=/s>サイトの更新</a></h2>",
        // The headline stands twice.
        "<h1>新的管理办法明天发布修改</h1><div class=sub>新的管理办法明天发布修改</div>",
    ] {
        for line in [
            "<div class=info><span class=date>2024-03-05 10:30</span> 来源：新华社</div>",
            "<p>2024年3月5日</p>",
            "<time datetime=2024-03-05>3月5日</time>",
        ] {
            let html = format!("{heading}{line}<p>Text");
            let found = read(&html);
            let day = text(&found.published).map(|(day, _)| &day[..10]);
            assert_eq!((day, found.modified), (Some("2024-03-05"), None), "{html}");
        }
    }
    let labelled =
        "<h1>お知らせ</h1><dl><dt>公開日</dt><dd>2024年3月5日</dd><dt>最終更新日</dt><dd>2024年3月7日</dd></dl>";
    let found = read(labelled);
    assert_eq!(text(&found.published).map(|(day, _)| day), Some("2024-03-05"));
    assert_eq!(text(&found.modified).map(|(day, _)| day), Some("2024-03-07"));
}

#[test]
fn among_declared_days_the_page_shows_one() {
    let page = |shown: &str| {
        format!(
            "<html lang=de><meta property=article:published_time content='2024-03-04'><meta name=dc.date.issued content='2024-03-06'>\
             <ul><li>Mittwoch, 5. März 2024</ul><h1>Titel</h1>{shown}<p>Text</p>"
        )
    };
    for (shown, expected) in [
        ("<span class=date>6. März 2024</span>", "2024-03-06"),
        ("<span class=date>4. März 2024</span>", "2024-03-04"),
        ("<span class=date>Aktualisiert: 6. März 2024</span>", "2024-03-04"),
        ("<span class=date>9. März 2024</span>", "2024-03-04"),
        // The day before the heading is that of the reader.
        ("", "2024-03-04"),
    ] {
        let found = read(&page(shown));
        assert_eq!(text(&found.published).map(|(day, _)| day), Some(expected), "{shown}");
    }
}

#[test]
fn the_day_of_a_post_is_in_the_title_of_its_hour() {
    let found = read(
        "<div itemscope itemtype='http://schema.org/BlogPosting'><h1 itemprop=name>Title</h1><p>Out on 14.08.2017</p>\
         <abbr class=published itemprop=datePublished title='2017-09-09T10:52:00+02:00'>10:52</abbr></div>",
    );
    assert_eq!(
        text(&found.published),
        Some(("2017-09-09T10:52:00+02:00", Source::Microdata))
    );
}

#[test]
fn the_widgets_of_a_page_builder_are_its_text() {
    let widget = |kind: &str, date: &str| {
        format!(
            "<div class='elementor-element elementor-widget elementor-widget-{kind}'><span class=elementor-post-date>{date}</span></div>"
        )
    };
    let page = format!(
        "<html lang=en-GB><h1>Title</h1>{}{}",
        widget("posts", "5 March 2023"),
        widget("post-info", "5 March 2024")
    );
    assert_eq!(text(&read(&page).published).map(|(day, _)| day), Some("2024-03-05"));
}

#[test]
fn the_foot_of_an_article_tells_its_date() {
    let text_of_article = "<p>Text</p>".repeat(40);
    let foot = "<div class='row footer-row'>Published 5 March 2024</div>";
    let within = format!("<html lang=en-GB><article><h1>Title</h1>{text_of_article}{foot}</article>");
    let behind = format!("<html lang=en-GB><article><h1>Title</h1>{text_of_article}</article>{foot}");
    assert_eq!(text(&read(&within).published).map(|(day, _)| day), Some("2024-03-05"));
    assert_eq!(text(&read(&behind).published), None);
}

#[test]
fn a_number_of_json_ld_is_a_time() {
    let page = |number: &str| {
        format!(
            "<script type=application/ld+json>{{\"@type\":\"Article\",\"datePublished\":{number}}}</script><h1>Title</h1>"
        )
    };
    for (number, expected) in [
        ("1709632800000", Some("2024-03-05T10:00:00Z")),
        ("1709632800", Some("2024-03-05T10:00:00Z")),
        ("0", None),
        ("17.5", None),
        // After the fetch.
        ("1795737600000", None),
    ] {
        let found = read(&page(number));
        assert_eq!(text(&found.published).map(|(day, _)| day), expected, "{number}");
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

#[test]
fn buttons_and_labels_beside_an_author_are_no_authors() {
    for (line, expected) in [
        (
            "作者：李建国 <a href='#c'>我要评论</a> <a href='#p'>打印</a>",
            &["李建国"][..],
        ),
        ("作者：李建国 <a href='#'>收藏</a> <a href='#'>分享</a>", &["李建国"]),
        (
            "作者：李建国 王芳　发布时间：2023年11月8日 点击：212次",
            &["李建国", "王芳"],
        ),
        (
            "投稿者: 佐藤健一 投稿日: 2022年6月20日 <a>コメントする</a>",
            &["佐藤健一"],
        ),
        (
            "Av Karin Lindqvist. Publicerad 12 mars 2022 kl 07.45",
            &["Karin Lindqvist"],
        ),
    ] {
        let found = read(&format!(
            "<title>标题 - 网站</title><h1>标题</h1><div class=info>{line}</div><p>Text"
        ));
        assert_eq!(texts(&found.authors), expected, "{line}");
    }
}

#[test]
fn the_day_of_the_reader_in_the_head_of_a_site_is_not_that_of_the_page() {
    let (day, home) = ("Monday, 12 December 2022", "<a href='/'>Home</a>");
    for head in [
        format!("<div id=top><div class=date>{day}</div>{home}</div>"),
        format!("<div id=top>{home}<span id=clock>{day} | 10:31</span></div>"),
        format!("<div id=top><span>Today is {day}</span> {home}</div>"),
        format!("<div id=top><div class=td_data_time>{day}</div>{home}</div>"),
        format!("<ul><li class=current-date>{day}</li><li>{home}</li></ul>"),
        format!("<header><div class=tdb-head-date-txt>{day}</div></header>"),
        format!("<div class=date>{day}</div><nav><a href=a>A</a></nav>"),
        format!("<div class=date>{day}</div><div id=menu><a href=a>A</a></div>"),
        format!("<div><time datetime=2022-12-12>{day}</time>{home}</div>"),
        format!("<div class=today>{day}</div>"),
        format!("<p>Heute ist {day}</p>"),
        format!("<p>今天是{day}</p>"),
        // The day of the fetch.
        "<div class=date>Sunday, 15 June 2025</div>".to_owned(),
    ] {
        let found = read(&format!(
            "<title>The ice house</title><body>{head}<div id=main><h1>The ice house</h1><p>Text"
        ));
        assert_eq!(found.published, None, "{head}");
    }
}

#[test]
fn a_date_above_the_heading_is_that_of_the_page_beside_it() {
    let (day, home) = ("12 December 2022", "<div id=top><a href='/'>Home</a></div>");
    for body in [
        format!("{home}<div id=main><div class=date>{day}</div><h1>The ice house</h1><p>Text"),
        format!("{home}<div class=date>{day}</div><h1>The ice house</h1><p>Text"),
        format!("{home}<article><div><p>{day}</p></div><div><h1>The ice house</h1></div><p>Text"),
        format!("{home}<article><header><time datetime=2022-12-12>{day}</time><h1>The ice house</h1></header><p>Text"),
        format!("{home}<h1>The ice house</h1><p>{day}<p>Text"),
        format!("<div><a href='/'>Home</a> | By Jane Doe | {day}</div><h1>The ice house</h1><p>Text"),
    ] {
        let found = read(&format!("<title>The ice house</title><body>{body}"));
        assert_eq!(text(&found.published).map(|(day, _)| day), Some("2022-12-12"), "{body}");
    }
}

#[test]
fn the_start_of_a_thread_is_the_day_of_the_page() {
    let found = read(
        "<title>Drips</title><h1>Drips</h1><ul><li><span>Start date</span> <a href=x><time datetime=2024-06-14>Jun 14, 2024</time></a></li></ul><p>Text",
    );
    assert_eq!(text(&found.published), Some(("2024-06-14", Source::Time)));
}

#[test]
fn the_days_of_events_and_offers_are_not_those_of_the_page() {
    for line in [
        "Apply by 30 June 2024",
        "Apply before 30 June 2024",
        "Starts 30 June 2024",
        "Sale ends 30 June 2024",
        "Next meeting: 30 June 2024",
        "When: Sunday 30 June 2024, 5 pm",
        "<dl><dt>When</dt><dd>Sunday 30 June 2024, 5 pm</dd></dl>",
        "Effective 30 June 2024",
        "Wann: 30. Juni 2024",
        "Bewerben bis 30. Juni 2024",
        "Quand : 30 juin 2024",
        "Cuándo: 30 de junio de 2024",
        "Inscrições até 30 de junho de 2024",
        "Entro il 30 giugno 2024",
        "Wanneer: 30 juni 2024",
        "Sista ansökningsdag 30 juni 2024",
        "Termin: 30 czerwca 2024",
        "Дата проведения: 30 июня 2024",
        "Коли: 30 червня 2024",
        "Son başvuru: 30 Haziran 2024",
        "Hạn nộp: 30/6/2024",
        "活动时间：2024年6月30日 14:00",
        "上映日期：2024年6月30日",
        "开庭时间：2024-06-30",
        "開催日時：2024年6月30日",
        "행사일시: 2024년 6월 30일",
        "مهلت ثبت نام: 30 ژوئن 2024",
    ] {
        let found = read(&format!("<title>Titel</title><h1>Titel</h1><div>{line}</div><p>Text"));
        assert_eq!(found.published, None, "{line}");
    }
}

#[test]
fn readings_above_words_are_no_words() {
    for (html, title, author) in [
        // Easy news for learners, a novel, and a book for children in Taiwan.
        (
            "<article><h1 class=article-title><ruby>台風<rt>たいふう</rt></ruby>が<ruby>来<rt>き</rt></ruby>ました</h1>\
             <p class=byline>記者：<ruby>山田<rt>やまだ</rt></ruby><ruby>花子<rt>はなこ</rt></ruby></p></article>",
            "台風が来ました",
            "山田花子",
        ),
        (
            "<h1><ruby><rb>吾輩</rb><rp>（</rp><rt>わがはい</rt><rp>）</rp></ruby>は<ruby>猫<rp>(</rp><rt>ねこ</rt><rp>)</rp></ruby>である</h1>\
             <div class=author><ruby>夏目<rp>（</rp><rt>なつめ</rt><rp>）</rp></ruby><ruby>漱石<rp>（</rp><rt>そうせき</rt><rp>）</rp></ruby></div>",
            "吾輩は猫である",
            "夏目漱石",
        ),
        (
            "<h1><ruby>小<rtc><rt>ㄒㄧㄠˇ</rt></rtc>鳥<rtc><rt>ㄋㄧㄠˇ</rt></rtc></ruby>回家</h1><p>作者：<ruby>林<rt>ㄌㄧㄣˊ</rt>小<rt>ㄒㄧㄠˇ</rt>明<rt>ㄇㄧㄥˊ</rt></ruby></p>",
            "小鳥回家",
            "林小明",
        ),
    ] {
        let found = read(html);
        assert_eq!(text(&found.title).map(|(title, _)| title), Some(title), "{html}");
        assert_eq!(texts(&found.authors), [author], "{html}");
    }
    let declared = read(
        "<meta name=author content=夏目漱石><h1>第一話</h1><p><ruby>夏目<rt>なつめ</rt>漱石<rt>そうせき</rt></ruby></p>",
    );
    assert_eq!(texts(&declared.authors), ["夏目漱石"]);
}
