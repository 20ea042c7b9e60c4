//! Basic authentication (RFC 7617) by origin: the crawler sends a password to its origin only, and never follows a redirect or
//! a link with it.

use std::fmt;

use reqwest::RequestBuilder;
use url::{Origin, Url};

/// A user and a password for one origin (scheme, host and port).
#[derive(Clone)]
pub struct Credentials {
    origin: Origin,
    user: String,
    password: String,
}

impl Credentials {
    /// Credentials for the origin that `host` names. `example.org` and `example.org:8443` name https origins. An http origin
    /// needs its scheme, `http://localhost:8080`, because anybody on the path can read a password sent over http.
    ///
    /// # Errors
    /// An explanation, which never contains the password.
    pub fn new(host: &str, user: &str, password: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "host = {host:?} must be a host for https, such as example.org or example.org:8443, or an origin, such as \
                http://localhost:8080"
            )
        };
        let written_out = host.contains("://");
        let text = if written_out {
            host.to_owned()
        } else {
            format!("https://{host}")
        };
        let url = Url::parse(&text).map_err(|_| wrong())?;
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && !has_userinfo(&url);
        if !is_bare || !matches!(url.scheme(), "http" | "https") {
            return Err(wrong());
        }
        if user.contains(':') || user.chars().chain(password.chars()).any(char::is_control) {
            return Err(format!(
                "{host}: user and password must not contain control characters, and the user must not contain a colon"
            ));
        }
        Ok(Self {
            origin: url.origin(),
            user: user.to_owned(),
            password: password.to_owned(),
        })
    }

    /// Whether both are for the same origin.
    #[must_use]
    pub fn is_for_same_origin(&self, other: &Self) -> bool {
        self.origin == other.origin
    }

    /// Whether a request to `url` carries these credentials.
    #[must_use]
    pub(super) fn are_for(&self, url: &Url) -> bool {
        url.origin() == self.origin
    }

    pub(super) fn apply(&self, request: RequestBuilder) -> RequestBuilder {
        request.basic_auth(&self.user, Some(&self.password))
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = self.origin.ascii_serialization();
        formatter
            .debug_struct("Credentials")
            .field("origin", &origin)
            .finish_non_exhaustive()
    }
}

/// Whether a URL contains `user:password@`.
pub(super) fn has_userinfo(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_for_one_origin() {
        let are_for = |host: &str, url: &str| {
            let credentials = Credentials::new(host, "me", "secret").unwrap();
            credentials.are_for(&Url::parse(url).unwrap())
        };
        assert!(are_for("example.org", "https://example.org/x") && are_for("Example.ORG", "https://example.org:443/"));
        for other in [
            "http://example.org/",
            "https://www.example.org/",
            "https://example.org:8443/",
            "https://example.org.evil.example/",
            "https://example.org@evil.example/",
        ] {
            assert!(!are_for("example.org", other), "{other}");
        }
        assert!(are_for("example.org:8443", "https://example.org:8443/"));
        assert!(are_for("http://localhost:8080", "http://localhost:8080/"));
        assert!(!are_for("http://localhost:8080", "https://localhost:8080/"));
        assert!(are_for("[::1]:8443", "https://[::1]:8443/"));
    }

    #[test]
    fn an_invalid_origin_or_user_is_refused_without_the_password() {
        for (host, user, password) in [
            ("", "me", "secret"),
            ("example.org/private", "me", "secret"),
            ("ftp://example.org", "me", "secret"),
            ("you@example.org", "me", "secret"),
            ("example.org", "me:you", "secret"),
            ("example.org", "me", "secret\n"),
        ] {
            let error = Credentials::new(host, user, password).unwrap_err();
            assert!(!error.contains("secret"), "{error}");
        }
        let shown = format!("{:?}", Credentials::new("example.org", "me", "secret"));
        assert!(
            shown.contains("https://example.org") && !shown.contains("secret"),
            "{shown}"
        );
    }
}
