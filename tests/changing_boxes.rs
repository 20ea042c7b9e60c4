//! An article beside boxes that change: related stories, what is most read, teasers, advertisements, the number of comments. Its copies are
//! duplicates, in the templates of many systems and languages.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::support::crawl::Crawl;
use crate::support::page::words;
use crate::support::site::{Answer, Site};

const ARTICLES: usize = 2;
const VERSIONS: usize = 3;

/// The language of a page, as far as its letters matter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    Latin,
    Han,
}

/// The texts of a template, each the same at every run.
struct Source {
    letters: Letters,
    seed: Cell<u64>,
}

impl Source {
    fn next(&self, count: usize) -> String {
        self.seed.set(self.seed.get() + 1);
        words(self.seed.get(), count)
    }

    fn sentence(&self, count: usize) -> String {
        let words = self.next(count);
        match self.letters {
            Letters::Latin => format!("{}{}.", words[..1].to_uppercase(), &words[1..]),
            Letters::Han => format!("{}。", han(&words)),
        }
    }

    fn headline(&self) -> String {
        let sentence = self.sentence(8);
        sentence.trim_end_matches(['.', '。']).to_owned()
    }

    fn paragraph(&self) -> String {
        [14, 19, 11].map(|count| self.sentence(count)).join(" ")
    }

    /// A list of links to other articles, each as the pattern says, with `@` for the headline and `$` for a short text.
    fn links(&self, count: usize, pattern: &str) -> String {
        let one = |_| {
            let (headline, teaser) = (self.headline(), self.sentence(16));
            let link = format!("<a href=/archive/{}>{headline}</a>", self.seed.get());
            pattern
                .replace("[@]", &format!("<a href=/archive/{}>", self.seed.get()))
                .replace("@@", &headline)
                .replace('@', &link)
                .replace('$', &teaser)
        };
        (0..count).map(one).collect()
    }
}

/// A Chinese text as long as the words: a character for each syllable.
fn han(words: &str) -> String {
    let characters: Vec<char> =
        "的一是在有个人这上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学"
            .chars()
            .collect();
    let syllable = |pair: &[u8]| characters[(usize::from(pair[0]) * 31 + usize::from(pair[1]) * 7) % characters.len()];
    words
        .split(' ')
        .flat_map(|word| word.as_bytes().chunks(2).map(syllable).collect::<Vec<_>>())
        .collect()
}

/// What a template is filled with: the article, and the source of what changes.
struct Page {
    heading: String,
    paragraphs: Vec<String>,
    boxes: Source,
    comments: u64,
}

impl Page {
    /// The paragraphs of the article in a range, each between two texts.
    fn text(&self, from: usize, to: usize, before: &str, behind: &str) -> String {
        let texts = self.paragraphs[from..to].iter();
        texts.map(|text| format!("{before}{text}{behind}")).collect()
    }

    fn all(&self) -> String {
        self.text(0, self.paragraphs.len(), "<p>", "</p>")
    }

    fn links(&self, count: usize, pattern: &str) -> String {
        self.boxes.links(count, pattern)
    }

    fn ad(&self) -> String {
        self.boxes.sentence(9)
    }
}

type Template = fn(&Page) -> String;

