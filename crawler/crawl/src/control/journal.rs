//! The file `control.jsonl`: one JSON object a line, only ever appended to.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::answer::Answer;
use super::entry::{Answered, Entry, Ordered};
use super::order::Order;
use crate::clock::unix_millis;
use storage::durable;
use terminal::units::utc;

/// The name of the file in the data folder.
pub const NAME: &str = "control.jsonl";

/// Upper bound on the wait for another process that appends. A process that was stopped there must hold up nobody.
const LOCKED_WITHIN: Duration = Duration::from_secs(5);

/// Time between two attempts to lock.
const POLL: Duration = Duration::from_millis(5);

/// The journal of a data folder.
#[derive(Debug, Clone)]
pub struct Journal {
    path: PathBuf,
}

/// The entries of a journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entries {
    /// In their order.
    pub entries: Vec<Entry>,
    /// Lines that a kill cut short, or that somebody damaged.
    pub damaged: u64,
    /// Whether they are from the start of another journal than the one that was read before.
    pub is_another: bool,
}

impl Entries {
    /// The orders.
    pub fn orders(&self) -> impl Iterator<Item = &Ordered> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Order(ordered) => Some(ordered),
            Entry::Answer(_) => None,
        })
    }

    /// The answer to an order.
    #[must_use]
    pub fn answer_to(&self, id: u64) -> Option<&Answer> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::Answer(answered) if answered.answers == id => Some(&answered.answer),
            _ => None,
        })
    }

    /// The numbers of the orders that have an answer.
    pub fn answered(&self) -> impl Iterator<Item = u64> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Answer(answered) => Some(answered.answers),
            Entry::Order(_) => None,
        })
    }

    fn push(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match Entry::parse(line) {
            Some(entry) => self.entries.push(entry),
            None => self.damaged += 1,
        }
    }
}

impl Journal {
    /// The journal in this data folder, whether there is one or not.
    #[must_use]
    pub fn in_folder(dir: &Path) -> Self {
        Self { path: dir.join(NAME) }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All complete lines.
    ///
    /// # Errors
    /// The file cannot be read, or others than its owner may write to it.
    pub fn read(&self) -> io::Result<Entries> {
        Reader::of(self.clone()).read_on()
    }

    /// Appends an order, durably. Returns its number, which is greater than `taken`, that of the last order that the crawl has taken.
    ///
    /// # Errors
    /// As [`read`](Self::read); the file cannot be written, or this user does not own the data folder.
    pub fn order(&self, order: Order, taken: u64) -> io::Result<u64> {
        self.check_user()?;
        let mut file = self.lock()?;
        let entries = entries_in(&mut file)?;
        let last = entries.orders().map(|ordered| ordered.id).max().unwrap_or_default();
        let now = SystemTime::now();
        let id = micros(now).max(last.max(taken) + 1);
        let at = utc(unix_millis(now));
        self.append(file, &Entry::Order(Ordered { id, at, order }))?;
        Ok(id)
    }

    /// Appends the answer to an order.
    ///
    /// # Errors
    /// As [`order`](Self::order).
    pub fn answer(&self, id: u64, answer: Answer) -> io::Result<()> {
        let at = utc(unix_millis(SystemTime::now()));
        let file = self.lock()?;
        self.append(
            file,
            &Entry::Answer(Answered {
                answers: id,
                at,
                answer,
            }),
        )
    }

    /// Opens the file to append to it, alone. A file system without locks holds nobody off.
    fn lock(&self) -> io::Result<File> {
        self.check()?;
        let mut options = OpenOptions::new();
        options.create(true).append(true).read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.path)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if began.elapsed() < LOCKED_WITHIN => std::thread::sleep(POLL),
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(ErrorKind::TimedOut, "another process writes to it"));
                }
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
            }
        }
    }

    fn append(&self, file: File, entry: &Entry) -> io::Result<()> {
        durable::append_line(file, &self.path, &terminal::json::to_string(entry)?)
    }

    /// Refuses another user than the owner of the data folder, who could not read the file that this user would create.
    pub(super) fn check_user(&self) -> io::Result<()> {
        #[cfg(unix)]
        if let Some(owner) = self.owner_of_folder()?
            && owner != rustix::process::geteuid().as_raw()
        {
            return Err(io::Error::new(
                ErrorKind::PermissionDenied,
                format!("the data folder belongs to another user; give the order as that user (uid {owner})"),
            ));
        }
        Ok(())
    }

    #[cfg(unix)]
    fn owner_of_folder(&self) -> io::Result<Option<u32>> {
        use std::os::unix::fs::MetadataExt;
        // A path of one name has an empty parent, which is the working folder.
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let found = fs::metadata(folder.unwrap_or(Path::new(".")))?;
        Ok(Some(found.uid()))
    }

    /// Refuses what is no file of its owner alone: whoever can write to it steers the crawl.
    fn check(&self) -> io::Result<()> {
        let found = match fs::symlink_metadata(&self.path) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let refused = |reason: &str| Err(io::Error::new(ErrorKind::PermissionDenied, reason));
        if !found.is_file() {
            return refused("it is no regular file; remove it");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            if found.mode() & 0o022 != 0 {
                return refused("others than its owner may write to it, so no order in it is taken; chmod 600 it");
            }
            let of_folder = self.owner_of_folder()?;
            let own = rustix::process::geteuid().as_raw();
            if found.uid() != own && Some(found.uid()) != of_folder {
                return refused("it belongs neither to this user nor to the owner of the data folder; remove it");
            }
        }
        Ok(())
    }
}

