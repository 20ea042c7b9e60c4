//! An object store in memory, whose answers can be lost or held back, and whose objects can be damaged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use fleet::{Fleet, JoinOptions, SegmentStore, StoreCall, StoreFault};
use tokio::sync::Semaphore;

/// The store. It is on the way to all its workers at once; another one with the same places is another store.
#[derive(Debug)]
pub struct Objects {
    state: Mutex<State>,
    /// A write waits for a permit, and gives it back.
    may_write: Semaphore,
}

#[derive(Debug, Default)]
struct State {
    objects: BTreeMap<String, Vec<u8>>,
    is_away: bool,
    loses_answers: bool,
    refuses: bool,
    hangs: bool,
}

impl Objects {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            may_write: Semaphore::new(1),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Whether it answers nothing.
    pub fn is_away(&self, is_away: bool) {
        self.state().is_away = is_away;
    }

    /// Whether it writes objects, and its answers do not come.
    pub fn loses_answers(&self, loses: bool) {
        self.state().loses_answers = loses;
    }

    /// Whether it refuses every call.
    pub fn refuses(&self, refuses: bool) {
        self.state().refuses = refuses;
    }

    /// Whether a call that begins from now on never ends.
    pub fn hangs(&self, hangs: bool) {
        self.state().hangs = hangs;
    }

    async fn hang(&self) {
        let hangs = self.state().hangs;
        if hangs {
            std::future::pending().await
        }
    }

    /// Lets no object be written until the permit is dropped.
    pub async fn hold_back(&self) -> tokio::sync::SemaphorePermit<'_> {
        self.may_write.acquire().await.unwrap()
    }

    /// The places of the segments.
    pub fn segments(&self) -> Vec<String> {
        let state = self.state();
        let places = state.objects.keys().filter(|place| place.contains("/segments/"));
        places.cloned().collect()
    }

    /// All places.
    pub fn places(&self) -> Vec<String> {
        self.state().objects.keys().cloned().collect()
    }

    /// Changes the bytes of an object; to nothing: removes it.
    pub fn change(&self, place: &str, change: impl FnOnce(Vec<u8>) -> Option<Vec<u8>>) {
        let mut state = self.state();
        let bytes = state.objects.remove(place).unwrap();
        if let Some(bytes) = change(bytes) {
            state.objects.insert(place.to_owned(), bytes);
        }
    }

    fn answers(&self) -> Result<MutexGuard<'_, State>, StoreFault> {
        let state = self.state();
        if state.refuses {
            Err(StoreFault::Refused("403".to_owned()))
        } else if state.is_away {
            Err(StoreFault::NoAnswer("nobody answers".to_owned()))
        } else {
            Ok(state)
        }
    }
}

impl SegmentStore for Objects {
    fn place(&self, name: &str) -> Option<String> {
        Some(format!("memory://bucket/{name}"))
    }

    fn put<'a>(&'a self, place: &'a str, bytes: Vec<u8>) -> StoreCall<'a, ()> {
        Box::pin(async move {
            self.hang().await;
            let _permit = self.may_write.acquire().await.unwrap();
            let mut state = self.answers()?;
            state.objects.insert(place.to_owned(), bytes);
            if state.loses_answers {
                return Err(StoreFault::NoAnswer("the answer is lost".to_owned()));
            }
            Ok(())
        })
    }

    fn get<'a>(&'a self, place: &'a str, size: u64) -> StoreCall<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            self.hang().await;
            let state = self.answers()?;
            let object = state.objects.get(place).cloned();
            Ok(object.map(|bytes| if bytes.len() as u64 == size { bytes } else { Vec::new() }))
        })
    }

    fn remove<'a>(&'a self, place: &'a str) -> StoreCall<'a, ()> {
        Box::pin(async move {
            self.hang().await;
            self.answers()?.objects.remove(place);
            Ok(())
        })
    }
}

/// A worker that reads segments there, and writes none.
#[derive(Debug)]
pub struct ReadOnly(pub Arc<Objects>);

impl SegmentStore for ReadOnly {
    fn place(&self, _name: &str) -> Option<String> {
        None
    }

    fn put<'a>(&'a self, place: &'a str, _bytes: Vec<u8>) -> StoreCall<'a, ()> {
        panic!("{place} is written")
    }

    fn get<'a>(&'a self, place: &'a str, size: u64) -> StoreCall<'a, Option<Vec<u8>>> {
        self.0.get(place, size)
    }

    fn remove<'a>(&'a self, place: &'a str) -> StoreCall<'a, ()> {
        panic!("{place} is removed")
    }
}

/// The worker with a folder, which keeps segments in the store.
pub async fn worker_with(store: Arc<dyn SegmentStore>, address: &str, folder: u64) -> Fleet {
    let options = JoinOptions {
        segments: Some(store),
        ..super::options(address, folder)
    };
    Fleet::join(options).await.unwrap()
}
