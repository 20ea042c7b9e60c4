//! The errors of one request. Each kind has a name that is stored, counted and shown in the report.

use std::error::Error as StdError;
use std::io;

use rustls::AlertDescription;

use super::certificate::CertificateFault;
use crate::address_policy::Forbidden;

/// Why no complete response arrived.
#[derive(Debug, Clone, thiserror::Error)]
pub enum FetchError {
    /// The address policy forbids the address. No connection was opened.
    #[error(transparent)]
    ForbiddenAddress(#[from] Forbidden),
    /// The name has no address.
    #[error("name not resolved: {0}")]
    Dns(String),
    /// No connection could be opened.
    #[error("no connection: {0}")]
    Connect(String),
    /// TLS failed for another reason than the certificate.
    #[error("TLS: {0}")]
    Tls(String),
    /// The server's certificate is not accepted.
    #[error("TLS: {detail}")]
    Certificate {
        /// The kind of fault.
        fault: CertificateFault,
        /// The message of the TLS library.
        detail: String,
    },
    /// The head of the response did not arrive in time.
    #[error("timed out")]
    Timeout,
    /// The body did not arrive in time.
    #[error("timed out in the body")]
    BodyTimeout,
    /// The connection ended before the head of the response.
    #[error("connection broke off: {0}")]
    Interrupted(String),
    /// The connection ended, or its data became invalid, within the body.
    #[error("connection broke off in the body: {0}")]
    BodyInterrupted(String),
    /// The response is not valid HTTP.
    #[error("not valid HTTP: {0}")]
    Protocol(String),
    /// The response has only a part of the body, although the request asked for all of it.
    #[error("only a part of the body (HTTP status 206)")]
    Partial,
    /// The body is longer than the bound.
    #[error("body over {limit} bytes")]
    BodyTooLarge {
        /// The bound, `fetch.max_body_bytes`.
        limit: usize,
    },
    /// The body does not match its Content-Encoding, or the coding is not supported.
    #[error("content encoding: {0}")]
    ContentEncoding(String),
}

/// What a resolver says of a name that does not exist (`EAI_NONAME` of RFC 3493, section 6.1): glibc, musl, BSD and macOS, Windows.
const NO_SUCH_NAME: [&str; 4] = [
    "Name or service not known",
    "Name does not resolve",
    "nodename nor servname provided",
    "No such host is known",
];

impl FetchError {
    /// The stored name of the kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ForbiddenAddress(_) => "forbidden_address",
            Self::Dns(_) => "dns",
            Self::Connect(_) => "connect",
            Self::Tls(_) => "tls",
            Self::Certificate { fault, .. } => fault.kind(),
            Self::Timeout | Self::BodyTimeout => "timeout",
            Self::Interrupted(_) | Self::BodyInterrupted(_) => "interrupted",
            Self::Protocol(_) => "protocol",
            Self::Partial => "partial",
            Self::BodyTooLarge { .. } => "body_too_large",
            Self::ContentEncoding(_) => "content_encoding",
        }
    }

    /// Whether a later request may succeed. A failure of TLS is not transient: the server's TLS is the same seconds later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.concerns_host() || matches!(self, Self::BodyTimeout | Self::BodyInterrupted(_) | Self::Partial)
    }

    /// Whether every request to the same scheme, host and port would fail.
    #[must_use]
    pub fn concerns_origin(&self) -> bool {
        matches!(
            self,
            Self::ForbiddenAddress(_) | Self::Certificate { .. } | Self::Tls(_)
        )
    }

    /// Whether the error concerns the host and not only this page: no head of a response arrived.
    #[must_use]
    pub fn concerns_host(&self) -> bool {
        matches!(
            self,
            Self::Dns(_) | Self::Connect(_) | Self::Timeout | Self::Interrupted(_)
        )
    }

    /// Whether the network says for certain that no server is there: the name does not exist, or the machine refuses connections. The network
    /// has only a text for the first.
    #[must_use]
    pub fn finds_no_server(&self) -> bool {
        match self {
            Self::Dns(text) => NO_SUCH_NAME.iter().any(|said| text.contains(said)),
            Self::Connect(text) => text.contains("Connection refused"),
            _ => false,
        }
    }

    /// Names the error of a name look-up.
    #[must_use]
    pub(super) fn from_look_up(error: &(dyn StdError + 'static)) -> Self {
        match error.downcast_ref::<Forbidden>() {
            Some(forbidden) => Self::ForbiddenAddress(forbidden.clone()),
            None => Self::Dns(error.to_string()),
        }
    }

    /// Names an error before the end of the response's head.
    #[must_use]
    pub(crate) fn from_reqwest(error: &reqwest::Error) -> Self {
        if let Some(forbidden) = cause::<Forbidden>(error) {
            return Self::ForbiddenAddress(forbidden.clone());
        }
        if let Some(tls) = cause::<rustls::Error>(error) {
            return Self::from_tls(tls);
        }
        if error.is_timeout() {
            return Self::Timeout;
        }
        let text = innermost(error);
        if causes(error).any(|e| e.to_string().contains("dns error")) {
            return Self::Dns(text);
        }
        if error.is_connect() {
            return Self::Connect(text);
        }
        if broke_off(error) {
            return Self::Interrupted(text);
        }
        Self::Protocol(text)
    }

    /// Names a failed handshake. An alert about a fault inside the server is a failed connection, which may succeed later.
    fn from_tls(error: &rustls::Error) -> Self {
        let detail = error.to_string();
        match error {
            rustls::Error::InvalidCertificate(reason) => Self::Certificate {
                fault: CertificateFault::of(reason),
                detail,
            },
            rustls::Error::AlertReceived(AlertDescription::InternalError | AlertDescription::UserCanceled) => {
                Self::Connect(format!("TLS: {detail}"))
            }
            _ => Self::Tls(detail),
        }
    }

    /// Names an error within the body.
    #[must_use]
    pub(super) fn from_body(error: &reqwest::Error) -> Self {
        // A reset, a short Content-Length and broken chunking all leave an incomplete response.
        Self::BodyInterrupted(innermost(error))
    }
}

