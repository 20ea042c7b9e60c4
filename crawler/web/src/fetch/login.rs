//! The log-in of a user by a form: its origins, and the values of its fields.

use std::borrow::Cow;
use std::env;
use std::fmt;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, KOI8_R, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252};
use url::{Origin, Url};

use super::cookies::is_secure;
use super::credentials::has_userinfo;

/// Before the name of the environment variable that holds the value of a field.
pub const FROM_ENVIRONMENT: &str = "env:";

/// Encodings of forms besides UTF-8, in which a site may repeat a field in a URL.
const LEGACY_ENCODINGS: [&Encoding; 9] = [
    BIG5,
    EUC_JP,
    EUC_KR,
    GBK,
    KOI8_R,
    SHIFT_JIS,
    WINDOWS_1250,
    WINDOWS_1251,
    WINDOWS_1252,
];

/// A value that no message, log or `Debug` shows.
#[derive(Clone, PartialEq, Eq)]
struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

/// A field of the form.
#[derive(Debug, Clone)]
struct Field {
    name: String,
    value: Secret,
    /// Whether the value comes from the environment.
    is_secret: bool,
}

/// A log-in.
#[derive(Debug, Clone)]
pub struct Login {
    form: Url,
    origins: Vec<Origin>,
    fields: Vec<Field>,
}

impl Login {
    /// The log-in by the form at `form`, whose fields get these values. A value `env:NAME` is that of the environment variable. What
    /// belongs to the log-in goes to the origin of the form, and to the `origins`, each `scheme://host[:port]`.
    ///
    /// # Errors
    /// The key of the section that cannot be used, its value as it may be shown, and what to write.
    pub fn new<'a>(
        form: &str,
        origins: &[String],
        fields: impl IntoIterator<Item = (&'a String, &'a String)>,
    ) -> Result<Self, (&'static str, String, String)> {
        let wrong = |key, value: &str, reason: &str| (key, format!("{value:?}"), reason.to_owned());
        let hint = "write the URL of the page with the form, such as https://example.org/login";
        let mut url = Url::parse(form).map_err(|error| wrong("url", form, &format!("{error}; {hint}")))?;
        url.set_fragment(None);
        if has_userinfo(&url) || !url.has_host() {
            return Err(wrong("url", "***", hint));
        }
        check(&url).map_err(|reason| wrong("url", form, &reason))?;
        let mut all = vec![url.origin()];
        for text in origins {
            let hint = "write an origin such as https://accounts.example.org";
            let origin = Url::parse(text).map_err(|error| wrong("origins", text, &format!("{error}; {hint}")))?;
            let is_bare = origin.path() == "/" && origin.query().is_none() && origin.fragment().is_none();
            if !is_bare || !origin.has_host() || has_userinfo(&origin) {
                return Err(wrong("origins", text, hint));
            }
            check(&origin).map_err(|reason| wrong("origins", text, &reason))?;
            all.push(origin.origin());
        }
        let fields: Vec<Field> = fields
            .into_iter()
            .map(|(name, value)| field(name, value).map_err(|reason| wrong("fields", name, &reason)))
            .collect::<Result<_, _>>()?;
        if fields.is_empty() {
            let hint = "must name the fields of the form, such as fields = { user = \"me\", password = \"env:NAME\" }";
            return Err(("fields", "{}".into(), hint.into()));
        }
        Ok(Self {
            form: url,
            origins: all,
            fields,
        })
    }

    /// The URL of the page with the form.
    #[must_use]
    pub fn form_url(&self) -> &Url {
        &self.form
    }

    /// Whether the URL is that of the page with the form, whatever its query.
    #[must_use]
    pub fn is_form(&self, url: &Url) -> bool {
        url.origin() == self.form.origin() && url.path() == self.form.path()
    }

    /// Whether the pages of the URL's origin need the log-in. Its session goes to these origins, and to no other.
    #[must_use]
    pub fn is_for(&self, url: &Url) -> bool {
        self.origins.contains(&url.origin())
    }

    /// Whether a URL of the host with this key can be one of its origins.
    #[must_use]
    pub fn is_for_host(&self, host_key: &str) -> bool {
        let schemes = ["https", "http"];
        let urls = schemes.map(|scheme| Url::parse(&format!("{scheme}://{host_key}/")).ok());
        urls.into_iter().flatten().any(|url| self.is_for(&url))
    }

    /// Whether everything that belongs to it goes over https.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        let origins = self.origins.iter();
        origins
            .into_iter()
            .all(|origin| matches!(origin, Origin::Tuple(scheme, ..) if scheme == "https"))
    }

    /// The names of the fields.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name.as_str())
    }

    /// Whether the value of this field comes from the environment.
    #[must_use]
    pub fn is_from_environment(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.is_secret && field.name == name)
    }

    /// The body of the form (WHATWG URL, `application/x-www-form-urlencoded`): the fields of the log-in, and the `other` fields of the
    /// form, in the encoding of the form.
    pub(super) fn body(&self, other: &[(String, String)], encoding: &'static Encoding) -> String {
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|text| encoding.encode(text).0;
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        body.encoding_override(Some(encode));
        body.extend_pairs(other);
        let fields = self.fields.iter();
        body.extend_pairs(fields.map(|field| (&field.name, &field.value.0)));
        body.finish()
    }

    /// Whether the text holds the value of a secret field, as it is or percent-encoded.
    #[must_use]
    pub fn is_told_in(&self, text: &str) -> bool {
        let decoded = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
        let with_spaces = text.replace('+', " ");
        let form_decoded = percent_encoding::percent_decode_str(&with_spaces).decode_utf8_lossy();
        let bytes: Vec<u8> = percent_encoding::percent_decode_str(&with_spaces).collect();
        let is_encoded = |secret: &str| {
            let mut encoded = LEGACY_ENCODINGS.iter().map(|encoding| encoding.encode(secret).0);
            !secret.is_ascii() && encoded.any(|secret| memchr::memmem::find(&bytes, &secret).is_some())
        };
        let secrets = self
            .fields
            .iter()
            .filter(|field| field.is_secret && !field.value.0.is_empty());
        secrets.map(|field| field.value.0.as_str()).any(|secret| {
            text.contains(secret) || decoded.contains(secret) || form_decoded.contains(secret) || is_encoded(secret)
        })
    }
}

