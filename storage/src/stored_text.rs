//! Cuts text from a server: a row of a URL must not be as long as the server chooses.

/// Upper bound on such a text, in bytes.
const MAX_BYTES: usize = 500;

/// `text`, or its beginning and an ellipsis.
#[must_use]
pub fn stored_text(text: &str) -> String {
    if text.len() <= MAX_BYTES {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(MAX_BYTES)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(stored_text("short"), "short");
        let cut = stored_text(&"标".repeat(1_000));
        assert!(cut.ends_with("标…") && cut.len() <= MAX_BYTES + 3);
    }
}
