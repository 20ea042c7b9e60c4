//! The words of the Markdown are those of the main text.

use proptest::prelude::*;

use super::meaning::Meaning;
use super::*;
use crate::words::is_ignorable;

/// Pages of one run.
const CASES: u32 = 2_000;

/// Texts, as HTML, that have a meaning in Markdown.
const TEXTS: &[&str] = &[
    "word",
    "two words",
    "un",
    "*",
    "**a**",
    "_",
    "_a_",
    "a_b",
    "__",
    "1.",
    "1)",
    "12. x",
    "1",
    ".",
    "# x",
    "#",
    "##",
    "&gt; q",
    "&gt;",
    "- a",
    "-",
    "--",
    "---",
    "+",
    "+ b",
    "+++",
    "```",
    "``",
    "`",
    "~~~",
    "~~a~~",
    "~",
    "| a | b |",
    "|",
    "--- | ---",
    ":--",
    ":",
    "===",
    "=",
    "[x](http://evil.org)",
    "[x]",
    "[x]: http://evil.org",
    "](http://evil.org)",
    "[^1]: x",
    "[^1]",
    "!",
    "![i](http://evil.org)",
    "&lt;b>",
    "&lt;http://evil.org>",
    "&lt;!--",
    "&lt;",
    "&amp;amp;",
    "&amp;",
    "amp;",
    "&amp;#42;",
    "http://evil.org",
    "http:",
    "//evil.org",
    "www.evil.org",
    "www",
    "a@evil.org",
    "mailto:a@b.c",
    "\\",
    "\\*",
    "$x$",
    "$",
    "(",
    ")",
    "{#id}",
    "…",
    "你好",
    "。",
    "「",
    "é",
    "\u{a0}",
    "&#13;",
    "&#13;# x",
    "    indented",
    "\ttab",
    "a\n# b",
    "x\n---",
    "\u{2028}y",
    "5",
    "-5",
    "v1.2",
    "2.",
];

/// Elements around other elements.
const ELEMENTS: &[&str] = &[
    "p",
    "p",
    "div",
    "h1",
    "h2",
    "h6",
    "ul",
    "ol",
    "ol start=7",
    "li",
    "li",
    "li",
    "blockquote",
    "pre",
    "code",
    "code",
    "b",
    "b",
    "i",
    "em",
    "s",
    "span",
    "sup",
    "sub",
    "a href=http://link.example/x",
    "a href='http://link.example/a(b'",
    "a href=javascript:x",
    "a href=#f",
    "table",
    "tr",
    "td",
    "td",
    "th",
    "caption",
    "dl",
    "dt",
    "dd",
    "details open",
    "summary",
    "section",
    "figure",
    "span style=display:block",
    "kbd",
    "del",
    "tt",
    "article",
    "x-y",
];

fn pages() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        10 => prop::sample::select(TEXTS).prop_map(str::to_owned),
        3 => Just(" ".to_owned()),
        1 => Just("<br>".to_owned()),
        1 => Just("&#8203;".to_owned()),
        1 => Just("<hr>".to_owned()),
        1 => Just("<img src=i alt='![x](y)'>".to_owned()),
        1 => Just("<ul><li>item<li>item</ul>".to_owned()),
        1 => Just("<table><tr><th>a<th>b<tr><td>1<td>2|</table>".to_owned()),
    ];
    let tree = leaf.prop_recursive(7, 90, 6, |inner| {
        (prop::sample::select(ELEMENTS), prop::collection::vec(inner, 1..6)).prop_map(|(element, inside)| {
            let name = element.split(' ').next().unwrap_or(element);
            format!("<{element}>{}</{name}>", inside.concat())
        })
    });
    prop::collection::vec(tree, 1..6).prop_map(|parts| parts.concat())
}

/// Characters above and below the line are those of the text.
fn on_the_line(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '⁰'..='⁹' => char::from(b'0' + (u32::from(c) - u32::from('⁰')) as u8),
            '¹' => '1',
            '²' => '2',
            '³' => '3',
            '⁺' => '+',
            '⁻' => '-',
            '⁼' => '=',
            '⁽' => '(',
            '⁾' => ')',
            '₀'..='₉' => char::from(b'0' + (u32::from(c) - u32::from('₀')) as u8),
            '₊' => '+',
            '₋' => '-',
            '₌' => '=',
            '₍' => '(',
            '₎' => ')',
            c => c,
        })
        .collect()
}

