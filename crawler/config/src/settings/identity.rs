//! The `[identity]` section.

use url::Url;

use super::{InvalidSetting, invalid};
use crate::sections::IdentitySection;

/// How the crawler introduces itself.
pub(super) struct Identity {
    /// The User-Agent header: product token, version and contact URL.
    pub user_agent: String,
    pub has_contact: bool,
}

pub(super) fn identity(config: &IdentitySection) -> Result<Identity, InvalidSetting> {
    check_product(&config.product)?;
    let contact = contact(&config.contact_url)?;
    let (product, version) = (&config.product, env!("CARGO_PKG_VERSION"));
    Ok(Identity {
        user_agent: match &contact {
            Some(url) => format!("{product}/{version} (+{url})"),
            None => format!("{product}/{version}"),
        },
        has_contact: contact.is_some(),
    })
}

fn check_product(product: &str) -> Result<(), InvalidSetting> {
    let is_of_token = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '-';
    if !product.is_empty() && product.chars().all(is_of_token) {
        return Ok(());
    }
    let reason = "must be a robots.txt product token: letters, '_' and '-' only (RFC 9309, section 2.2.1)";
    Err(invalid("identity.product", format!("{product:?}"), reason))
}

fn contact(contact: &str) -> Result<Option<String>, InvalidSetting> {
    if contact.is_empty() {
        return Ok(None);
    }
    let reason =
        "must be an absolute http, https or mailto URL in printable ASCII, for example https://example.org/bot";
    let url = Url::parse(contact).map_err(|_| invalid("identity.contact_url", format!("{contact:?}"), reason))?;
    if !matches!(url.scheme(), "http" | "https" | "mailto") {
        return Err(invalid("identity.contact_url", format!("{contact:?}"), reason));
    }
    Ok(Some(url.into()))
}
