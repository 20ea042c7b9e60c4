//! Conditional requests (RFC 9110, section 13.1): the request names the known version, and the server answers 304 if it has no
//! other.

use reqwest::header::{HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use storage::{QueuedUrl, Validators};
use url::Url;

/// The validators that make the request for `url` conditional: those of the stored version. `None` for another spelling of the URL, to
/// which the server redirected.
#[must_use]
pub fn conditions<'a>(queued: &'a QueuedUrl, url: &Url) -> Option<&'a Validators> {
    let revisit = queued.revisits.as_ref().filter(|_| url.as_str() == queued.url)?;
    let validators = &revisit.validators;
    let has_some = validators.etag.is_some() || validators.last_modified.is_some();
    (has_some && revisit.payload_digest.is_some()).then_some(validators)
}

/// The header fields that make a request conditional, values as they were received.
#[must_use]
pub fn fields(validators: &Validators) -> HeaderMap {
    let of = |value: &Option<String>| value.as_deref().and_then(|value| HeaderValue::from_str(value).ok());
    let etag = of(&validators.etag).map(|value| (IF_NONE_MATCH, value));
    let last_modified = of(&validators.last_modified).map(|value| (IF_MODIFIED_SINCE, value));
    etag.into_iter().chain(last_modified).collect()
}

#[cfg(test)]
mod tests {
    use storage::Revisit;

    use super::*;

    fn queued(etag: Option<&str>, last_modified: Option<&str>, payload_digest: Option<[u8; 20]>) -> QueuedUrl {
        let validators = Validators {
            etag: etag.map(str::to_owned),
            last_modified: last_modified.map(str::to_owned),
        };
        QueuedUrl {
            url: "http://h/a".into(),
            revisits: Some(Box::new(Revisit {
                page: 1,
                validators,
                payload_digest,
            })),
            ..QueuedUrl::default()
        }
    }

    #[test]
    fn a_revisit_sends_the_validators_as_they_were_received() {
        let url: Url = "http://h/a".parse().unwrap();
        let date = "Sat, 21 Mar 2026 09:00:00 GMT";
        let both = queued(Some("W/\"a,b\""), Some(date), Some([0; 20]));
        let sent = fields(conditions(&both, &url).unwrap());
        assert_eq!(sent[IF_NONE_MATCH], "W/\"a,b\"");
        assert_eq!(sent[IF_MODIFIED_SINCE], date);
        let one = queued(None, Some(date), Some([0; 20]));
        assert_eq!(fields(conditions(&one, &url).unwrap()).len(), 1);
        assert_eq!(conditions(&queued(None, None, Some([0; 20])), &url), None);
        assert_eq!(
            conditions(&queued(Some("\"a\""), None, None), &url),
            None,
            "to be decided again"
        );
        assert_eq!(
            conditions(&both, &"http://h/a;sid=1".parse().unwrap()),
            None,
            "another URL"
        );
        assert_eq!(conditions(&QueuedUrl { revisits: None, ..both }, &url), None);
    }

    #[test]
    fn a_validator_that_cannot_be_sent_is_dropped() {
        let validators = Validators {
            etag: Some("\"a\u{7}\"".into()),
            last_modified: Some("then".into()),
        };
        assert_eq!(fields(&validators).len(), 1);
    }
}
