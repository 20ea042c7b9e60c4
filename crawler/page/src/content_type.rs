//! The media type that a response declares: "parse a MIME type" (WHATWG MIME Sniffing, section 4.4) and "extract a MIME type" (WHATWG
//! Fetch, section 2.2.2).

use std::fmt;

use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// Types that declare nothing (WHATWG MIME Sniffing, section 7). Extraction skips the third one, `*/*`.
const UNKNOWN: [&str; 2] = ["unknown/unknown", "application/unknown"];

/// A media type with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType {
    /// Type and subtype in lower case.
    essence: String,
    /// Names in lower case, each once, and values, in the order of the source.
    parameters: Vec<(String, String)>,
}

impl MediaType {
    /// The media type in one value of the field; `None` if it is malformed.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        let value = value.trim_matches(is_space);
        let (kind, rest) = value.split_once('/')?;
        let (subtype, parameters) = rest.split_once(';').unwrap_or((rest, ""));
        let subtype = subtype.trim_end_matches(is_space);
        (is_token(kind) && is_token(subtype)).then(|| Self {
            essence: format!("{kind}/{subtype}").to_ascii_lowercase(),
            parameters: parsed_parameters(parameters),
        })
    }

    /// The media type of a whole field, which may be a list: the last well-formed value counts. It keeps the `charset` of the values before
    /// it that name the same type.
    #[must_use]
    pub fn extract(field: &str) -> Option<Self> {
        let mut found: Option<Self> = None;
        for value in listed(field) {
            let Some(mut media_type) = Self::parse(value).filter(|media_type| media_type.essence != "*/*") else {
                continue;
            };
            if let Some(before) = found.filter(|before| before.essence == media_type.essence)
                && media_type.parameter("charset").is_none()
                && let Some(charset) = before.parameter("charset")
            {
                media_type.parameters.push(("charset".into(), charset.to_owned()));
            }
            found = Some(media_type);
        }
        found
    }

    /// Type and subtype in lower case, `text/html`.
    #[must_use]
    pub fn essence(&self) -> &str {
        &self.essence
    }

    /// The value of a parameter, by its name in lower case.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| known == name)?;
        Some(&found.1)
    }
}

/// "Serialize a MIME type" (section 4.5).
impl fmt::Display for MediaType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.essence)?;
        for (name, value) in &self.parameters {
            if is_token(value) {
                write!(formatter, ";{name}={value}")?;
            } else {
                write!(
                    formatter,
                    ";{name}=\"{}\"",
                    value.replace('\\', "\\\\").replace('"', "\\\"")
                )?;
            }
        }
        Ok(())
    }
}

/// The value of the `Content-Type` fields together, each byte as one character; `None` without such a field.
#[must_use]
pub fn field(headers: &HeaderMap) -> Option<String> {
    let values = headers.get_all(CONTENT_TYPE).iter();
    let values: Vec<String> = values
        .map(|value| value.as_bytes().iter().copied().map(char::from).collect())
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// The media type that a field declares, in lower case; `None` if it is malformed or declares nothing, as `*/*`.
#[must_use]
pub fn media_type(content_type: &str) -> Option<String> {
    let media_type = MediaType::extract(content_type)?.essence;
    (!UNKNOWN.contains(&media_type.as_str())).then_some(media_type)
}

/// The `charset` parameter. It counts also where the type is malformed: browsers ignore it there, and then guess.
#[must_use]
pub fn charset(content_type: &str) -> Option<String> {
    if let Some(media_type) = MediaType::extract(content_type) {
        return media_type.parameter("charset").map(str::to_owned);
    }
    let parameters = content_type.split(';').skip(1);
    let named = parameters.filter_map(|parameter| parameter.split_once('='));
    let mut charsets = named.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let (_, charset) = charsets.next()?;
    Some(charset.trim().trim_matches(['"', '\'']).to_owned())
}

/// Whether a media type, in lower case, is one of XML (section 4.6).
#[must_use]
pub fn is_xml(media_type: &str) -> bool {
    media_type.ends_with("+xml") || matches!(media_type, "text/xml" | "application/xml")
}

/// The values of a field, split at commas outside of quotes (WHATWG Fetch, "get, decode, and split").
fn listed(field: &str) -> impl Iterator<Item = &str> {
    let (mut in_quotes, mut escaped) = (false, false);
    field.split(move |c| {
        if in_quotes && c == '\\' && !escaped {
            escaped = true;
            return false;
        }
        in_quotes ^= c == '"' && !escaped;
        escaped = false;
        c == ',' && !in_quotes
    })
}

fn parsed_parameters(mut rest: &str) -> Vec<(String, String)> {
    let mut parameters: Vec<(String, String)> = Vec::new();
    while !rest.is_empty() {
        rest = rest.trim_start_matches(is_space);
        let end = rest.find([';', '=']).unwrap_or(rest.len());
        let name = rest[..end].to_ascii_lowercase();
        rest = &rest[end..];
        let Some(after) = rest.strip_prefix('=') else {
            rest = rest.strip_prefix(';').unwrap_or_default();
            continue;
        };
        if after.is_empty() {
            break;
        }
        let (value, end) = match after.strip_prefix('"') {
            Some(quoted) => {
                let (value, len) = unquoted(quoted);
                (Some(value), 1 + len)
            }
            None => {
                let value = after.split(';').next().unwrap_or_default();
                let trimmed = value.trim_end_matches(is_space);
                ((!trimmed.is_empty()).then(|| trimmed.to_owned()), value.len())
            }
        };
        rest = after[end..].split_once(';').map_or("", |(_, rest)| rest);
        let is_new = !parameters.iter().any(|(known, _)| *known == name);
        if let Some(value) = value.filter(|value| is_new && is_token(&name) && value.chars().all(is_quotable)) {
            parameters.push((name, value));
        }
    }
    parameters
}

/// The value of a quoted string after its opening quote, and the length of its source ("collect an HTTP quoted string").
fn unquoted(quoted: &str) -> (String, usize) {
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, at + 1),
            '\\' => value.push(chars.next().map_or('\\', |(_, escaped)| escaped)),
            c => value.push(c),
        }
    }
    (value, quoted.len())
}

/// HTTP whitespace.
fn is_space(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' ')
}

/// Whether a text consists of HTTP token code points, and is not empty.
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Whether a character is an HTTP quoted-string token code point.
fn is_quotable(c: char) -> bool {
    matches!(c, '\t' | ' '..='~' | '\u{80}'..='\u{ff}')
}

#[cfg(test)]
mod tests;
