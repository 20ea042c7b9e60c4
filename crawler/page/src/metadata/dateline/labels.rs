//! The words that tell whether a date is that of the publication or of a change: "Published 5 March 2024 | Updated 7 March 2024".
//!
//! Most labels stand before their date. In Japanese and Korean many stand behind: `2024.03.05 公開 2024.03.07 更新`.

mod other;

use std::ops::Range;
use std::sync::LazyLock;

use self::other::OTHER;
use super::super::names::is_wide;
use super::super::phrases::Lists;

/// What a label says of its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Published,
    Modified,
    /// Of something else.
    Other,
}

/// Words for a publication, in lower case.
#[rustfmt::skip]
pub(super) const PUBLISHED: &[&str] = &[
    "published", "posted", "publication date", "date of publication", "veröffentlicht", "veröffentlichung", "erstellt", "erschienen am", "publié", "paru le",
    "mis en ligne", "publicado", "fecha de publicación", "data de publicação", "pubblicato", "gepubliceerd", "geplaatst op", "publicerad", "publisert",
    "udgivet", "offentliggjort", "julkaistu", "opublikowano", "data publikacji", "publikováno", "zveřejněno", "vydáno", "objavljeno", "objavljen",
    "опубликовано", "опубликован", "дата публикации", "发布", "發佈", "發布", "发表于", "公開", "投稿日", "掲載日", "配信", "نشر", "انتشار", "פורסם",
    "प्रकाशित", "เผยแพร่", "diterbitkan", "ngày đăng", "megjelent", "опубліковано", "публикува", "입력", "등록", "게시", "작성일", "δημοσιεύ",
    "yayınlan", "yayın tarihi", "közzétéve", "publicat",
];

/// Words for a change, in lower case.
#[rustfmt::skip]
pub(super) const MODIFIED: &[&str] = &[
    "updated", "last update", "modified", "last edited", "last changed", "revised", "aktualisiert", "aktualisierung", "geändert", "letzte änderung",
    "zuletzt bearbeitet", "überarbeitet", "stand:", "mis à jour", "mise à jour", "modifié", "modification", "actualizado", "actualización", "modificado",
    "atualizado", "atualização", "aggiornato", "aggiornamento", "ultima modifica", "bijgewerkt", "gewijzigd", "wijziging", "uppdaterad", "ändrad", "oppdatert",
    "sist endret", "opdateret", "päivitetty", "muokattu", "zaktualizowano", "aktualizacja", "aktualizováno", "aktualizace", "ažurirano", "posodobljeno", "обновлено", "обновлен",
    "изменено", "更新", "修改", "수정", "güncelle", "עודכן", "بروزرسانی", "تحديث", "diperbarui", "cập nhật", "оновлено", "frissítve", "frissítés",
    "actualizat", "ενημέρωση", "ενημερώθηκε", "обновен",
];

static LABELS: LazyLock<Lists<Label>> = LazyLock::new(|| {
    Lists::new(&[
        (PUBLISHED, Label::Published),
        (MODIFIED, Label::Modified),
        (OTHER, Label::Other),
    ])
});

/// Most words of a label, and most words between a label and its date: "on Monday, the 5th".
pub(super) const MAX_LABEL_WORDS: usize = 3;

/// Most characters before a Chinese, Japanese or Korean label in its line, such as 最終 and 마지막. A line with more of them is a sentence: its words
/// may have no spaces between them.
const MAX_BEFORE_WIDE: usize = 3;

/// Most letters of the ending of a label, such as `d` in "last updated".
const MAX_ENDING: usize = 2;

/// Words for a day or a time behind such a label.
const DAYS: &[&str] = &[
    "日", "日時", "日期", "时间", "時間", "于", "於", "일", "일자", "일시", "날짜", "시간",
];

/// Most parts of a line that are looked at.
const MAX_PARTS: usize = 8;

/// A part of a line between two labels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub before: Option<Label>,
    pub text: &'a str,
    pub behind: Option<Label>,
}

/// The parts of a line in lower case, which its labels separate. Without labels it is one.
pub(super) fn parts(lower: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut before, mut start) = (None, 0);
    for (range, label) in labels_in(lower).take(MAX_PARTS - 1) {
        parts.push(Part {
            before,
            text: &lower[start..range.start],
            behind: Some(label),
        });
        (before, start) = (Some(label), range.end);
    }
    parts.push(Part {
        before,
        text: &lower[start..],
        behind: None,
    });
    parts
}

