//! One JSON line, parsed for the configured fields without building a tree.
//!
//! JSON is read as programs write it, where there is one meaning: a lone surrogate (RFC 8259, section 8.2, allows the escape) is U+FFFD, as
//! everywhere in this program; `NaN`, `Infinity` and `-Infinity`, which Python writes, are null; a control character within a string is
//! itself. Of several fields with one name the last counts, and a number may have any size. A comma too many is a fault, as for
//! all common parsers.
//!
//! The name of a field may have dots: `meta.text` is the field `text` of the object `meta`. A key with the dots in it comes first.

mod nested;
mod repair;

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use self::nested::Nested;
use super::document::Fields;
use super::field_names;

/// The fields of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JsonLine<'a> {
    /// The id as JSON.
    pub id: Option<&'a str>,
    pub text: &'a str,
    pub title: Option<Cow<'a, str>>,
    pub url: Option<Cow<'a, str>>,
    pub group: Option<Cow<'a, str>>,
}

/// Why a line is no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub reason: String,
    /// It is an object without the field for the text. Whoever names the wrong field gets this for every line.
    pub lacks_text: bool,
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self {
            reason,
            lacks_text: false,
        }
    }
}

/// How the parser refuses null as the text.
const NULL_TEXT: &str = "invalid type: null, expected a string as the document's text";

/// The fields found so far.
#[derive(Default)]
struct FoundFields<'a> {
    id: Option<&'a RawValue>,
    text: Option<Text<'a>>,
    title: Option<Cow<'a, str>>,
    url: Option<Cow<'a, str>>,
    group: Option<Cow<'a, str>>,
}

impl<'a> FoundFields<'a> {
    /// Reads strict JSON.
    fn read(line: &'a str, fields: &Fields, unescaped: &mut String) -> Result<Self, String> {
        unescaped.clear();
        let mut json = serde_json::Deserializer::from_str(line);
        let found = json
            .deserialize_map(Object { fields, unescaped })
            .and_then(|found| json.end().map(|()| found))
            .and_then(|(found, nested)| found.with(nested, fields, unescaped));
        found.map_err(|error| {
            let reason = error.to_string();
            if reason.starts_with(NULL_TEXT) {
                "its text is null".to_owned()
            } else {
                reason.replace(" at line 1 column ", " at column ")
            }
        })
    }
}

/// Where the text is: in the line, or unescaped in a buffer.
enum Text<'a> {
    InLine(&'a str),
    Unescaped,
}

/// The buffers of the reading of a line.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// A text with escapes, without them.
    unescaped: String,
    /// The line as strict JSON, if it is not.
    repaired: String,
}

impl<'a> JsonLine<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// The reason why the line is not a document.
    pub(super) fn read(line: &'a [u8], fields: &Fields, scratch: &'a mut Scratch) -> Result<Self, Refusal> {
        let Scratch { unescaped, repaired } = scratch;
        let strict = std::str::from_utf8(line).map_err(|error| format!("it is not UTF-8: {error}"));
        let (json, found) = match strict.and_then(|line| Ok((line, FoundFields::read(line, fields, unescaped)?))) {
            Ok(read) => read,
            Err(_) if repair::repair(line, repaired) => {
                let found = FoundFields::read(repaired, fields, unescaped)?;
                (&repaired[..], found)
            }
            Err(reason) => return Err(reason.into()),
        };
        Ok(Self {
            id: found.id.map(id).transpose()?.flatten(),
            text: match found.text {
                Some(Text::InLine(text)) => text,
                Some(Text::Unescaped) => unescaped,
                None => {
                    return Err(Refusal {
                        reason: field_names::lacking(&fields.text, &field_names::of_json(json)),
                        lacks_text: true,
                    });
                }
            },
            title: found.title,
            url: found.url,
            group: found.group,
        })
    }
}

/// The id if it is a string or a number; null counts as missing.
fn id(raw: &RawValue) -> Result<Option<&str>, String> {
    match raw.get().as_bytes() {
        [b'n', ..] => Ok(None),
        [b'"' | b'-' | b'0'..=b'9', ..] => Ok(Some(raw.get())),
        _ => Err("its id is neither a string nor a number".into()),
    }
}

struct Object<'f, 'u> {
    fields: &'f Fields,
    unescaped: &'u mut String,
}

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = (FoundFields<'de>, Nested<'de>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut found, mut nested) = (FoundFields::default(), Nested::default());
        while let Some(Opened { roles, inner }) = map.next_key_seed(Key(self.fields))? {
            if roles == Roles::default() && inner == Roles::default() {
                map.next_value::<IgnoredAny>()?;
            } else if roles == Roles::TEXT && inner == Roles::default() {
                found.text = Some(map.next_value_seed(TextSeed(&mut *self.unescaped))?);
            } else {
                let raw: &RawValue = map.next_value()?;
                found.take(roles, raw, self.unescaped).map_err(A::Error::custom)?;
                nested.note(inner, raw);
            }
        }
        Ok((found, nested))
    }
}

