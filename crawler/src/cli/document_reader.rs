//! The child processes that read documents: this program, started with an argument that only it gives.

use std::env;
use std::path::PathBuf;
use std::thread;

use documents::Pool;

/// The first argument of a child. The second is the bound on its memory, in bytes. It is no command, because nobody should type it.
const CHILD: &str = "--read-documents-for-the-parent-process";

/// The program itself. On Linux, this name still leads to it when an update has replaced the file.
pub(super) fn program() -> PathBuf {
    let this = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && this.exists() {
        this
    } else {
        env::current_exe().unwrap_or_else(|_| "crawler".into())
    }
}

/// The bound on the memory if this process is such a child.
pub(super) fn bound_of_child() -> Option<u64> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next()? != CHILD {
        return None;
    }
    arguments.next()?.to_str()?.parse().ok()
}

/// Has documents read by child processes, one for each core, and one more for the hosts whose turn it is next. They start with the first document.
pub(super) fn install() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let is_first = documents::install(Pool::new(program(), vec![CHILD.into()], cores + 1));
    debug_assert!(is_first, "main runs once");
}
