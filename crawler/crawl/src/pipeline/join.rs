//! The start of a run in a fleet: the worker joins, and its desk begins to work. No other file puts the parts of a fleet together, and a crawl
//! by one process only learns here that it is alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;
use fleet::partition::DEFAULT_PARTITIONS;
use fleet::{JoinOptions, Terms, WorkerNumber};
use storage::Worker;
use tokio::sync::mpsc;

use crate::admission::Admission;
use crate::fleet::asked::Asked;
use crate::fleet::by_digest::ByDigest;
use crate::fleet::by_log::ByLog;
use crate::fleet::desk::{DeskOptions, RunningDesk};
use crate::fleet::idle::IdleSign;
use crate::fleet::leased::Leased;
use crate::fleet::member::DeskLink;
use crate::fleet::membership::Membership;
use crate::fleet::ownership::Ownership;
use crate::fleet::segment_objects::SegmentObjects;
use crate::messages::Event;
use crate::recorder::{Books, Judge};
use crate::scope::Scope;
use crate::stats::Stats;
use crate::watch::{PATIENCE_AFTER_STOP, Watch};
use config::FleetVerdicts;
use config::settings::{Settings, valid_changes};
use error::RunError;

/// Messages of the desk that wait for the recorder. Each may hold hundreds of URLs or log entries.
const FROM_DESK: usize = 16;

/// How long a call to the servers tries, at most. After that the desk says that they do not answer, and tries again.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a worker has instead of the parts of a crawl by one process.
pub(super) struct Joined {
    pub judge: Box<dyn Judge>,
    pub admission: Box<dyn Admission>,
    pub membership: Joining,
}

/// The work with the fleet, until the run ends.
pub(super) struct Joining(RunningDesk);

impl Joining {
    /// Waits until the worker has left the fleet: see [`RunningDesk::join`].
    pub fn leave(self, watch: &Watch) -> Result<(), RunError> {
        watch.waits_for("the fleet", PATIENCE_AFTER_STOP);
        self.0.join()
    }
}

/// Joins the fleet with the data folder of the `books`, if the settings name one. Times count from `start`.
pub(super) fn join(
    settings: &Settings,
    books: &mut Books,
    scope: &Arc<Scope>,
    events: &mpsc::Sender<Event>,
    stats: &Arc<Stats>,
    (start, watch): (Instant, &Watch),
) -> Result<Option<Joined>, RunError> {
    let Some(wanted) = &settings.fleet else {
        return Ok(None);
    };
    let dir = books.store().dir().to_owned();
    let mut membership = Membership::read(&dir)?;
    if membership.crawl.is_some() && membership.worker.is_none() {
        // The file is of a version that did not note it.
        membership.worker = books.store().run_notes().worker()?;
    }
    let verdicts = match wanted.verdicts {
        FleetVerdicts::Fleet => "fleet",
        FleetVerdicts::Worker => "worker",
    };
    let rule = format!("{}, candidates {}", settings.rule, settings.candidates);
    membership.keeps_to(vec![
        ("scheme".to_owned(), settings.store_scheme()),
        ("rule".to_owned(), rule.clone()),
        ("fleet.verdicts".to_owned(), verdicts.to_owned()),
    ])?;
    // A run that is killed between the join and the next line would be another worker the next time.
    membership.write(&dir)?;
    let mut options = JoinOptions::new(&wanted.address);
    options.name.clone_from(&wanted.name);
    options.folder = membership.folder;
    options.crawl = membership.crawl;
    options.remembered = membership.remembered();
    options.host = machine();
    options.terms = Terms {
        scheme: settings.store_scheme(),
        rule,
        partitions: DEFAULT_PARTITIONS,
    };
    options.rules.clone_from(&wanted.rules);
    options.valid_changes = valid_changes;
    options.lease = wanted.lease;
    options.patience = (wanted.lease / 2).clamp(Duration::from_secs(1), PATIENCE);
    options.segments = Some(Arc::new(SegmentObjects::new(wanted.segments_url.as_deref())));
    let ownership = Ownership::new(DEFAULT_PARTITIONS, start);
    let (sign, asked) = (IdleSign::default(), Asked::default());
    let (to_desk, letters) = mpsc::unbounded_channel();
    let (recorder_in, from_desk) = bounded(FROM_DESK);
    let has_log = wanted.verdicts == FleetVerdicts::Fleet;
    let desk = RunningDesk::start(DeskOptions {
        join: options,
        membership,
        dir,
        ownership: ownership.clone(),
        sign: sign.clone(),
        asked: asked.clone(),
        letters,
        recorder: recorder_in,
        events: events.clone(),
        stats: stats.clone(),
        watch: watch.clone(),
        adjustable: wanted.adjustable.clone(),
        segment: wanted.segment_entries,
        has_log,
    })?;
    tracing::info!(worker = desk.worker, crawl = wanted.name, "joined the fleet");
    // `crawler merge` knows by it whose numbers the archive has.
    let worker = Worker {
        number: desk.worker,
        crawl: format!("{:016x}", desk.crawl),
    };
    books.store_mut().describe_files(worker.fields());
    let link = DeskLink {
        ownership: ownership.clone(),
        sign: sign.clone(),
        desk: to_desk,
        from_desk,
        scope: scope.clone(),
        secret: desk.crawl,
        restores: desk.restores,
        window: wanted.segment_entries,
    };
    let me = WorkerNumber(desk.worker);
    let opened: Result<Box<dyn Judge>, RunError> = match wanted.verdicts {
        FleetVerdicts::Fleet => ByLog::open(me, books, settings, link).map(|judge| Box::new(judge) as _),
        FleetVerdicts::Worker => ByDigest::open(me, books, settings, link).map(|judge| Box::new(judge) as _),
    };
    let judge = match opened {
        // The desk knows why it has ended.
        Err(RunError::Stage(stage)) => return desk.join().and(Err(RunError::Stage(stage))),
        judge => judge?,
    };
    Ok(Some(Joined {
        judge,
        admission: Box::new(Leased::new(ownership, sign, asked)),
        membership: Joining(desk),
    }))
}

/// The name of the machine, for the status of the fleet.
fn machine() -> String {
    let name = std::env::var("HOSTNAME").ok();
    let name = name.or_else(|| std::fs::read_to_string("/proc/sys/kernel/hostname").ok());
    name.map_or_else(|| "unknown".to_owned(), |name| name.trim().to_owned())
}
