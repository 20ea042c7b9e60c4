use proptest::prelude::*;

use super::*;

const WHOLE: Options = Options {
    context: usize::MAX,
    max_rows: usize::MAX,
    max_line_chars: usize::MAX,
};

fn of(left: &str, right: &str) -> Diff {
    diff(left, right, &Options::default())
}

/// A line with its changed parts in brackets.
fn shown(line: &Option<Vec<Span>>) -> String {
    let show = |span: &Span| {
        if span.is_changed {
            format!("[{}]", span.text)
        } else {
            span.text.clone()
        }
    };
    line.as_ref()
        .map_or("-".to_owned(), |spans| spans.iter().map(show).collect())
}

/// Both sides of a changed row; `None` for other rows.
fn changed(row: &Row) -> Option<(String, String)> {
    match row {
        Row::Changed { left, right } => Some((shown(left), shown(right))),
        Row::Same { .. } | Row::Skipped { .. } => None,
    }
}

fn changes(diff: &Diff) -> Vec<(String, String)> {
    diff.rows.iter().filter_map(changed).collect()
}

fn pair(left: &str, right: &str) -> (String, String) {
    (left.to_owned(), right.to_owned())
}

#[test]
fn words_that_differ_are_marked_within_their_lines() {
    let diff = of(
        "Tides\nHigh water is at 6:12, low water at noon.\nThe end",
        "Tides\nHigh water is at 6:40, low water at noon.\nThe end",
    );
    assert_eq!(
        changes(&diff),
        [pair(
            "High water is at 6:[12], low water at noon.",
            "High water is at 6:[40], low water at noon."
        )]
    );
    assert_eq!((diff.removed, diff.added, diff.same), (1, 1, 15));
}

#[test]
fn scripts_without_spaces_are_compared_by_character() {
    let diff = of("微服务框架的安装说明", "微服务框架的使用说明");
    assert_eq!(
        changes(&diff),
        [pair("微服务框架的[安装]说明", "微服务框架的[使用]说明")]
    );
    assert_eq!((diff.removed, diff.added, diff.same), (2, 2, 8));
}

#[test]
fn lines_that_share_most_are_side_by_side() {
    let diff = of(
        "the harbour master prints the tide table every spring",
        "a line that is new\nanother line that is new\nthe harbour master prints the tide table every autumn",
    );
    assert_eq!(
        changes(&diff),
        [
            pair("-", "[a line that is new]"),
            pair("-", "[another line that is new]"),
            pair(
                "the harbour master prints the tide table every [spring]",
                "the harbour master prints the tide table every [autumn]"
            ),
        ]
    );
}

#[test]
fn a_paragraph_cut_in_two_is_not_new() {
    let diff = of("one two three four five six", "one two three\nfour five six");
    assert_eq!((diff.removed, diff.added, diff.same), (0, 0, 6));
    assert_eq!(
        changes(&diff),
        [
            pair("one two three four five six", "one two three"),
            pair("-", "four five six")
        ]
    );
}

#[test]
fn words_shared_by_chance_do_not_pair_lines() {
    let diff = of("apples of gold are rare", "pictures in silver are frequent");
    assert_eq!(
        changes(&diff),
        [pair("[apples of gold are rare]", "[pictures in silver are frequent]")]
    );
}

#[test]
fn lines_far_from_a_change_are_skipped() {
    let lines = |changed: &str| {
        let line = |n: usize| {
            if n == 50 {
                changed.to_owned()
            } else {
                format!("line {n}")
            }
        };
        (0..100).map(line).collect::<Vec<_>>().join("\n")
    };
    let diff = of(&lines("before"), &lines("after"));
    let same = |n: usize| Row::Same {
        text: format!("line {n}"),
    };
    assert_eq!(diff.rows.len(), 7);
    assert_eq!(diff.rows[..3], [Row::Skipped { lines: 48 }, same(48), same(49)]);
    assert_eq!(diff.rows[4..], [same(51), same(52), Row::Skipped { lines: 47 }]);
    assert_eq!(diff.same, 99 * 2);
}