/// The templates with their names.
#[rustfmt::skip]
const TEMPLATES: &[(&str, Letters, Template)] = &[
    ("WordPress with Jetpack", Letters::Latin, |page| format!(
        "<main id=main class=site-main><article class='post type-post hentry'><header class=entry-header><h1 class=entry-title>{}</h1>\
         <span class=comments-link>{} Comments</span></header><div class=entry-content>{}<div id=jp-relatedposts class=jp-relatedposts>\
         <h3 class=jp-relatedposts-headline><em>Related</em></h3><div class=jp-relatedposts-items>{}</div></div></div></article></main>",
        page.heading, page.comments, page.all(),
        page.links(3, "<div class=jp-relatedposts-post><h4 class=jp-relatedposts-post-title>@</h4><p class=jp-relatedposts-post-excerpt>$</p>\
            <p class=jp-relatedposts-post-date>May 4, 2023</p><p class=jp-relatedposts-post-context>In \"News\"</p></div>"))),
    ("WordPress with YARPP", Letters::Latin, |page| format!(
        "<div id=content><div class='post hentry'><h2>{}</h2><div class=entry>{}<div class='yarpp yarpp-related'><h3>Related posts:</h3><ol>{}\
         </ol></div></div><p class=postmetadata>{} Responses</p></div></div>",
        page.heading, page.all(), page.links(5, "<li>@ <small>$</small></li>"), page.comments)),
    ("Taboola", Letters::Latin, |page| format!(
        "<div class=story><h1>{}</h1>{}<div class=ad-slot>{}</div>{}<div id=taboola-below-article-thumbnails class=trc_rbox>\
         <div class=trc_rbox_header><span class=trc_rbox_header_span>You May Like</span></div>{}</div></div>",
        page.heading, page.text(0, 3, "<p>", "</p>"), page.ad(), page.text(3, 6, "<p>", "</p>"),
        page.links(6, "<div class=videoCube>[@]<span class=video-title>@@</span><span class=branding>Yard & Sons</span></a></div>"))),
    ("Outbrain", Letters::Latin, |page| format!(
        "<section class=main-column><h1>{}</h1>{}</section><div class=OUTBRAIN><div class=ob-widget-header>Recommended for you</div><ul>{}</ul></div>",
        page.heading, page.all(),
        page.links(6, "<li class=ob-dynamic-rec-container>[@]<span class=ob-rec-text>@@</span><span class=ob-rec-source>(Northern Yard)</span></a></li>"))),
    ("AMP", Letters::Latin, |page| format!(
        "<article class=amp-wp-article><header class=amp-wp-article-header><h1 class=amp-wp-title>{}</h1></header>\
         <div class=amp-wp-article-content>{}</div><footer><p>{} comments</p></footer></article><section class=amp-related>\
         <h2>More stories</h2>{}</section>",
        page.heading, page.all(), page.comments,
        page.links(4, "<div class=amp-card><amp-img src=a.jpg width=2 height=1></amp-img><h3>@</h3><p>$</p></div>"))),
    ("Drupal views", Letters::Latin, |page| format!(
        "<div class='region region-content'><h1 class=page-title>{}</h1><article class='node node--type-article'>\
         <div class='field field--name-body'>{}</div></article><div class='views-element-container block block-views'>\
         <h2 class=block-title>Latest news</h2><div class=view-content>{}</div></div></div>",
        page.heading, page.all(),
        page.links(4, "<div class=views-row><div class='views-field views-field-title'><span class=field-content>@</span></div>\
            <div class='views-field views-field-body'><div class=field-content>$</div></div></div>"))),
    ("Blogger", Letters::Latin, |page| format!(
        "<div class='main section' id=main><div class='post hentry'><h3 class='post-title entry-title'>{}</h3><div class='post-body entry-content'>\
         {}</div><div class=post-footer>{} comments:</div></div><div class='widget PopularPosts'><h2>Popular Posts</h2>\
         <div class='widget-content popular-posts'><ul>{}</ul></div></div></div>",
        page.heading, page.text(0, 6, "", "<br/><br/>"), page.comments,
        page.links(5, "<li><div class=item-content><div class=item-title>@</div><div class=item-snippet>$</div></div></li>"))),
    ("components with data attributes", Letters::Latin, |page| format!(
        "<main id=main-content><article><div data-component=headline-block><h1>{}</h1></div>{}</article>\
         <section data-component=top-stories><h2>Top stories</h2><ul>{}</ul></section><section data-component=features><h2>Features</h2>\
         <ul>{}</ul></section><section data-component=most-read><h2>Most read</h2><ol>{}</ol></section></main>",
        page.heading, page.text(0, 6, "<div data-component=text-block><p>", "</p></div>"), page.links(3, "<li><h3>@</h3><p>$</p></li>"),
        page.links(6, "<li><h3>@</h3></li>"), page.links(10, "<li>@</li>"))),
    ("tables", Letters::Latin, |page| format!(
        "<table width=980><tr><td width=160 valign=top><b>Most popular</b><br>{}</td><td valign=top><font size=5><b>{}</b></font>{}\
         <p><b>Related stories</b><br>{}</td><td width=120>{}</td></tr></table>",
        page.links(6, "@<br>"), page.heading, page.all(), page.links(4, "@<br>"), page.ad())),
    ("Chinese portal with lists", Letters::Han, |page| format!(
        "<div class=wrap><div class=article_box><h1>{}</h1><div class=article id=artibody>{}</div><div class=xgxw><h2>相关新闻</h2><ul>{}</ul>\
         </div><p>评论({})</p></div><div class=fr><h3>阅读排行</h3><ol>{}</ol></div></div>",
        page.heading, page.all(), page.links(5, "<li>@</li>"), page.comments, page.links(8, "<li>@</li>"))),
    ("Chinese portal with teasers", Letters::Han, |page| format!(
        "<div class=main_content><h1>{}</h1><div class=text_area>{}</div><div class=tuijian><div class=tit>推荐阅读</div>{}</div></div>",
        page.heading, page.all(), page.links(5, "<div class=item><h4>@</h4><p>$</p><span>3小时前</span></div>"))),
    ("German magazine", Letters::Latin, |page| format!(
        "<article class=beitrag><h1>{}</h1><div class=text>{}</div><section class=weitere><h2>Mehr zum Thema</h2>{}</section>\
         <p>{} Kommentare</p></article>",
        page.heading, page.all(), page.links(4, "<div class=kachel><h3>@</h3><p>$</p></div>"), page.comments)),
    ("German paper with boxes in the text", Letters::Latin, |page| format!(
        "<div id=inhalt><h1>{}</h1>{}<p><strong>Lesen Sie auch: {}</strong></p>{}<div class=kasten><h5>Das könnte Sie auch interessieren</h5>{}\
         </div>{}</div>",
        page.heading, page.text(0, 2, "<p>", "</p>"), page.links(1, "@"), page.text(2, 4, "<p>", "</p>"), page.links(1, "<p>@</p><p>$</p>"),
        page.text(4, 6, "<p>", "</p>"))),
    ("French paper", Letters::Latin, |page| format!(
        "<div class=article__content><h1 class=article__title>{}</h1>{}<p class=encart>À lire aussi : {}</p>{}</div>\
         <div class=zone><h3>Les plus lus</h3><ol>{}</ol><h3>Dans la même rubrique</h3>{}</div>",
        page.heading, page.text(0, 3, "<p>", "</p>"), page.links(1, "@"), page.text(3, 6, "<p>", "</p>"), page.links(5, "<li>@</li>"),
        page.links(3, "<div class=vignette><h4>@</h4><p>$</p></div>"))),
    ("Russian portal", Letters::Latin, |page| format!(
        "<div class=b-text><h1>{}</h1>{}<div class=b-read><b>Читайте также</b>{}</div><div class=b-partners><div>Новости партнёров</div>{}</div></div>",
        page.heading, page.all(), page.links(3, "<p>@</p>"), page.links(4, "<div><div>@</div><div>$</div></div>"))),
    ("Japanese paper", Letters::Han, |page| format!(
        "<div class=honbun><h1>{}</h1>{}</div><dl class=kanren><dt>関連記事</dt>{}</dl><dl><dt>アクセスランキング</dt>{}</dl>",
        page.heading, page.all(), page.links(5, "<dd>@</dd>"), page.links(5, "<dd>@</dd>"))),
    ("Ghost", Letters::Latin, |page| format!(
        "<main class=gh-main><article class=gh-article><h1 class=gh-article-title>{}</h1><section class=gh-content>{}</section></article>\
         <section class=gh-container><h2 class=gh-container-title>Read more</h2><div class=gh-feed>{}</div></section></main>",
        page.heading, page.all(),
        page.links(4, "<article class='gh-card post'>[@]<h3 class=gh-card-title>@@</h3><p class=gh-card-excerpt>$</p></a></article>"))),
    ("names made by a program", Letters::Latin, |page| format!(
        "<div class='ab cd'><h1 class=q1>{}</h1>{}<div class=x7><h2 class=q2>More from Ida Holm</h2>{}</div>\
         <div class=x8><h2 class=q2>Recommended from Northern Yard</h2>{}</div></div>",
        page.heading, page.text(0, 6, "<p class=pw>", "</p>"), page.links(3, "<div class=r5><h3>@</h3><div class=s4>$</div><div>4 min read</div></div>"),
        page.links(4, "<div class=r5><h3>@</h3><div class=s4>$</div><div>4 min read</div></div>"))),
    ("headlines and texts in turn", Letters::Latin, |page| format!(
        "<div id=story><h1>{}</h1>{}<h4>Related articles</h4>{}</div>",
        page.heading, page.all(), page.links(4, "<h5>@</h5><p>$</p>"))),
    ("advertisements as lines", Letters::Latin, |page| format!(
        "<div id=main><div id=story><h1>{}</h1><p>{} comments</p>{}</div><div id=lines><h3>Sponsored</h3>{}</div></div>",
        page.heading, page.comments, page.all(), page.links(4, "<p>@ $</p>"))),
];

