//! The tokens of a script, as far as assignments need them (ECMAScript, chapter 12).

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// An identifier, a keyword or a number.
    Name(String),
    /// A string without its quotes; `None` for a template with an expression, and for an escape that is not read.
    Text(Option<String>),
    /// A character of an operator, or another one.
    Sign(char),
    /// `==`, `===`, `!=`, `=>`, `&&` and others that are not an assignment.
    Operator(String),
    LineEnd,
    /// A regular expression.
    Pattern,
}

impl Token {
    pub(super) fn is_name(&self, wanted: &str) -> bool {
        matches!(self, Self::Name(name) if name == wanted)
    }

    pub(super) fn is_sign(&self, wanted: char) -> bool {
        *self == Self::Sign(wanted)
    }
}

/// The tokens of a script, without comments.
pub(super) fn tokens(script: &str) -> Vec<Token> {
    let mut source = Source {
        rest: script,
        is_operand_next: true,
        is_line_start: true,
    };
    let mut tokens = Vec::new();
    while let Some(token) = source.token() {
        source.is_line_start = token == Token::LineEnd;
        source.is_operand_next = match &token {
            Token::Name(name) => matches!(name.as_str(), "return" | "typeof" | "case" | "void" | "in" | "of"),
            Token::Text(_) | Token::Pattern => false,
            Token::Sign(sign) => !matches!(sign, ')' | ']' | '}'),
            Token::Operator(_) => true,
            Token::LineEnd => source.is_operand_next,
        };
        tokens.push(token);
    }
    tokens
}

struct Source<'a> {
    rest: &'a str,
    /// Whether a `/` begins a regular expression here, and is no division.
    is_operand_next: bool,
    is_line_start: bool,
}

impl<'a> Source<'a> {
    fn token(&mut self) -> Option<Token> {
        self.skip_space();
        let first = self.rest.chars().next()?;
        if matches!(first, '"' | '\'' | '`') {
            return Some(self.text(first));
        }
        if first == '/' && self.is_operand_next && self.skip_pattern() {
            return Some(Token::Pattern);
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let name = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        if name > 0 {
            return Some(Token::Name(self.take(name).to_owned()));
        }
        let operator = self.rest.find(|c| !"=!<>&|?".contains(c)).unwrap_or(self.rest.len());
        if operator > 1 {
            return Some(Token::Operator(self.take(operator).to_owned()));
        }
        self.take(first.len_utf8());
        Some(match first {
            '\n' | '\r' => Token::LineEnd,
            _ => Token::Sign(first),
        })
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    /// Skips space within a line, and comments. `<!--`, and `-->` at the start of a line, begin a comment of one line.
    fn skip_space(&mut self) {
        loop {
            self.rest = self
                .rest
                .trim_start_matches(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\r'));
            let is_line_comment = self.rest.starts_with("//")
                || self.rest.starts_with("<!--")
                || self.is_line_start && self.rest.starts_with("-->");
            if is_line_comment {
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

    /// Skips the regular expression that begins here. `false` if none ends in this line.
    fn skip_pattern(&mut self) -> bool {
        let (mut in_class, mut is_escaped) = (false, false);
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                '\n' | '\r' => return false,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    self.take(at + 1);
                    let flags = self.rest.find(|c: char| !c.is_ascii_alphabetic());
                    self.take(flags.unwrap_or(self.rest.len()));
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// The string that begins here.
    fn text(&mut self, quote: char) -> Token {
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
