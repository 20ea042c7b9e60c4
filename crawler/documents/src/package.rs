//! The files in a ZIP package, within bounds. DOCX and EPUB are packages.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use unicode_normalization::UnicodeNormalization;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::{Fault, Limits};

/// Most files of a package.
const MAX_FILES: usize = 50_000;

/// A package in memory.
pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The names of its files, by what is the same for all spellings of a name.
    names: HashMap<String, String>,
    bytes_left: u64,
    limit: u64,
    /// Of the process that reads.
    max_memory_bytes: u64,
}

impl<'a> Package<'a> {
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, Fault> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(fault)?;
        if archive.len() > MAX_FILES {
            return Err(Fault::Broken(format!("it has more than {MAX_FILES} files")));
        }
        let mut names = HashMap::with_capacity(archive.len());
        for name in archive.file_names().flatten() {
            names.entry(spelling(&name)).or_insert_with(|| name.into_owned());
        }
        Ok(Self {
            archive,
            names,
            bytes_left: limits.max_unpacked_bytes,
            limit: limits.max_unpacked_bytes,
            max_memory_bytes: limits.max_memory_bytes,
        })
    }

    /// The bytes of a file; `None` if the package has no such file.
    ///
    /// # Errors
    /// The file is broken or encrypted, or all files read so far are larger than the limit.
    pub(crate) fn file(&mut self, name: &str) -> Result<Option<Vec<u8>>, Fault> {
        let file = match self.archive.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(fault(error)),
        };
        // What the package says of a file may be wrong. If it is right, one allocation is enough: a growing one takes three times as much.
        if file.size() > self.bytes_left {
            return Err(Fault::TooLarge { limit: self.limit });
        }
        let mut bytes = Vec::new();
        let out_of_memory = |_full| Fault::OutOfMemory {
            limit: self.max_memory_bytes,
        };
        let size = usize::try_from(file.size()).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(size.saturating_add(1)).map_err(out_of_memory)?;
        let read = file.take(self.bytes_left + 1).read_to_end(&mut bytes);
        read.map_err(|error| match error.kind() {
            // The process may have no more.
            std::io::ErrorKind::OutOfMemory => Fault::OutOfMemory {
                limit: self.max_memory_bytes,
            },
            _ => Fault::Broken(error.to_string()),
        })?;
        match self.bytes_left.checked_sub(bytes.len() as u64) {
            Some(left) => self.bytes_left = left,
            None => return Err(Fault::TooLarge { limit: self.limit }),
        }
        Ok(Some(bytes))
    }

    /// The name of the file that `target` names, seen from the file `from`.
    ///
    /// A target is a URL, but some programs write the name as it is in the package, or spell it otherwise than the package: with
    /// another case, with backslashes, or with composed letters instead of decomposed ones. So these are tried one after the other: the
    /// path of the URL, the undecoded name, and what differs from them only in spelling.
    pub(crate) fn name_of(&self, from: &str, target: &str) -> Option<String> {
        let undecoded = joined(from, target);
        let candidates = [
            resolve(from, target),
            joined(from, target.split('#').next().unwrap_or_default()),
            undecoded,
        ];
        let exact = candidates
            .iter()
            .find(|name| self.archive.index_for_name(name).is_some());
        exact
            .or_else(|| candidates.iter().find_map(|name| self.names.get(&spelling(name))))
            .cloned()
    }

    /// The first file, by its path, that has this ending, which begins with a dot.
    pub(crate) fn with_ending(&self, ending: &str) -> Option<String> {
        let found = self
            .names
            .iter()
            .filter(|(spelling, _)| spelling.ends_with(ending))
            .map(|(_, name)| name);
        found
            .min_by_key(|name| (name.matches(['/', '\\']).count(), (*name).clone()))
            .cloned()
    }

    /// As [`file`](Self::file), for a file that must be there.
    pub(crate) fn needed(&mut self, name: &str) -> Result<Vec<u8>, Fault> {
        self.file(name)?
            .ok_or_else(|| Fault::Broken(format!("it has no file {name}")))
    }
}

fn fault(error: ZipError) -> Fault {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => Fault::Encrypted,
        error => Fault::Broken(error.to_string()),
    }
}

/// The path in the package that `target` names, seen from the file `from` (RFC 3986, section 5.2.4). A fragment is left out.
pub(crate) fn resolve(from: &str, target: &str) -> String {
    let target = target.split(['#', '?']).next().unwrap_or_default();
    joined(from, &percent_decoded(target))
}

/// The path in the package that `target`, which is no URL, names, seen from the file `from`.
fn joined(from: &str, target: &str) -> String {
    let target = target.trim().replace('\\', "/");
    let mut parts: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => from.split('/').collect(),
    };
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// What all spellings of a name have in common.
fn spelling(name: &str) -> String {
    let name = name.replace('\\', "/");
    name.trim_start_matches(['/', '.'])
        .nfc()
        .flat_map(char::to_lowercase)
        .collect()
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = escaped.and_then(|digits| std::str::from_utf8(digits).ok());
        match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                found.push(byte);
                at += 3;
            }
            None => {
                found.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&found).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_within_the_package() {
        for (from, target, path) in [
            ("OEBPS/content.opf", "text/ch1.xhtml#a", "OEBPS/text/ch1.xhtml"),
            ("OEBPS/text/ch1.xhtml", "../ch%202.xhtml", "OEBPS/ch 2.xhtml"),
            ("content.opf", "../../../etc/passwd", "etc/passwd"),
            ("_rels/.rels", "/word/document.xml", "word/document.xml"),
            ("a/b", "100%", "a/100%"),
        ] {
            assert_eq!(resolve(from, target), path);
        }
    }
}
