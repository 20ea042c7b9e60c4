//! The style and the script of the page, and the policy that allows nothing else.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

static STYLE: LazyLock<String> = LazyLock::new(|| compact(include_str!("../../../templates/report.css")));
static SCRIPT: LazyLock<String> = LazyLock::new(|| compact(include_str!("../../../templates/report.js")));

/// The source without indentation, empty lines, and lines that are a comment. The templates have no text that goes over several lines.
fn compact(source: &str) -> String {
    let is_comment = |line: &str| line.starts_with("//") || line.starts_with("/*") && line.ends_with("*/");
    let lines: Vec<&str> = source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !is_comment(line))
        .collect();
    lines.join("\n")
}

#[derive(Debug)]
pub(super) struct Assets {
    pub style: &'static str,
    pub script: &'static str,
    /// Content Security Policy Level 3: no request is allowed, and only the style and the script with these hashes apply.
    pub policy: String,
}

impl Assets {
    pub fn new() -> Self {
        Self {
            style: &STYLE,
            script: &SCRIPT,
            policy: format!(
                "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
                hash(&STYLE),
                hash(&SCRIPT)
            ),
        }
    }
}

/// The policy's source expression for an inline element.
fn hash(source: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, source.as_bytes());
    format!("sha256-{}", STANDARD.encode(digest))
}

/// `value` as JSON inside a `script` element.
pub(super) fn island(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_equals_the_example_of_the_standard() {
        // The example of Content Security Policy Level 3, section 6.7.3.3.
        let wanted = "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=";
        assert_eq!(hash("alert('Hello, world.');"), wanted);
    }

    #[test]
    fn json_in_the_page_cannot_end_its_element() {
        let island = island(&serde_json::json!(["</script><!--<script>"]));
        assert!(!island.contains('<'), "{island}");
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&island).unwrap(),
            ["</script><!--<script>"]
        );
    }

    #[test]
    fn what_only_a_developer_reads_is_left_out() {
        let source = "// why\nlet a = 1; // one\n\n  /* how */\n    let b = `//`;\n";
        assert_eq!(compact(source), "let a = 1; // one\nlet b = `//`;");
        // A text over several lines would lose its indentation.
        assert!(SCRIPT.lines().all(|line| line.matches('`').count() % 2 == 0));
    }

    #[test]
    fn style_and_script_cannot_end_their_elements() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}
