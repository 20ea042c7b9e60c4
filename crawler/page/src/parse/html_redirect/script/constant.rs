//! The assignments of `location`, and the constants that they assign.

use std::collections::HashMap;

use url::Url;

use super::tokens::Token;

/// The place of the value behind `location =`, `location.href =`, `location.replace(`, `location.assign(` and what means the same, if they
/// begin at `at`.
pub(super) fn value_of_move(tokens: &[Token], at: usize) -> Option<usize> {
    let (before, rest) = tokens.split_at(at);
    let text = |text: &Token, wanted: &str| matches!(text, Token::Text(Some(text)) if text == wanted);
    let len = match rest {
        [Token::Name(name), behind @ ..] if name == "location" && is_of_window(before) => 1 + property(behind)?,
        // window["location"]
        [Token::Sign('['), name, Token::Sign(']'), behind @ ..] if text(name, "location") && is_window(before) => {
            3 + property(behind)?
        }
        [Token::Name(name), Token::Sign('('), ..]
            if name == "navigate" && matches!(before, [object @ .., Token::Sign('.')] if is_window(object)) =>
        {
            2
        }
        // window.open(url, "_self")
        [Token::Name(name), Token::Sign('('), _, Token::Sign(','), target, ..]
            if name == "open"
                && is_of_window(before)
                && ["_self", "_top", "_parent"].iter().any(|own| text(target, own)) =>
        {
            2
        }
        _ => return None,
    };
    Some(at + len)
}

/// The number of tokens behind `location` up to the value.
fn property(behind: &[Token]) -> Option<usize> {
    match behind {
        [Token::Sign('='), ..] => Some(1),
        [Token::Sign('.'), Token::Name(name), Token::Sign('='), ..] if name == "href" => Some(3),
        [
            Token::Sign('['),
            Token::Text(Some(name)),
            Token::Sign(']'),
            Token::Sign('='),
            ..,
        ] if name == "href" => Some(4),
        [Token::Sign('.'), Token::Name(name), Token::Sign('('), ..]
            if matches!(name.as_str(), "replace" | "assign") =>
        {
            Some(3)
        }
        _ => None,
    }
}

/// Whether a property of the window may follow these tokens: nothing or the window and a dot.
fn is_of_window(before: &[Token]) -> bool {
    match before {
        [before @ .., Token::Sign('.')] => is_window(before),
        _ => true,
    }
}

/// Whether these tokens end with the name of the window, or of a window around it.
fn is_window(before: &[Token]) -> bool {
    matches!(before, [.., Token::Name(object)] if matches!(
        object.as_str(),
        "window" | "document" | "self" | "top" | "parent" | "this" | "globalThis"
    ))
}

/// The values of the variables that have one.
pub(super) type Constants = HashMap<String, String>;

/// The constant at the start of these tokens of a script of the page at `page_url`. The query and the fragment of the page may follow it, as
/// generators append them.
pub(super) fn constant(value: &[Token], constants: &Constants, page_url: &Url) -> Option<String> {
    let mut text = String::new();
    let mut rest = value;
    let mut terms = 0;
    loop {
        let (term, len) = term(rest, constants, page_url)?;
        match term {
            Term::Text(part) => text.push_str(&part),
            // It is the page itself that has them.
            Term::OwnQuery if terms == 0 => return None,
            Term::OwnQuery => {}
        }
        terms += 1;
        rest = &rest[len..];
        match rest {
            [Token::Sign('+'), after @ ..] => rest = after,
            _ => break,
        }
    }
    match rest {
        [] | [Token::Sign(';' | ')' | '}' | ','), ..] => Some(text),
        // A semicolon may be missing at the end of a line.
        [Token::LineEnd, next @ ..] => {
            let next = next.iter().find(|token| **token != Token::LineEnd);
            (!matches!(next, Some(Token::Sign('+' | '.' | '[' | '(' | '?' | ',')))).then_some(text)
        }
        _ => None,
    }
}

enum Term {
    Text(String),
    /// The query or the fragment of the page.
    OwnQuery,
}

/// The first operand of a sum, and the number of its tokens.
fn term(value: &[Token], constants: &Constants, page_url: &Url) -> Option<(Term, usize)> {
    let text = |text: &str| Some(Term::Text(text.to_owned()));
    match value {
        [Token::Text(text), ..] => Some((Term::Text(text.clone()?), 1)),
        [Token::Name(object), Token::Sign('.'), rest @ ..]
            if matches!(object.as_str(), "window" | "document" | "self")
                && matches!(rest, [location, ..] if location.is_name("location")) =>
        {
            let (term, len) = term(rest, constants, page_url)?;
            Some((term, len + 2))
        }
        [location, Token::Sign('.'), Token::Name(part), ..] if location.is_name("location") => {
            let term = match part.as_str() {
                "search" | "hash" => Some(Term::OwnQuery),
                "protocol" => Some(Term::Text(format!("{}:", page_url.scheme()))),
                "hostname" => text(page_url.host_str()?),
                "host" => text(&page_url[url::Position::BeforeHost..url::Position::AfterPort]),
                "origin" => Some(Term::Text(page_url.origin().ascii_serialization())),
                _ => None,
            };
            Some((term?, 3))
        }
        [Token::Name(name), ..] if name.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some((Term::Text(name.clone()), 1))
        }
        [Token::Name(name), ..] => Some((text(constants.get(name)?)?, 1)),
        _ => None,
    }
}
