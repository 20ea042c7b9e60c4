//! The bound on the memory of the command, and where the rest goes.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::settings::most_memory;
use dedup::Spill;

use super::IN_FLIGHT_BYTES;
use crate::cli::arguments::{DedupArgs, Keep};

/// Memory of everything but what the command keeps of documents and what is between the stages: the program and the buffers of texts.
const OTHERS_BYTES: u64 = 56 << 20;

/// The bound on what the command keeps of documents in memory: that of `--memory`, or three quarters of the machine. If the documents are
/// decided only when all are read, a quarter of it is for the documents until then, the second bound.
pub(super) fn spill(args: &DedupArgs, output: Option<&Path>) -> (Arc<Spill>, Option<Arc<Spill>>) {
    let most = args.memory.or_else(|| Some(most_memory()? / 4 * 3)).unwrap_or(u64::MAX);
    let kept = most.saturating_sub(OTHERS_BYTES + IN_FLIGHT_BYTES as u64);
    let folder = folder(args.tmp.as_deref(), env::var_os("TMPDIR").map(PathBuf::from), output);
    let of = |bytes: u64| {
        let most_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        Arc::new(Spill::new(most_bytes, &folder, |folder| tempfile::tempfile_in(folder)))
    };
    match args.keep {
        Keep::First => (of(kept), None),
        _ => (of(kept / 4 * 3), Some(of(kept / 4))),
    }
}

/// The folder of the temporary file. The folder of the output comes before `/tmp`, which may be in memory.
fn folder(named: Option<&Path>, of_environment: Option<PathBuf>, output: Option<&Path>) -> PathBuf {
    let of_output = || {
        let parent = output?.parent()?;
        Some(
            if parent.as_os_str().is_empty() {
                Path::new(".")
            } else {
                parent
            }
            .to_owned(),
        )
    };
    named
        .map(Path::to_owned)
        .or(of_environment.filter(|folder| !folder.as_os_str().is_empty()))
        .or_else(of_output)
        .unwrap_or_else(env::temp_dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_temporary_file_is_where_the_user_says_or_beside_the_output() {
        let of = |named: Option<&str>, environment: Option<&str>, output: Option<&str>| {
            folder(
                named.map(Path::new),
                environment.map(PathBuf::from),
                output.map(Path::new),
            )
        };
        assert_eq!(of(Some("a"), Some("b"), Some("c/d")), Path::new("a"));
        assert_eq!(of(None, Some("b"), Some("c/d")), Path::new("b"));
        assert_eq!(of(None, Some(""), Some("c/d")), Path::new("c"));
        assert_eq!(of(None, None, Some("d")), Path::new("."));
        assert_eq!(of(None, None, None), env::temp_dir());
    }
}
