//! The spans of a program on their way to an OpenTelemetry collector: OTLP 1.x in protobuf over HTTP.
//!
//! ```text
//! span ends ─► queue of MAX_QUEUED spans ─► thread of the export ─► POST of at most MAX_BATCH spans
//! ```
//!
//! The program is never slowed down. A span that finds the queue full is dropped, and so are the spans of a request that fails. The
//! first failure is a warning, and [`SpanExport::finish`] counts what was lost.
//!
//! Only spans of the modules that the caller names are exported, so the requests of the export are not spans of the next request.
//! Events are not exported: they are the business of the log.
//!
//! Environment variables of the OpenTelemetry specification that are read: `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`
//! (resource), `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` (which traces), `OTEL_EXPORTER_OTLP_HEADERS` (a login, for example).
//!
//! ```no_run
//! use std::time::Duration;
//! use telemetry::{Service, SpanExport};
//! use tracing_subscriber::layer::SubscriberExt as _;
//!
//! let service = Service { name: "crawler", version: "1.0.0", modules: &["crawler"] };
//! let export = SpanExport::start(&"http://127.0.0.1:4318".parse()?, service)?;
//! tracing::subscriber::set_global_default(tracing_subscriber::registry().with(export.layer()))?;
//! // … spans …
//! let lost = export.finish(Duration::from_secs(5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
mod delivery;
mod endpoint;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider};
use tracing::Metadata;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Layer;
use url::Url;

use client::Client;
use delivery::{Counted, Deliveries, Watched};

/// Most spans that wait for the collector. A span with its URL has about 1 kB, so these have about 8 MB.
pub const MAX_QUEUED: usize = 8192;

/// Most spans of one request, as the specification of the batch processor has it.
pub const MAX_BATCH: usize = 512;

/// The time after which a batch is sent even if it is not full, as in the specification.
const BATCH_TIME: Duration = Duration::from_secs(5);

/// The layer that passes spans to the export.
pub type SpanLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// The program whose spans are exported.
#[derive(Debug, Clone, Copy)]
pub struct Service {
    /// The resource attribute `service.name`; `OTEL_SERVICE_NAME` overrides it.
    pub name: &'static str,
    /// The resource attribute `service.version`.
    pub version: &'static str,
    /// The crates whose spans are exported; the crates that the export itself uses must not be among them.
    pub modules: &'static [&'static str],
}

/// The export cannot start.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct StartError(#[from] Fault);

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("the thread of the export cannot start: {0}")]
    Runtime(#[from] io::Error),
    #[error("the client of the collector cannot start: {0}")]
    Client(#[from] reqwest::Error),
    #[error("{0}")]
    Exporter(#[from] ExporterBuildError),
}

/// A running export of spans.
#[derive(Debug)]
pub struct SpanExport {
    provider: SdkTracerProvider,
    deliveries: Arc<Deliveries>,
    service: Service,
}

impl SpanExport {
    /// Starts the thread of the export. It makes no request before spans have ended.
    ///
    /// `collector` is an `http` or `https` URL. Without a path, the path is `/v1/traces` (OpenTelemetry Protocol Exporter,
    /// "Endpoint URLs for OTLP/HTTP"); with a path, the URL is taken as it is.
    ///
    /// # Errors
    /// The URL is no endpoint, or the system has no resources for the client.
    pub fn start(collector: &Url, service: Service) -> Result<Self, StartError> {
        let endpoint = endpoint::of_traces(collector);
        let deliveries = Arc::new(Deliveries::to(&endpoint));
        let exporter = opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_http_client(Client::new(deliveries.clone())?)
            .with_endpoint(endpoint.as_str())
            .build()
            .map_err(Fault::from)?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(MAX_QUEUED)
            .with_max_export_batch_size(MAX_BATCH)
            .with_scheduled_delay(BATCH_TIME)
            .build();
        let processor = BatchSpanProcessor::new(Watched::new(exporter, deliveries.clone()), batches);
        let provider = SdkTracerProvider::builder()
            .with_resource(resource(service))
            .with_span_processor(Counted::new(processor, deliveries.clone()))
            .build();
        Ok(Self {
            provider,
            deliveries,
            service,
        })
    }

    /// The layer that passes spans of level debug or above to the export, with the times that they were busy and idle.
    #[must_use]
    pub fn layer(&self) -> SpanLayer {
        let modules = self.service.modules;
        let filter = filter_fn(move |metadata| is_exported(metadata, modules)).with_max_level_hint(LevelFilter::DEBUG);
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer(self.service.name))
            .with_location(false)
            .with_threads(false)
            // Nothing reads the context of OpenTelemetry, and each entry into a span would set it.
            .with_context_activation(false)
            .with_filter(filter)
            .boxed()
    }

    /// Sends what waits, for at most this time, and returns the number of spans that did not reach the collector.
    #[must_use]
    pub fn finish(self, within: Duration) -> u64 {
        // An error says that the time is over or that a request failed; the count says it better.
        let _counted = self.provider.shutdown_with_timeout(within);
        self.deliveries.lost()
    }
}

fn is_exported(metadata: &Metadata<'_>, modules: &[&str]) -> bool {
    let krate = metadata.target().split("::").next();
    metadata.is_span() && krate.is_some_and(|krate| modules.contains(&krate))
}

/// What the environment says of the program comes before what the program says of itself.
fn resource(service: Service) -> Resource {
    let named = Resource::builder_empty()
        .with_attributes([
            KeyValue::new("service.name", service.name),
            KeyValue::new("service.version", service.version),
        ])
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    match std::env::var("OTEL_SERVICE_NAME") {
        Ok(name) if !name.is_empty() => named.with_service_name(name).build(),
        _ => named.build(),
    }
}
