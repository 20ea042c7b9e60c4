//! Blocks of code: their text, the names of their languages, and the numbers beside their lines.

use html5ever::local_name;

use super::super::scan::{Budget, Way, scan};
use super::classes;
use crate::parse::{Element, NodeId, NodeRef};
use crate::words::is_ignorable;

/// A block of code while it is read.
#[derive(Debug)]
pub(super) struct Code {
    text: String,
    language: String,
    /// The [box](is_box_of_lines) around the lines, which are boxes. What is between them is not shown.
    lines: Option<NodeId>,
}

impl Code {
    /// Begins with a `<pre>`, or a box of lines.
    pub(super) fn of(top: NodeRef<'_>) -> Self {
        let element = top.value().as_element();
        Self {
            text: String::new(),
            language: language(top).unwrap_or_default(),
            lines: element
                .filter(|top| top.name.local != local_name!("pre"))
                .map(|_| top.id()),
        }
    }

    /// Whether a text stands between the lines.
    pub(super) fn is_between_lines(&self, text: NodeRef<'_>) -> bool {
        self.lines.is_some() && text.parent().map(NodeRef::id) == self.lines
    }

    /// Adds text with all its white space. If its words are apart from those before, there is white space in any case.
    pub(super) fn push(&mut self, text: &str, is_apart: bool) {
        if is_apart
            && !self.text.is_empty()
            && !text.starts_with(char::is_whitespace)
            && !self.text.ends_with(char::is_whitespace)
        {
            self.text.push(' ');
        }
        // A reference may stand for a carriage return, which would begin a line outside of the block.
        for (at, part) in text.split('\r').enumerate() {
            if at > 0 && !part.starts_with('\n') {
                self.text.push('\n');
            }
            self.text.push_str(part);
        }
    }

    /// Adds the white space of a text without words, and leaves out its invisible characters.
    pub(super) fn push_space(&mut self, text: &str) {
        self.push(&text.replace(is_ignorable, ""), false);
    }

