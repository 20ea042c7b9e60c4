//! Which spans reached the collector, and the warning if they did not.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{BatchSpanProcessor, Span, SpanData, SpanExporter, SpanProcessor};
use url::Url;

/// The counts of an export.
#[derive(Debug)]
pub(crate) struct Deliveries {
    /// Without user, password and query, which may be secrets.
    collector: String,
    ended: AtomicU64,
    delivered: AtomicU64,
    has_warned: AtomicBool,
    /// What the client said last.
    reason: Mutex<String>,
}

impl Deliveries {
    pub fn to(endpoint: &Url) -> Self {
        Self {
            collector: format!("{}{}", endpoint.origin().ascii_serialization(), endpoint.path()),
            ended: AtomicU64::default(),
            delivered: AtomicU64::default(),
            has_warned: AtomicBool::default(),
            reason: Mutex::default(),
        }
    }

    /// Spans that ended and did not reach the collector.
    pub fn lost(&self) -> u64 {
        let delivered = self.delivered.load(Ordering::Acquire);
        self.ended.load(Ordering::Acquire).saturating_sub(delivered)
    }

    /// Keeps the reason of a failure for the warning.
    pub fn remember(&self, reason: String) {
        // No code panics while it holds the lock, and a text is whole in any case.
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    fn failed(&self, error: &OTelSdkError) {
        let reason = mem::take(&mut *self.reason.lock().unwrap_or_else(PoisonError::into_inner));
        if self.has_warned.swap(true, Ordering::Relaxed) {
            return;
        }
        let reason = if reason.is_empty() { error.to_string() } else { reason };
        tracing::warn!(
            "the collector {} takes no spans, and those that wait too long are lost: {reason}",
            self.collector
        );
    }
}

/// Counts the spans that end, those included that find the queue full.
#[derive(Debug)]
pub(crate) struct Counted {
    processor: BatchSpanProcessor,
    deliveries: Arc<Deliveries>,
}

impl Counted {
    pub fn new(processor: BatchSpanProcessor, deliveries: Arc<Deliveries>) -> Self {
        Self { processor, deliveries }
    }
}

impl SpanProcessor for Counted {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.processor.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        self.deliveries.ended.fetch_add(1, Ordering::AcqRel);
        self.processor.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.processor.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.processor.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.processor.set_resource(resource);
    }
}

/// Counts the spans that the collector took, and warns of the first that it did not.
#[derive(Debug)]
pub(crate) struct Watched {
    exporter: opentelemetry_otlp::SpanExporter,
    deliveries: Arc<Deliveries>,
}

impl Watched {
    pub fn new(exporter: opentelemetry_otlp::SpanExporter, deliveries: Arc<Deliveries>) -> Self {
        Self { exporter, deliveries }
    }
}

impl SpanExporter for Watched {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let exported = self.exporter.export(batch).await;
        match &exported {
            Ok(()) => drop(self.deliveries.delivered.fetch_add(spans, Ordering::AcqRel)),
            Err(error) => self.deliveries.failed(error),
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.exporter.shutdown()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
