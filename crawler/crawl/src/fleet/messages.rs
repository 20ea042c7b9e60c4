//! The messages between the recorder, which owns the store, and the desk, which speaks with the fleet.

use fleet::{Entry, FinishedUrl, PageId, Partition, Position, Segment, WaitingUrl, WorkerNumber};
use storage::{Letter, QueuedUrl};
use tokio::sync::oneshot;

/// How other workers treated hosts, by name, as they passed it on.
pub(crate) type HostStates = Vec<(String, Vec<u8>)>;

/// From the recorder to the desk.
#[derive(Debug)]
pub(crate) enum ToDesk {
    /// The next committed letters, in order, each with the number of its row.
    Outbox(Vec<(u64, Letter)>),
    /// The index has applied the log up to here. The first such message says where the desk begins to read.
    Applied(Position),
    /// The servers had lost the crawl. This is a part of what the folder knows of it.
    BringBack {
        /// URLs that it has finished, with their depths.
        finished: Vec<(Partition, FinishedUrl)>,
        /// URLs that it knows and has not finished.
        waiting: Vec<(Partition, WaitingUrl)>,
        /// Takes the word that the servers have them.
        answer: oneshot::Sender<()>,
    },
    /// The servers have all that the folder knows, and the log has its kept pages.
    IsBack,
    /// The verdicts of this folder agree with the log that all workers have brought back.
    Restored,
    /// The index has applied an entry that forgets a worker.
    Forgot(WorkerNumber, Position),
    /// The index of the log is empty: the answer to [`FromDesk::LogLost`]. The desk reads from the beginning.
    BeginsAnew,
    /// The frontier has left the partition, and the letters about it that are not sent yet have numbers up to this one.
    Freed {
        /// The partition.
        partition: Partition,
        /// The number of the last row of the outbox.
        after: u64,
    },
    /// These URLs of partitions that other workers had are in the queue of this folder. The desk is to find out which of them are done.
    Waiting(Vec<(Partition, Vec<QueuedUrl>)>),
    /// The run has ended, for this reason of its own; the letters are all in the channel.
    Ended,
}

/// From the desk to the recorder.
#[derive(Debug)]
pub(crate) enum FromDesk {
    /// The letters up to this row have arrived.
    Sent(u64),
    /// Which pages have the digests that these pages of this folder claimed: the table of digests has answered.
    Claimed(Vec<(u64, PageId)>),
    /// Entries of the log of kept pages, behind those before.
    Log(Vec<(Position, Entry)>),
    /// A segment of the log: what follows those before is not in the log any more.
    Segment(Segment),
    /// There was nothing in the log behind what was sent.
    LogEnd,
    /// The frontier is to leave the hosts of these partitions. It hears of them through the recorder, because they may be on their way to it.
    Go(Vec<Partition>),
    /// The servers have lost entries of the log that this worker has applied.
    LogLost,
    /// All workers have brought back what their folders know: after [`ToDesk::IsBack`].
    AllAreBack,
    /// Which of these pages does the log keep?
    Judge {
        /// The pages.
        pages: Vec<PageId>,
        /// The place of the last of them.
        end: Position,
        /// Takes the answers, in order; none if the log is not applied so far, because it has begun anew.
        answer: oneshot::Sender<Vec<bool>>,
    },
    /// Pages of this folder whose outcome came too late: another worker had taken the partition.
    Refused {
        /// Their sequence numbers.
        pages: Vec<u64>,
        /// As in `Came`: the URLs of those whose partitions this worker has again are to be fetched.
        number: u64,
    },
    /// This worker owns partitions that other workers had. With each goes how others treated its hosts: see
    /// [`read_record`](super::letter::read_record). The answer is [`ToDesk::Waiting`].
    Granted(Vec<(Partition, HostStates)>),
    /// The frontier may ask the hosts of these partitions.
    Came {
        /// The partitions.
        partitions: Vec<Partition>,
        /// URLs in the queue of this folder that other workers have finished.
        done: Vec<QueuedUrl>,
        /// The number of the message: see [`IdleSign`](super::idle::IdleSign).
        number: u64,
    },
    /// URLs of own partitions that wait on the servers of the fleet.
    Arrived {
        /// The URLs. Many of them may be known.
        urls: Vec<WaitingUrl>,
        /// As in `Came`.
        number: u64,
    },
    /// Finished URLs of own partitions whose depths may have sunk. They are not to be fetched.
    Lowered {
        /// The URLs. Other workers may have fetched some of them.
        urls: Vec<WaitingUrl>,
        /// As in `Came`.
        number: u64,
    },
}
