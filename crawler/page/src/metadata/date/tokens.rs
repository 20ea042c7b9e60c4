//! The tokens of a date that people write: numbers in any script, names of months, other words, marks.

use super::super::months::month;

/// Most tokens of a text that is searched for a date.
const MAX_TOKENS: usize = 96;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A number, and how many digits it has.
    Number(i64, usize),
    /// The number of a month.
    Month(i64),
    /// Another word in lower case.
    Word(String),
    Mark(char),
}

/// The value of a digit in the scripts that write dates with their own.
fn digit(c: char) -> Option<i64> {
    const ZEROS: [char; 7] = ['0', '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{e50}', '\u{ff10}'];
    let value = ZEROS
        .iter()
        .filter_map(|zero| u32::from(c).checked_sub(u32::from(*zero)))
        .find(|value| *value < 10)?;
    Some(i64::from(value))
}

/// The number of digits in a text, and whether it is ASCII.
pub(super) fn digits(text: &str) -> (usize, bool) {
    // Small sums without a branch, so that the processor takes several bytes at a time.
    let look = |part: &[u8]| {
        part.iter().fold((0, 0), |(digits, bits): (u8, u8), byte| {
            (digits + u8::from(byte.is_ascii_digit()), bits | byte)
        })
    };
    let parts = text.as_bytes().chunks(128).map(look);
    let (digits, bits) = parts.fold((0, 0), |(digits, bits), (more, others)| {
        (digits + usize::from(more), bits | others)
    });
    if bits.is_ascii() || !may_have_other_digits(text) {
        (digits, bits.is_ascii())
    } else {
        (text.chars().filter(|c| digit(*c).is_some()).count(), false)
    }
}

/// Whether a text has a character that begins in UTF-8 like a digit that is not in ASCII.
fn may_have_other_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3(0xd9, 0xdb, 0xe0, bytes).is_some() || memchr::memchr(0xef, bytes).is_some()
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !is_sign(c) || is_within_word(c)
}

/// Whether a sign that is no letter stands within words: the viramas and dots of the scripts of India, the tones of Thai.
fn is_within_word(c: char) -> bool {
    let of_india = ('\u{900}'..'\u{d80}').contains(&c) && matches!(u32::from(c) & 0x7f, 0x3c | 0x4d);
    of_india || matches!(c, '\u{e47}'..='\u{e4e}')
}

/// Whether a character stands behind the number of a year, a month or a day in Chinese, Japanese and Korean.
fn is_sign(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '号' | '號' | '년' | '월' | '일')
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next().filter(|_| tokens.len() < MAX_TOKENS) {
        if let Some(first) = digit(c) {
            let (mut value, mut digits) = (first, 1);
            while let Some(next) = rest.peek().and_then(|c| digit(*c)) {
                value = (value * 10 + next) % 1_000_000_000;
                digits += 1;
                rest.next();
            }
            tokens.push(Token::Number(value, digits));
        } else if is_letter(c) {
            let mut word: String = c.to_lowercase().collect();
            while let Some(next) = rest.next_if(|c| is_letter(*c)) {
                word.extend(next.to_lowercase());
            }
            push_word(&mut tokens, word);
        } else if !c.is_whitespace() {
            tokens.push(Token::Mark(c));
        }
    }
    tokens
}

/// Appends a word. Some names of months are two words (`تشرين الثاني`), or two with a dot (`พ.ย.`).
fn push_word(tokens: &mut Vec<Token>, word: String) {
    let (first, between) = match &tokens[..] {
        // No such name is in ASCII.
        _ if word.is_ascii() => (None, ""),
        [.., Token::Word(first), Token::Mark('.')] => (Some(first), "."),
        [.., Token::Word(first)] => (Some(first), " "),
        _ => (None, ""),
    };
    let of_two = first.and_then(|first| month(&format!("{first}{between}{word}")));
    if of_two.is_some() {
        tokens.truncate(tokens.len() - 1 - between.trim().len());
    }
    let token = of_two.or_else(|| month(&word));
    tokens.push(token.map_or(Token::Word(word), |month| Token::Month(month.into())));
}
