//! Converts a regular expression to one that matches percent-encoded URLs.
//!
//! In a canonical URL, characters that are not ASCII are percent-encoded. So an expression that has them as they are would match no URL.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, ClassSet, ClassSetBinaryOpKind, ClassSetItem, Flag, FlagsItemKind, Span, Visitor};
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{Class, HirKind};

/// The expression; its literals that are not ASCII are percent-encoded. An invalid expression stays as it is, because the parser refuses it later.
///
/// # Errors
/// The expression has a set that names a character that is not ASCII, or one of only such characters. A set that excludes some matches as ever.
pub(super) fn percent_encoded(text: &str) -> Result<String, String> {
    let Ok(parsed) = Parser::new().parse(text) else {
        return Ok(text.to_owned());
    };
    let found = ast::visit(&parsed, Literals::of(text))?;
    let (mut encoded, mut at) = (String::with_capacity(text.len()), 0);
    for (span, c) in found.literals {
        encoded.push_str(text.get(at..span.start.offset).unwrap_or_default());
        encoded.push_str(&alternatives(c, found.ignores_case));
        at = span.end.offset;
    }
    encoded.push_str(text.get(at..).unwrap_or_default());
    Ok(encoded)
}

/// Matches the character where it is percent-encoded: in capitals in a canonical URL, and in either case in one that a page is read with.
fn alternatives(c: char, ignores_case: bool) -> String {
    let mut cases = vec![c];
    if ignores_case {
        cases.extend(c.to_lowercase().chain(c.to_uppercase()));
        cases.sort_unstable();
        cases.dedup();
    }
    let encoded = |c: &char| utf8_percent_encode(c.encode_utf8(&mut [0; 4]), NON_ALPHANUMERIC).to_string();
    format!("(?i:{})", cases.iter().map(encoded).collect::<Vec<_>>().join("|"))
}

/// The literals of an expression that are not ASCII, in their order.
struct Literals<'t> {
    /// The whole expression.
    text: &'t str,
    literals: Vec<(Span, char)>,
    /// Whether a part of the expression ignores case. Then every letter that is not ASCII matches in both cases, also in the other parts: this
    /// hardly ever matters for a URL.
    ignores_case: bool,
}

impl<'t> Literals<'t> {
    fn of(text: &'t str) -> Self {
        Self {
            text,
            literals: Vec::new(),
            ignores_case: false,
        }
    }

    /// Whether a set has characters, and none that is ASCII. An invalid one is for the parser to refuse.
    fn is_beyond_ascii(&self, set: &Ast) -> bool {
        let Ok(set) = Translator::new().translate(self.text, set) else {
            return false;
        };
        match set.kind() {
            HirKind::Class(Class::Unicode(class)) => {
                class.ranges().first().is_some_and(|range| !range.start().is_ascii())
            }
            HirKind::Literal(literal) => !literal.0.is_ascii(),
            _ => false,
        }
    }

    fn flags(&mut self, flags: &ast::Flags) {
        let ignores = |item: &ast::FlagsItem| item.kind == FlagsItemKind::Flag(Flag::CaseInsensitive);
        self.ignores_case |= flags.items.iter().any(ignores);
    }
}

/// Whether a set names a character that is not ASCII, as one that it has and not as one that it excludes.
fn names_beyond_ascii(set: &ClassSet, has: bool) -> bool {
    match set {
        ClassSet::Item(item) => item_names_beyond_ascii(item, has),
        ClassSet::BinaryOp(operation) => {
            let is_excluded = operation.kind == ClassSetBinaryOpKind::Difference;
            names_beyond_ascii(&operation.lhs, has) || names_beyond_ascii(&operation.rhs, has != is_excluded)
        }
    }
}

fn item_names_beyond_ascii(item: &ClassSetItem, has: bool) -> bool {
    match item {
        ClassSetItem::Literal(literal) => has && !literal.c.is_ascii(),
        ClassSetItem::Range(range) => has && !(range.start.c.is_ascii() && range.end.c.is_ascii()),
        ClassSetItem::Bracketed(set) => names_beyond_ascii(&set.kind, has != set.negated),
        ClassSetItem::Union(union) => union.items.iter().any(|item| item_names_beyond_ascii(item, has)),
        _ => false,
    }
}

fn no_such_class() -> String {
    "a URL has other characters than ASCII percent-encoded, so a set of characters cannot name them: write alternatives, such as \
     (新闻|公告) instead of [新公]"
        .to_owned()
}

impl Visitor for Literals<'_> {
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
            Ast::ClassBracketed(set) if names_beyond_ascii(&set.kind, !set.negated) => return Err(no_such_class()),
            Ast::ClassBracketed(_) | Ast::ClassUnicode(_) if self.is_beyond_ascii(ast) => return Err(no_such_class()),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_percent_encoded_and_the_rest_stays() {
        for (text, expected) in [
            ("/docs/[^/]+\\.html$", "/docs/[^/]+\\.html$"),
            ("/新+/", "/(?i:%E6%96%B0)+/"),
            ("é|\\u{e9}|\\xe9", "(?i:%C3%A9)|(?i:%C3%A9)|(?i:%C3%A9)"),
            ("(?i)é", "(?i)(?i:%C3%89|%C3%A9)"),
            ("(?i:é)", "(?i:(?i:%C3%89|%C3%A9))"),
            ("(?x) é # é", "(?x) (?i:%C3%A9) # é"),
            ("(?P<名>a)", "(?P<名>a)"),
            // What these exclude, no URL has.
            ("[^新]", "[^新]"),
            ("/[^/新]+/", "/[^/新]+/"),
            ("[\\w--é]", "[\\w--é]"),
            ("[a[^é]]", "[a[^é]]"),
            ("[[:alpha:]][^[:digit:]]\\D\\w", "[[:alpha:]][^[:digit:]]\\D\\w"),
            // It matches nothing, on purpose.
            ("[^\\s\\S]", "[^\\s\\S]"),
            // An invalid expression.
            ("(é", "(é"),
        ] {
            assert_eq!(percent_encoded(text).unwrap(), expected, "{text}");
        }
        for text in [
            "[新闻]",
            "[a新]",
            "[a-ÿ]",
            "[[:alpha:]é]",
            "[\\u{4e00}-\\u{9fff}]",
            "[^[^新]]",
            "a|([^\\x00-\\x7f])",
            "[[:^ascii:]]+",
            "[\\w--[:ascii:]]",
        ] {
            assert!(percent_encoded(text).unwrap_err().contains("percent-encoded"), "{text}");
        }
    }
}
