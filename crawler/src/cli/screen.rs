//! Text for people, wrapped to the width of the terminal and without control characters from the web.

use std::io;

use unicode_width::UnicodeWidthChar;

use terminal::text::harmless;
use terminal::width::terminal_width;

/// Width of a label, in columns.
const LABEL: usize = 13;

/// Width and colours of the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    pub width: usize,
    has_colours: bool,
}

/// The style of a piece of text on a terminal with colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    Strong,
    Faint,
    Removed,
    Added,
}

/// A character and whether it is marked.
pub(super) type Marked = (char, bool);

impl Screen {
    /// The screen of standard output. `COLUMNS` overrides the width of the terminal, and [`terminal::colours`] says whether there are colours.
    pub fn of_stdout() -> Self {
        Self {
            width: terminal_width(),
            has_colours: terminal::colours::has_colours(&io::stdout()),
        }
    }

    pub fn has_colours(self) -> bool {
        self.has_colours
    }

    pub fn paint(self, text: &str, paint: Paint) -> String {
        if !self.has_colours || text.is_empty() {
            return text.to_owned();
        }
        let code = match paint {
            Paint::Strong => "1",
            Paint::Faint => "2",
            Paint::Removed => "31",
            Paint::Added => "32",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// A heading on its own line, after an empty line.
    pub fn heading(self, text: &str) -> String {
        format!("\n{}\n", self.paint(text, Paint::Strong))
    }

    /// A label and its value, on as many lines as the value needs.
    pub fn labelled(self, label: &str, value: &str) -> String {
        let indent = " ".repeat(LABEL);
        let mut out = String::new();
        for (number, line) in wrap(&marked(value, false), self.width.saturating_sub(LABEL))
            .iter()
            .enumerate()
        {
            let line: String = line.iter().map(|(c, _)| c).collect();
            match number {
                0 => out.push_str(&self.paint(&format!("{label:<LABEL$}"), Paint::Faint)),
                _ => out.push_str(&indent),
            }
            out.push_str(&line);
            out.push('\n');
        }
        out
    }

    /// As [`indented`](Self::indented), for a text of the program itself: a command between backticks gets a line of its own, which is
    /// not broken, so that the user can paste it.
    pub fn prose(self, indent: usize, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, (command, after))) = rest
            .split_once("`crawler ")
            .and_then(|(before, from)| Some((before, from.split_once('`')?)))
        {
            let command: String = marked(command, false).into_iter().map(|(c, _)| c).collect();
            out.push_str(&self.indented(indent, before.trim_end()));
            out.push_str(&format!("{:indent$}  crawler {command}\n", ""));
            rest = after.trim_start_matches(['.', ';', ' ']);
        }
        if !rest.is_empty() || out.is_empty() {
            out.push_str(&self.indented(indent, rest));
        }
        out
    }

    /// `text` in lines that begin with `indent` spaces.
    pub fn indented(self, indent: usize, text: &str) -> String {
        let lines = wrap(&marked(text, false), self.width.saturating_sub(indent));
        let line = |line: &Vec<Marked>| -> String {
            let line: String = line.iter().map(|(c, _)| c).collect();
            format!("{:indent$}{line}\n", "")
        };
        lines.iter().map(line).collect()
    }
}

/// The characters of a text, without control characters.
pub(super) fn marked(text: &str, mark: bool) -> Vec<Marked> {
    let shown = |c: char| if c.is_whitespace() { ' ' } else { harmless(c) };
    text.chars().map(|c| (shown(c), mark)).collect()
}

/// Width of a text, in columns.
pub(super) fn columns(text: &[Marked]) -> usize {
    text.iter().map(|(c, _)| c.width().unwrap_or(0)).sum()
}

/// Breaks a text into lines of at most `width` columns: after spaces and beside wide characters if possible, otherwise anywhere.
/// Returns at least one line.
pub(super) fn wrap(text: &[Marked], width: usize) -> Vec<Vec<Marked>> {
    let width = width.max(2);
    let mut lines = Vec::new();
    let (mut start, mut at, mut used) = (0, 0, 0);
    let mut last_break = None;
    while let Some((c, _)) = text.get(at) {
        let wide = c.width().unwrap_or(0);
        if wide > 1 && at > start {
            last_break = Some(at);
        }
        if used + wide > width && at > start {
            let end = match last_break {
                _ if *c == ' ' => at,
                Some(end) if end > start => end,
                _ => at,
            };
            lines.push(trimmed(&text[start..end]));
            // The end of the line replaces a space that does not fit.
            let next = end + usize::from(*c == ' ');
            (start, at, used, last_break) = (next, next, 0, None);
            continue;
        }
        used += wide;
        at += 1;
        if *c == ' ' || wide > 1 {
            last_break = Some(at);
        }
    }
    if start < text.len() || lines.is_empty() {
        lines.push(trimmed(&text[start..]));
    }
    lines
}

fn trimmed(line: &[Marked]) -> Vec<Marked> {
    let spaces = line.iter().rev().take_while(|(c, _)| *c == ' ').count();
    line[..line.len() - spaces].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        let lines = wrap(&marked(text, false), width);
        lines.iter().map(|line| line.iter().map(|(c, _)| c).collect()).collect()
    }

    #[test]
    fn lines_break_between_words_if_possible() {
        assert_eq!(wrapped("the tide table", 8), ["the tide", "table"]);
        assert_eq!(wrapped("the tide table", 9), ["the tide", "table"]);
        assert_eq!(wrapped("http://example.org/x", 8), ["http://e", "xample.o", "rg/x"]);
        assert_eq!(wrapped("微服务框架", 5), ["微服", "务框", "架"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn a_command_in_prose_is_not_broken() {
        let screen = Screen {
            width: 12,
            has_colours: false,
        };
        assert_eq!(
            screen.prose(1, "Decide all again: `crawler rebuild --redecide`. It has gone since."),
            " Decide all\n again:\n   crawler rebuild --redecide\n It has gone\n since.\n"
        );
        assert_eq!(screen.prose(0, "a `b` c"), "a `b` c\n");
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(wrapped("a\u{1b}[31m\u{202e}b\tc", 40), ["a\u{fffd}[31m\u{fffd}b c"]);
    }
}
