//! The encoding that the first 1,024 bytes of a document declare.
//!
//! WHATWG HTML, section 13.2.3.2, "prescan a byte stream to determine its encoding", with its fallback to the
//! encoding of an XML declaration.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// Bytes that are searched for a declaration.
const MAX_PRESCANNED_BYTES: usize = 1024;

/// The encoding that the document declares for itself, if any.
pub(super) fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(MAX_PRESCANNED_BYTES)];
    Prescan { bytes: head, at: 0 }.run().or_else(|| xml_encoding(head))
}

/// The encoding that an XML document declares for itself, if any.
pub(super) fn declared_by_xml(body: &[u8]) -> Option<&'static Encoding> {
    xml_encoding(&body[..body.len().min(MAX_PRESCANNED_BYTES)])
}

/// Bytes that are searched for a declaration beyond the prescan.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The encoding that the document declares later in its head. Browsers find it while parsing and start again (WHATWG HTML,
/// section 13.2.3.5, "changing the encoding while parsing").
pub(super) fn declared_late(body: &[u8]) -> Option<&'static Encoding> {
    let near = &body[..body.len().min(MAX_HEAD_BYTES)];
    let end = near.windows(5).position(|w| w.eq_ignore_ascii_case(b"<body"));
    let head = &near[..end.unwrap_or(near.len())];
    Prescan { bytes: head, at: 0 }.run()
}

/// The encoding of a label inside a document. A document whose ASCII is readable is not UTF-16, whatever it declares.
fn declared_label(label: &[u8]) -> Option<&'static Encoding> {
    match Encoding::for_label(label)? {
        encoding if encoding == UTF_16LE || encoding == UTF_16BE => Some(UTF_8),
        encoding if encoding == X_USER_DEFINED => Some(WINDOWS_1252),
        encoding if encoding == REPLACEMENT => None,
        encoding => Some(encoding),
    }
}

/// The encoding of `<?xml version="1.0" encoding="...">` ("get an XML encoding"). Every byte up to 0x20 is space there, and a
/// name cannot contain space.
fn xml_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..declaration.iter().position(|&b| b == b'>')?];
    let name = declaration.windows(8).position(|w| w == b"encoding")?;
    let value = without_space(without_space(&declaration[name + 8..]).strip_prefix(b"=")?);
    let (&quote, value) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let label = &value[..value.iter().position(|&b| b == quote)?];
    label.iter().all(|&b| b > 0x20).then(|| declared_label(label)).flatten()
}

fn without_space(text: &[u8]) -> &[u8] {
    let space = text.iter().take_while(|&&b| b <= 0x20).count();
    &text[space..]
}

struct Prescan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Prescan<'_> {
    fn run(mut self) -> Option<&'static Encoding> {
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                // The opening dashes may also close the comment: `<!-->`.
                self.at += 2;
                self.skip_past(b"-->")?;
            } else if is_meta(rest) {
                self.at += 5;
                if let Some(encoding) = self.meta() {
                    return Some(encoding);
                }
            } else if is_tag(rest) {
                self.at += 1;
                while self.peek().is_some_and(|b| !is_space(b) && b != b'>') {
                    self.at += 1;
                }
                while self.attribute().is_some() {}
            } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
                self.skip_past(b">")?;
            } else {
                self.at += 1;
            }
        }
        None
    }

    /// The encoding of one `<meta`. The first attribute of each name counts. `charset` overrides `content`, even with an unknown
    /// label.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let (mut names, mut got_pragma) = (Vec::<Vec<u8>>::new(), false);
        let (mut in_charset, mut in_content) = (None, None);
        while let Some((name, value)) = self.attribute() {
            if names.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => got_pragma = value == b"content-type",
                b"content" => in_content = charset_in_content(&value),
                b"charset" => in_charset = Some(declared_label(&value)),
                _ => {}
            }
            names.push(name);
        }
        // A tag that is cut off declares nothing.
        self.peek()?;
        in_charset.unwrap_or(in_content.filter(|_| got_pragma))
    }

    /// The next attribute of a tag, name and value in lower case; `None` at the end of the tag.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        while self.peek().is_some_and(|b| is_space(b) || b == b'/') {
            self.at += 1;
        }
        if self.peek()? == b'>' {
            return None;
        }
        let mut name = Vec::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => break,
                b if is_space(b) => {
                    self.skip_spaces();
                    if self.peek()? != b'=' {
                        return Some((name, Vec::new()));
                    }
                    break;
                }
                b'/' | b'>' => return Some((name, Vec::new())),
                b => name.push(b.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        self.at += 1;
        self.skip_spaces();
        Some((name, self.value()?))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let quote = self.peek().filter(|b| matches!(b, b'"' | b'\''));
        self.at += usize::from(quote.is_some());
        let start = self.at;
        let ends = |b: u8| quote.map_or(is_space(b) || b == b'>', |quote| b == quote);
        while !ends(self.peek()?) {
            self.at += 1;
        }
        let value = self.bytes[start..self.at].to_ascii_lowercase();
        self.at += usize::from(quote.is_some());
        Some(value)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn skip_past(&mut self, end: &[u8]) -> Option<()> {
        let found = self.bytes[self.at..].windows(end.len()).position(|w| w == end)?;
        self.at += found + end.len();
        Some(())
    }
}

fn is_space(b: u8) -> bool {
    matches!(b, b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5 && rest[..5].eq_ignore_ascii_case(b"<meta") && (is_space(rest[5]) || rest[5] == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

/// "Extracting a character encoding from a meta element": `charset = "label"` anywhere in `content`.
fn charset_in_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        let at = rest.windows(7).position(|w| w.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            rest = value.trim_ascii_start();
            break;
        }
    }
    let label = match rest {
        [quote @ (b'"' | b'\''), value @ ..] => &value[..value.iter().position(|b| b == quote)?],
        _ => {
            &rest[..rest
                .iter()
                .position(|&b| is_space(b) || b == b';')
                .unwrap_or(rest.len())]
        }
    };
    declared_label(label)
}
