//! The redirects of the scripts of a page. No script is run: this module follows the statements that certainly run when the page is loaded,
//! and reads the constants that they assign to `location` (WHATWG HTML, section 7.2.4).
//!
//! Certainly run: the statements of a script one after the other, functions that are called there, and the handlers of the load. All others
//! are uncertain: under a condition, in a function that nothing here calls, at a click. Nothing is guessed, because a wrong redirect
//! hides a page, and a missed one leaves a page without text.

mod constant;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use url::Url;

use self::constant::{Constants, constant, value_of_move};
use self::tokens::{Token, tokens};

/// Longest script that is searched, in bytes. A redirect is short.
const MAX_SCRIPT_BYTES: usize = 4096;

/// Most bytes of all scripts of a page.
const MAX_SCRIPTS_BYTES: usize = 64 * 1024;

/// Deepest nesting of functions that are followed.
const MAX_NESTING: usize = 16;

/// An assignment of `location`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    /// The constant that it assigns; `None` for another value.
    pub target: Option<String>,
    /// Whether it certainly runs.
    pub is_certain: bool,
    /// Seconds after the load.
    pub delay_seconds: u32,
}

/// The assignments of `location` in the scripts of the page at `page_url` and in its handlers of the load, the certain ones first. A long script
/// has none.
pub(super) fn moves(scripts: &[&str], handlers: &[&str], page_url: &Url) -> Vec<Move> {
    let sources = scripts.iter().chain(handlers);
    let mut sources: Vec<&str> = sources
        .copied()
        .filter(|source| source.len() <= MAX_SCRIPT_BYTES)
        .collect();
    sources.retain(|source| !source.trim_ascii().is_empty());
    let is_long = sources.iter().map(|source| source.len()).sum::<usize>() > MAX_SCRIPTS_BYTES;
    if is_long || !sources.iter().any(|source| holds_move(source)) {
        return Vec::new();
    }
    let mut program = Program::new(page_url);
    let parts: Vec<Range<usize>> = sources.iter().map(|source| program.add(source)).collect();
    program.prepare();
    for part in parts {
        program.run(part, Run::default());
    }
    program.finish()
}

fn holds_move(source: &str) -> bool {
    ["location", "navigate", "open"]
        .iter()
        .any(|name| source.contains(name))
}

/// How statements run.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    delay_ms: u64,
    nesting: usize,
}

struct Program<'p> {
    page_url: &'p Url,
    tokens: Vec<Token>,
    /// For each opening bracket, the place of the closing one.
    closings: HashMap<usize, usize>,
    /// The body of each declared function.
    functions: HashMap<String, Range<usize>>,
    /// The scripts in strings that a timer runs, by the place of the string.
    timed: HashMap<usize, Range<usize>>,
    /// The number of assignments of each variable.
    assigned: HashMap<String, usize>,
    constants: Constants,
    /// The bodies that have run.
    ran: HashSet<usize>,
    /// The moves that have been reached, by their place.
    moves: Vec<(usize, Move)>,
}

impl<'p> Program<'p> {
    fn new(page_url: &'p Url) -> Self {
        Self {
            page_url,
            tokens: Vec::new(),
            closings: HashMap::new(),
            functions: HashMap::new(),
            timed: HashMap::new(),
            assigned: HashMap::new(),
            constants: Constants::new(),
            ran: HashSet::new(),
            moves: Vec::new(),
        }
    }

