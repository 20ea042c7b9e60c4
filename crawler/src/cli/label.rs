//! `crawler label`: what a person says of pairs of pages. Asks about the most doubtful ones, or takes the label of a [`named`] pair.

mod named;

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::SystemTime;

use super::diff_text;
use super::output::write_whole;
use super::screen::Screen;
use crate::cli::arguments::LabelArgs;
use crate::cli::error::Error;
use crawl::clock::unix_millis;
use crawl::labels::{self, Entry, Label};
use error::RunError;
use storage::Store;
use study::diff;
use terminal::commands::command;
use terminal::text::terminal_text;
use terminal::units::{counted, utc};
use views::report::{Pair, Report, Waiting};

/// The rows of a difference that fit a screen.
const SHOWN: diff::Options = diff::Options {
    context: 1,
    max_rows: 24,
    max_line_chars: 600,
};

/// What shows the rows that do not fit.
const SERVE_HAS_ALL: &str = "`crawler serve` shows them";

/// Bound on the characters of a shown URL.
const URL_CHARS: usize = 500;

/// What the person says of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Says(Label),
    Skip,
    End,
    Unclear,
}

/// The labels of this session.
#[derive(Debug, Default)]
struct Given {
    same: usize,
    different: usize,
}

pub(super) fn execute(args: &LabelArgs, quiet: bool) -> Result<(), Error> {
    let settings = super::configuration::settings_for_crawl(&args.config, &args.data.data)?;
    let store = super::store::open_to_read(&args.data.data)?;
    if let [url, rest @ ..] = &*args.urls {
        let told = named::label(args, (url, rest.first().map(String::as_str)), &settings, &store)?;
        write_whole(None, told)?;
        super::store::leave_open(store);
        return Ok(());
    }
    let report = Report::read_by(&store, &settings, &Waiting::new(quiet))?;
    let path = labels::path_in(&args.data.data);
    let (known, _bad_lines) = labels::read(&path).map_err(|error| failed("read", &path, error))?;
    let limit = usize::from(args.limit);
    let mut pairs = report.doubtful(limit + known.len());
    pairs.retain(|pair| !known.contains_key(&labels::pair(pair.kept, pair.other)));
    pairs.truncate(limit);
    let given = ask_all(&pairs, &store, &report, &path)?;
    write_whole(None, given.in_words(pairs.len(), &path))?;
    super::store::leave_open(store);
    Ok(())
}

fn append(path: &Path, kept: &str, other: &str, label: Label) -> Result<(), RunError> {
    let entry = Entry {
        at: utc(unix_millis(SystemTime::now())).into(),
        a: kept.into(),
        b: other.into(),
        label,
    };
    labels::append(path, &entry).map_err(|error| failed("write", path, error))
}

/// Asks about the pairs until the person or the input ends.
fn ask_all(pairs: &[Pair<'_>], store: &Store, report: &Report, path: &Path) -> Result<Given, Error> {
    let mut answers = io::stdin().lock().lines();
    let mut given = Given::default();
    for (number, pair) in (1..).zip(pairs) {
        let (of, pair_in_words) = (pairs.len(), shown(pair, store, report)?);
        write_whole(None, format!("Pair {number} of {of}\n{pair_in_words}"))?;
        let answer = ask(&mut answers, &mut io::stdout());
        match answer.map_err(|error| RunError::io("ask on", "the terminal", error))? {
            Answer::End => break,
            Answer::Skip | Answer::Unclear => {}
            Answer::Says(label) => {
                append(path, pair.kept, pair.other, label)?;
                given.note(label);
            }
        }
    }
    Ok(given)
}

/// Asks until the answer is clear; the end of the input is an answer, too.
fn ask(answers: &mut impl Iterator<Item = io::Result<String>>, prompt: &mut impl Write) -> io::Result<Answer> {
    loop {
        write!(
            prompt,
            "Do they say the same? s same, d different, Enter skips, q ends: "
        )?;
        prompt.flush()?;
        let Some(line) = answers.next().transpose()? else {
            return Ok(Answer::End);
        };
        match answer(&line) {
            Answer::Unclear => {}
            clear => return Ok(clear),
        }
    }
}

fn answer(line: &str) -> Answer {
    match line.trim().to_lowercase().as_str() {
        "s" | "same" => Answer::Says(Label::Duplicate),
        "d" | "different" => Answer::Says(Label::Different),
        "" | "skip" => Answer::Skip,
        "q" | "quit" => Answer::End,
        _ => Answer::Unclear,
    }
}

/// The decision on a pair, and where the texts differ.
fn shown(pair: &Pair<'_>, store: &Store, report: &Report) -> Result<String, Error> {
    let screen = Screen::of_stdout();
    let (kept, other) = (
        terminal_text(pair.kept, URL_CHARS),
        terminal_text(pair.other, URL_CHARS),
    );
    let texts = text(store, pair.kept_id)?.zip(text(store, pair.other_id)?);
    let difference = match texts {
        Some((left, right)) => diff_text::render(
            &diff::diff(&left, &right, &SHOWN),
            (&kept, &other),
            SERVE_HAS_ALL,
            screen,
        ),
        None => format!("- {kept}\n+ {other}\nThe archive does not hold the text of one of the pages.\n"),
    };
    Ok(format!("{}\n{difference}", report.why(pair)))
}

/// The text of a page; `None` if this folder does not hold it.
fn text(store: &Store, id: u64) -> Result<Option<String>, Error> {
    let page = store.page(id).map_err(RunError::from)?;
    // A damaged record is no reason to leave the pair out.
    Ok(page.and_then(|page| store.text_of(&page).ok().flatten()))
}

fn failed(action: &'static str, path: &Path, error: io::Error) -> RunError {
    RunError::io(action, path.display(), error)
}

impl Given {
    fn note(&mut self, label: Label) {
        match label {
            Label::Duplicate => self.same += 1,
            Label::Different => self.different += 1,
            Label::Withdrawn => {}
        }
    }

    fn in_words(&self, pairs: usize, path: &Path) -> String {
        if pairs == 0 {
            return "No doubtful pair is left without a label.\n".to_owned();
        }
        let (same, different) = (self.same, self.different);
        match same + different {
            0 => "\nNo label was given.\n".to_owned(),
            all => {
                let all = counted(all as u64, "new label");
                let kept = match different {
                    0 => String::new(),
                    _ => format!(
                        " Pages that differ by a label are no near-duplicates of each other, for the next run and when all pages are decided again: `{}`.",
                        command("rebuild", &["--redecide"])
                    ),
                };
                format!(
                    "\n{all} in {}: {same} same, {different} different. `crawler tune` judges by them.{kept}\n",
                    path.display()
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_asked_until_the_answer_is_clear() {
        for (typed, wanted) in [
            (&["s"][..], Answer::Says(Label::Duplicate)),
            (&[" D "], Answer::Says(Label::Different)),
            (&[""], Answer::Skip),
            (&["quit"], Answer::End),
            (&["x", "yes", "same"], Answer::Says(Label::Duplicate)),
            (&[], Answer::End),
        ] {
            let (mut lines, mut prompts) = (typed.iter().map(|line| Ok((*line).to_owned())), Vec::new());
            assert_eq!(ask(&mut lines, &mut prompts).unwrap(), wanted, "{typed:?}");
            let asked = String::from_utf8(prompts).unwrap().matches('?').count();
            assert_eq!(asked, typed.len().max(1), "{typed:?}");
        }
    }
}
