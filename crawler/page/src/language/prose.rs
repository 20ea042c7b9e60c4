//! Which lines of a text say in what language it is.
//!
//! Pages about programs have much code, and pages that are translated in part have names and labels in English. So a line with many
//! marks of programs does not vote, and a line with a script of its own votes for this script, although the names in it are in Latin letters.

use super::script::{Amounts, Script};

/// Bytes of a text that are read.
const MAX_BYTES: usize = 16 * 1024;

/// Bytes of prose in one script that the detector reads.
const MAX_SAMPLE_BYTES: usize = 1024;

/// A script with so many letters, of which no other has a tenth, is that of the text.
const ENOUGH_LETTERS: u32 = 2_000;

/// Least words of a line in Latin letters. Fewer may be a name or a label.
const LEAST_WORDS: usize = 4;

/// The prose of a text.
#[derive(Debug)]
pub(super) struct Prose {
    /// The script of most of it.
    pub script: Script,
    /// Lines in this script.
    pub sample: String,
}

impl Prose {
    /// The prose of a text; of a text without prose, all of its lines.
    pub(super) fn of(text: &str, declared: Option<Script>) -> Self {
        let text = beginning(text, MAX_BYTES);
        let amounts = votes(text, is_prose);
        let (amounts, counts): (_, fn(&str) -> bool) = if amounts.total() > 0 {
            (amounts, is_prose)
        } else {
            (votes(text, |_| true), |_| true)
        };
        let script = most_likely(amounts, declared);
        Self {
            script,
            sample: sample(text, script, counts),
        }
    }
}

/// The script of most letters. Latin letters are everywhere, so they need three times as many as another script, and more if the page
/// declares that script. That a page declares a language in Latin letters says little: templates do.
fn most_likely(mut amounts: Amounts, declared: Option<Script>) -> Script {
    let latin = amounts.get(Script::Latin);
    amounts.remove(Script::Latin);
    let (other, letters) = amounts.most();
    let weight = if declared == Some(other) { 5 } else { 3 };
    if weight * letters > latin { other } else { Script::Latin }
}

/// The letters of the lines for which `counts` holds, by the script for which each line votes.
fn votes(text: &str, counts: impl Fn(&str) -> bool) -> Amounts {
    let mut votes = Amounts::default();
    for line in text.lines().filter(|line| counts(line)) {
        let (script, letters) = vote(line);
        votes.add(script, letters);
        let (_, most) = votes.most();
        if most > ENOUGH_LETTERS && votes.total() < most + most / 10 {
            break;
        }
    }
    votes
}

/// The script of a line, and its letters in this script. A script has a line if a third of the letters is in it: the rest may be names.
fn vote(line: &str) -> (Script, u32) {
    if line.is_ascii() {
        let letters = line.bytes().filter(u8::is_ascii_alphabetic).count();
        return (Script::Latin, letters as u32);
    }
    let mut amounts = Amounts::of(line);
    let all = amounts.total();
    let latin = amounts.get(Script::Latin);
    amounts.remove(Script::Latin);
    let (other, letters) = amounts.most();
    if 3 * letters >= all && letters > 0 {
        (other, letters)
    } else {
        (Script::Latin, latin)
    }
}

/// Whether a line is running text in some script.
fn is_prose(line: &str) -> bool {
    !is_code(line) && (!line.is_ascii() || line.split_ascii_whitespace().nth(LEAST_WORDS - 1).is_some())
}

/// Whether a line begins or ends as those of programs do, or has so many marks of programs, of paths or of mark-up that it is one.
fn is_code(line: &str) -> bool {
    let line = line.trim();
    if line.ends_with([';', '{', '}', '\\']) || line.starts_with(['@', '#', '$', '<', '}']) || line.starts_with("//") {
        return true;
    }
    let is_mark = |byte: &u8| {
        matches!(
            byte,
            b'{' | b'}'
                | b'('
                | b')'
                | b'['
                | b']'
                | b';'
                | b'='
                | b'<'
                | b'>'
                | b'_'
                | b'/'
                | b'\\'
                | b'|'
                | b'$'
                | b'#'
                | b'@'
                | b'&'
                | b'*'
                | b'+'
        )
    };
    8 * line.bytes().filter(is_mark).count() > line.len()
}

/// Lines of a script, joined. A sample of another script has no Latin letters, which the detector would take for the script of the text.
fn sample(text: &str, script: Script, counts: impl Fn(&str) -> bool) -> String {
    let mut sample = String::new();
    for line in text.lines().filter(|line| counts(line) && vote(line).0 == script) {
        let line = beginning(line, MAX_SAMPLE_BYTES - sample.len());
        if script == Script::Latin {
            sample.push_str(line);
        } else {
            sample.extend(line.chars().filter(|c| Script::of(*c) != Some(Script::Latin)));
        }
        if sample.len() + 4 > MAX_SAMPLE_BYTES {
            break;
        }
        sample.push('\n');
    }
    sample
}

/// The first bytes of a text, at most so many, without a part of a character.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_labels_do_not_vote() {
        for line in [
            "let mut sample = String::new();",
            "for (i = 0; i < n; i++) { sum += a[i]; }",
            "$ sudo apt-get install --no-install-recommends /tmp/a_b.deb",
            "public interface Hello {",
            "String sayHello(Person person);",
            "@Override",
            "FileName",
            "Open dialog",
        ] {
            assert!(!is_prose(line), "{line}");
        }
        for line in [
            "The column on the left side is used to set breakpoints.",
            "文件",
            "打开 LibreOffice Writer 文档",
        ] {
            assert!(is_prose(line), "{line}");
        }
    }

    #[test]
    fn a_line_votes_for_the_script_of_its_words_whatever_names_it_has() {
        assert_eq!(vote("打开文本文档，选择「LibreOffice Writer - 视图」").0, Script::Han);
        assert_eq!(vote("Откройте меню File – Open – Recent Documents").0, Script::Cyrillic);
        assert_eq!(
            vote("The greeting こんにちは means hello in the language of this chapter").0,
            Script::Latin
        );
    }

    #[test]
    fn the_sample_has_only_lines_of_the_script() {
        let text = "数据去重是搜索引擎的重要步骤。\nThis sentence was never translated into it.\n重复的网页会浪费存储和计算资源。\n";
        let prose = Prose::of(text, None);
        assert_eq!(prose.script, Script::Han);
        assert_eq!(
            prose.sample,
            "数据去重是搜索引擎的重要步骤。\n重复的网页会浪费存储和计算资源。\n"
        );
        let long = "слово ".repeat(10_000);
        assert!(Prose::of(&long, None).sample.len() <= MAX_SAMPLE_BYTES);
    }
}
