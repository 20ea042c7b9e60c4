//! Lines that name who wrote or edited a text: 责任编辑：王小明, (本报记者 郑十), 홍길동 기자, By Jane Doe, Reporting by Max Lee.
//!
//! Reprints of one press release have such a line each, and it is the only one of their own.

/// Lines at the beginning and at the end of a text that may be credits. A heading often comes before the first.
const FIRST_LINES: usize = 3;
const LAST_LINES: usize = 2;

/// A longer line says more than names.
const MOST_CHARACTERS: usize = 80;

/// Labels before a colon.
const LABELS: [&str; 32] = [
    "责任编辑",
    "責任編輯",
    "责编",
    "編輯",
    "编辑",
    "审核",
    "審核",
    "校对",
    "校對",
    "监制",
    "監製",
    "来源",
    "來源",
    "作者",
    "记者",
    "記者",
    "通讯员",
    "转自",
    "轉自",
    "转载自",
    "撰文",
    "編集",
    "取材",
    "文責",
    "出典",
    "기자",
    "출처",
    "편집",
    "취재",
    "author",
    "editor",
    "source",
];

/// Words before a name in Chinese, without a colon.
const REPORTERS: [&str; 6] = ["本报记者", "本報記者", "本网记者", "本台记者", "通讯员", "特约记者"];

/// Words before a name in English.
const BY: [&str; 4] = ["reporting by ", "editing by ", "edited by ", "written by "];

/// The lines of a text that are not credits.
pub(super) fn lines_without(text: &str) -> impl Iterator<Item = &str> {
    let is_filled = |line: &&str| !line.trim().is_empty();
    // The last lines, by where they begin.
    let last = text
        .lines()
        .rev()
        .filter(is_filled)
        .take(LAST_LINES)
        .last()
        .map(str::as_ptr);
    let (mut count, mut is_last) = (0, false);
    text.lines().filter(move |line| {
        is_last |= Some(line.as_ptr()) == last;
        count += usize::from(is_filled(line));
        !((count <= FIRST_LINES || is_last) && is_credit(line))
    })
}

fn is_credit(line: &str) -> bool {
    let line = line
        .trim()
        .trim_matches(['(', ')', '（', '）', '[', ']', '【', '】'])
        .trim();
    if line.chars().nth(MOST_CHARACTERS).is_some() || line.contains(['。', '！', '？', '!', '?']) {
        return false;
    }
    let lower = line.to_lowercase();
    let has_label = LABELS.iter().any(|label| {
        let rest = lower.strip_prefix(label).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with([':', '：']))
    });
    has_label
        || REPORTERS.iter().any(|reporter| line.starts_with(reporter))
        || BY.iter().any(|by| lower.starts_with(by))
        || is_byline(line)
        || is_korean(line)
}

/// By Jane Doe: two words of a name at least.
fn is_byline(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_by = matches!(words.next(), Some("By" | "BY"));
    let mut is_of_name = || {
        words.next().is_some_and(|word| {
            let mut letters = word.chars();
            letters.next().is_some_and(char::is_uppercase) && letters.all(|c| c.is_alphabetic() || "-.,'’".contains(c))
        })
    };
    is_by && is_of_name() && is_of_name()
}

/// 홍길동 기자, perhaps with an address.
fn is_korean(line: &str) -> bool {
    let mut words = line.split(['=', ' ']).filter(|word| !word.is_empty());
    let names = words
        .by_ref()
        .take_while(|word| *word != "기자" && !word.ends_with("기자"))
        .count();
    let has_title = line.contains("기자");
    has_title && names <= 2 && words.all(|word| word.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_names_are_credits() {
        for line in [
            "责任编辑：王小明 审核：李大伟",
            "来源：某某发布 作者：吴九",
            "（本报记者 郑十 通讯员 钱十一）",
            "转自：某某农业微信公众号",
            "編集：田中",
            "홍길동 기자",
            "홍길동 기자 hong@example.com",
            "[서울=홍길동 기자]",
            "By Jane Doe, staff writer, edited by Tom Ray",
            "Reporting by Max Lee in Dover; editing by Ann Poe.",
            "Editor: Ann Poe",
            "Source : Farm Bureau",
        ] {
            assert!(is_credit(line), "{line}");
        }
    }

    #[test]
    fn lines_that_say_more_are_none() {
        for line in [
            "",
            "编辑部的故事",
            "来源于黄河的水灌溉了三万亩良田",
            "作者：他在书中写道，这是一个新的时代。",
            "By June 2025 rates rose",
            "By the end of the year, the dam was full",
            "By now Rome was lost",
            "Sources of the river",
            "the editor: a program for texts",
            "기자 회견이 오늘 오후에 열린다",
            "그는 기자가 되기로 결심했다고 말했다",
        ] {
            assert!(!is_credit(line), "{line}");
        }
        assert!(!is_credit(&format!("By Jane Doe {}", "and others ".repeat(9))));
    }

    #[test]
    fn only_the_first_and_the_last_lines_are_credits() {
        let credit = "By Jane Doe";
        let text = ["title", "", credit, "a", "b", credit, "c", credit, "", credit, ""].join("\n");
        let rest: Vec<&str> = lines_without(&text).filter(|line| !line.is_empty()).collect();
        assert_eq!(rest, ["title", "a", "b", credit, "c"]);
        assert_eq!(lines_without("").count(), 0);
        assert_eq!(lines_without(credit).count(), 0);
    }
}