/// What is said and the text without the marks of texts off the line, if the page has such texts: `x^(1)` is `x1`. The same characters are in
/// texts, and so are left out of both.
fn without_marks_of_raised(html: &str, said: String, text: String) -> (String, String) {
    let is_mark = |c: char| matches!(c, '^' | '_' | '(' | ')');
    if html.contains("<sup") || html.contains("<sub") {
        (said.replace(is_mark, ""), text.replace(is_mark, ""))
    } else {
        (said, text)
    }
}

/// The words of a text, except those that have only invisible characters. Only code keeps such words.
fn visible_words(text: &str) -> Vec<&str> {
    let words = text.split_whitespace();
    words.filter(|word| !word.chars().all(is_ignorable)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn the_words_of_generated_pages_are_those_of_their_text(html in pages()) {
        let doc = parse(&html, Attributes::All);
        for content in [all_content(&doc), content(&doc, "", None, Favor::default()).0] {
            let markdown = written(&doc, &content, &MarkdownOptions::default());
            let meaning = Meaning::of(&markdown);
            let text = content.text();
            let (said, text) = without_marks_of_raised(&html, on_the_line(&meaning.text), text);
            prop_assert_eq!(visible_words(&said), visible_words(&text), "{}\n---\n{}", html, markdown);
            prop_assert!(!meaning.has_html, "{}\n---\n{}", html, markdown);
            let may_be = |link: &String| link.starts_with("http://link.example/") || link == "https://example.org/a/b#f";
            prop_assert!(meaning.links.iter().all(may_be) && meaning.images.is_empty(), "{}\n---\n{}", html, markdown);
            prop_assert!(meaning.links.is_empty() || html.contains("<a href"), "{}\n---\n{}", html, markdown);
        }
    }

    #[test]
    fn the_words_of_plain_text_are_its_words(parts in prop::collection::vec((prop::sample::select(TEXTS), prop::sample::select(&["", " ", "\n", "\n\n"][..])), 1..30)) {
        let text: String = parts.iter().flat_map(|(text, gap)| [*text, *gap]).collect();
        for lines in [Lines::Wrapped, Lines::Paragraphs] {
            let markdown = of_text(&text, lines, &MarkdownOptions::default());
            let meaning = Meaning::of(&markdown);
            prop_assert_eq!(meaning.words(), text.split_whitespace().collect::<Vec<_>>(), "{}", markdown);
            prop_assert!(!meaning.has_html && meaning.links.is_empty() && meaning.images.is_empty(), "{}", markdown);
            prop_assert!(meaning.headings + meaning.tables + meaning.depth + meaning.codes.len() == 0, "{}", markdown);
        }
    }
}

/// A page whose words may differ: it has formulas, or code with numbers or hidden lines.
fn may_differ(html: &str) -> bool {
    [
        "<math",
        "MathJax",
        "math/tex",
        "latex",
        "mwe-math",
        "boring",
        "lineno",
        "gutter",
        "hljs-ln",
        "linenumber",
        "<td",
    ]
    .iter()
    .any(|part| html.contains(part))
}

/// Reads all files below the folder in the variable `PAGES`.
#[test]
#[ignore = "needs a folder of HTML files: run by tests/markdown_words"]
fn the_words_of_real_pages_are_those_of_their_text() {
    let mut folders = vec![std::path::PathBuf::from(std::env::var("PAGES").unwrap())];
    let (mut pages, mut unlike, mut html_files) = (0, Vec::new(), Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                html_files.push(path)
            }
        }
    }
    for file in html_files {
        let Ok(html) = String::from_utf8(std::fs::read(&file).unwrap()) else {
            continue;
        };
        let doc = parse(&html, Attributes::All);
        let read = content(&doc, "", None, Favor::default()).0;
        let markdown = written(&doc, &read, &MarkdownOptions::default());
        let said = on_the_line(&Meaning::of(&markdown).text);
        let (said, text) = without_marks_of_raised(&html, said, on_the_line(&read.text()));
        pages += 1;
        let first = said
            .split_whitespace()
            .zip(text.split_whitespace())
            .position(|(a, b)| a != b);
        if said.split_whitespace().ne(text.split_whitespace()) {
            let at = first.unwrap_or(0).saturating_sub(3);
            let some = |text: &str| text.split_whitespace().skip(at).take(8).collect::<Vec<_>>().join(" ");
            unlike.push((may_differ(&html), file, some(&said), some(&text)));
        }
    }
    println!("{pages} pages, {} unlike", unlike.len());
    unlike.iter().for_each(|unlike| println!("{unlike:?}"));
    assert!(unlike.iter().all(|(may_differ, ..)| *may_differ));
}