impl<'de> FoundFields<'de> {
    fn take(&mut self, roles: Roles, raw: &'de RawValue, unescaped: &mut String) -> serde_json::Result<()> {
        let string = || raw.get().starts_with('"').then(|| string(raw)).transpose();
        if roles.id {
            self.id = Some(raw);
        }
        if roles.title {
            self.title = string()?;
        }
        if roles.url {
            self.url = string()?;
        }
        if roles.group {
            self.group = string()?.or_else(|| number(raw));
        }
        if roles.text {
            self.text = Some(serde_json::Deserializer::from_str(raw.get()).deserialize_str(TextSeed(unescaped))?);
        }
        Ok(())
    }

    /// Adds the fields within objects. A field of the line itself comes first.
    fn with(mut self, nested: Nested<'de>, fields: &Fields, unescaped: &mut String) -> serde_json::Result<Self> {
        let is_found = Roles {
            id: self.id.is_some(),
            text: self.text.is_some(),
            title: self.title.is_some(),
            url: self.url.is_some(),
            group: self.group.is_some(),
        };
        for (roles, raw) in nested.found(is_found, fields) {
            self.take(roles, raw, unescaped)?;
        }
        Ok(self)
    }
}

fn number(raw: &RawValue) -> Option<Cow<'_, str>> {
    let is_number = raw.get().starts_with(|c: char| c == '-' || c.is_ascii_digit());
    is_number.then(|| Cow::Borrowed(raw.get()))
}

fn string(raw: &RawValue) -> serde_json::Result<Cow<'_, str>> {
    struct Borrowed;
    impl<'de> Visitor<'de> for Borrowed {
        type Value = Cow<'de, str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Cow::Borrowed(text))
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Cow::Owned(text.to_owned()))
        }
    }
    serde_json::Deserializer::from_str(raw.get()).deserialize_str(Borrowed)
}

/// The roles of a field. One field may have several, such as the id and the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Roles {
    id: bool,
    text: bool,
    title: bool,
    url: bool,
    group: bool,
}

impl Roles {
    const TEXT: Self = Self {
        id: false,
        text: true,
        title: false,
        url: false,
        group: false,
    };

    /// The roles whose field has a name that `is` takes.
    fn of(fields: &Fields, is: impl Fn(&str) -> bool) -> Self {
        Self {
            id: is(&fields.id),
            text: is(&fields.text),
            title: is(&fields.title),
            url: is(&fields.url),
            group: fields.group.as_deref().is_some_and(is),
        }
    }
}

/// What a key opens.
struct Opened {
    /// The roles of its value.
    roles: Roles,
    /// The roles of fields within its value.
    inner: Roles,
}

struct Key<'f>(&'f Fields);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Opened;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Opened, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Opened;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E>(self, key: &str) -> Result<Opened, E> {
        Ok(Opened {
            roles: Roles::of(self.0, |name| name == key),
            inner: Roles::of(self.0, |name| nested::rest(name, key).is_some()),
        })
    }
}

struct TextSeed<'u>(&'u mut String);

