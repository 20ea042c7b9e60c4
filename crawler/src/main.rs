//! The program `crawler`; everything it does is in the library of the same name.

mod allocator;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::BySize = allocator::BySize;

fn main() -> ExitCode {
    allocator::map_large_blocks();
    if !crawler::cli::is_child() {
        allocator::end_when_used_up();
    }
    crawler::cli::main()
}
