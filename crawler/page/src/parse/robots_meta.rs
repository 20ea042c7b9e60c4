//! The robots directives of a page: in `<meta name="robots" content="...">`, in a meta that names one crawler, and in the
//! `X-Robots-Tag` header.
//!
//! The only standard is the documentation of search engines. As there, directives for all crawlers and directives for this one
//! add up, and the stricter of two holds. `index` and `follow` therefore have no effect.

use std::time::SystemTime;

use super::date::parse_date;

/// The robots directives of a page. The restrictions of all metas and headers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct RobotsDirectives {
    /// The page asks not to be stored.
    pub noindex: bool,
    /// The page asks that its links are not followed.
    pub nofollow: bool,
    /// The time from which the page asks not to be stored: the earliest valid `unavailable_after`.
    pub unavailable_after: Option<SystemTime>,
}

/// Bytes of a list that are read.
const MAX_LIST_BYTES: usize = 4096;

/// Directives with a value after a colon. Any other word before a colon is the name of a crawler.
const VALUED: [&str; 4] = [
    "unavailable_after",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
];

impl RobotsDirectives {
    /// The reason not to store a page that forbids it without a time.
    pub const NOINDEX: &str = "noindex";

    /// Adds a list such as `noindex, nofollow`. `none` means both; unknown words are ignored.
    pub fn add(&mut self, directives: &str) {
        self.add_list(directives, None);
    }

    /// Adds the value of an `X-Robots-Tag` header: a list as in [`add`](Self::add). A name and a colon address the following
    /// directives, up to the next name, to one crawler: `noindex`, `somebot: noindex, nofollow`, `nofollow, somebot: noindex`.
    /// Directives for other crawlers than `agent` are ignored.
    pub fn add_header(&mut self, value: &str, agent: &str) {
        self.add_list(value, Some(product_token(agent)));
    }

    /// Adds the directives of a meta element that addresses all crawlers or `agent`.
    pub(super) fn add_meta(&mut self, name: &str, content: &str, agent: &str) {
        let name = name.trim();
        if name.eq_ignore_ascii_case("robots") || is_agent(name, product_token(agent)) {
            self.add(content);
        }
    }

    /// Adds the directives of `other`.
    pub fn combine(&mut self, other: Self) {
        self.noindex |= other.noindex;
        self.nofollow |= other.nofollow;
        let both = self.unavailable_after.into_iter().chain(other.unavailable_after);
        self.unavailable_after = both.min();
    }

    /// The directive that forbids storing the page at the time `now`, if one does.
    #[must_use]
    pub fn why_not_stored(&self, now: SystemTime) -> Option<&'static str> {
        if self.noindex {
            return Some(Self::NOINDEX);
        }
        self.unavailable_after
            .is_some_and(|end| end <= now)
            .then_some("unavailable_after")
    }

    /// Adds a list. Words before colons name crawlers if `product` is given; in a meta they do not.
    fn add_list(&mut self, list: &str, product: Option<&str>) {
        let mut is_for_us = true;
        let mut rest = Some(&list[..list.floor_char_boundary(MAX_LIST_BYTES)]);
        while let Some(list) = rest {
            let (item, after) = next_item(list);
            rest = after;
            let Some((name, value)) = item.split_once(':') else {
                if is_for_us {
                    self.add_words(item);
                }
                continue;
            };
            let name = name.trim();
            if name.eq_ignore_ascii_case("unavailable_after") {
                let (end, after) = date(list);
                rest = after;
                if is_for_us {
                    self.combine(Self {
                        unavailable_after: end,
                        ..Self::default()
                    });
                }
            } else if let Some(product) = product
                && !VALUED.iter().any(|valued| name.eq_ignore_ascii_case(valued))
            {
                is_for_us = is_agent(name, product);
                // An item follows the name, possibly with a date.
                rest = Some(&list[list.len() - value.len() - after.map_or(0, |after| after.len() + 1)..]);
            }
        }
    }

    /// Adds an item. Some pages separate directives by spaces, which no directive contains.
    fn add_words(&mut self, item: &str) {
        for directive in item.split_ascii_whitespace() {
            let is = |name: &str| directive.eq_ignore_ascii_case(name);
            self.noindex |= is("noindex") || is("none");
            self.nofollow |= is("nofollow") || is("none");
        }
    }
}

fn is_agent(name: &str, product: &str) -> bool {
    !product.is_empty() && name.eq_ignore_ascii_case(product)
}

/// The text up to the first comma, and the text behind it.
fn next_item(list: &str) -> (&str, Option<&str>) {
    match list.split_once(',') {
        Some((item, rest)) => (item, Some(rest)),
        None => (list, None),
    }
}

/// The date of `unavailable_after: date` at the start of `list`, and the text behind it. A date may contain a comma after its
/// weekday.
fn date(list: &str) -> (Option<SystemTime>, Option<&str>) {
    let mut commas = list.match_indices(',').map(|(at, _)| at);
    for end in commas.by_ref().take(2).chain([list.len()]) {
        let value = list[..end].split_once(':').map_or("", |(_, value)| value);
        if let Some(date) = parse_date(value) {
            return (Some(date), list.get(end + 1..));
        }
    }
    (None, next_item(list).1)
}

