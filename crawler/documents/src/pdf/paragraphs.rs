//! Rows make blocks: paragraphs, headings, rows of tables.

use super::Page;
use super::columns::median;
use super::rows::{Row, is_written_without_spaces};

/// A row begins a block if its distance to the row before is so many times the usual one.
const MORE_SPACE: f32 = 1.3;

/// Sizes of fonts whose ratio is beyond this are those of different blocks.
const OTHER_SIZE: f32 = 1.12;

/// A row begins a block if it is indented by more sizes than this.
const INDENT: f32 = 0.8;

/// The text of all pages, one block a line.
pub(super) fn text(pages: Vec<Page>) -> String {
    let mut text = String::new();
    let mut block = Block::default();
    for page in pages {
        let leading = leading(&page.rows);
        let mut last: Option<&Row> = None;
        for row in &page.rows {
            let row_text = row.text();
            let begins = match last {
                Some(last) => begins_block(last, row, &row_text, leading, &block),
                None => !block.is_unfinished(row, &row_text),
            };
            if begins {
                block.end(&mut text);
            }
            block.add(&row_text, row);
            last = Some(row);
        }
    }
    block.end(&mut text);
    text
}

/// The usual distance of two rows.
fn leading(rows: &[Row]) -> f32 {
    let distances = rows.windows(2).map(|pair| pair[1].y - pair[0].y);
    let near: Vec<f32> = distances
        .zip(rows)
        .filter(|(distance, row)| *distance > 0.0 && *distance < 3.0 * row.size)
        .map(|(d, _)| d)
        .collect();
    median(near).unwrap_or(0.0)
}

fn begins_block(last: &Row, row: &Row, text: &str, leading: f32, block: &Block) -> bool {
    let distance = row.y - last.y;
    if distance > 0.0 && is_divided(&block.text, text.chars().next()) {
        return false;
    }
    if is_other_size(last.size, row.size) || last.has_cells() || row.has_cells() {
        return true;
    }
    // The next column.
    if distance <= 0.0 || (last.words.first().map(|word| word.turn)) != row.words.first().map(|word| word.turn) {
        return !block.is_unfinished(row, text);
    }
    // A wider leading than most of the page has is usual where the font is larger.
    let usual = leading.max(row.size);
    // The text of a list item stands behind its mark.
    let left = match last.words.get(1) {
        Some(second) if is_mark(&last.words[0].text) => second.x0,
        _ => last.x0(),
    };
    let is_item = row.words.first().is_some_and(|word| is_mark(&word.text)) && row.words.len() > 1;
    distance > MORE_SPACE * usual || row.x0() - left > INDENT * row.size || is_item
}

fn is_other_size(a: f32, b: f32) -> bool {
    !(1.0 / OTHER_SIZE..=OTHER_SIZE).contains(&(a / b))
}

/// Whether the word is the mark of a list item, such as `•` or `3.`
fn is_mark(word: &str) -> bool {
    let number = word.strip_suffix(['.', ')']).unwrap_or_default();
    let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number
        || matches!(
            word,
            "•" | "‣" | "◦" | "▪" | "■" | "–" | "—" | "∙" | "·" | "●" | "*" | "-"
        )
}

/// A block that is being made.
#[derive(Debug, Default)]
struct Block {
    text: String,
    size: f32,
}

impl Block {
    /// Whether this row, at the top of a page or a column, continues the block.
    fn is_unfinished(&self, row: &Row, text: &str) -> bool {
        let ends_open = self
            .text
            .chars()
            .next_back()
            .is_some_and(|c| !matches!(c, '.' | '!' | '?' | ':' | '。' | '！' | '？'));
        let continues = text
            .chars()
            .next()
            .is_some_and(|c| c.is_lowercase() || is_written_without_spaces(c));
        ends_open && continues && !is_other_size(self.size, row.size)
    }

    fn add(&mut self, text: &str, row: &Row) {
        let (last, first) = (self.text.chars().next_back(), text.chars().next());
        if is_divided(&self.text, first) {
            self.text.pop();
        } else if !(last.is_none_or(is_written_without_spaces) && first.is_some_and(is_written_without_spaces))
            && last.is_some()
        {
            self.text.push(' ');
        }
        self.text.push_str(text);
        self.size = row.size;
    }

    fn end(&mut self, text: &mut String) {
        if !self.text.is_empty() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&self.text);
            self.text.clear();
        }
    }
}

/// Whether the last word of `text` was divided at the end of its row; `next` is the character after it.
fn is_divided(text: &str, next: Option<char>) -> bool {
    let mut last = text.chars().rev();
    let hyphen = matches!(last.next(), Some('-' | '\u{2010}' | '\u{ad}'));
    hyphen && last.next().is_some_and(char::is_alphabetic) && next.is_some_and(char::is_lowercase)
}
