//! The export of spans to an OpenTelemetry collector, in a program that is built with the feature `otlp`.

use url::Url;

use views::live::log::SpanLayer;

/// The export cannot start.
#[derive(Debug, thiserror::Error)]
#[error("--otlp: {0}")]
pub struct NotExporting(#[from] Reason);

#[cfg(feature = "otlp")]
type Reason = telemetry::StartError;

#[cfg(not(feature = "otlp"))]
#[derive(Debug, thiserror::Error)]
#[error("this program is built without OpenTelemetry; build it with `cargo build --release --features otlp`")]
struct Reason;

/// The spans of this process on their way to a collector. Without the feature, there is no value of this type.
pub struct Export(Inner);

#[cfg(feature = "otlp")]
type Inner = telemetry::SpanExport;

#[cfg(not(feature = "otlp"))]
type Inner = std::convert::Infallible;

#[cfg(feature = "otlp")]
impl Export {
    /// Starts the export to a collector.
    ///
    /// # Errors
    /// The client of the collector cannot start.
    pub fn start(collector: &Url) -> Result<Self, NotExporting> {
        let service = telemetry::Service {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            modules: &["crawl", "crawler"],
        };
        Ok(Self(telemetry::SpanExport::start(collector, service)?))
    }

    /// The layer that passes spans to the export.
    pub fn layer(&self) -> SpanLayer {
        self.0.layer()
    }

    /// Sends what waits, and warns of spans that the collector did not get.
    pub fn finish(self) {
        /// A user who waits for the prompt waits no longer than this for a collector that does not answer.
        const TIME: std::time::Duration = std::time::Duration::from_secs(5);
        let lost = self.0.finish(TIME);
        if lost > 0 {
            tracing::warn!("{lost} spans did not reach the collector");
        }
    }
}

#[cfg(not(feature = "otlp"))]
impl Export {
    /// Says how to build a program that has the export.
    ///
    /// # Errors
    /// Always.
    pub fn start(_collector: &Url) -> Result<Self, NotExporting> {
        Err(Reason.into())
    }

    /// Nobody can call this.
    pub fn layer(&self) -> SpanLayer {
        match self.0 {}
    }

    /// Nobody can call this.
    pub fn finish(self) {
        match self.0 {}
    }
}
