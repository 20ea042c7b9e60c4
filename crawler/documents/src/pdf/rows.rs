//! Words on one baseline make a row.

use super::words::Word;

/// Baselines that differ by less than this part of the size belong to one row. Superscripts and subscripts are within it, and the next row
/// is not.
const SAME_ROW: f32 = 0.5;

/// Two words whose gap is smaller than this part of the size are one word, which the file draws in pieces.
const WORD_GAP: f32 = 0.1;

/// Equal words no further apart than this part of the size are one.
const SAME_PLACE: f32 = 0.15;

/// A gap of more than so many sizes is one between cells of a table.
const CELL_GAP: f32 = 2.0;

/// Words on one baseline, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub words: Vec<Word>,
    /// The baseline of its widest word.
    pub y: f32,
    /// The size of its widest word.
    pub size: f32,
}

impl Row {
    pub(crate) fn x0(&self) -> f32 {
        self.words.first().map_or(0.0, |word| word.x0)
    }

    pub(crate) fn x1(&self) -> f32 {
        self.words.iter().map(|word| word.x1).fold(f32::MIN, f32::max)
    }

    /// Bytes of its text.
    pub(crate) fn text_bytes(&self) -> usize {
        self.words.iter().map(|word| word.text.len() + 1).sum()
    }

    /// Whether its words stand in cells, far apart.
    pub(crate) fn has_cells(&self) -> bool {
        self.gaps().any(|gap| gap > CELL_GAP * self.size)
    }

    fn gaps(&self) -> impl Iterator<Item = f32> {
        self.words.windows(2).map(|pair| pair[1].x0 - pair[0].x1)
    }

    /// The words with spaces between them. Chinese and Japanese have none, whatever the distance.
    pub(crate) fn text(&self) -> String {
        let mut text = String::with_capacity(self.text_bytes());
        let mut last: Option<&Word> = None;
        for word in &self.words {
            if let Some(last) = last
                && needs_space(last, word)
            {
                text.push(' ');
            }
            text.push_str(&word.text);
            last = Some(word);
        }
        in_logical_order(text)
    }
}

fn needs_space(left: &Word, right: &Word) -> bool {
    let gap = right.x0 - left.x1;
    let is_dense = |c: Option<char>| c.is_some_and(is_written_without_spaces);
    let is_dense = is_dense(left.text.chars().next_back()) && is_dense(right.text.chars().next());
    gap > WORD_GAP * left.size.min(right.size) && !(is_dense && gap < left.size)
}

/// Whether words of this script follow each other without a space.
pub(super) fn is_written_without_spaces(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}')
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// The text of a row in the order in which it is read. A row of Arabic or Hebrew is drawn from its right end; numbers and Latin words in it
/// run to the right.
fn in_logical_order(text: String) -> String {
    let backward = text.chars().filter(|c| is_right_to_left(*c)).count();
    if backward == 0 || backward * 2 < text.chars().filter(|c| c.is_alphabetic()).count() {
        return text;
    }
    let reversed: Vec<char> = text.chars().rev().collect();
    let mut logical = String::with_capacity(text.len());
    let is_forward = |c: &char| c.is_alphanumeric() && !is_right_to_left(*c);
    for piece in reversed.chunk_by(|a, b| is_forward(a) == is_forward(b)) {
        if piece.first().is_some_and(is_forward) {
            logical.extend(piece.iter().rev());
        } else {
            logical.extend(piece);
        }
    }
    logical
}

/// The rows of these words, from the top.
pub(super) fn rows(mut words: Vec<Word>) -> Vec<Row> {
    words.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x0.total_cmp(&b.x0)));
    let mut rows: Vec<Row> = Vec::new();
    let mut widest = 0.0;
    for word in words {
        let width = word.x1 - word.x0;
        if let Some(row) = rows.last_mut() {
            let size = if width > widest { word.size } else { row.size };
            if (word.y - row.y).abs() < SAME_ROW * size {
                if width > widest {
                    (row.y, row.size, widest) = (word.y, word.size, width);
                }
                row.words.push(word);
                continue;
            }
        }
        widest = width;
        rows.push(Row {
            y: word.y,
            size: word.size,
            words: vec![word],
        });
    }
    for row in &mut rows {
        row.words.sort_by(|a, b| a.x0.total_cmp(&b.x0));
        // Some programs draw bold text twice, a little apart.
        row.words.dedup_by(|b, a| {
            a.text == b.text && b.x0 - a.x0 < SAME_PLACE * a.size && (a.y - b.y).abs() < SAME_PLACE * a.size
        });
    }
    rows
}
