//! The redirects of the scripts of a page. No script is run: this module follows the statements that certainly run when the page is loaded,
//! and reads the constants that they assign to `location` (WHATWG HTML, section 7.2.4).
//!
//! Certainly run: the statements of a script one after the other, functions that are called there, and the handlers of the load. All others
//! are uncertain: under a condition, in a function that nothing here calls, at a click. Nothing is guessed, because a wrong redirect
//! hides a page, and a missed one leaves a page without text.

mod constant;
mod source;
mod tokens;

use std::collections::HashSet;
use std::ops::Range;

use url::Url;

use self::constant::{Constants, constant, value_of_move};
use self::source::{Function, Source};
use self::tokens::Token;

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
    let mut source = Source::default();
    let parts: Vec<Range<usize>> = sources.iter().map(|script| source.add(script)).collect();
    source.prepare();
    let mut program = Program::new(&source, page_url);
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
    source: &'p Source,
    constants: Constants,
    /// The names of the constants, in the order in which they were found.
    found: Vec<String>,
    /// The starts of the bodies that have run.
    ran: Vec<usize>,
    /// The moves that have been reached, by their place.
    moves: Vec<(usize, Move)>,
}

impl<'p> Program<'p> {
    fn new(source: &'p Source, page_url: &'p Url) -> Self {
        Self {
            page_url,
            source,
            constants: Constants::new(),
            found: Vec::new(),
            ran: Vec::new(),
            moves: Vec::new(),
        }
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
        let at = self.source.skip_lines(at);
        if at >= end {
            return Some(end);
        }
        let name = match &self.source.tokens()[at] {
            Token::Sign('{') => {
                let closing = self.source.closing(at).unwrap_or(end);
                self.run(at + 1..closing, run);
                return Some(closing + 1);
            }
            Token::Name(name) => name.clone(),
            _ => String::new(),
        };
        match name.as_str() {
            "function" if self.source.function(at).is_some() => self.source.function(at).map(|function| function.end),
            "if" => self.condition(at, end, run),
            "for" | "while" | "switch" | "with" => {
                let header = self.source.skip_lines(at + 1);
                let body = self.source.closing(header).map_or(end, |closing| closing + 1);
                self.source.unless_left(body, self.source.skip_statement(body, end))
            }
            "do" => self.source.unless_left(at, self.source.skip_statement(at + 1, end)),
            "try" | "finally" => Some(at + 1),
            "catch" | "else" => {
                let block = (at..end).find(|&at| self.source.tokens()[at].is_sign('{'))?;
                Some(self.source.closing(block).map_or(end, |closing| closing + 1))
            }
            "return" | "throw" | "break" | "continue" => {
                let last = self.source.end_of_expression(at + 1, end);
                self.expression(at + 1..last, run);
                None
            }
            _ => {
                let last = self.source.end_of_expression(at, end);
                self.expression(at..last, run);
                Some(last + 1)
            }
        }
    }

    /// Follows both branches of an `if` if each of them moves: then it does not matter which one runs. Returns its end; `None` if a branch may leave
    /// the function.
    fn condition(&mut self, at: usize, end: usize, run: Run) -> Option<usize> {
        let header = self.source.skip_lines(at + 1);
        let then = self.source.closing(header).map_or(end, |closing| closing + 1);
        let then_end = self.source.skip_statement(then, end);
        let keyword = self.source.skip_lines(then_end);
        if keyword >= end || !self.source.tokens()[keyword].is_name("else") {
            return self.source.unless_left(then, then_end);
        }
        let otherwise = keyword + 1;
        let otherwise_end = self.source.skip_statement(otherwise, end);
        let run = Run {
            nesting: run.nesting + 1,
            ..run
        };
        if run.nesting > MAX_NESTING {
            return None;
        }
        let (moves, found, ran) = (self.moves.len(), self.found.len(), self.ran.len());
        let _ = self.statement(then, then_end, run);
        let after_then = self.moves.len();
        self.forget_constants(found);
        let _ = self.statement(otherwise, otherwise_end, run);
        self.forget_constants(found);
        if after_then == moves || self.moves.len() == after_then {
            self.moves.truncate(moves);
            self.ran.truncate(ran);
        }
        self.source.unless_left(then, otherwise_end)
    }

