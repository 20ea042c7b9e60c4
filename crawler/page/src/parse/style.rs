//! The URLs in a style sheet or a `style` attribute (CSS Syntax Level 3, section 4): `url(a)`, `url("a")`, `@import "a"`.

use cssparser::{ParseError, Parser, Token};

use super::LinkKind;
use super::outlinks::MAX_REFERENCE_BYTES;

/// Calls `each` with every URL in `style`, unescaped, until it returns false. Skips URLs with data, and those that only name a
/// namespace.
pub(super) fn urls(style: &str, each: &mut dyn FnMut(&str, LinkKind) -> bool) {
    let mut found = Found { each, wants_more: true };
    found.read(&mut Parser::new(style));
}

struct Found<'e> {
    each: &'e mut dyn FnMut(&str, LinkKind) -> bool,
    wants_more: bool,
}

/// What the tokens so far say about the next URL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Value,
    /// Behind `@import`: a string is a URL, too.
    Import,
    /// In a statement such as `@namespace`, whose URLs name no resource.
    Name,
}

impl Found<'_> {
    /// Reads the tokens of a block, or of the whole style sheet.
    fn read(&mut self, parser: &mut Parser<'_>) {
        let mut place = Place::Value;
        while self.wants_more
            && let Ok(token) = parser.next()
        {
            match token {
                Token::UnquotedUrl(url) => place = self.take(url, place),
                Token::QuotedString(url) if place == Place::Import => place = self.take(url, place),
                Token::Function(name) if name.eq_ignore_ascii_case("url") => {
                    // A block always closes: an open one ends with the text.
                    let url = parser.parse_nested_block(|block| Ok::<_, ParseError<()>>(block.expect_string_cloned()?));
                    if let Ok(url) = url {
                        place = self.take(&url, place);
                    }
                }
                Token::AtKeyword(name) if name.eq_ignore_ascii_case("import") => place = Place::Import,
                Token::AtKeyword(name) if name.eq_ignore_ascii_case("namespace") => place = Place::Name,
                Token::Semicolon => place = Place::Value,
                Token::Function(_) | Token::ParenthesisBlock | Token::SquareBracketBlock | Token::CurlyBracketBlock => {
                    // The parser limits the depth of blocks, and what is deeper belongs to the block around it.
                    let _ = parser.parse_nested_block(|block| {
                        self.read(block);
                        Ok::<_, ParseError<()>>(())
                    });
                }
                _ => {}
            }
        }
    }

    /// Takes a URL, and returns the place behind it.
    fn take(&mut self, url: &str, place: Place) -> Place {
        let kind = match place {
            Place::Value => LinkKind::StyleUrl,
            Place::Import => LinkKind::StyleImport,
            Place::Name => return place,
        };
        let is_data = url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
        if !is_data && url.len() <= MAX_REFERENCE_BYTES {
            self.wants_more = (self.each)(url, kind);
        }
        Place::Value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(style: &str) -> Vec<String> {
        let mut found = Vec::new();
        urls(style, &mut |url, kind| {
            found.push(match kind {
                LinkKind::StyleImport => format!("@{url}"),
                _ => url.to_owned(),
            });
            true
        });
        found
    }

    #[test]
    fn urls_are_found_as_the_standard_says() {
        let cases: &[(&str, &[&str])] = &[
            ("a { background: url(a.png) }", &["a.png"]),
            ("background:url( 'a.png' ) , URL(\"b c.png\")", &["a.png", "b c.png"]),
            (
                "a{b:url(a.png) no-repeat,url(b.png);c:u\\72l(d.png)}",
                &["a.png", "b.png", "d.png"],
            ),
            // Escapes.
            (
                "url(a\\ b.png) url('a\\'b') url(\\61 bc) url('a\\\nb')",
                &["a b.png", "a'b", "abc", "ab"],
            ),
            // No token of a URL.
            ("url(a b) url(a'b) url(a(b) url('a\nb) url(c)", &["c"]),
            (
                "/* url(a) */ 'url(b)' \"url(c)\" curl(d) url (e) -url(f) url(g)",
                &["g"],
            ),
            ("url(a /* b */) url(/*c*/)", &["/*c*/"]),
            ("url() url('') url(#a)", &["", "", "#a"]),
            ("url(data:image/png;base64,AA==) url('DATA:,x') url(d)", &["d"]),
            // Import.
            (
                "@import 'a.css'; @import url(b.css) screen; @IMPORT url('c.css')",
                &["@a.css", "@b.css", "@c.css"],
            ),
            (
                "@import/**/\"a.css\" layer(x) supports(background: url(b));'c'",
                &["@a.css", "b"],
            ),
            ("@import; 'a' url(b)", &["b"]),
            (
                "@charset 'a'; @namespace s url(http://www.w3.org/2000/svg); url(b)",
                &["b"],
            ),
            (
                "@font-face { src: url(a.woff2) format('woff2'), local('b') }",
                &["a.woff2"],
            ),
            // Blocks, also open ones and ones that close nothing.
            ("@media print { a { b: image-set(url(c) 1x) } } url(d)", &["c", "d"]),
            ("a { b: ( url(c) } url(d)", &["c", "d"]),
            ("} ) ] url(a", &["a"]),
            ("url('a", &["a"]),
            ("<!-- a{b:url(c)} -->", &["c"]),
        ];
        for (style, expected) in cases {
            assert_eq!(found(style), *expected, "{style}");
        }
        let deep = format!("{}url(a){}url(b)", "{(".repeat(5_000), ")}".repeat(5_000));
        assert!(found(&deep).contains(&"a".to_owned()), "{:?}", found(&deep));
        assert_eq!(found(&format!("url({}) url(b)", "a".repeat(10_000))), ["b"]);
    }

    #[test]
    fn the_search_ends_on_request() {
        let mut count = 0;
        urls(&"a{b:url(c)}url(d)".repeat(100), &mut |_, _| {
            count += 1;
            count < 7
        });
        assert_eq!(count, 7);
    }

    proptest::proptest! {
        #[test]
        fn any_style_is_read(style in "([(){}\\[\\];'\"\\\\ \n/*@a]|url\\(|@import|data:){0,60}") {
            for url in found(&style) {
                proptest::prop_assert!(!url.starts_with("data:"), "{url:?}");
            }
        }
    }
}
