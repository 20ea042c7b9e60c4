//! The lines that a page shows. Few of them are looked at, so white space is collapsed in these only.

use std::cell::OnceCell;
use std::ops::Range;

use super::super::text::{collapsed, cut, is_collapsed, without_space_before};

/// Most lines, and the bytes of each that are kept.
const MAX_LINES: usize = 4096;
const MAX_LINE_BYTES: usize = 320;

/// Lines of text, and one that is open.
#[derive(Debug, Default)]
pub(in super::super) struct Lines {
    text: String,
    lines: Vec<Line>,
    /// Where the open line begins in the text, and the bytes that it has taken.
    start: usize,
    taken: usize,
}

#[derive(Debug)]
struct Line {
    /// Its range in the text.
    written: Range<usize>,
    /// The line with its white space collapsed, if that differs, once somebody asked for it.
    collapsed: OnceCell<Option<String>>,
}

impl Lines {
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line with its white space collapsed.
    pub(in super::super) fn get(&self, at: usize) -> Option<&str> {
        let line = self.lines.get(at)?;
        let written = &self.text[line.written.clone()];
        let collapsed = line
            .collapsed
            .get_or_init(|| (!is_collapsed(written)).then(|| collapsed(written)));
        Some(collapsed.as_deref().unwrap_or(written))
    }

    /// Some lines and where they are.
    pub(super) fn at(&self, places: Range<usize>) -> impl Iterator<Item = (usize, &str)> {
        places.filter_map(|at| Some((at, self.get(at)?)))
    }

    /// The lines that may be wanted by how they are written.
    pub(super) fn that(&self, may_be: impl Fn(&str) -> bool) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.lines.iter().enumerate();
        let lines = lines.filter(move |(_, line)| may_be(&self.text[line.written.clone()]));
        lines.filter_map(|(at, _)| Some((at, self.get(at)?)))
    }

    /// Adds text to the open line.
    pub(super) fn push(&mut self, text: &str) {
        let text = cut(text, MAX_LINE_BYTES - self.taken);
        self.taken += text.len();
        let is_empty = self.text.len() == self.start;
        self.text
            .push_str(if is_empty { without_space_before(text) } else { text });
    }

    /// Ends the open line, unless it is empty.
    pub(super) fn end(&mut self) {
        self.taken = 0;
        let line = self.text[self.start..].trim();
        let is_shown = || line.bytes().any(|byte| byte.is_ascii_graphic()) || !collapsed(line).is_empty();
        if self.lines.len() < MAX_LINES && !line.is_empty() && is_shown() {
            // The white space before it was left out.
            let end = self.start + line.len();
            self.lines.push(Line {
                written: self.start..end,
                collapsed: OnceCell::new(),
            });
            self.start = end;
        }
        self.text.truncate(self.start);
    }
}
