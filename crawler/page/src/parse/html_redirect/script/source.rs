//! The scripts of a page as one list of tokens, and its parts: brackets, functions, statements.

use std::collections::HashMap;
use std::ops::Range;

use super::MAX_SCRIPT_BYTES;
use super::tokens::{Token, tokens};

/// The scripts of a page.
#[derive(Default)]
pub(super) struct Source {
    tokens: Vec<Token>,
    /// For each opening bracket, the place of the closing one.
    closings: HashMap<usize, usize>,
    /// The body of each declared function.
    functions: HashMap<String, Range<usize>>,
    /// The scripts in strings that a timer runs, by the place of the string.
    timed: HashMap<usize, Range<usize>>,
    /// The number of assignments of each variable.
    assigned: HashMap<String, usize>,
}

/// A function, by the places of its parts.
pub(super) struct Function {
    pub start: usize,
    parameters: Range<usize>,
    pub body: Range<usize>,
    pub end: usize,
}

impl Source {
    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The place of the bracket that closes the one at `at`.
    pub(super) fn closing(&self, at: usize) -> Option<usize> {
        self.closings.get(&at).copied()
    }

    /// The body of the function that is declared with this name.
    pub(super) fn declared(&self, name: &str) -> Option<Range<usize>> {
        self.functions.get(name).cloned()
    }

    /// The script in the string at `at`, if a timer runs it.
    pub(super) fn timed(&self, at: usize) -> Option<Range<usize>> {
        self.timed.get(&at).cloned()
    }

    /// Whether a variable gets one value, and no function has a parameter of its name.
    pub(super) fn is_assigned_once(&self, name: &str) -> bool {
        self.assigned.get(name) == Some(&1)
    }

    /// Adds a script. Brackets do not match across scripts.
    pub(super) fn add(&mut self, source: &str) -> Range<usize> {
        let start = self.tokens.len();
        self.tokens.extend(tokens(source));
        let end = self.tokens.len();
        let mut open = Vec::new();
        for at in start..end {
            match self.tokens[at] {
                Token::Sign('(' | '[' | '{') => open.push(at),
                Token::Sign(')' | ']' | '}') => {
                    if let Some(opening) = open.pop() {
                        self.closings.insert(opening, at);
                    }
                }
                _ => {}
            }
        }
        self.tokens.extend([Token::Sign(';'), Token::LineEnd]);
        start..end
    }

