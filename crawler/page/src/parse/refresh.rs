//! `<meta http-equiv=refresh content="5; url=...">`: a redirect by the page itself.

/// The delay in seconds and the target of a refresh, by the "shared declarative refresh steps" (WHATWG HTML, section 4.2.5.3).
///
/// The `Refresh` header has the same form.
pub fn parse_refresh(content: &str) -> Option<(u32, Option<&str>)> {
    let content = content.trim_ascii_start();
    let digits = content.len() - content.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 && !content.starts_with('.') {
        return None;
    }
    // There are only digits, so only too large a number fails.
    let delay = if digits == 0 {
        0
    } else {
        content[..digits].parse().unwrap_or(u32::MAX)
    };
    let rest = content[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if rest.is_empty() {
        return Some((delay, None));
    }
    if !rest.starts_with(|c: char| matches!(c, ';' | ',') || c.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let target = target(rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start());
    Some((delay, (!target.is_empty()).then_some(target)))
}

/// The URL after an optional `url=`, with or without quotes.
fn target(rest: &str) -> &str {
    let after_key = rest
        .get(..3)
        .filter(|key| key.eq_ignore_ascii_case("url"))
        .and_then(|_| rest[3..].trim_ascii_start().strip_prefix('='));
    let value = after_key.map_or(rest, str::trim_ascii_start);
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value,
    }
}
