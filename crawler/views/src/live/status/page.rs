//! The status page. Its script requests `/status.json` every second; without scripts the page reloads itself. It requests nothing from
//! other hosts.

use std::hash::{BuildHasher, RandomState};

use askama::Template;

use super::figures::Figures;
use crawl::HostStateKind;
use terminal::units::bytes;

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage<'a> {
    figures: &'a Figures,
    nonce: &'a str,
    /// Which crawl it is.
    name: &'a str,
    style: &'static str,
    now: String,
}

impl StatusPage<'_> {
    fn states(&self) -> [(&'static str, &'static str); HostStateKind::ALL.len()] {
        HostStateKind::ALL.map(|state| (state.as_str(), state.meaning()))
    }

    /// Whether a figure says nothing, so that its place is hidden. The script has the same rule.
    fn is_none(&self, shown: &str) -> bool {
        matches!(shown, "0" | "0.0" | "0 bytes")
    }

    fn elapsed(&self) -> String {
        humantime::format_duration(std::time::Duration::from_secs(self.figures.elapsed_seconds as u64)).to_string()
    }

    fn bytes(&self, count: &u64) -> String {
        bytes(*count)
    }

    fn rate(&self, rate: &f64) -> String {
        format!("{rate:.1}")
    }

    fn byte_rate(&self) -> String {
        format!("{}/s", bytes(self.figures.rates.bytes_per_second as u64))
    }

    fn memory(&self) -> String {
        self.figures.memory_bytes.map_or_else(|| "–".to_owned(), bytes)
    }
}

/// The page. Its script has the nonce, which must differ for each response.
pub fn render(figures: &Figures, nonce: &str) -> Result<String, String> {
    let page = StatusPage {
        figures,
        nonce,
        name: figures.largest_hosts.first().map_or("A crawl", |host| &host.host),
        style: crate::SITE_STYLE,
        now: Figures::now(),
    };
    page.render().map_err(|error| error.to_string())
}

/// The policy that allows connections to this server and the script with the nonce, and nothing else.
pub(super) fn content_security_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'"
    )
}

/// 128 unpredictable bits: a hash with a random key from the system.
pub(super) fn nonce() -> String {
    let half = || RandomState::new().hash_one(0_u8);
    format!("{:016x}{:016x}", half(), half())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::live::status::View;
    use crawl::stats::{RunLimits, Stats};
    use crawl::{HostStanding, Standing};
    use web::politeness::Delays;

    fn figures() -> Figures {
        let stats = Arc::new(Stats::default());
        stats.failure("<script>alert(1)</script>");
        let mut standing = Standing::default();
        standing.largest.push(HostStanding {
            host: "\"><img src=x>.example".into(),
            urls: 7,
            state: HostStateKind::Resting,
            open: 0,
            delays: Delays::of_configuration(Duration::from_secs(1)),
            is_ordered: false,
            until: Some(1_774_000_000_000),
            failure: Some("</td><script>alert(2)</script>".into()),
        });
        stats.stands(standing);
        Figures::of(&View::new(stats, RunLimits::default()))
    }

    #[test]
    fn text_from_the_web_is_text_in_the_page() {
        let html = render(&figures(), "n0nce").unwrap();
        assert!(!html.contains("<img") && !html.contains("<script>"), "{html}");
        assert_eq!(html.matches("<script").count(), 1, "only the script of the page");
        for part in [
            "&#60;script&#62;alert(1)",
            "img src=x&#62;.example",
            "alert(2)",
            "2026-03-20T09:46:40Z",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }

    #[test]
    fn what_is_zero_is_hidden() {
        let html = render(&figures(), "n0nce").unwrap();
        let tile = |name: &str| {
            let at = html.find(&format!("<dt>{name}</dt>")).unwrap();
            html[..at].rsplit('<').next().unwrap_or_default().to_owned()
        };
        assert_eq!(tile("kept"), "div class=\"kept\" data-hides hidden>");
        assert_eq!(tile("pages/s"), "div>", "a rate of 0 says something");
        let failures = "<p id=\"no-failures\" hidden>";
        assert!(html.contains(failures) && html.contains("alert(1)"), "{html}");
        let quiet = Figures::of(&View::new(Arc::new(Stats::default()), RunLimits::default()));
        let html = render(&quiet, "n0nce").unwrap();
        assert!(
            html.contains("<p id=\"no-failures\">No URL failed in this run.</p>"),
            "{html}"
        );
        assert!(html.contains("id=\"some-failures\" hidden"), "{html}");
    }

    #[test]
    fn the_page_requests_nothing_from_another_host() {
        let html = render(&figures(), "n0nce").unwrap();
        assert!(
            !html.contains("http://") && !html.contains("https://") && !html.contains("//cdn"),
            "{html}"
        );
        assert_ne!(nonce(), nonce());
    }
}
