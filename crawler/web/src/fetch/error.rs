//! What can go wrong with one request. Each kind has a name that is stored, counted and shown in the report.

use std::error::Error as StdError;
use std::io;

use rustls::AlertDescription;

use super::certificate::CertificateFault;
use crate::address_policy::Forbidden;

/// Why no whole answer came.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The address policy forbids the address; nothing was connected.
    #[error(transparent)]
    ForbiddenAddress(#[from] Forbidden),
    /// The name has no address.
    #[error("name not resolved: {0}")]
    Dns(String),
    /// No connection could be opened.
    #[error("no connection: {0}")]
    Connect(String),
    /// No TLS connection can be agreed on, for another reason than the certificate.
    #[error("TLS: {0}")]
    Tls(String),
    /// The server's certificate is not accepted.
    #[error("TLS: {detail}")]
    Certificate {
        /// What is wrong with it.
        fault: CertificateFault,
        /// The same in the words of the TLS library.
        detail: String,
    },
    /// No head of an answer came in time.
    #[error("timed out")]
    Timeout,
    /// The head of an answer came, but not its whole body in time.
    #[error("timed out in the body")]
    BodyTimeout,
    /// The connection ended before the head of an answer.
    #[error("connection broke off: {0}")]
    Interrupted(String),
    /// The connection ended, or made no sense any more, within the body.
    #[error("connection broke off in the body: {0}")]
    BodyInterrupted(String),
    /// What came is not HTTP.
    #[error("not valid HTTP: {0}")]
    Protocol(String),
    /// The body is longer than is accepted.
    #[error("body over {limit} bytes")]
    BodyTooLarge {
        /// The bound, `fetch.max_body_bytes`.
        limit: usize,
    },
    /// The body is not in the Content-Encoding it names, or in one that was not asked for.
    #[error("content encoding: {0}")]
    ContentEncoding(String),
}

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
            Self::BodyTooLarge { .. } => "body_too_large",
            Self::ContentEncoding(_) => "content_encoding",
        }
    }

    /// Whether another try, later, may do better. A server's TLS is the same a few seconds later.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        self.is_the_hosts() || matches!(self, Self::BodyTimeout | Self::BodyInterrupted(_))
    }

    /// Whether no request of the same scheme, host and port would fare better.
    #[must_use]
    pub fn is_the_origins(&self) -> bool {
        matches!(
            self,
            Self::ForbiddenAddress(_) | Self::Certificate { .. } | Self::Tls(_)
        )
    }

    /// Whether it says something of the host, and not of this one page: no head of an answer came.
    #[must_use]
    pub fn is_the_hosts(&self) -> bool {
        matches!(
            self,
            Self::Dns(_) | Self::Connect(_) | Self::Timeout | Self::Interrupted(_)
        )
    }

    /// Names a failure before or in the answer's head.
    #[must_use]
    pub fn from_reqwest(error: &reqwest::Error) -> Self {
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

    /// Names a failure while the body was read.
    #[must_use]
    pub fn from_body(error: &reqwest::Error) -> Self {
        // Whatever ends a body early (a reset, a short Content-Length, broken chunking) leaves half an answer.
        Self::BodyInterrupted(innermost(error))
    }
}

fn broke_off(error: &reqwest::Error) -> bool {
    let io = cause::<io::Error>(error).is_some();
    // hyper has no public type for an end before the head was whole.
    io || causes(error).any(|e| {
        let text = e.to_string();
        text.contains("closed before message completed") || text.contains("unexpected end of file")
    })
}

fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&e| e.source())
}

/// The first cause of type `E`; an `io::Error` is looked into, since it hides what it wraps from `source`, another
/// `io::Error` maybe.
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
        for (error, kind, is_passing) in [
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
            assert_eq!((error.kind(), error.is_passing()), (kind, is_passing), "{error}");
        }
    }
}