/// A version of an article of a template.
fn version(template: usize, article: usize, version: usize) -> String {
    let (name, letters, fill) = TEMPLATES[template];
    let seed = |part: usize| ((template * ARTICLES + article) * (VERSIONS + 1) + part) as u64 * 1_000;
    let own = Source {
        letters,
        seed: Cell::new(seed(0)),
    };
    let heading = own.headline();
    let page = Page {
        paragraphs: (0..6).map(|_| own.paragraph()).collect(),
        boxes: Source {
            letters,
            seed: Cell::new(seed(version + 1)),
        },
        comments: version as u64 * 37 + 2,
        heading: heading.clone(),
    };
    let body = fill(&page);
    format!(
        "<!doctype html><html><head><title>{heading} - {name}</title></head><body><header><a href=/>Yard</a></header>{body}\
         <footer>© Northern Yard</footer></body></html>"
    )
}

/// The templates that may still keep an article more than once. The sentence of an advertisement stands between two paragraphs without a
/// link or a label, so it reads as a paragraph.
const EXCEPTIONS: &[&str] = &["Taboola"];

fn site() -> Site {
    Site::scripted(|asked| {
        let numbers: Vec<usize> = asked.path.split('/').filter_map(|part| part.parse().ok()).collect();
        match numbers[..] {
            [template, article, number] if template < TEMPLATES.len() && article < ARTICLES && number < VERSIONS => {
                Answer::html(version(template, article, number))
            }
            _ => Answer::status(404),
        }
    })
}

#[test]
fn an_article_beside_boxes_that_change_is_kept_once() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/0/0/0"))
        .set("steering.enabled", false)
        .set("scope.max_depth", 0);
    for template in 0..TEMPLATES.len() {
        for (article, version) in (0..ARTICLES).flat_map(|article| (0..VERSIONS).map(move |version| (article, version)))
        {
            crawl.add_seed(&site.url(&format!("/{template}/{article}/{version}")));
        }
    }
    crawl.run();
    let mut kept: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (path, outcome) in crawl.outcomes(&site) {
        let mut numbers = path.split('/').filter_map(|part| part.parse().ok());
        if let (Some(template), Some(article)) = (numbers.next(), numbers.next()) {
            *kept.entry((template, article)).or_default() += usize::from(outcome == "kept");
        }
    }
    assert_eq!(kept.len(), TEMPLATES.len() * ARTICLES);
    let more: Vec<_> = kept
        .iter()
        .filter(|((template, _), count)| **count != 1 && !EXCEPTIONS.contains(&TEMPLATES[*template].0))
        .map(|((template, article), count)| (TEMPLATES[*template].0, article, count))
        .collect();
    assert!(more.is_empty(), "kept more or less than once: {more:?}");
}
