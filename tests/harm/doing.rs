//! How harm is done to the crawler, and what must hold whatever it was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::hostile::{Act, Hostile};
use crate::support::outcomes::{Outcomes, list, outcomes_at};
use crate::support::page::{NO_LINKS, article, home, html, words};
use crate::support::site::Site;

/// Pages of the harmless host beside the hostile one.
const BYSTANDERS: u64 = 8;

/// `fetch.memory_bytes` of a machine with up to four cores.
const MEMORY_BYTES: usize = 32 << 20;

/// Texts that no hostile page has.
const BYSTANDER_SEED: u64 = 1_000_000;

/// Something that a server does to a crawler.
pub struct Harm {
    name: &'static str,
    acts: BTreeMap<String, Vec<Act>>,
    expected: BTreeMap<String, String>,
    settings: Vec<(&'static str, String)>,
    keeps_its_host: bool,
    has_bystander: bool,
    /// The exit code.
    code: i32,
    linked: Vec<String>,
}

/// What came of it.
pub struct Done {
    /// By path those of the hostile host, by URL those of the other.
    pub outcomes: Outcomes,
    /// The whole report.
    pub report: Value,
    /// What the crawler wrote, to standard error and then to standard output.
    pub said: String,
    /// The server.
    pub server: Arc<Hostile>,
}

impl Done {
    /// Whether anything was recorded of a path of the hostile host.
    pub fn knows(&self, path: &str) -> bool {
        self.outcomes.contains_key(path)
    }
}

impl Harm {
    /// A harm by its name in the table.
    pub fn of(name: &'static str) -> Self {
        Self {
            name,
            acts: BTreeMap::new(),
            expected: BTreeMap::new(),
            // What a machine of two cores has by default, so that the bound holds for the machine of whoever runs this.
            settings: vec![("fetch.memory_bytes", MEMORY_BYTES.to_string())],
            keeps_its_host: true,
            has_bystander: true,
            code: 0,
            linked: Vec::new(),
        }
    }

    /// A page that the home page links to, and what must be recorded of it.
    pub fn page(mut self, path: &str, acts: impl Into<Vec<Act>>, outcome: &str) -> Self {
        self.expected.insert(path.to_owned(), outcome.to_owned());
        self.linked.push(path.to_owned());
        self.also(path, acts)
    }

    /// A path that the home page does not link to.
    pub fn also(mut self, path: &str, acts: impl Into<Vec<Act>>) -> Self {
        self.acts.insert(path.to_owned(), acts.into());
        self
    }

    /// What must be recorded of a path that something else leads to.
    pub fn leads_to(mut self, path: &str, outcome: &str) -> Self {
        self.expected.insert(path.to_owned(), outcome.to_owned());
        self
    }

    /// A key of the configuration.
    pub fn set(mut self, key: &'static str, value: impl ToString) -> Self {
        self.settings.push((key, value.to_string()));
        self
    }

    /// Whoever waits for this server waits two seconds.
    pub fn impatiently(self) -> Self {
        self.set("fetch.timeout_ms", 2_000).set("politeness.max_retries", 1)
    }

    /// The crawler gives the whole host up.
    pub fn loses_its_host(mut self) -> Self {
        self.keeps_its_host = false;
        self
    }

    /// The crawler may not connect to loopback, and so not to the harmless host either.
    pub fn without_bystander(mut self) -> Self {
        self.has_bystander = false;
        self.code = 5;
        self
    }

    /// A limit of the configuration ends the crawl.
    pub fn until_the_limit(mut self) -> Self {
        self.code = 6;
        self
    }

    /// Does it.
    #[track_caller]
    pub fn done(self) -> Done {
        let mut links: Vec<&str> = self.linked.iter().map(String::as_str).collect();
        links.push("/after");
        let mut acts = self.acts.clone();
        let home_page = html("Home", "", &links);
        acts.entry("/".into()).or_insert_with(|| vec![ok(&home_page)]);
        acts.entry("/after".into())
            .or_insert_with(|| vec![ok(html("After", &words(99, 120), NO_LINKS))]);
        let hostile = Arc::new(Hostile::serving(move |path| {
            acts.get(path).cloned().unwrap_or_else(|| vec![status(404)])
        }));
        let mut crawl = Crawl::of(hostile.url("/"));
        for (key, value) in &self.settings {
            crawl.change(key, value);
        }
        let (done, bystander) = self.crawl(crawl, hostile);
        let is_asked = done.server.times_asked().contains_key("/after");
        assert_eq!(
            is_asked, self.keeps_its_host,
            "whether /after is asked for: {}",
            done.report
        );
        self.judge(&done, &bystander);
        done
    }

