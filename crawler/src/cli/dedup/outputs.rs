//! The files that the command writes.

use std::path::Path;

use super::copies::Copies;
use super::decided::Decided;
use super::file;
use super::resume::{Before, Digest, Prefix, Reached, Resume};
use crate::cli::output::Output;
use error::RunError;

pub(super) struct Outputs {
    verdicts: Output,
    kept: Option<Output>,
    annotated: Option<Output>,
    /// What an interrupted run needs to go on, if it is to.
    pub resume: Option<(Resume, [Digest; 3])>,
    /// What becomes of the kept and the annotated documents at the end, if these are lists of rows.
    pub copies: Option<Copies>,
}

impl Outputs {
    /// Opens the verdicts, the kept documents and the annotated records.
    pub(super) fn create([verdicts, kept, annotated]: [Option<&Path>; 3]) -> Result<Self, RunError> {
        let open = |path: Option<&Path>| path.map(|path| Output::open_for_json(file(Some(path)))).transpose();
        Ok(Self {
            verdicts: Output::open_for_json(verdicts)?,
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
            verdicts: next().ok_or(RunError::Stage("dedup"))?,
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
        let outputs = [Some(&mut self.verdicts), self.kept.as_mut(), self.annotated.as_mut()];
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
            let written = [&decided.verdicts, &decided.kept, &decided.annotated];
            hashes
                .iter_mut()
                .zip(written)
                .for_each(|(hash, bytes)| hash.update(bytes));
        }
        self.verdicts.write(&decided.verdicts)?;
        if let Some(kept) = &mut self.kept {
            kept.write(&decided.kept)?;
        }
        match &mut self.annotated {
            Some(annotated) => annotated.write(&decided.annotated),
            None => Ok(()),
        }
    }

    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        self.verdicts.flush()?;
        let others = [&mut self.kept, &mut self.annotated];
        others.into_iter().flatten().try_for_each(Output::flush)
    }

    /// Gives the complete files their names.
    pub(super) fn finish(mut self, quiet: bool) -> Result<(), RunError> {
        self.flush()?;
        match self.copies {
            Some(copies) => copies.write(quiet)?,
            None => {
                let mut records = [self.kept, self.annotated].into_iter().flatten();
                records.try_for_each(Output::finish)?;
            }
        }
        self.verdicts.finish()?;
        self.resume.map_or(Ok(()), |(resume, _)| resume.end())
    }
}
