//! Rules by which two URLs name one page. Pairs of duplicates suggest them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::host_key::HostKey;

pub mod shape;

use shape::{masked, origin, parameters, segments, shape};

/// A part of the URLs of a host that does not change the page.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UrlRule {
    /// A parameter of the query: `/a?sid=1` is `/a`.
    Parameter {
        /// Its name, as written in the URL.
        name: String,
        /// On paths of this shape only (digits as `#`); `None` on all.
        path: Option<String>,
    },
    /// The numbers in paths of a shape: `/calendar/2026/11` is `/calendar/2026/12`.
    Numbers {
        /// The shape, with `#` for each number.
        path: String,
    },
    /// A segment of the path: `/print/a` is `/a`.
    Segment {
        /// The segment.
        word: String,
    },
    /// The origin of a page: `http://www.example.org/a` is `https://example.org/a`.
    Origin {
        /// The `scheme://authority` that is replaced.
        from: String,
        /// The `scheme://authority` that replaces it.
        to: String,
    },
}

impl UrlRule {
    /// The URL, or the pattern of URLs, that `url` is by this rule; `None` if the rule does not change it. URLs with the same
    /// rewriting are one page, and so are a URL and its rewriting.
    #[must_use]
    pub fn rewrite(&self, url: &Url) -> Option<String> {
        match self {
            Self::Parameter { name, path } => {
                if path.as_ref().is_some_and(|path| *path != shape(url))
                    || parameters(url).all(|(other, _)| other != name)
                {
                    return None;
                }
                let rest: Vec<&str> = parameters(url)
                    .filter(|(other, _)| other != name)
                    .map(|(_, pair)| pair)
                    .collect();
                Some(join(&url[..url::Position::AfterPath], &rest.join("&")))
            }
            Self::Numbers { path } => {
                let masked = format!("{}{path}", origin(url));
                if path.contains('?') {
                    return (masked_query(url) == *path).then_some(masked);
                }
                (shape(url) == *path).then(|| join(&masked, url.query().unwrap_or_default()))
            }
            Self::Segment { word } => {
                let mut kept = segments(url);
                let at = kept.iter().position(|segment| segment == word)?;
                kept.remove(at);
                let path = format!("{}/{}", origin(url), kept.join("/"));
                Some(join(&path, url.query().unwrap_or_default()))
            }
            Self::Origin { from, to } => {
                (origin(url) == from).then(|| format!("{to}{}", &url[url::Position::BeforePath..]))
            }
        }
    }

    /// The rule as a sentence for people.
    #[must_use]
    pub fn meaning(&self) -> String {
        match self {
            Self::Parameter { name, path: None } => format!("parameter {name} never changes the page"),
            Self::Parameter { name, path: Some(path) } => format!("parameter {name} never changes a page {path}"),
            Self::Numbers { path } => format!("the numbers in {path} never change the page"),
            Self::Segment { word } => format!("/{word}/X is /X"),
            Self::Origin { from, to } => format!("{from}/X is {to}/X"),
        }
    }
}

impl UrlRule {
    /// Whether the rule concerns a part of URLs of which traps are made: parameters, or several numbers in the path.
    pub fn is_suspect(&self) -> bool {
        match self {
            Self::Parameter { .. } => true,
            Self::Numbers { path } => path.contains('?') || path.matches('#').count() > 1,
            Self::Segment { .. } | Self::Origin { .. } => false,
        }
    }

    /// Bytes of its texts.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Parameter { name, path } => name.len() + path.as_ref().map_or(0, String::len),
            Self::Numbers { path } => path.len(),
            Self::Segment { word } => word.len(),
            Self::Origin { from, to } => from.len() + to.len(),
        }
    }

    /// The only shape of paths to which it applies; `None` if it applies to all.
    pub fn shape(&self) -> Option<&str> {
        match self {
            Self::Parameter { path, .. } => path.as_deref(),
            Self::Numbers { path } => path.split('?').next(),
            Self::Segment { .. } | Self::Origin { .. } => None,
        }
    }
}

