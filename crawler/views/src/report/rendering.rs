//! The pages that a browser rendered, by the patterns of their URLs.

use std::collections::HashMap;

use serde::Serialize;
use storage::{PageRecord, Store};
use url::Url;
use web::url_rule::shape;

use error::RunError;

/// The pages that a browser rendered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Rendering {
    /// Pages with text from the rendered page.
    pub rendered: u64,
    /// Pages that were rendered, and whose response says as much.
    pub tested: u64,
    /// Those of both that the browser gave up before they were finished. They may say more another time.
    pub incomplete: u64,
    /// All other pages of the patterns below.
    pub read: u64,
    /// Requests of the rendered and tested pages, besides those for the pages themselves.
    pub requests: u64,
    /// Time in the browser, in milliseconds.
    pub elapsed_ms: u64,
    /// The patterns with a rendered or tested page, by host and pattern.
    pub patterns: Vec<RenderedPattern>,
}

/// The pages of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RenderedPattern {
    /// The host.
    pub host: String,
    /// Folder, ending and names of the parameters.
    pub pattern: String,
    /// See [`Rendering::rendered`].
    pub rendered: u64,
    /// See [`Rendering::tested`].
    pub tested: u64,
    /// See [`Rendering::incomplete`].
    pub incomplete: u64,
    /// Pages that were read without a browser.
    pub read: u64,
    /// See [`Rendering::requests`].
    pub requests: u64,
    /// See [`Rendering::elapsed_ms`].
    pub elapsed_ms: u64,
}

impl RenderedPattern {
    /// What the crawl does with the pages of the pattern, and why.
    pub fn words(&self) -> String {
        let seconds = self.elapsed_ms as f64 / 1_000.0;
        let all = self.rendered + self.tested;
        let said = match (self.rendered, self.tested) {
            (0, tested) => format!("read without a browser: {tested} rendered, none said more"),
            (rendered, _) => format!("rendered: {rendered} of {all} said more"),
        };
        let each = seconds / all.max(1) as f64;
        format!(
            "{said}; {} read without; {each:.1} s and {:.1} requests a page",
            self.read,
            self.requests as f64 / all.max(1) as f64
        )
    }
}

/// Counts pages by pattern.
#[derive(Debug, Default)]
pub(super) struct Renderings {
    patterns: HashMap<(String, String), RenderedPattern>,
}

impl Renderings {
    /// Counts a page.
    pub fn add(&mut self, page: &PageRecord) {
        self.count(&page.host, &page.url, page.rendering, page.is_incomplete);
    }

    fn count(&mut self, host: &str, url: &str, rendering: Option<storage::Rendering>, is_incomplete: bool) {
        let Ok(url) = Url::parse(url) else { return };
        let key = (host.to_owned(), shape::pattern(&url));
        let entry = self.patterns.entry(key).or_default();
        entry.incomplete += u64::from(is_incomplete);
        match rendering {
            None => entry.read += 1,
            Some(rendering) => {
                entry.rendered += u64::from(rendering.says_more);
                entry.tested += u64::from(!rendering.says_more);
                entry.requests += u64::from(rendering.requests);
                entry.elapsed_ms += u64::from(rendering.elapsed_ms);
            }
        }
    }

    pub fn finish(self) -> Rendering {
        let with_browser = self
            .patterns
            .into_iter()
            .filter(|(_, found)| found.rendered + found.tested > 0);
        let named = with_browser.map(|((host, pattern), found)| RenderedPattern { host, pattern, ..found });
        let mut patterns: Vec<RenderedPattern> = named.collect();
        patterns.sort_by(|a, b| (&a.host, &a.pattern).cmp(&(&b.host, &b.pattern)));
        let sum = |of: fn(&RenderedPattern) -> u64| patterns.iter().map(of).sum();
        Rendering {
            rendered: sum(|found| found.rendered),
            tested: sum(|found| found.tested),
            incomplete: sum(|found| found.incomplete),
            read: sum(|found| found.read),
            requests: sum(|found| found.requests),
            elapsed_ms: sum(|found| found.elapsed_ms),
            patterns,
        }
    }
}

impl Rendering {
    /// Reads the counts from the catalogue.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn of(store: &Store) -> Result<Self, RunError> {
        let mut renderings = Renderings::default();
        for row in store.pages_from(0) {
            renderings.add(&row?.1);
        }
        Ok(renderings.finish())
    }

    /// Whether the browser read no page.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The counts in a sentence.
    pub fn words(&self) -> String {
        let incomplete = match self.incomplete {
            0 => String::new(),
            count => {
                format!(" It had to give {count} of them up before they were finished; the next refresh visits them.")
            }
        };
        format!(
            "A browser rendered {} pages: {} said more than their responses. It took {:.0} s and {} requests; {} pages of these patterns were read \
             without it.{incomplete}",
            self.rendered + self.tested,
            self.rendered,
            self.elapsed_ms as f64 / 1_000.0,
            self.requests,
            self.read
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_patterns_with_a_rendered_page_are_named() {
        let found = |says_more, requests| storage::Rendering {
            says_more,
            requests,
            elapsed_ms: 500,
        };
        let mut renderings = Renderings::default();
        for (url, rendering) in [
            ("http://h/app/a", Some(found(true, 4))),
            ("http://h/app/b", Some(found(true, 2))),
            ("http://h/blog/a", Some(found(false, 1))),
            ("http://h/blog/b", None),
            ("http://h/docs/a", None),
        ] {
            renderings.count("h", url, rendering, url.ends_with("/app/b"));
        }
        let rendering = renderings.finish();
        assert_eq!((rendering.incomplete, rendering.patterns[0].incomplete), (1, 1));
        let names: Vec<&str> = rendering.patterns.iter().map(|found| found.pattern.as_str()).collect();
        assert_eq!(names, ["/app/*", "/blog/*"]);
        assert_eq!((rendering.rendered, rendering.tested, rendering.read), (2, 1, 1));
        assert_eq!(
            rendering.patterns[0].words(),
            "rendered: 2 of 2 said more; 0 read without; 0.5 s and 3.0 requests a page"
        );
    }
}