    /// Ends a line that has text.
    pub(super) fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// The block between fences; empty without text.
    pub(super) fn into_fenced(self) -> String {
        let code = without_empty_lines(&self.text);
        if code.is_empty() {
            return String::new();
        }
        let (mut longest, mut run) = (0, 0);
        for byte in code.bytes() {
            run = if byte == b'`' { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        let fence = "`".repeat(MIN_FENCE.max(longest + 1));
        format!("{fence}{}\n{code}\n{fence}", self.language)
    }
}

/// Shortest fence (CommonMark 0.31.2, section 4.5).
const MIN_FENCE: usize = 3;

/// The lines between the empty ones at both ends.
fn without_empty_lines(text: &str) -> &str {
    let text = text.trim_end();
    let first = text.len() - text.trim_start().len();
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    &text[start..]
}

/// Most boxes around a `<pre>` that may name its language, and most elements: the table of a code with numbers is a box.
const MAX_LEVELS: usize = 3;
const MAX_ELEMENTS_AROUND: usize = 8;

/// The language of a `<pre>`, by the names that highlighters give it, its `<code>`, or the boxes around it.
fn language(pre: NodeRef<'_>) -> Option<String> {
    let inner = pre
        .children()
        .take(MAX_LEVELS)
        .filter_map(|node| node.value().as_element());
    let inner = inner.filter(|element| element.name.local == local_name!("code"));
    let own = pre.value().as_element().into_iter().chain(inner);
    let outer = pre.ancestors().map_while(|node| node.value().as_element());
    let mut boxes = 0;
    let outer = outer.take(MAX_ELEMENTS_AROUND).take_while(|element| {
        let is_box = matches!(
            element.name.local,
            local_name!("div") | local_name!("figure") | local_name!("table")
        );
        boxes += usize::from(is_box);
        let is_of_table = matches!(
            element.name.local,
            local_name!("td") | local_name!("tr") | local_name!("tbody")
        );
        is_box && boxes <= MAX_LEVELS || is_of_table
    });
    let mut own = own.map(|element| (element, true));
    own.find_map(|(element, is_own)| named(element, is_own))
        .or_else(|| outer.into_iter().find_map(|element| named(element, false)))
}

/// The language that the names of an element say.
fn named(element: &Element, is_own: bool) -> Option<String> {
    let attributes = ["data-lang", "data-language", "data-code-language"];
    let attribute = attributes.iter().find_map(|name| element.any_attribute(name));
    attribute.and_then(clean).or_else(|| of_classes(element, is_own))
}

/// Classes of boxes with code and of the lines in them, which are no `<pre>`: of Doxygen, SyntaxHighlighter and Crayon.
const BOXES_OF_LINES: [(&str, &str); 3] = [
    ("fragment", "line"),
    ("container", "line"),
    ("crayon-pre", "crayon-line"),
];

/// Whether an element is a box of code that has each line in a box.
pub(super) fn is_box_of_lines(node: NodeRef<'_>, element: &Element) -> bool {
    let is_div = |element: &Element| element.name.local == local_name!("div");
    // Most boxes are none, and the names tell it.
    let mut kinds = BOXES_OF_LINES
        .iter()
        .filter(|(name, _)| is_div(element) && classes(element).any(|class| class == *name));
    kinds.any(|(_, line)| {
        let first = node
            .children()
            .take(MAX_LEVELS)
            .find_map(|child| child.value().as_element());
        first.is_some_and(|first| is_div(first) && classes(first).any(|class| class == *line))
    })
}

/// Beginnings of classes before the name of a language, the longest first.
const PREFIXES: [&str; 6] = [
    "highlight-source-",
    "language-",
    "highlight-",
    "brush:",
    "lang-",
    "src-",
];

/// Classes beside which the name of a language stands: of highlight.js, Pandoc, SyntaxHighlighter, Prettify, Rouge and Org.
const MARKERS: [&str; 7] = [
    "hljs",
    "sourceCode",
    "brush:",
    "prettyprint",
    "highlight",
    "src",
    "syntaxhighlighter",
];

/// Names that are also words, so that they name a language beside a marker only.
fn of_classes(element: &Element, is_own: bool) -> Option<String> {
    let prefixed = classes(element).find_map(|class| {
        let prefix = PREFIXES.iter().find(|prefix| class.starts_with(**prefix))?;
        // The classes of a page name its human language so.
        let is_of_code = is_own || *prefix != "lang-";
        is_of_code.then(|| clean(&class[prefix.len()..])).flatten()
    });
    let has_marker = || classes(element).any(|class| MARKERS.contains(&class));
    let named = || {
        let mut names = classes(element).filter(|class| !MARKERS.contains(class));
        names.find_map(|name| clean(name).filter(|name| LANGUAGES.contains(&name.as_str())))
    };
    prefixed.or_else(|| (is_own || has_marker()).then(named).flatten())
}

/// Languages that are named by a class of their own.
const LANGUAGES: [&str; 52] = [
    "bash",
    "c",
    "clojure",
    "cpp",
    "csharp",
    "css",
    "cuda",
    "dart",
    "diff",
    "dockerfile",
    "elixir",
    "erlang",
    "fortran",
    "go",
    "graphql",
    "groovy",
    "haskell",
    "html",
    "ini",
    "java",
    "javascript",
    "js",
    "json",
    "julia",
    "kotlin",
    "latex",
    "lisp",
    "lua",
    "makefile",
    "matlab",
    "nginx",
    "objectivec",
    "ocaml",
    "perl",
    "php",
    "powershell",
    "python",
    "r",
    "ruby",
    "rust",
    "scala",
    "scheme",
    "scss",
    "sh",
    "shell",
    "sql",
    "swift",
    "toml",
    "typescript",
    "vim",
    "xml",
    "yaml",
];

/// Names of no language.
const NONE: [&str; 12] = [
    "default",
    "none",
    "nohighlight",
    "no-highlight",
    "lines",
    "wrapper",
    "box",
    "container",
    "code",
    "block",
    "inline",
    "undefined",
];

/// Longest name of a language, in bytes.
const MAX_NAME_BYTES: usize = 24;

/// The name of a language, if it may be one.
fn clean(name: &str) -> Option<String> {
    let name = name
        .trim_matches(|c: char| c == ';' || c.is_whitespace())
        .to_ascii_lowercase();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"+#-._".contains(&byte);
    let is_possible = (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_name);
    (is_possible && !NONE.contains(&name.as_str())).then_some(name)
}

/// Classes of the numbers of lines: of Pygments, Rouge, Chroma, highlight.js, Prism, GitHub and SyntaxHighlighter.
const GUTTERS: [&str; 18] = [
    "linenos",
    "lineno",
    "linenodiv",
    "lineno-cell",
    "gutter",
    "rouge-gutter",
    "code-gutter",
    "ln",
    "lnt",
    "line-number",
    "line-numbers",
    "line-numbers-rows",
    "hljs-ln-numbers",
    "hljs-ln-n",
    "blob-num",
    "special",
    "gl",
    "linenumber",
];

/// Class of the box behind a code that has the numbers of its lines: of VuePress.
const NUMBERS_BEHIND: &str = "line-numbers-wrapper";

/// Class of the lines that mdBook and rustdoc hide: a reader does not need them, but the compiler does.
const HIDDEN: &str = "boring";

/// Whether an element is no part of the code that is shown: lines that are hidden, or the numbers beside its lines. These stand in the
/// code, or in the cell before it.
pub(super) fn is_beside_code(node: NodeRef<'_>, element: &Element, is_in_code: bool, budget: &mut Budget) -> bool {
    if is_in_code && classes(element).any(|class| class == HIDDEN) {
        return true;
    }
    let may_be = match element.name.local {
        _ if is_in_code => classes(element).any(|class| GUTTERS.contains(&class)),
        local_name!("td") => next_cell_has_code(node, budget),
        local_name!("div") => classes(element).any(|class| class == NUMBERS_BEHIND),
        _ => false,
    };
    may_be && has_only_numbers(node, budget)
}

/// Classes of the cell beside a code, which has the numbers of its lines: of Pygments, Rouge, Chroma, SyntaxHighlighter and Crayon.
const GUTTER_CELLS: [&str; 6] = [
    "linenos",
    "rouge-gutter",
    "code-gutter",
    "lntd",
    "gutter",
    "crayon-nums",
];

/// Whether a cell has the numbers of lines, by its name.
pub(super) fn is_gutter_cell(cell: &Element) -> bool {
    classes(cell).any(|class| GUTTER_CELLS.contains(&class))
}

fn next_cell_has_code(cell: NodeRef<'_>, budget: &mut Budget) -> bool {
    let behind = std::iter::successors(cell.next_sibling(), |node| node.next_sibling());
    let next = behind.take(MAX_LEVELS).find(|node| node.value().as_element().is_some());
    next.is_some_and(|next| {
        let (mut left, mut has_code) = (MAX_BEFORE_CODE, false);
        scan(next, budget, |inner| {
            left -= 1;
            let element = inner.value().as_element();
            has_code = element
                .is_some_and(|element| element.name.local == local_name!("pre") || is_box_of_lines(inner, element));
            if has_code || left == 0 { Way::End } else { Way::Into }
        });
        has_code
    })
}

/// Most nodes before the code in its cell.
const MAX_BEFORE_CODE: usize = 8;

/// Most bytes of a text that are read for numbers.
const MAX_NUMBER_BYTES: usize = 4096;

fn has_only_numbers(node: NodeRef<'_>, budget: &mut Budget) -> bool {
    let (mut has_digits, mut is_other) = (false, false);
    scan(node, budget, |inner| {
        for byte in inner
            .value()
            .as_text()
            .unwrap_or_default()
            .bytes()
            .take(MAX_NUMBER_BYTES)
        {
            has_digits |= byte.is_ascii_digit();
            is_other |= !byte.is_ascii_digit() && !byte.is_ascii_whitespace();
        }
        if is_other { Way::End } else { Way::Into }
    });
    has_digits && !is_other
}
