//! Work that several threads share.

/// Runs `work` on as many threads as there are cores, including this one. A panic of another thread continues here, because its results
/// are missing.
///
/// # Errors
/// An error of `work`.
pub fn by_all_cores<E: Send>(work: impl Fn() -> Result<(), E> + Sync) -> Result<(), E> {
    by_threads(std::thread::available_parallelism().map_or(1, usize::from), work)
}

fn by_threads<E: Send>(threads: usize, work: impl Fn() -> Result<(), E> + Sync) -> Result<(), E> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut result = work();
        for other in others {
            result = result.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_another_thread_is_not_lost() {
        let this = std::thread::current().id();
        let work = || {
            assert_eq!(std::thread::current().id(), this, "not this one");
            Ok::<_, ()>(())
        };
        assert!(by_threads(1, work).is_ok());
        assert!(std::panic::catch_unwind(|| by_threads(2, work)).is_err());
    }
}