/// All entries of the open file, also one whose line is not complete: its number is taken.
fn entries_in(file: &mut File) -> io::Result<Entries> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let mut entries = Entries::default();
    bytes.split(|byte| *byte == b'\n').for_each(|line| entries.push(line));
    Ok(entries)
}

/// Microseconds since the Unix epoch.
pub(crate) fn micros(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// Reads the lines of a journal as they come.
#[derive(Debug)]
pub struct Reader {
    journal: Journal,
    /// The end of the lines read so far.
    read_to: u64,
    /// The last bytes before it, by which another journal is known.
    tail: Vec<u8>,
}

/// Bound on the bytes by which a reader knows its journal.
const TAIL: usize = 256;

impl Reader {
    /// From the first line on.
    #[must_use]
    pub fn of(journal: Journal) -> Self {
        Self {
            journal,
            read_to: 0,
            tail: Vec::new(),
        }
    }

    /// The complete lines since the last call. A journal that does not go on where the last call ended is another one, and is read from its start.
    ///
    /// # Errors
    /// As [`Journal::read`].
    pub fn read_on(&mut self) -> io::Result<Entries> {
        let length = match fs::symlink_metadata(&self.journal.path) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        let mut entries = Entries::default();
        if length == self.read_to {
            return Ok(entries);
        }
        let mut bytes = Vec::new();
        if length > 0 {
            self.journal.check()?;
            let mut file = File::open(&self.journal.path)?;
            entries.is_another = length < self.read_to || !self.goes_on(&mut file)?;
            file.seek(SeekFrom::Start(if entries.is_another { 0 } else { self.read_to }))?;
            file.read_to_end(&mut bytes)?;
        } else {
            entries.is_another = true;
        }
        if entries.is_another {
            self.read_to = 0;
            self.tail.clear();
        }
        let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(complete);
        self.read_to += complete as u64;
        self.tail.extend_from_slice(&bytes[complete.saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        bytes.split(|byte| *byte == b'\n').for_each(|line| entries.push(line));
        Ok(entries)
    }

    /// Whether the file has what was read last, in its place.
    fn goes_on(&self, file: &mut File) -> io::Result<bool> {
        let mut found = vec![0; self.tail.len()];
        file.seek(SeekFrom::Start(self.read_to - self.tail.len() as u64))?;
        match file.read_exact(&mut found) {
            Ok(()) => Ok(found == self.tail),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn ids(entries: &Entries) -> Vec<u64> {
        entries.orders().map(|ordered| ordered.id).collect()
    }

    fn add(journal: &Journal, bytes: &[u8]) {
        let mut file = OpenOptions::new().append(true).open(journal.path()).unwrap();
        file.write_all(bytes).unwrap();
    }

    #[test]
    fn orders_and_answers_are_read_back_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::in_folder(dir.path());
        assert_eq!(journal.read().unwrap(), Entries::default());
        let mut reader = Reader::of(journal.clone());
        let first = journal.order(Order::Pause, 0).unwrap();
        assert_eq!(ids(&reader.read_on().unwrap()), [first]);
        let second = journal.order(Order::Resume, 0).unwrap();
        assert!(second > first);
        journal.answer(first, Answer::refusal("no")).unwrap();
        let later = reader.read_on().unwrap();
        assert_eq!((ids(&later), later.entries.len()), (vec![second], 2));
        let all = journal.read().unwrap();
        assert_eq!(all.answer_to(first).unwrap().text, "no");
        assert_eq!(all.answer_to(second), None);
    }

    #[test]
    fn a_line_cut_short_is_no_order_and_the_next_one_counts() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::in_folder(dir.path());
        let first = journal.order(Order::Pause, 0).unwrap();
        let mut reader = Reader::of(journal.clone());
        add(&journal, b"{\"id\":1,\"order\":\"dr");
        let before = reader.read_on().unwrap();
        assert_eq!((ids(&before), before.damaged), (vec![first], 0), "it may still grow");
        let second = journal.order(Order::Resume, 0).unwrap();
        let after = reader.read_on().unwrap();
        assert_eq!((ids(&after), after.damaged), (vec![second], 1));
        add(&journal, b"\xff\xfe\nnot json\n\n[]\n");
        assert_eq!(reader.read_on().unwrap().damaged, 3);
        assert_eq!(ids(&journal.read().unwrap()), [first, second]);
    }

    #[test]
    fn a_number_is_greater_than_any_before_whatever_the_clock_says() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::in_folder(dir.path());
        journal.order(Order::Pause, 0).unwrap();
        let ahead = micros(SystemTime::now()) + 3_600_000_000;
        add(&journal, format!("{{\"id\":{ahead},\"order\":\"pause\"}}").as_bytes());
        assert_eq!(journal.order(Order::Resume, 0).unwrap(), ahead + 1);
        assert_eq!(journal.order(Order::Resume, 2 * ahead).unwrap(), 2 * ahead + 1);
    }

    #[test]
    fn many_processes_that_append_lose_no_line() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::in_folder(dir.path());
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| (0..20).for_each(|_| assert!(journal.order(Order::Pause, 0).is_ok())));
            }
        });
        let entries = journal.read().unwrap();
        let mut ids = ids(&entries);
        ids.dedup();
        assert_eq!((ids.len(), entries.damaged), (80, 0));
        assert!(ids.is_sorted());
    }

    #[test]
    #[cfg(unix)]
    fn a_journal_that_others_may_write_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::in_folder(dir.path());
        journal.order(Order::Pause, 0).unwrap();
        let mode = fs::metadata(journal.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::set_permissions(journal.path(), fs::Permissions::from_mode(0o620)).unwrap();
        assert!(journal.read().unwrap_err().to_string().contains("chmod 600"));
        assert!(journal.order(Order::Resume, 0).is_err());
        fs::remove_file(journal.path()).unwrap();
        std::os::unix::fs::symlink(dir.path().join("elsewhere"), journal.path()).unwrap();
        assert!(journal.order(Order::Pause, 0).is_err(), "a link");
    }
}
