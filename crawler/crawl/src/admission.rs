//! Which hosts this process may ask, and until when.
//!
//! Hosts belong to groups, which come and go as a whole. The frontier asks an [`Admission`] and does not know which one answers: [`Alone`]
//! lets a crawl ask every host for as long as it runs. The [`Permit`] goes with the request, and ends it if it ends first.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use web::politeness::{AddressKey, Now};

/// A group of hosts. In a crawl by one process all hosts are in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct HostGroup(pub u16);

/// Decides which hosts this process may ask.
pub(crate) trait Admission: fmt::Debug + Send {
    /// The group of a host.
    fn group_of(&self, host: &str) -> HostGroup;

    /// Whether the hosts of the group are this process's.
    fn is_here(&self, group: HostGroup) -> bool;

    /// The permit for a request that starts now to a host of the group; `None` if no request may start.
    fn permit(&self, group: HostGroup, now: Now) -> Option<Permit>;

    /// The hosts of the group are this process's from now on. Returns whether they were not before.
    fn comes(&mut self, group: HostGroup) -> bool;

    /// The hosts of the group are not this process's any more.
    fn goes(&mut self, group: HostGroup);

    /// A request to an address starts. Others may ask it too, because it has hosts of several groups.
    fn asks(&self, _address: AddressKey) {}

    /// The frontier has seen the news up to this number.
    fn hears(&mut self, number: u64);

    /// No group comes any more.
    fn ends(&mut self);

    /// The frontier may have something to do.
    fn is_busy(&self);

    /// The frontier has nothing to do. `is_settled` says that nothing of a group that goes is left either. Returns whether more may come, so
    /// that the run goes on.
    fn is_idle(&self, is_settled: bool) -> bool;
}

/// One process crawls alone: all hosts are its own.
#[derive(Debug)]
pub(crate) struct Alone;

impl Admission for Alone {
    fn group_of(&self, _host: &str) -> HostGroup {
        HostGroup::default()
    }

    fn is_here(&self, _group: HostGroup) -> bool {
        true
    }

    fn permit(&self, _group: HostGroup, _now: Now) -> Option<Permit> {
        Some(Permit::default())
    }

    fn comes(&mut self, _group: HostGroup) -> bool {
        false
    }

    fn goes(&mut self, _group: HostGroup) {}

    fn hears(&mut self, _number: u64) {}

    fn ends(&mut self) {}

    fn is_busy(&self) {}

    fn is_idle(&self, _is_settled: bool) -> bool {
        false
    }
}

/// When a permit ends, as far as it is known now: the end may move. `None` for one that has ended.
type End = Arc<dyn Fn() -> Option<Instant> + Send + Sync>;

/// The permit for one request. The default never ends.
#[derive(Clone, Default)]
pub(crate) struct Permit {
    end: Option<End>,
}

impl Permit {
    /// A permit that lasts until the time that `end` tells. It is asked again when that time comes, because the end may have moved.
    pub fn until(end: impl Fn() -> Option<Instant> + Send + Sync + 'static) -> Self {
        Self {
            end: Some(Arc::new(end)),
        }
    }

    /// The result of the request; `None` if the permit ends before. A process that was stopped looks at the clock before it goes on with the
    /// request.
    pub async fn guard<T>(&self, request: impl Future<Output = T>) -> Option<T> {
        let Some(end) = &self.end else {
            return Some(request.await);
        };
        let mut request = pin!(request);
        let guarded = poll_fn(|context| {
            if end().is_none_or(|end| end <= Instant::now()) {
                Poll::Ready(None)
            } else {
                request.as_mut().poll(context).map(Some)
            }
        });
        let ended = async {
            while let Some(end) = end().filter(|end| Instant::now() < *end) {
                tokio::time::sleep_until(end.into()).await;
            }
        };
        tokio::select! {
            biased;
            () = ended => None,
            answer = guarded => answer,
        }
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends = self.end.is_some();
        f.debug_struct("Permit").field("ends", &ends).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_request_ends_with_its_permit() {
        let hour = Instant::now() + Duration::from_secs(3_600);
        assert_eq!(Permit::default().guard(async { 1 }).await, Some(1));
        assert_eq!(Permit::until(move || Some(hour)).guard(async { 2 }).await, Some(2));
        assert_eq!(Permit::until(|| None).guard(async { 3 }).await, None, "it has ended");
        let never = std::future::pending::<()>();
        let began = Instant::now();
        assert_eq!(Permit::until(move || Some(began)).guard(never).await, None);
    }

    #[tokio::test]
    async fn a_request_that_goes_on_after_the_end_of_its_permit_was_moved_is_cut_off() {
        let hour = Instant::now() + Duration::from_secs(3_600);
        let is_lost = Arc::new(AtomicBool::default());
        let permit = {
            let is_lost = is_lost.clone();
            Permit::until(move || (!is_lost.load(Ordering::Relaxed)).then_some(hour))
        };
        let request = async {
            is_lost.store(true, Ordering::Relaxed);
            tokio::task::yield_now().await;
        };
        assert_eq!(permit.guard(request).await, None);
    }
}
