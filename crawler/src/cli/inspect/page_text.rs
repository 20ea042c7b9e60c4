//! The text output of `crawler inspect page`.

use std::fmt::Write;

use ::page::RuleEffect;

use super::SHOWN_WIDTH;
use super::answer::{Directives, Extract, PageAnswer, Unread};
use files::PLACEHOLDER;
use study::in_words::{TextSize, fingerprint_floor, text_size};
use study::said::Said;
use terminal::text::terminal_text;

/// Renders a page: its properties, its links and its text.
pub(super) fn page(page: &PageAnswer) -> String {
    let mut text = line(&page.source) + "\n";
    let mut row = |name: &str, value: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {name:<14}{}", line(value));
    };
    row("URL", &url(page));
    if let Some(status) = page.status {
        row("status", &status.to_string());
    }
    row("media type", page.media_type.as_deref().unwrap_or("none"));
    let errors = if page.charset_errors {
        "; some bytes are malformed"
    } else {
        ""
    };
    row(
        "charset",
        &format!("{} ({}){errors}", page.charset, charset_source(page)),
    );
    row("title", or_none(&page.title));
    row("language", page.language.as_deref().unwrap_or("unknown"));
    row("page type", page.page_type);
    if let Some(kind) = page.document {
        let pages = page.pages.map(|pages| format!(", {pages} pages")).unwrap_or_default();
        row("document", &format!("{kind}{pages}"));
    }
    if let Some(missing) = ::page::missing_in_words(&page.missing_parts) {
        row("missing", &missing);
    }
    row("rel=canonical", page.canonical.as_deref().unwrap_or("none"));
    row("robots", &robots(page));
    row("fingerprint", &fingerprint(page));
    if let Some(extract) = &page.extract {
        row("main text", &main_text(extract));
    }
    let size = TextSize::of(&page.text);
    row("length", &text_size(size.words, size.characters));
    if page.soft_404 {
        row("soft 404", "yes: a crawl does not keep this page");
    }
    if let Some(wall) = &page.wall {
        let shown = format!("{} ({}): a crawl does not keep this page", wall.kind, wall.evidence);
        row("wall", &shown);
    }
    if let Some(redirect) = &page.redirect {
        row(
            "redirect",
            &format!("to {} ({}): a crawl does not keep this page", redirect.to, redirect.by),
        );
    }
    if let Some(reason) = page.truncated {
        row("cut short", reason);
    }
    for (name, value) in page.metadata.iter().flat_map(Said::rows) {
        row(name, &value);
    }
    row("outlinks", &page.outlinks.len().to_string());
    for link in &page.outlinks {
        let nofollow = if link.nofollow { "nofollow " } else { "" };
        let _ = writeln!(text, "    {:<23} {nofollow}{}", link.kind, line(&link.url));
    }
    text.push_str("  text\n");
    for paragraph in page.text.lines() {
        let _ = writeln!(text, "    {}", line(paragraph));
    }
    text
}

/// A page that could not be read.
pub(super) fn unread(unread: &Unread) -> String {
    format!("{}\n  error         {}\n", line(&unread.source), line(&unread.error))
}

fn url(page: &PageAnswer) -> String {
    let Some(url) = &page.url else {
        return format!("none (see --url); relative links are resolved against {PLACEHOLDER}");
    };
    match &page.canonical_url {
        Some(canonical) if canonical != url => format!("{url}, canonical form {canonical}"),
        Some(_) => url.clone(),
        None => format!("{url}, which cannot be crawled"),
    }
}

fn charset_source(page: &PageAnswer) -> &'static str {
    match page.charset_source {
        "bom" => "by its byte order mark",
        "header" => "by the Content-Type header",
        "meta" => "declared in the page",
        "utf8" => "not declared, valid UTF-8",
        _ => "not declared, detected",
    }
}

fn robots(page: &PageAnswer) -> String {
    let asked: Vec<String> = [(&page.robots.meta, "meta"), (&page.robots.header, "header")]
        .iter()
        .flat_map(|(directives, source)| asked(directives).map(move |asked| format!("{asked} ({source})")))
        .collect();
    if asked.is_empty() {
        "no restriction".to_owned()
    } else {
        asked.join(", ")
    }
}

fn asked(directives: &Directives) -> impl Iterator<Item = String> {
    let end = directives.unavailable_after.as_ref();
    [
        directives.noindex.then(|| "noindex".to_owned()),
        directives.nofollow.then(|| "nofollow".to_owned()),
        end.map(|end| format!("unavailable after {end}")),
    ]
    .into_iter()
    .flatten()
}

fn fingerprint(page: &PageAnswer) -> String {
    match (&page.fingerprint, page.similarity) {
        (Some(fingerprint), _) => fingerprint.clone(),
        (None, "none") => "none: the page has no text".to_owned(),
        (None, _) => format!("none: {}", fingerprint_floor(page.min_words)),
    }
}

fn main_text(extract: &Extract) -> String {
    let rule = &extract.rule;
    match extract.effect {
        RuleEffect::Content => format!("the content that {rule} names"),
        RuleEffect::Drop => format!("found in what {rule} leaves"),
        RuleEffect::Nothing => format!("no element matches {rule}, so the page is read as without it"),
    }
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

fn line(text: &str) -> String {
    terminal_text(text, SHOWN_WIDTH)
}
