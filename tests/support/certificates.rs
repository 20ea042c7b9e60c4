//! An authority of the tests' own, and certificates of every kind.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// An authority that no client trusts unless it is told to.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its certificate.
    pub pem: String,
}

impl Authority {
    /// One with a key of its own.
    pub fn new(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        let pem = params.self_signed(&key).unwrap().pem();
        Self {
            issuer: Issuer::new(params, key),
            pem,
        }
    }

    /// A server's side of TLS with a certificate for these names and addresses, valid from January of one year to January
    /// of another.
    pub fn server(&self, names: &[&str], years: (i32, i32)) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let certificate = params(names, years).signed_by(&key, &self.issuer).unwrap();
        server(certificate.der().clone(), &key)
    }
}

/// The same with a certificate that only vouches for itself.
pub fn self_signed(names: &[&str]) -> Arc<ServerConfig> {
    let key = KeyPair::generate().unwrap();
    let certificate = params(names, ALWAYS).self_signed(&key).unwrap();
    server(certificate.der().clone(), &key)
}

/// Years that are not over soon.
pub const ALWAYS: (i32, i32) = (2000, 2900);

fn params(names: &[&str], (first, last): (i32, i32)) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.not_before = date_time_ymd(first, 1, 1);
    params.not_after = date_time_ymd(last, 1, 1);
    params
}

fn server(certificate: CertificateDer<'static>, key: &KeyPair) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = builder.with_no_client_auth().with_single_cert(vec![certificate], key);
    Arc::new(config.unwrap())
}
