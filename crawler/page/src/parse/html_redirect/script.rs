//! The assignments of `location` in a script. The script is not run: only an assignment of a constant that nothing precedes but
//! plain statements names a target.

/// Longest script that is searched, in bytes. A redirect is short.
const MAX_SCRIPT_BYTES: usize = 4096;

/// An assignment of `location`: the constant that it assigns; `None` for another value, and for an assignment that the script may
/// not reach.
pub(super) type Move = Option<String>;

/// The assignments of `location` in a script, in order. A long script has none.
pub(super) fn moves(script: &str) -> Vec<Move> {
    if script.len() > MAX_SCRIPT_BYTES || !script.contains("location") {
        return Vec::new();
    }
    let tokens = Tokens { rest: script }.collect::<Vec<_>>();
    let mut found = Vec::new();
    let mut is_conditional = false;
    for at in 0..tokens.len() {
        is_conditional |= tokens[at].may_skip();
        if let Some(value) = assigned(&tokens, at) {
            found.push(constant(value).filter(|_| !is_conditional));
        }
    }
    found
}

/// A token, as far as assignments need it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    Name(&'a str),
    /// A string without its quotes; `None` for a template or an escape that is not read.
    Text(Option<String>),
    /// A character of an operator, or another one.
    Sign(char),
    /// `==`, `===`, `!=`, `=>`, `&&` and others that are not an assignment.
    Operator(&'a str),
    LineEnd,
}

impl Token<'_> {
    /// Whether the statements after this token may not run.
    fn may_skip(&self) -> bool {
        match self {
            Self::Name(name) => matches!(
                *name,
                "if" | "else"
                    | "switch"
                    | "case"
                    | "for"
                    | "while"
                    | "do"
                    | "try"
                    | "catch"
                    | "return"
                    | "throw"
                    | "function"
            ),
            Self::Operator(operator) => matches!(*operator, "&&" | "||" | "??" | "=>"),
            Self::Sign(sign) => *sign == '?',
            Self::Text(_) | Self::LineEnd => false,
        }
    }
}

/// The tokens behind `location =`, `location.href =`, `location.replace(` or `location.assign(`, if they begin at `at`.
fn assigned<'t, 'a>(tokens: &'t [Token<'a>], at: usize) -> Option<&'t [Token<'a>]> {
    if tokens[at] != Token::Name("location") || !is_of_window(&tokens[..at]) {
        return None;
    }
    match &tokens[at + 1..] {
        [Token::Sign('='), value @ ..] | [Token::Sign('.'), Token::Name("href"), Token::Sign('='), value @ ..] => {
            Some(value)
        }
        [
            Token::Sign('.'),
            Token::Name("replace" | "assign"),
            Token::Sign('('),
            value @ ..,
        ] => Some(value),
        _ => None,
    }
}

/// Whether `location` after these tokens is that of the window.
fn is_of_window(before: &[Token<'_>]) -> bool {
    match before {
        [.., Token::Name(object), Token::Sign('.')] => matches!(
            *object,
            "window" | "document" | "self" | "top" | "parent" | "this" | "globalThis"
        ),
        [.., Token::Sign('.')] => false,
        _ => true,
    }
}

/// The constant at the start of these tokens. The query and the fragment of the page may follow it, as generators append them.
fn constant(value: &[Token<'_>]) -> Option<String> {
    let (text, mut rest) = match value {
        [Token::Text(text), rest @ ..] => (text.clone()?, rest),
        _ => return None,
    };
    while let [Token::Sign('+'), after @ ..] = rest {
        let after = match after {
            [
                Token::Name("window" | "document" | "self"),
                Token::Sign('.'),
                after @ ..,
            ] => after,
            _ => after,
        };
        let [
            Token::Name("location"),
            Token::Sign('.'),
            Token::Name("search" | "hash"),
            after @ ..,
        ] = after
        else {
            return None;
        };
        rest = after;
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

/// The tokens of a script, without comments.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_space();
        let first = self.rest.chars().next()?;
        if matches!(first, '"' | '\'' | '`') {
            return Some(self.text(first));
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let name = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        if name > 0 {
            return Some(Token::Name(self.take(name)));
        }
        let operator = self.rest.find(|c| !"=!<>&|?".contains(c)).unwrap_or(self.rest.len());
        if operator > 1 {
            return Some(Token::Operator(self.take(operator)));
        }
        self.take(first.len_utf8());
        Some(match first {
            '\n' | '\r' => Token::LineEnd,
            _ => Token::Sign(first),
        })
    }
}

impl<'a> Tokens<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    /// Skips space within a line, and comments. `<!--` begins a comment of one line.
    fn skip_space(&mut self) {
        loop {
            self.rest = self
                .rest
                .trim_start_matches(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\r'));
            if self.rest.starts_with("//") || self.rest.starts_with("<!--") {
                let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
                self.take(end);
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").map_or(self.rest.len(), |at| at + 2);
                self.take(end);
            } else {
                return;
            }
        }
    }

    /// The string that begins here.
    fn text(&mut self, quote: char) -> Token<'a> {
        let mut text = Some(String::new());
        let mut chars = self.rest.char_indices().skip(1);
        let mut end = None;
        while let Some((at, c)) = chars.next() {
            let read = match c {
                _ if c == quote => {
                    end = Some(at + 1);
                    break;
                }
                // A string ends in its line, so this is none.
                '\n' | '\r' if quote != '`' => {
                    (text, end) = (None, Some(at));
                    break;
                }
                // A template with an expression.
                '$' if quote == '`' => None,
                '\\' => match chars.next() {
                    Some((_, escaped @ ('/' | '\\' | '"' | '\'' | '`'))) => Some(escaped),
                    _ => None,
                },
                c => Some(c),
            };
            match (&mut text, read) {
                (Some(text), Some(c)) => text.push(c),
                _ => text = None,
            }
        }
        self.take(end.unwrap_or(self.rest.len()));
        Token::Text(text.filter(|_| end.is_some()))
    }
}
