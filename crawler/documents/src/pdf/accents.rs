//! Characters that fonts draw in parts, and parts that fonts draw as one.

/// The letters of a ligature (Unicode block "Alphabetic Presentation Forms"); `None` for any other character.
pub(super) fn expanded(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => return None,
    })
}

/// The combining character for an accent that stands alone.
fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '`' | '\u{2cb}' => '\u{300}',
        '\u{b4}' | '\u{2ca}' => '\u{301}',
        '\u{2c6}' => '\u{302}',
        '\u{2dc}' => '\u{303}',
        '\u{af}' | '\u{2c9}' => '\u{304}',
        '\u{2d8}' => '\u{306}',
        '\u{2d9}' => '\u{307}',
        '\u{a8}' => '\u{308}',
        '\u{2da}' => '\u{30a}',
        '\u{2dd}' => '\u{30b}',
        '\u{2c7}' => '\u{30c}',
        '\u{b8}' => '\u{327}',
        '\u{2db}' => '\u{328}',
        _ => return None,
    })
}

/// The letter with the accent; a dotless i is drawn under accents only.
fn composed(letter: char, accent: char) -> Option<char> {
    let letter = if letter == 'ı' { 'i' } else { letter };
    unicode_normalization::char::compose(letter, accent)
}

/// Joins the accents that old fonts draw before their letters.
pub(super) fn compose(text: &mut String) {
    if text.is_ascii() || !text.chars().any(|c| !c.is_ascii() && combining(c).is_some()) {
        return;
    }
    let mut joined = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let accent = if character.is_ascii() {
            None
        } else {
            combining(character)
        };
        let with = |letter: &char| accent.and_then(|accent| composed(*letter, accent));
        match characters.peek().and_then(with) {
            Some(letter) => {
                characters.next();
                joined.push(letter);
            }
            None => joined.push(character),
        }
    }
    *text = joined;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accent_before_its_letter_is_joined() {
        for (drawn, read) in [
            ("f\u{b4}ete", "féte"),
            ("Universit\u{a8}at", "Universität"),
            ("`ls`", "`ls`"),
            ("a\u{b4}", "a\u{b4}"),
            ("na\u{a8}\u{131}ve", "naïve"),
        ] {
            let mut text = drawn.to_owned();
            compose(&mut text);
            assert_eq!(text, read);
        }
    }
}
