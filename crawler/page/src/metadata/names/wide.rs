//! Names in Chinese, Japanese and Korean, which are written without capitals and often without separators.

use super::wide_words::{FAMILIES, KOREAN_FAMILIES, LABELS, ROLES, TEAMS};
use super::{Certainty, MAX_AUTHORS, is_around_name, is_name};

/// Longest name, in characters. A team of editors has a long one.
const MAX_NAME: usize = 12;

/// Longest name behind another one without a comma, in characters: a person, and no button.
const MAX_NEXT_NAME: usize = 4;

/// Whether a character is Chinese, Japanese or Korean.
pub(in crate::metadata) fn is_wide(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// The names at the start of a text, up to the next label or button. Only spaces and commas separate them.
pub(super) fn names(text: &str) -> Vec<String> {
    let text = match text.split_once(['：', ':', '。', '！', '？', '＝', '=']) {
        // The last word before a colon is the next label.
        Some((before, _)) => before
            .trim_end()
            .rsplit_once(char::is_whitespace)
            .map_or("", |(names, _)| names),
        None => text,
    };
    let mut names: Vec<String> = Vec::new();
    for (part, is_listed) in parts(text) {
        let name = without_role(part);
        if name.is_empty() || ROLES.contains(&name) {
            continue;
        }
        let is_possible = (2..=MAX_NAME).contains(&name.chars().count()) && is_name(name, Certainty::Shown);
        if !is_possible || is_label(name) || !(names.is_empty() || is_listed || is_next_person(name)) {
            break;
        }
        names.push(name.to_owned());
    }
    names.truncate(MAX_AUTHORS);
    names
}

/// The parts of a text, and whether a comma stands before each.
fn parts(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let is_comma = |c: char| matches!(c, '、' | '，' | ',' | '/' | '；' | ';' | '・');
    let mut is_listed = false;
    text.split_inclusive(move |c: char| c.is_whitespace() || is_comma(c))
        .map(move |part| {
            let name = part.trim_end_matches(|c: char| c.is_whitespace() || is_comma(c));
            let found = (name, is_listed);
            // Between a comma and its name there may be a space.
            is_listed = part.ends_with(is_comma) || is_listed && name.is_empty();
            found
        })
}

/// A name without the word for a reporter behind it.
fn without_role(part: &str) -> &str {
    let name = part.trim_matches(is_around_name);
    let roles = ["기자", "記者"];
    roles.iter().find_map(|role| name.strip_suffix(role)).unwrap_or(name)
}

/// Whether a text is a label of another field or a button. "Commentator" has the word for comments in it, and is none.
fn is_label(text: &str) -> bool {
    let is_team = TEAMS.iter().any(|end| text.ends_with(end));
    let mut labels = LABELS.iter();
    !is_team && labels.any(|label| text.starts_with(label) || text.ends_with(label))
}

/// Whether a text that only a space separates from the name before is a person: it begins with a family name.
fn is_next_person(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let is_family = FAMILIES.contains(first) || KOREAN_FAMILIES.contains(first);
    is_family && text.chars().count() <= MAX_NEXT_NAME && text.chars().all(is_wide)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_end_before_labels_and_buttons() {
        let cases: &[(&str, &[&str])] = &[
            ("李建国 我要评论 打印", &["李建国"]),
            ("李建国　评论", &["李建国"]),
            ("李建国 收藏 分享", &["李建国"]),
            ("李建国 关闭", &["李建国"]),
            ("李建国 王芳　发布时间", &["李建国", "王芳"]),
            ("李建国 通讯员 赵强 文/图", &["李建国", "赵强"]),
            ("李建国、王芳，赵强", &["李建国", "王芳", "赵强"]),
            ("李建国, 王芳", &["李建国", "王芳"]),
            ("李建国 欧阳娜娜 阅读", &["李建国", "欧阳娜娜"]),
            ("张三 編輯 李四", &["张三"]),
            ("陳小明 林美華 分享", &["陳小明", "林美華"]),
            ("本报评论员", &["本报评论员"]),
            ("新华社编辑部 来源", &["新华社编辑部"]),
            ("佐藤健一 投稿日", &["佐藤健一"]),
            ("佐藤健一 写真＝山本花子", &["佐藤健一"]),
            ("佐藤健一、山本花子 シェアする", &["佐藤健一", "山本花子"]),
            ("佐藤健一 コメントする", &["佐藤健一"]),
            ("김민수 기자 입력", &["김민수"]),
            ("김민수·이영희", &["김민수·이영희"]),
            ("김민수 이영희 기자 공유", &["김민수", "이영희"]),
            ("김민수 기자 minsu", &["김민수"]),
            ("评论", &[]),
            ("发布时间", &[]),
            ("投稿日", &[]),
            ("댓글 3", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(names(text), *expected, "{text}");
        }
    }
}
