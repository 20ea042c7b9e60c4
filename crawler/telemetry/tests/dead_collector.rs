//! Nobody listens at the address of the collector. A process of its own: the warning comes from another thread, so the subscriber is
//! that of the process.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use telemetry::{MAX_BATCH, Service, SpanExport};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

/// The messages of warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::WARN {
            event.record(&mut self.clone());
        }
    }
}

impl Visit for Warnings {
    fn record_debug(&mut self, _: &Field, value: &dyn std::fmt::Debug) {
        self.0.lock().unwrap().push(format!("{value:?}"));
    }
}

#[test]
fn a_dead_collector_is_one_warning_and_the_program_goes_on() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let service = Service {
        name: "crawler",
        version: "1.2.3",
        modules: &["dead_collector"],
    };
    let url = format!("http://user:secret@{address}/?key=secret");
    let export = SpanExport::start(&url.parse().unwrap(), service).unwrap();
    let warnings = Warnings::default();
    let subscriber = tracing_subscriber::registry()
        .with(export.layer())
        .with(warnings.clone());
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let many = 2 * MAX_BATCH + 1;
    (0..many).for_each(|_| drop(tracing::debug_span!("fetch")));
    assert_eq!(export.finish(Duration::from_secs(60)), u64::try_from(many).unwrap());
    let warnings = warnings.0.lock().unwrap().clone();
    let collector = format!("http://{address}/v1/traces takes no spans");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains(&collector) && warnings[0].contains("refused"),
        "{warnings:?}"
    );
    assert!(!warnings[0].contains("secret"), "{warnings:?}");
}
