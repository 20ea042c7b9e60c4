//! The labels of a person, from their files, for the pages of a crawl.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use ::url::Url;
use web::canonicalize::CanonicalRules;

use crate::labels::{Line, parse_line};
use crate::replay::{DecidedPage, Labels};
use crate::typed_url::TypedUrl;
use files::open_unpacked;

/// Upper bound on the bytes of a line: room for two URLs and a label.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Some editors begin a UTF-8 file with this mark.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Upper bound on the problems that are described; further ones are only counted.
const MAX_DESCRIBED: usize = 20;

/// The labels of one or more files, and their problems.
#[derive(Debug, Default)]
pub struct LabelsFile {
    /// The labels, by pair.
    pub labels: Labels,
    /// The first problems.
    pub problems: Vec<LineProblem>,
    /// Number of lines that are not labels.
    pub bad_lines: u64,
    /// Number of lines with a URL that is not a page of the crawl.
    pub unknown: u64,
    /// Number of lines that contradict an earlier line on the same pair; the later line counts.
    pub said_otherwise: u64,
}

/// A problem with one line.
#[derive(Debug)]
pub struct LineProblem {
    pub path: PathBuf,
    /// Counted from 1.
    pub line: u64,
    pub problem: String,
    /// Whether the line does not count.
    pub is_left_out: bool,
}

impl LabelsFile {
    /// Reads `path` after the files before it. A line that cannot be used becomes a problem.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(&mut self, path: &Path, pages: &[DecidedPage], rules: &CanonicalRules) -> io::Result<()> {
        let places = Places::new(pages, rules);
        let mut reader = open_unpacked(path)?;
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            if reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
                reader.skip_until(b'\n')?;
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r']);
            let text = match number {
                1 => text.trim_start_matches(BYTE_ORDER_MARK),
                _ => text,
            };
            self.take_line((path, number), text, &places);
        }
        Ok(())
    }

    /// Number of all problems.
    pub fn all_problems(&self) -> u64 {
        self.bad_lines + self.unknown + self.said_otherwise
    }

    fn take_line(&mut self, (path, line): (&Path, u64), text: &str, places: &Places<'_>) {
        let mut is_left_out = true;
        let problem = match parse_line(text) {
            Ok(None) => return,
            Ok(Some(label)) => match (places.of(&label.a), places.of(&label.b)) {
                (Some(a), Some(b)) if a != b => {
                    // `crawler serve` only appends, so a later line corrects an earlier one.
                    let may_correct = text.trim_start().starts_with('{');
                    let Some(before) = self.take(a, b, &label).filter(|_| !may_correct) else {
                        return;
                    };
                    self.said_otherwise += 1;
                    is_left_out = false;
                    let similarity = label.similarity.unwrap_or_default();
                    format!("an earlier line says {before} for this pair; this line says {similarity}, which counts")
                }
                (Some(_), Some(_)) => {
                    self.bad_lines += 1;
                    "the two URLs are the same page".to_owned()
                }
                (known, _) => {
                    self.unknown += 1;
                    let unknown = if known.is_some() { &label.b } else { &label.a };
                    format!("{unknown} is not a page of this crawl")
                }
            },
            Err(reason) => {
                self.bad_lines += 1;
                reason
            }
        };
        if self.problems.len() < MAX_DESCRIBED {
            self.problems.push(LineProblem {
                path: path.to_owned(),
                line,
                problem,
                is_left_out,
            });
        }
    }

    /// Takes the label of a pair, and returns an earlier one that says otherwise.
    fn take(&mut self, a: usize, b: usize, label: &Line<'_>) -> Option<f32> {
        match label.similarity {
            Some(similarity) => {
                let before = self.labels.insert(a, b, similarity);
                before.filter(|before| *before != similarity)
            }
            None => {
                self.labels.remove(a, b);
                None
            }
        }
    }
}

/// The places of pages by URL, in any spelling.
struct Places<'a> {
    by_url: HashMap<&'a str, usize>,
    rules: &'a CanonicalRules,
}

impl<'a> Places<'a> {
    fn new(pages: &'a [DecidedPage], rules: &'a CanonicalRules) -> Self {
        let places = pages.iter().enumerate();
        Self {
            by_url: places.map(|(place, page)| (&*page.url, place)).collect(),
            rules,
        }
    }

    fn of(&self, url: &str) -> Option<usize> {
        let known = self.by_url.get(url).copied();
        known.or_else(|| {
            let typed = TypedUrl::parse(url, self.rules).ok()?;
            let is_known = |url: &Url| Ok::<_, Infallible>(self.by_url.contains_key(url.as_str()));
            let Ok(url) = typed.known(is_known);
            self.by_url.get(url.as_str()).copied()
        })
    }
}
