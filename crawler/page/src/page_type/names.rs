//! The words of class names and ids that tell of the type of a page, each value read once for a page.

use std::sync::LazyLock;

use crate::map::Map;

/// Longest value that is read, in bytes.
pub(super) const MAX_VALUE_BYTES: usize = 1024;

/// Most values that are read on a page. Real pages have a few hundred.
const MAX_VALUES: usize = 4096;

/// The topics of names, by their words. The model knows a topic by its name.
pub(super) const TOPICS: [(&str, &[&str]); 22] = [
    ("comments", &["comment", "comments", "disqus", "respond"]),
    ("posts", &["post", "posts", "message", "reply", "replies"]),
    (
        "forum",
        &[
            "forum",
            "forums",
            "thread",
            "threads",
            "topic",
            "topics",
            "board",
            "phpbb",
            "discourse",
            "xenforo",
            "vbulletin",
        ],
    ),
    ("authors", &["author", "authors", "byline", "contributor"]),
    ("users", &["user", "username", "avatar", "member", "profile", "poster"]),
    (
        "votes",
        &[
            "vote",
            "votes",
            "upvote",
            "score",
            "answer",
            "answers",
            "question",
            "questions",
            "accepted",
        ],
    ),
    ("dates", &["date", "published", "timestamp", "time", "dateline"]),
    ("prices", &["price", "prices", "pricing", "money"]),
    (
        "cart",
        &["cart", "basket", "buy", "addtocart", "checkout", "quantity", "qty"],
    ),
    ("products", &["product", "products", "sku", "woocommerce", "shopify"]),
    (
        "variants",
        &[
            "variant", "variants", "swatch", "swatches", "stock", "shipping", "wishlist", "spec", "specs",
        ],
    ),
    ("reviews", &["review", "reviews", "rating", "ratings", "stars"]),
    ("gallery", &["gallery", "thumbnail", "thumbnails", "zoom", "slider"]),
    (
        "docs",
        &[
            "doc",
            "docs",
            "documentation",
            "api",
            "reference",
            "sphinx",
            "docusaurus",
            "rst",
            "manual",
            "sphinxsidebar",
            "rustdoc",
            "mkdocs",
        ],
    ),
    (
        "contents",
        &[
            "toc",
            "tableofcontents",
            "toctree",
            "onthispage",
            "headerlink",
            "anchorjs",
            "hash",
        ],
    ),
    (
        "code",
        &[
            "highlight",
            "code",
            "hljs",
            "prettyprint",
            "codehilite",
            "snippet",
            "param",
            "params",
            "parameter",
            "method",
            "signature",
        ],
    ),
    ("pages", &["pagination", "pager", "paginate", "paging", "loadmore"]),
    (
        "filters",
        &[
            "filter", "filters", "facet", "facets", "sort", "sorting", "refine", "toolbar",
        ],
    ),
    (
        "cards",
        &[
            "card",
            "cards",
            "grid",
            "tile",
            "tiles",
            "listing",
            "listings",
            "results",
            "teaser",
            "collection",
            "archive",
            "category",
        ],
    ),
    (
        "articles",
        &["article", "entry", "story", "blog", "news", "single", "headline"],
    ),
    (
        "heroes",
        &[
            "hero",
            "cta",
            "banner",
            "jumbotron",
            "feature",
            "features",
            "testimonial",
            "testimonials",
            "faq",
            "accordion",
            "services",
            "service",
        ],
    ),
    (
        "related",
        &["related", "share", "sharing", "newsletter", "subscribe", "tags"],
    ),
];

/// The topics that tell of people: `authors` and `users`.
pub(super) const PEOPLE: Topics = 1 << 3 | 1 << 4;

/// A set of topics, a bit for each.
pub(super) type Topics = u32;

/// The values that were read. The elements of a page share a few hundred of them.
#[derive(Default)]
pub(super) struct Names<'t> {
    topics: Map<&'t str, Topics>,
}

impl<'t> Names<'t> {
    /// The topics of the names in the value of an attribute.
    pub(super) fn topics(&mut self, value: &'t str) -> Topics {
        if value.is_empty() {
            return 0;
        }
        if let Some(topics) = self.topics.get(value) {
            return *topics;
        }
        if self.topics.len() >= MAX_VALUES {
            return 0;
        }
        let topics = topics_of(value);
        self.topics.insert(value, topics);
        topics
    }
}

/// The topics of all words in a text. A word ends where there is no letter, and where a capital follows a small letter.
pub(super) fn topics_of(text: &str) -> Topics {
    let bytes = text.as_bytes();
    let (mut topics, mut start) = (0, 0);
    for end in 1..=bytes.len() {
        let joins = end < bytes.len()
            && bytes[end].is_ascii_alphabetic() == bytes[end - 1].is_ascii_alphabetic()
            && !(bytes[end - 1].is_ascii_lowercase() && bytes[end].is_ascii_uppercase());
        if !joins {
            topics |= topics_of_word(&bytes[start..end]);
            start = end;
        }
    }
    topics
}

fn topics_of_word(word: &[u8]) -> Topics {
    let mut lower = [0; 16];
    let Some(lower) = lower.get_mut(..word.len()).filter(|lower| lower.len() > 2) else {
        return 0;
    };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    WORDS.get(&*lower).copied().unwrap_or(0)
}

static WORDS: LazyLock<Map<&[u8], Topics>> = LazyLock::new(|| {
    let of_topic = |(topic, (_, words)): (usize, &(&str, &'static [&'static str]))| {
        words.iter().map(move |word| (word.as_bytes(), 1 << topic))
    };
    TOPICS.iter().enumerate().flat_map(of_topic).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of(text: &str) -> Vec<&'static str> {
        let topics = topics_of(text);
        let is_named = |(topic, (name, _)): (usize, &(&'static str, _))| (topics >> topic & 1 == 1).then_some(*name);
        TOPICS.iter().enumerate().filter_map(is_named).collect()
    }

    #[test]
    fn words_end_where_no_letter_is_and_where_a_capital_follows() {
        assert_eq!(names_of("btn addToCart-2"), ["cart"]);
        assert_eq!(names_of("POST_author"), ["posts", "authors"]);
        assert_eq!(names_of("postal x authoritative"), Vec::<&str>::new());
        assert_eq!(names_of(""), Vec::<&str>::new());
    }

    #[test]
    fn people_are_authors_and_users() {
        let people = TOPICS.iter().enumerate().filter(|(topic, _)| PEOPLE >> topic & 1 == 1);
        assert_eq!(
            people.map(|(_, (name, _))| *name).collect::<Vec<_>>(),
            ["authors", "users"]
        );
    }
}