/// The label that makes up a whole line in lower case.
pub(super) fn alone(lower: &str) -> Option<Label> {
    if lower.split_whitespace().nth(MAX_LABEL_WORDS).is_some() {
        return None;
    }
    // A label in a cell of its own has no colon.
    let line = format!("{lower}:");
    let parts = parts(&line);
    let (last, others) = parts.split_last()?;
    if !line[..line.len() - last.text.len()].ends_with(is_wide) {
        // The table may have the label without its ending: "last update" for "last updated".
        let behind = last.text.trim_start_matches(char::is_lowercase);
        let ending = &last.text[..last.text.len() - behind.len()];
        let is_end = ending.chars().count() <= MAX_ENDING && !behind.contains(char::is_alphanumeric);
        return last.before.filter(|_| is_end);
    }
    let behind = last.text.trim_matches(|c: char| !c.is_alphanumeric());
    let before = others.iter().flat_map(|part| part.text.chars());
    let is_short = before.filter(|c| c.is_alphanumeric()).count() <= MAX_BEFORE_WIDE;
    let is_end = behind.is_empty() || DAYS.contains(&behind);
    last.before.filter(|_| is_short && is_end)
}

/// The labels in a line. A part of a word is none, as in "supervised" or "comparu le"; scripts without case have no spaces between words, or put
/// prefixes before them. The words for a publication and a change are also beginnings of words; those for other days are whole.
fn labels_in(lower: &str) -> impl Iterator<Item = (Range<usize>, Label)> + '_ {
    LABELS.find_in(lower).filter(|(range, label)| {
        let is_cased = lower[range.start..].starts_with(char::is_lowercase);
        let goes_on = *label == Label::Other
            && lower[..range.end].ends_with(char::is_lowercase)
            && lower[range.end..].starts_with(char::is_alphabetic);
        !(is_cased && (goes_on || lower[..range.start].ends_with(char::is_alphabetic)))
    })
}

/// Whether a line has a label.
pub(super) fn has_label(lower: &str) -> bool {
    labels_in(lower).next().is_some()
}

/// The label of each part that has a date: that before it, or that behind it if the line begins with a date and ends with a label.
pub(super) fn dated<'a, T>(
    parts: &[Part<'a>],
    read: impl Fn(&'a str) -> Option<T>,
) -> Vec<(Option<Label>, &'a str, T)> {
    let dates: Vec<Option<T>> = parts.iter().map(|part| read(part.text)).collect();
    let is_dated = |date: Option<&Option<T>>| date.is_some_and(Option::is_some);
    let are_behind = is_dated(dates.first()) && !is_dated(dates.last());
    let dated = parts.iter().zip(dates).filter_map(|(part, date)| Some((part, date?)));
    dated
        .map(|(part, date)| {
            let label = if are_behind { part.behind } else { part.before };
            (label, part.text, date)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_alone_in_its_line_but_for_few_words() {
        use Label::{Modified, Published};
        for (line, expected) in [
            ("published", Some(Published)),
            ("last updated:", Some(Modified)),
            ("the day on which it was updated", None),
            ("updated prices", None),
            ("recent publications", None),
            ("更新", Some(Modified)),
            ("最終更新日", Some(Modified)),
            ("最后更新时间：", Some(Modified)),
            ("公開日時", Some(Published)),
            ("发布于", Some(Published)),
            ("마지막 수정", Some(Modified)),
            ("최종수정일시", Some(Modified)),
            ("기사 등록", Some(Published)),
            ("全市春耕备耕工作全面更新", None),
            ("春の新商品を更新", None),
            ("更新プログラム", None),
            ("python 3.12 更新", None),
            ("예산안을 다시 수정", None),
        ] {
            assert_eq!(alone(line), expected, "{line}");
        }
    }

    #[test]
    fn each_date_of_a_line_has_the_label_on_its_side() {
        use Label::{Modified, Published};
        for (line, expected) in [
            ("5", vec![(None, 5)]),
            ("published 5", vec![(Some(Published), 5)]),
            (
                "published 5 | updated 7",
                vec![(Some(Published), 5), (Some(Modified), 7)],
            ),
            (
                "updated: 7, published: 5",
                vec![(Some(Modified), 7), (Some(Published), 5)],
            ),
            ("5 | updated 7", vec![(None, 5), (Some(Modified), 7)]),
            ("5 公開 7 更新", vec![(Some(Published), 5), (Some(Modified), 7)]),
            ("7 更新", vec![(Some(Modified), 7)]),
            ("更新日：7", vec![(Some(Modified), 7)]),
            ("deadline: 5", vec![(Some(Label::Other), 5)]),
            ("published", vec![]),
            ("supervised 5, comparu le 7", vec![(None, 5)]),
            ("apply by 7", vec![(Some(Label::Other), 7)]),
            ("bornholm, 7", vec![(None, 7)]),
            ("人が更新 7", vec![(Some(Modified), 7)]),
        ] {
            let number = |text: &str| text.chars().find_map(|c| c.to_digit(10));
            let found: Vec<_> = dated(&parts(line), number)
                .into_iter()
                .map(|(label, _, n)| (label, n))
                .collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
