//! TLS: which authorities are trusted, and what is wrong with a certificate that is not accepted.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{AlertDescription, CertificateError, ClientConfig, RootCertStore};

use super::FetchError;

/// What is wrong with a server's certificate. Each has a name that is stored, counted and shown in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CertificateFault {
    /// Its time is over.
    Expired,
    /// Its time has not begun.
    NotYetValid,
    /// It is for another host.
    WrongHost,
    /// No trusted authority vouches for it: it is self-signed, of an unknown authority, or not well formed.
    Untrusted,
}

impl CertificateFault {
    /// The stored name.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Expired => "tls_expired",
            Self::NotYetValid => "tls_not_yet_valid",
            Self::WrongHost => "tls_wrong_host",
            Self::Untrusted => "tls_untrusted",
        }
    }
}

/// The client's side of TLS: HTTP/2 before HTTP/1.1, Mozilla's authorities and `extra_roots`.
pub(super) fn config(extra_roots: &[CertificateDer<'static>]) -> Result<ClientConfig, FetchError> {
    let unusable = |error: rustls::Error| FetchError::Tls(error.to_string());
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    for root in extra_roots {
        roots.add(root.clone()).map_err(unusable)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().map_err(unusable)?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Names a failed handshake: of the certificate, of two sides that have nothing in common, or, where the server speaks of
/// a trouble of its own, a connection that may be had another time.
pub(super) fn failure(error: &rustls::Error) -> FetchError {
    let detail = error.to_string();
    let reason = match error {
        rustls::Error::InvalidCertificate(reason) => reason,
        rustls::Error::AlertReceived(AlertDescription::InternalError | AlertDescription::UserCanceled) => {
            return FetchError::Connect(format!("TLS: {detail}"));
        }
        _ => return FetchError::Tls(detail),
    };
    let fault = match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => CertificateFault::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => CertificateFault::NotYetValid,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            CertificateFault::WrongHost
        }
        _ => CertificateFault::Untrusted,
    };
    FetchError::Certificate { fault, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_otherwise_later_is_tried_again() {
        let alert = |description| failure(&rustls::Error::AlertReceived(description));
        for (error, kind, is_passing) in [
            (alert(AlertDescription::InternalError), "connect", true),
            (alert(AlertDescription::HandshakeFailure), "tls", false),
            (alert(AlertDescription::ProtocolVersion), "tls", false),
            (
                failure(&rustls::Error::InvalidCertificate(CertificateError::Expired)),
                "tls_expired",
                false,
            ),
            (
                failure(&rustls::Error::InvalidCertificate(CertificateError::BadEncoding)),
                "tls_untrusted",
                false,
            ),
        ] {
            assert_eq!((error.kind(), error.is_passing()), (kind, is_passing), "{error}");
        }
    }
}