fn join(path: &str, query: &str) -> String {
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

/// The rules that make one URL of two, most general first.
pub fn suggested_rules(url: &Url, other: &Url) -> Vec<UrlRule> {
    if origin(url) != origin(other) {
        let same = url[url::Position::BeforePath..] == other[url::Position::BeforePath..];
        let (from, to) = (origin(url).to_owned(), origin(other).to_owned());
        return if same {
            vec![UrlRule::Origin { from, to }]
        } else {
            Vec::new()
        };
    }
    if url.path() == other.path() {
        let Some(name) = only_parameter_that_differs(url, other) else {
            let path = masked_query(url);
            let is_same = path == masked_query(other);
            return is_same.then_some(UrlRule::Numbers { path }).into_iter().collect();
        };
        let on = |path| UrlRule::Parameter {
            name: name.to_owned(),
            path,
        };
        return vec![on(None), on(Some(shape(url)))];
    }
    if url.query() != other.query() {
        return Vec::new();
    }
    let path = shape(url);
    if path.contains('#') && path == shape(other) {
        return vec![UrlRule::Numbers { path }];
    }
    let (a, b) = (segments(url), segments(other));
    let word = if a.len() > b.len() {
        inserted(&b, &a)
    } else {
        inserted(&a, &b)
    };
    word.map(|word| UrlRule::Segment { word: word.to_owned() })
        .into_iter()
        .collect()
}

/// The rules that a pair with this URL may suggest, without the kinds whose contradictions the crawler does not count.
pub fn suggestible_rules(url: &Url) -> Vec<UrlRule> {
    let mut names: Vec<&str> = parameters(url)
        .map(|(name, _)| name)
        .take(MAX_COUNTED_PARAMETERS)
        .collect();
    names.sort_unstable();
    names.dedup();
    let path = shape(url);
    let mut rules = Vec::with_capacity(2 * names.len() + 2);
    for name in names {
        let on = |path| UrlRule::Parameter {
            name: name.to_owned(),
            path,
        };
        rules.extend([on(None), on(Some(path.clone()))]);
    }
    let with_query = masked_query(url);
    if with_query.contains('?') && with_query.contains('#') {
        rules.push(UrlRule::Numbers { path: with_query });
    }
    if path.contains('#') {
        rules.push(UrlRule::Numbers { path });
    }
    rules
}

/// Parameters of a URL for which [`suggestible_rules`] gives rules.
const MAX_COUNTED_PARAMETERS: usize = 8;

/// Path and query with every run of digits as `#`: `/cal?y=#&m=#`.
fn masked_query(url: &Url) -> String {
    masked(&url[url::Position::BeforePath..url::Position::AfterQuery])
}

/// The name of the one parameter in which two queries differ, by its value or by its presence.
fn only_parameter_that_differs<'a>(url: &'a Url, other: &'a Url) -> Option<&'a str> {
    let (a, b): (Vec<_>, Vec<_>) = (parameters(url).collect(), parameters(other).collect());
    let differs = |(_, pair): &(&str, &str), there: &[(&str, &str)]| there.iter().all(|(_, other)| other != pair);
    let only_here = a.iter().filter(|pair| differs(pair, &b));
    let only_there = b.iter().filter(|pair| differs(pair, &a));
    let mut names = only_here.chain(only_there).map(|(name, _)| *name);
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// The one word that `long` has and `short` lacks.
fn inserted<'a>(short: &[&str], long: &[&'a str]) -> Option<&'a str> {
    if long.len() != short.len() + 1 {
        return None;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let word = long[same];
    let is_word = !word.is_empty() && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    (is_word && short[same..] == long[same + 1..]).then_some(word)
}

/// A rule and its host. `crawler rules` prints its text, and `steering.apply` accepts it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostRule {
    /// The host key.
    pub host: String,
    /// The rule.
    pub rule: UrlRule,
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.host)?;
        match &self.rule {
            UrlRule::Parameter { name, path: None } => write!(f, "parameter {name}"),
            UrlRule::Parameter { name, path: Some(path) } => write!(f, "parameter {name} of {path}"),
            UrlRule::Numbers { path } => write!(f, "numbers of {path}"),
            UrlRule::Segment { word } => write!(f, "segment {word}"),
            UrlRule::Origin { from, to } => write!(f, "origin {from} is {to}"),
        }
    }
}

/// A text that is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a rule; copy one from `crawler rules`: \"example.org: parameter sid\", \"example.org: parameter sid of \
     /board/room\", \"example.org: numbers of /calendar/#/#\", \"example.org: segment print\", \"www.example.org: origin \
     http://www.example.org is http://example.org\""
)]
pub struct InvalidRule(pub String);

