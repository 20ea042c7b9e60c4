//! The lines of a robots.txt as records (RFC 9309, section 2.2). The parser accepts common mistakes.

/// Longest line, in bytes; longer lines are cut. Google chose eight times the longest URL of the browsers of its time, and its
/// test suite requires it.
const MAX_LINE_BYTES: usize = 2_083 * 8 - 1;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// A record with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Number of the line, counted from 1 as in an editor: CR, LF and CR LF each end a line.
    pub(super) number: u32,
    pub(super) record: Record,
    /// The text behind the colon, without comment and surrounding white space.
    pub(super) value: &'a [u8],
    /// The line without comment and surrounding white space.
    pub(super) text: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

/// The accepted spellings. A site that writes `dissallow` means `disallow`, and Google's parser accepts it too.
const SPELLINGS: [(&str, Record); 16] = [
    ("user-agent", Record::UserAgent),
    ("useragent", Record::UserAgent),
    ("user agent", Record::UserAgent),
    ("allow", Record::Allow),
    ("disallow", Record::Disallow),
    ("dissallow", Record::Disallow),
    ("dissalow", Record::Disallow),
    ("disalow", Record::Disallow),
    ("diasllow", Record::Disallow),
    ("disallaw", Record::Disallow),
    ("crawl-delay", Record::CrawlDelay),
    ("crawldelay", Record::CrawlDelay),
    ("crawl delay", Record::CrawlDelay),
    ("sitemap", Record::Sitemap),
    ("site-map", Record::Sitemap),
    ("site map", Record::Sitemap),
];

/// The records of a robots.txt in order. Other lines are ignored.
pub(super) fn lines(body: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut rest = Some(body);
    let next = move || {
        let (line, after) = cut(rest?);
        rest = after;
        Some(line)
    };
    (1..)
        .zip(std::iter::from_fn(next))
        .filter_map(|(number, text)| line(number, text))
}

/// A line without its end, and the text behind it; `None` after the last line.
fn cut(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr2(b'\n', b'\r', text) {
        Some(end) if text[end..].starts_with(b"\r\n") => (&text[..end], Some(&text[end + 2..])),
        Some(end) => (&text[..end], Some(&text[end + 1..])),
        None => (text, None),
    }
}

fn line(number: u32, line: &[u8]) -> Option<Line<'_>> {
    let line = without_marks(&line[..line.len().min(MAX_LINE_BYTES)]);
    let text = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let (record, value) = at_colon(text)
        .and_then(record)
        .or_else(|| at_blank(text).and_then(record))?;
    Some(Line {
        number,
        record,
        value,
        text,
    })
}

/// A line without the byte order mark of its file. Where files were joined, further ones begin with a mark of their own.
fn without_marks(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_prefix(BOM) {
        line = rest;
    }
    line
}

/// The record of a name and a value, if the name is known.
fn record<'a>((name, value): (&[u8], &'a [u8])) -> Option<(Record, &'a [u8])> {
    let name = name.trim_ascii();
    let (_, record) = SPELLINGS
        .iter()
        .find(|(spelling, _)| name.eq_ignore_ascii_case(spelling.as_bytes()))?;
    Some((*record, value.trim_ascii()))
}

fn at_colon(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', text)?;
    Some((&text[..colon], &text[colon + 1..]))
}

/// Cuts a line at its only run of white space, because some sites forget the colon. The value may contain a colon.
fn at_blank(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let blank = text.iter().position(u8::is_ascii_whitespace)?;
    let value = text[blank..].trim_ascii_start();
    let one_run = !value.iter().any(u8::is_ascii_whitespace);
    one_run.then_some((&text[..blank], value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &[u8]) -> Vec<(Record, &[u8])> {
        lines(body).map(|line| (line.record, line.value)).collect()
    }

    #[test]
    fn lines_end_with_lf_cr_or_both() {
        let expected: Vec<(Record, &[u8])> = vec![
            (Record::Allow, b"/a"),
            (Record::Allow, b"/b"),
            (Record::Allow, b"/c"),
            (Record::Allow, b"/d"),
        ];
        assert_eq!(read(b"allow: /a\nallow: /b\rallow: /c\r\n\r\nallow: /d"), expected);
    }

    #[test]
    fn lines_are_counted_as_an_editor_counts_them() {
        let numbers: Vec<u32> = lines(b"# why\r\nallow: /2\rallow: /3\n\r\n\nallow: /6")
            .map(|line| line.number)
            .collect();
        assert_eq!(numbers, [2, 3, 6]);
    }

    #[test]
    fn a_byte_order_mark_is_ignored() {
        assert_eq!(
            read(b"\xef\xbb\xbfUser-agent: *"),
            vec![(Record::UserAgent, b"*".as_slice())]
        );
    }

    #[test]
    fn comments_and_blanks_are_no_part_of_a_value() {
        let line = lines(b"  Disallow :\t/x y  # why\n").next().unwrap();
        assert_eq!(
            (line.value, line.text),
            (b"/x y".as_slice(), b"Disallow :\t/x y".as_slice())
        );
        assert_eq!(read(b"# disallow: /x\n#\n:\n: /y\n"), vec![]);
    }

    #[test]
    fn a_line_of_two_words_needs_no_colon() {
        assert_eq!(read(b"disallow /x"), vec![(Record::Disallow, b"/x".as_slice())]);
        assert_eq!(
            read(b"Sitemap https://a/b\nDisallow\t/x:y\nallow /x: y\nfoo: disallow"),
            vec![
                (Record::Sitemap, b"https://a/b".as_slice()),
                (Record::Disallow, b"/x:y".as_slice())
            ]
        );
        assert_eq!(read(b"disallow /x is what we want\ndisallow\nallow"), vec![]);
    }

    #[test]
    fn a_value_keeps_its_colons() {
        assert_eq!(
            read(b"Sitemap: http://a/b:c"),
            vec![(Record::Sitemap, b"http://a/b:c".as_slice())]
        );
    }

    #[test]
    fn a_long_line_is_cut() {
        let body = [b"disallow: /".as_slice(), &b"a".repeat(100_000)].concat();
        assert_eq!(lines(&body).next().unwrap().text.len(), MAX_LINE_BYTES);
    }
}
