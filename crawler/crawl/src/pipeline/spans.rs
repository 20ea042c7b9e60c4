//! The spans of requests: each request is within its host, and each host within the run.
//!
//! ```text
//! run{command data}             around the crawl, entered on its threads
//!   host{name}                  from the first request to the host
//!     fetch{url attempt}        one request
//!   interpret{url lane}         on the parse threads
//!   record{url} · commit{rows}  on the thread of the recorder
//! ```

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use tracing::Span;
use url::Url;

use crate::messages::Task;

/// Most hosts whose spans are open. The span of a host that is asked again after so many others begins again.
const MAX_HOSTS: usize = 1024;

/// The open spans of hosts. They cost nothing while nobody listens to spans.
#[derive(Debug)]
pub(super) struct HostSpans {
    run: Span,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    by_name: HashMap<String, Span>,
    /// Their names, the oldest first.
    names: VecDeque<String>,
}

impl HostSpans {
    /// Spans within the current span, which is that of the run.
    pub fn new() -> Self {
        Self {
            run: Span::current(),
            open: Mutex::default(),
        }
    }

    /// The span of the request for `url` that the task makes.
    pub fn fetch(&self, task: &Task, url: &Url) -> Span {
        let attempt = match task {
            Task::Page { queued, .. } => queued.attempts.saturating_add(1),
            Task::Errand { .. } => 1,
        };
        self.of_request(task.host(), url, attempt)
    }

    fn of_request(&self, host: &str, url: &Url, attempt: u8) -> Span {
        // Before the macro, which asks the filters first: a span that began in between would make each layer forget its answer.
        let host = self.host(host);
        tracing::debug_span!(parent: &host, "fetch", %url, attempt)
    }

    fn host(&self, name: &str) -> Span {
        // No code panics while it holds the lock, and the map would still be whole.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(span) = open.by_name.get(name) {
            return span.clone();
        }
        let span = tracing::debug_span!(parent: &self.run, "host", name);
        if span.is_disabled() {
            return span;
        }
        if open.names.len() == MAX_HOSTS
            && let Some(oldest) = open.names.pop_front()
        {
            open.by_name.remove(&oldest);
        }
        open.names.push_back(name.to_owned());
        open.by_name.insert(name.to_owned(), span.clone());
        span
    }
}

/// The work, within the current span also on another thread.
pub(super) fn within_current<T>(work: impl FnOnce() -> T + Send + 'static) -> impl FnOnce() -> T + Send + 'static {
    let span = Span::current();
    move || span.in_scope(work)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tracing::level_filters::LevelFilter;
    use tracing::span::{Attributes, Id};
    use tracing_subscriber::Registry;
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

    use super::*;

    /// Remembers each span that begins as the path of the names above it, and each that ends.
    #[derive(Clone, Default)]
    struct Captured {
        begun: Arc<Mutex<Vec<String>>>,
        ended: Arc<Mutex<Vec<&'static str>>>,
    }

    impl Captured {
        fn path(id: &Id, context: &Context<'_, Registry>) -> String {
            let scope = context.span_scope(id).unwrap();
            scope.from_root().map(|span| span.name()).collect::<Vec<_>>().join("/")
        }

        fn begun(&self) -> Vec<String> {
            self.begun.lock().unwrap().clone()
        }
    }

    impl Layer<Registry> for Captured {
        fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, Registry>) {
            let fields = attributes.values().to_string();
            let path = Self::path(id, &context);
            self.begun.lock().unwrap().push(format!("{path}{fields}"));
        }

        fn on_close(&self, id: Id, context: Context<'_, Registry>) {
            let name = context.span(&id).unwrap().name();
            self.ended.lock().unwrap().push(name);
        }
    }

    fn captured(work: impl FnOnce()) -> Captured {
        let captured = Captured::default();
        let subscriber = tracing_subscriber::registry().with(captured.clone());
        tracing::subscriber::with_default(subscriber, work);
        captured
    }

    fn url(path: &str) -> Url {
        Url::parse("https://a.example/").unwrap().join(path).unwrap()
    }

    #[test]
    fn a_request_is_within_its_host_and_the_host_within_the_run() {
        let captured = captured(|| {
            let hosts = tracing::debug_span!("run", command = "run", data = "data").in_scope(HostSpans::new);
            // The requests begin outside of the span of the run.
            drop(hosts.of_request("a.example", &url("1"), 1));
            drop(hosts.of_request("b.example", &url("2"), 1));
            drop(hosts.of_request("a.example", &url("3"), 2));
        });
        let begun = captured.begun();
        assert_eq!(begun.len(), 6, "{begun:?}");
        let paths: Vec<&str> = begun.iter().map(|span| span.split('{').next().unwrap()).collect();
        let fetch = "run/host/fetch";
        assert_eq!(paths, ["run", "run/host", fetch, "run/host", fetch, fetch]);
        assert!(
            begun[1].contains("a.example") && begun[3].contains("b.example"),
            "{begun:?}"
        );
        assert!(
            begun[5].contains("https://a.example/3") && begun[5].contains("attempt: 2"),
            "{begun:?}"
        );
        // The hosts are open until the requests end, and the run until the hosts end.
        let ended = captured.ended.lock().unwrap().clone();
        assert_eq!(ended, ["fetch", "fetch", "fetch", "host", "host", "run"]);
    }

    #[test]
    fn the_spans_of_many_hosts_do_not_stay_open() {
        let captured = captured(|| {
            let hosts = HostSpans::new();
            for number in 0..=MAX_HOSTS {
                drop(hosts.of_request(&format!("{number}.example"), &url(""), 1));
            }
            let open = hosts.open.lock().unwrap();
            assert_eq!((open.by_name.len(), open.names.len()), (MAX_HOSTS, MAX_HOSTS));
            assert!(!open.by_name.contains_key("0.example"));
        });
        assert_eq!(captured.begun().len(), 2 * (MAX_HOSTS + 1));
    }

    #[test]
    fn work_on_another_thread_is_within_the_span_that_started_it() {
        let captured = captured(|| {
            let work = tracing::debug_span!("run").in_scope(|| within_current(|| drop(tracing::debug_span!("commit"))));
            // A thread has no subscriber of its own in tests.
            let dispatch = tracing::dispatcher::get_default(Clone::clone);
            let thread = std::thread::spawn(move || tracing::dispatcher::with_default(&dispatch, work));
            thread.join().unwrap();
        });
        assert_eq!(captured.begun(), ["run{}", "run/commit{}"]);
    }

    #[test]
    fn who_does_not_want_spans_gets_none_beside_one_who_does() {
        let (few, all) = (Captured::default(), Captured::default());
        let filtered = few.clone().with_filter(LevelFilter::WARN);
        let both = filtered.and_then(all.clone().with_filter(LevelFilter::DEBUG));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(both), || {
            drop(HostSpans::new().of_request("a.example", &url(""), 1));
        });
        assert_eq!((few.begun().len(), all.begun().len()), (0, 2));
        assert!(few.ended.lock().unwrap().is_empty());
    }

    #[test]
    fn nothing_is_kept_if_nobody_listens() {
        let hosts = tracing::subscriber::with_default(tracing::subscriber::NoSubscriber::default(), || {
            let hosts = HostSpans::new();
            drop(hosts.of_request("a.example", &url(""), 1));
            hosts
        });
        assert!(hosts.open.lock().unwrap().names.is_empty());
    }
}