    /// Does it by this crawl, whose seeds are the test's own affair.
    #[track_caller]
    pub fn done_by(self, crawl: Crawl, hostile: Arc<Hostile>) -> Done {
        let (done, bystander) = self.crawl(crawl, hostile);
        self.judge(&done, &bystander);
        done
    }

    #[track_caller]
    fn crawl(&self, mut crawl: Crawl, server: Arc<Hostile>) -> (Done, String) {
        let site = Site::scripted(|asked| match asked.path.as_str() {
            "/" => home(&(1..=BYSTANDERS).map(|number| format!("/{number}")).collect::<Vec<_>>()),
            path => match path[1..].parse::<u64>() {
                Ok(number) => article(BYSTANDER_SEED + number, NO_LINKS),
                Err(_) => crate::support::site::Answer::status(404),
            },
        });
        crawl.add_seed(&site.url("/"));
        let start = Instant::now();
        let (ended, cost) = crawl.start().wait_measured();
        let elapsed = start.elapsed().as_secs_f64();
        let ended = ended.with_code(self.code);
        let report = crawl.report();
        let outcomes = outcomes_at(&report, &server.url(""));
        let (processor, peak_mb) = cost.map_or((f64::NAN, 0), |cost| {
            (cost.processor.as_secs_f64(), cost.peak_bytes / 1_000_000)
        });
        println!("| {} | {elapsed:.1} s | {processor:.1} s | {peak_mb} MB |", self.name);
        assert!(
            cost.is_none_or(|cost| cost.peak_bytes < super::MAX_PEAK_BYTES),
            "{peak_mb} MB at the peak"
        );
        let done = Done {
            outcomes,
            report,
            said: ended.stderr + &ended.stdout,
            server,
        };
        (done, site.url(""))
    }

    #[track_caller]
    fn judge(&self, done: &Done, bystander: &str) {
        let of_bystander = outcomes_at(&done.report, bystander);
        if self.has_bystander {
            for path in std::iter::once("/".to_owned()).chain((1..=BYSTANDERS).map(|number| format!("/{number}"))) {
                let outcome = of_bystander.get(&path).map(String::as_str);
                assert_eq!(outcome, Some("kept"), "{path} of the harmless host");
            }
        }
        let found: BTreeMap<&String, Option<&String>> = self
            .expected
            .keys()
            .map(|path| (path, done.outcomes.get(path)))
            .collect();
        let expected: BTreeMap<&String, Option<&String>> = self
            .expected
            .iter()
            .map(|(path, outcome)| (path, Some(outcome)))
            .collect();
        assert_eq!(found, expected);
        self.agrees_with_the_table(done);
    }

    /// The row names each kind of failure that was recorded, and no other.
    #[track_caller]
    fn agrees_with_the_table(&self, done: &Done) {
        let row = super::rows().find(|cells| cells[0] == self.name);
        let row = row.unwrap_or_else(|| panic!("docs/src/harm.md has no row {:?}", self.name));
        let in_table: BTreeSet<&str> = row[1].split('`').skip(1).step_by(2).collect();
        let failures = list(&done.report, "failures");
        let kinds: BTreeSet<&str> = failures
            .iter()
            .map(|failure| failure["kind"].as_str().unwrap())
            .collect();
        assert_eq!(in_table, kinds, "the row of docs/src/harm.md and the report differ");
    }
}

/// An answer with status 200, a length and a body in HTML.
pub fn ok(body: impl AsRef<[u8]>) -> Act {
    typed("text/html; charset=utf-8", body)
}

/// As [`ok`], of this media type.
pub fn typed(media_type: &str, body: impl AsRef<[u8]>) -> Act {
    let body = body.as_ref();
    answer(
        &format!("Content-Type: {media_type}\r\nContent-Length: {}\r\n", body.len()),
        body,
    )
}

/// An answer with status 200, these header lines (each with its line end) and these bytes.
pub fn answer(header: &str, body: impl AsRef<[u8]>) -> Act {
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{header}\r\n");
    Act::Send([head.as_bytes(), body.as_ref()].concat())
}

/// The head of an answer in HTML, of whose body nothing is said.
pub fn html_head() -> Act {
    answer("Content-Type: text/html\r\n", "")
}

/// An answer in HTML with a Content-Encoding.
pub fn coded(coding: &str, body: &[u8]) -> Act {
    let header = format!(
        "Content-Type: text/html\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n",
        body.len()
    );
    answer(&header, body)
}

/// An answer without a body.
pub fn status(status: u16) -> Act {
    Act::Send(format!("HTTP/1.1 {status} Said so\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").into_bytes())
}

/// A redirect.
pub fn redirect(to: &str) -> Act {
    let head = format!("HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: {to}\r\n\r\n");
    Act::Send(head.into_bytes())
}

/// A page like no other.
pub fn plain(seed: u64) -> Act {
    ok(html(&format!("Page {seed}"), &words(seed, 120), NO_LINKS))
}
