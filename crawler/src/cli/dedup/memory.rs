//! The bound on the memory of the command, and where the rest goes.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::settings::most_memory;
use dedup::Spill;

use super::IN_FLIGHT_BYTES;
use crate::cli::arguments::{DedupArgs, Keep};
use terminal::units::bytes;

/// Memory of everything but what the command keeps of documents and what is between the stages: the program and the buffers of texts.
const OTHERS_BYTES: u64 = 56 << 20;

/// The bound on what the command keeps of documents in memory: that of `--memory`, or three quarters of the machine. If the documents are
/// decided only when all are read, a quarter of it is for the documents until then, the second bound.
pub(super) fn spill(args: &DedupArgs) -> (Arc<Spill>, Option<Arc<Spill>>) {
    let most = args.memory.or_else(|| Some(most_memory()? / 4 * 3)).unwrap_or(u64::MAX);
    let own = OTHERS_BYTES + IN_FLIGHT_BYTES as u64;
    if let Some(named) = args.memory.filter(|named| *named < own) {
        tracing::warn!(
            "--memory {}: the program and the texts that it reads need {} themselves; everything that can be in the temporary file is \
             there, which is slow",
            bytes(named),
            bytes(own)
        );
    }
    let kept = most.saturating_sub(own);
    let outputs = [&args.output, &args.kept, &args.annotate, &args.parts_list].map(Option::as_deref);
    let folder = folder(args.tmp.as_deref(), env::var_os("TMPDIR").map(PathBuf::from), outputs);
    let of = |most: u64| {
        let most_bytes = usize::try_from(most).unwrap_or(usize::MAX);
        Arc::new(Spill::new(most_bytes, &folder, |folder| tempfile::tempfile_in(folder)))
    };
    match args.keep {
        Keep::First => (of(kept), None),
        _ => (of(kept / 4 * 3), Some(of(kept / 4))),
    }
}

/// The folder of the temporary file. The folder of an output comes before `/tmp`, which may be in memory.
fn folder(named: Option<&Path>, of_environment: Option<PathBuf>, outputs: [Option<&Path>; 4]) -> PathBuf {
    let of_output = || outputs.into_iter().flatten().find_map(folder_of_file);
    named
        .map(Path::to_owned)
        .or(of_environment.filter(|folder| !folder.as_os_str().is_empty()))
        .or_else(of_output)
        .unwrap_or_else(env::temp_dir)
}

/// The folder of an output that is a file, or will be one; `None` for standard output, and for a device such as `/dev/null`.
fn folder_of_file(output: &Path) -> Option<PathBuf> {
    let is_file = output != Path::new("-") && output.metadata().map_or(true, |found| found.is_file());
    let parent = output.parent().filter(|_| is_file)?;
    let is_here = parent.as_os_str().is_empty();
    Some(if is_here { Path::new(".") } else { parent }.to_owned())
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
                [output.map(Path::new), None, None, None],
            )
        };
        assert_eq!(of(Some("a"), Some("b"), Some("c/d")), Path::new("a"));
        assert_eq!(of(None, Some("b"), Some("c/d")), Path::new("b"));
        assert_eq!(of(None, Some(""), Some("c/d")), Path::new("c"));
        assert_eq!(of(None, None, Some("d")), Path::new("."));
        assert_eq!(of(None, None, None), env::temp_dir());
        assert_eq!(of(None, None, Some("-")), env::temp_dir());
        let device_first = [Some(Path::new("/dev/null")), None, Some(Path::new("e/f")), None];
        assert_eq!(folder(None, None, device_first), Path::new("e"));
    }
}
