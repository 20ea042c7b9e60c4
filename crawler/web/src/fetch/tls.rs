//! The client's side of TLS.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

use super::FetchError;

/// Prefers HTTP/2 to HTTP/1.1 and trusts Mozilla's authorities and `extra_roots`.
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