    /// Forgets all constants but the first ones.
    fn forget_constants(&mut self, kept: usize) {
        for name in self.found.drain(kept..) {
            self.constants.remove(&name);
        }
    }

    /// Follows an expression up to the first part that may not be evaluated.
    fn expression(&mut self, part: Range<usize>, run: Run) {
        let mut at = part.start;
        while at < part.end {
            if let Some(value) = value_of_move(self.source.tokens(), at) {
                self.reach(at, value, run);
                at = value;
                continue;
            }
            let function = match &self.source.tokens()[at] {
                Token::Operator(operator) if operator == "=>" => return,
                Token::Operator(operator) if matches!(operator.as_str(), "&&" | "||" | "??" | "?.") => return,
                Token::Sign('?') => return,
                Token::Sign('{') => {
                    // An object.
                    at = self.source.closing(at).map_or(part.end, |closing| closing + 1);
                    continue;
                }
                Token::Name(name) if name == "function" => self.source.function(at),
                Token::Name(_) | Token::Sign('(') => self.source.arrow(at, part.end),
                _ => None,
            };
            if let Some(function) = function {
                self.reach_function(&function, run);
                at = function.end;
                continue;
            }
            self.reach_name(at, part.end, run);
            if let Some(source) = self.source.timed(at)
                && let Some(delay_ms) = self.source.delay(at + 1)
            {
                self.run_once(source, run.after(delay_ms));
            }
            at += 1;
        }
    }

    /// Notes a move, and what a variable is.
    fn reach(&mut self, at: usize, value: usize, run: Run) {
        let target = constant(&self.source.tokens()[value..], &self.constants, self.page_url);
        let reached = Move {
            target,
            is_certain: true,
            delay_seconds: u32::try_from(run.delay_ms / 1000).unwrap_or(u32::MAX),
        };
        self.moves.push((at, reached));
    }

    /// Follows the function of this name if it is called here, or is a handler of the load; notes the constant that a variable gets.
    fn reach_name(&mut self, at: usize, end: usize, run: Run) {
        let Token::Name(name) = &self.source.tokens()[at] else {
            return;
        };
        if at > 0 && self.source.tokens()[at - 1].is_sign('.') {
            return;
        }
        if let Some(body) = self.source.declared(name) {
            let next = self.source.tokens().get(at + 1).filter(|_| at + 1 < end);
            let is_called = next.is_some_and(|next| next.is_sign('('));
            let is_whole = next.is_none_or(|next| matches!(next, Token::Sign(',' | ')' | ';') | Token::LineEnd));
            let delay_ms = match (is_called, is_whole) {
                (true, _) => Some(0),
                (false, true) => self.source.load_delay(at, at + 1),
                (false, false) => None,
            };
            if let Some(delay_ms) = delay_ms {
                self.run_once(body, run.after(delay_ms));
            }
            return;
        }
        let is_assigned = self.source.tokens().get(at + 1).is_some_and(|next| next.is_sign('='));
        if is_assigned && self.source.is_assigned_once(name) {
            let name = name.clone();
            if let Some(text) = constant(&self.source.tokens()[at + 2..], &self.constants, self.page_url) {
                self.found.push(name.clone());
                self.constants.insert(name, text);
            }
        }
    }

    /// Follows a function that is called where it stands, or is a handler of the load.
    fn reach_function(&mut self, function: &Function, run: Run) {
        let behind = &self.source.tokens()[function.end.min(self.source.tokens().len())..];
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
        let delay_ms = if is_called {
            Some(0)
        } else {
            self.source.load_delay(function.start, function.end)
        };
        if let Some(delay_ms) = delay_ms {
            self.run_once(function.body.clone(), run.after(delay_ms));
        }
    }

    fn run_once(&mut self, body: Range<usize>, run: Run) {
        if !self.ran.contains(&body.start) {
            self.ran.push(body.start);
            self.run(body, run);
        }
    }

    /// The moves: those that have been reached, then the uncertain ones.
    fn finish(self) -> Vec<Move> {
        let reached: HashSet<usize> = self.moves.iter().map(|(at, _)| *at).collect();
        let others = (0..self.source.tokens().len()).filter(|at| !reached.contains(at));
        let uncertain = others.filter_map(|at| {
            let value = value_of_move(self.source.tokens(), at)?;
            Some(Move {
                target: constant(&self.source.tokens()[value..], &self.constants, self.page_url),
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
