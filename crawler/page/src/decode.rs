//! From the bytes of a body to text, with the encoding and its source.
//!
//! Browsers use the same order (WHATWG HTML, "determining the character encoding"): a byte order mark, the `charset` of the
//! `Content-Type` header, the declaration of the document, and then detection. A declaration of an unknown encoding does not
//! count, nor does one that the characters of the body belie ([`evidence`]).

mod damage;
mod evidence;
mod prescan;
mod top_level_domain;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use url::Url;

use self::top_level_domain::top_level_domain;

/// Bytes that the detector reads, from the first that is not ASCII.
const MAX_DETECTED_BYTES: usize = 256 * 1024;

/// Fewest characters beyond ASCII by which a well-formed body is UTF-8, although it declares another encoding.
const MIN_SURE_CHARACTERS: usize = 32;

/// So many more for each damaged sequence.
const CHARACTERS_FOR_A_SURE_DAMAGE: usize = 4;

/// Fewest well-formed multi-byte characters by which damaged UTF-8 is distinguished from a legacy encoding.
const MIN_UTF8_CHARACTERS: usize = 3;

/// So many more for each damaged sequence.
const CHARACTERS_FOR_A_DAMAGE: usize = 2;

/// A body as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    /// The text without a byte order mark, borrowed if the body is UTF-8.
    pub text: Cow<'a, str>,
    pub encoding: &'static Encoding,
    /// The source of the encoding.
    pub source: EncodingSource,
    /// Whether some bytes were malformed and became U+FFFD.
    pub had_errors: bool,
}

/// The source of the encoding of a body, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EncodingSource {
    /// A byte order mark (UTF-8, UTF-16LE, UTF-16BE).
    Bom,
    /// The `charset` parameter of the `Content-Type` header.
    Header,
    /// `<meta charset>`, `<meta http-equiv=content-type>` or an XML declaration in the first 1,024 bytes. In a body that is not
    /// UTF-8, also a later meta in its head.
    Meta,
    /// The bytes are UTF-8 or ASCII, and no declaration holds: there is none, or it names another encoding and the bytes are surely
    /// UTF-8.
    Utf8,
    /// No declaration, or one that the bytes belie; guessed from the frequencies of bytes and characters, and the top-level domain of the
    /// page.
    Detected,
}

impl EncodingSource {
    /// The name in lower case, as `crawler inspect page` shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bom => "bom",
            Self::Header => "header",
            Self::Meta => "meta",
            Self::Utf8 => "utf8",
            Self::Detected => "detected",
        }
    }
}

/// How a body declares its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// By a meta, else by an XML declaration.
    Html,
    /// By an XML declaration. A meta counts only in a body that is no XML.
    Xml,
}

/// Decodes the `body` of the page at `url`; `content_type_charset` is the `charset` parameter of its `Content-Type` header, if any.
///
/// Decoding never fails. Malformed bytes become U+FFFD and set [`Decoded::had_errors`].
pub(crate) fn decode_from<'a>(
    url: &Url,
    body: &'a [u8],
    content_type_charset: Option<&str>,
    syntax: Syntax,
) -> Decoded<'a> {
    let (encoding, source, bom_bytes) = choose(body, content_type_charset, url, syntax);
    let (text, had_errors) = encoding.decode_without_bom_handling(&body[bom_bytes..]);
    Decoded {
        text,
        encoding,
        source,
        had_errors,
    }
}

/// The encoding, its source, and the length of the byte order mark.
fn choose(body: &[u8], header: Option<&str>, url: &Url, syntax: Syntax) -> (&'static Encoding, EncodingSource, usize) {
    if let Some((encoding, bom_bytes)) = Encoding::for_bom(body) {
        return (encoding, EncodingSource::Bom, bom_bytes);
    }
    let is_believed = |encoding: &&'static Encoding| is_believed(body, encoding, url);
    if let Some(encoding) = header.and_then(known_label).filter(is_believed) {
        return (encoding, EncodingSource::Header, 0);
    }
    let declared = match syntax {
        Syntax::Html => prescan::declared(body),
        Syntax::Xml => prescan::declared_by_xml(body),
    };
    if let Some(encoding) = declared.filter(is_believed) {
        return (encoding, EncodingSource::Meta, 0);
    }
    if let Some(encoding) = utf16_markup(body) {
        return (encoding, EncodingSource::Detected, 0);
    }
    if is_utf8(body) {
        return (UTF_8, EncodingSource::Utf8, 0);
    }
    if let Some(encoding) = prescan::declared_late(body).filter(is_believed) {
        return (encoding, EncodingSource::Meta, 0);
    }
    (detect(body, url), EncodingSource::Detected, 0)
}

