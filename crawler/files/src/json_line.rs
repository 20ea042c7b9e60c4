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
#[cfg(test)]
mod tests;
mod text_place;

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use self::nested::Nested;
pub(super) use self::text_place::text_place;
use super::document::Fields;
use super::field_names;
use super::not_utf8::not_utf8;

/// The fields of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JsonLine<'a> {
    /// The id as JSON.
    pub id: Option<&'a str>,
    pub text: &'a str,
    pub title: Option<Cow<'a, str>>,
    pub url: Option<Cow<'a, str>>,
    pub group: Option<Cow<'a, str>>,
    pub score: Option<Cow<'a, str>>,
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
    score: Option<Cow<'a, str>>,
    /// The text as it stands in the line, if its place is asked for.
    raw_text: Option<&'a RawValue>,
}

impl<'a> FoundFields<'a> {
    /// Reads strict JSON.
    fn read(line: &'a str, fields: &Fields, asks: Asks, unescaped: &mut String) -> Result<Self, String> {
        unescaped.clear();
        let mut json = serde_json::Deserializer::from_str(line);
        let object = Object {
            fields,
            asks,
            unescaped,
        };
        let found = json
            .deserialize_map(object)
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

/// What is asked of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    /// What it says.
    Text,
    /// Also where it stands in the line, for which it is read twice.
    Place,
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
        let (json, found) =
            match strict.and_then(|line| Ok((line, FoundFields::read(line, fields, Asks::Text, unescaped)?))) {
                Ok(read) => read,
                Err(_) if repair::repair(line, repaired) => {
                    let found = FoundFields::read(repaired, fields, Asks::Text, unescaped)?;
                    (&repaired[..], found)
                }
                Err(reason) => {
                    let reason = std::str::from_utf8(line).map_or_else(|error| not_utf8([line], error), |_| reason);
                    return Err(reason.into());
                }
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
            score: found.score,
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
    asks: Asks,
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
            } else if roles == Roles::TEXT && inner == Roles::default() && self.asks == Asks::Text {
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
        if roles.score {
            self.score = string()?.or_else(|| number(raw));
        }
        if roles.text {
            self.text = Some(serde_json::Deserializer::from_str(raw.get()).deserialize_str(TextSeed(unescaped))?);
            self.raw_text = Some(raw);
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
            score: self.score.is_some(),
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
    score: bool,
}

impl Roles {
    const TEXT: Self = Self {
        id: false,
        text: true,
        title: false,
        url: false,
        group: false,
        score: false,
    };

    /// The roles whose field has a name that `is` takes.
    fn of(fields: &Fields, is: impl Fn(&str) -> bool) -> Self {
        Self {
            id: is(&fields.id),
            text: is(&fields.text),
            title: is(&fields.title),
            url: is(&fields.url),
            group: fields.group.as_deref().is_some_and(&is),
            score: fields.score.as_deref().is_some_and(&is),
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
