//! Style and script, which are part of the page, and the policy that allows them and nothing else.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const STYLE: &str = include_str!("../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../templates/report.js");

/// See the module's text.
#[derive(Debug)]
pub(super) struct Assets {
    pub style: &'static str,
    pub script: &'static str,
    /// Content Security Policy Level 3: nothing may be asked for from anywhere, and only the style and the script with these
    /// hashes count.
    pub policy: String,
}

impl Assets {
    pub fn new() -> Self {
        Self {
            style: STYLE,
            script: SCRIPT,
            policy: format!(
                "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
                hash(STYLE),
                hash(SCRIPT)
            ),
        }
    }
}

/// A source expression for an inline element.
fn hash(source: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, source.as_bytes());
    format!("sha256-{}", STANDARD.encode(digest))
}

/// `value` as JSON that can stand within an element `script`.
pub(super) fn island(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_as_the_standard_has_it() {
        // The example of Content Security Policy Level 3, section 6.7.3.3.
        let wanted = "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=";
        assert_eq!(hash("alert('Hello, world.');"), wanted);
    }

    #[test]
    fn an_island_ends_where_the_page_ends_it() {
        let island = island(&serde_json::json!(["</script><!--<script>"]));
        assert!(!island.contains('<'), "{island}");
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&island).unwrap(),
            ["</script><!--<script>"]
        );
    }

    #[test]
    fn nothing_in_the_assets_ends_their_elements() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}
