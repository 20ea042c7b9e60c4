//! The words that tell whether a date is that of the publication or of a change: "Published 5 March 2024 | Updated 7 March 2024".
//!
//! Most labels stand before their date. In Japanese and Korean many stand behind: `2024.03.05 公開 2024.03.07 更新`.

mod other;

use std::ops::Range;
use std::sync::LazyLock;

use self::other::OTHER;
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
