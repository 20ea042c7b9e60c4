//! The seeds file: one URL per line, with `#` comments and blank lines.

use std::path::{Path, PathBuf};

use url::Url;
use web::canonicalize;

/// The seeds of a crawl, and the lines that hold no seed.
#[derive(Debug)]
pub struct Seeds {
    /// In the file's order.
    pub urls: Vec<Url>,
    /// Lines that were skipped.
    pub bad_lines: Vec<BadLine>,
}

/// A line of the seeds file that is not a URL to crawl.
#[derive(Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Counted from 1.
    pub number: usize,
    /// The line, cut to 200 characters.
    pub text: String,
    /// The error.
    pub reason: String,
}

/// Why a seeds file gives no seed.
#[derive(Debug, thiserror::Error)]
pub enum SeedsError {
    /// The file could not be read.
    #[error("cannot read the seeds file {path}: {source}; give a text file with one URL a line")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// No line holds a URL.
    #[error("{path} holds no valid seed URL{}; give one absolute http or https URL a line", first(.bad_lines))]
    NoSeed {
        /// The file.
        path: PathBuf,
        /// The lines that were rejected.
        bad_lines: Vec<BadLine>,
    },
}

fn first(bad_lines: &[BadLine]) -> String {
    bad_lines.first().map_or(String::new(), |bad| {
        format!(" (line {}: {}: {})", bad.number, bad.text, bad.reason)
    })
}

impl Seeds {
    /// Reads a seeds file. Bytes that are not UTF-8 affect only their own line.
    ///
    /// # Errors
    /// The file cannot be read, or no line holds a URL.
    pub fn read(path: &Path, rules: &canonicalize::CanonicalRules) -> Result<Self, SeedsError> {
        let bytes = std::fs::read(path).map_err(|source| SeedsError::Unreadable {
            path: path.into(),
            source,
        })?;
        let seeds = Self::parse(&String::from_utf8_lossy(&bytes), rules);
        if seeds.urls.is_empty() {
            return Err(SeedsError::NoSeed {
                path: path.into(),
                bad_lines: seeds.bad_lines,
            });
        }
        Ok(seeds)
    }

    /// As [`Seeds::read`], from text. The result may be empty.
    #[must_use]
    pub fn parse(text: &str, rules: &canonicalize::CanonicalRules) -> Self {
        let mut seeds = Self {
            urls: Vec::new(),
            bad_lines: Vec::new(),
        };
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.split_once(" #").map_or(line, |(before, _)| before).trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match seed(line, rules) {
                Ok(url) => seeds.urls.push(url),
                Err(reason) => seeds.bad_lines.push(BadLine {
                    number: index + 1,
                    text: line.chars().take(200).collect(),
                    reason,
                }),
            }
        }
        seeds
    }
}

fn seed(line: &str, rules: &canonicalize::CanonicalRules) -> Result<Url, String> {
    let url = Url::parse(line).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => format!("no scheme; did you mean https://{line} ?"),
        other => other.to_string(),
    })?;
    match url.scheme() {
        "http" | "https" => {}
        other => return Err(format!("the scheme {other} is not supported; use http or https")),
    }
    canonicalize::canonicalize(&url, rules).map_err(|error| error.to_string())?;
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Seeds {
        Seeds::parse(text, &canonicalize::CanonicalRules::default())
    }

    #[test]
    fn comments_and_blank_lines_are_no_seeds() {
        let seeds = parse("\u{feff}# seeds\n\nhttp://a.example/\r\n  https://b.example/x#y  # why\n");
        let urls: Vec<_> = seeds.urls.iter().map(Url::as_str).collect();
        assert_eq!(urls, ["http://a.example/", "https://b.example/x#y"]);
        assert!(seeds.bad_lines.is_empty());
    }

    #[test]
    fn a_bad_line_is_reported_with_its_number_and_skipped() {
        let seeds = parse("http://a.example/\nexample.org\nftp://b.example/\nhttp://\n");
        assert_eq!(seeds.urls.len(), 1);
        let numbers: Vec<_> = seeds.bad_lines.iter().map(|bad| bad.number).collect();
        assert_eq!(numbers, [2, 3, 4]);
        let long = format!("http://a.example/{}", "x".repeat(3_000));
        assert_eq!(parse(&long).bad_lines.len(), 1);
        assert!(seeds.bad_lines[0].reason.contains("https://example.org"));
    }

    #[test]
    fn a_file_without_a_seed_says_which_line_failed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seeds.txt");
        std::fs::write(&path, "# nothing\nnot a url\n").unwrap();
        let message = Seeds::read(&path, &canonicalize::CanonicalRules::default())
            .unwrap_err()
            .to_string();
        assert!(message.contains("line 2") && message.contains("not a url"), "{message}");
        let missing = Seeds::read(
            &folder.path().join("none.txt"),
            &canonicalize::CanonicalRules::default(),
        )
        .unwrap_err()
        .to_string();
        assert!(missing.contains("none.txt"), "{missing}");
    }
}
