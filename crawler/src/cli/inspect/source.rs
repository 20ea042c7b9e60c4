//! The input of a command: a file, standard input, or a URL.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use ::url::Url;

use crawl::seeds;
use error::RunError;

/// Longest line that is read as a URL, in bytes. It is far above the limit for canonical URLs.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// The input that an argument names.
#[derive(Debug, Clone)]
pub(super) enum Source<'a> {
    Stdin,
    File(&'a Path),
    Web(Url),
}

impl<'a> Source<'a> {
    /// Classifies an argument.
    ///
    /// # Errors
    /// The argument looks like a URL and is invalid, or has a scheme other than http and https.
    pub(super) fn of(argument: &'a Path) -> Result<Self, String> {
        match argument.to_str() {
            Some("-") => Ok(Self::Stdin),
            Some(text) if is_web(text) => match Url::parse(text) {
                Ok(url) => Ok(Self::Web(url)),
                Err(error) => Err(format!("not a URL: {error}")),
            },
            Some(text) if is_other_url(text) && !argument.exists() => {
                Err("only http and https URLs are fetched".to_owned())
            }
            _ => Ok(Self::File(argument)),
        }
    }
}

fn is_web(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

fn is_other_url(text: &str) -> bool {
    text.contains("://") && Url::parse(text).is_ok()
}

/// Opens a file or, without a path, standard input.
pub(super) fn open(path: Option<&Path>) -> io::Result<Box<dyn Read>> {
    Ok(match path {
        Some(path) => Box::new(File::open(path)?),
        None => Box::new(io::stdin()),
    })
}

/// Reads an input, but at most `limit` + 1 bytes, so that the caller can recognise a longer one.
pub(super) fn read(input: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Calls `each` for every argument; `-` stands for the URLs in the lines of standard input that are not blank.
///
/// # Errors
/// `each` fails, or standard input cannot be read.
pub(super) fn each_line(
    arguments: &[String],
    mut each: impl FnMut(&str) -> Result<(), RunError>,
) -> Result<(), RunError> {
    for argument in arguments {
        if argument != "-" {
            each(argument)?;
            continue;
        }
        let mut input = io::stdin().lock();
        let unreadable = |error| RunError::io("read", "standard input", error);
        while let Some(line) = next_line(&mut input).map_err(unreadable)? {
            for url in seeds::urls_in(&line).into_iter().filter(|url| !url.is_empty()) {
                each(url)?;
            }
        }
    }
    Ok(())
}

/// Reads the next line, or the beginning of a line that is too long. Replaces bytes that are not UTF-8.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() == MAX_LINE_BYTES && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_standard_input_a_url_or_a_file() {
        let of = |text| Source::of(Path::new(text));
        assert!(matches!(of("-"), Ok(Source::Stdin)));
        assert!(matches!(of("HTTPS://example.org"), Ok(Source::Web(_))));
        assert!(matches!(of("http.html"), Ok(Source::File(_))));
        assert!(of("ftp://example.org/").is_err());
        assert!(of("http://").is_err());
    }

    #[test]
    fn an_overlong_line_is_cut_and_counts_as_one_line() {
        let text = [b"a\n".as_slice(), &b"x".repeat(3 * MAX_LINE_BYTES), b"\nb\xff"].concat();
        let mut input = text.as_slice();
        let lines: Vec<String> = std::iter::from_fn(|| next_line(&mut input).unwrap()).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(
            (lines[0].as_str(), lines[1].len(), lines[2].as_str()),
            ("a\n", MAX_LINE_BYTES, "b\u{fffd}")
        );
    }
}