/// Whether the bytes may be in the encoding that is `declared` for them.
fn is_believed(body: &[u8], declared: &'static Encoding, url: &Url) -> bool {
    if declared == UTF_8 {
        !damage::belies_utf8(body)
    } else {
        !is_surely_utf8(body) && !evidence::belies(body, declared, || detect(body, url))
    }
}

/// The encoding that a header's label names.
///
/// The standard maps some labels (`hz-gb-2312`, `iso-2022-kr`, ...) to "replacement", which protects browsers from script
/// injection by turning the page into one U+FFFD. A crawler runs no scripts, so it ignores such a label.
fn known_label(label: &str) -> Option<&'static Encoding> {
    let label = label.trim().trim_matches(['"', '\'']);
    Encoding::for_label(label.as_bytes()).filter(|&encoding| encoding != REPLACEMENT)
}

/// UTF-16 without a byte order mark: the text begins with `<` and a letter, `!`, `?` or `/`, each beside a NUL.
fn utf16_markup(body: &[u8]) -> Option<&'static Encoding> {
    let opens_markup = |c: u8| c.is_ascii_alphabetic() || matches!(c, b'!' | b'?' | b'/');
    let is_space = |pair: &[u8], at: usize| pair[1 - at] == 0 && pair[at].is_ascii_whitespace();
    for (encoding, at) in [(UTF_16LE, 0), (UTF_16BE, 1)] {
        let mut pairs = body.chunks_exact(2).skip_while(|pair| is_space(pair, at));
        if let (Some(first), Some(second)) = (pairs.next(), pairs.next())
            && (first[1 - at], first[at]) == (0, b'<')
            && second[1 - at] == 0
            && opens_markup(second[at])
        {
            return Some(encoding);
        }
    }
    None
}

/// Whether a body is UTF-8 whatever it declares: it has many characters beyond ASCII, and all or nearly all of it is well-formed.
///
/// A program that converts a page to UTF-8, such as a server, an archive or an editor, seldom changes the declaration. Browsers then
/// show wrong characters; a text in another encoding is practically never well-formed UTF-8 over so many characters.
fn is_surely_utf8(body: &[u8]) -> bool {
    let (well_formed, damaged) = damage::sequences(body);
    well_formed >= MIN_SURE_CHARACTERS + damaged * CHARACTERS_FOR_A_SURE_DAMAGE
}

/// Whether a body is UTF-8, possibly cut within a character or with a few damaged bytes.
///
/// One damaged byte must not change the encoding of a page. A legacy encoding seldom forms well-formed UTF-8 by chance: a character in
/// GBK does once in seven times, and in windows-1252 no word does.
fn is_utf8(body: &[u8]) -> bool {
    match std::str::from_utf8(body) {
        Ok(text) => !holds_iso_2022_jp(text.as_bytes()),
        Err(error) if error.error_len().is_none() => true,
        Err(_) => {
            let (well_formed, damaged) = damage::sequences(body);
            well_formed >= MIN_UTF8_CHARACTERS + damaged * CHARACTERS_FOR_A_DAMAGE
        }
    }
}

/// Whether a body is ISO-2022-JP: ASCII bytes with escape sequences (ESC `$`) that switch the character set.
fn holds_iso_2022_jp(body: &[u8]) -> bool {
    body.is_ascii() && body.windows(3).any(|w| matches!(w, [0x1b, b'$', b'@' | b'B']))
}

/// The encoding whose texts have such bytes. The top-level domain decides between encodings that fit about as well, as in browsers:
/// the bytes of a short text in GBK are also words in windows-1252.
fn detect(body: &[u8], url: &Url) -> &'static Encoding {
    let start = body.iter().position(|&b| !b.is_ascii() || b == 0x1b).unwrap_or(0);
    let end = body.len().min(start + MAX_DETECTED_BYTES);
    let guess = |sample: &[u8]| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(sample, end == body.len());
        detector.guess(top_level_domain(url), Utf8Detection::Deny)
    };
    let sample = &body[start..end];
    let found = guess(sample);
    evidence::outweighing(sample, found).unwrap_or_else(|| damage::guessed(sample, found, guess))
}

/// Decodes a body from a host whose name says nothing about its encoding.
#[cfg(test)]
pub(crate) fn decode<'a>(body: &'a [u8], content_type_charset: Option<&str>) -> Decoded<'a> {
    let url = Url::parse("https://example.com/").unwrap();
    decode_from(&url, body, content_type_charset, Syntax::Html)
}

#[cfg(test)]
mod damaged_tests;
#[cfg(test)]
mod html5lib;
#[cfg(test)]
mod sentences;
#[cfg(test)]
mod tests;
