//! Words in the names of classes that say what an element is.

use crate::map::Map;

/// What the values of attributes say, each read once for a page. The elements of a page share a few hundred of them.
#[derive(Debug, Default)]
pub(super) struct Meanings<'t> {
    classes: Map<&'t str, Option<Meaning>>,
    zones: Map<&'t str, bool>,
}

impl<'t> Meanings<'t> {
    /// What a class attribute says.
    pub(super) fn of(&mut self, classes: &'t str) -> Option<Meaning> {
        *self.classes.entry(classes).or_insert_with(|| meaning(classes))
    }

    /// Whether an id says that its element is not the page's own.
    pub(super) fn is_zone(&mut self, id: &'t str) -> bool {
        *self.zones.entry(id).or_insert_with(|| is_zone(id))
    }
}

/// What a class says of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Author,
    Published,
    Modified,
    /// The title of the page, of an article.
    Title,
    /// Not the page's own: comments, other articles, menus.
    Zone,
}

/// Longest value of a class attribute that is read, in bytes.
const MAX_CLASS_BYTES: usize = 512;

#[rustfmt::skip]
const AUTHOR: &[&str] = &[
    "author", "authors", "authorname", "byline", "bylines", "autor", "autoren", "autores", "auteur", "auteurs",
    "autore", "autori", "verfasser", "writer", "redakteur", "journalist", "writtenby", "postedby", "auther", "zuozhe",
    "skribent", "forfatter", "kirjoittaja", "username",
];

/// Words by which an element only accompanies an author.
#[rustfmt::skip]
const NO_AUTHOR: &[&str] = &[
    "avatar", "image", "img", "photo", "picture", "pic", "icon", "thumb", "bio", "biography", "description", "desc",
    "comment", "comments", "social", "follow", "job", "role", "title", "position", "email", "mail", "count", "date",
    "data", "datum", "time", "twitter", "related", "more", "recent", "articles", "posts", "caption", "copyright",
    "about", "biographical", "org", "function", "intro", "quote", "note", "notes",
];

#[rustfmt::skip]
const PUBLISHED: &[&str] = &[
    "date", "published", "pubdate", "timestamp", "datum", "fecha", "data", "posted", "dateline", "publishdate",
    "publishtime", "postdate", "entrydate", "dtpublished", "datetime", "time", "created", "erstellt", "pubtime",
    "riqi",
];

const MODIFIED: &[&str] = &[
    "updated",
    "modified",
    "dateupdated",
    "datemodified",
    "dtupdated",
    "changed",
    "aktualisiert",
];

/// The last words of the classes of titles, after a word for what they are the title of.
const TITLES: &[&str] = &["title", "headline", "titel", "heading", "header", "titre"];
#[rustfmt::skip]
const TITLED: &[&str] = &[
    "entry", "post", "article", "page", "news", "story", "content", "p", "node", "artikel", "single", "detail",
    "main",
];

#[rustfmt::skip]
const ZONE: &[&str] = &[
    "comment", "comments", "respond", "reply", "replies", "disqus", "related", "recommend", "recommended",
    "recommendations", "sidebar", "widget", "widgets", "menu", "nav", "navbar", "navigation", "breadcrumb",
    "breadcrumbs", "popular", "trending", "promo", "newsletter", "latest", "recirc", "similar", "kommentare",
    "kommentar", "comentarios", "commentaires", "commentlist", "cookie", "cookies", "ad", "ads", "advert",
    "advertisement", "carousel", "slider", "ticker", "mostread", "readmore", "pagination", "modal", "popup",
];

const FOOTER: &[&str] = &["footer", "foot"];

/// The words of a class attribute in lower case: `postAuthor-name` has three.
fn words(classes: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut after_lower = false;
    for c in super::text::cut(classes, MAX_CLASS_BYTES).chars() {
        let begins = !c.is_alphanumeric() || after_lower && c.is_uppercase();
        if begins && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// What a class attribute says. Each class is read for itself.
fn meaning(classes: &str) -> Option<Meaning> {
    let found: Vec<Meaning> = classes.split_ascii_whitespace().filter_map(of_class).collect();
    // An element that belongs to something else is that, whatever its other classes say.
    let zone = found.iter().find(|meaning| **meaning == Meaning::Zone);
    zone.or(found.first()).copied()
}

fn of_class(class: &str) -> Option<Meaning> {
    let words = words(class);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let last_is = |list: &[&str]| words.last().is_some_and(|word| list.contains(&word.as_str()));
    // The foot of an article names its author.
    let is_foot_of_page = has(FOOTER) && !has(TITLED);
    if has(ZONE) || is_foot_of_page {
        Some(Meaning::Zone)
    } else if has(AUTHOR) && !has(NO_AUTHOR) {
        Some(Meaning::Author)
    } else if has(MODIFIED) {
        Some(Meaning::Modified)
    } else if has(PUBLISHED) {
        Some(Meaning::Published)
    } else if last_is(TITLES) && has(TITLED) || words == ["headline"] {
        Some(Meaning::Title)
    } else {
        None
    }
}

/// Whether an id says that its element is not the page's own.
fn is_zone(id: &str) -> bool {
    words(id)
        .iter()
        .any(|word| ZONE.contains(&word.as_str()) || FOOTER.contains(&word.as_str()))
}

/// Whether an element within a heading is a line above or below the title.
pub(super) fn is_kicker(classes: &str) -> bool {
    #[rustfmt::skip]
    const KICKER: &[&str] = &[
        "kicker", "overline", "topline", "dachzeile", "eyebrow", "surtitle", "pretitle", "supertitle", "subtitle", "subheadline", "subline",
        "overtitle", "antetitulo", "spitzmarke", "roofline", "roof", "occhiello", "surtitre", "preheadline", "overhead", "headerlink", "permalink",
    ];
    words(classes).iter().any(|word| KICKER.contains(&word.as_str())) || is_for_screen_readers(classes)
}

/// Whether only screen readers read an element: most often the label of what is beside it.
pub(super) fn is_for_screen_readers(classes: &str) -> bool {
    let lower = super::text::cut(classes, MAX_CLASS_BYTES).to_ascii_lowercase();
    [
        "screen-reader",
        "sr-only",
        "sronly",
        "visually-hidden",
        "visuallyhidden",
    ]
    .iter()
    .any(|name| lower.contains(name))
}
