//! The faults of a server's certificate.

use rustls::CertificateError;

/// Why a server's certificate is not accepted. Each fault has a name that is stored, counted and shown in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CertificateFault {
    /// It has expired.
    Expired,
    /// Its validity has not begun.
    NotYetValid,
    /// It is for another host.
    WrongHost,
    /// No trusted authority vouches for it: it is self-signed, signed by an unknown authority, or malformed.
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

    pub(super) fn of(error: &CertificateError) -> Self {
        use CertificateError as Error;
        match error {
            Error::Expired | Error::ExpiredContext { .. } => Self::Expired,
            Error::NotValidYet | Error::NotValidYetContext { .. } => Self::NotYetValid,
            Error::NotValidForName | Error::NotValidForNameContext { .. } => Self::WrongHost,
            _ => Self::Untrusted,
        }
    }
}