fn broke_off(error: &reqwest::Error) -> bool {
    let io = cause::<io::Error>(error).is_some();
    // hyper has no public type for an end within the head.
    io || causes(error).any(|e| {
        let text = e.to_string();
        text.contains("closed before message completed") || text.contains("unexpected end of file")
    })
}

fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&e| e.source())
}

/// The first cause of type `E`. An `io::Error` hides the error that it wraps from `source`, so this looks inside.
fn cause<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    causes(error).find_map(|e| {
        e.downcast_ref::<E>().or_else(|| {
            let wrapped = e.downcast_ref::<io::Error>()?.get_ref()?;
            cause::<E>(wrapped)
        })
    })
}

fn innermost(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(String::new, ToString::to_string)
}

#[cfg(test)]
mod tests {
    use rustls::CertificateError;

    use super::*;

    #[test]
    fn only_a_fault_inside_the_server_is_transient() {
        let alert = |description| FetchError::from_tls(&rustls::Error::AlertReceived(description));
        for (error, kind, is_transient) in [
            (alert(AlertDescription::InternalError), "connect", true),
            (alert(AlertDescription::HandshakeFailure), "tls", false),
            (alert(AlertDescription::ProtocolVersion), "tls", false),
            (
                FetchError::from_tls(&rustls::Error::InvalidCertificate(CertificateError::Expired)),
                "tls_expired",
                false,
            ),
            (
                FetchError::from_tls(&rustls::Error::InvalidCertificate(CertificateError::BadEncoding)),
                "tls_untrusted",
                false,
            ),
        ] {
            assert_eq!((error.kind(), error.is_transient()), (kind, is_transient), "{error}");
        }
    }
}
