//! How do the bytes of a response become a page?
//!
//! [`read()`] turns a body into characters, characters into a tree, and the tree into title, main text, links, directives and
//! language. The crate does no I/O and knows no database and no async runtime, so every caller reads a page the same way.
//!
//! - [`content_type`]: the parts of a `Content-Type` header; [`sniff`]: the kind of bytes without a declared type
//! - `decode`: bytes into characters
//! - `parse`: characters into a tree; its title, links and directives
//! - [`documents`]: PDF and other documents that are not HTML
//! - `extract`: the main text of a tree, by an [`ExtractRule`] of the user if there is one; `extract::markdown`: the same as Markdown
//! - `language`: the language of a text; `soft_404`: error pages that are served with status 200; [`wall()`]: pages that
//!   stand in the way of the one that was asked for; `phrase`: folded phrases; `words`: a count of words
//! - `on_request`: the tree with all attributes; `map`: fast hash maps; `not_a_page`: why bytes are not a page
//! - `page_type`: article, listing, product, forum, documentation or service
//! - `read`: all stages, joined
//! - [`metadata()`]: what a page says about itself, with the source of each value, for those who ask
//! - `format`: HTML, XHTML or a document; `form`: the forms of a page; `sign`: whether a page shows a text or an element
//!
//! ```
//! let url = url::Url::parse("https://example.org/")?;
//! let options = page::Options { agent: "mybot", embedded: false, max_text_bytes: 1 << 20, extract: None, favor: page::Favor::default(), documents: page::Documents::all(), markdown: None, metadata: None };
//! let html = b"<title>Hello</title><body><p>Some words.</p><a href=/next>next</a>";
//! let page = page::read(html, &http::HeaderMap::new(), &url, &options)?;
//! assert_eq!((page.title.as_str(), page.outlinks[0].url.path()), ("Hello", "/next"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod content_type;
mod decode;
pub mod documents;
mod extract;
mod form;
mod format;
#[cfg(feature = "training")]
pub use extract::training;
mod home_link;
mod language;
mod map;
mod metadata;
mod not_a_page;
mod on_request;
mod page_type;
#[cfg(feature = "training")]
pub use page_type::training as page_type_training;
mod parse;
mod phrase;
mod read;
mod scale;
mod sign;
pub mod sniff;
mod soft_404;
#[cfg(feature = "stages")]
pub mod stages;
mod telling_heading;
mod wall;
mod words;

pub use self::documents::{Documents, missing_in_words};
pub use decode::EncodingSource;
pub use extract::markdown::{Links, MarkdownOptions};
pub use extract::{ExtractRule, Favor, InvalidSelector, RuleEffect};
pub use form::{Form, FormField};
pub use metadata::{Metadata, Source, Sourced, Value};
pub use not_a_page::NotAPage;
pub use on_request::metadata;
pub use page_type::PageType;
pub use parse::{
    HeaderLinks, HtmlRedirect, HtmlRedirectKind, LinkKind, Outlink, RobotsDirectives, Truncation, header_links,
    most_reading_bytes, parse_refresh, reading_bytes,
};
pub use read::{
    CanonicalLinks, Options, Page, PageRobots, declared_media_type, is_page, is_page_type, is_read_apart, read,
    x_robots_tag,
};
pub use sign::{Shown, Sign};
pub use wall::{Answer, Notice, Wall, WallKind, notice, wall, wall_by_header};
