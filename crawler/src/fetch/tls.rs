//! TLS: which authorities are trusted, and what is wrong with a certificate that is not accepted.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{CertificateError, ClientConfig, RootCertStore};

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

/// Names a failed handshake.
pub(super) fn failure(error: &rustls::Error) -> FetchError {
    let detail = error.to_string();
    let rustls::Error::InvalidCertificate(reason) = error else {
        return FetchError::Tls(detail);
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