    /// Notes functions, variables, and scripts in strings.
    pub(super) fn prepare(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            if let Token::Text(Some(source)) = &self.tokens[at]
                && self.is_behind(at, &["setTimeout", "("])
                && source.len() <= MAX_SCRIPT_BYTES
            {
                let source = source.clone();
                let part = self.add(&source);
                self.timed.insert(at, part);
            }
            at += 1;
        }
        for at in 0..self.tokens.len() {
            if self.tokens[at].is_name("function") {
                self.prepare_function(at);
            }
            if let [Token::Name(name), next @ ..] = &self.tokens[at..]
                && !(at > 0 && self.tokens[at - 1].is_sign('.'))
                && is_assignment(next)
            {
                *self.assigned.entry(name.clone()).or_default() += 1;
            }
        }
    }

    fn prepare_function(&mut self, at: usize) {
        let Some(function) = self.function(at) else { return };
        if let Token::Name(name) = &self.tokens[at + 1] {
            self.functions.insert(name.clone(), function.body.clone());
        }
        for parameter in function.parameters {
            if let Token::Name(name) = self.tokens[parameter].clone() {
                *self.assigned.entry(name).or_default() += 2;
            }
        }
    }

    /// The function whose keyword is at `at`.
    pub(super) fn function(&self, at: usize) -> Option<Function> {
        let parameters = (at + 1..self.tokens.len().min(at + 4)).find(|&at| self.tokens[at].is_sign('('))?;
        let end = *self.closings.get(&parameters)?;
        let body = self.skip_lines(end + 1);
        let closing = *self.closings.get(&body).filter(|_| self.tokens[body].is_sign('{'))?;
        Some(Function {
            start: at,
            parameters: parameters + 1..end,
            body: body + 1..closing,
            end: closing + 1,
        })
    }

    /// The arrow function whose parameters begin at `start`, within a part that ends at `end`.
    pub(super) fn arrow(&self, start: usize, end: usize) -> Option<Function> {
        let last = match self.tokens[start] {
            Token::Sign('(') => *self.closings.get(&start)?,
            _ => start,
        };
        let is_arrow = matches!(self.tokens.get(last + 1), Some(Token::Operator(operator)) if operator == "=>");
        let body = self.skip_lines(last + 2);
        if !is_arrow || body >= end {
            return None;
        }
        let (body, end) = match self.closings.get(&body).filter(|_| self.tokens[body].is_sign('{')) {
            Some(&closing) => (body + 1..closing, closing + 1),
            None => {
                let end = self.end_of(body, end, &[')', ',', ';']);
                (body..end, end)
            }
        };
        Some(Function {
            start,
            parameters: start..last + 1,
            body,
            end,
        })
    }

    pub(super) fn skip_lines(&self, at: usize) -> usize {
        let is_line_end = |at: &usize| self.tokens.get(*at) == Some(&Token::LineEnd);
        (at..).find(|at| !is_line_end(at)).unwrap_or(at)
    }

    /// The first of these signs from `at` on, outside of brackets; else `end`.
    fn end_of(&self, mut at: usize, end: usize, signs: &[char]) -> usize {
        while at < end {
            match self.tokens[at] {
                Token::Sign(sign) if signs.contains(&sign) => return at,
                Token::Sign('(' | '[' | '{') => at = self.closings.get(&at).map_or(end, |closing| closing + 1),
                _ => at += 1,
            }
        }
        end
    }

    /// Whether these tokens stand before `at`. Quotes of texts do not count.
    fn is_behind(&self, at: usize, wanted: &[&str]) -> bool {
        let Some(start) = at.checked_sub(wanted.len()) else {
            return false;
        };
        let is = |(token, wanted): (&Token, &&str)| match token {
            Token::Name(text) | Token::Text(Some(text)) => text == wanted,
            Token::Sign(sign) => wanted.chars().eq([*sign]),
            _ => false,
        };
        self.tokens[start..at].iter().zip(wanted).all(is)
    }

    /// The end of a part; `None` if a statement in it may leave the function.
    pub(super) fn unless_left(&self, start: usize, end: usize) -> Option<usize> {
        let part = self.tokens.get(start..end).unwrap_or_default();
        let leaves = part
            .iter()
            .any(|token| token.is_name("return") || token.is_name("throw"));
        (!leaves).then_some(end)
    }

    /// The end of the statement at `at`, which is not followed.
    pub(super) fn skip_statement(&self, at: usize, end: usize) -> usize {
        let mut at = at;
        let mut conditions = 0;
        loop {
            at = self.skip_lines(at);
            if at >= end {
                return end;
            }
            if self.tokens[at].is_name("if") {
                let header = self.skip_lines(at + 1);
                at = self.closings.get(&header).map_or(end, |closing| closing + 1);
                conditions += 1;
                continue;
            }
            at = match self.closings.get(&at).filter(|_| self.tokens[at].is_sign('{')) {
                Some(closing) => closing + 1,
                None => self.end_of_expression(at, end) + 1,
            };
            let keyword = self.skip_lines(at);
            if conditions == 0 || keyword >= end || !self.tokens[keyword].is_name("else") {
                return at.min(end);
            }
            conditions -= 1;
            at = keyword + 1;
        }
    }

    /// The end of the expression at `at`: a semicolon, or the end of a line that no operator continues.
    pub(super) fn end_of_expression(&self, mut at: usize, end: usize) -> usize {
        while at < end {
            match &self.tokens[at] {
                Token::Sign(';' | '}') => return at,
                Token::Sign('(' | '[' | '{') => at = self.closings.get(&at).map_or(end, |closing| closing + 1),
                Token::LineEnd => {
                    let next = self.skip_lines(at);
                    let continues = |token: &Token| {
                        matches!(
                            token,
                            Token::Operator(_) | Token::Sign('+' | '.' | '(' | '[' | '?' | ',' | '=' | '*' | ':')
                        )
                    };
                    let is_open = at > 0 && (continues(&self.tokens[at - 1]) && !self.tokens[at - 1].is_sign(')'));
                    if next >= end || !(is_open || continues(&self.tokens[next])) {
                        return at;
                    }
                    at = next;
                }
                _ => at += 1,
            }
        }
        end
    }

    /// The milliseconds after which the function between these places runs, because it is a handler of the load or of a timer.
    pub(super) fn load_delay(&self, start: usize, end: usize) -> Option<u64> {
        /// Of the window.
        const LOADS: [&[&str]; 5] = [
            &["onload", "="],
            &["addEventListener", "(", "load", ","],
            &["addEventListener", "(", "DOMContentLoaded", ","],
            &["addEventListener", "(", "pageshow", ","],
            &["attachEvent", "(", "onload", ","],
        ];
        /// Of jQuery.
        const READY: [&[&str]; 5] = [
            &[".", "ready", "("],
            &["$", "("],
            &["jQuery", "("],
            &["window", ")", ".", "on", "(", "load", ","],
            &["window", ")", ".", "load", "("],
        ];
        if self.is_behind(start, &["setTimeout", "("]) {
            return self.delay(end);
        }
        let is_load = |load: &&[&str]| self.is_behind(start, load) && self.is_of_window(start - load.len());
        let is_loaded = LOADS.iter().any(is_load) || READY.iter().any(|ready| self.is_behind(start, ready));
        is_loaded.then_some(0)
    }

    /// Whether a handler before `at` is one of the window or of the document, and not of a picture or a request.
    fn is_of_window(&self, at: usize) -> bool {
        let objects = ["window", "document", "self", "body", "this"];
        let is_property = at > 0 && self.tokens[at - 1].is_sign('.');
        !is_property || objects.iter().any(|object| self.is_behind(at, &[object, "."]))
    }

    /// The milliseconds of a timer, behind its first argument; `None` if they are no constant.
    pub(super) fn delay(&self, at: usize) -> Option<u64> {
        match self.tokens.get(at..)? {
            [Token::Sign(')'), ..] => Some(0),
            [Token::Sign(','), Token::Name(number), Token::Sign(')'), ..] => number.parse().ok(),
            [Token::Sign(','), Token::Text(Some(number)), Token::Sign(')'), ..] => number.trim().parse().ok(),
            _ => None,
        }
    }
}

/// Whether a name before these tokens is assigned or changed.
fn is_assignment(next: &[Token]) -> bool {
    match next {
        [Token::Sign('='), ..] => true,
        [Token::Sign(sign), Token::Sign('='), ..] => "+-*/%^~".contains(*sign),
        [Token::Sign('+'), Token::Sign('+'), ..] | [Token::Sign('-'), Token::Sign('-'), ..] => true,
        _ => false,
    }
}
