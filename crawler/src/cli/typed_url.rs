//! URLs as people type them.

use ::url::Url;
use web::canonicalize::{CanonicalRules, CanonicalUrl, NotCrawlable};

use crate::cli::error::UsageError;
use crate::terminal::text::terminal_text;

/// Characters of what was typed that are said again.
const TYPED_CHARS: usize = 200;

/// The canonical form of what the user typed; without a scheme, that of the two which the crawl knows, else https.
pub(super) fn known_spelling<E: From<UsageError>>(
    typed: &str,
    rules: &CanonicalRules,
    is_known: impl Fn(&Url) -> Result<bool, E>,
) -> Result<Url, E> {
    let parse = |text: &str| CanonicalUrl::parse(text.trim(), rules).map(CanonicalUrl::into_url);
    let unusable =
        |error: NotCrawlable| UsageError::Argument(format!("{}: {error}", terminal_text(typed, TYPED_CHARS)));
    if names_scheme(typed) {
        return Ok(parse(typed).map_err(unusable)?);
    }
    let secure = parse(&format!("https://{typed}")).map_err(unusable)?;
    let plain = parse(&format!("http://{typed}")).map_err(unusable)?;
    let is_plain = !is_known(&secure)? && is_known(&plain)?;
    Ok(if is_plain { plain } else { secure })
}

/// Whether what stands before the first colon is a scheme: no path, and no host before its port.
fn names_scheme(typed: &str) -> bool {
    let parts = typed.split_once(':');
    parts.is_some_and(|(before, after)| !before.contains('/') && !after.starts_with(|c: char| c.is_ascii_digit()))
}
