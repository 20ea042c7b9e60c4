//! The URL to which spans are posted.

use url::Url;

/// The path of traces at a collector (OTLP specification, "OTLP/HTTP Request").
const TRACES: &str = "/v1/traces";

/// The URL of the collector, with the path of traces if it has none.
pub(crate) fn of_traces(collector: &Url) -> Url {
    let mut endpoint = collector.clone();
    if endpoint.path() == "/" {
        endpoint.set_path(TRACES);
    }
    endpoint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_url_without_a_path_gets_one() {
        for (collector, endpoint) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://[::1]:4318/", "http://[::1]:4318/v1/traces"),
            ("https://otlp.example?key=1", "https://otlp.example/v1/traces?key=1"),
            ("https://otlp.example/v1/traces", "https://otlp.example/v1/traces"),
            ("https://otlp.example/of/team", "https://otlp.example/of/team"),
        ] {
            let collector = Url::parse(collector).unwrap();
            assert_eq!(of_traces(&collector).as_str(), endpoint);
        }
    }
}