    /// Adds a script. Brackets do not match across scripts.
    fn add(&mut self, source: &str) -> Range<usize> {
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
    fn prepare(&mut self) {
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
    fn function(&self, at: usize) -> Option<Function> {
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
    fn arrow(&self, start: usize, end: usize) -> Option<Function> {
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

    fn skip_lines(&self, at: usize) -> usize {
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

    /// Follows statements.
    fn run(&mut self, part: Range<usize>, run: Run) {
        if run.nesting > MAX_NESTING {
            return;
        }
        let run = Run {
            nesting: run.nesting + 1,
            ..run
        };
        let mut at = part.start;
        while at < part.end {
            at = match self.statement(at, part.end, run) {
                Some(next) => next.max(at + 1),
                None => return,
            };
        }
    }

    /// Follows the statement at `at`, and returns its end; `None` if nothing after it runs.
    fn statement(&mut self, at: usize, end: usize, run: Run) -> Option<usize> {
        let at = self.skip_lines(at);
        if at >= end {
            return Some(end);
        }
        let name = match &self.tokens[at] {
            Token::Sign('{') => {
                let closing = self.closings.get(&at).copied().unwrap_or(end);
                self.run(at + 1..closing, run);
                return Some(closing + 1);
            }
            Token::Name(name) => name.clone(),
            _ => String::new(),
        };
        match name.as_str() {
            "function" if self.function(at).is_some() => self.function(at).map(|function| function.end),
            "if" => Some(self.condition(at, end, run)),
            "for" | "while" | "switch" | "with" => {
                let header = self.skip_lines(at + 1);
                let body = self.closings.get(&header).map_or(end, |closing| closing + 1);
                Some(self.skip_statement(body, end))
            }
            "do" => Some(self.skip_statement(at + 1, end)),
            "try" | "finally" => Some(at + 1),
            "catch" | "else" => {
                let block = (at..end).find(|&at| self.tokens[at].is_sign('{'))?;
                Some(self.closings.get(&block).map_or(end, |closing| closing + 1))
            }
            "return" | "throw" | "break" | "continue" => {
                let last = self.end_of_expression(at + 1, end);
                self.expression(at + 1..last, run);
                None
            }
            _ => {
                let last = self.end_of_expression(at, end);
                self.expression(at..last, run);
                Some(last + 1)
            }
        }
    }

    /// Follows both branches of an `if` if each of them moves: then it does not matter which one runs.
    fn condition(&mut self, at: usize, end: usize, run: Run) -> usize {
        let header = self.skip_lines(at + 1);
        let then = self.closings.get(&header).map_or(end, |closing| closing + 1);
        let then_end = self.skip_statement(then, end);
        let keyword = self.skip_lines(then_end);
        if keyword >= end || !self.tokens[keyword].is_name("else") {
            return then_end;
        }
        let otherwise = keyword + 1;
        let otherwise_end = self.skip_statement(otherwise, end);
        let run = Run {
            nesting: run.nesting + 1,
            ..run
        };
        if run.nesting > MAX_NESTING {
            return otherwise_end;
        }
        let known = self.moves.len();
        let _ = self.statement(then, then_end, run);
        let after_then = self.moves.len();
        let _ = self.statement(otherwise, otherwise_end, run);
        if after_then == known || self.moves.len() == after_then {
            self.moves.truncate(known);
        }
        otherwise_end
    }

    /// The end of the statement at `at`, which is not followed.
    fn skip_statement(&self, at: usize, end: usize) -> usize {
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
    fn end_of_expression(&self, mut at: usize, end: usize) -> usize {
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

    /// Follows an expression up to the first part that may not be evaluated.
    fn expression(&mut self, part: Range<usize>, run: Run) {
        let mut at = part.start;
        while at < part.end {
            if let Some(value) = value_of_move(&self.tokens, at) {
                self.reach(at, value, run);
                at = value;
                continue;
            }
            let function = match &self.tokens[at] {
                Token::Operator(operator) if operator == "=>" => return,
                Token::Operator(operator) if matches!(operator.as_str(), "&&" | "||" | "??" | "?.") => return,
                Token::Sign('?') => return,
                Token::Sign('{') => {
                    // An object.
                    at = self.closings.get(&at).map_or(part.end, |closing| closing + 1);
                    continue;
                }
                Token::Name(name) if name == "function" => self.function(at),
                Token::Name(_) | Token::Sign('(') => self.arrow(at, part.end),
                _ => None,
            };
            if let Some(function) = function {
                self.reach_function(&function, run);
                at = function.end;
                continue;
            }
            self.reach_name(at, part.end, run);
            if let Some(source) = self.timed.get(&at).cloned()
                && let Some(delay_ms) = self.delay(at + 1)
            {
                self.run_once(source, run.after(delay_ms));
            }
            at += 1;
        }
    }

    /// Notes a move, and what a variable is.
    fn reach(&mut self, at: usize, value: usize, run: Run) {
        let target = constant(&self.tokens[value..], &self.constants, self.page_url);
        let reached = Move {
            target,
            is_certain: true,
            delay_seconds: u32::try_from(run.delay_ms / 1000).unwrap_or(u32::MAX),
        };
        self.moves.push((at, reached));
    }

    /// Follows the function of this name if it is called here, or is a handler of the load; notes the constant that a variable gets.
    fn reach_name(&mut self, at: usize, end: usize, run: Run) {
        let Token::Name(name) = &self.tokens[at] else { return };
        if at > 0 && self.tokens[at - 1].is_sign('.') {
            return;
        }
        if let Some(body) = self.functions.get(name).cloned() {
            let next = self.tokens.get(at + 1).filter(|_| at + 1 < end);
            let is_called = next.is_some_and(|next| next.is_sign('('));
            let is_whole = next.is_none_or(|next| matches!(next, Token::Sign(',' | ')' | ';') | Token::LineEnd));
            let delay_ms = match is_called {
                true => Some(0),
                false if is_whole => self.load_delay(at, at + 1),
                false => None,
            };
            if let Some(delay_ms) = delay_ms {
                self.run_once(body, run.after(delay_ms));
            }
            return;
        }
        let is_assigned = self.tokens.get(at + 1).is_some_and(|next| next.is_sign('='));
        if is_assigned && self.assigned.get(name) == Some(&1) {
            let name = name.clone();
            if let Some(text) = constant(&self.tokens[at + 2..], &self.constants, self.page_url) {
                self.constants.insert(name, text);
            }
        }
    }

    /// Follows a function that is called where it stands, or is a handler of the load.
    fn reach_function(&mut self, function: &Function, run: Run) {
        let behind = &self.tokens[function.end.min(self.tokens.len())..];
        let is_called = match behind {
            [Token::Sign('('), ..] | [Token::Sign(')'), Token::Sign('('), ..] => true,
            [
                Token::Sign(')'),
                Token::Sign('.'),
                Token::Name(name),
                Token::Sign('('),
                ..,
            ] => {
                matches!(name.as_str(), "call" | "apply")
            }
            _ => false,
        };
        let delay_ms = match is_called {
            true => Some(0),
            false => self.load_delay(function.start, function.end),
        };
        if let Some(delay_ms) = delay_ms {
            self.run_once(function.body.clone(), run.after(delay_ms));
        }
    }

    fn run_once(&mut self, body: Range<usize>, run: Run) {
        if self.ran.insert(body.start) {
            self.run(body, run);
        }
    }

    /// The milliseconds after which the function between these places runs, because it is a handler of the load or of a timer.
    fn load_delay(&self, start: usize, end: usize) -> Option<u64> {
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
    fn delay(&self, at: usize) -> Option<u64> {
        match self.tokens.get(at..)? {
            [Token::Sign(')'), ..] => Some(0),
            [Token::Sign(','), Token::Name(number), Token::Sign(')'), ..] => number.parse().ok(),
            [Token::Sign(','), Token::Text(Some(number)), Token::Sign(')'), ..] => number.trim().parse().ok(),
            _ => None,
        }
    }

    /// The moves: those that have been reached, then the uncertain ones.
    fn finish(self) -> Vec<Move> {
        let reached: HashSet<usize> = self.moves.iter().map(|(at, _)| *at).collect();
        let others = (0..self.tokens.len()).filter(|at| !reached.contains(at));
        let uncertain = others.filter_map(|at| {
            let value = value_of_move(&self.tokens, at)?;
            Some(Move {
                target: constant(&self.tokens[value..], &self.constants, self.page_url),
                is_certain: false,
                delay_seconds: 0,
            })
        });
        let uncertain: Vec<Move> = uncertain.collect();
        self.moves
            .into_iter()
            .map(|(_, reached)| reached)
            .chain(uncertain)
            .collect()
    }
}

impl Run {
    fn after(self, delay_ms: u64) -> Self {
        Self {
            delay_ms: self.delay_ms.saturating_add(delay_ms),
            ..self
        }
    }
}

/// A function, by the places of its parts.
struct Function {
    start: usize,
    parameters: Range<usize>,
    body: Range<usize>,
    end: usize,
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