/// The product token that opens a user-agent string, RFC 9309, section 2.2.1.
fn product_token(agent: &str) -> &str {
    let end = agent.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '_' | '-')));
    &agent[..end.unwrap_or(agent.len())]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// noindex, nofollow, seconds since the Unix epoch.
    type Expected = (bool, bool, Option<u64>);

    fn of_header(values: &[&str]) -> Expected {
        let mut found = RobotsDirectives::default();
        values.iter().for_each(|value| found.add_header(value, "TestBot/1.0"));
        seen(found)
    }

    fn seen(found: RobotsDirectives) -> Expected {
        let end = found.unavailable_after;
        let seconds = end.map(|end| end.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs());
        (found.noindex, found.nofollow, seconds)
    }

    #[test]
    fn headers_are_for_all_or_for_those_they_name() {
        let cases: &[(&[&str], Expected)] = &[
            (&["noindex"], (true, false, None)),
            (&["NoIndex,NOFOLLOW"], (true, true, None)),
            (&["none"], (true, true, None)),
            (&["noindex nofollow"], (true, true, None)),
            (&["all", "index, follow", "noarchive, nosnippet"], (false, false, None)),
            (&["noindexing"], (false, false, None)),
            (&["testbot: noindex"], (true, false, None)),
            (&["TestBot:nofollow, noindex"], (true, true, None)),
            (&["otherbot: noindex, nofollow"], (false, false, None)),
            (&["testbots: noindex", "test: none"], (false, false, None)),
            (&["nofollow, otherbot: noindex"], (false, true, None)),
            (&["otherbot: noindex, testbot: nofollow"], (false, true, None)),
            (&["otherbot: noindex", "nofollow"], (false, true, None)),
            (&["testbot: nofollow", "noindex"], (true, true, None)),
            (&["max-snippet: 10, noindex"], (true, false, None)),
            (
                &["max-image-preview:large", "max-video-preview:-1"],
                (false, false, None),
            ),
            (&["", ",", ":", "testbot:", ",:,"], (false, false, None)),
        ];
        for (values, expected) in cases {
            assert_eq!(of_header(values), *expected, "{values:?}");
        }
    }

    #[test]
    fn unavailable_after_is_a_date_in_the_usual_forms() {
        for (value, expected) in [
            (
                "unavailable_after: 25 Jun 2010 15:00:00 PST",
                (false, false, Some(1_277_506_800)),
            ),
            (
                "unavailable_after: Friday, 25-Jun-10 15:00:00 PST",
                (false, false, Some(1_277_506_800)),
            ),
            (
                "unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT, nofollow",
                (false, true, Some(1_277_506_800)),
            ),
            (
                "Unavailable_After:2010-06-25T23:00:00Z,noindex",
                (true, false, Some(1_277_506_800)),
            ),
            (
                "testbot: unavailable_after: 2010-06-25T23:00:00Z",
                (false, false, Some(1_277_506_800)),
            ),
            (
                "testbot: unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT, none",
                (true, true, Some(1_277_506_800)),
            ),
            (
                "otherbot: unavailable_after: 2010-06-25T23:00:00Z, noindex",
                (false, false, None),
            ),
            (
                "otherbot: unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT, testbot: nofollow",
                (false, true, None),
            ),
            ("unavailable_after: soon, nofollow", (false, true, None)),
            ("unavailable_after:", (false, false, None)),
        ] {
            assert_eq!(of_header(&[value]), expected, "{value}");
        }
        let mut meta = RobotsDirectives::default();
        meta.add_meta(
            "robots",
            "unavailable_after: 2010-06-25T23:00:00Z, nofollow",
            "TestBot/1.0",
        );
        assert_eq!(seen(meta), (false, true, Some(1_277_506_800)));
    }

    proptest::proptest! {
        #[test]
        fn any_list_is_read_and_a_longer_one_asks_for_no_less(
            list in "([,: é-]|testbot|otherbot|noindex|nofollow|none|unavailable_after|25 Jun 2010|2010-06-25){0,30}",
        ) {
            let (mut header, mut meta) = (RobotsDirectives::default(), RobotsDirectives::default());
            header.add_header(&list, "testbot");
            meta.add(&list);
            let (noindex, nofollow, _) = of_header(&[&list, "none"]);
            proptest::prop_assert!(noindex && nofollow);
            proptest::prop_assert!(meta.noindex || !header.noindex || list.contains(':'));
        }
    }

    #[test]
    fn the_earliest_end_counts_once_it_is_reached() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let mut found = RobotsDirectives::default();
        assert!(found.why_not_stored(at(u64::from(u32::MAX))).is_none());
        found.add("unavailable_after: 1970-01-01T00:01:40Z");
        found.add("unavailable_after: 1970-01-01T00:00:50Z");
        found.add("unavailable_after: 1970-01-01T00:02:00Z");
        assert!(
            found.why_not_stored(at(49)).is_none()
                && found.why_not_stored(at(50)).is_some()
                && found.why_not_stored(at(51)).is_some()
        );
        found = RobotsDirectives::default();
        found.add("noindex");
        assert!(found.why_not_stored(at(0)).is_some());
    }
}
