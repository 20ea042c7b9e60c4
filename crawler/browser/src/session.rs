//! What a target of the browser is set up with, and what its requests ask for.

use serde_json::{Value, json};

use crate::connection::Connection;
use crate::error::RenderError;
use crate::hook::Hook;
use crate::refusal::Refusal;
use crate::resources::Kind;

/// Header fields that a page may not choose, or that describe the browser and not the request.
const NOT_PASSED_ON: [&str; 14] = [
    "accept-encoding",
    "connection",
    "content-length",
    "cookie",
    "cookie2",
    "dnt",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// Header fields of a response that the browser must not see: they describe a transfer that is over, set cookies that the browser would
/// keep, make a download of a page, or ask for requests.
const NOT_SHOWN: [&str; 16] = [
    "alt-svc",
    "clear-site-data",
    "connection",
    "content-disposition",
    "content-encoding",
    "content-length",
    "keep-alive",
    "link",
    "nel",
    "refresh",
    "report-to",
    "reporting-endpoints",
    "set-cookie",
    "speculation-rules",
    "strict-transport-security",
    "transfer-encoding",
];

/// Sets up a session: its requests are paused, and so are the targets that it opens. Then lets it run. A page has a hook.
pub(crate) async fn set_up(connection: &Connection, session: &str, hook: Option<&Hook>) -> Result<(), RenderError> {
    let patterns = json!({ "patterns": [{ "urlPattern": "*", "requestStage": "Request" }] });
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
    connection.send(session, "Fetch.enable", patterns).await?;
    connection.send(session, "Target.setAutoAttach", attach).await?;
    if let Some(hook) = hook {
        connection.send(session, "Page.enable", json!({})).await?;
        connection.send(session, "Performance.enable", json!({})).await?;
        let hook = json!({ "source": hook.source() });
        connection
            .send(session, "Page.addScriptToEvaluateOnNewDocument", hook)
            .await?;
        connection.send(session, "Inspector.enable", json!({})).await?;
        connection
            .send(session, "Network.setBypassServiceWorker", json!({ "bypass": true }))
            .await?;
        // A tab in the background draws no frames, and scripts wait for them.
        connection
            .send(
                session,
                "Emulation.setFocusEmulationEnabled",
                json!({ "enabled": true }),
            )
            .await?;
    }
    connection
        .send(session, "Runtime.runIfWaitingForDebugger", json!({}))
        .await
}

/// What a paused request of a page asks for, or why it is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Let the caller fetch it.
    Resource(Kind),
    /// The browser may look it up in itself.
    Local,
    /// A question whether a request from another origin is allowed (CORS). The answer comes with the request itself.
    Preflight,
    /// Nobody may.
    Refused(Refusal),
}

/// What a paused request asks for. Documents are decided elsewhere.
pub(crate) fn asked(params: &Value) -> Asked {
    let request = &params["request"];
    let url = request["url"].as_str().unwrap_or_default();
    let scheme = url.split(':').next().unwrap_or_default();
    match scheme {
        "http" | "https" => {}
        "data" | "blob" | "about" => return Asked::Local,
        _ => return Asked::Refused(Refusal::Scheme),
    }
    let kind = match params["resourceType"].as_str().unwrap_or_default() {
        "Script" => Kind::Script,
        "Stylesheet" => Kind::Style,
        "XHR" | "Fetch" => Kind::Data,
        // Icons of the page, documents that it may need later, and the scripts of workers.
        "Other" => match field(request, "accept") {
            Some(accept) if accept.starts_with("image/") => return Asked::Refused(Refusal::Media),
            _ if field(request, "purpose").or(field(request, "sec-purpose")).is_some() => {
                return Asked::Refused(Refusal::Needless);
            }
            _ => Kind::Script,
        },
        "Preflight" => return Asked::Preflight,
        "Image" | "Media" | "Font" | "TextTrack" => return Asked::Refused(Refusal::Media),
        "EventSource" => return Asked::Refused(Refusal::Stream),
        "Document" => return Asked::Refused(Refusal::Frame),
        _ => return Asked::Refused(Refusal::Needless),
    };
    match request["method"].as_str() {
        Some("GET") => Asked::Resource(kind),
        Some("OPTIONS") => Asked::Preflight,
        _ => Asked::Refused(Refusal::Method),
    }
}

/// A header field of a paused request.
pub(crate) fn field<'a>(request: &'a Value, name: &str) -> Option<&'a str> {
    let fields = request["headers"].as_object().into_iter().flatten();
    let mut fields = fields.filter(|(other, _)| other.eq_ignore_ascii_case(name));
    fields.next()?.1.as_str()
}

/// The header fields of a paused request that are passed on.
pub(crate) fn passed_on(request: &Value) -> Vec<(String, String)> {
    let fields = request["headers"].as_object().into_iter().flatten();
    let fields = fields.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str().unwrap_or_default().to_owned()));
    let is_passed_on = |name: &str| {
        !NOT_PASSED_ON.contains(&name)
            && !name.starts_with("sec-")
            && !name.starts_with("proxy-")
            && !name.starts_with("if-")
    };
    fields.filter(|(name, _)| is_passed_on(name)).collect()
}

/// The header fields of a response in the form of CDP.
pub(crate) fn shown(headers: &[(String, String)]) -> Value {
    let fields = headers.iter().filter(|(name, _)| {
        let name = name.to_ascii_lowercase();
        !NOT_SHOWN.contains(&name.as_str())
    });
    fields
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paused(kind: &str, method: &str, url: &str) -> Value {
        json!({ "resourceType": kind, "request": { "method": method, "url": url } })
    }

    #[test]
    fn only_scripts_styles_and_data_are_asked_for_and_only_with_get() {
        let asks = |kind, method, url| asked(&paused(kind, method, url));
        assert_eq!(
            asks("Script", "GET", "https://a.example/x"),
            Asked::Resource(Kind::Script)
        );
        assert_eq!(asks("Fetch", "GET", "http://a.example/x"), Asked::Resource(Kind::Data));
        assert_eq!(
            asks("Fetch", "POST", "http://a.example/x"),
            Asked::Refused(Refusal::Method)
        );
        assert_eq!(
            asks("XHR", "HEAD", "http://a.example/x"),
            Asked::Refused(Refusal::Method)
        );
        assert_eq!(
            asks("Image", "GET", "http://a.example/x"),
            Asked::Refused(Refusal::Media)
        );
        assert_eq!(
            asks("Ping", "POST", "http://a.example/x"),
            Asked::Refused(Refusal::Needless)
        );
        assert_eq!(
            asks("XHR", "GET", "file:///etc/passwd"),
            Asked::Refused(Refusal::Scheme)
        );
        assert_eq!(asks("XHR", "GET", "ftp://a.example/x"), Asked::Refused(Refusal::Scheme));
        assert_eq!(asks("Script", "GET", "data:text/javascript,1"), Asked::Local);
    }

    #[test]
    fn the_page_chooses_only_harmless_header_fields() {
        let request = json!({ "headers": {
            "Accept": "application/json", "Cookie": "a=b", "User-Agent": "x", "Sec-Fetch-Site": "none", "X-Api": "1", "Host": "h"
        } });
        let names: Vec<String> = passed_on(&request).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["accept", "x-api"]);
    }
}
