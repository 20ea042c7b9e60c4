//! What a page asks of crawlers in `<meta name="robots" content="...">`, or in a meta that names one crawler.
//!
//! The same directives come in the `X-Robots-Tag` header, so [`RobotsDirectives::add`] takes a bare list of them.

/// What a page asks of crawlers. Where several metas or headers speak, each restriction counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct RobotsDirectives {
    /// The page asks not to be stored.
    pub noindex: bool,
    /// The page asks that its links are not followed.
    pub nofollow: bool,
}

impl RobotsDirectives {
    /// Adds a comma-separated list such as `noindex, nofollow`; `none` means both, what is not known is passed over.
    pub fn add(&mut self, directives: &str) {
        for directive in directives.split(',').map(str::trim) {
            let is = |name: &str| directive.eq_ignore_ascii_case(name);
            self.noindex |= is("noindex") || is("none");
            self.nofollow |= is("nofollow") || is("none");
        }
    }

    /// Adds a meta element's directives if its name speaks to all crawlers or to `agent`.
    pub(super) fn add_meta(&mut self, name: &str, content: &str, agent: &str) {
        let name = name.trim();
        let product = product_token(agent);
        let named = !product.is_empty() && name.eq_ignore_ascii_case(product);
        if name.eq_ignore_ascii_case("robots") || named {
            self.add(content);
        }
    }
}

/// The product token that opens a user-agent string, RFC 9309, section 2.2.1.
fn product_token(agent: &str) -> &str {
    let end = agent.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '_' | '-')));
    &agent[..end.unwrap_or(agent.len())]
}
