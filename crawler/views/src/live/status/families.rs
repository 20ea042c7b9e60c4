//! The writer of metric families in the OpenMetrics text format.

use std::fmt;

use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

/// Writes metric families with at most one label.
pub(super) struct Families<'a>(pub DescriptorEncoder<'a>);

impl Families<'_> {
    /// Ends `help` with a full stop, as the registry does.
    fn family<'s>(
        &'s mut self,
        name: &'s str,
        help: &str,
        unit: Option<&'s Unit>,
        kind: MetricType,
    ) -> Result<MetricEncoder<'s>, fmt::Error> {
        self.0.encode_descriptor(name, &format!("{help}."), unit, kind)
    }

    pub fn counter(&mut self, name: &str, help: &str, unit: Option<Unit>, value: u64) -> fmt::Result {
        let mut metric = self.family(name, help, unit.as_ref(), MetricType::Counter)?;
        metric.encode_counter::<NoLabelSet, _, u64>(&value, None)
    }

    pub fn gauge<N>(&mut self, name: &str, help: &str, unit: Option<Unit>, value: N) -> fmt::Result
    where
        N: EncodeGaugeValue,
    {
        let mut metric = self.family(name, help, unit.as_ref(), MetricType::Gauge)?;
        metric.encode_gauge(&value)
    }

    pub fn counters<'v>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (&'v str, u64)>,
    ) -> fmt::Result {
        let mut family = self.family(name, help, None, MetricType::Counter)?;
        for (value, count) in values {
            let labels = [(label, value)];
            family
                .encode_family(&labels)?
                .encode_counter::<NoLabelSet, _, u64>(&count, None)?;
        }
        Ok(())
    }

    pub fn gauges<'v>(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<Unit>,
        label: &str,
        values: impl IntoIterator<Item = (&'v str, u64)>,
    ) -> fmt::Result {
        let mut family = self.family(name, help, unit.as_ref(), MetricType::Gauge)?;
        for (value, count) in values {
            let labels = [(label, value)];
            family.encode_family(&labels)?.encode_gauge(&count)?;
        }
        Ok(())
    }
}
