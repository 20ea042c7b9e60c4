//! Pages that want to do harm.

use super::super::blocks::MAX_DEPTH;
use super::meaning::Meaning;
use super::*;

#[test]
fn deep_nesting_is_bounded() {
    for (open, close) in [
        ("<ul><li>a", "</ul>"),
        ("<blockquote>a", "</blockquote>"),
        ("<ol><li><blockquote>a", ""),
        ("<div><b>a", ""),
        ("<ul>", ""),
        ("<table><tr><td>a", ""),
        ("<dl><dt>a", ""),
    ] {
        let html = format!("{}{}", open.repeat(400), close.repeat(400));
        let markdown = shown(&html);
        let longest = markdown.lines().map(str::len).max().unwrap_or(0);
        assert!(longest < 20 * MAX_DEPTH + 4 * 400 + 100, "{open}: {longest}");
        assert!(Meaning::of(&markdown).depth <= MAX_DEPTH, "{open}");
    }
}

#[test]
fn a_table_of_a_million_cells_is_written() {
    let html = format!("<table><tr><th>h{}</table>", "<tr><td>1<td>2<td>3<td>4".repeat(80_000));
    let markdown = shown(&html);
    assert!(markdown.starts_with("| h |  |  |  |\n| --- | --- | --- | --- |\n| 1 | 2 | 3 | 4 |\n"));
    assert!(markdown.len() < 4 * html.len());
}

#[test]
fn spans_do_not_multiply_a_table() {
    let row = "<tr><td colspan=1000 rowspan=1000>a";
    let html = format!("<table><tr><th>h{}</table>", row.repeat(5_000));
    assert!(shown(&html).len() < 20 * html.len());
}

#[test]
fn long_code_is_written_whole() {
    let code = "    let x = 1; // ```\n".repeat(2_500_000);
    let markdown = shown(&format!("<pre>{code}</pre>"));
    assert_eq!(markdown.len(), code.len() + "````\n````\n".len());
}

#[test]
fn the_markdown_is_not_longer_than_permitted() {
    let html = "<p>some words</p><ul><li>an item</ul>".repeat(1_000);
    for max_bytes in [0, 1, 10, 100, 1_000, 10_000] {
        let options = MarkdownOptions {
            max_bytes,
            ..MarkdownOptions::default()
        };
        let markdown = shown_with(&html, &options);
        assert!(markdown.len() <= max_bytes + 1, "{max_bytes}: {}", markdown.len());
        assert!(max_bytes < 100 || markdown.starts_with("some words\n"));
    }
}

#[test]
fn long_targets_are_not_repeated() {
    let html = format!("<p><a href='/{}'>{}", "x".repeat(100_000), "a<p>".repeat(1_000));
    assert!(shown(&html).len() < 10_000);
    let html = format!("<p><a href='/{}'>{}", "x".repeat(2_000), "a<p>".repeat(10_000));
    assert!(shown(&html).len() < (1 << 20) + 40 * html.len());
}
