//! The parts of a `Content-Type` header (RFC 9110, section 8.3).

/// The media type in lower case, `text/html`; `None` if it is empty.
#[must_use]
pub fn media_type(content_type: &str) -> Option<String> {
    let media_type = content_type.split(';').next()?.trim().to_ascii_lowercase();
    (!media_type.is_empty()).then_some(media_type)
}

/// The `charset` parameter.
#[must_use]
pub fn charset(content_type: &str) -> Option<&str> {
    let parameters = content_type.split(';').skip(1);
    let named = parameters.filter_map(|parameter| parameter.split_once('='));
    let mut charsets = named.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charsets.next().map(|(_, value)| value.trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_media_type_and_the_charset_are_read() {
        for (header, kind, encoding) in [
            ("text/html", Some("text/html"), None),
            ("Text/HTML; a=b; Charset=\"gbk\"", Some("text/html"), Some("gbk")),
            ("; charset=x", None, Some("x")),
        ] {
            assert_eq!(
                (media_type(header).as_deref(), charset(header)),
                (kind, encoding),
                "{header}"
            );
        }
    }
}
