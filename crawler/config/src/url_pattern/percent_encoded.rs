//! A regular expression as one of percent-encoded URLs.
//!
//! A canonical URL has other characters than ASCII percent-encoded, so an expression with them as they are would match no URL.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, ClassSetItem, Flag, FlagsItemKind, Span, Visitor};

/// The expression with its literals percent-encoded that are not ASCII. An invalid expression stays as it is, for the parser to refuse.
///
/// # Errors
/// The expression has a set of characters that no URL has: one with a character that is not ASCII, or without any that is.
pub(super) fn percent_encoded(text: &str) -> Result<String, String> {
    let Ok(parsed) = Parser::new().parse(text) else {
        return Ok(text.to_owned());
    };
    let found = ast::visit(&parsed, Literals::default())?;
    let (mut encoded, mut at) = (String::with_capacity(text.len()), 0);
    for (span, c) in found.literals {
        encoded.push_str(text.get(at..span.start.offset).unwrap_or_default());
        encoded.push_str(&alternatives(c, found.ignores_case));
        at = span.end.offset;
    }
    encoded.push_str(text.get(at..).unwrap_or_default());
    Ok(encoded)
}

/// Matches the character where it is percent-encoded.
fn alternatives(c: char, ignores_case: bool) -> String {
    let mut cases = vec![c];
    if ignores_case {
        cases.extend(c.to_lowercase().chain(c.to_uppercase()));
        cases.sort_unstable();
        cases.dedup();
    }
    let encoded = |c: &char| utf8_percent_encode(c.encode_utf8(&mut [0; 4]), NON_ALPHANUMERIC).to_string();
    format!("(?:{})", cases.iter().map(encoded).collect::<Vec<_>>().join("|"))
}

/// The literals of an expression that are not ASCII, in their order.
#[derive(Default)]
struct Literals {
    literals: Vec<(Span, char)>,
    /// Whether a part of the expression ignores case. A part that does not then matches both cases of its letters, which no URL notices.
    ignores_case: bool,
}

impl Literals {
    fn flags(&mut self, flags: &ast::Flags) {
        let ignores = |item: &ast::FlagsItem| item.kind == FlagsItemKind::Flag(Flag::CaseInsensitive);
        self.ignores_case |= flags.items.iter().any(ignores);
    }
}

fn no_such_class() -> String {
    "a URL has other characters than ASCII percent-encoded, so a set of characters cannot name them: write alternatives, such as \
     (新闻|公告) instead of [新公]"
        .to_owned()
}

impl Visitor for Literals {
    type Output = Self;
    type Err = String;

    fn finish(self) -> Result<Self, String> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), String> {
        match ast {
            Ast::Literal(literal) if !literal.c.is_ascii() => self.literals.push((literal.span, literal.c)),
            Ast::Flags(set) => self.flags(&set.flags),
            Ast::Group(group) => group.flags().into_iter().for_each(|flags| self.flags(flags)),
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), String> {
        let is_ascii = match item {
            ClassSetItem::Literal(literal) => literal.c.is_ascii(),
            ClassSetItem::Range(range) => range.start.c.is_ascii() && range.end.c.is_ascii(),
            _ => true,
        };
        if is_ascii { Ok(()) } else { Err(no_such_class()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_percent_encoded_and_the_rest_stays() {
        for (text, expected) in [
            ("/docs/[^/]+\\.html$", "/docs/[^/]+\\.html$"),
            ("/新+/", "/(?:%E6%96%B0)+/"),
            ("é|\\u{e9}|\\xe9", "(?:%C3%A9)|(?:%C3%A9)|(?:%C3%A9)"),
            ("(?i)é", "(?i)(?:%C3%89|%C3%A9)"),
            ("(?i:é)", "(?i:(?:%C3%89|%C3%A9))"),
            ("(?x) é # é", "(?x) (?:%C3%A9) # é"),
            ("(?P<名>a)", "(?P<名>a)"),
            // An invalid one.
            ("(é", "(é"),
        ] {
            assert_eq!(percent_encoded(text).unwrap(), expected, "{text}");
        }
        for text in ["[新闻]", "[^新]", "[a-ÿ]", "[[:alpha:]é]", "[\\u{4e00}-\\u{9fff}]"] {
            assert!(percent_encoded(text).unwrap_err().contains("percent-encoded"), "{text}");
        }
    }
}