#[test]
fn rows_and_lines_are_bounded() {
    let lines = |word: &str| (0..1_000).map(|n| format!("{word}{n}\n")).collect::<String>();
    let options = Options {
        max_rows: 10,
        ..Options::default()
    };
    let many = diff(&lines("left"), &lines("right"), &options);
    assert_eq!((many.rows.len(), many.rows_left_out), (10, 990));
    assert_eq!((many.removed, many.added), (1_000, 1_000));

    let long = |word: &str| format!("{0}{word} {0}", "same ".repeat(5_000));
    let options = Options {
        max_line_chars: 200,
        ..Options::default()
    };
    let diff = diff(&long("here"), &long("there"), &options);
    let [(left, right)] = &changes(&diff)[..] else {
        panic!("{diff:?}")
    };
    assert!(
        left.contains("same [here] same") && right.contains("same [there] same"),
        "{left}"
    );
    assert!(
        left.starts_with('…') && left.ends_with('…') && left.chars().count() <= 202,
        "{left}"
    );

    let one_word = |word: &str| word.repeat(100_000);
    let diff = super::diff(&one_word("a"), &one_word("b"), &options);
    assert_eq!(changes(&diff)[0].0.chars().count(), 202);
}

#[test]
fn only_the_beginnings_of_very_long_texts_are_compared() {
    // Two kinds of lines in two orders: close near-duplicates with an edit distance that grows with their length.
    let lines = |seed: u64| -> String {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..1_000_000).map(|_| ["a\n", "b\n"][random.usize(..2)]).collect()
    };
    let diff = of(&lines(1), &lines(2));
    assert!(diff.is_cut);
    assert_eq!(
        (diff.removed + diff.same, diff.added + diff.same),
        (MAX_LINES, MAX_LINES)
    );

    // Every mark is a unit.
    let marks = |mark: &str| mark.repeat(10_000_000);
    let diff = of(&marks("!"), &marks("?"));
    assert!(diff.is_cut);
    assert_eq!((diff.removed, diff.added, diff.same), (MAX_BYTES, MAX_BYTES, 0));
}

#[test]
fn a_text_is_cut_between_lines_or_characters() {
    let lines = "a line of 25 bytes, no less\n".repeat(100_000);
    let cut = beginning(&lines);
    assert!(cut.ends_with('\n') && cut.len() <= MAX_BYTES && cut.len() > MAX_BYTES - 28);
    assert!(of(&lines, "a line of 25 bytes, no less").is_cut);
    let characters = "好".repeat(MAX_BYTES);
    assert_eq!(beginning(&characters).len(), MAX_BYTES / 3 * 3);
    let short = "\n".repeat(MAX_LINES);
    assert_eq!(beginning(&short), short);
    assert_eq!(beginning(&format!("{short}x")), short);
    assert!(!of(&short, &short).is_cut);
}

/// 900 kB of random words; two of these texts share no lines.
fn noise(seed: u64, vocabulary: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut text = String::new();
    while text.len() < 900_000 {
        text.push_str(&format!("w{:x}", random.u64(..vocabulary)));
        text.push(if random.u8(..12) == 0 { '\n' } else { ' ' });
    }
    text
}

#[test]
fn nearly_a_megabyte_of_unrelated_text_is_compared() {
    let units = |text: &str| text.split_whitespace().count();
    for vocabulary in [50, 5_000, u64::MAX] {
        let (left, right) = (noise(1, vocabulary), noise(2, vocabulary));
        for (left, right) in [
            (left.clone(), right.clone()),
            (left.replace('\n', " "), right.replace('\n', " ")),
        ] {
            let diff = of(&left, &right);
            assert!(!diff.is_cut);
            assert_eq!(diff.removed + diff.same, units(&left));
            assert_eq!(diff.added + diff.same, units(&right));
            assert_eq!(
                diff.rows.len(),
                Options::default().max_rows.min(diff.rows.len() + diff.rows_left_out)
            );
        }
    }
}

#[test]
fn equal_texts_have_nothing_that_changed() {
    assert_eq!(of("", ""), Diff::default());
    let text = "one\ntwo\nthree";
    let diff = of(text, text);
    assert_eq!(diff.rows, [Row::Skipped { lines: 3 }]);
    assert_eq!((diff.removed, diff.added, diff.same), (0, 0, 3));
    let diff = of("tide", "tide\n");
    assert_eq!(
        diff.rows,
        [Row::Skipped { lines: 1 }],
        "the end of the last line is no difference"
    );
    assert_eq!((diff.removed, diff.added, diff.same), (0, 0, 1));
}