impl FromStr for HostRule {
    type Err = InvalidRule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| InvalidRule(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<HostRule> {
    let (host, rule) = text.split_once(": ")?;
    let (kind, rest) = rule.split_once(' ')?;
    let rest = rest.trim();
    let rule = match kind {
        "parameter" => match rest.split_once(" of ") {
            Some((name, path)) => UrlRule::Parameter {
                name: name.to_owned(),
                path: Some(path.to_owned()),
            },
            None => UrlRule::Parameter {
                name: rest.to_owned(),
                path: None,
            },
        },
        "numbers" => UrlRule::Numbers {
            path: rest.strip_prefix("of ")?.to_owned(),
        },
        "segment" => UrlRule::Segment { word: rest.to_owned() },
        "origin" => {
            let (from, to) = rest.split_once(" is ")?;
            UrlRule::Origin {
                from: from.to_owned(),
                to: to.to_owned(),
            }
        }
        _ => return None,
    };
    let is_right = match &rule {
        UrlRule::Parameter { name, path } => {
            let is_shape = |path: &String| path.starts_with('/') && !path.bytes().any(|byte| byte.is_ascii_digit());
            !name.is_empty() && !name.contains(['&', '=', ' ']) && path.as_ref().is_none_or(is_shape)
        }
        UrlRule::Numbers { path } => {
            path.starts_with('/') && path.contains('#') && !path.bytes().any(|byte| byte.is_ascii_digit())
        }
        UrlRule::Segment { word } => !word.is_empty() && !word.contains('/'),
        UrlRule::Origin { from, to } => [from, to].iter().all(|origin| origin.contains("://")),
    };
    let host: HostKey = host.parse().ok()?;
    is_right.then(|| HostRule {
        host: host.as_str().to_owned(),
        rule,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn suggested(a: &str, b: &str) -> Vec<String> {
        let rules = suggested_rules(&url(a), &url(b)).into_iter();
        let host = "h".to_owned();
        rules
            .map(|rule| {
                HostRule {
                    host: host.clone(),
                    rule,
                }
                .to_string()
            })
            .collect()
    }

    #[test]
    fn a_pair_suggests_the_rules_that_make_one_url_of_it() {
        for (a, b, rules) in [
            (
                "http://h/a?sid=1&x=2",
                "http://h/a?x=2&sid=9",
                vec!["h: parameter sid", "h: parameter sid of /a"],
            ),
            (
                "http://h/a7?sid=1",
                "http://h/a7",
                vec!["h: parameter sid", "h: parameter sid of /a#"],
            ),
            (
                "http://h/a?sid=1&x=2",
                "http://h/a?sid=2&x=3",
                vec!["h: numbers of /a?sid=#&x=#"],
            ),
            ("http://h/a?sid=1&x=b", "http://h/a?sid=2&x=c", vec![]),
            ("http://h/c/2026/11", "http://h/c/2027/1", vec!["h: numbers of /c/#/#"]),
            ("http://h/print/a/b", "http://h/a/b", vec!["h: segment print"]),
            ("http://h/a/b", "http://h/a/print/b", vec!["h: segment print"]),
            ("http://h/a", "http://h/a/print", vec!["h: segment print"]),
            ("http://h/a", "http://h/7/a", vec![]),
            ("http://h/a", "http://h/b", vec![]),
            ("http://h/a/", "http://h/a", vec![]),
            (
                "http://www.h/a?b",
                "https://h/a?b",
                vec!["h: origin http://www.h is https://h"],
            ),
            ("http://www.h/a", "https://h/b", vec![]),
        ] {
            assert_eq!(suggested(a, b), rules, "{a} {b}");
        }
    }

    #[test]
    fn every_suggested_rule_makes_one_url_of_the_pair() {
        for (a, b) in [
            ("http://h/a?sid=1&x=2", "http://h/a?sid=9&x=2"),
            ("http://h/a?sid=1", "http://h/a"),
            ("http://h/c/2026/11?q", "http://h/c/2027/1?q"),
            ("http://h/c?y=2026&m=11", "http://h/c?y=2027&m=1"),
            ("http://h/print/a/b", "http://h/a/b"),
            ("http://www.h/a?b", "https://h/a?b"),
        ] {
            let (a, b) = (url(a), url(b));
            for rule in suggested_rules(&a, &b) {
                let class = |url: &Url| rule.rewrite(url).unwrap_or_else(|| url.to_string());
                assert_eq!(class(&a), class(&b), "{rule:?}");
            }
        }
    }

    #[test]
    fn a_rule_reads_back_as_it_is_written() {
        for text in [
            "h:8080: parameter sid",
            "h: parameter sid of /a/#",
            "h: numbers of /c/#",
            "h: segment print",
            "www.h: origin http://www.h is https://h",
        ] {
            assert_eq!(text.parse::<HostRule>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "h",
            "h: ",
            "h: parameter ",
            "parameter sid",
            "h: origin a",
            "h: nonsense x",
        ] {
            assert!(text.parse::<HostRule>().is_err(), "{text}");
        }
    }
}
