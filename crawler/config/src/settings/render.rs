//! The `[render]` section.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::{InvalidSetting, invalid};
use crate::sections::{RenderMode, RenderSection};
use crate::url_pattern::UrlPattern;

/// Which pages a browser renders, and its bounds.
#[derive(Debug, Clone)]
pub struct RenderSettings {
    /// Which pages a browser renders.
    pub mode: RenderMode,
    /// The program; `None` for the installed one.
    pub browser: Option<PathBuf>,
    /// Pages that the browser has open at one time.
    pub tabs: usize,
    /// Time limit of a page, without the time that its requests wait for their turn.
    pub timeout: Duration,
    /// How often a page is scrolled to its end, at most.
    pub scrolls: usize,
    /// Most requests of a page.
    pub max_requests: usize,
    /// Most bytes of the answers to these requests.
    pub max_bytes: usize,
    wait_for: Arc<[Wait]>,
}

/// An element for which some pages wait.
#[derive(Debug)]
struct Wait {
    pages: UrlPattern,
    selector: String,
}

impl RenderSettings {
    /// The selector of the element without which the page at `url` is not finished.
    #[must_use]
    pub fn wait_for(&self, url: &Url) -> Option<&str> {
        let wait = self.wait_for.iter().find(|wait| wait.pages.matches(url.as_str()))?;
        Some(&wait.selector)
    }
}

/// Upper bounds, beyond which a value is a slip of the pen.
const MAX_TABS: usize = 64;
const MAX_SECONDS: u64 = 600;
const MAX_SCROLLS: usize = 1_000;
const MAX_REQUESTS: usize = 10_000;
const MAX_BYTES: usize = 1 << 30;

pub(super) fn render(config: &RenderSection) -> Result<RenderSettings, InvalidSetting> {
    for (key, value, least, most) in [
        ("render.tabs", config.tabs, 1, MAX_TABS),
        ("render.scroll", config.scroll, 0, MAX_SCROLLS),
        ("render.max_requests", config.max_requests, 1, MAX_REQUESTS),
        ("render.max_bytes", config.max_bytes, 1, MAX_BYTES),
    ] {
        if !(least..=most).contains(&value) {
            return Err(invalid(key, value, format!("must be from {least} to {most}")));
        }
    }
    if !(1..=MAX_SECONDS).contains(&config.timeout_seconds) {
        let reason = format!("must be from 1 to {MAX_SECONDS}");
        return Err(invalid("render.timeout_seconds", config.timeout_seconds, reason));
    }
    Ok(RenderSettings {
        mode: config.mode,
        browser: Some(config.browser.clone()).filter(|path| !path.as_os_str().is_empty()),
        tabs: config.tabs,
        timeout: Duration::from_secs(config.timeout_seconds),
        scrolls: config.scroll,
        max_requests: config.max_requests,
        max_bytes: config.max_bytes,
        wait_for: waits(config)?,
    })
}

/// The longest pattern first: it says the most about its pages.
fn waits(config: &RenderSection) -> Result<Arc<[Wait]>, InvalidSetting> {
    let mut waits = Vec::new();
    for (pattern, selector) in &config.wait_for {
        let unusable = |reason: String| invalid("render.wait_for", format!("{pattern:?}"), reason);
        let pages = UrlPattern::parse(pattern).map_err(unusable)?;
        // The browser reads the selector; this finds a slip of the pen before the crawl begins.
        page::ExtractRule::new()
            .content(selector)
            .map_err(|error| invalid("render.wait_for", format!("{selector:?}"), error.to_string()))?;
        waits.push(Wait {
            pages,
            selector: selector.clone(),
        });
    }
    waits.sort_by_key(|wait| std::cmp::Reverse(wait.pages.as_str().len()));
    Ok(waits.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn of(text: &str) -> Result<RenderSettings, String> {
        let config = Config::parse(text, std::path::Path::new("config.toml")).unwrap();
        render(&config.render).map_err(|error| error.to_string())
    }

    #[test]
    fn a_page_waits_for_the_element_of_the_longest_pattern() {
        let settings =
            of("[render.wait_for]\n\"glob:/shop/**\" = \".price\"\n\"glob:/shop/cart/**\" = \"#sum\"\n").unwrap();
        let wait_for = |url: &str| settings.wait_for(&Url::parse(url).unwrap()).map(str::to_owned);
        assert_eq!(wait_for("https://a.example/shop/cart/1").as_deref(), Some("#sum"));
        assert_eq!(wait_for("https://a.example/shop/1").as_deref(), Some(".price"));
        assert_eq!(wait_for("https://a.example/blog"), None);
    }

    #[test]
    fn a_value_out_of_bounds_and_a_broken_pattern_are_named() {
        for (text, expected) in [
            ("[render]\ntabs = 0\n", "render.tabs = 0: must be from 1 to 64"),
            (
                "[render]\ntimeout_seconds = 0\n",
                "render.timeout_seconds = 0: must be from 1 to 600",
            ),
            (
                "[render.wait_for]\n\"/shop/\" = \"p\"\n",
                "render.wait_for = \"/shop/\": it must say of which kind it is",
            ),
            (
                "[render.wait_for]\n\"glob:/a\" = \"p >\"\n",
                "render.wait_for = \"p >\": it is not a CSS selector",
            ),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
