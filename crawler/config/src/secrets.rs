//! Removes the secrets of a configuration before it is shown.

use url::Url;
use web::fetch::FROM_ENVIRONMENT;

use super::Config;

/// Replaces a secret.
const HIDDEN: &str = "***";

/// Whether the value of `key` may hold a secret.
pub(super) fn may_hold(key: &str) -> bool {
    matches!(
        key,
        "fetch.proxy"
            | "fleet.address"
            | "fetch.headers"
            | "fetch.credentials"
            | "fetch.login"
            | "fetch.login.fields"
            | "host"
            | "host.headers"
    ) || key.starts_with("fetch.credentials.")
}

/// The values that a key with a secret accepts. Its messages do not show the value that they reject.
pub(super) fn accepted(key: &str) -> &'static str {
    match key {
        "fetch.headers" | "host.headers" => "a section with a line for each header field: Name = \"value\"",
        "fetch.login.fields" => "a section with a line for each field of the form: name = \"value\" or \"env:NAME\"",
        _ => "a text in quotes",
    }
}

/// Copies `config` without passwords, without the proxy's user, and without the values of header fields and of fields of forms.
pub(super) fn without(config: &Config) -> Config {
    let mut config = config.clone();
    let fetch = &mut config.fetch;
    fetch.proxy = without_user(&fetch.proxy);
    fetch.headers.values_mut().for_each(|value| *value = HIDDEN.to_owned());
    config.fleet.address = without_user(&config.fleet.address);
    for entry in &mut config.host {
        entry.headers.values_mut().for_each(|value| *value = HIDDEN.to_owned());
    }
    for one in &mut config.fetch.credentials {
        one.password = one.password.as_ref().map(|_| HIDDEN.to_owned());
    }
    for entry in &mut config.fetch.login {
        let values = entry.fields.values_mut();
        values
            .filter(|value| !value.starts_with(FROM_ENVIRONMENT))
            .for_each(|value| *value = HIDDEN.to_owned());
    }
    config
}

fn without_user(text: &str) -> String {
    let Some((before, after)) = text.rsplit_once('@') else {
        return text.to_owned();
    };
    // Several servers of a cluster are no URL.
    if after.contains(',')
        && let Some((scheme, _)) = before.split_once("://")
    {
        return format!("{scheme}://{HIDDEN}@{after}");
    }
    let hidden = Url::parse(text).ok().and_then(|mut url| {
        url.set_password(None).ok()?;
        url.set_username(HIDDEN).ok()?;
        Some(url.into())
    });
    hidden.unwrap_or_else(|| HIDDEN.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_holds_no_secret() {
        let text = "[fetch]\nproxy = \"http://me:s3cret@proxy.example:8080\"\nheaders = { Cookie = \"s3cret\" }\n\
                    [[fetch.credentials]]\nhost = \"a\"\nuser = \"b\"\npassword = \"s3cret\"\n\
                    [[fetch.login]]\nurl = \"https://a/\"\nfields = { u = \"s3cret\", p = \"env:P\" }\nsuccess = \"text:x\"\n\
                    [[host]]\nhost = \"a\"\nheaders = { Cookie = \"s3cret\" }\n";
        let config = Config::parse(text, "c.toml".as_ref()).unwrap();
        let shown = without(&config);
        let text = toml::to_string(&shown).unwrap();
        assert!(!text.contains("s3cret") && !text.contains("me:"), "{text}");
        assert_eq!(shown.fetch.login[0].fields["p"], "env:P");
        assert_eq!(shown.fetch.proxy, "http://***@proxy.example:8080/");
        assert_eq!(without_user("me:s3cret@proxy"), "***");
        assert_eq!(without_user("http://proxy.example:8080"), "http://proxy.example:8080");
        let cluster = "redis://me:s3cret@a:6379,b:6379";
        assert_eq!(without_user(cluster), "redis://***@a:6379,b:6379");
    }
}
