//! Words in the names of classes that say what an element is.

use std::sync::LazyLock;

use crate::map::Map;

/// What class attributes say, each read once for a page. The elements of a page share a few hundred of them.
#[derive(Debug, Default)]
pub(super) struct Meanings<'t> {
    classes: Map<&'t str, Option<Meaning>>,
}

impl<'t> Meanings<'t> {
    /// What a class attribute says.
    pub(super) fn of(&mut self, classes: &'t str) -> Option<Meaning> {
        *self.classes.entry(classes).or_insert_with(|| meaning(classes))
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
    /// The foot of the page, or of an article if it is within one.
    Foot,
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

/// Words by which a date is that of the reader.
const NO_DATE: &[&str] = &[
    "today", "todays", "current", "now", "clock", "heute", "hoy", "oggi", "hoje", "topbar", "masthead", "weather",
];

/// Words for what stands in the head of a site: menus, and the day of the reader.
const HEAD_OF_SITE: &[&[u8]] = &[
    b"menu",
    b"nav",
    b"navbar",
    b"navigation",
    b"topbar",
    b"masthead",
    b"today",
    b"clock",
    b"weather",
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

/// The lists above, as bits.
mod lists {
    pub(super) const AUTHOR: u16 = 1;
    pub(super) const NO_AUTHOR: u16 = 1 << 1;
    pub(super) const PUBLISHED: u16 = 1 << 2;
    pub(super) const MODIFIED: u16 = 1 << 3;
    pub(super) const TITLES: u16 = 1 << 4;
    pub(super) const TITLED: u16 = 1 << 5;
    pub(super) const ZONE: u16 = 1 << 6;
    pub(super) const FOOTER: u16 = 1 << 7;
    /// A word that makes a title if it is the only one.
    pub(super) const HEADLINE: u16 = 1 << 8;
    pub(super) const NO_DATE: u16 = 1 << 9;
}

/// The words of the lists.
struct Words {
    /// For each word the lists that have it.
    lists: Map<&'static [u8], u16>,
    /// For each first letter the last letters, as bits: of letters in ASCII the last five bits in their codes. Few other words have both.
    ends: [u32; 32],
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let lists: [(&[&'static str], u16); 10] = [
        (AUTHOR, lists::AUTHOR),
        (NO_AUTHOR, lists::NO_AUTHOR),
        (PUBLISHED, lists::PUBLISHED),
        (MODIFIED, lists::MODIFIED),
        (TITLES, lists::TITLES),
        (TITLED, lists::TITLED),
        (ZONE, lists::ZONE),
        (FOOTER, lists::FOOTER),
        (&["headline"], lists::HEADLINE),
        (NO_DATE, lists::NO_DATE),
    ];
    let mut all = Words {
        lists: Map::default(),
        ends: [0; 32],
    };
    for (words, list) in lists {
        for word in words.iter().map(|word| word.as_bytes()) {
            *all.lists.entry(word).or_default() |= list;
            if let ([first, ..], [.., last]) = (word, word) {
                all.ends[usize::from(first & 31)] |= 1 << (last & 31);
            }
        }
    }
    all
});

/// The longest word of the lists, in bytes.
const MAX_WORD_BYTES: usize = 15;

/// The lists that have this word.
fn lists_of(word: &[u8]) -> u16 {
    let words = &*WORDS;
    let may_be = |first: u8, last: u8| words.ends[usize::from(first & 31)] & 1 << (last & 31) != 0;
    match word {
        [first, ..] if word.len() <= MAX_WORD_BYTES && may_be(*first, word[word.len() - 1]) => {
            let mut lower = [0; MAX_WORD_BYTES];
            let lower = &mut lower[..word.len()];
            lower.copy_from_slice(word);
            lower.make_ascii_lowercase();
            words.lists.get(&*lower).copied().unwrap_or_default()
        }
        _ => 0,
    }
}

/// Gives the words of a class attribute, those in ASCII in any case: `postAuthor-name` has three.
fn each_word(classes: &str, mut each: impl FnMut(&[u8])) {
    let classes = cut(classes);
    if !classes.is_ascii() {
        return each_word_of_any_script(classes, each);
    }
    let bytes = classes.as_bytes();
    let (mut start, mut before) = (0, b' ');
    for (at, byte) in bytes.iter().copied().enumerate() {
        let ends = !byte.is_ascii_alphanumeric();
        if ends || before.is_ascii_lowercase() && byte.is_ascii_uppercase() {
            if at > start {
                each(&bytes[start..at]);
            }
            start = at + usize::from(ends);
        }
        before = byte;
    }
    if start < bytes.len() {
        each(&bytes[start..]);
    }
}

fn each_word_of_any_script(classes: &str, mut each: impl FnMut(&[u8])) {
    let mut word = String::new();
    let mut after_lower = false;
    for c in classes.chars() {
        let begins = !c.is_alphanumeric() || after_lower && c.is_uppercase();
        if begins && !word.is_empty() {
            each(word.as_bytes());
            word.clear();
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    if !word.is_empty() {
        each(word.as_bytes());
    }
}

/// Whether one of the words of a class attribute is wanted.
fn has_word(classes: &str, is_wanted: impl Fn(&[u8]) -> bool) -> bool {
    let mut found = false;
    each_word(classes, |word| found |= is_wanted(word));
    found
}

/// How the classes of Elementor begin, a program with which people build pages for WordPress. All parts of its pages are widgets; those that
/// list posts are about other pages.
const BUILDER: &str = "elementor-";

/// What a class attribute says. Each class is read for itself.
pub(super) fn meaning(classes: &str) -> Option<Meaning> {
    let mut first = None;
    for meaning in classes.split_ascii_whitespace().filter_map(of_class) {
        // An element that belongs to something else is that, whatever its other classes say.
        if matches!(meaning, Meaning::Zone | Meaning::Foot) {
            return Some(meaning);
        }
        first = first.or(Some(meaning));
    }
    first
}

fn of_class(class: &str) -> Option<Meaning> {
    let (mut all, mut last, mut words) = (0, 0, 0);
    let is_of_builder = class.starts_with(BUILDER);
    each_word(class, |word| {
        let is = |name: &[u8]| is_of_builder && word.eq_ignore_ascii_case(name);
        last = if is(b"widget") {
            0
        } else if is(b"posts") || is(b"loop") {
            lists::ZONE
        } else {
            lists_of(word)
        };
        all |= last;
        words += 1;
    });
    let has = |list: u16| all & list != 0;
    // The foot of an article names its author.
    let is_foot_of_page = has(lists::FOOTER) && !has(lists::TITLED);
    let is_headline = words == 1 && has(lists::HEADLINE);
    if has(lists::ZONE) {
        Some(Meaning::Zone)
    } else if is_foot_of_page {
        Some(Meaning::Foot)
    } else if has(lists::AUTHOR) && !has(lists::NO_AUTHOR) {
        Some(Meaning::Author)
    } else if has(lists::MODIFIED) {
        Some(Meaning::Modified)
    } else if has(lists::PUBLISHED) && !has(lists::NO_DATE) {
        Some(Meaning::Published)
    } else if last & lists::TITLES != 0 && has(lists::TITLED) || is_headline {
        Some(Meaning::Title)
    } else {
        None
    }
}

/// Whether a class or an id is that of a part of the head of a site.
pub(super) fn is_of_head(classes: &str) -> bool {
    has_word(classes, |word| {
        HEAD_OF_SITE.iter().any(|own| word.eq_ignore_ascii_case(own))
    })
}

/// The beginning of a value that is too long.
fn cut(classes: &str) -> &str {
    &classes[..classes.floor_char_boundary(MAX_CLASS_BYTES)]
}

/// Whether the classes of an element say that it is not the page's own: comments, other articles, menus.
pub(crate) fn are_of_zone(classes: &str) -> bool {
    meaning(classes) == Some(Meaning::Zone)
}

/// Whether an id says that its element is not the page's own.
pub(crate) fn is_zone(id: &str) -> bool {
    has_word(id, |word| lists_of(word) & (lists::ZONE | lists::FOOTER) != 0)
}

/// Whether an element within a heading is a line above or below the title.
pub(super) fn is_kicker(classes: &str) -> bool {
    #[rustfmt::skip]
    const KICKER: &[&str] = &[
        "kicker", "overline", "topline", "dachzeile", "eyebrow", "surtitle", "pretitle", "supertitle", "subtitle", "subheadline", "subline",
        "overtitle", "antetitulo", "spitzmarke", "roofline", "roof", "occhiello", "surtitre", "preheadline", "overhead", "headerlink", "permalink",
    ];
    has_word(classes, |word| {
        KICKER.iter().any(|kicker| word.eq_ignore_ascii_case(kicker.as_bytes()))
    }) || is_for_screen_readers(classes)
}

/// Whether only screen readers read an element: most often the label of what is beside it.
pub(super) fn is_for_screen_readers(classes: &str) -> bool {
    let lower = cut(classes).to_ascii_lowercase();
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
