//! One function on many items, on all cores of the machine.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Items that a thread takes at once: few enough that the threads finish together, and many enough that they rarely meet.
const TAKEN_AT_ONCE: usize = 16;

/// The results of `work` on `items`, in their order. Up to [`TAKEN_AT_ONCE`] items stay on the thread of the caller.
///
/// # Panics
/// If `work` panics, with its panic.
pub fn on_all_cores<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(items.len().div_ceil(TAKEN_AT_ONCE));
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(TAKEN_AT_ONCE, Ordering::Relaxed);
            let Some(rest) = items.get(start..).filter(|rest| !rest.is_empty()) else {
                return done;
            };
            let taken = &rest[..rest.len().min(TAKEN_AT_ONCE)];
            done.push((start, taken.iter().map(&work).collect::<Vec<_>>()));
        }
    };
    let mut parts = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let mut parts = take();
        for other in others {
            parts.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        parts
    });
    parts.sort_unstable_by_key(|(start, _)| *start);
    parts.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_results_are_in_the_order_of_the_items() {
        for count in [0, 1, TAKEN_AT_ONCE, TAKEN_AT_ONCE + 1, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(on_all_cores(&items, |item| item * 2), doubled);
        }
    }

    #[test]
    #[should_panic(expected = "the item 700")]
    fn a_panic_reaches_the_caller() {
        let items: Vec<usize> = (0..1_000).collect();
        on_all_cores(&items, |item| assert_ne!(*item, 700, "the item 700"));
    }
}