impl<'de> DeserializeSeed<'de> for TextSeed<'_> {
    type Value = Text<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Text<'de>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for TextSeed<'_> {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string as the document's text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text::InLine(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        // The last of several fields with one name counts.
        self.0.clear();
        self.0.push_str(text);
        Ok(Text::Unescaped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<(Option<String>, String), String> {
        let mut scratch = Scratch {
            unescaped: "left from before".into(),
            repaired: "this too".into(),
        };
        let line =
            JsonLine::read(line.as_bytes(), &Fields::default(), &mut scratch).map_err(|refusal| refusal.reason)?;
        Ok((line.id.map(str::to_owned), line.text.to_owned()))
    }

    #[test]
    fn an_id_keeps_its_spelling() {
        for id in [
            "\"a\"",
            "\"\\u4e2d \\\"q\\\"\"",
            "1",
            "-1.50",
            "1e400",
            "123456789012345678901234567890",
        ] {
            let read = read(&format!("{{\"id\": {id}, \"text\": \"t\"}}")).unwrap();
            assert_eq!(read.0.as_deref(), Some(id));
        }
        for none in ["{\"text\": \"t\"}", "{\"id\": null, \"text\": \"t\"}"] {
            assert_eq!(read(none).unwrap().0, None);
        }
    }

    #[test]
    fn a_text_is_unescaped_and_the_last_of_two_counts() {
        assert_eq!(read(r#"{"text": "a\n\u4e2d\ud83d\ude00"}"#).unwrap().1, "a\n中😀");
        assert_eq!(read(r#"{"text": "a\n", "text": "plain"}"#).unwrap().1, "plain");
        assert_eq!(
            read(r#"{"text": "plain", "te\u0078t": "b\n", "x": [{"text": "inner"}]}"#)
                .unwrap()
                .1,
            "b\n"
        );
        assert_eq!(read("{\"text\": \"\"}\r").unwrap().1, "");
    }

    #[test]
    fn json_that_programs_write_is_read() {
        for (line, text) in [
            (r#"{"text": "a\ud83d"}"#, "a\u{fffd}"),
            (r#"{"text": "\ude00b"}"#, "\u{fffd}b"),
            (r#"{"text": "\ud83d\u0041"}"#, "\u{fffd}A"),
            (r#"{"text": "\ud83d\ud83d\ude00"}"#, "\u{fffd}😀"),
            (r#"{"text": "\\ud800"}"#, "\\ud800"),
            (r#"{"title": "\uD800", "te\u0078t": "t"}"#, "t"),
            (r#"{"text": "t", "x": NaN, "y": [Infinity, -Infinity]}"#, "t"),
            (r#"{"x": NaN, "text": "NaN is -Infinity\n"}"#, "NaN is -Infinity\n"),
            ("{\"text\": \"a\tb\u{1}\"}", "a\tb\u{1}"),
            (
                r#"{"text": "t", "x": 1e999999999999, "y": 123456789012345678901234567890}"#,
                "t",
            ),
            (r#"{"text": "t", "x": 1, "x": 2, "x\ud800": "\ud800"}"#, "t"),
        ] {
            assert_eq!(read(line).map(|read| read.1).as_deref(), Ok(text), "{line}");
        }
        let mut scratch = Scratch::default();
        // Python writes lone surrogates to a file so if it is told to ("surrogatepass").
        let bytes = JsonLine::read(b"{\"text\": \"a\xed\xa0\x80b\"}", &Fields::default(), &mut scratch).unwrap();
        assert_eq!(bytes.text, "a\u{fffd}b");
        let id = read(r#"{"id": "\ud800", "text": "t"}"#).unwrap().0;
        assert_eq!(id.as_deref(), Some(r#""\ud800""#));
    }

    #[test]
    fn one_field_may_have_two_roles() {
        let fields = Fields {
            id: "url".into(),
            text: "title".into(),
            ..Fields::default()
        };
        let mut scratch = Scratch::default();
        let line = br#"{"url": "http:\/\/h/", "title": "T\n", "text": 5}"#;
        let read = JsonLine::read(line, &fields, &mut scratch).unwrap();
        assert_eq!(read.id, Some(r#""http:\/\/h/""#));
        assert_eq!(
            (read.url.as_deref(), read.title.as_deref(), read.text),
            (Some("http://h/"), Some("T\n"), "T\n")
        );
    }

    #[test]
    fn a_name_with_dots_is_a_field_of_an_object_unless_a_key_has_the_dots() {
        let fields = Fields {
            id: "meta.id".into(),
            text: "a.b.text".into(),
            ..Fields::default()
        };
        for (line, id, text) in [
            (
                r#"{"a":{"b":{"text":"in\n"}},"meta":{"id":7}}"#,
                Some("7"),
                Some("in\n"),
            ),
            (r#"{"a.b.text":"out","a":{"b":{"text":"in"}}}"#, None, Some("out")),
            (r#"{"a":{"b.text":"mid","b":{"text":"in"}}}"#, None, Some("mid")),
            (r#"{"a":{"b":{"text":"1"}},"a":{"b":{"text":"2"}}}"#, None, Some("2")),
            (r#"{"a":[{"b":{"text":"in"}}],"meta":5}"#, None, None),
            (r#"{"a":{"b":"text"}}"#, None, None),
            (r#"{"a":{"x":NaN,"b":{"text":"in"}}}"#, None, Some("in")),
        ] {
            let mut scratch = Scratch::default();
            let read = JsonLine::read(line.as_bytes(), &fields, &mut scratch);
            match text {
                Some(text) => {
                    let read = read.unwrap();
                    assert_eq!((read.id, read.text), (id, text), "{line}");
                }
                None => assert!(read.unwrap_err().lacks_text, "{line}"),
            }
        }
    }

    #[test]
    fn a_line_that_is_not_a_document_has_a_reason() {
        for (line, reason) in [
            ("", "EOF"),
            ("plain words", "expected"),
            ("[1]", "a JSON object"),
            ("{\"text\": \"t\"} {}", "trailing characters at column 15"),
            ("{\"text\": \"t\"", "EOF"),
            ("{\"id\": 1}", "no field \"text\""),
            ("{\"text\": 5}", "expected a string as the document's text"),
            ("{\"text\": null}", "its text is null"),
            ("{\"id\": [1], \"text\": \"t\"}", "neither a string nor a number"),
            ("{\"text\": \"\\ud80\"}", "escape"),
            ("{\"text\": \"\\x41\"}", "escape"),
            ("{\"text\": \"t\",}", "trailing comma"),
            ("{\"text\": \"t\", \"x\": nan}", "expected"),
            ("{\"text\": \"t\", \"x\": -NaN}", "invalid number"),
            ("{\"text\": NaN}", "expected a string as the document's text"),
            ("{'text': 't'}", "key must be a string"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(reason), "{line}: {error}");
        }
        let error = JsonLine::read(b"{\"text\": \"\xff\"}", &Fields::default(), &mut Scratch::default()).unwrap_err();
        assert!(error.reason.contains("not UTF-8"), "{error:?}");
        assert!(read(&"[".repeat(100_000)).is_err() && read(&format!("{{\"x\":{}", "[".repeat(100_000))).is_err());
    }
}
