//! The head of an HTTP response in the archive: one line a field, in agreement with the stored payload.

/// The status line and header of a response whose decoded payload has `payload_bytes`; `None` if it has no payload (304).
///
/// The version is always `HTTP/1.1`: HTTP/2 and later have no text form, and WARC tools read this one.
pub(super) fn response_head(
    status: u16,
    reason: &str,
    headers: &[(&str, &[u8])],
    payload_bytes: Option<u64>,
) -> Vec<u8> {
    let mut head = Vec::with_capacity(1024);
    push_line(
        &mut head,
        &[b"HTTP/1.1 ", status.to_string().as_bytes(), b" ", reason.as_bytes()],
    );
    let length = payload_bytes.map(|bytes| bytes.to_string());
    let mut length_written = false;
    for (name, value) in headers {
        let is_length = name.eq_ignore_ascii_case("content-length");
        let is_encoding =
            name.eq_ignore_ascii_case("content-encoding") || name.eq_ignore_ascii_case("transfer-encoding");
        let is_right_length = length.as_ref().is_some_and(|length| *value == length.as_bytes());
        if is_encoding || is_length && (length_written || !is_right_length) {
            push_line(&mut head, &[b"X-Crawler-", name.as_bytes(), b": ", value]);
            continue;
        }
        length_written |= is_length;
        push_line(&mut head, &[name.as_bytes(), b": ", value]);
    }
    if let Some(length) = length.filter(|_| !length_written) {
        push_line(&mut head, &[b"Content-Length: ", length.as_bytes()]);
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// Appends a line of the HTTP header; replaces control characters other than the tab by spaces, so that the line does not end early.
fn push_line(head: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        head.extend(part.iter().map(|&byte| {
            if byte.is_ascii_control() && byte != b'\t' {
                b' '
            } else {
                byte
            }
        }));
    }
    head.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(headers: &[(&str, &[u8])], payload_bytes: Option<u64>) -> String {
        String::from_utf8(response_head(200, "OK", headers, payload_bytes)).unwrap()
    }

    #[test]
    fn the_head_agrees_with_the_decoded_payload() {
        let headers: &[(&str, &[u8])] = &[
            ("content-encoding", b"gzip"),
            ("Content-Length", b"5"),
            ("transfer-encoding", b"chunked"),
            ("x", b"a\r\nb"),
        ];
        assert_eq!(
            head(headers, Some(12)),
            "HTTP/1.1 200 OK\r\nX-Crawler-content-encoding: gzip\r\nX-Crawler-Content-Length: 5\r\n\
             X-Crawler-transfer-encoding: chunked\r\nx: a  b\r\nContent-Length: 12\r\n\r\n"
        );
    }

    #[test]
    fn a_right_length_stays_once_and_no_payload_has_none() {
        let headers: &[(&str, &[u8])] = &[("content-length", b"12"), ("content-length", b"12")];
        assert_eq!(
            head(headers, Some(12)),
            "HTTP/1.1 200 OK\r\ncontent-length: 12\r\nX-Crawler-content-length: 12\r\n\r\n"
        );
        assert_eq!(
            head(&[("content-length", b"12")], None),
            "HTTP/1.1 200 OK\r\nX-Crawler-content-length: 12\r\n\r\n"
        );
    }
}
