//! The paragraphs of a text: its lines that are not blank, as the main text of a page has one paragraph on each line.

use std::ops::Range;

use dedup::Digest;

/// A line that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Paragraph {
    /// Its bytes, with the line end.
    pub bytes: Range<usize>,
    /// The same in Unicode code points.
    pub points: Range<u64>,
    /// The paragraphs with this digest read the same.
    pub digest: Digest,
}

/// The paragraphs of `text` in their order.
pub(super) fn paragraphs(text: &str) -> impl Iterator<Item = Paragraph> + '_ {
    let (mut byte, mut point) = (0, 0);
    text.split_inclusive('\n').filter_map(move |line| {
        let bytes = byte..byte + line.len();
        let points = point..point + line.chars().count() as u64;
        (byte, point) = (bytes.end, points.end);
        // Normalisation leaves nothing of a line of white space and invisible characters.
        let digest = Digest::of_text(line)?;
        Some(Paragraph { bytes, points, digest })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_a_line_with_its_end_counted_in_code_points() {
        let text = "Ä中\r\n \t\n\u{200b}\nä中\n\n𝒳 end";
        let found: Vec<Paragraph> = paragraphs(text).collect();
        let lines: Vec<&str> = found.iter().map(|found| &text[found.bytes.clone()]).collect();
        assert_eq!(lines, ["Ä中\r\n", "ä中\n", "𝒳 end"]);
        let points: Vec<Range<u64>> = found.iter().map(|found| found.points.clone()).collect();
        assert_eq!(points, [0..4, 9..12, 13..18]);
        assert_eq!(found[0].digest, found[1].digest);
        assert_ne!(found[0].digest, found[2].digest);
        assert_eq!(paragraphs("\n \n").count(), 0);
    }
}
