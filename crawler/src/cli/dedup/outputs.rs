//! The output files: results, kept documents, annotated records.

use std::path::{Path, PathBuf};

use super::copies::{Copies, NotCopied};
use super::decided::Decided;
use super::resume::{Before, Digest, Prefix, Reached, Resume};
use crate::cli::error::{Error, UsageError};
use crate::cli::output::Output;
use error::RunError;

/// The output file; `None` for `-`, which is standard output.
pub(super) fn file(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

/// The output files, which the search for inputs must skip. `-` is standard output.
pub(super) fn written(outputs: &[Option<&Path>]) -> Result<Vec<PathBuf>, UsageError> {
    let outputs: Vec<&Path> = outputs.iter().copied().flatten().collect();
    if let Some(url) = outputs.iter().find(|output| output.to_string_lossy().contains("://")) {
        let text = format!(
            "{}: an output is a file of the machine; copy it to its store afterwards",
            url.display()
        );
        return Err(UsageError::Argument(text));
    }
    let whole: Vec<PathBuf> = outputs.iter().map(|output| one_spelling(output)).collect();
    for (number, output) in outputs.iter().enumerate() {
        if whole[..number].contains(&whole[number]) {
            let name = file(Some(output)).map_or("standard output".into(), |path| path.display().to_string());
            return Err(UsageError::SameOutput(name));
        }
    }
    let files = outputs.into_iter().filter_map(|output| file(Some(output)));
    Ok(files
        .flat_map(|path| {
            [
                path.to_owned(),
                Output::partial(path),
                Output::partial(&Copies::list(path)),
            ]
        })
        .collect())
}

/// The path of an output, the same for `out` and `./out`. A file that is not there yet has the path of its folder.
pub(super) fn one_spelling(output: &Path) -> PathBuf {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (output.canonicalize(), folder, output.file_name()) {
        (Ok(whole), _, _) if output != Path::new("-") => whole,
        (_, Ok(folder), Some(name)) if output != Path::new("-") => folder.join(name),
        _ => output.to_owned(),
    }
}

/// The outputs of a run.
pub(super) struct Outputs {
    results: Output,
    kept: Option<Output>,
    annotated: Option<Output>,
    /// What an interrupted run needs to go on, if it is to.
    resume: Option<(Resume, [Digest; 3])>,
    /// What becomes of the kept and the annotated documents at the end, if these are lists of rows.
    pub copies: Option<Copies>,
}

impl Outputs {
    /// Opens the results, the kept documents and the annotated records.
    pub(super) fn create([results, kept, annotated]: [Option<&Path>; 3]) -> Result<Self, RunError> {
        let open = |path: Option<&Path>| path.map(|path| Output::open_for_json(file(Some(path)))).transpose();
        Ok(Self {
            results: Output::open_for_json(results)?,
            kept: open(kept)?,
            annotated: open(annotated)?,
            resume: None,
            copies: None,
        })
    }

    /// As [`create`](Self::create), behind what an interrupted run has written.
    pub(super) fn go_on(paths: [Option<&Path>; 3], before: &Before) -> Result<Self, RunError> {
        let mut opened = Vec::new();
        for (path, of_output) in paths.into_iter().zip(&before.outputs) {
            opened.push(match (path, of_output) {
                (Some(path), Some((prefix, _))) => Some(Output::go_on(path, prefix.bytes)?),
                _ => None,
            });
        }
        let mut opened = opened.into_iter();
        let mut next = || opened.next().flatten();
        Ok(Self {
            results: next().ok_or(RunError::Stage("dedup"))?,
            kept: next(),
            annotated: next(),
            resume: None,
            copies: None,
        })
    }

    /// Makes everything durable up to here.
    pub(super) fn reached(&mut self, reached: Reached) -> Result<(), RunError> {
        let Some((resume, hashes)) = &self.resume else {
            return Ok(());
        };
        let outputs = [Some(&mut self.results), self.kept.as_mut(), self.annotated.as_mut()];
        let mut prefixes = Vec::new();
        for (output, hash) in outputs.into_iter().zip(hashes) {
            let bytes = output.map(Output::keep).transpose()?.flatten();
            prefixes.push(bytes.map(|bytes| Prefix {
                bytes,
                digest: hash.value(),
            }));
        }
        resume.note(reached, prefixes)
    }

    pub(super) fn write(&mut self, decided: &Decided) -> Result<(), RunError> {
        if let Some((_, hashes)) = &mut self.resume {
            let written = [&decided.results, &decided.kept, &decided.annotated];
            hashes
                .iter_mut()
                .zip(written)
                .for_each(|(hash, bytes)| hash.update(bytes));
        }
        self.results.write(&decided.results)?;
        if let Some(kept) = &mut self.kept {
            kept.write(&decided.kept)?;
        }
        match &mut self.annotated {
            Some(annotated) => annotated.write(&decided.annotated),
            None => Ok(()),
        }
    }

    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        self.results.flush()?;
        let others = [&mut self.kept, &mut self.annotated];
        others.into_iter().flatten().try_for_each(Output::flush)
    }

    /// Keeps from now on what an interrupted run needs to go on.
    pub(super) fn resume_with(&mut self, resume: Resume, hashes: [Digest; 3]) {
        self.resume = Some((resume, hashes));
    }

    /// Gives the complete files their names, that of the results last. `advice` says what the same command does
    /// after an interruption.
    pub(super) fn finish(mut self, advice: &str) -> Result<(), Error> {
        self.flush()?;
        let (mut lists, mut failed) = (Vec::new(), None);
        match self.copies.take() {
            Some(copies) => {
                lists = [self.kept, self.annotated].into_iter().flatten().collect();
                match copies.write() {
                    Ok(()) => {}
                    Err(NotCopied::Input(error)) => failed = Some(error),
                    Err(NotCopied::Other(error)) => return Err(error.into()),
                    Err(NotCopied::Stopped) => {
                        return Err(Error::Interrupted(format!(
                            "stopped while rows were copied; all documents are decided; {advice}"
                        )));
                    }
                }
            }
            None => {
                let mut records = [self.kept, self.annotated].into_iter().flatten();
                records.try_for_each(Output::finish)?;
            }
        }
        self.results.finish()?;
        lists.into_iter().for_each(Output::remove);
        self.resume.map_or(Ok(()), |(resume, _)| resume.end())?;
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// The error of a run that was stopped after the results of so many documents.
    pub(super) fn interrupted(
        mut self,
        results: &str,
        documents: u64,
        output: Option<&Path>,
        advice: &str,
    ) -> Result<Error, RunError> {
        self.flush()?;
        let place = output.map_or("standard output has them".into(), |output| {
            format!("{} has them", Output::partial(output).display())
        });
        Ok(Error::Interrupted(format!(
            "stopped after the {results} {documents} documents; {place}, in input order; {advice}"
        )))
    }
}
