//! The paths of searches among the pages, to which many views and tables lead.

use url::form_urlencoded::Serializer;

/// The path of the pages with these parameters.
pub(super) fn search_link(parameters: &[(&str, &str)]) -> String {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(parameters);
    format!("/pages?{}", query.finish())
}

/// The path of the URLs of a host with an outcome.
pub(super) fn pages_of_host(host: &str, outcome: &str) -> String {
    search_link(&[("outcome", outcome), ("host", host)])
}