#[test]
fn a_line_after_an_insertion_at_the_beginning_is_near_a_change() {
    let diff = of("table", "tide\ntable");
    let shown = diff
        .rows
        .iter()
        .any(|row| matches!(row, Row::Same { text } if text == "table"));
    assert!(shown, "{:?}", diff.rows);
    assert_eq!((diff.removed, diff.added, diff.same), (0, 1, 1));
}

/// A text from a small vocabulary, so that two texts share many words.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "tide",
        "table",
        "harbour",
        " ",
        " ",
        " ",
        "\n",
        ", ",
        "你",
        "好",
        "é",
        "12",
        "1,299.00",
        "\t",
        "ที่",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn joined(line: &Option<Vec<Span>>) -> Option<String> {
    line.as_ref()
        .map(|spans| spans.iter().map(|span| span.text.as_str()).collect())
}

proptest! {
    #[test]
    fn the_rows_contain_both_texts(left in text(), right in text()) {
        let diff = diff(&left, &right, &WHOLE);
        // The end of the last line is no part of a text's lines.
        let has_same_lines = left.lines().eq(right.lines());
        let (mut lines_left, mut lines_right) = (Vec::new(), Vec::new());
        for row in &diff.rows {
            match row {
                Row::Same { text } => {
                    lines_left.push(text.clone());
                    lines_right.push(text.clone());
                }
                Row::Skipped { .. } => prop_assert!(has_same_lines),
                Row::Changed { left, right } => {
                    prop_assert!(left.is_some() || right.is_some());
                    lines_left.extend(joined(left));
                    lines_right.extend(joined(right));
                }
            }
        }
        if !has_same_lines {
            prop_assert_eq!(lines_left, left.lines().collect::<Vec<_>>());
            prop_assert_eq!(lines_right, right.lines().collect::<Vec<_>>());
        }
        prop_assert_eq!(diff.removed + diff.same, left.lines().map(count).sum::<usize>());
        prop_assert_eq!(diff.added + diff.same, right.lines().map(count).sum::<usize>());
    }

    #[test]
    fn unmarked_parts_are_in_both_texts(left in text(), right in text()) {
        let diff = diff(&left, &right, &WHOLE);
        let unmarked = |side: fn(&Row) -> Option<&Option<Vec<Span>>>| -> String {
            let rows = diff.rows.iter().filter_map(side).flatten().flatten();
            let spans = rows.filter(|span| !span.is_changed);
            spans.flat_map(|span| span.text.split_whitespace()).collect()
        };
        fn left_side(row: &Row) -> Option<&Option<Vec<Span>>> {
            match row { Row::Changed { left, .. } => Some(left), _ => None }
        }
        fn right_side(row: &Row) -> Option<&Option<Vec<Span>>> {
            match row { Row::Changed { right, .. } => Some(right), _ => None }
        }
        prop_assert_eq!(unmarked(left_side), unmarked(right_side));
    }

    #[test]
    fn equal_texts_have_no_changed_row(text in any::<String>(), context in 0_usize..4) {
        let diff = diff(&text, &text, &Options { context, ..WHOLE });
        prop_assert!(diff.rows.iter().all(|row| changed(row).is_none()));
        prop_assert_eq!((diff.removed, diff.added), (0, 0));
    }

    #[test]
    fn skipped_and_shown_lines_are_all_lines(left in text(), right in text(), context in 0_usize..3) {
        let diff = diff(&left, &right, &Options { context, ..WHOLE });
        let lines: usize = diff.rows.iter().map(|row| match row {
            Row::Same { .. } => 1,
            Row::Skipped { lines } => *lines,
            Row::Changed { left, .. } => usize::from(left.is_some()),
        }).sum();
        prop_assert_eq!(lines, left.lines().count());
    }

    #[test]
    fn no_line_exceeds_its_bound(left in text(), right in text(), max in 1_usize..30) {
        let options = Options { max_line_chars: max, ..WHOLE };
        for row in diff(&left, &right, &options).rows {
            let lines = match row {
                Row::Same { text } => vec![text],
                Row::Skipped { .. } => Vec::new(),
                Row::Changed { left, right } => [left, right].iter().filter_map(joined).collect(),
            };
            prop_assert!(lines.iter().all(|line| line.chars().count() <= max), "{lines:?}");
        }
    }
}
