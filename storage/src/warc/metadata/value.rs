//! Encodes and decodes values so that none ends its line.

use crate::page::{Rendering, Verdict};

/// `kept`, `exact of 3`, `near of 3 at 2 bits, similarity 0.91`, with `-` for no distance.
pub fn shown_verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Unique => "kept".to_owned(),
        Verdict::Exact { of } => format!("exact of {of}"),
        Verdict::Near {
            of,
            distance,
            similarity,
        } => {
            let distance = distance.map_or_else(|| "-".to_owned(), |bits| bits.to_string());
            format!("near of {of} at {distance} bits, similarity {similarity}")
        }
    }
}

pub fn read_verdict(text: &str) -> Option<Verdict> {
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        ["kept"] => Some(Verdict::Unique),
        ["exact", "of", of] => Some(Verdict::Exact { of: of.parse().ok()? }),
        ["near", "of", of, "at", distance, "bits,", "similarity", similarity] => Some(Verdict::Near {
            of: of.parse().ok()?,
            distance: match distance {
                "-" => None,
                bits => Some(bits.parse().ok()?),
            },
            similarity: similarity.parse().ok()?,
        }),
        _ => None,
    }
}

/// `says more, 3 requests, 812 ms`, or `says no more, …`.
pub fn shown_rendering(rendering: &Rendering) -> String {
    let Rendering {
        says_more,
        requests,
        elapsed_ms,
    } = rendering;
    let says = if *says_more { "says more" } else { "says no more" };
    format!("{says}, {requests} requests, {elapsed_ms} ms")
}

pub fn read_rendering(text: &str) -> Option<Rendering> {
    let (says, cost) = text.split_once(", ")?;
    let (requests, elapsed) = cost.split_once(" requests, ")?;
    Some(Rendering {
        says_more: match says {
            "says more" => true,
            "says no more" => false,
            _ => return None,
        },
        requests: requests.parse().ok()?,
        elapsed_ms: elapsed.strip_suffix(" ms")?.parse().ok()?,
    })
}

/// Appends `value` with control characters and backslashes escaped, and all white space except single spaces between other
/// characters; with `all_spaces` also these.
pub fn escape(value: &str, all_spaces: bool, out: &mut String) {
    let mut rest = value.chars().peekable();
    let mut after_space = true;
    while let Some(c) = rest.next() {
        let plain_space = c == ' ' && !all_spaces && !after_space && rest.peek().is_some();
        match c {
            '\\' => out.push_str("\\\\"),
            ' ' if plain_space => out.push(' '),
            c if c.is_control() || c.is_whitespace() || is_line_like(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
        after_space = plain_space;
    }
}

/// Line and paragraph separators, and the byte order mark, which some readers drop.
fn is_line_like(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

pub fn unescape(value: &str) -> Option<String> {
    if !value.contains('\\') {
        return Some(value.to_owned());
    }
    let mut out = String::with_capacity(value.len());
    let mut parts = value.chars();
    while let Some(c) = parts.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match parts.next()? {
            '\\' => out.push('\\'),
            'u' => {
                let code = parts.as_str().strip_prefix('{')?;
                let (code, rest) = code.split_once('}')?;
                out.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
                parts = rest.chars();
            }
            _ => return None,
        }
    }
    Some(out)
}
