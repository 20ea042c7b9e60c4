//! The `[[fetch.login]]` sections.

use std::sync::Arc;

use page::Sign;
use url::Url;
use web::fetch::Login;

use super::{InvalidSetting, invalid};
use crate::sections::{FetchSection, LoginEntry};

/// The log-ins of a crawl. Of several for one origin, the first one holds.
#[derive(Debug, Clone, Default)]
pub struct Logins(Arc<[LoginRule]>);

/// A log-in, and how to see on a page whether it holds.
#[derive(Debug, Clone)]
pub struct LoginRule {
    /// Names the section in messages.
    pub name: String,
    /// The form, its fields and its origins.
    pub login: Arc<Login>,
    /// The page after the log-in has this sign.
    pub success: Sign,
    /// A page with this sign was not made for the user.
    pub lapsed: Option<Sign>,
}

impl Logins {
    /// Validates the sections, and reads the environment variables that they name.
    pub(super) fn new(config: &FetchSection) -> Result<Self, InvalidSetting> {
        let has_proxy = !config.proxy.is_empty();
        let rules = config.login.iter().enumerate().map(|(index, entry)| {
            let (success, lapsed) = signs(index, entry)?;
            let login = Login::new(&entry.url, &entry.origins, &entry.fields);
            let login = login
                .map_err(|(key, value, reason)| invalid(format!("fetch.login[{}].{key}", index + 1), value, reason))?;
            if has_proxy && !login.is_encrypted() {
                let reason =
                    "must begin with https, like all `origins`, because fetch.proxy could read what is sent over http";
                return Err(invalid(
                    format!("fetch.login[{}].url", index + 1),
                    format!("{:?}", entry.url),
                    reason,
                ));
            }
            Ok(LoginRule {
                name: format!(
                    "fetch.login[{}], {}",
                    index + 1,
                    login.form_url().origin().ascii_serialization()
                ),
                login: Arc::new(login),
                success,
                lapsed,
            })
        });
        Ok(Self(rules.collect::<Result<_, _>>()?))
    }

    /// All of them, in the order of the sections.
    #[must_use]
    pub fn all(&self) -> &[LoginRule] {
        &self.0
    }

    /// The log-in for the pages of the URL's origin, with its index.
    #[must_use]
    pub fn of(&self, url: &Url) -> Option<(usize, &LoginRule)> {
        self.0.iter().enumerate().find(|(_, rule)| rule.login.is_for(url))
    }

    /// The log-ins for requests.
    pub(super) fn for_requests(&self) -> Arc<[Arc<Login>]> {
        self.0.iter().map(|rule| Arc::clone(&rule.login)).collect()
    }
}

/// The faults of the section with this index, counted from 0, as far as they do not depend on the environment.
pub(crate) fn login_entry(index: usize, entry: &LoginEntry) -> Result<(), InvalidSetting> {
    signs(index, entry)?;
    let fields = entry.fields.keys().map(|name| (name, &entry.url));
    let checked = Login::new(&entry.url, &entry.origins, fields);
    let checked =
        checked.map_err(|(key, value, reason)| invalid(format!("fetch.login[{}].{key}", index + 1), value, reason));
    checked.map(|_| ())
}

fn signs(index: usize, entry: &LoginEntry) -> Result<(Sign, Option<Sign>), InvalidSetting> {
    let sign = |key: &str, text: &String| {
        let wrong = |reason| invalid(format!("fetch.login[{}].{key}", index + 1), format!("{text:?}"), reason);
        Sign::parse(text).map_err(wrong)
    };
    let lapsed = entry.lapsed.as_ref().map(|text| sign("lapsed", text)).transpose()?;
    Ok((sign("success", &entry.success)?, lapsed))
}

#[cfg(test)]
mod tests {
    use crate::Config;
    use crate::settings::Settings;

    fn fault(keys: &str) -> String {
        let text = format!("[[fetch.login]]\n{keys}\n");
        match Config::parse(&text, "c.toml".as_ref()) {
            Ok(config) => Settings::new(&config).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_section_that_cannot_work_is_named_with_its_key_and_shows_no_value_of_a_field() {
        let whole = "url = \"https://a.example/in\"\nfields = { u = \"s3cret\" }\nsuccess = \"text:out\"\n";
        for (keys, expected) in [
            (
                "url = \"http://a.example/in\"\nfields = { u = \"s3cret\" }\nsuccess = \"text:out\"",
                "fetch.login[1].url",
            ),
            (
                "url = \"https://a.example/in\"\nsuccess = \"text:out\"",
                "fetch.login[1].fields",
            ),
            (
                "url = \"https://a.example/in\"\nfields = { u = \"s3cret\" }\nsuccess = \"out\"",
                "fetch.login[1].success",
            ),
            (&format!("{whole}lapsed = \"css:p >\""), "fetch.login[1].lapsed"),
            (&format!("{whole}origins = [\"a.example\"]"), "fetch.login[1].origins"),
            (
                "url = \"https://a.example/in\"\nfields = { u = \"env:CRAWLER_NO_SUCH_VARIABLE\" }\nsuccess = \"text:out\"",
                "fetch.login[1].fields = \"u\": env:CRAWLER_NO_SUCH_VARIABLE: set",
            ),
        ] {
            let error = fault(keys);
            assert!(error.contains(expected) && !error.contains("s3cret"), "{keys}: {error}");
        }
        let local = "[fetch]
proxy = \"http://p.example:1\"
[[fetch.login]]
url = \"http://localhost/in\"
\
                     fields = { u = \"x\" }
success = \"text:out\"
";
        let config = Config::parse(local, "c.toml".as_ref()).unwrap();
        let error = Settings::new(&config).unwrap_err().to_string();
        assert!(
            error.contains("fetch.login[1].url") && error.contains("fetch.proxy"),
            "{error}"
        );
        let config = Config::parse(&format!("[[fetch.login]]\n{whole}"), "c.toml".as_ref()).unwrap();
        let settings = Settings::new(&config).unwrap();
        assert!(!format!("{config:?}{settings:?}").contains("s3cret"));
        let url = |text| url::Url::parse(text).unwrap();
        assert!(settings.logins.of(&url("https://a.example/x")).is_some());
        assert!(settings.logins.of(&url("https://b.example/x")).is_none());
    }
}
