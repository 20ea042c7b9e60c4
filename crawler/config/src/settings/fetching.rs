//! The `[fetch]` section.

use std::env;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use reqwest::header::HeaderMap;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use web::fetch::{
    CookiesFile, Credentials, FetchSettings, HostHeaders, Login, MAX_COOKIES_FILE_BYTES, Proxy, extra_field,
};

use super::bounds::millis;
use super::{InvalidSetting, invalid, machine};
use crate::sections::{CredentialsEntry, FetchSection};

/// Reads the files of certificates and of cookies, and the environment variables with passwords, if `config` names any.
pub(super) fn fetch(
    config: &FetchSection,
    host_headers: Vec<HostHeaders>,
    logins: Arc<[Arc<Login>]>,
    user_agent: String,
) -> Result<FetchSettings, InvalidSetting> {
    Ok(FetchSettings {
        user_agent,
        parallel: config.parallel,
        // Until the process knows how many files it may have open.
        max_connections: 512,
        connect_timeout: millis("fetch.connect_timeout_ms", config.connect_timeout_ms)?,
        timeout: millis("fetch.timeout_ms", config.timeout_ms)?,
        max_body_bytes: config.max_body_bytes,
        memory_bytes: match config.memory_bytes {
            0 => machine::memory_bytes(),
            bytes => bytes,
        },
        max_redirects: config.max_redirects,
        allow_private_addresses: config.allow_private_addresses,
        cookies: config.cookies,
        cookies_file: cookies_file(&config.cookies_file)?,
        keep_cookies: config.keep_cookies,
        logins,
        proxy: proxy(&config.proxy)?,
        extra_roots: extra_roots(&config.extra_root_certificates)?,
        headers: headers(config)?,
        host_headers,
        credentials: credentials(&config.credentials)?,
    })
}

fn proxy(url: &str) -> Result<Option<Proxy>, InvalidSetting> {
    if url.is_empty() {
        return Ok(None);
    }
    // The text before an @ may hold a password.
    let shown = url.rsplit_once('@').map_or(url, |(_, shown)| shown);
    let proxy = Proxy::new(url).map_err(|reason| invalid("fetch.proxy", format!("{shown:?}"), reason))?;
    Ok(Some(proxy))
}

fn cookies_file(path: &Path) -> Result<CookiesFile, InvalidSetting> {
    if path.as_os_str().is_empty() {
        return Ok(CookiesFile::default());
    }
    let unusable = |reason: String| invalid("fetch.cookies_file", format!("{path:?}"), reason);
    let unread = |error: std::io::Error| unusable(format!("cannot be read: {error}"));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unread)?;
    let modified = file.metadata().and_then(|metadata| metadata.modified()).ok();
    file.take(MAX_COOKIES_FILE_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(unread)?;
    if bytes.len() > MAX_COOKIES_FILE_BYTES {
        return Err(unusable(format!("must have at most {MAX_COOKIES_FILE_BYTES} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| unusable("must be a text in UTF-8".into()))?;
    let mut read = CookiesFile::parse(&text).map_err(unusable)?;
    read.modified = modified;
    Ok(read)
}

fn extra_roots(path: &Path) -> Result<Vec<CertificateDer<'static>>, InvalidSetting> {
    if path.as_os_str().is_empty() {
        return Ok(Vec::new());
    }
    let unusable = |reason: String| invalid("fetch.extra_root_certificates", format!("{path:?}"), reason);
    let pem = std::fs::read(path).map_err(|error| unusable(format!("cannot be read: {error}")))?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let certificates = certificates.map_err(|error| unusable(format!("is not a PEM file: {error}")))?;
    if certificates.is_empty() {
        return Err(unusable(
            "must hold a certificate between BEGIN CERTIFICATE and END CERTIFICATE".into(),
        ));
    }
    let mut roots = rustls::RootCertStore::empty();
    for certificate in &certificates {
        roots
            .add(certificate.clone())
            .map_err(|error| unusable(format!("holds an invalid certificate: {error}")))?;
    }
    Ok(certificates)
}

fn headers(config: &FetchSection) -> Result<HeaderMap, InvalidSetting> {
    let mut headers = HeaderMap::new();
    for (name, value) in &config.headers {
        let unusable = |reason: String| invalid("fetch.headers", format!("{name:?}"), reason);
        let (name, value) = extra_field(name, value).map_err(unusable)?;
        if headers.insert(&name, value).is_some() {
            return Err(unusable(format!("{name} occurs twice, in two spellings")));
        }
    }
    Ok(headers)
}

fn credentials(config: &[CredentialsEntry]) -> Result<Vec<Credentials>, InvalidSetting> {
    let mut all: Vec<Credentials> = Vec::new();
    for entry in config {
        let unusable = |reason: String| invalid("fetch.credentials", format!("{:?}", entry.host), reason);
        let password = match (&entry.password, &entry.password_env) {
            (Some(password), None) => password.clone(),
            (None, Some(name)) => env::var(name).map_err(|error| {
                unusable(format!(
                    "password_env = {name:?}: {error}; set that environment variable to the password"
                ))
            })?,
            _ => return Err(unusable("must have either a password or a password_env".into())),
        };
        let credentials = Credentials::new(&entry.host, &entry.user, &password).map_err(unusable)?;
        if all.iter().any(|other| other.is_for_same_origin(&credentials)) {
            return Err(unusable("occurs twice".into()));
        }
        all.push(credentials);
    }
    Ok(all)
}
