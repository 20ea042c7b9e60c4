//! The encodings of text outside of pages: titles, addresses, replacement texts.

/// A text string (section 7.9.2.2): UTF-16 or UTF-8 with a mark, else PDFDocEncoding.
pub(super) fn text_string(bytes: &[u8]) -> String {
    let utf16 = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
    };
    let text = match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Many programs write UTF-8 without a mark.
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| pdf_doc_encoding(*byte)).collect(),
        },
    };
    text.chars().filter(|c| !c.is_control() || c.is_whitespace()).collect()
}

/// Annex D.3, where it differs from Latin-1.
fn pdf_doc_encoding(byte: u8) -> char {
    const FROM_80: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł',
        'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
    ];
    const FROM_18: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    match byte {
        0x18..=0x1f => FROM_18[usize::from(byte - 0x18)],
        0x80..=0xa0 => FROM_80[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings_are_decoded_by_their_mark() {
        assert_eq!(text_string(b"\xfe\xff\x00\xdc\x30\x42"), "Üあ");
        assert_eq!(text_string(b"\xef\xbb\xbf\xc3\x9c"), "Ü");
        assert_eq!(text_string(b"\x8d\xdc\x8e"), "“Ü”");
    }
}
