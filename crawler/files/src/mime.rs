//! A page in a MIME message: what browsers save as a single file (MHTML; RFC 2557), and mail.
//!
//! `mailparse` reads the message: it decodes the parts and leaves their characters to the reader of pages, who knows the declarations in
//! HTML. It bounds the depth of the parts, and needs two small crates that nothing else here needs.

use mailparse::{MailHeaderMap, ParsedMail, parse_mail};

/// Bytes of the head in which the fields of a message are searched.
const HEAD_WITHIN: usize = 8 * 1024;

/// The part of a message that a reader sees.
#[derive(Debug)]
pub struct MainPart {
    pub bytes: Vec<u8>,
    /// With the charset that the part declares.
    pub content_type: String,
    /// Where the page came from.
    pub url: Option<String>,
}

/// Whether a file that begins with `start` is a MIME message: it begins with fields, and one of them says so (RFC 2045, section 4). Browsers
/// that save a page always write this field.
pub(super) fn is_message(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    let head = &start[..start.len().min(HEAD_WITHIN)];
    let mut has_version = false;
    let mut fields = 0;
    for line in head.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            continue;
        }
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let is_name = name.len() < line.len() && name.iter().all(|byte| byte.is_ascii_graphic());
        if !is_name {
            // The head may be longer than what is known of it. A mailbox begins with a line of its own.
            return false;
        }
        fields += 1;
        has_version |= name.eq_ignore_ascii_case(b"MIME-Version");
    }
    has_version && fields > 1
}

/// The page of a message: the part that the message names as its root, else the first HTML, else the first text.
///
/// # Errors
/// The reason why there is none.
pub fn main_part(message: &[u8]) -> Result<MainPart, String> {
    let message = parse_mail(message.trim_ascii_start()).map_err(|error| format!("it is no MIME message: {error}"))?;
    let part = root(&message).ok_or("the message has no part with HTML or text")?;
    let bytes = part
        .get_body_raw()
        .map_err(|error| format!("a part of the message cannot be decoded: {error}"))?;
    let charset = part.ctype.params.get("charset").filter(|charset| !charset.is_empty());
    let location = |part: &ParsedMail<'_>, name| part.headers.get_first_value(name).map(|url| url.trim().to_owned());
    Ok(MainPart {
        bytes,
        content_type: match charset {
            Some(charset) => format!("{}; charset={charset}", part.ctype.mimetype),
            None => part.ctype.mimetype.clone(),
        },
        url: location(part, "Content-Location").or_else(|| location(&message, "Snapshot-Content-Location")),
    })
}

fn root<'m>(message: &'m ParsedMail<'m>) -> Option<&'m ParsedMail<'m>> {
    let is_html =
        |part: &&ParsedMail<'_>| matches!(part.ctype.mimetype.as_str(), "text/html" | "application/xhtml+xml");
    let start = message.ctype.params.get("start");
    let is_start = |part: &&ParsedMail<'_>| {
        let id = part.headers.get_first_value("Content-ID");
        start.is_some_and(|start| id.is_some_and(|id| id.trim() == start.trim()))
    };
    let parts = || message.parts();
    parts()
        .find(|part| is_start(part) && is_html(part))
        .or_else(|| parts().find(is_html))
        .or_else(|| parts().find(|part| part.ctype.mimetype == "text/plain" && part.subparts.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(head: &str, parts: &[&str]) -> String {
        let parts: String = parts.iter().map(|part| format!("--B\r\n{part}\r\n")).collect();
        format!("From: <Saved by Blink>\r\nSubject: T\r\nMIME-Version: 1.0\r\n{head}\r\n\r\n{parts}--B--\r\n")
    }

    const RELATED: &str = "Content-Type: multipart/related; type=\"text/html\"; boundary=\"B\"";

    fn read(message: &str) -> (String, String, Option<String>) {
        assert!(is_message(message.as_bytes()), "{message}");
        let part = main_part(message.as_bytes()).unwrap_or_else(|reason| panic!("{reason}: {message}"));
        (String::from_utf8(part.bytes).unwrap(), part.content_type, part.url)
    }

    #[test]
    fn the_html_of_a_saved_page_is_decoded() {
        let html = "<p>é = x</p>";
        for (encoding, body) in [
            ("quoted-printable", "<p>=C3=A9 =3D =\r\nx</p>"),
            ("Base64", "PHA+w6kgPSB4\r\nPC9wPg=="),
            ("8bit", html),
            ("binary", html),
        ] {
            let part = format!(
                "Content-Type: text/html\r\nContent-Transfer-Encoding: {encoding}\r\nContent-Location: http://a.example/x\r\n\r\n{body}"
            );
            let image = "Content-Type: image/png\r\nContent-Location: http://a.example/y\r\n\r\nx";
            let (text, content_type, url) = read(&message(RELATED, &[&part, image]));
            assert_eq!(
                (text.trim_end(), content_type.as_str()),
                (html, "text/html"),
                "{encoding}"
            );
            assert_eq!(url.as_deref(), Some("http://a.example/x"));
        }
    }

    #[test]
    fn the_root_is_named_or_the_first_html() {
        let style = "Content-Type: text/css\r\n\r\np{}";
        let frame = "Content-Type: text/html; charset=utf-8\r\nContent-ID: <f>\r\n\r\nframe";
        let page = "Content-Type: text/html; charset=windows-1252\r\nContent-ID: <p>\r\n\r\npage";
        let plain = "Content-Type: text/plain\r\n\r\nplain";
        for (head, parts, text) in [
            (RELATED, &[style, page, frame][..], "page"),
            (
                "Content-Type: multipart/related; boundary=B; start=\"<p>\"",
                &[frame, page],
                "page",
            ),
            (
                "Content-Type: multipart/related; boundary=B; start=\"<gone>\"",
                &[frame, page],
                "frame",
            ),
            (
                "Content-Type: multipart/alternative; boundary=B",
                &[plain, page],
                "page",
            ),
            ("Content-Type: multipart/mixed; boundary=B", &[style, plain], "plain"),
        ] {
            assert_eq!(read(&message(head, parts)).0.trim_end(), text, "{head}");
        }
        let single = "From: x\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\nSnapshot-Content-Location: http://a.example/\n\n<p>x</p>";
        let (text, content_type, url) = read(single);
        assert_eq!(
            (text.as_str(), content_type.as_str()),
            ("<p>x</p>", "text/html; charset=utf-8")
        );
        assert_eq!(url.as_deref(), Some("http://a.example/"));
    }

    #[test]
    fn what_is_no_message_or_has_no_page_has_a_reason() {
        for text in [
            "Once: upon a time",
            "MIME-Version: 1.0",
            "{\"MIME-Version: 1\": 2}",
            "",
            "a b: c\nMIME-Version: 1.0\n",
        ] {
            assert!(!is_message(text.as_bytes()), "{text}");
        }
        let picture = message(RELATED, &["Content-Type: image/png\r\n\r\nx"]);
        assert!(main_part(picture.as_bytes()).unwrap_err().contains("no part with HTML"));
        let nested = format!(
            "MIME-Version: 1.0\nX: y\n{}",
            "Content-Type: multipart/mixed; boundary=B\n\n--B\n".repeat(5_000)
        );
        assert!(main_part(nested.as_bytes()).is_err());
    }
}
