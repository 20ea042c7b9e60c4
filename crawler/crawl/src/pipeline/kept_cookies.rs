//! The cookies that outlive a run: a file of mode 600 in the data folder. Whoever reads it can act as the user of its sessions.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use storage::durable::{self, Readers};
use web::fetch::Fetcher;

/// The name of the file in the data folder.
const NAME: &str = "cookies.txt";

/// The name of the file while it is being written. A killed run may leave it behind.
const UNFINISHED: &str = "cookies.txt.new";

/// Time between two looks at the cookies. A killed run loses the changes of this time.
const INTERVAL: Duration = Duration::from_secs(5);

/// The file, and the cookies that go into it.
#[derive(Debug, Clone)]
pub(super) struct KeptCookies {
    dir: PathBuf,
    fetcher: Fetcher,
    /// The changes of the cookies that the file has.
    written: Arc<Mutex<u64>>,
}

impl KeptCookies {
    /// Takes back the cookies that an earlier run kept in the data folder `dir`.
    pub fn restore(dir: &Path, fetcher: Fetcher) -> Self {
        let path = dir.join(NAME);
        match read(&path) {
            Ok(Some((text, kept_at))) => {
                if let Err(reason) = fetcher.restore_cookies(&text, kept_at) {
                    tracing::warn!("{} {reason}; the run begins without kept cookies", path.display());
                }
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(
                "{} cannot be read: {error}; the run begins without kept cookies",
                path.display()
            ),
        }
        Self {
            dir: dir.to_owned(),
            written: Arc::new(Mutex::new(fetcher.cookie_changes())),
            fetcher,
        }
    }

    /// Writes the file from time to time, until the runtime ends.
    pub async fn keep(self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let cookies = self.clone();
            if tokio::task::spawn_blocking(move || cookies.write()).await.is_err() {
                tracing::warn!("the cookies are not kept any more, because writing them panicked");
                return;
            }
        }
    }

    /// Writes the file, if the cookies have changed.
    pub fn write(&self) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = self.fetcher.cookie_changes();
        if changes == *written {
            return;
        }
        let (path, unfinished) = (self.dir.join(NAME), self.dir.join(UNFINISHED));
        let text = self.fetcher.cookies_as_text();
        match durable::replace(&path, &unfinished, Readers::Owner, |file| {
            file.write_all(text.as_bytes())
        }) {
            Ok(()) => *written = changes,
            Err(error) => tracing::warn!("the cookies cannot be kept in {}: {error}", path.display()),
        }
    }
}

/// The text of the file and the time of its last change; `None` if there is no file.
fn read(path: &Path) -> io::Result<Option<(String, SystemTime)>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some((text, fs::metadata(path)?.modified()?))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