fn field(name: &str, value: &str) -> Result<Field, String> {
    if name.is_empty() {
        return Err("a field must have a name".into());
    }
    let variable = value.strip_prefix(FROM_ENVIRONMENT);
    let value = match variable {
        Some(variable) => {
            let found = env::var(variable).map_err(|error| match error {
                env::VarError::NotPresent => {
                    format!("{FROM_ENVIRONMENT}{variable}: set that environment variable to the value")
                }
                env::VarError::NotUnicode(_) => format!("{FROM_ENVIRONMENT}{variable}: its value is not UTF-8"),
            })?;
            Some(found)
                .filter(|found| !found.is_empty())
                .ok_or_else(|| format!("{FROM_ENVIRONMENT}{variable}: that environment variable is empty"))?
        }
        None => value.to_owned(),
    };
    Ok(Field {
        name: name.to_owned(),
        value: Secret(value),
        is_secret: variable.is_some(),
    })
}

/// Whether a secret may go to the URL.
fn check(url: &Url) -> Result<(), String> {
    match url.scheme() {
        "https" => Ok(()),
        "http" if is_secure(url) => Ok(()),
        "http" => Err("must begin with https: anybody on the path can read what is sent over http".into()),
        _ => Err("must begin with https".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(url: &str, origins: &[&str]) -> Result<Login, (&'static str, String, String)> {
        let fields =
            [("user", "me"), ("password", "env:PATH")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let origins: Vec<String> = origins.iter().map(|origin| (*origin).to_owned()).collect();
        Login::new(url, &origins, fields.iter().map(|(name, value)| (name, value)))
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_login_is_for_its_own_origins_alone() {
        let login = login("https://example.org/login?next=/", &["https://accounts.example.org"]).unwrap();
        for (to, expected) in [
            ("https://example.org/", true),
            ("https://accounts.example.org/x", true),
            ("http://example.org/", false),
            ("https://example.org:8443/", false),
            ("https://www.example.org/", false),
            ("https://example.org.evil.example/", false),
            ("https://example.org@evil.example/", false),
        ] {
            assert_eq!(login.is_for(&url(to)), expected, "{to}");
        }
        assert!(
            login.is_form(&url("https://example.org/login")) && !login.is_form(&url("https://example.org/login/x"))
        );
        assert!(login.is_for_host("example.org") && !login.is_for_host("example.org:8443"));
    }

    #[test]
    fn a_login_that_could_tell_its_secret_is_refused() {
        for (form, origins, key) in [
            ("http://example.org/login", &[][..], "url"),
            ("ftp://example.org/login", &[], "url"),
            ("login", &[], "url"),
            ("https://me:s3cret@example.org/login", &[], "url"),
            ("https://example.org/login", &["http://example.org"], "origins"),
            ("https://example.org/login", &["https://example.org/x"], "origins"),
            ("https://example.org/login", &["example.org"], "origins"),
        ] {
            let (wrong, value, reason) = login(form, origins).unwrap_err();
            assert_eq!(wrong, key, "{form}: {reason}");
            assert!(!format!("{value}{reason}").contains("s3cret"));
        }
        for loopback in [
            "http://localhost:1/",
            "http://a.localhost/",
            "http://127.8.0.1/",
            "http://[::1]:1/",
        ] {
            assert!(login(loopback, &[]).is_ok(), "{loopback}");
        }
    }

    #[test]
    fn a_secret_comes_from_the_environment_and_is_shown_nowhere() {
        let secret = env::var("PATH").unwrap();
        let login = login("https://example.org/login", &[]).unwrap();
        assert!(login.is_from_environment("password") && !login.is_from_environment("user"));
        assert!(!format!("{login:?}").contains(&secret));
        let body = login.body(&[("csrf".to_owned(), "a b&c".to_owned())], encoding_rs::UTF_8);
        assert!(body.starts_with("csrf=a+b%26c&user=me&password="), "{body}");
        assert!(login.is_told_in(&body) && login.is_told_in(&secret) && !login.is_told_in("me"));
        let missing = ("password".to_owned(), "env:CRAWLER_NO_SUCH_VARIABLE".to_owned());
        let (key, value, reason) = Login::new("https://example.org/", &[], [(&missing.0, &missing.1)]).unwrap_err();
        assert_eq!((key, value.as_str()), ("fields", "\"password\""));
        assert!(reason.contains("CRAWLER_NO_SUCH_VARIABLE"), "{reason}");
    }
}
