//! The allocator: mimalloc for nearly everything, the system's for large blocks.
//!
//! mimalloc is the faster one, but a large block that is freed stays with its thread for a while, and a thread reads page
//! after page. Twelve pages of 9 MB, of which no more than 130 MB were alive at a time, came to 350 MB resident. The
//! system's allocator maps a large block when it is asked for and gives it back when it is freed; a block that grows is moved by
//! its page table, not copied. Such blocks are rare enough for that not to take time.
#![expect(unsafe_code, reason = "an allocator cannot be written otherwise")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

use mimalloc::MiMalloc;

/// What a user reads when no memory is left.
const USED_UP: &[u8] = b"crawler: no more memory can be had, so the command ends; what was committed is safe: allow more memory (ulimit -v, or \
the limit of the container or service), or give the command less to do, and run it again\n";

/// Whether the process ends, with a message, at the first block that cannot be had.
static ENDS_WHEN_USED_UP: AtomicBool = AtomicBool::new(false);

static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Has the process end with a message and exit code 1 when a block cannot be had, instead of an abort. A child that reads documents does
/// not call this: its reader gives the document up, or its parent learns of the abort.
pub fn end_when_used_up() {
    ENDS_WHEN_USED_UP.store(true, Ordering::Relaxed);
}

/// Blocks of this many bytes are mapped, and given back when they are freed. To map blocks of one megabyte, which usual pages have, took a tenth
/// more processor time in a crawl of the open web.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: libc::c_int = 4 * 1024 * 1024;

/// Has the system's allocator map every block of [`MAPPED`] bytes for as long as the process lives. By itself, glibc maps blocks of 128 kB, and raises this bound to
/// the size of each mapped block that is freed, up to 32 MB (mallopt(3), "M_MMAP_THRESHOLD"). After the first large page, it would take large blocks
/// from a heap, which keeps them when they are freed.
pub fn map_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes two numbers. No other thread is running that could allocate.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED);
    }
}

/// `block`, unless it could not be had and the process ends then.
#[inline]
fn or_end(block: *mut u8) -> *mut u8 {
    if block.is_null() && ENDS_WHEN_USED_UP.load(Ordering::Relaxed) {
        end();
    }
    block
}

#[cold]
fn end() -> ! {
    // Another thread may be at its end, too. One of them writes.
    if IS_ENDING.swap(true, Ordering::Relaxed) {
        loop {
            std::thread::yield_now();
        }
    }
    // Nothing that runs at an ordinary end may run: it could need memory, or a lock that a thread holds.
    #[cfg(unix)]
    // SAFETY: the first function reads as many bytes as there are; the second one takes a number and does not return.
    unsafe {
        libc::write(libc::STDERR_FILENO, USED_UP.as_ptr().cast(), USED_UP.len());
        libc::_exit(1)
    }
    #[cfg(not(unix))]
    std::process::abort()
}

/// Blocks of this many bytes are large.
const LARGE: usize = 1024 * 1024;

/// Chooses by the size of a block.
pub struct BySize;

// SAFETY: every call goes on, with its arguments and so with its contract, to one of two allocators. Which one is a function
// of the size in the layout alone. A block is freed and reallocated with the layout that it was allocated with, so by the
// allocator that it came from. Where a block changes sides, it is allocated anew by the one, copied up to the smaller of
// both sizes, and freed by the other.
unsafe impl GlobalAlloc for BySize {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is that of either allocator.
        or_end(unsafe {
            if is_large(layout.size()) {
                System.alloc(layout)
            } else {
                MiMalloc.alloc(layout)
            }
        })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above, and the block came from the allocator that frees it.
        unsafe {
            if is_large(layout.size()) {
                System.dealloc(block, layout);
            } else {
                MiMalloc.dealloc(block, layout);
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is that of either allocator.
        or_end(unsafe {
            if is_large(layout.size()) {
                System.alloc_zeroed(layout)
            } else {
                MiMalloc.alloc_zeroed(layout)
            }
        })
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above where the block keeps its allocator. Where it changes sides: the caller vouches for the new size
        // with this alignment; both blocks are as long as what is copied, and do not overlap as the new one has just been
        // allocated; the old one is freed only once its content is safe.
        unsafe {
            match (is_large(layout.size()), is_large(new_size)) {
                (false, false) => or_end(MiMalloc.realloc(block, layout, new_size)),
                (true, true) => or_end(System.realloc(block, layout, new_size)),
                _ => {
                    let new_block = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
                    if !new_block.is_null() {
                        new_block.copy_from_nonoverlapping(block, layout.size().min(new_size));
                        self.dealloc(block, layout);
                    }
                    new_block
                }
            }
        }
    }
}

#[inline]
fn is_large(size: usize) -> bool {
    size >= LARGE
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_block_that_grows_and_shrinks_keeps_its_content() {
        let mut bytes: Vec<u8> = Vec::new();
        for round in 0..4_u8 {
            bytes.clear();
            bytes.shrink_to_fit();
            let byte = |at: usize| (at % 251) as u8 ^ round;
            for at in 0..3_000_000 {
                bytes.push(byte(at));
            }
            bytes.truncate(1_000);
            bytes.shrink_to_fit();
            assert!(bytes.iter().enumerate().all(|(at, &found)| found == byte(at)));
        }
        assert!(vec![0_u64; 1_000_000].iter().all(|&word| word == 0));
    }
}
